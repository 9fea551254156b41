"""Whether a pattern that tiktoken runs means the same to another engine, part by part.

Both engines read the same source, so their syntax trees are equal where they agree. Classes
are compared over all code points.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final, final

from tokenarium_core.patterns.oniguruma import OnigurumaPattern
from tokenarium_core.patterns.oniguruma_characters import as_seen
from tokenarium_core.patterns.regex_engine import compile_source
from tokenarium_core.patterns.rust_classes import word_characters
from tokenarium_core.patterns.rust_syntax import RustPattern
from tokenarium_core.patterns.syntax_tree import (
    GROUP,
    OTHER,
    REPEAT,
    SEQUENCE,
    SINGLE,
    PatternNode,
    read_pattern,
)
from tokenarium_core.unicode.code_sets import Spans, difference, listed, union
from tokenarium_core.unicode.codepoints import CODE_POINTS
from tokenarium_core.unicode.codepoints_data import OTHER_IN_REGEX

_PLAIN_GROUP: Final = re.compile(r"\((?:\?(?:P?<\w+>|[imsuV01-]*:))?$")
_OPTIONS: Final = re.compile(r"\(\?([a-zA-Z0-9]*)(?:-([a-zA-Z]+))?[:)]$")
_SURROGATES: Final[Spans] = [(0xD800, 0xDFFF)]


def other_to_oniguruma(source: str, written: str) -> str:
    """Returns the first part of a pattern of tiktoken that Oniguruma reads differently; empty if there is none.

    ``written`` is the pattern as it is written for that engine. PatternError and FormatError for a pattern that one of
    the two readers refuses.
    """
    pattern = RustPattern(source)
    return _Comparison(pattern, False).compare(pattern.tree, OnigurumaPattern(written).tree)


def other_to_regex(source: str) -> str:
    """Returns the first part of a pattern of the `regex` module (version 0) that tiktoken reads differently.

    Characters that have another category in the newer Unicode of that module do not count. PatternError for a pattern
    that tiktoken does not accept.
    """
    pattern = RustPattern(source)
    return _Comparison(pattern, True).compare(pattern.tree, read_pattern(source))


@cache
def _characters(seen: bool) -> str:
    """Returns all characters but surrogates, which stand for themselves; ``seen``: as Oniguruma's patterns see them."""
    everything = "".join(
        [chr(code if not 0xD800 <= code < 0xE000 else 0) for code in range(CODE_POINTS)]
    )
    return as_seen(everything) if seen else everything


@final
class _Comparison:
    """The walk through both trees; ``is_regex``: the other one is of `read_pattern`, else of Oniguruma."""

    def __init__(self, pattern: RustPattern, is_regex: bool) -> None:
        self._pattern = pattern
        self._is_regex = is_regex
        self._options = ""  # those of the other engine that hold: i, s
        self._sets: dict[str, Spans] = {}
        self._apart: Spans = union(_SURROGATES, listed(_changed()) if is_regex else [])

    def compare(self, ours: PatternNode, other: PatternNode) -> str:
        """Returns the text of the first part that differs."""
        if other.kind == SEQUENCE and self._is_regex:
            parts = self._without_options(other.parts)
            if isinstance(parts, str):
                return parts
            other = parts[0] if len(parts) == 1 else PatternNode(SEQUENCE, "", parts)
        if ours.kind == SINGLE and other.kind == SINGLE:
            mine = self._pattern.sets[int(ours.text)]
            theirs = self._set(other.text)
            same = difference(mine, self._apart) == difference(theirs, self._apart)
            return "" if same else self._shown(ours)
        if other.kind == OTHER and other.text in (r"\b", r"\B"):
            edge = RustPattern(other.text)
            same = edge.tree.written() == ours.written() or self._is_edge(ours, other.text)
            words = difference(self._set(r"\w"), self._apart)
            same = same and words == difference(word_characters(), self._apart)
            return "" if same else self._shown(ours)
        if ours.kind != other.kind or len(ours.parts) != len(other.parts):
            return self._shown(ours)
        if ours.kind == OTHER:
            text = r"\A" if self._is_regex and other.text == "^" else other.text
            return "" if ours.text == text else self._shown(ours)
        if ours.kind == REPEAT and (
            (ours.least, ours.most) != (other.least, other.most)
            or _manner(ours.text) != _manner(other.text)
        ):
            return self._shown(ours)
        before = self._options
        if ours.kind == GROUP:
            self._set_options(other.text)
            plain = "(?:" if _PLAIN_GROUP.match(other.text) else other.text
            if ours.text != plain and not (ours.text.startswith("(?P<") and plain == "(?:"):
                return self._shown(ours)
        for one, its in zip(ours.parts, other.parts, strict=True):
            result = self.compare(one, its)
            if result:
                return result
        self._options = before
        return ""

    def _without_options(self, parts: list[PatternNode]) -> list[PatternNode] | str:
        """Returns parts without options at the start of the pattern; as text, options that are elsewhere."""
        remaining: list[PatternNode] = []
        for part in parts:
            options = _OPTIONS.match(part.text) if part.kind == OTHER else None
            if not options:
                remaining.append(part)
            elif remaining or self._pattern.source[: part.at].strip("(?ims)"):
                return part.text
            else:
                self._set_options(part.text)
        return remaining

    def _set_options(self, text: str) -> None:
        """Takes the options of a group such as ``(?i-s:``."""
        options = _OPTIONS.match(text)
        if options:
            on = self._options + options[1]
            self._options = "".join([c for c in "is" if c in on and c not in (options[2] or "")])

    def _is_edge(self, ours: PatternNode, text: str) -> bool:
        """Returns whether a part is the edge of a word, whatever the numbers of its sets."""
        edge = RustPattern(text)
        mine = ours.all_parts()
        expected = edge.tree.all_parts()
        return len(mine) == len(expected) and all(
            one.kind == two.kind
            and (
                one.text == two.text
                or (
                    one.kind == SINGLE
                    and self._pattern.sets[int(one.text)] == edge.sets[int(two.text)]
                )
            )
            for one, two in zip(mine, expected, strict=True)
        )

    def _shown(self, ours: PatternNode) -> str:
        """Returns what stands for a part in a sentence."""
        return self._pattern.source[ours.at : ours.end] or self._pattern.source

    def _set(self, text: str) -> Spans:
        """Returns the code points of a class of the other engine."""
        key = self._options + text
        spans = self._sets.get(key)
        if spans is None:
            flags = f"(?V0{self._options})" if self._is_regex else "(?V1)"
            compiled: Any = compile_source(f"{flags}(?:{text})+")
            matches = compiled.finditer(_characters(not self._is_regex), concurrent=False)
            spans = union([(match.start(), match.end() - 1) for match in matches])
            self._sets[key] = spans
        return spans


def _manner(quantifier: str) -> str:
    """Returns what follows the counts of a quantifier."""
    return quantifier[-1] if len(quantifier) > 1 and quantifier[-1] in "?+" else ""


@cache
def _changed() -> str:
    """Returns the code points with another category in the Unicode of the `regex` module."""
    return " ".join([item.partition("=")[0] for item in OTHER_IN_REGEX.split()])
