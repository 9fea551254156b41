"""Pickles a tokenizer for other processes, in a thread."""

from __future__ import annotations

import pickle
from contextlib import suppress
from threading import Thread

import tokenarium_core as tc


class Pickling(Thread):
    """Pickles a tokenizer: the hash of a large file takes a moment, in which others may run."""

    def __init__(self, tokenizer: tc.Tokenizer) -> None:
        super().__init__(name="pickling", daemon=True)
        self._tokenizer = tokenizer
        self.pickled = b""
        self.start()

    def run(self) -> None:
        """Pickles it; nothing is there where that is not possible."""
        with suppress(Exception):
            self.pickled = pickle.dumps(self._tokenizer)
