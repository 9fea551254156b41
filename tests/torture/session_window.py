"""What the attacks on sessions and on links share: scenes with faults, and a window that shows them and is looked at."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any

import msgspec
import zoo
from attack import ROOT, Case
from planting import patched, together
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication, QDialog, QMessageBox

from tokenarium.app import scenes
from tokenarium.app.start import application, make_window
from tokenarium.models.scene import MOST_VALUES, read_scene, scene_bytes
from tokenarium.models.tokenizers.library import State
from tokenarium.session import settings
from tokenarium.session.settings import Settings
from tokenarium_core import FormatError

SHIPPED = "shipped:tokenarium-8k"
BASE = "a text before"
LONGEST_MESSAGE = 6_000
"""Characters of what a window says of a session, at most."""

REST_S = 120.0
"""Seconds by the clock in which a window comes to rest, on a busy machine too."""

SCENES = sorted((ROOT / "resources" / "tour").glob("*.tokenarium"))
RAW = {"@nan@": "NaN", "@inf@": "-Infinity", "@huge@": "1e999", "@digits@": "9" * 5000}
"""What stands for numbers that JSON does not have, or no float holds."""


# Scenes with faults.


def scene_of(chance: Random) -> dict[str, Any]:
    """Returns a session of the tour with some faults in it, as its JSON has them."""
    scene: dict[str, Any] = json.loads(chance.choice(SCENES).read_text("utf-8"))
    if isinstance(scene.get("text"), dict):
        scene["text"].pop("repeat", None)
    scene.setdefault("display", {})["annotations"] = chance.choice(["ids", "none", wild(chance)])
    for _ in range(chance.randrange(1, 6)):
        holder = scene
        while True:
            inner = [value for value in holder.values() if isinstance(value, dict) and value]
            if not inner or chance.random() < 0.3:
                break
            holder = chance.choice(inner)
        kind = chance.random()
        names = [name for name in holder if name != "tokenarium"]
        if kind < 0.6 and names:
            holder[chance.choice(names)] = wild(chance)
        elif kind < 0.7 and names:
            holder[zoo.text_of(chance)] = holder.pop(chance.choice(names))
        elif kind < 0.9:
            holder[chance.choice([zoo.text_of(chance), *FIELDS])] = wild(chance)
        elif names:
            del holder[chance.choice(names)]
    return scene


FIELDS = [
    *("text", "tokenizers", "front", "workspace", "page", "selection", "display", "colours"),
    *("pages", "panes", "above", "size", "tokenarium", "inline", "file", "beside", "sha256", "key"),
]


def wild(chance: Random, depth: int = 0) -> Any:
    """Returns a value that the place where it is put does not expect."""
    kind = chance.randrange(8 if depth < 3 else 5)
    if kind == 0:
        return chance.choice([None, True, False, -1, 0, 1, 3, 2**31, 2**63, 10**30, -(10**30)])
    if kind == 1:
        return chance.choice([0.5, -0.0, 1e308, 5e-324, *([*RAW] if chance.random() < 0.2 else [])])
    if kind in (2, 3):
        return zoo.text_of(chance)
    if kind == 4:
        return chance.choice(
            [
                "",
                "\ud800",
                "a\0b",
                "x" * 5000,
                "\n" * 300,
                "/dev/null",
                "..",
                "\u202eabc",
                "<b>a</b>",
            ]
        )
    if kind == 5:
        return [wild(chance, depth + 1) for _ in range(chance.randrange(4))]
    if kind == 6:
        return {zoo.text_of(chance): wild(chance, depth + 1) for _ in range(chance.randrange(4))}
    inner: Any = chance.choice([[], {}, 1])
    for _ in range(chance.choice([2, 20, 40, 300])):
        inner = [inner] if chance.random() < 0.5 else {"a": inner}
    return inner


BULKS: dict[str, Callable[[int], str]] = {
    "fields": lambda count: "{" + ",".join(f'"f{n}":1' for n in range(count)) + "}",
    "settings": lambda count: '{"pages":{"tokens":{' + ",".join(f'"f{n}":1' for n in range(count)) + "}}}",
    "pages": lambda count: '{"pages":{' + ",".join(f'"f{n}":{{"a":1}}' for n in range(count)) + "}}",
    "panes": lambda count: '{"panes":{' + ",".join(f'"f{n}":1' for n in range(count)) + "}}",
    "display": lambda count: '{"display":{' + ",".join(f'"f{n}":1' for n in range(count)) + "}}",
    "above": lambda count: '{"above":{' + ",".join(f'"f{n}":{{}}' for n in range(count)) + "}}",
    "tokenizers": lambda count: '{"tokenizers":[' + ",".join(f'{{"key":"k{n}"}}' for n in range(count)) + "]}",
    "instead": lambda count: '{"tokenizers":[{"key":"file:/no","instead":[' + ",".join(f'"k{n}"' for n in range(count)) + "]}]}",
    "list": lambda count: '{"pages":{"tokens":{"a":[' + "1," * count + "1]}}}",
    "lists": lambda count: '{"x":[' + "[]," * count + "[]]}",
    "brackets": lambda count: '{"x":' + "[" * count,
    "title": lambda count: '{"text":{"inline":"a","title":"' + "t" * count + '"}}',
    "name": lambda count: '{"tokenizers":[{"key":"file:/no","name":"' + "n" * count + '"}]}',
    "key": lambda count: '{"' + "k" * count + '":1}',
    "text": lambda count: '{"text":{"inline":"' + "a b\\n" * count + '"}}',
    "strings": lambda count: '{"pages":{"tokens":{"a":"' + "s" * count + '"}}}',
    "blanks": lambda count: "{" + " " * count + "}",
    "digits": lambda count: '{"selection":[' + "9" * count + ",1]}",
}  # fmt: skip
"""Sessions with much of one thing, by its count."""


def bulk_text(kind: str, count: int) -> str:
    """Returns such a session as JSON, with its version."""
    text = BULKS[kind](count)
    return f'{{"tokenarium":1,{text[1:]}' if text[1:2] != "}" else '{"tokenarium":1}'


def written(scene: dict[str, Any]) -> bytes:
    """Returns a scene as JSON, with the numbers in it that JSON does not have."""
    text = json.dumps(scene, ensure_ascii=False)
    for mark, raw in RAW.items():
        text = text.replace(f'"{mark}"', raw)
    return text.encode("utf-8", "surrogatepass")


# The window.


def _read_all(content: bytes, source: str, bounds: object) -> Any:
    """Reads JSON of any size."""
    try:
        return json.loads(content.decode("utf-8", "surrogatepass"))
    except ValueError as error:
        raise FormatError(f"{source} is not valid JSON.") from error


UNBOUNDED = together(
    patched("tokenarium_core.bounded_json.check_json", lambda *_: None),
    patched("tokenarium.models.scene.read_json", _read_all),
)
"""A fault: sessions are read whatever they hold."""


@functools.cache
def window() -> Any:
    """Returns the one window of this process, with a text and a tokenizer."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

    scenes.PATIENCE_MS = 100  # nothing that a setting waits for is slow here
    sys.excepthook = _note
    path = str(Path.cwd() / "tmp" / "settings.ini")
    store = Settings(QSettings(path, QSettings.Format.IniFormat))
    store.set(settings.TOKENIZERS_ON, [SHIPPED])
    made = make_window(application(), store)
    made.session.downloads_allowed = False
    made.session.problem.connect(lambda said: SAID.append(said) if said else None)
    made.show()
    begin_again(made)
    return made


SAID: list[str] = []
_FAULTS: list[BaseException] = []


def _note(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    _FAULTS.append(error)


def clear_faults() -> None:
    """Forgets what was said and raised, as before another case."""
    _FAULTS.clear()
    SAID.clear()


def rest(made: Any) -> None:
    """Waits until the window is at rest; raises what was raised on the way."""
    session, app = made.session, application()
    end = time.monotonic() + REST_S
    quiet = 0
    while quiet < 2:
        app.processEvents()
        busy = session.opening or session.jobs.running() or made.stage.busy
        busy = busy or made.scene_commands.reading or made.workspace.busy
        quiet = 0 if busy else quiet + 1
        assert time.monotonic() < end, "the window does not come to rest"
        if busy:
            time.sleep(0.005)
    if _FAULTS:
        error = _FAULTS[0]
        _FAULTS.clear()
        raise error


def begin_again(made: Any) -> None:
    """Brings the window into the state that each case begins with."""
    session = made.session
    made.stage.stop()
    for item in list(session.library):
        if item.group.can_be_removed:
            session.edits.remove(item.key)
        elif item.on != (item.key == SHIPPED):
            session.edits.turn_on(item.key, item.key == SHIPPED)
    for dialog in _dialogs():
        dialog.close()
    session.set_text(BASE)
    rest(made)
    session.edits.undo_stack.clear()
    SAID.clear()


def questions(made: Any) -> list[Any]:
    """Returns the boxes that ask something."""
    return [box for box in made.findChildren(QMessageBox) if box.isVisible()]


def _dialogs() -> list[Any]:
    return [
        one
        for one in QApplication.topLevelWidgets()
        if isinstance(one, QDialog) and one.isVisible()
    ]


def state(made: Any) -> tuple[str, list[str], list[str]]:
    """Returns what undo brings back: the text, the tokenizers that are on, and all that the library has of files."""
    library = list(made.session.library)
    files = sorted(item.key for item in library if item.group.can_be_removed)
    return made.session.text, [item.key for item in library if item.on], files


@contextlib.contextmanager
def looked_at(made: Any, changes: Callable[[], bool] = lambda: True) -> Iterator[None]:
    """Runs the block in the window, and checks what it left: what is said, undo and redo, and that it is read again."""
    before = state(made)
    yield
    rest(made)
    for sentence in SAID:
        assert len(sentence) <= LONGEST_MESSAGE, f"a message has {len(sentence):,} characters"
    assert made.windowTitle() is not None
    assert len(made.windowTitle()) <= 1000, "the title of the window is long"
    for item in made.session.library:
        bad = item.group.can_be_removed and item.state is not State.OPEN
        assert not bad, "a tokenizer that was refused stays in the library"
    after, stack = state(made), made.session.edits.undo_stack
    for _ in range(2):
        while stack.can_undo:
            made.undo_commands.undo()
            rest(made)
        assert state(made) == before, "undo does not bring back what was there before"
        while stack.can_redo:
            made.undo_commands.redo()
            rest(made)
        assert state(made) == after, "redo does not bring back what was undone"
    kept = made.stage.make()
    again = read_scene(scene_bytes(kept))
    assert not again.left_out, f"what is kept is not read again: {again.left_out[0][:200]}"


def count_values(value: Any) -> int:
    """Returns how many values there are in one, itself too."""
    waiting, count = [value], 0
    while waiting:
        one = waiting.pop()
        count += 1
        if isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, (list, tuple)):
            waiting.extend(one)
    return count


def check_bounded(scene: Any, most: int = MOST_VALUES) -> None:
    """Raises AssertionError where more was read than is to be."""
    count = count_values(msgspec.to_builtins(scene))
    assert count <= most, f"too much was read: {count:,} values of {most:,}"


def case_of_bulk(chance: Random) -> Case:
    """Returns a session with much of one thing, by its kind and its count."""
    kind = chance.choice(list(BULKS))
    return {"kind": kind, "count": chance.choice([10, 300, 5_000, 95_000, 400_000, 4_000_000])}
