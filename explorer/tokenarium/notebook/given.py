"""The tokenizers that a function of a notebook is given, by distinct names."""

from __future__ import annotations

import os
from collections.abc import Iterable

import tokenarium_core as tc
from tokenarium.commands.reading import tokenizer_of
from tokenarium.models.tokenizers.tokenizer_names import distinct_name
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS

GivenTokenizer = tc.Tokenizer | str | os.PathLike[str]
"""A tokenizer, or what opens it."""


def named(tokenizers: Iterable[GivenTokenizer]) -> dict[str, tc.Tokenizer]:
    """Returns tokenizers by names that differ; without any, those that are on at the first start of the window.

    Raises NotAvailable for a name of which there is none.
    """
    found: dict[str, tc.Tokenizer] = {}
    for given in list(tokenizers) or [one.id for one in SHIPPED_TOKENIZERS if one.on]:
        opened = given if isinstance(given, tc.Tokenizer) else tokenizer_of(os.fspath(given))
        taken = {name: one.source.path for name, one in found.items()}
        found[distinct_name(opened.name, opened.source.path, taken)] = opened
    return found
