"""Texts that do not come back as they were, and text that becomes special tokens."""

from __future__ import annotations

import tokenarium_core as tc
from tokenarium.models.diagnosis import SHOWN, Diagnosis, Evidence, Weight, many
from tokenarium.models.piece import readable

TRIED = (
    ("a space before", " a"),
    ("a space behind", "a "),
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
    told = ", ".join(f"{count} by {cause}" for cause, count in sorted(causes.items()))
    return Diagnosis(
        "round_trip",
        "Texts that do not come back",
        Weight.WARNING if lost else Weight.FINE,
        f"{len(lost)} of {len(TRIED)} short texts are changed by encoding and decoding: {told}."
        if lost
        else f"All of {len(TRIED)} short texts come back as they were.",
        "Texts with spaces, accents, ligatures, rare scripts and signs are encoded and decoded, special tokens aside.",
        len(lost),
        tuple(lost),
    )


def _cause(tokenizer: tc.Tokenizer, text: str, ids: list[int]) -> str:
    """Returns the first stage that explains why a text is changed."""
    kinds = {tokenizer.vocabulary.kind(token) for token in ids}
    if "unknown" in kinds:
        return "an unknown token"
    if "\u2581" in text:
        return "the sign ▁, which stands for a space"
    encoding = tokenizer.encode(text)
    normalised = encoding.text.data[: encoding.text.size].decode("utf-8", "replace")
    if normalised.replace("\u2581", " ").strip(" ") != text.strip(" "):
        return "normalization"
    if tokenizer.normalizer is not None and (text.startswith(" ") or text.strip(" ") != text):
        return "the space that is put before a text, or taken off it"
    if tokenizer.splitter is not None or any(
        rule == 255 for rule in memoryview(encoding.pre_tokens.rules)
    ):
        return "pre-tokenization, which drops blanks"
    return "decoding"


def injection(tokenizer: tc.Tokenizer) -> Diagnosis:
    """Examines which special tokens plain text can make."""
    tokens = tokenizer.added_tokens.tokens
    by_text: list[Evidence] = []
    always: list[Evidence] = []
    for token in tokens:
        if token.special:
            ids = tokenizer.encode_ids(f"a {token.content} b")
            if token.id in ids:
                by_text.append(
                    Evidence(
                        "Comes out although special tokens are plain text.",
                        token.id,
                        token.content,
                        tuple(ids),
                    )
                )
        else:
            always.append(
                Evidence("An added token that is found in any text.", token.id, token.content)
            )
    special = sum(token.special for token in tokens)
    sentence = (
        f"{many(len(by_text), 'special token comes', 'special tokens come')} out of plain text even where none is allowed."
        if by_text
        else f"None of {many(special, 'special token', 'special tokens')} comes out of plain text as long as none is allowed."
    )
    if special:
        sentence += " Where they are allowed, as is the default of Hugging Face's libraries, anyone who writes their text makes them."
    if always:
        sentence += f" {many(len(always), 'other added token is', 'other added tokens are')} found in any text."
    return Diagnosis(
        "injection",
        "Special tokens out of plain text",
        Weight.WARNING if by_text else Weight.NOTE if special or always else Weight.FINE,
        sentence,
        "The text of each added token is encoded between two words, with special tokens as plain text.",
        len(by_text) + len(always),
        tuple([*by_text, *always][:SHOWN]),
        tuple(case.token for case in [*by_text, *always]),
    )
