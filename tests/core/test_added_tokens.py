"""Special tokens: what is recognized, what is text, and what is refused."""

from __future__ import annotations

import pytest
from small_vocabularies import of_pieces

import tokenarium_core as tc
from tokenarium_core.added_tokens import IN_A_WORD, NOT_ALLOWED, AddedToken, AddedTokens
from tokenarium_core.trace import Trace

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
def test_tokens_are_recognized_where_allowed(
    text: str, special: str | set[str], ids: list[int]
) -> None:
    encoding = TOKENIZER.encode(text, special=special)
    assert list(encoding.ids) == ids
    assert TOKENIZER.decode(ids) == text
    names = encoding.pre_tokens.names
    rules = [names[rule] for rule in encoding.pre_tokens.rules]
    assert rules.count("special token") == sum(token >= 300 for token in ids)
    trace = Trace()
    TOKENIZER.encode(text, special=special, trace=trace)
    assert trace.replay(text.encode(), [*range(256)]) == ids


def test_a_disallowed_token_is_refused_with_its_place() -> None:
    with pytest.raises(tc.SpecialTokenError, match="'<b>' at byte 3") as error:
        TOKENIZER.encode("é <b>", disallowed_special="all")
    assert (error.value.token, error.value.position) == ("<b>", 3)
    assert list(TOKENIZER.encode("<b>", special="all", disallowed_special="all").ids) == [302]
    assert len(TOKENIZER.encode("<b>", disallowed_special={"<a>"})) == 3


@pytest.mark.parametrize("choice", ["some", {"<c>"}])
def test_unknown_choices_are_refused(choice: str | set[str]) -> None:
    with pytest.raises(ValueError, match=r"<c>|some"):
        TOKENIZER.encode("a", special=choice)


FLAGGED = [
    AddedToken("<x>", 1),
    AddedToken("<x><y>", 2),
    AddedToken("<y>", 3, lstrip=True),
    AddedToken("bee", 4, special=False, single_word=True),
    AddedToken("  ", 5, special=False, rstrip=True),
    AddedToken("wo", 6, special=False, normalized=True),
    AddedToken("word", 7, special=False, normalized=True),
]


@pytest.mark.parametrize(
    ("text", "special", "expected"),
    [
        ("<x><y>", "all", [(2, 0, 6, "")]),
        ("<x> é  <y>", "all", [(1, 0, 3, ""), (5, 6, 8, ""), (3, 8, 11, "")]),
        ("<x><y>", {"<x>"}, [(1, 0, 3, "")]),
        ("<x>bee", "none", [(1, 0, 3, NOT_ALLOWED), (4, 3, 6, "")]),
        ("beehive bee", "none", [(4, 0, 3, IN_A_WORD), (4, 8, 11, "")]),
        ("bee   <x>", "all", [(4, 0, 3, ""), (5, 3, 6, ""), (1, 6, 9, "")]),
        ("words", "none", [(7, 0, 4, "")]),
        ("", "all", []),
    ],
)
def test_matches_are_explained_as_they_are_encoded(
    text: str, special: str | set[str], expected: list[tuple[int, int, int, str]]
) -> None:
    tokenizer = of_pieces([b"ab"])
    added = AddedTokens(FLAGGED)
    tokenizer = tc.Tokenizer("flags", tokenizer.model, tokenizer.pre_tokenizer, added)
    matches = tokenizer.added_token_matches(text, special)
    assert [(one.token.id, one.start, one.stop, one.left) for one in matches] == expected
    encoding = tokenizer.encode(text, special)
    names, rules = encoding.pre_tokens.names, encoding.pre_tokens.rules
    spans = list(encoding.pre_token_spans)
    taken = [
        (spans[2 * k], spans[2 * k + 1], names[rule])
        for k, rule in enumerate(rules)
        if names[rule] in ("added token", "special token")
    ]
    assert taken == [
        (one.start, one.stop, "special token" if one.token.special else "added token")
        for one in matches
        if not one.left
    ]


def test_shorter_tokens_are_those_that_begin_alike() -> None:
    added = AddedTokens(FLAGGED)
    assert [token.content for token in added.shorter(FLAGGED[1])] == ["<x>"]
    assert [token.content for token in added.shorter(FLAGGED[6])] == ["wo"]
    assert added.shorter(FLAGGED[0]) == []
    assert added.with_id(5)[0].flags == ["rstrip"]
    assert added.with_id(99) == []
