"""Texts to which two tokenizers give different ids: the stage that is the cause, from the traces of both."""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from tokenarium_core.added_tokens import ALL, NONE
from tokenarium_core.comparing.stage_differences import (
    ADDED_TOKENS,
    MERGES,
    MODEL,
    SCORES,
    TEMPLATE,
    VOCABULARY,
)
from tokenarium_core.comparing.stage_steps import NORMALIZER, PRE_TOKENIZER, is_sentencepiece
from tokenarium_core.encoding import Encoding
from tokenarium_core.errors import TokenariumError
from tokenarium_core.formats.copy_proof import smallest
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.event_word import EventModel
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.trace import BYTE_FALLBACK, MERGE, UNKNOWN, WHOLE, Trace
from tokenarium_core.unicode import byte_alphabet
from tokenarium_core.vocabulary import USER_DEFINED

_LONG: Final = 400  # characters of a text that is not looked at as a whole
_MOST: Final = 12  # tokens, or pre-tokens, that a sentence shows


@final
class PartingText:
    """A text with different ids: those of both tokenizers, and the stage in which they part first.

    ``special`` and ``template`` are the options of `Tokenizer.encode`. ``because`` says in a sentence what the stage does
    in each of the two.
    """

    def __init__(
        self,
        text: str,
        special: str,
        template: bool,
        ids_a: list[int],
        ids_b: list[int],
        stage: str,
        because: str,
    ) -> None:
        self.text = text
        self.special = special
        self.template = template
        self.ids_a = ids_a
        self.ids_b = ids_b
        self.stage = stage
        self.because = because

    def __repr__(self) -> str:
        return f"<PartingText {self.text!r}: {self.stage}>"


@final
class TokenizerPair:
    """Two tokenizers and what they do with a text."""

    def __init__(self, a: Tokenizer, b: Tokenizer) -> None:
        self.a = a
        self.b = b
        special = [t for t in [*a.added_tokens.tokens, *b.added_tokens.tokens] if t.special]
        self._spelled = [token.content for token in special]
        self._anywhere = any(token.normalized for token in special)

    def parts(self, text: str) -> bool:
        """Returns whether the ids of a text differ, with special tokens as text or recognized."""
        if self._differ(text, NONE):
            return True
        return self._spells(text) and self._differ(text, ALL)

    def partings(self, text: str) -> list[PartingText]:
        """Returns how the ids of a text differ: with special tokens as text, and with those recognized."""
        return [
            self._explained(text, special)
            for special in ((NONE, ALL) if self._spells(text) else (NONE,))
            if self._differ(text, special)
        ]

    def parting(self, text: str, stages: frozenset[str]) -> PartingText | None:
        """Returns how the ids of a text differ because of one of some stages; None if they do not."""
        for found in self.partings(text):
            if found.stage in stages:
                return found
        return None

    def parting_template(self, text: str) -> PartingText | None:
        """Returns how the ids of a text with those around it differ, if the ids of the text alone are equal."""
        if self._differ(text, NONE):
            return None
        ids_a = _ids(self.a, text, NONE, True)
        ids_b = _ids(self.b, text, NONE, True)
        if ids_a == ids_b:
            return None
        because = f"A makes {_tokens(self.a, ids_a)}, B makes {_tokens(self.b, ids_b)}."
        return PartingText(text, NONE, True, ids_a, ids_b, TEMPLATE, because)

    def near(self, text: str) -> str:
        """Returns a part of a long text with different ids whose ids differ too; the text itself if it is short."""
        if len(text) <= _LONG:
            return text
        piece = smallest(text, self._position(text), self.parts)
        return piece or smallest(text, 0, self.parts, len(text)) or text

    def shrunk(self, found: PartingText, stages: frozenset[str]) -> PartingText:
        """Returns a smallest part of a text whose ids differ because of one of some stages."""
        check = _StageCheck(self, stages)
        text = found.text
        if len(text) > 1:
            text = smallest(text, len(text) // 2, check.holds) or text
        at = 0
        while at < len(text) and 1 < len(text) <= _LONG:
            shorter = text[:at] + text[at + 1 :]
            if check.holds(shorter):
                text = shorter
                at = max(at - 1, 0)
            else:
                at += 1
        result = self.parting(text, stages)
        return result if result is not None and text != found.text else found

    def _position(self, text: str) -> int:
        """Returns the character near which the ids of a text begin to differ."""
        theirs = _ids(self.b, text, NONE, False)
        for index, id in enumerate(_ids(self.a, text, NONE, False)):
            if index >= len(theirs) or theirs[index] != id:
                if id < 0:
                    return 0
                start = self.a.encode(text).span(index)[0]
                return len(text.encode("utf-8", "surrogatepass")[:start].decode("utf-8", "ignore"))
        return 0

    def _spells(self, text: str) -> bool:
        """Returns whether a text may contain a special token; what is normalized need not be spelled like one."""
        return self._anywhere or any(content in text for content in self._spelled)

    def _differ(self, text: str, special: str) -> bool:
        return _ids(self.a, text, special, False) != _ids(self.b, text, special, False)

    def _explained(self, text: str, special: str) -> PartingText:
        ids_a, ids_b = _ids(self.a, text, special, False), _ids(self.b, text, special, False)
        stage, because = _Run(self.a, self.b, text, special).cause()
        return PartingText(text, special, False, ids_a, ids_b, stage, because)


@final
class _StageCheck:
    """Whether two tokenizers part on a text because of one of some stages."""

    def __init__(self, pair: TokenizerPair, stages: frozenset[str]) -> None:
        self.pair = pair
        self.stages = stages

    def holds(self, text: str) -> bool:
        """Returns whether they do."""
        return self.pair.parting(text, self.stages) is not None


@final
class _Run:
    """Both tokenizers on one text, with traces."""

    def __init__(self, a: Tokenizer, b: Tokenizer, text: str, special: str) -> None:
        self.a = a
        self.b = b
        self.text = text
        self.special = special

    def cause(self) -> tuple[str, str]:
        """Returns the first stage in which they part, and what it does in each of the two."""
        try:
            return self._cause()
        except TokenariumError as error:  # one of the two refuses the text
            return PRE_TOKENIZER, str(error)

    def _cause(self) -> tuple[str, str]:
        found_a, found_b = self._matches(self.a), self._matches(self.b)
        if self._matters(found_a, found_b, self.b) or self._matters(found_b, found_a, self.a):
            return ADDED_TOKENS, f"A finds {_found(found_a)}, B finds {_found(found_b)}."
        normal_a, normal_b = _normalized(self.a, self.text), _normalized(self.b, self.text)
        if normal_a != normal_b:
            return (
                NORMALIZER,
                f"The text becomes {shown(normal_a)} in A and {shown(normal_b)} in B.",
            )
        trace_a, trace_b = Trace(), Trace()
        one = self.a.encode(self.text, special=self.special, trace=trace_a)
        other = self.b.encode(self.text, special=self.special, trace=trace_b)
        words_a, words_b = _words(one), _words(other)
        # Words that differ are no cause where the same tokens come of them.
        if not _same_words(words_a, words_b) and one.tokens != other.tokens:
            return PRE_TOKENIZER, f"A splits it into {_listed(words_a)}, B into {_listed(words_b)}."
        return self._cause_in_model(one, other, trace_a, trace_b)

    def _cause_in_model(
        self, one: Encoding, other: Encoding, trace_a: Trace, trace_b: Trace
    ) -> tuple[str, str]:
        tokens_a, tokens_b = one.tokens, other.tokens
        said = f"A makes {_listed(tokens_a)}, B makes {_listed(tokens_b)}."
        if tokens_a == tokens_b:
            for index, token in enumerate(tokens_a):
                id_a, id_b = int(one.ids[index]), int(other.ids[index])
                if id_a != id_b:
                    return (
                        VOCABULARY,
                        f"The entry {token!r} has the id {id_a} in A and {id_b} in B.",
                    )
            return VOCABULARY, said
        kinds_a, kinds_b = (
            {int(kind) for kind in trace_a.kinds},
            {int(kind) for kind in trace_b.kinds},
        )
        only = kinds_a ^ kinds_b
        missing = [token for token in tokens_a if token not in self.b.vocabulary.ids]
        missing += [token for token in tokens_b if token not in self.a.vocabulary.ids]
        if missing:
            return VOCABULARY, f"Only one of the two has the entry {missing[0]!r}: {said}"
        if int(WHOLE) in only or int(UNKNOWN) in only or int(BYTE_FALLBACK) in only:
            return MODEL, said
        if isinstance(self.a.model, Unigram) and isinstance(self.b.model, Unigram):
            scores_a = self.a.vocabulary.scores
            scores_b = self.b.vocabulary.scores
            for token in [*tokens_a, *tokens_b]:
                mine, its = (
                    self.a.vocabulary.ids.get(token, -1),
                    self.b.vocabulary.ids.get(token, -1),
                )
                if mine >= 0 and its >= 0 and scores_a[mine] != scores_b[its]:
                    said = f"{token!r} has the score {scores_a[mine]:g} in A and {scores_b[its]:g} in B: {said}"
                    return SCORES, said
            return MODEL, said
        merges = (BytePairEncoder, CharacterBpe)
        if isinstance(self.a.model, merges) and isinstance(self.b.model, merges):
            merge_a, merge_b = _other_merges(self.a, self.b, trace_a, trace_b)
            if merge_a != merge_b:
                return MERGES, f"A merges {merge_a}, where B merges {merge_b}: {said}"
        if isinstance(self.a.model, EventModel) and isinstance(self.b.model, EventModel):
            return MERGES, said
        return MODEL, said

    def _matches(self, tokenizer: Tokenizer) -> list[tuple[str, int, int, int]]:
        """Returns the added tokens in the text, and the user-defined pieces of SentencePiece, which it finds as these."""
        matches = tokenizer.added_token_matches(self.text, self.special)
        found = [
            (one.token.content, one.token.id, one.start, one.stop)
            for one in matches
            if not one.left
        ]
        if is_sentencepiece(tokenizer):
            kinds = tokenizer.vocabulary.kinds
            encoding = tokenizer.encode(self.text, special=self.special)
            for index in range(len(encoding)):
                id = int(encoding.ids[index])
                if i64(kinds[id]) == USER_DEFINED:
                    start, stop = encoding.span(index)
                    found.append((tokenizer.vocabulary.surface(id), id, start, stop))
        return sorted(found, key=_start)

    def _matters(
        self,
        found: list[tuple[str, int, int, int]],
        others: list[tuple[str, int, int, int]],
        other: Tokenizer,
    ) -> bool:
        """Returns whether another tokenizer finds less, and has no such tokens at these places all the same."""
        rest = [one for one in found if one not in others]
        if not rest:
            return False
        encoding = other.encode(self.text, special=self.special)
        tokens = {(int(encoding.ids[i]), *encoding.span(i)) for i in range(len(encoding))}
        return any((id, start, stop) not in tokens for _, id, start, stop in rest)


def _ids(tokenizer: Tokenizer, text: str, special: str, template: bool) -> list[int]:
    """Returns the ids of a text; [-1] for one that the tokenizer refuses."""
    try:
        return tokenizer.encode_ids(text, special=special, template=template)
    except TokenariumError:
        return [-1]


def _start(match: tuple[str, int, int, int]) -> int:
    return match[2]


def _found(matches: list[tuple[str, int, int, int]]) -> str:
    if not matches:
        return "no added token"
    return ", ".join(
        [f"{content!r} ({id}) at {start}:{stop}" for content, id, start, stop in matches]
    )


def _normalized(tokenizer: Tokenizer, text: str) -> str:
    """Returns a text after the normalizer, with spaces for marks: which of them it has depends on what follows."""
    data = padded(text)
    if tokenizer.normalizer is not None:
        data = tokenizer.normalizer.normalize_plain(data)
    return data[: len(data) - PADDING].decode("utf-8", "replace").replace("▁", " ")


def _words(encoding: Encoding) -> list[str]:
    """Returns the pre-tokens as the model gets them, without what is removed; spaces for marks, bytes as text."""
    text = encoding.text
    cuts = encoding.pre_tokens
    start: i64 = 0
    words: list[str] = []
    for index in range(len(cuts)):
        stop: i64 = i64(cuts.ends[index])
        if i64(cuts.rules[index]) != cuts.removed:
            words.append(text.data[start:stop].decode("utf-8", "replace").replace("▁", " "))
        start = stop
    return words


def _same_words(one: list[str], other: list[str]) -> bool:
    """Returns whether words are the same; a model without an entry for each byte gets them in GPT-2's alphabet."""
    if one == other:
        return True
    return [_in_alphabet(word) for word in one] == other or one == [
        _in_alphabet(word) for word in other
    ]


def _in_alphabet(word: str) -> str:
    return byte_alphabet.to_text(word.encode())


def _other_merges(a: Tokenizer, b: Tokenizer, trace_a: Trace, trace_b: Trace) -> tuple[str, str]:
    """Returns the first merge that is not the same in both runs; "nothing" where there are no more."""
    merges_a, merges_b = _merges(a, trace_a), _merges(b, trace_b)
    for index in range(max(len(merges_a), len(merges_b))):
        one = merges_a[index] if index < len(merges_a) else "nothing"
        other = merges_b[index] if index < len(merges_b) else "nothing"
        if one != other:
            return one, other
    return "", ""


def _merges(tokenizer: Tokenizer, trace: Trace) -> list[str]:
    token = tokenizer.vocabulary.token
    return [
        f"{token(i64(trace.lefts[event]))!r} and {token(i64(trace.rights[event]))!r}"
        for event in range(len(trace))
        if i64(trace.kinds[event]) == MERGE
    ]


def _tokens(tokenizer: Tokenizer, ids: list[int]) -> str:
    return _listed([tokenizer.vocabulary.token(id) for id in ids if id >= 0])


def _listed(parts: list[str]) -> str:
    more = " …" if len(parts) > _MOST else ""
    return (" ".join([repr(part) for part in parts[:_MOST]]) + more) if parts else "nothing"


def shown(text: str) -> str:
    """Returns a text in quotes, with its code points if it is short and characters may look alike."""
    if text.isascii() or len(text) > 8:
        return repr(text[:80])
    return f"{text!r} ({' '.join([f'U+{ord(character):04X}' for character in text])})"
