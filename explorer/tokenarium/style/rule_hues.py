"""The hues of the rules that cut a text into pre-tokens, and of the roles of a chat."""

from __future__ import annotations


def rule_hue(name: str) -> int:
    """Returns the hue of a rule among those of tokens, 0 to 7: the same in every pattern."""
    return _RULE_HUES[rule_colour(name)]


def rule_colour(name: str) -> int:
    """The place of a rule's colour, 0…7: fixed for the known rules, spread for any others."""
    index = _RULE_PLACES.get(name)
    if index is not None:
        return index
    digits = "".join(c for c in name if c.isdigit())
    number = int(digits[-6:]) - 1 if digits else sum(name.encode()) if name != "match" else 0
    return (0, 3, 2, 6, 4, 7, 1, 5)[number % 8]


# The hues of rules by place: words blue, words of another kind green, digits orange, punctuation magenta,
# contractions gold, spaces indigo, newlines teal, spaces at the end of a line rose.
_RULE_HUES = (5, 3, 1, 7, 2, 6, 4, 0)
_RULE_PLACES = {
    "word": 0,
    "upper-case word": 0,
    "lower-case word": 1,
    "digits": 2,
    "digit": 2,
    "1 to 3 digits": 2,
    "punctuation": 3,
    "contraction": 4,
    "blanks": 5,
    "newlines": 6,
    "trailing blanks": 7,
    # The roles of a chat are coloured in the same way; any others take the colours that are left.
    "user": 0,
    "assistant": 1,
    "tool": 2,
    "generation prompt": 3,
    "other role 2": 4,
    "start": 5,
    "other role 1": 6,
    "system": 7,
    "developer": 7,
}
