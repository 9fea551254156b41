"""Texts so long that room for all their tokens is made at once, after some megabytes.

Not on the plain sources, which would take minutes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tokenarium_core as tc

pytestmark = pytest.mark.compiled

TOKENIZERS = Path(__file__).parents[2] / "resources" / "tokenizers"
DENSE = "a b c d e f\n\n"
PLAIN = "The end of a paragraph divides a text, naïve or not: 12 + 3 words after words.\n\n"
LONG = 8_500_000
"""Bytes."""


@pytest.mark.slow
@pytest.mark.skipif(not tc.COMPILED, reason="the core is not compiled")
@pytest.mark.parametrize("name", ["tokenarium-8k.json", "wordpiece-8k.json"])
@pytest.mark.parametrize(("first", "rest"), [(PLAIN, DENSE), (DENSE, PLAIN)])
def test_a_long_text_has_the_tokens_of_its_parts(name: str, first: str, rest: str) -> None:
    """Whether the beginning, of which the room is estimated, has more tokens a byte than the rest, or fewer."""
    tokenizer = tc.open(TOKENIZERS / name)
    counts = [LONG // 3 // len(first.encode()), LONG * 2 // 3 // len(rest.encode()) + 1]
    job = tokenizer.encode_job(first * counts[0] + rest * counts[1])
    while not job.finished:
        job.step(1e9)
    ids, spans = [], []
    at = 0
    for part, count in zip((first, rest), counts, strict=True):
        one = tokenizer.encode_job(part)
        one.step(1e9)
        size = len(part.encode())
        ids.append(np.tile(np.asarray(one.encoding.ids), count))
        places = np.asarray(one.encoding.spans)
        starts = at + size * np.arange(count)
        spans.append((places[None, :] + starts[:, None]).ravel())
        at += size * count
    assert np.array_equal(job.encoding.ids, np.concatenate(ids))
    assert np.array_equal(job.encoding.spans, np.concatenate(spans))
    assert len(job.encoding.pre_tokens.ends) > counts[0] + counts[1]
