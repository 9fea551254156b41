"""All readers, and the job that asks each what it makes of a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import Any, Final, final

from tokenarium_core.comparing.diff import DiffJob, TokenizerDiff
from tokenarium_core.comparing.entry_differences import entry_texts
from tokenarium_core.comparing.probe_texts import general_texts
from tokenarium_core.comparing.readers.fastokens_reader import FASTOKENS
from tokenarium_core.comparing.readers.gigatoken_reader import GIGATOKEN
from tokenarium_core.comparing.readers.javascript_reader import JAVASCRIPT
from tokenarium_core.comparing.readers.kitoken_reader import KITOKEN
from tokenarium_core.comparing.readers.library_readers import LIBRARY_READERS
from tokenarium_core.comparing.readers.llama_readers import LLAMA_READERS
from tokenarium_core.comparing.readers.reader import Reader, ReaderFile, Reading, TextEncoder
from tokenarium_core.comparing.readers.transformers_4 import TRANSFORMERS_4
from tokenarium_core.comparing.readers.transformers_5 import TRANSFORMERS_5, TRANSFORMERS_5_23
from tokenarium_core.comparing.stage_differences import CHANGES_IDS, CHANGES_TEXT
from tokenarium_core.progress import Progress
from tokenarium_core.tokenizer import Tokenizer

SAME: Final = "same-ids"
OTHER: Final = "different-ids"
OTHER_TEXT: Final = "different-text"
REFUSES: Final = "refuses"
UNKNOWN: Final = "not-known"
NOT_READ: Final = "not-read"

NOT_SHOWN: Final = "No text that was tried has different ids."

VERDICTS: Final = (OTHER, REFUSES, OTHER_TEXT, UNKNOWN, SAME, NOT_READ)
"""What a program makes of a file, the worst first.

`SAME`: no text that was tried has other ids. `OTHER`: a text has. `OTHER_TEXT`: the ids are the same, and decode to another text.
`REFUSES`: it does not open the file. `UNKNOWN`: no rule says what it does. `NOT_READ`: files of this kind are none for it.
"""

_ENTRIES: Final = 4_000  # of a vocabulary that are tried
_LONGEST: Final = 2_000  # characters of a text that a slow encoder gets
_RUNS: Final = ".!?-=_*#~+/<>()0123456789aehilmnorstwz… 。！ー"

READERS: Final[tuple[Reader, ...]] = (
    *LIBRARY_READERS,
    TRANSFORMERS_4,
    TRANSFORMERS_5_23,
    TRANSFORMERS_5,
    JAVASCRIPT,
    FASTOKENS,
    GIGATOKEN,
    KITOKEN,
    *LLAMA_READERS,
)
"""All readers, in the order of tables."""


@final
class ReaderResult:
    """What one program makes of a file.

    ``verdict`` is one of `VERDICTS`. ``text`` is the shortest text found with other ids, None if there is none, with
    the ids of the file (``ids``) and those of the program (``other_ids``); ``around``: they include the ids around a text.
    ``tried`` is the number of texts. ``cause`` says why, in sentences. ``reading`` has the rules that applied, ``diff`` the whole comparison, if there was one.
    """

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.diff: TokenizerDiff | None = None
        self.text: str | None = None
        self.ids: list[int] = []
        self.other_ids: list[int] = []
        self.around = False
        self.tried = 0
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

    @property
    def key(self) -> tuple[tuple[str, str, str], ...]:
        """What made the tokenizer of the program: the rules, and what they say of the file."""
        said = zip(self.reading.rules, self.reading.notes, strict=True)
        return tuple([(rule.id, rule.source, note) for rule, note in said])

    def repeat(self, same: ReaderResult) -> None:
        """Takes the result of another version of the program, with the same rules."""
        self.diff, self.tried = same.diff, same.tried
        self.verdict, self.cause = same.verdict, same.cause
        self.text, self.around = same.text, same.around
        self.ids, self.other_ids = same.ids, same.other_ids

    def take(self, diff: TokenizerDiff, own: Tokenizer, made: Tokenizer) -> None:
        """Takes the comparison of the file's tokenizer with the one that the program makes of it."""
        self.diff = diff
        self.tried = diff.texts
        self.cause = " ".join(self.rules)
        first = diff.first
        if diff.worst == CHANGES_IDS and first is not None:
            self.verdict = OTHER
            self.text = first.text
            self.ids = list(first.ids_a)
            self.other_ids = list(first.ids_b)
            self.around = first.template
            self.cause += f" The text shows it in the stage {first.stage}."
        elif diff.worst == CHANGES_TEXT:
            self.verdict = OTHER_TEXT
            changed = [one for one in diff.differences if one.effect == CHANGES_TEXT]
            self.text = changed[0].text
            self.ids = self.other_ids = list(changed[0].ids_a)
        else:
            self._decode_added(own, made)
        if self.verdict == SAME and self.cause:
            self.cause += f" {NOT_SHOWN}"

    def take_text(self, text: str, ids: list[int], other_ids: list[int], tried: int) -> None:
        """Takes a text with other ids; see `TextEncoder`."""
        self.verdict = OTHER
        self.text, self.ids, self.other_ids = text, ids, other_ids
        self.tried = tried
        self.cause = " ".join(self.rules)

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
            "texts_tried": self.tried,
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
        self._known: dict[tuple[tuple[str, str, str], ...], ReaderResult] = {}
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
            if result.reading.encoder is not None:
                for _ in self._search(result, result.reading.encoder):
                    yield
            elif made is not None and (same := self._known.get(result.key)) is not None:
                result.repeat(same)
            elif made is not None and made is not self.file.tokenizer:
                job = DiffJob(self.file.tokenizer, made, self._texts)
                while not job.step(max((self._end - perf_counter()) * 1000, 1)).finished:
                    yield
                result.take(job.result, self.file.tokenizer, made)
                self._known[result.key] = result
            result.reading.tokenizer = None  # which may be large
            self.results.append(result)
            self._done += 1

    def _search(self, result: ReaderResult, encoder: TextEncoder) -> Iterator[None]:
        """Looks for the shortest text to which a program gives other ids."""
        own = self.file.tokenizer
        texts = probe_texts(own)
        texts += [line for text in self._texts for line in text.splitlines(keepends=True)]
        tried = 0
        for text in texts:
            yield
            tried += 1
            result.tried = tried
            result.cause = (
                f"{' '.join(result.rules)} {NOT_SHOWN}" if result.text is None else result.cause
            )
            if result.text is not None and len(text) >= len(result.text):
                continue
            if len(text) > _LONGEST:
                text = text[:_LONGEST]
            ids, other_ids = own.encode_ids(text), encoder.encode_ids(text)
            if ids != other_ids:
                result.take_text(text, ids, other_ids, tried)


def probe_texts(tokenizer: Tokenizer) -> list[str]:
    """Returns texts on which programs are likely to part: those of `general_texts`, entries, and runs of one character."""
    texts = [text for some in general_texts().values() for text in some]
    texts += entry_texts(tokenizer, _ENTRIES)
    return texts + [character * count for character in _RUNS for count in range(2, 12)]


def read_as_others(
    tokenizer: Tokenizer, texts: Iterable[str] = (), readers: Iterable[Reader] = READERS
) -> list[ReaderResult]:
    """Returns what each program makes of the file of a tokenizer; NotAvailable if it is in no file.

    For a job in steps, see `ReadersJob`.
    """
    return ReadersJob(tokenizer, texts, readers).whole()
