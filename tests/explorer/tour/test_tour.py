"""The tour: every scene file is shown as it says, and what is made up is shown too."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from tokenarium.app.window import MainWindow
from tokenarium.app.workspaces import WORKSPACES
from tokenarium.models.scene import read_scene, scene_bytes
from tokenarium.models.scene_texts import read_scene_file
from tokenarium.models.tokenizers.library import LibraryGroup
from tokenarium.resources.samples_index import load_samples
from tokenarium.session import settings
from tokenarium.tour.faked import FAKED, show_faked
from tokenarium.tour.render import Renderer, scene_files
from tokenarium.tour.waiting import page_of
from tokenarium.views.compare_readers import ReadersPage
from tokenarium.widgets.library.export_dialog import FOLDER

FILES = scene_files()
BATCH = 6
"""Scenes that one window shows after each other."""


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_scene_file_says_what_it_means(path: Path) -> None:
    found = read_scene_file(path)
    scene = found.scene
    assert not found.left_out
    assert read_scene(scene_bytes(scene)).scene == scene
    assert scene.workspace in {kind.name.id for kind in WORKSPACES}
    assert scene.text is not None
    assert not scene.text.file
    assert scene.text.sample in {"", *(one.id for one in load_samples())}
    for one in scene.tokenizers or ():
        kind = one.key.partition(":")[0]
        assert kind in ("shipped", "named")
        assert kind == "shipped" or one.instead[0].startswith("shipped:")


BATCHES = [FILES[first : first + BATCH] for first in range(0, len(FILES), BATCH)]


def close_all(window: MainWindow) -> None:
    """Closes what is open above the page."""
    for dialog in window.findChildren(QDialog):
        dialog.close()
    if window.presenting.shown is not None:
        window.presenting.shown.close()
    window.token_commands.close_card()
    window.lessons.close()


@pytest.mark.parametrize("paths", BATCHES, ids=lambda paths: paths[0].stem)
def test_scenes_are_shown_as_they_say(window: MainWindow, qtbot: QtBot, paths: list[Path]) -> None:
    session = window.session
    shipped = {item.key for item in session.library.group(LibraryGroup.SHIPPED)}
    said: list[str] = []
    session.problem.connect(said.append)
    for path in paths:
        found = read_scene_file(path)
        close_all(window)
        said.clear()
        window.stage.show(found)
        qtbot.waitUntil(lambda: not (window.stage.busy or session.opening))
        wanted = [one.key for one in found.scene.tokenizers or ()]
        own = set(wanted) <= shipped
        for sentence in filter(None, said):
            # Another tokenizer may have no such entry and no such step.
            assert not own, f"{path.stem}: {sentence}"
            assert "not known" not in sentence, f"{path.stem}: {sentence}"
        assert window.workspace.name.id == found.scene.workspace
        if "lesson" not in found.scene.above:
            assert len(session.chosen()) == len(wanted)
    close_all(window)


def test_pictures_are_those_of_the_real_tokenizers(
    data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(data / "tokenizers" / "tiktoken-cache"))
    for name in ("selection", "bytes-small"):
        path = next(path for path in FILES if path.stem == name)
        renderer = Renderer((), settings.CUTS.default)
        assert renderer.show(read_scene_file(path)) == []
        picture = QImage(str(renderer.picture(tmp_path, name, "", "dark")))
        scene = read_scene_file(path).scene
        assert (picture.width(), picture.height()) == (scene.size or (1440, 900))
        made = renderer.window.stage.make(portable=True)
        assert made.selection == scene.selection
        assert made.pages.get("bytes.bytes") == scene.pages.get("bytes.bytes")
        renderer.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["downloading", "error", "check-parts", "find-nothing", "lesson-editor", "lesson-hands"]
)
def test_what_is_made_up_is_shown(name: str) -> None:
    assert name in FAKED
    renderer = show_faked(name)
    assert renderer.window.session.text
    renderer.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["save-as-proved", "save-as-programs"])
def test_a_saved_tokenizer_is_shown_with_its_proof(name: str) -> None:
    for library in ("tokenizers", "tiktoken", "transformers"):
        pytest.importorskip(library)
    renderer = show_faked(name)
    dialog = renderer.window.lazy.exporting.dialog
    assert dialog is not None
    assert dialog.chosen == ("huggingface" if name == "save-as-proved" else FOLDER)
    assert dialog.sentence.text().startswith(f"Written to {renderer.folder}")
    assert dialog.problem.isHidden()
    renderer.close()


@pytest.mark.slow
def test_programs_that_were_run_are_shown_beside_their_rules() -> None:
    pytest.importorskip("tokenizers")
    renderer = show_faked("compare-readers-run")
    page = page_of(renderer, ReadersPage)
    run = [one for one in page.result.reading if one.was_run]
    assert {one.program for one in run} >= {"tokenizers"}
    assert {one.release for one in run} <= {
        one.release for one in page.result.reading if not one.was_run
    }
    renderer.close()
