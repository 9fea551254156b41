"""The entries that make each of some words one token, and the steps that these need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mypy_extensions import i64

from tokenarium_core.changing.extended_files import (
    NewEntry,
    has_affixes,
    score_last,
    spelled_already,
    surface_of,
    with_entries,
)
from tokenarium_core.changing.extension_words import TRAINER, settings_of, words_of_text
from tokenarium_core.changing.special_tokens import library_of
from tokenarium_core.errors import ArgumentError, UnsupportedError
from tokenarium_core.models.bpe.boundless_bpe import BoundlessBpe
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.picky_bpe import PickyBpe
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.models.wordpiece import WordPiece
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.training.merging.encoded_segmentation import ModelWords
from tokenarium_core.vocabulary import BYTE, NORMAL, SPACE_MARK, Vocabulary

UNKNOWN_PENALTY: Final = 10.0
"""By how much an unknown character is worse than the worst piece, in SentencePiece and in tokenizers."""

_ABOVE: Final = (
    0.01  # by which a requested piece is better than its parts: far more than 32-bit floats round
)
_SHOWN: Final = 5
_MOST_ROUNDS: Final = 20
"""How often words that turned out to be impossible are left out, and the others tried without them."""

_MARK: Final = "▁".encode()
MOST_WORDS: Final = 1_000_000
"""The most words of a list: each may need several entries."""


def entries_of_words(
    tokenizer: Tokenizer,
    words: Sequence[str | bytes],
    refused: list[tuple[str, str]] | None = None,
) -> list[NewEntry]:
    """Returns the entries that make each word one token, in the order in which they have to be added.

    See `extending.Extension.add_words`.
    """
    if isinstance(words, (str, bytes)):
        raise ArgumentError("Give a list of words, not a single one.")
    if len(words) > MOST_WORDS:
        raise ArgumentError(
            f"The list has {len(words):,} words: at most {MOST_WORDS:,} are allowed."
        )
    library_of(tokenizer)  # refuses what no file can hold
    problems: list[tuple[str, str]] = []
    pieces: list[bytes] = []
    for word in words:
        piece = _piece_of(tokenizer, word, problems)
        if piece:
            pieces.append(piece)
    pieces = list(dict.fromkeys(pieces))
    for _ in range(_MOST_ROUNDS):
        failed: dict[bytes, str] = {}
        entries = _entries_of_pieces(tokenizer, pieces, failed)
        if entries and not failed:
            _verify(tokenizer, entries, failed)
        for piece, reason in failed.items():
            problems.append((piece.decode("utf-8", "replace"), reason))
        if not failed or refused is None:
            break
        pieces = [piece for piece in pieces if piece not in failed]  # each without the steps to it
    if problems and (refused is None or failed):
        more = len(problems) - _SHOWN
        said = " ".join([reason for _, reason in problems[:_SHOWN]])
        raise ArgumentError(said if more <= 0 else f"{said} … and {more:,} more words.")
    if refused is not None:
        refused.extend(problems)
    return entries


def _entries_of_pieces(
    tokenizer: Tokenizer, pieces: list[bytes], failed: dict[bytes, str]
) -> list[NewEntry]:
    """Returns the entries for words as the model meets them; the reasons of those that cannot be one go to ``failed``."""
    model = tokenizer.model
    if isinstance(model, Unigram):
        return _scored_entries(tokenizer, pieces)
    if isinstance(model, WordPiece):
        return _whole_entries(tokenizer, pieces, failed)
    if isinstance(model, (BytePairEncoder, CharacterBpe)):
        if has_affixes(tokenizer):
            raise UnsupportedError(
                f"{tokenizer.name} cannot be extended: its entries at the end of a word differ from those inside one."
            )
        return _merged_entries(tokenizer, pieces, failed)
    if isinstance(model, BoundlessBpe):
        raise UnsupportedError(
            f"Words cannot be added to {tokenizer.name}: BoundlessBPE makes an entry by the merges, deletions and"
            " supermerges of its training, and none of them made these words."
        )
    if isinstance(model, PickyBpe):
        raise UnsupportedError(
            f"Words cannot be added to {tokenizer.name}: PickyBPE makes an entry by merges and removals of its"
            " training, and none of them made these words."
        )
    raise ArgumentError(f"{tokenizer.name} looks its entries up: words cannot be added to it.")


def _piece_of(tokenizer: Tokenizer, word: str | bytes, problems: list[tuple[str, str]]) -> bytes:
    """Returns a word as the model meets it; empty, with a problem, if it meets something else."""
    said = word if isinstance(word, str) else word.decode("utf-8", "replace")
    if isinstance(word, bytes):
        if not word:
            problems.append((said, "A word has at least one byte."))
        if isinstance(tokenizer.model, BytePairEncoder):
            return word
        try:
            word.decode()
        except UnicodeDecodeError:
            problems.append(
                (
                    said,
                    f"{word!r} is not UTF-8: the entries of {tokenizer.name} are made of whole characters.",
                )
            )
            return b""
        spelling: i64 = tokenizer.vocabulary.spelling
        if spelling == SPACE_MARK:
            return word
        return word.replace(b" ", _MARK)
    try:
        word.encode()
    except UnicodeEncodeError:
        problems.append(
            (said, f"{word!r} is not Unicode text: it contains half of a surrogate pair.")
        )
        return b""
    if isinstance(tokenizer.model, WordPiece) and tokenizer.vocabulary.affix:
        affix = tokenizer.vocabulary.affix
        if word.startswith(affix) and len(word) > len(affix):
            return word.encode()
    if not word:
        problems.append((said, "A word has at least one character."))
        return b""
    words = words_of_text(tokenizer, word)
    if word[0] == " " and not isinstance(tokenizer.model, BytePairEncoder):
        bare = words_of_text(tokenizer, word[1:])
        if len(bare) == 1 and (bare[0][:1] == b" " or bare[0].startswith(_MARK)):
            words = bare  # the tokenizer puts a space before a text by itself
    if len(words) == 1:
        if not _crosses(tokenizer, words[0]):
            return words[0]
        problems.append(
            (
                said,
                f"{word!r} cannot be one token: the words of {tokenizer.name} can only begin with a space.",
            )
        )
        return b""
    if not words:
        problems.append(
            (said, f"{word!r} has no text for the model: it is empty, or an added token.")
        )
    else:
        parts = ", ".join(repr(part.decode("utf-8", "replace")) for part in words[:4])
        problems.append(
            (
                said,
                f"{word!r} cannot be one token: {tokenizer.name} splits it before it merges, into"
                f" {parts}{' …' if len(words) > 4 else ''}.",
            )
        )
    return b""


def _crosses(tokenizer: Tokenizer, piece: bytes) -> bool:
    """Returns whether a piece has a space inside, in a SentencePiece model that was trained to split there."""
    if TRAINER not in tokenizer.stored:
        return False
    trainer, _ = settings_of(tokenizer)
    inner = piece.replace(_MARK, b" ").strip(b" ")
    return bool(trainer.split_by_whitespace) and b" " in inner


def _verify(tokenizer: Tokenizer, entries: list[NewEntry], failed: dict[bytes, str]) -> None:
    """Adds a reason for each requested entry that its own text does not become."""
    changed = with_entries(tokenizer, entries, tokenizer.name)
    words = ModelWords(changed.model)
    for entry in entries:
        if entry.wanted and not entry.continuing:
            ids = words.ids_of(entry.piece)
            if ids != [entry.id]:
                parts = " ".join(repr(changed.vocabulary.surface(id)) for id in ids[:6])
                failed[entry.piece] = (
                    f"{entry.text!r} would not become one token, but {parts}: the existing entries and merges come"
                    " first."
                )


# BPE.


def _merged_entries(
    tokenizer: Tokenizer, pieces: list[bytes], failed: dict[bytes, str]
) -> list[NewEntry]:
    cutter = ModelWords(tokenizer.model)
    taken = spelled_already(tokenizer)
    merges: dict[tuple[int, int], int] = {}
    entries: list[NewEntry] = []
    by_piece: dict[bytes, NewEntry] = {}
    for piece in pieces:
        ids = _symbols(tokenizer, cutter, piece, taken, entries, by_piece)
        if ids is None:
            failed[piece] = (
                f"{piece.decode('utf-8', 'replace')!r} contains an entry that never merges, such as a special token."
            )
            continue
        ids = _applied(ids, merges)
        if piece in by_piece:
            by_piece[piece].wanted = True
        while len(ids) > 1:
            entry = _joined(tokenizer, ids, taken, entries, by_piece, merges)
            if entry is None:
                failed[piece] = (
                    f"{piece.decode('utf-8', 'replace')!r} cannot be merged from its {len(ids)} tokens: together they"
                    " are an existing entry that its merges do not reach."
                )
                break
            ids = _applied(ids, merges)
            if len(ids) == 1:
                entry.wanted = True
    if len(tokenizer.vocabulary.scores):
        score_last(tokenizer.vocabulary, entries)
    return entries


def _symbols(
    tokenizer: Tokenizer,
    cutter: ModelWords,
    piece: bytes,
    taken: set[str],
    entries: list[NewEntry],
    by_piece: dict[bytes, NewEntry],
) -> list[int] | None:
    """Returns the ids that a word begins as, and adds characters that are not entries; None if some cannot merge."""
    vocabulary = tokenizer.vocabulary
    if isinstance(tokenizer.model, BytePairEncoder):
        ids = cutter.ids_of(piece)
        return ids if _all_of(vocabulary, ids, True) else None
    symbols: list[int] = []
    known = ""
    for character in piece.decode() + "\0":
        own = character.encode()
        if character != "\0" and own not in by_piece and vocabulary.find(own) < 0:
            entry = NewEntry(len(vocabulary) + len(entries), own, cutter.ids_of(own), wanted=False)
            spelled = surface_of(tokenizer, entry)
            if spelled in taken:
                return None
            taken.add(spelled)
            entries.append(entry)
            by_piece[own] = entry
        if character != "\0" and own not in by_piece:
            known += character
            continue
        if known:
            ids = cutter.ids_of(known.encode())
            if not _all_of(vocabulary, ids, False):
                return None
            symbols += ids
            known = ""
        if character != "\0":
            symbols.append(by_piece[own].id)
    return symbols


def _all_of(vocabulary: Vocabulary, ids: list[int], on_bytes: bool) -> bool:
    """Returns whether all ids can merge."""
    for id in ids:
        kind: i64 = i64(vocabulary.kinds[id])
        if kind != NORMAL and not (on_bytes and kind == BYTE):
            return False
    return True


def _joined(
    tokenizer: Tokenizer,
    ids: list[int],
    taken: set[str],
    entries: list[NewEntry],
    by_piece: dict[bytes, NewEntry],
    merges: dict[tuple[int, int], int],
) -> NewEntry | None:
    """Adds the merge of the first two neighbours whose piece is new."""
    size = len(tokenizer.vocabulary)
    for index in range(len(ids) - 1):
        pair = (ids[index], ids[index + 1])
        piece = b"".join(
            [
                tokenizer.vocabulary.piece(id) if id < size else entries[id - size].piece
                for id in pair
            ]
        )
        entry = NewEntry(size + len(entries), piece, list(pair), True, wanted=False)
        spelled = surface_of(tokenizer, entry)
        if spelled not in taken:
            taken.add(spelled)
            entries.append(entry)
            by_piece[piece] = entry
            merges[pair] = entry.id
            return entry
    return None


def _applied(ids: list[int], merges: dict[tuple[int, int], int]) -> list[int]:
    """Returns ids with all new merges made, the earliest first, each from left to right."""
    while True:
        best = -1
        for index in range(len(ids) - 1):
            result = merges.get((ids[index], ids[index + 1]), -1)
            if result >= 0 and (best < 0 or result < best):
                best = result
        if best < 0:
            return ids
        joined: list[int] = []
        index = 0
        while index < len(ids):
            if index + 1 < len(ids) and merges.get((ids[index], ids[index + 1]), -1) == best:
                joined.append(best)
                index += 2
            else:
                joined.append(ids[index])
                index += 1
        ids = joined


# WordPiece.


def _whole_entries(
    tokenizer: Tokenizer, pieces: list[bytes], failed: dict[bytes, str]
) -> list[NewEntry]:
    """Each word is an entry at the end of the vocabulary."""
    affix = tokenizer.vocabulary.affix.encode()
    taken = spelled_already(tokenizer)
    cutter = ModelWords(tokenizer.model)
    entries: list[NewEntry] = []
    for piece in pieces:
        continuing = len(affix) > 0 and piece.startswith(affix) and len(piece) > len(affix)
        own = piece[len(affix) :] if continuing else piece
        entry = NewEntry(len(tokenizer.vocabulary) + len(entries), own, [], continuing=continuing)
        spelled = surface_of(tokenizer, entry)
        if spelled in taken:
            if not continuing and len(cutter.ids_of(own)) != 1:
                failed[piece] = f"{spelled!r} is already an entry, but no text becomes it."
            continue
        taken.add(spelled)
        if not continuing:
            entry.parts = cutter.ids_of(own)
        entries.append(entry)
    return entries


# Unigram.


def _scored_entries(tokenizer: Tokenizer, pieces: list[bytes]) -> list[NewEntry]:
    """Each word is an entry with a score just above that of its best cut, shorter words first.

    So it is chosen in each text where it replaces that tokenization, and competes with other pieces as little as it
    can. No score is below the lowest of the vocabulary, by which the unknown is weighed.
    """
    vocabulary = tokenizer.vocabulary
    scores = normal_scores(vocabulary)
    lowest = min(scores.values(), default=0.0)
    highest = max(scores.values(), default=0.0)
    cutter = ModelWords(tokenizer.model)
    longest = max([len(piece) for piece in scores], default=0)
    entries_by_piece: dict[bytes, NewEntry] = {}
    for piece in sorted(pieces, key=len):
        if piece in scores or piece in entries_by_piece:
            continue
        longest = max(longest, len(piece))
        best = best_sum(piece, scores, longest, lowest - UNKNOWN_PENALTY)
        score = min(max(best + _ABOVE, lowest), highest)
        scores[piece] = score
        entries_by_piece[piece] = NewEntry(0, piece, cutter.ids_of(piece), score=score)
    entries = [entries_by_piece[piece] for piece in pieces if piece in entries_by_piece]
    for number, entry in enumerate(entries):
        entry.id = len(vocabulary) + number
    return entries


def normal_scores(vocabulary: Vocabulary) -> dict[bytes, float]:
    """Returns the scores of all pieces that a text may become by their bytes."""
    scores: dict[bytes, float] = {}
    for id in range(len(vocabulary)):
        kind: i64 = i64(vocabulary.kinds[id])
        if kind == NORMAL:
            scores[vocabulary.piece(id)] = vocabulary.scores[id]
    return scores


def best_sum(text: bytes, scores: dict[bytes, float], longest: int, unknown: float) -> float:
    """Returns the highest sum of scores of all ways to cut a text of UTF-8; ``unknown`` is that of other characters."""
    size = len(text)
    best = [-1e300] * (size + 1)
    best[0] = 0.0
    for start in range(size):
        before = best[start]
        if before > -1e299:
            single = start + 1
            while single < size and text[single] & 0xC0 == 0x80:
                single += 1
            end = single
            while end <= size and end - start <= longest:
                score = scores.get(text[start:end], 1.0)
                if score != 1.0 and before + score > best[end]:
                    best[end] = before + score
                end += 1
            if text[start:single] not in scores and before + unknown > best[single]:
                best[single] = before + unknown
    return best[size]
