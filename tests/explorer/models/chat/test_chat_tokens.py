"""Conversations as they are kept, and the tokens of a chat by role."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from narrowed import there

import tokenarium_core as tc
from tokenarium.models.chat.chat_inputs import Inputs
from tokenarium.models.chat.chat_template import PROMPT, START, ChatTemplate, ChatText
from tokenarium.models.chat.chat_tokens import (
    MOST_ROLES,
    by_contents,
    chat_tokens,
    contents_of,
    lost_note,
)
from tokenarium.models.chat.conversation import (
    STARTS,
    Message,
    best_start,
    from_json,
    next_role,
    role_colours,
    to_json,
)
from tokenarium.models.chat.origins import CONTENT, ChatPart, Origin
from tokenarium.models.text.lost_text import text_loss
from tokenarium.models.text.text_map import TextMap
from tokenarium.style.theme import DARK, LIGHT

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


@given(st.lists(st.builds(Message, st.text(), st.text(), st.none())))
def test_messages_come_back_from_json(messages: list[Message]) -> None:
    assert from_json(to_json(messages)) == messages


@pytest.mark.slow
@given(
    st.dictionaries(st.text(max_size=5), VALUES, max_size=3),
    st.text(),
    st.text() | st.none() | st.lists(VALUES, max_size=3),
    st.booleans(),
)
def test_all_that_a_message_has_is_passed_on(
    others: dict[str, object], role: str, content: object, first: bool
) -> None:
    own: dict[str, object] = {"content": content, "role": role}
    given = {**own, **others} if first else {**others, **own}
    given |= own
    found = there(from_json(json.dumps([given])))
    assert json.dumps(found[0].as_dict()) == json.dumps(given)
    assert from_json(to_json(found)) == found
    assert found[0]._replace(role="other").as_dict() == {**given, "role": "other"}


def test_a_message_without_content_has_none() -> None:
    (message,) = from_json('[{"role": "assistant", "tool_calls": []}]') or ()
    assert message.as_dict() == {"role": "assistant", "tool_calls": []}
    assert message._replace(content="Oh").as_dict()["content"] == "Oh"


@pytest.mark.parametrize(
    "line",
    [
        "",
        "{",
        "{}",
        "[1]",
        '[{"role": 1, "content": ""}]',
        '[{"role": "", "content": {}}]',
        "[" * 99_999,
    ],
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


CHAT = [Message("system", "Be kind."), Message("user", " Oh.\n"), Message("assistant", "Ja: 雨")]


def dicts(messages: list[Message]) -> list[dict[str, str]]:
    return [message.as_dict() for message in messages]


def parts_of(
    template: ChatTemplate, messages: list[Message], prompt: bool, text: str
) -> list[ChatPart]:
    return there(template.followed(dicts(messages), prompt, Inputs(), text)).parts


# Templates to start from.

WRITTEN = {
    "ChatML": "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\n Oh.\n<|im_end|>\n"
    "<|im_start|>assistant\nJa: 雨<|im_end|>\n<|im_start|>assistant\n",
    "Headers, as Llama 3": "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nBe kind.<|eot_id|>"
    "<|start_header_id|>user<|end_header_id|>\n\nOh.<|eot_id|>"
    "<|start_header_id|>assistant<|end_header_id|>\n\nJa: 雨<|eot_id|>"
    "<|start_header_id|>assistant<|end_header_id|>\n\n",
    "Turns, as Gemma": "<bos><start_of_turn>user\nBe kind.\n\nOh.<end_of_turn>\n"
    "<start_of_turn>model\nJa: 雨<end_of_turn>\n<start_of_turn>model\n",
}


@pytest.mark.parametrize("start", STARTS, ids=lambda start: start.title)
def test_a_start_writes_its_shape_and_its_parts_are_exact(start: object) -> None:
    assert start in STARTS
    start = STARTS[STARTS.index(start)]
    template = start.template()
    chat = template.render(dicts(CHAT), True)
    assert chat.text == WRITTEN[start.title]
    assert chat.exact
    roles = [role for _, _, role in chat.roles]
    first = [START] if "bos_token" in start.tokens else []
    assert roles == [*first, "system", "user", "assistant", PROMPT]
    spans = contents_of(parts_of(template, CHAT, True, chat.text))
    assert [chat.text[a:b].strip() for a, b, _ in spans] == ["Be kind.", "Oh.", "Ja: 雨"]
    assert template.render(dicts(CHAT)).text == chat.text[: chat.roles[-1][0]]


def test_the_start_whose_markers_are_known_comes_first() -> None:
    assert best_start({"<start_of_turn>", "<end_of_turn>"}.__contains__) == 2
    assert best_start({"<start_of_turn>"}.__contains__) == 0


# Counting.


def test_contents_are_found_where_they_look_like_markers() -> None:
    chat = [Message("user", "user"), Message("user", ""), Message("user", "user: user\nuser: ")]
    template = ChatTemplate(
        "x", "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}", {}
    )
    text = template.text_of(dicts(chat), False)
    spans = contents_of(parts_of(template, chat, False, text))
    assert [(start, stop, origin.message) for start, stop, origin in spans] == [
        (6, 10, 0),
        (24, 41, 2),
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "{{ bos_token }}{% for m in messages | reverse %}<{{ m.role }}> {{ m.content }}\n{% endfor %}",
            [
                (START, "<s>"),
                ("assistant", "<assistant> Ja: 雨\n"),
                ("user", "<user>  Oh.\n\n"),
                ("system", "<system> Be kind.\n"),
            ],
        ),
        (
            "{% for m in messages[-2:] %}[{{ m.role }}]{{ m.content | trim }}</s>{% endfor %}"
            "{% if add_generation_prompt %}[assistant]{% endif %}",
            [
                ("user", "[user]Oh.</s>"),
                ("assistant", "[assistant]Ja: 雨</s>"),
                (PROMPT, "[assistant]"),
            ],
        ),
    ],
)
def test_parts_are_guessed_by_the_contents(source: str, expected: list[tuple[str, str]]) -> None:
    template = ChatTemplate("x", source, {"bos_token": "<s>"})
    chat = template.render(dicts(CHAT), True)
    assert not chat.exact
    contents = contents_of(parts_of(template, CHAT, True, chat.text))
    guessed = by_contents(chat, CHAT, contents)
    assert not guessed.exact
    assert [(role, chat.text[start:stop]) for start, stop, role in guessed.roles] == expected


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.text("xé雨", min_size=1)), min_size=1),
    st.lists(st.integers(0, 60), max_size=12),
    st.lists(st.integers(0, 60), max_size=6),
)
def test_tokens_belong_where_they_begin(
    written: list[tuple[str, str]], cuts: list[int], edges: list[int]
) -> None:
    text = "".join(part for _, part in written)
    roles, at = [], 0
    for role, part in written:
        roles.append((at, at + len(part), role))
        at += len(part)
    text_map = TextMap(text)
    size = text_map.byte_count
    places = sorted({0, size, *(cut for cut in cuts if cut < size)})
    spans = np.array(list(pairwise(places)), dtype=np.int32)
    inside = sorted({min(edge, len(text)) for edge in edges})
    contents = [
        ChatPart(start, stop, Origin(CONTENT, 0, CONTENT))
        for start, stop in zip(inside[::2], inside[1::2], strict=False)
    ]
    ids = np.zeros(len(spans), dtype=np.int32)
    counted = chat_tokens(ChatText(text, roles, True), [], contents, text_map, ids, spans)
    role_of = [role for role, part in written for _ in part.encode()]
    content = [False] * size
    for start, stop, _ in contents:
        first, last = len(text[:start].encode()), len(text[:stop].encode())
        content[first:last] = [True] * (last - first)
    expected: dict[str, list[int]] = {role: [0, 0] for role, _ in written}
    for start, stop in spans.tolist():
        expected[role_of[start]][0] += 1
        expected[role_of[start]][1] += not any(content[start:stop])
    assert {row.role: [row.tokens, row.added] for row in counted.rows} == expected
    assert counted.total == len(spans) == sum(row.tokens for row in counted.rows)
    assert counted.added == sum(row.added for row in counted.rows)


def test_more_roles_than_colours() -> None:
    text = "x" * 300
    roles = [(place, place + 1, f"role {place}") for place in range(300)]
    spans = np.array([(place, place + 1) for place in range(300)], dtype=np.int32)
    messages = [Message(role, "x") for _, _, role in roles]
    ids = np.zeros(300, dtype=np.int32)
    counted = chat_tokens(ChatText(text, roles, True), messages, None, TextMap(text), ids, spans)
    assert len(counted.rows) == MOST_ROLES
    assert counted.rows[-1].role == "other roles"
    assert counted.rows[-1].tokens == counted.rows[-1].messages == 300 - MOST_ROLES + 1
    assert counted.added == -1


def test_no_text_has_no_tokens() -> None:
    none = np.zeros(0, dtype=np.int32)
    counted = chat_tokens(ChatText("", [], True), CHAT, [], TextMap(""), none, none.reshape(-1, 2))
    assert (counted.total, counted.rows, counted.added) == (0, [], 0)


def test_markers_that_are_no_tokens_are_named() -> None:
    tokenizer = tc.train("bpe", ["abc abc"], vocab_size=258, special_tokens=["<|im_end|>"])
    template = STARTS[0].template()
    chat = template.render([{"role": "user", "content": "<|im_start|> <|x|>"}])
    encoding = tokenizer.encode(chat.text, "all")
    contents = parts_of(template, [Message("user", "<|im_start|> <|x|>")], False, chat.text)
    counted = chat_tokens(
        chat,
        [Message("user", "<|im_start|> <|x|>")],
        contents,
        TextMap(chat.text),
        np.asarray(memoryview(encoding.ids)),
        np.asarray(memoryview(encoding.spans)).reshape(-1, 2),
    )
    assert counted.broken == ["<|im_start|>"]  # not what a user wrote


def test_what_is_lost_is_counted_once() -> None:
    tokenizer = tc.train("wordpiece", ["the cat sat"], vocab_size=40)
    text = "the  cat ж"
    encoding = tokenizer.encode(text)
    counted = chat_tokens(
        ChatText(text, [(0, len(text), "user")], True),
        [Message("user", text)],
        None,
        TextMap(text),
        np.asarray(memoryview(encoding.ids)),
        np.asarray(memoryview(encoding.spans)).reshape(-1, 2),
        losing=text_loss(tokenizer),
    )
    assert (counted.lost, counted.lost_share) == (2, 3 / 11)
    assert lost_note(counted).startswith("? It loses 27.3% of the text, so the counts")
    assert lost_note(counted._replace(lost=0)) == ""
