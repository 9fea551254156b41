"""Scenes of the workspace Merges as pages: what is played, at which step, and why some cannot be."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from narrowed import there
from shown_scenes import shown_scene
from small_vocabularies import of_pieces

from project import ROOT
from tokenarium.commands.reading import tokenizer_of
from tokenarium.models.scene import ReadScene, Scene, SceneText, SceneTokenizer
from tokenarium.models.scene_texts import read_scene_file
from tokenarium.web.page import Figure, page
from tokenarium.web.scene_pages import FIGURES, page_of_shown
from tokenarium.web.shown_scene import ShownScene, open_scene
from tokenarium.web.step_scenes import steps_figures, training_figures, walk_figures, whole
from tokenarium_core import TokenariumError, Tokenizer

PAGES = ("merges.steps", "merges.prefixes", "merges.training")
TOUR = ROOT / "resources" / "tour"


def opened_tokenizer(one: SceneTokenizer) -> Tokenizer:
    return tokenizer_of(one.key.partition(":")[2], one.pattern)


def scene(page_id: str, kept: dict[str, Any], **values: Any) -> ShownScene:
    """A scene of two tokenizers and a text."""
    keys = values.pop("keys", ("bpe-gpt2-8k", "unigram-8k"))
    made = Scene(
        text=SceneText(values.pop("text", "Some lower weather")),
        tokenizers=tuple(SceneTokenizer(f"shipped:{key}") for key in keys),
        workspace="merges",
        page=page_id,
        pages={f"merges.{page_id}": kept},
        **values,
    )
    shown, said = open_scene(ReadScene(made), opened_tokenizer)
    assert said == []
    return shown


def data_of(figure: Figure) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(json.dumps(figure.data))
    return data


def test_steps_are_of_the_selection_at_the_kept_step() -> None:
    (figure,) = steps_figures(scene("steps", {"step": 2}, selection=(5, 10)))
    assert data_of(figure)["at"] == 2
    assert "“lower”, selected in the text · 5 characters" in figure.html
    (figure,) = steps_figures(scene("steps", {"step": 999}))
    data = data_of(figure)
    assert data["at"] == len(data["figures"]) - 1
    assert "“weather”, the longest word here" in figure.html


def test_side_by_side_the_next_tokenizer_is_played_too_and_in_step() -> None:
    kept = {"side_by_side": True, "step": 1, "other_step": 3}
    both = steps_figures(scene("steps", kept, front="shipped:unigram-8k"))
    assert ["Unigram 8k" in one.html for one in both] == [True, False]
    assert [data_of(one)["at"] for one in both] == [1, 3]
    assert len({data_of(one)["group"] for one in both}) == 1
    apart = steps_figures(scene("steps", {**kept, "in_step": False}))
    assert all("group" not in data_of(one) for one in apart)


def test_a_walk_is_of_the_text_or_of_typed_strings() -> None:
    kept = {"strings": "ab abcd", "typed": "babd", "step": 5}
    (figure,) = walk_figures(scene("prefixes", kept, text="", keys=()))
    assert data_of(figure)["at"] == 5
    assert "Your strings" in figure.html
    (figure,) = walk_figures(scene("prefixes", {"stage": "nonsense"}, text="<|endoftext|>"))
    assert "BPE 8k, GPT-2 cuts" in figure.html
    shown = scene("prefixes", {}, text="a")
    plain = shown.tokenizers[0]._replace(tokenizer=of_pieces([b"ab"]))
    with pytest.raises(TokenariumError, match="neither added nor user-defined"):
        walk_figures(shown._replace(tokenizers=(plain,)))


TRAINED = {"corpus": "text", "file": "", "algorithm": "bpe", "size": 260, "options": {}}


@pytest.mark.parametrize(
    ("kept", "message"),
    [
        ({}, "no training"),
        ({"trained": {**TRAINED, "corpus": "file", "file": "/etc/passwd"}}, "from a file"),
        ({"trained": {**TRAINED, "algorithm": "parity-bpe"}}, "cannot be played"),
        ({"trained": {**TRAINED, "size": "many"}}, "cannot be read"),
        ({"trained": 7}, "cannot be read"),
        ({"trained": {**TRAINED, "corpus": "selection"}}, "no text"),
        ({"trained": {**TRAINED, "options": {"nonsense": 1}}}, "nonsense"),
    ],
)
def test_what_cannot_be_trained_again_is_said(kept: dict[str, Any], message: str) -> None:
    with pytest.raises(TokenariumError, match=message):
        training_figures(scene("training", kept))


@pytest.mark.parametrize(
    ("make", "page_id"), [(steps_figures, "steps"), (walk_figures, "prefixes")]
)
def test_without_a_tokenizer_or_a_text_there_is_a_sentence(make: Any, page_id: str) -> None:
    with pytest.raises(TokenariumError, match="no tokenizer"):
        make(scene(page_id, {}, keys=()))
    if page_id == "steps":
        with pytest.raises(TokenariumError, match="no text"):
            make(scene(page_id, {}, text=""))


@pytest.mark.parametrize("value", [None, "3", -1, True, 2.5, [1]])
def test_a_step_that_is_no_number_is_the_first(value: object) -> None:
    assert whole(value) == 0


def tour_scenes() -> list[str]:
    found = []
    for path in sorted(TOUR.glob("*.tokenarium")):
        read = msgspec.json.decode(path.read_bytes())
        above = read.get("above") or read.get("presenting")
        if not above and f"{read.get('workspace')}.{read.get('page')}" in PAGES:
            found.append(path.stem)
    return found


WITHOUT = {"training-empty", "training-none"}
"""Scenes without a training."""


@pytest.mark.slow
@pytest.mark.parametrize("name", tour_scenes())
def test_every_scene_of_the_tour_is_a_page(name: str, opened: Any) -> None:
    shown, _ = open_scene(read_scene_file(TOUR / f"{name}.tokenarium"), opened_tokenizer)
    _, figures = FIGURES[shown.page]
    if name in WITHOUT:
        with pytest.raises(TokenariumError):
            figures(shown)
        return
    one = opened(page("T", figures(shown)))
    assert one.value("document.querySelectorAll('.player:not([hidden])').length") >= 1
    assert one.value("document.documentElement.scrollWidth <= innerWidth")


def test_a_page_of_a_selected_word_needs_no_qt(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from tokenarium.models.scene_texts import read_scene_file;"
        "from tokenarium.commands.reading import tokenizer_of; from tokenarium.web.scene_pages import scene_page;"
        "names = sys.argv[1:];"
        "[scene_page(read_scene_file(Path(name)), lambda one: tokenizer_of(one.key.partition(':')[2], one.pattern))"
        " for name in names]; print([name for name in sys.modules if name.startswith('PySide6')])"
    )
    names = [
        str(TOUR / f"{name}.tokenarium")
        for name in ("merges", "unigram", "wordpiece", "longest-match", "training")
    ]
    done = subprocess.run(
        [sys.executable, "-c", program, *names], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_the_command_writes_such_a_page(tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    command = [
        "-m",
        "tokenarium",
        "render",
        str(TOUR / "unigram.tokenarium"),
        "--out",
        str(out),
        "--theme",
        "dark",
    ]
    subprocess.run([sys.executable, *command], capture_output=True, check=True)
    html = out.read_text("utf-8")
    assert 'data-theme="dark"' in html
    assert there(re.search(r'data-kind="steps"', html))


def test_a_selection_beyond_the_text_is_none() -> None:
    """As where the text's file has become shorter since."""
    for workspace, kind in (("merges", "steps"), ("merges", "prefixes"), ("bytes", "bytes")):
        fields: dict[str, Any] = {"workspace": workspace, "page": kind}
        beyond = page_of_shown(shown_scene("some words", selection=(900, 950), **fields))
        assert beyond == page_of_shown(shown_scene("some words", **fields))


def test_a_long_string_is_walked_up_to_a_limit() -> None:
    typed = {"merges.prefixes": {"typed": "abcd " * 20_000, "strings": "ab abcd"}}
    html = page_of_shown(shown_scene("", workspace="merges", page="prefixes", pages=typed))
    assert len(html) < 1_000_000
    assert "the first 1,000 bytes" in html
