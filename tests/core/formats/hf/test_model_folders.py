"""Folders of models in slow form: what is refused, in which words, and what is reported about the others."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import sentencepiece_models

import tokenarium_core as tc
from tokenarium_core.details import CHANGED, GONE
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.hf.hf_slow_classes import merges_of
from tokenarium_core.formats.hf.hf_slow_settings import SlowSettings, class_for

MODEL = sentencepiece_models.trained("bpe", 300, character_coverage=0.98)
WORDS = b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nhello\n##o\n"


def folder(path: Path, settings: object, file: str = "tokenizer.model", **files: object) -> Path:
    """Writes a folder with a vocabulary and its settings."""
    (path / file).write_bytes(WORDS if file == "vocab.txt" else MODEL)
    for name, content in {"tokenizer_config": settings, **files}.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (path / f"{name}.json").write_text(text, "utf-8")
    return path


def settings_of(tokenizer: tc.Tokenizer) -> dict[str, str]:
    """Returns what is reported about the settings of a folder."""
    return {row.name: row.value for row in tokenizer.details if row.group == "model folder"}


Case = tuple[str, object, dict[str, Any], str]

REFUSED: list[Case] = [
    (
        "a class that is not run",
        {"tokenizer_class": "Qwen3_5Tokenizer"},
        {},
        "Qwen3_5Tokenizer, the tokenizer class for .*not one",
    ),
    ("its model", {}, {"config": {"model_type": "qwen3_5"}}, "Qwen3_5Tokenizer, the .*model_type qwen3_5"),
    (
        "another file",
        {"tokenizer_class": "LlamaTokenizer"},
        {"file": "vocab.txt"},
        "reads tokenizer.model.*has vocab.txt",
    ),
    ("its own code", {"tokenizer_class": "Own", "auto_map": {"AutoTokenizer": ["own.Own", None]}}, {}, "auto_map"),
    ("a flag", {"tokenizer_class": "LlamaTokenizer", "legacy": "no"}, {}, "legacy is 'no', not true or false"),
    (
        "a token",
        {"tokenizer_class": "LlamaTokenizer", "eos_token": {"content": "x"}},
        {},
        "eos_token is .*not a token",
    ),
    ("tokens", {"tokenizer_class": "LlamaTokenizer", "extra_special_tokens": [4]}, {}, "extra_special_tokens"),
    ("a number", {"tokenizer_class": "T5Tokenizer", "extra_ids": 1e9}, {}, "extra_ids is .*whole number"),
    (
        "a decoder",
        {"tokenizer_class": "LlamaTokenizer", "added_tokens_decoder": {"x": {}}},
        {},
        "added_tokens_decoder",
    ),
    ("an id", {"tokenizer_class": "LlamaTokenizer"}, {"added_tokens": {"<x>": -1}}, "id of '<x>' is -1"),
    ("a repair", {"tokenizer_class": "LlamaTokenizer", "fix_mistral_regex": True}, {}, "fix_mistral_regex"),
    ("a vocabulary", {"tokenizer_class": "LlamaTokenizer", "vocab": {}}, {}, "vocab is 'set'"),
    ("no JSON", "{", {}, "tokenizer_config.json of .* is not complete JSON"),
    ("not an object", [1], {}, "is .*not an object"),
    (
        "a strange token around a text",
        {"tokenizer_class": "LlamaTokenizer", "bos_token": "a b", "add_bos_token": True},
        {},
        "'a b' around a text",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("config", "files", "sentence"),
    [case[1:] for case in REFUSED],
    ids=[case[0] for case in REFUSED],
)
def test_refused_by_name(
    tmp_path: Path, config: object, files: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(FormatError, match=sentence) as raised:
        tc.open(folder(tmp_path, config, **files))
    assert str(raised.value).endswith(".")


def test_settings_are_listed(tmp_path: Path) -> None:
    config = {
        "tokenizer_class": "LlamaTokenizer",
        "legacy": False,
        "add_bos_token": True,
        "eos_token": "</nope>",
        "padding_side": "left",
        "chat_template": "x",
    }
    opened = tc.open(folder(tmp_path, config, config={"model_type": "llama"}))
    said = settings_of(opened)
    assert "LlamaTokenizer of transformers 5" in said["class"]
    assert set(said["applied"].split(", ")) == {"legacy", "add_bos_token", "eos_token"}
    assert said["changes no id in this class"] == "padding_side"
    assert opened.source.format == "model folder"
    assert opened.special_tokens["</nope>"] == 300
    names = ["tokenizer.model", "tokenizer_config.json", "config.json"]
    assert [file.name for file in opened.source.files] == names


def test_settings_without_a_say_are_listed(tmp_path: Path) -> None:
    config = {"tokenizer_class": "BertTokenizer", "add_bos_token": True, "do_lower_case": False}
    said = settings_of(tc.open(folder(tmp_path, config, "vocab.txt")))
    assert said["applied"] == "do_lower_case"
    assert said["changes no id in this class"] == "add_bos_token"


def test_a_file_by_itself_is_as_it_was(tmp_path: Path) -> None:
    path = folder(tmp_path, {"tokenizer_class": "LlamaTokenizer", "eos_token": "</nope>"})
    opened = tc.open(path / "tokenizer.model")
    reference = sentencepiece_models.reference(MODEL)
    for line in sentencepiece_models.LINES:
        assert opened.encode_ids(line) == reference.encode(line)
    said = settings_of(opened)["not applied"]
    assert "eos_token" in said
    assert "open the folder" in said
    (path / "tokenizer_config.json").unlink()
    assert settings_of(tc.open(path / "tokenizer.model")) == {}
    assert tc.open(path).source.format == "sentencepiece"


def test_advice_about_a_folder_does_not_lead_back_to_it(tmp_path: Path) -> None:
    """As the folders of ChatGLM: a class of their own, with or without the code, and a vocabulary of another name."""
    code = {"auto_map": {"AutoTokenizer": ["tokenization_chatglm.ChatGLMTokenizer", None]}}
    for settings, refused in (
        ({}, "reads tokenizer.model"),
        (code, "ChatGLMTokenizer, by auto_map"),
    ):
        path = folder(tmp_path, {"tokenizer_class": "ChatGLMTokenizer", **settings})
        model = path / "tokenizer.model"
        other = model.rename(path / "ice_text.model")
        with pytest.raises(tc.FormatError, match=refused):
            tc.open(path)
        said = settings_of(tc.open(other))["not applied"]
        assert "the ids are those of ice_text.model alone" in said
        assert "open the folder" not in said
        other.unlink()
        with pytest.raises(tc.FormatError, match=r"ChatGLMTokenizer") as error:
            tc.open(path)
        assert "or several" in str(error.value)
        (path / "tokenizer_config.json").unlink()


@pytest.mark.slow
def test_it_is_kept_and_made_again_when_a_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tokenarium_core import tokenizer_cache

    cache = tmp_path / "cache"
    path = tmp_path / "model"
    path.mkdir()
    model = sentencepiece_models.message(
        [*sentencepiece_models.SMALL, *[(f"▁{n:05}x", -3.0, 1) for n in range(60_000)]], 2
    ).SerializeToString()
    folder(path, {"tokenizer_class": "LlamaTokenizer"})
    (path / "tokenizer.model").write_bytes(model)
    if not tokenizer_cache.is_worth_caching(path / "tokenizer.model"):
        pytest.fail("the model is too small for the cache")
    text = "ab ▁00001x<x>"
    first = tc.open(path, cache=cache)
    assert len(list(cache.iterdir())) == 1
    again = tc.open(path, cache=cache)
    assert settings_of(again) == settings_of(first)
    assert again.encode_ids(text) == first.encode_ids(text)
    assert [file.name for file in again.source.files] == [file.name for file in first.source.files]
    (path / "added_tokens.json").write_text('{"<x>": 70000}', "utf-8")
    changed = tc.open(path, cache=cache)
    assert list(changed.encode(text, special="all").ids) != list(
        first.encode(text, special="all").ids
    )


def test_digests_of_files(tmp_path: Path) -> None:
    path = folder(tmp_path, {"tokenizer_class": "LlamaTokenizer"})
    source = tc.open(path).source
    files = ("tokenizer.model", "tokenizer_config.json")
    expected = [(name, hashlib.sha256((path / name).read_bytes()).hexdigest()) for name in files]
    assert source.digests() == expected
    (path / files[1]).write_text("{}", "utf-8")
    (path / files[0]).unlink()
    assert source.digests() == [(files[0], GONE), (files[1], CHANGED)]


@pytest.mark.parametrize(
    ("named", "model_type", "found"),
    [
        ("LlamaTokenizerFast", "", "LlamaTokenizer"),
        ("ElectraTokenizer", "electra", "BertTokenizer"),
        ("LlamaTokenizer", "phi3", "TokenizersBackend"),
        ("LlamaTokenizer", "gemma", "LlamaTokenizer"),
        ("LlamaTokenizer", "no model", "LlamaTokenizer"),
        ("Unheard", "", "TokenizersBackend"),
        ("", "mt5", "T5Tokenizer"),
        ("", "", "TokenizersBackend"),
    ],
)
def test_classes(named: str, model_type: str, found: str) -> None:
    assert class_for(named, model_type, "") == found


@pytest.mark.parametrize(
    ("model", "found"),
    [
        ({"model_type": "qwen2"}, "TokenizersBackend"),
        ({}, "TokenizersBackend"),
        ({"tokenizer_class": "T5Tokenizer"}, "TokenizersBackend"),
        ({"tokenizer_class": "T5Tokenizer", "model_type": "gpt2"}, "T5Tokenizer"),
        ({"tokenizer_class": "T5Tokenizer", "model_type": "t5"}, "TokenizersBackend"),
    ],
)
def test_a_class_without_a_name(model: dict[str, str], found: str, tmp_path: Path) -> None:
    """transformers looks for a class of that name, unless the configuration names another than the model's."""
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": ""}', "utf-8")
    (tmp_path / "config.json").write_text(json.dumps(model), "utf-8")
    assert SlowSettings(tmp_path).kind == found


@pytest.mark.parametrize(
    ("config", "model", "said"),
    [
        ({"tokenizer_class": 7}, {}, "tokenizer_class is 7, not a name: transformers also refuses it"),
        ({"tokenizer_class": ["a"]}, {}, "not a name: transformers also refuses it"),
        ({}, {"model_type": None}, "model_type is null, and no file names a tokenizer_class"),
    ],
)  # fmt: skip
def test_classes_that_transformers_refuses(config: object, model: object, said: str, tmp_path: Path) -> None:  # fmt: skip
    with pytest.raises(FormatError, match=said):
        tc.open(folder(tmp_path, config, config=model))


def test_merges_of_pieces() -> None:
    assert merges_of({"a": 0, "b": 1, "aab": 3, "ab": 2}) == [("a", "b"), ("a", "ab")]
