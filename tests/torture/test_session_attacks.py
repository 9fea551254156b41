"""Each attack on sessions and on links finds the fault that it is for: it is planted here, and taken out again."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

FOLDER = Path(__file__).resolve().parent

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="the attacks use what Unix has"),
]


@pytest.fixture(scope="module")
def parts(qapp: QApplication) -> Iterator[Any]:
    """The modules of the attacks, with a window that all tests share."""
    sys.path.insert(0, str(FOLDER))
    try:
        yield [
            importlib.import_module(name)
            for name in ("sessions", "links", "session_window", "attack")
        ]
    finally:
        sys.path.remove(str(FOLDER))


@pytest.fixture
def found(parts: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, int], str]:
    """A function that runs so many cases of an attack, and returns what was wrong with the first that failed."""
    sessions, links, window, attack = parts
    (tmp_path / "tmp").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOKENARIUM_DATA", str(tmp_path / "data"))
    hook = sys.excepthook

    def run(name: str, cases: int) -> str:
        by_name = {one.name: one for one in (*sessions.ATTACKS, *links.ATTACKS)}
        one = by_name[name]
        for number in range(cases):
            case = one.make(attack.chance_of(1, name, number))
            try:
                one.run(case)
            except Exception as error:
                return f"{type(error).__name__}: {error}"
            finally:
                window.clear_faults()
        return ""

    yield run
    sys.excepthook = hook


def plant_kept_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokenarium.session.undo_stack.UndoStack.withdraw_about", lambda *_: None)


def plant_long_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "tokenarium.models.scene.listed", lambda names, most=5: ", ".join(names[:3000])
    )
    monkeypatch.setattr("tokenarium.app.scenes.told", " ".join)


def plant_no_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokenarium_core.bounded_json.check_json", lambda *_: None)
    import json

    def parse(content: bytes, source: str, bounds: object) -> Any:
        from tokenarium_core import FormatError

        try:
            return json.loads(content.decode("utf-8", "surrogatepass"))
        except ValueError as error:
            raise FormatError(f"{source} is not valid JSON.") from error

    monkeypatch.setattr("tokenarium.models.scene.read_json", parse)


def plant_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(error: Exception) -> str:
        raise KeyError(str(error))

    monkeypatch.setattr("tokenarium.models.scene._reason", wrong)


def plant_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        from tokenarium_core import FormatError

        raise FormatError("no sentence")

    monkeypatch.setattr("tokenarium.models.scene.read_json", fail)


def plant_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokenarium.app.scenes.sha256", lambda data: "0" * 64)
    monkeypatch.setattr("tokenarium.models.scene_texts.is_plain_name", lambda name: True)
    monkeypatch.setattr("tokenarium.app.scenes.told", lambda said: "")


def plant_lost_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    from tokenarium.models.scene_store import SceneStore

    real = SceneStore._remove_texts
    monkeypatch.setattr(
        SceneStore, "_remove_texts", lambda self, pattern, wanted: real(self, pattern, set())
    )


def plant_unasked_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokenarium.app.scene_commands.named_files", lambda scene: [])


@pytest.mark.parametrize(
    ("name", "cases", "plant", "said"),
    [
        ("sessions-fields", 12, plant_an_error, "KeyError"),
        ("sessions-bytes", 400, plant_words, "is no sentence"),
        ("sessions-bulk", 40, plant_no_bounds, "too much was read"),
        ("sessions-bulk", 40, plant_long_messages, "characters"),
        ("sessions-tokenizers", 12, plant_kept_refusals, "Error"),
        ("sessions-texts", 25, plant_silence, "nothing is said"),
        ("sessions-kept", 30, plant_lost_texts, "not come back"),
        ("links-values", 12, plant_unasked_files, "no one was asked about"),
        ("links-letters", 40, plant_words, "is no sentence"),
        ("links-bulk", 40, plant_no_bounds, "too much was read"),
    ],
)
def test_a_planted_fault_is_found(
    found: Callable[[str, int], str],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    cases: int,
    plant: Callable[[pytest.MonkeyPatch], None],
    said: str,
) -> None:
    with monkeypatch.context() as planted:
        plant(planted)
        assert said in found(name, cases)
