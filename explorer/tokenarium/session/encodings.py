"""The encodings of the text so far: a small text is encoded at once, a larger one slice by slice.

After an edit of a larger text, its previous encoding is reused as far as that is exact; see `edited_encoding`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from logging import WARNING
from typing import Literal

from PySide6.QtCore import QObject, QTimer, Signal

import tokenarium_core as tc
from tokenarium.models.faults import reported
from tokenarium.models.program_log import log
from tokenarium.models.text.chunked_encoding import ChunkedEncoding
from tokenarium.models.text.edited_encoding import edited_encoding, is_taken_over
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.work.jobs import Jobs
from tokenarium.work.text_workers import RemoteEncoding, TextWorkers, WorkerFault
from tokenarium_core.encoding import EncodeJob, Template
from tokenarium_core.errors import RoomError
from tokenarium_core.progress import Progress

SMALL_TEXT = 64 * 1024
"""Bytes up to which a text is encoded at once, in the frame of the keystroke."""

LARGE_TEXT = 2 * 1024 * 1024
"""Bytes from which on a tokenizer starts in a later turn, since normalizing the text alone takes some time."""

ROOM = 1_250_000_000
"""Bytes of memory for all encodings of a large text together: each tokenizer may use an equal share of what the
finished ones have left."""

NORMALIZING = 20
"""Bytes of memory needed to normalize one byte of a text, which is normalized as a whole."""

LONGEST_WHOLE = 2_000_000
"""The longest run of bytes that a tokenizer merges as a whole, since there is no safe cut in it; each needs up to 50
bytes of memory."""

FIRST_SLICE_MS = 0.6
"""How much of a larger text the tokenizer in front encodes at once: enough for the first screens."""

WAIT_MS = 4
"""How long the window waits for the processes in one slice."""

IDLE_MS = 5_000
"""How often processes are ended that encode nothing: together they need more memory than a text of some megabytes."""

REPUBLISH_S = 0.2
"""How often an unfinished encoding is shown: each time costs a repaint."""


@dataclass(frozen=True, slots=True)
class EncodingStatus:
    """The encoding of one tokenizer so far; ``complete`` once it covers all of the text.

    There is no encoding if the tokenizer failed on this text, and only that of its beginning if the rest would need too
    much memory; ``error`` says why.
    """

    tokens: ChunkedEncoding | None
    complete: bool
    error: str = ""

    @property
    def encoding(self) -> tc.Encoding | None:
        """The encoding in one piece; an edited text has it in chunks, which are joined once."""
        return None if self.tokens is None else self.tokens.whole


class TextEncodings(QObject):
    """The encodings of one text by the keys of their tokenizers.

    ``changed`` reports a key when its job has progressed.
    """

    changed = Signal(str)
    cut_short = Signal(
        str
    )  # a sentence: which tokenizers have split only the beginning of the text

    def __init__(self, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._of: dict[str, EncodingStatus] = {}
        self._whole: dict[
            str, tuple[TextMap, ChunkedEncoding]
        ] = {}  # the previous ones, with special tokens as text
        self._at_work: dict[str, _DeferredEncodeJob] = {}  # jobs that encode a large text
        self._short: list[str] = []  # how far each job came that ran out of room
        self._workers = TextWorkers()
        self._workers.has_room = lambda: self._taken() <= ROOM
        self._idle = QTimer(self, interval=IDLE_MS)  # ends processes that are no longer needed
        self._idle.timeout.connect(self._end_workers)

    @property
    def busy(self) -> bool:
        """Whether a large text is being encoded."""
        return bool(self._at_work)

    def expect_large(self) -> None:
        """Starts the processes for a large text that is still being read."""
        self._workers.start()
        self._idle.start()

    def goes_ahead(self, text_map: TextMap) -> bool:
        """Whether a text that is not shown yet can be encoded meanwhile: one that is large, while no other is encoded."""
        is_large = text_map.byte_count > LARGE_TEXT and not text_map.has_halves
        return is_large and not self._at_work

    def encode_ahead(
        self, text_map: TextMap, special: Literal["none", "all"], tokenizers: list[tc.Tokenizer]
    ) -> None:
        """Begins to encode a text that is not shown yet, or takes what the processes have made of it meanwhile.

        Only in parts: a text that is encoded as a whole needs room, which the text that is still shown may take.
        """
        in_parts = [one for one in tokenizers if special == "none" and is_taken_over(one)]
        with suppress(WorkerFault, OSError):  # the jobs of the text will begin it
            self._workers.encode_ahead(in_parts, text_map, special, LONGEST_WHOLE)

    def forget_ahead(self) -> None:
        """Ends what was begun of a text that will not be shown."""
        self._workers.forget_ahead()

    def of(self, key: str) -> EncodingStatus | None:
        """Returns the encoding of the text by a tokenizer so far."""
        return self._of.get(key)

    def clear(self, edited: bool = False) -> None:
        """Forgets all encodings, as when the text changes; each job ends when it is started again.

        ``edited``: the next text will be similar, so the encodings of this one may be reused.
        """
        self._of.clear()
        self._at_work.clear()
        self._short.clear()
        if not edited:
            self._whole.clear()

    def stop(self) -> None:
        """Ends the processes, as when the window closes."""
        self._idle.stop()
        self._workers.stop()

    def _end_workers(self) -> None:
        if not self._workers.busy:
            self.stop()

    def forget(self, item: LibraryItem) -> None:
        """Forgets the encoding of one tokenizer, and ends its job."""
        self._end_job(item)
        self._whole.pop(item.key, None)

    def _end_job(self, item: LibraryItem) -> None:
        self._jobs.cancel(_job_key(item))
        self._at_work.pop(item.key, None)
        self._of.pop(item.key, None)

    def encode(
        self,
        item: LibraryItem,
        text_map: TextMap,
        special: Literal["none", "all"],
        front: bool = True,
        ends: Template | None = None,
    ) -> None:
        """Encodes a small text at once, a larger one in a job; call it for the tokenizer in ``front`` first.

        That tokenizer also reuses what it can at once, or encodes the first slice. A large text is encoded only by the
        jobs, which take turns; otherwise they finish one after another, before all other jobs. ``ends`` are the ids
        around the whole text, which are added once all of it is encoded.
        """
        assert item.tokenizer is not None
        self._end_job(item)
        small = text_map.byte_count <= SMALL_TEXT
        large = text_map.byte_count > LARGE_TEXT
        before = None
        if not small and special == "none":
            before = self._whole.get(item.key)
        workers = self._workers if large and not text_map.has_halves else None
        work = _DeferredEncodeJob(item.tokenizer, text_map, special, before, ends, workers)
        if small or (front and (before is not None or not large)):
            try:
                finished = work.step(1e9 if small else FIRST_SLICE_MS).finished
            except Exception as error:
                self._of[item.key] = EncodingStatus(None, True, str(reported(error)))
                return
            self._set(item, work, finished)
            if finished:
                return
        shown = time.monotonic()
        if large:
            self._idle.start()
            self._at_work[item.key] = work
            work.has_room = self._has_room

        def take(progress: Progress) -> None:
            nonlocal shown
            if large and self._is_full(item, work, progress):
                return
            first = (
                item.key not in self._of and before is None
            )  # after an edit, all of it is soon there
            if first or progress.finished or time.monotonic() - shown > REPUBLISH_S:
                shown = time.monotonic()
                self._set(item, work, progress.finished)
                self.changed.emit(item.key)

        def fail(error: tc.TokenariumError) -> None:
            self._at_work.pop(item.key, None)
            self._of[item.key] = EncodingStatus(None, True, str(error))
            self.changed.emit(item.key)

        title = f"Encoding with {item.name}"
        again = not large or before is not None  # which is short: little of it is encoded
        self._jobs.start(_job_key(item), title, work, take, fail, work.cancel, first=again)

    def _has_room(self, size: int) -> bool:
        """Whether there is room for a number of bytes, before they are allocated."""
        return self._taken() + size <= ROOM

    def _taken(self) -> int:
        """How many bytes all tokens take, those included that are not shown yet."""
        taken = {key: one.tokens.bytes for key, one in self._of.items() if one.tokens is not None}
        return sum((taken | {key: work.bytes for key, work in self._at_work.items()}).values())

    def _is_full(self, item: LibraryItem, work: _DeferredEncodeJob, progress: Progress) -> bool:
        """Ends a job that has used its share of `ROOM`; what it has encoded stays, with a sentence."""
        if progress.finished:
            self._at_work.pop(item.key, None)
            return False
        waiting = self._at_work
        taken = sum(
            one.tokens.bytes
            for key, one in self._of.items()
            if one.tokens is not None and key not in waiting
        )
        if work.bytes <= (ROOM - taken) // max(len(waiting), 1):
            return False
        del waiting[item.key]
        self._jobs.cancel(_job_key(item))
        self._short.append(f"{item.name} to {progress.done / 1e6:,.1f} MB")
        said = (
            f"Only the beginning of this text of {work.text_map.byte_count / 1e6:,.1f} MB is split into tokens, since all"
            f" of it would need more than {ROOM / 1e6:,.0f} MB of memory: {', '.join(self._short)}. {WHAT_TO_DO}"
        )
        self._of[item.key] = EncodingStatus(work.tokens, False, said)
        self.cut_short.emit(said)
        self.changed.emit(item.key)
        return True

    def _set(self, item: LibraryItem, work: _DeferredEncodeJob, finished: bool) -> None:
        tokens = work.tokens
        around = work.ends if finished else None
        shown = tokens if around is None else tokens.with_ends(around)
        self._of[item.key] = EncodingStatus(shown, finished)
        if work.text_map.byte_count > LARGE_TEXT and not is_taken_over(item.tokenizer):
            self._whole.pop(item.key, None)  # two of them would need too much memory
        elif finished and work.special == "none":
            self._whole[item.key] = (work.text_map, tokens)


WHAT_TO_DO = (
    "All of the text is kept. Turn other tokenizers off and begin again (Ctrl+R, B), or count the file in Compare or"
    " encode it with “tokenarium encode-corpus”, which take files of any size."
)


class _DeferredEncodeJob:
    """The core's `EncodeJob`, created in the first step; a large text is encoded by `TextWorkers`.

    ``workers`` is None where the text is not large. If the processes cannot encode it, it is encoded here after all.
    """

    def __init__(
        self,
        tokenizer: tc.Tokenizer,
        text_map: TextMap,
        special: Literal["none", "all"],
        before: tuple[TextMap, ChunkedEncoding] | None = None,
        ends: Template | None = None,
        workers: TextWorkers | None = None,
    ) -> None:
        self.ends = ends
        self._workers = workers
        self._remote: RemoteEncoding | None = None
        self._tokenizer = tokenizer
        self.text_map = text_map
        self.special = special
        self._before = before
        self._edited: ChunkedEncoding | None = None
        self._job: EncodeJob | None = None
        self.has_room: Callable[[int], bool] = lambda size: True

    def step(self, budget_ms: float) -> Progress:
        """Encodes for about ``budget_ms`` milliseconds, not counting the preparation; reports the bytes done."""
        if self._before is not None:
            (text, encoding), self._before = self._before, None
            self._edited = edited_encoding(self._tokenizer, text, encoding, self.text_map)
        if self._edited is not None:
            size = self.text_map.byte_count
            return Progress("encoding", size, size, True)
        size = self.text_map.byte_count
        if self._workers is not None:
            if self._remote is None:
                self._check_room()
                self._remote = self._workers.encode(
                    self._tokenizer, self.text_map, self.special, LONGEST_WHOLE
                )
            try:
                return self._remote.step(min(budget_ms, WAIT_MS))
            except (WorkerFault, OSError) as fault:
                log(f"{self._tokenizer.name}: encoded in the window. {fault}", WARNING)
                self._workers = self._remote = None
        if self._job is None:
            self._check_room()
            self._job = self._tokenizer.encode_job(self.text_map.padded, self.special)
            if size > SMALL_TEXT:
                self._job.refuse_longer(LONGEST_WHOLE)
        return self._job.step(budget_ms)

    def _check_room(self) -> None:
        size = self.text_map.byte_count
        if self._tokenizer.normalizer is not None and not self.has_room(NORMALIZING * size):
            raise RoomError(
                f"This tokenizer normalizes a text as a whole, and {size / 1e6:,.1f} MB would need"
                f" {NORMALIZING * size / 1e6:,.0f} MB of memory. {WHAT_TO_DO}"
            )

    @property
    def bytes(self) -> int:
        """How many bytes of memory the tokens so far need."""
        if self._edited is not None:
            return self._edited.bytes
        if self._remote is not None:
            return self._remote.bytes
        return 0 if self._job is None else ChunkedEncoding.of(self._job.encoding).bytes

    def cancel(self) -> None:
        """Ends the work of the processes."""
        if self._remote is not None:
            self._remote.cancel()

    @property
    def tokens(self) -> ChunkedEncoding:
        """The tokens so far; only after the first step."""
        if self._edited is not None:
            return self._edited
        if self._remote is not None:
            return self._remote.tokens
        assert self._job is not None
        return ChunkedEncoding.of(self._job.encoding)


def _job_key(item: LibraryItem) -> str:
    return f"encode {item.key}"
