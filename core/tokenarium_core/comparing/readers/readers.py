"""All readers, and the job that asks each what it makes of a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import Any, Final, final

from tokenarium_core.comparing.diff import DiffJob, TokenizerDiff
from tokenarium_core.comparing.readers.library_readers import LIBRARY_READERS
from tokenarium_core.comparing.readers.reader import Reader, ReaderFile, Reading
from tokenarium_core.comparing.readers.transformers_4 import TRANSFORMERS_4
from tokenarium_core.comparing.readers.transformers_5 import TRANSFORMERS_5
from tokenarium_core.comparing.stage_differences import CHANGES_IDS, CHANGES_TEXT
from tokenarium_core.progress import Progress
from tokenarium_core.tokenizer import Tokenizer

SAME: Final = "same-ids"
OTHER: Final = "other-ids"
OTHER_TEXT: Final = "other-text"
REFUSES: Final = "refuses"
UNKNOWN: Final = "not-known"
NOT_READ: Final = "not-read"

VERDICTS: Final = (OTHER, REFUSES, OTHER_TEXT, UNKNOWN, SAME, NOT_READ)
"""What a program makes of a file, the worst first.

`SAME`: no text that was tried has other ids. `OTHER`: a text has. `OTHER_TEXT`: the ids are the same, and decode to another text.
`REFUSES`: it does not open the file. `UNKNOWN`: no rule says what it does. `NOT_READ`: files of this kind are none for it.
"""

READERS: Final[tuple[Reader, ...]] = (
    *LIBRARY_READERS,
    TRANSFORMERS_4,
    TRANSFORMERS_5,
)
"""All readers, in the order of tables."""


@final
class ReaderResult:
    """What one program makes of a file.

    ``verdict`` is one of `VERDICTS`. ``text`` is the shortest text found with other ids, None if there is none, with
    the ids of the file (``ids``) and those of the program (``other_ids``); ``around``: they include the ids around a text.
    ``cause`` says why, in sentences. ``reading`` has the rules that applied, ``diff`` the whole comparison, if there was one.
    """

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.diff: TokenizerDiff | None = None
        self.text: str | None = None
        self.ids: list[int] = []
        self.other_ids: list[int] = []
        self.around = False
        self.verdict = SAME
        self.cause = ""
        if reading.refusal:
            self.verdict, self.cause = REFUSES, reading.refusal
        elif reading.unknown:
            self.verdict, self.cause = UNKNOWN, reading.unknown
        elif reading.not_read:
            self.verdict, self.cause = NOT_READ, reading.not_read

    @property
    def program(self) -> str:
        """The program with its version."""
        return self.reading.reader.name

    @property
    def rules(self) -> list[str]:
        """The rules that applied, as sentences about this file."""
        said = zip(self.reading.rules, self.reading.notes, strict=True)
        return [f"{rule.sentence} {note}".strip() for rule, note in said]

    def take(self, diff: TokenizerDiff, own: Tokenizer, made: Tokenizer) -> None:
        """Takes the comparison of the file's tokenizer with the one that the program makes of it."""
        self.diff = diff
        self.cause = " ".join(self.rules)
        first = diff.first
        if diff.worst == CHANGES_IDS and first is not None:
            self.verdict = OTHER
            self.text = first.text
            self.ids = list(first.ids_a)
            self.other_ids = list(first.ids_b)
            self.around = first.template
        elif diff.worst == CHANGES_TEXT:
            self.verdict = OTHER_TEXT
            changed = [one for one in diff.differences if one.effect == CHANGES_TEXT]
            self.text = changed[0].text
            self.ids = self.other_ids = list(changed[0].ids_a)
        elif self.verdict == SAME:
            self._decode_added(own, made)

    def _decode_added(self, own: Tokenizer, made: Tokenizer) -> None:
        """Looks for an added token that both have, and that decodes differently."""
        others = {token.content: token.id for token in made.added_tokens.tokens}
        for token in own.added_tokens.tokens:
            if others.get(token.content) != token.id:
                continue
            if own.decode([token.id], False) != made.decode([token.id], False):
                self.verdict = OTHER_TEXT
                self.text = token.content
                self.ids = self.other_ids = [token.id]
                return

    def as_json(self) -> dict[str, Any]:
        """Returns it as values for JSON."""
        reader = self.reading.reader
        return {
            "program": reader.group,
            "version": reader.version,
            "verdict": self.verdict,
            "text": self.text,
            "ids": self.ids,
            "other_ids": self.other_ids,
            "around": self.around,
            "cause": self.cause,
            "rules": [rule.id for rule in self.reading.rules],
            "compared": reader.compared,
            "texts_tried": self.diff.texts if self.diff is not None else 0,
        }


@final
class ReadersJob:
    """Asks each reader what it makes of a tokenizer's file: call `step` until it says that it is finished.

    ``texts`` are tried as well, line by line. ``results`` has what was found so far, in the order of the readers.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        texts: Iterable[str] = (),
        readers: Iterable[Reader] = READERS,
    ) -> None:
        self.file = ReaderFile(tokenizer)
        self.results: list[ReaderResult] = []
        self._texts = list(texts)
        self._readers = list(readers)
        self._phase = self._readers[0].name if self._readers else ""
        self._done = 0
        self._work: Iterator[None] | None = None
        self._diff: DiffJob | None = None
        self._end = 0.0

    def step(self, budget_ms: float) -> Progress:
        """Works for about this long."""
        self._end = perf_counter() + budget_ms / 1000
        if self._work is None:
            self._work = self._all()
        finished = False
        while not finished:
            try:
                next(self._work)
            except StopIteration:
                finished = True
            if perf_counter() >= self._end:
                break
        return Progress(self._phase, self._done, len(self._readers), finished)

    def whole(self) -> list[ReaderResult]:
        """Returns the results, after all steps."""
        while not self.step(1000).finished:
            pass
        return self.results

    def _all(self) -> Iterator[None]:
        for reader in self._readers:
            self._phase = reader.name
            yield
            result = ReaderResult(reader.read(self.file))
            made = result.reading.tokenizer
            if made is not None and made is not self.file.tokenizer:
                job = DiffJob(self.file.tokenizer, made, self._texts)
                while not job.step(max((self._end - perf_counter()) * 1000, 1)).finished:
                    yield
                result.take(job.result, self.file.tokenizer, made)
                result.reading.tokenizer = None  # which may be large
            self.results.append(result)
            self._done += 1


def read_as_others(
    tokenizer: Tokenizer, texts: Iterable[str] = (), readers: Iterable[Reader] = READERS
) -> list[ReaderResult]:
    """Returns what each program makes of the file of a tokenizer; NotAvailable if it is in no file.

    For a job in steps, see `ReadersJob`.
    """
    return ReadersJob(tokenizer, texts, readers).whole()
