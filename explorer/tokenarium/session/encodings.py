"""What the tokenizers have made of the text so far: a small text is encoded at once, a larger one slice by slice.

After an edit of a larger text, what was made of it before is taken over where that is exact, see `edited_encoding`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject, Signal

import tokenarium_core as tc
from tokenarium.models.faults import reported
from tokenarium.models.text.edited_encoding import edited_encoding
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.work.jobs import Jobs

SMALL_TEXT = 64 * 1024
"""Bytes up to which a text is encoded at once, in the frame of the keystroke."""

LARGE_TEXT = 2 * 1024 * 1024
"""Bytes from which on a tokenizer starts in a later turn: normalising the text alone takes some time."""

FIRST_SLICE_MS = 0.6
"""How much of a larger text the tokenizer in front encodes at once: enough for the first screens."""

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
        self._whole: dict[str, tuple[TextMap, tc.Encoding]] = {}  # the last, special tokens as text

    def of(self, key: str) -> EncodingStatus | None:
        """Returns what a tokenizer has made of the text so far."""
        return self._of.get(key)

    def clear(self, edited: bool = False) -> None:
        """Forgets all encodings, as when the text changes; each job ends when it is started again.

        ``edited``: it will be a similar text, so what was made of this one may be taken over.
        """
        self._of.clear()
        if not edited:
            self._whole.clear()

    def forget(self, item: LibraryItem) -> None:
        """Forgets the encoding of one tokenizer, and ends its job."""
        self._end_job(item)
        self._whole.pop(item.key, None)

    def _end_job(self, item: LibraryItem) -> None:
        self._jobs.cancel(_job_key(item))
        self._of.pop(item.key, None)

    def encode(
        self,
        item: LibraryItem,
        text_map: TextMap,
        special: Literal["none", "all"],
        front: bool = True,
        ends: tc.Template | None = None,
    ) -> None:
        """Encodes a small text at once, a larger one in a job; call it for the tokenizer in ``front`` first.

        That one also takes over what it can at once, or encodes the first slice. A large text is encoded by the jobs
        alone, which take turns; else one is finished after the other, before all other jobs. ``ends`` are the ids around
        the whole text; they are there once all of it is encoded.
        """
        assert item.tokenizer is not None
        self._end_job(item)
        small = text_map.byte_count <= SMALL_TEXT
        large = text_map.byte_count > LARGE_TEXT
        before = None
        if not small and not large and special == "none":
            before = self._whole.get(item.key)
        work = _DeferredEncodeJob(item.tokenizer, text_map, special, before, ends)
        if small or (front and not large):
            try:
                finished = work.step(1e9 if small else FIRST_SLICE_MS).finished
            except Exception as error:
                self._of[item.key] = EncodingStatus(None, True, str(reported(error)))
                return
            self._set(item, work, finished)
            if finished:
                return
        shown = time.monotonic()

        def take(progress: tc.Progress) -> None:
            nonlocal shown
            first = item.key not in self._of and before is None  # after an edit, soon all is there
            if first or progress.finished or time.monotonic() - shown > REPUBLISH_S:
                shown = time.monotonic()
                self._set(item, work, progress.finished)
                self.changed.emit(item.key)

        def fail(error: tc.TokenariumError) -> None:
            self._of[item.key] = EncodingStatus(None, True, str(error))
            self.changed.emit(item.key)

        title = f"Encoding with {item.name}"
        self._jobs.start(_job_key(item), title, work, take, fail, first=not large)

    def _set(self, item: LibraryItem, work: _DeferredEncodeJob, finished: bool) -> None:
        encoding = work.encoding
        around = work.ends if finished else None
        shown = encoding if around is None else encoding.with_ends(around)
        self._of[item.key] = EncodingStatus(shown, finished)
        if work.text_map.byte_count > LARGE_TEXT:
            self._whole.pop(item.key, None)  # two of them would take too much memory
        elif finished and work.special == "none":
            self._whole[item.key] = (work.text_map, encoding)


class _DeferredEncodeJob:
    """The core's `EncodeJob`, made in the first step: to prepare a large text takes a tokenizer some time."""

    def __init__(
        self,
        tokenizer: tc.Tokenizer,
        text_map: TextMap,
        special: Literal["none", "all"],
        before: tuple[TextMap, tc.Encoding] | None = None,
        ends: tc.Template | None = None,
    ) -> None:
        self.ends = ends
        self._tokenizer = tokenizer
        self.text_map = text_map
        self.special = special
        self._before = before
        self._edited: tc.Encoding | None = None
        self._job: tc.EncodeJob | None = None

    def step(self, budget_ms: float) -> tc.Progress:
        """Encodes for about ``budget_ms`` milliseconds, the preparation not counted; reports the bytes done."""
        if self._before is not None:
            (text, encoding), self._before = self._before, None
            self._edited = edited_encoding(self._tokenizer, text, encoding, self.text_map)
        if self._edited is not None:
            size = self.text_map.byte_count
            return tc.Progress("encoding", size, size, True)
        if self._job is None:
            self._job = self._tokenizer.encode_job(self.text_map.padded, self.special)
        return self._job.step(budget_ms)

    @property
    def encoding(self) -> tc.Encoding:
        """The tokens so far; only after the first step."""
        if self._edited is not None:
            return self._edited
        assert self._job is not None
        return self._job.encoding


def _job_key(item: LibraryItem) -> str:
    return f"encode {item.key}"
