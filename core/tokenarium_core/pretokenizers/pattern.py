"""Pre-tokenizers from any regular expression, run by the `regex` module (with its version 0 rules)."""

from __future__ import annotations

import re
from typing import Any, Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import PatternError
from tokenarium_core.patterns.character_kinds import CharacterKinds
from tokenarium_core.patterns.regex_engine import (
    MOST_REPEATS,
    Allowance,
    check_length,
    compile_source,
)
from tokenarium_core.patterns.syntax_tree import CHOICE, GROUP, OTHER, PatternNode, read_pattern
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.unicode.utf8 import start_before, width_of

MOST_RULES: Final = 255  # a rule's number is one byte

TIKTOKEN_PATTERN: Final = "tiktoken pattern"
"""The name of the pre-tokenizers whose pattern is read as tiktoken reads it."""

_MARK: Final = "_end_of_rule_"
_GROUP_NAME: Final = re.compile(r"\(\?P?<(\w+)>")
_OPTIONS: Final = re.compile(r"\(\?([a-zA-Z0-9]*)(?:-([a-zA-Z]+))?([:)])")
_NUMBERED: Final = re.compile(r"\\[1-9g]|\(\?(?:\(|R|[-+]?\d|&|P>)")
_CALL: Final = re.compile(r"\(\?(?:R|[-+]?[0-9]+|&\w*|P>\w*)\)")


@final
class Alternatives:
    """The top-level alternatives of a pattern: ``parts`` are their sources and ``names`` their names.

    ``repeats`` is how often the most repeated piece must occur, counting repeats inside repeats. ``call`` is where a
    group is called, as in ``(?R)``, which may recurse until the memory is full; -1 if there is no such call.
    """

    def __init__(self, source: str) -> None:
        tree = read_pattern(source)
        ways = tree.parts if tree.kind == CHOICE else [tree]
        self.parts = [source[way.at : way.end] for way in ways]
        self.names = [_name(way) or f"alternative {i + 1}" for i, way in enumerate(ways)]
        self.repeats = tree.most_repeats()
        self.call = -1
        # Not safe to mark if groups are called by number, or where # and [ have other meanings.
        self.safe = _MARK not in source
        for node in tree.all_parts():
            if node.kind not in (GROUP, OTHER):
                continue
            options = _OPTIONS.match(node.text)
            for_all = options[1] if options and options[3] == ")" else ""
            if _NUMBERED.match(node.text) or "x" in for_all or "V" in for_all:
                self.safe = False
            if self.call < 0 and _CALL.match(node.text):
                self.call = node.at

    def marked(self) -> str:
        """Returns the pattern with an empty group after each alternative, to show which one matched."""
        return "|".join(f"{part}(?P<{_MARK}{i}>)" for i, part in enumerate(self.parts))


def bounded_alternatives(source: str) -> Alternatives:
    """Returns the alternatives of a pattern; PatternError for one that may take all memory to compile or to match."""
    check_length(source)
    alternatives = Alternatives(source)
    if alternatives.call >= 0:
        raise PatternError(
            f"The pattern calls a group at character {alternatives.call}, which may recurse until the memory is full."
            " Write the group out there instead.",
            alternatives.call,
        )
    check_repeats(alternatives.repeats)
    return alternatives


def _name(way: PatternNode) -> str:
    """Returns the name of the first named group of an alternative; empty if there is none."""
    for node in way.all_parts():
        name = _GROUP_NAME.match(node.text) if node.kind == GROUP else None
        if name:
            return name[1]
    return ""


@final
class RunnablePattern:
    """A pattern as the `regex` module runs it: ``compiled``, and the number of the rule that ends with each group.

    ``kinds``: the pattern runs on the kinds of characters, as tiktoken's does (see `tiktoken_pattern`); None: on the
    text itself.
    """

    def __init__(
        self,
        name: str,
        source: str,
        compiled: Any,
        rules: list[str],
        rule_of_group: dict[int, int],
        kinds: CharacterKinds | None = None,
    ) -> None:
        self.name = name
        self.source = source
        self.compiled = compiled
        self.rules = rules
        self.rule_of_group = rule_of_group
        self.kinds = kinds


def runnable(pattern: str) -> RunnablePattern:
    """Returns a pattern of the `regex` module, version 0; PatternError for one that does not compile."""
    alternatives = bounded_alternatives(pattern)
    compiled = compile_source(pattern)
    names = alternatives.names
    rule_of_group: dict[int, int] = {}
    if len(names) == 1 and names[0] == "alternative 1":
        names = ["match"]
    elif alternatives.safe and len(names) <= MOST_RULES:
        marked = compile_source(alternatives.marked())
        if marked.groups == compiled.groups + len(names):
            compiled = marked
            for rule in range(len(names)):
                rule_of_group[marked.groupindex[f"{_MARK}{rule}"]] = rule
    return RunnablePattern(
        "pattern", pattern, compiled, names if rule_of_group else ["match"], rule_of_group
    )


def check_repeats(repeats: int) -> None:
    """Raises PatternError for a pattern whose repeats inside repeats may fill the memory."""
    if repeats > MOST_REPEATS:
        raise PatternError(
            f"The pattern repeats something {repeats} times, counting repeats inside "
            f"repeats; at most {MOST_REPEATS} are allowed. Use + or *, or smaller numbers."
        )


@final
class RegexPreTokenizer(PreTokenizer):
    """Splits a text into the matches of a pattern, which must cover every character.

    The rules are the pattern's top-level alternatives: each has the name of the first named group in it
    (``(?P<word>…)``), else by its number. If the alternatives cannot be distinguished safely (for example,
    because the pattern counts its groups), there is one rule, "match".

    As in any regular expression, a match may depend on the text before it (``\\b``, ``(?<=…)``). So the position
    where the last call stopped is stored, and continuing from there sees the whole text. From any other position the
    text is treated as beginning there. If several texts are processed alternately, `for_text` gives each a
    pre-tokenizer that keeps its position.

    ``timeout``: the seconds of processor time for a text, and for each million characters of it; the `Patience` of the
    process where none is given.
    """

    def __init__(self, runs: RunnablePattern, timeout: float | None = None) -> None:
        super().__init__(runs.name, runs.source, runs.rules)
        self.runs = runs
        self.timeout = timeout
        self.forget()

    def for_text(self) -> PreTokenizer:
        """Returns a pre-tokenizer of the same pattern for one text; see `PreTokenizer.for_text`."""
        return RegexPreTokenizer(self.runs, self.timeout)

    def forget(self) -> None:
        """Releases the text that was cut last."""
        self.data = b""
        self.text = ""
        self.stop: i64 = 0
        self.next_byte: i64 = 0
        self.next_character = 0
        self.allowance = Allowance(0, 0.0)

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], rules: vec[u8]) -> i64:
        """Cuts ``data[start:stop]``; see `PreTokenizer.cut`.

        Raises PatternError, with the position in the text (in characters from its start), if
        the pattern does not cover a character or takes too long.
        """
        if data is not self.data or start != self.next_byte or stop != self.stop:
            self.forget()
            self.data = data
            kinds = self.runs.kinds
            self.text = (
                data[start:stop].decode() if kinds is None else kinds.seen(data, start, stop)
            )
            self.allowance = Allowance(len(self.text), self.timeout)
            self.stop = stop
            self.next_byte = start
        whole = False
        try:
            count = self.go_on(ends, rules)
            whole = self.next_byte < stop
        finally:
            if not whole:
                self.forget()
        return count

    def go_on(self, ends: vec[i32], rules: vec[u8]) -> i64:
        """Cuts from where the last call stopped, until the text ends, the arrays are full, or time is up."""
        text = self.text
        data = self.data
        rule_of_group = self.runs.rule_of_group
        skips = self.runs.name == TIKTOKEN_PATTERN
        allowance = self.allowance
        room: i64 = len(ends)
        count: i64 = 0
        character = self.next_character
        byte = self.next_byte
        empty = -1  # where the pattern last had an empty match
        rests = False
        while not rests and count < room and character < len(text):
            left = allowance.begin(len(text) - character)
            begin = character
            try:
                for match in self.runs.compiled.finditer(
                    text, character, concurrent=False, timeout=left
                ):
                    first: int = match.start()
                    last: int = match.end()
                    if first > character:
                        raise self.left_out(character, empty)
                    if first == last:
                        empty = first
                        if skips and first < len(text):
                            raise self.left_out(character, empty)
                        continue
                    while character < last:
                        byte += width_of(data[byte])
                        character += 1
                    ends[count] = i32(byte)
                    rules[count] = u8(rule_of_group[match.lastindex] if rule_of_group else 0)
                    count += 1
                    if count == room:
                        break
                else:
                    if character < len(text):
                        raise self.left_out(character, empty)
                allowance.end()
            except TimeoutError:
                rests = count > 0
                if not allowance.goes_on(character > begin):
                    raise PatternError(
                        f"The pattern took more than {allowance.refused:.3g} s at character {character} of the text. "
                        "A repeat inside a repeat is the usual reason; make one of them possessive (++).",
                        character,
                        in_text=True,
                    ) from None
            except MemoryError:
                raise PatternError(
                    f"The pattern filled the memory at character {character} of the text. A repeat inside a repeat is"
                    " the usual reason; make one of them possessive (++).",
                    character,
                    in_text=True,
                ) from None
        self.next_byte = byte
        self.next_character = character
        return count

    def left_out(self, position: int, empty: int) -> PatternError:
        """Returns the error for a text whose character at ``position`` is not in any match."""
        what = "matches only the empty string" if empty == position else "matches nothing"
        at = self.stop
        for _ in range(len(self.text) - position):
            at = start_before(self.data, at)
        character = self.data[at : at + width_of(self.data[at])].decode()
        advice = "an alternative such as |. at the end takes the rest."
        if self.runs.name == TIKTOKEN_PATTERN:
            advice = (
                "tiktoken would lose this character, or fail. Any change of the pattern changes ids: use the pattern"
                " that the tokenizer was made with."
            )
        return PatternError(
            f"The pattern {what} at character {position} of the text, {character!r}. "
            f"Every character must belong to a match; {advice}",
            position,
            in_text=True,
        )


def pattern(source: str, timeout: float | None = None) -> RegexPreTokenizer:
    """Returns a pre-tokenizer that cuts a text into the matches of a regular expression.

    It is one of the `regex` module (version 0); for those of tiktoken see `tiktoken_pattern`.
    Raises PatternError, with the place in the pattern, if it does not compile.
    """
    return RegexPreTokenizer(runnable(source), timeout)


# How the pattern of a pre-tokenizer is written for other engines.

ONIGURUMA: Final = {
    "cl100k": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s+\z|\s*[\r\n]+|\s+(?!\S)|\s+"
    )
}
"""Named patterns that have a different meaning in Oniguruma, in the form that this engine needs.

There ``$`` is the end of a line, and ``{1,3}+`` repeats what is before.
"""

SCANNER_OF: Final = {pattern: name for name, pattern in ONIGURUMA.items()}
"""The names of the scanners that cut like these patterns."""

_LEFT_OUT: Final = ("V0", "u", "m")
"""Options without an effect here: ``m`` concerns only ``^`` and ``$``, and patterns with these are not exported."""


def oniguruma_pattern(pre_tokenizer: PreTokenizer) -> str:
    """Returns a pattern for huggingface/tokenizers: the options in a user's own pattern are written for that engine.

    ``(?s).+`` gives ``(?m).+``.
    """
    source = pre_tokenizer.pattern
    if pre_tokenizer.name in ONIGURUMA:
        return ONIGURUMA[pre_tokenizer.name]
    written: list[str] = []
    rest = 0
    for at, options in _options_in(source):
        written += [source[rest:at], _with_options(options)]
        rest = at + len(options[0])
    return "".join(written) + source[rest:]


def obstacle_in_options(pattern: str) -> str:
    """Returns the options of a pattern that the engine cannot have; empty if there are none.

    Without a colon, options hold for the whole pattern here, wherever they are; there, only for the rest of the group.
    """
    start = 0
    for at, options in _options_in(pattern):
        if options[3] == ")":
            if at != start:
                return f"{options[0]} is not at its start"
            start = at + len(options[0])
        if "x" in options[1] and any(c.isspace() and c not in " \t\n\f\r" for c in pattern):
            return f"{options[0]} leaves out white space that is not ASCII"
    return ""


def _options_in(pattern: str) -> list[tuple[int, re.Match[str]]]:
    """Returns the options in a pattern, and their places."""
    matches: list[tuple[int, re.Match[str]]] = []
    for node in read_pattern(pattern).all_parts():
        options = _OPTIONS.match(node.text) if node.kind in (GROUP, OTHER) else None
        if options:
            matches.append((node.at, options))
    return matches


def _with_options(options: re.Match[str]) -> str:
    on, off, end = options[1], options[2] or "", options[3]
    for name in _LEFT_OUT:
        on = on.replace(name, "")
        off = off.replace(name, "")
    written = on.replace("s", "m") + ("-" + off.replace("s", "m") if off else "")
    if written:
        return f"(?{written}{end}"
    return "(?:" if end == ":" else ""
