"""A corpus by language: the training texts of each language, and the dev set on which it is measured."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, final

from tokenarium_core.errors import ArgumentError

Texts = Iterable[str]
Paths = Sequence[str | os.PathLike[str]]

UNDETERMINED: Final = "und"
"""The language of texts without one, as in BCP 47."""


@final
class LanguageCorpus:
    """The texts and files of each language, in the order of their names: those of ``texts`` first.

    Texts or files without languages all belong to one language, `UNDETERMINED`. ``dev`` are texts for each language,
    ideally all with the same content; empty if there are none. ArgumentError if they are not for the same languages.
    """

    def __init__(
        self,
        texts: Texts | Mapping[str, Texts] = (),
        files: Paths | Mapping[str, Paths] = (),
        dev: Mapping[str, Texts] | None = None,
    ) -> None:
        names = list(dict.fromkeys([*_names_of(texts), *_names_of(files)]))
        self.names: list[str] = names or [UNDETERMINED]
        self.texts: list[Texts] = [_texts_in(texts, name) for name in self.names]
        self.files: list[Paths] = [_paths_in(files, name) for name in self.names]
        self.dev: list[Texts] = []
        if dev:
            self._take_dev(dev)

    def _take_dev(self, dev: Mapping[str, Texts]) -> None:
        for name in dev:
            if name not in self.names:
                raise ArgumentError(
                    f"The dev set has texts in {name!r}, which the corpus does not have: its languages are"
                    f" {', '.join(self.names)}. Leave them out, or add a corpus in that language."
                )
        for name in self.names:
            if name not in dev:
                raise ArgumentError(
                    f"The dev set has no texts in {name!r}, so nothing would say how many tokens that language needs:"
                    " add some, or train without a dev set."
                )
            self.dev.append(dev[name])


def _names_of(given: object) -> list[str]:
    """Returns the languages of texts or files; none for an empty list, tuple or text."""
    if isinstance(given, Mapping):
        return [str(name) for name in given]
    empty = isinstance(given, (str, list, tuple)) and len(given) == 0
    return [] if empty else [UNDETERMINED]


def _texts_in(texts: Texts | Mapping[str, Texts], name: str) -> Texts:
    if isinstance(texts, Mapping):
        return texts.get(name, ())
    return texts if name == UNDETERMINED else ()


def _paths_in(files: Paths | Mapping[str, Paths], name: str) -> Paths:
    if isinstance(files, Mapping):
        return files.get(name, ())
    return files if name == UNDETERMINED else ()


def ratios_by_language(given: Sequence[str], names: Sequence[str]) -> list[float]:
    """Returns the ratio of each language, given as ``name=number``; none if nothing is given.

    ArgumentError for other forms, for an unknown language or one without a ratio, and for a ratio of 0
    or less.
    """
    if not given:
        return []
    ratios: dict[str, float] = {}
    for item in given:
        name, _, number = item.rpartition("=")
        try:
            ratio = float(number)
        except ValueError:
            ratio = 0.0
        if not name or not 0.0 < ratio < float("inf"):
            raise ArgumentError(
                f"{item!r} is not a ratio for a language: write its name, = and a number above 0, such as de=1.2."
            )
        if name not in names:
            raise ArgumentError(
                f"There is a ratio for {name!r}, but no corpus in that language: the languages are"
                f" {', '.join(names)}."
            )
        ratios[name] = ratio
    for name in names:
        if name not in ratios:
            raise ArgumentError(
                f"There is no ratio for {name!r}: give one for each language, or none."
            )
    return [ratios[name] for name in names]
