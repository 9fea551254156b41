"""The differences between the entries and the scores of two models, as sets."""

from __future__ import annotations

from collections.abc import Sized
from typing import Final, final

from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.tokenizer import Tokenizer

MOST_PROBES: Final = 2_000
"""The most texts that are made for one difference."""

MOST_NAMES: Final = 5
"""The most entries that a sentence names."""

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
            shown_a = ", ".join([f"{text!r} {ids_a[text]}" for text in other[:MOST_NAMES]])
            shown_b = ", ".join([f"{text!r} {ids_b[text]}" for text in other[:MOST_NAMES]])
            probes = _texts(self.a, [ids_a[text] for text in other])
            more = ", …" if len(other) > MOST_NAMES else ""
            what = f"the ids of {counted(other, 'entry', 'entries')}"
            found.append((what, shown_a + more, shown_b + more, probes))
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
        shown_a = [f"{text!r} {scores_a[self._ids_a[text]]:g}" for text in other[:MOST_NAMES]]
        shown_b = [f"{text!r} {scores_b[self._ids_b[text]]:g}" for text in other[:MOST_NAMES]]
        more = ", …" if len(other) > MOST_NAMES else ""
        probes = _texts(self.a, [self._ids_a[text] for text in other])
        probes += _containing(self.a, probes[:MOST_NAMES])
        what = f"the scores of {counted(other, 'entry', 'entries')}"
        return [(what, ", ".join(shown_a) + more, ", ".join(shown_b) + more, probes)]


def entry_texts(tokenizer: Tokenizer, most: int) -> list[str]:
    """Returns what some entries stand for in a text, evenly spread over the ids."""
    count = len(tokenizer.vocabulary)
    return _texts(tokenizer, list(range(0, count, max(1, count // most))))


def listed(entries: list[str]) -> str:
    """Returns how many entries there are, with the first of them."""
    named = ", ".join([repr(entry) for entry in entries[:MOST_NAMES]])
    more = ", …" if len(entries) > MOST_NAMES else ""
    return f"{len(entries):,}: {named}{more}"


def counted(items: Sized, one: str, more: str) -> str:
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
