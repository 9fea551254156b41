"""The page Other programs of the workspace Compare: what they make of the file of the tokenizer in front."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QWidget

from tokenarium.analyses.analysis import AnalysisInputs, Subject
from tokenarium.analyses.readers import READERS
from tokenarium.models.compare.readers_result import ReadersResult, readers_of_source
from tokenarium.models.markdown_table import escaped
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.views.analysis_page import TextAnalysisPage
from tokenarium.views.workspace import Workspace
from tokenarium.widgets.analysis.result_table import ResultTable
from tokenarium.widgets.panel import named
from tokenarium_core.progress import Progress

STOPPED = "The comparison was stopped. Press “Compare again” to start it once more."


class ReadersPage(TextAnalysisPage):
    """A row for each program that reads the file, and the tokens of the chosen one.

    The file is read in a process, once for each program: a large one takes seconds.
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
        super().__init__(workspace)
        self.button.clicked.connect(self._press)
        self.save.clicked.connect(lambda: self.trigger("save_comparison"))

    @property
    def head(self) -> list[QWidget]:
        return [self.save, self.button]

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
            self.running.cancel(stopped=True)
        else:
            self.ask_again()

    def _wait(self) -> None:
        """Shows that it is being compared."""
        self.show_parts()
        self.parts["head"].setText(" ".join(READERS.waiting))
        self._show_state()

    def _say(self, progress: Progress) -> None:
        done = f"{progress.done:,} of {progress.total:,} programs"
        self.parts["head"].setText(f"Comparing: {done}, now {progress.phase} …")

    def _take(self, inputs: AnalysisInputs, result: ReadersResult) -> None:
        self.inputs, self.result, self.error = inputs, result, ""
        self.show_parts()
        self._show_state()

    def _stop_with(self, error: str) -> None:
        self._fail(error)
        self._show_state()

    def _show_state(self) -> None:
        self.button.setText("Cancel" if self.running.busy else "Compare again")
        self.save.setEnabled(bool(self.lines()))

    def as_markdown(self) -> str:
        table = super().as_markdown()
        return table and f"{escaped(self.result.sentence)}\n\n{table}"
