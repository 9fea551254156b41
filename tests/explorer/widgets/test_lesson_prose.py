"""Markdown of a lesson: nothing but what is in it, and in the lesson's folder, is shown."""

from __future__ import annotations

import os
import re
import sys
from base64 import b64decode
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QColor, QImage, QTextDocument
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from windows import off_screen

from tokenarium.app.lesson_list import lesson_paths
from tokenarium.models.lessons import pictures
from tokenarium.models.lessons.lesson import read_lesson
from tokenarium.models.lessons.pictures import (
    PictureError,
    bounded_markdown,
    pictures_of,
    read_picture,
)
from tokenarium.pictures.safe_document import SafeDocument
from tokenarium.style.theme import DARK, LIGHT
from tokenarium.widgets.lesson_prose import WIDEST_PICTURE, ProseLabel, prose_html

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of lessons with a picture, and one outside of it."""
    folder = tmp_path / "lessons"
    (folder / "sub").mkdir(parents=True)
    for path in (folder / "a b.png", folder / "sub" / "c.jpg", tmp_path / "out.png"):
        image = QImage(40, 20, QImage.Format.Format_RGB32)
        image.fill(QColor("red"))
        assert image.save(str(path))
    return folder


def test_pictures_beside_the_lesson_are_read(folder: Path) -> None:
    assert read_picture(folder, "a%20b.png").width() == 40
    assert read_picture(folder, "./sub/c.jpg").height() == 20
    (folder / "link.png").symlink_to(folder / "sub" / "c.jpg")
    assert read_picture(folder, "link.png").width() == 40


ELSEWHERE = {
    "/dev/zero": "its address is not that of a file next to",
    "/etc/hosts": "its address is not that of a file next to",
    "../out.png": "it is not in the lesson's folder",
    "sub/../../out.png": "it is not in the lesson's folder",
    "%2e%2e/out.png": "it is not in the lesson's folder",
    "link.png": "it is not in the lesson's folder",
    "way/out.png": "it is not in the lesson's folder",
    "..\\out.png": "its address is not that of a file next to",
    "c:/out.png": "nothing is downloaded",
    "http://example.org/a.png": "nothing is downloaded",
    "//example.org/a.png": "nothing is downloaded",
    "file:///etc/hosts": "nothing is downloaded",
    "data:image/png;base64,AAAA": "nothing is downloaded",
    "qrc:/a.png": "nothing is downloaded",
    "none.png": "there is no such file",
    "sub": "it is a folder",
    "a\0b.png": "its address is not that",
    "x" * 5000: "it cannot be read",
    "text.png": "it is neither PNG nor JPEG",
    "vector.png": "it is neither PNG nor JPEG",
    "damaged.png": "its file is damaged",
    "loop.png": "",
    "pipe.png": "it is a pipe, not a file",
}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes of this kind")
@pytest.mark.parametrize("name", ELSEWHERE)
def test_what_is_elsewhere_or_no_picture_is_refused(name: str, folder: Path) -> None:
    (folder / "link.png").symlink_to(folder.parent / "out.png")
    (folder / "way").symlink_to(folder.parent)
    (folder / "loop.png").symlink_to(folder / "loop.png")
    (folder / "text.png").write_text("text")
    (folder / "vector.png").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    (folder / "damaged.png").write_bytes(b"\x89PNG\r\n\x1a\nabc")
    os.mkfifo(folder / "pipe.png")
    with pytest.raises(PictureError) as refused:
        read_picture(folder, name)
    assert ELSEWHERE[name] in str(refused.value)
    assert str(refused.value).endswith(".")
    assert len(str(refused.value)) < 300


def test_pictures_are_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "MOST_PICTURE_PIXELS", 799)
    with pytest.raises(PictureError, match="it has 800 pixels, more than 799"):
        read_picture(folder, "a%20b.png")
    monkeypatch.setattr(pictures, "MOST_PICTURE_BYTES", 20)
    with pytest.raises(PictureError, match="its file is larger than"):
        read_picture(folder, "a%20b.png")
    monkeypatch.undo()
    monkeypatch.setattr(pictures, "MOST_PICTURES", 1)
    read = pictures_of(str(folder / "its.md"))
    read("a%20b.png")
    with pytest.raises(PictureError, match="a text may have at most 1"):
        read("a%20b.png")
    assert bounded_markdown("![a](b) ![c](d)").startswith("![a](b) !\\[c](d)")


def test_a_wide_picture_is_made_smaller(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "WIDEST", 10)
    assert read_picture(folder, "a%20b.png").width() == 10


def test_a_label_shows_the_picture_itself_or_a_sentence(folder: Path) -> None:
    html = prose_html("![a](<a b.png>) ![b](/dev/zero)", str(folder / "its.md"))
    assert [one[:22] for one in re.findall('src="([^"]*)', html)] == ["data:image/png;base64,"]
    assert "The picture “/dev/zero” is not shown" in html
    assert "is not shown" in prose_html("![a](<a b.png>)")  # a lesson that is of no file


@pytest.mark.parametrize(
    "hostile",
    [
        '<img src="/dev/zero">',
        "<img src='file:///dev/zero'/>\n\n<script>alert(1)</script>",
        "[a](javascript:alert(1))",
        "[a](file:///etc/hosts)",
        "[a](vscode://x)",
        "<javascript:alert(1)>",
        '[a](https:" onclick="x)',
        "[![a](/dev/zero)](file:///etc/hosts)",
        "![a][b]\n\n[b]: /dev/zero",
        "<a href='file:///x'>a</a>",
        "<style>@import url(file:///x)</style>",
        "![](<a\nb>)",
    ],
)
def test_nothing_of_a_text_is_loaded_or_leads_out_of_the_web(hostile: str) -> None:
    html = prose_html(hostile)
    assert not re.search("<(img|script|iframe)", html)
    assert all(one.startswith("https://") for one in re.findall('href="([^"]*)', html))


def test_links_into_the_web_stay_and_say_where_they_lead() -> None:
    assert 'href="https://example.org/x"' in prose_html("[the bank](https://example.org/x)")
    label = ProseLabel()
    label.linkHovered.emit("https://example.org/x")
    assert label.toolTip() == "https://example.org/x"


def test_a_document_loads_only_what_is_in_it(folder: Path) -> None:
    kind = QTextDocument.ResourceType.ImageResource
    url = QUrl.fromLocalFile(str(folder / "a b.png"))
    assert QTextDocument().loadResource(kind.value, url) is not None
    assert SafeDocument().loadResource(kind.value, url) is None


def test_what_is_laid_out_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "MOST_PROSE", 10)
    assert bounded_markdown("a" * 20) == "a" * 20
    assert "is left out" in bounded_markdown("a" * 21)
    monkeypatch.undo()
    monkeypatch.setattr(pictures, "MOST_PROSE_LINES", 2)
    assert bounded_markdown("a\nb") == "a\nb"
    assert bounded_markdown("a\nb\nc").startswith("a\nb\n\n*The rest")
    for nested in ("- " * 9, "1. " * 9, "> " * 9, "> - 1. " * 3, ">" * 9):
        assert bounded_markdown(nested + "x").strip() == "x"
    assert bounded_markdown("> - x") == "> - x"
    assert bounded_markdown("1.5 and 2.") == "1.5 and 2."


def test_a_label_keeps_its_markdown() -> None:
    label = ProseLabel()
    label.setText("**a**\n\nb")
    assert label.text() == "**a**\n\nb"


def test_a_picture_with_a_description_of_many_parts_is_not_shown(folder: Path) -> None:
    file = str(folder / "its.md")
    assert "data:image/png" in prose_html("![" + "a\n" * 20 + "](<a b.png>)", file)
    html = prose_html("![" + "a\n" * 100 + "](<a b.png>) and *more*", file)
    assert "<img" not in html
    assert "and more" in html


def test_a_dark_theme_has_the_dark_version_of_a_picture(qtbot: QtBot, tmp_path: Path) -> None:
    for name, colour in (("flow.png", "white"), ("flow-dark.png", "black"), ("plain.png", "red")):
        image = QImage(8, 8, QImage.Format.Format_RGB32)
        image.fill(QColor(colour))
        image.save(str(tmp_path / name))
    file = str(tmp_path / "its.md")

    def colour_in(html: str) -> str:
        data = html.partition("data:image/png;base64,")[2].partition('"')[0]
        return QImage.fromData(b64decode(data)).pixelColor(0, 0).name()

    assert colour_in(prose_html("![a](flow.png)", file)) == "#ffffff"
    assert colour_in(prose_html("![a](flow.png)", file, dark=True)) == "#000000"
    assert colour_in(prose_html("![a](plain.png)", file, dark=True)) == "#ff0000"
    label = off_screen(qtbot, ProseLabel())
    label.file = file
    label.setText("![a](flow.png)")
    for theme, colour in ((DARK, "#000000"), (LIGHT, "#ffffff")):
        label.setPalette(theme.palette())
        assert colour_in(QLabel.text(label)) == colour


@pytest.mark.parametrize("name", ["tokenizer-and-model.png", "tokenizer-and-model-dark.png"])
def test_the_picture_of_the_lesson_on_models_is_shown(name: str) -> None:
    lesson = next(path for path in lesson_paths() if path.stem == "19-tokenizer-and-model")
    assert "](tokenizer-and-model.png)" in read_lesson(lesson).steps[0].prose
    image = read_picture(lesson.parent, name)
    assert image.width() == 2 * WIDEST_PICTURE
    ground = image.pixelColor(0, 0)
    assert ground.alpha() == 0  # that of the panel is seen
