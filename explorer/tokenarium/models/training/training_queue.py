"""The trainings of a window as data: the request, the progress, and texts about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from math import floor
from pathlib import Path

from tokenarium.models.charts.chart import Axis, Chart, ChartCurve, ChartMark, close_limits, roomy
from tokenarium.models.merges.size_scale import TRANSITION
from tokenarium.models.text.lost_text import SIGN, is_doubtful, loses
from tokenarium.models.training.trained_languages import (
    LanguageTokens,
    inequality_chart,
    languages_in,
    languages_sentence,
)
from tokenarium.models.training.training_algorithms import (
    TRAINING_ALGORITHMS,
    is_ours,
    is_theirs,
    learns_merges,
)
from tokenarium.models.training.training_progress import FileOutcome, TrainingProgress
from tokenarium.models.training.training_request import TrainingInputs, TrainingRequest
from tokenarium.models.training.training_run import TrainingResult
from tokenarium_core import TokenariumError

RUN_COLUMNS = (
    ("Run", "What was trained"),
    ("Entries", "The size of its vocabulary"),
    ("Time", "How long it trained, without pauses while it was watched"),
    (
        "On unseen text",
        "Bytes per token of the text that was held out; the same text for every run",
    ),
    ("On its text", "Bytes per token of the text that it was trained on"),
    ("Memory", "The most memory that its process had"),
)
"""The heads of the table of runs with their meanings."""

SIZE_AXIS = Axis("Vocabulary size", "entries")
COMPRESSION_AXIS = Axis("Compression", "bytes/token")
SCRIPT_ROWS = 8
"""Scripts with bars of their own; the others share one bar."""


class RunState(Enum):
    """The state of a training, as the word that is shown; one that is held is begun by the user."""

    HELD = "not begun"
    WAITING = "waiting"
    TRAINING = "training"
    STOPPING = "stopping"
    FINISHED = "finished"
    STOPPED = "stopped early"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def going(self) -> bool:
        """Whether it is running."""
        return self in (RunState.TRAINING, RunState.STOPPING)


@dataclass(eq=False, slots=True)
class QueuedTraining:
    """One training: the request, the last report, and the result."""

    number: int
    request: TrainingRequest
    state: RunState = RunState.WAITING
    progress: TrainingProgress | None = None
    files: list[FileOutcome] = field(default_factory=list)
    result: TrainingResult | None = None
    problem: str = ""
    identity: int = 0  # of its result, see `tokenizer_identity`
    most: int = 0  # entries that are shown of it so far, while it is watched; 0: all that it has

    @property
    def least(self) -> int:
        """The entries before the first merge, once they are known; else 0."""
        counts = self.progress.token_counts if self.progress is not None else ()
        return counts[0][0] - 1 if counts else 0

    @property
    def entries(self) -> int:
        """How many entries are shown of it."""
        if self.result is not None:
            return self.result.trained.pieces
        if self.progress is None:
            return 0
        made = self.progress.piece_count
        return min(made, max(self.most, self.least)) if self.most else made

    def curve(self, held: bool = True) -> list[tuple[float, float]]:
        """Returns bytes per token at the sizes so far, of the held-out text or of the training text."""
        figures = self.result.trained.figures if self.result is not None else {}
        progress = self.progress
        if held and figures.get("held_out_tokens"):
            points = compression_points(
                figures["held_out_bytes"], figures.get("held_out_counts", ())
            )
            last = figures["held_out_bytes"] / figures["held_out_tokens"]
            return points or [(float(self.entries), last)]
        if held:
            counts = progress.held_counts if progress is not None and not figures else ()
            points = compression_points(progress.held_bytes if progress else 0, counts)
        elif figures:
            points = compression_points(figures.get("bytes", 0), figures.get("token_counts", ()))
            if not points and figures.get("own_tokens"):
                points = [(float(self.entries), figures["own_bytes"] / figures["own_tokens"])]
        else:
            points = compression_points(
                progress.byte_count if progress else 0, progress.token_counts if progress else ()
            )
        return [point for point in points if point[0] <= self.entries]

    @property
    def transition(self) -> int:
        """The size at which the second stage of SuperBPE began; 0 before that, and for other algorithms."""
        if self.result is not None:
            return int(self.result.trained.figures.get("transition", 0))
        return self.progress.transition if self.progress is not None else 0

    @property
    def holds_out(self) -> bool | None:
        """Whether some of its corpus is held out; None while that is not known."""
        if self.result is not None:
            return bool(self.result.trained.figures.get("held_out_tokens"))
        if not self.request.hold_out:
            return False
        progress = self.progress
        if progress is None or not progress.token_counts:
            return None
        return progress.held_bytes > 0

    @property
    def lost(self) -> float:
        """The share of its text that its result loses, see `lost_text.TextLoss`; 0 while there is none."""
        return lost_of(self.result.trained.figures) if self.result is not None else 0.0

    @property
    def bytes_per_token(self) -> float | None:
        """The last value of its curve: on unseen text, else on its training text."""
        points = self.curve(held=True) or self.curve(held=False)
        return points[-1][1] if points else None

    @property
    def figures_line(self) -> str:
        """Its figures in a line: entries, and bytes per token."""
        if self.state is RunState.HELD:
            return "waits until you begin it"
        if self.state is RunState.WAITING:
            return "waits for the previous training"
        if self.state is RunState.FAILED:
            return self.problem
        if self.state is RunState.CANCELLED:
            return "nothing was kept"
        wanted = self.request.vocab_size
        if self.result is None and not self.entries:
            return _going(self.progress)
        entries = f"{self.entries:,} entries"
        if self.result is None or self.entries != wanted:
            entries = f"{self.entries:,} of {wanted:,} entries"
        value = self.bytes_per_token
        if value is None:
            return entries
        return " · ".join(
            filter(None, [entries, self.loses, f"{self.figure(value)} bytes per token"])
        )

    @property
    def loses(self) -> str:
        """What is said beside its figures where too much text is lost for them to be compared; else nothing."""
        return loses(self.lost) if is_doubtful(self.lost) else ""

    def figure(self, value: float) -> str:
        """Returns bytes per token as they are shown, with a sign where text is lost."""
        return f"{SIGN} {value:.2f}" if self.loses else f"{value:.2f}"

    def cells(self) -> list[str]:
        """Returns its row of the table of runs, see `RUN_COLUMNS`."""
        figures = self.result.trained.figures if self.result is not None else {}
        progress = self.progress
        seconds = figures.get("seconds", progress.seconds if progress is not None else 0.0)
        memory = figures.get("memory", progress.memory if progress is not None else 0)
        held, trained = self.curve(held=True), self.curve(held=False)
        return [
            self.name,
            f"{self.entries:,}" if self.entries else "–",
            f"{seconds:,.1f} s" if seconds else "–",
            self.figure(held[-1][1]) if held else "–",
            self.figure(trained[-1][1]) if trained else "–",
            f"{memory / 1e6:,.0f} MB" if memory else "–",
        ]

    @property
    def can_stop(self) -> bool:
        """Whether it can be stopped with a result: other libraries' trainers give nothing before the end."""
        return self.state is RunState.TRAINING and is_ours(self.request.algorithm)

    @property
    def name(self) -> str:
        """The name of the result."""
        return self.request.name if self.result is None else self.result.trained.name

    @property
    def backend(self) -> str:
        """The library of the trainer; empty for our own."""
        name = self.request.algorithm
        return TRAINING_ALGORITHMS[name].backend if is_theirs(name) else ""

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return not self.state.going and self.state not in (RunState.HELD, RunState.WAITING)

    @property
    def merges(self) -> bool:
        """Whether it learns one piece after the other."""
        return learns_merges(self.request.algorithm)

    @property
    def fraction(self) -> float | None:
        """The share of the phase that is done, from 0 to 1; None if unknown."""
        if self.state in (RunState.FINISHED, RunState.STOPPED):
            return 1.0
        if self.state.going and (self.progress is None or not self.progress.fraction):
            return None
        return self.progress.fraction if self.progress is not None else 0.0

    @property
    def status(self) -> str:
        """Its progress or outcome in words."""
        if self.result is not None:
            return outcome(self.result, self.progress)
        if self.problem:
            return self.problem
        if self.state is RunState.HELD:
            return "It was on the list when the window closed, and has not been trained yet."
        if self.state is RunState.WAITING:
            return "It begins when the previous training is finished."
        if self.state is RunState.STOPPING:
            return "Making a tokenizer from what was learned so far …"
        if self.state is RunState.CANCELLED:
            return "It was not begun."
        going = _going(self.progress)
        return (
            f"{going} · It can be cancelled, but not stopped with a result."
            if self.backend
            else going
        )

    def compression(self) -> Chart:
        """Bytes per token of the corpus at each size so far."""
        progress = self.progress
        points = (
            []
            if progress is None
            else compression_points(progress.byte_count, progress.token_counts)
        )
        held = self._held_out()
        growing = self.merges and self.result is None
        curves = [ChartCurve("Training text", points)] if points or growing else []
        if held or (growing and self.request.hold_out):  # it is measured at the end
            curves.append(ChartCurve("Held-out text", held, 1, True))
        if not points and not held:
            return Chart(SIZE_AXIS, COMPRESSION_AXIS, curves)
        # The axes stay fixed while the curves grow.
        last = points[-1][0] if self.result is not None and points else self.request.vocab_size
        first = min(curve.points[0][0] for curve in curves if curve.points)
        heights = [height for curve in curves for _, height in curve.points]
        low, high = floor(10 * min(heights)) / 10, roomy(max(heights))
        if self.result is not None:
            low, high = close_limits(heights)
        return Chart(
            replace(SIZE_AXIS, limits=(first, last) if first < last else (0, last)),
            replace(COMPRESSION_AXIS, limits=(low, high)),
            curves,
            transition_marks(self.transition, first, last),
        )

    def _held_out(self) -> list[tuple[float, float]]:
        if self.result is None:
            return []
        figures = self.result.trained.figures
        return compression_points(
            figures.get("held_out_bytes", 0), figures.get("held_out_counts", ())
        )

    def scripts(self) -> Chart:
        """How many pieces each script has so far."""
        counts: Mapping[str, int] = self.progress.scripts if self.progress is not None else {}
        if self.result is not None:
            counts = self.result.trained.figures.get("scripts", counts)
        return scripts_chart(counts)

    @property
    def languages(self) -> tuple[LanguageTokens, ...]:
        """What each language takes, where the training compares languages; else nothing."""
        if self.result is not None:
            return languages_in(self.result.trained.figures)
        return self.progress.languages if self.progress is not None else ()

    def inequality(self) -> Chart:
        """How unequal the languages are at each size so far."""
        points = self.progress.inequality if self.progress is not None else ()
        if self.result is not None:
            points = self.result.trained.figures.get("inequality", points)
        most = self.entries if self.result is not None else self.request.vocab_size
        return inequality_chart(points, most)


def lost_of(figures: Mapping[str, float]) -> float:
    """Returns the share of the text that a trained tokenizer loses, of the figures of its training."""
    return float(figures.get("held_out_unknown", figures.get("own_lost", 0.0)))


def scripts_chart(counts: Mapping[str, int]) -> Chart:
    """Returns the bars of a vocabulary by script, the longest first."""
    bars = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    if len(bars) > SCRIPT_ROWS:
        rest = sum(count for _, count in bars[SCRIPT_ROWS - 1 :])
        bars = [*bars[: SCRIPT_ROWS - 1], ("all others", rest)]
    longest = roomy(bars[0][1]) if bars else 1
    return Chart(Axis("Entries", limits=(0, longest)), Axis("Script"), bars=bars, colour=5)


def transition_marks(transition: int, first: float, last: float) -> list[ChartMark]:
    """Returns the mark of the size at which the second stage of SuperBPE begins, if that is on an axis; 0: it has none."""
    if not (transition and first <= transition <= last):
        return []
    return [ChartMark(transition, f"{TRANSITION}: {transition:,}")]


def compression_points(byte_count: int, token_counts: object) -> list[tuple[float, float]]:
    """Returns bytes per token at each size, from pairs of a size and the tokens of a text of so many bytes."""
    if not byte_count or not isinstance(token_counts, (list, tuple)):
        return []
    return [(float(size), byte_count / tokens) for size, tokens in token_counts if tokens]


def duration(seconds: float) -> str:
    """Returns a rough time in words."""
    if seconds < 1:
        return "less than a second"
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes / 60:.1f} h"


def amount(rate: float, unit: str) -> str:
    """Returns a rate with its unit (megabytes for bytes), or an empty text if unknown."""
    if not rate:
        return ""
    if unit == "bytes":
        return f"{rate / 1e6:,.1f} MB/s"
    return f"{rate:,.0f} {unit}/s" if unit else ""


def _going(progress: TrainingProgress | None) -> str:
    if progress is None:
        return "Starting a process …"
    parts = [f"{progress.phase[:1].upper()}{progress.phase[1:]}"]
    if progress.token_counts:
        parts.append(f"{progress.piece_count:,} of {progress.vocab_size:,} entries")
    elif progress.byte_count:
        parts.append(f"{progress.byte_count / 1e6:,.1f} MB")
    speed = amount(progress.rate, progress.unit)
    if speed:
        parts.append(speed)
    if progress.seconds_left > 0 and progress.fraction > 0.01:
        about = "about " if progress.seconds_left >= 1 else ""
        parts.append(f"{about}{duration(progress.seconds_left)} left")
    if progress.workers > 1:  # last, since it does not change: a narrow card may cut it off
        parts.append(f"{progress.workers:,} workers")
    return " · ".join(parts)


def outcome(result: TrainingResult, progress: TrainingProgress | None) -> str:
    """Returns how a training ended, in sentences."""
    trained = result.trained
    time = f" in {duration(progress.seconds)}" if progress is not None else ""
    begin = "Finished" if result.complete else "Stopped"
    measured = f"{begin}{time} with {trained.pieces:,} entries"
    held, tokens = trained.figures.get("held_out_bytes"), trained.figures.get("held_out_tokens")
    if held and tokens:
        measured += f": {held / tokens:.2f} bytes per token on unseen text"
    lost = lost_of(trained.figures)
    if is_doubtful(lost):
        measured += f", but it {loses(lost)} (unknown tokens, characters or spaces)"
    sentences = [f"{measured}."]
    languages = languages_in(trained.figures)
    if languages:
        sentences.append(languages_sentence(languages, str(trained.figures.get("measured_on"))))
    sentences.append("It is in the library now.")
    return "\n".join(filter(None, [" ".join(sentences), result.report]))


@dataclass(frozen=True, slots=True)
class KeptRun(TrainingInputs):
    """A training as the list of runs keeps it: the identity of its result in the store, and what was asked for.

    The identity is empty for one that has no result yet, which is trained from its begin.
    """

    identity: str
    complete: bool = True
    report: str = ""

    @classmethod
    def of(cls, request: TrainingRequest, result: TrainingResult | None) -> KeptRun:
        """Returns a training as it is kept, with its result if it has one."""
        if result is None:
            return cls(**request.inputs, identity="", complete=False)
        return cls(
            **request.inputs,
            identity=result.trained.identity,
            complete=result.complete,
            report=result.report,
        )

    def request(self, folder: Path) -> TrainingRequest:
        """Returns what was asked for; TokenariumError for an algorithm or a source that does not exist."""
        if self.algorithm not in TRAINING_ALGORITHMS:
            raise TokenariumError(f"There is no algorithm {self.algorithm!r} here.")
        for source in self.sources:
            source.check()
        return TrainingRequest(**self.inputs | {"sources": tuple(self.sources)}, store=folder)
