"""The sources that words name: weights, lists of sources, and groups whose shares a temperature evens out."""

from __future__ import annotations

import glob
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

from tokenarium.models.training.corpus_files import CorpusSource, source_of
from tokenarium.models.training.corpus_urls import files_at, is_url
from tokenarium_core import TokenariumError
from tokenarium_core.command_values import decoded_text, name_of_text, standard_input
from tokenarium_core.plain_files import STANDARD_INPUT, read_text

LIST_MARK: Final = "@"
"""What begins a word that names a list of sources."""

LARGEST_LIST: Final = 1 << 24
"""Bytes that a list may have."""

MOST_SOURCES: Final = 10_000
"""Places that the words of one command may name, those in lists too: a folder or a pattern has any number of files."""

MOST_DEEP: Final = 8
"""Lists that name lists in turn."""


def named_sources(
    words: Sequence[str], field: str = "text", encoding: str = ""
) -> list[CorpusSource]:
    """Returns the sources that words of a command line name, in their order.

    ``place`` is a file, a folder, a pattern, an address, "library", or ``-``, the text of the standard input, which is
    then in memory; ``place=0.5`` gives it a weight; ``@list.txt``
    is a text file with such a place in each line, with its weight before it: ``0.5 texts/de``. Raises TokenariumError
    for a list that cannot be used, with its line.
    """
    found: list[CorpusSource] = []
    for word in words:
        if word.startswith(LIST_MARK) and not os.path.exists(word):
            places: Iterator[CorpusSource] = _of_list(Path(os.path.expanduser(word[1:])), 1)
            found += islice(places, MOST_SOURCES + 1 - len(found))
        else:
            found.append(_weighted(word))
        if len(found) > MOST_SOURCES:
            raise TokenariumError(
                f"With {word}, more than {MOST_SOURCES:,} sources are named: name folders or patterns."
            )
    return [replace(source, field=field, encoding=encoding) for source in found]


def sources_in_languages(
    words: Sequence[str], field: str = "text", encoding: str = ""
) -> list[CorpusSource]:
    """Returns the sources that words such as ``de=texts/de`` name, each with its language; see `named_sources`.

    Raises TokenariumError for a word without a language.
    """
    found: list[CorpusSource] = []
    for word in words:
        language, sign, place = word.partition("=")
        if not (sign and language.strip() and place):
            raise TokenariumError(f"--language {word} is not LANGUAGE=SOURCE, such as de=texts/de.")
        named = named_sources([place], field, encoding)
        found += [replace(source, language=language.strip()) for source in named]
    return found


def groups_of(
    patterns: Sequence[str], field: str = "text", encoding: str = ""
) -> list[CorpusSource]:
    """Returns a source for each file and each folder that patterns match: the groups of a mixture.

    ``lang/*.jsonl`` is a group for each of these files, ``lang/*`` one for each folder in it; ``@list.txt`` one for each
    of its lines. Raises TokenariumError if nothing matches.
    """
    found: dict[str, CorpusSource] = {}
    for pattern in patterns:
        if pattern.startswith(LIST_MARK) and not os.path.exists(pattern):
            sources = named_sources([pattern])
        else:
            sources = [source_of(place) for place in _matches(pattern)]
        if not sources:
            raise TokenariumError(f"No file matches {pattern}: name files or folders to mix.")
        for source in sources:
            found.setdefault(source.value, source)
    return [replace(source, field=field, encoding=encoding) for source in found.values()]


def exponent_as_temperature(exponent: float) -> float:
    """Returns the temperature of a `Mixture` that makes the share of group i ``size_i ** exponent / sum of all``.

    So multilingual BERT samples its languages, with 0.7 (https://github.com/google-research/bert, multilingual.md), and
    XLM-R, with 0.3 (Conneau and others 2020, https://arxiv.org/abs/1911.02116, equation 1): 1 leaves the shares as the
    sizes are, towards 0 they become equal. Raises TokenariumError for an exponent that is not above 0 and at most 1.
    """
    if not 0.001 <= exponent <= 1:
        raise TokenariumError(
            f"A temperature of {exponent:g} is not possible with --mix: give the exponent of the sizes, above 0 and at most 1,"
            " such as 0.3."
        )
    return 1.0 / exponent


def _matches(pattern: str) -> list[str]:
    """Returns the places that a pattern matches, sorted."""
    if is_url(pattern):
        if not any(sign in pattern for sign in "*["):
            return [pattern]
        found = list(files_at(pattern, "glob"))
        for one in found:
            if one.problem:
                raise TokenariumError(f"{one.url}: {one.problem}")
        return [one.url for one in found]
    pattern = os.path.expanduser(pattern)
    if os.path.exists(pattern):
        return [pattern]
    return sorted(glob.glob(pattern, recursive=True))


def _weighted(word: str) -> CorpusSource:
    """Returns the source that a word names, with its weight if one follows it."""
    place, _, weight = word.rpartition("=")
    share: float | None = None
    if place and not Path(word).exists():
        try:
            share = float(weight)
            word = place
        except ValueError:
            pass
    if word == STANDARD_INPUT and not os.path.exists(word):
        text = decoded_text(standard_input(), name_of_text(None))
        return CorpusSource("text", text, weight=share)
    return replace(source_of(word), weight=share)


def _of_list(path: Path, depth: int) -> Iterator[CorpusSource]:
    """Yields the sources of a list; relative places begin at its folder."""
    if depth > MOST_DEEP:
        raise TokenariumError(f"{path}: lists are nested too deeply.")
    try:
        lines = read_text(path, LARGEST_LIST).removeprefix("\ufeff").splitlines()
    except OSError as error:
        raise TokenariumError(f"{path} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise TokenariumError(
            f"{path} is not a list of files: it is not UTF-8 at byte {error.start:,}."
        ) from error
    empty = True
    for number, line in enumerate(lines, 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        empty = False
        weight, place = _divided(line)
        if weight is not None and not (math.isfinite(weight) and weight > 0):
            raise TokenariumError(
                f"{path}, line {number:,}: the weight {weight:g} is not possible, give more than 0."
            )
        listed = place.startswith(LIST_MARK)
        place = place.removeprefix(LIST_MARK)
        if place != "library" and not is_url(place):
            place = str(path.parent / os.path.expanduser(place))
        if listed:
            if weight is not None:
                raise TokenariumError(
                    f"{path}, line {number:,}: a list has no weight, its lines have."
                )
            yield from _of_list(Path(place), depth + 1)
        else:
            yield replace(source_of(place), weight=weight)
    if empty:
        raise TokenariumError(f"{path} names no file: write a path in each line, with its weight.")


def _divided(line: str) -> tuple[float | None, str]:
    """Returns the weight and the place of a line of a list.

    >>> _divided("0.5  texts/a b.txt"), _divided("2024 notes.txt"), _divided("a.txt")
    ((0.5, 'texts/a b.txt'), (2024.0, 'notes.txt'), (None, 'a.txt'))
    """
    first, _, rest = line.replace("\t", " ").partition(" ")
    try:
        weight = float(first)
    except ValueError:
        return None, line
    return (weight, rest.strip()) if rest.strip() else (None, line)
