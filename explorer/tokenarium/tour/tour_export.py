"""The stops of the tour at the dialog that exports the steps of a player."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize

from tokenarium.app.start import WELCOME, sample_text
from tokenarium.app.window import MainWindow
from tokenarium.tour.tour_sizes import SizesGuide

Stop = tuple[str, str, Callable[[MainWindow], object]]
WORD = "unfamiliar"
SMALL = QSize(800, 600)


def export_stops(guide: SizesGuide) -> list[Stop]:
    """Returns the name, the workspace and the preparation of each stop."""

    def export(page: str, kind: int, size: QSize | None = None) -> Callable[[MainWindow], object]:
        def prepare(window: MainWindow) -> None:
            if size is not None:
                window.resize(size)
            window.session.set_text(sample_text(WELCOME))
            window.merge_commands.show_page(page)
            text_map = window.session.text_map
            start = text_map.utf8.index(WORD.encode())
            window.session.select(start, start + len(WORD))
            guide.settle()
            window.merge_commands.animations.export_steps()
            dialog = window.merge_commands.animations.dialog
            assert dialog is not None
            dialog.kind.setCurrentIndex(kind)
            dialog.show_preview()

        return prepare

    return [
        ("export-gif", "merges", export("steps", 0)),
        ("export-frames", "merges", export("sizes", 1)),
        ("export-picture", "merges", export("steps", 2)),
        ("export-small", "merges", export("steps", 0, SMALL)),
    ]
