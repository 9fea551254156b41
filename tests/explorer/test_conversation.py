"""A conversation: kept from one run to the next, whose turn it is, and the colours of its roles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenarium.models.chat.chat_template import PROMPT, START
from tokenarium.models.chat.conversation import Message, from_json, next_role, role_colours, to_json
from tokenarium.style.theme import DARK, LIGHT


@given(st.lists(st.builds(Message, st.text(), st.text())))
def test_messages_come_back_from_json(messages: list[Message]) -> None:
    assert from_json(to_json(messages)) == messages


@pytest.mark.parametrize(
    "line", ["", "{", "{}", "[1]", '[{"role": 1, "content": ""}]', '[{"role": ""}]', "[" * 99_999]
)
def test_what_is_no_conversation(line: str) -> None:
    assert from_json(line) is None


def test_whose_turn_it_is() -> None:
    chat = [Message("system", "Be kind."), Message("user", "Oh."), Message("assistant", "Ja.")]
    assert next_role([]) == "user"
    assert next_role(chat[:2]) == "assistant"
    assert next_role(chat) == "user"


def test_roles_have_colours_of_their_own() -> None:
    names = ["critic", "user", "", "assistant", "user", START, PROMPT, "system", "tool"]
    colours = role_colours(names)
    assert colours["user"] == "user"
    for theme in (LIGHT, DARK):
        shades = [theme.rule(colour)[0].name() for colour in colours.values()]
        assert len(set(shades)) == len(shades) == 8
