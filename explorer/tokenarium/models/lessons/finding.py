"""Finds the steps of lessons by what a person types: by questions first, then by titles, then by prose.

Words count as the same if they have the same stem (`stemmed`), and nearly so if they are other names of one thing: those
of the glossary, and everyday ones (`EVERYDAY`). A step need not have all words that were typed.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from math import log
from typing import Any, Final, NamedTuple

from tokenarium.models.lessons.lesson import AskedName, LessonHead, StepOutline
from tokenarium.resources.glossary import load_glossary

ASKED, ALSO, TITLED, LESSON, WRITTEN = 4.0, 3.5, 3.0, 1.5, 1.0
"""The weights of words in a question, beside it, in the title of a step, in that of its lesson (for its first step),
and in prose."""

STEMMED: Final = 0.9
BEGUN: Final = 0.8
OTHERWISE: Final = 0.7
"""The share of its weight that a word has with another ending than was typed, of which only the beginning was typed, or
which is another name for what was typed."""

SHORTEST: Final = 3
"""The least letters that find the words that begin with them."""

LONGEST: Final = 24
"""The most letters of a word that has a stem."""

NOWHERE: Final = 0.5
"""How much a typed word counts that is in no lesson; one that is in half of the steps counts 0.7, a rare one 5."""

ENOUGH: Final = 0.3
"""The share of what was typed that a step must have, rare words counting more."""

NEAR: Final = 0.05
"""The share of the best score that a step must have."""

IN_QUESTION: Final = 0.55
"""The share of what was typed from which on a question is an answer to it, and comes before other steps."""

EVERYDAY: Final = """
math, maths, arithmetic, sum, addition, calculate
space, whitespace, blank
cost, expensive, price, cheap, pay
large, big, size, huge
choose, pick, best
uppercase, capital, case, lowercase
slow, hang, freeze, forever
garbled, mojibake
name, surname
shorter, fewer, reduce, save, less
more, extra
remove, prune, delete, drop, trim
newline, line ending
backwards, reverse
pieces, parts, several
text, string
weird, odd, strange
wrong, different, mismatch
end, trailing
"""
"""Other words that people use for the same thing, a line for each."""

_SMALL: Final = frozenset(
    re.findall(
        "[a-z]+",
        "a about ai an and are as at be between both by can chatgpt could did do does explain explained for from get gets"
        " give gives gpt had has have how i in into is isn it its itself just like llm llms make makes many me mean means much my not of"
        " on one or our really s should so some such t than that the their them then there they this to too use used uses"
        " using very vs versus was we were what when where which while who why will with work working works would you your",
    )
)
"""Words that say nothing where others are typed with them."""


class FoundStep(NamedTuple):
    """A step that was found: its lesson, its number from 0, what it was found by, and where it is.

    ``asked``: whether ``title`` is a question, and not the title of the step.
    """

    lesson: str
    step: int
    title: str
    where: str
    asked: bool = False


class _AskedOf(NamedTuple):
    """A question of a step: its names (it, and the other words beside it) as words, and the keys of all their words."""

    question: str
    names: list[frozenset[str]]
    own: frozenset[str]
    keys: frozenset[str]


class _Way(NamedTuple):
    """A word that was typed: the keys that match it with the shares of their weights, and how much the word says."""

    keys: dict[str, float]
    rare: float

    def best(self, weights: Mapping[str, float]) -> float:
        """Returns the greatest weight of a key that matches the word."""
        return max(
            (weights[key] * share for key, share in self.keys.items() if key in weights),
            default=0.0,
        )


class StepIndex:
    """The words of all steps; made of the heads of lessons and what their steps are found by.

    Its keys are words as they are written, and stems.
    """

    def __init__(self, lessons: Mapping[str, tuple[LessonHead, Sequence[StepOutline]]]) -> None:
        self._steps: list[tuple[str, int, str, str]] = []  # lesson, step, its title, the lesson's
        self._weights: list[dict[str, float]] = []  # of keys, for each step
        self._asked: list[list[_AskedOf]] = []
        self._stems: dict[str, str] = {}  # of all words
        for id, (head, outlines) in lessons.items():
            for number, outline in enumerate(outlines):
                asked = [one for one in head.asked if one.step == number]
                fields = [(outline.prose, WRITTEN), (outline.title, TITLED)]
                if number == 0:  # else a word of the lesson's title would find all of its steps
                    fields.append((head.title, LESSON))
                fields += [(one.question, ASKED) for one in asked]
                fields += [(one.also, ALSO) for one in asked]
                weights: dict[str, float] = {}
                for text, weight in fields:
                    for key in self._keys_of(text):
                        weights[key] = max(weight, weights.get(key, 0.0))
                self._steps.append((id, number, outline.title, head.title))
                self._weights.append(weights)
                self._asked.append([self._asked_of(one) for one in asked])
        self._steps_with = Counter(key for weights in self._weights for key in weights)

    def _asked_of(self, one: AskedName) -> _AskedOf:
        names = [frozenset(words_of(name)) for name in (one.question, *one.also.split(", "))]
        keys = self._keys_of(f"{one.question}, {one.also}")
        return _AskedOf(one.question, names, self._keys_of(one.question), keys)

    def _keys_of(self, text: str) -> frozenset[str]:
        """The words of a text and their stems."""
        words = [part for word in words_of(text) for part in (word, *_parts(word))]
        return frozenset(words).union(self._stems.setdefault(word, stemmed(word)) for word in words)

    def find(self, typed: str, most: int = 20) -> list[FoundStep]:
        """Returns the steps that have the words of a text that was typed: those with a question first, then the best."""
        words = _typed_words(typed)
        ways = self._ways([word for word in words if word not in _SMALL] or words)
        whole = sum(way.rare for way in ways)
        exact = frozenset(words_of(typed))
        found = []
        for index, weights in enumerate(self._weights):
            matches = [(way.rare, way.best(weights)) for way in ways]
            has = sum(rare for rare, weight in matches if weight)
            if has and has >= ENOUGH * whole:
                score = sum(rare * weight for rare, weight in matches) * (has / whole) ** 2
                answers, question = self._question(index, ways, exact)
                answers /= whole
                total = score + ASKED * answers * whole
                found.append((answers < IN_QUESTION, -total, index, question))
        most_score = min((order for _, order, *_ in found), default=0.0)
        steps = []
        for _, order, index, question in sorted(found)[:most]:
            if order > NEAR * most_score:  # these are negative
                continue
            lesson, step, title, of = self._steps[index]
            steps.append(FoundStep(lesson, step, question or title, of, bool(question)))
        return steps

    def _question(
        self, place: int, ways: Sequence[_Way], exact: frozenset[str]
    ) -> tuple[float, str]:
        """Returns the question of a step that has the most of what was typed, and how much that is.

        A question that is exactly what was typed has all of it three times.
        """
        best = (0.0, 0.0, "")
        for one in self._asked[place]:
            keys = dict.fromkeys(one.keys, 1.0)
            has = sum(way.rare * way.best(keys) for way in ways)
            has *= 3.0 if exact in one.names else 1.0
            beside = sum(way.rare for way in ways if not one.own.isdisjoint(way.keys))
            best = max(best, (has, beside, one.question))
        return best[0], best[2] if best[0] else ""

    def _ways(self, words: Sequence[str]) -> list[_Way]:
        """Returns what matches each of some words: it, its stem, what begins with it, and its other names."""
        stems = [stemmed(word) for word in words]
        found: list[dict[str, float]] = []
        for word, stem in zip(words, stems, strict=True):
            way = {word: 1.0}
            way.setdefault(stem, STEMMED)
            if len(word) >= SHORTEST or not word.isascii():
                for other in self._stems:
                    if other.startswith(word):
                        way.setdefault(other, BEGUN)
            found.append(way)
        typed = frozenset(stems)
        for names in _other_names():
            for name in names:
                if name <= typed:
                    others = frozenset[str]().union(*names) - name
                    for stem, way in zip(stems, found, strict=True):
                        if stem in name:
                            for other in others:
                                way.setdefault(other, OTHERWISE)
        return [
            _Way(way, self._rarity([stem, *way])) for stem, way in zip(stems, found, strict=True)
        ]

    def _rarity(self, keys: Iterable[str]) -> float:
        """Returns how much a word says: more if few steps have it, or else another of its keys."""
        known = next((key for key in keys if key in self._steps_with), None)
        if known is None:
            return NOWHERE
        return log((len(self._steps) + 1) / (self._steps_with[known] + 0.5))


@cache
def _other_names() -> tuple[tuple[frozenset[str], ...], ...]:
    """The names of each thing that has several, each as the stems of its words."""
    lists = [line.split(", ") for line in EVERYDAY.strip().splitlines()]
    lists += [[term.name, *term.also] for term in load_glossary().values() if term.also]
    return tuple(
        tuple(frozenset(stemmed(word) for word in _typed_words(name)) for name in names)
        for names in lists
    )


@cache
def _stemmer() -> Any:
    import snowballstemmer  # few starts need it

    return snowballstemmer.stemmer("english")


@lru_cache(1 << 14)
def stemmed(word: str) -> str:
    """Returns a word without its English ending; one with other characters than letters stays as it is.

    >>> [stemmed(word) for word in ("tokenizer", "tokenized", "counting", "9.11")]
    ['token', 'token', 'count', '9.11']
    """
    is_word = word.isascii() and word.isalpha() and len(word) <= LONGEST
    return str(_stemmer().stemWord(word)) if is_word else word


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
_HYPHENS: Final = re.compile("[-‐‑'’]")


def _parts(word: str) -> list[str]:
    """The parts of a word with hyphens or apostrophes, and it without them.

    >>> _parts("pre-token"), _parts("token")
    (['pre', 'token', 'pretoken'], [])
    """
    parts = [part for part in _HYPHENS.split(word) if part]
    return [*parts, "".join(parts)] if len(parts) > 1 else []


def _typed_words(text: str) -> list[str]:
    """The words of a text, each with a hyphen as its parts."""
    words = []
    for word in words_of(text):
        words += _parts(word)[:-1] or [word]
    return list(dict.fromkeys(words))
