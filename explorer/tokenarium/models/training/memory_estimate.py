"""Estimates how much memory a training will take, from a sample of its corpus."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import log
from typing import Any, Final

import numpy as np

from tokenarium.models.text.piece import counted
from tokenarium.models.training.corpus import Corpus, whole_lines
from tokenarium.models.training.corpus_documents import documents
from tokenarium.models.training.corpus_reports import FileReport
from tokenarium.models.training.keeping import HeldOut
from tokenarium.models.training.trained_languages import trainer_options
from tokenarium.models.training.training_algorithms import is_ours
from tokenarium.models.training.training_request import TrainingRequest
from tokenarium_core import TokenariumError
from tokenarium_core.training import AUTO_COVERAGE, Trainer, Value, make_trainer
from tokenarium_core.training.mixture import Mixture
from tokenarium_core.training.unigram.unigram_trainer import UnigramTrainer

SAMPLE: Final = 4_000_000
"""Most bytes of the corpus that are read."""

CHECKED: Final = 64_000_000
"""Bytes: of a larger corpus the characters of a sample are counted, so that it may need more entries than are named."""

ENOUGH: Final = 300_000
"""Entries that are enough for all characters of Unicode, or twice those of any corpus."""

BYTES: Final = 256

LEAST_COVERAGE: Final = 0.98
"""The least share of the corpus whose characters must become entries, by SentencePiece."""

FROM_A_FILE: Final = 400_000
"""Most bytes of one file that are read, if there are others."""

COMPRESSED: Final = 4
"""How many times as long as its gzip file a text usually is."""

LARGE: Final = 0.8
"""The share of the computer's memory from which there is a warning."""

PROCESS: Final = 85_000_000
"""Bytes of a training process at its start: Python, our code, and the first document."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Bytes that an algorithm takes for each different pre-token, and for each byte of the corpus."""

    distinct: int
    byte: float


COSTS: Final = {
    "bpe": Cost(300, 0.0),
    "picky-bpe": Cost(600, 0.0),
    "sentencepiece-bpe": Cost(300, 0.0),
    "unigram": Cost(450, 0.0),
    "superbpe": Cost(300, 6.0),
    "boundless-bpe": Cost(300, 3.0),
    "parity-bpe": Cost(400, 0.0),
    "wordpiece": Cost(350, 0.0),
}
"""Measured: the peak of the process over that of an idle one, on 4 to 24 MB of English, code and text in many
languages, 16,000 pieces. An algorithm that is not named has the cost of unigram."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """A change of the form that lets a training succeed: the button's ``text``, and the fields with their values.

    ``changes`` has "vocab_size", or options by name.
    """

    text: str
    changes: Mapping[str, Value]
    about: str = ""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a training must fail, in a sentence, and what would help."""

    algorithm: str
    sentence: str
    remedies: tuple[Remedy, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoryEstimate:
    """What a training will take and mix, by the sizes of its files.

    ``memory`` in bytes (0: unknown for the algorithm); how many different pre-tokens are expected in how many bytes of
    text; the computer's memory (0: unknown); each source's share of all text and of the corpus, and sentences on what
    will not be mixed as requested.
    """

    memory: int
    distinct: int
    corpus: int
    there_is: int
    shares: tuple[tuple[float, float], ...] = ()
    notes: tuple[str, ...] = ()
    obstacle: Obstacle | None = None

    @property
    def too_large(self) -> bool:
        """Whether it may not fit into the memory of this computer."""
        return 0 < LARGE * self.there_is < self.memory

    @property
    def warns(self) -> bool:
        """Whether the training will probably fail."""
        return self.too_large or (self.memory > 0 and not self.distinct)

    @property
    def sentence(self) -> str:
        """The estimate in words, without the shares."""
        notes = f" By the sizes of the files: {' '.join(self.notes)}" if self.notes else ""
        return f"{self._memory_sentence}{notes}".strip()

    @property
    def _memory_sentence(self) -> str:
        if not self.memory:
            return f"Trains on about {_size(self.corpus)} of text."
        if not self.distinct:
            return "No text was found in the sample that was read of the corpus."
        distinct = rounded(self.distinct)
        corpus = f"about {counted(distinct, 'different pre-token')} in {_size(self.corpus)} of text"
        if self.too_large:
            return (
                f"This takes about {_size(self.memory)} of memory, and this computer has {_size(self.there_is)}:"
                f" {corpus}. Set a target size, or use fewer sources."
            )
        return f"Takes about {_size(self.memory)} of memory ({corpus})."


def estimate(request: TrainingRequest) -> MemoryEstimate:
    """Returns what a training will take.

    The number of different pre-tokens grows as a power of the length of the text (Heaps 1978); the exponent is found
    from the first half of the sample and the whole.
    """
    corpus = request.corpus()
    total, shares, notes = _mixed(corpus)
    obstacle = obstacle_of(request, int(total))
    if obstacle is not None or not is_ours(
        request.algorithm
    ):  # the memory of other libraries' trainers is unknown
        return MemoryEstimate(0, 0, int(total), physical_memory(), shares, notes, obstacle)
    growth: list[tuple[int, int]] = []
    # A base takes long to open, and a sample has no languages.
    emptied: dict[str, Any] = {
        name: empty for name, empty in (("base", ""), ("ratios", [])) if name in request.options
    }
    trainer = make_trainer(
        request.algorithm,
        _sample(corpus),
        vocab_size=request.vocab_size,
        **{**trainer_options(request.options), **emptied},
    )
    while True:
        progress = trainer.step(1)
        if trainer.byte_count and (not growth or trainer.byte_count > growth[-1][0]):
            growth.append((int(trainer.byte_count), int(trainer.distinct_count)))
        if progress.total or progress.finished or trainer.byte_count >= SAMPLE:
            break
    length, distinct = growth[-1] if growth else (0, 0)
    expected = int(distinct * max(total / max(length, 1), 1.0) ** _power(growth))
    cost = COSTS.get(request.algorithm, COSTS["unigram"])
    memory = PROCESS + int(cost.distinct * expected + cost.byte * total)
    return MemoryEstimate(memory, expected, int(total), physical_memory(), shares, notes, obstacle)


def obstacle_of(request: TrainingRequest, size: int) -> Obstacle | None:
    """Returns what a training of a corpus of so many bytes must fail at; None if nothing is known.

    The algorithms over characters need an entry for each character that the corpus has. They are counted in all of a
    corpus of up to `CHECKED` bytes.
    """
    algorithm = request.algorithm.removeprefix("sentencepiece:")
    if request.algorithm == "sentencepiece:bpe":
        algorithm = "sentencepiece-bpe"
    if algorithm == "superbpe" and request.options.get("base"):
        return _impossible(request)
    if algorithm not in ("unigram", "fsp-unigram", "sentencepiece-bpe", "wordpiece"):
        return None
    if request.options.get(AUTO_COVERAGE.name):  # then no character has to be an entry
        return None
    corpus = request.corpus()
    exact = size <= CHECKED
    held = HeldOut.of(corpus, exact and request.hold_out, request.options)
    texts = held or (corpus if exact else _sample(corpus))
    options: dict[str, Any] = {
        name: value
        for name, value in request.options.items()
        if name not in ("min_frequency", AUTO_COVERAGE.name)
    }
    if algorithm == "wordpiece":
        return _characters_inside_words(request, options, texts, exact)
    for name in (
        "seed_sentencepiece_size",
        "initial_vocab_factor",
        "shrinking_factor",
        "num_sub_iterations",
    ):
        options.pop(name, None)
    coverage = float(options.get("character_coverage", 0.9995))
    options["character_coverage"] = 1.0
    trainer = make_trainer("unigram", texts, vocab_size=ENOUGH, **options)
    assert isinstance(trainer, UnigramTrainer)
    try:
        _count(trainer)
    except TokenariumError:  # such as without any text: the training says it too
        return None
    counts = [count for _, count in trainer.alphabet]
    symbols = len(trainer.training.symbols)
    needed = symbols + _covered(counts, coverage)
    if request.vocab_size >= needed:
        return None
    sentence = (
        f"{request.vocab_size:,} entries are too few: {symbols:,} symbols and the {needed - symbols:,} characters of"
        f" the corpus need {'' if exact else 'at least '}{needed:,}."
    )
    remedies = [Remedy(f"Use {needed:,}", {"vocab_size": needed})]
    bytes_too = bool(options.get("byte_fallback"))
    room = request.vocab_size - symbols - (0 if bytes_too else BYTES)
    lower = _coverage_for(counts, room)
    if lower is not None:
        changes = {"byte_fallback": True, "character_coverage": lower}
        about = f"Rare characters become bytes: characters that make {lower:.2%} of the corpus stay entries"
        text = f"Cover {lower:.2%}" if bytes_too else "Turn on byte fallback"
        remedies.append(Remedy(text, changes, about))
    return Obstacle(request.algorithm, sentence, tuple(remedies))


def _count(trainer: Trainer) -> None:
    """Steps a trainer until it knows the characters of its corpus, and no further."""
    while trainer.step(0).phase == "counting":
        pass


def _covered(counts: list[int], coverage: float) -> int:
    """Returns how many characters, by falling count, make this share of a corpus; as SentencePiece does, in 32 bits."""
    total, covered, wanted = sum(counts), 0, np.float32(coverage)
    for number, count in enumerate(counts):
        if np.float32(covered / total) >= wanted:
            return number
        covered += count
    return len(counts)


def _coverage_for(counts: list[int], room: int) -> float | None:
    """Returns the largest coverage, in ten thousandths, that needs at most ``room`` characters; None if none may."""
    low, high = round(LEAST_COVERAGE * 10_000), 10_000
    if _covered(counts, low / 10_000) > room:
        return None
    while low < high:
        middle = (low + high + 1) // 2
        if _covered(counts, middle / 10_000) <= room:
            low = middle
        else:
            high = middle - 1
    return low / 10_000


def _characters_inside_words(
    request: TrainingRequest, options: dict[str, Any], texts: Iterable[str], exact: bool
) -> Obstacle | None:
    """Returns the obstacle of a WordPiece that has too few entries for its characters."""
    try:
        trainer = make_trainer("wordpiece", texts, vocab_size=ENOUGH, **options)
    except TokenariumError as error:
        return Obstacle(request.algorithm, str(error))
    try:
        _count(trainer)
    except TokenariumError:
        return None
    needed = trainer.piece_count
    special = trainer.symbol_id(0)  # the characters are behind them
    if request.vocab_size >= needed:
        return None
    sentence = (
        f"{request.vocab_size:,} entries are too few: the characters of the corpus, those inside words counted twice,"
        f" and the special tokens need {'' if exact else 'at least '}{needed:,}."
    )
    fewer = (request.vocab_size - special) // 2  # each of them at most twice
    remedies = [Remedy(f"Use {needed:,}", {"vocab_size": needed})]
    if fewer > 0:
        about = f"Only the {fewer:,} most frequent characters become entries; others are unknown"
        remedies.append(
            Remedy(f"Limit the alphabet to {fewer:,}", {"limit_alphabet": fewer}, about)
        )
    return Obstacle(request.algorithm, sentence, tuple(remedies))


def _impossible(request: TrainingRequest) -> Obstacle | None:
    """Returns the obstacle of a training whose settings alone are refused, which takes too long to find out while the
    user types.
    """
    try:
        make_trainer(
            request.algorithm, (), vocab_size=request.vocab_size, **dict[str, Any](request.options)
        )
    except TokenariumError as error:
        return Obstacle(request.algorithm, str(error))
    return None


def _mixed(corpus: Corpus) -> tuple[float, tuple[tuple[float, float], ...], tuple[str, ...]]:
    """Returns the approximate bytes of the corpus, the shares of its sources before and after, and notes."""
    there = [
        len(source.value.encode("utf-8", "surrogatepass")) if source.kind == "text" else 0
        for source in corpus.sources
    ]
    for place, files in enumerate(corpus.files_by_source):
        there[place] += sum(file.size * (COMPRESSED if file.compressed else 1) for file in files)
    total = sum(there)
    before = [count / max(total, 1) for count in there]
    if not corpus.mixes:
        return total, tuple(zip(before, before, strict=True)), ()
    weights = [source.weight for source in corpus.sources if source.weight is not None]
    names = [source.name for source in corpus.sources]
    try:
        mixture = Mixture(names, there, weights, corpus.size, corpus.temperature, corpus.repeat)
    except TokenariumError as error:  # a source without text: the training reports it too
        return total, tuple(zip(before, before, strict=True)), (str(error),)
    shares = tuple(zip(before, mixture.shares, strict=True))
    notes = mixture.notes
    if weights and abs(sum(weights) - 1) > 1e-6:  # the shares are shown beside the weights
        notes = [f"The weights add up to {sum(weights):g}, so each is divided by that.", *notes[1:]]
    return mixture.total, shares, tuple(notes)


def _sample(corpus: Corpus) -> Iterator[str]:
    """Yields documents from all parts of the corpus, `SAMPLE` bytes at most: whole lines where a document has lines."""
    left = SAMPLE
    for source in corpus.sources:
        if source.kind == "text":
            part = whole_lines(source.value, left)
            yield part
            left -= len(part)
    files = corpus.files
    share = SAMPLE if len(files) == 1 else FROM_A_FILE
    size = sum(min(file.size, share) for file in files)
    step = max(1, size // SAMPLE)
    for file in files[::step]:
        taken = 0
        for text in documents(FileReport(file)):
            part = whole_lines(text, share - taken)
            taken += len(part)
            left -= len(part)
            if part:
                yield part
            if taken >= share or left <= 0:
                break
        if left <= 0:
            return


def _power(growth: list[tuple[int, int]]) -> float:
    """Returns the exponent of the growth of different pre-tokens; 1 where the sample is too short."""
    if len(growth) < 2:
        return 1.0
    length, distinct = growth[-1]
    half, before = min(growth[:-1], key=lambda point: abs(point[0] - length / 2))
    if not before or distinct <= before or length <= half:
        return 0.5
    return min(max(log(distinct / before) / log(length / half), 0.3), 1.0)


def physical_memory() -> int:
    """Returns the bytes of memory of this computer, or 0 if unknown."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 0


def rounded(number: int) -> int:
    """Returns a number rounded to two digits: it is not known more exactly."""
    digits = max(len(str(number)) - 2, 0)
    return round(number, -digits)


def _size(count: float) -> str:
    if count >= 1e9:
        return f"{count / 1e9:.1f} GB"
    return f"{count / 1e6:.0f} MB" if count >= 1e6 else f"{max(count / 1e3, 1):.0f} KB"
