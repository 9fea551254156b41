"""The base of all analyses: a question about tokenizers, its inputs, its work, and its answer as tables, parts and JSON.

An analysis is declared once, in a module of this folder, without a window. From the declaration
`tokenarium.views.analysis_page` makes a page with controls, undo in sessions, export and a presentation,
`tokenarium.commands.analysis_command` a command, and `Analysis.run` is what programs call.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

import tokenarium_core as tc
from tokenarium.analyses.field import Field
from tokenarium.analyses.parts import Board, Part
from tokenarium.analyses.table import Table, TableCell, TableColumn
from tokenarium.models.programs import rows_of
from tokenarium.models.task import Task, TaskWork
from tokenarium_core.progress import Progress

LOOK_MS = 100
"""Milliseconds of work between two reports of its progress."""

R = TypeVar("R")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Subject:
    """A tokenizer that is asked about: ``name`` is a short name, ``full_name`` its name in the library, ``colour`` its
    identity.
    """

    key: str
    name: str
    tokenizer: tc.Tokenizer
    colour: int = 0
    full_name: str = ""


TOKENIZER: TableColumn[Subject] = TableColumn(
    lambda one: TableCell(one.name, tip=one.full_name, colour=one.colour),
    "Tokenizer", "Tokenizer", "tokenizer", number=False, grows=True,
)  # fmt: skip
"""The first column of a table that has a row for each tokenizer."""


@dataclass(slots=True)
class AnalysisInputs:
    """What an analysis is given: tokenizers, the one in front first, a text, and the values of its fields by name.

    ``cache`` keeps what was made of a tokenizer, by its key, as long as the tokenizer is the same. ``strict``: what
    cannot be done with one tokenizer is an error, and not a note beside the others.
    """

    subjects: Sequence[Subject]
    text: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    cache: dict[str, Any] = field(default_factory=dict)
    strict: bool = False


class Analysis(Generic[R]):
    """Base of the analyses; ``R`` is its result, which the work fills. The docstring is the help of its command.

    ``least``: tokenizers that it needs; with 0, its command takes none. ``limit``: characters of a text that it reads, and ``page_limit`` on a page.
    ``page_values`` are values of fields on a page that has no control for them. ``more``: lines of the program after
    ``answer``, which is what `run` returns.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    term: ClassVar[str] = ""
    fields: ClassVar[Sequence[Field]] = ()
    parts: ClassVar[Sequence[Part]] = ()
    needs_text: ClassVar[bool] = True
    least: ClassVar[int] = 1
    early: ClassVar[bool] = False
    """Whether a page shows a part of the answer before all of it is there."""
    several: ClassVar[bool] = False
    """Whether its command takes more than one tokenizer."""
    limit: ClassVar[int] = 1 << 40
    page_limit: ClassVar[int] = 20_000
    page_values: ClassVar[Mapping[str, Any]] = {}
    chooses: ClassVar[str] = ""
    """What can be chosen of it, by the name in sessions, and of which type; without one, its rows are tokenizers."""
    chosen_type: ClassVar[Any] = str
    remedy: ClassVar[str] = ""
    """What a page says after an error: what to do if it cannot be asked about the tokenizer in front."""
    full_names: ClassVar[bool] = False
    """Whether its table has the names of the library, and not short ones."""
    stage_title: ClassVar[str] = ""
    """The title of its presentation; by default that of the page."""
    more: ClassVar[str] = ""
    exact: ClassVar[str] = ""
    """What its figures are exactly, and their source: said after the table of its command."""
    plain: ClassVar[str] = ""
    """The `Flag` with which its command writes nothing but `said`."""

    asks: ClassVar[str] = ""
    """The question of its page, with {} for the text."""
    doing: ClassVar[str] = ""
    """What is being done, for users."""

    # What an analysis defines.

    def question(self, what: str) -> str:
        """Returns the question about a text that is written out."""
        return self.asks.format(what)

    def working(self, inputs: AnalysisInputs) -> str:
        """Returns what is being done, for users."""
        return self.doing

    def begin(self, inputs: AnalysisInputs) -> R:
        """Returns the result as it is before the work."""
        raise NotImplementedError

    def work(self, inputs: AnalysisInputs, result: R) -> TaskWork:
        """Fills the result; TokenariumError if that is not possible."""
        raise NotImplementedError

    def table(self, inputs: AnalysisInputs, result: R) -> Table[Any]:
        """Returns what is copied, written to files, and the first table of a page."""
        raise NotImplementedError

    def show(self, inputs: AnalysisInputs, result: R) -> Mapping[str, object]:
        """Returns what the parts of a page show, by their ids; a part that is left out is hidden."""
        raise NotImplementedError

    def show_chosen(self, inputs: AnalysisInputs, result: R, key: Hashable) -> Mapping[str, object]:
        """Returns the same for the parts that show the row of a key."""
        return {}

    def program_values(self, inputs: AnalysisInputs, key: Hashable) -> Mapping[str, object]:
        """Returns further values of the program, of what is chosen: None for nothing."""
        return {}

    def boards(self, inputs: AnalysisInputs, result: R) -> Sequence[Board]:
        """Returns the steps of its presentation; without any, the page is presented."""
        return ()

    def as_json(self, inputs: AnalysisInputs, result: R) -> object:
        """Returns what the command writes with ``--json``."""
        raise NotImplementedError

    def summary_lines(self, inputs: AnalysisInputs, result: R) -> Sequence[str]:
        """Returns the lines that the command writes before its table."""
        return ()

    def printed(self, inputs: AnalysisInputs, result: R) -> Table[Any] | None:
        """Returns the table that the command writes."""
        return self.table(inputs, result)

    def remarks(self, inputs: AnalysisInputs, result: R) -> Sequence[str]:
        """Returns the lines that the command writes after its table."""
        return (self.exact,) if self.exact else ()

    # What is derived from that.

    def task(self, inputs: AnalysisInputs, result: R) -> Task:
        """Returns the work as a task."""
        return Task(self.working(inputs), self.work(inputs, result))

    def complete(self, inputs: AnalysisInputs, look: Callable[[Progress], None] | None = None) -> R:
        """Returns the result, after all the work; ``look`` gets the progress some times a second."""
        result = self.begin(inputs)
        task = self.task(inputs, result)
        while not task.finished:
            progress = task.step(LOOK_MS)
            if look is not None:
                look(progress)
        return result

    def run(
        self,
        tokenizers: Mapping[str, tc.Tokenizer],
        text: str = "",
        names: Mapping[str, str] | None = None,
        **values: object,
    ) -> Answer[R]:
        """Returns the answer for tokenizers by name; fields that are not given have their defaults.

        ``names``: what they are called, if the keys are not names.
        """
        inputs = self.inputs_for(tokenizers, text, names, **values)
        return Answer(self, inputs, self.complete(inputs))

    def inputs_for(
        self,
        tokenizers: Mapping[str, tc.Tokenizer],
        text: str = "",
        names: Mapping[str, str] | None = None,
        **values: object,
    ) -> AnalysisInputs:
        """Returns what `run` works on."""
        called = names or {name: name for name in tokenizers}
        subjects = [
            Subject(key, called[key], tokenizer, full_name=called[key])
            for key, tokenizer in tokenizers.items()
        ]
        usual = {field.name: getattr(field, "default", None) for field in self.fields}
        return AnalysisInputs(subjects, text[: self.limit], usual | values, strict=True)


@dataclass(slots=True)
class Each(Generic[T]):
    """What was found with each tokenizer, by key, or why that is not possible."""

    found: dict[str, T] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)


class EachAnalysis(Analysis[Each[T]]):
    """Base of the analyses that ask the same of each tokenizer, one after the other."""

    early = True

    def begin(self, inputs: AnalysisInputs) -> Each[T]:
        return Each()

    def work(self, inputs: AnalysisInputs, result: Each[T]) -> TaskWork:
        for subject in inputs.subjects:
            try:
                result.found[subject.key] = yield from self.work_on(subject, inputs)
            except tc.TokenariumError as error:
                if inputs.strict:
                    raise
                result.faults[subject.key] = str(error)
            yield None

    def work_on(
        self, subject: Subject, inputs: AnalysisInputs
    ) -> Generator[Progress | None, None, T]:
        """Does the work with one tokenizer, and returns what was found."""
        raise NotImplementedError


class Answer(NamedTuple, Generic[R]):
    """What `Analysis.run` returns."""

    analysis: Analysis[R]
    inputs: AnalysisInputs
    result: R

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The table, a dict for each row."""
        return rows_of(self.analysis.table(self.inputs, self.result).lines())


def analysis_named(name: str) -> Analysis[Any]:
    """Returns the analysis in the module of a name, imported now."""
    analysis: Analysis[Any] = getattr(import_module(f"tokenarium.analyses.{name}"), name.upper())
    return analysis
