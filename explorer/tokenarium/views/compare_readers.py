"""The page Other programs of the workspace Compare: what they make of the file of the tokenizer in front."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QWidget

from tokenarium.analyses.analysis import AnalysisInputs, Subject
from tokenarium.analyses.readers import READERS
from tokenarium.models.compare.readers_result import ReadersResult, readers_of_source
from tokenarium.models.markdown_table import escaped
from tokenarium.models.task import Task
from tokenarium.models.text.piece import counted
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.models.tokenizers.offers import joined_names
from tokenarium.views.analysis_page import TextAnalysisPage
from tokenarium.views.workspace import Workspace
from tokenarium.widgets.analysis.result_table import ResultTable
from tokenarium.widgets.panel import named
from tokenarium.work.program_process import SECONDS, run_programs, runnable
from tokenarium_core.progress import Progress

STOPPED = "The comparison was stopped. Press “Compare again” to start it once more."

RUN = "run"
"""The name of the work that runs the installed programs."""

RUNNING = "Running the installed programs"
NOT_ALL = "Stopped: not all of the installed programs were run."

NONE_INSTALLED = (
    "None of the programs that read this file is installed as a Python package beside this one."
)


class ReadersPage(TextAnalysisPage):
    """A row for each program that reads the file, and the tokens of the chosen one.

    The file is read in a process, once for each program: a large one takes seconds. The programs that are installed are
    run on request.
    """

    id, title, analysis = READERS.id, READERS.title, READERS
    needs_text = False

    def __init__(self, workspace: Workspace) -> None:
        self.button = QPushButton("Compare again")
        self.save = named(
            QPushButton("Save …"),
            "Save the results",
            "Writes the results as CSV, or as Markdown with the sentence below the table",
        )
        self.run_button = QPushButton("Run programs")
        self.diagnostics = named(
            QPushButton("Diagnostics"),
            "Diagnostics of this tokenizer",
            "Shows what is unusual about this tokenizer, and what can be repaired",
        )
        super().__init__(workspace)
        self.button.clicked.connect(self._press)
        self.run_button.clicked.connect(self.run_programs)
        self.diagnostics.clicked.connect(lambda: self.trigger("vocabulary_diagnostics"))
        self.save.clicked.connect(lambda: self.trigger("save_comparison"))

    @property
    def head(self) -> list[QWidget]:
        return [self.diagnostics, self.save, self.run_button, self.button]

    @property
    def chooser(self) -> ResultTable:
        table: ResultTable = self.parts["table"]
        return table

    def ask(self, text: str, items: list[LibraryItem]) -> None:
        item = items[0]
        assert item.tokenizer is not None
        subject = Subject(
            item.key, self.session.short_name(item), item.tokenizer, item.identity, item.name
        )
        self.running.cancel(RUN)
        self.inputs, self.error = None, ""
        self.running.process(
            readers_of_source, item.source, item.pattern, "",
            take=lambda result: self._take(AnalysisInputs([subject]), result),
            fail=self._stop_with,
            say=self._say,
            stopped=STOPPED,
        )  # fmt: skip
        self._wait()

    def _press(self) -> None:
        if self.running.busy:
            self.running.stop(stopped=True)
        else:
            self.ask_again()

    def run_programs(self) -> None:
        """Runs the installed programs on the file, and adds a row for each."""
        inputs, result = self.inputs, self.result
        if inputs is None or self.running.busy:
            return
        work = run_programs(inputs.subjects[0].tokenizer, result)
        task = Task(RUNNING, work)
        news = 0

        def follow(progress: Progress) -> None:
            nonlocal news
            if task.news != news:
                news = task.news
                self.show_parts()
            if not progress.finished:
                self._say(progress, RUNNING)
            self._show_state()

        def stop() -> None:
            work.close()  # and with it the process
            self.show_parts()
            self.parts["head"].setText(f"{self.parts['head'].text()} {NOT_ALL}")
            self._show_state()

        self.running.slices(RUNNING, task, follow, self._stop_with, RUN, stop)
        self._show_state()

    def _wait(self) -> None:
        """Shows that it is being compared."""
        self.show_parts()
        self.parts["head"].setText(" ".join(READERS.waiting))
        self._show_state()

    def _say(self, progress: Progress, doing: str = "Comparing") -> None:
        done = f"{progress.done:,} of {counted(progress.total, 'program')}"
        self.parts["head"].setText(f"{doing}: {done}, now {progress.phase} …")

    def _take(self, inputs: AnalysisInputs, result: ReadersResult) -> None:
        self.inputs, self.result, self.error = inputs, result, ""
        self.show_parts()
        self._show_state()

    def _stop_with(self, error: str) -> None:
        self._fail(error)
        self._show_state()

    def _show_state(self) -> None:
        busy = self.running.busy
        self.button.setText("Cancel" if busy else "Compare again")
        self.save.setEnabled(bool(self.lines()))
        programs = runnable(self.result.programs) if self.answered else []
        self.run_button.setEnabled(bool(programs) and not busy)
        self.run_button.setToolTip(
            f"Runs {joined_names(programs)} on this file, each in a process that is ended after {SECONDS:g} s"
            if programs
            else NONE_INSTALLED
        )

    def as_markdown(self) -> str:
        table = super().as_markdown()
        return table and f"{escaped(self.result.sentence)}\n\n{table}"
