"""The form of a training as the user filled it in, and what is wrong with each field."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tokenarium.analyses.training_inputs import TRAINING_FIELDS, VOCAB_SIZE
from tokenarium.models.training.corpus import parsed_bytes
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.corpus_filters import Filters
from tokenarium.models.training.corpus_urls import is_url
from tokenarium.models.training.trained_languages import (
    DEV_SET,
    by_language,
    dev_texts,
    language_problem,
    languages_of,
    trainer_options,
)
from tokenarium.models.training.training_algorithms import TrainingAlgorithm, title_of
from tokenarium.models.training.training_request import (
    HERE,
    CountingPlace,
    TrainingRequest,
    why_not_counted,
)
from tokenarium.models.typed_numbers import parsed_size, parsed_whole
from tokenarium_core import TokenariumError
from tokenarium_core.command_values import list_text, option_value
from tokenarium_core.formats import NAMED, cutting
from tokenarium_core.training import Option, Value, make_trainer

SIZE: Final = VOCAB_SIZE.name
SOURCES: Final = "sources"
ALGORITHM: Final = "algorithm"
MIXING: Final = "mixing"
FILTERS: Final = "filters"
PLACE: Final = "place"
"""The keys of the fields that are not options."""

MOST_SEED: Final = 2**31 - 1

DEFAULTS: Final = {one.kept_as: one.default for one in TRAINING_FIELDS}
"""The inputs of every training besides the size, by their names in sessions."""


@dataclass(slots=True)
class Draft:
    """The fields as typed: ``inputs`` by their names in sessions, ``texts`` of the options; others have their defaults."""

    algorithm: TrainingAlgorithm
    inputs: Mapping[str, Any] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    sources: Sequence[CorpusSource] = ()
    place: CountingPlace = HERE
    place_problem: str = ""

    @property
    def vocab_size(self) -> str:
        """The number of entries, which is not chosen where the line is empty."""
        return str(self.inputs.get(SIZE, VOCAB_SIZE.default))

    def typed(self, name: str) -> Any:
        """Returns another input; the default for a line that is empty."""
        value = self.inputs.get(name, DEFAULTS[name])
        return value.strip() or DEFAULTS[name] if isinstance(value, str) else value

    def problems(self) -> dict[str, str]:
        """Returns a sentence for each field with a problem; empty if it can be trained."""
        found: dict[str, str] = {}
        if self.algorithm.obstacle:
            found[ALGORITHM] = self.algorithm.obstacle
        values: dict[str, Value] = {}
        for option in self.algorithm.options:
            try:
                value = option_value(option, self.texts.get(option.name, shown(option.default)))
                check_content(option, value)
                values[option.name] = value
            except TokenariumError as error:
                found[option.name] = _as_labelled(str(error), option)
        try:
            size = parsed_size(self.vocab_size)
            if self.algorithm.ours:  # with the valid values; the rest has its default
                values.pop("base", None)  # to open it would take too long while the user types
                own = trainer_options(values) | ({"ratios": []} if "ratios" in values else {})
                make_trainer(self.algorithm.name, (), vocab_size=size, **own)
                if by_language(self.algorithm.name):
                    found |= self._language_problems(size, values)
        except TokenariumError as error:
            found |= self._placed(str(error))
        if not self.sources:
            found[SOURCES] = "There is nothing to train on yet: add a source."
        for source in self.sources:
            problem = source_problem(source)
            if problem:
                found.setdefault(SOURCES, problem)
        weighted = [source.weight is not None for source in self.sources]
        if any(weighted) and not all(weighted):
            bare = self.sources[weighted.index(False)].name
            found.setdefault(
                SOURCES, f"{bare} has no weight, and others have: give each one its share, or none."
            )
        try:
            self.mixing()
        except TokenariumError as error:
            found[MIXING] = str(error)
        try:
            self.filters()
        except TokenariumError as error:
            found[FILTERS] = str(error)
        if not self.place.here or self.place_problem:
            problem = self.place_problem or self._why_not_counted()
            if problem:
                found[PLACE] = problem
        return found

    def _placed(self, sentence: str) -> dict[str, str]:
        """Returns a sentence of the trainer by the field that it is about: the option of its first words, or the size."""
        for option in self.algorithm.options:
            about = sentence.partition(" = ")[0] == option.name
            if about or (option.is_content and f" {option.name} " in f" {sentence}"):
                return {option.name: _as_labelled(sentence, option)}
        return {SIZE: sentence}

    def _language_problems(self, size: int, values: dict[str, Value]) -> dict[str, str]:
        """Returns what is wrong with the languages, with the dev set and with the ratios."""
        found: dict[str, str] = {}
        problem = language_problem(self.sources)
        if problem:
            return {SOURCES: problem}
        languages = languages_of(self.sources)
        try:
            dev = dev_texts(languages, values)
        except TokenariumError as error:
            return {DEV_SET.name: str(error)}
        try:
            corpus: dict[str, list[str]] = {name: [] for name in languages}
            make_trainer(
                self.algorithm.name, corpus, vocab_size=size, dev=dev, **trainer_options(values)
            )
        except TokenariumError as error:
            found["ratios"] = str(error)
        return found

    def _why_not_counted(self) -> str:
        """Returns why the corpus cannot be counted elsewhere; empty if it can, or if another field is wrong."""
        try:
            mixing = self.mixing()
            weighted = any(source.weight is not None for source in self.sources)
            mixes = bool(mixing["size"]) or mixing["temperature"] != 1 or weighted
            return why_not_counted(self.algorithm.name, self.values(), mixes)
        except TokenariumError:
            return ""

    def filters(self) -> Filters:
        """Returns which documents are left out; TokenariumError for an invalid length."""
        refusal = "The least length must be a number of characters, such as 200."
        return Filters(self.typed("unique"), parsed_whole(self.typed("least") or "0", refusal))

    def values(self) -> dict[str, Value]:
        """Returns all options of the algorithm; TokenariumError for an invalid one."""
        return {
            option.name: option_value(option, self.texts.get(option.name, shown(option.default)))
            for option in self.algorithm.options
        }

    def mixing(self) -> dict[str, Any]:
        """Returns the seed, the size of the corpus in bytes (0: as it is) and the temperature.

        Raises TokenariumError for invalid ones.
        """
        refusal = f"The seed must be a whole number up to {MOST_SEED:,}, such as 0."
        seed = parsed_whole(self.typed("seed"), refusal)
        if seed > MOST_SEED:
            raise TokenariumError(refusal)
        target = self.typed("target")
        try:
            temperature = float(self.typed("temperature"))
        except ValueError:
            temperature = 0.0
        if not 0.01 <= temperature <= 1000:
            raise TokenariumError(
                "The temperature must be a number from 0.01 to 1,000, such as 1 or 3.3."
            )
        if temperature != 1 and any(source.weight is not None for source in self.sources):
            raise TokenariumError(
                "Weights and a temperature both choose the shares: leave the temperature at 1, or the weights empty."
            )
        size = parsed_bytes(target) if target else 0
        return {"seed": seed, "size": size, "temperature": temperature}

    def has(self, algorithm: str, vocab_size: int, options: Mapping[str, Value]) -> bool:
        """Returns whether the form has these settings; options that are not named have their defaults."""
        defaults = {option.name: shown(option.default) for option in self.algorithm.options}
        wanted = {**defaults, **texts_of(options)}
        try:
            same_size = parsed_size(self.vocab_size) == vocab_size
        except TokenariumError:
            return False
        return (
            same_size and self.algorithm.name == algorithm and {**defaults, **self.texts} == wanted
        )

    def request(self, store: Path) -> TrainingRequest:
        """Returns the training request; TokenariumError if a field has a problem."""
        entries = parsed_size(self.vocab_size)
        return TrainingRequest(
            self.typed("name") or title_of(self.algorithm.name, entries),
            self.algorithm.name,
            entries,
            self.values(),
            tuple(self.sources),
            store,
            **self.mixing(),
            **{name: self.typed(name) for name in ("hold_out", "repeat", "strict")},
            filters=self.filters(),
            place=self.place,
        )


def source_problem(source: CorpusSource) -> str:
    """Returns what is wrong with a source, as far as it can be found quickly, or an empty text."""
    try:
        source.check()
    except TokenariumError as error:
        return str(error)
    if source.kind == "text" and not source.value.strip():
        return "The text above is empty: type one, or remove it."
    if is_url(source.value):
        return ""
    if source.kind == "file" and not os.path.isfile(source.value):
        return f"{source.value} is no longer a file. Remove it."
    if source.kind == "folder" and not os.path.isdir(source.value):
        return f"{source.value} is no longer a folder. Remove it."
    return ""


def check_content(option: Option, value: Value) -> None:
    """Raises TokenariumError for what the trainer would refuse: a name twice, a faulty pattern, a missing file."""
    if isinstance(value, list):
        twice = next((part for place, part in enumerate(value) if part in value[:place]), None)
        if twice is not None:
            raise TokenariumError(f"“{twice}” is named twice: name each once.")
    if not isinstance(value, str):
        return
    if option.name.endswith("pattern"):
        if not value:
            raise TokenariumError("A pattern is needed: a name such as cl100k, or an expression.")
        cutting(value)
    elif option.name == "base" and value and value not in NAMED and not os.path.isfile(value):
        raise TokenariumError(f"{value} is neither a named encoding nor a file. Choose another.")


def shown(value: Value) -> str:
    """Returns a value as the user would type it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return list_text(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def title(option: Option) -> str:
    """Returns the label of an option: its name in words."""
    words = option.name.replace("sentencepiece", "piece").replace("_", " ")
    for short, whole in (("min ", "minimum "), ("max ", "maximum "), ("num ", "number of ")):
        words = words.replace(short, whole)
    return words[0].upper() + words[1:]


def _as_labelled(sentence: str, option: Option) -> str:
    """Returns a sentence of the core with the option's name replaced by the label of its field."""
    before, sign, rest = sentence.partition(" = ")
    return f"{title(option)}{sign}{rest}" if before == option.name else sentence


def texts_of(values: Mapping[str, Value]) -> dict[str, str]:
    """Returns values as the user would type them."""
    return {name: shown(value) for name, value in values.items()}
