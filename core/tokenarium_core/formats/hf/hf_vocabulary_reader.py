"""Reading ``model.vocab`` of a `tokenizer.json` in place, in both of its forms.

Sources: huggingface/tokenizers, ``models/bpe/serialization.rs`` and ``models/unigram/serialization.rs``.
"""

from __future__ import annotations

from librt.vecs import append, vec
from mypy_extensions import i32, i64

from tokenarium_core.columns import doubled
from tokenarium_core.formats.hf.hf_vocabulary import HfVocabulary
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
    Span,
    read_number,
    skip_digits,
    skip_space,
)
from tokenarium_core.formats.serde_float import serde_float
from tokenarium_core.vocabulary import MAX_IDS


def read_vocabulary(scanner: JsonScanner, span: Span) -> HfVocabulary:
    """Returns the entries of an object of pieces and ids: BPE, WordPiece, WordLevel.

    Raises FormatError, with the place, for an id that is no whole number or out of range, and for an entry
    or an id that stands twice.
    """
    data = scanner.data
    path = span.path
    vocabulary = HfVocabulary()
    table = vocabulary.table
    writer = table.writer
    places = vec[i32]([0] * 1024)
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
            places = doubled(places)
        places[number] = i32(at)
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
    _close(scanner, path, table, places)
    numbers = vec[i32]([-1] * (largest + 1))
    for number in range(table.count):
        token = i64(ids[number])
        if i64(numbers[token]) >= 0:
            other = table.text(i64(numbers[token]))
            raise scanner.error(
                i64(places[number]),
                path,
                f"this entry has the id {token}, which {other!r} has already",
            )
        numbers[token] = i32(number)
    vocabulary.numbers = numbers
    return vocabulary


def read_scored(scanner: JsonScanner, span: Span) -> HfVocabulary:
    """Returns the entries of a list of pieces and scores, whose ids are their places: Unigram.

    Raises FormatError, with the place, for what is no such pair, and for a piece that stands twice.
    """
    data = scanner.data
    path = span.path
    vocabulary = HfVocabulary()
    table = vocabulary.table
    writer = table.writer
    places = vec[i32]([0] * 1024)
    scores = vec[float]()
    at = scanner.enter(span, OPEN_LIST, "a list of entries and their scores")
    byte: i64 = data[at]
    while byte != CLOSE_LIST:
        number = table.count
        if number == MAX_IDS:
            raise scanner.error(
                at, path, f"there are more than the {MAX_IDS:,} entries that this program holds"
            )
        if number == len(places):
            places = doubled(places)
        places[number] = i32(at)
        place = f"{path}[{number}]"
        if byte != OPEN_LIST:
            raise scanner.error(at, place, "an entry and its score were expected, in brackets")
        at = skip_space(data, at + 1)
        byte = data[at]
        if byte != QUOTE:
            raise scanner.error(at, place, "an entry was expected, in quotes")
        at = skip_space(data, scanner.write_string(at, writer))
        table.add()
        byte = data[at]
        if byte != COMMA:
            raise scanner.error(at, place, "a comma and a score were expected")
        at = skip_space(data, at + 1)
        stop = _number_end(data, at)
        score = serde_float(data[at:stop])
        if score is None:
            raise scanner.error(at, place, "a score was expected, a number")
        scores = append(scores, score)
        at = skip_space(data, stop)
        byte = data[at]
        if byte != CLOSE_LIST:
            raise scanner.error(at, place, "a closing bracket was expected")
        at = scanner.following(at + 1, CLOSE_LIST, path)
        byte = data[at]
    _close(scanner, path, table, places)
    count = table.count
    numbers = vec[i32]([0] * count)
    for number in range(count):
        numbers[number] = i32(number)
    vocabulary.ids = numbers
    vocabulary.numbers = numbers
    vocabulary.scores = scores
    return vocabulary


def _close(scanner: JsonScanner, path: str, table: SurfaceTable, places: vec[i32]) -> None:
    twice = table.close()
    if twice >= 0:
        raise scanner.error(
            i64(places[twice]), path, f"the entry {table.text(twice)!r} stands a second time"
        )


def _number_end(data: bytes, at: i64) -> i64:
    byte: i64 = data[at]
    while (byte >= 48 and byte <= 57) or byte == 45 or byte == 43 or byte == 46 or byte | 32 == 101:
        at += 1
        byte = data[at]
    return at
