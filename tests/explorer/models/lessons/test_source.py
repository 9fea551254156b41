"""The form of a lesson changes what it is told to change, and no other byte."""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenarium.app.lesson_list import lesson_paths
from tokenarium.models.lessons.lesson import lesson_of
from tokenarium.models.lessons.source import MOST_FAULTS, LessonSource, faults_of_format
from tokenarium.models.lessons.source import STEP as NEW_STEP
from tokenarium.models.lessons.toml import TomlError
from tokenarium.models.lessons.toml_editing import with_value
from tokenarium.models.lessons.writing import WritingError

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=9)
WORDS = st.sampled_from(["a", "b c", "'", '"', "\\", "é\u00a0", "1", "=", "#", "]"])
VALUES = st.integers(-9, 9) | st.booleans() | TEXT | st.lists(WORDS, max_size=4)
KEYS = st.sampled_from(["ask", "answer", "own", "b c", "x.y"])

HEAD = """+++
# Ours.
title = "A" # short
minutes = 5
learns = [
  "x", # first
  "y",
]
tokenizers = ["a"]
unknown = { b = 1 }
+++
"""

STEP = """## One

A text.

```scene
# Where it begins.
text = "Hello"   # all of it
workspace = 'tokens'
other = 1
mark = ["token 1"]
```

More of it.

```question
ask = "How many?"
choices = ["1", "2"]
answer = '''count("Hello")'''

[reasons]
2 = "Is it?" # no
```
"""


def lines_changed(before: str, after: str) -> list[str]:
    """Returns the lines that were removed and added."""
    compared = difflib.ndiff(before.split("\n"), after.split("\n"))
    return [line for line in compared if line[0] in "+-"]


@pytest.mark.slow
@pytest.mark.parametrize("path", lesson_paths(), ids=lambda path: path.stem)
def test_each_value_of_ours_changes_alone_and_back(path: Path) -> None:
    text = path.read_text("utf-8")
    source = LessonSource(text)
    assert source.head is not None
    for key, value in source.head.items():
        assert source.with_head(key, value) == text
        other = LessonSource(source.with_head(key, _other(value)))
        assert other.head == source.head | {key: _other(value)}
        assert other.text.split("\n+++\n", 1)[1] == text.split("\n+++\n", 1)[1]
        assert LessonSource(other.with_head(key, value)).content == source.content
    for number, step in enumerate(source.steps):
        assert source.with_title(number, step.title) == text
        assert source.with_prose(number, step.prose) == text
        more = source.with_prose(number, f"{step.prose}\n\nMore.")
        written = [line for line in more.split("\n") if line]
        written.remove("More.")
        assert written == [line for line in text.split("\n") if line]
        for kind in ("notes", "asked"):
            assert source.with_lines(number, kind, step.lines(kind)) == text
        for kind in ("scene", "question"):
            values = step.values(kind)
            assert values is not None
            for key, value in values.items():
                assert source.with_block_value(number, kind, (key,), value) == text
                changed = source.with_block_value(number, kind, (key,), _other(value))
                outside = _outside(text, number, kind)
                assert _outside(changed, number, kind) == outside
                back = LessonSource(changed).with_block_value(number, kind, (key,), value)
                assert LessonSource(back).content == source.content
    lesson_of(text, path.name)


def _other(value: Any) -> Any:
    if isinstance(value, str):
        return f"{value} more"
    if isinstance(value, list):
        return [*value[1:], "new"]
    if isinstance(value, dict):
        return value | {"new": "“new”"}
    return value + 1


def _outside(text: str, number: int, kind: str) -> tuple[str, str]:
    block = LessonSource(text).steps[number].blocks[kind]
    lines = text.split("\n")
    return "\n".join(lines[: block.line + 1]), "\n".join(lines[block.end :])


@pytest.mark.slow
@given(
    st.dictionaries(KEYS, VALUES, max_size=4),
    st.sampled_from(["", "# A comment.\n", "other = [ 1,\n # within\n 2 ] # end\n"]),
    st.dictionaries(KEYS, TEXT, max_size=3),
    KEYS,
    VALUES | st.none(),
)
@settings(max_examples=400, deadline=None)
def test_a_value_of_toml_changes_alone(
    values: dict[str, Any], extra: str, reasons: dict[str, str], key: str, value: Any
) -> None:
    text = extra
    for name, item in values.items():
        text = with_value(text, (name,), item)
    text = with_value(text, ("reasons",), reasons)
    changed = with_value(text, (key,), value, ("ask", "answer", "reasons"))
    expected = tomllib.loads(text)
    expected.pop(key, None)
    assert tomllib.loads(changed) == expected | ({} if value is None else {key: value})
    assert all(line in changed.split("\n") for line in extra.split("\n"))
    new = dict.fromkeys(list(reasons)[1:], "r") | {"renamed": "x"}
    renamed = with_value(changed, ("reasons",), new)
    assert tomllib.loads(renamed) == tomllib.loads(changed) | {"reasons": new}
    assert all(line in renamed.split("\n") for line in extra.split("\n"))


@pytest.mark.slow
@given(st.lists(WORDS, min_size=1, max_size=5), st.lists(WORDS, max_size=5), st.booleans())
@settings(max_examples=300, deadline=None)
def test_items_of_a_list_that_stay_keep_their_lines(
    before: list[str], after: list[str], by_line: bool
) -> None:
    items = [with_value("", ("x",), item).removeprefix("x = ").strip() for item in before]
    written = ", # c\n  ".join(items) if by_line else " ,  ".join(items)
    text = f"a = [\n  {written}, # last\n]\n" if by_line else f"a = [ {written} ]\n"
    changed = with_value(text, ("a",), after)
    assert tomllib.loads(changed) == {"a": after}
    if after[:1] == before[:1] and by_line:
        assert changed.startswith(f"a = [\n  {items[0]},")


CHANGES: list[tuple[str, Any, list[str]]] = [
    ("title", lambda s: s.with_title(0, "Two"), ["- ## One", "+ ## Two"]),
    ("prose", lambda s: s.with_prose(0, "A text.\n\nMore of that."), []),
    (
        "text beside a comment",
        lambda s: s.with_block_value(0, "scene", ("text",), "Hi"),
        ['- text = "Hello"   # all of it', '+ text = "Hi"   # all of it'],
    ),
    (
        "quotation marks stay",
        lambda s: s.with_block_value(0, "scene", ("workspace",), "merges"),
        ["- workspace = 'tokens'", "+ workspace = 'merges'"],
    ),
    (
        "a comment beside what is removed stays",
        lambda s: s.with_block_value(0, "scene", ("text",), None),
        ['- text = "Hello"   # all of it', "+ # all of it"],
    ),
    (
        "a new key has its place",
        lambda s: s.with_block_value(0, "scene", ("page",), "steps"),
        ['+ page = "steps"'],
    ),
    (
        "a reason is renamed with its choice",
        lambda s: s.with_block_value(0, "question", ("reasons",), {"3": "Is it?"}),
        ['- 2 = "Is it?" # no', '+ 3 = "Is it?" # no'],
    ),
    (
        "another reason",
        lambda s: s.with_block_value(0, "question", ("reasons", "1"), "No."),
        ['+ 1 = "No."'],
    ),
    (
        "an item of a list",
        lambda s: s.with_head("learns", ["x", "z"]),
        ['-   "y",', '+   "z",'],
    ),
    ("notes", lambda s: s.with_lines(0, "notes", "Say it."), []),
    ("head", lambda s: s.with_head("level", "deeper"), ['+ level = "deeper"']),
]


@pytest.mark.parametrize(("change", "lines"), [one[1:] for one in CHANGES], ids=[one[0] for one in CHANGES])  # fmt: skip
def test_only_what_is_changed_is_written(change: Any, lines: list[str]) -> None:
    text = HEAD + "\n" + STEP
    changed = change(LessonSource(text))
    assert changed != text
    if lines:
        assert lines_changed(text, changed) == lines
    for comment in ("# Ours.", "# short", "# first", "# Where it begins.", "# all of it", "# no"):
        assert comment in changed
    assert "other = 1" in changed
    assert "unknown = { b = 1 }" in changed


def test_prose_keeps_the_blocks_between_its_lines() -> None:
    text = HEAD + "\n" + STEP
    changed = LessonSource(text).with_prose(0, "A longer text.\n\n\n\nMore of it.")
    assert changed.index("A longer text.") < changed.index("```scene") < changed.index("More of it")
    emptied = LessonSource(changed).with_prose(0, "")
    assert LessonSource(emptied).steps[0].prose == ""
    again = LessonSource(emptied).with_prose(0, "New.")
    assert again.index("## One") < again.index("New.") < again.index("```scene")


@pytest.mark.parametrize("prose", ["A\n\n## Two", "```scene\n```", "```\nopen", "Two\n---"])
def test_what_would_change_the_steps_is_refused(prose: str) -> None:
    source = LessonSource(HEAD + "\n" + STEP + "\n## Last\n\nEnd.\n")
    with pytest.raises(WritingError, match="Write it in the Markdown"):
        source.with_prose(0, prose)
    with pytest.raises(WritingError, match="Write it in the Markdown"):
        source.with_lines(0, "notes", "```\nx")
    with pytest.raises(WritingError, match="Write it in the Markdown"):
        source.with_title(0, "a\nb")


def test_a_block_with_a_fault_is_left_alone_and_the_others_are_not() -> None:
    text = HEAD + "\n" + STEP.replace("other = 1", "other = ")
    source = LessonSource(text)
    assert source.steps[0].values("scene") is None
    with pytest.raises(WritingError, match="Correct it in the Markdown"):
        source.with_block_value(0, "scene", ("text",), "x")
    changed = source.with_block_value(0, "question", ("hint",), "Count.")
    assert lines_changed(text, changed) == ['+ hint = "Count."']
    assert LessonSource("no head").steps == ()
    with pytest.raises(TomlError):
        with_value("a = ", ("b",), 1)


def test_each_step_with_a_fault_is_named_by_its_line() -> None:
    head = HEAD.replace("unknown = { b = 1 }\n", "")
    steps = [
        "## One\n\n```scene\nnth = 0\n```\n",
        f"## {'long ' * 60}\n",
        "## Three\n\nProse.\n",
        '## Four\n\n```notes\nN\n```\n\n```question\nask = "a"\nchoices = [\n```\n',
    ]
    text = "\n".join([head, *steps])
    lines = text.split("\n")
    found = faults_of_format(text, "a.md")
    assert [line for line, _ in found] == [
        lines.index("nth = 0") + 1,
        lines.index(f"## {'long ' * 60}") + 1,
        lines.index("choices = [") + 1,
    ]
    assert "“nth” is not from 1" in found[0][1]
    assert faults_of_format(head + "\n" + steps[2], "a.md") == []
    assert faults_of_format("no head", "a.md")[0][0] == 1
    many = head + "\n" + "\n".join(steps[0] for _ in range(50))
    assert len(faults_of_format(many, "a.md")) == MOST_FAULTS
    assert faults_of_format(head + "\n", "a.md")[0][1].startswith("it has no step")


@pytest.mark.parametrize("ending", ["", "\n", "\n\n"])
def test_steps_are_added_moved_and_removed_whole(ending: str) -> None:
    steps = [f"## {name}\n\nText {name}." for name in "ABC"]
    text = HEAD + "\n" + "\n\n".join(steps) + ending

    def titles(source: str) -> str:
        return "".join(step.title[-1] for step in LessonSource(source).steps)

    source = LessonSource(text)
    assert titles(source.with_moved(0, 1)) == "BAC"
    assert titles(source.with_moved(2, -1)) == "ACB"
    assert source.with_moved(0, -1) == text == source.with_moved(2, 1)
    moved = LessonSource(source.with_moved(2, -1)).with_moved(1, 1)
    assert moved == text
    assert titles(source.without_step(1)) == "AC"
    assert titles(source.without_step(2)) == "AB"
    assert titles(source.with_new_step(0, "## N\n")) == "ANBC"
    assert titles(source.with_new_step(2, "## N\n")) == "ABCN"
    assert titles(source.with_new_step(-1, "## N\n")) == "NABC"
    assert source.steps[1].prose == LessonSource(source.with_new_step(1, NEW_STEP)).steps[1].prose
    assert [source.step_at(line) for line in (0, source.steps[0].line, source.steps[1].line)] == [
        -1,
        0,
        1,
    ]


@pytest.mark.slow
@given(st.lists(TEXT, max_size=5), st.lists(TEXT, max_size=5), st.integers(0, 3))
@settings(max_examples=200, deadline=None)
def test_any_prose_is_written_as_it_is_read_or_not_at_all(
    old: list[str], new: list[str], place: int
) -> None:
    parts = [*old, *old][place:]
    text = HEAD + "\n## One\n\n" + "\n".join(parts) + "\n\n```notes\nN\n```\n" + "\n".join(old)
    source = LessonSource(text + "\n\n## Two\n\nEnd\n")
    if not source.steps or source.steps[0].title != "One":
        return
    prose = "\n".join(new)
    try:
        changed = LessonSource(source.with_prose(0, prose))
    except WritingError:
        assert prose.strip() != source.steps[0].prose
        return
    assert changed.steps[0].prose == prose.strip()
    assert [step.content for step in changed.steps[1:]] == [
        step.content for step in source.steps[1:]
    ]
