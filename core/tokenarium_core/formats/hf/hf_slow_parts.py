"""Classes of transformers 5 in Python that cut words into parts: PhoBERT, BERTweet, CTRL and Blenderbot small.

BPE with the codes of fastBPE or subword-nmt cuts a word, ``</w>`` being part of its last character. The vocabulary has the
last part as it is, and the others with ``@@``; parts that it lacks are the unknown token, though other merges may go
through them. So there are two steps, as in Marian: a `tokenizer.json` that cuts, and the ids by name; see `hf_named`.

Sources: ``models/phobert/tokenization_phobert.py`` and its like.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tokenarium_core.errors import FormatError
from tokenarium_core.formats.hf.hf_named import AFTER, BETWEEN_WORDS
from tokenarium_core.formats.hf.hf_slow_builder import (
    SECOND,
    TEXT,
    WORD_END,
    SlowBuilder,
    Stage,
    replace,
    sequence,
)
from tokenarium_core.formats.hf.hf_slow_named import LAST_SIGMA, named_fields, with_entries
from tokenarium_core.formats.hf.hf_slow_settings import text_of
from tokenarium_core.formats.plain_lines import lines_of

Merges = list[tuple[str, str]]

PART_FILES: Final = {
    "PhobertTokenizer": ("vocab.txt", "bpe.codes"),
    "BertweetTokenizer": ("vocab.txt", "bpe.codes"),
    "CTRLTokenizer": ("vocab.json", "merges.txt"),
    "BlenderbotSmallTokenizer": ("vocab.json", "merges.txt"),
}
"""The two files that each class reads."""

_COUNTED: Final = ("PhobertTokenizer", "BertweetTokenizer")
_FIRST: Final = 4  # special tokens before the lines
_STRIPPED: Final = 1 << 16  # the most spaces at an end of a decoded text
_SPACE: Final = r"\s\x1c-\x1f"  # of Python's own module re; the other classes have regex, and the white space of Unicode


def of_parts(
    builder: SlowBuilder, kind: str, entries: dict[str, int], merges: Merges
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the `tokenizer.json` with the ids, and the one that cuts.

    Raises FormatError for settings that the class refuses, or that cannot run exactly as in it.
    """
    _CLASSES[kind](builder)
    with_entries(builder, kind, entries, part_decoders())
    if kind in _COUNTED:
        cls, sep = builder.special.get("cls_token"), builder.special.get("sep_token")
        single: list[tuple[object, int]] = [(cls, 0), (TEXT, 0), (sep, 0)]
        builder.template(single, [*single, (sep, 0), (SECOND, 0), (sep, 0)])
    else:
        builder.template([(TEXT, 0)], [(TEXT, 0), (SECOND, 0)])
    return named_fields(builder, kind), cutter_of(kind, entries, merges)


def part_decoders() -> list[Stage]:
    """Returns the stages that put words together again, with spaces between them."""
    return [
        replace(r"\z", " ", True),
        {"type": "Fuse"},
        replace(rf"{AFTER} (?!\z)", "", True),
        {"type": "Strip", "content": " ", "start": _STRIPPED, "stop": _STRIPPED},
    ]


def cutter_of(kind: str, entries: dict[str, int], merges: Merges) -> dict[str, Any]:
    """Returns the `tokenizer.json` that cuts."""
    symbols: dict[str, int] = {BETWEEN_WORDS: 0}
    # A single character that is an entry needs no merge.
    for entry in entries:
        if len(entry) == 1:
            symbols.setdefault(entry + WORD_END, len(symbols))
        elif len(entry) == 1 + len(AFTER) and entry.endswith(AFTER):
            symbols.setdefault(entry[0], len(symbols))
    for left, right in merges:
        for symbol in (left, right, left + right):
            symbols.setdefault(symbol, len(symbols))
    word = rf"[^{_SPACE}]+\n?" if kind in _COUNTED else r"\S+\n?"
    normalizer: Stage | None = None
    if kind == "BlenderbotSmallTokenizer":
        marks = r".,!?()"
        normalizer = sequence(
            "normalizers",
            [
                replace(r"(?<=[^\s'])\n", " __newln__ ", True),
                replace(LAST_SIGMA, "ς", True),
                {"type": "Lowercase"},
            ],
        )
        rest = rf"[^\s'{marks}]"
        word = rf"'|[{marks}]{rest}*|{rest}+"
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": normalizer,
        "pre_tokenizer": {
            "type": "Split",
            "pattern": {"Regex": word},
            "behavior": "Removed",
            "invert": True,
        },
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": BETWEEN_WORDS,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": WORD_END,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": symbols,
            "merges": merges,
        },
    }


def read_entries(builder: SlowBuilder, content: bytes, name: str) -> dict[str, int]:
    """Returns the entries of a ``vocab.txt`` of fairseq: four special tokens, and one entry a line, with a number.

    Raises FormatError, with the line, for one without a number, and for a duplicate.
    """
    entries: dict[str, int] = {}
    for setting, usual in (
        ("bos_token", "<s>"),
        ("pad_token", "<pad>"),
        ("eos_token", "</s>"),
        ("unk_token", "<unk>"),
    ):
        entries[text_of(builder.values.get(setting, usual))] = len(entries)
    if len(entries) != _FIRST:
        raise FormatError("Two of the special tokens that have the first ids are the same.")
    for number, line in lines_of(content, name):
        entry, space, _ = line.strip().rpartition(" ")
        if not space:
            raise FormatError(
                f"Line {number} of {name} is {line[:60]!r}, not an entry and a number."
            )
        if entry in entries:
            raise FormatError(
                f"Line {number} of {name} has the entry {entry!r:.60}, which already has an id."
            )
        entries[entry] = len(entries)
    return entries


def read_merges(kind: str, content: bytes, name: str) -> Merges:
    """Returns the merges of the class: each with a count, or after a first line that is none.

    Raises FormatError, with the line, for other lines.
    """
    counted = kind in _COUNTED
    merges: Merges = []
    for number, line in lines_of(content, name):
        if number == 1 and not counted:
            continue
        parts = line.split(" ")
        if len(parts) != 2 + counted or not all(parts):
            what = "two parts of a word and a count" if counted else "two parts of a word"
            raise FormatError(f"Line {number} of {name} is {line[:60]!r}, not {what}.")
        left, right = parts[0], parts[1]
        if WORD_END in left or WORD_END in right.removesuffix(WORD_END) or right == WORD_END:
            raise FormatError(
                f"Line {number} of {name} has {WORD_END} elsewhere than at the end of a word."
            )
        merges.append((left, right))
    return merges


def _fairseq(builder: SlowBuilder) -> None:
    if builder.flag("normalization", False):
        raise builder.settings.not_run(
            "normalization", "runs a tokenizer of tweets in Python, with the package emoji"
        )
    builder.tokens(
        bos_token="<s>", eos_token="</s>", sep_token="</s>", cls_token="<s>", unk_token="<unk>"
    )
    builder.tokens(pad_token="<pad>", mask_token="<mask>")


def _phobert(builder: SlowBuilder) -> None:
    builder.values.pop("normalization", None)
    _fairseq(builder)


def _ctrl(builder: SlowBuilder) -> None:
    builder.tokens(unk_token="<unk>")


def _blenderbot(builder: SlowBuilder) -> None:
    builder.tokens(bos_token="__start__", eos_token="__end__", unk_token="__unk__")
    builder.token("pad_token", "__null__")


_CLASSES: Final[dict[str, Callable[[SlowBuilder], None]]] = {
    "PhobertTokenizer": _phobert,
    "BertweetTokenizer": _fairseq,
    "CTRLTokenizer": _ctrl,
    "BlenderbotSmallTokenizer": _blenderbot,
}
