"""Which entries of a tokenizer can be removed at all, in which order if texts do not decide, and which belong to a script."""

from __future__ import annotations

from collections.abc import Sequence

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.changing.recutting import MergeParts
from tokenarium_core.errors import ArgumentError
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.sentencepiece_bpe import SentencePieceSymbols
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.models.unigram.unigram_scores import SENTENCEPIECE
from tokenarium_core.models.wordpiece import WordPiece
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.unicode.codepoints import NAME_OF, SCRIPT_TABLE, SCRIPTS
from tokenarium_core.unicode.utf8 import character_at
from tokenarium_core.vocabulary import CONTINUING, NORMAL, USER_DEFINED, WORD_END


def script_codes(scripts: Sequence[str]) -> list[str]:
    """Returns the ISO 15924 codes of scripts given by code or by English name; ArgumentError for an unknown one."""
    by_name = {name.lower(): code for code, name in NAME_OF.items()}
    codes: list[str] = []
    for script in scripts:
        code = by_name.get(script.lower(), script.title())
        if code not in NAME_OF:
            raise ArgumentError(
                f"{script!r} is not a script: give its name, such as 'Cyrillic', or its code, such as 'Cyrl'."
            )
        codes.append(code)
    return codes


def staying_entries(tokenizer: Tokenizer) -> vec[u8]:
    """Returns 1 for each id that has to stay, or has no entry."""
    vocabulary = tokenizer.vocabulary
    model = tokenizer.model
    stays = vec[u8]([1] * vocabulary.count)
    on_bytes = isinstance(model, BytePairEncoder)
    for id in range(vocabulary.count):
        kind: i64 = i64(vocabulary.kinds[id])
        if kind == NORMAL or kind == CONTINUING or kind == WORD_END:
            piece = vocabulary.piece(id)
            if len(piece) > 1 and (on_bytes or _characters(piece) > 1):
                stays[id] = 0
    for token in tokenizer.added_tokens.tokens:
        stays[token.id] = 1
    _keep_characters(tokenizer, stays)
    if isinstance(model, Unigram):
        # The score of an unknown character is 10 below the lowest one.
        lowest: i64 = -1
        scores = vocabulary.scores
        for id in range(vocabulary.count):
            if model.rules == SENTENCEPIECE and i64(vocabulary.kinds[id]) != NORMAL:
                continue
            equal = lowest >= 0 and scores[id] == scores[lowest] and i64(stays[id]) == 1
            if lowest < 0 or scores[id] < scores[lowest] or equal:
                lowest = id
        if lowest >= 0:
            stays[lowest] = 1
    return stays


def _keep_characters(tokenizer: Tokenizer, stays: vec[u8]) -> None:
    """Keeps entries with a character that is not an entry, if nothing else represents it."""
    model = tokenizer.model
    if isinstance(model, CharacterBpe):
        source = model.source
        if not isinstance(source, SentencePieceSymbols) or len(source.byte_ids) > 0:
            return
    elif isinstance(model, Unigram):
        if model.rules == SENTENCEPIECE and model.byte_fallback:
            return
    elif not isinstance(model, WordPiece):
        return
    vocabulary = tokenizer.vocabulary
    apart = isinstance(model, WordPiece) and len(vocabulary.affix) > 0
    known: set[str] = set()  # at the beginning of a word, or anywhere
    inside: set[str] = set()
    for id in range(vocabulary.count):
        kind: i64 = i64(vocabulary.kinds[id])
        piece = vocabulary.piece(id)
        if _characters(piece) == 1:
            if kind == CONTINUING:
                inside.add(piece.decode("utf-8", "replace"))
            elif kind == NORMAL or kind == USER_DEFINED:
                known.add(piece.decode("utf-8", "replace"))
    if not apart:
        inside |= known
    for id in range(vocabulary.count):
        if i64(stays[id]) == 0:
            text = vocabulary.piece(id).decode("utf-8", "replace")
            first = inside if i64(vocabulary.kinds[id]) == CONTINUING else known
            if text[0] not in first or not inside.issuperset(text[1:]):
                stays[id] = 1


def _characters(piece: bytes) -> int:
    """Returns how many characters begin in the bytes of a piece."""
    return len([byte for byte in piece if byte & 0xC0 != 0x80])


def order_of_equals(tokenizer: Tokenizer, parts: MergeParts) -> vec[i32]:
    """Returns the rank of each id among equally used entries, in the order of removal."""
    vocabulary = tokenizer.vocabulary
    keys: list[tuple[float, int]] = []
    scored = isinstance(tokenizer.model, Unigram)
    for id in range(vocabulary.count):
        if scored:
            keys.append((vocabulary.scores[id], -id))
        else:
            rank: i64 = i64(parts.last_rank[id])
            keys.append((-float(rank) if rank >= 0 else float("-inf"), -id))
    places = vec[i32]([0] * vocabulary.count)
    for index, id in enumerate(sorted(range(vocabulary.count), key=keys.__getitem__)):
        places[id] = i32(index)
    return places


def entries_of_scripts(tokenizer: Tokenizer, codes: list[str]) -> vec[u8]:
    """Returns 1 for each id whose piece has a whole character of some scripts."""
    vocabulary = tokenizer.vocabulary
    removable = vec[u8]([0] * vocabulary.count)
    if not codes:
        return removable
    chosen = vec[u8]([0] * len(SCRIPTS))
    for code in codes:
        chosen[SCRIPTS.index(code)] = 1
    arena = vocabulary.arena
    for id in range(vocabulary.count):
        at: i64 = i64(vocabulary.offsets[id])
        stop: i64 = i64(vocabulary.offsets[id + 1])
        while at < stop:
            size = character_at(arena, at, stop)
            if size == 0:
                at += 1
                continue
            byte: i64 = arena[at]
            point: i64 = byte
            if size > 1:
                point = byte & (0x7F >> size)
                for index in range(at + 1, at + size):
                    further: i64 = arena[index]
                    point = point << 6 | further & 0x3F
            script: i64 = SCRIPT_TABLE[point]
            if i64(chosen[script]) == 1:
                removable[id] = 1
            at += size
    return removable
