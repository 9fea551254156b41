"""The running sum is that of 32-bit floats, and where it begins again the ids are those of one search through all."""

from __future__ import annotations

import struct

from hypothesis import example, given, settings
from hypothesis import strategies as st
from librt.vecs import vec
from mypy_extensions import i32

from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.models.unigram.unigram_scores import RESET, Rounding, RunningSum
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.trace import Trace
from tokenarium_core.vocabulary import NORMAL, SPACE_MARK, UNKNOWN, PieceArena, Vocabulary

SCORES = st.one_of(
    st.floats(-20, 20, width=32), st.sampled_from([0.0, -0.5, 0.5, -256.0, 2.0**-15, -3 * 2.0**-15])
)


def single(value: float) -> float:
    """Returns a value as a 32-bit float."""
    (rounded,) = struct.unpack("f", struct.pack("f", value))
    return float(rounded)


@example([2.0**-15], -512.0)  # below a power of two, the next number is only half as far
@given(st.lists(SCORES, min_size=1, max_size=60), st.floats(-90000, 1000, width=32))
def test_sums_are_rounded_at_each_step(scores: list[float], first: float) -> None:
    running = RunningSum(Rounding(True), vec[float](scores), -30.0)
    running.take(first, 0)
    running.catch_up(vec[i32](list(range(len(scores)))), len(scores))
    total = first
    for score in scores:
        total = single(total + score)
    assert running.total == total
    assert running.counted == len(scores)


@settings(max_examples=40)
@given(
    # Of any fraction, so that it matters where the sum begins again.
    st.lists(st.integers(1_500_000, 4_500_000), min_size=3, max_size=3),
    st.sampled_from([-0.01, -0.001, 0.0, 0.001, 0.01]),
    st.lists(
        st.sampled_from(["ab", "aab", "abb", "c", "ab?", "bbab", "cc"]), min_size=8, max_size=20
    ),
)
def test_where_the_sum_begins_again(sizes: list[int], difference: float, parts: list[str]) -> None:
    pieces = {piece: single(-size / 10007) for piece, size in zip("abc", sizes, strict=True)}
    pieces["cc"] = -2000.0  # never taken, and so two "c" are a part that is cached
    pieces["ab"] = single(pieces["a"] + pieces["b"] + difference)
    arena = PieceArena(1 + len(pieces))
    arena.add(b"<unk>", UNKNOWN)
    for piece in pieces:
        arena.add(piece.encode(), NORMAL)
    arena.scores = vec[float]([0.0, *pieces.values()])
    model = Unigram(Vocabulary(arena, (NORMAL,), SPACE_MARK), 0)
    data = padded(("".join(parts) * 500)[:1000])
    size = len(data) - PADDING
    assert size * 149 > RESET  # "ab" adds twice as much at least
    quick = vec[i32]([0] * (3 * size))
    slow = vec[i32]([0] * (3 * size))
    running = model.parts.sum
    count = model.encode_short(data, 0, size, quick, 0)
    running.catch_up(quick, count)
    running.begin_again()
    total = running.total
    expected = model.encode_traced(data, 0, size, slow, 0, Trace())
    running.begin_again()
    assert total == running.total
    assert list(quick[:count]) == list(slow[:expected])
