"""The characters of a text with their bytes and the ids of the tokens over them, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.graphemes import GraphemeJob
from tokenarium.models.text.inspection import touching
from tokenarium.models.text.piece import character_name
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.text.token_row import TokenRow
from tokenarium_core.unicode import script_name, script_of


def character_lines(
    text_map: TextMap, encodings: Mapping[str, tc.Encoding]
) -> list[dict[str, object]]:
    """Returns a row for each code point: where it begins, its name, its script, its bytes, and the ids by tokenizer."""
    rows: list[dict[str, object]] = []
    at = 0
    ids = {name: array_of(encoding.ids) for name, encoding in encodings.items()}
    for character in text_map.text:
        data = character.encode("utf-8", "surrogatepass")
        row: dict[str, object] = {
            "start": at,
            "character": character,
            "code point": f"U+{ord(character):04X}",
            "name": character_name(character),
            "script": script_name(script_of(ord(character))),
            "bytes": data.hex(" "),
        }
        for name, encoding in encodings.items():
            first, last = touching(encoding, at, at + len(data))
            row[name] = ids[name][first:last].tolist()
        rows.append(row)
        at += len(data)
    return rows


def marked_counts(
    tokenizer: tc.Tokenizer, encoding: tc.Encoding, text_map: TextMap
) -> dict[str, int]:
    """Returns how many tokens there are, and how many the grid of bytes marks: see `Counts`."""
    graphemes = GraphemeJob(text_map)
    graphemes.step(float("inf"))
    row = TokenRow("", tokenizer.name, 0, tokenizer, encoding, text_map, graphemes.edges)
    return asdict(row.counts)
