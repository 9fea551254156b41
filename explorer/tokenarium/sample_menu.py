"""The menu of sample texts, group by group; it is filled when it is first opened."""

from __future__ import annotations

from PySide6.QtWidgets import QMenu, QWidget

from tokenarium.session import Session
from tokenarium.window_commands import samples


class SampleMenu(QMenu):
    """Makes a sample the text of the session."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.aboutToShow.connect(self._fill)

    def _fill(self) -> None:
        if not self.isEmpty():
            return
        submenus: dict[str, QMenu] = {}
        for sample in samples():
            menu = submenus.get(sample.group)
            if menu is None:
                menu = submenus[sample.group] = self.addMenu(sample.group)
                menu.setToolTipsVisible(True)
            action = menu.addAction(sample.title)
            action.setToolTip(sample.about)
            action.triggered.connect(lambda _, s=sample: self._session.set_text(s.text()))
