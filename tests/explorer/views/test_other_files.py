"""Every page shows a tokenizer of each format that only one library has."""

from __future__ import annotations

from pathlib import Path

import pytest
from other_files import FILES
from pytestqt.qtbot import QtBot

from tokenarium.app.window import MainWindow
from tokenarium.app.workspaces import WORKSPACES
from tokenarium.views.workspace import PagedWorkspace

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("format", FILES)
def test_each_page_shows_it(format: str, window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    name, content = FILES[format]
    path = tmp_path / name
    path.write_bytes(content())
    window.show()
    session = window.session
    session.set_text("the low tokens.\nकैसा है\nكيف")
    window.files.take_files([path])
    key = f"file:{path}"
    qtbot.waitUntil(lambda: (item := session.library.item(key)) is not None and item.tokenizer is not None)  # fmt: skip
    session.set_current(key)
    for kind in WORKSPACES:
        window.show_workspace(kind.name.id)
        space = window.workspace
        if isinstance(space, PagedWorkspace):
            for page in space.kinds:
                space.show_page(page.id)
                qtbot.wait(60)
        qtbot.wait(60)
