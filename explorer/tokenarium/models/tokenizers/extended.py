"""More entries for a tokenizer: those that save most tokens on texts, or words of a list; and the new one in the store."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import tokenarium_core as tc
from tokenarium.models.progress_reporter import ReportProgress, stage
from tokenarium.models.text.piece import counted, readable
from tokenarium.models.tokenizers.changed import keep_made
from tokenarium.models.tokenizers.pruned import UsageTexts, counted_paths
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_lists import LARGEST_LIST
from tokenarium.models.training.counted import is_counts, merged_counts
from tokenarium.models.training.store import Trained
from tokenarium_core.changing.differing_texts import differing_texts
from tokenarium_core.changing.extending import Extension
from tokenarium_core.models import BytePairEncoder, WordPiece
from tokenarium_core.plain_files import read_text
from tokenarium_core.vocabulary import MAX_IDS

SHOWN_CHANGES: Final = 500
"""Words or lines whose ids change that are listed."""

MOST_LISTED: Final = 20_000
"""The most words of a file that a window takes: it lists all that cannot be one token."""

_MOST_CUTS: Final = 12
_STEP_MS: Final = 100.0


@dataclass(frozen=True, slots=True)
class ExtendRequest:
    """What to add: how the old tokenizer is opened, the texts with the number of entries, or words; and the new name.

    ``pieces`` are the bytes of entries that were chosen from a list of suggestions: only these are added, with the steps
    that they need. ``folder`` is that of the store; a list of suggestions needs neither it nor a name.
    """

    source: str
    pattern: str
    old_name: str
    evidence: UsageTexts
    count: int
    words: tuple[str, ...] = ()
    name: str = ""
    folder: str = ""
    pieces: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Suggested:
    """An entry to add: its id, its spelling, the merge that makes it, how often, and how many tokens it saves.

    ``wanted`` is False for one that is only a step to words of a list.
    """

    id: int
    entry: str
    merge: str
    times: int
    saved: int
    piece: bytes = b""
    wanted: bool = True


@dataclass(frozen=True, slots=True)
class Changing:
    """A word or a line of the texts that gets different ids: how often it is there, and its tokens before and after.

    ``has_new``: one of them is a new entry. Only WordPiece may split a text differently without one.
    """

    text: str
    times: int
    before: str
    after: str
    has_new: bool = True


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Entries in the order of their merges, what the texts need before them, and a sentence if there are fewer than asked.

    ``changing`` are the most frequent words of the texts that get different ids; for words of a list, the first such
    lines. ``refused`` are the words of a list that cannot be one token, each with a sentence that says why.
    """

    entries: tuple[Suggested, ...]
    tokens: int
    report: str
    changing: tuple[Changing, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()

    @property
    def saved(self) -> int:
        """How many fewer tokens the texts need with all of them."""
        return sum(entry.saved for entry in self.entries)


def suggestions_of(report: ReportProgress, request: ExtendRequest) -> Suggestions:
    """Returns the entries of a request; ``report`` gets the progress."""
    refused: list[tuple[str, str]] = []
    extension = _extended(report, request, refused)
    return Suggestions(
        tuple(
            Suggested(
                entry.id,
                readable(entry.piece, 60),
                "  +  ".join(_shown(extension, part) for part in entry.parts),
                entry.count,
                entry.saved,
                entry.piece,
                entry.wanted,
            )
            for entry in extension.added
        ),
        extension.tokens,
        extension.report,
        tuple(_changing(report, extension, request)),
        tuple(
            (readable(word.strip().encode("utf-8", "replace"), 60), reason)
            for word, reason in refused
        ),
    )


def _changing(
    report: ReportProgress, extension: Extension, request: ExtendRequest
) -> Iterator[Changing]:
    """Finds the words or lines of the texts that get different ids; none if nothing is added."""
    if not extension.added:
        return
    old = extension.old
    if not request.words:
        for word in extension.changed_words(SHOWN_CHANGES):
            text = readable(word.text, 60)
            yield Changing(text, word.count, _cut(extension, word.old), _cut(extension, word.new))
        return
    lines = _lines(report, request.evidence)
    for one in differing_texts(old, extension.tokenizer(), lines, SHOWN_CHANGES):
        text = readable(one.text.encode(), 60)
        cuts = _cut(extension, one.old_ids), _cut(extension, one.new_ids)
        yield Changing(text, 1, *cuts, one.has_new)


def _lines(report: ReportProgress, evidence: UsageTexts) -> Iterator[str]:
    """Yields the lines of texts; none of files of counts."""
    if not evidence.sources:
        yield from evidence.text.splitlines()
    elif not any(is_counts(source.value) for source in evidence.sources):
        for text in _read(Corpus(evidence.sources), report):
            yield from text.splitlines()


def _cut(extension: Extension, ids: Sequence[int]) -> str:
    """Returns the tokens of a text, or how many they are."""
    if len(ids) > _MOST_CUTS:
        return f"{len(ids):,} tokens"
    return "  ".join(_shown(extension, id) for id in ids)


def _shown(extension: Extension, id: int) -> str:
    """Returns an entry, old or new, as it is seen."""
    vocabulary = extension.old.vocabulary
    new = id - len(vocabulary)
    return readable(vocabulary.piece(id) if new < 0 else extension.added[new].piece, 24)


def make_extended(report: ReportProgress, request: ExtendRequest) -> Trained:
    """Makes the tokenizer of a request and keeps it in the store.

    TokenariumError if that is not possible, or if a line of the sample texts without a new entry would get different ids,
    which only WordPiece may do.
    """
    from tokenarium.resources.samples_index import load_samples

    refused: list[tuple[str, str]] = []
    extension = _extended(report, request, refused)
    if refused and not extension.added:
        more = (
            f" So it is with {counted(len(refused) - 1, 'other word')}." if len(refused) > 1 else ""
        )
        raise tc.TokenariumError(f"{refused[0][1]}{more}")
    old = extension.old
    report(stage("Making the tokenizer", 1.0))
    made = extension.tokenizer(request.name)
    first = len(old.vocabulary)
    samples = load_samples() if not isinstance(old.model, WordPiece) else ()
    for sample in samples:
        for line in sample.text().splitlines(keepends=True):
            ids = made.encode_ids(line)
            if max(ids, default=0) < first and ids != old.encode_ids(line):
                raise tc.TokenariumError(
                    f"With these entries {line!r} would get different ids, although it contains none of them: nothing was made."
                )
    report(stage("Saving it", 1.0))
    saved = sum(entry.saved for entry in extension.added)
    changes = {
        "extend": {
            "added": len(extension.added),
            "words": max(len(request.words) - len(refused), 0),
            "texts": [request.evidence.title or "the texts"] if not request.words else [],
            "saved": saved,
            "refused": len(refused),
        }
    }
    return keep_made(made, old.name, request.name, request.folder, changes)


def words_of(written: str, tokenizer: tc.Tokenizer) -> tuple[str, ...]:
    """Returns the words between commas or lines, with a space in front, as they are in texts, where bytes have to say so.

    The commas of other scripts are some too. An @ and the absolute path of a file: the words of `words_in_file`;
    TokenariumError if it cannot be read, or has too many words to show.
    """
    if names_file(written):
        listed = words_in_file(Path(written.strip()[1:]))
        if len(listed) > MOST_LISTED:
            raise tc.TokenariumError(
                f"The file has {len(listed):,} words, and a window lists at most {MOST_LISTED:,}: for more, use"
                " tokenarium extend --words."
            )
        return listed
    words = tuple(word.strip() for word in re.split("[,،，、\n\r\u2028]", written) if word.strip())
    spaced = isinstance(tokenizer.model, BytePairEncoder)
    return tuple(f" {word}" for word in words) if spaced else words


def names_file(written: str) -> bool:
    """Whether what was typed is not words, but the file that has them: an @ and an absolute path.

    >>> names_file("@ada, @bob"), names_file("")
    (False, False)
    """
    return written.strip().startswith("@") and Path(written.strip()[1:]).is_absolute()


def words_in_file(path: Path) -> tuple[str, ...]:
    """Returns the words of a text file, one on each line, each with the space in front that it has there.

    TokenariumError if it cannot be read.
    """
    try:
        lines = read_text(path, LARGEST_LIST).removeprefix("\ufeff").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        if isinstance(error, UnicodeDecodeError):
            raise tc.TokenariumError(f"{path} is not UTF-8: {error}.") from None
        raise tc.TokenariumError(f"{path} cannot be read: {error.strerror or error}.") from None
    return tuple(line for line in lines if line.strip())


def _extended(
    report: ReportProgress, request: ExtendRequest, refused: list[tuple[str, str]]
) -> Extension:
    """Returns the finished extension; the words that cannot be one token go to ``refused``, with the reasons."""
    report(stage(f"Opening {request.old_name}", 0.0))
    old = tc.open(request.source, pattern=request.pattern or None)
    old.name = request.old_name
    if request.words or request.pieces:
        extension = Extension(old, MAX_IDS - len(old.vocabulary))
        extension.add_words(request.pieces or request.words, refused)
        return extension
    corpus: Corpus | None = None
    counted = counted_paths(request.evidence)
    if counted:
        report(stage("Reading the counts", 0.0))
        extension = Extension(old, request.count, counts=merged_counts(counted))
    elif request.evidence.sources:
        corpus = Corpus(request.evidence.sources)
        extension = Extension(old, request.count, _read(corpus, report))
    else:
        extension = Extension(old, request.count, [request.evidence.text])
    while not extension.finished:
        progress = extension.step(_STEP_MS)
        if progress.phase != "counting":
            report(stage(progress.phase.capitalize(), progress.fraction))
    if corpus is not None and not extension.tokens:
        raise tc.TokenariumError(corpus.why_nothing or "The texts are empty: name other texts.")
    return extension


def _read(corpus: Corpus, report: ReportProgress) -> Iterator[str]:
    total = max(corpus.total, 1)
    for number, text in enumerate(corpus):
        if number % 64 == 0 or len(text) > 100_000:
            report(stage("Reading the texts", min(corpus.done / total, 1.0)))
        yield text
