"""Types into the filter of the workspace Vocabulary, with no display, and prints the milliseconds of each keystroke as JSON.

python vocabulary_probe.py FILE  (in an environment of its own: see vocabulary.py)
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from window_probe import Painted

TYPED = {
    "substring": ("the", "e", " tokenizer", "ation"),
    "combination": ("the script:latin len:3-5 type:normal", "script:han chars:2- id:1000-200000"),
    "bytes": ("bytes:f09f98", "flag:splits"),
    "regular expression": ("re:^\\s.*ing$", "re:^[A-Z]+$", "re:\\d{2}", "re:[^\\x00-\\x7f]"),
}
PATIENCE_S = 20


def main(file: str) -> None:
    """Opens a file, shows its vocabulary, and measures."""
    from tokenarium.tour.render import Renderer
    from tokenarium.views.vocabulary import VocabularyView

    renderer = Renderer()
    window = renderer.window
    window.session.set_text("A text.")
    item = window.session.edits.add_file(Path(file))
    renderer.settle()
    window.session.set_current(item.key)
    begin = time.perf_counter()
    window.vocabulary_commands.show_page("entries")
    view = window.workspace
    assert isinstance(view, VocabularyView)
    page = view.entries
    # All that changed is painted in one turn; where the rows stay as they were, that is the line alone.
    painted = Painted([page.table.viewport(), page.field.line])
    painted.reset()

    def frame(act: Callable[[], object]) -> float:
        QApplication.processEvents()
        painted.reset()
        started = time.perf_counter()
        act()
        while not painted.some:
            QApplication.processEvents()
            if time.perf_counter() > started + PATIENCE_S:
                raise TimeoutError(f"{page.field.text!r} was not shown.")
        return 1000 * (time.perf_counter() - started)

    while not painted.some:
        QApplication.processEvents()
    shown = 1000 * (time.perf_counter() - begin)
    renderer.settle()
    found: dict[str, Any] = {"entries": len(page.rows), "shown": shown, "keys": {}, "whole": {}}
    page.field.line.setFocus()
    for name, lines in TYPED.items():
        frames = found["keys"].setdefault(name, [])
        for line in lines:
            page.field.set_text("")
            renderer.settle()
            for sign in line:
                frames.append(frame(lambda sign=sign: QTest.keyClicks(page.field.line, sign)))
            started = time.perf_counter()
            while window.session.jobs.running():
                QApplication.processEvents()
            found["whole"][line] = 1000 * (time.perf_counter() - started)
            page.field.popup.hide()
    page.field.set_text("")
    renderer.settle()
    found["sort"] = [
        frame(lambda column=column, down=down: page.sort(column, down))
        for down in (False, True)
        for column in range(page.table.entries.columnCount())
    ]
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
