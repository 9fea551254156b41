"""What the app copies and saves: ids, JSON, PNG and SVG."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenarium_core as tc
from tokenarium.app.window import MainWindow
from tokenarium.models.text import inspection
from tokenarium.pictures import widget_picture
from tokenarium.widgets.whole_view import save_view_png, save_view_svg
from tokenarium_core.encoding import Template


@pytest.fixture(scope="module")
def tokenizer() -> tc.Tokenizer:
    return tc.train("bpe", ["low lower lowest " * 4], vocab_size=262)


def test_ids_of_a_range_are_those_of_the_tokens_that_it_touches(tokenizer: tc.Tokenizer) -> None:
    encoding = tokenizer.encode("low é")
    ids = tokenizer.encode_ids("low é")
    assert json.loads(inspection.ids_text(encoding, 0, 6)) == ids
    assert json.loads(inspection.ids_text(encoding, 5, 6)) == ids[-1:]
    assert json.loads(inspection.ids_text(encoding, 6, 6)) == []


def test_the_ends_of_a_text_are_copied_with_its_first_and_last_bytes(
    tokenizer: tc.Tokenizer,
) -> None:
    encoding = tokenizer.encode("low é").with_ends(Template("", [1], [2]))
    ids = tokenizer.encode_ids("low é")
    assert json.loads(inspection.ids_text(encoding, 0, 6)) == [1, *ids, 2]
    assert json.loads(inspection.ids_text(encoding, 0, 3)) == [1, *ids[:1]]
    assert json.loads(inspection.ids_text(encoding, 5, 6)) == [*ids[-1:], 2]
    empty = tokenizer.encode("").with_ends(Template("", [1], [2]))
    assert json.loads(inspection.ids_text(empty, 0, 0)) == [1, 2]


def test_json_has_every_token_with_its_bytes(tokenizer: tc.Tokenizer) -> None:
    text = 'low "é"'
    found = json.loads(inspection.tokens_json(tokenizer.encode(text), tokenizer, 0, 9))
    assert found["tokenizer"] == tokenizer.name
    assert b"".join(bytes.fromhex(t["bytes"]) for t in found["tokens"]) == text.encode()
    halves = [t for t in found["tokens"] if t["text"] is None]
    assert [t["bytes"] for t in halves] == ["c3", "a9"]
    assert [t["span"] for t in halves] == [[5, 6], [6, 7]]


def test_json_of_nothing(tokenizer: tc.Tokenizer) -> None:
    assert json.loads(inspection.tokens_json(tokenizer.encode(""), tokenizer, 0, 0))["tokens"] == []


def test_an_svg_has_the_text_and_the_title(window: MainWindow, tmp_path: Path) -> None:
    window.session.set_text("Hello, world")
    path = tmp_path / "view.svg"
    widget_picture.save_svg(window.workspace, path)
    root = ElementTree.parse(path).getroot()
    assert root.tag.endswith("svg")
    assert "Tokens" in "".join(root.itertext())
    assert len(list(root.iter())) > 20
    # What scrolls is drawn once, also where it is in something else that scrolls, and in its room.
    texts = [text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert len([text for text in texts if "Hello" in text]) == 1
    names = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(names) == len(set(names))
    asked = {element.get("clip-path") for element in root.iter()} - {None}
    assert len(asked) > 1
    assert asked <= {f"url(#{name})" for name in names}


def test_texts_of_an_svg_keep_their_width_and_direction(window: MainWindow, tmp_path: Path) -> None:
    window.session.set_text("مرحبا.")
    widget_picture.save_svg(window.workspace, tmp_path / "view.svg")
    root = ElementTree.parse(tmp_path / "view.svg").getroot()
    texts = list(root.iter("{http://www.w3.org/2000/svg}text"))
    (arabic,) = [text for text in texts if "مرحبا" in (text.text or "")]
    assert arabic.text == "\u2067مرحبا\u2069"
    # The full stop may be of another font, and then a text of its own, at the end: at the left.
    stops = [float(text.attrib["x"]) for text in texts if (text.text or "").strip() == "."]
    assert stops
    assert min(stops) < float(arabic.attrib["x"])
    for text in texts:
        assert len(text.text or "") < 2 or float(text.get("textLength", "0")) > 0


@pytest.mark.parametrize("save", [save_view_png, save_view_svg])
def test_a_place_that_cannot_be_written(window: MainWindow, tmp_path: Path, save) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(widget_picture.ExportError, match="cannot be written"):
        save(window.workspace, tmp_path / "no such folder" / "view")


@given(text=st.text(max_size=12), a=st.integers(0, 40), b=st.integers(0, 40))
def test_the_tokens_that_touch_a_range(tokenizer: tc.Tokenizer, text: str, a: int, b: int) -> None:
    encoding = tokenizer.encode(text)
    spans = np.array(encoding.spans, dtype=np.int32).reshape(-1, 2).tolist()
    start, end = sorted((a, b))
    first, last = inspection.touching(encoding, start, end)
    touched = [n for n, (low, high) in enumerate(spans) if high > start and low < end]
    assert list(range(first, last)) == touched
    found = inspection.token_at(encoding, start, end)
    assert (found is None) == (not touched)


def test_scripts_of_a_selection_leave_out_what_many_share() -> None:
    rows = inspection.characters("naïve नमस्ते, 12 日".encode())
    assert inspection.scripts_in(rows) == "Devanagari, Latin …"
    assert inspection.scripts_in(inspection.characters(b" 1, 2!")) == ""
