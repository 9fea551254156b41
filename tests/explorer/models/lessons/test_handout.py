"""Handouts: what is on paper is computed, escaped, described, and with answers only where they are asked for."""

from __future__ import annotations

import io
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from narrowed import assert_contains
from PIL import Image
from PySide6.QtGui import QGuiApplication

import tokenarium_core as tc
from tokenarium.models.lessons.answers import Answers
from tokenarium.models.lessons.asking import scene_of
from tokenarium.models.lessons.handout import Handout, handout_of, handout_page
from tokenarium.models.lessons.lesson import lesson_of
from tokenarium.pictures import handout_file
from tokenarium.pictures.handout_file import pdf_of_handout
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS
from tokenarium_core import WriteError

LESSON = """+++
title = "A <b> & c"
minutes = 5
learns = ["x < y"]
tokenizers = ["shipped:tokenarium-8k"]
+++

## First

{{ tokens(text) }} and *more*, <script>alert(1)</script>

```scene
text = "_a_ <0x41>"
```

```notes
Say {{ name() }}.
```

```question
ask = "How many?"
choices = ["1", "{{ 90 + 9 }}"]
answer = 'count(text)'
hint = "Count."
after = "It is {{ count(text) }}."

[reasons]
1 = "One is too few."
"{{ 90 + 9 }}" = "Too many."
```

## Second

```question
kind = "order"
ask = "Order."
answer = 'merges(" theory")'
after = "So."
```

## Third

```question
kind = "split"
ask = "Cut."
text = "theory"
answer = 'tokens("theory")'
```

## Fourth

```scene
text = "unbelievable"
workspace = "merges"
page = "steps"
at = 1
```

```question
kind = "merge"
ask = "Which?"
```

## Fifth

```question
kind = "write"
ask = "Write."
answer = "count(text) == 2"
after = "Well."
```
"""


def picture(shade: int) -> bytes:
    """A small PNG."""
    file = io.BytesIO()
    Image.new("L", (80, 20), shade).save(file, "PNG")
    return file.getvalue()


@pytest.fixture(scope="module")
def answers() -> Answers:
    one = SHIPPED_TOKENIZERS[0]
    return Answers([(one.name, tc.open(one.path))])


def made(answers: Answers, with_answers: bool) -> Handout:
    lesson = lesson_of(LESSON, "a.md")
    shown, scenes = [], []
    for step in lesson.steps:
        shown += [step.scene] if step.scene is not None else []
        scenes.append(scene_of(shown, [], answers))
    pictures = [picture(1)] * 3 + [picture(2)] * 2
    return handout_of(
        lesson, answers, scenes, pictures, ["A tokenizer"], "Tokenarium", with_answers
    )


class Page(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_values_are_text_and_no_code_of_a_lesson_is_in_the_page(answers: Answers) -> None:
    page = Page(handout_page(made(answers, False)))
    tags = [tag for tag, _ in page.tags]
    assert "script" not in tags
    assert_contains(page.text, " · ".join(answers.tokens("_a_ <0x41>")), "A <b> & c")
    assert tags.count("em") == 1  # of the prose, and none of a value
    pictures = [attributes for tag, attributes in page.tags if tag == "img"]
    assert [str(one["src"])[:22] for one in pictures] == ["data:image/png;base64,"] * 2
    assert pictures[0]["alt"] == "The window at this step: First. The text is “_a_ <0x41>”."


DRAWN = """+++
title = "Drawn"
minutes = 5
learns = ["x"]
tokenizers = ["shipped:tokenarium-8k"]
+++

## One

![Both](flow.png) and ![One](plain.png)
"""


@pytest.mark.parametrize(
    ("dark", "kinds"), [(False, ["own", "own"]), (True, ["own light", "own dark", "own"])]
)
def test_pictures_for_dark_themes_are_there_where_they_are_asked_for(
    answers: Answers, tmp_path: Path, dark: bool, kinds: list[str]
) -> None:
    for name, shade in (("flow", 1), ("flow-dark", 2), ("plain", 3)):
        (tmp_path / f"{name}.png").write_bytes(picture(shade))
    lesson = lesson_of(DRAWN, "a.md", tmp_path / "a.md")
    scenes = [scene_of([], [], answers)]
    (step,) = handout_of(lesson, answers, scenes, [b""], [], "x", False, dark).steps
    found = re.findall(r'<img src="([^"]+)" alt="(\w+)" width="80" class="([^"]+)">', step.prose)
    assert [kind for _, _, kind in found] == kinds
    assert [alt for _, alt, _ in found] == ["Both"] * (len(kinds) - 1) + ["One"]
    assert len({uri for uri, _, _ in found}) == len(kinds)


def test_answers_are_there_only_where_they_are_asked_for(answers: Answers) -> None:
    with_answers, without = (Page(handout_page(made(answers, one))).text for one in (True, False))
    count = answers.count("_a_ <0x41>")
    said = [f"It is {count}.", "Too many.", "For the teacher", "Say Tokenarium 8k.", "Well.", "✓"]
    assert [one in with_answers for one in said] == [True] * len(said)
    assert [one in without for one in said] == [False] * len(said)
    assert_contains(without, "Hint:", "☐")
    right = " → ".join(answers.merges(" theory"))
    assert right in with_answers
    assert right not in without


def test_questions_have_their_parts(answers: Answers) -> None:
    questions = [step.question for step in made(answers, True).steps]
    choose, order, split, merge, write = questions
    assert choose is not None
    assert {one.text: one.right for one in choose.choices} == {
        "1": False,
        "99": False,
        str(answers.count("_a_ <0x41>")): True,
    }
    assert order is not None
    assert sorted(order.parts) == sorted(answers.merges(" theory"))
    assert split is not None
    assert split.parts == tuple("theory")
    assert merge is not None
    assert merge.answer == answers.next_merge("unbelievable", 1)
    assert sum(one.right for one in merge.choices) == 1
    assert write is not None
    assert (write.answer, write.lines) == ("", 2)


@pytest.mark.slow
@pytest.mark.parametrize("with_answers", [True, False])
def test_a_pdf_has_pages(answers: Answers, with_answers: bool, qapp: QGuiApplication) -> None:
    handout = made(answers, with_answers)
    pdf = pdf_of_handout(handout)
    assert pdf.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) in (1, 2, 3)
    longer = handout._replace(steps=handout.steps * 8)
    assert len(re.findall(rb"/Type\s*/Page\b", pdf_of_handout(longer))) > 3


def test_prose_longer_than_a_page_goes_on_on_the_next(
    answers: Answers, qapp: QGuiApplication
) -> None:
    handout = made(answers, False)
    long = handout.steps[0]._replace(prose="<p>A line of prose.</p>" * 120, picture=b"")
    pdf = pdf_of_handout(handout._replace(steps=(long,)))
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) >= 3


def test_emoji_are_pictures_in_a_pdf_and_bounded(
    answers: Answers, qapp: QGuiApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handout_file, "MOST_EMOJI", 3)
    handout = made(answers, False)
    smiling = handout.steps[0]._replace(prose="<p>😀😀😀</p>", picture=b"")
    assert pdf_of_handout(handout._replace(steps=(smiling,)))
    with pytest.raises(WriteError, match="has 6 emoji"):
        pdf_of_handout(handout._replace(steps=(smiling, smiling)))


# What comes from a stranger.

HOSTILE = """+++
title = "<script>alert(1)</script>"
minutes = 5
learns = ["<img src=x onerror=alert(1)>"]
tokenizers = ["shipped:tokenarium-8k"]
+++

## <img src=http://example.org/x>

{}

{{{{ "<img src='http://example.org/y'>" }}}}

```scene
text = "\\"><script>alert(2)</script>"
```

```question
ask = '''{}'''
choices = ["<b onclick=x>", "2"]
answer = '"<iframe src=//example.org>"'
hint = '''{}'''
after = '''{}'''

[reasons]
2 = '''{}'''
```
"""
ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![a](http://example.org/a.png)",
    "![a](//example.org/a.png)",
    "![a](/etc/hosts)",
    "![a](data:image/svg+xml;base64,AAAA)",
    '![a" onerror="x](http://example.org)',
    "![a][b]\n\n[b]: http://example.org/a.png",
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](&#106;avascript:alert(1))",
    "[a](data:text/html,x)",
    "[a](file:///etc/hosts)",
    "<javascript:alert(1)>",
    '[a](https://example.org/"onmouseover="x)',
    '[a](https://example.org "title\\" onclick=x")',
    "[![a](http://example.org/a.png)](javascript:x)",
    "```html\n<script>alert(1)</script>\n```",
    "<style>@import url(http://example.org)</style>",
    "<!-- --><base href=http://example.org>",
]


class Loads(HTMLParser):
    """Notes what a page would load or run, and where its links lead."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "iframe", "object", "embed", "base", "link", "form", "svg"):
            self.found.append(tag)
        for name, value in attributes:
            address = (value or "").strip()
            if name == "href" and tag == "a":
                self.links.append(address)
            elif name.startswith("on") or name in ("style", "srcset", "background", "formaction"):
                self.found.append(f"{tag} {name}")
            elif name in ("src", "href") and not address.startswith("data:image/png;base64,"):
                self.found.append(f"{tag} {name}={address}")


@pytest.mark.slow
@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("with_answers", [True, False])
def test_a_page_loads_and_runs_nothing(attack: str, with_answers: bool) -> None:
    lesson = lesson_of(HOSTILE.format(*[attack] * 5), "its.md")
    answers = Answers([("x", tc.open(SHIPPED_TOKENIZERS[0].path))])
    scenes = [scene_of([lesson.steps[0].scene], [], answers)]  # type: ignore[list-item]
    handout = handout_of(lesson, answers, scenes, [b""], ["<b>"], "x", with_answers)
    page = handout_page(handout)
    loads = Loads()
    loads.feed(page)
    assert loads.found == []
    assert all(link.startswith("https://example.org") for link in loads.links)
    assert "default-src 'none'" in page
    pdf = pdf_of_handout(handout)
    assert b"javascript:" not in pdf.lower()


def test_a_link_says_where_it_leads() -> None:
    lesson = lesson_of(HOSTILE.format("[a](https://example.org/x)", *"abcd"), "its.md")
    answers = Answers([("x", tc.open(SHIPPED_TOKENIZERS[0].path))])
    scenes = [scene_of([lesson.steps[0].scene], [], answers)]  # type: ignore[list-item]
    page = handout_page(handout_of(lesson, answers, scenes, [b""], [], "x", True))
    assert (
        '<a href="https://example.org/x" rel="noopener noreferrer">a</a> (https://example.org/x)'
        in page
    )
