"""What the window sees of a training while it runs: curves on unseen text, and a text recoloured as merges come."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import Final

import tokenarium_core as tc
from tokenarium.models.training.keeping import HeldOut
from tokenarium.models.training.run_cuts import RunCuts, run_cuts, stages_of
from tokenarium_core.training import Trainer, Value
from tokenarium_core.training.superbpe_trainer import SuperBpeTrainer

SHARE: Final = 0.15
"""Most of the time of a training that is taken to measure it while it runs."""


@dataclass(frozen=True, slots=True)
class Watch:
    """What the window wants to see: how a ``text`` is cut so far, and no more than ``most`` entries; 0: all of them.

    A training waits at that size, so that each merge can be watched.
    """

    text: str = ""
    most: int = 0


class LiveMeasures:
    """Measures a training between its steps: ``counts`` of held-out text by size, and the ``cuts`` of a watched text."""

    def __init__(self, trainer: Trainer, options: dict[str, Value], held: HeldOut | None) -> None:
        self._trainer = trainer
        self._options = options
        self._held = held
        self._looked = (-1, "")
        self._began = time.monotonic()
        self.held_bytes = 0
        self.counts: list[tuple[int, int]] = []
        self.cuts: RunCuts | None = None
        self.seconds = 0.0
        """How long it has measured."""

    def look(self, text: str, *, at_once: bool = False) -> None:
        """Measures what there is now, unless that takes more than `SHARE` of the time; ``at_once``: in any case."""
        trainer, now = self._trainer, time.monotonic()
        asked = (trainer.piece_count, text)
        if asked == self._looked or not trainer.usable or trainer.progress.total == 0:
            return
        if not at_once and self.seconds > SHARE * (now - self._began):
            return
        self._looked = asked
        tokenizer = trainer.tokenizer("")
        if len(trainer.token_counts):  # else only the last size counts
            self._count(tokenizer)
        if text:
            stages = stages_of(tokenizer, self._options, transition_of(trainer))
            self.cuts = run_cuts(tokenizer, text, stages)
        self.seconds += time.monotonic() - now

    def _count(self, tokenizer: tc.Tokenizer) -> None:
        texts = self._held.texts if self._held is not None else []
        if texts:
            self.held_bytes = self.held_bytes or sum(len(text.encode()) for text in texts)
            size = self._trainer.piece_count
            tokens = sum(len(tokenizer.encode_ids(text)) for text in texts)
            if not self.counts or self.counts[-1][0] != size:
                self.counts.append((size, tokens))


def transition_of(trainer: Trainer) -> int:
    """Returns the size at which the second stage of SuperBPE began; 0 before that, and for other algorithms."""
    if not isinstance(trainer, SuperBpeTrainer) or trainer.progress.phase in (
        "counting",
        "merging",
    ):
        return 0
    return trainer.transition


def peak_memory() -> int:
    """Returns the most memory that this process has had so far, in bytes; 0 if the system does not say."""
    if sys.platform == "win32":
        return 0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak
