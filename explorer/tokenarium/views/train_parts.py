"""The race of the parts of trainings on the page Race: its job, its sentences and its program."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tokenarium.models.charts.chart import Chart
from tokenarium.models.programs import program
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.strategy_parts import LONGEST, PartsRace
from tokenarium.models.training.strategy_race import TITLES, race_text
from tokenarium.session.session import Session
from tokenarium.widgets.charts.chart_canvas import NOTHING
from tokenarium_core import TokenariumError
from tokenarium_core.progress import Progress
from tokenarium_core.training import INCREMENTAL, NAIVE

ABOUT = (
    "A training splits the text into words, counts the pairs, picks the most frequent one, and replaces it, again and again."
    " Here plain Python does so, as in textbooks, and each part is timed apart. The trainers of this program are much faster,"
    " and do several parts in one walk."
)
WAITING = "Start the race: three methods train on 20,000 characters, with a clock for each part."
JOB = "parts of training"

SHOWN = (NAIVE, INCREMENTAL)
SHOWN_TITLES = (TITLES[NAIVE], TITLES[INCREMENTAL])
"""The strategies that have a chart, and the titles of the charts."""

DRAWN = 20
"""How often the charts are drawn while the race runs."""

IMPORTS = """
from tokenarium.models.programs import run
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.strategy_parts import LONGEST, PartsRace
from tokenarium.models.training.strategy_race import race_text
"""

PROGRAM = """
race = run(PartsRace(race_text(SOURCES, LONGEST), ENTRIES))
rows = race.rows()
"""


class PartsRunner:
    """Runs the race as a job of a session: ``show`` draws it, and is told whether it has finished."""

    def __init__(
        self,
        session: Session,
        show: Callable[[bool], None],
        fail: Callable[[TokenariumError], None],
    ) -> None:
        self.race: PartsRace | None = None
        self._session, self._show, self._fail = session, show, fail
        self._drawn = -1

    def begin(self, source: CorpusSource, vocab_size: int) -> None:
        """Starts the race; TokenariumError without a text."""
        self.race, self._drawn = PartsRace(race_text([source], LONGEST), vocab_size), -1
        self._session.jobs.start(
            JOB, "Timing the parts of a training", self.race, self._follow, self._fail
        )

    def _follow(self, progress: Progress) -> None:
        part = DRAWN * progress.done // max(progress.total, 1)
        if progress.finished or part != self._drawn:
            self._drawn = part
            self._show(progress.finished)

    def charts(self) -> tuple[Chart, Chart]:
        """Returns the charts of the strategies in `SHOWN`."""
        race = self.race
        work, other = (NOTHING if race is None else race.chart(one) for one in SHOWN)
        return work, other

    def sentence(self) -> str:
        """Returns the shares of the parts, or ""."""
        return self.race.sentence() if self.race is not None else ""


def parts_program(sources: Sequence[CorpusSource], entries: int) -> str:
    """Returns the program that runs the race."""
    return program(
        "Parts of training", IMPORTS, PROGRAM, values={"SOURCES": sources, "ENTRIES": entries}
    )
