"""The checks of a release: each is declared once, with its thresholds, which a file or an option can change."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from tokenarium_core import FormatError, NotAvailable, TokenariumError
from tokenarium_core.plain_files import read_text

COMPRESSION = "Compression"
VOCABULARY = "Vocabulary"
ROUND_TRIPS = "Round trips"
SPECIAL = "Special tokens"
CUTS = "Numbers and white space"
CHAT = "Chat template"
CONFIG = "The model's configuration"

LARGEST = 1 << 20
"""Bytes of a file with thresholds; a larger one is something else."""


class ReleaseVerdict(Enum):
    """What a check comes to; a figure that was not measured has no verdict of its own."""

    PASS = "pass"
    LOOK = "look"
    FAIL = "fail"
    UNKNOWN = "not checked"

    @property
    def words(self) -> str:
        """What is said of checks that came to this."""
        return {"pass": "passed", "look": "to look at", "fail": "failed"}.get(
            self.value, self.value
        )


@dataclass(frozen=True, slots=True)
class ReleaseLimit:
    """The thresholds of a check; None if it has none. A figure exactly at a threshold passes it."""

    look: float | None = None
    fail: float | None = None


@dataclass(frozen=True, slots=True)
class ReleaseCheck:
    """One check: what it measures (``about``), in what unit, which way is better, and what to do where it is not.

    ``digits`` are the decimals that are shown; ``term`` is its name in the glossary, where it has one.
    """

    id: str
    group: str
    title: str
    unit: str
    high_is_better: bool
    limit: ReleaseLimit
    about: str
    do: str
    digits: int = 2
    term: str = ""

    def verdict(self, figure: float | None, limit: ReleaseLimit) -> ReleaseVerdict:
        """Returns what a figure comes to."""
        if figure is None:
            return ReleaseVerdict.UNKNOWN
        sign = -1 if self.high_is_better else 1
        for bound, verdict in (
            (limit.fail, ReleaseVerdict.FAIL),
            (limit.look, ReleaseVerdict.LOOK),
        ):
            if bound is not None and sign * figure > sign * bound:
                return verdict
        return ReleaseVerdict.PASS

    def shown(self, figure: float | None) -> str:
        """Returns a figure with its unit: ``"3.71 bytes"``, ``"99.5%"``, ``"1 token"``; a dash for none."""
        if figure is None:
            return "–"
        if self.unit == "%":
            return f"{figure:,.{self.digits}f}%"
        number = f"{figure:,.{self.digits}f}"
        unit = self.unit.removesuffix("s") if number == "1" else self.unit
        return f"{number} {unit}"

    def rule(self, limit: ReleaseLimit) -> str:
        """Returns the thresholds in words: ``"fails below 1.00, look below 2.00"``."""
        side = "below" if self.high_is_better else "above"
        bounds = (("fails", limit.fail), ("look", limit.look))
        parts = [
            f"{word} {side} {bound:,.{self.digits}f}{'%' if self.unit == '%' else ''}"
            for word, bound in bounds
            if bound is not None
        ]
        if limit.fail is not None and limit.fail == limit.look:
            parts = parts[:1]
        return ", ".join(parts) or "no threshold"


CHECKS: tuple[ReleaseCheck, ...] = (
    ReleaseCheck(
        "bytes_per_token", COMPRESSION, "Bytes per token, all texts", "bytes", True,
        ReleaseLimit(2.0, 1.2),
        "Bytes of UTF-8 ÷ tokens, over all texts.",
        "Train with more entries, or with a corpus mixed like the text of the model.",
        term="bytes per token",
    ),
    ReleaseCheck(
        "worst_file", COMPRESSION, "Bytes per token, worst text", "bytes", True,
        ReleaseLimit(1.5, None),
        "Bytes per token of the text with the fewest.",
        "Add more text of this kind to the corpus, or do not use the model for it.",
        term="bytes per token",
    ),
    ReleaseCheck(
        "fertility", COMPRESSION, "Fertility in context", "tokens per word", False,
        ReleaseLimit(3.0, 6.0),
        "Tokens that have a byte of a word ÷ words, in texts whose words can be found.",
        "Train with more entries, or add more text to the corpus in the languages that are split most.",
        term="fertility",
    ),
    ReleaseCheck(
        "fertility_alone", COMPRESSION, "Fertility of a word alone", "tokens per word", False,
        ReleaseLimit(3.5, 7.0),
        "Tokens of each word encoded by itself ÷ words, in texts whose words can be found.",
        "If it is much higher than in context, words were learned with the space before them: put a space there.",
        term="fertility",
    ),
    ReleaseCheck(
        "whole_words", COMPRESSION, "Words in one token", "%", True, ReleaseLimit(30.0, None),
        "Words with one token ÷ words, in texts whose words can be found.",
        "Train with more entries.",
        1,
    ),
    ReleaseCheck(
        "premium", COMPRESSION, "Costliest language against English", "times", False,
        ReleaseLimit(4.0, None),
        "Tokens of the language that needs most ÷ tokens of English, for the same content.",
        "Add more text to the corpus in the languages that cost most, or raise the temperature in Train.",
        term="premium",
    ),
    ReleaseCheck(
        "unknown", COMPRESSION, "Text that becomes unknown tokens", "%", False,
        ReleaseLimit(0.0, 0.5),
        "Bytes of the texts that unknown tokens stand for ÷ bytes that all tokens stand for.",
        "Train with byte fallback or at the byte level, or with a higher character coverage.",
        term="unknown token",
    ),
    ReleaseCheck(
        "byte_tokens", COMPRESSION, "Tokens that are one byte of a character", "%", False,
        ReleaseLimit(10.0, None),
        "Tokens that are one byte of a character that has several ÷ tokens.",
        "See “By language” for the scripts that have too few entries, and add more of them to the corpus.",
        1,
    ),
    ReleaseCheck(
        "scripts_without", VOCABULARY, "Scripts of the texts without entries", "scripts", False,
        ReleaseLimit(0.0, None),
        "Scripts with 1% of the letters of the texts or more, of which no entry is written in letters.",
        "Add text in these scripts to the corpus, or leave them out of the texts of the check.",
        0,
    ),
    ReleaseCheck(
        "unreachable", VOCABULARY, "Entries out of reach", "%", False, ReleaseLimit(1.0, None),
        "Entries that encoding never makes, or that no tried text made ÷ entries; without single bytes.",
        "Each is a row of the embedding that is never trained. Diagnostics lists them.",
        2,
        "unreachable entry",
    ),
    ReleaseCheck(
        "round_trip", ROUND_TRIPS, "Texts that come back", "%", True, ReleaseLimit(100.0, 100.0),
        "Texts that decoding gives back byte for byte ÷ texts.",
        "Look at what is lost below. If a normalizer changes texts on purpose, lower the threshold.",
        1,
        "round trip",
    ),
    ReleaseCheck(
        "hard_texts", ROUND_TRIPS, "Short hard texts that come back", "%", True,
        ReleaseLimit(100.0, None),
        "Short texts with spaces, accents, ligatures and rare signs that decoding gives back ÷ all of them.",
        "Diagnostics says which stage changes them.",
        1,
        "round trip",
    ),
    ReleaseCheck(
        "special_whole", SPECIAL, "Special tokens that are cut", "tokens", False,
        ReleaseLimit(0.0, 0.0),
        "Special tokens that do not become their single id where they are allowed.",
        "Add them as special tokens after the training, not as a part of the corpus.",
        0,
        "special token",
    ),
    ReleaseCheck(
        "special_injected", SPECIAL, "Special tokens out of plain text", "tokens", False,
        ReleaseLimit(0.0, None),
        "Special tokens that come out of plain text where none is allowed.",
        "Give these entries a spelling that no text has, or remove them from the model's vocabulary.",
        0,
        "special token",
    ),
    ReleaseCheck(
        "numbers", CUTS, "Numbers of four digits split the same way", "%", True, ReleaseLimit(100.0, None),
        "The share of the numbers from 1000 to 9999 that are split in the most frequent way.",
        "Split digits before the merges: one by one, or in threes.",
        1,
    ),
    ReleaseCheck(
        "indent_4", CUTS, "Tokens of 4 spaces of indentation", "tokens", False,
        ReleaseLimit(1.0, None),
        "Tokens that 4 spaces at the beginning of a line add.",
        "Add code to the corpus, and use a pattern that keeps runs of spaces together.",
        0,
    ),
    ReleaseCheck(
        "indent_8", CUTS, "Tokens of 8 spaces of indentation", "tokens", False,
        ReleaseLimit(2.0, None),
        "Tokens that 8 spaces at the beginning of a line add.",
        "Add code to the corpus, and use a pattern that keeps runs of spaces together.",
        0,
    ),
    ReleaseCheck(
        "tab", CUTS, "Tokens of a tab of indentation", "tokens", False, ReleaseLimit(1.0, None),
        "Tokens that a tab at the beginning of a line adds.",
        "Add code indented with tabs to the corpus.",
        0,
    ),
    ReleaseCheck(
        "chat_markers", CHAT, "Markers of the template that are split", "markers", False,
        ReleaseLimit(0.0, 0.0),
        "Markers that the chat template writes, such as <|im_end|>, and that are not a single token.",
        "Add them to the tokenizer as special tokens, or take the template of the model.",
        0,
        "chat template",
    ),
    ReleaseCheck(
        "chat_start", CHAT, "Starts of a text in a chat", "tokens", False, ReleaseLimit(1.0, None),
        "How many beginnings of a text (bos) a chat has once the tokenizer adds its own.",
        "Encode the template's output without adding special tokens.",
        0,
        "chat template",
    ),
    ReleaseCheck(
        "config_rows", CONFIG, "Entries without a row in the embedding", "entries", False,
        ReleaseLimit(0.0, 0.0),
        "Entries of the tokenizer from vocab_size of config.json on.",
        "These ids end in an error or another token's row: resize the embedding, or take the model's tokenizer.",
        0,
    ),
    ReleaseCheck(
        "config_unused", CONFIG, "Rows of the embedding without an entry", "rows", False,
        ReleaseLimit(0.0, None),
        "vocab_size of config.json, less the entries of the tokenizer.",
        "Fine where the size was padded to a multiple; else the tokenizer is not the model's.",
        0,
    ),
    ReleaseCheck(
        "config_ids", CONFIG, "Ids of the configuration that do not fit", "ids", False,
        ReleaseLimit(0.0, 0.0),
        "bos, eos, pad and other ids of config.json and generation_config.json that the tokenizer does not have, or"
        " has for a different token from the one that its own files name.",
        "Correct the ids in config.json, or take the model's tokenizer.",
        0,
    ),
)  # fmt: skip
"""All checks, in the order in which they are shown."""

BY_ID: Mapping[str, ReleaseCheck] = {check.id: check for check in CHECKS}

ReleaseLimits = Mapping[str, ReleaseLimit]


def declared_limits() -> dict[str, ReleaseLimit]:
    """Returns the thresholds as they are declared."""
    return {check.id: check.limit for check in CHECKS}


def limits_of_file(path: Path) -> dict[str, ReleaseLimit]:
    """Returns the thresholds that a TOML or JSON file changes; the others are as declared.

    The file has a table ``limits``, or is that table: for each check a number, at which it fails, or ``look`` and
    ``fail``; false turns a threshold off. TokenariumError for anything else.
    """
    try:
        text = read_text(path, LARGEST)
        values = json.loads(text) if path.suffix.lower() == ".json" else tomllib.loads(text)
    except OSError as error:
        raise NotAvailable(f"{path} cannot be read: {error.strerror or error}.") from None
    except (ValueError, RecursionError) as error:
        kind = "JSON" if path.suffix.lower() == ".json" else "TOML"
        raise FormatError(f"{path} is not {kind}: {error}.") from None
    table = values.get("limits", values) if isinstance(values, dict) else None
    if not isinstance(table, dict):
        raise FormatError(
            f"{path} has no table of thresholds: write [limits], and a line for each."
        )
    limits = declared_limits()
    for name, value in table.items():
        _known(name, str(path))
        limits[name] = _limit(limits[name], name, value, str(path))
    return limits


def limits_of_options(limits: ReleaseLimits, options: Iterable[str]) -> dict[str, ReleaseLimit]:
    """Returns thresholds changed by options: ``fertility=4``, ``fertility.look=2``, ``premium=off``."""
    changed = dict(limits)
    for option in options:
        name, sign, text = option.partition("=")
        check, _, which = name.strip().partition(".")
        if not sign or which not in ("", "look", "fail"):
            raise TokenariumError(
                f"{option!r} is not a threshold: write one such as fertility=4, fertility.look=2 or premium=off."
            )
        _known(check, option)
        bare = text.strip().lower()
        try:
            value: float | bool = False if bare in ("off", "none", "") else float(bare)
        except ValueError:
            raise TokenariumError(f"{text!r} in {option!r} is neither a number nor off.") from None
        changed[check] = _limit(changed[check], check, {which: value} if which else value, option)
    return changed


def _known(name: str, where: str) -> None:
    if name not in BY_ID:
        raise TokenariumError(
            f"{where}: there is no check {name!r}. The checks are {', '.join(BY_ID)}."
        )


def _limit(before: ReleaseLimit, name: str, value: Any, where: str) -> ReleaseLimit:
    """Returns a threshold as a value changes it."""
    if value is False:
        return ReleaseLimit()
    if isinstance(value, dict) and value.keys() <= {"look", "fail"}:
        bounds = {"look": before.look, "fail": before.fail}
        for which, bound in value.items():
            bounds[which] = None if bound is False or bound is None else _number(bound, name, where)
        return ReleaseLimit(bounds["look"], bounds["fail"])
    fail = _number(value, name, where)
    look = before.look
    # A threshold of failure beyond the one for a look leaves nothing between them.
    if look is not None and (fail > look if BY_ID[name].high_is_better else fail < look):
        look = fail
    return ReleaseLimit(look, fail)


def _number(value: Any, name: str, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        raise FormatError(f"{where}: the threshold of {name} is {value!r}, which is not a number.")
    return float(value)
