"""The law of a trace: the ids with a trace are the ids without one, and those that it replays to."""

from __future__ import annotations

import tokenarium_core as tc


def ids_by_law(tokenizer: tc.Tokenizer, text: str, special: str = "none") -> list[int]:
    """Returns the ids of a text, having checked that they are the same in all three ways."""
    if special == "none":
        ids = tokenizer.encode_ids(text)
    else:
        ids = list(tokenizer.encode(text, special=special).ids)
    trace = tc.Trace()
    encoding = tokenizer.encode(text, special=special, trace=trace)
    assert list(encoding.ids) == ids, repr(text[:200])
    normalised = encoding.text.data[: encoding.text.size]
    assert trace.replay(normalised, tokenizer.model.byte_symbols()) == ids, repr(text[:200])
    return ids
