"""Pre-tokenizers from the pattern of a ``.tiktoken`` or ``tekken.json`` file, with the same meaning as in tiktoken."""

from __future__ import annotations

from typing import Final

from tokenarium_core.errors import PatternError
from tokenarium_core.patterns.character_kinds import CharacterKinds, set_of_characters
from tokenarium_core.patterns.comparison import other_to_regex
from tokenarium_core.patterns.regex_engine import MOST_TRANSLATED, check_length, compile_source
from tokenarium_core.patterns.rust_syntax import RustPattern
from tokenarium_core.patterns.syntax_tree import SINGLE
from tokenarium_core.pretokenizers.pattern import (
    MOST_RULES,
    TIKTOKEN_PATTERN,
    RegexPreTokenizer,
    RunnablePattern,
    check_repeats,
)
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.pretokenizers.scanners import (
    ONLY_HERE,
    PRE_TOKENIZERS,
    is_name,
    pre_tokenizer,
    scanner_for,
)

_MARK: Final = "_end_of_rule_"


def tiktoken_pattern(source: str, timeout: float | None = None) -> PreTokenizer:
    """Returns a pre-tokenizer that splits a text as tiktoken does with a pattern; a known pattern gets its scanner.

    Raises PatternError, with the place in the pattern, if tiktoken refuses it or it cannot be run here.
    """
    scanner = scanner_for(source)
    if scanner is not None and scanner.name not in ONLY_HERE:
        return scanner
    return RegexPreTokenizer(runnable(source), timeout)


def tiktoken_cutting(pattern: str) -> PreTokenizer:
    """Returns the pre-tokenizer of a name, or of a pattern as tiktoken reads it; see `scanners.cutting`."""
    return pre_tokenizer(pattern) if is_name(pattern) else tiktoken_pattern(pattern)


def obstacle_of_tiktoken(cutter: PreTokenizer) -> str:
    """Returns why tiktoken and the `regex` module split differently with the same pattern; empty if they do not."""
    if cutter.name in PRE_TOKENIZERS and cutter.name not in ONLY_HERE:
        return ""
    try:
        other = other_to_regex(cutter.pattern)
    except PatternError as error:
        return f"tiktoken has no equivalent of its pattern: {error}"
    if other:
        return f"In its pattern, {other} means something else to tiktoken."
    if cutter.name != TIKTOKEN_PATTERN and compile_source(cutter.pattern).fullmatch("") is not None:
        return "Its pattern may match the empty string, which is skipped here, but makes tiktoken fail."
    return ""


def is_other_to_regex(cutter: PreTokenizer) -> bool:
    """Returns whether a pattern is a tiktoken pattern that the `regex` module would read differently."""
    return cutter.name == TIKTOKEN_PATTERN and obstacle_of_tiktoken(cutter) != ""


def runnable(source: str) -> RunnablePattern:
    """Returns a pattern of tiktoken as the `regex` module runs it."""
    check_length(source)
    pattern = RustPattern(source)
    check_repeats(pattern.tree.most_repeats())
    kinds = None if pattern.refers else CharacterKinds(pattern.sets)
    written = (
        [set_of_characters(spans) for spans in pattern.sets] if kinds is None else kinds.written
    )
    for node in pattern.tree.all_parts():
        if node.kind == SINGLE:
            node.text = written[int(node.text)]
    names = pattern.names
    ways = [way.written() for way in pattern.ways]
    is_one = len(names) == 1 and names[0] == "alternative 1"
    if is_one or len(names) > MOST_RULES:
        names = ["match"]
    else:
        ways = [f"{way}(?P<{_MARK}{index}>)" for index, way in enumerate(ways)]
    translated = "(?V1)" + "|".join(ways)
    check_length(translated, MOST_TRANSLATED)
    compiled = compile_source(translated)
    rule_of_group: dict[int, int] = {}
    if len(names) == len(ways) and names != ["match"]:
        for rule in range(len(names)):
            rule_of_group[compiled.groupindex[f"{_MARK}{rule}"]] = rule
    return RunnablePattern(TIKTOKEN_PATTERN, source, compiled, names, rule_of_group, kinds)
