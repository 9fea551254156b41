"""The process in which the slider of the vocabulary size is dragged and timed: no display, nothing else to do.

    sizes_probe.py  < JSON: the text, the subjects with their paths, the frames

A frame lasts from the place to which the slider is dragged until the event loop has nothing left to do and the tokens
and the chart are painted.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PySide6.QtWidgets import QApplication
from window_probe import PATIENCE_S, Painted

from tokenarium.tour.render import Renderer
from tokenarium.views.merge_sizes import MergeSizesPage
from tokenarium.views.merges import MergesView
from tokenarium.widgets.players.size_player import PLACES


def main(order: dict[str, Any]) -> dict[str, Any]:
    """Returns, of each subject, the milliseconds of each frame, and of the run that all of them are read from."""
    renderer = Renderer()
    window, session = renderer.window, renderer.window.session
    for item in session.chosen():
        session.edits.turn_on(item.key, item.key in order["subjects"])
    window.take_files([Path(path) for path in order["files"]])
    renderer.settle()
    window.session.set_text(order["text"])
    window.merge_commands.show_page(MergeSizesPage.id)
    renderer.settle()
    view = window.workspace
    assert isinstance(view, MergesView)
    page = view.page
    assert isinstance(page, MergeSizesPage)
    page.recut()
    renderer.settle()
    painted = Painted([page.view.viewport(), page.stage.chart.viewport()])
    found: dict[str, Any] = {}
    for item in session.chosen():
        assert item.tokenizer is not None
        runs = []
        for _ in range(5):
            begin = time.perf_counter()
            while not item.tokenizer.nested_cuts(order["text"]).step(1e9).finished:
                pass
            runs.append(1000 * (time.perf_counter() - begin))
        session.set_current(item.key)
        renderer.settle()
        page.recut()
        for place in (0, PLACES):
            page.bar.slider.setValue(place)
            renderer.settle()
        frames = order["frames"]
        places = [PLACES - round(PLACES * (k + 1) / frames) for k in range(frames)]
        pairs = [_frame(page, painted, place) for place in places]
        found[item.name] = {
            "run": runs,
            "frame": [pair[0] for pair in pairs],
            "frame, processor": [pair[1] for pair in pairs],
        }
    return found


def _frame(page: MergeSizesPage, painted: Painted, place: int) -> tuple[float, float]:
    """Returns the milliseconds of a frame, and how many of them the processor worked for us."""
    painted.reset()
    worked, begin = time.process_time(), time.perf_counter()
    page.bar.slider.setValue(place)
    QApplication.processEvents()
    while not painted.all:
        if time.perf_counter() > begin + PATIENCE_S:
            raise TimeoutError("The page was not painted.")
        QApplication.processEvents()
    return 1000 * (time.perf_counter() - begin), 1000 * (time.process_time() - worked)


if __name__ == "__main__":
    print(json.dumps(main(json.load(sys.stdin))))
