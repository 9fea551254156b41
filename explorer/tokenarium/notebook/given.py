"""The tokenizers that a function of a notebook is given, by distinct names."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Mapping

import tokenarium_core as tc
from tokenarium.commands.reading import tokenizer_of
from tokenarium.models.scene import FILE_KEY, Scene, SceneTokenizer
from tokenarium.models.text.piece import harmless
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.tokenizers.tokenizer_names import distinct_name
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS
from tokenarium.web.scene_pages import page_of_shown
from tokenarium.web.shown_scene import ShownScene, ShownTokenizer, named_tokenizer
from tokenarium_core.formats import NAMED

GivenTokenizer = tc.Tokenizer | str | os.PathLike[str]
"""A tokenizer, or what opens it."""


def open_tokenizer(given: GivenTokenizer) -> tc.Tokenizer:
    """Returns a tokenizer by what opens it on the command line: a file, a folder, or a name; NotAvailable if there is none."""
    return given if isinstance(given, tc.Tokenizer) else tokenizer_of(os.fspath(given))


def named(tokenizers: Iterable[GivenTokenizer]) -> dict[str, tc.Tokenizer]:
    """Returns tokenizers by names that differ; without any, those that are on at the first start of the window.

    Raises NotAvailable for a name of which there is none.
    """
    found: dict[str, tc.Tokenizer] = {}
    for given in list(tokenizers) or [one.id for one in SHIPPED_TOKENIZERS if one.on]:
        opened = open_tokenizer(given)
        found[_distinct(opened, found)] = opened
    return found


def _distinct(tokenizer: tc.Tokenizer, found: Mapping[str, tc.Tokenizer]) -> str:
    """Returns the name of a tokenizer, with a distinction where another one has it: where it is from, or a number."""
    name, path = harmless(tokenizer.name), tokenizer.source.path
    if path:
        return distinct_name(name, path, {one: other.source.path for one, other in found.items()})
    numbered = (f"{name} ({number})" for number in itertools.count(2))
    return next(one for one in itertools.chain([name], numbered) if one not in found)


def tokens_page(text: str, most: int, tokenizers: Mapping[str, tc.Tokenizer]) -> str:
    """Returns the web page of the page Tokens for the first ``most`` characters of a text."""
    title = "Tokens" if len(text) <= most else f"Tokens of the first {most:,} characters"
    return page_of_shown(
        ShownScene(Scene(), TextMap(text[:most]), shown_ones(tokenizers)), title=title
    )


def shown_ones(tokenizers: Mapping[str, tc.Tokenizer]) -> tuple[ShownTokenizer, ...]:
    """Returns tokenizers with the identities that they have in the window."""
    shown: list[ShownTokenizer] = []
    for name, tokenizer in tokenizers.items():
        given = SceneTokenizer(_key(tokenizer), name)
        taken = [one.identity for one in shown]
        shown.append(named_tokenizer(given, tokenizer, taken)._replace(name=name))
    return tuple(shown)


def _key(tokenizer: tc.Tokenizer) -> str:
    """Returns the key that the library of the window has for a tokenizer; "" for one that no file has."""
    path = tokenizer.source.path
    if path in NAMED:
        return f"named:{path}"
    shipped = next((one.id for one in SHIPPED_TOKENIZERS if str(one.path) == path), "")
    return f"shipped:{shipped}" if shipped else f"{FILE_KEY}{path}" if path else ""
