"""One training from the corpus to the store, for a process of its own, with reports of its progress."""

from __future__ import annotations

import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import tokenarium_core as tc
from tokenarium.models.installation import how_to_get
from tokenarium.models.machine import machine_name
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.progress_reporter import ProgressReporter
from tokenarium.models.scripts.vocabulary_scripts import script_of_piece, scripts_of_pieces
from tokenarium.models.text.lost_text import lost_share
from tokenarium.models.training.corpus import Corpus, share_lines
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.corpus_filters import ALL, Filters
from tokenarium.models.training.keeping import SMALL, HeldOut, keep
from tokenarium.models.training.run_cuts import nested_counts, stages_of
from tokenarium.models.training.store import Store, Trained
from tokenarium.models.training.trained_languages import (
    by_language,
    dev_texts,
    inequality_curve,
    language_figures,
    languages_now,
    languages_of,
    last_languages,
    texts_by_language,
    trainer_options,
)
from tokenarium.models.training.training_algorithms import (
    TRAINING_ALGORITHMS,
    TrainingAlgorithm,
    algorithm_title,
    is_ours,
    title_of,
)
from tokenarium.models.training.training_progress import FileOutcomes, TrainingProgress
from tokenarium.models.training.training_watch import (
    LiveMeasures,
    Watch,
    peak_memory,
    transition_of,
)
from tokenarium_core.progress import Progress
from tokenarium_core.training import FORMER_NAMES, Trainer, make_trainer

STEP_MS = 40
"""How long the trainer works between two checks of the clock and of requests to stop."""

REPORT_MS = 120
"""How often it reports its progress."""

COUNTING = "counting the text of each source"
"""The phase that finds the shares of a mixture."""

SAMPLE = 1 << 17
"""Characters of the training text on which is measured what is lost, where nothing is held out."""

LAST = 12
"""How many of the last pieces are reported."""


@dataclass(frozen=True, slots=True)
class CountingPlace:
    """Where a corpus is counted: by this process, by a number of workers on this computer, or by those of a scheduler."""

    workers: int = 1
    address: str = ""

    @property
    def here(self) -> bool:
        """Whether the training process counts by itself."""
        return self.workers <= 1 and not self.address


HERE = CountingPlace()


def place_problem(place: CountingPlace) -> str:
    """Returns what is wrong with a place, as far as that can be seen without asking it; empty if nothing is."""
    if place.here:
        return ""
    if find_spec("distributed") is None:
        return f"Several workers need Dask. {how_to_get('tokenarium[corpora]')}"
    if place.address and not ADDRESS.fullmatch(place.address):
        return f"“{place.address}” is not the address of a scheduler, such as tcp://10.0.0.1:8786."
    return ""


ADDRESS = re.compile(r"(?:(?:tcp|tls|ucx|wss?)://)?[^\s/:]+(?::[^\s/:]+)*:\d{1,5}")
"""An address of a scheduler; TCP where it names no protocol."""


def why_not_counted(algorithm: str, options: Mapping[str, Any], mixes: bool) -> str:
    """Returns why an algorithm cannot be trained from counts of workers; empty if it can."""
    if not is_ours(algorithm):
        return (
            f"{algorithm_title(algorithm)} reads the texts itself, and cannot use counts: count in one process, or choose an"
            " algorithm of Tokenarium."
        )
    if algorithm == "boundless-bpe":
        return (
            f"{algorithm_title(algorithm)} joins neighbouring words, and counts do not have the order of the words: count"
            " in one process."
        )
    if options.get("input_sentence_size"):
        return (
            "input_sentence_size selects lines by their position in the text, which counts do not have: leave it out, or"
            " count in one process."
        )
    if by_language(algorithm):
        return (
            f"{algorithm_title(algorithm)} counts each language separately, and workers do not know languages: count in one"
            " process."
        )
    if mixes:
        return (
            "Shares of sources (weights, a temperature, a size) choose each part by all that comes before it, so they"
            " cannot be counted in parts: leave them out, or count in one process."
        )
    return ""


@dataclass(frozen=True, slots=True)
class TrainingInputs:
    """The inputs of a training: what a request asks for, a scene keeps, and a program writes, by the same names.

    The first five choose the tokenizer, the others the part of the corpus. ``filters`` leave documents out; with
    ``strict`` it ends at the first thing that cannot be read. ``place`` is where the corpus is counted, which changes
    nothing of the result.
    """

    name: str
    algorithm: str
    vocab_size: int
    options: Mapping[str, Any]
    sources: Sequence[CorpusSource]
    _: KW_ONLY
    seed: int = 0
    hold_out: bool = True
    size: int = 0
    temperature: float = 1.0
    repeat: bool = False
    filters: Filters = ALL
    strict: bool = False
    place: CountingPlace = field(default=HERE, compare=False)

    @property
    def inputs(self) -> dict[str, Any]:
        """The inputs by name, to make another object of them; the options and the sources are copies."""
        found = {one.name: getattr(self, one.name) for one in fields(TrainingInputs)}
        return found | {"options": dict(self.options), "sources": list(self.sources)}

    @property
    def experiment(self) -> tuple[object, ...]:
        """What must be the same for figures to be compared: the corpus, and what is held out of it."""
        mixing = (self.seed, self.size, self.temperature, self.repeat, self.filters)
        return (tuple(self.sources), mixing, self.hold_out)


@dataclass(frozen=True, slots=True)
class TrainingRequest(TrainingInputs):
    """What to train, the folder that keeps the result, and what to show at first."""

    store: Path
    watch: Watch = field(default=Watch(), compare=False)

    @property
    def settings(self) -> dict[str, Any]:
        """What determines the result, except for the corpus."""
        settings = settings_of(self.vocab_size, self.hold_out, self.options)
        if by_language(self.algorithm):
            settings["languages"] = [source.language for source in self.sources]
        return settings

    def name_for(self, entries: int) -> str:
        """Returns the name of a result of so many entries: with their number if the user chose no name."""
        chosen = self.name != title_of(self.algorithm, self.vocab_size)
        return self.name if chosen else title_of(self.algorithm, entries)

    def corpus(self) -> Corpus:
        """Returns the corpus to train on."""
        mixing = self.seed, self.size, self.temperature, self.repeat
        return Corpus(self.sources, *mixing, self.filters, self.strict)


def settings_of(vocab_size: int, hold_out: bool, options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the settings that identify a training, in the window and on the command line.

    Options keep the names that they had first: the identities of earlier trainings are made of them.
    """
    first_names = {present: former for former, present in FORMER_NAMES.items()}
    kept = {first_names.get(name, name): value for name, value in options.items()}
    return {"vocab_size": vocab_size, "hold_out": hold_out, **dict(sorted(kept.items()))}


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """The result of a training. ``complete`` is false if the user stopped it; ``held`` is what was held out."""

    trained: Trained
    path: Path
    complete: bool
    report: str
    held: tuple[str, ...] = ()


SETTLED_S = 0.2
"""How long a phase must last before its rate is reported."""

POINTS = 200
"""Most points of a curve that are reported or kept: more than most charts have pixels for."""


def train(report: ProgressReporter, request: TrainingRequest) -> TrainingResult:
    """Trains a tokenizer, keeps it in the store and returns the result.

    When asked to stop, it keeps what was learned so far, if the algorithm allows that. Raises TokenariumError, with the
    reason, for what cannot be trained.
    """
    Store(request.store).check_writable()
    corpus = request.corpus()
    held = HeldOut.of(corpus, request.hold_out, request.options)
    if request.algorithm in TRAINING_ALGORITHMS and not is_ours(request.algorithm):
        return _train_theirs(report, request, corpus, held)
    return train_corpus(report, request, corpus, held)


def train_corpus(
    report: ProgressReporter,
    request: TrainingRequest,
    corpus: Corpus,
    held: HeldOut | None,
    counts: tc.WordCounts | None = None,
) -> TrainingResult:
    """Trains by an algorithm of our own on a corpus, or from its counts, where it was counted before; see `train`."""
    sample: list[str] = []
    trainer = _trainer(request, corpus, held, counts, sample)
    live = LiveMeasures(trainer, dict(request.options), held)
    reporter = _Reporter(trainer, corpus, request.vocab_size, live)
    corpus.counting = _CountingProgress(report, reporter.counting).look
    complete = _run(report, trainer, reporter, request.watch)
    trainer.check_usable()
    watch = _watch(report, request.watch)
    report(reporter.measuring(watch.text))
    wanted = watch.most
    if not complete and 0 < wanted < trainer.piece_count and _can_be_shorter(request):
        # The window has shown fewer merges than were made: exactly these are made, as they nest.
        if counts is None:
            corpus = request.corpus()
            held = HeldOut.of(corpus, request.hold_out, request.options)
        trainer = _trainer(_shorter(request, wanted), corpus, held, counts)
        trainer.run()
    tokenizer = trainer.tokenizer(request.name)
    tokenizer.name = request.name_for(len(tokenizer.vocabulary))
    curve = curve_of(trainer)
    stages = stages_of(tokenizer, request.options, transition_of(trainer))
    figures = {
        "bytes": int(trainer.byte_count),
        "token_counts": [list(point) for point in curve],
        "report": trainer.report,
        "transition": transition_of(trainer),
        "seconds": reporter.seconds,
        "machine": machine_name(),
        "memory": peak_memory(),
        **_measured(tokenizer, held, sample),
        **language_figures(trainer),
    }
    if "held_out_bytes" in figures:
        assert held is not None
        sizes = [size for size, _ in curve]
        figures["held_out_counts"] = nested_counts(tokenizer, held.texts, sizes, stages)
    elif not curve and corpus.planned < SMALL:
        figures |= _own_figures(tokenizer, request.corpus())
    settings = request.settings | (held.settings if held is not None else {})
    if not complete:
        settings["stopped_at"] = int(trainer.piece_count)
    store = Store(request.store)
    trained = keep(store, tokenizer, request.algorithm, settings, corpus, figures, held=held)
    summary = _said(trainer.report, corpus, held)
    kept = tuple(held.texts) if held is not None else ()
    return TrainingResult(trained, store.path(trained), complete, summary, kept)


def _trainer(
    request: TrainingRequest,
    corpus: Corpus,
    held: HeldOut | None,
    counts: tc.WordCounts | None,
    sample: list[str] | None = None,
) -> Trainer:
    """Returns the trainer; ``sample`` gets the first texts that it reads, where it reads them itself."""
    options = dict(request.options)
    if counts is not None:
        return make_trainer(
            request.algorithm, vocab_size=request.vocab_size, counts=counts, **options
        )
    if by_language(request.algorithm):
        dev = dev_texts(languages_of(request.sources), options)
        return make_trainer(
            request.algorithm,
            texts_by_language(corpus, held),
            vocab_size=request.vocab_size,
            dev=dev,
            **trainer_options(options),
        )
    texts: Iterable[str] = held if held is not None else corpus
    return make_trainer(
        request.algorithm,
        _Some(corpus, texts, sample),
        vocab_size=request.vocab_size,
        **options,
    )


def _can_be_shorter(request: TrainingRequest) -> bool:
    """Returns whether a training for fewer entries gives the first merges of this one."""
    return request.algorithm != "unigram" and not request.options.get("base")


def _shorter(request: TrainingRequest, size: int) -> TrainingRequest:
    """Returns the training of the first merges of another one."""
    options = dict(request.options)
    if request.algorithm == "superbpe":
        whole = int(options.get("transition") or request.vocab_size * 9 // 10)
        options["transition"] = min(whole, size)
    return replace(request, vocab_size=size, options=options)


def _train_theirs(
    report: ProgressReporter, request: TrainingRequest, corpus: Corpus, held: HeldOut | None
) -> TrainingResult:
    """Trains by another library; reports are made only while the corpus is read."""
    algorithm = TRAINING_ALGORITHMS[request.algorithm]
    texts: Iterable[str] = held if held is not None else corpus
    sample: list[str] = []
    reader = _ReportedReading(report, corpus, _Some(corpus, texts, sample), algorithm, request)
    corpus.counting = _CountingProgress(report, reader.counting).look
    content = algorithm.file_of(reader, request.vocab_size, request.options)
    with tempfile.TemporaryDirectory(prefix="tokenarium-") as folder:
        path = Path(folder) / f"tokenizer{algorithm.suffix}"
        path.write_bytes(content)
        tokenizer = tc.open(path)
    tokenizer.name = request.name_for(len(tokenizer.vocabulary))
    figures = {"bytes": reader.bytes, "seconds": reader.seconds, "token_counts": [], "report": ""}
    figures |= {
        "machine": machine_name(),
        "memory": peak_memory(),
        **_measured(tokenizer, held, sample),
    }
    if "held_out_bytes" not in figures and corpus.planned < SMALL:
        figures |= _own_figures(tokenizer, request.corpus())
    report(reader.progress("finished", 1.0))
    settings = {**request.settings, "library": algorithm.version}
    settings |= held.settings if held is not None else {}
    store = Store(request.store)
    file = (content, algorithm.suffix)
    trained = keep(store, tokenizer, request.algorithm, settings, corpus, figures, file, held)
    kept = tuple(held.texts) if held is not None else ()
    return TrainingResult(trained, store.path(trained), True, _said("", corpus, held), kept)


def _said(report: str, corpus: Corpus, held: HeldOut | None) -> str:
    """Returns notes on the result, in lines: how it ended, what was mixed, and what was held out."""
    lines = [" ".join(filter(None, [report, *corpus.mixing_notes]))]
    if corpus.mixture is not None:
        lines += share_lines(corpus.shares)
    if held is not None:
        lines.append(held.sentence)
    return "\n".join(filter(None, lines))


class _CountingProgress:
    """Reports, some times a second, how much of a corpus is counted; ends that when asked to stop."""

    def __init__(self, report: ProgressReporter, progress: Callable[[], TrainingProgress]) -> None:
        self._report = report
        self._progress = progress
        self._reported = time.monotonic()

    def look(self) -> None:
        """The callback, which is called often."""
        if self._report.asked_to_stop:
            raise tc.TokenariumError("The training was stopped before it had learned anything.")
        if time.monotonic() - self._reported >= REPORT_MS / 1000:
            self._reported = time.monotonic()
            self._report(self._progress())


class _Some:
    """Texts of a corpus; TokenariumError at their end if nothing was read: that must not make a tokenizer.

    ``sample`` gets the first of them, up to `SAMPLE` characters.
    """

    def __init__(self, corpus: Corpus, texts: Iterable[str], sample: list[str] | None) -> None:
        self._corpus = corpus
        self._texts = texts
        self._sample = sample

    def __iter__(self) -> Iterator[str]:
        room = SAMPLE if self._sample is not None and not self._sample else 0
        for text in self._texts:
            if room and self._sample is not None:
                self._sample.append(text[:room])
                room -= len(self._sample[-1])
            yield text
        why = self._corpus.why_nothing
        if why:
            raise tc.TokenariumError(f"{why} Choose another source.")


class _ReportedReading:
    """Texts for the trainer of another library, with reports of the progress."""

    def __init__(
        self,
        report: ProgressReporter,
        corpus: Corpus,
        texts: Iterable[str],
        algorithm: TrainingAlgorithm,
        request: TrainingRequest,
    ) -> None:
        self._report = report
        self._corpus = corpus
        self._texts = texts
        self._backend = algorithm.backend
        self._vocab_size = request.vocab_size
        self._started = time.monotonic()
        self._files = FileOutcomes(corpus)
        self.bytes = 0

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._started

    def __iter__(self) -> Iterator[str]:
        reported_at = 0.0
        for text in self._texts:
            self.bytes += len(text.encode("utf-8", "surrogatepass"))
            if self.seconds - reported_at >= REPORT_MS / 1000:
                reported_at = self.seconds
                self._report(
                    self.progress("reading", self._corpus.done / max(self._corpus.total, 1), True)
                )
            yield text
        self._report(self.progress(f"training in {self._backend}"))

    def counting(self) -> TrainingProgress:
        """Returns how far the text is counted."""
        return self.progress(COUNTING, self._corpus.done / max(self._corpus.total, 1), True)

    def progress(
        self, phase: str, fraction: float = 0.0, reading: bool = False
    ) -> TrainingProgress:
        """Returns how far it is."""
        rate = self.bytes / self.seconds if reading and self.seconds > SETTLED_S else 0.0
        return TrainingProgress(
            phase=phase,
            fraction=min(fraction, 1.0),
            rate=rate,
            unit="bytes",
            seconds=self.seconds,
            seconds_left=0.0,
            piece_count=0,
            vocab_size=self._vocab_size,
            byte_count=self.bytes,
            files=tuple(self._files.new(reading)),
        )


WAIT_S = 0.01
"""How long a training that is watched waits before it looks again for how far it may go."""


def _run(report: ProgressReporter, trainer: Trainer, reporter: _Reporter, watch: Watch) -> bool:
    """Steps a training to its end, no faster than it is watched; returns whether it reached it."""
    reported_at = 0.0
    shown = (0, "")
    finished = False
    while True:
        wanted = _watch(report, watch)
        ahead = 0 < wanted.most <= trainer.piece_count and len(trainer.token_counts) > 0
        if not (finished or ahead):
            progress = trainer.step(0 if wanted.most else STEP_MS)
            finished = progress.finished
        now = time.monotonic()
        if finished and not (ahead and wanted.most < trainer.piece_count):
            report(reporter.progress(progress, wanted.text, at_once=True))
            return True
        if report.asked_to_stop:
            if not trainer.usable:
                raise tc.TokenariumError("The training was stopped before it had learned anything.")
            return False
        state = (trainer.piece_count, wanted.text)
        if now - reported_at >= REPORT_MS / 1000 and not (ahead and state == shown):
            reported_at, shown = now, state
            report(reporter.progress(progress, wanted.text, at_once=ahead))
        elif ahead:
            time.sleep(WAIT_S)
            reporter.waited += WAIT_S


def _watch(report: ProgressReporter, watch: Watch) -> Watch:
    """Returns what the window wants to see now."""
    wish = report.wish
    return wish if isinstance(wish, Watch) else watch


class _Reporter:
    """Makes the reports of a training: its rate, its curve, and the pieces, each of which it reads once."""

    def __init__(
        self, trainer: Trainer, corpus: Corpus, vocab_size: int, live: LiveMeasures
    ) -> None:
        self._trainer = trainer
        self._corpus = corpus
        self._vocab_size = vocab_size
        self._live = live
        self.waited = 0.0  # seconds in which it was only watched
        self._started = time.monotonic()
        self._phase = ""
        self._phase_started = self._started
        self._phase_from = 0  # how much of the corpus was done when the phase began
        self._scripts: Counter[str] = Counter()
        self._counted = 0
        self._files = FileOutcomes(corpus)

    def counting(self) -> TrainingProgress:
        """Returns how far the text is counted."""
        return self.progress(Progress(COUNTING, 0, 0, False))

    def measuring(self, text: str) -> TrainingProgress:
        """Returns the progress after the last piece: the tokenizer is made, measured, and kept."""
        learned = self.progress(Progress("measuring", 0, 1, False), text, at_once=True)
        return replace(learned, fraction=0.0, rate=0.0, seconds_left=0.0)

    @property
    def seconds(self) -> float:
        """How long it has trained, without what was only for the window."""
        return time.monotonic() - self._started - self.waited - self._live.seconds

    def progress(
        self, step: Progress, text: str = "", *, at_once: bool = False
    ) -> TrainingProgress:
        """Returns the progress of the training, with ``text`` as it is cut now."""
        now = time.monotonic()
        live = self._live
        live.look(text, at_once=at_once)
        if step.phase != self._phase:
            self._phase, self._phase_started = step.phase, now
            self._phase_from = self._corpus.done if step.total == 0 else 0
        corpus, trainer = self._corpus, self._trainer
        reading = step.total == 0
        done, total = (corpus.done, corpus.total) if reading else (step.done, step.total)
        spent = now - self._phase_started
        rate = (done - self._phase_from) / spent if spent > SETTLED_S else 0.0
        learned = len(trainer.token_counts)
        for number in range(self._counted, learned):
            self._scripts[script_of_piece(trainer.new_piece(number))] += 1
        self._counted = learned
        return TrainingProgress(
            phase=step.phase,
            fraction=min(done / total, 1.0) if total else 0.0,
            rate=rate,
            unit="bytes" if reading else "",
            seconds=self.seconds,
            seconds_left=max(total - done, 0) / rate if rate else 0.0,
            piece_count=trainer.piece_count,
            vocab_size=self._vocab_size,
            byte_count=trainer.byte_count,
            token_counts=curve_of(trainer),
            last=tuple(
                trainer.new_piece(number)
                for number in range(learned - 1, max(learned - 1 - LAST, -1), -1)
            ),
            scripts=dict(self._scripts),
            files=tuple(self._files.new(reading)),
            held_bytes=live.held_bytes,
            held_counts=tuple(live.counts),
            cuts=live.cuts,
            memory=peak_memory(),
            transition=transition_of(trainer),
            languages=languages_now(trainer),
            inequality=inequality_curve(trainer),
            last_languages=last_languages(trainer, LAST),
        )


def curve_of(trainer: Trainer) -> tuple[tuple[int, int], ...]:
    """Returns how many tokens the corpus needs at each number of pieces, thinned out to `POINTS`."""
    counts = array_of(trainer.token_counts)
    if not len(counts):
        return ()
    places = np.unique(np.linspace(0, len(counts) - 1, POINTS).astype(int))
    first = trainer.piece_count - len(counts) + 1
    return tuple((int(first + place), int(counts[place])) for place in places)


def _measured(
    tokenizer: tc.Tokenizer, held: HeldOut | None, sample: Sequence[str]
) -> dict[str, Any]:
    """Returns the final figures, with those of the held-out text, or else what is lost of a sample of the training
    text.
    """
    figures: dict[str, Any] = {"scripts": scripts_of_pieces(_texts_of(tokenizer))}
    if held is not None and held.texts:
        figures["held_out_bytes"] = sum(len(text.encode()) for text in held.texts)
        figures["held_out_tokens"] = sum(len(tokenizer.encode_ids(text)) for text in held.texts)
        figures["held_out_unknown"] = lost_share(tokenizer, held.texts)
    elif sample:
        figures["own_lost"] = lost_share(tokenizer, sample)
    return figures


def _own_figures(tokenizer: tc.Tokenizer, corpus: Corpus) -> dict[str, Any]:
    """Returns the size of a small corpus and its tokens, for a training that does not count them itself."""
    texts = list(corpus)
    return {
        "own_bytes": sum(len(text.encode("utf-8", "surrogatepass")) for text in texts),
        "own_tokens": sum(len(tokenizer.encode_ids(text)) for text in texts),
    }


def _texts_of(tokenizer: tc.Tokenizer) -> Iterator[bytes]:
    """Yields the pieces that a text becomes, in order."""
    vocabulary = tokenizer.vocabulary
    for token in range(len(vocabulary)):
        if vocabulary.kind(token) not in ("unknown", "control", "unused"):
            yield vocabulary.piece(token)
