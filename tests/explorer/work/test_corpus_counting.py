"""A corpus that workers count gives the tokenizer that the corpus gives, bit for bit, with all that leaves texts out."""

from __future__ import annotations

import json
import os
import random
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_files import write_file

import tokenarium_core as tc
from tokenarium.models.corpora import counted_corpus, encoded_corpus
from tokenarium.models.progress_reporter import StoppedWork
from tokenarium.models.training import corpus_documents, keeping
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.corpus_filters import (
    ALL,
    DocumentHashes,
    Filters,
    document_hash,
)
from tokenarium.models.training.corpus_lists import named_sources
from tokenarium.models.training.keeping import HeldOut, format_to_keep, reading_notes
from tokenarium.work import corpus_counting
from tokenarium.work.cluster import Cluster
from tokenarium.work.corpus_counting import CorpusCounting, WorkNews
from tokenarium_core.formats.registry import files_of
from tokenarium_core.training import make_trainer

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets of tornado, at its end
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

OPTIONS: dict[str, dict[str, Any]] = {
    "bpe": {"pattern": "gpt2"},
    "superbpe": {"transition": 300},
    "wordpiece": {},
    "unigram": {"bos_id": 1},
    "sentencepiece-bpe": {},
}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds so low that little text has many groups, long documents, and something to hold out."""
    monkeypatch.setattr(corpus_documents, "SECTION", 1 << 12)
    monkeypatch.setattr("tokenarium.models.corpora.encoded_corpus.PART", 1 << 12)
    monkeypatch.setattr(counted_corpus, "SMALLEST_GROUP", 8_000)
    for module in (corpus_documents, counted_corpus):
        monkeypatch.setattr(module, "LARGEST_DOCUMENT", 3_000)
    monkeypatch.setattr("tokenarium.models.training.corpus.LARGEST_DOCUMENT", 3_000)
    monkeypatch.setattr(keeping, "SMALL", 10_000)
    monkeypatch.setattr(keeping, "HELD_OUT_MOST", 1_500)


def lines(seed: int, count: int) -> list[str]:
    words = ["low", "lower", "lowest", "नमस्ते", "new", "newer", "wide", "wider", "12", "нет"]
    chance = random.Random(seed)
    return [" ".join(chance.choices(words, k=chance.randint(1, 30))) for _ in range(count)]


def rows(name: Path, texts: Sequence[str]) -> CorpusSource:
    name.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return CorpusSource("file", str(name))


@pytest.fixture(autouse=True)
def every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step is reported, however quick it is."""
    monkeypatch.setattr(corpus_counting, "OFTEN_S", 0.0)


@pytest.fixture
def sources(tmp_path: Path) -> list[CorpusSource]:
    """A long text, JSON lines with equal and short documents in two files, and a text in the source."""
    text = write_file(
        tmp_path / "a.txt", "\n\n".join("\n".join(lines(seed, 9)) for seed in range(30))
    )
    several = lines(99, 150)
    return [
        CorpusSource("file", str(text)),
        rows(tmp_path / "b.jsonl", several + several[:40]),
        CorpusSource("text", "lower lowest"),
        rows(tmp_path / "c.jsonl", several[100:] + lines(98, 80)),
        CorpusSource("file", str(text)),
    ]


def content(trainer: Any) -> dict[str, bytes]:
    trainer.run()
    tokenizer = trainer.tokenizer("x")
    return files_of(tokenizer, format_to_keep(tokenizer), "x")


def counting(
    corpus: Corpus,
    folder: Path,
    algorithm: str = "bpe",
    hold_out: bool = True,
    cluster: Cluster | None = None,
    news: Any = bool,
) -> CorpusCounting:
    return CorpusCounting(
        corpus,
        algorithm,
        OPTIONS[algorithm],
        hold_out,
        cluster or Cluster(),
        news,
        folder=folder / "kept",
    )


def cases() -> Iterator[Any]:
    for algorithm in OPTIONS:
        yield pytest.param(algorithm, ALL, False, id=algorithm)
    for name, filters in {
        "unique": Filters(unique=True),
        "lengths": Filters(False, 20, 200),
        "all filters": Filters(True, 20, 2_999),
        "pieces": Filters(True, 0, 100),
    }.items():
        for hold_out in (False, True):
            yield pytest.param("bpe", filters, hold_out, id=f"{name}, held {hold_out}")
    yield pytest.param("unigram", ALL, True, id="unigram, held")


@pytest.mark.slow
@pytest.mark.parametrize(("algorithm", "filters", "hold_out"), list(cases()))
def test_the_tokenizer_is_that_of_the_corpus(
    sources: list[CorpusSource], tmp_path: Path, algorithm: str, filters: Filters, hold_out: bool
) -> None:
    read = Corpus(sources, filters=filters)
    held = HeldOut(read) if hold_out else None
    options = OPTIONS[algorithm]
    wanted = content(
        make_trainer(algorithm, read if held is None else held, vocab_size=330, **options)
    )
    corpus = Corpus(sources, filters=filters)
    work = counting(corpus, tmp_path, algorithm, hold_out)
    with work.counts() as counts:
        assert content(make_trainer(algorithm, vocab_size=330, counts=counts, **options)) == wanted
    assert not list((tmp_path / "kept").iterdir())
    assert (work.held.texts if work.held else []) == (held.texts if held else [])
    assert not hold_out or (held is not None and held.texts)
    assert (corpus.documents, corpus.characters) == (read.documents, read.characters)
    assert corpus.bytes_taken == read.bytes_taken
    assert list(reading_notes(corpus)) == list(reading_notes(read))


@pytest.mark.parametrize("most", [700, 1_000_000])
def test_paragraphs_of_few_documents_are_held_out_alike(
    sources: list[CorpusSource], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(keeping, "HELD_OUT_MOST", most)
    read = Corpus([sources[0], sources[2]])
    held = HeldOut(read)
    assert held.by_paragraph
    wanted = content(make_trainer("bpe", held, vocab_size=330, **OPTIONS["bpe"]))
    work = counting(Corpus([sources[0], sources[2]]), tmp_path)
    with work.counts() as counts:
        trainer = make_trainer("bpe", vocab_size=330, counts=counts, **OPTIONS["bpe"])
        assert content(trainer) == wanted
    assert work.held is not None
    assert work.held.texts == held.texts
    assert work.held.settings == held.settings
    assert work.held.sentence == held.sentence


@pytest.mark.slow
def test_two_workers_find_equal_documents_of_each_other(
    sources: list[CorpusSource], tmp_path: Path
) -> None:
    sources = sources[1:4]  # the bounds of texts are set low in this process alone
    filters = Filters(unique=True)
    wanted = content(make_trainer("bpe", Corpus(sources, filters=filters), vocab_size=330))
    heard: list[WorkNews] = []
    corpus = Corpus(sources, filters=filters)
    work = CorpusCounting(
        corpus, "bpe", {}, False, Cluster(2), heard.append, folder=tmp_path / "kept"
    )
    with work.counts() as counts:
        assert content(make_trainer("bpe", vocab_size=330, counts=counts)) == wanted
    phases = list(dict.fromkeys(news.phase for news in heard))
    assert phases[0] == corpus_counting.COMPARING
    assert phases[-2:] == [corpus_counting.COUNTING, corpus_counting.MERGING]
    assert max(news.workers for news in heard) == 2
    assert all(news.done <= news.total for news in heard)


def test_what_is_stopped_goes_on(sources: list[CorpusSource], tmp_path: Path) -> None:
    wanted = content(make_trainer("bpe", Corpus(sources), vocab_size=330, **OPTIONS["bpe"]))

    def stop(news: WorkNews) -> None:
        if news.phase == corpus_counting.COUNTING and news.done > news.total // 2:
            raise StoppedWork

    work = counting(Corpus(sources), tmp_path, hold_out=False, news=stop)
    with pytest.raises(StoppedWork), work.counts():
        pass
    (folder,) = (tmp_path / "kept").iterdir()
    assert list(folder.glob("*.counts"))
    began: list[WorkNews] = []
    work = counting(Corpus(sources), tmp_path, hold_out=False, news=began.append)
    with work.counts() as counts:
        trainer = make_trainer("bpe", vocab_size=330, counts=counts, **OPTIONS["bpe"])
        assert content(trainer) == wanted
    first = next(news for news in began if news.phase == corpus_counting.COUNTING)
    assert first.done > 0


def test_one_corpus_is_counted_twice_at_a_time(sources: list[CorpusSource], tmp_path: Path) -> None:
    wanted = content(make_trainer("bpe", Corpus(sources), vocab_size=330, **OPTIONS["bpe"]))
    with (
        counting(Corpus(sources), tmp_path, hold_out=False).counts() as one,
        counting(Corpus(sources), tmp_path, hold_out=False).counts() as other,
    ):
        for counts in (one, other):
            trainer = make_trainer("bpe", vocab_size=330, counts=counts, **OPTIONS["bpe"])
            assert content(trainer) == wanted
    assert list((tmp_path / "kept").iterdir()) == []


def test_strict_ends_at_the_first_fault(sources: list[CorpusSource], tmp_path: Path) -> None:
    broken = write_file(tmp_path / "d.jsonl", "{oops\n")
    corpus = Corpus([*sources, CorpusSource("file", str(broken))], strict=True)
    with (
        pytest.raises(tc.TokenariumError, match=r"d\.jsonl: 1 of its lines"),
        counting(corpus, tmp_path).counts(),
    ):
        pass


def test_nothing_to_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("")
    corpus = Corpus(named_sources([str(tmp_path / "empty.txt")]))
    with (
        pytest.raises(tc.TokenariumError, match="Nothing was read from the corpus"),
        counting(corpus, tmp_path).counts(),
    ):
        pass


@pytest.mark.parametrize(
    ("algorithm", "options", "corpus", "said"),
    [
        ("tokenizers:bpe", {}, {}, "reads the texts itself"),
        ("unigram", {"input_sentence_size": 9}, {}, "by their position in the text"),
        ("bpe", {}, {"temperature": 2.0}, "Shares of sources"),
        ("bpe", {}, {"size": 1000}, "Shares of sources"),
    ],
)
def test_what_counts_cannot_give_is_refused(
    sources: list[CorpusSource], algorithm: str, options: Any, corpus: Any, said: str
) -> None:
    with pytest.raises(tc.TokenariumError, match=said):
        CorpusCounting(Corpus(sources, **corpus), algorithm, options, True, Cluster(), bool)


def test_only_the_first_hashes_are_remembered() -> None:
    chance = random.Random(5)
    texts = [str(chance.randint(0, 60)) for _ in range(400)]
    for most in (1, 7, 30, 1000):
        hashes = DocumentHashes(most)
        wanted = [not hashes.add(text) for text in texts]
        surveys = []
        for part in (texts[:150], [], texts[150:]):
            data = b"".join(map(document_hash, part))
            surveys.append(
                counted_corpus.DocumentSurvey(
                    len(part), np.arange(len(part)), np.frombuffer(data, np.uint64).reshape(-1, 2)
                )
            )
        found: list[bool] = []
        repeated = counted_corpus.repeated_documents(surveys, most)
        for survey, bits in zip(surveys, repeated, strict=True):
            found += [counted_corpus._has(bits, number) for number in range(survey.count)]
        assert found == wanted, most


@pytest.mark.slow
def test_nothing_but_counts_comes_from_the_workers(tmp_path: Path) -> None:
    texts = lines(7, 3_000)
    sources = [rows(tmp_path / f"{name}.jsonl", texts) for name in "ab"]
    size = sum(Path(one.value).stat().st_size for one in sources)
    order = counted_corpus.CountingOrder("bpe")
    parts = encoded_corpus.corpus_parts(sources)[0]
    groups = counted_corpus.groups_of_parts(parts)
    folder = counted_corpus.CountFolder(order, tmp_path / "x.counts")
    with Cluster(2) as cluster:
        found, faults = corpus_counting.count_groups(order, groups, folder, cluster, bool)
        moved = cluster.bytes_moved
    assert not faults
    assert all(found)
    counts = sum(path.stat().st_size for path in folder.path.glob("*.counts"))
    assert len(groups) >= 8
    assert counts < moved < counts + 3_000 * len(groups)
    assert moved < size / 5


def test_a_part_that_is_gone_is_named_and_only_it_is_counted_again(
    sources: list[CorpusSource], tmp_path: Path
) -> None:
    wanted = content(make_trainer("bpe", Corpus(sources), vocab_size=330, **OPTIONS["bpe"]))
    lost = Path(sources[3].value)
    there, times = lost.read_bytes(), lost.stat()

    def lose(news: WorkNews) -> None:
        if news.phase == corpus_counting.COUNTING:
            lost.unlink(missing_ok=True)

    work = counting(Corpus(sources), tmp_path, hold_out=False, news=lose)
    with pytest.raises(tc.TokenariumError, match=r"groups of the corpus are not counted.*c\.jsonl"):
        work.counts().__enter__()
    lost.write_bytes(there)
    os.utime(lost, ns=(times.st_atime_ns, times.st_mtime_ns))
    heard: list[WorkNews] = []
    work = counting(Corpus(sources), tmp_path, hold_out=False, news=heard.append)
    with work.counts() as counts:
        trainer = make_trainer("bpe", vocab_size=330, counts=counts, **OPTIONS["bpe"])
        assert content(trainer) == wanted
    first = next(news for news in heard if news.phase == corpus_counting.COUNTING)
    assert first.done > first.total / 2


@pytest.mark.slow
def test_a_worker_that_is_killed_in_the_middle_changes_nothing(tmp_path: Path) -> None:
    texts = lines(7, 3_000)
    sources = [rows(tmp_path / f"{name}.jsonl", texts) for name in "abc"]
    wanted = content(make_trainer("bpe", Corpus(sources), vocab_size=330))
    cluster = Cluster(2)
    killed: list[int] = []

    def kill(news: WorkNews) -> None:
        if news.phase == corpus_counting.COUNTING and news.done and not killed:
            killed.append(next(iter(cluster._client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    work = CorpusCounting(
        Corpus(sources), "bpe", {}, False, cluster, kill, folder=tmp_path / "kept"
    )
    with work.counts() as counts:
        assert content(make_trainer("bpe", vocab_size=330, counts=counts)) == wanted
    assert killed
