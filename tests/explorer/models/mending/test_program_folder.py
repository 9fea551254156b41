"""A folder for several programs: each of them, run on it, gives the ids of the tokenizer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
import tiktoken.load
from command_line import command
from differing_pairs import fields_of
from tokenizers import Tokenizer
from transformers import AutoTokenizer

import tokenarium_core as tc
from tokenarium.commands.terminal import FAILED
from tokenarium.models.mending import program_folder
from tokenarium.models.mending.program_folder import write_for_programs
from tokenarium.models.release.expected_ids import usual_texts
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS

SHIPPED = {one.id: one.path for one in SHIPPED_TOKENIZERS}
TEXTS = [text for text in list(usual_texts())[::25] if text]
PLAIN = "Hello, world\n  12 34 don't \u00e9\u4e2d\n"

export = command("export")


def test_byte_level_bpe_for_three_programs(tmp_path: Path) -> None:
    tokenizer = tc.open(SHIPPED["tokenarium-8k"])
    out = tmp_path / "out"
    written = write_for_programs(tokenizer, ["transformers", "tiktoken", "tokenizers"], out, PLAIN)
    assert written.files == ("tokenizer.json", "tokenizer.pattern.json", "tokenizer.tiktoken", "tokenizer_config.json")  # fmt: skip
    assert [one.split()[0] for one in written.libraries] == ["tokenizers", "tiktoken", "transformers"]  # fmt: skip
    fast = AutoTokenizer.from_pretrained(out)
    plain = Tokenizer.from_file(str(out / "tokenizer.json"))
    pattern = json.loads((out / "tokenizer.pattern.json").read_text("utf-8"))
    ranks = tiktoken.load.load_tiktoken_bpe(str(out / "tokenizer.tiktoken"))
    encoding = tiktoken.Encoding("x", pat_str=pattern["pat_str"], mergeable_ranks=ranks, special_tokens={})  # fmt: skip
    for text in TEXTS:
        ids = tokenizer.encode_ids(text)
        assert fast(text, add_special_tokens=False).input_ids == ids
        assert plain.encode(text, add_special_tokens=False).ids == ids
        assert encoding.encode_ordinary(text) == ids
        assert fast.decode(ids) == tokenizer.decode(ids)


@pytest.mark.slow
def test_a_sentencepiece_model_for_three_programs(tmp_path: Path) -> None:
    tokenizer = tc.open(SHIPPED["unigram-8k"])
    out = tmp_path / "out"
    programs = ["sentencepiece", "transformers"]
    with pytest.raises(tc.TokenariumError, match="the copy would treat some texts differently"):
        write_for_programs(tokenizer, programs, out, PLAIN)
    assert not out.exists()
    assert list(tmp_path.iterdir()) == []
    written = write_for_programs(tokenizer, programs, out, PLAIN, allow_differences=True)
    assert any("'<unk>' has different ids" in one for one in written.differences)
    fast = AutoTokenizer.from_pretrained(out)
    model = sentencepiece.SentencePieceProcessor(model_file=str(out / "tokenizer.model"))
    for text in PLAIN.splitlines():
        ids = tokenizer.encode_ids(text)
        assert fast(text, add_special_tokens=False).input_ids == ids == model.encode(text)


def test_settings_name_only_entries(tmp_path: Path) -> None:
    """A token that is no entry would get a new id in transformers."""
    folder, out = tmp_path / "model", tmp_path / "out"
    folder.mkdir()
    (folder / "tokenizer.json").write_text(json.dumps(fields_of("llama3")), "utf-8")
    tokens = {"bos_token": "<|begin|>", "eos_token": "<|nowhere|>", "chat_template": "{{ bos_token }}x"}  # fmt: skip
    (folder / "tokenizer_config.json").write_text(json.dumps(tokens), "utf-8")
    tokenizer = tc.open(folder)
    assert len(AutoTokenizer.from_pretrained(folder)) > len(tokenizer.vocabulary)
    write_for_programs(tokenizer, ["transformers"], out, PLAIN)
    fast = AutoTokenizer.from_pretrained(out)
    assert len(fast) == len(tokenizer.vocabulary)
    assert (fast.bos_token, fast.eos_token) == ("<|begin|>", None)
    chat = [{"role": "user", "content": "a"}]
    assert fast.apply_chat_template(chat, tokenize=False) == "<|begin|>x"


def test_nothing_is_written_if_a_program_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    real = program_folder.folder_reference

    def wrong(path: Path, special: bool) -> Any:
        reference = real(path, special)
        reference.ids = lambda text: [1]  # type: ignore[method-assign]
        return reference

    monkeypatch.setattr(program_folder, "folder_reference", wrong)
    with pytest.raises(tc.TokenariumError, match=r"transformers .* gives different ids at"):
        write_for_programs(tc.open(SHIPPED["tokenarium-8k"]), ["transformers"], tmp_path / "out", PLAIN)  # fmt: skip
    assert list(tmp_path.iterdir()) == []


def test_the_command(tmp_path: Path) -> None:
    out = tmp_path / "out"
    code, said = export("tokenarium-8k", "--program", "tokenizers", "--out", out)
    assert code == 0
    assert said.startswith(f"{out}: tokenizer.json. The ids are the same on ")
    refused = [
        (("tokenarium-8k", "--program", "tokenizers", "--out", out), "is not empty"),
        (("tokenarium-8k", "--program", "tokenizers"), "Name the folder to write with --out"),
        (("tokenarium-8k", "--program", "word", "--out", "x"), "There is no program 'word'"),
        (("tokenarium-8k", "--program", "sentencepiece", "--out", "x"), "sentencepiece reads SentencePiece model, which"),
    ]  # fmt: skip
    for arguments, sentence in refused:
        code, said = export(*arguments)
        assert code == FAILED
        assert sentence in " ".join(said.split())
