"""Whether a copy of a tokenizer in another format behaves identically: the texts that it treats differently, and why.

Most formats represent the stages as they are. SentencePiece's are rebuilt from others in a ``tokenizer.json``, which
treats some texts differently: see `is_rebuilt`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, final

from mypy_extensions import i64

from tokenarium_core.added_tokens import ALL, NONE
from tokenarium_core.formats.parts import FIELDS
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import BYTE, CONTROL, NORMAL, UNKNOWN, USER_DEFINED

MOST_DIFFERENCES: Final = 20
"""The most texts that are listed."""

MOST_PROBES: Final = 2_000
"""The number of pairs of entries that are tried."""

ALLOWING: Final = (
    " To write it anyway, allow differences (--allow-differences, allow_differences=True)."
)
"""What to do if a copy is refused."""

_SHORT: Final = 200  # characters of a text that is looked at as a whole
_LONGEST: Final = 2_000  # characters of a text that are shown if no part of it differs
_NEAR: Final = 1e-4  # of the scores of two tokenizations that are equally good
_PROBES: Final = (
    "",
    " a  b ",
    "\ta\nb\r\n",
    "e\u0301 o\u0308",
    "\u304b\u3099 \u30cf\u309a",
    "\ufb01 \u2460 \u00bd \uff21",
    "\u1112\u1161\u11ab",
    "a\u200bb\u00a0c\u3000d",
    "\u0915\u094d\u0937 \u0623\u064e",
    "\U0001f469\u200d\U0001f680",
    "\u2581a \ufffd",
)
"""Texts on which normalizers and models are likely to differ."""


class CopyDifference(NamedTuple):
    """A text that a copy treats differently: what differs, here and in the copy, and the cause as a sentence."""

    text: str
    what: str
    here: str
    there: str
    cause: str

    @property
    def sentence(self) -> str:
        """The difference in words."""
        return f"{_shown(self.text)} has different {self.what}: {self.here} here, {self.there} in the copy. {self.cause}"


def is_rebuilt(tokenizer: Tokenizer, format: str) -> bool:
    """Returns whether a format has different stages than a tokenizer, which do nearly the same."""
    stored = tokenizer.stored
    return format == "huggingface" and FIELDS not in stored and "trainer_spec" in stored


def probes_for(tokenizer: Tokenizer) -> list[str]:
    """Returns short texts on which a rebuilt copy may differ: unusual characters, spelled tokens, and pairs of entries."""
    vocabulary = tokenizer.vocabulary
    texts = list(_PROBES)
    usual: list[int] = []
    for id in range(len(vocabulary)):
        kind: i64 = i64(vocabulary.kinds[id])
        if kind == NORMAL:
            usual.append(id)
        elif kind != BYTE and (kind == CONTROL or kind == UNKNOWN or kind == USER_DEFINED):
            if len(texts) < MOST_PROBES:
                spelled = vocabulary.surface(id)
                texts += [spelled, f"a{spelled}b"]
    step = max(1, len(usual) // MOST_PROBES)
    for index in range(0, len(usual) - step, step):
        pair = vocabulary.surface(usual[index]) + vocabulary.surface(usual[index + step])
        texts.append(pair.replace("\u2581", " "))
    return texts


def differences(
    original: Tokenizer, copy: Tokenizer, texts: Iterable[str], most: int = MOST_DIFFERENCES
) -> list[CopyDifference]:
    """Returns the texts that a copy treats differently, up to a limit, each shortened.

    Of those that only decode differently, one is listed. It
    compares the ids with and without the template, with special tokens as text and recognized, and what these
    decode to, with special tokens and without.
    """
    listed = list(texts)
    encoded = _differences(_Pair(original, copy, False), listed, most - 1)
    return encoded + _differences(_Pair(original, copy, True), listed, 1)


def _differences(pair: _Pair, texts: list[str], most: int) -> list[CopyDifference]:
    differences: list[CopyDifference] = []
    known: set[str] = set()
    for text in texts:
        if len(differences) >= most:
            break
        if not pair.differ(text):
            continue
        parts = [text]
        if len(text) > _SHORT:
            parts = [line for line in text.splitlines(keepends=True) if pair.differ(line)]
        for part in parts or [text]:
            if len(differences) >= most:
                break
            short = smallest(part, pair.position(part), pair.differ) or part[:_LONGEST]
            if short not in known:
                known.add(short)
                differences.append(pair.explained(short))
    return differences


def refusal(differences: list[CopyDifference]) -> str:
    """Returns why a copy is not written, from the texts that it treats differently."""
    more = f" {len(differences) - 1} more differences were found." if len(differences) > 1 else ""
    return f"the copy would treat some texts differently. {differences[0].sentence}{more}"


def smallest(text: str, at: int, differ: Callable[[str], bool], width: int = _SHORT) -> str:
    """Returns a small piece of ``text`` around ``at`` for which ``differ`` still holds.

    It repeatedly removes half of either end; if no window around ``at`` differs on its own, it returns "".
    """
    piece = ""
    most = width * 64
    while not piece:
        window = text[max(0, at - width) : at + width]
        if differ(window):
            piece = window
        elif width >= len(text) or width > most:
            return ""
        width *= 4
    size = max(len(piece) // 2, 1)
    while True:
        if len(piece) > size and differ(piece[size:]):
            piece = piece[size:]
        elif len(piece) > size and differ(piece[:-size]):
            piece = piece[:-size]
        elif size == 1:
            return piece
        else:
            size = max(size // 2, 1)


@final
class _Pair:
    """A tokenizer and its copy; ``decodes``: whether the decoded text is compared instead of the ids."""

    def __init__(self, original: Tokenizer, copy: Tokenizer, decodes: bool) -> None:
        self.original = original
        self.copy = copy
        self.decodes = decodes

    def differ(self, text: str) -> bool:
        """Returns whether the copy treats a text differently."""
        return self._first(text)[0] != ""

    def position(self, text: str) -> int:
        """Returns the character near which a text gets different ids."""
        if self.decodes:
            return 0
        ours = self.original.encode(text)
        theirs = _ids(self.copy, text, NONE, False)
        for index, id in enumerate(_ids(self.original, text, NONE, False)):
            if index >= len(theirs) or theirs[index] != id:
                return len(text.encode()[: ours.span(index)[0]].decode("utf-8", "ignore"))
        return 0

    def explained(self, text: str) -> CopyDifference:
        """Returns how the copy treats a text, and why; only if it differs."""
        what, here, there = self._first(text)
        return CopyDifference(text, what, here, there, self._cause(text, what))

    def _first(self, text: str) -> tuple[str, str, str]:
        """Returns the first difference, with the values here and in the copy; empty texts if there is none."""
        for special in (NONE, ALL):
            plain = _ids(self.original, text, special, False)
            for template in () if self.decodes else (False, True):
                ours = _ids(self.original, text, special, template) if template else plain
                theirs = _ids(self.copy, text, special, template)
                if ours != theirs:
                    return f"ids ({_how(special, template)})", _listed(ours), _listed(theirs)
            for skips in (False, True) if self.decodes else ():
                said = self.original.decode(plain, skips)
                other = self.copy.decode(plain, skips)
                if said != other:
                    with_or_without = "without" if skips else "with"
                    return (
                        f"decoded text ({with_or_without} special tokens)",
                        repr(said),
                        repr(other),
                    )
        return "", "", ""

    def _cause(self, text: str, what: str) -> str:
        if what.startswith("decoded"):
            return "The decoders write some entries differently, such as the unknown token."
        vocabulary = self.original.vocabulary
        for id in range(len(vocabulary)):
            kind: i64 = i64(vocabulary.kinds[id])
            if kind == CONTROL or kind == UNKNOWN or kind == USER_DEFINED:
                spelled = vocabulary.surface(id)
                if spelled and spelled in text:
                    return f"The text spells the token {spelled!r}, which is plain characters to only one of the two."
        here = _normalized(self.original, text)
        there = _normalized(self.copy, text)
        if here != there:
            return f"The normalizers differ: {_shown(here)} here, {_shown(there)} in the copy."
        ours = _ids(self.original, text, NONE, False)
        theirs = _ids(self.copy, text, NONE, False)
        if isinstance(self.original.model, Unigram) and _tied(self.original, ours, theirs):
            return "Two tokenizations of it have the same score, and each library chooses a different one."
        return "The models split it differently."


def _ids(tokenizer: Tokenizer, text: str, special: str, template: bool) -> list[int]:
    return [int(id) for id in tokenizer.encode(text, special=special, template=template).ids]


def _how(special: str, template: bool) -> str:
    said = "special tokens recognized" if special == ALL else "special tokens as text"
    return f"{said}, with the template" if template else said


def _listed(ids: list[int]) -> str:
    shown = ", ".join([str(id) for id in ids[:12]])
    return f"[{shown}, …]" if len(ids) > 12 else f"[{shown}]"


def _shown(text: str) -> str:
    """Returns a text in quotes, with its code points if it is short and characters may look alike."""
    if text.isascii() or len(text) > 8:
        return repr(text)
    return f"{text!r} ({' '.join([f'U+{ord(character):04X}' for character in text])})"


def _normalized(tokenizer: Tokenizer, text: str) -> str:
    data = padded(text)
    if tokenizer.normalizer is not None:
        data = tokenizer.normalizer.normalize_plain(data)
    return data[: len(data) - PADDING].decode("utf-8", "replace").replace("\u2581", " ")


def _tied(tokenizer: Tokenizer, ours: list[int], theirs: list[int]) -> bool:
    scores = tokenizer.vocabulary.scores
    total = 0.0
    for id in ours:
        total += scores[id]
    for id in theirs:
        if id >= len(scores):
            return False
        total -= scores[id]
    return -_NEAR < total < _NEAR
