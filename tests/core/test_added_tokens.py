"""Special tokens: what is recognised, what is text, and what is refused."""

from __future__ import annotations

import pytest
from small_vocabularies import of_pieces

import tokenarium_core as tc

pytestmark = pytest.mark.core

TOKENIZER = of_pieces([b"ab"], special_tokens={"<a>": 300, "<a><b>": 301, "<b>": 302})


@pytest.mark.parametrize(
    ("text", "special", "ids"),
    [
        ("<a>", "all", [300]),
        ("<a><b>", "all", [301]),  # the longest
        ("<b><a>", "all", [302, 300]),
        ("<a><b>", {"<a>", "<b>"}, [300, 302]),
        ("x<a>y", {"<a>"}, [120, 300, 121]),
        ("<a>", "none", [60, 97, 62]),
        ("<a>", set(), [60, 97, 62]),
    ],
)
def test_tokens_are_recognised_where_allowed(
    text: str, special: str | set[str], ids: list[int]
) -> None:
    encoding = TOKENIZER.encode(text, special=special)
    assert list(encoding.ids) == ids
    assert TOKENIZER.decode(ids) == text
    names = encoding.pre_tokens.names
    rules = [names[rule] for rule in encoding.pre_tokens.rules]
    assert rules.count("special token") == sum(token >= 300 for token in ids)
    trace = tc.Trace()
    TOKENIZER.encode(text, special=special, trace=trace)
    assert trace.replay(text.encode(), [*range(256)]) == ids


def test_a_disallowed_token_is_refused_with_its_place() -> None:
    with pytest.raises(tc.SpecialTokenError, match="'<b>' at byte 3") as error:
        TOKENIZER.encode("é <b>", disallowed="all")
    assert (error.value.token, error.value.position) == ("<b>", 3)
    assert list(TOKENIZER.encode("<b>", special="all", disallowed="all").ids) == [302]
    assert len(TOKENIZER.encode("<b>", disallowed={"<a>"})) == 3


@pytest.mark.parametrize("choice", ["some", {"<c>"}])
def test_unknown_choices_are_refused(choice: str | set[str]) -> None:
    with pytest.raises(ValueError, match=r"<c>|some"):
        TOKENIZER.encode("a", special=choice)
