"""Fewer entries of a tokenizer: the texts that decide, what every size costs, and the new tokenizer in the store."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import Final

import tokenarium_core as tc
from tokenarium.models.progress_reporter import ReportProgress, stage
from tokenarium.models.text.lost_text import unknown_id
from tokenarium.models.text.piece import piece_text
from tokenarium.models.tokenizers.changed import keep_made
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.counted import is_counts, merged_counts
from tokenarium.models.training.store import Trained
from tokenarium_core.changing import residues as token_residues
from tokenarium_core.changing.pruning import Pruned, Pruning, pruned
from tokenarium_core.changing.token_usage import TokenUsage

FIRST: Final = 1000
"""The most entries that a curve names of those never used, and of the others."""

_STEP_MS: Final = 100.0
_MUCH: Final = 1_000_000
"""Characters of texts in which a residue must be made a hundred times; else twenty."""


@dataclass(frozen=True, slots=True)
class UsageTexts:
    """The texts whose use of the entries decides: those of sources, or files of counts; and a text of its own.

    ``text`` is evidence where there are no sources; else only its cost is counted beside. ``title`` is what all of it is
    called.
    """

    sources: tuple[CorpusSource, ...] = ()
    text: str = ""
    title: str = ""

    def __bool__(self) -> bool:
        return bool(self.sources or self.text)


@dataclass(frozen=True, slots=True)
class Removal:
    """What is to go: see `tc.prune`."""

    to_size: int | None = None
    multiple_of: int = 1
    scripts: tuple[str, ...] = ()
    never_used: bool = False
    keep_ids: bool = False

    @property
    def description(self) -> str:
        """What is to go, in words."""
        parts = [f"entries with {' or '.join(self.scripts)} characters"] if self.scripts else []
        if self.never_used:
            parts.append("entries that the texts never use")
        if self.to_size is not None:
            parts.append(f"down to {self.to_size:,} entries")
        if self.multiple_of > 1:
            parts.append(f"to a multiple of {self.multiple_of:,}")
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class PruneRequest:
    """What to prune: how the old tokenizer is opened, the texts, what goes, and what the new one is called.

    ``folder`` is that of the store; a curve needs neither it nor a name.
    """

    source: str
    pattern: str
    old_name: str
    evidence: UsageTexts
    wanted: Removal = field(default_factory=Removal)
    name: str = ""
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Going:
    """An entry that goes: its old id, its text, and how many tokens of the texts it was by then.

    ``place`` is how many entries have gone with it; 0 for a residue. ``made`` is how often merges made a residue.
    """

    id: int
    entry: str
    uses: int
    place: int = 0
    made: int = 0


@dataclass(frozen=True, slots=True)
class CostCurve:
    """What texts cost at every size: ``tokens[n]`` and ``text_tokens[n]`` without the first n entries.

    ``never_used`` of them go before any that the texts use. ``going`` are the first
    to go of those never used, and of the others. ``residues`` are the ids of
    entries that are only steps to others, the one that is made most often first; None for a model that does not merge.
    """

    entries: int
    smallest: int
    never_used: int
    tokens: array[int]
    text_tokens: array[int]
    going: tuple[Going, ...]
    residues: tuple[Going, ...] | None
    characters: int

    @property
    def sizes(self) -> list[int]:
        """The number of entries at each place of ``tokens``."""
        return list(range(self.entries, self.entries - len(self.tokens), -1))


def read_usage(
    tokenizer: tc.Tokenizer,
    evidence: UsageTexts,
    report: ReportProgress = lambda _: None,
) -> TokenUsage | None:
    """Returns how often the texts use each entry; None without any texts.

    TokenariumError if sources have no text, or counts and texts are mixed.
    """
    if not evidence:
        return None
    usage = TokenUsage(tokenizer)
    if not evidence.sources:
        usage.add([evidence.text])
        return usage
    counted = counted_paths(evidence)
    if counted:
        report(stage("Reading the counts", 0.0))
        usage.add_counts(merged_counts(counted))
        return usage
    corpus = Corpus(evidence.sources)
    total = max(corpus.total, 1)
    for number, text in enumerate(corpus):
        usage.add([text])
        if number % 64 == 0 or len(text) > 100_000:
            report(stage("Reading the texts", min(corpus.done / total, 1.0)))
    if not len(usage):
        raise tc.TokenariumError(corpus.why_nothing or "The texts are empty: name other texts.")
    return usage


def counted_paths(evidence: UsageTexts) -> list[str]:
    """Returns the files of counts that texts are; TokenariumError if only some of them are."""
    counted = [source.value for source in evidence.sources if is_counts(source.value)]
    if counted and len(counted) < len(evidence.sources):
        raise tc.TokenariumError("Files of counts and texts cannot be mixed: give only one kind.")
    return counted


def run_pruning(pruning: Pruning, report: ReportProgress = lambda _: None) -> None:
    """Steps through a pruning to its end."""
    while not pruning.finished:
        progress = pruning.step(_STEP_MS)
        doing = "Encoding the words" if progress.phase.startswith("enc") else "Removing entries"
        report(stage(doing, progress.fraction))


def curve_of(report: ReportProgress, request: PruneRequest) -> CostCurve:
    """Returns what the texts of a request cost at every size; ``report`` gets the progress."""

    tokenizer = _opened(request, report)
    usage = read_usage(tokenizer, request.evidence, report)
    pruning = Pruning(tokenizer, usage, request.evidence.text)
    run_pruning(pruning, report)
    report(stage("Looking for residues", 1.0))
    return curve_from(pruning, usage)


def curve_from(pruning: Pruning, usage: TokenUsage | None) -> CostCurve:
    """Returns the figures of a pruning that went as far as it can."""
    vocabulary = pruning.tokenizer.vocabulary
    residues: tuple[Going, ...] | None = None
    if usage is not None:
        try:
            residues = tuple(
                Going(residue.id, _shown(vocabulary, residue.id), residue.used, made=residue.made)
                for residue in token_residues.residues(usage)
            )
        except tc.UnsupportedError:
            residues = None
    uses = pruning.uses
    never = next((index for index, count in enumerate(uses) if count), len(uses))
    places = [*range(min(never, FIRST)), *range(never, min(never + FIRST, len(uses)))]
    return CostCurve(
        pruning.entries,
        pruning.smallest,
        never if usage is not None else 0,
        array("q", pruning.tokens),
        array("q", pruning.text_tokens),
        tuple(
            Going(
                pruning.removed[index],
                _shown(vocabulary, pruning.removed[index]),
                uses[index],
                index + 1,
            )
            for index in places
        ),
        residues,
        usage.characters if usage is not None else 0,
    )


def _shown(vocabulary: tc.Vocabulary, id: int) -> str:
    """Returns an entry as its file spells it, with signs for spaces and what cannot be seen."""
    return piece_text(vocabulary, id)


def pruning_of(
    tokenizer: tc.Tokenizer, usage: TokenUsage | None, wanted: Removal, text: str = ""
) -> Pruning:
    """Returns the pruning that does what is wanted, not yet run."""
    return Pruning(
        tokenizer,
        usage,
        text,
        wanted.scripts,
        wanted.never_used,
        wanted.to_size,
        wanted.multiple_of,
    )


def make_pruned(report: ReportProgress, request: PruneRequest) -> Trained:
    """Makes a tokenizer with fewer entries and keeps it in the store; ``report`` gets the progress.

    TokenariumError if that is not possible, or if a line of the sample texts without any removed entry would get
    other pieces.
    """

    from tokenarium.resources.samples_index import load_samples

    old = _opened(request, report)
    usage = read_usage(old, request.evidence, report)
    pruning = pruning_of(old, usage, request.wanted)
    run_pruning(pruning, report)
    report(stage("Making the tokenizer", 1.0))
    result = pruned(pruning, request.wanted.keep_ids)
    check_pieces(old, result, "\n".join(sample.text() for sample in load_samples()))
    result.tokenizer.name = request.name
    report(stage("Saving it", 1.0))
    changes = {
        "prune": {
            "wanted": request.wanted.description,
            "removed": len(result.removed),
            "texts": [request.evidence.title or "the texts"] if request.evidence else [],
            "tokens_before": result.tokens_before,
            "tokens": result.tokens,
        }
    }
    return keep_made(result.tokenizer, old.name, request.name, request.folder, changes)


def check_pieces(old: tc.Tokenizer, found: Pruned, text: str) -> int:
    """Returns how many lines of a text have none of the removed entries; TokenariumError if one has other pieces now.

    Lines with a word that WordPiece does not know are left out: without longer entries it may know it.
    """
    unknown = unknown_id(old.model)
    same = 0
    for line in text.splitlines(keepends=True):
        before = old.encode_ids(line)
        ids = [found.ids[id] for id in before]
        if -1 in ids or unknown in before:
            continue
        if found.tokenizer.encode_ids(line) != ids:
            raise tc.TokenariumError(
                f"Without these entries {line!r} would be split differently, although all of its tokens stay: nothing was"
                " made."
            )
        same += 1
    return same


def _opened(request: PruneRequest, report: ReportProgress) -> tc.Tokenizer:
    report(stage(f"Opening {request.old_name}", 0.0))
    tokenizer = tc.open(request.source, pattern=request.pattern or None)
    tokenizer.name = request.old_name
    return tokenizer
