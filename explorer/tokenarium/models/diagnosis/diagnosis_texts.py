"""Texts that do not survive a round trip as they were, and text that becomes special tokens."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

import tokenarium_core as tc
from tokenarium.models.diagnosis.diagnosis import SHOWN, Diagnosis, Evidence, Level, worst
from tokenarium.models.text.lost_text import TextChange, change_of, unknown_ids
from tokenarium.models.text.piece import counted, readable
from tokenarium_core.added_tokens import AddedToken
from tokenarium_core.vocabulary import USER_DEFINED

TRIED = (
    ("a space at the start", " a"),
    ("a space at the end", "a "),
    ("spaces in a row", "a   b"),
    ("nothing but spaces", "   "),
    ("a tab", "a\tb"),
    ("line ends", "a\nb\r\nc\n\n"),
    ("a no-break space", "a\u00a0b"),
    ("a full-width space", "a\u3000b"),
    ("capital letters", "Straße IN CAPITALS"),
    ("an accent as a character of its own", "e\u0301"),
    ("an accented letter", "\u00e9"),
    ("a ligature", "\ufb01sh"),
    ("full-width letters", "\uff21\uff22\uff11"),
    ("a superscript", "x\u00b2"),
    ("Hangul in parts", "\u1112\u1161\u11ab"),
    ("the sign ▁", "a\u2581b"),
    ("a soft hyphen", "co\u00adop"),
    ("a zero-width joiner", "\U0001f469\u200d\U0001f4bb"),
    ("a byte order mark", "\ufeffa"),
    ("a control character", "a\x07b"),
    ("a NUL", "a\0b"),
    ("a private-use character", "\ue000"),
    ("a new emoji", "\U0001fae9"),
    ("a rare script", "\U00012000\U00010330"),
    ("Chinese without spaces", "\u6771\u4eac\u90fd"),
    ("punctuation", "don't, (yes) “no” … 3.5"),
)
"""Texts by what is in them that tokenizers may lose."""


def round_trip(tokenizer: tc.Tokenizer) -> Diagnosis:
    """Examines which texts decoding does not give back, and why."""
    lost: list[Evidence] = []
    causes: Counter[TextChange] = Counter()
    for what, text in TRIED:
        try:
            ids = tokenizer.encode_ids(text)
        except tc.TokenariumError as error:  # some models have no token for what they lack
            causes[TextChange.REFUSED] += 1
            lost.append(Evidence(f"{what.capitalize()}: {error}", -1, text))
            continue
        cause = change_of(tokenizer, text, ids)
        if cause is None:
            continue
        causes[cause] += 1
        back = tokenizer.decode(ids)
        shown = f"“{readable(text.encode())}” comes back as “{readable(back.encode())}”"
        lost.append(
            Evidence(f"{what.capitalize()}: {shown} ({cause.value}).", -1, text, tuple(ids))
        )
    reasons = "; ".join(sorted(f"{count} by {cause.value}" for cause, count in causes.items()))
    return Diagnosis(
        "round_trip",
        "Texts that do not survive a round trip",
        level_of(causes),
        f"{len(lost)} of {len(TRIED)} short texts are changed by encoding and decoding: {reasons}."
        if lost
        else f"All {len(TRIED)} short texts come back as they were.",
        "Texts with spaces, accents, ligatures, rare scripts and signs are encoded and decoded, without special tokens. What"
        " the normalizer is declared to replace is not lost.",
        len(lost),
        tuple(lost),
    )


def level_of(changes: Iterable[TextChange]) -> Level:
    """Returns the level of texts that do not come back for these reasons."""
    return worst(Level.LOST_TEXT if change.lost else Level.SURPRISE for change in changes)


MARKER = re.compile(r"<[^<>]+>|\[[^\[\]]+\]")
"""The spelling of tokens that mark turns, roles and the like."""


def injection(tokenizer: tc.Tokenizer) -> Diagnosis:
    """Examines which special tokens plain text can make."""
    tokens = tokenizer.added_tokens.tokens
    unknown = unknown_ids(tokenizer)
    by_text: list[Evidence] = []
    always: list[tuple[int, str]] = _user_defined(tokenizer)
    for token in tokens:
        if token.special:
            ids = tokenizer.encode_ids(f"a {token.content} b")
            if token.id in ids and not unknown[token.id]:
                note = "Comes out although special tokens are plain text."
                by_text.append(Evidence(note, token.id, token.content, tuple(ids)))
        else:
            always.append((token.id, token.content))
    special = sum(token.special for token in tokens)
    sentence = (
        f"{counted(len(by_text), 'special token comes', 'special tokens come')} out of plain text even where none is allowed."
        if by_text
        else f"None of {counted(special, 'special token', 'special tokens')} comes out of plain text as long as none is allowed."
    )
    if special:
        sentence += " Where they are allowed, as is the default of Hugging Face's libraries, anyone who writes their text makes them."
    # Markers first, the used ones before the others: prompts are attacked by them.
    always.sort(key=lambda one: (MARKER.fullmatch(one[1]) is None, "unused" in one[1], one[0]))
    markers = [text for _, text in always if MARKER.fullmatch(text)]
    if always:
        sentence += f" {counted(len(always), 'other entry is', 'other entries are')} found in any text, allowed or not"
        sentence += (
            f"; {len(markers):,} of them are written like markers, such as {markers[0]}."
            if markers
            else "."
        )
    cases = [
        *by_text,
        *(Evidence(ALWAYS, token, text) for token, text in always[:SHOWN]),
    ]
    return Diagnosis(
        "injection",
        "Special tokens out of plain text",
        Level.SURPRISE if by_text else Level.FINE,
        sentence,
        "The text of each special token is encoded between two words, with special tokens as plain text. Added tokens"
        " that are not special, and user-defined entries of SentencePiece, are matched before the model runs.",
        len(by_text) + len(always),
        tuple(cases[:SHOWN]),
        (*(case.token for case in by_text), *(token for token, _ in always)),
    )


MOST_TRIED = 5_000
"""Most tokens whose look-alikes are tried."""

_LETTERS = str.maketrans(
    "АВЕЅІЈКМНОРСТУХаеѕіјорсухһԁѵԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧαιορυν｜│∣ǀ‹›〈〉⟨⟩＿▁",
    "ABESIJKMHOPCTYXaesijopcyxhdvwABEZHIKMNOPTYXaiopuv||||<><><>__",
)
"""Letters and signs that look like those of markers: Cyrillic, Greek, and other bars, brackets and low lines (of Unicode's
``confusables.txt``, those that are most alike)."""


def looks_of(text: str) -> str:
    """Returns what a text looks like: two texts with the same looks are hard to tell apart.

    >>> looks_of("<｜ｕser｜>") == looks_of("<|us\u200ber|>")
    True
    """
    folded = unicodedata.normalize("NFKC", text.translate(_LETTERS)).translate(_LETTERS)
    return "".join(
        character for character in folded if unicodedata.category(character) != "Cf"
    ).casefold()


def lookalikes(tokenizer: tc.Tokenizer) -> Diagnosis:
    """Examines which special tokens ordinary text makes, or are hard to tell from another token."""
    tokens = tokenizer.added_tokens.tokens
    cases: list[Evidence] = []
    by_looks: dict[str, list[AddedToken]] = {}
    for token in tokens:
        by_looks.setdefault(looks_of(token.content), []).append(token)
    for alike in by_looks.values():
        for token in alike[1:]:
            note = f"looks like “{alike[0].content}” (id {alike[0].id:,}), but is a different token"
            cases.append(Evidence(note, token.id, token.content))
    for token in [token for token in tokens if token.special][:MOST_TRIED]:
        content = token.content
        if content.replace("_", "").replace(" ", "").isalnum():
            note = "is an ordinary word, but a special token wherever special tokens are allowed"
            cases.append(Evidence(note, token.id, content))
        if not token.normalized:
            continue
        for other in _variants(content):
            if other not in tokenizer.special_tokens:
                ids = list(tokenizer.encode(f"a {other} b", "all").ids)
                if token.id in ids:
                    note = f"becomes the special token “{content}”, since that is looked for in normalized text"
                    cases.append(Evidence(note, token.id, other, tuple(ids)))
    return Diagnosis(
        "lookalikes",
        "Look-alikes of special tokens",
        Level.SURPRISE if cases else Level.FINE,
        f"{counted(len(cases), 'case', 'cases')} of ordinary text that is, or looks like, a special token."
        if cases
        else "No ordinary text becomes a special token by its looks, and no two added tokens look alike.",
        "Added tokens are compared after NFKC, in lower case, without invisible characters, and with the letters of other"
        " scripts that look like Latin ones. Special tokens that are looked for in normalized text are tried in full-width"
        " letters, in capitals and in lower case.",
        len(cases),
        tuple(cases[:SHOWN]),
        tuple(dict.fromkeys(case.token for case in cases)),
    )


def _variants(content: str) -> list[str]:
    """Returns other texts that a normalizer may turn into a token."""
    wide = content.translate({code: code + 0xFEE0 for code in range(0x21, 0x7F)})
    return [
        variant
        for variant in dict.fromkeys((content.upper(), content.lower(), wide))
        if variant != content
    ]


ALWAYS = "Matched in any text, before the model runs."


def _user_defined(tokenizer: tc.Tokenizer) -> list[tuple[int, str]]:
    """Returns the entries that SentencePiece finds before its model has a say, with their texts.

    One that contains a space is not found: it is looked for where spaces are already ``▁``.
    """
    added = {token.id for token in tokenizer.added_tokens.tokens}
    kinds = memoryview(tokenizer.vocabulary.kinds).tolist()
    pieces = (
        (token, tokenizer.vocabulary.piece(token).decode("utf-8", "replace"))
        for token, kind in enumerate(kinds)
        if kind == USER_DEFINED and token not in added
    )
    return [
        (token, text)
        for token, text in pieces
        if " " not in text or token in tokenizer.encode_ids(text)
    ]
