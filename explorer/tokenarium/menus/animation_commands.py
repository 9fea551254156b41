"""Commands around animations: a step as a picture, and steps as an animation or as numbered pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QFileDialog, QWidget

from tokenarium.session.session import Session
from tokenarium.style.appearance import Appearance, motion_wanted
from tokenarium.style.theme import DARK, LIGHT
from tokenarium.views.merge_page import MergePage
from tokenarium.widgets.players.animation import Animation
from tokenarium.widgets.players.animation_dialog import LARGEST, SMALLEST, AnimationDialog
from tokenarium.widgets.players.animation_job import AnimationJob, Order
from tokenarium_core import Progress, TokenariumError

JOB = "export"

FILES = {
    "gif": ("Export the steps", "GIF animation (*.gif)", ".gif"),
    "png": ("Export the step", "PNG image (*.png)", ".png"),
    "svg": ("Export the step", "SVG image (*.svg)", ".svg"),
    "frames": ("Name the folder of the pictures", "Folder", ""),
}


class AnimationCommands:
    """Handlers of the action that exports steps. ``page`` returns the page that is shown, if it may have an animation."""

    def __init__(
        self,
        session: Session,
        appearance: Appearance,
        page: Callable[[], MergePage | None],
        window: QWidget,
    ) -> None:
        self._session = session
        self._appearance = appearance
        self._page = page
        self._window = window
        self.dialog: AnimationDialog | None = None

    def export_steps(self) -> None:
        """Asks what to export of the player in sight."""
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
            lambda dark: _animation(page, dark), size, dark, motion_wanted(), self._window
        )
        self.dialog.chosen.connect(lambda order: self._ask(page, order))
        self.dialog.open()

    def _ask(self, page: MergePage, order: Order) -> None:
        """Asks for the file, and begins to write it."""
        animation = _animation(page, order.dark)
        if animation is None:
            return
        title, kind, suffix = FILES[order.kind]
        suggested = _file_name(animation.title) + suffix
        options = QFileDialog.Option(0)
        if order.kind == "frames":
            options = QFileDialog.Option.ShowDirsOnly
        name, _ = QFileDialog.getSaveFileName(self._window, title, suggested, kind, options=options)
        if not name:
            animation.close()
            return
        path = Path(name)
        if suffix and not path.suffix:
            path = path.with_suffix(suffix)
        self.write(animation, replace(order, path=path))

    def write(self, animation: Animation, order: Order) -> None:
        """Writes an animation in slices; an animation that is being written is given up."""
        self._session.jobs.cancel(JOB)
        job = AnimationJob(animation, order)

        def take(progress: Progress) -> None:
            if progress.finished:
                self._session.saved.emit(order.path)

        def fail(error: TokenariumError) -> None:
            self._session.problem.emit(str(error))

        title = f"Exporting {order.path.name}"
        self._session.jobs.start(JOB, title, job, take, fail, job.cancel)

    def stop(self) -> None:
        """Gives up what is being written, and closes the dialog."""
        self._session.jobs.cancel(JOB)
        if self.dialog is not None:
            self.dialog.close()


def _animation(page: MergePage, dark: bool) -> Animation | None:
    return page.animation(DARK if dark else LIGHT)


def _file_name(title: str) -> str:
    """Returns a title with nothing in it that a file name must not have."""
    return "".join(c if c.isalnum() or c in " -_." else "-" for c in title).strip(" .") or "steps"
