"""A corpus by language: what each language is trained on, and the dev set that it is measured on."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, final

from tokenarium_core.errors import ArgumentError

Texts = Iterable[str]
Paths = Sequence[str | os.PathLike[str]]

UNDETERMINED: Final = "und"
"""The language of texts that come without one, as in BCP 47."""


@final
class LanguageCorpus:
    """The texts and files of each language, in the order of their names: those of ``texts`` first.

    Texts or files without languages are all of one language, `UNDETERMINED`. ``dev`` are texts for each language, all
    with the same content where that is possible; empty: there are none. ArgumentError if they are not for the same languages.
    """

    def __init__(
        self,
        texts: Texts | Mapping[str, Texts] = (),
        files: Paths | Mapping[str, Paths] = (),
        dev: Mapping[str, Texts] | None = None,
    ) -> None:
        named = texts if isinstance(texts, Mapping) else None
        filed = files if isinstance(files, Mapping) else None
        names = [*(named or ()), *(filed or ())]
        if (named is None and not _is_nothing(texts)) or (filed is None and not _is_nothing(files)):
            names.append(UNDETERMINED)
        self.names: list[str] = list(dict.fromkeys(names)) or [UNDETERMINED]
        self.texts: list[Texts] = []
        self.files: list[Paths] = []
        self.dev: list[Texts] = []
        for name in self.names:
            if named is not None:
                self.texts.append(named.get(name, ()))
            else:
                self.texts.append(texts if name == UNDETERMINED else ())
            if filed is not None:
                self.files.append(filed.get(name, ()))
            else:
                self.files.append(files if name == UNDETERMINED else ())
        if dev:
            self._take_dev(dev)

    def _take_dev(self, dev: Mapping[str, Texts]) -> None:
        for name in dev:
            if name not in self.names:
                raise ArgumentError(
                    f"The dev set has texts in {name!r}, which the corpus has not: there is {', '.join(self.names)}."
                    " Leave them out, or add a corpus in that language."
                )
        for name in self.names:
            if name not in dev:
                raise ArgumentError(
                    f"The dev set has no texts in {name!r}, so nothing would say how many tokens that language takes:"
                    " add some, or train without a dev set."
                )
            self.dev.append(dev[name])


def _is_nothing(given: object) -> bool:
    """Returns whether there is no text or file: an empty list or tuple, or an empty text."""
    return isinstance(given, (str, list, tuple)) and len(given) == 0


def ratios_by_language(given: Sequence[str], names: Sequence[str]) -> list[float]:
    """Returns the ratio of each language, given as ``name=number``; none if nothing is given.

    ArgumentError for what is not written so, for a language that is not there or has none, and for a ratio of 0 or
    less.
    """
    if not given:
        return []
    found: dict[str, float] = {}
    for item in given:
        name, _, number = item.rpartition("=")
        try:
            ratio = float(number)
        except ValueError:
            ratio = 0.0
        if not name or not 0.0 < ratio < float("inf"):
            raise ArgumentError(
                f"{item!r} is no ratio of a language: write its name, = and a number above 0, as de=1.2."
            )
        if name not in names:
            raise ArgumentError(
                f"There is a ratio for {name!r}, but no corpus in that language: there is {', '.join(names)}."
            )
        found[name] = ratio
    for name in names:
        if name not in found:
            raise ArgumentError(
                f"There is no ratio for {name!r}: give one for each language, or none."
            )
    return [found[name] for name in names]
