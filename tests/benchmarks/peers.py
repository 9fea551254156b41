"""The peers that encode: how each is loaded, without the network, and why one cannot take part."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

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


def load_snaptokens(path: Path) -> Loaded:
    """Returns the ways of snaptokens, which reads a ``tokenizer.json`` only; special tokens in a text become their ids."""
    import snaptokens

    tokenizer = snaptokens.Tokenizer.from_file(str(path))

    def to_list(text: str) -> list[int]:
        return tokenizer.encode(text).ids

    def to_buffer(text: str) -> Any:
        return np.frombuffer(tokenizer.encode_batch_flat([text])[0], np.uint32)

    return Loaded(to_list, to_buffer)
