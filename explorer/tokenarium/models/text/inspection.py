"""The characters of a range of bytes and the tokens that touch it, as rows, as ids and as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

import tokenarium_core as tc
from tokenarium.models.text.added_in_text import facts_of_id
from tokenarium.models.text.chunked_encoding import ChunkedEncoding
from tokenarium.models.text.piece import character_name, code_point_number, piece_text
from tokenarium.models.text.segmentation import token_colours
from tokenarium.models.text.superword_ids import superword_ids
from tokenarium_core import Tokenizer
from tokenarium_core.encoding import ADDED_RULE, SPECIAL_RULE
from tokenarium_core.models import Unigram
from tokenarium_core.unicode import script_name, script_of
from tokenarium_core.vocabulary import BYTE, CONTROL, KINDS, SPACE_MARK, UNKNOWN, USER_DEFINED

Encoded = tc.Encoding | ChunkedEncoding
"""The tokens of a text, in one piece or in chunks."""

LIMIT = 200
"""Most rows of each table: no one reads a million of them."""

SHARED = ("Common", "Inherited", "Unknown")
"""Scripts of characters that many scripts share, or that have none."""


@dataclass(frozen=True, slots=True)
class CharacterRow:
    """One character: itself, its code point as `code_point_number` writes it, its bytes, its name and the name of its
    script.
    """

    character: str
    code_point: str
    data: bytes
    name: str
    script: str


@dataclass(frozen=True, slots=True)
class TokenPlace:
    """One token of a tokenizer: the tokenizer's key in the library, its id, and the bytes that it stands for.

    An empty key means the current tokenizer; an id of -1 whatever tokens the bytes are. ``start`` and ``end`` are
    equal for an entry of a vocabulary that is at no place of the text.
    """

    key: str
    id: int
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class InspectedToken:
    """One token: its id, its text for users and in its file, its bytes, where it is, its kind, the rule of its pre-token.

    ``colour`` is its colour number. ``about``: facts about an added token; empty for any other. ``note``: what is
    special about it, in few words.
    """

    id: int
    text: str
    surface: str
    piece: bytes
    start: int
    end: int
    kind: str
    pre_token: tuple[int, int]
    rule: str
    colour: int
    about: tuple[str, ...] = ()
    note: str = ""


def characters(data: bytes, limit: int = LIMIT) -> list[CharacterRow]:
    """Returns the first characters of some UTF-8, without parts of characters."""
    text = data[: 4 * limit].decode("utf-8", "ignore")[:limit]
    return [
        CharacterRow(
            character,
            code_point_number(ord(character)),
            character.encode(),
            character_name(character),
            script_name(script_of(ord(character))),
        )
        for character in text
    ]


def scripts_in(rows: Iterable[CharacterRow], limit: int = 2) -> str:
    """Returns the names of the most frequent scripts of some characters, without those that many scripts share."""
    counts = Counter(row.script for row in rows if row.script not in SHARED)
    names = [name.replace("_", " ") for name, _ in counts.most_common()]
    return ", ".join(names[:limit]) + (" …" if len(names) > limit else "")


def tokens(
    encoding: Encoded, tokenizer: tc.Tokenizer, start: int, end: int, limit: int = LIMIT
) -> list[InspectedToken]:
    """Returns the first tokens of an encoding that touch the bytes from ``start`` to ``end``."""
    columns = ChunkedEncoding.of(encoding)
    first, last = touching(columns, start, end)
    last = min(last, first + limit)
    ids, spans = columns.ids[first:last], columns.spans(first, last)
    pre_ends, names = columns.cut_ends, columns.rule_names
    vocabulary = tokenizer.vocabulary
    several = np.isin(ids, superword_ids(tokenizer)).tolist()
    colours = token_colours(ids, first).tolist()
    rows = []
    for index, (token, (token_start, token_end)) in enumerate(
        zip(ids.tolist(), spans.tolist(), strict=True)
    ):
        at = pre_ends.row_of(columns.place(first + index), "right")
        known = at < len(pre_ends)
        rule = names[columns.cut_rules[at]] if known else ""
        kind = "superword" if several[index] else vocabulary.kind(token)
        rows.append(
            InspectedToken(
                token,
                piece_text(vocabulary, token),
                vocabulary.surface(token),
                vocabulary.piece(token),
                token_start,
                token_end,
                kind,
                columns.original(pre_ends[at - 1] if at else 0, pre_ends[at]) if known else (0, 0),
                rule,
                colours[index],
                facts_of_id(tokenizer, token) if rule in (ADDED_RULE, SPECIAL_RULE) else (),
                _note(tokenizer, kind, rule),
            )
        )
    return rows


def _note(tokenizer: tc.Tokenizer, kind: str, rule: str) -> str:
    """Returns what is special about a token, in few words."""
    if rule in (ADDED_RULE, SPECIAL_RULE):
        return f"{rule}: taken before all else"
    if kind == KINDS[USER_DEFINED]:
        merges = not isinstance(tokenizer.model, Unigram)
        return f"{kind}: taken before any {'merge' if merges else 'other entry'}"
    if kind == "superword":
        return "superword: holds several words"
    if kind == KINDS[BYTE] and tokenizer.vocabulary.spelling == SPACE_MARK:
        return "byte fallback: no entry for this character"
    return kind if kind in (KINDS[UNKNOWN], KINDS[CONTROL]) else ""


def token_at(encoding: Encoded, start: int, end: int) -> tuple[int, int, int] | None:
    """Returns the id and the bytes of the first token that touches a range, None if there is none."""
    first, last = touching(encoding, start, end)
    if first == last:
        return None
    columns = ChunkedEncoding.of(encoding)
    return columns.ids[first], columns.starts[first], columns.ends[first]


def touching(encoding: Encoded, start: int, end: int) -> tuple[int, int]:
    """Returns the range of tokens, first and one past the last, that touch a range of bytes."""
    columns = ChunkedEncoding.of(encoding)
    first = columns.ends.row_of(start, "right")
    return first, max(first, columns.starts.row_of(end))


def tokens_in(encoding: Encoded, start: int, end: int) -> tuple[int, int]:
    """Returns the tokens of a range of bytes, as `touching`, with those put in before it, and after the last byte.

    These have no bytes: a space before the text, or the ids of its beginning and its end.
    """
    columns = ChunkedEncoding.of(encoding)
    first, last = touching(columns, start, end)
    starts, ends = columns.starts, columns.ends
    while first > 0 and starts[first - 1] == ends[first - 1] == start:
        first -= 1
    if last < len(starts) and starts[last] == ends[-1] == end:
        last = len(starts)
    return first, last


def ids_text(encoding: Encoded, start: int, end: int) -> str:
    """Returns the ids of the tokens that touch a range of bytes, as a list that JSON and Python read."""
    first, last = tokens_in(encoding, start, end)
    return json.dumps(ChunkedEncoding.of(encoding).ids[first:last].tolist())


def tokens_json(encoding: Encoded, tokenizer: Tokenizer, start: int, end: int) -> str:
    """Returns the tokens that touch a range of bytes, as JSON.

    Each has its id, its bytes in hexadecimal, its text where the bytes are whole characters (else
    null), and its span: the bytes of the text that it stands for.
    """
    first, last = tokens_in(encoding, start, end)
    columns = ChunkedEncoding.of(encoding)
    ids, spans = columns.ids[first:last].tolist(), columns.spans(first, last).tolist()
    tokens = []
    for token, span in zip(ids, spans, strict=True):
        piece = tokenizer.vocabulary.piece(token)
        try:
            text: str | None = piece.decode()
        except UnicodeDecodeError:
            text = None
        tokens.append({"id": token, "text": text, "bytes": piece.hex(), "span": span})
    lines = ",\n  ".join(json.dumps(token, ensure_ascii=False) for token in tokens)
    name = json.dumps(tokenizer.name, ensure_ascii=False)
    body = f"[\n  {lines}\n ]" if tokens else "[]"
    return f'{{\n "tokenizer": {name},\n "tokens": {body}\n}}\n'
