"""Adding new entries to the file that a tokenizer's own library reads, which is then read back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final, final

from mypy_extensions import i64

from tokenarium_core.changing.extension_words import TRAINER, settings_of
from tokenarium_core.changing.special_tokens import CHANGES, library_of
from tokenarium_core.details import Detail, Source
from tokenarium_core.errors import ArgumentError
from tokenarium_core.formats import tokenarium_format
from tokenarium_core.formats.chat_part import keep_chat
from tokenarium_core.formats.hf import hf_format
from tokenarium_core.formats.llama_stages import as_before
from tokenarium_core.formats.sentencepiece import sentencepiece_format
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.unicode import byte_alphabet
from tokenarium_core.vocabulary import (
    BYTE,
    CONTINUING,
    CONTROL,
    MAX_IDS,
    NORMAL,
    SPACE_MARK,
    UNUSED,
    WORD_END,
    Vocabulary,
)

_NORMAL_TYPE: Final = 1
_NO_SCORE: Final = (
    -1e30
)  # below every score: SentencePiece writes -inf for characters that never occur
_ADDED_SCORE: Final = (
    0.0  # of an added token that becomes an entry of the model, as tokenizers writes it
)


@final
class NewEntry:
    """An entry added by an extension, in the order of addition.

    ``id`` is its id in the vocabulary. ``piece`` is its bytes in a text. ``left`` and ``right`` are the ids that
    merge into it, -1 if no merge makes it; ``parts`` are the ids that it replaces. ``wanted`` is False for an
    intermediate step towards words of a list.

    On the texts, ``count`` is how often its two parts were adjacent, or how often the character
    occurs, and 0 in Unigram; ``saved`` how many tokens
    it saves after all earlier ones; ``total`` is the sum up to here; ``uses`` is how often it is a token
    when all are added. ``score`` is its score in SentencePiece and in Unigram, else 0. ``continuing``: it occurs only
    inside a word, like WordPiece's ``##ing``.
    """

    def __init__(
        self,
        id: int,
        piece: bytes,
        parts: list[int],
        merged: bool = False,
        wanted: bool = True,
        score: float = 0.0,
        continuing: bool = False,
    ) -> None:
        self.id = id
        self.piece = piece
        self.parts = parts
        self.left = parts[0] if merged else -1
        self.right = parts[1] if merged else -1
        self.wanted = wanted
        self.score = score
        self.continuing = continuing
        self.count: int = 0
        self.saved: int = 0
        self.total: int = 0
        self.uses: int = 0

    @property
    def text(self) -> str:
        """The piece as text; bytes that are not UTF-8 are written as ``\\xe2``."""
        return self.piece.decode("utf-8", "backslashreplace")

    def __repr__(self) -> str:
        return f"<NewEntry {self.id} {self.piece!r} of {self.parts}, saves {self.saved:,}>"


def with_entries(
    tokenizer: Tokenizer, entries: Sequence[NewEntry], name: str, resume: bool = False
) -> Tokenizer:
    """Returns a tokenizer with the entries added after its own, with all existing ids unchanged.

    Its details in the group `CHANGES` say how many were added. ``resume``: the entries are placed where a single
    training would have put them, directly after the merges, and later entries move up.
    """
    if len(tokenizer.vocabulary) + len(entries) > MAX_IDS:
        raise ArgumentError(
            f"With {len(entries):,} more entries, {tokenizer.name} would have more than the {MAX_IDS:,} that this"
            " program supports. Add fewer."
        )
    library = library_of(tokenizer)
    if library == "tokenizers":
        if resume:
            check_last(tokenizer)
        changed = _in_json(tokenizer, entries)
    elif library == "sentencepiece":
        changed = _in_model(tokenizer, entries, resume)
    else:
        changed = _in_ranks(tokenizer, entries, resume)
    if not resume:
        _check(tokenizer, changed, entries)
    changed.name = name
    changed.source = Source(tokenizer.source.format, "")
    keep_chat(tokenizer, changed)
    noun = "entry" if len(entries) == 1 else "entries"
    said = f"{len(entries):,} {noun} added to {len(tokenizer.vocabulary):,}"
    changed.details = [detail for detail in changed.details if detail.group != CHANGES]
    old = [detail for detail in tokenizer.details if detail.group == CHANGES]
    changed.details += [*old, Detail(CHANGES, "extended", said)]
    return changed


def first_new_id(tokenizer: Tokenizer, resume: bool = False) -> int:
    """Returns the id of the first new entry: after all others, or in a resumed training after the merges."""
    vocabulary = tokenizer.vocabulary
    id = len(vocabulary)
    if not resume:
        return id
    on_bytes = isinstance(tokenizer.model, BytePairEncoder)
    while id > 0:
        kind: i64 = i64(vocabulary.kinds[id - 1])
        if on_bytes and kind != UNUSED and kind != CONTROL:
            break
        if not on_bytes and (kind != NORMAL or len(vocabulary.surface(id - 1)) > 1):
            break
        id -= 1
    return id


def check_last(tokenizer: Tokenizer) -> None:
    """Raises ArgumentError if anything follows the learned entries, so that new ones cannot come directly after them."""
    vocabulary = tokenizer.vocabulary
    last: i64 = vocabulary.count - 1
    if vocabulary.count and i64(vocabulary.kinds[last]) not in (NORMAL, BYTE):
        raise ArgumentError(
            f"{tokenizer.name} cannot be resumed: its last entry, {vocabulary.surface(last)!r}, would have to move,"
            " and in tokenizer.json other settings may name its id. Extend it and keep its ids instead."
        )


def _check(old: Tokenizer, new: Tokenizer, entries: Sequence[NewEntry]) -> None:
    """Raises ArgumentError if an id has different bytes than before, or a new entry does not have its own."""
    for id in range(len(old.vocabulary)):
        same = old.vocabulary.piece(id) == new.vocabulary.piece(id)
        if not same or (
            old.vocabulary.kind(id) != new.vocabulary.kind(id)
            and i64(old.vocabulary.kinds[id]) in (NORMAL, BYTE)
        ):
            raise ArgumentError(
                f"With new entries, the id {id} would stand for another entry: {old.name} cannot be extended."
            )
    for token, id in old.special_tokens.items():
        if new.special_tokens.get(token) != id:
            raise ArgumentError(
                f"With new entries, {token!r} would lose its id {id}: {old.name} cannot be extended."
            )
    for entry in entries:
        if new.vocabulary.piece(entry.id) != entry.piece:
            raise ArgumentError(
                f"The new entry {entry.text!r} would not get the id {entry.id}: {old.name} cannot be extended."
            )


# tiktoken's ranks, and every other byte-level BPE without stages of its own.


def _in_ranks(tokenizer: Tokenizer, entries: Sequence[NewEntry], resume: bool) -> Tokenizer:
    content = tokenarium_format.content_of_tokenizer(tokenizer)
    vocabulary = tokenizer.vocabulary
    pieces: list[str | None] = content["pieces"]
    new = [byte_alphabet.to_text(entry.piece) for entry in entries]
    if content["merges"] is not None:
        texts: dict[int, str] = {}
        for id in range(len(pieces)):
            texts[id] = pieces[id] or ""
        for entry, text in zip(entries, new, strict=True):
            texts[entry.id] = text
            content["merges"].append(f"{texts[entry.left]} {texts[entry.right]}")
    pieces += [None] * (len(vocabulary) - len(pieces))
    if resume:
        first = first_new_id(tokenizer, True)
        content["pieces"] = pieces[:first] + new + pieces[first:]
        content["special_tokens"] = {
            token: id + len(new) if id >= first else id
            for token, id in tokenizer.special_tokens.items()
        }
    else:
        content["pieces"] = pieces + new
    changed = tokenarium_format.tokenizer_of_content(content, tokenizer.name)
    tokenarium_format.keep_decoder(tokenizer, changed)
    changed.template = tokenizer.template
    changed.details = [detail for detail in tokenizer.details if detail.group != CHANGES]
    return changed


# SentencePiece.


def _in_model(tokenizer: Tokenizer, entries: Sequence[NewEntry], resume: bool) -> Tokenizer:
    source = tokenizer.name
    vocabulary = tokenizer.vocabulary
    content = sentencepiece_format.model_content(vocabulary, tokenizer.stored)
    pieces, _, _ = sentencepiece_format.raw_pieces(content, source)
    marked = vocabulary.spelling == SPACE_MARK
    new: list[tuple[str, float, int]] = []
    for entry in entries:
        text = entry.piece.decode()
        new.append((text.replace(" ", "▁") if marked else text, entry.score, _NORMAL_TYPE))
    if resume:
        pieces = _resumed(tokenizer, pieces, new)
    else:
        pieces += new
    stored = dict(tokenizer.stored)
    trainer, _ = settings_of(tokenizer)
    trainer.put("vocab_size", len(pieces))
    stored[TRAINER] = trainer.content()
    content = sentencepiece_format.content_of_pieces(pieces, stored)
    return sentencepiece_format.read_sentencepiece(content, source, tokenizer.name)


def _resumed(
    tokenizer: Tokenizer, pieces: list[tuple[str, float, int]], new: list[tuple[str, float, int]]
) -> list[tuple[str, float, int]]:
    """Returns the pieces of a finished training with new merges: the characters come last, the scores count down."""
    at = first_new_id(tokenizer, True)
    for number, (text, _, kind) in enumerate(pieces):
        if (kind == _NORMAL_TYPE) != (len(text) > 1) and number < at and kind == _NORMAL_TYPE:
            raise ArgumentError(
                f"{tokenizer.name} cannot be resumed: its entries are not in the order of a training (first the"
                " merges, then the characters). Extend it and keep its ids instead."
            )
    place = 0
    result: list[tuple[str, float, int]] = []
    for text, score, kind in pieces[:at] + new + pieces[at:]:
        if kind == _NORMAL_TYPE:
            score = -float(place)
            place += 1
        result.append((text, score, kind))
    return result


# Hugging Face's tokenizer.json.


def _in_json(tokenizer: Tokenizer, entries: Sequence[NewEntry]) -> Tokenizer:
    """The added tokens become entries of the model too: otherwise tokenizers gives them the ids after the new entries."""
    file = hf_format.file_of(tokenizer)
    model = file["model"]
    vocab = model["vocab"]
    added = {token.content: token.id for token in tokenizer.added_tokens.tokens}
    surfaces = {entry.id: surface_of(tokenizer, entry) for entry in entries}
    scores: list[float] | None = None
    if isinstance(vocab, list):
        by_id = {id: content for content, id in added.items()}
        while len(vocab) < len(tokenizer.vocabulary):
            vocab.append([by_id[len(vocab)], _ADDED_SCORE])
        vocab += [[surfaces[entry.id], entry.score] for entry in entries]
        scores = list(tokenizer.vocabulary.scores)
        scores = scores[: len(tokenizer.vocabulary)]
        scores += [_ADDED_SCORE] * (len(tokenizer.vocabulary) - len(scores))
        scores += [entry.score for entry in entries]
    else:
        for content_of_token, id in added.items():
            vocab.setdefault(content_of_token, id)
        for entry in entries:
            vocab[surfaces[entry.id]] = entry.id
        if "merges" in model:
            for entry in entries:
                if entry.left >= 0:  # a character has no merge
                    model["merges"].append(
                        [
                            surfaces[part] if part in surfaces else _old_surface(tokenizer, part)
                            for part in (entry.left, entry.right)
                        ]
                    )
    text = json.dumps(file, ensure_ascii=False).encode()
    return as_before(tokenizer, hf_format.read_huggingface(text, tokenizer.name, scores=scores))


def _old_surface(tokenizer: Tokenizer, id: int) -> str:
    """Returns an entry as spelled in the file."""
    vocabulary = tokenizer.vocabulary
    if isinstance(tokenizer.model, BytePairEncoder):
        return byte_alphabet.to_text(vocabulary.piece(id))
    return vocabulary.surface(id)


def surface_of(tokenizer: Tokenizer, entry: NewEntry) -> str:
    """Returns a new entry as spelled in the tokenizer's file."""
    if isinstance(tokenizer.model, BytePairEncoder):
        return byte_alphabet.to_text(entry.piece)
    text = entry.text
    if tokenizer.vocabulary.spelling == SPACE_MARK:
        text = text.replace(" ", "▁")
    return tokenizer.vocabulary.affix + text if entry.continuing else text


def spelled_already(tokenizer: Tokenizer) -> set[str]:
    """Returns all spellings that a new entry cannot have, since an entry or an added token has them."""
    taken = {token.content for token in tokenizer.added_tokens.tokens}
    vocabulary = tokenizer.vocabulary
    on_bytes = isinstance(tokenizer.model, BytePairEncoder)
    for id in range(len(vocabulary)):
        kind: i64 = i64(vocabulary.kinds[id])
        if kind == UNUSED and not vocabulary.piece(id):
            continue
        if on_bytes and (kind == NORMAL or kind == BYTE):
            taken.add(byte_alphabet.to_text(vocabulary.piece(id)))
        else:
            taken.add(vocabulary.surface(id))
    return taken


def score_last(vocabulary: Vocabulary, entries: Sequence[NewEntry]) -> None:
    """Gives entries integer scores below all others: the first of them is the best."""
    lowest = 0.0
    for score in vocabulary.scores:
        if _NO_SCORE < score < lowest:
            lowest = score
    for number, entry in enumerate(entries):
        entry.score = float(lowest // 1) - 1.0 - float(number)


def has_affixes(tokenizer: Tokenizer) -> bool:
    """Returns whether entries at the beginning, inside or at the end of a word differ."""
    kinds = tokenizer.vocabulary.kinds
    for id in range(len(tokenizer.vocabulary)):
        kind: i64 = i64(kinds[id])
        if kind == CONTINUING or kind == WORD_END:
            return True
    return False


def is_unigram(tokenizer: Tokenizer) -> bool:
    """Returns whether the entries have scores whose sums are compared."""
    return isinstance(tokenizer.model, Unigram)
