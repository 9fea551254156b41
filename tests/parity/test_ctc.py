"""The characters of models of speech against ``Wav2Vec2CTCTokenizer`` of transformers."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from other_files import ctc_vocabulary

import tokenarium_core as tc
from tokenarium_core.formats.ctc_format import read_ctc

transformers = pytest.importorskip("transformers")
PIECES = ["E", "T", "l", "o", "é", " ", " ", "|", "x", "\n", "☃", "<s>", "<pad>", " </s> ", "<unk>"]


def opened(folder: Path, content: bytes, **names: str) -> tuple[tc.Tokenizer, Any]:
    (folder / "vocab.json").write_bytes(content)
    reference = transformers.Wav2Vec2CTCTokenizer(str(folder / "vocab.json"), **names)
    return tc.open(folder / "vocab.json"), reference


@pytest.mark.parametrize("seed", range(4))
def test_random_texts(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    tokenizer, reference = opened(tmp_path, ctc_vocabulary())
    for _ in range(100):
        text = "".join(chance.choices(PIECES, k=15))
        ids = tokenizer.encode_ids(text, special="all")
        assert ids == reference(text, add_special_tokens=False).input_ids
        for skips in (False, True):
            decoded = tokenizer.decode(ids, skip_special_tokens=skips)
            assert decoded == reference.decode(ids, skip_special_tokens=skips)


def test_texts_without_special_tokens(tmp_path: Path, texts: dict[str, str]) -> None:
    tokenizer, reference = opened(tmp_path, ctc_vocabulary())
    for text in texts.values():
        ids = tokenizer.encode_ids(text[:2000])
        assert ids == reference(text[:2000], add_special_tokens=False).input_ids


def test_other_names(tmp_path: Path) -> None:
    names = ("[PAD]", "[UNK]")
    tokenizer, reference = opened(
        tmp_path,
        ctc_vocabulary(names),
        pad_token=names[0],
        unk_token=names[1],
        bos_token=names[1],
        eos_token=names[1],
    )
    for text in ("low ET", "xé☃", "[PAD]l [UNK]"):
        ids = tokenizer.encode_ids(text, special="all")
        assert ids == reference(text, add_special_tokens=False).input_ids


def test_a_copy_is_the_same(tmp_path: Path) -> None:
    tokenizer, _ = opened(tmp_path, ctc_vocabulary())
    for name, format in (("x.json", "tokenarium"), ("tokenizer.json", "huggingface")):
        tokenizer.save(tmp_path / name, format)
        copy = tc.open(tmp_path / name)
        for text in ("llo  é☃x", "", "low"):
            ids = tokenizer.encode_ids(text)
            assert copy.encode_ids(text) == ids
            assert copy.decode(ids) == tokenizer.decode(ids)
        assert copy.get_vocab() == tokenizer.get_vocab()


ADDED = {"content": "<s>", "lstrip": True, "rstrip": True, "special": False, "normalized": False}


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"word_delimiter_token": "E", "replace_word_delimiter_char": "_"},
        {"bos_token": "<bos>", "eos_token": "<eos>", "additional_special_tokens": ["<new>"]},
        {"added_tokens_decoder": {"1": ADDED}, "unk_token": "<unk>"},
        {"target_lang": "fra"},
    ],
)
def test_folders(tmp_path: Path, settings: dict[str, Any]) -> None:
    content = ctc_vocabulary()
    if "target_lang" in settings:
        content = json.dumps({"eng": {}, "fra": json.loads(content)}).encode()
    (tmp_path / "vocab.json").write_bytes(content)
    config = {"tokenizer_class": "Wav2Vec2CTCTokenizer", **settings}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    reference = transformers.AutoTokenizer.from_pretrained(tmp_path)
    tokenizer = tc.open(tmp_path)
    chance = random.Random(5)
    for _ in range(100):
        text = "".join(chance.choices([*PIECES, "<bos>", " <eos> ", "<new>", "lower"], k=15))
        ids = tokenizer.encode_ids(text, special="all")
        assert ids == reference(text, add_special_tokens=False).input_ids, text
        assert tokenizer.encode_ids(text, special="all", template=True) == reference(text).input_ids
        for skips in (False, True):
            decoded = tokenizer.decode(ids, skip_special_tokens=skips)
            assert decoded == reference.decode(ids, skip_special_tokens=skips)
    assert len(tokenizer.vocabulary) == len(reference)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"do_lower_case": True}, "do_lower_case is set"),
        ({"unk_token": "<none>"}, "no entry '<none>'"),
        ({"target_lang": "xyz"}, "target_lang"),
        ({"word_delimiter_token": None}, "word_delimiter_token"),
    ],
)
def test_refused_folders(tmp_path: Path, settings: dict[str, Any], said: str) -> None:
    (tmp_path / "vocab.json").write_bytes(ctc_vocabulary())
    config = {"tokenizer_class": "Wav2Vec2CTCTokenizer", **settings}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    with pytest.raises(tc.FormatError, match=said):
        tc.open(tmp_path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"E": "x"}, "the entry 'E' has the id 'x'"),
        ({"E": -1}, "the entry 'E' has the id -1"),
        ({"E": 1 << 40}, "the entry 'E' has the id 1099511627776"),
        ({"E": 4}, "the entries '|' and 'E' both have the id 4"),
        ({"": 99}, "the entry '' has the id 99"),
        ({"<unk>": None}, "or none of <unk>, [UNK]"),
    ],
)
def test_what_is_wrong_is_said(change: dict[str, Any], said: str) -> None:

    entries = {**json.loads(ctc_vocabulary()), **change}
    content = json.dumps({one: id for one, id in entries.items() if id is not None}).encode()
    with pytest.raises(tc.FormatError) as refused:
        read_ctc(content, "vocab.json", "x")
    assert said in str(refused.value)


@pytest.mark.parametrize(
    "content",
    [b'{"|": 0', b'{"low": 0, "|": 1}', b'{"|": "a", "b": "c"}'],
)
def test_what_only_looks_like_it_is_not_certain(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "words.json").write_bytes(content)
    with pytest.raises(tc.FormatError):
        tc.open(tmp_path / "words.json")
