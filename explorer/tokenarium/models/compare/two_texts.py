"""Compares two texts: the same data as JSON and YAML, a word and its reverse, or any others."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import regex

import tokenarium_core as tc
from tokenarium.models.charts.chart import (
    Axis,
    BarSeries,
    ChartBar,
    GroupedBars,
    grouped_bars,
)
from tokenarium.models.csv_text import csv_text
from tokenarium.models.text.lost_text import SAYS, SIGN, is_doubtful, listed, loses, lost_bytes
from tokenarium.models.text.piece import counted

HEADS = (
    "Tokenizer",
    "Tokens of A",
    "Tokens of B",
    "B − A",
    "B ÷ A",
    "Bytes/token A",
    "Bytes/token B",
)


@dataclass(frozen=True, slots=True)
class TextPair:
    """Two texts with a title, as an example."""

    title: str
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class TextSize:
    """The size of a text in UTF-8 bytes, code points and graphemes."""

    bytes: int
    characters: int
    graphemes: int

    def sentence(self) -> str:
        """Returns it in words; graphemes only where they differ from code points."""
        parts = [counted(self.bytes, "byte"), counted(self.characters, "character")]
        if self.graphemes != self.characters:
            parts.append(counted(self.graphemes, "grapheme"))
        return " · ".join(parts)


@dataclass(frozen=True, slots=True)
class PairCount:
    """What a tokenizer makes of two texts: their ids. ``lost``: the share of the text that is lost."""

    name: str
    first: tuple[int, ...]
    second: tuple[int, ...]
    lost: float = 0.0

    @property
    def difference(self) -> int:
        """How many tokens more the second has."""
        return len(self.second) - len(self.first)

    @property
    def ratio(self) -> float | None:
        """The tokens of the second ÷ those of the first; None if the first has none."""
        return len(self.second) / len(self.first) if self.first else None


_JSON = """[
  {"name": "Ada", "age": 36, "langs": ["en", "fr"]},
  {"name": "Grace", "age": 45, "langs": ["en"]}
]"""
_YAML = """- name: Ada
  age: 36
  langs: [en, fr]
- name: Grace
  age: 45
  langs: [en]"""

_ONE_LINE = 1 << 30
"""Characters of a line of YAML: a text is never broken."""

MOST_FLOWS = 500
"""Brackets in a text that is read as YAML: where they are nested, the time grows with their square."""

EXAMPLES = (
    TextPair("JSON and YAML", _JSON, _YAML),
    TextPair(
        "JSON with and without spaces",
        _JSON,
        '[{"name":"Ada","age":36,"langs":["en","fr"]},{"name":"Grace","age":45,"langs":["en"]}]',
    ),
    TextPair("A word and its reverse", "understanding", "gnidnatsrednu"),
    TextPair("English and Hindi", "Good morning, how are you?", "सुप्रभात, आप कैसे हैं?"),
    TextPair("Lower and upper case", "the quick brown fox", "THE QUICK BROWN FOX"),
    TextPair("With and without a space at the end", "Once upon a time", "Once upon a time "),
    TextPair(
        "Four spaces and a tab",
        "def half(n):\n    if n % 2:\n        return None\n    return n // 2",
        "def half(n):\n\tif n % 2:\n\t\treturn None\n\treturn n // 2",
    ),
    TextPair("Digits and words", "127 + 677 = 804", "one hundred twenty-seven plus six hundred"),
    TextPair("Composed and decomposed", "café déjà vu", "cafe\u0301 de\u0301ja\u0300 vu"),
)
"""Pairs to begin with."""


def text_size(text: str) -> TextSize:
    """Returns the size of a text."""
    size = len(text.encode("utf-8", "surrogatepass"))
    return TextSize(size, len(text), len(regex.findall(r"\X", text)))


def pair_count(
    name: str,
    tokenizer: tc.Tokenizer,
    first: str,
    second: str,
    special: Literal["none", "all"] = "none",
    add_bos: bool = False,
    add_eos: bool = False,
) -> PairCount:
    """Returns what a tokenizer makes of two texts, with options as `Tokenizer.encode` has them.

    Raises TokenariumError if a pattern fails on one of them.
    """

    ids: list[tuple[int, ...]] = []
    lost = size = 0
    for text in (first, second):
        utf8 = text.encode("utf-8", "surrogatepass")
        encoding = tokenizer.encode(text, special, add_bos=add_bos, add_eos=add_eos)
        ids.append(tuple(memoryview(encoding.ids).tolist()))
        lost += lost_bytes(tokenizer, utf8, encoding)
        size += len(utf8)
    return PairCount(name, ids[0], ids[1], lost / max(size, 1))


def pair_cells(count: PairCount, first: TextSize, second: TextSize) -> list[str]:
    """Returns the texts of `HEADS`."""
    sign = f"{SIGN} " if is_doubtful(count.lost) else ""
    return [
        count.name,
        f"{sign}{len(count.first):,}",
        f"{sign}{len(count.second):,}",
        f"{count.difference:+,}".replace("-", "−") if count.difference else "0",
        "–" if count.ratio is None else f"{sign}{count.ratio:.2f}",
        *(
            f"{sign}{size.bytes / len(ids):.2f}" if ids else "–"
            for size, ids in ((first, count.first), (second, count.second))
        ),
    ]


def pair_sentence(counts: Sequence[PairCount]) -> str:
    """Returns in a sentence which of the two texts needs fewer tokens, without tokenizers that lose much of them."""
    ratios = [
        count.ratio for count in counts if count.ratio is not None and not is_doubtful(count.lost)
    ]
    if not ratios:
        return ""
    low, high = min(ratios), max(ratios)
    span = f"{abs(low - 1):.0%}" if f"{low:.2f}" == f"{high:.2f}" else ""
    if high < 1:
        return f"B needs fewer tokens with each tokenizer: {span or f'{1 - high:.0%} to {1 - low:.0%}'} fewer."
    if low > 1:
        return f"B needs more tokens with each tokenizer: {span or f'{low - 1:.0%} to {high - 1:.0%}'} more."
    if low == high == 1:
        return "Both need the same number of tokens."
    if low >= 1:
        return f"B needs as many tokens as A, or up to {high - 1:.0%} more."
    if high <= 1:
        return f"B needs as many tokens as A, or up to {1 - low:.0%} fewer."
    return f"Which of them needs fewer depends on the tokenizer: B has {low:.2f} to {high:.2f} times the tokens of A."


def pair_chart(counts: Sequence[PairCount], colours: Sequence[int]) -> GroupedBars:
    """Returns the tokens of both texts as bars, in the colours of the tokenizers."""
    series = [
        BarSeries(
            count.name,
            colour,
            [
                ChartBar(
                    len(ids),
                    ", ".join(filter(None, [counted(len(ids), "token"), loses(count.lost)])),
                    [str(len(ids))],
                    hatched=0.0 if is_doubtful(count.lost) else None,
                )
                for ids in (count.first, count.second)
            ],
        )
        for count, colour in zip(counts, colours, strict=True)
    ]
    return grouped_bars(Axis("Tokens"), Axis("Text"), ["A", "B"], series, ["Tokens"])


def lost_sentence(counts: Sequence[PairCount]) -> str:
    """Returns a sentence that names the tokenizers that lose much of the texts, so their counts look better than they
    are.
    """
    shares = [(count.name, count.lost) for count in counts if is_doubtful(count.lost)]
    if not shares:
        return ""
    return (
        f"{SIGN} A part of the texts is lost ({listed(shares)}), so counts with a {SIGN} look better than they are."
        f" {SAYS}"
    )


def pair_csv(counts: Sequence[PairCount], first: TextSize, second: TextSize) -> str:
    """Returns the comparison as CSV, numbers without separators of thousands."""
    rows = [
        [
            count.name,
            str(len(count.first)),
            str(len(count.second)),
            "" if count.ratio is None else f"{count.ratio:.6f}",
            *(str(value) for size in (first, second) for value in (size.bytes, size.characters)),
            " ".join(map(str, count.first)),
            " ".join(map(str, count.second)),
        ]
        for count in counts
    ]
    heads = "Tokenizer,Tokens of A,Tokens of B,B / A,Bytes of A,Characters of A,Bytes of B,Characters of B,Ids of A,Ids of B"
    return csv_text([heads.split(","), *rows])


def reversed_text(text: str) -> str:
    """Returns a text from its last grapheme to its first, so that marks stay on their letters.

    >>> reversed_text("strawberry")
    'yrrebwarts'
    """
    return "".join(reversed(regex.findall(r"\X", text)))


def compact_json(text: str) -> str | None:
    """Returns JSON or YAML as JSON without spaces between its parts; None for what is neither."""
    return _json(text, None)


def indented_json(text: str) -> str | None:
    """Returns JSON or YAML as JSON with a line for each part, two spaces a level; None for what is neither."""
    return _json(text, 2)


def as_yaml(text: str) -> str | None:
    """Returns JSON or YAML as YAML in lines, the keys in their order; None for what is neither.

    >>> print(as_yaml('{"name": "Ada", "langs": ["en", "no"]}'))
    name: Ada
    langs:
    - en
    - 'no'
    """
    import yaml

    try:
        value = _value_of(text)
    except ValueError:
        return None
    # The faster emitter, of libyaml, escapes emoji.
    made: str = yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=_ONE_LINE)
    return made.removesuffix("...\n").rstrip("\n")


def _json(text: str, indent: int | None) -> str | None:
    try:
        value = _value_of(text)
    except ValueError:
        return None
    separators = (",", ":") if indent is None else (",", ": ")
    return json.dumps(value, ensure_ascii=False, indent=indent, separators=separators, default=str)


def _value_of(text: str) -> object:
    """Returns what JSON or YAML says; ValueError for what is neither, or plain prose, which is YAML too."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    import yaml

    if text.count("[") + text.count("{") > MOST_FLOWS:
        raise ValueError("deeply nested brackets take too long to read")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        # With aliases, a small text could stand for a huge value.
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=loader)):
            raise ValueError("it has aliases")
        value: object = yaml.load(text, Loader=loader)
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError("it is not YAML") from error
    if not isinstance(value, (dict, list)):
        raise ValueError("it is plain text")
    return value


@dataclass(frozen=True, slots=True)
class OtherForm:
    """A form of a text to compare it with: how to make it, and what to say if that is not possible."""

    title: str
    make: Callable[[str], str | None]
    fault: str = ""


_NEITHER = "The text is neither JSON nor YAML."

FORMS: Mapping[str, OtherForm] = {
    "yaml": OtherForm("A as YAML", as_yaml, _NEITHER),
    "json": OtherForm("A as JSON, one line for each part", indented_json, _NEITHER),
    "compact": OtherForm("A as JSON without spaces", compact_json, _NEITHER),
    "reversed": OtherForm("A reversed", reversed_text),
    "upper": OtherForm("A in capitals", str.upper),
    "same": OtherForm("The same as A", str),
}
"""The forms by the names that the command line has."""


def pair_values(
    counts: Sequence[PairCount], first: TextSize, second: TextSize
) -> dict[str, object]:
    """Returns the comparison for JSON."""
    return {
        "a": {"bytes": first.bytes, "characters": first.characters, "graphemes": first.graphemes},
        "b": {
            "bytes": second.bytes,
            "characters": second.characters,
            "graphemes": second.graphemes,
        },
        "rows": [
            {
                "tokenizer": count.name,
                "tokens_a": len(count.first),
                "tokens_b": len(count.second),
                "ratio": count.ratio,
                "lost_text": count.lost,
                "ids_a": list(count.first),
                "ids_b": list(count.second),
            }
            for count in counts
        ],
    }
