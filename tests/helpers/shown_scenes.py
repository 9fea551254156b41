"""Scenes with the shipped tokenizers, opened for web pages without a window."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import tokenarium_core as tc
from tokenarium.models.scene import ReadScene, Scene, SceneText, SceneTokenizer
from tokenarium.resources.shipped_tokenizers import shipped_path
from tokenarium.web.shown_scene import ShownScene, open_scene
from tokenarium_core import NotAvailable

FOUR = ("tokenarium-8k", "bpe-gpt2-8k", "unigram-8k", "wordpiece-8k")
"""Shipped tokenizers of different models."""


@cache
def shipped(id: str) -> tc.Tokenizer:
    """Returns a shipped tokenizer by its id, opened once."""
    return tc.open(shipped_path(id))


def opener(one: SceneTokenizer) -> tc.Tokenizer:
    """Opens the shipped tokenizer of a key; NotAvailable for all others."""
    kind, _, id = one.key.partition(":")
    if kind != "shipped":
        raise NotAvailable(f"{one.key} is not on this computer.")
    return shipped(id)


def shown_scene(text: str, ids: tuple[str, ...] = FOUR, **fields: Any) -> ShownScene:
    """Returns an opened scene with a text and some shipped tokenizers."""
    keys = tuple(SceneTokenizer(f"shipped:{id}") for id in ids)
    scene = Scene(text=SceneText(text), tokenizers=keys, **fields)
    shown, said = open_scene(ReadScene(scene), opener)
    assert not said
    return shown


HOSTILE = (
    "</script><script>alert(1)</script>",
    "<!--<script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "]]>&amp;&#0;&lt;",
    "\0\x01\x1b[31m\x7f\x80\x9f\r",
    "\ud800 \udfff \udc80",
    "a\u2028b\u2029c\ufeff\ufffe\uffff",
    "\u202e\u2066right\u2069 to left\u202c",
    "a" + "\u0301" * 10_000,
)
"""Texts that would break a page that trusts them."""


def unruled(html: str) -> set[str]:
    """Returns the classes of graphemes with several tokens for which a page has no rule: they would have no colour."""
    used = set(re.findall(r'class="g (g[0-9a-f]{10})', html))
    return used - set(re.findall(r"^i\.(g[0-9a-f]{10}){", html, re.MULTILINE))
