"""Scores how well a few typed letters match a name, as "prtk" does "Pre-tokens"."""

from __future__ import annotations


def score(query: str, name: str) -> int:
    """Returns how well ``query`` matches ``name``: 0 for not at all, more is better.

    The letters of the query must occur in the name in their order. Letters that begin a word or
    follow the letter matched before count more, and short names win over long ones.

    >>> score("tok", "Tokens") > score("tok", "Copy the token ids") > score(
    ...     "tok", "Trust no kin"
    ... ) > 0
    True
    >>> score("xyz", "Tokens")
    0
    """
    wanted = query.casefold().replace(" ", "")
    letters = name.casefold()
    if not wanted:
        return 1
    best = 0
    start = letters.find(wanted[0])
    while start >= 0:
        best = max(best, _score_from(wanted, letters, start))
        start = letters.find(wanted[0], start + 1)
    return max(1, best - len(letters) // 8) if best else 0


def _score_from(wanted: str, letters: str, start: int) -> int:
    points = 0
    previous = -2
    position = start
    for letter in wanted:
        position = letters.find(letter, position)
        if position < 0:
            return 0
        begins_word = position == 0 or not letters[position - 1].isalnum()
        points += 2 + 6 * (position == previous + 1) + 8 * begins_word
        previous = position
        position += 1
    return points


def best(query: str, names: list[str]) -> list[int]:
    """Returns the indices of the matching names, the best first, equals in their given order.

    What matches less than half as well as the best is left out: its letters match by chance.

    >>> best("undo", ["Count a folder", "Undo the last change"])
    [1]
    """
    scored = sorted((-score(query, name), index) for index, name in enumerate(names))
    least = scored[0][0] / 2 if scored else 0.0
    return [index for points, index in scored if points < 0 and points <= least]
