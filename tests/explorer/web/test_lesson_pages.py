"""Lessons as pages: answered by keys in a real browser, readable without a script, and safe with texts of strangers."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from base64 import b64decode
from html.parser import HTMLParser
from pathlib import Path

import pytest
from browser import Browser, wait_until

import tokenarium_core as tc
from tokenarium.models.lessons.answers import Answers
from tokenarium.models.lessons.asking import scene_at
from tokenarium.models.lessons.handout import handout_of
from tokenarium.models.lessons.lesson import lesson_of
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS
from tokenarium.web.lesson_pages import lesson_page, live_figures, picture_figure, spelled
from tokenarium.web.page import Figure, page

HEAD = """+++
title = "Asked"
minutes = 5
learns = ["One thing."]
tokenizers = ["shipped:tokenarium-8k"]
+++
"""

STEP = """
## {title}

Prose.

```scene
text = {text}
workspace = "{workspace}"
page = "{page}"
```

```question
{question}
```
"""

QUESTIONS = {
    "choose": """ask = "How many?"
choices = ["many words", "no words", "{{ count(text) }} tokens"]
answer = 'joined([count(text), "tokens"])'
hint = "Count."
after = "They are counted."
[reasons]
"many words" = "That is too many."
""",
    "number": 'kind = "number"\nask = "How many?"\nanswer = "1200 + count(text)"\nhint = "More."\nafter = "So."',
    "click": 'kind = "click"\nask = "Click."\nanswer = "item(tokens(text), 2)"\nafter = "So."',
    "cut": 'kind = "click"\npart = "cut"\nask = "Click."\nanswer = "item(cuts(text), 2)"\nafter = "So."',
    "order": """kind = "order"\nask = "Order."\nanswer = '["a", "b", "c"]'\nafter = "So.\"""",
    "split": """kind = "split"\nask = "Split."\ntext = "theory"\nanswer = '["the", "o", "ry"]'\nafter = "So.\"""",
    "write": 'kind = "write"\nask = "Write."\nanswer = "count(text) < 2"\nhint = "Not “a b c d”, but “a”."\nafter = "So."',
    "merge": 'kind = "merge"\nask = "Which?"\nafter = "So."',
}


def page_of(source: str) -> str:
    """The page of a lesson with the first tokenizer that ships."""
    one = SHIPPED_TOKENIZERS[0]
    key = f"shipped:{one.id}"
    lesson = lesson_of(source, "a.md")
    tokenizer = tc.open(one.path)
    answers = Answers([(one.name, tokenizer)])
    count = len(lesson.steps)
    scenes = [scene_at(lesson, number, [key], answers) for number in range(count)]
    written = handout_of(lesson, answers, scenes, [b""] * count, ["A tokenizer"], "It", False)
    figures = [live_figures(scene, {key: tokenizer}) or [] for scene in scenes]
    return lesson_page(written, figures)


def asking(kind: str, text: str = "a word.") -> str:
    """A lesson with one question."""
    place = ("merges", "steps") if kind == "merge" else ("tokens", "")
    text = "unbelievable" if kind == "merge" else text
    return HEAD + STEP.format(
        title="One",
        text=json.dumps(text),
        workspace=place[0],
        page=place[1],
        question=QUESTIONS[kind],
    )


# Without a script.


class Shown(HTMLParser):
    """The text of a page outside folded parts, scripts and styles; what is in folded parts; and all attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.shown = self.folded = ""
        self.attributes: list[tuple[str, str, str]] = []
        self._open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag in ("details", "script", "style"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._open and self._open[-1] == tag:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if "script" in self._open or "style" in self._open:
            return
        if "details" in self._open:
            self.folded += data
        else:
            self.shown += data


def test_answers_are_folded_in_and_not_read_by_chance_in_the_source() -> None:
    html = page_of(asking("choose"))
    page = Shown(html)
    for said in ("They are counted.", "That is too many."):
        assert said in page.folded
        assert said not in page.shown
        assert said not in html
    assert "Count." in page.folded
    assert "many words" in page.shown
    key = re.search(r'"key":"([^"]+)"', html)
    assert key is not None
    assert json.loads(b64decode(key[1]))["right"] == ["3 tokens"]


def test_a_figure_that_answers_is_folded_and_its_text_is_not() -> None:
    hidden, seen = Shown(page_of(asking("choose"))), Shown(page_of(asking("click")))
    assert "a word." in hidden.shown
    assert "What the window shows" in hidden.folded
    assert "Predict first" in hidden.shown
    assert "What the window shows" not in seen.folded
    assert "Question" in seen.shown


@pytest.mark.parametrize(
    ("html", "there"),
    [
        ("<b class='a7'>a1</b>", "<b class='a7'>&#97;&#49;</b>"),
        ("&lt;x&gt; &amp; é\0", "&lt;&#120;&gt; &amp; &#233;␀"),
    ],
)
def test_letters_are_spelled_as_numbers(html: str, there: str) -> None:
    assert spelled(html) == there


@pytest.mark.parametrize("kind", ["choose", "merge"])
def test_a_page_of_live_figures_needs_no_qt(kind: str) -> None:
    code = (
        f"import sys; sys.path[:0] = {[str(Path(__file__).parent), *sys.path]!r}; import test_lesson_pages as here;"
        f" assert 'data-kind=\"question\"' in here.page_of(here.asking({kind!r}));"
        " print([name for name in sys.modules if name.startswith('PySide6')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</script><script>alert(1)</script>",
    "]]><!-- &lt;b&gt; &amp;amp;",
    "\u202eabc\u2066 \u2028\u2029",
    "a\u0300" * 30,
    "a\0b\x85c",
    "مرحبا {x} हिन्दी 日本語",
]


SIGNS = {0: "␀", 0x85: "\ufffd"}
"""What a page shows in place of characters that HTML cannot have."""


def hostile(text: str) -> str:
    """A lesson in which a text is everywhere."""
    quoted = json.dumps(text)
    questions = [
        f"ask = {quoted}\nchoices = [{quoted}, \"x\"]\nanswer = '''{quoted}'''\nhint = {quoted}\nafter = {quoted}",
        f"kind = \"order\"\nask = \"?\"\nanswer = '''[{quoted}, \"x\"]'''",
        f'kind = "split"\nask = "?"\ntext = {json.dumps(text[:40])}\nanswer = \'tokens("x")\'',
        'kind = "click"\nask = "?"\nanswer = \'item(tokens(text), 1)\'',
    ]
    steps = [
        STEP.format(title=text, text=quoted, workspace="tokens", page="", question=question)
        for question in questions
    ]
    head = HEAD.replace('"Asked"', quoted).replace('"One thing."', quoted)
    return head + "".join(steps)


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_are_text(text: str) -> None:
    page = Shown(page_of(hostile(text)))
    assert not [one for one in page.attributes if one[1].startswith("on") or one[1] == "style"]
    assert {tag for tag, name, _ in page.attributes if name in ("src", "href")} <= {"a"}
    assert all(value.startswith("#") for tag, name, value in page.attributes if name == "href")
    assert text.partition("\u2028")[0][:20].strip().translate(SIGNS) in page.shown


# In a browser.


@pytest.fixture
def browser(one_browser: Browser) -> Browser:
    return one_browser


def opened(browser: Browser, folder: Path, source: str) -> None:
    """Opens the page of a lesson in the browser."""
    path = folder / "page.html"
    path.write_text(page_of(source), encoding="utf-8")
    browser.errors.clear()
    browser.open(path)


def verdict(browser: Browser) -> str:
    return str(browser.value("document.querySelector('.judged').textContent"))


def score(browser: Browser) -> str:
    return str(browser.value("document.querySelector('.score').textContent"))


def focus(browser: Browser, what: str) -> None:
    """Puts the focus on the first element that a selector finds."""
    browser.value(f"document.querySelector({json.dumps(what)}).focus()")
    assert browser.value(f"document.activeElement.matches({json.dumps(what)})")


def answer_by_keys(browser: Browser, kind: str, right: bool) -> None:
    """Answers a question of a kind with keys alone."""
    if kind == "choose":
        focus(browser, ".choices button")
        browser.press("3" if right else "1")
    elif kind == "merge":
        key = browser.value(
            "JSON.parse(document.querySelector('[data-kind=question] > script').textContent)"
        )
        place = key["texts"].index(json.loads(b64decode(key["key"]))["right"][0])
        focus(browser, ".choices button")
        browser.press(str(place + 1 if right else (place + 1) % len(key["texts"]) + 1))
    elif kind in ("number", "write"):
        focus(browser, ".room input")
        browser.value("document.activeElement.select()")
        browser.press(*{"number": ("99", "1,203"), "write": ("a b c d", "a")}[kind][right], "Enter")
    elif kind == "click":
        focus(browser, ".offers [tabindex='0']")
        browser.press(*(["ArrowRight", " "] if right else ["Enter"]))
    elif kind == "cut":
        focus(browser, ".offers [tabindex='0']")
        browser.press(*(["End"] if right else []), "Enter")
    elif kind == "order":
        for _ in range(3 if right else 0):  # the rows that are before a greater one go up
            for text in "cba":
                focus(browser, f"[aria-label='Move up: {text}']")
                browser.press("Enter", "Enter")
        focus(browser, ".room button.main")
        browser.press("Enter")
    else:
        focus(browser, ".letters [tabindex='0']")
        browser.press(
            *([" ", "ArrowRight", "ArrowRight", " ", "ArrowRight", " "] if right else [" "])
        )
        browser.press("Tab", "Enter")


@pytest.mark.slow
@pytest.mark.parametrize("kind", QUESTIONS)
def test_a_question_is_answered_by_keys(browser: Browser, tmp_path: Path, kind: str) -> None:
    opened(browser, tmp_path, asking(kind))
    assert score(browser) == "0 of 1 question answered."
    assert "So." not in browser.value("document.body.innerHTML")
    answer_by_keys(browser, kind, right=False)
    reason = {"choose": "That is too many.", "number": "More.", "write": "Not “a b c d”, but “a”."}
    assert verdict(browser) == f"Not quite. {reason.get(kind, 'Try once more.')}"
    assert score(browser) == "0 of 1 question answered."
    answer_by_keys(browser, kind, right=True)
    assert verdict(browser) == ("Yes. They are counted." if kind == "choose" else "Yes. So.")
    assert score(browser) == "1 of 1 question answered."
    assert browser.errors == []


@pytest.mark.slow
def test_the_first_answer_uncovers_what_the_window_shows(browser: Browser, tmp_path: Path) -> None:
    opened(browser, tmp_path, asking("choose"))
    seen = "document.querySelector('.seen').open"
    assert browser.value(seen) is False
    answer_by_keys(browser, "choose", right=False)
    assert browser.value(seen) is True


@pytest.mark.slow
def test_an_answer_is_shown_on_demand_and_then_is_not_counted(
    browser: Browser, tmp_path: Path
) -> None:
    opened(browser, tmp_path, asking("choose"))
    focus(browser, ".answer summary")
    browser.press("Enter")
    shown = "document.querySelector('.answer').innerText"
    wait_until(browser, f"{shown} !== 'Show the answer'")
    assert "✓ 3 tokens" in browser.value(shown)
    assert "That is too many." in browser.value(shown)
    assert score(browser) == "0 of 1 question answered, 1 shown."
    answer_by_keys(browser, "choose", right=True)
    assert score(browser) == "0 of 1 question answered, 1 shown."


@pytest.mark.slow
def test_a_text_that_was_not_tried_is_not_judged(browser: Browser, tmp_path: Path) -> None:
    opened(browser, tmp_path, asking("write"))
    focus(browser, ".room input")
    browser.press(*"b", "Enter")
    assert verdict(browser).startswith("This page has no tokenizer")
    assert score(browser) == "0 of 1 question answered."


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "tried"),
    [
        ('letters(text, "a") == 2 and bytes(text) > 4', {"aa": False, "aéa": False, "aa日": True, "aaa b": False}),
        ("characters(text) < 3 and count(text) < 2", {"日本語": False, "日": None}),
        ("is_token(text) and characters(text) > 8", {" the": False, " information": True, " informatjon": False}),
    ],
)  # fmt: skip
def test_texts_are_judged_as_far_as_a_page_can(
    browser: Browser, tmp_path: Path, answer: str, tried: dict[str, bool | None]
) -> None:
    source = asking("write").replace("count(text) < 2", answer.replace('"', "'"))
    opened(browser, tmp_path, source)
    limits = browser.value("document.querySelector('.limits')?.textContent ?? ''")
    assert bool(limits) is (None in tried.values())
    for text, right in tried.items():
        focus(browser, ".room input")
        browser.value(f"document.activeElement.value = {json.dumps(text)}")
        browser.press("Enter")
        begins = {True: "Yes. ", False: "Not quite. ", None: "This page has no tokenizer, so"}
        assert verdict(browser).startswith(begins[right]), text


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_shown_and_run_nothing(
    browser: Browser, tmp_path: Path, text: str
) -> None:
    opened(browser, tmp_path, hostile(text))
    assert browser.value("document.querySelectorAll('.question').length") == 4
    browser.value(
        "for (const one of document.querySelectorAll('.question button, summary')) one.click()"
    )
    assert browser.value("document.querySelector('h1').textContent") == text.translate(SIGNS)
    assert browser.value("document.scripts.length") == 1 + browser.value(
        "document.querySelectorAll('script[type=\"application/json\"]').length"
    )
    assert browser.errors == []


SEEN = "[...document.querySelectorAll('img')].filter(one => one.checkVisibility()).map(one => one.className)"
"""The classes of the pictures that are seen."""

CHOICE = "document.documentElement.dataset.theme = "


@pytest.mark.slow
def test_a_picture_is_seen_in_the_theme_of_the_page(browser: Browser, tmp_path: Path) -> None:
    figure = picture_figure(b"light", b"dark", "The window", 760)
    html = page("Two", [Figure(f'<p class="lesson-kind">{figure.html}</p>')])
    path = tmp_path / "page.html"
    path.write_text(html, encoding="utf-8")
    for scheme, other in (("light", "dark"), ("dark", "light")):
        browser.open(path, prefers_color_scheme=scheme)
        assert browser.value(SEEN) == [f"window {scheme}"]
        browser.value(f"{CHOICE}'contrast'")
        assert browser.value(SEEN) == [f"window {scheme}"]
        browser.value(f"{CHOICE}'{other}'")
        assert browser.value(SEEN) == [f"window {other}"]
        browser.show_as_printed()
        assert browser.value(SEEN) == ["window light"]
    assert html.count('alt="The window"') == 2
