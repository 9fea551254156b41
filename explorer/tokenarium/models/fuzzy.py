"""Scores how well a few typed letters match a name, as "prtk" does "Pre-tokens"."""

from __future__ import annotations

BEGINS = 4
"""What `closeness` returns for a name that begins with the query."""


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
    typed = query.casefold().replace(" ", "")
    letters = name.casefold()
    if not typed:
        return 1
    best = 0
    start = letters.find(typed[0])
    while start >= 0:
        best = max(best, _score_from(typed, letters, start))
        start = letters.find(typed[0], start + 1)
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


def best(query: str, names: list[str], about: list[str] | None = None) -> list[int]:
    """Returns the indices of the matching names, the best first, equals in their given order.

    Names that have the words of the query come before those that only have its letters, and names before what is
    said about them: ``about`` has a text for each name, or is None. Of the names that only have the letters, those
    that match less than half as well as the best are left out: their letters match by chance.

    >>> best("undo", ["Count a folder", "Undo the last change"])
    [1]
    >>> best("chat", ["Choose a sample", "Talk", "Chat"], ["", "Shows a chat", ""])
    [2, 1]
    """
    about = about or [""] * len(names)
    ranked = []
    for index, (name, more) in enumerate(zip(names, about, strict=True)):
        ranked.append((-closeness(query, name, more), -score(query, name), index))
    ranked.sort()
    least = min((points for _, points, _ in ranked), default=0) / 2
    return [index for rank, points, index in ranked if rank < 0 or (points < 0 and points <= least)]


def closeness(query: str, name: str, about: str = "") -> int:
    """Returns how the words of a query occur in a name: 0 if they do not, more for a closer match.

    5: the name is the query; 4: it begins with it; 3: each word begins one of the name; 2: or of what is said about
    it.

    >>> [closeness("co id", name, "Copies") for name in ("Copy ids", "Kinds of ids", "Acorn kid")]
    [3, 2, 0]
    """
    typed = " ".join(query.casefold().split())
    if not typed:
        return 0
    folded = " ".join(name.casefold().rstrip(" …").split())
    if folded.startswith(typed):
        return BEGINS + (folded == typed)
    words = typed.split()
    if all(_begins_word(word, folded) for word in words):
        return 3
    more = about.casefold()
    return 2 * all(_begins_word(word, folded) or _begins_word(word, more) for word in words)


def _begins_word(word: str, text: str) -> bool:
    position = text.find(word)
    while position > 0 and text[position - 1].isalnum():
        position = text.find(word, position + 1)
    return position >= 0
