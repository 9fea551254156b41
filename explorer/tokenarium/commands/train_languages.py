"""The languages of ``tokenarium train``: the dev set, their texts, and their tokens at the end."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import tokenarium_core as tc
from tokenarium.models.text.text_file import read_text
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.keeping import HeldOut
from tokenarium.models.training.trained_languages import (
    DEV_SET,
    OWN_TEXT,
    PARALLEL,
    Dev,
    by_language,
    dev_texts,
    language_figures,
    language_problem,
    languages_in,
    languages_of,
    languages_sentence,
    texts_by_language,
)
from tokenarium_core.command_values import option_value, option_values
from tokenarium_core.training import Trainer, Value


class CommandLanguages:
    """The languages of a training; if the algorithm does not compare any, it only rejects options for them.

    ``options`` are those of the trainer, given as NAME=VALUE, without the dev set.
    """

    def __init__(
        self,
        algorithm: str,
        sources: Sequence[CorpusSource],
        given: Sequence[str],
        dev: Sequence[str],
    ) -> None:
        self._sources = sources
        self._compares = by_language(algorithm)
        sign = f"{DEV_SET.name}="
        own = [item for item in given if not (self._compares and item.startswith(sign))]
        self.options = option_values(algorithm, own)
        self._dev_set: Value = DEV_SET.default
        for item in given:
            if item not in own:
                self._dev_set = option_value(DEV_SET, item.removeprefix(sign))
        self._dev: Dev | None = None
        if not self._compares:
            if dev or any(source.language for source in sources):
                raise tc.TokenariumError(
                    f"{algorithm} does not compare languages: leave --language and --dev out, or choose --algorithm parity-bpe."
                )
            return
        problem = language_problem(sources, "name it as --language de=SOURCE")
        if problem:
            raise tc.TokenariumError(problem)
        chosen = {**self.options, DEV_SET.name: self._dev_set}
        self._dev = _dev_of(dev) if dev else dev_texts(languages_of(sources), chosen)
        self._own_dev = bool(dev)

    def texts(self, corpus: Corpus, held: HeldOut | None) -> Any:
        """Returns the texts for the trainer."""
        if self._compares:
            return texts_by_language(corpus, held)
        texts: Iterable[str] = corpus if held is None else held
        return texts

    @property
    def choices(self) -> dict[str, Any]:
        """The other arguments of the trainer."""
        return {"dev": self._dev} if self._compares else {}

    @property
    def settings(self) -> dict[str, Any]:
        """What is added to the settings of the training, since the tokenizer depends on it."""
        if not self._compares:
            return {}
        settings: dict[str, Any] = {
            DEV_SET.name: self._dev_set,
            "languages": [source.language for source in self._sources],
        }
        if self._own_dev:  # the window has no such setting
            content = json.dumps(self._dev, sort_keys=True).encode()
            settings["dev"] = hashlib.sha256(content).hexdigest()
        return settings

    def refuse(self, options: str) -> None:
        """Raises TokenariumError if languages are compared, as these options do not support that."""
        if self._compares:
            raise tc.TokenariumError(
                f"parity-bpe compares languages: leave out {options}, which do not distinguish languages."
            )

    def as_json(self, trainer: Trainer) -> dict[str, Any]:
        """Returns the figures of the languages."""
        found = languages_in(language_figures(trainer))
        if not found:
            return {}
        rows = [
            {
                "language": one.language,
                "first": one.first,
                "tokens": one.tokens,
                "merges": one.merges,
            }
            for one in found
        ]
        return {"measured_on": self._measured_on, "languages": rows}

    def sentence(self, trainer: Trainer) -> str:
        """Returns how unequal the languages are, and how many merges each got; empty if they are not compared."""
        found = languages_in(language_figures(trainer))
        if not found:
            return ""
        merges = ", ".join(f"{one.language} {one.merges:,}" for one in found)
        return f"{languages_sentence(found, self._measured_on)} Merges for each: {merges}."

    @property
    def _measured_on(self) -> str:
        if self._dev is None:
            return OWN_TEXT
        return "dev set" if self._own_dev else PARALLEL


def _dev_of(given: Sequence[str]) -> Dev:
    """Returns the texts of files that are given as LANGUAGE=FILE."""
    found: Dev = {}
    for item in given:
        language, sign, path = item.partition("=")
        if not (sign and language and path):
            raise tc.TokenariumError(f"--dev {item} is not LANGUAGE=FILE, such as de=dev/de.txt.")
        found.setdefault(language, []).append(read_text(Path(path)))
    return found
