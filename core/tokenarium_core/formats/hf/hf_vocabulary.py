"""The entries of ``model.vocab`` of a `tokenizer.json`, for all kinds of models, and its added tokens.

The vocabulary is read in place, in both of its forms. Added tokens get their ids as in the reference: a token that
the model knows has the model's id; the others are numbered starting at the number of the model's entries. The ids in
the file are only checked.

Sources: huggingface/tokenizers, ``models/bpe/serialization.rs``, ``models/unigram/serialization.rs``, and
``add_tokens`` in ``tokenizer/added_vocabulary.rs``.
"""

from __future__ import annotations

import re
from typing import Final, final

from librt.vecs import append, vec
from mypy_extensions import i32, i64

from tokenarium_core.added_tokens import AddedToken
from tokenarium_core.columns import doubled
from tokenarium_core.details import Detail
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.hf.hf_fields import Fields, serde_float
from tokenarium_core.formats.hf.surface_table import SurfaceTable
from tokenarium_core.formats.json_scanner import (
    CLOSE_LIST,
    CLOSE_OBJECT,
    COLON,
    COMMA,
    OPEN_LIST,
    OPEN_OBJECT,
    QUOTE,
    JsonScanner,
    JsonSpan,
    read_number,
    skip_digits,
    skip_space,
)
from tokenarium_core.normalized_text import check_room, room_for
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter
from tokenarium_core.unicode import byte_alphabet
from tokenarium_core.vocabulary import MAX_IDS

CODE_POINTS: Final = 0x110000
_SURROGATE: Final = re.compile("U[+]D[89A-F][0-9A-F]{2}")


@final
class HfAnswers:
    """What was asked of entries when a tokenizer was made: all that it takes to make it again.

    ``ids`` are those that were found by a text, -1 where there was none.
    """

    def __init__(self, ids: dict[str, int], size: int, has_space: bool) -> None:
        self.ids = ids
        self.size = size
        self.has_space = has_space

    def dump(self, out: CacheWriter) -> None:
        """Writes them."""
        out.number(len(self.ids))
        for text, id in self.ids.items():
            out.text(text)
            out.number(id)
        out.number(self.size)
        out.number(1 if self.has_space else 0)


def load_answers(cached: CacheReader) -> HfAnswers:
    """Returns what `HfAnswers.dump` wrote."""
    ids: dict[str, int] = {}
    for _ in range(cached.number()):
        text = cached.text()
        ids[text] = cached.number()
    size = cached.number()
    return HfAnswers(ids, size, cached.number() == 1)


@final
class HfVocabulary:
    """The entries in the order of the file, and by id.

    Entry ``k`` of ``table`` has the id ``ids[k]``; the entry of an id is ``numbers[id]``, -1 if there is none.
    ``scores`` (Unigram) are by id, and empty in other models. With ``code_points``, each character is an entry, whose
    id is its code point, and ``table``, ``ids`` and ``numbers`` are empty: see `code_point_of`. With ``answers``, these
    are all there is: to find anything else is a KeyError.
    """

    def __init__(self, code_points: bool = False, answers: HfAnswers | None = None) -> None:
        self.code_points = code_points
        self.table = SurfaceTable()
        self.ids = vec[i32]()
        self.numbers = vec[i32]()
        self.scores = vec[float]()
        self._asked: dict[str, int] | None = None  # what was found since `note`
        self._answers = answers

    @property
    def size(self) -> int:
        """The number of ids, gaps included."""
        if self._answers is not None:
            return self._answers.size
        return CODE_POINTS if self.code_points else len(self.numbers)

    @property
    def count(self) -> int:
        """The number of entries."""
        return CODE_POINTS if self.code_points else self.table.count

    def find(self, text: str) -> int:
        """Returns the id of an entry, or -1."""
        if self._answers is not None:
            return self._answers.ids[text]
        if self.code_points:
            return code_point_of(text)
        number = self.table.find_text(text)
        id = self.ids[number] if number >= 0 else -1
        if self._asked is not None:
            self._asked[text] = id
        return id

    def has_space(self) -> bool:
        """Returns whether some entry has a real space."""
        if self._answers is not None:
            return self._answers.has_space
        return b" " in self.table.arena

    def note(self) -> None:
        """Begins to note what is found, for `answers`."""
        self._asked = {}

    def answers(self) -> HfAnswers:
        """Returns what was found since `note`."""
        asked = self._asked
        self._asked = None
        return HfAnswers(asked if asked is not None else {}, self.size, self.has_space())


def code_point_of(text: str) -> int:
    """Returns the code point of a character, and of the name of one that no text has, ``U+D800`` to ``U+DFFF``; else -1."""
    if len(text) == 1:
        return ord(text)
    return int(text[2:], 16) if _SURROGATE.fullmatch(text) else -1


def read_vocabulary(scanner: JsonScanner, span: JsonSpan) -> HfVocabulary:
    """Returns the entries of an object of pieces and ids: BPE, WordPiece, WordLevel.

    Raises FormatError, with the place, for an id that is not an integer or is out of range, and for a
    duplicate text or id.
    """
    data = scanner.data
    path = span.path
    vocabulary = HfVocabulary()
    table = vocabulary.table
    writer = table.writer
    offsets = vec[i32]([0] * 1024)
    ids = vec[i32]([0] * 1024)
    largest: i64 = -1
    at = scanner.enter(span, OPEN_OBJECT, "an object of entries and their ids")
    byte: i64 = data[at]
    while byte != CLOSE_OBJECT:
        if byte != QUOTE:
            raise scanner.error(at, path, "an entry was expected, in quotes")
        number = table.count
        if number == MAX_IDS:
            raise scanner.error(
                at, path, f"there are more than the {MAX_IDS:,} entries that this program holds"
            )
        if number == len(ids):
            ids = doubled(ids)
            offsets = doubled(offsets)
        offsets[number] = i32(at)
        at = scanner.write_string(at, writer)
        table.add()
        at = skip_space(data, at)
        byte = data[at]
        if byte != COLON:
            raise scanner.error(at, path, "a colon was expected")
        at = skip_space(data, at + 1)
        token = read_number(data, at)
        if token < 0 or token >= MAX_IDS:
            raise scanner.error(
                at, path, f"an id was expected, a whole number from 0 to {MAX_IDS - 1:,}"
            )
        ids[number] = i32(token)
        if token > largest:
            largest = token
        at = scanner.following(skip_digits(data, at), CLOSE_OBJECT, path)
        byte = data[at]
    vocabulary.ids = ids[: table.count]
    _close(scanner, path, table, offsets)
    numbers = vec[i32]([-1] * (largest + 1))
    for number in range(table.count):
        token = i64(ids[number])
        if i64(numbers[token]) >= 0:
            other = table.text(i64(numbers[token]))
            raise scanner.error(
                i64(offsets[number]),
                path,
                f"this entry has the id {token}, which {other!r} already has",
            )
        numbers[token] = i32(number)
    vocabulary.numbers = numbers
    return vocabulary


def read_scored(scanner: JsonScanner, span: JsonSpan) -> HfVocabulary:
    """Returns the entries of a list of pieces and scores, whose ids are their indices: Unigram.

    Raises FormatError, with the place, for anything other than such a pair, and for a piece that occurs twice.
    """
    data = scanner.data
    path = span.path
    vocabulary = HfVocabulary()
    table = vocabulary.table
    writer = table.writer
    offsets = vec[i32]([0] * 1024)
    scores = vec[float]()
    at = scanner.enter(span, OPEN_LIST, "a list of entries and their scores")
    byte: i64 = data[at]
    while byte != CLOSE_LIST:
        number = table.count
        if number == MAX_IDS:
            raise scanner.error(
                at, path, f"there are more than the {MAX_IDS:,} entries that this program holds"
            )
        if number == len(offsets):
            offsets = doubled(offsets)
        offsets[number] = i32(at)
        entry_path = f"{path}[{number}]"
        if byte != OPEN_LIST:
            raise scanner.error(at, entry_path, "an entry and its score were expected, in brackets")
        at = skip_space(data, at + 1)
        byte = data[at]
        if byte != QUOTE:
            raise scanner.error(at, entry_path, "an entry was expected, in quotes")
        at = skip_space(data, scanner.write_string(at, writer))
        table.add()
        byte = data[at]
        if byte != COMMA:
            raise scanner.error(at, entry_path, "a comma and a score were expected")
        at = skip_space(data, at + 1)
        stop = _number_end(data, at)
        score = serde_float(data[at:stop])
        if score is None:
            raise scanner.error(at, entry_path, "a score was expected, a number")
        scores = append(scores, score)
        at = skip_space(data, stop)
        byte = data[at]
        if byte != CLOSE_LIST:
            raise scanner.error(at, entry_path, "a closing bracket was expected")
        at = scanner.following(at + 1, CLOSE_LIST, path)
        byte = data[at]
    _close(scanner, path, table, offsets)
    count = table.count
    numbers = vec[i32]([0] * count)
    for number in range(count):
        numbers[number] = i32(number)
    vocabulary.ids = numbers
    vocabulary.numbers = numbers
    vocabulary.scores = scores
    return vocabulary


def _close(scanner: JsonScanner, path: str, table: SurfaceTable, offsets: vec[i32]) -> None:
    twice = table.close()
    if twice >= 0:
        raise scanner.error(
            i64(offsets[twice]), path, f"the entry {table.text(twice)!r} occurs twice"
        )


def _number_end(data: bytes, at: i64) -> i64:
    byte: i64 = data[at]
    while (byte >= 48 and byte <= 57) or byte == 45 or byte == 43 or byte == 46 or byte | 32 == 101:
        at += 1
        byte = data[at]
    return at


# The field ``added_tokens``.

_GROUP: Final = "added tokens"
_OPTIONS: Final = ("special", "normalized", "lstrip", "rstrip", "single_word")


@final
class _AddedTokenReader:
    """The tokens so far; the last one with the same content counts."""

    def __init__(self, entries: HfVocabulary, count: int, source: str) -> None:
        self.entries = entries
        self.source = source
        self.tokens: dict[str, AddedToken] = {}
        self.following = count  # the id of the next new one; gaps are not counted
        self.details: list[Detail] = []

    def add(self, fields: Fields) -> None:
        content = fields.text("content")
        named = fields.number("id")
        options = [fields.flag(name) for name in _OPTIONS]
        fields.finish()
        if not content:
            return
        known = self.tokens.get(content)
        id = known.id if known is not None else self.entries.find(content)
        if id < 0:
            id = self.following
            self.following += 1
            if id < self.entries.size and self.entries.numbers[id] >= 0:
                number: i64 = i64(self.entries.numbers[id])
                raise FormatError(
                    f"{self.source}: {fields.path}, {content!r}, would get the id {id}, which"
                    f" {self.entries.table.text(number)!r} already has: the ids of model.vocab have gaps."
                )
            if id >= MAX_IDS:
                raise FormatError(
                    f"{self.source}: {fields.path} would get the id {id}, which is out of range."
                )
        if id != named:
            self.details.append(
                Detail(
                    _GROUP,
                    content,
                    f"the file names the id {named}, the tokenizer gives {id}",
                )
            )
        special, normalized, lstrip, rstrip, single_word = options
        # A token that was special once stays special.
        special = special or (known is not None and known.special)
        self.tokens[content] = AddedToken(
            content, id, special, normalized, lstrip, rstrip, single_word
        )


def dump_added_tokens(tokens: list[AddedToken], details: list[Detail], out: CacheWriter) -> None:
    """Writes the result of `read_added_tokens`."""
    out.number(len(tokens))
    for token in tokens:
        out.text(token.content)
        out.number(token.id)
        options = 1 if token.special else 0
        options |= 2 if token.normalized else 0
        options |= 4 if token.lstrip else 0
        options |= 8 if token.rstrip else 0
        out.number(options | (16 if token.single_word else 0))
    out.number(len(details))
    for detail in details:
        out.text(detail.name)
        out.text(detail.value)


def load_added_tokens(cached: CacheReader) -> tuple[list[AddedToken], list[Detail]]:
    """Returns what `dump_added_tokens` wrote."""
    tokens: list[AddedToken] = []
    for _ in range(cached.number()):
        content = cached.text()
        id = cached.number()
        options = cached.number()
        special, normalized = options & 1 != 0, options & 2 != 0
        lstrip, rstrip, single_word = options & 4 != 0, options & 8 != 0, options & 16 != 0
        tokens.append(AddedToken(content, id, special, normalized, lstrip, rstrip, single_word))
    details = [Detail(_GROUP, cached.text(), cached.text()) for _ in range(cached.number())]
    return tokens, details


def spellings(
    tokens: list[AddedToken], normalizer: Normalizer | None, marked: bool, in_alphabet: bool
) -> dict[int, str]:
    """Returns the ids of tokens that the reference spells in their normalized form, with this form.

    ``marked``: a space in it stands for ``▁``; ``in_alphabet``: its bytes are spelled in GPT-2's alphabet.
    """
    spelled: dict[int, str] = {}
    size: i64 = 0
    made: i64 = 0
    if normalizer is not None or in_alphabet:
        for token in tokens:
            if token.normalized:
                form = padded(token.content)
                size += len(form)
                if normalizer is not None:
                    form = normalizer.normalize_plain(form)
                    made += len(form)
                    check_room(
                        f"The normalizer {normalizer.name} of added tokens", made, room_for(size)
                    )
                form = form[: len(form) - PADDING]
                text = byte_alphabet.to_text(form) if in_alphabet else form.decode()
                spelled[token.id] = text.replace(" ", "▁") if marked else text
    return spelled


def read_added_tokens(
    value: object, entries: HfVocabulary, source: str
) -> tuple[list[AddedToken], list[Detail]]:
    """Returns the added tokens, and a note about their ids.

    Raises FormatError for an incomplete token, and for one whose id another piece has.
    """
    reading = _AddedTokenReader(entries, entries.count, source)
    if value is not None:
        if not isinstance(value, list):
            raise FormatError(f"{source}: added_tokens is not a list.")
        for index, item in enumerate(value):
            reading.add(Fields(source, f"added_tokens[{index}]", item))
    return list(reading.tokens.values()), reading.details
