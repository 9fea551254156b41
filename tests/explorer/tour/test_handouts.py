"""The command that writes a handout: a picture of each step, and the version and tokenizers it was made with."""

from __future__ import annotations

import base64
import re
import subprocess
import sys
from pathlib import Path

import pytest
from browser import BrowserName, browser, each_browser, page_count
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tokenarium.analyses.field import Number
from tokenarium.models.lessons.classes import ready_classes
from tokenarium.style.theme import PRINT
from tokenarium.tour.handouts import CONTROLS, SCALE
from tokenarium.widgets.analysis.field_control import NumberControl

LESSON = """+++
title = "Short"
minutes = 5
learns = ["One thing."]
tokenizers = [["named:gpt2", "shipped:bpe-gpt2-8k"]]
+++

## One

{{ count(text) }} tokens.

```scene
text = "Hello, world"
```

```question
kind = "write"
ask = "Write less."
answer = "count(text) < 3"
```
"""


def test_the_command_writes_a_page_with_pictures(tmp_path: Path, qtbot: QtBot) -> None:
    (tmp_path / "short.md").write_text(LESSON)
    out = tmp_path / "short.html"
    command = ["-m", "tokenarium", "lesson", "handout", str(tmp_path / "short.md")]
    done = subprocess.run(
        [sys.executable, *command, "--out", str(out), "--progress"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == ["1/1", f"wrote {out}"]
    assert "GPT-2 is not on this computer; BPE 8k, GPT-2 cuts replaces it." in done.stderr
    page = out.read_text()
    assert re.search(r"Tokenarium \d+\.\d+", page)
    assert "8,000 entries, SHA-256" in page
    found = re.search(r'src="data:image/png;base64,([^"]+)"', page)
    assert found is not None
    picture = QImage.fromData(base64.b64decode(found[1]))
    assert picture.width() > 1000
    assert (
        first_token_row(picture) < 60 * SCALE
    )  # no cards, switches and buttons are above the text


def first_token_row(picture: QImage) -> int:
    """The first row of a picture that has the colour of a token."""
    fills = {fill.rgb() for fill in PRINT.tokens}
    return next(
        y
        for y in range(picture.height())
        if any(picture.pixel(x, y) in fills for x in range(0, picture.width(), 2))
    )


PREDICTED = """+++
title = "Predicted"
minutes = 5
learns = ["One thing."]
tokenizers = ["shipped:bpe-gpt2-8k"]
+++

## {page}

```scene
text = "Hello, world"
workspace = "{workspace}"
page = "{page}"
```

```question
ask = "How many?"
choices = ["1", "99"]
answer = "count(text)"
```
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("workspace", "page", "has_picture"),
    [("tokens", "tokens", True), ("pretokens", "", True), ("vocabulary", "entries", False)],
)
def test_a_picture_does_not_answer_a_prediction(
    tmp_path: Path, workspace: str, page: str, has_picture: bool
) -> None:
    """The text is there without its tokens; a page that is hidden altogether has no picture."""
    (tmp_path / "one.md").write_text(PREDICTED.format(workspace=workspace, page=page))
    out = tmp_path / "one.html"
    command = [sys.executable, "-m", "tokenarium", "lesson", "handout", str(tmp_path / "one.md")]
    subprocess.run([*command, "--out", str(out)], check=True, capture_output=True)
    found = re.findall(r'src="data:image/png;base64,([^"]+)"', out.read_text())
    assert len(found) == has_picture
    for one in found:
        with pytest.raises(StopIteration):
            first_token_row(QImage.fromData(base64.b64decode(one)))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["class-letters", "class-vocabulary", "class-choosing"])
def test_the_worksheet_of_a_class_is_one_page(tmp_path: Path, name: str) -> None:
    out = tmp_path / "sheet.pdf"
    command = [sys.executable, "-m", "tokenarium", "lesson", "handout", name, "--out", str(out)]
    done = subprocess.run([*command, "--progress"], capture_output=True, text=True, check=True)
    asked = sum(part.asks for part in ready_classes()[name].parts)
    progress = [f"{number}/{asked}" for number in range(1, asked + 1)]
    assert done.stdout.splitlines() == [*progress, f"wrote {out}"]
    assert len(re.findall(rb"/Type\s*/Page\b", out.read_bytes())) == 1


@pytest.fixture(scope="module")
def worksheets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The worksheets of some classes as HTML."""
    folder = tmp_path_factory.mktemp("worksheets")
    for name in WORKSHEETS:
        out = str(folder / f"{name}.html")
        command = [sys.executable, "-m", "tokenarium", "lesson", "handout", name, "--out", out]
        subprocess.run(command, capture_output=True, check=True)
    return folder


WORKSHEETS = ("class-letters", "class-vocabulary", "class-choosing")


@pytest.mark.slow
@pytest.mark.parametrize("browser_name", each_browser())
def test_the_worksheet_of_a_class_prints_on_one_page(
    tmp_path: Path, worksheets: Path, browser_name: BrowserName
) -> None:
    with browser(tmp_path, browser_name) as opened:
        for name in WORKSHEETS:
            opened.open(worksheets / f"{name}.html")
            assert page_count(opened.pdf()) == 1, name
        assert opened.errors == []


PLACES = """+++
title = "Places"
minutes = 5
learns = ["One thing."]
tokenizers = [["named:gpt2", "shipped:bpe-gpt2-8k"]]
+++

## One

```scene
text = "Hello, world"
```

## Two

```scene
workspace = "vocabulary"
page = "release"
```

## Three

```scene
text = "low low low lower"
workspace = "merges"
page = "training"
at = 1
page_settings = { algorithm = "BPE", pattern = "none", merges = 4, least = 2 }
```
"""


@pytest.mark.slow
def test_the_command_writes_a_web_page(tmp_path: Path) -> None:
    """What a page can play is live, and a training that the window fills in; the rest is a picture."""
    (tmp_path / "places.md").write_text(PLACES)
    out = tmp_path / "page.html"
    command = [sys.executable, "-m", "tokenarium", "lesson", "page", str(tmp_path / "places.md")]
    done = subprocess.run(
        [*command, "--out", str(out), "--progress"], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["1/3", "2/3", "3/3", f"wrote {out}"]
    assert "GPT-2 is not on this computer; BPE 8k, GPT-2 cuts replaces it." in done.stderr
    assert "Traceback" not in done.stderr
    steps = re.split('<h2 id="step-', out.read_text())[1:]
    assert [re.findall('data-kind="([a-z]+)"', step) for step in steps] == [
        ["text"],
        [],
        ["training"],
    ]
    found = [re.findall('src="data:image/webp;base64,([^"]+)"', step) for step in steps]
    assert [len(one) for one in found] == [0, 2, 0]  # a light and a dark one
    assert all(QImage.fromData(base64.b64decode(one)).width() > 700 for one in found[1])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["01-spaces-and-case", "--out", "x.pdf"], "must end with .html"),
        (["no-such-lesson", "--out", "x.html"], "cannot be read"),
        (["class-letters", "--out", "x.html"], "class-letters is a class"),
    ],
)
def test_a_page_that_cannot_be_made_is_a_sentence(arguments: list[str], said: str) -> None:
    command = [sys.executable, "-m", "tokenarium", "lesson", "page", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_wrong_name_is_a_sentence(tmp_path: Path) -> None:
    command = ["-m", "tokenarium", "lesson", "handout", "no-such-lesson", "--out", "x.doc"]
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    assert done.returncode
    assert "must end with .pdf or .html" in done.stderr


def test_boxes_with_numbers_are_not_on_paper(qapp: QApplication) -> None:
    """Their text is a line, which is hidden: an empty frame would stay."""
    box = NumberControl(Number("size", "", "Size"), lambda: None).widget
    assert isinstance(box, CONTROLS)
