"""Lessons of strangers: folders of them, their TOML, expressions and prose, in this process and in their own."""

from __future__ import annotations

import functools
import os
import re
import tomllib
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import lesson_cases
import zoo
from attack import Attack, Case, check_sentence
from planting import instead, patched

from tokenarium.app.lesson_list import LessonReading, lesson_paths
from tokenarium.models.files import lessons_folder
from tokenarium.models.lessons import limits
from tokenarium.models.lessons.answers import AnswerError, Answers, shown
from tokenarium.models.lessons.checking import faults_by_step, shipped_tokenizer
from tokenarium.models.lessons.finding import StepIndex
from tokenarium.models.lessons.lesson import LessonError, lesson_of, read_lesson
from tokenarium.models.lessons.own_text import asked_about
from tokenarium.models.lessons.source import LessonSource
from tokenarium.models.lessons.toml import TomlError, read_toml
from tokenarium.models.lessons.writing import WritingError
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS
from tokenarium.widgets.lesson_prose import ProseLabel, prose_html
from tokenarium.work.answering import LessonProcess, TokenizerSource

# A folder.

KINDS = ["pipe", "zero", "folder", "loop", "none", "bytes", "large", "lesson", "lesson", "lesson"]


def make_folder(chance: Random) -> Case:
    """Returns a folder of lessons, with one that has no fault."""
    files = []
    for number in range(chance.randrange(1, 7)):
        kind = chance.choice(KINDS)
        name = chance.choice(["a", "a b", "é", "\ud800", "'", "x" * 200, "04-merges"])
        content = (
            lesson_cases.lesson(chance) if kind == "lesson" else chance.choice(["", "+++", "\x00"])
        )
        files.append({"kind": kind, "name": f"{name}{number}.md", "content": content})
    return {"files": files, "raw": chance.randbytes(60)}


def run_folder(case: Case) -> str:
    """Lists, searches and reads them: what is bad is said with its name, and hides no other."""
    os.environ["TOKENARIUM_DATA"] = os.getcwd()
    folder = lessons_folder()
    folder.mkdir()
    (folder / "zz-good.md").write_text(lesson_cases.GOOD)
    for one in case["files"]:
        _make(folder, one, case["raw"])
    reading = LessonReading(lesson_paths())
    while not reading.finished:
        reading.step(1.0)
    assert "zz-good" in reading.heads, "a good lesson is not listed"
    for fault in reading.faults:
        check_sentence(LessonError("x", 1, fault))
    StepIndex({id: (head, reading.outlines[id]) for id, head in reading.heads.items()}).find("good")
    word = "refused"
    said = ""
    for path in folder.iterdir():
        lesson = None
        try:
            lesson = read_lesson(path)
        except LessonError as error:
            check_sentence(error)
            said = str(error)
            lesson = None
        assert lesson is not None or said.startswith(path.name), "no sentence names the file"
        if lesson is None:
            continue
        _check_bounds(lesson)
        word = "read" if path.name != "zz-good.md" else word
    return word


def _make(folder: Path, one: Case, raw: bytes) -> None:
    path = folder / os.fsdecode(one["name"].encode("utf-8", "surrogatepass"))
    if one["kind"] == "pipe":
        os.mkfifo(path)
    elif one["kind"] in ("zero", "loop", "none"):
        path.symlink_to({"zero": "/dev/zero", "loop": str(path), "none": "nowhere"}[one["kind"]])
    elif one["kind"] == "folder":
        path.mkdir()
    elif one["kind"] == "large":
        with path.open("wb") as file:
            file.truncate(5 << 30)
    elif one["kind"] == "bytes":
        path.write_bytes(raw)
    else:
        path.write_text(one["content"], encoding="utf-8")


def _check_bounds(lesson: Any) -> None:
    """Raises AssertionError for a lesson that is beyond the limits which its documentation names."""
    assert 0 < len(lesson.steps) <= limits.MOST_STEPS, "it has too many steps"
    assert len(lesson.tokenizers) <= limits.MOST_TOKENIZERS, "it has too many tokenizers"
    for step in lesson.steps:
        assert all(len(text) <= limits.MOST_PROSE for text in step.texts), "a text is too long"
        count = sum(text.count("{{") for text in step.texts)
        assert count <= limits.MOST_EXPRESSIONS, "it has too many expressions"
        if step.scene is not None:
            _check_values({"a": step.scene.page_settings, "b": step.scene.display})
            assert "/dev/" not in str(step.scene.page_settings), "a scene names a file"


# TOML.


def make_toml(chance: Random) -> Case:
    """Returns a text of TOML, or nearly."""
    lines = []
    for _ in range(chance.randrange(1, 6)):
        line = f"{lesson_cases.key(chance)} = {lesson_cases.toml(chance)}"
        line = chance.choice([line, line, line, f"[{lesson_cases.key(chance)}]", "# [[[ a.b.c"])
        lines.append(line)
    text = "\n".join(lines)
    for _ in range(chance.choice([0, 0, 1, 3])):
        at = chance.randrange(len(text) + 1)
        text = text[:at] + chance.choice([*"\"'[]{}=.#\n\\", '"""', "'''"]) + text[at:]
    return {"text": text}


def run_toml(case: Case) -> str:
    """Reads it: as tomllib does, or not at all, and then with a reason."""
    text = case["text"]
    try:
        values = read_toml(text, limits.MOST_BLOCK, "it")
    except TomlError as error:
        check_sentence(error)
        if "not valid TOML" not in str(error):
            return "refused"
        try:
            tomllib.loads(text)
        except (ValueError, RecursionError):
            return "invalid"
        raise AssertionError("what tomllib reads is called invalid") from error
    assert repr(values) == repr(tomllib.loads(text)), "the values are not those of tomllib"
    _check_values(values)
    return "read"


def _check_values(value: Any, depth: int = 0) -> None:
    assert depth < 40 * limits.MOST_DEPTH, "it is nested too deeply"
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inside:
        _check_values(one, depth + 1)
    if isinstance(value, int | float):
        assert abs(value) <= limits.MOST_NUMBER, "a number is too large"
    else:
        assert isinstance(value, str | list | dict), "a value is not one of JSON"


# Expressions.


def make_expressions(chance: Random) -> Case:
    """Returns the expressions of a step, and the text that they are about."""
    return {
        "expressions": [lesson_cases.expression(chance) for _ in range(chance.choice([1, 5, 50]))],
        "text": chance.choice(
            [zoo.text_of(chance), "the cat " * 2_000, "x" * 20_000, "x" * 30_000]
        ),
        "apart": chance.random() < 0.1,
    }


def run_expressions(case: Case) -> str:
    """Computes them: values of bounded size, or sentences, in the time of a step."""
    names = {"text": case["text"], "selected": case["text"][:3]}
    return (_apart if case["apart"] else _here)(case["expressions"], names)


def _here(expressions: list[str], names: dict[str, str]) -> str:
    answers = Answers(lesson_cases.tokenizers()).about(names)
    word = "refused"
    for one in expressions:
        try:
            value = answers.value(one)
            said = answers.filled(f"{{{{ {one} }}}}") if "}}" not in one else ""
        except AnswerError as error:
            said = str(error)
            value = None
        assert value is not None or 0 < len(said) < 2_000, "an error is no sentence"
        if value is None:
            continue
        assert isinstance(value, bool | int | float | str | list), "a value is of no kind"
        if one.strip() not in names:
            assert lesson_cases.weight(value) <= 40 * limits.MOST_CHARACTERS, "a value is too large"
            most = max(limits.MOST_CHARACTERS, len(names["text"]))
            assert lesson_cases.longest(value) <= most, "a value is too large"
            assert len(said) <= 2 * limits.MOST_PROSE, "a text with values is too long"
            shown(value)
        word = "computed"
    return word


def _apart(expressions: list[str], names: dict[str, str]) -> str:
    process, sources = _process()
    process.ask("its", sources, names, expressions)
    answer = process.wait()
    assert len(answer.get("values", expressions)) == len(expressions), "values are missing"
    return "stopped" if "error" in answer else "apart"


@functools.cache
def _process() -> Any:
    sources = [
        TokenizerSource(one.name, f"shipped:{one.id}", str(one.path), "")
        for one in SHIPPED_TOKENIZERS[:3]
    ]
    return LessonProcess(), sources


# Whole lessons.


def make_checked(chance: Random) -> Case:
    """Returns a lesson."""
    return {"source": lesson_cases.lesson(chance), "own": zoo.text_of(chance)}


def run_checked(case: Case) -> str:
    """Checks it as the editor does, and asks its questions about another text."""
    source = LessonSource(case["source"])
    with suppress(WritingError):
        source.with_tokenizers(["shipped:tokenarium-8k"])
    for number, shown_step in enumerate(source.steps):
        same = source.with_prose(number, shown_step.prose) == source.text
        assert same, "the form changes the prose"
    try:
        lesson = lesson_of(case["source"], "its.md")
    except LessonError as error:
        check_sentence(error)
        return "refused"
    _check_bounds(lesson)
    count = 0
    for found in faults_by_step(lesson, shipped_tokenizer):
        for line, said in found:
            assert line >= 1, "a fault has no line"
            assert said.strip(), "a fault says nothing"
            count += 1
    for step in lesson.steps:
        if step.question is not None and step.scene is not None:
            asked_about(step.question, step.scene.text or "", "", case["own"])
    return "faulty" if count else "right"


# Prose.


def make_prose(chance: Random) -> Case:
    """Returns the Markdown of a step."""
    return {"prose": lesson_cases.prose(chance)}


def run_prose(case: Case) -> str:
    """Lays it out as a label shows it: it holds the lesson's own pictures, and links into the web."""
    lesson_cases.application()

    folder = Path("lessons").resolve()
    folder.mkdir()
    lesson_cases.pictures(folder)
    html = prose_html(case["prose"], str(folder / "its.md"))
    found = lesson_cases.widths(html)
    assert set(found) <= {5}, "a picture from elsewhere is shown"
    links = re.findall(r"\shref=\"([^\"]*)", html)
    assert all(re.match("https?://", one) for one in links), "a link leads out of the web"
    label = ProseLabel()
    label.file = str(folder / "its.md")
    label.setText(case["prose"])
    label.heightForWidth(300)
    return "with pictures" if found else "without"


SEEDS = (lesson_cases.tokenizers, lesson_cases.application)


def _stopping(before: Any) -> Any:
    """Has the list of lessons end at the first that has a fault."""

    def read(reading: LessonReading) -> None:
        before(reading)
        if reading.faults:
            reading._at = len(reading._paths)

    return read


_LESSONS = "tokenarium.models.lessons"

ATTACKS = [
    Attack(
        "lessons-folder",
        make_folder,
        run_folder,
        planted={"a good lesson is not listed": instead(LessonReading, "_read", _stopping)},
    ),
    Attack(
        "lessons-toml",
        make_toml,
        run_toml,
        planted={
            "a number is too large": patched(f"{_LESSONS}.toml._refuse_values", lambda values: None)
        },
    ),
    Attack(
        "lessons-expressions",
        make_expressions,
        run_expressions,
        planted={"a value is too large": patched(f"{_LESSONS}.answers.MOST_CHARACTERS", 10**6)},
    ),
    Attack(
        "lessons-checked",
        make_checked,
        run_checked,
        seconds=30.0,
        planted={"too many expressions": patched(f"{_LESSONS}.lesson.MOST_EXPRESSIONS", 10**6)},
    ),
    Attack(
        "lessons-prose",
        make_prose,
        run_prose,
        planted={
            "a picture from elsewhere": patched(
                "pathlib.Path.is_relative_to", lambda path, other: True
            )
        },
    ),
]
