"""Chat templates: their text and roles, and that a hostile one is stopped."""

from __future__ import annotations

import json
from pathlib import Path

import chat_templates
import pytest
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

import tokenarium_core as tc
from tokenarium.models.chat.chat_template import (
    PROMPT,
    START,
    ChatTemplate,
    ChatText,
    TemplateFault,
)
from tokenarium.models.chat.template_files import read_chat_file, read_chat_templates

CHAT = [
    {"role": "user", "content": "Who are you?"},
    {"role": "assistant", "content": "<b>Nobody</b>"},
    {"role": "user", "content": "  Oh. "},
]
GEMMA = """{{ bos_token }}
{%- if messages[0]['role'] == 'system' -%}{{ raise_exception('System role not supported') }}{%- endif -%}
{%- for message in messages -%}
    {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}
        {{ raise_exception("Conversation roles must alternate") }}
    {%- endif -%}
    {%- set role = 'model' if message['role'] == 'assistant' else message['role'] -%}
    {{ '<start_of_turn>' + role + '\\n' + message['content'] | trim + '<end_of_turn>\\n' }}
{%- endfor -%}
{%- if add_generation_prompt -%}{{ '<start_of_turn>model\\n' }}{%- endif -%}
"""
CHATML = """{% for message in messages %}
    {% if loop.first and message.role != 'system' %}
{{- '<|im_start|>system\\nBe kind.<|im_end|>\\n' -}}
    {% endif %}
{{- '<|im_start|>' ~ message.role ~ '\\n' ~ message.content ~ '<|im_end|>\\n' -}}
{% endfor %}
{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}
"""
MISTRAL = (
    "{{ bos_token }}{% for m in messages %}{% if m.role == 'user' %}[INST] {{ m.content }} [/INST]"
    "{% else %}{% generation %} {{ m.content }}{{ eos_token }}{% endgeneration %}{% endif %}{% endfor %}"
)


def parts(chat: ChatText) -> list[tuple[str, str]]:
    """Returns the roles with their text; checks that nothing is left out."""
    assert "".join(chat.text[start:stop] for start, stop, _ in chat.roles) == chat.text
    return [(role, chat.text[start:stop]) for start, stop, role in chat.roles]


def test_gemma() -> None:
    chat = ChatTemplate("default", GEMMA, {"bos_token": "<bos>"}).render(CHAT, True)
    assert chat.exact
    assert parts(chat) == [
        (START, "<bos>"),
        ("user", "<start_of_turn>user\nWho are you?<end_of_turn>\n"),
        ("assistant", "<start_of_turn>model\n<b>Nobody</b><end_of_turn>\n"),
        ("user", "<start_of_turn>user\nOh.<end_of_turn>\n"),
        (PROMPT, "<start_of_turn>model\n"),
    ]


def test_a_default_system_message_belongs_to_the_first() -> None:
    chat = ChatTemplate("default", CHATML, {}).render(CHAT[:1], True)
    assert parts(chat) == [
        (
            "user",
            "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nWho are you?<|im_end|>\n",
        ),
        (PROMPT, "<|im_start|>assistant\n"),
    ]


@pytest.mark.parametrize("source", [GEMMA, CHATML])
def test_the_bounds_change_nothing(source: str) -> None:
    settings = {"trim_blocks": True, "lstrip_blocks": True, "extensions": [loopcontrols]}
    plain = ImmutableSandboxedEnvironment(**settings).from_string(source)
    for prompt in (False, True):
        expected = plain.render(messages=CHAT, add_generation_prompt=prompt, bos_token="<s>")
        assert ChatTemplate("x", source, {"bos_token": "<s>"}).render(CHAT, prompt).text == expected


def test_marked_generation() -> None:
    chat = ChatTemplate("default", MISTRAL, {"bos_token": "<s>", "eos_token": "</s>"}).render(CHAT)
    assert chat.text == "<s>[INST] Who are you? [/INST] <b>Nobody</b></s>[INST]   Oh.  [/INST]"


def test_a_template_that_drops_earlier_messages_is_not_exact() -> None:
    chat = ChatTemplate("default", "{{ messages[-1].content }}!", {}).render(CHAT[:2])
    assert not chat.exact
    assert chat.text == "<b>Nobody</b>!"
    parts(chat)


def test_json_keeps_its_characters() -> None:
    template = ChatTemplate("default", "{{ messages[0] | tojson }}", {})
    assert template.render(CHAT[1:2]).text == json.dumps(CHAT[1])
    assert "<b>" in template.render(CHAT[1:2]).text


def test_the_templates_own_refusal_is_reported() -> None:
    with pytest.raises(tc.FormatError, match="System role not supported"):
        ChatTemplate("x", GEMMA, {}).render([{"role": "system", "content": ""}])


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("{% for x in messages %}", "not Jinja: line 1"),
        ("{{ " + "(" * 100_000 + " }}", "template"),
        ("x" * (1 << 21), "more than"),
    ],
)
def test_what_is_no_template(source: str, message: str) -> None:
    with pytest.raises(tc.FormatError, match=message):
        ChatTemplate("x", source, {}).render([])


HOSTILE = {
    "loops": "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    "loops over one list": "{% set x = range(99999)|list %}{% for a in x %}{% for b in x %}{% for c in x %}{% endfor %}{% endfor %}{% endfor %}",
    "a huge range": "{{ range(10**9)|list }}",
    "a repeated text": "{{ 'a' * 10**10 }}",
    "a huge number": "{{ (10**60)**60 }}",
    "doubled text": "{% set n = namespace(s='ab') %}{% for a in range(99) %}{% set n.s = n.s ~ n.s %}{% endfor %}{{ n.s }}",
    "added text": "{% set n = namespace(s='ab') %}{% for a in range(99) %}{% set n.s = n.s + n.s %}{% endfor %}",
    "nested lists": "{% set n = namespace(s=[]) %}{% for a in range(99) %}{% set n.s = [n.s, n.s] %}{% endfor %}{{ n.s }}",
    "nested objects": "{% set n = namespace(s={}) %}{% for a in range(99) %}{% set n.s = {1: n.s, 2: n.s} %}{% endfor %}{{ n.s == n.s }}",
    "a wide text": "{{ 'a'.center(10**10) }}",
    "a wide filter": "{{ 'a'|center(10**10) }}",
    "a wide format": "{{ '%9999999999d' % 1 }}",
    "another wide format": "{{ '{:>9999999999}'.format(1) }}",
    "much text": "{% for a in range(99999) %}" + "x" * 10_000 + "{% endfor %}",
    "much text in a variable": "{% set v %}{% for a in range(99999) %}" + "x" * 10_000 + "{% endfor %}{% endset %}",
    "much text from a macro": "{% macro m() %}{% for a in range(99999) %}" + "x" * 10_000 + "{% endfor %}{% endmacro %}{{ m()|length }}",
    "a macro that calls itself": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "replaced text": "{% set a = 'a' * 999999 %}{{ a|replace('a', a) }}",
    "replaced text in a method": "{% set a = 'a' * 999999 %}{{ a.replace('a', a) }}",
    "joined text": "{% set a = 'a' * 999999 %}{{ range(99999)|join(a) }}",
    "a wide indent": "{{ messages|tojson(indent=10**9) }}",
    "private attributes": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "a changed list": "{% set x = [] %}{{ x.append(1) }}",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_templates_are_stopped(source: str) -> None:
    with pytest.raises(tc.FormatError):
        ChatTemplate("x", source, {}).render(CHAT)


@pytest.mark.slow
def test_a_template_that_hangs_for_a_part_of_the_chat_only_is_stopped() -> None:
    loops = HOSTILE["loops over one list"]
    source = "{% if messages|length < 3 %}" + loops + "{% endif %}"
    with pytest.raises(tc.FormatError, match="was stopped"):
        ChatTemplate("x", source, {}).render(CHAT)


def test_reading_a_folder(tmp_path: Path) -> None:
    assert read_chat_templates(tmp_path) == []
    config = {
        "bos_token": {"content": "<s>", "lstrip": False},
        "eos_token": "</s>",
        "chat_template": [
            {"name": "tool_use", "template": "tools"},
            {"name": "default", "template": "{{ bos_token }}{{ eos_token }}"},
        ],
    }
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    templates = read_chat_templates(tmp_path)
    assert [template.name for template in templates] == ["default", "tool_use"]
    assert templates[0].render(CHAT).text == "<s></s>"
    (tmp_path / "chat_template.jinja").write_text("{{ messages|length }}")
    assert read_chat_templates(tmp_path)[0].render(CHAT).text == "3"


@pytest.mark.parametrize(
    "config",
    [
        "[]",
        "{",
        '{"chat_template": 1}',
        '{"chat_template": [{"name": 1}]}',
        '{"chat_template": "{%"}',
    ],
)
def test_wrong_files(tmp_path: Path, config: str) -> None:
    (tmp_path / "tokenizer_config.json").write_text(config)
    with pytest.raises(tc.FormatError):
        read_chat_templates(tmp_path)


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ("a\n{% if %}", 2, "not Jinja: line 2"),
        ("a\n\n{{ raise_exception('Roles must alternate.') }}", 3, "in line 3: Roles must alternate.$"),
        ("{{ messages[0]\n + 1 }}", 1, "fails on this chat in line 1: TypeError"),
        ("a\n{{ messages[0].x.y }}", 2, "refuses this chat in line 2"),
        ("\n\n\n{{ 'a' * 10**10 }}", 4, "was stopped in line 4"),
    ],
)  # fmt: skip
def test_a_fault_has_its_line(source: str, line: int, message: str) -> None:
    with pytest.raises(TemplateFault, match=message) as caught:
        ChatTemplate("x", source, {}).render(CHAT)
    assert caught.value.line == line


@pytest.mark.slow
def test_a_slow_template_takes_no_longer_with_many_messages() -> None:
    rounds = "{% for a in range(20000) %}{% endfor %}"
    lines = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"
    message = {"role": "user", "content": "Oh"}
    chat = ChatTemplate("x", lines + rounds, {}).render([message] * 400)
    assert chat.text == "user: Oh\n" * 400
    assert chat.roles[-1][1] == len(chat.text)


def test_reading_one_file(tmp_path: Path) -> None:
    (tmp_path / "special_tokens_map.json").write_text('{"bos_token": "<s>"}')
    (tmp_path / "mine.jinja").write_text("{{ bos_token }}!")
    (only,) = read_chat_file(tmp_path / "mine.jinja")
    assert (only.name, only.render([]).text) == ("mine", "<s>!")
    (tmp_path / "other.json").write_text('{"chat_template": "{{ bos_token }}", "bos_token": "<b>"}')
    (only,) = read_chat_file(tmp_path / "other.json")
    assert (only.name, only.render([]).text) == ("default", "<b>")
    (tmp_path / "none.json").write_text("{}")
    with pytest.raises(tc.FormatError, match="no field chat_template"):
        read_chat_file(tmp_path / "none.json")
    with pytest.raises(tc.NotAvailable):
        read_chat_file(tmp_path / "away.jinja")


@pytest.mark.parametrize(
    ("source", "names"),
    [
        (chat_templates.LLAMA, ["custom_tools", "date_string", "tools_in_user_message"]),
        (chat_templates.MISTRAL, []),
        (chat_templates.GEMMA, []),
        (chat_templates.QWEN, ["enable_thinking"]),
        (chat_templates.DEEPSEEK, []),
        ("{% if messages %}{% set a = 1 %}{% endif %}{{ a }}{{ b }}", ["b"]),
        ("{% if messages %}{% set a = a or 1 %}{% endif %}{{ a }}", ["a"]),
        ("{{ a.b }}{{ loop }}{{ range(1) }}{{ messages }}{{ eos_token }}", ["a", "loop"]),
    ],
)
def test_variables_that_a_template_reads(source: str, names: list[str]) -> None:
    assert ChatTemplate("x", source, chat_templates.TOKENS).undefined() == names
