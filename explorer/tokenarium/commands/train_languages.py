"""The languages of ``tokenarium train``: the dev set, their texts, and their tokens at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import tokenarium_core as tc
from tokenarium.models.text.text_file import read_text
from tokenarium.models.training.corpus_files import CorpusSource
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
)
from tokenarium_core.command_values import option_value, option_values
from tokenarium_core.training import Trainer, Value


class CommandLanguages:
    """The languages of a training; if the algorithm does not compare any, it only rejects options for them.

    ``options`` are those of the algorithm, given as NAME=VALUE, and ``dev`` the texts of the files that are given.
    """

    def __init__(
        self,
        algorithm: str,
        sources: Sequence[CorpusSource],
        given: Sequence[str],
        dev: Sequence[str],
    ) -> None:
        self._compares = by_language(algorithm)
        sign = f"{DEV_SET.name}="
        own = [item for item in given if not (self._compares and item.startswith(sign))]
        self.options: dict[str, Value] = option_values(algorithm, own)
        self.dev: Dev | None = None
        if not self._compares:
            if dev or any(source.language for source in sources):
                raise tc.TokenariumError(
                    f"{algorithm} does not compare languages: leave --language and --dev out, or choose --algorithm parity-bpe."
                )
            return
        self.options[DEV_SET.name] = DEV_SET.default
        for item in given:
            if item not in own:
                self.options[DEV_SET.name] = option_value(DEV_SET, item.removeprefix(sign))
        problem = language_problem(sources, "name it as --language de=SOURCE")
        if problem:
            raise tc.TokenariumError(problem)
        if dev:
            self.dev, self._measured_on = _dev_of(dev), "dev set"
        else:
            parallel = dev_texts(languages_of(sources), self.options)
            self._measured_on = OWN_TEXT if parallel is None else PARALLEL

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
        return {"measured_on": self._measured_on, "languages": [asdict(one) for one in found]}

    def sentence(self, trainer: Trainer) -> str:
        """Returns how unequal the languages are, and how many merges each got; empty if they are not compared."""
        found = languages_in(language_figures(trainer))
        if not found:
            return ""
        merges = ", ".join(f"{one.language} {one.merges:,}" for one in found)
        return f"{languages_sentence(found, self._measured_on)} Merges for each: {merges}."


def _dev_of(given: Sequence[str]) -> Dev:
    """Returns the texts of files that are given as LANGUAGE=FILE."""
    found: Dev = {}
    for item in given:
        language, sign, path = item.partition("=")
        if not (sign and language and path):
            raise tc.TokenariumError(f"--dev {item} is not LANGUAGE=FILE, such as de=dev/de.txt.")
        found.setdefault(language, []).append(read_text(Path(path)))
    return found
