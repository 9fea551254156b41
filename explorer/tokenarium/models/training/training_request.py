"""What to train: a tokenizer, its corpus, where that is counted, and the folder that keeps the result."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tokenarium.models.installation import how_to_get
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.corpus_filters import ALL, Filters
from tokenarium.models.training.trained_languages import Dev, by_language
from tokenarium.models.training.training_algorithms import algorithm_title, is_ours, title_of
from tokenarium.models.training.training_watch import Watch
from tokenarium_core.training import FORMER_NAMES, Value


@dataclass(frozen=True, slots=True)
class CountingPlace:
    """Where a corpus is counted: by this process, by a number of workers on this computer, or by those of a scheduler."""

    workers: int = 1
    address: str = ""

    @property
    def here(self) -> bool:
        """Whether the training process counts by itself."""
        return self.workers <= 1 and not self.address


HERE = CountingPlace()


def place_problem(place: CountingPlace) -> str:
    """Returns what is wrong with a place, as far as that can be seen without asking it; empty if nothing is."""
    if place.here:
        return ""
    if find_spec("distributed") is None:
        return f"Several workers need Dask. {how_to_get('tokenarium[corpora]')}"
    if place.address and not ADDRESS.fullmatch(place.address):
        return f"“{place.address}” is not the address of a scheduler, such as tcp://10.0.0.1:8786."
    return ""


ADDRESS = re.compile(r"(?:(?:tcp|tls|ucx|wss?)://)?[^\s/:]+(?::[^\s/:]+)*:\d{1,5}")
"""An address of a scheduler; TCP where it names no protocol."""


def why_not_counted(algorithm: str, options: Mapping[str, Any], mixes: bool) -> str:
    """Returns why an algorithm cannot be trained from counts of workers; empty if it can."""
    if not is_ours(algorithm):
        return (
            f"{algorithm_title(algorithm)} reads the texts itself, and cannot use counts: count in one process, or choose an"
            " algorithm of Tokenarium."
        )
    if algorithm == "boundless-bpe":
        return (
            f"{algorithm_title(algorithm)} joins neighbouring words, and counts do not have the order of the words: count"
            " in one process."
        )
    if options.get("input_sentence_size"):
        return (
            "input_sentence_size selects lines by their position in the text, which counts do not have: leave it out, or"
            " count in one process."
        )
    if by_language(algorithm):
        return (
            f"{algorithm_title(algorithm)} counts each language separately, and workers do not know languages: count in one"
            " process."
        )
    if mixes:
        return (
            "Shares of sources (weights, a temperature, a size) choose each part by all that comes before it, so they"
            " cannot be counted in parts: leave them out, or count in one process."
        )
    return ""


@dataclass(frozen=True, slots=True)
class TrainingInputs:
    """The inputs of a training: what a request asks for, a scene keeps, and a program writes, by the same names.

    The first five choose the tokenizer, the others the part of the corpus. ``filters`` leave documents out; with
    ``strict`` it ends at the first thing that cannot be read. ``place`` is where the corpus is counted, which changes
    nothing of the result.
    """

    name: str
    algorithm: str
    vocab_size: int
    options: Mapping[str, Value]
    sources: Sequence[CorpusSource]
    _: KW_ONLY
    seed: int = 0
    hold_out: bool = True
    size: int = 0
    temperature: float = 1.0
    repeat: bool = False
    filters: Filters = ALL
    strict: bool = False
    place: CountingPlace = field(default=HERE, compare=False)

    @property
    def inputs(self) -> dict[str, Any]:
        """The inputs by name, to make another object of them; the options and the sources are copies."""
        values = {one.name: getattr(self, one.name) for one in fields(TrainingInputs)}
        return values | {"options": dict(self.options), "sources": list(self.sources)}

    @property
    def experiment(self) -> tuple[object, ...]:
        """What must be the same for figures to be compared: the corpus, and what is held out of it."""
        return (tuple(self.sources), *self._mixing, self.filters, self.hold_out)

    @property
    def _mixing(self) -> tuple[int, int, float, bool]:
        return self.seed, self.size, self.temperature, self.repeat


@dataclass(frozen=True, slots=True)
class TrainingRequest(TrainingInputs):
    """What to train, the folder that keeps the result, and what to show at first.

    ``counts`` are the paths of files of counts, which are trained from instead of ``sources``; options that are not
    given are then those of the counts. ``dev`` are the texts on which languages are compared; None: those that the
    options choose.
    """

    store: Path
    watch: Watch = field(default=Watch(), compare=False)
    counts: Sequence[str] = field(default=(), kw_only=True)
    dev: Dev | None = field(default=None, kw_only=True)

    @property
    def settings(self) -> dict[str, Any]:
        """What determines the result, except for the corpus.

        Options keep the names that they had first: the identities of earlier trainings are made of them.
        """
        first = {present: former for former, present in FORMER_NAMES.items()}
        options = {first.get(name, name): value for name, value in self.options.items()}
        settings: dict[str, Any] = {"vocab_size": self.vocab_size, "hold_out": self.hold_out}
        settings |= dict(sorted(options.items()))
        if by_language(self.algorithm):
            settings["languages"] = [source.language for source in self.sources]
        if self.dev is not None:  # the form has no such field
            content = json.dumps(self.dev, sort_keys=True).encode()
            settings["dev"] = hashlib.sha256(content).hexdigest()
        return settings

    def name_for(self, entries: int) -> str:
        """Returns the name of a result of so many entries: with their number if the user chose no name."""
        chosen = self.name not in ("", title_of(self.algorithm, self.vocab_size))
        return self.name if chosen else title_of(self.algorithm, entries)

    def corpus(self) -> Corpus:
        """Returns the corpus to train on."""
        return Corpus(self.sources, *self._mixing, self.filters, self.strict)
