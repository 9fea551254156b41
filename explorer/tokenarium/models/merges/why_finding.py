"""Why a string is one token of a tokenizer, or is not: the verdict, the evidence, and what to play."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from unicodedata import category

import tokenarium_core as tc
from tokenarium.models.merges.playback import Symbol
from tokenarium.models.merges.run import TraceRun, traced_part
from tokenarium.models.merges.why_sentences import (
    count_of,
    is_scored,
    joining,
    own_of,
    some,
    value_of,
    who_changes,
    why,
)
from tokenarium.models.text.piece import Sentence, SentenceToken, counted, score_text
from tokenarium.models.text.qt_text import into_qt
from tokenarium.models.text.text_map import TextMap
from tokenarium_core.explaining import verdict as kinds
from tokenarium_core.explaining.near_spellings import NearSpelling, near_spellings
from tokenarium_core.explaining.verdict import Verdict
from tokenarium_core.explaining.why import why_not
from tokenarium_core.models import (
    BoundlessBpe,
    LatticeEdge,
    LongestMatch,
    LowestCost,
    PickyBpe,
    Unigram,
    WordLevel,
    WordPiece,
)

LONGEST = 300
"""The most bytes of a string in question: what can be one token is far shorter."""


@dataclass(frozen=True, slots=True)
class Question:
    """The string ``utf8[start:end]``, in its text or by itself.

    ``utf8`` is the text as tokenizers read it (`TextMap.read_utf8`); ``halves`` counts the halves of surrogate pairs
    that were replaced.
    """

    utf8: bytes
    start: int
    end: int
    halves: int = 0

    @property
    def text(self) -> str:
        """The string."""
        return self.utf8[self.start : self.end].decode("utf-8", "replace")

    @property
    def by_itself(self) -> bool:
        """Whether there is no text around it."""
        return self.start == 0 and self.end == len(self.utf8)


def asked(text_map: TextMap, start: int, end: int) -> Question:
    """Returns the question about the bytes ``start`` … ``end`` of a text."""
    return Question(text_map.read_utf8, start, end, text_map.halves(start, end))


REACH = 160
"""Bytes on each side of a token in which its word is looked for."""


def word_at(text_map: TextMap, start: int, end: int) -> tuple[int, int]:
    """Returns the bytes of the word that a token is in, with the space before it; at least those of the token.

    Words are those of Unicode (UAX #29), so a script without spaces may give single characters.
    """
    from PySide6.QtCore import QTextBoundaryFinder  # which no command needs

    start, end = text_map.characters(start, end)
    low, high = text_map.characters(max(start - REACH, 0), min(end + REACH, text_map.byte_count))
    text = TextMap(text_map.slice(low, high))
    token = text_map.slice(start, end)
    blanks = len(token) - len(token.lstrip())
    if blanks == len(token):
        return start, end
    anchor = start + len(token[:blanks].encode())
    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Word, into_qt(text.text))
    finder.setPosition(int(text.byte_to_utf16(anchor - low)))
    before = finder.position() if finder.isAtBoundary() else finder.toPreviousBoundary()
    first = low + int(text.utf16_to_byte(max(before, 0)))
    finder.setPosition(int(text.byte_to_utf16(anchor - low)))
    last = low + int(text.utf16_to_byte(finder.toNextBoundary()))
    if text_map.utf8_of(first - 1, first) == b" ":
        first -= 1
    return min(first, start), max(last, end)


def alone(text: str) -> Question:
    """Returns the question about a string by itself."""
    text_map = TextMap(text)
    return asked(text_map, 0, text_map.byte_count)


@dataclass(frozen=True, slots=True)
class Beginning:
    """The first bytes of the string, as the model gets it, and the id of the entry that they are; -1 if they are not an
    entry.
    """

    piece: bytes
    token: int


@dataclass(frozen=True, slots=True)
class Finding:
    """The answer of one tokenizer; ``step`` is the deciding step of the run (-1: none), ``error`` why there is no
    answer.
    """

    question: Question
    count: str = ""
    sentence: Sentence = ()
    facts: list[Fact] = field(default_factory=list)
    verdict: Verdict | None = None
    run: TraceRun | None = None
    tokens: list[list[Symbol]] = field(default_factory=list)
    beginnings: list[Beginning] = field(default_factory=list)
    near: list[NearSpelling] = field(default_factory=list)
    step: int = -1
    error: str = ""

    @property
    def touched(self) -> list[list[Symbol]]:
        """The tokens that the string is in, word by word: in a text, the run may have others beside them."""
        verdict = self.verdict
        if verdict is None or verdict.whole:
            return self.tokens
        inside = [
            [symbol for symbol in word if symbol.end > verdict.low and symbol.start < verdict.high]
            for word in self.tokens
        ]
        return [word for word in inside if word]

    @property
    def is_one(self) -> bool:
        """Whether the string is one token."""
        return self.verdict is not None and self.verdict.is_one


def finding(tokenizer: tc.Tokenizer, question: Question, special: str = "none") -> Finding:
    """Returns a tokenizer's answer to a question of up to `LONGEST` bytes."""
    try:
        verdict = _verdict(tokenizer, question, special)
        run = TraceRun(tokenizer, question.utf8, question.start, question.end, special)
    except tc.TokenariumError as error:
        return Finding(question, error=str(error))
    step = step_of(run, verdict)
    run.go_to(len(run))
    return Finding(
        question,
        count_of(verdict),
        why(verdict, tokenizer),
        facts(verdict, tokenizer),
        verdict,
        run,
        run.symbols(),
        beginnings(tokenizer.vocabulary, own_of(verdict)),
        near_spellings(tokenizer, question.text, special),
        step,
    )


def step_of(run: TraceRun, verdict: Verdict) -> int:
    """Returns the step of a run at which the merge that decided is next, or -1: one token is played from its beginning."""
    if verdict.event < 0 or verdict.is_one:
        return -1
    events = [step.event for step in run.playback.steps]
    return run.number(events.index(verdict.event)) if verdict.event in events else -1


Place = tuple[int, int, int]
"""The bytes of a string in a text, and a step of the run that plays them."""


def places_to_play(
    tokenizer: tc.Tokenizer, answer: Finding, utf8: bytes, special: str = "none"
) -> Iterator[Place | None]:
    """Yields None for each place of a text that is tried in vain, and then the place with the same verdict.

    Only the first places are tried, so there may be no such place. Each try may encode all of a short text:
    a caller can do something else in between.
    """
    question, verdict = answer.question, answer.verdict
    if verdict is None or question.start == question.end:
        return
    if question.utf8 == utf8:
        yield question.start, question.end, max(answer.step, 0)
        return
    data = question.utf8[question.start : question.end]
    at = utf8.find(data)
    for _ in range(_TRIED):
        if at < 0:
            return
        played = _place(tokenizer, Question(utf8, at, at + len(data)), verdict, special)
        yield played
        if played is not None:
            return
        at = utf8.find(data, at + 1)


def _place(
    tokenizer: tc.Tokenizer, question: Question, wanted: Verdict, special: str
) -> Place | None:
    """Returns a question as a place to play if the verdict there is the same."""
    try:
        verdict = _verdict(tokenizer, question, special)
        if not _same(verdict, wanted):
            return None
        run = TraceRun(tokenizer, question.utf8, question.start, question.end, special)
    except tc.TokenariumError:
        return None
    return question.start, question.end, max(step_of(run, verdict), 0)


def _verdict(tokenizer: tc.Tokenizer, question: Question, special: str) -> Verdict:
    first, last = traced_part(question.utf8, question.start, question.end)
    text = question.utf8[first:last].decode("utf-8", "replace")
    return why_not(tokenizer, text, question.start - first, question.end - first, special)


_TRIED = 3


def _same(one: Verdict, other: Verdict) -> bool:
    if one.kind != other.kind or one.ids != other.ids:
        return False
    first, second = one.merge, other.merge
    if first is None or second is None:
        return first is second
    return (first.left, first.right, first.start - one.low) == (
        second.left,
        second.right,
        second.start - other.low,
    )


def beginnings(vocabulary: tc.Vocabulary, data: bytes) -> list[Beginning]:
    """Returns the prefixes of a string, in increasing length: those that are entries, and those that end with a character.

    A character here takes the marks after it, unless it is an entry without them.
    """
    text = data.decode("utf-8", "replace")
    marked = {
        len(text[:index].encode())
        for index in range(1, len(text))
        if category(text[index])[0] == "M" or text[index - 1] == "\u200d" or text[index] == "\u200d"
    }
    ends = {len(text[:index].encode()) for index in range(1, len(text) + 1)} - marked
    prefixes = []
    for end in range(1, len(data) + 1):
        token = vocabulary.find(data[:end])
        if token >= 0 or end in ends or end == len(data):
            prefixes.append(Beginning(data[:end], token))
    return prefixes


def longest_entry(found: Sequence[Beginning]) -> int:
    """Returns the place of the longest beginning that is an entry, or -1."""
    return max((index for index, prefix in enumerate(found) if prefix.token >= 0), default=-1)


SHOWN = 12
"""Merges of an ancestry, or pieces of a path, that are listed."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of evidence: how it begins (may be empty), its text, and the name of its icon."""

    label: str
    sentence: Sentence
    icon: str = "git-merge"


def facts(verdict: Verdict, tokenizer: tc.Tokenizer) -> list[Fact]:
    """Returns the evidence: the normalized form, and the merges and scores that decided."""
    lines = []
    own = own_of(verdict)
    normalized = verdict.data if verdict.whole else own
    if verdict.changed and verdict.kind not in (kinds.CHANGED, kinds.PREFIXED, kinds.NOTHING):
        who = who_changes(tokenizer)
        lines.append(
            Fact(
                "The model gets",
                (SentenceToken(some(normalized)), f", which {who} makes of it."),
                "text-aa",
            )
        )
    if verdict.kind == kinds.CUT and verdict.piece >= 0:
        lines.append(
            Fact(
                "",
                (
                    SentenceToken(some(own)),
                    f" is in the vocabulary, id {verdict.piece}, but no token crosses a cut.",
                ),
                "books",
            )
        )
    if verdict.kind != kinds.ONE and verdict.fallbacks:
        size = counted(verdict.fallbacks, "byte")
        lines.append(Fact("Falls back", (f"to {size}, for characters without an entry.",), "hash"))
    if verdict.kind == kinds.NOT_THERE and verdict.unknown:
        lines.append(Fact("", ("What has no entry becomes the unknown token.",), "warning"))
    scored = is_scored(tokenizer)
    if verdict.kind == kinds.PREFIXED:
        lines += _merge_facts(verdict, scored)
    if verdict.path and verdict.kind != kinds.MERGED_ON:
        label = "Made by" if verdict.kind == kinds.ONE else "Would be made by"
        lines.append(Fact(label, _ancestry(verdict, scored)))
    if verdict.kind == kinds.OUTSCORED:
        lines.append(
            Fact("Best way", _way(verdict, verdict.best_path, verdict.best_score), "scales")
        )
        if len(verdict.own_path) > 1:
            lines.append(
                Fact("With it", _way(verdict, verdict.own_path, verdict.own_score), "scales")
            )
    if verdict.kind == kinds.NOT_THERE and not lines:
        lines += _never_merged(verdict, tokenizer)
    return lines


def _never_merged(verdict: Verdict, tokenizer: tc.Tokenizer) -> list[Fact]:
    """Returns that the first two tokens never merge, if the model makes merges and they do not form an entry.

    Of PickyBPE, that the string was an entry, and was removed.
    """
    vocabulary = tokenizer.vocabulary
    model = tokenizer.model
    if isinstance(model, BoundlessBpe):
        return []
    if isinstance(model, PickyBpe):
        if model.events.number_of(own_of(verdict)) < 0:
            return []
        return [Fact("", ("It was an entry during the training, and was removed.",), "git-merge")]
    whole = isinstance(model, Unigram | WordPiece | WordLevel | LongestMatch | LowestCost)
    if len(verdict.ids) < 2 or whole:
        return []
    first, second = (vocabulary.piece(token) for token in verdict.ids[:2])
    if vocabulary.find(first + second) >= 0:
        return []
    chips = [SentenceToken(some(vocabulary.piece(token)), token) for token in verdict.ids[:2]]
    why_never = "no entry is both together" if is_scored(tokenizer) else "no rank joins them"
    joined = (chips[0], " and ", chips[1], f" never merge: {why_never}.")
    return [Fact("", joined, "git-merge")]


def comparisons(own: Finding, others: Sequence[tuple[str, Finding]]) -> list[Fact]:
    """Returns what other tokenizers, by name, do with the same string: which have it as one token, which cut it first."""
    verdict = own.verdict
    if verdict is None:
        return []
    if verdict.is_one:
        return _also_one(others)
    lines = []
    for name, other in others:
        theirs = other.verdict
        if theirs is not None and theirs.is_one:
            piece = SentenceToken(some(own_of(theirs)), theirs.token)
            sentence = (f"{name} has ", piece, f" as one entry, id {theirs.token}.")
            lines.append(Fact("", sentence, "check-circle"))
    cutting: dict[bytes, list[str]] = {}  # names by what is before the cut
    for name, other in others:
        theirs = other.verdict
        if theirs is not None and theirs.kind == kinds.CUT != verdict.kind:
            cutting.setdefault(theirs.data[theirs.low : theirs.start], []).append(name)
    whole = [
        name
        for name, other in others
        if other.verdict is not None and other.verdict.kind not in (kinds.CUT, kinds.ONE)
    ]
    if verdict.kind == kinds.CUT and whole:
        keep = f"{', '.join(whole[:-1])} and {whole[-1]} keep" if whole[1:] else f"{whole[0]} keeps"
        lines.append(Fact("", (f"{keep} it whole, and the model decides.",), "scissors"))
    for left, names in cutting.items():
        who = f"{', '.join(names[:-1])} and {names[-1]} cut" if names[1:] else f"{names[0]} cuts"
        sentence = (
            f"{who} it after ",
            SentenceToken(some(left)),
            " before any merge; here it is kept whole.",
        )
        lines.append(Fact("", sentence, "scissors"))
    return lines


def _also_one(others: Sequence[tuple[str, Finding]]) -> list[Fact]:
    """Returns how many tokens the others make of a string that is one token."""
    known = [(name, sum(map(len, other.touched))) for name, other in others if not other.error]
    more = [f"{name} makes {counted(count, 'token')}" for name, count in known if count > 1]
    if more:
        return [
            Fact(
                "",
                (
                    f"{', '.join(more[:-1])} and {more[-1]} of it."
                    if more[1:]
                    else f"{more[0]} of it.",
                ),
                "scales",
            )
        ]
    if len(known) > 1:
        return [Fact("", ("It is one token in the other tokenizers too.",), "scales")]
    return []


def _merge_facts(verdict: Verdict, scored: bool) -> list[Fact]:
    """Returns the merges of an outranked piece that the sentence does not mention."""
    named = [("Came first", verdict.merge), ("Had to wait", verdict.needed)]
    if verdict.blocked is not verdict.needed:
        named.append(("Lost a side", verdict.blocked))
    return [
        Fact(label, (*joining(verdict, merge), f"  {value_of(merge, scored)}"))
        for label, merge in named
        if merge is not None
    ]


def _way(verdict: Verdict, edges: list[LatticeEdge], score: float) -> Sentence:
    """Returns the pieces of a path through a lattice with their scores, and the sum."""
    parts: list[str | SentenceToken] = []
    for edge in edges[:SHOWN]:
        piece = SentenceToken(some(verdict.data[edge.start : edge.stop]), edge.token)
        parts += [piece, f" {score_text(edge.score)}  "]
    if len(edges) > SHOWN:
        parts.append(f"and {len(edges) - SHOWN:,} more  ")
    return (*parts, f"= {score_text(score)}") if len(edges) > 1 else tuple(parts)


def _ancestry(verdict: Verdict, scored: bool) -> Sentence:
    """Returns the merges of a piece in the order in which they would be made."""
    merges = sorted(verdict.path, key=lambda merge: (merge.rank, merge.start))
    parts: list[str | SentenceToken] = []
    for merge in merges[:SHOWN]:
        if parts:
            parts.append(" → ")
        value = score_text(merge.score) if scored else f"{merge.rank:,}"
        parts += [
            SentenceToken(some(verdict.data[merge.start : merge.stop]), merge.result),
            f" {value}",
        ]
    if len(merges) > SHOWN:
        parts.append(f" … {len(merges) - SHOWN:,} more")
    return tuple(parts)
