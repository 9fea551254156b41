"""Where each character of a chat comes from: the template, a role, a content, a tool, through all that templates do."""

from __future__ import annotations

import json
from typing import Any

import chat_templates
import pytest
from hypothesis import given
from hypothesis import strategies as st
from narrowed import there

from tokenarium.models.chat.chat_inputs import Inputs
from tokenarium.models.chat.chat_template import ChatTemplate
from tokenarium.models.chat.chat_tokens import written
from tokenarium.models.chat.conversation import Message
from tokenarium.models.chat.origins import (
    CONTENT,
    OTHER_INPUTS,
    ROLE_NAMES,
    TEMPLATES_OWN,
    TOOL_CALLS,
    TOOL_RESULTS,
    TOOLS,
    UNATTRIBUTED,
    in_words,
    source_of,
)
from tokenarium.models.chat.tracing_environment import TracingEnvironment
from tokenarium.models.faults import TooMuchError
from tokenarium_core import FormatError

CHAT = [
    {"role": "system", "content": " Be kind. "},
    {"role": "user", "content": 'So "so", ß\n'},
    {"role": "assistant", "content": "Ja: 雨"},
]
EACH = "{% for m in messages %}{{ BODY }}{% endfor %}"


def sources(
    source: str,
    chat: list[dict[str, Any]] = CHAT,
    inputs: Inputs | None = None,
    prompt: bool = False,
) -> list[tuple[str, str]]:
    """The sources of the parts with their text; checks that nothing is left out, and that neighbours differ."""
    template = ChatTemplate("x", source, chat_templates.TOKENS)
    given_inputs = inputs or Inputs()
    text = template.text_of(chat, prompt, given_inputs)
    parts = there(template.followed(chat, prompt, given_inputs, text)).parts
    assert [part.start for part in parts] == [0, *(part.stop for part in parts)][: len(parts)]
    assert not parts or parts[-1].stop == len(text)
    roles = [str(message["role"]) for message in chat]
    return [(source_of(part.origin, roles), text[part.start : part.stop]) for part in parts]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("m.content | trim", ["Be kind.", 'So "so", ß', "Ja: 雨"]),
        ("m.content.strip() ~ ''", ["Be kind.", 'So "so", ß', "Ja: 雨"]),
        ("m.content.upper()", [" BE KIND. ", 'SO "SO", SS\n', "JA: 雨"]),
        ("m.content | lower", [" be kind. ", 'so "so", ß\n', "ja: 雨"]),
        ("m.content | tojson", [" Be kind. ", 'So \\"so\\", ß\\n', "Ja: 雨"]),
        ("m.content | tojson(ensure_ascii=true)", [" Be kind. ", 'So \\"so\\", \\u00df\\n', "Ja: \\u96e8"]),
        ("m.content.split() | join('-')", ["Be", "kind.", "So", '"so",', "ß", "Ja:", "雨"]),
        ("'+'.join(m.content.split('a'))", [" Be kind. ", 'So "so", ß\n', "J", ": 雨"]),
        ("m.content | replace('a', '…')", [" Be kind. ", 'So "so", ß\n', "J", ": 雨"]),
        ("m.content.replace('J', 'j')", [" Be kind. ", 'So "so", ß\n', "a: 雨"]),
        ("'[C]'.replace('C', m.content)", [" Be kind. ", 'So "so", ß\n', "Ja: 雨"]),
        ("m.content[1:-1]", ["Be kind.", 'o "so", ß', "a: "]),
        ("m.content[::-1]", [" .dnik eB ", '\nß ,"os" oS', "雨 :aJ"]),
        ("m.content | reverse", [" .dnik eB ", '\nß ,"os" oS', "雨 :aJ"]),
        ("m.content[0] + m.content[-1]", ["  ", "S\n", "J雨"]),
        ("m.content | list | join", [" Be kind. ", 'So "so", ß\n', "Ja: 雨"]),
        ("m.content | first", [" ", "S", "J"]),
        ("'<%s>' % m.content", [" Be kind. ", 'So "so", ß\n', "Ja: 雨"]),
        ("'<%s|%s>' | format(m.content, 1)", [" Be kind. ", 'So "so", ß\n', "Ja: 雨"]),
        ("'{}{x}'.format(m.content, x='!')", [" Be kind. ", 'So "so", ß\n', "Ja: 雨"]),
        ("m.content.partition(' ')[2]", ["Be kind. ", '"so", ß\n', "雨"]),
        ("m.content.rsplit(' ', 1)[0]", [" Be kind.", 'So "so",', "Ja:"]),
        ("m.content.splitlines() | join", [" Be kind. ", 'So "so", ß', "Ja: 雨"]),
        ("m.content.removeprefix('Ja')", [" Be kind. ", 'So "so", ß\n', ": 雨"]),
        ("m.content.ljust(14, '.')[8:]", [". ", " ß\n"]),
        ("m.content * 2", [" Be kind.  Be kind. ", 'So "so", ß\nSo "so", ß\n', "Ja: 雨Ja: 雨"]),
        ("[m.content, 'x'] | join(', ')", [" Be kind. ", 'So "so", ß\n', "Ja: 雨"]),
        ("m.content | string ~ m.content | length", [" Be kind. ", 'So "so", ß\n', "Ja: 雨"]),
        ("{'a': m.content} | tojson", [" Be kind. ", 'So \\"so\\", ß\\n', "Ja: 雨"]),
        ("m | tojson(indent=2)", [" Be kind. ", 'So \\"so\\", ß\\n', "Ja: 雨"]),
        ("dict(a=m.content).a", [" Be kind. ", 'So "so", ß\n', "Ja: 雨"]),
        ("(m.content, 1) | first", [" Be kind. ", 'So "so", ß\n', "Ja: 雨"]),
    ],
)  # fmt: skip
def test_contents_are_followed(body: str, expected: list[str]) -> None:
    found = sources(EACH.replace("BODY", body))
    own = (TEMPLATES_OWN, ROLE_NAMES)
    assert [text for source, text in found if source not in own] == expected
    assert UNATTRIBUTED not in dict(found)


@pytest.mark.parametrize(
    "body",
    [
        "m.content | wordwrap(5)",
        "m.content | escape",
        "m.content.center(40)",
        "m.content.zfill(40)",
        "m.content.translate({97: 'bb'})",
    ],
)
def test_what_cannot_be_followed_is_unknown_and_never_the_templates(body: str) -> None:
    chat = [{"role": "user", "content": "a <b> and a longer line"}]
    assert [source for source, _ in sources(f"[{EACH.replace('BODY', body)}]", chat)] == [
        TEMPLATES_OWN,
        UNATTRIBUTED,
        TEMPLATES_OWN,
    ]


@pytest.mark.parametrize(
    "source",
    [
        "{{ messages[0].content.encode() }}",
        "{{ messages[0].content._runs }}{{ messages[0].content }}",
        "{{ messages | pprint }}",
        "{{ messages[0].content | urlencode }}",
        "{{ messages | map('upper') | list }}",
        "{{ '%s' % messages }}",
    ],
)
def test_what_leaves_the_texts_is_never_the_templates(source: str) -> None:
    template = ChatTemplate("x", source, {})
    chat = [{"role": "user", "content": "ÄÖ"}]
    try:
        text = template.text_of(chat, False)
    except FormatError:
        return
    found = template.followed(chat, False, Inputs(), text)
    for part in found.parts if found is not None else []:
        if part.origin.kind == TEMPLATES_OWN:
            assert "Ä" not in text[part.start : part.stop].upper()


def test_what_is_split_off_keeps_its_own_place() -> None:
    chat = [{"role": "user", "content": "b"}]
    assert sources("{{ ('xab' ~ messages[0].content).split('ab') | last }}", chat) == [
        ("user", "b")
    ]
    assert sources("{{ ('b ' ~ messages[0].content).split() | last }}", chat) == [("user", "b")]
    assert sources("{{ ('b\n' ~ messages[0].content).splitlines()[1] }}", chat) == [("user", "b")]


def test_a_call_in_the_json_of_a_message_is_a_calls_own() -> None:
    for form in ("tojson", "tojson(indent=3)", "tojson(separators=(',', ':'))"):
        found = sources(f"{{{{ messages[0] | {form} }}}}", [chat_templates.CALL])
        ((_, text),) = [part for part in found if part[0] == TOOL_CALLS]
        assert json.loads(text) == chat_templates.CALL["tool_calls"]
        assert UNATTRIBUTED not in dict(found)


def test_through_macros_blocks_and_namespaces() -> None:
    source = (
        "{% macro body(m) %}<{{ m.role }}>{{ m.content | trim }}{% endmacro %}"
        "{% set ns = namespace(all='') %}"
        "{% for m in messages %}{% set inner %}{{ body(m) }}!{% endset %}"
        "{% set ns.all = ns.all + inner %}{% endfor %}"
        "{% filter upper %}{{ ns.all }}{% endfilter %}"
        "{% generation %}{{ messages[2].content }}{% endgeneration %}"
    )
    assert sources(source) == [
        (TEMPLATES_OWN, "<"), (ROLE_NAMES, "SYSTEM"), (TEMPLATES_OWN, ">"), ("system", "BE KIND."),
        (TEMPLATES_OWN, "!<"), (ROLE_NAMES, "USER"), (TEMPLATES_OWN, ">"), ("user", 'SO "SO", SS'),
        (TEMPLATES_OWN, "!<"), (ROLE_NAMES, "ASSISTANT"), (TEMPLATES_OWN, ">"), ("assistant", "JA: 雨"),
        (TEMPLATES_OWN, "!"), ("assistant", "Ja: 雨"),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["llama", "mistral", "qwen", "deepseek"])
def test_a_dialog_with_tools_by_the_templates_of_models(name: str) -> None:
    chat = chat_templates.CHAT
    if name == "llama":
        chat = [{**message, "content": message["content"] or None} for message in chat]
    found = sources(chat_templates.TEMPLATES[name], chat, Inputs(tools=[chat_templates.TOOL]), True)
    kinds = {source for source, _ in found}
    assert UNATTRIBUTED not in kinds
    assert {TEMPLATES_OWN, "system", "user", "assistant", TOOL_CALLS, TOOL_RESULTS} <= kinds
    assert (TOOLS in kinds) == (name != "deepseek")
    given_texts = "".join(
        text for source, text in found if source not in (TEMPLATES_OWN, ROLE_NAMES)
    )
    whole = "".join(text for _, text in found)
    assert "<|im_end|>" in given_texts
    for message in chat:
        content = str(message["content"] or "").rpartition("</think>")[2].strip()
        if name == "llama" and message["role"] == "tool":
            content = json.dumps(content)[1:-1]
        assert content in whole
        assert content in given_texts
    own = "".join(text for source, text in found if source == TEMPLATES_OWN)
    for of_chat in ("rain", "Zürich", "Be short", "city"):
        assert of_chat not in own
    if name == "qwen":
        assert (TOOLS, json.dumps(chat_templates.TOOL)) in found
        assert (TOOL_CALLS, '{"city": "Zürich", "days": 2}') in found
        assert (TOOL_RESULTS, '{"rain": "a\\b"}') in found


def test_a_template_that_merges_the_system_message_and_changes_the_role() -> None:
    assert sources(chat_templates.GEMMA, CHAT, prompt=True) == [
        (TEMPLATES_OWN, "<s><start_of_turn>"), (ROLE_NAMES, "user"), (TEMPLATES_OWN, "\n"),
        ("system", " Be kind. "), (TEMPLATES_OWN, "\n\n"), ("user", 'So "so", ß'),
        (TEMPLATES_OWN, "<end_of_turn>\n<start_of_turn>model\n"), ("assistant", "Ja: 雨"),
        (TEMPLATES_OWN, "<end_of_turn>\n<start_of_turn>model\n"),
    ]  # fmt: skip


def test_the_other_inputs_have_their_own_source() -> None:
    source = (
        "{{ today }}{{ limit }}/{{ limit + 1 }}{{ share }}{{ thinks }}"
        "{% for d in documents %}{{ d.title | trim }}:{{ d | tojson }}{% endfor %}{{ messages[0].name }}"
        "{{ messages[0].tool_calls }}"
    )
    inputs = Inputs(
        None, [{"title": " A ", "n": 1}], {"today": "now", "limit": 3, "share": 0.5, "thinks": True}
    )
    chat = [{"role": "user", "content": "x", "name": "Ada", "tool_calls": [1, {"a": True}]}]
    assert sources(source, chat, inputs) == [
        (OTHER_INPUTS, "now"), (OTHER_INPUTS, "3"), (TEMPLATES_OWN, "/4"), (OTHER_INPUTS, "0.5"),
        (UNATTRIBUTED, "True"), (OTHER_INPUTS, "A"), (TEMPLATES_OWN, ":"),
        (OTHER_INPUTS, '{"title": " A ", "n": 1}'), (OTHER_INPUTS, "Ada"),
        (TOOL_CALLS, "[1, {'a': True}]"),
    ]  # fmt: skip


def test_an_origin_is_named_in_words() -> None:
    template = ChatTemplate(
        "x", "a{{ messages[0].content }}{{ messages[0].role }}{{ y }}{{ tools[0] }}", {}
    )
    inputs = Inputs([{"x": 1}], None, {"y": "z"})
    chat = [{"role": "user", "content": "hi"}]
    text = template.text_of(chat, False, inputs)
    parts = there(template.followed(chat, False, inputs, text)).parts
    assert [in_words(part.origin, ["user"]) for part in parts] == [
        "the template",
        "the content of message 1 (user)",
        "the role of message 1 (user)",
        "the variable y",
        "the tools",
    ]


def test_a_continued_message_is_followed_up_to_its_end() -> None:
    template = ChatTemplate(
        "x", "{% for m in messages %}<{{ m.content | trim }}></s>{% endfor %}", {}
    )
    inputs = Inputs(resumed="content")
    text = template.text_of(CHAT, False, inputs)
    parts = there(template.followed(CHAT, False, inputs, text)).parts
    assert text.endswith("<Ja: 雨")
    assert (parts[-1].stop, parts[-1].origin.message) == (len(text), 2)


def test_more_runs_than_are_followed_are_unknown() -> None:
    chat = [{"role": "user", "content": "ab" * 15_000}]
    source = "{% for c in messages[0].content %}{{ c }}.{% endfor %}"
    template = ChatTemplate("x", source, {})
    text = template.text_of(chat, False)
    parts = there(template.followed(chat, False, Inputs(), text)).parts
    assert [part.origin.kind for part in parts] == [UNATTRIBUTED]


OPERATIONS = (
    "{} | trim", "{}.strip('b')", "{}.rstrip()", "{}.lstrip('bé')", "{}[1:]", "{}[:-1]", "{}[::2]",
    "{}.split('b') | join('-')", "{}.split() | join('')", "{}.rsplit('b', 1) | last", "{}.upper()",
    "{} | tojson", "{} | replace('b', 'x')", "{}.replace('x', {})", "{} ~ {}", "'x' + {}", "{} * 2",
    "{}.partition('b') | join", "{}.splitlines(true) | join", "{} | list | join('')", "{} | title",
    "{}.swapcase()", "{}.removesuffix('b')", "{} | capitalize", "'-%s' % {}", "{} | center(9)",
    "[{}, 'x', {}] | join('+')", "{'x': {}} | tojson", "'{}x'.format({})", "{} | wordwrap(4)",
)  # fmt: skip
LETTERS = ("bB", "éÉ", "ßSs")


@pytest.mark.slow
@given(
    st.lists(st.lists(st.sampled_from("01 \n"), max_size=8), min_size=1, max_size=3),
    st.lists(st.sampled_from(OPERATIONS), max_size=4),
)
def test_after_any_operations_each_letter_is_of_its_message(
    shapes: list[list[str]], operations: list[str]
) -> None:
    """Each message has letters that no other has, and neither has the template; what is unknown may be any."""
    expression = "m.content"
    for operation in operations:
        parts = operation.split("{}") if "format" not in operation else None
        expression = (
            f"('{{}}x'.format({expression}))" if parts is None else f"({expression.join(parts)})"
        )
    chat: list[dict[str, Any]] = []
    for place, shape in enumerate(shapes):
        letters = [LETTERS[place][int(one)] if one in "01" else one for one in shape]
        chat.append({"role": "user", "content": "".join(letters)})
    template = ChatTemplate("x", EACH.replace("BODY", expression), {})
    text = template.text_of(chat, False)
    for start, stop, origin in there(template.followed(chat, False, Inputs(), text)).parts:
        if origin.kind == UNATTRIBUTED:
            continue
        for letter in text[start:stop]:
            if letter in "".join(LETTERS):
                assert letter in LETTERS[origin.message]
                assert origin.kind == CONTENT
            elif letter in "xX-+{:":
                assert origin.kind == TEMPLATES_OWN


def test_where_the_origins_cost_too_much_the_text_is_still_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    template = ChatTemplate("x", "{% for c in messages[0].content %}{{ c }}{% endfor %}", {})
    chat = [Message("user", "ab " * 200)]

    def stop(*_: object) -> str:
        raise TooMuchError("it took more than 1 s")

    monkeypatch.setattr(TracingEnvironment, "step", stop)
    made = written(template, chat, False)
    assert (made.chat.text, made.parts) == (chat[0].content, None)
