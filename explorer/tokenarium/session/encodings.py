"""What the tokenizers have made of the text so far: a small text is encoded at once, a larger one slice by slice."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject, Signal

import tokenarium_core as tc
from tokenarium.models.faults import reported
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.work.jobs import Jobs

SMALL_TEXT = 64 * 1024
"""Bytes up to which a text is encoded at once, in the frame of the keystroke."""

LARGE_TEXT = 2 * 1024 * 1024
"""Bytes from which on a tokenizer starts in a later turn: normalising the text alone takes some time."""

FIRST_SLICE_MS = 0.6
"""How much of a larger text each tokenizer encodes at once: enough for the first screens."""

REPUBLISH_S = 0.2
"""How often an unfinished encoding is shown: each time costs a repaint."""


@dataclass(frozen=True, slots=True)
class EncodingStatus:
    """The encoding of one tokenizer so far; ``complete`` once it covers all of the text.

    There is no encoding where the tokenizer failed on this text; ``error`` says why.
    """

    encoding: tc.Encoding | None
    complete: bool
    error: str = ""


class TextEncodings(QObject):
    """The encodings of one text by the keys of their tokenizers; ``changed`` has a key when its job goes on."""

    changed = Signal(str)

    def __init__(self, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._of: dict[str, EncodingStatus] = {}

    def of(self, key: str) -> EncodingStatus | None:
        """Returns what a tokenizer has made of the text so far."""
        return self._of.get(key)

    def clear(self) -> None:
        """Forgets all encodings, as when the text changes; each job ends when it is started again."""
        self._of.clear()

    def forget(self, item: LibraryItem) -> None:
        """Forgets the encoding of one tokenizer, and ends its job."""
        self._jobs.cancel(_job_key(item))
        self._of.pop(item.key, None)

    def encode(self, item: LibraryItem, text_map: TextMap, special: Literal["none", "all"]) -> None:
        """Encodes a small text at once; of a larger one the first slice, and the rest in a job.

        A large text is encoded by the job alone.
        """
        assert item.tokenizer is not None
        self.forget(item)
        work = _DeferredEncodeJob(item.tokenizer, text_map, special)
        if text_map.byte_count <= LARGE_TEXT:
            small = text_map.byte_count <= SMALL_TEXT
            try:
                finished = work.step(1e9 if small else FIRST_SLICE_MS).finished
            except Exception as error:
                self._of[item.key] = EncodingStatus(None, True, str(reported(error)))
                return
            self._of[item.key] = EncodingStatus(work.encoding, finished)
            if finished:
                return
        shown = time.monotonic()

        def take(progress: tc.Progress) -> None:
            nonlocal shown
            first = item.key not in self._of
            if first or progress.finished or time.monotonic() - shown > REPUBLISH_S:
                shown = time.monotonic()
                self._of[item.key] = EncodingStatus(work.encoding, progress.finished)
                self.changed.emit(item.key)

        def fail(error: tc.TokenariumError) -> None:
            self._of[item.key] = EncodingStatus(None, True, str(error))
            self.changed.emit(item.key)

        self._jobs.start(_job_key(item), f"Encoding with {item.name}", work, take, fail)


class _DeferredEncodeJob:
    """The core's `EncodeJob`, made in the first step: to prepare a large text takes a tokenizer some time."""

    def __init__(
        self, tokenizer: tc.Tokenizer, text_map: TextMap, special: Literal["none", "all"]
    ) -> None:
        self._tokenizer = tokenizer
        self._text_map = text_map
        self._special = special
        self._job: tc.EncodeJob | None = None

    def step(self, budget_ms: float) -> tc.Progress:
        """Encodes for about ``budget_ms`` milliseconds, the preparation not counted; reports the bytes done."""
        if self._job is None:
            self._job = self._tokenizer.encode_job(self._text_map.padded, self._special)
        return self._job.step(budget_ms)

    @property
    def encoding(self) -> tc.Encoding:
        """The tokens so far; only after the first step."""
        assert self._job is not None
        return self._job.encoding


def _job_key(item: LibraryItem) -> str:
    return f"encode {item.key}"
