"""A view is written as a step that shows the same view."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from narrowed import there

from tokenarium.app.workspaces import WORKSPACES
from tokenarium.models.lessons.answers import Answers
from tokenarium.models.lessons.asking import scene_of
from tokenarium.models.lessons.checking import SHOWN, faults_of
from tokenarium.models.lessons.lesson import lesson_of
from tokenarium.models.lessons.source import LessonSource
from tokenarium.models.lessons.writing import (
    TEMPLATE_STEP,
    WritingError,
    file_name,
    new_lesson,
    step_of,
)
from tokenarium.models.scene import Scene, named_path
from tokenarium.models.text.text_map import TextMap


@pytest.mark.slow
@given(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    st.data(),
    st.dictionaries(st.sampled_from(["a", "b c", "d"]), st.booleans() | st.integers(-9, 9) | st.text(max_size=5) | st.lists(st.text(max_size=3)), max_size=3),
)  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_a_step_shows_what_was_shown(
    text: str, data: st.DataObject, kept: dict[str, object]
) -> None:
    assume(not named_path(kept))  # what looks like a path is left out, as a lesson opens no file
    text = text.replace("}}", "} }")  # which ends an expression
    text_map = TextMap(text)
    edges = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    span = tuple(text_map.char_to_byte(edges).tolist())
    scene = Scene(
        workspace="merges",
        page="steps",
        selection=span if span[0] < span[1] else None,  # type: ignore[arg-type]
        pages={"merges.steps": {"step": 3, **kept}},
    )
    source = new_lesson('A “title” \\ "', ["shipped:x"]) + step_of(
        "One", scene, text_map, ["shipped:x"]
    )
    step = lesson_of(source, "a.md").steps[0]
    shown = scene_of([there(step.scene)], [], Answers([]))
    assert there(shown.text).inline == text
    assert (shown.workspace, shown.page, shown.pages) == ("merges", "steps", scene.pages)
    assert shown.selection == scene.selection


def test_a_step_leaves_out_what_looks_like_a_path() -> None:
    kept = {"a": "~0", "b": ["/etc/x"], "c": "a~0", "d": "a/b"}
    scene = Scene(workspace="merges", page="steps", pages={"merges.steps": kept})
    source = new_lesson("A", ["shipped:x"]) + step_of("One", scene, TextMap("a"), ["shipped:x"])
    step = lesson_of(source, "a.md").steps[0]
    shown = scene_of([there(step.scene)], [], Answers([]))
    assert shown.pages == {"merges.steps": {"c": "a~0", "d": "a/b"}}


@pytest.mark.parametrize(
    ("text", "by_line"),
    [
        ('One\nTwo “x” and "y".\n', True),
        ("\n\n## Not a step\n  x: {{ 1 }} 👩‍🚀\n", True),
        ("one line", False),
        ('a\n"""b', False),
        ('a\nb"', False),
        ("a\n```\nb", False),
        ("a\\n\nb", False),
        ("a\r\nb", False),
        ("a\n\u2028b", False),
    ],
)
def test_a_text_of_lines_can_be_read_in_the_file(text: str, by_line: bool) -> None:
    text_map = TextMap(text)
    source = new_lesson("T", ["x"]) + step_of("One", Scene(workspace="tokens"), text_map, ["x"])
    assert ('text = """\n' in source) is by_line
    steps = lesson_of(source, "a.md").steps
    assert len(steps) == 1
    shown = scene_of([there(steps[0].scene)], [], Answers([]))
    assert there(shown.text).inline == text


def test_a_workspace_that_is_none_is_a_fault() -> None:
    source = new_lesson("T", ["shipped:tokenarium-8k"]) + TEMPLATE_STEP
    assert not faults_of(lesson_of(source, "t.md"))
    found = faults_of(
        lesson_of(source.replace('workspace = "tokens"', 'workspace = "token"'), "t.md")
    )
    assert len(found) == 1
    assert "“token” is not a workspace." in found[0]
    assert {kind.name.id for kind in WORKSPACES} == set(SHOWN)


def test_the_template_is_a_lesson() -> None:
    lesson = lesson_of(new_lesson("T", ["shipped:tokenarium-8k"]) + TEMPLATE_STEP, "t.md")
    step = lesson.steps[0]
    assert step.question is not None
    assert step.scene is not None
    assert step.notes
    assert step.asked


@pytest.mark.parametrize(
    "written",
    ['["a", ["b", "c"]]', '[\n  "a",\n  ["b", "c"],\n]', '["a", ["b", "c"]]  # [a remark'],
)
def test_tokenizers_are_added_once(written: str) -> None:
    source = f'+++\ntitle = "x"\ntokenizers = {written}\nlevel = "deeper"\n+++\n'
    more = LessonSource(source).with_tokenizers(["c", "d", "a"])
    head = tomllib.loads(more.split("+++")[1])
    assert head == {"title": "x", "tokenizers": ["a", ["b", "c"], "d"], "level": "deeper"}
    assert LessonSource(more).with_tokenizers(["d"]) == more
    assert LessonSource("no head").with_tokenizers(["d"]) == "no head"


def test_a_text_of_megabytes_is_refused() -> None:
    with pytest.raises(WritingError, match="20,001 characters"):
        step_of("One", Scene(), TextMap("a" * 20_001), [])


@pytest.mark.parametrize(
    ("title", "name"), [("A/b\\c: d", "a-b-c-d.md"), ("…", "lesson.md"), ("日本", "日本.md")]
)
def test_a_file_has_a_name_that_every_system_takes(title: str, name: str) -> None:
    assert file_name(title) == name
