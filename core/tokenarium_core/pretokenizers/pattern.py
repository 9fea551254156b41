"""Pre-tokenizers from any regular expression, run by the `regex` module (its version 0 rules)."""

from __future__ import annotations

from typing import Any, Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.errors import PatternError
from tokenarium_core.patterns.alternatives import (
    MARK,
    MOST_REPEATS,
    Allowance,
    Alternatives,
    check_length,
    compile_source,
)
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer

MOST_RULES: Final = 255  # a rule's number is one byte


@final
class RegexPreTokenizer(PreTokenizer):
    """Cuts a text into the matches of a pattern, which must leave no character out.

    The rules are the pattern's top-level alternatives: each is called by the first named group in it
    (``(?P<word>…)``), else by its number. Where the alternatives can't be told apart safely (the
    pattern counts its groups, say), there is one rule, "match".

    As in any regular expression, what a match is may depend on the text before it (``\\b``, ``(?<=…)``). So
    the place where the last call stopped is kept, and going on from there sees the whole text. From
    any other place the text is taken to begin there. Where several texts are cut in turns, `for_text` gives each what
    keeps its place.

    ``timeout``: the seconds of processor time for a text, and for each million characters of it; the `Patience` of the
    process where none is given. ``like``: a pre-tokenizer of the same pattern, so that it is not compiled once more.
    """

    def __init__(
        self, pattern: str, timeout: float | None = None, like: RegexPreTokenizer | None = None
    ) -> None:
        self.timeout = timeout
        self.rule_of_group: dict[int, int] = {}
        self.compiled: Any = None
        self.forget()
        if like is not None:
            super().__init__("pattern", pattern, like.rules)
            self.rule_of_group = like.rule_of_group
            self.compiled = like.compiled
            return
        check_length(pattern)
        alternatives = Alternatives(pattern)
        if alternatives.call >= 0:
            raise PatternError(
                f"The pattern calls a group at character {alternatives.call}, which may go on until the memory is full."
                " Write the group once more in that place.",
                alternatives.call,
            )
        if alternatives.repeats > MOST_REPEATS:
            raise PatternError(
                f"The pattern repeats something {alternatives.repeats} times, counting repeats inside "
                f"repeats; at most {MOST_REPEATS} are allowed. Use + or *, or smaller numbers."
            )
        compiled = compile_source(pattern)
        names = alternatives.names
        if len(names) == 1 and names[0] == "alternative 1":
            names = ["match"]
        elif alternatives.safe and len(names) <= MOST_RULES:
            marked = compile_source(alternatives.marked())
            if marked.groups == compiled.groups + len(names):
                compiled = marked
                for rule in range(len(names)):
                    self.rule_of_group[marked.groupindex[f"{MARK}{rule}"]] = rule
        super().__init__("pattern", pattern, names if self.rule_of_group else ["match"])
        self.compiled = compiled

    def for_text(self) -> PreTokenizer:
        """Returns a pre-tokenizer of the same pattern for one text; see `PreTokenizer.for_text`."""
        return RegexPreTokenizer(self.pattern, self.timeout, self)

    def forget(self) -> None:
        """Lets go of the text that was cut last."""
        self.data = b""
        self.text = ""
        self.stop: i64 = 0
        self.next_byte: i64 = 0
        self.next_character = 0
        self.allowance = Allowance(0, 0.0)

    def cut(self, data: bytes, start: i64, stop: i64, ends: vec[i32], rules: vec[u8]) -> i64:
        """Cuts ``data[start:stop]``; see `PreTokenizer.cut`.

        Raises PatternError, with the place in the text (in characters from its start), where the
        pattern leaves a character out or takes too long.
        """
        if data is not self.data or start != self.next_byte or stop != self.stop:
            self.forget()
            self.data = data
            self.text = data[start:stop].decode()
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
        is_ascii = text.isascii()
        rule_of_group = self.rule_of_group
        allowance = self.allowance
        room: i64 = len(ends)
        count: i64 = 0
        character = self.next_character
        byte = self.next_byte
        empty = -1  # where the pattern last matched nothing
        rests = False
        while not rests and count < room and character < len(text):
            left = allowance.begin(len(text) - character)
            begin = character
            try:
                for match in self.compiled.finditer(
                    text, character, concurrent=False, timeout=left
                ):
                    first: int = match.start()
                    last: int = match.end()
                    if first > character:
                        raise left_out(text, character, empty)
                    if first == last:
                        empty = first
                        continue
                    byte += last - first if is_ascii else len(text[first:last].encode())
                    character = last
                    ends[count] = i32(byte)
                    rules[count] = u8(rule_of_group[match.lastindex] if rule_of_group else 0)
                    count += 1
                    if count == room:
                        break
                else:
                    if character < len(text):
                        raise left_out(text, character, empty)
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


def pattern(source: str, timeout: float | None = None) -> RegexPreTokenizer:
    """Returns a pre-tokenizer that cuts a text into the matches of a regular expression.

    Patterns written for tiktoken mean the same here, but for ``$``, which here matches before a last
    newline too (``\\Z`` does not), and for the few characters that are new in `regex`'s Unicode.
    Raises PatternError, with the place in the pattern, if it does not compile.
    """
    return RegexPreTokenizer(source, timeout)


def left_out(text: str, position: int, empty: int) -> PatternError:
    """Returns the error for a text whose character at ``position`` no match holds."""
    found = "matches only the empty string" if empty == position else "matches nothing"
    return PatternError(
        f"The pattern {found} at character {position} of the text, {text[position]!r}. "
        "Every character must belong to a match; an alternative such as |. at the end takes the rest.",
        position,
        in_text=True,
    )
