"""Everything that a tokenizer can be trained with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tokenarium_core.training import ALGORITHMS
from tokenarium_core.training_option import Option


@dataclass(frozen=True, slots=True)
class Method:
    """One way to train, by the ``name`` that requests and the store know it by.

    ``library``: whose trainer it is, empty for ours. ``obstacle``: why it cannot be used here, empty where it can.
    """

    name: str
    title: str
    options: Sequence[Option]
    library: str = ""
    obstacle: str = ""


def methods() -> dict[str, Method]:
    """Returns all methods by their names, in the order in which they are offered."""
    return {
        name: Method(name, algorithm.title, algorithm.options)
        for name, algorithm in ALGORITHMS.items()
    }
