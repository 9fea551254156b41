"""The differences between the entries, the merges and the scores of two models: as sets, and as orders."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sized
from typing import Final, final

from mypy_extensions import i64

from tokenarium_core.formats.byte_level import ordered_merges
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.unicode import byte_alphabet

MOST_PROBES: Final = 2_000
"""The most texts that are made for one difference."""

_MOST_NAMES: Final = 5  # entries that a sentence names
_NEAR: Final = 3_000  # pairs of merges that are looked at for one that moved

EntryDifference = tuple[str, str, str, list[str]]
"""What differs, the values in both, and texts to try."""


@final
class EntryLists:
    """The entries of two models by their texts, without those that are added tokens."""

    def __init__(self, a: Tokenizer, b: Tokenizer) -> None:
        self.a = a
        self.b = b
        added = {token.content for token in [*a.added_tokens.tokens, *b.added_tokens.tokens]}
        self._ids_a = {text: id for text, id in a.vocabulary.ids.items() if text not in added}
        self._ids_b = {text: id for text, id in b.vocabulary.ids.items() if text not in added}

    def entries(self) -> list[EntryDifference]:
        """Returns the differences of the vocabularies as sets, and of their ids."""
        ids_a, ids_b = self._ids_a, self._ids_b
        only_a = [text for text in ids_a if text not in ids_b]
        only_b = [text for text in ids_b if text not in ids_a]
        other = [text for text, id in ids_a.items() if ids_b.get(text, id) != id]
        found: list[EntryDifference] = []
        if only_a:
            probes = _texts(self.a, [ids_a[text] for text in only_a])
            found.append(("entries only in A", listed(only_a), "0", probes))
        if only_b:
            probes = _texts(self.b, [ids_b[text] for text in only_b])
            found.append(("entries only in B", "0", listed(only_b), probes))
        if other:
            shown_a = ", ".join([f"{text!r} {ids_a[text]}" for text in other[:_MOST_NAMES]])
            shown_b = ", ".join([f"{text!r} {ids_b[text]}" for text in other[:_MOST_NAMES]])
            probes = _texts(self.a, [ids_a[text] for text in other])
            more = ", …" if len(other) > _MOST_NAMES else ""
            what = f"the ids of {_counted(other, 'entry', 'entries')}"
            found.append((what, shown_a + more, shown_b + more, probes))
        return found

    def merges(self) -> list[EntryDifference]:
        """Returns the differences of the merges as sets, and those of their order that can have an effect."""
        ours, theirs = merges_of(self.a), merges_of(self.b)
        if ours is None or theirs is None:
            return []
        ranks_a = {pair: rank for rank, pair in enumerate(ours)}
        ranks_b = {pair: rank for rank, pair in enumerate(theirs)}
        only_a = [pair for pair in ours if pair not in ranks_b]
        only_b = [pair for pair in theirs if pair not in ranks_a]
        found: list[EntryDifference] = []
        if only_a:
            found.append(("merges only in A", listed(_shown(only_a)), "0", _pair_texts(only_a)))
        if only_b:
            found.append(("merges only in B", "0", listed(_shown(only_b)), _pair_texts(only_b)))
        common = [pair for pair in ours if pair in ranks_b]
        moved = _moved([ranks_b[pair] for pair in common])
        if moved:
            probes, competes = _order_probes(common, moved, ranks_b)
            affix = self.a.vocabulary.affix
            ordered = _is_ordered(ours, affix) and _is_ordered(theirs, affix)
            if competes or not ordered or affix != self.b.vocabulary.affix:
                pairs = [common[index] for index in moved]
                what = f"the order of {_counted(moved, 'merge', 'merges')}"
                shown_a = _ranks(pairs, ranks_a)
                found.append((what, shown_a, _ranks(pairs, ranks_b), probes))
        return found

    def scores(self) -> list[EntryDifference]:
        """Returns the difference of the scores of Unigram."""
        if not (isinstance(self.a.model, Unigram) and isinstance(self.b.model, Unigram)):
            return []
        scores_a, scores_b = self.a.vocabulary.scores, self.b.vocabulary.scores
        other: list[str] = []
        for text, id in self._ids_a.items():
            its = self._ids_b.get(text, -1)
            if 0 <= its < len(scores_b) and id < len(scores_a) and scores_a[id] != scores_b[its]:
                other.append(text)
        if not other:
            return []
        shown_a = [f"{text!r} {scores_a[self._ids_a[text]]:g}" for text in other[:_MOST_NAMES]]
        shown_b = [f"{text!r} {scores_b[self._ids_b[text]]:g}" for text in other[:_MOST_NAMES]]
        more = ", …" if len(other) > _MOST_NAMES else ""
        probes = _texts(self.a, [self._ids_a[text] for text in other])
        probes += _containing(self.a, probes[:_MOST_NAMES])
        what = f"the scores of {_counted(other, 'entry', 'entries')}"
        return [(what, ", ".join(shown_a) + more, ", ".join(shown_b) + more, probes)]


def merges_of(tokenizer: Tokenizer) -> list[tuple[str, str]] | None:
    """Returns the merges of a model as the texts of their parts, in order; None for a model without merges."""
    model = tokenizer.model
    token = tokenizer.vocabulary.token
    if isinstance(model, BytePairEncoder):
        return [(token(left), token(right)) for left, right in ordered_merges(model)]
    if isinstance(model, CharacterBpe):
        table = model.merges.table
        count: i64 = len(tokenizer.vocabulary)
        return [
            (token(i64(table.lefts[rank])), token(i64(table.rights[rank])))
            for rank in range(len(table))
            if i64(table.results[rank]) >= 0
            and i64(table.lefts[rank]) < count
            and i64(table.rights[rank]) < count
        ]
    return None


def entry_texts(tokenizer: Tokenizer, most: int) -> list[str]:
    """Returns what some entries stand for in a text, evenly spread over the ids."""
    count = len(tokenizer.vocabulary)
    return _texts(tokenizer, list(range(0, count, max(1, count // most))))


def listed(entries: list[str]) -> str:
    """Returns how many entries there are, with the first of them."""
    named = ", ".join([repr(entry) for entry in entries[:_MOST_NAMES]])
    more = ", …" if len(entries) > _MOST_NAMES else ""
    return f"{len(entries):,}: {named}{more}"


def _counted(items: Sized, one: str, more: str) -> str:
    """Returns how many items there are, in words."""
    return f"{len(items):,} {one if len(items) == 1 else more}"


def _texts(tokenizer: Tokenizer, ids: list[int]) -> list[str]:
    """Returns what entries stand for in a text, the shortest first, each alone and within a word."""
    pieces: list[str] = []
    for id in ids:
        try:
            piece = tokenizer.vocabulary.piece(id).decode().replace("▁", " ")
        except UnicodeDecodeError:
            continue
        if piece:
            pieces.append(piece)
    pieces.sort(key=len)
    del pieces[MOST_PROBES:]
    return [*pieces, *[f"a{piece}" for piece in pieces], *[f"{piece}a" for piece in pieces]]


def _containing(tokenizer: Tokenizer, texts: list[str]) -> list[str]:
    """Returns what the entries that contain one of some texts stand for."""
    sought = [text.strip() for text in texts if text.strip()]
    ids = [
        id for text, id in tokenizer.vocabulary.ids.items() if any(part in text for part in sought)
    ]
    return _texts(tokenizer, ids[:MOST_PROBES])


# Merges.


def _shown(pairs: list[tuple[str, str]]) -> list[str]:
    return [f"{left} {right}" for left, right in pairs[: _MOST_NAMES + 1]] + [""] * max(
        len(pairs) - _MOST_NAMES - 1, 0
    )


def _ranks(pairs: list[tuple[str, str]], ranks: dict[tuple[str, str], int]) -> str:
    named = [f"{' '.join(pair)!r} at {ranks[pair]:,}" for pair in pairs[:_MOST_NAMES]]
    return ", ".join(named) + (", …" if len(pairs) > _MOST_NAMES else "")


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
