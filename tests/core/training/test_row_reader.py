"""Rows of texts and counts train what the texts train, each as often as its row says; what is no row is refused."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_files import write_file

import tokenarium_core as tc
from tokenarium_core.formats.registry import files_of, fitting
from tokenarium_core.training import ALGORITHMS, INPUT_FORMAT, word_counts
from tokenarium_core.training.algorithms import make_trainer
from tokenarium_core.training.row_reader import RowReader
from tokenarium_core.training.word_counter import COUNT_MASK

pytestmark = pytest.mark.compiled

WORDS = ["low", "lower", " lowest", "new newer", "a<end>b", "wid-er", "1 234", "Ünïcode", "a longer row of words"]  # fmt: skip
COUNTED = st.lists(st.tuples(st.sampled_from(WORDS), st.integers(1, 40)), min_size=2, max_size=12)
SIZES: list[tuple[str, int, dict[str, Any]]] = [
    ("bpe", 270, {}),
    ("bpe", 270, {"normalization": "nfkc", "special_tokens": ["<end>"], "pattern": r"[a-m]+|[^a-m]+"}),
    ("picky-bpe", 265, {}),
    ("superbpe", 275, {"transition": 258, "min_frequency": 1}),
    ("wordpiece", 60, {}),
    ("sentencepiece-bpe", 60, {"normalization": "identity", "max_sentence_length": 12}),
    ("unigram", 60, {"normalization": "identity", "user_defined_symbols": ["ew"]}),
]  # fmt: skip


def rows_of(counted: list[tuple[str, int]]) -> str:
    return "\n".join(f"{text}\t{count}" for text, count in counted)


def outcome(algorithm: str, size: int, **given: Any) -> object:
    trainer = make_trainer(algorithm, vocab_size=size, **given)
    try:
        trainer.run()
        tokenizer = trainer.tokenizer("made")
    except tc.TokenariumError as error:
        return str(error)
    totals = (trainer.byte_count, trainer.pre_token_count, trainer.distinct_count)
    return files_of(tokenizer, fitting(tokenizer)[0], "made"), list(trainer.pair_counts), totals


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "size", "options"), SIZES)
@settings(max_examples=6, deadline=None)
@given(counted=COUNTED)
def test_a_row_is_its_text_so_many_times(
    algorithm: str, size: int, options: dict[str, Any], counted: list[tuple[str, int]]
) -> None:
    repeated = [text for text, count in counted for _ in range(count)]
    wanted = outcome(algorithm, size, corpus=repeated, **options)
    assert (
        outcome(algorithm, size, corpus=rows_of(counted), input_format="tsv", **options) == wanted
    )


def test_which_algorithms_take_rows() -> None:
    taking = {name for name, one in ALGORITHMS.items() if INPUT_FORMAT in one.options}
    assert taking == set(ALGORITHMS) - {"boundless-bpe", "parity-bpe"}
    with pytest.raises(tc.TokenariumError, match="no option 'input_format'"):
        make_trainer("boundless-bpe", ["a\t1"], vocab_size=300, input_format="tsv")


def test_a_file_is_read_as_texts_are(tmp_path: Path) -> None:
    path = write_file(
        tmp_path / "words.tsv", "\ufeffthe\t12\r\n\r\nof the\t+3 \n\t7\nthe\t4".encode()
    )
    plain = word_counts.count("bpe", [*["the"] * 16, *["of the"] * 3])
    counts = word_counts.count("bpe", files=[path], input_format="tsv")
    assert counts.listed().data == plain.listed().data
    assert list(counts.listed().counts) == list(plain.listed().counts) == [16, 3, 3]
    assert (counts.total, counts.byte_count, counts.texts) == (22, 19 * 3 + 3 * 3, 3)
    job = tc.WordCounts("bpe", input_format="tsv").adding(files=[path])
    job.run()
    assert job.progress.done == job.progress.total == path.stat().st_size
    assert "input_format" not in counts.options  # they can be merged with counts of texts
    counts.merge(plain)
    assert counts.total == 44


def test_lines_that_are_left_out_are_counted_once() -> None:
    rows = "▅ reserved\t9\na long line of text\t5\nshort\t3"
    counts = word_counts.count("unigram", [rows], input_format="tsv", normalization="identity", max_sentence_length=12)  # fmt: skip
    assert (counts.too_long, counts.reserved, counts.total) == (1, 1, 3)


def test_counting_texts_after_rows() -> None:
    counts = tc.WordCounts("bpe", input_format="tsv")
    counts.add("low\t5")
    words = counts._words
    assert words.weight == 0
    words.add("low")
    assert list(counts.listed().counts) == [6]


MOST = f"{COUNT_MASK:,}"


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("alone", "Line 2 of .* has no tab between a text and its count: 'alone'"),
        ("a\t1\t2", "Line 2 of .* more than one tab"),
        ("word\tcount", "Line 2 of .* has 'count' after the tab, not a whole number"),
        ("a\t", "Line 2 of .* has '' after the tab, not a whole number"),
        ("a\t1.5", "Line 2 of .* not a whole number"),
        ("a\t-3", "Line 2 of .* not a whole number"),
        ("a\t٣", "Line 2 of .* not a whole number"),
        ("a\t0", f"Line 2 of .* has a count of 0, which has to be between 1 and {MOST}"),
        (f"a\t{COUNT_MASK + 1}", f"between 1 and {MOST}"),
        ("a\t" + "9" * 5000, f"between 1 and {MOST}"),
        ("b" * 20_000 + f"\t{COUNT_MASK}", "divide all counts by the same number"),
    ],
)
@pytest.mark.parametrize("from_file", [False, True])
def test_lines_that_are_no_rows(row: str, words: str, from_file: bool, tmp_path: Path) -> None:
    path = write_file(tmp_path / "rows.tsv", f"good\t1\n{row}\n")
    source = {"files": [path]} if from_file else {"corpus": [path.read_text()]}
    trainer = make_trainer("bpe", vocab_size=300, input_format="tsv", **source)
    with pytest.raises(tc.FormatError, match=words) as caught:
        trainer.run()
    assert len(str(caught.value)) < 400


def test_files_that_are_no_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_file(tmp_path / "rows.tsv", b"good\t1\nb\xffad\t2\n")
    with pytest.raises(tc.FormatError, match=r"Line 2 of .* is not UTF-8: its byte 1 \(0xFF\)"):
        word_counts.count("bpe", files=[path], input_format="tsv")
    with pytest.raises(tc.NotAvailable, match="cannot be read"):
        word_counts.count("bpe", files=[tmp_path / "absent.tsv"], input_format="tsv")
    with path.open("wb") as file:  # a line without an end, of which only the beginning is read
        file.truncate(1 << 25)
    with pytest.raises(tc.FormatError, match=r"Line 1 of .* is longer than 16,777,216 bytes"):
        list(RowReader([], [path], []).texts())


def test_a_sum_of_counts_that_is_too_large() -> None:
    rows = [f"a\t{COUNT_MASK}\na\t1"]
    with pytest.raises(tc.TokenariumError, match=f"more than {MOST} times"):
        word_counts.count("bpe", rows, input_format="tsv")
    with pytest.raises(tc.TokenariumError, match=f"more than {MOST} times"):
        word_counts.count("bpe", [rows[0].replace("a", "a word of many bytes")], input_format="tsv")


def test_options_that_need_lines() -> None:
    with pytest.raises(tc.TokenariumError, match="input_sentence_size = 200 cannot be used with"):
        make_trainer("unigram", ["a\t1"], vocab_size=300, input_format="tsv", input_sentence_size=200)  # fmt: skip
    with pytest.raises(tc.TokenariumError, match="choose one of text, tsv"):
        tc.WordCounts("bpe", input_format="csv")


def test_the_order_of_rows_and_their_splitting_do_not_matter() -> None:
    draw = random.Random(3)
    counted = Counter({f"{draw.choice('abcde')}{draw.choice(WORDS)}": draw.randrange(1, 999) for _ in range(40)})  # fmt: skip
    rows = [f"{text}\t{count}" for text, count in counted.items()]
    wanted = outcome("bpe", 300, corpus="\n".join(rows), input_format="tsv")
    draw.shuffle(rows)
    halved = [
        f"{text}\t{part}"
        for text, count in counted.items()
        for part in (count // 2, count - count // 2)
        if part
    ]
    for other in (rows, halved):
        assert outcome("bpe", 300, corpus=other, input_format="tsv") == wanted
