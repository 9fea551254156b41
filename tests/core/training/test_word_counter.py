"""The counted words are the pre-tokens, whatever their lengths and wherever the text is divided."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from librt.strings import BytesWriter
from librt.vecs import vec
from mypy_extensions import i32, u8

from tokenarium_core.errors import TokenariumError
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.pretokenizers.scanners import pre_tokenizer
from tokenarium_core.training.word_counter import WordCounter

SPLITTER = pre_tokenizer("whitespace")  # \S+|\s+ : words of any length


def words_of(text: str, name: str = "whitespace") -> Counter[bytes]:
    """Returns the pre-tokens of a text, counted by Python."""
    data = padded(text)
    stop = len(data) - PADDING
    ends = vec[i32]([0] * (len(data) + 1))
    count = pre_tokenizer(name).cut(data, 0, stop, ends, vec[u8]([0] * (len(data) + 1)))
    starts = [0, *list(ends)[:count]]
    return Counter(data[a:b] for a, b in zip(starts, list(ends)[:count], strict=False))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "a b a  b",
        "1234567 12345678 1234567 123456789012345 1234567890123456 12345678",
        "x" * 7 + " " + "x" * 8 + " " + "x" * 9 + " " + "x" * 1000 + " " + "x" * 1001 + " " + "x" * 8,
        "\0 \0\0 \0\0\0\0\0\0\0 \0\0\0\0\0\0\0\0 \0\0\0\0\0\0\0\0\0",
        "日本語 日本 日本語日本語日本語 日本語",
        "\ud83d 😀",
    ],
)  # fmt: skip
def test_counts_words_of_every_length(text: str) -> None:
    counter = WordCounter(SPLITTER)
    counter.add(text)
    expected = words_of(text)
    assert counter.counts() == expected
    assert counter.distinct == len(expected)
    assert counter.total == expected.total()
    assert counter.byte_count == len(padded(text)) - PADDING


def test_grows_by_thousands_of_words() -> None:
    text = " ".join(f"{k} {k * k * k}word{k}" for k in range(6000))
    counter = WordCounter(SPLITTER)
    counter.add(text)
    counter.add(text)
    assert counter.counts() == {word: 2 * n for word, n in words_of(text).items()}


def test_most_frequent_words_come_first() -> None:
    counter = WordCounter(SPLITTER)
    counter.add(" ".join(["a"] * 70_000 + ["b"] * 3 + ["c"] * 66_000 + ["d"] * 3 + ["e"]))
    counts = list(counter.counts().values())
    assert counts == sorted(counts, reverse=True)
    assert counts[:3] == [136_006, 70_000, 66_000]


def test_words_after_the_limit_wait() -> None:
    data = padded("one two three")
    counter = WordCounter(SPLITTER)
    assert counter.add_block(data, 0, 13, 7) == 7
    assert counter.counts() == {b"one": 1, b" ": 1, b"two": 1}
    assert counter.add_block(data, 7, 13, 7) == 7
    assert counter.add_block(data, 8, 13, 12) == 8
    assert counter.add_block(data, 7, 13, 13) == 13
    assert counter.counts() == {b"one": 1, b" ": 2, b"two": 1, b"three": 1}


@given(st.lists(st.text(st.sampled_from("ab\0é語 \n"), max_size=60), max_size=6))
def test_equals_counting_in_python(texts: list[str]) -> None:
    counter = WordCounter(SPLITTER)
    expected: Counter[bytes] = Counter()
    for text in texts:
        counter.add(text)
        expected += words_of(text)
    assert counter.counts() == expected


@given(st.text(st.sampled_from("aß語😀 \x7f"), max_size=60))
def test_words_have_as_many_characters_as_their_text(text: str) -> None:
    counter = WordCounter(SPLITTER)
    counter.add(text)
    sizes = sorted(counter.characters_of(slot) for slot in counter.slots_by_count())
    assert sizes == sorted(len(word.decode()) for word in counter.counts())


_BYTES = st.binary(min_size=1, max_size=40).map(lambda drawn: bytes(byte & 3 for byte in drawn))


@given(st.lists(st.tuples(_BYTES, st.integers(1, 1 << 30)), max_size=30))
def test_words_of_any_bytes_are_kept_and_sorted(rows: list[tuple[bytes, int]]) -> None:
    counter = WordCounter(SPLITTER)
    expected: Counter[bytes] = Counter()
    for word, count in rows:
        counter.add_counted(word + bytes(PADDING), 0, len(word), count)
        expected[word] += count
    both = WordCounter(SPLITTER)
    both.add_all(counter)
    both.add_all(counter)
    assert counter.counts() == expected
    assert both.counts() == {word: 2 * count for word, count in expected.items()}
    assert _sorted_words(counter) == sorted(expected)


def _sorted_words(counter: WordCounter) -> list[bytes]:
    found: list[bytes] = []
    for slot in counter.slots_by_bytes():
        writer = BytesWriter()
        size = counter.write_units(slot, writer)
        found.append(writer.getvalue()[:size])
        assert len(writer) == (size + 7) // 8 * 8
        assert not any(writer.getvalue()[size:])
    return found


@given(
    beginnings=st.lists(st.sampled_from([b"", b"\0", b"\xff", b"word"]), min_size=1, max_size=2),
    times=st.integers(0, 24),
    ends=st.sets(st.binary(max_size=3), min_size=2, max_size=20),
)
@example(beginnings=[b"\0"], times=70, ends={b"", b"\0", b"\0\0", b"\x01", b"\x80", b"\x7f"})
def test_words_with_long_equal_beginnings_are_sorted(
    beginnings: list[bytes], times: int, ends: set[bytes]
) -> None:
    counter = WordCounter(SPLITTER)
    words = {one * times + end for one in beginnings for end in ends} - {b""}
    for word in words:
        counter.add_counted(word + bytes(PADDING), 0, len(word), 1)
    assert _sorted_words(counter) == sorted(words)


def test_is_full_before_its_table_is_doubled() -> None:
    counter = WordCounter(SPLITTER)
    full = 0
    for k in range(10_000):
        was_full, before = counter.full, counter.memory
        word = f"{k}".encode()
        counter.add_counted(word + bytes(PADDING), 0, len(word), 1)
        if counter.memory > before:
            assert was_full
            assert not counter.full
        full += counter.full
    assert 0 < full < 1000


def test_a_word_that_would_take_all_memory_is_refused() -> None:
    counter = WordCounter(SPLITTER)
    counter.add("a" * (1 << 24))
    with pytest.raises(TokenariumError, match=r"pre-token of 16,777,217 bytes"):
        counter.add("a" * ((1 << 24) + 1))
