"""The measure cache: the same results without counting, measured again where anything differs, and never the text."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_files import new_folder, write_file
from small_vocabularies import of_pieces, rank_file

import tokenarium_core as tc
from tokenarium.analyses.study_tables import study_files
from tokenarium.app.start import sample_text
from tokenarium.models.compare import comparing, intervals, measure_cache, unit_rows
from tokenarium.models.compare.comparing import ComparedTokenizer, PartialTallies, count_files
from tokenarium.models.compare.intervals import MEASURED
from tokenarium.models.compare.measure_cache import (
    load_arrays,
    measure_folder,
    store_arrays,
    tally_arrays,
    tally_of_arrays,
    tokenizer_key,
)
from tokenarium.models.compare.tally import Tally, measured, tally
from tokenarium.models.compare.unit_rows import COLUMNS, UnitRows, counts_row
from tokenarium.models.studies import study_counts
from tokenarium.models.studies.study import run_study
from tokenarium.models.studies.study_file import Study, StudyText, StudyTokenizer
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.resources.shipped_tokenizers import shipped_path
from tokenarium_core import tokenizer_cache

NAMES = ("tokenarium-8k", "unigram-8k")
SECRET = "Xylophonquartett"
LINES = [f"{SECRET} {at}: 12{at}4567 naïve <= {at}" for at in range(30)]


def opened(path: str, pattern: str = "") -> tc.Tokenizer:
    return tc.open(shipped_path(path) if path in NAMES else path, pattern=pattern or None)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the cache, in which small texts and few samples are stored too."""
    monkeypatch.setenv(tokenizer_cache.VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(measure_cache, "is_worth_caching", Path.is_file)
    monkeypatch.setattr(intervals, "_KEPT", 1)
    found = measure_folder()
    assert found is not None
    return found


@pytest.fixture
def study(tmp_path: Path, folder: Path) -> Study:
    write_file(tmp_path / "a.txt", "\n".join(LINES))
    write_file(tmp_path / "b.txt", "Other words,\n 1234567 and more.\n" * 9)
    return Study(
        tuple(StudyTokenizer(name, name) for name in NAMES),
        (StudyText("a", "a.txt"), StudyText("b", "b.txt")),
        unit="line",
        measures=MEASURED,
        resamples=30,
        folder=tmp_path,
    )


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Returns how many units were counted with a tokenizer, and samples drawn, since it was last asked."""
    calls = [0]
    count, draw = study_counts.unit_counts, intervals.resampled_sums

    def counting(tokenizers: list[tc.Tokenizer], unit: str) -> list[list[int]]:
        calls[0] += len(tokenizers)
        return count(tokenizers, unit)

    def drawing(*given: object) -> object:
        calls[0] += 1_000_000
        return draw(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(study_counts, "unit_counts", counting)
    monkeypatch.setattr(intervals, "resampled_sums", drawing)

    def since() -> int:
        made, calls[0] = calls[0], 0
        return made

    return since


def files_of(study: Study) -> dict[str, bytes]:
    return study_files(run_study(study, opened))


def test_a_study_that_runs_again_counts_nothing(study: Study, counted: Callable[[], int], monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    first = files_of(study)
    assert counted() == 2 * (30 + 18) + 3 * 1_000_000
    assert files_of(study) == first
    assert counted() == 0
    monkeypatch.setenv(tokenizer_cache.VARIABLE, tokenizer_cache.OFF)
    assert files_of(study) == first
    assert counted() == 2 * (30 + 18) + 3 * 1_000_000


def test_only_what_differs_is_counted(study: Study, counted: Callable[[], int]) -> None:
    files_of(replace(study, texts=study.texts[:1], resamples=1))
    assert counted() == 2 * 30 + 1_000_000
    run_study(replace(study, resamples=2), opened)  # another text
    assert counted() % 1_000_000 == 2 * 18
    run_study(replace(study, resamples=2, seed=1), opened)
    assert counted() == 3 * 1_000_000
    run_study(replace(study, unit="document"), opened)
    assert counted() % 1_000_000 == 2 * 2
    write_file(study.folder / "a.txt", "\n".join([*LINES, "changed"]))
    run_study(study, opened)
    assert counted() % 1_000_000 == 2 * 31
    (study.folder / "c.txt").write_bytes((study.folder / "a.txt").read_bytes())
    moved = replace(study, texts=(StudyText("c", "c.txt"), study.texts[1]))
    run_study(moved, opened)
    assert counted() == 0  # another name, and the same text
    more = StudyTokenizer("third", str(shipped_path("wordpiece-8k")))
    run_study(replace(study, tokenizers=(*study.tokenizers, more)), opened)
    assert counted() % 1_000_000 == 31 + 18


def test_units_that_are_drawn_together_are_those_of_a_new_count(study: Study, counted: Callable[[], int], monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.setattr(unit_rows, "MOST_UNITS", 8)
    first = files_of(study)
    counted()
    assert files_of(study) == first
    assert counted() == 0
    other = replace(study, texts=study.texts[::-1])
    found = files_of(other)
    assert counted() % 1_000_000 == 2 * (30 + 18)  # in another order, others are drawn together
    monkeypatch.setenv(tokenizer_cache.VARIABLE, tokenizer_cache.OFF)
    assert files_of(other) == found


def test_the_text_is_not_stored_and_neither_is_where_it_is(study: Study, folder: Path) -> None:
    run_study(study, opened)
    found = count_files(Hearer(), compared(), [CorpusSource("file", str(study.folder / "a.txt"))])
    assert found.tallies["unigram-8k"].texts == 1
    stored = list(folder.iterdir())
    assert len(stored) >= 2 * 3 + 2 * 3 + 2
    for path in stored:
        data = path.read_bytes()
        for array in load_arrays(path.stem) or []:
            data += array.tobytes()
        for word in (SECRET, "naïve", str(study.folder), "a.txt", *NAMES):
            assert word.encode() not in data
            assert word not in path.name


@pytest.mark.slow
def test_a_damaged_form_is_measured_again_and_stored_again(study: Study, folder: Path, counted: Callable[[], int]) -> None:  # fmt: skip
    first = files_of(study)
    counted()
    stored = {path: path.read_bytes() for path in folder.iterdir()}
    random = np.random.default_rng(0)
    for size in (0, 1, 80, 200):
        for path, data in stored.items():
            path.write_bytes(data[:size])
        assert files_of(study) == first
        assert counted() == 2 * (30 + 18) + 3 * 1_000_000
        assert {path: path.read_bytes() for path in folder.iterdir()} == stored
    for path, data in stored.items():
        for at in random.integers(0, len(data), 6).tolist():
            path.write_bytes(data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :])
            assert load_arrays(path.stem) is None
        path.write_bytes(data)


@pytest.mark.parametrize(
    "arrays",
    [
        [],
        [np.zeros(2, np.int64)],
        [np.array([5, 1]), np.zeros((4, 1, len(COLUMNS)), np.int64)],
        [np.array([4, 0]), np.zeros((4, 1, len(COLUMNS)), np.int64)],
        [np.array([4, 1]), np.zeros((4, 1, 3), np.int64)],
        [np.array([4.5, 1.0]), np.zeros((4, 1, len(COLUMNS)))],
    ],
)
def test_a_form_of_other_arrays_is_measured_again(
    arrays: list[np.ndarray], study: Study, folder: Path, counted: Callable[[], int]
) -> None:
    first = files_of(study)
    counted()
    for path in folder.iterdir():
        store_arrays(path.stem, arrays)
    assert files_of(study) == first
    assert counted() == 2 * (30 + 18) + 3 * 1_000_000


def test_what_cannot_be_stored_is_no_error(study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, counted: Callable[[], int]) -> None:  # fmt: skip
    first = files_of(study)
    counted()
    write_file(tmp_path / "file", "")
    monkeypatch.setenv(tokenizer_cache.VARIABLE, str(tmp_path / "file"))
    assert files_of(study) == first
    assert counted() == 2 * (30 + 18) + 3 * 1_000_000


def test_a_text_that_is_changed_while_it_is_counted_is_not_stored(study: Study, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.setattr(intervals, "_KEPT", 1000)
    count = study_counts.unit_counts

    def changing(tokenizers: list[tc.Tokenizer], unit: str) -> list[list[int]]:
        write_file(study.folder / "b.txt", "other")
        return count(tokenizers, unit)

    monkeypatch.setattr(study_counts, "unit_counts", changing)
    run_study(replace(study, texts=study.texts[1:]), opened)
    assert not folder.exists()


def test_the_least_recently_used_are_removed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    monkeypatch.setattr(measure_cache, "MOST_BYTES", 30_000)
    for number in range(9):
        store_arrays(f"{number:064x}", [random.integers(0, 1 << 60, 1000)])
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 30_000
    assert load_arrays(f"{8:064x}") is not None
    assert load_arrays(f"{0:064x}") is None


WRITER = """
import sys, numpy as np
from tokenarium.models.compare.measure_cache import store_arrays
for number in range(40):
    store_arrays("ab" * 32, [np.full(3000 + int(sys.argv[1]), number)])
"""


@pytest.mark.slow
def test_two_processes_that_store_the_same_leave_a_whole_form(folder: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(one)]) for one in (1, 2)]
    seen = 0
    while any(one.poll() is None for one in writers):
        for array in load_arrays("ab" * 32) or []:
            assert len(array) in (3001, 3002)
            assert len(set(array.tolist())) == 1
            seen += 1
    assert [one.returncode for one in writers] == [0, 0]
    (last,) = load_arrays("ab" * 32) or []
    assert last.tolist() == [39] * len(last)
    assert seen
    assert len(list(folder.iterdir())) == 1


LIMITED = """
import resource, numpy as np
from tokenarium.models.compare.measure_cache import load_arrays, store_arrays
store_arrays("ab" * 32, [np.arange(9)])
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
large = np.random.default_rng(0).integers(0, 1 << 60, 9000)
store_arrays("cd" * 32, [large])
store_arrays("ab" * 32, [large])
assert load_arrays("cd" * 32) is None
assert load_arrays("ab" * 32)[0].tolist() == [*range(9)]
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="has no limits for the size of files")
def test_without_room_nothing_is_stored_and_nothing_is_lost(folder: Path) -> None:
    subprocess.run([sys.executable, "-c", LIMITED], check=True)
    assert [path.name for path in folder.iterdir()] == [f"{'ab' * 32}.frozen"]


# Comparisons of files.


class Hearer:
    """Takes partial results."""

    asked_to_stop = False

    def __call__(self, _: object) -> None:
        pass


def compared() -> list[ComparedTokenizer]:
    return [ComparedTokenizer(name, name, str(shipped_path(name))) for name in NAMES]


def same(one: Tally, other: Tally) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in Tally.__slots__)


def test_files_that_are_compared_again_are_not_counted(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    new_folder(tmp_path / "texts")
    for name in ("numbers", "code-python", "prose-hi"):
        write_file(tmp_path / "texts" / f"{name}.txt", sample_text(name))
    sources = [CorpusSource("folder", str(tmp_path / "texts")), CorpusSource("text", "typed 123")]

    def found() -> PartialTallies:
        return count_files(Hearer(), compared(), sources)  # type: ignore[arg-type]

    first = found()
    texts: list[str] = []
    count = comparing.measured
    monkeypatch.setattr(comparing, "measured", lambda text: texts.append(text) or count(text))
    again = found()
    assert texts == ["typed 123"]
    assert again.files == first.files
    assert (again.fraction, again.notes) == (first.fraction, first.notes) == (1.0, ())
    for name in NAMES:
        assert same(again.tallies[name], first.tallies[name])
        one, other = again.sampled[name], first.sampled[name]
        assert (one.values, one.units) == (other.values, other.units)
        assert np.array_equal(one.samples, other.samples, equal_nan=True)
    (tmp_path / "texts" / "numbers.txt").write_text("1 2 3", "utf-8")
    assert found().files != first.files
    assert texts[1:] == ["typed 123", "1 2 3"]


@pytest.mark.parametrize(
    ("sizes", "again"),
    [((12, 11), 0), ((40,), 0), ((41, 3, 12), 0), ((3, 40, 2), 40), ((40, 39), 39)],
    ids=str,
)
def test_files_of_many_documents_are_not_counted_again(sizes: tuple[int, ...], again: int, tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    """Of more documents than are stored one by one, only those of the first file."""
    monkeypatch.setattr(unit_rows, "MOST_UNITS", 8)
    monkeypatch.setattr(comparing, "KEPT_UNITS", 16)
    monkeypatch.setattr(intervals, "_KEPT", 10**6)
    sources = []
    for number, size in enumerate(sizes):
        rows = [json.dumps({"text": f"{number} naïve {at * 37}"}) for at in range(size)]
        write_file(tmp_path / f"{number}.jsonl", "\n".join(rows))
        sources.append(CorpusSource("file", str(tmp_path / f"{number}.jsonl")))
    calls: list[str] = []
    count = comparing.measured
    monkeypatch.setattr(comparing, "measured", lambda text: calls.append(text) or count(text))

    def found() -> list[object]:
        made = count_files(Hearer(), compared(), sources)  # type: ignore[arg-type]
        tallies = [[a.tolist() for a in tally_arrays(made.tallies[name])] for name in NAMES]
        samples = [made.sampled[name] for name in NAMES]
        return [made.files, tallies, *((s.values, s.units, s.samples.tobytes()) for s in samples)]

    first = found()
    assert len(calls) == sum(sizes)
    assert found() == first
    assert len(calls) == sum(sizes) + again
    monkeypatch.setenv(tokenizer_cache.VARIABLE, tokenizer_cache.OFF)
    assert found() == first


@pytest.mark.parametrize("name", ["numbers", "prose-hi", "emoji", "hard-blanks"])
def test_a_tally_is_the_same_once_it_was_stored(name: str, folder: Path) -> None:
    tokenizer = opened("unigram-8k")
    whole = tally(tokenizer, measured(sample_text(name)))
    store_arrays("cd" * 32, tally_arrays(whole))
    arrays = load_arrays("cd" * 32)
    assert arrays is not None
    found = tally_of_arrays(arrays, len(tokenizer.vocabulary))
    assert found is not None
    assert same(found, whole)
    assert tally_of_arrays(arrays, len(tokenizer.vocabulary) + 1) is None
    assert tally_of_arrays(arrays[:-1], len(tokenizer.vocabulary)) is None


# Keys.


def test_what_encodes_otherwise_has_another_key(tmp_path: Path) -> None:
    path = tmp_path / "small.tiktoken"
    path.write_bytes(rank_file([b"lo", b"low"]))
    one = tc.open(path, pattern="gpt2")
    keys = {
        tokenizer_key(one),
        tokenizer_key(tc.open(path, pattern="cl100k")),
        tokenizer_key(of_pieces([b"lo", b"low"], "gpt2")),
        tokenizer_key(of_pieces([b"lo", b"low"], "gpt2", {"<a>": 300})),
        tokenizer_key(of_pieces([b"lo", b"ow"], "gpt2")),
    }
    assert len(keys) == 5
    special = of_pieces([b"lo", b"low"], "gpt2", {"<a>": 300})
    assert tokenizer_key(one, "the same file") != tokenizer_key(special, "the same file")
    assert tokenizer_key(one) == tokenizer_key(tc.open(path, pattern="gpt2"))


def test_units_are_added_together_as_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unit_rows, "MOST_UNITS", 5)
    random = np.random.default_rng(0)
    for units in range(60):
        rows = random.integers(0, 9, (units, 2, len(COLUMNS)))
        single, several = UnitRows(2), UnitRows(2)
        for row in rows:
            single.add(row.tolist())
        at = 0
        while at < units:
            size = int(random.integers(1, 17))
            several.extend(rows[at : at + size])
            at += size
        assert (several.units, several.block) == (single.units, single.block)
        assert np.array_equal(several.counts, single.counts)
        joined = UnitRows(2)
        for part, most in ((rows[: units // 3], 7), (rows[units // 3 :], 99)):
            collected = UnitRows(2, most)
            collected.extend(part)
            assert joined.join(collected) or (joined.units and collected.block > 1)
        if joined.units == units:
            assert (joined.units, joined.block) == (single.units, single.block)
            assert np.array_equal(joined.counts, single.counts)
        if units:
            halves = [UnitRows(1), UnitRows(1)]
            for place, half in enumerate(halves):
                half.extend(rows[:, place : place + 1])
            assert np.array_equal(UnitRows.together(halves).counts, single.counts)


COUNTED = ("1", 9062152765461)
"""`VERSION`, and the sum below for it."""


def test_what_is_counted_changes_only_with_the_version() -> None:
    """If this fails, a measure counts otherwise: increase `VERSION`, so that nothing is taken from the cache."""
    texts = [
        measured(sample_text(name)) for name in ("numbers", "code-python", "prose-hi", "emoji")
    ]
    rows = [counts_row(tally(opened(name), text)) for name in NAMES for text in texts]
    weights = np.arange(1, len(COLUMNS) + 1)
    assert (measure_cache.VERSION, int((np.array(rows) @ weights).sum())) == COUNTED
