"""Lessons as files: Markdown with a head, and steps of prose, a scene, notes and a question.

A file begins with its head, TOML between two lines of ``+++``. Each heading of the second level begins a step. The
fenced blocks ``scene`` and ``question`` of a step are TOML too, ``notes`` are for the presenter, ``asked`` has the
questions by which the step is found, a line each, and all else is its prose. Prose, questions and texts of scenes may
contain expressions between ``{{`` and ``}}``, see `answers`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeVar

import msgspec

from tokenarium.models.lessons.limits import (
    MOST_BLOCK,
    MOST_BYTES,
    MOST_CHARACTERS,
    MOST_CHOICES,
    MOST_EXPRESSIONS,
    MOST_HEAD,
    MOST_LINES,
    MOST_LISTED,
    MOST_MINUTES,
    MOST_PROSE,
    MOST_PROSE_LINES,
    MOST_STEPS,
    MOST_TITLE,
    MOST_TOKENIZERS,
)
from tokenarium.models.lessons.marks import mark_of
from tokenarium.models.lessons.toml import TomlError, read_toml
from tokenarium.models.scene import named_path
from tokenarium_core import TokenariumError
from tokenarium_core.plain_files import open_file

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

HEAD: Final = "+++"
BLOCKS: Final = ("scene", "notes", "question", "asked")
LEVELS: Final = ("first steps", "deeper", "from the ground up")
"""How much a lesson asks for; the last ones are longer."""

QuestionKind = Literal["choose", "number", "click", "order", "merge", "split", "write"]
ClickedPart = Literal["token", "cut"]

OTHER_WORDS: Final = re.compile(r"(?<!<)\|(?!>)")
"""The bar between a question and other words for it, which is not that of a token such as <|endoftext|>."""

T = TypeVar("T")


class LessonError(TokenariumError):
    """A lesson's file has a fault: in which line, what, and what to do."""

    def __init__(self, name: str, line: int, said: str) -> None:
        super().__init__(f"{name}, line {line}: {said}")
        self.line = line


class LessonScene(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the window shows in a step; what is not named stays as it was in the step before.

    ``text``, ``select`` and ``mark`` may contain expressions. ``select`` is a part of the text, its ``nth`` place from 1 on.
    ``mark`` names what is highlighted in this step, see `marks`. ``letter`` is marked where the letters of a word are shown
    below the text. ``at`` is the step of the page's player, ``display`` and ``page_settings`` are as in a session's file.
    """

    text: str | None = None
    workspace: str | None = None
    page: str | None = None
    select: str | None = None
    nth: int = 1
    mark: tuple[str, ...] = ()
    letter: str = ""
    at: int | None = None
    front: int | None = None
    display: dict[str, Any] = {}
    page_settings: dict[str, Any] = {}

    @property
    def texts(self) -> list[str]:
        """All of its texts that may have expressions, as they are written."""
        return [text for text in (self.text, self.select, *self.mark) if text is not None]


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
    another tokenizer took the place of the lesson's, is added to them. ``hides`` says whether the window hides what
    answers the question until it is answered; by default, it does if the answer is computed from tokens.
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
    hides: bool | None = None

    @property
    def texts(self) -> list[str]:
        """All of its texts that may have expressions, as they are written."""
        reasons = [*self.reasons, *self.reasons.values()]
        return [self.ask, self.hint, self.after, self.text, *self.choices, *reasons]


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
    prose_lines: tuple[int, ...] = ()
    """The line of each line of its prose, between which blocks may be."""

    @property
    def texts(self) -> list[str]:
        """All texts of the step that may have expressions, as they are written."""
        texts = [self.prose, self.notes, *(self.scene.texts if self.scene is not None else [])]
        return texts + (self.question.texts if self.question is not None else [])


class LessonHead(msgspec.Struct, frozen=True):
    """What a list of lessons shows; ``count`` is the number of steps.

    ``tokenizers`` are keys of the library, several for each tokenizer, of which the first that is available is used; the
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
    """A lesson with its steps. ``file`` is its file, next to which its pictures are; empty if there is none."""

    steps: tuple[LessonStep, ...]
    file: str = ""


class _Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The head of a file. Each of the ``tokenizers`` is a key, or several of which the first that is available is used."""

    title: str
    minutes: int
    learns: tuple[str, ...]
    tokenizers: tuple[str | tuple[str, ...], ...]
    level: Literal["first steps", "deeper", "from the ground up"] = "first steps"
    asked: tuple[str, ...] = ()


def short_name(id: str) -> str:
    """Returns how a lesson is called in a few letters: by its number, if its file is named with one."""
    number = id.partition("-")[0]
    return f"Lesson {int(number)}" if number.isdecimal() and len(number) == 2 else "Lesson"


def read_lesson(path: Path) -> Lesson:
    """Returns the lesson of a file; LessonError if it has a fault or cannot be read."""
    return lesson_of(read_text(path), path.name, path)


def read_head(path: Path) -> LessonHead:
    """Returns only the head of a lesson's file, which takes a fraction of the time; LessonError if it has a fault."""
    return read_outline(path)[0]


def read_outline(path: Path) -> tuple[LessonHead, list[StepOutline]]:
    """Returns the head of a lesson's file, and what its steps are found by; LessonError if it has a fault."""
    lines = read_text(path).split("\n")
    head, end = _head_of(lines, path.name)
    outlines = []
    for number, outline in enumerate(outlines_of(lines[end + 1 :])):
        _refuse_steps(number, path.name, end + 1)
        _refuse_asked(outline.asked, path.name, end + 1)
        outlines.append(outline)
    asked = (*head.asked, *_asked(outline.asked for outline in outlines))
    return msgspec.structs.replace(head, count=len(outlines), asked=asked), outlines


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
            question, *also = OTHER_WORDS.split(line, maxsplit=1)
            yield AskedName(question.strip(), "".join(also).strip(), number)


def read_text(path: Path) -> str:
    """Returns the text of a lesson's file; LessonError if it is no file, cannot be read, or is too large."""
    try:
        with open_file(path) as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise LessonError(path.name, 1, f"it cannot be read: {error.strerror}.") from error
    if len(data) > MOST_BYTES:
        said = f"it is larger than {MOST_BYTES >> 10} KB: make several lessons of it."
        raise LessonError(path.name, 1, said)
    try:
        text = data.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise LessonError(path.name, line, "it is not UTF-8.") from error
    _refuse_length(text, path.name)
    return text


def _refuse_length(text: str, name: str) -> None:
    count = text.count("\n") + 1
    if count > MOST_LINES:
        said = f"it has {count:,} lines, more than {MOST_LINES:,}: make several lessons of it."
        raise LessonError(name, MOST_LINES + 1, said)


def lesson_of(text: str, name: str, path: Path | None = None) -> Lesson:
    """Returns the lesson that a text contains; LessonError, with ``name`` as that of the file, if it has a fault.

    ``path`` is the file, beside which its pictures are.
    """
    if len(text) > MOST_BYTES:
        said = f"it has more than {MOST_BYTES:,} characters: make several lessons of it."
        raise LessonError(name, 1, said)
    _refuse_length(text, name)
    lines = text.split("\n")
    head, end = _head_of(lines, name)
    steps = tuple(_steps(lines, end + 1, name))
    if not steps:
        raise LessonError(name, end + 1, "it has no step: begin one with “## ” and its title.")
    values = {field: getattr(head, field) for field in LessonHead.__struct_fields__}
    values["asked"] = (*head.asked, *_asked(step.asked for step in steps))
    file = "" if path is None else os.path.abspath(path)
    return Lesson(**{**values, "count": len(steps)}, steps=steps, file=file)


def _head_of(lines: list[str], name: str) -> tuple[LessonHead, int]:
    """Returns the head, and the number of the line that ends it, from 0 on."""
    if lines[0].strip() != HEAD or HEAD not in (line.strip() for line in lines[1:]):
        raise LessonError(name, 1, f"a lesson begins with its head between two lines of {HEAD}.")
    end = next(number for number, line in enumerate(lines[1:], 1) if line.strip() == HEAD)
    head = _parsed("\n".join(lines[1:end]), _Head, name, 2, MOST_HEAD, "the head")
    groups = tuple(
        (tokenizer,) if isinstance(tokenizer, str) else tokenizer for tokenizer in head.tokenizers
    )
    if not groups or not all(groups):
        raise LessonError(name, 2, "“tokenizers” is empty: give at least one key.")
    if len(groups) > MOST_TOKENIZERS or any(len(group) > MOST_TOKENIZERS for group in groups):
        said = f"“tokenizers” has more than {MOST_TOKENIZERS} entries: name fewer."
        raise LessonError(name, 2, said)
    if not 0 < head.minutes <= MOST_MINUTES:
        raise LessonError(name, 2, f"“minutes” is not from 1 to {MOST_MINUTES:,}.")
    for field, listed in (("learns", head.learns), ("asked", head.asked)):
        _refuse_list(field, listed, name, 2)
    written = (head.title, *head.learns, *head.asked, *(key for group in groups for key in group))
    for text in written:
        if len(text) > MOST_TITLE:
            said = (
                f"“{text[:40]}…” has {len(text):,} characters, more than {MOST_TITLE}: shorten it."
            )
            raise LessonError(name, 2, said)
    id = name.rpartition(".")[0] or name
    asked = tuple(_asked([head.asked]))
    lesson_head = LessonHead(
        id, head.title, head.minutes, head.level, head.learns, groups, asked, 0
    )
    return lesson_head, end


def _refuse_list(field: str, listed: Sequence[object], name: str, line: int) -> None:
    if len(listed) > MOST_LISTED:
        said = f"“{field}” has {len(listed):,} entries, more than {MOST_LISTED}: leave some out."
        raise LessonError(name, line, said)


def _refuse_asked(asked: Sequence[str], name: str, line: int) -> None:
    _refuse_list("asked", asked, name, line)
    if any(len(line_asked) > MOST_TITLE for line_asked in asked):
        said = f"a line of “asked” has more than {MOST_TITLE} characters: shorten it."
        raise LessonError(name, line, said)


def _refuse_steps(number: int, name: str, line: int) -> None:
    if number >= MOST_STEPS:
        said = f"it has more than {MOST_STEPS} steps: make several lessons of it."
        raise LessonError(name, line, said)


Block = tuple[int, int, str, str]
"""The first line of a block and the one after its last, its kind, and its content."""


def parts_of(lines: Sequence[str], first: int) -> list[tuple[int, str, list[Block]]]:
    """Returns the line where each step from a line on begins, counted from 0, its title, and its blocks."""
    # A parser of Markdown would begin a line at a carriage return.
    tokens = _markdown().parse("\n".join(lines[first:]).replace("\r", " "))
    steps: list[tuple[int, str, list[Block]]] = []
    for index, token in enumerate(tokens):
        if token.map is None or token.level:
            continue
        at = first + token.map[0]
        if token.type == "heading_open" and token.tag == "h2":
            steps.append((at, tokens[index + 1].content, []))
        elif token.type == "fence" and token.info.strip() in BLOCKS and steps:
            block = (at, first + token.map[1], token.info.strip(), token.content)
            steps[-1][2].append(block)
    return steps


def _steps(lines: list[str], first: int, name: str) -> Iterator[LessonStep]:
    """Yields the steps from a line on, counted from 0."""
    steps = parts_of(lines, first)
    for number, (at, title, inside) in enumerate(steps):
        _refuse_steps(number, name, at + 1)
        end = steps[number + 1][0] if number + 1 < len(steps) else len(lines)
        hidden = {line for block in inside for line in range(block[0], block[1])}
        said = [line for line in range(at + 1, end) if line not in hidden]
        while said and not lines[said[0]].strip():
            del said[0]
        prose = "\n".join(lines[line] for line in said)
        values: dict[str, Any] = {}
        for start, _, kind, content in inside:
            if kind in values:
                raise LessonError(name, start + 1, f"this step has a second block “{kind}”.")
            values[kind] = _block(kind, content, name, start + 2)
        lines_of = {kind: start + 1 for start, _, kind, _ in inside}
        prose_lines = tuple(line + 1 for line in said)
        step = LessonStep(
            title, prose.strip(), at + 1, **values, lines=lines_of, prose_lines=prose_lines
        )
        _refuse_size(step, name)
        yield step


def _refuse_size(step: LessonStep, name: str) -> None:
    """Raises LessonError for a step whose texts are too long, or that computes too much."""
    if len(step.title) > MOST_TITLE:
        said = f"the title has {len(step.title):,} characters, more than {MOST_TITLE}: shorten it."
        raise LessonError(name, step.line, said)
    for text in step.texts:
        if len(text) > MOST_PROSE:
            said = f"a text has {len(text):,} characters, more than {MOST_PROSE:,}: make several steps of it."
            raise LessonError(name, step.line, said)
        if text.count("\n") >= MOST_PROSE_LINES:
            said = f"a text has more than {MOST_PROSE_LINES:,} lines: make several steps of it."
            raise LessonError(name, step.line, said)
    count = sum(text.count("{{") for text in step.texts)
    if count > MOST_EXPRESSIONS:
        said = f"this step has {count:,} expressions, more than {MOST_EXPRESSIONS}: make several steps of it."
        raise LessonError(name, step.line, said)


@cache
def _markdown() -> MarkdownIt:
    """Returns what finds headings and blocks; what is in a line is of no interest here."""
    from markdown_it import MarkdownIt  # which the start does without

    parser = MarkdownIt()
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _block(
    kind: str, content: str, name: str, line: int
) -> LessonScene | LessonQuestion | tuple[str, ...] | str:
    if kind == "scene":
        return _scene(content, name, line)
    if kind == "notes":
        return content.strip()
    if kind == "asked":
        asked = tuple(
            stripped for line_text in content.split("\n") if (stripped := line_text.strip())
        )
        _refuse_asked(asked, name, line)
        return asked
    question = _parsed(content, LessonQuestion, name, line, MOST_BLOCK, "this block")
    if not question.answer and question.kind != "merge":
        raise LessonError(name, line, "a question needs an “answer”.")
    if question.part == "cut" and question.kind != "click":
        raise LessonError(name, line, "only a question of the kind “click” has a “part”.")
    if question.kind == "choose" and len(question.choices) < 2:
        raise LessonError(name, line, "a question to choose from needs at least two “choices”.")
    if len(question.choices) > MOST_CHOICES or len(question.reasons) > MOST_LISTED:
        said = f"a question has at most {MOST_CHOICES} “choices”, and {MOST_LISTED} “reasons”."
        raise LessonError(name, line, said)
    if question.kind == "split" and not question.text:
        raise LessonError(name, line, "a question to split needs a “text”.")
    unknown = [reason for reason in question.reasons if reason not in question.choices]
    if question.kind == "choose" and unknown:
        raise LessonError(name, line, f"“{unknown[0]}” has a reason and is not one of the choices.")
    return question


def _scene(content: str, name: str, line: int) -> LessonScene:
    scene = _parsed(content, LessonScene, name, line, MOST_BLOCK, "this block")
    _refuse_list("mark", scene.mark, name, line)
    for mark in scene.mark:
        try:
            mark_of(mark)
        except ValueError as error:
            raise LessonError(name, line, str(error)) from error
    if scene.nth < 1 or scene.nth > MOST_CHARACTERS:
        raise LessonError(name, line, f"“nth” is not from 1 to {MOST_CHARACTERS:,}.")
    if named := named_path(scene.page_settings):
        said = f"“{named[:40]}” is a path, but a lesson cannot open files. Leave it out."
        raise LessonError(name, line, said)
    return scene


def _parsed(content: str, kind: type[T], name: str, line: int, most: int, what: str) -> T:
    """Returns a block of TOML as a declared type; ``line`` is that of its first line in the file."""
    try:
        values = read_toml(content, most, what)
    except TomlError as error:
        raise LessonError(name, line + error.line - 1, str(error)) from error
    try:
        return msgspec.convert(values, kind)
    except (msgspec.ValidationError, RecursionError, OverflowError) as error:
        said = str(error).replace("`", "“", 1).replace("`", "”", 1).replace("`", "")
        raise LessonError(name, line, f"{said}.") from error
