"""Everything that a tokenizer can be trained with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tokenarium.models.training.training_engines import ENGINES
from tokenarium_core.training.algorithms import ALGORITHMS
from tokenarium_core.training.trainer import Option


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

    @property
    def note(self) -> str:
        """What is to be known of the trainer of another library before it begins; empty for ours."""
        if not self.library:
            return ""
        return (
            f"Trained by {self.library} itself, to compare with. It does not tell how far it is, and gives nothing"
            " before the end: it can be cancelled, but not stopped with what it has learned."
        )


def methods() -> dict[str, Method]:
    """Returns all methods by their names, in the order in which they are offered."""
    ours = {
        name: Method(name, algorithm.title, algorithm.options)
        for name, algorithm in ALGORITHMS.items()
    }
    theirs = {
        name: Method(name, engine.title, engine.options, engine.library, engine.obstacle)
        for name, engine in ENGINES.items()
    }
    return {**ours, **theirs}


def method_title(name: str) -> str:
    """Returns what a method is called; of one that is not known here, as of a later version, its name."""
    known = ALGORITHMS.get(name) or ENGINES.get(name)
    return known.title if known is not None else name


def title_of(name: str, vocab_size: int) -> str:
    """Returns what a training by a method is called that nobody named."""
    return f"{method_title(name)} {vocab_size:,}"
