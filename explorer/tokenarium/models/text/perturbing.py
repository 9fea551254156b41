"""Small changes of one text, from a declared table, and what each does to the tokens of a tokenizer."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

import regex

import tokenarium_core as tc
from tokenarium.models.charts.chart import (
    Axis,
    BarSeries,
    ChartBar,
    GroupedBars,
    grouped_bars,
)
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.lost_text import SIGN, is_doubtful, lost_share
from tokenarium.models.text.piece import counted
from tokenarium_core.progress import Progress

MOST = 20_000
"""Characters of a text that are changed."""

SHARE = 12
"""Of this many letters or words, one is changed by a variant that changes some, and at least one of a text."""

Change = Callable[[str, Random], str]

_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_NEAR = {
    letter: row[max(at - 1, 0) : at] + row[at + 1 : at + 2]
    for row in _KEYS
    for at, letter in enumerate(row)
}
_CYRILLIC = str.maketrans("aceiopsxyABCEHIKMOPSTXY", "асеіорѕхуАВСЕНІКМОРЅТХУ")
_DIGITS = str.maketrans("oOlIeEaAsStT", "001133445577")
_CURLY = str.maketrans({"'": "’", "-": "–"})
_BOLD = {ord(letter): chr(0x1D400 + at) for at, letter in enumerate(map(chr, range(65, 91)))} | {
    ord(letter): chr(0x1D41A + at) for at, letter in enumerate(map(chr, range(97, 123)))
}
_WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)} | {0x20: 0x3000}


def _letters(text: str, random: Random, change: Callable[[str, int], str | None]) -> str:
    """Changes one of every `SHARE` letters: ``change`` gets the text and a place, and returns its replacement."""
    places = [at for at, letter in enumerate(text) if letter.isalpha()]
    if not places:
        return text
    chosen = sorted(random.sample(places, max(1, len(places) // SHARE)), reverse=True)
    for at in chosen:
        made = change(text, at)
        if made is not None:
            text = made
    return text


def _swapped(text: str, random: Random) -> str:
    """Swaps a letter with the next one, where both are letters and differ."""
    places = [
        at
        for at in range(len(text) - 1)
        if text[at].isalpha() and text[at + 1].isalpha() and text[at] != text[at + 1]
    ]
    if not places:
        return text
    for at in sorted(random.sample(places, max(1, len(places) // SHARE)), reverse=True):
        text = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    return text


def _dropped(text: str, random: Random) -> str:
    return _letters(text, random, lambda now, at: now[:at] + now[at + 1 :])


def _doubled(text: str, random: Random) -> str:
    return _letters(text, random, lambda now, at: now[: at + 1] + now[at:])


def _neighbour(text: str, random: Random) -> str:
    """Puts the letter of a neighbouring key of an English keyboard in the place of another."""

    def change(now: str, at: int) -> str | None:
        keys = _NEAR.get(now[at].lower(), "")
        if not keys:
            return None
        key = random.choice(keys)
        return now[:at] + (key.upper() if now[at].isupper() else key) + now[at + 1 :]

    return _letters(text, random, change)


def _in_words(inner: str) -> Change:
    """Returns a change that puts something into the middle of each word of four letters and more."""

    def change(text: str, random: Random) -> str:
        def split(found: regex.Match[str]) -> str:
            word = found[0]
            return word[: len(word) // 2] + inner + word[len(word) // 2 :]

        return regex.sub(r"\p{L}{4,}", split, text)

    return change


def _between_words(emoji: str) -> Change:
    return lambda text, random: regex.sub(r"(?<=\S)(\s)", rf" {emoji}\1", text)


def _alternating(text: str, random: Random) -> str:
    return "".join(letter.upper() if at % 2 else letter.lower() for at, letter in enumerate(text))


def _unmarked(text: str, random: Random) -> str:
    """Drops the marks of letters: é becomes e."""
    return unicodedata.normalize(
        "NFC", regex.sub(r"\p{Mn}+", "", unicodedata.normalize("NFD", text))
    )


def _plain(change: Callable[[str], str]) -> Change:
    return lambda text, random: change(text)


@dataclass(frozen=True, slots=True)
class PerturbVariant:
    """One way to change a text: ``id`` for files and commands, a ``group``, a ``title``, and the function."""

    id: str
    group: str
    title: str
    change: Change = field(repr=False)


def _normal(form: str) -> Change:
    return lambda text, random: unicodedata.normalize(form, text)  # type: ignore[arg-type]


VARIANTS: tuple[PerturbVariant, ...] = (
    PerturbVariant("lower", "Case", "in lower case", _plain(str.lower)),
    PerturbVariant("upper", "Case", "in capitals", _plain(str.upper)),
    PerturbVariant("title", "Case", "each word with a capital", _plain(str.title)),
    PerturbVariant("swapped-case", "Case", "cases swapped", _plain(str.swapcase)),
    PerturbVariant("alternating", "Case", "every other letter a capital", _alternating),
    PerturbVariant("space-before", "Spaces", "a space before", lambda text, _: " " + text),
    PerturbVariant("space-after", "Spaces", "a space after", lambda text, _: text + " "),
    PerturbVariant("no-blanks", "Spaces", "no spaces", lambda text, _: regex.sub(r"\s+", "", text)),
    PerturbVariant("two-blanks", "Spaces", "two spaces for each space", lambda text, _: text.replace(" ", "  ")),
    PerturbVariant("tabs", "Spaces", "tabs for spaces", lambda text, _: text.replace(" ", "\t")),
    PerturbVariant("no-break", "Spaces", "no-break spaces", lambda text, _: text.replace(" ", "\u00a0")),
    PerturbVariant("crlf", "Spaces", "Windows line ends", lambda text, _: regex.sub(r"\r?\n", "\r\n", text)),
    PerturbVariant("line-before", "Spaces", "a line feed before", lambda text, _: "\n" + text),
    PerturbVariant("swap", "Typos", "two letters swapped", _swapped),
    PerturbVariant("drop", "Typos", "a letter left out", _dropped),
    PerturbVariant("double", "Typos", "a letter twice", _doubled),
    PerturbVariant("key", "Typos", "a neighbouring key", _neighbour),
    PerturbVariant("backwards", "Typos", "reversed", lambda text, _: "".join(reversed(regex.findall(r"\X", text)))),
    PerturbVariant("nfc", "Normal forms", "NFC: composed", _normal("NFC")),
    PerturbVariant("nfd", "Normal forms", "NFD: decomposed", _normal("NFD")),
    PerturbVariant("nfkc", "Normal forms", "NFKC: compatible, composed", _normal("NFKC")),
    PerturbVariant("nfkd", "Normal forms", "NFKD: compatible, decomposed", _normal("NFKD")),
    PerturbVariant("unmarked", "Normal forms", "without accents and marks", _unmarked),
    PerturbVariant("cyrillic", "Look-alikes", "Cyrillic letters that look the same", lambda text, _: text.translate(_CYRILLIC)),
    PerturbVariant("digits", "Look-alikes", "digits for letters", lambda text, _: text.translate(_DIGITS)),
    PerturbVariant("curly", "Look-alikes", "curly quotes and dashes", lambda text, _: regex.sub(r'"([^"]*)"', "“\\1”", text).translate(_CURLY)),
    PerturbVariant("bold", "Look-alikes", "mathematical bold letters", lambda text, _: text.translate(_BOLD)),
    PerturbVariant("wide", "Look-alikes", "full-width characters", lambda text, _: text.translate(_WIDE)),
    PerturbVariant("zero-width", "Look-alikes", "a zero-width space in each word", _in_words("\u200b")),
    PerturbVariant("soft-hyphen", "Look-alikes", "a soft hyphen in each word", _in_words("\u00ad")),
    PerturbVariant("emoji", "Emoji", "an emoji after", lambda text, _: text + " 🙂"),
    PerturbVariant("emoji-words", "Emoji", "an emoji after each word", _between_words("🙂")),
    PerturbVariant("family", "Emoji", "a joined emoji after", lambda text, _: text + " 👩‍👩‍👧"),
)  # fmt: skip
"""All variants, in the order of their groups."""

GROUPS = tuple(dict.fromkeys(variant.group for variant in VARIANTS))
"""The names of the groups."""

RENAMED_GROUPS = {"Blanks": "Spaces"}
"""Former names of groups, which commands and sessions still take."""


def changed(variant: PerturbVariant, text: str, seed: int = 1) -> str:
    """Returns a text as a variant changes it; the same for the same seed, whatever other variants do.

    >>> (
    ...     changed(VARIANTS[1], "low"),
    ...     changed(VARIANTS[13], "lower", 7) == changed(VARIANTS[13], "lower", 7),
    ... )
    ('LOW', True)
    """
    return variant.change(text, Random(f"{seed} {variant.id}"))


@dataclass(frozen=True, slots=True)
class PerturbCount:
    """What a variant does to the tokens of one tokenizer.

    ``before`` and ``after``: numbers of tokens. ``kept``: how many tokens of the text are still there, in their order
    (the longest common subsequence). ``error``: why the variant could not be encoded. ``lost``: the share of the variant,
    in bytes, that its tokens lose.
    """

    before: int
    after: int
    kept: int
    error: str = ""
    lost: float = 0.0

    @property
    def shown_after(self) -> str:
        """``after`` for users, with a sign where so much is lost that it is doubtful."""
        return f"{SIGN} " * is_doubtful(self.lost) + f"{self.after:,}"

    @property
    def difference(self) -> int:
        """How many tokens more there are."""
        return self.after - self.before

    @property
    def share_kept(self) -> float:
        """The share of the tokens of the text that are kept; 1 of none."""
        return self.kept / self.before if self.before else 1.0

    @property
    def effect(self) -> tuple[float, int]:
        """What variants are sorted by: the share of tokens lost, then the difference."""
        return 1 - self.share_kept, abs(self.difference)


@dataclass(slots=True)
class PerturbRow:
    """A variant, the text as it became, and what it does to each tokenizer, by key."""

    variant: PerturbVariant
    text: str
    counts: dict[str, PerturbCount]


def common(first: Sequence[int], second: Sequence[int]) -> int:
    """Returns the length of the longest common subsequence of two lists of ids.

    By bit vectors (Hyyrö 2004), in time of the product of both lengths by 64.

    >>> common([1, 2, 3, 4], [1, 3, 5, 4])
    3
    """
    start = 0
    while start < min(len(first), len(second)) and first[start] == second[start]:
        start += 1
    masks: dict[int, int] = {}
    for at, token in enumerate(first[start:]):
        masks[token] = masks.get(token, 0) | 1 << at
    size = len(first) - start
    whole = (1 << size) - 1
    row = whole
    for token in second[start:]:
        matched = row & masks.get(token, 0)
        row = (row + matched) | (row - matched)
        row &= whole
    return start + size - row.bit_count()


class PerturbJob:
    """Makes all variants of a text and encodes them: call `step` until it is finished, then read ``rows``.

    A variant that changes nothing of this text has no row. Only the first `MOST` characters are changed.
    """

    def __init__(
        self,
        text: str,
        tokenizers: dict[str, tc.Tokenizer],
        seed: int = 1,
        variants: Sequence[PerturbVariant] = VARIANTS,
    ) -> None:
        self.text = text[:MOST]
        self.rows: list[PerturbRow] = []
        self.unchanged: list[PerturbVariant] = []
        self._variants = variants
        self._seed = seed
        self._tokenizers = tokenizers
        self._ids: dict[str, list[int]] = {}
        self._done = 0
        self._open: PerturbRow | None = None

    @property
    def finished(self) -> bool:
        """Whether all variants are counted."""
        return self._done == len(self._variants)

    def step(self, budget_ms: float) -> Progress:
        """Works for about ``budget_ms`` milliseconds."""
        end = time.perf_counter() + budget_ms / 1000
        while not self.finished and time.perf_counter() < end:
            self._go_on()
        return Progress("Perturbing", self._done, len(self._variants), self.finished)

    def _go_on(self) -> None:
        """Encodes one text with one tokenizer."""
        for key, tokenizer in self._tokenizers.items():
            if key not in self._ids:
                self._ids[key] = tokenizer.encode_ids(self.text)
                return
        variant = self._variants[self._done]
        row = self._open
        if row is None:
            text = changed(variant, self.text, self._seed)
            if text == self.text:
                self.unchanged.append(variant)
                self._done += 1
                return
            row = self._open = PerturbRow(variant, text, {})
        for key, tokenizer in self._tokenizers.items():
            if key not in row.counts:
                row.counts[key] = self._count(key, tokenizer, row.text)
                return
        self.rows.append(row)
        self._open = None
        self._done += 1

    def _count(self, key: str, tokenizer: tc.Tokenizer, text: str) -> PerturbCount:
        before = self._ids[key]
        try:
            encoding = tokenizer.encode(text)
        except tc.TokenariumError as error:
            return PerturbCount(len(before), len(before), len(before), str(error))
        after = array_of(encoding.ids).tolist()
        lost = lost_share(tokenizer, [text])
        return PerturbCount(len(before), len(after), common(before, after), lost=lost)


def variants_of(only: Sequence[str] | None) -> list[PerturbVariant]:
    """Returns the variants with these ids or of groups with these names, all for None; ArgumentError for an unknown
    one.
    """
    if only is None:
        return list(VARIANTS)
    renamed = {old.lower(): new.lower() for old, new in RENAMED_GROUPS.items()}
    names = {renamed.get(name.lower(), name.lower()) for name in only}
    known = {variant.id for variant in VARIANTS} | {group.lower() for group in GROUPS}
    for name in sorted(names - known):
        raise tc.ArgumentError(
            f"There is no variant {name!r}. The variants are {', '.join(variant.id for variant in VARIANTS)},"
            f" and the groups are {', '.join(GROUPS)}."
        )
    return [
        variant for variant in VARIANTS if variant.id in names or variant.group.lower() in names
    ]


def by_effect(rows: Sequence[PerturbRow], key: str) -> list[PerturbRow]:
    """Returns rows sorted by what they do to the tokens of one tokenizer, most first."""
    return sorted(
        rows,
        key=lambda row: row.counts[key].effect if key in row.counts else (0.0, 0),
        reverse=True,
    )


def difference_text(difference: int) -> str:
    """Returns a difference with its sign.

    >>> difference_text(3), difference_text(-2), difference_text(0)
    ('+3', '−2', '0')
    """
    return f"{difference:+,}".replace("-", "−") if difference else "0"


def perturb_chart(
    rows: Sequence[PerturbRow], names: dict[str, str], colours: dict[str, int]
) -> GroupedBars:
    """Returns the share of tokens that each variant changes as bars, for each tokenizer."""
    series = [
        BarSeries(
            name,
            colours[key],
            [
                ChartBar(
                    100 * (1 - row.counts[key].share_kept),
                    f"{row.counts[key].kept:,} of {counted(row.counts[key].before, 'token')} kept",
                    [str(row.counts[key].after)],
                )
                for row in rows
            ],
        )
        for key, name in names.items()
    ]
    return grouped_bars(
        Axis("Tokens that are not kept", "%", limits=(0.0, 100.0)),
        Axis("Variant"),
        [row.variant.title for row in rows],
        series,
        ["Tokens"],
    )
