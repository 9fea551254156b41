"""What is counted in another process over files and over texts in many languages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from narrowed import of_kind
from pytestqt.qtbot import QtBot

import tokenarium_core as tc
from tokenarium.app.start import sample_text
from tokenarium.models.compare.comparing import (
    ComparedTokenizer,
    ParallelCounts,
    PartialTallies,
    count_files,
    source_units,
)
from tokenarium.models.compare.intervals import (
    MEASURED,
    figure_intervals,
    intervals_of,
    measure_intervals,
    sampled_figures,
)
from tokenarium.models.compare.kept_lines import count_parallel
from tokenarium.models.compare.parallel_texts import aligned, of_folder, shipped
from tokenarium.models.compare.tally import measured, tally
from tokenarium.models.compare.unit_rows import UnitRows, counts_row
from tokenarium.models.text.text_file import TextFileError
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.session.catalogue import shipped as shipped_tokenizer
from tokenarium.work.worker import Worker


@pytest.fixture(scope="module")
def candidates(tmp_path_factory: pytest.TempPathFactory) -> list[ComparedTokenizer]:
    path = tmp_path_factory.mktemp("tokenizers") / "small.json"
    tc.train("bpe", [sample_text("prose-en")], vocab_size=400).save(path)
    return [
        ComparedTokenizer("one", "Tokenarium 8k", shipped_tokenizer().source),
        ComparedTokenizer("two", "small", str(path)),
    ]


class Hearer:
    def __init__(self, patience: int = 10**6) -> None:
        self.heard: list[object] = []
        self._patience = patience

    def __call__(self, what: object) -> None:
        self.heard.append(what)

    @property
    def asked_to_stop(self) -> bool:
        self._patience -= 1
        return self._patience < 0


def test_files_are_counted_in_a_process_of_its_own(
    candidates: list[ComparedTokenizer], tmp_path: Path, qtbot: QtBot
) -> None:
    texts = [sample_text(name) for name in ("prose-en", "prose-ru", "code-python")]
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.txt").write_bytes(text.encode())
    (tmp_path / "x.png").write_bytes(b"\x89PNG")
    worker = Worker(count_files, candidates, [CorpusSource("folder", str(tmp_path))])
    with qtbot.waitSignal(worker.finished) as finished:
        worker.start()
    found = of_kind(finished.args[0], PartialTallies)
    assert found.fraction == 1
    assert "x.png" in found.notes[0]
    for candidate in candidates:
        tokenizer = candidate.open()
        counts = found.tallies[candidate.key]
        assert counts.tokens == sum(len(tokenizer.encode_ids(text)) for text in texts)
        assert counts.texts == 3


def test_each_file_has_its_figures(candidates: list[ComparedTokenizer], tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    files = {"a.txt": "one two", "deep/a.txt": "three", "deep/empty.txt": ""}
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    sources = [CorpusSource("folder", str(tmp_path)), CorpusSource("text", "four words of text")]
    found = count_files(Hearer(), candidates, sources)
    for candidate in candidates:
        tokenizer = candidate.open()
        figures = dict(found.files[candidate.key])
        named = {name: text for name, text in files.items() if text}
        assert {name for name in figures if name.endswith(".txt")} == set(named)
        for name, text in named.items():
            assert figures[name].value("tokens") == len(tokenizer.encode_ids(text))
            assert figures[name].byte_count == len(text)
        assert len(figures) == 3
        tokens = sum(one.value("tokens") or 0 for one in figures.values())
        assert tokens == found.tallies[candidate.key].tokens


def test_figures_over_several_documents_have_intervals(
    candidates: list[ComparedTokenizer],
) -> None:
    texts = [f"text number {number} " * (1 + number % 3) for number in range(9)]
    found = count_files(Hearer(), candidates, [CorpusSource("text", text) for text in texts])
    rows = UnitRows(1)
    tokenizer = candidates[1].open()
    for text in texts:
        rows.add([counts_row(tally(tokenizer, measured(text)))])
    expected = {one.metric.id: one.intervals[0] for one in intervals_of(rows.counts, MEASURED)}
    assert figure_intervals(found.sampled["two"], MEASURED) == expected
    assert figure_intervals(found.sampled["one"], MEASURED) != expected
    one = expected["bytes_per_token"]
    assert one.low is not None
    assert one.value is not None
    assert one.low < one.value


def test_tokenizers_that_are_counted_apart_have_the_differences_of_those_counted_together(
    candidates: list[ComparedTokenizer],
) -> None:
    texts = [f"text number {number} " * (1 + number % 3) for number in range(9)]
    sources = [CorpusSource("text", text) for text in texts]
    apart = [count_files(Hearer(), [one], sources).sampled[one.key] for one in candidates]
    units = source_units({one.key: one.open() for one in candidates}, sources)
    together = sampled_figures(units.counts, MEASURED)
    for name in MEASURED:
        found = measure_intervals(apart, MEASURED, name, 0.01)
        assert found == measure_intervals(together, MEASURED, name, 0.01)
    assert measure_intervals(apart, MEASURED, "bytes_per_token").differences[0].differs


def test_a_single_document_has_no_intervals_and_neither_has_a_stopped_count(
    candidates: list[ComparedTokenizer],
) -> None:
    sources = [CorpusSource("text", f"text number {number}") for number in range(3)]
    assert count_files(Hearer(), candidates, sources[:1]).sampled == {}
    found = count_files(Hearer(3), candidates, sources)
    assert found.tallies["one"].texts == 3
    assert found.sampled == {}


def test_of_very_many_files_the_first_have_figures(
    candidates: list[ComparedTokenizer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tokenarium.models.compare.comparing.MOST_FILES", 3)
    sources = [CorpusSource("text", f"text number {number}") for number in range(5)]
    found = count_files(Hearer(), candidates, sources)
    assert len(found.files["one"]) == 3
    assert found.tallies["one"].texts == 5
    assert "Only the first 3 files" in found.notes[-1]


def test_a_comparison_that_is_stopped_gives_what_it_has(
    candidates: list[ComparedTokenizer],
) -> None:
    sources = [CorpusSource("text", f"text number {number}") for number in range(20)]
    found = count_files(Hearer(4), candidates, sources)
    assert found.tallies["one"].texts == 5
    assert found.tallies["one"].texts == found.tallies["two"].texts
    assert 0 < found.fraction < 1


def test_partial_results_are_reported(
    candidates: list[ComparedTokenizer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tokenarium.models.compare.comparing.REPORT_MS", -1)
    hearer = Hearer()
    found = count_files(
        hearer, candidates, [CorpusSource("text", "a b"), CorpusSource("text", "c")]
    )
    partial = of_kind(hearer.heard[0], PartialTallies)
    assert partial.tallies["one"].word_count == 2
    assert found.tallies["one"].word_count == 3


@pytest.mark.parametrize("by_line", [True, False])
def test_parallel_texts(candidates: list[ComparedTokenizer], by_line: bool) -> None:
    texts = shipped()[:5]
    found = of_kind(count_parallel(Hearer(), candidates, texts, by_line), ParallelCounts)
    for candidate in candidates:
        tokenizer = candidate.open()
        counts = found.counts[candidate.key].tokens
        assert counts.shape == (10 if by_line else 1, 5)
        for place, text in enumerate(texts):
            if by_line:
                assert counts[3, place] == len(tokenizer.encode_ids(text.lines[3]))
            else:
                assert counts[0, place] == len(tokenizer.encode_ids(text.text))
    assert np.all(found.counts["one"].tokens > 0)


def test_the_shipped_ones_are_aligned() -> None:
    texts = shipped()
    assert texts[0].title == "English"
    assert aligned(texts)


def test_a_folder_has_a_file_for_each_language(tmp_path: Path) -> None:
    (tmp_path / "eng.txt").write_text("one\n\ntwo\n", "utf-8")
    (tmp_path / "deu.txt").write_text("eins\nzwei\n", "utf-8")
    (tmp_path / "fra.txt").write_bytes("été".encode("latin-1"))
    (tmp_path / "ita.txt").touch()
    (tmp_path / "notes.pdf").write_bytes(b"%PDF")
    texts, left_out = of_folder(tmp_path)
    assert [(text.language, text.lines) for text in texts] == [
        ("deu", ("eins", "zwei")),
        ("eng", ("one", "two")),
    ]
    assert aligned(texts)
    assert [sentence.split()[0] for sentence in left_out] == ["fra.txt", "ita.txt"]


def test_too_few_texts_are_reported(tmp_path: Path) -> None:
    with pytest.raises(TextFileError, match="has 0 texts to compare, but 2 are needed"):
        of_folder(tmp_path)
    with pytest.raises(TextFileError, match="cannot be read"):
        of_folder(tmp_path / "none")
    with pytest.raises(TextFileError, match="no folder can have this name"):
        of_folder(tmp_path / "a\0b")


def test_a_folder_of_whole_documents(data: Path) -> None:
    texts, left_out = of_folder(data / "text" / "udhr")
    assert len(texts) > 30
    assert left_out == []
    assert not aligned(texts)
