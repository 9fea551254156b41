"""The characters of a range of bytes and the tokens that touch it, as rows, as ids and as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.added_in_text import facts_of_id
from tokenarium.models.text.piece import character_name
from tokenarium.models.text.superword_ids import superword_ids
from tokenarium_core import ADDED_RULE, SPECIAL_RULE, Encoding, Tokenizer
from tokenarium_core.unicode import script_name, script_of

LIMIT = 200
"""Most rows of each table: no one reads a million of them."""


@dataclass(frozen=True, slots=True)
class CharacterRow:
    """One character: itself, "U+0041", its bytes, its name and the name of its script."""

    character: str
    code_point: str
    data: bytes
    name: str
    script: str


@dataclass(frozen=True, slots=True)
class InspectedToken:
    """One token: its id, its spelling in the vocabulary and its bytes, where it is, its kind, the rule of its pre-token.

    ``about``: facts about an added token; empty for any other.
    """

    id: int
    surface: str
    piece: bytes
    start: int
    end: int
    kind: str
    pre_token: tuple[int, int]
    rule: str
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TokenRows:
    """The tokens that touch a range: the first `LIMIT` of them, and how many there are."""

    rows: tuple[InspectedToken, ...]
    count: int


def characters(data: bytes) -> list[CharacterRow]:
    """Returns the first characters of some UTF-8, without parts of characters."""
    text = data[: 4 * LIMIT].decode("utf-8", "ignore")[:LIMIT]
    return [
        CharacterRow(
            character,
            f"U+{ord(character):04X}",
            character.encode(),
            character_name(character),
            script_name(script_of(ord(character))),
        )
        for character in text
    ]


def tokens(encoding: tc.Encoding, tokenizer: tc.Tokenizer, start: int, end: int) -> TokenRows:
    """Returns the tokens of an encoding that touch the bytes from ``start`` to ``end``."""
    first, last = touching(encoding, start, end)
    ids = array_of(encoding.ids)
    spans = array_of(encoding.spans).reshape(-1, 2)
    places = array_of(encoding.places).reshape(-1, 2)
    pre_ends = array_of(encoding.pre_tokens.ends)
    pre_rules = array_of(encoding.pre_tokens.rules)
    names = encoding.pre_tokens.names
    several = set(superword_ids(tokenizer).tolist())
    rows = []
    for index in range(first, min(last, first + LIMIT)):
        token = int(ids[index])
        token_start, token_end = int(spans[index, 0]), int(spans[index, 1])
        at = int(np.searchsorted(pre_ends, places[index, 0], side="right"))
        known = at < len(pre_ends)
        rule = names[pre_rules[at]] if known else ""
        rows.append(
            InspectedToken(
                token,
                tokenizer.vocabulary.surface(token),
                tokenizer.vocabulary.piece(token),
                token_start,
                token_end,
                "superword" if token in several else tokenizer.vocabulary.kind(token),
                _original(encoding, int(pre_ends[at - 1]) if at else 0, int(pre_ends[at]))
                if known
                else (0, 0),
                rule,
                facts_of_id(tokenizer, token) if rule in (ADDED_RULE, SPECIAL_RULE) else (),
            )
        )
    return TokenRows(tuple(rows), last - first)


def _original(encoding: tc.Encoding, start: int, end: int) -> tuple[int, int]:
    """Returns the bytes of the original text that a range of the normalised text was made of."""
    return encoding.text.start_of(start), encoding.text.stop_of(end)


def touching(encoding: tc.Encoding, start: int, end: int) -> tuple[int, int]:
    """Returns the range of tokens, first and one past the last, that touch a range of bytes."""
    spans = array_of(encoding.spans).reshape(-1, 2)
    first = int(np.searchsorted(spans[:, 1], start, side="right"))
    last = int(np.searchsorted(spans[:, 0], end, side="left"))
    return first, max(first, last)


def ids_text(encoding: Encoding, start: int, end: int) -> str:
    """Returns the ids of the tokens that touch a range of bytes, as a list that JSON and Python read."""
    first, last = touching(encoding, start, end)
    return json.dumps(array_of(encoding.ids)[first:last].tolist())


def tokens_json(encoding: Encoding, tokenizer: Tokenizer, start: int, end: int) -> str:
    """Returns the tokens that touch a range of bytes, as JSON.

    Each has its id, its bytes in hexadecimal, its text where the bytes are whole characters (else
    null), and its span: the bytes of the text that it stands for.
    """
    first, last = touching(encoding, start, end)
    ids = array_of(encoding.ids)[first:last].tolist()
    spans = array_of(encoding.spans).reshape(-1, 2)[first:last].tolist()
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
