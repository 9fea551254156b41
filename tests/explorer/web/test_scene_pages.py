"""Which scenes are web pages; and every scene of the tour that is one."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from shown_scenes import FOUR, opener, shipped, shown_scene, unruled

from project import ROOT
from tokenarium.models.scene import Scene, SceneTokenizer
from tokenarium.models.scene_texts import read_scene_file
from tokenarium.models.text.lost_text import loses, lost_spans, size_of
from tokenarium.models.text.superword_ids import superword_note
from tokenarium.web.scene_pages import (
    ANALYSES,
    FIGURES,
    page_name,
    page_of_shown,
    refusal,
    scene_page,
)
from tokenarium.web.shown_beginning import MOST_ELEMENTS
from tokenarium.web.shown_scene import named_tokenizer, page_of

SCENES = sorted((ROOT / "resources" / "tour").glob("*.tokenarium"))
PAGES = [path for path in SCENES if page_of(read_scene_file(path).scene) in FIGURES]


def test_most_pages_are_in_the_tour() -> None:
    shown = {page_of(read_scene_file(path).scene) for path in PAGES}
    assert shown >= {
        "tokens.tokens",
        "pretokens.pretokens",
        "bytes.bytes",
        "above.why",
        "merges.why",
        "merges.steps",
        "merges.prefixes",
        "merges.training",
        "merges.sizes",
        "tokens.stream",
        "vocabulary.entries",
        "vocabulary.diagnostics",
        "scripts.vocabulary",
        "bytes.alphabet",
        "bytes.decode",
        "compare.overview",
        "compare.migrate",
        "train.training",
        *ANALYSES,
    }


@pytest.mark.slow
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_scene_of_the_tour_is_a_page(path: Path) -> None:
    found = read_scene_file(path)
    if refused := {
        "why-empty": "Nothing is selected",
        "why-long": "Only strings of up to 300 bytes",
        "training-empty": "the scene has no training",
        "training-none": "the scene has no training",
        "scripts-off": "the scene has too few tokenizers",
        "sizes-empty": "the scene has no text",
        "vocabulary-error": "There is no script “latn2”",
        "vocabulary-no-tokenizer": "the scene has too few tokenizers",
    }.get(path.stem):
        with pytest.raises(Exception, match=refused):
            scene_page(found, opener)
        return
    html, said = scene_page(found, opener)
    assert html.count('<section class="figure"') >= 1
    assert html.endswith("</html>\n")
    assert unruled(html) == set()
    missing = {one.key for one in found.scene.tokenizers or () if one.key.startswith("named:")}
    assert len([one for one in said if "replaces it" in one]) == len(missing)


def test_what_a_page_is_called() -> None:
    assert page_name(Scene()) == "Tokens"
    assert page_name(Scene(workspace="pretokens")) == "Pre-tokens"
    assert page_name(Scene(workspace="vocabulary", above={"why": {}})) == "Why not one token?"
    assert refusal(Scene(workspace="tokens", page="tokens")) == ""
    assert refusal(Scene(workspace="settings")).startswith("This page cannot be a web page. These")


@pytest.mark.parametrize(
    ("key", "name", "expected"),
    [
        ("shipped:unigram-8k", "", ("Unigram 8k", "likely pieces")),
        ("named:cl100k_base", "Other", ("GPT-4", "cl100k_base")),
        ("catalogue:gemma-3", "", ("Gemma 3", "gemma-3.model")),
        ("file:/models/gemma3-tokenizer.json", "", ("Gemma 3", "gemma3-tokenizer.json")),
        ("file:/models/bert/vocab.txt", "", ("BERT", "bert")),
        ("file:/models/mine.json", "", ("mine", "")),
        ("trained:abc", "Mine · 3 files", ("Mine", "3 files")),
    ],
)
def test_tokenizers_have_the_names_of_the_library(
    key: str, name: str, expected: tuple[str, str]
) -> None:
    named = named_tokenizer(SceneTokenizer(key, name), shipped("tokenarium-8k"), [3])
    assert (named.name, named.second) == expected


def test_counts_and_table_are_those_of_the_tokenizer() -> None:
    text = "Tokenization 😀 of words\n" * 20
    html = page_of_shown(shown_scene(text, workspace="tokens", front="shipped:wordpiece-8k"))
    counts = [int(one) for one in re.findall(r'class="count"><b>(?:\? )?([\d,]+)</b>', html)]
    ids = shipped("wordpiece-8k").encode_ids(text)
    others = [one for one in FOUR if one != "wordpiece-8k"]
    assert counts == [len(ids), *(len(shipped(one).encode_ids(text)) for one in others)]
    assert "The first 200 of" not in html
    rows = re.findall(r"<tr><td>[\d,]+</td><td><bdi>(.*?)</bdi></td><td>id (\d+) ", html)
    assert [int(id) for _, id in rows] == ids
    assert unescape(rows[0][0]).startswith("token")
    more = page_of_shown(shown_scene(text * 10, workspace="tokens"))
    assert "The first 200 of" in more


def test_more_tokenizers_than_have_room_are_left_out() -> None:
    shown = shown_scene("one")
    many = shown._replace(tokenizers=shown.tokenizers * 5)
    html = page_of_shown(many)
    assert html.count('<li class="card ') == 16
    assert "These are the first 16 of 20: " in html


@pytest.mark.parametrize("workspace", ["tokens", "pretokens"])
@pytest.mark.parametrize(
    "text",
    [
        "a few words " * 30_000,
        "a\n" * 100_000,
        "\n" * 200_000,
        "a" + "\u0301" * 50_000,
        "👩\u200d🚀" * 30_000,
    ],
    ids=["a line", "lines", "no words", "one grapheme", "graphemes"],
)
def test_of_a_text_that_would_be_slow_the_beginning_is_shown(text: str, workspace: str) -> None:
    """Also where the elements are many although the bytes are few."""
    html = page_of_shown(shown_scene(text, workspace=workspace))
    assert html.count("<") < 4 * MOST_ELEMENTS
    assert len(html) < 6_000_000
    size = len(text.encode())
    (part,) = re.findall(rf"These are the first ([\d,]+) of {size:,} bytes of the text", html)
    shown = text.encode()[: int(part.replace(",", ""))].decode()
    if workspace == "tokens":
        count = re.findall(r'class="count"><b>(?:\? )?([\d,]+)</b>', html)[0].replace(",", "")
        assert int(count) == len(shipped(FOUR[0]).encode_ids(shown))
    lines = len(re.findall(r"<div class=\"line[ \"]", html))
    assert lines == shown.count("\n") + 1


def test_of_a_text_that_fits_all_is_shown() -> None:
    html = page_of_shown(shown_scene("Words and words\n" * 500, selection=(0, 10**9)))
    assert "These are the first" not in html
    assert len(re.findall(r"<div class=\"line[ \"]", html)) == 501


def test_what_is_lost_is_hatched_and_said() -> None:
    text = "Lost: 😀 and  two   spaces ツ\n\nAnother  line 🚀"
    html = page_of_shown(shown_scene(text, ("wordpiece-8k", "tokenarium-8k"), workspace="tokens"))
    tokenizer = shipped("wordpiece-8k")
    lost = lost_spans(tokenizer, text.encode(), tokenizer.encode(text)).tolist()
    shown = "".join(text.encode()[start:end].decode() for start, end in lost)
    assert "😀" in shown
    hatched = re.findall(r'<[iu] class="?(?:[^">]* )?x"? data-t="?([^">]*)"?>', html)
    assert "".join(hatched) == shown.replace("\n", "")
    share = size_of(lost_spans(tokenizer, text.encode(), tokenizer.encode(text)))
    assert f"? {loses(share / len(text.encode()))}" in html
    assert re.findall(r'class="count"><b>(\? )?\d', html) == ["? ", ""]


def test_a_superword_says_so() -> None:
    html = page_of_shown(shown_scene("one of the first", ("superbpe-8k",), workspace="tokens"))
    vocabulary = shipped("superbpe-8k").vocabulary
    ids = shipped("superbpe-8k").encode_ids("one of the first")
    notes = [superword_note(vocabulary, token) for token in ids]
    assert any(notes)
    cells = re.findall(r"<td>id (\d+) · [0-9A-F ]+(?: · (A superword[^<]*))?</td>", html)
    assert [(int(id), note) for id, note in cells] == list(zip(ids, notes, strict=True))
