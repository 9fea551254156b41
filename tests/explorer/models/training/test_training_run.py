"""A training as the worker runs it: what it reports, what it keeps, and that it can be stopped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from narrowed import there
from patching import patch_all
from pytestqt.qtbot import QtBot
from small_files import write_file

import tokenarium_core as tc
from tokenarium.app.start import sample_text
from tokenarium.models.progress_reporter import StoppedWork
from tokenarium.models.scripts.vocabulary_scripts import (
    BYTES_NAME,
    COMMON_NAME,
    MIXED_NAME,
    script_of_piece,
)
from tokenarium.models.training import keeping, training_run
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.keeping import HeldOut
from tokenarium.models.training.store import Store
from tokenarium.models.training.training_algorithms import TRAINING_ALGORITHMS, title_of
from tokenarium.models.training.training_progress import TrainingProgress
from tokenarium.models.training.training_queue import QueuedTraining
from tokenarium.models.training.training_request import TrainingRequest
from tokenarium.models.training.training_run import TrainingRun, train
from tokenarium.models.training.training_watch import Watch
from tokenarium.work.worker import Worker
from tokenarium_core.progress import Progress

TEXTS = [sample_text(name) for name in ("prose-en", "prose-ru", "code-python")]


class Hearer:
    """Collects what is reported, and asks to stop once there are so many pieces."""

    wish: Watch | None = None

    def __init__(self, enough: int = 10**9) -> None:
        self.progress: list[TrainingProgress] = []
        self._enough = enough

    def __call__(self, what: object) -> None:
        assert isinstance(what, TrainingProgress)
        self.progress.append(what)

    @property
    def asked_to_stop(self) -> bool:
        return bool(self.progress) and self.progress[-1].piece_count >= self._enough


THEIRS = [name for name, algorithm in TRAINING_ALGORITHMS.items() if not algorithm.ours]


def defaults(name: str) -> dict[str, Any]:
    """Returns the options of an algorithm as they are by default; skips where its library is missing."""
    algorithm = TRAINING_ALGORITHMS[name]
    if algorithm.obstacle:
        pytest.skip(algorithm.obstacle)
    return {option.name: option.default for option in algorithm.options}


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["bpe", "unigram", "wordpiece", *THEIRS])
@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("empty.txt", b"", "empty.txt: It is empty."),
        ("zipped.txt.gz", b"no gzip", "not a complete gzip file"),
        ("lines.jsonl", b'{"x": 1}\n', "lines.jsonl: "),
        ("", b"", "No file matches it."),
    ],
)
def test_nothing_comes_of_nothing(
    tmp_path: Path, algorithm: str, name: str, content: bytes, why: str
) -> None:
    if name:
        (tmp_path / name).write_bytes(content)
    source = (
        CorpusSource("file", str(tmp_path / name))
        if name
        else CorpusSource("glob", "/none/**/*.txt")
    )
    options = defaults(algorithm)
    asked = TrainingRequest("mine", algorithm, 300, options, [source], tmp_path / "store")
    with pytest.raises(tc.TokenariumError, match="Nothing was read from the corpus") as found:
        train(Hearer(), asked)
    assert why in str(found.value)
    assert Store(tmp_path / "store").all() == []


def request(
    store: Path, algorithm: str = "bpe", size: int = 600, **options: Any
) -> TrainingRequest:
    sources = [CorpusSource("text", text) for text in TEXTS]
    if algorithm == "parity-bpe":
        sources = [replace(one, language=f"x-{min(place, 1)}") for place, one in enumerate(sources)]
    return TrainingRequest("mine", algorithm, size, options, sources, store)


def hold_out_of_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has something held out of corpora that are too small for it."""
    patch_all(monkeypatch, keeping, SMALL=0, HELD_OUT_EVERY=3, FEW=0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "algorithm",
    ["bpe", "picky-bpe", "superbpe", "parity-bpe", "sentencepiece-bpe", "unigram", "fsp-unigram"],
)
def test_it_trains_reports_and_keeps(
    tmp_path: Path, algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold_out_of_small_ones(monkeypatch)
    hearer = Hearer()
    result = train(hearer, request(tmp_path, algorithm))
    assert result.complete
    last = hearer.progress[-1]
    entries = 597 if algorithm == "fsp-unigram" else 600  # its last EM drops some
    assert (last.piece_count, last.vocab_size) == (entries, 600)
    tokenizer = tc.open(result.path)
    assert len(tokenizer.vocabulary) == entries
    [kept] = Store(tmp_path).all()
    assert kept == result.trained
    assert kept.corpus["documents"] == 3
    figures = kept.figures
    assert 0 < figures["held_out_tokens"] < figures["held_out_bytes"]
    if algorithm in ("bpe", "superbpe"):
        pieces, tokens = zip(*figures["token_counts"], strict=True)
        assert pieces[-1] == 600
        assert list(tokens) == sorted(tokens, reverse=True)
        assert last.scripts["Latin"] > last.scripts["Cyrillic"] > 10
        assert tokenizer.vocabulary.piece(599) == last.last[0]


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", THEIRS)
def test_other_libraries_train_as_well(
    tmp_path: Path, algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold_out_of_small_ones(monkeypatch)
    hearer, options = Hearer(), defaults(algorithm)
    result = train(hearer, request(tmp_path, algorithm, 540, **options))
    assert result.path.suffix == TRAINING_ALGORITHMS[algorithm].suffix
    assert 400 < result.trained.pieces <= 700
    assert result.trained.settings["library"].startswith(TRAINING_ALGORITHMS[algorithm].backend)
    assert hearer.progress[-1].phase == "finished"
    assert len(hearer.progress[0].files) + len(hearer.progress[-1].files) == 3
    assert len(tc.open(result.path).encode_ids(TEXTS[0])) < len(TEXTS[0])
    assert result.trained.figures["held_out_tokens"] > 0
    again = train(Hearer(), request(tmp_path, algorithm, 540, **options))
    assert again.trained.identity == result.trained.identity


def test_what_another_library_refuses_is_reported(tmp_path: Path) -> None:
    options = defaults("sentencepiece:bpe")
    with pytest.raises(tc.TokenariumError, match="sentencepiece does not train this"):
        train(Hearer(), request(tmp_path, "sentencepiece:bpe", 20, **options))
    assert Store(tmp_path).all() == []


def test_equal_requests_have_equal_identities(tmp_path: Path) -> None:
    results = [train(Hearer(), request(tmp_path)).trained for _ in range(2)]
    other = train(Hearer(), request(tmp_path, size=599)).trained
    assert results[0].identity == results[1].identity != other.identity
    assert results[0].content == results[1].content
    assert len(Store(tmp_path).all()) == 2


def test_a_training_that_is_stopped_keeps_what_it_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    patch_all(monkeypatch, training_run, STEP_MS=1, REPORT_MS=0)
    path = write_file(tmp_path / "long.txt", "".join(f" {n * n:x}" for n in range(400_000)))
    asked = TrainingRequest(
        "cut", "bpe", 200_000, {}, [CorpusSource("file", str(path))], tmp_path / "s"
    )
    result = train(Hearer(257), asked)
    assert not result.complete
    assert 256 < result.trained.pieces < 200_000
    assert result.trained.settings["stopped_at"] == result.trained.pieces
    assert len(tc.open(result.path).vocabulary) == result.trained.pieces


@pytest.mark.parametrize(
    ("stop", "refused"), [(StoppedWork, tc.TokenariumError), (KeyboardInterrupt, KeyboardInterrupt)]
)
def test_what_looks_at_a_training_can_stop_it(
    tmp_path: Path, stop: type[BaseException], refused: type[BaseException]
) -> None:
    run = TrainingRun(request(tmp_path, size=20_000))

    def look(progress: Progress) -> float:
        if run.trainer.piece_count >= 300:
            raise stop
        return 0.0

    assert run.run(look) is False
    assert 300 <= len(run.tokenizer().vocabulary) < 20_000

    def look_at_once(progress: Progress) -> float:
        raise stop

    with pytest.raises(refused):  # it has nothing to give
        TrainingRun(request(tmp_path, "unigram")).run(look_at_once)
    assert Store(tmp_path).all() == []


def test_an_unknown_algorithm_is_refused(tmp_path: Path) -> None:
    asked = replace(request(tmp_path), algorithm="byte-bpe")
    with pytest.raises(tc.TokenariumError, match="byte-bpe"):
        train(Hearer(), asked)


class Watcher(Hearer):
    """Has shown 300 entries when the user stops the training, which waits there or is a little ahead."""

    wish = Watch(TEXTS[0], 300)


@pytest.mark.parametrize(
    "algorithm", ["bpe", "picky-bpe", "superbpe", "sentencepiece-bpe", "wordpiece"]
)
def test_a_training_that_is_watched_waits_and_keeps_what_was_shown(
    tmp_path: Path, algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training_run, "REPORT_MS", 0)
    hold_out_of_small_ones(monkeypatch)
    watcher = Watcher(300)
    result = train(watcher, request(tmp_path, algorithm, 700))
    assert not result.complete
    assert result.trained.pieces == result.trained.settings["stopped_at"] == 300
    assert (result.trained.name, result.trained.settings["vocab_size"]) == ("mine", 700)
    options = {"transition": 300} if algorithm == "superbpe" else {}
    corpus = HeldOut(request(tmp_path).corpus())
    alone = tc.train(algorithm, corpus, vocab_size=300, **options)
    made = tc.open(result.path)
    assert [made.encode_ids(text) for text in TEXTS] == [alone.encode_ids(text) for text in TEXTS]
    cuts = there(watcher.progress[-1].cuts)
    if algorithm not in ("wordpiece", "picky-bpe"):  # their cuts do not nest
        assert cuts.count(300) == len(alone.encode_ids(TEXTS[0]))


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["bpe", "superbpe", "sentencepiece-bpe", "unigram"])
def test_the_text_and_the_curve_at_each_size_are_those_of_that_training(
    tmp_path: Path, algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold_out_of_small_ones(monkeypatch)
    hearer = Hearer()
    asked = replace(request(tmp_path, algorithm, 700), watch=Watch(TEXTS[1]))
    result = train(hearer, asked)
    figures = result.trained.figures
    cuts = there(hearer.progress[-2].cuts)
    assert figures["memory"] > 0
    assert figures["seconds"] > 0
    held = HeldOut(request(tmp_path).corpus())
    list(held)
    counts = dict(figures["held_out_counts"])
    sizes = [700] if algorithm == "unigram" else [500, 629, 630, 660, 700]
    for size in sizes:
        options = {"transition": min(630, size)} if algorithm == "superbpe" else {}
        corpus = HeldOut(request(tmp_path).corpus())
        alone = tc.train(algorithm, corpus, vocab_size=size, **options)
        assert cuts.count(size) == len(cuts.tokens(size)) == len(alone.encode_ids(TEXTS[1]))
        if size in counts:
            assert counts[size] == sum(len(alone.encode_ids(text)) for text in held.texts)
    assert not counts or counts[700] == figures["held_out_tokens"]
    assert cuts.nearest(10**6) == result.trained.pieces
    assert (cuts.nearest(1) == result.trained.pieces) is (algorithm == "unigram")


def test_in_a_process_of_its_own(tmp_path: Path, qtbot: QtBot) -> None:
    worker = Worker(train, request(tmp_path))
    with qtbot.waitSignal(worker.finished) as finished:
        worker.start()
    assert tc.open(finished.args[0].path).encode_ids("the") == [
        *tc.open(finished.args[0].path).encode_ids("the")
    ]
    assert finished.args[0].trained.pieces == 600


def test_what_cannot_be_trained_says_why(tmp_path: Path, qtbot: QtBot) -> None:
    worker = Worker(train, request(tmp_path, size=12))
    with qtbot.waitSignal(worker.failed) as failed:
        worker.start()
    assert "too small" in failed.args[0]
    assert Store(tmp_path).all() == []


def test_documents_are_held_out() -> None:
    texts = [f"text {number} " * 3000 for number in range(50)]
    corpus = Corpus([CorpusSource("text", text) for text in texts])
    held = HeldOut(corpus)
    trained = list(held)
    assert held.texts == [texts[19], texts[39]]
    assert sorted(trained + held.texts) == sorted(texts)
    assert held.sentence == (
        f"Held out and not trained on: 2 documents or parts of them, {held.bytes:,} bytes (4.1% of the corpus)."
    )
    assert list(HeldOut(Corpus([]))) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("documents", "blank", "unit"),
    [
        (1, "\n\n", "paragraph {n}\nof two lines{b}"),
        (3, "\n \t\n\n", "# block {n}\n    of code{b}"),
        (30, "\r\n\r\n", "paragraph {n}{b}"),
        (2, "\n", "line {n}{b}"),
    ],
)
def test_of_few_documents_paragraphs_are_held_out(documents: int, blank: str, unit: str) -> None:
    each = 90_000 // documents
    texts = [
        "".join(unit.format(n=f"{document}.{n}", b=blank) for n in range(each))
        for document in range(documents)
    ]
    held = HeldOut(Corpus([CorpusSource("text", text) for text in texts]))
    trained = list(held)
    assert len(trained) == len(held.texts) == documents
    assert held.by_paragraph
    assert held.settings == {"held_out": "paragraphs"}
    for whole, rest, out in zip(texts, trained, held.texts, strict=True):
        assert len(rest) + len(out) == len(whole)
        assert 0.04 < len(out) / len(whole) < 0.06
        units, wanted = set(whole.split(blank)), out.split(blank)
        assert units.issuperset(wanted)
        assert not set(rest.split(blank)).intersection(wanted) - {""}
        assert wanted[0] in whole[: len(whole) // 10]  # from all of it, not from its end alone
        assert wanted[-2] in whole[-len(whole) // 10 :]
    assert "paragraphs of each document" in held.sentence


@given(st.text(alphabet="ab \n\r\t\u2028", max_size=200))
def test_paragraphs_are_the_text(text: str) -> None:
    parts = keeping.paragraphs(text)
    assert "".join(parts) == text
    assert all("\n\n" not in part.strip() for part in parts)


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        (["one text\n" * 100_000], "a corpus of less than 1 MB would miss it"),
        ([f"text {number}" for number in range(500)], "a corpus of less than 1 MB"),
        (["one line " * 200_000], "at least 20 documents, paragraphs or lines"),
    ],
)
def test_nothing_is_held_out_of_a_small_corpus(texts: list[str], why: str) -> None:
    held = HeldOut(Corpus([CorpusSource("text", text) for text in texts]))
    assert list(held) == texts
    assert held.texts == []
    assert held.settings == {}
    assert held.sentence.startswith("Nothing was held out")
    assert why in held.sentence


def test_a_small_corpus_gives_what_the_core_alone_makes_of_it(tmp_path: Path) -> None:
    result = train(Hearer(), request(tmp_path))
    alone = tc.train("bpe", TEXTS, vocab_size=600)
    made = tc.open(result.path)
    assert [made.encode_ids(text) for text in TEXTS] == [alone.encode_ids(text) for text in TEXTS]
    assert "Nothing was held out" in result.report


@pytest.mark.parametrize("algorithm", ["bpe", "unigram"])
def test_a_small_corpus_is_measured_with_itself(tmp_path: Path, algorithm: str) -> None:
    result = train(Hearer(), request(tmp_path, algorithm))
    run = QueuedTraining(1, request(tmp_path, algorithm), result=result)
    made = tc.open(result.path)
    own = sum(len(text.encode()) for text in TEXTS) / sum(len(made.encode_ids(t)) for t in TEXTS)
    assert run.curve(held=True) == []
    assert run.curve(held=False)[-1] == (result.trained.pieces, pytest.approx(own))
    assert run.bytes_per_token == pytest.approx(own)


@pytest.mark.parametrize(
    ("piece", "script"),
    [
        (" the", "Latin"),
        ("на", "Cyrillic"),
        (" 12,", COMMON_NAME),
        ("aж", MIXED_NAME),
        ("é", "Latin"),
        ("क्", "Devanagari"),
        (b"\xd0", BYTES_NAME),
    ],
)
def test_pieces_have_scripts(piece: str | bytes, script: str) -> None:
    assert script_of_piece(piece.encode() if isinstance(piece, str) else piece) == script


def test_large_ones_are_kept_in_what_opens_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    small = tc.train("bpe", TEXTS, vocab_size=500)
    own = tc.train("bpe", TEXTS, vocab_size=500, pattern=r"\w+|\W")
    unigram = tc.train("unigram", TEXTS, vocab_size=500)
    assert keeping.format_to_keep(small) == keeping.format_to_keep(own) == "tokenarium"
    monkeypatch.setattr(keeping, "LARGE", 400)
    assert keeping.format_to_keep(small) == "huggingface"
    assert keeping.format_to_keep(own) == "tokenarium"
    assert keeping.format_to_keep(unigram) == "sentencepiece"


@pytest.mark.parametrize("algorithm", ["bpe", "wordpiece", "tokenizers:bpe"])
def test_a_default_name_has_the_entries_that_came_out(tmp_path: Path, algorithm: str) -> None:
    options = defaults(algorithm)
    for name, chosen in ((title_of(algorithm, 50_000), False), ("Mine 50,000", True)):
        source = CorpusSource("text", "a few words, " * 30)
        asked = TrainingRequest(name, algorithm, 50_000, options, [source], tmp_path)
        trained = train(Hearer(), asked).trained
        assert trained.pieces < 50_000
        assert trained.name == (name if chosen else title_of(algorithm, trained.pieces))


@pytest.mark.parametrize("algorithm", ["bpe", "unigram", "tokenizers:bpe"])
def test_it_says_how_far_a_mixture_is_counted(
    tmp_path: Path, algorithm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = defaults(algorithm)
    monkeypatch.setattr(training_run, "REPORT_MS", 0)
    sources = [CorpusSource("text", text, 1 / len(TEXTS)) for text in TEXTS]
    hearer = Hearer()
    train(hearer, TrainingRequest("mine", algorithm, 400, options, sources, tmp_path))
    counting = [
        progress.fraction for progress in hearer.progress if progress.phase == training_run.COUNTING
    ]
    assert len(counting) == len(TEXTS)
    assert counting == sorted(counting)
    assert counting[-1] == pytest.approx(0.5)
    reading = [progress.fraction for progress in hearer.progress if progress.phase == "reading"]
    assert all(0.5 <= fraction <= 1 for fraction in reading)


def test_a_mixture_can_be_stopped_while_it_is_counted(tmp_path: Path) -> None:
    asked = TrainingRequest(
        "mine", "bpe", 400, {}, [CorpusSource("text", TEXTS[0])], tmp_path, size=100
    )
    corpus = asked.corpus()
    seen: list[float] = []

    def stop() -> None:
        seen.append(corpus.done / corpus.total)
        raise tc.TokenariumError("stopped")

    corpus.counting = stop
    with pytest.raises(tc.TokenariumError, match="stopped"):
        list(corpus)
    assert seen == [0.5]


def test_nothing_is_held_out_of_what_is_read_more_than_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hold_out_of_small_ones(monkeypatch)
    sources = [CorpusSource("text", f"{number} {text}", 1) for number, text in enumerate(TEXTS * 3)]
    twice = Corpus(sources, size=4 * len("".join(TEXTS * 3).encode()), repeat=True)
    held = HeldOut(twice)
    assert len("".join(held).encode()) == sum(twice.bytes_taken)
    assert held.texts == []
    assert "more than once" in held.sentence
    less = Corpus(sources, size=1000, repeat=True)
    once = HeldOut(less)
    assert len("".join(once).encode()) + once.bytes == sum(less.bytes_taken)
    assert once.texts
