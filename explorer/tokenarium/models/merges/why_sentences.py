"""Why a string is one token, or is not, in one sentence."""

from __future__ import annotations

from collections.abc import Callable

import tokenarium_core as tc
from tokenarium.models.text.direction import isolated
from tokenarium.models.text.piece import (
    Sentence,
    SentenceToken,
    code_point_note,
    counted,
    piece_text,
    readable,
    score_text,
)
from tokenarium.models.text.pipeline import cuts_by
from tokenarium_core.explaining import verdict as kinds
from tokenarium_core.explaining.merge_path import Merge
from tokenarium_core.explaining.verdict import Verdict
from tokenarium_core.models import (
    BoundlessBpe,
    LongestMatch,
    LowestCost,
    PickyBpe,
    Unigram,
    WordPiece,
)
from tokenarium_core.trace import (
    BYTE_FALLBACK,
    NO_PIECE,
    PIECE,
    PRE_TOKEN,
    SPECIAL,
    SYMBOL,
    WHOLE,
)
from tokenarium_core.vocabulary import BYTE, CONTINUING, KINDS, UNUSED, USER_DEFINED, WORD_END

LONGEST = 60
"""Characters of a piece in a sentence."""


def count_of(verdict: Verdict) -> str:
    """Returns how many tokens there are, in few words."""
    count = len(verdict.ids)
    if verdict.unknown and count == 1:
        return "1 unknown token"
    tokens = counted(count, "token")
    return tokens if verdict.whole or verdict.is_one else f"in {tokens}"


def why(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    """Returns the verdict in words."""
    return _SENTENCES[verdict.kind](verdict, tokenizer)


def _one(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    token = verdict.token
    piece = tokenizer.vocabulary.piece(token)
    start: Sentence = ("It is one token, id ", f"{token}")
    if verdict.whole and verdict.changed and piece != verdict.text.encode():
        start = ("It is one token: ", SentenceToken(some(piece), token), f", id {token}")
    merge = verdict.merge
    if merge is not None:
        scored = is_scored(tokenizer)
        return (
            *start,
            f": merged, with {value_of(merge, scored)}, of ",
            *joining(verdict, merge),
            ".",
        )
    how = how_one(verdict, tokenizer)
    return (*start, f": {how}.") if how else (*start, ".")


def how_one(verdict: Verdict, tokenizer: tc.Tokenizer) -> str:
    """Returns how a string became one token, in few words; empty for one that a merge makes."""
    kind = int(tokenizer.vocabulary.kinds[verdict.token])
    model = tokenizer.model
    if verdict.how == SPECIAL:
        special = verdict.token in tokenizer.added_tokens.special_ids
        return f"{'a special' if special else 'an added'} token, taken before all else"
    if verdict.how == PIECE and isinstance(model, Unigram):
        return f"the best way through the word, score {score_text(_score(verdict, tokenizer))}"
    if verdict.how == PIECE and isinstance(model, LowestCost):
        return "the best way through the text, by whole costs"
    if verdict.how == PIECE and isinstance(model, WordPiece | LongestMatch):
        return "the longest entry that fits here"
    if verdict.how == PIECE and kind == USER_DEFINED:
        return "user-defined, taken before any merge"
    if verdict.how == PIECE:
        return "looked up as a whole"
    if verdict.how == WHOLE:
        return "the whole pre-token is an entry, so nothing is merged"
    if verdict.how == SYMBOL:
        return "a character that is an entry, with nothing to merge"
    if verdict.how == BYTE_FALLBACK:
        return "a byte, as no entry has this character"
    if verdict.how == PRE_TOKEN:
        return "a byte, with which merging begins"
    if isinstance(model, BoundlessBpe):
        return "made by the merges, deletions and supermerges of its training, in their order"
    picky = isinstance(model, PickyBpe)
    return "made by the merges and removals of its training, in their order" if picky else ""


def _score(verdict: Verdict, tokenizer: tc.Tokenizer) -> float:
    scores = tokenizer.vocabulary.scores
    return float(scores[verdict.token]) if len(scores) else 0.0


def _nothing(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    if not verdict.text:
        return ("There is nothing to look at.",)
    return (f"Nothing is left of it: {who_changes(tokenizer)} removes all of it.",)


def _never_text(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    token = verdict.token
    kind = tokenizer.vocabulary.kinds[token]
    subject = (SentenceToken(some(verdict.text.encode()), token), f" has an entry, id {token}, ")
    if kind == BYTE:
        return (
            *subject,
            "but it stands for one byte: text that is spelled like it never becomes it.",
        )
    if kind == UNUSED:
        return (*subject, "but it is unused: whenever it comes out, it is taken apart again.")
    if verdict.text in tokenizer.special_tokens:
        return (
            *subject,
            "but it is a special token: as text it is cut like any other, unless special tokens are recognized.",
        )
    return (*subject, f"but it is a {KINDS[kind]} token, which text never becomes.")


def _added(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    piece = SentenceToken(some(verdict.data[verdict.start : verdict.stop]), verdict.token)
    return (piece, f", id {verdict.token}, stands for itself and is taken out before all else.")


def _changed(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    return (
        SentenceToken(some(verdict.text.encode()), verdict.token),
        f" is in the vocabulary, id {verdict.token}, but the model never gets it: {who_changes(tokenizer)} makes ",
        SentenceToken(some(verdict.data)),
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
        SentenceToken(some(left)),
        f" is a pre-token by the rule “{first}”, ",
        SentenceToken(some(right)),
        f" by “{second}”.",
    )


def _not_there(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    own = own_of(verdict)
    sentence: Sentence = (
        SentenceToken(some(own)),
        f"{code_point_note(own, always=True)} is not among the {len(tokenizer.vocabulary):,} entries",
    )
    if verdict.token >= 0:
        piece = verdict.data[verdict.low : verdict.stop]
        longest = (SentenceToken(some(piece), verdict.token), f", id {verdict.token}.")
        return (*sentence, "; the longest entry that it begins with is ", *longest)
    return (*sentence, ", and it begins with none of them.")


def _prefixed(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    data = verdict.data
    more = " and ".join(
        f"“{isolated(readable(part))}” {where}"
        for part, where in ((data[: verdict.low], "before"), (data[verdict.high :], "after"))
        if part
    )
    own = SentenceToken(some(own_of(verdict)), verdict.token)
    return (
        own,
        f" is in the vocabulary, id {verdict.token}, but {who_changes(tokenizer)} puts {more} it, and ",
        SentenceToken(some(data)),
        " is not an entry.",
    )


def _no_merge(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    own = SentenceToken(some(own_of(verdict)), verdict.piece)
    start = (own, f" is in the vocabulary, id {verdict.piece}, but ")
    if verdict.token == verdict.piece:
        return (*start, "no merge makes it.")
    lacking = SentenceToken(some(verdict.data[verdict.start : verdict.stop]), verdict.token)
    return (*start, "it is made of ", lacking, ", and no merge makes that.")


def _outranked(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    merge, needed, blocked = verdict.merge, verdict.needed, verdict.blocked
    assert merge is not None
    assert needed is not None
    assert blocked is not None
    scored = is_scored(tokenizer)
    first = (*joining(verdict, merge), f" came first, with {value_of(merge, scored)}")
    own = SentenceToken(some(own_of(verdict)), verdict.piece)
    if needed is blocked:
        if needed.rank == merge.rank:
            tail: Sentence = (" has the same, and is farther right.",)
        else:
            tail = (f", with {value_of(needed, scored)}, had to wait.",)
        return (*first, "; ", *joining(verdict, needed), ", which ", own, " needs", *tail)
    return (
        *first,
        ", and took a part of ",
        SentenceToken(some(verdict.data[blocked.start : blocked.stop]), blocked.result),
        *((", which ", own, " needs") if blocked.result != verdict.piece else ()),
        ": ",
        *joining(verdict, needed),
        f", with {value_of(needed, scored)}, had to be made before that.",
    )


def _merged_on(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    merge = verdict.merge
    assert merge is not None
    scored = is_scored(tokenizer)
    return (
        SentenceToken(some(own_of(verdict)), verdict.piece),
        f", id {verdict.piece}, is made, but then ",
        *joining(verdict, merge),
        " become ",
        SentenceToken(some(verdict.data[merge.start : merge.stop]), merge.result),
        f", with {value_of(merge, scored)}.",
    )


def _outscored(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    own = SentenceToken(some(own_of(verdict)), verdict.token)
    best, mine = score_text(verdict.best_score), score_text(verdict.own_score)
    deficit = verdict.best_score - verdict.own_score
    here = (
        "it"
        if verdict.low == verdict.start and verdict.high == verdict.stop
        else "the best way through it"
    )
    if deficit <= 0:
        return (
            own,
            f" is in the vocabulary, id {verdict.token}, but another way has the same score {best}.",
        )
    return (
        own,
        f" is in the vocabulary, id {verdict.token}, but {here} scores {mine}, {score_text(deficit)} less than the best way, {best}.",
    )


def _wrong_place(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    vocabulary = tokenizer.vocabulary
    kind = vocabulary.kinds[verdict.token]
    only, never = "at the beginning of a word", "inside one"
    if kind == CONTINUING:
        only, never = "inside a word", "at the beginning of one"
    elif kind == WORD_END:
        only, never = "at the end of a word", "elsewhere"
    return (
        "It is in the vocabulary only as ",
        SentenceToken(piece_text(vocabulary, verdict.token), verdict.token),
        f", id {verdict.token}, which occurs {only}, and never {never}.",
    )


def _too_long(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    word = verdict.data[verdict.start : verdict.stop]
    return (
        f"The word has {_characters(word)}, more than the {verdict.limit:,} that this model splits "
        "(max_input_chars_per_word), so all of it is the unknown token.",
    )


def _uncovered(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    data = verdict.data[verdict.start : verdict.stop]
    rest = SentenceToken(some(data))
    token = verdict.ids[0]
    return (
        "No entry fits where ",
        rest,
        f"{code_point_note(data, always=True)} begins, so the whole word is the unknown token ",
        SentenceToken(piece_text(tokenizer.vocabulary, token), token),
        f", id {token}.",
    )


def _joined(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    piece = SentenceToken(some(verdict.data[verdict.start : verdict.stop]), verdict.token)
    rule = "."
    if isinstance(tokenizer.model, WordPiece | LongestMatch):
        rule = ": from the left, the longest entry that fits is taken."
    if verdict.start <= verdict.low and verdict.high <= verdict.stop:
        return ("Here it is a part of ", piece, f", id {verdict.token}{rule}")
    return ("Here ", piece, f", id {verdict.token}, takes a part of it{rule}")


def _parted(verdict: Verdict, tokenizer: tc.Tokenizer) -> Sentence:
    if isinstance(tokenizer.model, BoundlessBpe):
        return (
            "Here the merges, deletions and supermerges of the training make other tokens of it.",
        )
    if isinstance(tokenizer.model, PickyBpe):
        return (
            "Inside this word, the merges and removals of the training make other tokens of it.",
        )
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


def own_of(verdict: Verdict) -> bytes:
    """Returns the bytes of the string."""
    return verdict.data[verdict.low : verdict.high]


def some(data: bytes) -> str:
    """Returns the beginning of some bytes as the user reads it."""
    return readable(data, LONGEST)


def _characters(data: bytes) -> str:
    return counted(len(data.decode("utf-8", "replace")), "character")


def is_scored(tokenizer: tc.Tokenizer) -> bool:
    """Returns whether merges go by scores, and not by ranks."""
    return len(tokenizer.vocabulary.scores) > 0


def value_of(merge: Merge, scored: bool) -> str:
    """Returns the rank or the score of a merge."""
    return f"score {score_text(merge.score)}" if scored else f"rank {merge.rank:,}"


def joining(verdict: Verdict, merge: Merge) -> Sentence:
    """Returns the two sides of a merge."""
    data = verdict.data
    return (
        SentenceToken(some(data[merge.start : merge.middle]), _shown(merge.left)),
        " + ",
        SentenceToken(some(data[merge.middle : merge.stop]), _shown(merge.right)),
    )


def _shown(token: int) -> int:
    return -1 if token == NO_PIECE else token


def who_changes(tokenizer: tc.Tokenizer) -> str:
    """Returns the name of the stage that changes a text."""
    if tokenizer.normalizer is not None:
        return f"the normalizer ({tokenizer.normalizer.name})"
    return f"the pre-tokenizer ({cuts_by(tokenizer)})"


def _word_start(verdict: Verdict, stop: int) -> int:
    ends = verdict.encoding.pre_tokens.ends
    return max((int(end) for end in ends if end < stop), default=0)


def _word_stop(verdict: Verdict, start: int) -> int:
    ends = verdict.encoding.pre_tokens.ends
    return min((int(end) for end in ends if end > start), default=len(verdict.data))
