"""The shell of web pages: one safe file; and the text that is written into it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shown_scenes import HOSTILE

from project import ROOT
from tokenarium.web.html import escaped, json_block
from tokenarium.web.page import Figure, joined, page


class Reader(HTMLParser):
    """What a browser sees in a page: its elements, and the texts between them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self._raw = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes += attrs
        self._raw = tag if tag in ("script", "style") else ""

    def handle_data(self, data: str) -> None:
        self.text += "" if self._raw else data

    def handle_endtag(self, tag: str) -> None:
        self._raw = ""


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    return reader


def test_a_page_is_one_file_with_a_policy_that_allows_its_own_style_and_script() -> None:
    html = page(
        "T", [Figure("<p>one</p>", {"a": 1}, "text"), Figure("<p>two</p>", styles=(".x{top:0}",))]
    )
    style = re.search("<style>(.*?)</style>", html, re.DOTALL)
    script = re.search("<script>(.*?)</script>", html, re.DOTALL)
    assert style is not None
    assert script is not None
    assert ".x{top:0}" in style[1]
    for kind, content in (("style-src", style[1]), ("script-src", script[1])):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}';" in html
    assert "default-src 'none'" in html
    assert html.count("<style") == 1
    assert html.count("<script>") == 1  # the other one is data
    found = read(html)
    assert not {"link", "iframe", "object", "img", "base", "form"} & set(found.elements)
    assert not [name for name, _ in found.attributes if name.startswith("on") or name == "style"]


def test_no_address_of_another_machine_is_in_what_all_pages_share() -> None:
    shared = joined("css") + joined("js")
    assert not re.search(r"(?:https?:)?//[a-z]", shared.replace("http://www.w3.org/2000/svg", ""))
    for forbidden in ("eval(", "innerHTML", "document.write", "Function(", "@import"):
        assert forbidden not in shared
    assert len(joined("js")) < 30_000
    assert len(joined("js", ("steps", "lesson"))) < 10_000


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_text(text: str) -> None:
    html = page(text, [Figure(f"<p>{escaped(text)}</p>", {"text": text}, "text", title=text)])
    html.encode()
    assert "\0" not in html
    plain = read(page("T", [Figure("<p></p>", {"text": ""}, "text", title="T")]))
    assert read(html).elements == plain.elements
    data = re.search('json">(.*?)</script>', html, re.DOTALL)
    assert data is not None
    assert json.loads(data[1]) == {"text": text}


@given(st.text())
def test_a_text_comes_back_from_between_tags(text: str) -> None:
    """Only what HTML cannot have is another character, one for each."""
    found = read(f"<p>{escaped(text)}</p>").text
    assert len(found) == len(text)
    allowed = {"\t", "\n"}
    for before, after in zip(text, found, strict=True):
        changed = ord(before) < 0xA0 and not before.isprintable() and before not in allowed
        assert (before == after) != (changed or before in "\ufffe\uffff")


@given(st.recursive(st.none() | st.integers() | st.text(), st.lists))
def test_data_is_read_as_it_was_and_ends_no_element(data: object) -> None:
    block = json_block(data)
    inner = block.removeprefix('<script type="application/json">').removesuffix("</script>")
    assert not set(inner) & set("<>&\u2028\u2029")
    assert json.loads(inner) == data


def test_pages_are_made_without_qt() -> None:
    code = (
        "import sys\n"
        "from tokenarium.web.scene_pages import scene_page\n"
        "from tokenarium.models.scene_texts import read_scene_file\n"
        "from tokenarium.commands.reading import tokenizer_of\n"
        "from pathlib import Path\n"
        "for name in ('tokens', 'pretokens', 'bytes-hindi', 'why-card', 'why-blanks', 'why-emoji'):\n"
        "    found = read_scene_file(Path(sys.argv[1]) / f'{name}.tokenarium')\n"
        "    html, _ = scene_page(found, lambda one: tokenizer_of(one.key.partition(':')[2]))\n"
        "    assert html.startswith('<!DOCTYPE html>')\n"
        "assert not [name for name in sys.modules if name.startswith('PySide6')]\n"
    )
    subprocess.run([sys.executable, "-c", code, str(ROOT / "resources" / "tour")], check=True)
