"""One training from the corpus to the store, as a process of its own runs it: it tells how far it is on the way."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

import tokenarium_core as tc
from tokenarium.models.corpus import Corpus
from tokenarium.models.corpus_files import Source
from tokenarium.models.keeping import keep, reading_notes
from tokenarium.models.script_use import script_of_piece
from tokenarium.models.store import Store, Trained
from tokenarium_core.trainer import Trainer
from tokenarium_core.training import ALGORITHMS, make_trainer

STEP_MS = 40
"""How long the trainer works between two looks at the clock and at whether it should stop."""

NEWS_MS = 120
"""How often it tells how far it is."""

LAST = 12
"""Pieces learned last that are told."""

HELD_OUT_EVERY = 20
"""Each document of this number is not trained on, but measured with."""

HELD_OUT_MOST = 1_000_000
"""Characters that are held out at most."""


class Tell(Protocol):
    """What the work tells by; see `worker.Teller`."""

    def __call__(self, what: object) -> None:
        """Tells something on the way."""

    @property
    def asked_to_stop(self) -> bool:
        """Whether it should stop soon, and return what it has so far."""


@dataclass(frozen=True, slots=True)
class TrainingRequest:
    """What to train: the settings of a training, by which it is known again, and its name and place."""

    name: str
    algorithm: str
    vocab_size: int
    options: Mapping[str, Any]
    sources: Sequence[Source]
    store: Path
    seed: int = 0
    hold_out: bool = True

    @property
    def settings(self) -> dict[str, Any]:
        """What determines the result, but for the corpus."""
        return {
            "vocab_size": self.vocab_size,
            "hold_out": self.hold_out,
            **dict(sorted(self.options.items())),
        }


@dataclass(frozen=True, slots=True)
class TrainingNews:
    """How far a training is. What is not known is 0 or empty."""

    phase: str
    fraction: float
    rate: float  # units of the phase a second
    unit: str  # what they are: "bytes", "merges", …
    seconds: float  # since the start
    seconds_left: float  # of this phase
    pieces: int
    wanted: int
    byte_count: int
    token_counts: tuple[tuple[int, int], ...] = ()  # (pieces, tokens of the corpus), thinned out
    last: tuple[bytes, ...] = ()  # pieces learned last, the latest first
    scripts: Mapping[str, int] = field(default_factory=dict)  # pieces by the name of their script
    files: tuple[str, ...] = ()  # what was read or skipped, as sentences


@dataclass(frozen=True, slots=True)
class TrainingResult:
    """What a training made. ``complete`` is false where a person broke it off."""

    trained: Trained
    path: Path
    complete: bool
    report: str


SETTLED_S = 0.2
"""A rate is told from so much time of a phase on."""

POINTS = 200
"""Points of a curve that are told or kept: more than there are pixels for in most charts."""


def train(tell: Tell, request: TrainingRequest) -> TrainingResult:
    """Trains, keeps the tokenizer in the store and returns where.

    Asked to stop, it keeps what was learned so far, where the algorithm allows that. Raises TokenariumError for what
    cannot be trained, with the reason.
    """
    corpus = Corpus(request.sources, request.seed)
    held = HeldOut(corpus) if request.hold_out else None
    trainer = make_trainer(
        request.algorithm,
        held if held is not None else corpus,
        vocab_size=request.vocab_size,
        **dict(request.options),
    )
    complete = _run(tell, trainer, _Reporter(trainer, corpus, request.vocab_size))
    trainer.check_usable()
    tokenizer = trainer.tokenizer(request.name)
    figures = _figures(trainer, tokenizer, held)
    settings = request.settings
    if not complete:
        settings["stopped_at"] = int(trainer.piece_count)
    store = Store(request.store)
    trained = keep(store, tokenizer, request.algorithm, settings, corpus, figures)
    return TrainingResult(trained, store.path(trained), complete, trainer.report)


class HeldOut:
    """A corpus but for some of its documents, which are kept in ``texts`` to measure with.

    Each `HELD_OUT_EVERY`-th document is held out, up to `HELD_OUT_MOST` characters; of a corpus of fewer documents,
    that share at the end of the last one, from the end of a line on.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self.texts: list[str] = []

    def __iter__(self) -> Iterator[str]:
        characters = 0
        number = 0
        waiting: str | None = None
        for text in self._corpus:
            number += 1
            if number % HELD_OUT_EVERY == 0 and characters < HELD_OUT_MOST:
                self.texts.append(text[:HELD_OUT_MOST])
                characters += len(text)
                continue
            if waiting is not None:
                yield waiting
            waiting = text
        if waiting is None:
            return
        if not self.texts:
            share = max(len(waiting) - len(waiting) // HELD_OUT_EVERY, len(waiting) - HELD_OUT_MOST)
            cut = waiting.find("\n", share) + 1 or share
            self.texts.append(waiting[cut:])
            waiting = waiting[:cut]
        if waiting:
            yield waiting


def _run(tell: Tell, trainer: Trainer, reporter: _Reporter) -> bool:
    """Steps a training to its end; returns whether it came there."""
    told = 0.0
    while True:
        progress = trainer.step(STEP_MS)
        now = time.monotonic()
        if progress.finished:
            tell(reporter.news(progress))
            return True
        if tell.asked_to_stop:
            if not trainer.usable:
                raise tc.TokenariumError("The training was stopped before it had learned anything.")
            return False
        if now - told >= NEWS_MS / 1000:
            told = now
            tell(reporter.news(progress))


class _Reporter:
    """Makes the news of a training: its pace, its curve, and the pieces so far, each of which it looks at once."""

    def __init__(self, trainer: Trainer, corpus: Corpus, wanted: int) -> None:
        self._trainer = trainer
        self._corpus = corpus
        self._wanted = wanted
        self._started = time.monotonic()
        self._phase = ""
        self._phase_started = self._started
        self._scripts: Counter[str] = Counter()
        self._counted = 0

    def news(self, progress: tc.Progress) -> TrainingNews:
        """Returns how far the training is."""
        now = time.monotonic()
        if progress.phase != self._phase:
            self._phase, self._phase_started = progress.phase, now
        corpus, trainer = self._corpus, self._trainer
        reading = progress.total == 0
        done, total = (corpus.done, corpus.total) if reading else (progress.done, progress.total)
        spent = now - self._phase_started
        rate = done / spent if spent > SETTLED_S else 0.0
        learned = len(trainer.token_counts)
        for number in range(self._counted, learned):
            self._scripts[script_of_piece(trainer.new_piece(number))] += 1
        self._counted = learned
        return TrainingNews(
            phase=progress.phase,
            fraction=min(done / total, 1.0) if total else 0.0,
            rate=rate,
            unit="bytes" if reading else "",
            seconds=now - self._started,
            seconds_left=max(total - done, 0) / rate if rate else 0.0,
            pieces=trainer.piece_count,
            wanted=self._wanted,
            byte_count=trainer.byte_count,
            token_counts=curve_of(trainer),
            last=tuple(
                trainer.new_piece(number)
                for number in range(learned - 1, max(learned - 1 - LAST, -1), -1)
            ),
            scripts=dict(self._scripts),
            files=tuple(reading_notes(corpus)),
        )


def curve_of(trainer: Trainer) -> tuple[tuple[int, int], ...]:
    """Returns how many tokens the corpus takes at each number of pieces, at up to `POINTS` of them."""
    counts = np.asarray(memoryview(trainer.token_counts))
    if not len(counts):
        return ()
    places = np.unique(np.linspace(0, len(counts) - 1, POINTS).astype(int))
    first = trainer.piece_count - len(counts) + 1
    return tuple((int(first + place), int(counts[place])) for place in places)


def _figures(trainer: Trainer, tokenizer: tc.Tokenizer, held: HeldOut | None) -> dict[str, Any]:
    """Returns what is measured once it is trained."""
    figures: dict[str, Any] = {
        "bytes": int(trainer.byte_count),
        "token_counts": [list(point) for point in curve_of(trainer)],
        "report": trainer.report,
    }
    if held is not None and held.texts:
        figures["held_out_bytes"] = sum(len(text.encode()) for text in held.texts)
        figures["held_out_tokens"] = sum(len(tokenizer.encode_ids(text)) for text in held.texts)
    return figures


def title_of(algorithm: str, vocab_size: int) -> str:
    """Returns what a training is called that nobody named."""
    return f"{ALGORITHMS[algorithm].title} {vocab_size:,}"
