"""Which merges and which characters are worth an entry, if a character without one becomes bytes.

Source: ``PrunePiecesWithGlobalSearch`` in google/sentencepiece's ``src/bpe_model_trainer.cc`` (0.2.3).
"""

from __future__ import annotations

from mypy_extensions import i64


def best_cut(
    pieces: list[str], pair_counts: list[int], characters: dict[int, int], budget: int
) -> tuple[int, list[int]]:
    """Returns how many of the first merges become entries, and the characters that do, in the order of their ids.

    Merge ``n`` makes ``pieces[n]``, and saves one token for each of the ``pair_counts[n]`` occurrences of its pair. A
    character (its code point, and how often it occurs) saves all but one of its bytes. Each character of a chosen
    merge has to be an entry. Of all prefixes of the list of merges, filled up to ``budget`` entries with the characters
    that save most, the result is the one that saves most tokens; of equal ones, the longest.

    Characters of the merges come first, by code point; then the others, those that save most first.
    """
    savings = {code: count * (len(chr(code).encode()) - 1) for code, count in characters.items()}
    ranked = sorted(
        [code for code, saving in savings.items() if saving > 0],
        key=lambda code: (-savings[code], -characters[code], code),
    )
    # The characters of merges leave the others as merges are added, and both leave less room for these: so the others
    # that there is room for are the free ones among the first ``stop`` ranked ones, which only becomes less.
    places = {code: place for place, code in enumerate(ranked)}
    free = [True] * len(ranked)
    stop: i64 = min(len(ranked), budget)
    others: i64 = stop  # how many of them are free
    saved: i64 = sum([savings[code] for code in ranked[:stop]])
    needed: set[int] = set()
    best: i64 = 0
    most: i64 = -1
    for number in range(len(pieces) + 1):
        room: i64 = budget - number - len(needed)
        if room < 0:
            break
        while others > room:
            stop -= 1
            if free[stop]:
                others -= 1
                saved -= savings[ranked[stop]]
        if saved >= most:
            most = saved
            best = number
        if number == len(pieces):
            break
        saved += pair_counts[number]
        for code in map(ord, pieces[number]):
            if code in needed:
                continue
            needed.add(code)
            place = places.get(code, -1)
            if place < 0:
                continue
            if place < stop:
                others -= 1
            else:
                saved += savings[code]
            free[place] = False
    of_merges = {ord(character) for piece in pieces[:best] for character in piece}
    room = budget - best - len(of_merges)
    rest = [code for code in ranked if code not in of_merges]
    return int(best), sorted(of_merges) + rest[: int(room)]
