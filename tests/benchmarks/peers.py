"""The peers that encode: how each is loaded, without the network, and why one cannot take part."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

OURS = "tokenarium"


class Loaded(NamedTuple):
    """A tokenizer's two ways to encode a text, special tokens as plain text; a way it lacks is None."""

    to_list: Callable[[str], list[int]]
    to_buffer: Callable[[str], Any] | None = None


@dataclass(frozen=True)
class Peer:
    """One that encodes. ``load`` takes the name of a subject, ``source`` says what it reads then.

    ``share``: the part of a text that it is given, less where it is slow.
    """

    name: str
    modules: tuple[str, ...]
    load: Callable[[str], Loaded]
    source: str
    share: float = 1.0

    def prepare(self) -> None:
        """Imports its modules, so that loading a subject is all that `load` does."""
        for module in self.modules:
            importlib.import_module(module)

    def why_not(self, subject: str) -> str:
        """Returns why it cannot take part, empty if it can: a first load shows that."""
        if importlib.util.find_spec(self.modules[0]) is None:
            return "it is not installed"
        try:
            self.prepare()
            self.load(subject).to_list("It loads, and it encodes.")
        except Exception as error:  # a peer may fail in any way: a finding, not a fault of ours
            words = " ".join(str(error).split())[:300].rstrip(".")
            return f"{type(error).__name__}: {words}"
        return ""
