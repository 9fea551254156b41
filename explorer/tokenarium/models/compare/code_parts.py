"""What a program consists of, by tree-sitter: the leaves of its syntax tree, its identifiers with their words, its indentation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import regex

import tokenarium_core as tc
from tokenarium.models.installation import how_to_get

Places = npt.NDArray[np.int32]

LANGUAGES = {
    "python": ("Python", "tree_sitter_python", "language"),
    "javascript": ("JavaScript", "tree_sitter_javascript", "language"),
    "typescript": ("TypeScript", "tree_sitter_typescript", "language_typescript"),
    "java": ("Java", "tree_sitter_java", "language"),
    "c": ("C", "tree_sitter_c", "language"),
    "cpp": ("C++", "tree_sitter_cpp", "language"),
    "go": ("Go", "tree_sitter_go", "language"),
    "rust": ("Rust", "tree_sitter_rust", "language"),
}
"""The languages of the extra ``code``: title, module of the grammar, and its function."""

AUTOMATIC = "automatic"
TRIED = 20_000  # bytes by which a language is recognized
WALKED_AT_ONCE = 20_000  # leaves between two looks at the clock

IDENTIFIER, KEYWORD, LITERAL, PUNCTUATION = KINDS = (
    "Identifiers",
    "Keywords",
    "Literals",
    "Punctuation",
)
_LEFT_OUT = -1

_OF_KEYWORDS = ("_type", "_specifier", "this", "self", "super", "crate")
"""How the names of leaves end that are words of the language, and have a node of their own."""

_WORDS = regex.compile(r"\p{Lu}+(?!\p{Ll})|\p{Lu}?[^\p{Lu}\p{N}_$]+|\p{N}+|[^_$]")
_INDENTATION = regex.compile(rb"(?m)^[ \t]+(?=[^ \t\r\n])")


@dataclass(slots=True)
class CodeParts:
    """A program in UTF-8; ``starts``, ``ends`` and ``kinds`` (of `KINDS`) are those of its leaves, in bytes.

    ``gaps``: where the words of identifiers meet, from the end of one to the start of the next, of `identifiers`.
    ``indents``: the white space before the first character of lines. ``errors``: bytes that are no program.
    """

    utf8: bytes
    language: str = ""
    errors: int = 0
    starts: Places = field(default_factory=lambda: np.empty(0, np.int32))
    ends: Places = field(default_factory=lambda: np.empty(0, np.int32))
    kinds: Places = field(default_factory=lambda: np.empty(0, np.int32))
    gaps: Places = field(default_factory=lambda: np.empty((0, 2), np.int32))
    indents: Places = field(default_factory=lambda: np.empty((0, 2), np.int32))

    @property
    def identifiers(self) -> Places:
        """Where the identifiers begin and end (n × 2)."""
        chosen = self.kinds == KINDS.index(IDENTIFIER)
        return np.stack((self.starts[chosen], self.ends[chosen]), axis=1)


def check_available() -> None:
    """Raises NotAvailable if the extra ``code`` is not installed."""
    if find_spec("tree_sitter") is None or find_spec("tree_sitter_python") is None:
        raise tc.NotAvailable(
            f"Programs are parsed by tree-sitter. {how_to_get('tokenarium[code]')}"
        )


@lru_cache(maxsize=len(LANGUAGES))
def _language(name: str) -> Any:
    from tree_sitter import Language

    _, module, function = LANGUAGES[name]
    return Language(getattr(import_module(module), function)())


def _parsed(utf8: bytes, name: str) -> Any:
    from tree_sitter import Parser

    return Parser(_language(name)).parse(utf8)


def recognized(utf8: bytes) -> str:
    """Returns the language whose grammar leaves the fewest bytes of the beginning over; the first one of several."""
    head = utf8[:TRIED]
    return min(LANGUAGES, key=lambda name: _error_bytes(_parsed(head, name)))


def _error_bytes(tree: Any) -> int:
    """Returns how many bytes are in errors of a syntax tree, and one more for each symbol that is missing."""
    found, stack = 0, [tree.root_node]
    while stack:
        node = stack.pop()
        if node.is_error:
            found += node.end_byte - node.start_byte
        elif node.is_missing:
            found += 1
        elif node.has_error:
            stack += node.children
    return found


def parse_code(utf8: bytes, language: str, parts: CodeParts) -> Iterator[tuple[int, int]]:
    """Fills ``parts``; yields from time to time how many bytes of how many are done.

    Comments, white space and what is empty are no leaves. Raises NotAvailable and ArgumentError.
    """
    check_available()
    if language not in (*LANGUAGES, AUTOMATIC):
        names = ", ".join((AUTOMATIC, *LANGUAGES))
        raise tc.ArgumentError(f"There is no language {language}: give one of {names}.")
    parts.language = recognized(utf8) if language == AUTOMATIC else language
    yield 0, len(utf8)
    tree = _parsed(utf8, parts.language)
    parts.errors = _error_bytes(tree)
    found: list[tuple[int, int, int]] = []
    for leaf in _leaves(tree, parts.language):
        if leaf[0] < leaf[1] and utf8[leaf[0] : leaf[1]].strip():
            found.append(leaf)
            if len(found) % WALKED_AT_ONCE == 0:
                yield leaf[1], len(utf8)
    columns = np.array(found, np.int32).reshape(-1, 3)
    parts.starts, parts.ends, parts.kinds = columns.T.copy()
    gaps: list[tuple[int, int]] = []
    for start, end in parts.identifiers.tolist():
        gaps += [(start + low, start + high) for low, high in word_gaps(utf8[start:end])]
    parts.gaps = np.array(gaps, np.int32).reshape(-1, 2)
    spans = [match.span() for match in _INDENTATION.finditer(utf8)]
    parts.indents = np.array(spans, np.int32).reshape(-1, 2)


def _leaves(tree: Any, language: str) -> Iterator[tuple[int, int, int]]:
    """Returns the leaves of a syntax tree, with their kinds, from left to right."""
    grammar = _language(language)
    kinds: dict[int, int] = {}
    cursor = tree.walk()
    while True:
        node = cursor.node
        kind = kinds.get(node.kind_id)
        if kind is None:
            kind = kinds[node.kind_id] = _kind(grammar, node.kind_id)
        if kind != _LEFT_OUT and not cursor.goto_first_child():
            yield node.start_byte, node.end_byte, kind
        elif kind != _LEFT_OUT:
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def _kind(grammar: Any, number: int) -> int:
    """Returns the kind of a node if it is a leaf."""
    name: str = grammar.node_kind_for_id(number) or ""
    if "comment" in name:
        return _LEFT_OUT
    if not grammar.node_kind_is_named(number):
        return KINDS.index(KEYWORD if name[:1].isalpha() else PUNCTUATION)
    if "identifier" in name:
        return KINDS.index(IDENTIFIER)
    return KINDS.index(KEYWORD if name.endswith(_OF_KEYWORDS) else LITERAL)


@lru_cache(maxsize=1 << 16)
def word_gaps(identifier: bytes) -> tuple[tuple[int, int], ...]:
    """Returns where the words of an identifier meet: the end of each and the start of the next, in bytes.

    >>> word_gaps(b"getHTTPResponse_code2")
    ((3, 3), (7, 7), (15, 16), (20, 20))
    """
    text = identifier.decode("utf-8", "replace")
    spans = [match.span() for match in _WORDS.finditer(text)]
    if not text.isascii():
        spans = [(len(text[:low].encode()), len(text[:high].encode())) for low, high in spans]
    return tuple((one[1], other[0]) for one, other in pairwise(spans))
