"""Links, and the addresses of files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenarium.models.links import LessonPlace, lesson_link, path_of, read_lesson_link
from tokenarium.models.scene import (
    LINK,
    Scene,
    SceneError,
    SceneText,
    SceneTokenizer,
    is_link,
    named_files,
    read_link,
    scene_link,
    without_files,
)


@given(st.text(min_size=1, max_size=20), st.integers(0, 998))
def test_a_link_to_a_lesson_comes_back(lesson: str, step: int) -> None:
    lesson = lesson.encode("utf-8", "replace").decode()
    assert read_lesson_link(lesson_link(lesson, step)) == LessonPlace(lesson, step)


@pytest.mark.parametrize(
    ("link", "place"),
    [
        ("tokenarium:lesson/a", LessonPlace("a")),
        ("tokenarium:lesson/a/", LessonPlace("a")),
        ("tokenarium:lesson/a/0", LessonPlace("a")),
        (" tokenarium://lesson/a/2\n", LessonPlace("a", 1)),
        ("TOKENARIUM:///LESSON/a/2", LessonPlace("a", 1)),
        ("tokenarium:lesson/../../etc/passwd", None),
        (
            "tokenarium:lesson/%2e%2e%2fx",
            LessonPlace("../x"),
        ),  # looked for by its name among the lessons
        ("tokenarium:lesson/", None),
        ("tokenarium:lesson/a/x", None),
        ("tokenarium:lesson/a/99999", None),
        ("tokenarium:eNqr", None),
        ("http://lesson/a", None),
    ],
)
def test_links_to_lessons(link: str, place: LessonPlace | None) -> None:
    assert read_lesson_link(link) == place


@pytest.mark.parametrize("form", ["{}", "scene/{}", "//scene/{}", "///{}"])
def test_all_forms_of_a_link_to_a_scene_are_read(form: str) -> None:
    scene = Scene(text=SceneText("Hello"), workspace="merges")
    link = scene_link(scene)
    assert read_link(LINK + form.format(link.removeprefix(LINK))).scene.text == scene.text
    assert is_link(link.replace("tokenarium", "Tokenarium"))


@given(st.text())
def test_no_link_does_more_than_be_refused(text: str) -> None:
    link = LINK + text
    if read_lesson_link(link) is None:
        with pytest.raises(SceneError):
            read_link(link)


HOSTILE = Scene(
    text=SceneText(file="/etc/passwd"),
    tokenizers=(SceneTokenizer("file:/home/x/a.json"), SceneTokenizer("shipped:tokenarium-8k")),
    pages={"vocabulary.release": {"config": "\\\\host\\share", "limits": 3, "texts": [0, "~/x"]}},
    above={"sheet": {"where": {"file": "C:\\x"}}},
    panes={"text": "../up"},
)


def test_files_that_a_scene_names() -> None:
    files = ["/etc/passwd", "/home/x/a.json", "\\\\host\\share", "~/x", "C:\\x", "../up"]
    assert named_files(HOSTILE) == files
    rest = without_files(HOSTILE)
    assert named_files(rest) == []
    assert rest.text is None
    assert [one.key for one in rest.tokenizers or ()] == ["shipped:tokenarium-8k"]
    assert rest.pages == {"vocabulary.release": {"limits": 3}}


def test_what_is_no_file_is_not_asked_about() -> None:
    scene = Scene(
        text=SceneText("/etc/passwd is a file"),
        tokenizers=(SceneTokenizer("named:gpt2"),),
        display={"pattern": "/a|b/"},
        pages={"pretokens": {"pattern": "\\p{L}+", "filter": "a/b"}},
    )
    assert named_files(scene) == []


@pytest.mark.skipif(sys.platform == "win32", reason="paths of Unix")
@pytest.mark.parametrize(
    ("word", "path"),
    [
        ("a.txt", "a.txt"),
        ("/a b.txt", "/a b.txt"),
        ("file:///a%20b.txt", "/a b.txt"),
        ("file:/a%20b.txt", "/a b.txt"),
        ("FILE://localhost/a%25.txt", "/a%.txt"),
        ("file:///caf%E9", "/caf\udce9"),
        ("file:///%E2%82%AC", "/€"),
        ("file://host/a", "file:/host/a"),
    ],
)
def test_paths_of_words(word: str, path: str) -> None:
    assert path_of(word) == Path(path)
