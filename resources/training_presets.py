"""Settings of trainings under one name, as ``training_presets.json`` lists them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Preset:
    """An algorithm, the size of the vocabulary, and the options that differ from their defaults."""

    title: str
    about: str
    algorithm: str
    vocab_size: int
    options: Mapping[str, Any]


@cache
def load_presets() -> tuple[Preset, ...]:
    """Returns all presets in the order of the list."""
    text = (files("tokenarium.resources") / "training_presets.json").read_text("utf-8")
    return tuple(Preset(**entry) for entry in json.loads(text))
