"""Finds the steps of lessons by what a person types: questions by name first, then titles, then prose."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from math import log
from typing import Final, NamedTuple

from tokenarium.models.lessons.lesson import LessonHead, StepOutline

ASKED, ALSO, TITLED, LESSON, WRITTEN = 4.0, 3.5, 3.0, 1.5, 1.0
"""The weights of words in a question, beside it, in the title of a step, in that of its lesson (for its first step),
and in prose."""

ENOUGH: Final = 0.55
"""The share of what was typed that a step must have, rare words counting more."""

_SMALL: Final = frozenset(
    re.findall(
        "[a-z]+",
        "a an and are as at be by can do does for from has have how i in is it its many me much my not of on one or so"
        " some than that the their there they this to was what when where which why will with you your",
    )
)
"""Words that say nothing where others are typed with them."""


class FoundStep(NamedTuple):
    """A step that was found: its lesson, its number from 0, what it was found by, and where it is."""

    lesson: str
    step: int
    title: str
    where: str


class StepIndex:
    """The words of all steps; made of the heads of lessons and what their steps are found by."""

    def __init__(self, lessons: Mapping[str, tuple[LessonHead, Sequence[StepOutline]]]) -> None:
        self._steps: list[tuple[str, int, str, str]] = []  # lesson, step, its title, the lesson's
        self._words: list[dict[str, float]] = []
        self._asked: list[list[tuple[str, frozenset[str]]]] = []
        for id, (head, outlines) in lessons.items():
            for number, outline in enumerate(outlines):
                weights: dict[str, float] = {}
                asked = [asked_name for asked_name in head.asked if asked_name.step == number]
                fields = [(outline.prose, WRITTEN), (outline.title, TITLED)]
                if number == 0:  # else a word of the lesson's title would find all of its steps
                    fields.append((head.title, LESSON))
                fields += [(name.question, ASKED) for name in asked]
                fields += [(name.also, ALSO) for name in asked]
                for text, weight in fields:
                    for word in words_of(text):
                        weights[word] = max(weight, weights.get(word, 0.0))
                self._steps.append((id, number, outline.title, head.title))
                self._words.append(weights)
                self._asked.append(
                    [
                        (name.question, frozenset(words_of(f"{name.question} {name.also}")))
                        for name in asked
                    ]
                )
        self._stems = {word: _stem(word) for weights in self._words for word in weights}
        self._steps_with = Counter(word for weights in self._words for word in weights)

    def find(self, typed: str, most: int = 20) -> list[FoundStep]:
        """Returns the steps that have the words of a text that was typed, the best first."""
        words = words_of(typed)
        telling = [word for word in words if word not in _SMALL] or words
        if not telling:
            return []
        ways = {word: self._near(word) for word in telling}
        scored = []
        for index, weights in enumerate(self._words):
            matched, whole, score = 0.0, 0.0, 0.0
            for word in telling:
                same, weight = _match(word, weights, ways[word])
                rare = self._rarity(same or word)
                whole += rare
                if same:
                    matched += rare
                    score += rare * weight
            if matched >= ENOUGH * whole:
                together = self._together(index, telling, words)
                scored.append((-(score * (matched / whole) ** 2) - together, index))
        steps = []
        for _, index in sorted(scored)[:most]:
            lesson, step, title, of = self._steps[index]
            steps.append(FoundStep(lesson, step, self._name(index, telling) or title, of))
        return steps

    def _near(self, word: str) -> list[str]:
        """The words of all steps that begin with what was typed, or differ only in an ending."""
        if len(word) < 3 and word.isascii():
            return []
        stem = _stem(word) if len(word) >= 4 else ""
        return [
            other
            for other, ends in self._stems.items()
            if other.startswith(word) or (ends == stem if stem else other.rstrip("s") == word)
        ]

    def _rarity(self, word: str) -> float:
        return log((len(self._steps) + 1) / (self._steps_with.get(word, 0) + 0.5))

    def _together(self, place: int, telling: Sequence[str], typed: Sequence[str]) -> float:
        """How much more a step counts that has many of the words in one question, or is asked by just these."""
        most = 0.0
        for question, words in self._asked[place]:
            share = sum(word in words for word in telling) / len(telling)
            exact = set(typed) == set(words_of(question))
            most = max(most, 4.0 * share + (8.0 if exact else 0.0))
        return most

    def _name(self, place: int, telling: Sequence[str]) -> str:
        """The question of a step that has the most of the words; empty if none has."""
        counted = [
            (
                sum(
                    word in words or any(_same_stem(word, one) for one in words) for word in telling
                ),
                asked,
            )
            for asked, words in self._asked[place]
        ]
        most = max((count for count, _ in counted), default=0)
        return next((asked for count, asked in counted if count == most and most), "")


def _match(word: str, weights: Mapping[str, float], near: Sequence[str]) -> tuple[str, float]:
    """Returns the word of a step that is what was typed, or else near it, and its weight."""
    if word in weights:
        return word, weights[word]
    best = ("", 0.0)
    for other in near:
        weight = weights.get(other, 0.0)
        if 0.8 * weight > best[1]:
            best = other, 0.8 * weight
    return best


def words_of(text: str) -> list[str]:
    """Returns the words of a text in lower case, without the signs around them, each once.

    >>> words_of("Why is “9.11” more than 9.9?")
    ['why', 'is', '9.11', 'more', 'than', '9.9']
    """
    plain = unicodedata.normalize("NFC", text).casefold()
    words = []
    for part in _SPLIT.split(plain):
        word = part.strip(_AROUND)
        if word:
            words.append(word)
    return list(dict.fromkeys(words))


_SPLIT: Final = re.compile(r"[\s,;/|()\[\]“”\"`]+")
_AROUND: Final = ".:!?*'’‘-–—_"


def _same_stem(word: str, other: str) -> bool:
    """Whether two words differ only in a usual ending.

    >>> (
    ...     _same_stem("tokenized", "tokenizer"),
    ...     _same_stem("count", "counting"),
    ...     _same_stem("cat", "car"),
    ... )
    (True, True, False)
    """
    if len(word) < 4 or len(other) < 4:
        return word.rstrip("s") == other.rstrip("s") != ""
    return _stem(word) == _stem(other)


_ENDINGS: Final = (
    "ization",
    "ations",
    "ation",
    "ings",
    "ing",
    "ers",
    "ed",
    "er",
    "es",
    "s",
    "e",
    "y",
    "ies",
)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
