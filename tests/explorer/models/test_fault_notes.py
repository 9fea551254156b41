"""What is written down of a fault has the program's own words, and none of the user's."""

from __future__ import annotations

import builtins
import re
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import jinja2
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import tokenarium_core as tc
from tokenarium.models import fault_notes
from tokenarium.models.fault_notes import (
    FaultNote,
    key_of,
    note_of,
    scrubbed,
    scrubbed_message,
    short_path,
    without_home,
    without_names,
)
from tokenarium.models.faults import LISTENERS, NOTED, note_fault
from tokenarium.models.text import piece

SECRET = "Geheimnis über 4711 Rüben"
WORDS = SECRET.split()


@pytest.fixture(autouse=True)
def nothing_noted() -> Iterator[None]:
    """No fault was noted before the test, and none stays."""
    NOTED.clear()
    yield
    NOTED.clear()


def raised(run: Callable[[], object]) -> BaseException:
    try:
        run()
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


class Hostile(Exception):
    def __str__(self) -> str:
        raise ValueError(SECRET)


def _raise(error: BaseException) -> None:
    raise error


def _chained() -> None:
    try:
        raise ValueError(SECRET)
    except ValueError as error:
        raise KeyError(SECRET, {SECRET: [SECRET]}) from error


def _circle() -> None:
    one, two = ValueError(SECRET), ValueError(f"the value {SECRET!r} is not in the list")
    one.__cause__, two.__cause__ = two, one
    raise one


def _noted() -> None:
    error = ValueError(f"'{SECRET}")
    error.add_note(SECRET)
    raise error


def _template() -> None:
    source = "{% for a in b %}\n{# Geheimnis #}{{ Rüben(4711, 'Geheimnis über') }}\n{% endfor %}"
    jinja2.Template(source).render(b=[1])


FAULTS: dict[str, Callable[[], object]] = {
    "key": lambda: {}[SECRET],
    "number": lambda: int(SECRET),
    "attribute": lambda: getattr("", WORDS[0]),
    "message": lambda: _raise(RuntimeError(f"cannot use {SECRET} here, nor «{SECRET}»")),
    "file": lambda: Path(f"/tmp/{SECRET}/{SECRET}.txt").read_text(),
    "chained": _chained,
    "circle": _circle,
    "group": lambda: _raise(ExceptionGroup(SECRET, [ValueError(SECRET), OSError(2, SECRET)])),
    "notes": _noted,
    "syntax": lambda: compile(f"x = {SECRET}", SECRET, "exec"),
    "codec": lambda: bytes(f"{SECRET}\ud800", "utf-8"),
    "hostile": lambda: _raise(Hostile()),
    "template": _template,
    "code": lambda: exec(compile("def Geheimnis(): 1 / 0\nGeheimnis()", "Rüben.py", "exec")),
    "program": lambda: piece.byte_numbers(SECRET, 3),  # type: ignore[arg-type]
    "core": lambda: tc.train("bpe", [SECRET], vocab_size=SECRET),
    "exit": lambda: _raise(SystemExit(SECRET)),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_no_word_of_the_user_is_written_down(fault: str) -> None:
    error = raised(FAULTS[fault])
    note = note_of(error)
    for word in WORDS:
        for written in (note.key, note.kind, note.place, note.trace):
            assert word not in written, written
    assert note.key == key_of(error)
    assert type(error).__name__ in note.trace


@given(st.text(min_size=1))
def test_what_is_in_quotation_marks_goes(text: str) -> None:
    assume(not set(re.findall(r"\w+", text)) & set(dir(builtins)))
    found = scrubbed_message(ValueError(f"the value is {text!r}"))
    assert found.startswith("the value is ")
    assert not any(word in found[13:] for word in text.split() if word.isalnum() and len(word) > 1)


@pytest.mark.parametrize(
    ("run", "message"),
    [
        (lambda: list[int]()[3], "list index out of range"),
        (lambda: None.text, "'NoneType' object has no attribute 'text'"),  # type: ignore[attr-defined]
        (lambda: 1 / 0, "division by zero"),
        (lambda: "a" + 1, 'can only concatenate str (not "int") to str'),  # type: ignore[operator]
        (lambda: int(WORDS[0]), "invalid literal for int() with base 10: '…'"),
        (lambda: (1).missing + 1, "'int' object has no attribute 'missing'"),  # type: ignore[attr-defined]
        (lambda: Path("/no/such/place").read_text(), "[Errno 2] No such file or directory"),
        (
            lambda: str(b"\xff", "utf-8"),
            "'utf-8' codec can't decode byte … in position 0: invalid start byte",
        ),
    ],
)
def test_the_words_of_python_stay(
    run: Callable[[], object], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        fault_notes, "_is_known", lambda file: True
    )  # this file is not the program's
    error = raised(run)
    code = [frame.f_code for frame, _ in fault_notes._frames(error.__traceback__)]
    assert scrubbed_message(error, code) == message


def test_a_note_says_where_it_was() -> None:
    note = note_of(raised(FAULTS["program"]))
    assert note.place.startswith("tokenarium/models/text/piece.py, line ")
    assert note.own
    assert "in byte_numbers" in note.trace
    assert not note_of(raised(lambda: jinja2.Template("{% nothing %}"))).own


def test_a_recursion_is_cut_short() -> None:
    def again(depth: int) -> int:
        return again(depth + 1)

    note = note_of(raised(lambda: again(0)))
    assert "more calls" in note.trace
    assert len(note.trace.splitlines()) < 80


@pytest.mark.parametrize(
    ("path", "short"),
    [
        ("/usr/lib/python3/dist-packages/regex/_core.py", "regex/_core.py"),
        (
            r"C:\Users\Anna\venv\Lib\site-packages\tokenarium\app\start.py",
            "tokenarium/app/start.py",
        ),
        ("core/tokenarium_core/encoding.py", "tokenarium_core/encoding.py"),
        ("/home/anna/tokenarium/core/tokenarium_core/a.py", "tokenarium_core/a.py"),
        ("/home/anna/Diary.txt", "….txt"),
        ("<template>", "<…>"),
        ("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap>"),
        (threading.__file__, "threading.py"),
    ],
)
def test_paths_are_cut_short(path: str, short: str) -> None:
    assert short_path(path) == short


def test_the_home_of_the_user_is_a_tilde(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/home/anna"))
    assert without_home("/home/anna/x, /home/annabel, '/home/anna'") == "~/x, /home/annabel, '~'"
    monkeypatch.setattr(Path, "home", lambda: Path("/"))
    assert without_home("/usr/lib") == "/usr/lib"


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ('Cannot open "my diary.txt": gone', 'Cannot open "…": gone'),
        ("no file /home/anna/diary.txt here", "no file … here"),
        (r"no file C:\Users\Anna\diary.txt here", "no file … here"),
        ("file:///home/anna/diary.txt is empty", "… is empty"),
        ("QPainter::begin: Paint device returned engine == 0", None),
    ],
)
def test_messages_of_qt_have_no_names(message: str, kept: str | None) -> None:
    assert without_names(message) == (message if kept is None else kept)


def test_numbers_stay_unless_they_are_long() -> None:
    assert scrubbed("size 12 of 4711471147114711", lambda word: False) == "size 12 of …"


def test_a_fault_is_noted_once_and_counted() -> None:
    heard: list[FaultNote] = []
    LISTENERS.append(heard.append)
    try:
        for _ in range(3):
            note_fault(raised(FAULTS["key"]))
    finally:
        LISTENERS.remove(heard.append)
    assert len(heard) == 1
    assert NOTED[heard[0].key] == 3


def test_noting_raises_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    def fails(note: FaultNote) -> None:
        raise ValueError(SECRET)

    LISTENERS.append(fails)
    try:
        note_fault(raised(FAULTS["key"]))
    finally:
        LISTENERS.remove(fails)
    assert "was not recorded: ValueError" in capsys.readouterr().err
    assert sys.exc_info() == (None, None, None)
