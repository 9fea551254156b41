"""The menu of sample texts, group by group; it is filled when it is first opened."""

from __future__ import annotations

from itertools import groupby

from PySide6.QtWidgets import QMenu, QWidget

from tokenarium.menus.window_commands import samples
from tokenarium.session.session import Session


class SampleMenu(QMenu):
    """Makes a sample the text of the session."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.aboutToShow.connect(self._fill)

    def _fill(self) -> None:
        if not self.isEmpty():
            return
        for group, members in groupby(samples(), lambda sample: sample.group):
            shown = list(members)
            menu = self.addMenu(group) if len(shown) > 1 else self  # a group of one is no group
            menu.setToolTipsVisible(True)
            for sample in shown:
                action = menu.addAction(sample.title)
                action.setToolTip(sample.about)
                action.triggered.connect(lambda _, s=sample: self._session.set_text(s.text()))
