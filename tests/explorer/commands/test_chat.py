"""``tokenarium chat``: messages by a template, and the tokens of each role."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
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
def terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> CliRunner:
    monkeypatch.setenv("TOKENARIUM_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "160")
    return CliRunner()


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model that writes turns as Llama 3 does."""
    folder = tmp_path / "model"
    folder.mkdir()
    trained = tc.train(
        "bpe", ["user system assistant"] * 5, vocab_size=290, special_tokens=list(HEADERS)
    )
    trained.save(folder / "tokenizer.json", format="huggingface")
    settings = {"bos_token": HEADERS[0], "chat_template": TEMPLATE}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return folder


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
    found = terminal.invoke(app, ["chat", str(model), *arguments, "--no-prompt", "--json"])
    assert found.exit_code == 0, found.output
    made = json.loads(found.stdout)
    assert made["ids"] == wanted
    assert sum(one["tokens"] for one in made["roles"]) == made["tokens"] == len(wanted)
    assert made["broken"] == []
    table = terminal.invoke(app, ["chat", str(model), *arguments, "--show"]).stdout
    assert "generation prompt" in table
    assert "<|eot_id|>" in table
    text = terminal.invoke(app, ["chat", str(model), *arguments, "--no-prompt", "--text"])
    assert text.stdout == (
        "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nBe short.<|eot_id|>"
        "<|start_header_id|>user<|end_header_id|>\n\nHello<|eot_id|>"
    )


def test_messages_of_a_file_and_another_template(
    terminal: CliRunner, model: Path, tmp_path: Path
) -> None:
    chat = tmp_path / "chat.json"
    messages = [{"role": "user", "content": "Hi"}]
    chat.write_text(json.dumps({"messages": messages}))
    own = tmp_path / "own.jinja"
    own.write_text("{% for m in messages %}[{{ m.role }}] {{ m.content }}{% endfor %}")
    found = terminal.invoke(
        app, ["chat", str(model), "-f", str(chat), "--template", str(own), "--text"]
    )
    assert found.stdout == "[user] Hi"
    started = terminal.invoke(
        app, ["chat", "tokenarium-8k", "user:Hi", "--name", "ChatML", "--json"]
    )
    assert json.loads(started.stdout)["broken"] == ["<|im_start|>", "<|im_end|>"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["Hello"], "is no message"),
        (["user:Hi", "--name", "none"], "There is no template 'none'"),
        (["--file", "wrong.json"], "wrong.json"),
        (["user:Hi", "--template", "refuses.jinja"], "no such role"),
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
