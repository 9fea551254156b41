"""Studies: their figures are those of a comparison, the same bytes each time, and other inputs are refused."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from statistics import fmean, pstdev

import numpy as np
import pytest
from small_files import new_folder, write_file

import tokenarium_core as tc
from tokenarium.analyses.study_tables import differences_table, figures_table, study_files
from tokenarium.models.compare.comparing import tally_sources
from tokenarium.models.compare.intervals import MEASURED
from tokenarium.models.compare.metrics import METRICS, figures_of
from tokenarium.models.compare.number_sums import PARTS
from tokenarium.models.compare.tally import TallyJob
from tokenarium.models.compare.unit_rows import tally_of_row
from tokenarium.models.studies.study import StudyResult, run_study
from tokenarium.models.studies.study_counts import ALL_TEXTS, units_of
from tokenarium.models.studies.study_file import Study, StudyText, StudyTokenizer
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS
from tokenarium_core.plain_files import file_sha256

PATHS = {one.id: one.path for one in SHIPPED_TOKENIZERS}
LINES = [f"The {word} lines are long enough: {number}." for number, word in enumerate(["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"] * 4)]  # fmt: skip


def opened(path: str, pattern: str = "") -> tc.Tokenizer:
    return tc.open(PATHS.get(path, path), pattern=pattern or None)


@pytest.fixture
def study(tmp_path: Path) -> Study:
    write_file(tmp_path / "a.txt", "\n".join(LINES))
    write_file(tmp_path / "b.txt", "Lost: 東京 漢字 ünïcödé 👩🏽‍🚀\r\n\r\n" * 9)
    return Study(
        tuple(StudyTokenizer(name, name) for name in ("tokenarium-8k", "wordpiece-8k")),
        (StudyText("a", "a.txt"), StudyText("b", "b.txt")),
        unit="line",
        measures=MEASURED,
        resamples=200,
        folder=tmp_path,
    )


def test_figures_of_documents_are_those_of_a_comparison(study: Study) -> None:
    result = run_study(replace(study, unit="document"), opened)
    sources = [CorpusSource("file", str(study.folder / one.file)) for one in study.texts]
    tallies = tally_sources({one.name: opened(one.path) for one in study.tokenizers}, sources)
    whole = result.parts[-1]
    assert (whole.name, whole.units) == (ALL_TEXTS, 2)
    metrics = {metric.id: metric for metric in METRICS}
    for found in whole.measures:
        expected = [metrics[found.metric.id].value(one) for one in tallies.values()]
        assert [one.value for one in found.intervals] == expected


def test_each_line_is_a_unit_of_its_text_and_of_all(study: Study) -> None:
    result = run_study(study, opened)
    assert [(part.name, part.units) for part in result.parts] == [
        ("a", 32),
        ("b", 9),
        (ALL_TEXTS, 41),
    ]
    assert np.array_equal(
        result.parts[2].counts, np.concatenate([result.parts[0].counts, result.parts[1].counts])
    )
    assert any("b: The intervals come from only 9 lines" in note for note in result.notes)


def test_lines_have_no_ends_and_empty_ones_are_left_out() -> None:
    assert list(units_of(["a \r\n\r\n  \n\tb\x0bc", "d"], "line")) == ["a ", "\tb\x0bc", "d"]
    assert list(units_of(["a\n", "b"], "document")) == ["a\n", "b"]


def test_figures_over_lost_text_are_marked(study: Study) -> None:
    result = run_study(study, opened)
    heads, *rows = figures_table(result).lines()
    at = heads.index("Bytes per token")
    marked = {(row[0], row[1]): row[at].startswith("?") for row in rows}
    assert marked["a", "wordpiece-8k"] is False
    assert marked["b", "wordpiece-8k"] is True
    assert marked["b", "tokenarium-8k"] is False
    heads, *rows = differences_table(result).lines()
    marked_pairs = {row[0]: row[4].startswith("?") for row in rows if row[1] == "Bytes per token"}
    assert marked_pairs == {"a": False, "b": True, ALL_TEXTS: True}


@pytest.mark.slow
def test_the_same_study_writes_the_same_bytes_and_another_seed_others(study: Study) -> None:
    one = study_files(run_study(study, opened))
    assert one == study_files(run_study(study, opened))
    other = study_files(run_study(replace(study, seed=1), opened))
    assert one["counts.csv"] == other["counts.csv"]
    assert one["figures.csv"] != other["figures.csv"]


def test_all_counts_are_written_and_add_up(study: Study) -> None:
    result = run_study(study, opened)
    files = study_files(result)
    head, *lines = files["counts.csv"].decode().splitlines()
    rows = [dict(zip(head.split(","), line.split(","), strict=True)) for line in lines]
    assert len(rows) == 41 * 2
    for text in ("a", "b"):
        of_text = [row for row in rows if (row["text"], row["tokenizer"]) == (text, "wordpiece-8k")]
        part = next(part for part in result.parts if part.name == text)
        whole = tally_of_row(part.counts[:, 1].sum(axis=0))
        assert sum(int(row["tokens"]) for row in of_text) == whole.tokens
        assert sum(int(row["lost_bytes"]) for row in of_text) == whole.lost_bytes
    pq = pytest.importorskip("pyarrow.parquet")
    assert [
        {key: str(value) for key, value in row.items()}
        for row in pq.read_table(io.BytesIO(files["counts.parquet"])).to_pylist()
    ] == rows
    assert json.loads(files["results.json"])["texts"][0]["sha256"] == file_sha256(
        study.folder / "a.txt"
    )


@pytest.mark.slow
def test_a_different_hash_is_refused_with_both(study: Study) -> None:
    result = run_study(study, opened)
    run_study(result.study, opened)  # with all hashes
    write_file(study.folder / "a.txt", "changed")
    was, became = result.study.texts[0].sha256, file_sha256(study.folder / "a.txt")
    with pytest.raises(tc.TokenariumError, match=rf"The text a .*{became}.*{was}"):
        run_study(result.study, opened)
    wrong = replace(study.tokenizers[1], sha256="0" * 64)
    with pytest.raises(tc.TokenariumError, match=rf"The tokenizer wordpiece-8k .*{'0' * 64}"):
        run_study(replace(study, tokenizers=(study.tokenizers[0], wrong)), opened)


def test_what_cannot_be_read_is_refused(study: Study) -> None:
    def with_text(file: str) -> Study:
        return replace(study, texts=(StudyText("t", file),))

    new_folder(study.folder / "folder")
    write_file(study.folder / "empty.txt", "")
    write_file(study.folder / "blank.txt", "\n\n")
    for file, said in (
        ("none.txt", r"none\.txt cannot be read"),
        ("folder", "is a folder: name each file"),
        ("empty.txt", "empty.txt"),
        ("blank.txt", "contains no text"),
    ):
        with pytest.raises(tc.TokenariumError, match=said):
            run_study(with_text(file), opened)


def test_another_version_is_noted(study: Study) -> None:
    result = run_study(replace(study, version="0.0.1"), opened)
    assert "written by Tokenarium 0.0.1" in result.notes[0]
    assert result.study.version == tc.__version__


# Figures of numbers, operators and characters.

DIGITS = "12345678901234567"
SUMS = [f"{DIGITS[: at % 17 + 1]} + {at % 9} = {7 ** (at % 11)}; é" for at in range(40)]
RESAMPLES, SEED = 60, 5
OF_NUMBERS = ("place_value", "from_right", "from_left", "tokens_per_digit", "magnitude", "operators_apart")  # fmt: skip


@pytest.fixture(scope="module")
def sums(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    folder = tmp_path_factory.mktemp("sums")
    write_file(folder / "sums.txt", "\n".join(SUMS))
    names = ("tokenarium-8k", "unigram-8k")
    return run_study(
        Study(
            tuple(StudyTokenizer(name, name) for name in names),
            (StudyText("sums", "sums.txt"),),
            unit="line",
            measures=OF_NUMBERS,
            seed=SEED,
            resamples=RESAMPLES,
            folder=folder,
        ),
        opened,
    )


def figures_of_lines(tokenizer: tc.Tokenizer, lines: list[str]) -> list[float]:
    """Returns the figures of `OF_NUMBERS`, counted number by number from the tokens of each line."""
    scores, per_digit, right, left, apart = [], [], [], [], []
    classes: dict[int, list[float]] = {}
    for line in lines:
        encoding = tokenizer.encode(line)
        spans = [encoding.span(token) for token in range(len(encoding))]
        spans = [(start, end) for start, end in spans if start < end]
        begins = {start for start, _ in spans}
        for match in re.finditer(r"\d+", line):  # before the é: bytes are characters
            size = match.end() - match.start()
            cuts = {at - match.start() for at in begins if match.start() < at < match.end()}
            ideal = set(range(size - 3, 0, -3))
            both = len(cuts) + len(ideal)
            scores.append(2 * len(cuts & ideal) / both if both else 1.0)
            per_digit.append((len(cuts) + 1) / size)
            classes.setdefault(min(size, 10), []).append(per_digit[-1])
            if size > 3:
                right.append(cuts == ideal)
                left.append(cuts == set(range(3, size, 3)))
        for match in re.finditer(r"[+=]", line):
            touching = [
                line.encode()[s:e] for s, e in spans if s < match.end() and e > match.start()
            ]
            apart.append(b"".join(touching).strip() == match[0].encode())
    means = [fmean(one) for one in classes.values()]
    return [
        fmean(scores),
        100 * fmean(right),
        100 * fmean(left),
        fmean(per_digit),
        100 * pstdev(means) / fmean(means),
        100 * fmean(apart),
    ]


def test_figures_of_numbers_are_those_of_a_count_by_hand(sums: StudyResult) -> None:
    draws = np.random.default_rng(SEED)
    drawn = [draws.integers(0, len(SUMS), len(SUMS)).tolist() for _ in range(RESAMPLES)]
    samples = []
    for place, one in enumerate(sums.study.tokenizers):
        tokenizer = opened(one.path)
        found = [measure.intervals[place] for measure in sums.parts[0].measures]
        assert [one.value for one in found] == pytest.approx(figures_of_lines(tokenizer, SUMS))
        of_samples = [figures_of_lines(tokenizer, [SUMS[at] for at in some]) for some in drawn]
        samples.append(np.array(of_samples))
        low, high = np.quantile(samples[-1], [0.025, 0.975], axis=0)
        assert [one.low for one in found] == pytest.approx(low.tolist())
        assert [one.high for one in found] == pytest.approx(high.tolist())
    _, right, left, *_ = sums.parts[0].measures
    assert right.intervals[0] != left.intervals[0]  # so that one is not taken for the other
    apart = samples[0] - samples[1]
    low, high = np.quantile(apart, [0.025, 0.975], axis=0)
    for place, measure in enumerate(sums.parts[0].measures):
        (pair,) = measure.differences
        assert (pair.low, pair.high) == pytest.approx((low[place], high[place]))
        rarer = min((apart[:, place] <= 0).sum(), (apart[:, place] >= 0).sum())
        assert pair.p == pair.adjusted == min(1.0, 2 * (rarer + 1) / (RESAMPLES + 1))


def test_figures_of_numbers_are_those_that_the_page_shows(sums: StudyResult) -> None:
    found = run_study(replace(sums.study, unit="document"), opened)
    names = [one.name for one in sums.study.tokenizers]
    counted = TallyJob("\n".join(SUMS), {name: opened(name) for name in names})
    while not counted.step(1e9).finished:
        pass
    for place, name in enumerate(names):
        page = figures_of(counted.tallies[name])
        for measure in found.parts[0].measures:
            assert measure.intervals[place].value == page.value(measure.metric.id)


def test_all_counts_of_numbers_are_written(sums: StudyResult) -> None:
    files = study_files(sums)
    rows = list(csv.DictReader(io.StringIO(files["counts.csv"].decode())))
    for one in ("tokenarium-8k", "unigram-8k"):
        some = [row for row in rows if row["tokenizer"] == one]
        lengths = [len(number) for line in SUMS for number in re.findall(r"\d+", line)]
        for size in range(1, 10):
            counted = sum(int(row[f"numbers_of_{size}"]) for row in some)
            assert counted == lengths.count(size)
        long = sum(int(row["numbers_of_10_or_more"]) for row in some)
        assert long == sum(size >= 10 for size in lengths)
        scores = sum(int(row["place_value"]) for row in some) / PARTS
        place = [tokenizer.name for tokenizer in sums.study.tokenizers].index(one)
        assert scores / len(lengths) == sums.parts[0].measures[0].intervals[place].value
        assert sum(int(row["operators"]) for row in some) == 2 * len(SUMS)
    names = {
        row["measure"] for row in csv.DictReader(io.StringIO(files["differences.csv"].decode()))
    }
    assert names == set(OF_NUMBERS)
    for table in ("figures.tex", "figures.md", "differences.md"):
        assert "Place-value boundaries" in files[table].decode()
