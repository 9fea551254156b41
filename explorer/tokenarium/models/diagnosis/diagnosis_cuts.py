"""How numbers and spaces are split, and which tokens change when a text ends with a space."""

from __future__ import annotations

from collections import Counter

import tokenarium_core as tc
from tokenarium.models.diagnosis.diagnosis import SHOWN, Diagnosis, Evidence, Level
from tokenarium.models.diagnosis.diagnosis_texts import level_of
from tokenarium.models.text.lost_text import TextChange, change_of
from tokenarium.models.text.piece import counted

DIGITS = 5
"""All numbers with up to this many digits are tried."""

SIZES = (1, 2, 3, 4, 8, 16, 32)
"""Numbers of spaces in a row that are tried."""

SENTENCES = (
    "The quick brown fox jumps over the lazy dog while nobody looks",
    "In 2024 she paid 1234.50 for 3 old books (and a map)",
    "def add ( left , right ) : return left + right",
    "Größere Häuser stehen weit draußen vor der Stadt",
    "Le chat n'est pas sur la table aujourd'hui",
    "यह एक छोटा सा वाक्य है जो कुछ भी नहीं कहता",
    "это короткое предложение ни о чём не говорит",
    "هذه جملة قصيرة لا تقول شيئا مهما اليوم",
)
"""Texts that are cut at each of their spaces."""


def numbers(tokenizer: tc.Tokenizer) -> Diagnosis:
    """Examines how all numbers of one to five digits are cut."""
    cuts: list[str] = []
    cases: list[Evidence] = []
    aligned = True
    mixed = False
    for digits in range(1, DIGITS + 1):
        shapes: Counter[tuple[int, ...]] = Counter()
        first: dict[tuple[int, ...], tuple[str, list[int]]] = {}
        for number in range(10 ** (digits - 1) if digits > 1 else 0, 10**digits):
            text = str(number)
            ids = tokenizer.encode_ids(text)
            shape = _shape(tokenizer, ids, digits)
            shapes[shape] += 1
            if shape not in first:
                first[shape] = (text, ids)
        total = sum(shapes.values())
        common, count = shapes.most_common(1)[0]
        cuts.append(
            f"{digits} as {_written(common)}"
            + (f" ({100 * count / total:.0f}%)" if count < total else "")
        )
        mixed = mixed or len(shapes) > 1
        aligned = aligned and all(_from_the_right(shape) for shape in shapes)
        for shape, count in shapes.most_common(6):
            text, ids = first[shape]
            cases.append(
                Evidence(
                    f"{counted(digits, 'digit')} split as {_written(shape)}: {100 * count / total:.1f}%, such as {text}",
                    -1,
                    text,
                    tuple(ids),
                )
            )
    places = (
        "Digits of the same place value are always at the same position in a token."
        if aligned
        else "Digits of the same place value are at different positions in tokens: 1234 and 234 are split differently from the right."
    )
    return Diagnosis(
        "numbers",
        "How numbers are split",
        Level.SURPRISE if mixed else Level.FINE,
        f"Digits are most often split like this: {', '.join(cuts)}. {places}"
        + (" Numbers of equal length are split in different ways." if mixed else ""),
        f"All numbers from 0 to {10**DIGITS - 1:,} are encoded, each by itself. 3+1 means a token of three digits, then a token of one.",
        len(cases),
        tuple(cases[:SHOWN]),
    )


def _shape(tokenizer: tc.Tokenizer, ids: list[int], digits: int) -> tuple[int, ...]:
    """Returns how many digits each token has; tokens without any (a mark before the text) do not count."""
    piece = tokenizer.vocabulary.piece
    sizes = tuple(
        size
        for size in (sum(0x30 <= byte <= 0x39 for byte in piece(token)) for token in ids)
        if size
    )
    return sizes if sum(sizes) == digits else (0,)


def _written(shape: tuple[int, ...]) -> str:
    return "unknown" if shape == (0,) else "+".join(map(str, shape))


def _from_the_right(shape: tuple[int, ...]) -> bool:
    """Returns whether the cuts are those of thousands, counted from the right, or after each digit, or none."""
    if len(shape) < 2 or set(shape) == {1}:
        return True
    return all(size == 3 for size in shape[1:]) and shape[0] <= 3


RUNS = (
    ("space", "spaces", "a\n{}b", " "),
    ("tab", "tabs", "a\n{}b", "\t"),
    ("line end", "line ends", "a\n{}b", "\n"),
)
"""Runs of spaces, in their place after a line end."""


def blank_runs(tokenizer: tc.Tokenizer) -> Diagnosis:
    """Examines how runs of spaces, tabs and line ends are cut, as they occur in code."""
    costs_by_sign: list[tuple[str, str]] = []
    lost: list[str] = []
    changes: list[TextChange] = []
    cases: list[Evidence] = []
    bare = len(tokenizer.encode_ids("a\nb"))
    for singular, several, frame, sign in RUNS:
        counts = {}
        all_come_back = True
        for size in SIZES:
            text = frame.format(sign * size)
            ids = tokenizer.encode_ids(text)
            counts[size] = len(ids) - bare
            comes_back = tokenizer.decode(ids).count(sign) >= text.count(sign)
            all_come_back = all_come_back and comes_back
            change = None if comes_back else change_of(tokenizer, text, ids)
            changes += [change] if change is not None else []
            more = counted(abs(counts[size]), "token")
            cases.append(
                Evidence(
                    f"{counted(size, singular, several)}: {more} {'more' if counts[size] >= 0 else 'fewer'} than without"
                    + ("" if comes_back else ", and decoding does not give all of them back"),
                    -1,
                    text,
                    tuple(ids),
                )
            )
        costs_by_sign.append((several, f"{counts[4]}, {counts[8]} and {counts[32]}"))
        if not all_come_back:
            lost.append(several)
    lost_runs = (
        f" Runs of {' and of '.join(lost)} do not come back: their length is lost." if lost else ""
    )
    (first, costs), *others = costs_by_sign
    return Diagnosis(
        "blank_runs",
        "Indentation and empty lines",
        level_of(changes),
        f"4, 8 and 32 {first} at the beginning of a line add {costs} tokens;"
        f" {'; '.join(f'{several} {more}' for several, more in others)}.{lost_runs}",
        f"A letter, a line end, {SIZES[0]} to {SIZES[-1]} spaces, tabs or more line ends, and a letter are encoded, and"
        " compared with the text without spaces after the line end.",
        len(cases),
        tuple(cases[:SHOWN]),
    )


def unstable(tokenizer: tc.Tokenizer) -> Diagnosis:
    """Examines where the tokens of a text change when it is cut off after a space."""
    places = changed = count = 0
    cases: list[Evidence] = []
    for sentence in SENTENCES:
        whole = tokenizer.encode_ids(sentence)
        for index, character in enumerate(sentence):
            if character != " ":
                continue
            places += 1
            for text, what in ((sentence[: index + 1], "with"), (sentence[:index], "without")):
                ids = tokenizer.encode_ids(text)
                stable = whole[: len(ids)] == ids
                if what == "with":
                    changed += not stable
                count += not stable
                if not stable and len(cases) < SHOWN:
                    common = next(
                        (
                            k
                            for k, pair in enumerate(zip(ids, whole, strict=False))
                            if pair[0] != pair[1]
                        ),
                        0,
                    )
                    cases.append(
                        Evidence(
                            f"Cut off {what} the space: {_last(len(ids) - common)} not in the whole text.",
                            -1,
                            text,
                            tuple(ids),
                        )
                    )
    return Diagnosis(
        "unstable",
        "A text that ends with a space",
        Level.SURPRISE if changed > places / 2 else Level.FINE,
        f"Cut off after a space, {changed} of {places} texts end in tokens that the whole text does not have there: a"
        " model that continues such a prompt sees what it never saw in training."
        if changed
        else f"Cut off after a space, all {places} texts keep their tokens.",
        f"{len(SENTENCES)} sentences are cut off at each space; the tokens must be the first ones of the whole sentence.",
        count,
        tuple(cases),
    )


def _last(count: int) -> str:
    return "its last token is" if count == 1 else f"its last {count:,} tokens are"
