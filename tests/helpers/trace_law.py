"""The law of a trace: the ids with a trace are the ids without one, and those that it replays to."""

from __future__ import annotations

import tokenarium_core as tc
from tokenarium_core.trace import Trace


def by_law(
    tokenizer: tc.Tokenizer, text: str, special: str = "none"
) -> tuple[list[int], tc.Encoding]:
    """Returns the ids of a text and its encoding with a trace, having checked that all three ways agree."""
    if special == "none":
        ids = tokenizer.encode_ids(text)
    else:
        ids = list(tokenizer.encode(text, special=special).ids)
    trace = Trace()
    encoding = tokenizer.encode(text, special=special, trace=trace)
    assert list(encoding.ids) == ids, f"other ids with a trace, special {special}: {text[:200]!r}"
    normalized = encoding.text.data[: encoding.text.size]
    replayed = trace.replay(normalized, tokenizer.model.byte_symbols())
    assert replayed == ids, f"other ids replayed from the trace, special {special}: {text[:200]!r}"
    return ids, encoding


def ids_by_law(tokenizer: tc.Tokenizer, text: str, special: str = "none") -> list[int]:
    """Returns the ids of a text, having checked the law."""
    return by_law(tokenizer, text, special)[0]


def whole_characters(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Returns spans of bytes as those of the characters that they touch."""
    data = text.encode()
    return [
        (len(data[:start].decode("utf-8", "ignore")), len(data[:stop].decode("utf-8", "replace")))
        for start, stop in spans
    ]
