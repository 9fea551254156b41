"""Studies: their figures are those of a comparison, the same bytes each time, and other inputs are refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_files import new_folder, write_file

import tokenarium_core as tc
from tokenarium.analyses.study_tables import differences_table, figures_table, study_files
from tokenarium.models.compare.comparing import tally_sources
from tokenarium.models.compare.intervals import MEASURED, tally_of_row
from tokenarium.models.compare.metrics import METRICS
from tokenarium.models.studies.study import ALL_TEXTS, run_study, units_of
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
    import io

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
