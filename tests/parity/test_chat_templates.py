"""Chat templates give the text, the ids and the masks of transformers, and the template that it chooses."""

from __future__ import annotations

import importlib.util
import json
import random
from pathlib import Path
from typing import Any

import chat_templates
import numpy as np
import pytest

import tokenarium_core as tc
from tokenarium.models.chat.chat_inputs import inputs_of
from tokenarium.models.chat.chat_tokens import generated_mask, written
from tokenarium.models.chat.conversation import message_of
from tokenarium.models.chat.template_files import chosen, templates_of
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.text_map import TextMap
from tokenarium_core import FormatError

if importlib.util.find_spec("transformers") is None:
    pytest.skip("transformers is not installed", allow_module_level=True)

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "weather",
            "description": "What the weather is <there>",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
        },
    }
]
CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "Be short."},
    {"role": "user", "content": "Is it raining in Zürich?", "name": "Ada"},
    {
        "role": "assistant",
        "content": None,
        "reasoning_content": "I have to look.",
        "tool_calls": [
            {
                "type": "function",
                "id": "a1",
                "function": {"name": "weather", "arguments": {"city": "Zürich"}},
            }
        ],
    },
    {"role": "tool", "content": '{"rain": true}', "tool_call_id": "a1"},
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "And "},
            {"type": "image", "url": "x.png"},
            {"type": "text", "text": "here? "},
        ],
    },
    {"role": "assistant", "content": "Yes, 雨. ", "thinking": "Easy."},
]
USUAL = """\
{{- bos_token }}
{%- macro body(message) %}
    {%- if message.content is string %}
        {{- message.content | trim }}
    {%- elif message.content is defined %}
        {%- for part in message.content %}
            {%- if part.type == 'text' %}{{ part.text }}{% else %}<|{{ part.type }}|>{% endif %}
        {%- endfor %}
    {%- endif %}
{%- endmacro %}
{%- if tools %}
    {{- '<|im_start|>tools\\n' + (tools | tojson(indent=2)) + '<|im_end|>\\n' }}
{%- endif %}
{%- for document in documents or [] %}
    {{- '[' ~ document.title ~ '] ' ~ document.text ~ '\\n' }}
{%- endfor %}
{%- set ns = namespace(turns=0, seen=dict(a=1)) %}
{%- for message in messages %}
    {%- set ns.turns = ns.turns + 1 %}
    {%- if message.role == 'skip' %}{% continue %}{% endif %}
    {{- '<|im_start|>' + message.role + '\\n' }}
    {%- if message.reasoning_content and enable_thinking is not defined %}
        {{- '<think>' + message.reasoning_content + '</think>' }}
    {%- endif %}
    {%- if message.role == 'assistant' %}
        {%- generation %}
        {%- set inner = body(message) %}
        {{- inner }}
        {%- for call in message.tool_calls or [] %}
            {{- '<call>' ~ call.function | tojson ~ '</call>' }}
        {%- endfor %}
        {{- '<|im_end|>' }}
        {%- endgeneration %}
        {{- inner is defined }}
    {%- else %}
        {{- body(message) + '<|im_end|>' }}
    {%- endif %}
    {{- '\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}
{{- joiner('x')() ~ cycler('a', 'b').next() }}
"""
WHOLE = "{{ messages | tojson }}{{ tools }}{{ custom }}{{ image_token }}{{ eos_token }}"
OPEN = (
    "{% for m in messages %}[{{ m.role }}]"
    "{% if m.content is string %}{{ m.content | trim }}{% else %}{{ m.content[-1].text }}{% endif %}"
    "{% if m.thinking %}<{{ m.thinking }}>{% endif %}</s>{% endfor %}"
)
RAISES = (
    "{% for m in messages %}{{ m.name + 'x' }}{{ raise_exception('No: ' + m.role) }}{% endfor %}"
)
HIDDEN = "{% set ns = namespace() %}{% set ns._x = 1 %}{{ ns._x }}"


def model(folder: Path, settings: dict[str, Any], files: dict[str, str] | None = None) -> Path:
    """Writes a model with a small vocabulary."""
    folder.mkdir()
    special = ["<|im_start|>", "<|im_end|>", "<s>", "</s>"]
    trained = tc.train("bpe", ["user system assistant"] * 5, vocab_size=290, special_tokens=special)
    trained.save(folder / "tokenizer.json", format="huggingface")
    usual = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<s>", "eos_token": "</s>"}
    (folder / "tokenizer_config.json").write_text(json.dumps({**usual, **settings}))
    for name, text in (files or {}).items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return folder


def theirs(
    folder: Path, chat: list[dict[str, Any]], options: dict[str, Any], mask: bool
) -> dict[str, Any] | None:
    """What transformers makes; None where it refuses that."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    try:
        text = tokenizer.apply_chat_template(chat, tokenize=False, **options)
    except Exception:  # the template is a program
        return None
    ids = tokenizer.apply_chat_template(chat, return_assistant_tokens_mask=mask, **options)
    return {"text": text, "ids": ids["input_ids"], "mask": ids.get("assistant_masks")}


def ours(
    folder: Path, chat: list[dict[str, Any]], options: dict[str, Any]
) -> dict[str, Any] | None:
    """What this program makes of the same."""
    tokenizer = tc.open(folder)
    rest = {key: value for key, value in options.items() if key not in OWN}
    resumed = options.get("continue_final_message") or ""
    inputs = inputs_of(
        {
            "tools": options.get("tools"),
            "documents": options.get("documents"),
            "variables": rest,
            "resumed": "content" if resumed is True else resumed,
        }
    )
    prompt = bool(options.get("add_generation_prompt"))
    try:
        template = chosen(
            templates_of(tokenizer), options.get("chat_template", ""), inputs.tools is not None
        )
        made = written(template, [message_of(one) for one in chat], prompt, inputs)
    except FormatError:
        return None
    encoding = tokenizer.encode(made.chat.text, special="all")
    spans = array_of(encoding.spans).reshape(-1, 2)
    mask = generated_mask(made.chat, TextMap(made.chat.text), spans)
    return {
        "text": made.chat.text,
        "ids": list(encoding.ids),
        "mask": mask.astype(np.int32).tolist(),
    }


OWN = (
    "tools", "documents", "add_generation_prompt", "continue_final_message", "chat_template",
)  # fmt: skip
OPTIONS: list[dict[str, Any]] = [
    {},
    {"add_generation_prompt": True},
    {"tools": TOOLS},
    {"tools": []},
    {"documents": [{"title": "A", "text": "b"}], "enable_thinking": False},
    {"custom": [1, None, {"a": "é"}]},
    {"bos_token": "<other>"},
]


def check(folder: Path, chat: list[dict[str, Any]], options: dict[str, Any], mask: bool) -> bool:
    """Compares both; returns whether both gave a text."""
    expected = theirs(folder, chat, options, mask)
    found = ours(folder, chat, options)
    if expected is None or found is None:
        assert found == expected
        return False
    assert found["text"] == expected["text"]
    assert found["ids"] == expected["ids"]
    if mask:
        assert found["mask"] == expected["mask"]
    return True


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(options) or "none")
def test_all_that_is_given_arrives(tmp_path: Path, options: dict[str, Any]) -> None:
    for name, source in (("usual", USUAL), ("whole", WHOLE)):
        settings = {"chat_template": source, "image_token": "<|im_end|>"}
        assert check(model(tmp_path / name, settings), CHAT, options, mask=True)


@pytest.mark.parametrize("field", [True, "content", "thinking", "reasoning_content", "none"])
@pytest.mark.parametrize("last", range(1, 6))
def test_a_message_is_continued(tmp_path: Path, field: bool | str, last: int) -> None:
    folder = model(tmp_path / "model", {"chat_template": OPEN})
    chat = [CHAT[0], CHAT[last] if last != 2 else {**CHAT[2], "content": " so "}]
    gave = check(folder, chat, {"continue_final_message": field}, mask=False)
    if field is True:
        assert gave
    assert not check(
        folder, chat, {"continue_final_message": field, "add_generation_prompt": True}, mask=False
    )


@pytest.mark.parametrize("source", [RAISES, HIDDEN, "{{ tools.x.y }}", "{% break %}"])
def test_what_is_refused_there_is_refused_here(tmp_path: Path, source: str) -> None:
    assert not check(model(tmp_path / "model", {"chat_template": source}), CHAT, {}, mask=False)


@pytest.mark.parametrize("name", chat_templates.TEMPLATES)
def test_templates_with_the_structure_of_those_of_models(tmp_path: Path, name: str) -> None:
    folder = model(tmp_path / "model", {"chat_template": chat_templates.TEMPLATES[name]})
    gave = 0
    for chat in (chat_templates.CHAT, chat_templates.PLAIN_CHAT, chat_templates.PLAIN_CHAT[1:]):
        for options in (
            {},
            {"add_generation_prompt": True},
            {"tools": [chat_templates.TOOL]},
            {"enable_thinking": False, "date_string": "1 May 2026", "add_generation_prompt": True},
        ):
            gave += check(folder, chat, options, mask=False)
    assert gave >= 6


NAMED = [{"name": name, "template": name + ": {{ bos_token }}"} for name in ("tool_use", "rag")]
DEFAULT = {"name": "default", "template": "the default one"}
FOLDERS: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "one": ({"chat_template": "one"}, {}),
    "named": ({"chat_template": [*NAMED, DEFAULT]}, {}),
    "no default": ({"chat_template": NAMED}, {}),
    "only tools": ({"chat_template": NAMED[:1]}, {}),
    "file": ({"chat_template": [*NAMED, DEFAULT]}, {"chat_template.jinja": "a file"}),
    "files": (
        {"chat_template": "one"},
        {"chat_template.jinja": "a file", "additional_chat_templates/tool_use.jinja": "tools"},
    ),
    "a file next to": ({"chat_template": "one"}, {"additional_chat_templates/rag.jinja": "for rag"}),
    "default beside": (
        {},
        {"chat_template.jinja": "a", "additional_chat_templates/default.jinja": "b"},
    ),
    "not a template": (
        {"chat_template": "one"},
        {"additional_chat_templates/x.txt": "x"},
    ),
    "map": (
        {"chat_template": "{{ bos_token }}{{ pad_token }}", "bos_token": "<s>"},
        {"special_tokens_map.json": '{"bos_token": "</s>", "pad_token": {"content": "<|im_end|>"}}'},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FOLDERS)
def test_the_same_template_is_chosen(tmp_path: Path, name: str) -> None:
    settings, files = FOLDERS[name]
    folder = model(tmp_path / "model", settings, files)
    of_files = [file for file in files if file.endswith(".jinja")]
    named = of_files if of_files else settings["chat_template"]
    several = isinstance(named, list) and not all(
        file in ("chat_template.jinja", "additional_chat_templates/default.jinja") for file in named
    )
    for options in ({}, {"tools": TOOLS}, {"chat_template": "rag"}, {"chat_template": "default"}):
        if options.get("chat_template") and not several:
            continue  # there, a name that is none is a template itself
        expected = theirs(folder, CHAT[:1], options, False)
        if expected is not None and expected["text"] == options.get("chat_template"):
            expected = None  # as above
        found = ours(folder, CHAT[:1], options)
        assert (found and found["text"]) == (expected and expected["text"]), options


def test_random_conversations(tmp_path: Path) -> None:
    folder = model(tmp_path / "model", {"chat_template": USUAL})
    chance = random.Random(7)
    contents: list[Any] = [
        "", " x ", "a\nb", None, [], [{"type": "text", "text": " <|im_end|> "}], "<s>雨", "</think>",
    ]  # fmt: skip
    others: list[dict[str, Any]] = [
        {}, {"reasoning": "r"}, {"thinking": None, "reasoning": "q"}, {"tool_calls": None},
        {"tool_calls": CHAT[2]["tool_calls"]}, {"thinking": "t", "reasoning_content": "u"},
    ]  # fmt: skip
    gave = 0
    for _ in range(60):
        chat = [
            {
                "role": chance.choice(["user", "assistant", "skip", ""]),
                "content": chance.choice(contents),
                **chance.choice(others),
            }
            for _ in range(chance.randint(1, 4))
        ]
        gave += check(folder, chat, chance.choice(OPTIONS), mask=True)
    assert gave > 30
