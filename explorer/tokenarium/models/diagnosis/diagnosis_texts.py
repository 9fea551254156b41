"""Texts that do not come back as they were, and text that becomes special tokens."""

from __future__ import annotations

import re

import tokenarium_core as tc
from tokenarium.models.diagnosis.diagnosis import SHOWN, Diagnosis, Evidence, Severity
from tokenarium.models.text.piece import counted, readable
from tokenarium.models.text.unknown_text import unknown_ids
from tokenarium_core.vocabulary import SPACE_MARK, USER_DEFINED

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
    ("a private character", "\ue000"),
    ("an emoji that is new", "\U0001fae9"),
    ("a rare script", "\U00012000\U00010330"),
    ("Chinese without spaces", "\u6771\u4eac\u90fd"),
    ("punctuation", "don't, (yes) “no” … 3.5"),
)
"""Texts by what is in them that tokenizers may lose."""


def round_trip(tokenizer: tc.Tokenizer) -> Diagnosis:
    """Examines which texts decoding does not give back, and why."""
    lost: list[Evidence] = []
    causes: dict[str, int] = {}
    for what, text in TRIED:
        ids = tokenizer.encode_ids(text)
        back = tokenizer.decode(ids)
        if back == text:
            continue
        cause = _cause(tokenizer, text, ids)
        causes[cause] = causes.get(cause, 0) + 1
        shown = f"“{readable(text.encode())}” comes back as “{readable(back.encode())}”"
        lost.append(Evidence(f"{what.capitalize()}: {shown} ({cause}).", -1, text, tuple(ids)))
    reasons = "; ".join(f"{count} by {cause}" for cause, count in sorted(causes.items()))
    return Diagnosis(
        "round_trip",
        "Texts that do not come back",
        Severity.WARNING if lost else Severity.FINE,
        f"{len(lost)} of {len(TRIED)} short texts are changed by encoding and decoding: {reasons}."
        if lost
        else f"All {len(TRIED)} short texts come back as they were.",
        "Texts with spaces, accents, ligatures, rare scripts and signs are encoded and decoded, special tokens aside.",
        len(lost),
        tuple(lost),
    )


def _cause(tokenizer: tc.Tokenizer, text: str, ids: list[int]) -> str:
    """Returns the first stage that explains why a text is changed."""
    if unknown_ids(tokenizer)[ids].any():
        return "an unknown token"
    marked = tokenizer.vocabulary.spelling == SPACE_MARK
    if marked and "\u2581" in text:
        return "the sign ▁, which stands for a space"
    encoding = tokenizer.encode(text)
    normalised = encoding.text.data[: encoding.text.size].decode("utf-8", "replace")
    written = normalised.replace("\u2581", " ")
    if written.strip(" ") != text.strip(" "):
        return "normalization"
    spans = memoryview(encoding.spans)
    covered = sum(spans[at + 1] - spans[at] for at in range(0, len(spans), 2))
    if not marked and written == text and covered < len(text.encode()):
        return "pre-tokenization, which drops blanks"
    if tokenizer.normalizer is not None and text.strip(" ") != text:
        return "the space that is put before a text, or removed from it"
    return "decoding"


MARKER = re.compile(r"<[^<>]+>|\[[^\[\]]+\]")
"""The spelling of tokens that mark turns, roles and the like."""


def injection(tokenizer: tc.Tokenizer) -> Diagnosis:
    """Examines which special tokens plain text can make."""
    tokens = tokenizer.added_tokens.tokens
    by_text: list[Evidence] = []
    always: list[tuple[int, str]] = _user_defined(tokenizer)
    for token in tokens:
        if token.special:
            ids = tokenizer.encode_ids(f"a {token.content} b")
            if token.id in ids:
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
        Severity.WARNING if by_text else Severity.NOTE if special or always else Severity.FINE,
        sentence,
        "The text of each special token is encoded between two words, with special tokens as plain text. Added tokens"
        " that are not special, and user-defined entries of SentencePiece, are found before the model has a say.",
        len(by_text) + len(always),
        tuple(cases[:SHOWN]),
        (*(case.token for case in by_text), *(token for token, _ in always)),
    )


ALWAYS = "Found in any text, before the model has a say."


def _user_defined(tokenizer: tc.Tokenizer) -> list[tuple[int, str]]:
    """Returns the entries that SentencePiece finds before its model has a say, with their texts."""
    added = {token.id for token in tokenizer.added_tokens.tokens}
    kinds = memoryview(tokenizer.vocabulary.kinds).tolist()
    piece = tokenizer.vocabulary.piece
    return [
        (token, piece(token).decode("utf-8", "replace"))
        for token, kind in enumerate(kinds)
        if kind == USER_DEFINED and token not in added
    ]
