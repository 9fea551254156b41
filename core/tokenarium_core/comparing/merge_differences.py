"""The differences between the merges of two models: as sets, as orders, and as what happened in a training."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from typing import Final, final

from mypy_extensions import i64

from tokenarium_core.comparing.entry_differences import (
    MOST_NAMES,
    MOST_PROBES,
    EntryDifference,
    counted,
)
from tokenarium_core.formats.byte_level import ordered_merges
from tokenarium_core.models.bpe.boundless_bpe import BoundlessBpe
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.event_word import EventModel
from tokenarium_core.models.bpe.merge_events import REMOVAL
from tokenarium_core.models.bpe.sentencepiece_bpe import SentencePieceSymbols
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.unicode import byte_alphabet
from tokenarium_core.vocabulary import NORMAL, USER_DEFINED

_NEAR: Final = 3_000  # pairs of merges that are looked at for one that moved
_SLICE: Final = 50_000  # merges that are looked up at once
_SHIFT: Final = 24  # of the left part in the number of a pair
_MASK: Final = (1 << _SHIFT) - 1


@final
class MergeLists:
    """The merges of two models. An entry that both have has one number, its id in A; a pair of them is one number too.

    ``found`` are the differences, once `compare` has ended.
    """

    def __init__(self, a: Tokenizer, b: Tokenizer) -> None:
        self.a = a
        self.b = b
        self.found: list[EntryDifference] = []
        self._count: i64 = len(a.vocabulary)

    def compare(self) -> Iterator[None]:
        """Finds the differences as sets, and those of the order that can have an effect; step by step."""
        one, other = self.a.model, self.b.model
        if isinstance(one, EventModel) and isinstance(other, EventModel):
            self._compare_rows(_events(one), _events(other), "event", "events")
            if isinstance(one, BoundlessBpe) and isinstance(other, BoundlessBpe):
                ours, theirs = _supermerges(self.a, one), _supermerges(self.b, other)
                self._compare_rows(ours, theirs, "supermerge", "supermerges")
            return
        pairs = _pairs(self.a)
        yield
        own = _pairs(self.b)
        if pairs is None or own is None:
            return
        yield
        numbers = self._numbers_of_b()
        yield
        its = [numbers[pair >> _SHIFT] << _SHIFT | numbers[pair & _MASK] for pair in own]
        yield
        ranks_a = {pair: rank for rank, pair in enumerate(pairs)}
        yield
        ranks_b = {pair: rank for rank, pair in enumerate(its)}
        yield
        only_a = [pair for pair in pairs if pair not in ranks_b]
        only_b = [pair for pair in its if pair not in ranks_a]
        yield
        if only_a:
            for _ in self._note_only(only_a, pairs, self.b, True):
                yield
        if only_b:
            for _ in self._note_only(only_b, its, self.a, False):
                yield
        common = [pair for pair in pairs if pair in ranks_b]
        yield
        moved = _moved([ranks_b[pair] for pair in common])
        yield
        if moved:
            self._note_moved([self._parts(pair) for pair in common], moved, pairs, its)

    def _numbers_of_b(self) -> list[int]:
        ids = self.a.vocabulary.ids
        token = self.b.vocabulary.token
        count = self._count
        return [ids.get(token(id), count + id) for id in range(len(self.b.vocabulary))]

    def _parts(self, pair: int) -> tuple[str, str]:
        return self._name(pair >> _SHIFT), self._name(pair & _MASK)

    def _name(self, number: i64) -> str:
        if number < self._count:
            return self.a.vocabulary.token(number)
        return self.b.vocabulary.token(number - self._count)

    def _note_only(
        self, only: list[int], pairs: list[int], other: Tokenizer, in_a: bool
    ) -> Iterator[None]:
        """Records the merges that only one of the two has, but for those that the other needs no merge for."""
        what = f"merges only in {'A' if in_a else 'B'}"
        if isinstance(other.model, CharacterBpe):
            source = other.model.source
            if isinstance(source, SentencePieceSymbols) and not other.model.merges.ambiguous:
                results: dict[int, int] = {}
                for start in range(0, len(pairs), _SLICE):
                    for pair in pairs[start : start + _SLICE]:
                        results[pair] = self._result(pair, other)
                    yield
                kinds = other.vocabulary.kinds
                whole: list[int] = []
                rest: list[int] = []
                for pair in only:
                    id = results[pair]
                    is_whole = id >= 0 and i64(kinds[id]) == USER_DEFINED
                    (whole if is_whole else rest).append(pair)
                finder = "B" if in_a else "A"
                self._note_rows(
                    f"{what}, of pieces that {finder} finds before it merges", whole, in_a
                )
                yield
                if _follow_scores([results[pair] for pair in pairs], other):
                    rest = [pair for pair in rest if results[pair] < 0]
                only = rest
        self._note_rows(what, only, in_a)

    def _note_rows(self, what: str, pairs: list[int], in_a: bool) -> None:
        if not pairs:
            return
        parts = [self._parts(pair) for pair in pairs[: max(MOST_PROBES, MOST_NAMES)]]
        shown = _listed(parts, len(pairs))
        one, other = (shown, "0") if in_a else ("0", shown)
        self.found.append((what, one, other, _pair_texts(parts)))

    def _result(self, pair: int, other: Tokenizer) -> int:
        """Returns the id that a merge makes in a model without affixes; -1 if it has no such entry."""
        left, right = self._parts(pair)
        return other.vocabulary.ids.get(left + right, -1)

    def _note_moved(
        self, common: list[tuple[str, str]], moved: list[int], pairs: list[int], its: list[int]
    ) -> None:
        ours = [self._parts(pair) for pair in pairs]
        theirs = [self._parts(pair) for pair in its]
        ranks_a = {pair: rank for rank, pair in enumerate(ours)}
        ranks_b = {pair: rank for rank, pair in enumerate(theirs)}
        probes, competes = _order_probes(common, moved, ranks_b)
        affix = self.a.vocabulary.affix
        ordered = _is_ordered(ours, affix) and _is_ordered(theirs, affix)
        if competes or not ordered or affix != self.b.vocabulary.affix:
            rows = [common[index] for index in moved]
            what = f"the order of {counted(moved, 'merge', 'merges')}"
            self.found.append((what, _ranks(rows, ranks_a), _ranks(rows, ranks_b), probes))

    def _compare_rows(
        self, ours: list[tuple[str, str]], theirs: list[tuple[str, str]], one: str, more: str
    ) -> None:
        """Compares what happened in two trainings, in which the same may happen again."""
        if ours == theirs:
            return
        only_a = list((Counter(ours) - Counter(theirs)).elements())
        only_b = list((Counter(theirs) - Counter(ours)).elements())
        for rows, in_a in ((only_a, True), (only_b, False)):
            if rows:
                shown = _listed(rows, len(rows))
                values = (shown, "0") if in_a else ("0", shown)
                what = f"{more} only in {'A' if in_a else 'B'}"
                self.found.append((what, *values, _pair_texts(rows)))
        if not (only_a or only_b):
            at = next(i for i in range(len(ours)) if ours[i] != theirs[i])
            shown_a, shown_b = (f"{' '.join(rows[at])!r} at {at:,}" for rows in (ours, theirs))
            near = [*ours[at : at + MOST_PROBES], *theirs[at : at + MOST_PROBES]]
            texts = _read([left + right for left, right in near])
            texts += _read([x[0] + x[1] + y[1] for x in near[:20] for y in near if x[1] == y[0]])
            self.found.append((f"the order of the {more}", shown_a, shown_b, texts))


def _follow_scores(results: list[int], other: Tokenizer) -> bool:
    """Returns whether what merges make is in the order of the scores of SentencePiece's pieces, of which no two are equal.

    Its model makes any two neighbours that are a piece together, and its list has only those merges that are ever
    made. Then what a file has in addition is never made in the file either: in each state, the best merge is in both.
    """
    scores = other.vocabulary.scores
    kinds = other.vocabulary.kinds
    score = 0.0
    before = -1
    for id in results:
        if id < 0 or id >= len(scores):
            return False
        if i64(kinds[id]) == USER_DEFINED:
            continue
        own: float = scores[id]
        if i64(kinds[id]) != NORMAL or (before >= 0 and id != before and own >= score):
            return False
        score = own
        before = id
    return True


def _pairs(tokenizer: Tokenizer) -> list[int] | None:
    """Returns the merges of a model as numbers of pairs of ids, in order; None for a model without merges."""
    model = tokenizer.model
    if isinstance(model, BytePairEncoder):
        return [left << _SHIFT | right for left, right in ordered_merges(model)]
    if isinstance(model, CharacterBpe):
        table = model.merges.table
        lefts, rights, results = table.lefts, table.rights, table.results
        count: i64 = len(tokenizer.vocabulary)
        pairs: list[int] = []
        for rank in range(len(table)):
            left: i64 = i64(lefts[rank])
            right: i64 = i64(rights[rank])
            if i64(results[rank]) >= 0 and left < count and right < count:
                pairs.append(left << _SHIFT | right)
        return pairs
    return None


def _events(model: EventModel) -> list[tuple[str, str]]:
    """Returns merges as the texts of their parts, and removals as the text of a token and "removed"."""
    events = model.events
    names = [byte_alphabet.to_text(piece) for piece in events.pieces]
    rows: list[tuple[str, str]] = []
    for event in range(len(events)):
        left: i64 = i64(events.lefts[event])
        if left == REMOVAL:
            rows.append((names[i64(events.tokens[event])], "removed"))
        else:
            rows.append((names[left], names[i64(events.rights[event])]))
    return rows


def _supermerges(tokenizer: Tokenizer, model: BoundlessBpe) -> list[tuple[str, str]]:
    token = tokenizer.vocabulary.token
    found = model.supermerges
    return [(token(i64(found.lefts[i])), token(i64(found.rights[i]))) for i in range(len(found))]


def _listed(pairs: list[tuple[str, str]], count: int) -> str:
    """Returns how many pairs there are, with the first of them."""
    named = ", ".join([repr(" ".join(pair)) for pair in pairs[:MOST_NAMES]])
    return f"{count:,}: {named}{', …' if count > MOST_NAMES else ''}"


def _ranks(pairs: list[tuple[str, str]], ranks: dict[tuple[str, str], int]) -> str:
    named = [f"{' '.join(pair)!r} at {ranks[pair]:,}" for pair in pairs[:MOST_NAMES]]
    return ", ".join(named) + (", …" if len(pairs) > MOST_NAMES else "")


def _moved(ranks: list[int]) -> list[int]:
    """Returns the indices of the fewest numbers without which the others ascend."""
    tails: list[int] = []
    at: list[int] = []  # of the last number of the shortest row of each length
    before = [-1] * len(ranks)
    for index, rank in enumerate(ranks):
        length = bisect_left(tails, rank)
        if length == len(tails):
            tails.append(rank)
            at.append(index)
        else:
            tails[length] = rank
            at[length] = index
        before[index] = at[length - 1] if length else -1
    remaining = set[int]()
    index = at[-1] if at else -1
    while index >= 0:
        remaining.add(index)
        index = before[index]
    return [index for index in range(len(ranks)) if index not in remaining]


def _order_probes(
    common: list[tuple[str, str]], moved: list[int], ranks_b: dict[tuple[str, str], int]
) -> tuple[list[str], bool]:
    """Returns texts in which two merges compete for a part, and the order between them is not the same in both.

    Also returns whether any compete. If none do, and the parts of each merge are made before it, then the order has no effect: two merges that
    share no part do not care which of them is first.
    """
    by_left: dict[str, list[int]] = {}
    by_right: dict[str, list[int]] = {}
    for index, (left, right) in enumerate(common):
        by_left.setdefault(left, []).append(index)
        by_right.setdefault(right, []).append(index)
    texts: list[str] = []
    for index in moved:
        left, right = common[index]
        rank = ranks_b[common[index]]
        pairs = 0
        for other in by_left.get(right, []):
            if (other < index) != (ranks_b[common[other]] < rank):
                texts.append(left + right + common[other][1])
                pairs += 1
            if pairs > _NEAR:
                break
        for other in by_right.get(left, []):
            if (other < index) != (ranks_b[common[other]] < rank):
                texts.append(common[other][0] + left + right)
                pairs += 1
            if pairs > _NEAR:
                break
        if len(texts) > MOST_PROBES:
            break
    return _read(texts), bool(texts)


def _is_ordered(merges: list[tuple[str, str]], affix: str) -> bool:
    """Returns whether no merge needs what a later one makes; ``affix`` begins pieces within a word."""
    results: list[str] = []
    for left, right in merges:
        continues = affix and right.startswith(affix) and len(right) > len(affix)
        results.append(left + (right[len(affix) :] if continues else right))
    later = set(results)
    made = set[str]()
    for (left, right), result in zip(merges, results, strict=True):
        if (left in later and left not in made) or (right in later and right not in made):
            return False
        made.add(result)
    return True


def _pair_texts(pairs: list[tuple[str, str]]) -> list[str]:
    found = _read([left + right for left, right in pairs[:MOST_PROBES]])
    return [*found, *[f"a{text}" for text in found], *[f"{text}a" for text in found]]


def _read(spelled: list[str]) -> list[str]:
    """Returns the texts that are spelled with marks for spaces or in GPT-2's alphabet, the shortest first."""
    texts: list[str] = []
    for text in spelled:
        if "Ġ" not in text:
            texts.append(text.replace("▁", " "))
        if not text.isascii() and all(character in byte_alphabet.BYTES for character in text):
            try:
                texts.append(byte_alphabet.to_bytes(text).decode())
            except UnicodeDecodeError:
                continue
    return sorted(texts, key=len)
