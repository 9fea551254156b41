"""The commands of the workspace Compare: what is counted, and the table of the current page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication

from tokenarium.menus.actions import Action, Section
from tokenarium.menus.workspace_commands import WorkspaceCommands
from tokenarium.models.files import chosen_path
from tokenarium.views.workspace import COMPARE
from tokenarium.widgets.file_dialogs import ask_files, ask_folder, ask_new_file
from tokenarium_core import TokenariumError

if TYPE_CHECKING:
    from tokenarium.views.compare_figures import FiguresPart
    from tokenarium.views.compare_languages import LanguagesPart
    from tokenarium.views.compare_overview import OverviewPage

SETTLED_MS = 50
"""Milliseconds after which a new page is laid out."""

MARKDOWN = "*.md"
LATEX = "*.tex"
TABLES = f"Table (*.csv);;Markdown ({MARKDOWN});;LaTeX ({LATEX})"
"""The kinds of files of tables."""


class CompareCommands(WorkspaceCommands):
    """Chooses a page and what it compares, and copies or saves its table."""

    name = COMPARE

    def declared(self) -> list[Action]:
        """Returns the actions."""
        page = self.pages(Section.COMPARE).action
        # fmt: off
        return [
            page("overview", "compare_overview", "O&verview", "Ctrl+D, F7", "Tokens, fertility, efficiency and more, for each tokenizer", icon="table"),
            Action("compare_languages", "&Languages", Section.COMPARE, "Ctrl+D, F8", self.compare_languages, "How many tokens the same content needs in each language", icon="globe"),
            page("differences", "compare_differences", "&Differences", "Ctrl+D, F9", "Where and how the tokenizers split the text differently", icon="git-diff"),
            page("texts", "compare_texts", "Compare two te&xts", "Ctrl+Shift+B, T", "Which of two texts needs fewer tokens: the same data as JSON and YAML, a word and its reverse, or any others", icon="columns"),
            page("overlap", "compare_overlap", "Overla&p of the vocabularies", "Ctrl+D, F10", "Which entries the vocabularies share, by their bytes", icon="intersect"),
            page("stages", "compare_stages", "Stages of the to&kenizers", "Ctrl+Shift+B, S", "What each stage of the tokenizers is, and what becomes of the text there", icon="stack"),
            page("stage_times", "compare_stage_times", "T&ime of the stages", "Ctrl+Shift+B, I", "Which share of the time of encoding each stage takes, and how fast the tokenizers are", icon="timer"),
            page("numbers", "compare_numbers", "How &numbers are written", "Ctrl+D, F4", "How many tokens whole numbers need, and from which side their digits are grouped", icon="hash"),
            page("digits", "compare_digits", "Numbers in e&qual groups of digits", "Ctrl+Shift+B, 9", "The tokens of the text if its numbers were split first: into single digits, or threes from the right or left", icon="number-circle-three"),
            page("text_sizes", "compare_text_sizes", "Bytes per token of &8 texts by size", "Ctrl+Shift+B, 0", "What each size of the vocabulary in front brings to the text and to samples in several languages", icon="chart-line-up"),
            page("superwords", "compare_superwords", "Superwords in &2 phases", "Ctrl+Shift+B, X", "What superwords gain in the text and what training them costs, with its words in order and shuffled", icon="shuffle"),
            page("mingram", "compare_mingram", "MinGram beside BPE (&3)", "Ctrl+Shift+B, G", "Which entries of a larger BPE the fewest tokens need, and which of them BPE itself has", icon="scissors"),
            page("final_style", "compare_final_style", "Final-style pruning of Unigram (&4)", "Ctrl+Shift+B, O", "What Unigram costs and gains if it keeps the most probable entries and never estimates a loss", icon="sort-descending"),
            page("morphology", "compare_morphology", "&Morphemes of words", "Ctrl+Shift+B, P", "How well tokens agree with the morphemes of words, which the text gives: MorphScore and boundaries", icon="tree-structure"),
            page("code", "compare_code", "Cod&e", "Ctrl+Shift+B, C", "How well tokens agree with code: leaves of the syntax tree, words of identifiers, indentation", icon="code"),
            page("divergence", "compare_divergence", "NSL and &Jensen–Shannon divergence", "Ctrl+Shift+B, V", "How differently each pair of tokenizers divides the text: lengths, and how often the entries occur", icon="plus-minus"),
            page("bits", "compare_bits", "&Bits per byte of simple models", "Ctrl+Shift+B, J", "How well an n-gram model of the ids predicts the text, and Unigram's own probabilities", icon="chart-line"),
            page("unused", "compare_unused", "Unused entries of &a script", "Ctrl+Shift+B, Q", "Which entries of a script a text of it never uses", icon="selection-slash"),
            page("diff", "compare_diff", "What two tokenizers do differentl&y", "Ctrl+Shift+B, W", "The differences of two tokenizers, stage by stage, with the shortest text found that shows each", icon="arrows-left-right"),
            page("readers", "compare_readers", "&What other programs make of the file", "Ctrl+Shift+B, R", "Whether tokenizers, transformers, sentencepiece and other programs give the same ids with the file of the tokenizer in front, and why not", icon="users-three"),
            page("migrate", "compare_migrate", "Migrate to another tokeni&zer", "Ctrl+D, F", "Which ids keep their meaning when a model changes its tokenizer, and which rows the others start from", icon="path"),
            Action("compare_text", "Count this &text", Section.COUNT, "Ctrl+R, T", self.compare_text, "Counts the text of the window, after each change", checked=lambda: self._table is not None and not self._table.sources, icon="article"),
            Action("compare_files", "Count &files …", Section.COUNT, "Ctrl+R, O", self.compare_files, "Counts text files instead of the text, in other processes", icon="files"),
            Action("compare_folder", "Count a f&older …", Section.COUNT, "Ctrl+R, F", self.compare_folder, "Counts all texts in a folder and its subfolders", icon="folder"),
            Action("parallel_shipped", "Languages: the pro&gram's sentences", Section.LANGUAGES, "Ctrl+R, P", self.parallel_shipped, "Compares languages on sentences that come with the program", checked=lambda: self._languages is not None and self._languages.folder is None, icon="globe-simple"),
            Action("parallel_folder", "Languages: texts of a folde&r …", Section.LANGUAGES, "Ctrl+R, A", self.parallel_folder, "Compares languages on a folder with a text file for each, named after it", icon="folder-open"),
            Action("choose_languages", "Languages: c&hoose …", Section.LANGUAGES, "Ctrl+R, G", self.choose_languages, "Which languages are compared", icon="funnel"),
            Action("copy_comparison", "&Copy the table", Section.TABLE, "Ctrl+R, C", self.copy_comparison, "Copies what the page shows as a tab-separated table", lambda: self.page is not None, icon="copy"),
            Action("save_comparison", "&Save the table as CSV, LaTeX …", Section.TABLE, "Ctrl+R, S", self.save_comparison, "Writes what the page shows as a table, in CSV, Markdown or LaTeX", lambda: self.page is not None, icon="export"),
            Action("save_study", "Save the st&udy …", Section.TABLE, "Ctrl+Shift+B, Y", self.save_study, "Writes which files and tokenizers are compared, with their hashes; tokenarium evaluate repeats it", icon="floppy-disk"),
        ]
        # fmt: on

    @property
    def _overview(self) -> OverviewPage | None:
        return cast("OverviewPage", self.page) if self.page_id == "overview" else None

    def _shown_overview(self) -> OverviewPage:
        self.show_page("overview")
        assert self._overview is not None
        return self._overview

    @property
    def _table(self) -> FiguresPart | None:
        return self._overview.figures if self._overview is not None else None

    def _shown_table(self) -> FiguresPart:
        return self._shown_overview().figures

    def compare_text(self) -> None:
        """Counts the text of the window."""
        self._shown_table().count_text()

    def compare_files(self) -> None:
        """Asks for files and counts them."""
        names = ask_files("texts", self._window, "Compare on files", "All files (*)")
        self.compare_paths([Path(name) for name in names])

    def compare_folder(self) -> None:
        """Asks for a folder and counts the texts in it."""
        name = ask_folder("texts", self._window, "Compare on the texts of a folder")
        self.compare_paths([Path(name)] if name else [])

    def compare_paths(self, paths: Sequence[Path]) -> None:
        """Counts files and folders; does nothing without any."""
        if paths:
            self._shown_table().count_files(paths)

    @property
    def _languages(self) -> LanguagesPart | None:
        return self._overview.languages if self._overview is not None else None

    def _shown_languages(self) -> LanguagesPart:
        page = self._shown_overview()
        # New widgets must be laid out before they can be scrolled to.
        QTimer.singleShot(SETTLED_MS, page, page.show_languages)
        return page.languages

    def compare_languages(self) -> None:
        """Shows what languages cost."""
        self._shown_languages()

    def parallel_shipped(self) -> None:
        """Compares languages on sentences that come with the program."""
        self._shown_languages().compare_shipped()

    def parallel_folder(self) -> None:
        """Asks for a folder with a text for each language, and compares them."""
        name = ask_folder(
            "languages", self._window, "Compare languages: a folder with a text for each"
        )
        if name:
            self._shown_languages().compare_folder(Path(name))

    def choose_languages(self) -> None:
        """Opens the list of languages, to tick the ones to compare."""
        page = self._overview
        if page is not None:
            page.show_languages()
            page.languages.choice.open()
        else:  # the list opens under its button, which must be laid out first
            choice = self._shown_languages().choice
            QTimer.singleShot(2 * SETTLED_MS, choice, choice.open)

    def _or_problem(self, text: str) -> str:
        """Returns a text; shows a message if it is empty."""
        if not text:
            self._session.problem.emit("This page has no table to copy or save yet.")
        return text

    def copy_comparison(self) -> None:
        """Copies the table of the page, separated by tabs."""
        text = self._or_problem(self.page.as_text() if self.page is not None else "")
        if text:
            QGuiApplication.clipboard().setText(text)

    def save_comparison(self) -> None:
        """Asks for a file, and writes the table of the page there, in the format of its suffix."""
        page = self.page
        text = self._or_problem(page.as_csv() if page is not None else "")
        if page is None or not text:
            return
        name, chosen = ask_new_file(
            "tables", self._window, "Save the table", f"{page.title}.csv", TABLES
        )
        if not name:
            return
        usual = ".md" if MARKDOWN in chosen else ".tex" if LATEX in chosen else ".csv"
        path = chosen_path(name, usual, ".csv", ".md", ".tex")
        written = {".md": page.as_markdown, ".tex": page.as_latex}.get(path.suffix.lower())
        self.save_text(path, text if written is None else written())

    def save_study(self) -> None:
        """Asks for a file, and writes the study of the files that are compared there."""
        table = self._shown_table()
        try:
            study = table.study()
        except TokenariumError as error:
            self._session.problem.emit(str(error))
            return
        name, _ = ask_new_file(
            "studies", self._window, "Save the study", "study.toml", "Study (*.toml)"
        )
        if name:
            path = chosen_path(name, ".toml")
            self.save_text(path, study.as_toml(path))
