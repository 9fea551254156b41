"""The commands of the workspace Merges: its pages, the current player, a training, and the export of steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from tokenarium.menus.actions import Action, ActionChoice, Section, switch
from tokenarium.menus.workspace_commands import WorkspaceCommands, WorkspaceHost
from tokenarium.models.files import chosen_path
from tokenarium.models.text.qt_text import into_qt
from tokenarium.session.requests import PlayBytes
from tokenarium.session.session import Session
from tokenarium.style.appearance import Appearance, motion_enabled
from tokenarium.style.theme import DARK, LIGHT
from tokenarium.views.kept import Kept, kept_control
from tokenarium.views.workspace import MERGES, Page
from tokenarium.widgets.file_dialogs import ask_new_file
from tokenarium_core import TokenariumError
from tokenarium_core.progress import Progress

if TYPE_CHECKING:
    from tokenarium.views.merge_sizes import MergeSizesPage
    from tokenarium.views.merge_training import MergeTrainingPage
    from tokenarium.views.merges import MergesView, StepsPage
    from tokenarium.widgets.players.animation import Animation
    from tokenarium.widgets.players.animation_dialog import AnimationDialog
    from tokenarium.widgets.players.animation_job import Order
    from tokenarium.widgets.players.step_player import StepPlayer

JOB = "export"

FILES = {
    "gif": ("Export the steps", "GIF animation (*.gif)", ".gif"),
    "webp": ("Export the steps", "WebP animation (*.webp)", ".webp"),
    "png": ("Export the step", "PNG image (*.png)", ".png"),
    "svg": ("Export the step", "SVG image (*.svg)", ".svg"),
    "frames": ("Name the folder of the pictures", "Folder", ""),
}


class MergeCommands(WorkspaceCommands):
    """Controls the current page and its player."""

    name = MERGES

    def __init__(
        self, session: Session, host: WorkspaceHost, window: QWidget, appearance: Appearance
    ) -> None:
        super().__init__(session, host, window)
        self.animations = AnimationCommands(session, appearance, lambda: self.page, window)

    def play(self, asked: PlayBytes) -> None:
        """Selects bytes, and shows the steps that make their tokens, at one of them."""
        if asked.key:
            self._session.set_current(asked.key)
        self._session.select(asked.start, asked.end)
        current = self._session.current
        if current is None:
            return
        self.show_page("steps")
        if self.view is not None:
            cast("MergesView", self.view).play_at(current.key, asked.step)

    def declared(self) -> list[Action]:
        """Returns the actions."""
        page, can_play = self.pages(Section.MERGES).action, self.can_play
        word = ActionChoice[int](
            "word_panel",
            Section.WORD,
            lambda: self._steps.word_panel if self._steps is not None else None,
            self._show_word,
        ).action
        table = ActionChoice[int](
            "training_table",
            Section.TABLES,
            lambda: self._training.tables.shown if self._training is not None else None,
            self._show_table,
        ).action
        # fmt: off
        return [
            Action("export_steps", "E&xport steps …", Section.EXPORT, "Ctrl+R, E", self.animations.export_steps, "Writes a step of the player as PNG or SVG, or its steps as GIF, WebP or numbered pictures", lambda: self.page is not None and self.page.has_animation, icon="film-strip"),
            Action("copy_used_merges", "&Copy the merges that were used", Section.PLAYERS, "Ctrl+R, U", self.copy_used_merges, "Copies the merges of the steps with their ids: (101, 32) → 256", self.has_used_merges, icon="copy"),
            Action("save_used_merges", "Save the merges that were use&d …", Section.PLAYERS, "Ctrl+R, N", self.save_used_merges, "Writes the merges of the steps with their ids, as CSV", self.has_used_merges, icon="export"),
            Action("play", "P&lay or pause", Section.PLAY, "Ctrl+P", self._drive(lambda player: player.toggle()), "Plays the steps, or pauses", can_play, icon="play"),
            Action("step_back", "Step &back", Section.PLAY, "Alt+Shift+Left", self._drive(lambda player: player.step(-1)), enabled=can_play, icon="caret-left"),
            Action("step_on", "Step &on", Section.PLAY, "Alt+Shift+Right", self._drive(lambda player: player.step(1)), enabled=can_play, icon="caret-right"),
            Action("play_start", "To the st&art", Section.PLAY, "Alt+Home", self._drive(lambda player: player.go_to(0, by_hand=True)), enabled=can_play, icon="skip-back"),
            Action("play_end", "To the &end", Section.PLAY, "Alt+End", self._drive(lambda player: player.go_to(player.length, by_hand=True)), enabled=can_play, icon="skip-forward"),
            Action("slower", "&Slower", Section.SPEED, "Alt+PgDown", lambda: self._change_speed(-1), enabled=can_play, icon="rewind"),
            Action("faster", "&Faster", Section.SPEED, "Alt+PgUp", lambda: self._change_speed(1), enabled=can_play, icon="fast-forward"),
            page("steps", "merge_steps", "Ste&ps of the tokenizers", "Ctrl+D, 3", "What the model does to the selection, step by step", icon="git-merge"),
            page("sizes", "merge_sizes", "&Vocabulary size", "Ctrl+D, V", "The text as it is split by the first merges of a vocabulary, as many as you like", icon="ruler"),
            switch("size_log", "Lo&g scale of sizes", Section.MERGES, "Ctrl+D, G", lambda: self._sizes is not None and self._sizes.log, self._set_log, "Each doubling of the size takes the same width", lambda: self._sizes is not None, icon="chart-line"),
            switch("size_ratio", "B&ytes per token at each size", Section.MERGES, "Ctrl+D, Y", lambda: self._sizes is not None and self._sizes.ratio, self._set_ratio, "Draws bytes per token instead of tokens", lambda: self._sizes is not None, icon="chart-line-up"),
            page("why", "merge_why", "&Why not one token?", "Ctrl+D, 4", "Why a string is not one token", icon="question"),
            page("prefixes", "merge_prefixes", "Longest &match of added tokens", "Ctrl+D, Q", "How added and user-defined tokens are matched before any merge: the trie, byte by byte", icon="flow-arrow"),
            page("training", "merge_training", "Trai&ning", "Ctrl+D, 5", "Trains a tokenizer, and plays its merges back", icon="tree-structure"),
            Action("train", "T&rain", Section.MERGES, "Ctrl+D, M", self.train, "Learns merges from the corpus chosen on the page Training", icon="play-circle"),
            Action("keep_training", "&Keep the trained tokenizer", Section.MERGES, "Ctrl+D, K", self._keep_training, "Writes the trained tokenizer to a file, and adds it to the library", lambda: self._training is not None and self._training.story is not None, icon="tray"),
            Action("copy_steps", "Copy the steps as te&xt", Section.MERGES, "Ctrl+R, Z", self.copy_steps, "Copies the merges of the page Training with ids and counts, or the rounds of Unigram, separated by tabs", lambda: self._has_lines, icon="copy"),
            Action("save_steps", "Save the steps as a ta&ble …", Section.EXPORT, "Ctrl+Shift+G, S", self.save_steps, "Writes the merges of the page Training with ids and counts, or the rounds of Unigram, as CSV", lambda: self._has_lines, icon="table"),
            switch("side_by_side", "Two tokenizers side by s&ide", Section.PLAYERS, "Ctrl+D, 2", self.is_side_by_side, self._set_side_by_side, "Plays the next tokenizer next to the current one", lambda: self._steps is not None, icon="columns"),
            word(0, "word_queue", "&Queue of the word: a heap", "Ctrl+Shift+G, Q", "The waiting merges, with stale entries, and the positions that a queue and a scan look at", icon="list-numbers"),
            word(1, "word_list", "Links of the symbols: a do&ubly linked list", "Ctrl+Shift+G, L", "The symbols of the word, each with its previous and next symbol", icon="link"),
            word(2, "word_cache", "Cac&he of words", "Ctrl+Shift+G, H", "Which words of the text were encoded before: a hit or a miss", icon="archive-box"),
            table(0, "training_overview", "&Overview of the training", "Ctrl+Shift+G, O", "The most frequent pairs, the compression, and the text after the merge", icon="chart-bar"),
            table(1, "training_pre_tokens", "Pre-tokens of the trai&ning, with counts", "Ctrl+Shift+G, W", "The distinct pre-tokens of the corpus, and how they are split now", icon="scissors"),
            table(2, "training_pairs", "&Pairs of the training, with counts and ids", "Ctrl+Shift+G, P", "All adjacent pairs after the merge; for Unigram, all pieces with their losses and expected counts", icon="table"),
            table(3, "training_changes", "&Changes of a merge: the deltas of its pairs", "Ctrl+Shift+G, C", "Each pair whose count the merge changed; for Unigram, each piece whose score the step changed", icon="arrows-left-right"),
            switch("in_step", "In s&tep", Section.PLAYERS, "Ctrl+D, T", lambda: self._steps is not None and self._steps.in_step, self._set_in_step, "Both go to the same step", self.is_side_by_side, icon="equals"),
        ]
        # fmt: on

    @property
    def _steps(self) -> StepsPage | None:
        return cast("StepsPage", self.page) if self.page_id == "steps" else None

    @property
    def _sizes(self) -> MergeSizesPage | None:
        return cast("MergeSizesPage", self.page) if self.page_id == "sizes" else None

    @property
    def _training(self) -> MergeTrainingPage | None:
        return cast("MergeTrainingPage", self.page) if self.page_id == "training" else None

    @property
    def _player(self) -> StepPlayer | None:
        return self.page.player if self.page is not None else None

    def has_used_merges(self) -> bool:
        """Whether the steps have merges."""
        return self._steps is not None and self._steps.merges_anything

    def copy_used_merges(self) -> None:
        """Copies the merges of the steps, separated by tabs."""
        if self._steps is not None:
            QGuiApplication.clipboard().setText(into_qt(self._steps.as_text()))

    def save_used_merges(self) -> None:
        """Asks for a file, and writes the merges of the steps there as CSV."""
        page = self._steps
        if page is None:
            return
        name, _ = ask_new_file(
            "tables", self._window, "Save the merges", "merges.csv", "Table (*.csv)"
        )
        if name:
            self.save_text(chosen_path(name, ".csv"), page.as_csv())

    def can_play(self) -> bool:
        """Whether there is something to play."""
        return self._player is not None and self._player.length > 0

    def _drive(self, do: Callable[[StepPlayer], object]) -> Callable[[], None]:
        """Returns a function that calls ``do`` with the current player, if there is one."""

        def run() -> None:
            if self._player is not None:
                do(self._player)

        return run

    def _change_speed(self, step: int) -> None:
        if self.page is not None:
            self.page.change_speed(step)

    def is_side_by_side(self) -> bool:
        """Whether two tokenizers are played."""
        return self._steps is not None and self._steps.side_by_side

    def _set_side_by_side(self, both: bool) -> None:
        if self._steps is not None:
            self._steps.set_side_by_side(both)

    def _set_in_step(self, in_step: bool) -> None:
        if self._steps is not None:
            self._steps.set_in_step(in_step)

    def _set_log(self, log: bool) -> None:
        if self._sizes is not None:
            self._sizes.set_log(log)

    def _set_ratio(self, ratio: bool) -> None:
        if self._sizes is not None:
            self._sizes.set_ratio(ratio)

    def _show_word(self, panel: int) -> None:
        """Shows the queue, the list or the cache of the word that is played."""
        self.show_page("steps")
        if self._steps is not None:
            self._steps.show_word_panel(panel)

    def _show_table(self, table: int) -> None:
        """Shows the overview or a table of the training."""
        self.show_page("training")
        page = self._training
        if page is None:
            return
        page.tables.choose(table)
        if table and page.story is not None and page.story.tables is None:
            self._session.problem.emit(
                "This training was too large to record all pairs. Break ties by the smallest ids, and train again."
            )

    def train(self) -> None:
        """Trains with the settings of the page Training."""
        self.show_page("training")
        if self._training is not None:
            self._training.train()

    @property
    def _has_lines(self) -> bool:
        return self._training is not None and self._training.story is not None

    def copy_steps(self) -> None:
        """Copies the list of steps of the page Training."""
        if self._training is not None:
            QGuiApplication.clipboard().setText(self._training.as_text())

    def save_steps(self) -> None:
        """Asks for a file, and writes the list of steps of the page Training there as CSV."""
        page = self._training
        if page is None or page.story is None:
            return
        name, _ = ask_new_file(
            "tables",
            self._window,
            "Save the list of steps",
            f"{page.story.algorithm}-steps.csv",
            "Table (*.csv)",
        )
        if name:
            self.save_text(chosen_path(name, ".csv"), page.as_csv())

    def _keep_training(self) -> None:
        if self._training is not None:
            self._training.keep()


class AnimationCommands:
    """Exports a step as a picture, or steps as an animation or numbered pictures. ``page`` returns the current page."""

    def __init__(
        self,
        session: Session,
        appearance: Appearance,
        page: Callable[[], Page | None],
        window: QWidget,
    ) -> None:
        self._session = session
        self._appearance = appearance
        self._page = page
        self._window = window
        self.dialog: AnimationDialog | None = None

    def keeps(self) -> tuple[Kept, ...]:
        """Returns what the dialog writes, for scenes; only once it was opened."""
        dialog = self.dialog
        if dialog is None:
            return ()
        kind = kept_control("kind", dialog.kind)

        def show(text: object) -> None:
            kind.show(text)
            dialog.show_preview()

        return (kind._replace(show=show),)

    def export_steps(self) -> None:
        """Asks what to export of the current player."""
        from tokenarium.widgets.players.animation_dialog import LARGEST, SMALLEST, AnimationDialog

        page = self._page()
        if page is None or not page.has_animation:
            return
        if self.dialog is not None:
            self.dialog.deleteLater()
        if page.player is not None:
            page.player.pause()
        seen = page.pictured.size()
        size = QSize(
            min(max(seen.width(), SMALLEST.width()), LARGEST.width()),
            min(max(seen.height(), SMALLEST.height()), LARGEST.height()),
        )
        dark = self._appearance.theme.dark
        self.dialog = AnimationDialog(
            lambda dark: _animation(page, dark),
            size,
            dark,
            motion_enabled(explains=True),
            self._window,
        )
        self.dialog.chosen.connect(lambda order: self._ask(page, order))
        self.dialog.open()

    def _ask(self, page: Page, order: Order) -> None:
        """Asks for the file, and starts to write it."""
        animation = _animation(page, order.dark)
        if animation is None:
            return
        title, kind, suffix = FILES[order.kind]
        suggested = _file_name(animation.title) + suffix
        options = QFileDialog.Option(0)
        if order.kind == "frames":
            options = QFileDialog.Option.ShowDirsOnly
        name, _ = ask_new_file("animations", self._window, title, suggested, kind, options=options)
        if not name:
            animation.close()
            return
        path = Path(name)
        if suffix and not path.suffix:
            path = path.with_suffix(suffix)
        self.write(animation, replace(order, path=path))

    def write(self, animation: Animation, order: Order) -> None:
        """Writes an animation in slices; cancels a running export."""
        from tokenarium.widgets.players.animation_job import AnimationJob

        self._session.jobs.cancel(JOB)
        job = AnimationJob(animation, order)

        def take(progress: Progress) -> None:
            if progress.finished:
                self._session.requests.tell_saved(order.path)

        def fail(error: TokenariumError) -> None:
            self._session.problem.emit(str(error))

        title = f"Exporting {order.path.name}"
        self._session.jobs.start(JOB, title, job, take, fail, job.cancel)

    def stop(self) -> None:
        """Cancels a running export, and closes the dialog."""
        self._session.jobs.cancel(JOB)
        if self.dialog is not None:
            self.dialog.close()


def _animation(page: Page, dark: bool) -> Animation | None:
    return page.animation(DARK if dark else LIGHT)


def _file_name(title: str) -> str:
    """Returns a title without the characters that are not allowed in file names."""
    return "".join(c if c.isalnum() or c in " -_." else "-" for c in title).strip(" .") or "steps"
