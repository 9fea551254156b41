"""Lessons as files: Markdown with a head, and steps of prose, a scene, notes and a question.

A file begins with its head, TOML between two lines of ``+++``. Each heading of the second level begins a step. The
fenced blocks ``scene`` and ``question`` of a step are TOML too, ``notes`` are for the presenter, ``asked`` has the
questions by which the step is found, a line each, and all else is its prose. Prose, questions and texts of scenes may
contain expressions between ``{{`` and ``}}``, see `answers`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeVar

import msgspec

from tokenarium.models.lessons.marks import mark_of
from tokenarium_core import TokenariumError
from tokenarium_core.plain_files import open_file

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

HEAD: Final = "+++"
BLOCKS: Final = ("scene", "notes", "question", "asked")
LEVELS: Final = ("first steps", "deeper", "from the ground up")
"""How much a lesson asks for; the last ones are longer."""

MOST_BYTES: Final = 1 << 20
"""The largest file of a lesson."""

QuestionKind = Literal["choose", "number", "click", "order", "merge", "split", "write"]
ClickedPart = Literal["token", "cut"]

T = TypeVar("T")


class LessonError(TokenariumError):
    """A lesson's file has a fault: in which line, what, and what to do."""

    def __init__(self, name: str, line: int, said: str) -> None:
        super().__init__(f"{name}, line {line}: {said}")
        self.line = line


class LessonScene(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the window shows in a step; what is not named stays as it was in the step before.

    ``select`` is a part of the text, its ``nth`` place from 1 on. ``mark`` names what is highlighted in this step, see
    `marks`. ``at`` is the step of the page's player, ``display`` and ``page_settings`` are as in a session's file.
    """

    text: str | None = None
    workspace: str | None = None
    page: str | None = None
    select: str | None = None
    nth: int = 1
    mark: tuple[str, ...] = ()
    at: int | None = None
    front: int | None = None
    display: dict[str, Any] = {}
    page_settings: dict[str, Any] = {}


class LessonQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question. ``answer`` is an expression, and computed when the question is asked.

    | kind | what the reader does | the answer is |
    |---|---|---|
    | choose | presses one of ``choices`` | the text of the right one |
    | number | writes a number | the number |
    | click | selects a token in the window | the token's text |
    | click, with ``part = "cut"`` | clicks a cut between two tokens | the bytes of the text before the cut |
    | order | puts ``items`` in their order | the list in its order |
    | merge | chooses the pair that merges next | not written: it comes from the trace at the step that is shown |
    | split | cuts ``text`` | the list of its tokens |
    | write | writes a text | true or false for the name ``text`` |

    ``reasons`` say why a choice is wrong or right, by its text. A right answer that is not among the choices, because
    another tokenizer took the place of the lesson's, is added to them.
    """

    ask: str
    answer: str = ""
    kind: QuestionKind = "choose"
    part: ClickedPart = "token"
    choices: tuple[str, ...] = ()
    reasons: dict[str, str] = {}
    text: str = ""
    hint: str = ""
    after: str = ""


class AskedName(msgspec.Struct, frozen=True):
    """A question that people ask by name, other words for it, and the number of the step that answers it, from 0."""

    question: str
    also: str = ""
    step: int = 0


class StepOutline(NamedTuple):
    """What a step is found by: its title, its prose as it is written, and the questions that it answers."""

    title: str
    prose: str
    asked: tuple[str, ...]


class LessonStep(msgspec.Struct, frozen=True):
    """One step: its title, its prose in Markdown, and the line of the file where it begins.

    ``asked`` are the lines of questions that it answers, each with other words for it after a "|".
    """

    title: str
    prose: str
    line: int
    scene: LessonScene | None = None
    notes: str = ""
    question: LessonQuestion | None = None
    asked: tuple[str, ...] = ()
    lines: dict[str, int] = {}
    """The lines of its blocks, by their kinds."""


class LessonHead(msgspec.Struct, frozen=True):
    """What a list of lessons shows; ``count`` is the number of steps.

    ``tokenizers`` are keys of the library, several for each tokenizer, of which the first that is here is taken; the
    first tokenizer is in front. ``asked`` are the questions that it answers, those of its head first.
    """

    id: str
    title: str
    minutes: int
    level: str
    learns: tuple[str, ...]
    tokenizers: tuple[tuple[str, ...], ...]
    asked: tuple[AskedName, ...]
    count: int


class Lesson(LessonHead, frozen=True):
    """A lesson with its steps."""

    steps: tuple[LessonStep, ...]


class _Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The head of a file. Each of the ``tokenizers`` is a key, or several of which the first that is here is taken."""

    title: str
    minutes: int
    learns: tuple[str, ...]
    tokenizers: tuple[str | tuple[str, ...], ...]
    level: Literal["first steps", "deeper", "from the ground up"] = "first steps"
    asked: tuple[str, ...] = ()


def read_lesson(path: Path) -> Lesson:
    """Returns the lesson of a file; LessonError if it has a fault or cannot be read."""
    return lesson_of(read_text(path), path.name)


def read_head(path: Path) -> LessonHead:
    """Returns only the head of a lesson's file, which takes a fraction of the time; LessonError if it has a fault."""
    lines = read_text(path).split("\n")
    head, end = _head_of(lines, path.name)
    outlines = list(outlines_of(lines[end + 1 :]))
    return msgspec.structs.replace(
        head, count=len(outlines), asked=(*head.asked, *_asked(one.asked for one in outlines))
    )


def read_outlines(path: Path) -> list[StepOutline]:
    """Returns what the steps of a lesson's file are found by; LessonError if it cannot be read."""
    lines = read_text(path).split("\n")
    return list(outlines_of(lines[_head_of(lines, path.name)[1] + 1 :]))


def outlines_of(lines: Iterable[str]) -> Iterator[StepOutline]:
    """Yields what the steps in some lines are found by, without parsing them as Markdown."""
    title: str | None = None
    prose: list[str] = []
    asked: list[str] = []
    block: str | None = None  # the info of the fence that is open
    for line in lines:
        if line.startswith("```"):
            block = None if block is not None else line[3:].strip()
        elif block is None and line.startswith("## "):
            if title is not None:
                yield StepOutline(title, "\n".join(prose), tuple(asked))
            title, prose, asked = line[3:].strip(), [], []
        elif block == "asked":
            asked += [line.strip()] if line.strip() else []
        elif block not in BLOCKS:
            prose.append(line)
    if title is not None:
        yield StepOutline(title, "\n".join(prose), tuple(asked))


def _asked(steps: Iterable[Iterable[str]]) -> Iterator[AskedName]:
    """Yields the questions of some steps, from their lines."""
    for number, lines in enumerate(steps):
        for line in lines:
            question, _, also = line.partition("|")
            yield AskedName(question.strip(), also.strip(), number)


def read_text(path: Path) -> str:
    """Returns the text of a lesson's file; LessonError if it cannot be read."""
    try:
        with open_file(path) as file:
            data = file.read(MOST_BYTES + 1)
        text = data.decode()
    except OSError as error:
        raise LessonError(path.name, 1, f"it cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise LessonError(path.name, line, "it is not UTF-8.") from error
    if len(data) > MOST_BYTES:
        raise LessonError(path.name, 1, f"it is larger than {MOST_BYTES >> 20} MB.")
    return text.replace("\r\n", "\n")


def lesson_of(text: str, name: str) -> Lesson:
    """Returns the lesson that a text contains; LessonError, with ``name`` as that of the file, if it has a fault."""
    lines = text.split("\n")
    head, end = _head_of(lines, name)
    steps = tuple(_steps(lines, end + 1, name))
    if not steps:
        raise LessonError(name, end + 1, "it has no step: begin one with “## ” and its title.")
    values = {field: getattr(head, field) for field in LessonHead.__struct_fields__}
    values["asked"] = (*head.asked, *_asked(step.asked for step in steps))
    return Lesson(**{**values, "count": len(steps)}, steps=steps)


def _head_of(lines: list[str], name: str) -> tuple[LessonHead, int]:
    """Returns the head, and the number of the line that ends it, from 0 on."""
    if lines[0].strip() != HEAD or HEAD not in (line.strip() for line in lines[1:]):
        raise LessonError(name, 1, f"a lesson begins with its head between two lines of {HEAD}.")
    end = next(number for number, line in enumerate(lines[1:], 1) if line.strip() == HEAD)
    head = _parsed("\n".join(lines[1:end]), _Head, name, 2)
    groups = tuple((one,) if isinstance(one, str) else one for one in head.tokenizers)
    if not groups or not all(groups):
        raise LessonError(name, 2, "“tokenizers” names none: give at least one key.")
    id = name.rpartition(".")[0] or name
    asked = tuple(_asked([head.asked]))
    found = LessonHead(id, head.title, head.minutes, head.level, head.learns, groups, asked, 0)
    return found, end


def _steps(lines: list[str], first: int, name: str) -> Iterator[LessonStep]:
    """Yields the steps from a line on, counted from 0."""
    tokens = _markdown().parse("\n".join(lines[first:]))
    begins = []
    blocks: list[tuple[int, int, str, str]] = []  # first and last line, kind, content
    for place, token in enumerate(tokens):
        if token.map is None or token.level:
            continue
        at = first + token.map[0]
        if token.type == "heading_open" and token.tag == "h2":
            begins.append((at, tokens[place + 1].content))
        elif token.type == "fence" and token.info.strip() in BLOCKS:
            blocks.append((at, first + token.map[1], token.info.strip(), token.content))
    for number, (at, title) in enumerate(begins):
        end = begins[number + 1][0] if number + 1 < len(begins) else len(lines)
        inside = [block for block in blocks if at < block[0] < end]
        hidden = {line for block in inside for line in range(block[0], block[1])}
        prose = "\n".join(lines[line] for line in range(at + 1, end) if line not in hidden)
        found: dict[str, Any] = {}
        for start, _, kind, content in inside:
            if kind in found:
                raise LessonError(name, start + 1, f"this step has a second block “{kind}”.")
            found[kind] = _block(kind, content, name, start + 2)
        lines_of = {kind: start + 1 for start, _, kind, _ in inside}
        yield LessonStep(title, prose.strip(), at + 1, **found, lines=lines_of)


@cache
def _markdown() -> MarkdownIt:
    from markdown_it import MarkdownIt  # which the start does without

    return MarkdownIt()


def _block(
    kind: str, content: str, name: str, line: int
) -> LessonScene | LessonQuestion | tuple[str, ...] | str:
    if kind == "scene":
        scene = _parsed(content, LessonScene, name, line)
        for mark in scene.mark:
            try:
                mark_of(mark)
            except ValueError as error:
                raise LessonError(name, line, str(error)) from error
        return scene
    if kind == "notes":
        return content.strip()
    if kind == "asked":
        return tuple(found for one in content.split("\n") if (found := one.strip()))
    question = _parsed(content, LessonQuestion, name, line)
    if not question.answer and question.kind != "merge":
        raise LessonError(name, line, "a question has an “answer”.")
    if question.part == "cut" and question.kind != "click":
        raise LessonError(name, line, "only a question of the kind “click” asks for a “part”.")
    if question.kind == "choose" and len(question.choices) < 2:
        raise LessonError(name, line, "a question to choose from has at least two “choices”.")
    if question.kind == "split" and not question.text:
        raise LessonError(name, line, "a question to split needs a “text”.")
    unknown = [one for one in question.reasons if one not in question.choices]
    if question.kind == "choose" and unknown:
        raise LessonError(name, line, f"“{unknown[0]}” has a reason and is not one of the choices.")
    return question


def _parsed(content: str, kind: type[T], name: str, line: int) -> T:
    """Returns a block of TOML as a declared type; ``line`` is that of its first line in the file."""
    import tomllib  # not above, for the same reason

    try:
        values: Mapping[str, Any] = tomllib.loads(content)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        at = line + _line_in(str(error)) - 1
        raise LessonError(name, at, f"this is not valid TOML: {error}.") from error
    try:
        return msgspec.convert(dict(values), kind)
    except (msgspec.ValidationError, RecursionError) as error:
        said = str(error).replace("`", "“", 1).replace("`", "”", 1).replace("`", "")
        raise LessonError(name, line, f"{said}.") from error


def _line_in(message: str) -> int:
    """Returns the line that an error of tomllib names."""
    _, found, rest = message.partition("line ")
    number = rest.partition(",")[0] if found else ""
    return int(number) if number.isdecimal() else 1
