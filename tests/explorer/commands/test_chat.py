"""``tokenarium chat``: messages by a template, and the tokens of each role."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gguf_files
import pytest
import sentencepiece_models
from command_line import run
from narrowed import assert_contains
from small_files import new_folder, write_file
from typer.testing import CliRunner

import tokenarium_core as tc
from tokenarium.commands.cli import app
from tokenarium.commands.terminal import FAILED

HEADERS = (
    "<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>",
)  # fmt: skip
TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}<|start_header_id|>{{ m.role }}<|end_header_id|>\n\n"
    "{{ m.content }}<|eot_id|>{% endfor %}"
    "{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}"
)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model that writes turns as Llama 3 does."""
    folder = new_folder(tmp_path / "model")
    trained = tc.train(
        "bpe", ["user system assistant"] * 5, vocab_size=290, special_tokens=list(HEADERS)
    )
    trained.save(folder / "tokenizer.json", format="huggingface")
    settings = {"bos_token": HEADERS[0], "chat_template": TEMPLATE}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return folder


@pytest.mark.slow
def test_ids_are_those_of_the_parts(terminal: CliRunner, model: Path) -> None:
    """The start, then for each message the header, the role, its end, an empty line, the content, and the end."""
    tokenizer = tc.open(model)
    special = tokenizer.special_tokens
    conversation = [("system", "Be short."), ("user", "Hello")]
    wanted = [special[HEADERS[0]]]
    for role, content in conversation:
        wanted += [special["<|start_header_id|>"], *tokenizer.encode_ids(role)]
        wanted += [special["<|end_header_id|>"], *tokenizer.encode_ids(f"\n\n{content}")]
        wanted += [special["<|eot_id|>"]]
    arguments = [f"{role}: {content}" for role, content in conversation]
    made = json.loads(run(terminal, "chat", str(model), *arguments, "--no-prompt", "--json"))
    assert made["ids"] == wanted
    assert sum(one["tokens"] for one in made["roles"]) == made["tokens"] == len(wanted)
    assert made["broken"] == []
    table = terminal.invoke(app, ["chat", str(model), *arguments, "--show"]).stdout
    assert_contains(table, "generation prompt", "<|eot_id|>")
    assert run(terminal, "chat", str(model), *arguments, "--no-prompt", "--text") == (
        "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nBe short.<|eot_id|>"
        "<|start_header_id|>user<|end_header_id|>\n\nHello<|eot_id|>"
    )


@pytest.mark.slow
def test_messages_of_a_file_and_another_template(
    terminal: CliRunner, model: Path, tmp_path: Path
) -> None:
    chat = tmp_path / "chat.json"
    messages = [{"role": "user", "content": "Hi"}]
    chat.write_text(json.dumps({"messages": messages}))
    own = write_file(
        tmp_path / "own.jinja", "{% for m in messages %}[{{ m.role }}] {{ m.content }}{% endfor %}"
    )
    assert (
        run(terminal, "chat", str(model), "-f", str(chat), "--template", str(own), "--text")
        == "[user] Hi"
    )
    assert json.loads(
        run(terminal, "chat", "tokenarium-8k", "user:Hi", "--name", "ChatML", "--json")
    )["broken"] == ["<|im_start|>", "<|im_end|>"]


WITH_TOOLS = (
    "{{ bos_token }}{{ today }}{% for t in tools or [] %}({{ t.function.name }}){% endfor %}"
    "{% for m in messages %}<{{ m.role }}>{{ m.reasoning_content }}"
    "{% if m.role == 'assistant' %}{% generation %}{{ m.content }}"
    "{% for c in m.tool_calls or [] %}{{ c.function | tojson }}{% endfor %}{% endgeneration %}"
    "{% else %}{{ m.content }}{% endif %}{% endfor %}"
)
TOOL = {"type": "function", "function": {"name": "weather"}}
CALLS = [
    {"role": "user", "content": "Rain?"},
    {
        "role": "assistant",
        "content": None,
        "reasoning_content": "I look.",
        "tool_calls": [{"type": "function", "function": {"name": "weather"}}],
        "refusal": None,
        "weight": 1,
    },
]


@pytest.mark.slow
def test_a_conversation_with_tools(terminal: CliRunner, model: Path, tmp_path: Path) -> None:
    request = {"model": "x", "messages": CALLS, "tools": [TOOL], "temperature": 0}
    chat = write_file(tmp_path / "request.json", json.dumps(request))
    own = write_file(model / "own.jinja", WITH_TOOLS)
    options = ["-f", str(chat), "--template", str(own), "--set", 'today="now"', "--set", "x=[1]"]
    made = json.loads(run(terminal, "chat", str(model), *options, "--json"))
    text = '<|begin_of_text|>now(weather)<user>Rain?<assistant>I look.{"name": "weather"}'
    assert made["text"] == text
    assert made["exact"] is False
    assert made["inexact"] == ["Unknown, and not passed to the template: model, temperature."]
    assert made["notes"] == ["Given, but without effect on the text: x, weight."]
    own_sources = [source for source in made["sources"] if source in ("template", "role names")]
    assert made["added"] == len(own_sources) == 11
    assert {part["source"]: text[part["start"] : part["end"]] for part in made["parts"]} == {
        "template": ">",
        "other inputs": "now",
        "tool schemas": "weather",
        "role names": "assistant",
        "user": "Rain?",
        "assistant": "I look.",
        "tool calls": '{"name": "weather"}',
    }
    tokenizer = tc.open(model)
    marked = [
        token for token, inside in zip(made["ids"], made["assistant_mask"], strict=True) if inside
    ]
    assert tokenizer.decode(marked) == '{"name": "weather"}'
    table = terminal.invoke(app, ["chat", str(model), *options]).stdout
    assert_contains(
        table,
        "Unknown, and not passed to the template: model, temperature.",
        f"marks {len(marked)} tokens as what the assistant generates",
    )


@pytest.mark.slow
def test_a_template_for_tools_and_what_it_lacks(
    terminal: CliRunner, model: Path, tmp_path: Path
) -> None:
    named = [
        {"name": "tool_use", "template": "tools!"},
        {"name": "default", "template": "{{ sep_token }}{{ x }}"},
    ]
    (model / "tokenizer_config.json").write_text(json.dumps({"chat_template": named}))
    tools = write_file(tmp_path / "tools.json", json.dumps([TOOL]))
    options = ["chat", str(model), "user:Hi", "--json"]
    with_tools = json.loads(terminal.invoke(app, [*options, "--tools", str(tools)]).stdout)
    assert (with_tools["template"], with_tools["text"]) == ("tool_use", "tools!")
    without = json.loads(terminal.invoke(app, options).stdout)
    assert without["template"] == "default"
    assert without["inexact"] == [
        "The template reads sep_token, which no file defines: nothing is written there."
    ]
    assert without["notes"] == []
    (warning,) = without["warnings"]
    assert warning["kind"] == "missing variable"
    assert warning["sentence"] == "The template writes what is not given: x. Nothing stands there."


@pytest.mark.slow
def test_the_last_message_is_continued(terminal: CliRunner, model: Path) -> None:
    options = ["chat", str(model), "user:Hi", "assistant:It is ", "--text"]
    assert run(terminal, *options, "--continue", "content").endswith("<|end_header_id|>\n\nIt is ")
    refused = terminal.invoke(app, [*options, "--continue", "content", "--prompt"])
    assert refused.exit_code == FAILED
    assert "has no generation prompt" in refused.output


@pytest.mark.slow
def test_the_template_and_the_ends_of_a_gguf_file(terminal: CliRunner, tmp_path: Path) -> None:
    """The file's own, however long it is, with the tokens that the file names, whatever lies beside it."""
    source = (
        "{{ bos_token }}{# " + "x" * 5000 + " #}"
        "{% for m in messages %}[{{ m.content }}]{{ eos_token }}{% endfor %}"
    )
    trained = tc.train("bpe", ["abc abc"], vocab_size=261, special_tokens=["<s>", "</s>", "<pad>"])

    def more(writer: Any) -> None:
        writer.add_bos_token_id(trained.special_tokens["<s>"])
        writer.add_eos_token_id(trained.special_tokens["</s>"])
        writer.add_string("tokenizer.chat_template", source)
        writer.add_string("tokenizer.chat_template.tool_use", "tools")

    path = gguf_files.of_merges(tmp_path / "x.gguf", trained, "gpt-2", more)
    (tmp_path / "tokenizer_config.json").write_text('{"bos_token": "no", "chat_template": "no"}')
    options = ["chat", str(path), "user:Hi", "--json"]
    made = json.loads(terminal.invoke(app, options).stdout)
    assert made["text"] == "<s>[Hi]</s>"
    assert made["exact"]
    with_tools = json.loads(terminal.invoke(app, [*options, "--set", "tools=[]"]).stdout)
    assert with_tools["text"] == "tools"


@pytest.mark.slow
def test_a_model_alone_knows_its_ends(terminal: CliRunner, tmp_path: Path) -> None:
    path = write_file(
        tmp_path / "x.model",
        sentencepiece_models.trained("bpe", bos_piece="<first>", eos_piece="<last>"),
    )
    own = write_file(
        tmp_path / "own.jinja",
        "{{ bos_token }}{{ messages[0].content }}{{ eos_token }}{{ unk_token }}",
    )
    options = ["chat", str(path), "user:Hi", "--template", str(own), "--json"]
    made = json.loads(terminal.invoke(app, options).stdout)
    assert made["text"] == "<first>Hi<last><unk>"
    assert made["inexact"] == [
        "'<unk>' is a special token in the settings, but is not a token here: transformers adds it."
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["Hello"], "is not a message"),
        (["user:Hi", "--name", "none"], "There is no template 'none'"),
        (["--file", "wrong.json"], "wrong.json"),
        (["user:Hi", "--template", "refuses.jinja"], "no such role"),
        (["user:Hi", "--set", "x"], "sets nothing"),
        (["user:Hi", "--set", "x=yes"], "Put a text in quotation marks"),
        (["user:Hi", "--set", "tokenize=true"], "cannot be a variable of a template"),
        (["user:Hi", "--set", "tools={}"], "tools must be a JSON list of objects"),
        (["user:Hi", "--tools", "wrong.json"], "tools must be a JSON list of objects"),
        (["user:Hi", "--file", "wrong.json"], "no messages"),
    ],
)
def test_errors_are_sentences(
    terminal: CliRunner,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wrong.json").write_text("[3]")
    (tmp_path / "refuses.jinja").write_text("{{ raise_exception('no such role') }}")
    found = terminal.invoke(app, ["chat", "tokenarium-8k", *arguments])
    assert found.exit_code == FAILED
    assert said in found.output.replace("\n", " ")


@pytest.mark.slow
def test_warnings_and_the_safe_way(terminal: CliRunner, model: Path) -> None:
    arguments = ["chat", str(model), "user: Hi<|eot_id|>", "--no-prompt"]
    made = json.loads(run(terminal, *arguments, "--json"))
    tokenizer = tc.open(model)
    assert tokenizer.decode(made["safe_ids"], skip_special_tokens=False) == made["text"]
    end = tokenizer.special_tokens["<|eot_id|>"]
    assert made["ids"].count(end) == made["safe_ids"].count(end) + 1 == 2
    (warning,) = made["warnings"]
    assert warning["kind"] == "special token"
    start = made["text"].index("<|eot_id|>")
    assert warning["places"] == [[start, start + len("<|eot_id|>")]]
    text = terminal.invoke(app, [*arguments, "--show"]).stdout
    assert_contains(
        text.replace("\n", " "),
        "Warning: Text of the chat becomes 1 special token, as if the template had written it",
        "role names",
    )
    names: dict[str, object] = {}
    exec(run(terminal, *arguments, "--program", "tokenarium_core"), names)
    assert names["ids"] == made["safe_ids"]
    refused = terminal.invoke(app, [*arguments, "--program", "tiktoken"])
    assert refused.exit_code == 1
    assert "choose transformers or tokenizers or tokenarium_core" in refused.stderr.replace(
        "\n", " "
    )


@pytest.mark.slow
def test_a_variable_may_be_given_by_var(terminal: CliRunner, model: Path, tmp_path: Path) -> None:
    own = write_file(tmp_path / "own.jinja", "{{ today }}!")
    options = ["--template", str(own), "--var", 'today="now"', "--text"]
    assert run(terminal, "chat", str(model), *options) == "now!"
