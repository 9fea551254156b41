"""Writes the pages of the documentation that are played with: the lessons, and a comparison of the shipped tokenizers.

    .venv/bin/python packaging/live_pages.py FOLDER

The hooks of MkDocs run it in a process of its own, as lessons need a window, without a display.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import tokenarium_core as tc
from project import ROOT
from tokenarium.models.scene import Scene, SceneText, SceneTokenizer
from tokenarium.models.text.text_map import TextMap
from tokenarium.resources.samples_index import load_samples
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS
from tokenarium.web.compare_pages import ComparedText, compare_pages
from tokenarium.web.scene_pages import page_of_shown
from tokenarium.web.shown_scene import ShownScene, ShownTokenizer, named_tokenizer

EXAMPLE = "Tokenizers split tokenization differently: नमस्ते, こんにちは, 🤷🏽‍♀️!"


def shipped() -> list[ShownTokenizer]:
    """Returns the shipped tokenizers, opened."""
    return [
        named_tokenizer(SceneTokenizer(f"shipped:{one.id}"), tc.open(one.path))
        for one in SHIPPED_TOKENIZERS
    ]


def scene_pages(tokenizers: list[ShownTokenizer]) -> dict[str, str]:
    """Returns the figures of the documentation by their names."""
    shown = [
        one
        for one in tokenizers
        if one.key in {f"shipped:{ours.id}" for ours in SHIPPED_TOKENIZERS if ours.on}
    ]
    scene = Scene(text=SceneText(EXAMPLE), workspace="tokens")
    return {
        "tokens.html": page_of_shown(
            ShownScene(scene, TextMap(EXAMPLE), tuple(shown)), title="Tokens"
        )
    }


def text_pages(tokenizers: list[ShownTokenizer]) -> dict[str, str]:
    """Returns the pages that compare the shipped tokenizers on the sample texts, by their names."""
    texts = [
        ComparedText(one.id, one.group, one.title, one.about, one.text()) for one in load_samples()
    ]
    return dict(compare_pages(texts, tokenizers))


def write_lessons(folder: Path) -> None:
    """Writes the lessons as pages."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from tokenarium.models.lessons.lesson import read_lesson
    from tokenarium.tour.lesson_pages import make_page
    from tokenarium.tour.render import quieten_platform

    quieten_platform()
    for path in sorted((ROOT / "resources" / "lessons").glob("*.md")):
        make_page(read_lesson(path), folder / f"{path.stem}.html")


def main() -> None:
    """Writes all pages into the folder that is named."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    tokenizers = shipped()
    for name, html in (scene_pages(tokenizers) | text_pages(tokenizers)).items():
        (folder / name).write_text(html, encoding="utf-8")
    write_lessons(folder)


if __name__ == "__main__":
    main()
