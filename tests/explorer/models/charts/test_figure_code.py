"""Programs that work numbers out again: they run, and give the numbers that the window shows."""

from __future__ import annotations

import csv
import io
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest

import tokenarium_core as tc
from tokenarium.app.start import sample_text
from tokenarium.models.charts.figure_code import (
    MOST_TEXT,
    CodeTokenizer,
    languages_code,
    text_code,
    vocabulary_code,
)
from tokenarium.models.compare.comparing import line_counts
from tokenarium.models.compare.comparison_model import ComparedRow, length_chart, rank_chart
from tokenarium.models.compare.language_premiums import language_gini, language_premiums
from tokenarium.models.compare.metrics import figures_of
from tokenarium.models.compare.parallel_texts import shipped
from tokenarium.models.compare.tally import Tally, measured, tally
from tokenarium.models.scripts.text_scripts import CountedTokens, text_scripts
from tokenarium.models.scripts.vocabulary_scripts import CLASS_NAMES, VocabularyScripts
from tokenarium.tour.small_models import write_unigram

TEXT = (
    "Tokens, e\u0301tudes and\u00a0'quotes' \"too\".\r\n\n"
    "सभी मनुष्यों 👩🏽‍🚀 12 本を読むя\t{braces} \\ and <s>\n"
)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> dict[str, CodeTokenizer]:
    folder = tmp_path_factory.mktemp("tokenizers")
    bytes_only = folder / "bytes.json"
    tc.train("bpe", [sample_text("prose-en")], vocab_size=300).save(bytes_only)
    pieces = write_unigram("Small words, and a few more of them.\n" * 20, folder / "small.model")
    return {
        "bytes": CodeTokenizer("bytes", str(bytes_only)),
        "it's “small”": CodeTokenizer("it's “small”", str(pieces)),
    }


def printed(code: str) -> list[dict[str, str]]:
    """Returns the rows that a program prints."""
    text = io.StringIO()
    with redirect_stdout(text):
        exec(compile(code, "program", "exec"), {"__name__": "__main__"})
    return list(csv.DictReader(io.StringIO(text.getvalue())))


def tallies(opened: dict[str, CodeTokenizer], text: str) -> dict[str, Tally]:
    return {name: tally(tc.open(one.source), measured(text)) for name, one in opened.items()}


@pytest.mark.parametrize(
    "text", [TEXT, "word", sample_text("prose-hi"), sample_text("code-python")]
)
def test_the_figures_are_those_of_the_table(opened: dict[str, CodeTokenizer], text: str) -> None:
    counts = tallies(opened, text)
    rows = printed(text_code("figures", "Figures", text, list(opened.values()), "1"))
    assert [row["Tokenizer"] for row in rows] == list(opened)
    for row in rows:
        values = figures_of(counts[row["Tokenizer"]])
        for title, metric in (
            ("Tokens", "tokens"),
            ("Bytes per token", "bytes_per_token"),
            ("Tokens per word", "fertility"),
            ("Words in one token (%)", "whole_words"),
            ("Tokens inside a character (%)", "inside"),
        ):
            assert float(row[title]) == pytest.approx(values.value(metric)), title


def test_the_lengths_and_ranks_are_those_of_the_charts(opened: dict[str, CodeTokenizer]) -> None:
    counts = tallies(opened, TEXT)
    shown = [ComparedRow(name, name, 0, one) for name, one in counts.items()]
    rows = printed(text_code("lengths", "Lengths", TEXT, list(opened.values()), "1"))
    found = {(row["curve"], float(row["bytes"])): row for row in rows}
    for curve in length_chart(shown).curves:
        for (length, share), count in zip(curve.points, curve.counts, strict=True):
            row = found.get((curve.title, length), {"share (%)": "0", "count": "0"})
            assert float(row["share (%)"]) == pytest.approx(share)
            assert int(row["count"]) == count
    rows = printed(text_code("ranks", "Ranks", TEXT, list(opened.values()), "1"))
    ranked = {(row["curve"], float(row["rank"])): float(row["count"]) for row in rows}
    for curve in rank_chart(shown).curves:
        assert all(ranked[curve.title, rank] == count for rank, count in curve.points)


@pytest.mark.parametrize("text", [TEXT, sample_text("prose-ja"), "<s>"])
def test_the_scripts_are_those_of_the_chart(opened: dict[str, CodeTokenizer], text: str) -> None:
    rows = printed(text_code("text scripts", "Scripts", text, list(opened.values()), "1"))
    for name, one in opened.items():
        tokenizer = tc.open(one.source)
        encoding = tokenizer.encode(text)
        sums = text_scripts(text.encode(), CountedTokens.of(tokenizer, encoding))
        assert {
            row["script"]: (int(row["tokens"]), int(row["tokens that cut a character"]))
            for row in rows
            if row["tokenizer"] == name
        } == {
            CLASS_NAMES[n]: (int(sums.tokens[n]), int(sums.cut[n]))
            for n in np.flatnonzero(sums.tokens)
        }


def test_the_vocabularies_are_those_of_the_chart(opened: dict[str, CodeTokenizer]) -> None:
    rows = printed(vocabulary_code("Scripts", list(opened.values()), "1"))
    for name, one in opened.items():
        counts = VocabularyScripts(tc.open(one.source).vocabulary).counts
        assert {row["script"]: int(row["entries"]) for row in rows if row["tokenizer"] == name} == {
            CLASS_NAMES[n]: int(counts[n]) for n in np.flatnonzero(counts)
        }


@pytest.mark.parametrize("whole", [False, True])
def test_the_languages_are_those_of_the_charts(
    opened: dict[str, CodeTokenizer], whole: bool
) -> None:
    texts = {one.title: one.lines for one in shipped()[:4]}
    if whole:
        texts = {title: ("\n".join(lines),) for title, lines in texts.items()}
    reference = list(texts)[1]
    rows = printed(languages_code("Costs", texts, reference, list(opened.values()), "1"))
    for name, one in opened.items():
        counts = line_counts(tc.open(one.source), [measured(*lines) for lines in texts.values()])
        mine = [row for row in rows if row["tokenizer"] == name]
        estimates = [*language_premiums(counts, 1, list(texts)), language_gini(counts)]
        assert [row["language"] for row in mine] == [*texts, "(Gini)"]
        for row, estimate in zip(mine, estimates, strict=True):
            assert estimate is not None
            assert float(row["value"]) == pytest.approx(estimate.value)
            ends = (row["low (95%)"], row["high (95%)"])
            if whole:
                assert ends == ("", "")
            else:
                assert [float(end) for end in ends] == pytest.approx([estimate.low, estimate.high])
            if estimate.tokens is not None:
                assert int(row["tokens"]) == estimate.tokens


@pytest.mark.parametrize("text", ["", "a" * (MOST_TEXT + 1), "\ud800"])
def test_there_is_no_program_for_what_it_cannot_hold(
    opened: dict[str, CodeTokenizer], text: str
) -> None:
    assert text_code("figures", "Figures", text, list(opened.values()), "1") == ""
    assert text_code("figures", "Figures", "a", [], "1") == ""


def test_a_pattern_is_given(tmp_path: Path) -> None:
    one = CodeTokenizer("mine", str(tmp_path / "o'clock.tiktoken"), "gpt2")
    code = text_code("ranks", "Ranks", "a", [one], "1")
    assert f"tc.open({one.source!r}, pattern='gpt2')" in code
    compile(code, "program", "exec")
