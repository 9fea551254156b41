"""Reads the Markdown of a lesson as the values of a form, and changes single ones: all else keeps its bytes.

Lessons with faults can be read too: a block that is not valid TOML has no values, and the others have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import msgspec

from tokenarium.models.lessons.lesson import (
    BLOCKS,
    HEAD,
    LessonError,
    LessonHead,
    LessonQuestion,
    LessonScene,
    lesson_of,
    parts_of,
)
from tokenarium.models.lessons.limits import MOST_BLOCK, MOST_HEAD
from tokenarium.models.lessons.toml import TomlError, read_toml
from tokenarium.models.lessons.toml_editing import with_value
from tokenarium.models.lessons.writing import WritingError
from tokenarium.models.text.editor_text import equal_beginning

ORDERS: Final[Mapping[str, tuple[str, ...]]] = {
    "head": LessonHead.__struct_fields__,
    "scene": LessonScene.__struct_fields__,
    "question": LessonQuestion.__struct_fields__,
}
"""The keys of each kind of TOML, in the order in which new ones are written."""

_PLACED: Final = ("asked", "scene", "notes", "question")
"""The blocks of a step, in the order in which new ones are written."""

_NOT_ALONE: Final = "This would also change other parts of the lesson, so it is not written. Write it in the Markdown."

MOST_FAULTS: Final = 20
"""The most faults of the format that are looked for."""

STEP: Final = "## A new step\n\nSay here what to look at.\n"

Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SourceBlock:
    """A block of a step: the line of its fence, counted from 0, its first line inside, and the line that ends it.

    ``values`` are those of its TOML; None if it has a fault, and for a block of plain lines.
    """

    kind: str
    line: int
    end: int
    text: str
    values: Values | None = None


@dataclass(frozen=True, slots=True)
class SourceStep:
    """A step: the line of its title, counted from 0, the line after its last one, its prose, and its blocks."""

    line: int
    end: int
    title: str
    prose: str
    blocks: Mapping[str, SourceBlock]

    @property
    def content(self) -> tuple[object, ...]:
        """All that a reader of the file gets from the step."""
        blocks = {
            kind: block.text.strip() if block.values is None else _filled(block.values)
            for kind, block in self.blocks.items()
        }
        return self.title, self.prose, blocks

    def values(self, kind: str) -> Values | None:
        """Returns the values of a block of TOML: none if it is missing; None if it has a fault."""
        block = self.blocks.get(kind)
        return {} if block is None else block.values

    def lines(self, kind: str) -> str:
        """Returns the text of a block of plain lines."""
        block = self.blocks.get(kind)
        return block.text.strip() if block is not None else ""


class LessonSource:
    """The Markdown of a lesson. The methods that change it return the whole text, or raise WritingError."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = text.split("\n")
        marks = [number for number, line in enumerate(self._lines) if line.strip() == HEAD]
        self._head_end = marks[1] if len(marks) > 1 and marks[0] == 0 else 0

    @property
    def has_head(self) -> bool:
        """Whether the lesson begins with a head, without which it has no steps."""
        return self._head_end > 0

    @cached_property
    def head(self) -> Values | None:
        """The values of the head; None if it has a fault."""
        return _values("\n".join(self._lines[1 : self._head_end]), MOST_HEAD)

    @cached_property
    def steps(self) -> tuple[SourceStep, ...]:
        """The steps."""
        if not self.has_head:
            return ()
        found = parts_of(self._lines, self._head_end + 1)
        ends = [*(at for at, _, _ in found[1:]), len(self._lines)]
        return tuple(
            self._step(at, end, title, inside)
            for (at, title, inside), end in zip(found, ends, strict=False)
        )

    def _step(
        self, at: int, end: int, title: str, inside: Sequence[tuple[int, int, str, str]]
    ) -> SourceStep:
        blocks: dict[str, SourceBlock] = {}
        hidden: set[int] = set()
        for start, last, kind, content in inside:
            hidden |= set(range(start, last))
            if kind in blocks:
                continue  # a fault: the first one counts here
            text = "\n".join(self._lines[start + 1 : last - 1])
            whole = text.replace("\r", " ") == content.removesuffix(
                "\n"
            )  # a fence that ends, and is not indented
            is_toml = kind in ORDERS
            values = _values(text, MOST_BLOCK) if is_toml and whole else None
            blocks[kind] = SourceBlock(kind, start, last - 1, text, values)
        prose = "\n".join(self._lines[n] for n in range(at + 1, end) if n not in hidden)
        return SourceStep(at, end, title, prose.strip(), blocks)

    @property
    def content(self) -> tuple[object, list[object]]:
        """All that a reader of the file gets from it."""
        head = self.head
        return head and _filled(head), [step.content for step in self.steps]

    def step_at(self, line: int) -> int:
        """Returns the step, from 0, that a line counted from 0 belongs to; -1 for the head."""
        return sum(step.line <= line for step in self.steps) - 1

    # Values.

    def with_head(self, key: str, value: object) -> str:
        """Returns the lesson with another value in its head; None removes it."""
        old = "\n".join(self._lines[1 : self._head_end])
        new = _changed(old, (key,), value, "head", MOST_HEAD)
        text = "\n".join([self._lines[0], *_split(new), *self._lines[self._head_end :]])
        head = _put(self.head or {}, (key,), value)
        return self._checked(text, (_filled(head), self.content[1]))

    def with_tokenizers(self, keys: Sequence[str]) -> str:
        """Returns the lesson whose head names these tokenizers too, after its own."""
        groups = (self.head or {}).get("tokenizers")
        if not isinstance(groups, list):
            return self.text
        known = {key for group in groups for key in ([group] if isinstance(group, str) else group)}
        return self.with_head("tokenizers", [*groups, *(key for key in keys if key not in known)])

    def with_title(self, number: int, title: str) -> str:
        """Returns the lesson with another title of a step."""
        step = self.steps[number]
        line = self._lines[step.line]
        lead = line[: len(line) - len(line.lstrip(" "))]
        lines = [*self._lines[: step.line], f"{lead}## {title}", *self._lines[step.line + 1 :]]
        content = (title.strip(), *step.content[1:])
        return self._checked("\n".join(lines), self._with_step(number, content))

    def with_prose(self, number: int, prose: str) -> str:
        """Returns the lesson with another prose of a step; the lines that are equal stay where they are."""
        step = self.steps[number]
        inside = {
            line for block in step.blocks.values() for line in range(block.line, block.end + 1)
        }
        places = [line for line in range(step.line + 1, step.end) if line not in inside]
        while places and not self._lines[places[0]].strip():
            del places[0]
        while places and not self._lines[places[-1]].strip():
            del places[-1]
        old = [self._lines[place] for place in places]
        new = prose.strip().split("\n") if prose.strip() else []
        if old and new:  # the white space around the prose is not a part of it
            if old[0].strip() == new[0].strip():
                new[0] = old[0]
            if old[-1].rstrip() == new[-1]:
                new[-1] = old[-1]
        first = equal_beginning(old, new)
        last = equal_beginning(old[first:][::-1], new[first:][::-1])
        replaced, put = places[first : len(old) - last], new[first : len(new) - last]
        if replaced:
            at = replaced[0]
        elif first:
            at = places[first - 1] + 1
        elif places:
            at = places[0]
        else:
            at = step.line + 1
            after = self._lines[at] if at < len(self._lines) else ""
            put = ["", *put, *([""] if after.strip() else [])] if put else []
        lines = [line for n, line in enumerate(self._lines) if n not in set(replaced)]
        lines[at:at] = put
        content = (step.title, prose.strip(), step.content[2])
        return self._checked("\n".join(lines), self._with_step(number, content))

    def with_block_value(self, number: int, kind: str, path: Sequence[str], value: object) -> str:
        """Returns the lesson with another value in a block of TOML, which is made if the step has none."""
        return self.with_block_values(number, kind, {tuple(path): value})

    def with_block_values(
        self, number: int, kind: str, changed: Mapping[tuple[str, ...], object]
    ) -> str:
        """Returns the lesson with other values in a block of TOML, by their paths; None removes one."""
        step = self.steps[number]
        block, values = step.blocks.get(kind), step.values(kind)
        if values is None:
            raise WritingError("This block has a fault. Correct it in the Markdown first.")
        new = old = block.text if block is not None else ""
        for path, value in changed.items():
            new = _changed(new, path, value, kind, MOST_BLOCK)
            values = _put(values, path, value)
        return self.text if new == old else self._with_block(number, kind, new, _filled(values))

    def with_lines(self, number: int, kind: str, text: str) -> str:
        """Returns the lesson with other lines in a block of plain lines; without any, the step has no such block."""
        if self.steps[number].lines(kind) == text.strip():
            return self.text
        if not text.strip():
            return self.without_block(number, kind)
        return self._with_block(number, kind, text.strip(), text.strip())

    def without_block(self, number: int, kind: str) -> str:
        """Returns the lesson with a step that has no such block."""
        step = self.steps[number]
        block = step.blocks.get(kind)
        if block is None:
            return self.text
        before, after = self._lines[: block.line], self._lines[block.end + 1 :]
        if before and not before[-1].strip() and (not after or not after[0].strip()):
            del before[-1]
        blocks = {key: one for key, one in _blocks(step).items() if key != kind}
        content = self._with_step(number, (step.title, step.prose, blocks))
        return self._checked("\n".join([*before, *after]), content)

    def _with_block(self, number: int, kind: str, text: str, content: object) -> str:
        step = self.steps[number]
        block = step.blocks.get(kind)
        if block is not None:
            lines = [
                *self._lines[: block.line + 1],
                *_split(text),
                *self._lines[block.end :],
            ]
        else:
            at = self._place_of(step, kind)
            before, after = self._lines[:at], self._lines[at:]
            put = [f"```{kind}", *_split(text), "```"]
            gap = [""] if before and before[-1].strip() else []
            lines = [*before, *gap, *put, "", *after]
        blocks = _blocks(step) | {kind: content}
        return self._checked(
            "\n".join(lines), self._with_step(number, (step.title, step.prose, blocks))
        )

    def _place_of(self, step: SourceStep, kind: str) -> int:
        """Returns the line before which a new block is written."""
        after = _PLACED[_PLACED.index(kind) + 1 :]
        following = [step.blocks[one].line for one in after if one in step.blocks]
        if following:
            return min(following)
        end = step.end
        while end > step.line + 1 and not self._lines[end - 1].strip():
            end -= 1
        # After the blank line that ends what is there, so that the end of the file stays as it is.
        return min(end + 1, step.end) if end < step.end else end

    # Steps.

    def with_new_step(self, after: int, step: str) -> str:
        """Returns the lesson with a new step after one, from 0; -1 puts it first."""
        at = self.steps[after].end if after >= 0 else self._first_line
        before = "\n".join(self._lines[:at]).rstrip("\n")
        rest = "\n".join(self._lines[at:])
        return f"{before}\n\n{step.strip(chr(10))}\n" + (f"\n{rest}" if rest.strip() else "")

    @property
    def _first_line(self) -> int:
        return self.steps[0].line if self.steps else len(self._lines)

    def step_text(self, number: int) -> str:
        """Returns the Markdown of a step."""
        step = self.steps[number]
        return "\n".join(self._lines[step.line : step.end])

    def without_step(self, number: int) -> str:
        """Returns the lesson without a step."""
        step = self.steps[number]
        lines = [*self._lines[: step.line], *self._lines[step.end :]]
        if number == len(self.steps) - 1:
            return "\n".join(lines).rstrip("\n") + "\n"
        return "\n".join(lines)

    def with_moved(self, number: int, by: int) -> str:
        """Returns the lesson with a step moved up (-1) or down (1), past its neighbour."""
        first = min(number, number + by)
        if not 0 <= first < len(self.steps) - 1:
            return self.text
        start, end = self.steps[first].line, self.steps[first + 1].end
        upper, lower = (self.step_text(one).strip("\n") for one in (first, first + 1))
        tail = "\n".join(self._lines[end:])
        ending = self.step_text(first + 1)
        after = ending[len(ending.rstrip("\n")) :]
        parts = [*self._lines[:start], f"{lower}\n\n{upper}{after}"]
        return "\n".join(parts + ([tail] if end < len(self._lines) else []))

    # Checks.

    def _with_step(self, number: int, content: tuple[object, ...]) -> tuple[object, list[object]]:
        head, steps = self.content
        return head, [*steps[:number], content, *steps[number + 1 :]]

    def _checked(self, text: str, content: tuple[object, list[object]]) -> str:
        """Returns a text if it has this content and nothing else: what is typed may have a meaning in Markdown."""
        if LessonSource(text).content != content:
            raise WritingError(_NOT_ALONE)
        return text


def faults_of_format(text: str, name: str) -> list[tuple[int, str]]:
    """Returns the faults of the format of a lesson with their lines, the first one of each step.

    After a fault of the head, no steps are looked at.
    """
    found: list[tuple[int, str]] = []
    while len(found) < MOST_FAULTS:
        try:
            lesson_of(text, name)
        except LessonError as error:
            found.append((error.line, str(error).partition(": ")[2]))
            text = _without_content(text, error.line - 1)
            if not text:
                break
        else:
            break
    return found


def _without_content(text: str, line: int) -> str:
    """Returns a lesson with an empty step instead of that at a line, the other lines where they are; "" if it is that."""
    source = LessonSource(text)
    number = source.step_at(line)
    if number < 0:
        return ""
    step = source.steps[number]
    lines = text.split("\n")
    empty = ["## x", *[""] * (step.end - step.line - 1)]
    if lines[step.line : step.end] == empty:
        return ""
    return "\n".join([*lines[: step.line], *empty, *lines[step.end :]])


def _blocks(step: SourceStep) -> dict[str, Any]:
    blocks: Any = step.content[2]
    return dict(blocks)


def _values(text: str, most: int) -> Values | None:
    try:
        return read_toml(text, most, "this block")
    except TomlError:
        return None


def _changed(text: str, path: Sequence[str], value: object, kind: str, most: int) -> str:
    try:
        return with_value(text, path, value, ORDERS[kind], most)
    except TomlError as error:
        said = str(error)
        raise WritingError(f"{said[:1].upper()}{said[1:]}") from error


def _put(values: Values, path: Sequence[str], value: object) -> Values:
    """Returns values with another one at a path."""
    key, *rest = path
    if rest:
        value = _put(values.get(key) or {}, rest, value)
    if value is None:
        return {one: item for one, item in values.items() if one != key}
    return values | {key: msgspec.to_builtins(value)}


def _filled(values: Values) -> Values:
    """Returns values without empty tables, which say nothing."""
    return {key: value for key, value in values.items() if value != {}}


def _split(text: str) -> list[str]:
    """Returns the lines of a text; a line end at its end begins no further line."""
    return text.removesuffix("\n").split("\n") if text else []


assert set(_PLACED) == set(BLOCKS)
