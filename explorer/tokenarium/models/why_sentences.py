"""Why a string is not one token, in words: one sentence, and the facts beneath it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import tokenarium_core as tc
from tokenarium.models.piece import readable, score_text
from tokenarium.models.pipeline import cuts_by
from tokenarium_core import verdict as kinds
from tokenarium_core.merge_path import Merge
from tokenarium_core.trace import NO_PIECE
from tokenarium_core.verdict import Verdict
from tokenarium_core.vocabulary import BYTE, CONTINUING, KINDS, UNUSED, WORD_END

LONGEST = 60
"""Characters of a piece in a sentence."""

SHOWN_MERGES = 12
"""Merges of an ancestry that are listed."""


@dataclass(frozen=True, slots=True)
class Chip:
    """A piece within a sentence: its text as a person reads it, and its id (-1: it has none)."""

    text: str
    id: int = -1


Sentence = tuple[str | Chip, ...]
"""Words and pieces, one behind the other."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of evidence: what it is, and what it says."""

    label: str
    sentence: Sentence


def plain(sentence: Sentence) -> str:
    """Returns a sentence with its pieces in quotation marks."""
    return "".join(part if isinstance(part, str) else f"“{part.text}”" for part in sentence)


def count_of(verdict: Verdict) -> str:
    """Returns how many tokens there are, as short as can be."""
    count = len(verdict.ids)
    if verdict.unknown and count == 1:
        return "1 unknown token"
    tokens = "1 token" if count == 1 else f"{count:,} tokens"
    return tokens if verdict.whole or verdict.is_one else f"in {tokens}"


def why(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    """Returns the verdict in words."""
    return _SENTENCES[verdict.kind](verdict, tokenizer)


def facts(verdict: Verdict, tokenizer: tc.Tokenizer) -> list[Fact]:
    """Returns what else is to be known: the normalised form, the merges and scores behind the verdict."""
    lines = []
    own = _own(verdict)
    normalised = verdict.data if verdict.whole else own
    if verdict.changed and verdict.kind not in (kinds.CHANGED, kinds.PREFIXED, kinds.NOTHING):
        who = _who_changes(tokenizer)
        lines.append(
            Fact("The model gets", (Chip(_some(normalised)), f", which {who} makes of it"))
        )
    if verdict.kind == kinds.CUT and verdict.piece >= 0:
        lines.append(
            Fact(
                "In the vocabulary",
                (Chip(_some(own)), f" is there, id {verdict.piece}, but no token crosses a cut"),
            )
        )
    if verdict.kind != kinds.ONE and verdict.fallbacks:
        size = _counted(verdict.fallbacks, "byte")
        lines.append(Fact("Falls back", (f"to {size}, for characters that are no piece",)))
    if verdict.kind == kinds.NOT_THERE and verdict.unknown:
        lines.append(Fact("Unknown", ("what is no piece becomes the unknown token",)))
    scored = _scored(tokenizer)
    if verdict.kind == kinds.PREFIXED:
        lines += _merge_facts(verdict, scored)
    if verdict.path and verdict.kind != kinds.MERGED_ON:
        lines.append(Fact("Would be made by", _ancestry(verdict, scored)))
    if verdict.kind == kinds.OUTSCORED:
        lines += [
            Fact("Best way", (f"score {score_text(verdict.best_score)}",)),
            Fact("With this piece", (f"score {score_text(verdict.own_score)}",)),
        ]
    return lines


def _merge_facts(verdict: Verdict, scored: bool) -> list[Fact]:
    """Returns the merges of an outranked piece where the sentence does not tell of them."""
    named = [("Came first", verdict.merge), ("Had to wait", verdict.needed)]
    if verdict.blocked is not verdict.needed:
        named.append(("Lost a side", verdict.blocked))
    return [
        Fact(label, (*_joining(verdict, merge), f"  {_value(merge, scored)}"))
        for label, merge in named
        if merge is not None
    ]


def _one(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    token = verdict.token
    piece = tokenizer.vocabulary.piece(token)
    if verdict.whole and verdict.changed and piece != verdict.text.encode():
        return ("It is one token: ", Chip(_some(piece), token), f", id {token}.")
    return ("It is one token, id ", f"{token}.")


def _nothing(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    if not verdict.text:
        return ("There is nothing to look at.",)
    return (f"Nothing is left of it: {_who_changes(tokenizer)} takes all of it away.",)


def _never_text(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    token = verdict.token
    kind = tokenizer.vocabulary.kinds[token]
    subject = (Chip(_some(verdict.text.encode()), token), f" has an entry, id {token}, ")
    if kind == BYTE:
        return (
            *subject,
            "but that stands for one byte: text never becomes it by being spelled so.",
        )
    if kind == UNUSED:
        return (*subject, "but it is unused: whenever it comes out, it is taken apart again.")
    if verdict.text in tokenizer.special_tokens:
        return (
            *subject,
            "but it is a special token: as text it is cut like any other, unless special tokens are recognised.",
        )
    return (*subject, f"but it is a {KINDS[kind]} token, which text never becomes.")


def _added(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    piece = Chip(_some(verdict.data[verdict.start : verdict.stop]), verdict.token)
    return (piece, f", id {verdict.token}, stands for itself and is taken out before all else.")


def _changed(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    return (
        Chip(_some(verdict.text.encode()), verdict.token),
        f" is in the vocabulary, id {verdict.token}, but the model never gets it: {_who_changes(tokenizer)} makes ",
        Chip(_some(verdict.data)),
        " of it.",
    )


def _cut(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    data = verdict.data
    left = data[max(verdict.low, _word_start(verdict, verdict.start)) : verdict.start]
    right = data[verdict.stop : min(verdict.high, _word_stop(verdict, verdict.stop))]
    first, second = verdict.rules
    where = _characters(data[verdict.low : verdict.start])
    return (
        f"The pre-tokenizer ({cuts_by(tokenizer)}) cuts it after {where}: ",
        Chip(_some(left)),
        f" is a pre-token by the rule “{first}”, ",
        Chip(_some(right)),
        f" by “{second}”.",
    )


def _not_there(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    sentence: Sentence = (
        Chip(_some(_own(verdict))),
        f" is none of the {len(tokenizer.vocabulary):,} entries",
    )
    if verdict.token >= 0:
        piece = verdict.data[verdict.low : verdict.stop]
        longest = (Chip(_some(piece), verdict.token), f", id {verdict.token}.")
        return (*sentence, "; the longest that it begins with is ", *longest)
    return (*sentence, ", and none of them is how it begins.")


def _prefixed(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    data = verdict.data
    more = " and ".join(
        f"“{readable(part)}” {where}"
        for part, where in ((data[: verdict.low], "before"), (data[verdict.high :], "behind"))
        if part
    )
    own = Chip(_some(_own(verdict)), verdict.token)
    return (
        own,
        f" is in the vocabulary, id {verdict.token}, but {_who_changes(tokenizer)} puts {more} it, and ",
        Chip(_some(data)),
        " is no entry.",
    )


def _no_merge(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    own = Chip(_some(_own(verdict)), verdict.piece)
    start = (own, f" is in the vocabulary, id {verdict.piece}, but ")
    if verdict.token == verdict.piece:
        return (*start, "no merge makes it.")
    lacking = Chip(_some(verdict.data[verdict.start : verdict.stop]), verdict.token)
    return (*start, "it is made of ", lacking, ", and no merge makes that.")


def _outranked(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    merge, needed, blocked = verdict.merge, verdict.needed, verdict.blocked
    assert merge is not None
    assert needed is not None
    assert blocked is not None
    scored = _scored(tokenizer)
    first = (*_joining(verdict, merge), f" came first, with {_value(merge, scored)}")
    own = Chip(_some(_own(verdict)), verdict.piece)
    if needed is blocked:
        if needed.rank == merge.rank:
            tail: Sentence = (" has the same, and stands farther right.",)
        else:
            tail = (f", with {_value(needed, scored)}, had to wait.",)
        return (*first, "; ", *_joining(verdict, needed), ", which ", own, " needs", *tail)
    return (
        *first,
        ", and took a part of ",
        Chip(_some(verdict.data[blocked.start : blocked.stop]), blocked.result),
        *((", which ", own, " needs") if blocked.result != verdict.piece else ()),
        ": ",
        *_joining(verdict, needed),
        f", with {_value(needed, scored)}, had to be made before that.",
    )


def _merged_on(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    merge = verdict.merge
    assert merge is not None
    scored = _scored(tokenizer)
    return (
        Chip(_some(_own(verdict)), verdict.piece),
        f", id {verdict.piece}, is made, but then ",
        *_joining(verdict, merge),
        " become ",
        Chip(_some(verdict.data[merge.start : merge.stop]), merge.result),
        f", with {_value(merge, scored)}.",
    )


def _outscored(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    own = Chip(_some(_own(verdict)), verdict.token)
    best, mine = score_text(verdict.best_score), score_text(verdict.own_score)
    behind = verdict.best_score - verdict.own_score
    here = (
        "it"
        if verdict.low == verdict.start and verdict.high == verdict.stop
        else "the best way through it"
    )
    if behind <= 0:
        return (
            own,
            f" is in the vocabulary, id {verdict.token}, but another way has the same score {best}.",
        )
    return (
        own,
        f" is in the vocabulary, id {verdict.token}, but {here} scores {mine}, {score_text(behind)} less than the best way, {best}.",
    )


def _wrong_place(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    vocabulary = tokenizer.vocabulary
    kind = vocabulary.kinds[verdict.token]
    only, never = "at the beginning of a word", "inside of one"
    if kind == CONTINUING:
        only, never = "inside of a word", "at the beginning of one"
    elif kind == WORD_END:
        only, never = "at the end of a word", "elsewhere"
    return (
        "It is in the vocabulary only as ",
        Chip(vocabulary.surface(verdict.token), verdict.token),
        f", id {verdict.token}, which stands {only}, and never {never}.",
    )


def _too_long(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    word = verdict.data[verdict.start : verdict.stop]
    return (
        f"The word has {_characters(word)}: one of more than {verdict.limit:,} is the unknown token as a whole.",
    )


def _uncovered(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    rest = Chip(_some(verdict.data[verdict.start : verdict.stop]))
    token = verdict.ids[0]
    return (
        "No piece fits where ",
        rest,
        " begins, so the whole word is the unknown token ",
        Chip(tokenizer.vocabulary.surface(token), token),
        f", id {token}.",
    )


def _joined(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    whole = Chip(_some(verdict.data[verdict.start : verdict.stop]), verdict.token)
    return (
        "Here it is a part of ",
        whole,
        f", id {verdict.token}, which is longer and was found first.",
    )


def _parted(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    return ("The model looks it up in parts.",)


_SENTENCES: dict[str, Callable[[Verdict, tc.Tokenizer], Sentence]] = {
    kinds.ONE: _one,
    kinds.NOTHING: _nothing,
    kinds.NEVER_TEXT: _never_text,
    kinds.ADDED: _added,
    kinds.CHANGED: _changed,
    kinds.CUT: _cut,
    kinds.NOT_THERE: _not_there,
    kinds.PREFIXED: _prefixed,
    kinds.NO_MERGE: _no_merge,
    kinds.OUTRANKED: _outranked,
    kinds.MERGED_ON: _merged_on,
    kinds.OUTSCORED: _outscored,
    kinds.WRONG_PLACE: _wrong_place,
    kinds.TOO_LONG: _too_long,
    kinds.UNCOVERED: _uncovered,
    kinds.JOINED: _joined,
    kinds.PARTED: _parted,
}


def _own(verdict: Verdict) -> bytes:
    return verdict.data[verdict.low : verdict.high]


def _some(data: bytes) -> str:
    return readable(data, LONGEST)


def _characters(data: bytes) -> str:
    return _counted(len(data.decode("utf-8", "replace")), "character")


def _counted(count: int, unit: str) -> str:
    return f"{count:,} {unit}{'' if count == 1 else 's'}"


def _scored(tokenizer: tc.Tokenizer) -> bool:
    return len(tokenizer.vocabulary.scores) > 0


def _value(merge: Merge, scored: bool) -> str:
    return f"score {score_text(merge.score)}" if scored else f"rank {merge.rank:,}"


def _joining(verdict: Verdict, merge: Merge) -> Sentence:
    data = verdict.data
    return (
        Chip(_some(data[merge.start : merge.middle]), _shown(merge.left)),
        " + ",
        Chip(_some(data[merge.middle : merge.stop]), _shown(merge.right)),
    )


def _shown(token: int) -> int:
    return -1 if token == NO_PIECE else token


def _ancestry(verdict: Verdict, scored: bool) -> Sentence:
    """Returns the merges of a piece in the order in which they would be made."""
    merges = sorted(verdict.path, key=lambda merge: (merge.rank, merge.start))
    parts: list[str | Chip] = []
    for merge in merges[:SHOWN_MERGES]:
        if parts:
            parts.append(" → ")
        value = score_text(merge.score) if scored else f"{merge.rank:,}"
        parts += [Chip(_some(verdict.data[merge.start : merge.stop]), merge.result), f" {value}"]
    if len(merges) > SHOWN_MERGES:
        parts.append(f" … {len(merges) - SHOWN_MERGES:,} more")
    return tuple(parts)


def _who_changes(tokenizer: tc.Tokenizer) -> str:
    if tokenizer.normalizer is not None:
        return f"the normalizer ({tokenizer.normalizer.name})"
    return f"the pre-tokenizer ({cuts_by(tokenizer)})"


def _word_start(verdict: Verdict, stop: int) -> int:
    ends = verdict.encoding.pre_tokens.ends
    return max((int(end) for end in ends if end < stop), default=0)


def _word_stop(verdict: Verdict, start: int) -> int:
    ends = verdict.encoding.pre_tokens.ends
    return min((int(end) for end in ends if end > start), default=len(verdict.data))
