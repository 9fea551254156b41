"""One training from the corpus to the store, for a process of its own, with reports of its progress."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import tokenarium_core as tc
from tokenarium.models.machine import machine_name
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.progress_reporter import ProgressReporter, StoppedWork
from tokenarium.models.scripts.vocabulary_scripts import script_of_piece, scripts_of_pieces
from tokenarium.models.text.lost_text import lost_share
from tokenarium.models.training.corpus import Corpus, share_lines
from tokenarium.models.training.counted import about_counts, fingerprint_of, merged_counts
from tokenarium.models.training.keeping import SMALL, HeldOut, about_corpus, keep
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
    is_theirs,
    learns_merges,
)
from tokenarium.models.training.training_progress import FileOutcomes, TrainingProgress
from tokenarium.models.training.training_request import TrainingRequest
from tokenarium.models.training.training_watch import (
    LiveMeasures,
    Watch,
    peak_memory,
    transition_of,
)
from tokenarium_core.command_values import option_values
from tokenarium_core.progress import Progress
from tokenarium_core.training import PairRecord, Trainer, UnigramRecord, make_trainer

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

WAIT_S = 0.01
"""How long a training that is watched waits before it looks again for how far it may go."""

NOTHING_LEARNED = "The training was stopped before it had learned anything."


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


class TrainingRun:
    """A training from its corpus to the store: what makes the trainer, runs it, and keeps what it made.

    The texts of ``corpus`` are read here, without what is ``held`` out; where there are ``counts`` of what is left, they
    were read before. ``sample`` gets the beginning of the texts, which must then not be empty; ``record`` gets the steps.
    Only an algorithm of ours has a ``trainer``. TokenariumError for settings that it refuses.
    """

    def __init__(
        self,
        request: TrainingRequest,
        corpus: Corpus | None = None,
        held: HeldOut | None = None,
        counts: tc.WordCounts | None = None,
        *,
        sample: list[str] | None = None,
        record: PairRecord | UnigramRecord | None = None,
    ) -> None:
        self.request = request
        self.corpus = request.corpus() if corpus is None else corpus
        self.held = held
        self.counts = counts
        self.sample = sample
        self._record = record
        if counts is None:
            self.held = HeldOut.of(self.corpus, request.hold_out, request.options)
        if not is_theirs(request.algorithm):
            self.trainer = self._new_trainer()

    @property
    def texts(self) -> Any:
        """The texts to train on, not by language."""
        texts: Iterable[str] = self.corpus if self.held is None else self.held
        return texts if self.sample is None else self._sampled(texts, self.sample)

    def _sampled(self, texts: Iterable[str], sample: list[str]) -> Iterator[str]:
        """Yields texts and keeps up to `SAMPLE` characters; TokenariumError at the end if nothing was read."""
        room = 0 if sample else SAMPLE
        for text in texts:
            if room:
                sample.append(text[:room])
                room -= len(sample[-1])
            yield text
        if self.corpus.why_nothing:
            raise tc.TokenariumError(f"{self.corpus.why_nothing} Choose another source.")

    def _new_trainer(self) -> Trainer:
        request, texts, dev = self.request, self.texts, None
        if by_language(request.algorithm):
            texts = texts_by_language(self.corpus, self.held)
            dev = request.dev or dev_texts(languages_of(request.sources), request.options)
        return make_trainer(
            request.algorithm,
            texts if self.counts is None else (),
            vocab_size=request.vocab_size,
            record=self._record,
            counts=self.counts,
            dev=dev,
            **trainer_options(request.options),
        )

    def run(self, look: Callable[[Progress], float]) -> bool:
        """Trains; returns whether it reached the end, or was stopped with a result.

        ``look`` gets the progress after each step, and returns how many milliseconds the next one may take. It stops the
        training by StoppedWork, the user by Ctrl+C; without a result, that is a TokenariumError or a KeyboardInterrupt.
        """
        budget = 0.0
        try:
            while not (progress := self.trainer.step(budget)).finished:
                budget = look(progress)
            look(progress)
        except KeyboardInterrupt:
            if not self.trainer.usable:
                raise
            return False
        except StoppedWork:
            if not self.trainer.usable:
                raise tc.TokenariumError(NOTHING_LEARNED) from None
            return False
        return True

    def first(self, size: int) -> TrainingRun:
        """Returns this training as it was at a smaller size: of merges that nest, exactly the first ones are made."""
        options = dict(self.request.options)
        if self.request.algorithm == "superbpe":
            whole = int(str(options.get("transition") or self.request.vocab_size * 9 // 10))
            options["transition"] = min(whole, size)
        shorter = replace(self.request, vocab_size=size, options=options)
        read = () if self.counts is None else (self.corpus, self.held, self.counts)
        run = TrainingRun(shorter, *read, sample=self.sample)
        run.trainer.run()
        run.request = self.request
        return run

    def tokenizer(self) -> tc.Tokenizer:
        """Returns what was learned so far, by its name."""
        tokenizer = self.trainer.tokenizer(self.request.name)
        tokenizer.name = self.request.name_for(len(tokenizer.vocabulary))
        return tokenizer

    def keep(
        self,
        tokenizer: tc.Tokenizer,
        figures: Mapping[str, Any],
        more: Mapping[str, Any] | None = None,
        file: tuple[bytes, str] | None = None,
    ) -> Trained:
        """Keeps a tokenizer in the store with figures, and more settings than the request's; ``file`` as for `keep`."""
        request = self.request
        settings = {**request.settings, **(more or {})}
        settings |= {} if self.held is None else self.held.settings
        store = Store(request.store)
        if request.counts and self.counts is not None:
            about = about_counts(request.counts, self.counts)
            fingerprint = fingerprint_of(request.counts)
        else:
            about, fingerprint = about_corpus(self.corpus, self.held), self.corpus.fingerprint
        return keep(
            store, tokenizer, request.algorithm, settings, about, fingerprint, figures, file
        )

    def result(self, trained: Trained, complete: bool, report: str) -> TrainingResult:
        """Returns what the window gets of a kept tokenizer: with notes on how it ended, what was mixed and held out."""
        lines = [" ".join(filter(None, [report, *self.corpus.mixing_notes]))]
        if self.corpus.mixture is not None:
            lines += share_lines(self.corpus.shares)
        held = () if self.held is None else tuple(self.held.texts)
        lines += [] if self.held is None else [self.held.sentence]
        path = Store(self.request.store).path(trained)
        return TrainingResult(trained, path, complete, "\n".join(filter(None, lines)), held)


def counted_run(request: TrainingRequest) -> TrainingRun:
    """Returns a training from files of counts, with the options that they were made with."""
    counts = merged_counts(request.counts)
    given = counts.trained_options(request.algorithm, dict(request.options))
    options: dict[str, Any] = option_values(request.algorithm, []) | given
    return TrainingRun(replace(request, options=options, hold_out=False), counts=counts)


def train(
    report: ProgressReporter, request: TrainingRequest, run: TrainingRun | None = None
) -> TrainingResult:
    """Trains a tokenizer, keeps it in the store and returns the result; ``run`` is where the corpus is counted already.

    When asked to stop, it keeps what was learned so far, if the algorithm allows that. Raises TokenariumError, with the
    reason, for what cannot be trained.
    """
    if run is None:
        Store(request.store).check_writable()
        run = TrainingRun(request, sample=[])
    if is_theirs(request.algorithm):
        return _train_theirs(report, run)
    reporter = _Reporter(report, run)
    run.corpus.counting = partial(reporter.look, Progress(COUNTING, 0, 0, False))
    complete = run.run(reporter.look)
    run.trainer.check_usable()
    wanted = reporter.watch
    report(reporter.measuring(wanted.text))
    nests = learns_merges(request.algorithm) and not request.options.get("base")
    if not complete and nests and 0 < wanted.most < run.trainer.piece_count:
        run = run.first(wanted.most)  # the window has shown only these
    trainer, held = run.trainer, run.held
    tokenizer = run.tokenizer()
    curve = curve_of(trainer)
    figures = {
        "bytes": int(trainer.byte_count),
        "token_counts": [list(point) for point in curve],
        "report": trainer.report,
        "transition": transition_of(trainer),
        "seconds": reporter.seconds,
        **_measured(tokenizer, run, measures_itself=bool(curve)),
        **language_figures(trainer),
    }
    if held is not None and held.texts:
        sizes = [size for size, _ in curve]
        stages = stages_of(tokenizer, request.options, transition_of(trainer))
        figures["held_out_counts"] = nested_counts(tokenizer, held.texts, sizes, stages)
    settings = {} if complete else {"stopped_at": int(trainer.piece_count)}
    trained = run.keep(tokenizer, figures, settings)
    return run.result(trained, complete, trainer.report)


def _train_theirs(report: ProgressReporter, run: TrainingRun) -> TrainingResult:
    """Trains by another library; reports are made only while the corpus is read."""
    request = run.request
    algorithm = TRAINING_ALGORITHMS[request.algorithm]
    reader = _ReportedReading(report, run)
    run.corpus.counting = reader.count
    content = algorithm.file_of(reader, request.vocab_size, request.options)
    with tempfile.TemporaryDirectory(prefix="tokenarium-") as folder:
        path = Path(folder) / f"tokenizer{algorithm.suffix}"
        path.write_bytes(content)
        tokenizer = tc.open(path)
    tokenizer.name = request.name_for(len(tokenizer.vocabulary))
    figures = {"bytes": reader.bytes, "seconds": reader.seconds, "token_counts": [], "report": ""}
    figures |= _measured(tokenizer, run)
    report(reader.progress("finished", 1.0))
    file = content, algorithm.suffix
    trained = run.keep(tokenizer, figures, {"library": algorithm.version}, file)
    return run.result(trained, True, "")


class _ReportedReading:
    """Texts for the trainer of another library, with reports of the progress."""

    def __init__(self, report: ProgressReporter, run: TrainingRun) -> None:
        self._report = report
        self._run = run
        self._started = time.monotonic()
        self._files = FileOutcomes(run.corpus)
        self._reported = 0.0
        self.bytes = 0

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._started

    def __iter__(self) -> Iterator[str]:
        for text in self._run.texts:
            self.bytes += len(text.encode("utf-8", "surrogatepass"))
            self._say("reading")
            yield text
        backend = TRAINING_ALGORITHMS[self._run.request.algorithm].backend
        self._report(self.progress(f"training in {backend}"))

    def count(self) -> None:
        """Reports how far the text is counted; TokenariumError if it is asked to stop."""
        if self._report.asked_to_stop:
            raise tc.TokenariumError(NOTHING_LEARNED)
        self._say(COUNTING)

    def _say(self, phase: str) -> None:
        """Reports some times a second how far the corpus is read."""
        if self.seconds - self._reported >= REPORT_MS / 1000:
            self._reported = self.seconds
            corpus = self._run.corpus
            self._report(self.progress(phase, corpus.done / max(corpus.total, 1), True))

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
            vocab_size=self._run.request.vocab_size,
            byte_count=self.bytes,
            files=tuple(self._files.new(reading)),
        )


class _Reporter:
    """Reports a training: its rate, its curve, and the pieces, each of which it reads once.

    A training that is watched waits while it is ahead of what the window wants to see.
    """

    def __init__(self, report: ProgressReporter, run: TrainingRun) -> None:
        self._report = report
        self._run = run
        self._live = LiveMeasures(run.trainer, dict(run.request.options), run.held)
        self._reported = 0.0
        self._shown = (0, "")  # the pieces and the text of the last report
        self._waited = 0.0  # seconds in which it was only watched
        self._started = time.monotonic()
        self._phase = ""
        self._phase_started = self._started
        self._phase_from = 0  # how much of the corpus was done when the phase began
        self._scripts: Counter[str] = Counter()
        self._counted = 0
        self._files = FileOutcomes(run.corpus)

    @property
    def watch(self) -> Watch:
        """What the window wants to see now."""
        wish = self._report.wish
        return wish if isinstance(wish, Watch) else self._run.request.watch

    def look(self, step: Progress) -> float:
        """Reports some times a second, and waits while it is ahead; StoppedWork if it is asked to stop."""
        while True:
            watch, now, trainer = self.watch, time.monotonic(), self._run.trainer
            pieces = trainer.piece_count
            ahead = 0 < watch.most <= pieces and len(trainer.token_counts) > 0
            if step.finished and not (ahead and watch.most < pieces):
                self._report(self.progress(step, watch.text, at_once=True))
                return 0.0
            if self._report.asked_to_stop:
                raise StoppedWork
            state = pieces, watch.text
            if now - self._reported >= REPORT_MS / 1000 and not (ahead and state == self._shown):
                self._reported, self._shown = now, state
                self._report(self.progress(step, watch.text, at_once=ahead))
            elif ahead:
                time.sleep(WAIT_S)
                self._waited += WAIT_S
            if not ahead:
                return 0.0 if watch.most else STEP_MS

    def measuring(self, text: str) -> TrainingProgress:
        """Returns the progress after the last piece: the tokenizer is made, measured, and kept."""
        learned = self.progress(Progress("measuring", 0, 1, False), text, at_once=True)
        return replace(learned, fraction=0.0, rate=0.0, seconds_left=0.0)

    @property
    def seconds(self) -> float:
        """How long it has trained, without what was only for the window."""
        return time.monotonic() - self._started - self._waited - self._live.seconds

    def progress(
        self, step: Progress, text: str = "", *, at_once: bool = False
    ) -> TrainingProgress:
        """Returns the progress of the training, with ``text`` as it is cut now."""
        now, live = time.monotonic(), self._live
        corpus, trainer = self._run.corpus, self._run.trainer
        live.look(text, at_once=at_once)
        if step.phase != self._phase:
            self._phase, self._phase_started = step.phase, now
            self._phase_from = corpus.done if step.total == 0 else 0
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
            vocab_size=self._run.request.vocab_size,
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
    tokenizer: tc.Tokenizer, run: TrainingRun, measures_itself: bool = False
) -> dict[str, Any]:
    """Returns the final figures, with those of the held-out text, or else of the training text: what is lost of a sample,
    and the tokens of a small corpus unless the training ``measures_itself``.
    """
    figures: dict[str, Any] = {
        "machine": machine_name(),
        "memory": peak_memory(),
        "scripts": scripts_of_pieces(_texts_of(tokenizer)),
    }
    if run.held is not None and run.held.texts:
        texts = run.held.texts
        figures["held_out_bytes"] = sum(len(text.encode()) for text in texts)
        figures["held_out_tokens"] = sum(len(tokenizer.encode_ids(text)) for text in texts)
        figures["held_out_unknown"] = lost_share(tokenizer, texts)
        return figures
    if run.sample:
        figures["own_lost"] = lost_share(tokenizer, run.sample)
    if not measures_itself and run.corpus.planned < SMALL:
        own = list(run.request.corpus())
        figures["own_bytes"] = sum(len(text.encode("utf-8", "surrogatepass")) for text in own)
        figures["own_tokens"] = sum(len(tokenizer.encode_ids(text)) for text in own)
    return figures


def _texts_of(tokenizer: tc.Tokenizer) -> Iterator[bytes]:
    """Yields the pieces that a text becomes, in order."""
    vocabulary = tokenizer.vocabulary
    for token in range(len(vocabulary)):
        if vocabulary.kind(token) not in ("unknown", "control", "unused"):
            yield vocabulary.piece(token)
