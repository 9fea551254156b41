"""Help when something went wrong: the log, how the last run ended, a safe start, and newer versions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from datetime import date
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QWidget

from tokenarium.menus.actions import Action, Section
from tokenarium.models.program_log import WARNING, log
from tokenarium.session import settings
from tokenarium.session.fetching import NOT_ALLOWED
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings
from tokenarium.widgets.message_bar import MessageBar

if TYPE_CHECKING:  # few starts need them
    from tokenarium.app.scene_commands import SceneCommands
    from tokenarium.models.run_marks import CrashedRun
    from tokenarium.models.updates import NewVersion
    from tokenarium.widgets.log_dialog import LogDialog
    from tokenarium.widgets.report_dialog import ReportDialog
    from tokenarium.work.update_check import UpdateCheck

FIRST_CHECK_MS = 20_000
"""Milliseconds after the start at which a weekly check is made, if it is due."""

NEXT_CHECK_MS = 6 * 60 * 60 * 1000
"""How often a window that stays open checks whether one is due."""

ENDED = "Tokenarium ended unexpectedly last time."
AS_IT_WAS = "Everything is as you left it."


class TroubleCommands(QObject):
    """The commands. ``leave`` ends this run, and begins one with other arguments."""

    def __init__(
        self,
        session: Session,
        store: Settings,
        messages: MessageBar,
        texts: SceneCommands,
        show_workspace: Callable[[str], object],
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._session = session
        self._store = store
        self._messages = messages
        self._texts = texts
        self._show_workspace = show_workspace
        self._window = window
        self.leave: Callable[[Sequence[str]], object] | None = None
        self.log_dialog: LogDialog | None = None
        self.report_dialog: ReportDialog | None = None
        self.check: UpdateCheck | None = None
        self.index_url = ""
        """The address that is asked for versions, instead of the package index."""
        self._weekly = QTimer(self, interval=NEXT_CHECK_MS)
        self._weekly.timeout.connect(self.check_weekly)

    def declared(self) -> list[Action]:
        """Returns the actions."""
        # fmt: off
        return [
            Action("log", "Lo&g …", Section.ABOUT, "Ctrl+Shift+B, L", self.show_log, "Shows what the program did and what went wrong, without your texts", icon="list-bullets"),
            Action("check_updates", "Check for &updates", Section.ABOUT, "Ctrl+Shift+B, U", self.check_now, "Asks the Python Package Index for the newest version; nothing else is sent", icon="arrows-clockwise"),
        ]
        # fmt: on

    # At the start.

    def begin(self) -> None:
        """Begins to look for newer versions once a week, if that is switched on."""
        self._weekly.start()
        QTimer.singleShot(FIRST_CHECK_MS, self, self.check_weekly)

    def say_safe(self, sentence: str) -> None:
        """Says that this is a safe start, with a button to start normally."""
        self._messages.offer(
            sentence,
            "Start normally",
            "Ends this run, and starts one with your settings, tokenizers and session",
            self._usual,
        )

    def _usual(self) -> None:
        if self.leave is not None:
            self.leave([])

    def say_crashed(self, crash: CrashedRun, sentence: str) -> None:
        """Says that the last run ended unexpectedly; ``sentence`` names what differs now, if anything does."""
        differs = (
            sentence if "ended unexpectedly" in sentence else f"{ENDED} {sentence or AS_IT_WAS}"
        )
        self._messages.trouble(
            differs,
            "",
            ("Show report", lambda: self.show_crash(crash)),
            ("Start fresh", self._start_fresh),
        )

    def _start_fresh(self) -> None:
        """Begins without the last session, which can be restored."""
        aside = self._texts.start_fresh()
        if aside is not None:
            self._show_workspace("tokens")
            self._messages.offer(
                "Started fresh. Your last session is kept.",
                "Bring it back",
                f"Opens {aside}",
                lambda: self._texts.open_path(aside),
            )

    def show_crash(self, crash: CrashedRun) -> None:
        """Shows the report of a run that ended unexpectedly."""
        from tokenarium.models.files import log_folder
        from tokenarium.models.problem_report import (
            ended_in,
            report_text,
            tracker_url,
            window_facts,
        )
        from tokenarium.widgets.report_dialog import NoticeButton, ReportDialog

        fault = ended_in(crash.log)
        why = fault.partition("\n")[0].removeprefix("Fatal Python error: ").strip()
        sentence = (
            f"It ended in compiled code: {why}."
            if why
            else "It left no trace of a fault: another program ended it, or the computer was turned off."
        )
        path = log_folder() / f"{crash.log}.log" if crash.log else None
        report = report_text("Tokenarium ended unexpectedly.", [], path, window_facts(), fault)
        buttons = [NoticeButton("Close", lambda: None, usual=True)]
        text_buttons = []
        if tracker_url():
            text_buttons.append(NoticeButton("Report …", self._open_tracker, closes=False))
        self.report_dialog = ReportDialog(
            "The last run",
            "Tokenarium ended unexpectedly last time",
            sentence,
            "The report for the developers. It contains neither your texts nor the names of your files.",
            report,
            buttons,
            text_buttons,
            parent=self._window,
        )
        self.report_dialog.show()

    def _open_tracker(self) -> None:
        from tokenarium.models.problem_report import tracker_url

        if self.report_dialog is not None:
            self.report_dialog.copy()
        QDesktopServices.openUrl(QUrl(tracker_url()))

    # The log.

    def show_log(self, parent: QWidget | None = None) -> None:
        """Shows the log, next to the window or above a dialog."""
        from tokenarium.menus.settings_commands import open_folder
        from tokenarium.models.files import log_folder
        from tokenarium.models.program_log import log_files, log_path, tail_of
        from tokenarium.widgets.log_dialog import LogDialog

        dialog = self.log_dialog
        if parent is not None or dialog is None:
            dialog = LogDialog(
                log_path(),
                log_files,
                tail_of,
                self._copy_report,
                lambda: open_folder(log_folder()),
                parent or self._window,
            )
            if parent is None:
                self.log_dialog = dialog
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()

    def _copy_report(self) -> None:
        from tokenarium.models.problem_report import report_text, window_facts
        from tokenarium.models.program_log import log_path

        report = report_text("A report from Tokenarium.", [], log_path(), window_facts())
        QGuiApplication.clipboard().setText(report)

    # Newer versions.

    def check_weekly(self) -> None:
        """Asks for the newest version, if that is switched on and was not done for a week."""
        from tokenarium.models.updates import is_due

        store = self._store
        if not store.get(settings.CHECK_UPDATES) or not self._session.downloads_allowed:
            return
        if is_due(store.get(settings.UPDATES_CHECKED), date.today()):
            self._ask(pressed=False)

    def check_now(self) -> None:
        """Asks for the newest version, and reports the answer."""
        if not self._session.downloads_allowed:
            self._messages.say(NOT_ALLOWED)
            return
        self._messages.tell("Asking pypi.org for the newest version …")
        self._ask(pressed=True)

    def _ask(self, pressed: bool) -> None:
        from tokenarium.models.updates import INDEX_URL
        from tokenarium.work.update_check import UpdateCheck

        if self.check is not None:
            self.check.cancel()
            self.check.deleteLater()
        self._store.set(settings.UPDATES_CHECKED, date.today().isoformat())
        check = self.check = UpdateCheck(self.index_url or INDEX_URL, self)
        check.answered.connect(lambda found: self._say_answer(found, pressed))
        check.failed.connect(lambda sentence: self._say_failed(sentence, pressed))
        check.start()

    def _say_failed(self, sentence: str, pressed: bool) -> None:
        log("no answer about newer versions", WARNING)
        if pressed:
            self._messages.say(sentence)

    def _say_answer(self, found: NewVersion | None, pressed: bool) -> None:
        from tokenarium_core import __version__

        if found is None:
            if pressed:
                self._messages.tell(f"This is the newest version: {__version__}.")
        elif pressed:
            self._messages.say("")
            self.show_new(found)
        else:
            self._messages.offer(
                f"Tokenarium {found.version} is available; this is {__version__}.",
                "Show",
                "What is new, and how to get it",
                lambda: self.show_new(found),
            )

    def show_new(self, found: NewVersion) -> None:
        """Shows a newer version, and how to get it."""
        from tokenarium.models.installation import is_frozen
        from tokenarium.models.problem_report import project_url
        from tokenarium.models.updates import upgrade_command
        from tokenarium.widgets.report_dialog import NoticeButton, ReportDialog
        from tokenarium_core import __version__

        page = project_url("Download", "Releases", "Homepage")
        text_buttons = []
        if is_frozen():
            get = (
                "Get it from the download page."
                if page
                else "Get it from where you got this version."
            )
            if page:
                text_buttons.append(
                    NoticeButton(
                        "Open the page", lambda: QDesktopServices.openUrl(QUrl(page)), page
                    )
                )
        else:
            command = upgrade_command(sys.prefix)
            get = f"Close the window, and run:  {command}"
            text_buttons.append(
                NoticeButton(
                    "Copy the command",
                    lambda: QGuiApplication.clipboard().setText(command),
                    command,
                    closes=False,
                )
            )
        self.report_dialog = ReportDialog(
            "A newer version",
            f"Tokenarium {found.version} is available",
            f"This is {__version__}. {get}",
            "What is new:" if found.news else "",
            found.news,
            [NoticeButton("Close", lambda: None, usual=True)],
            text_buttons,
            copies="",
            fault=False,
            parent=self._window,
        )
        self.report_dialog.show()

    def stop(self) -> None:
        """Stops asking, as when the window closes."""
        self._weekly.stop()
        if self.check is not None:
            self.check.cancel()
        for dialog in (self.log_dialog, self.report_dialog):
            if dialog is not None:
                dialog.hide()
