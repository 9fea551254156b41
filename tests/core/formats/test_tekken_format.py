"""Mistral's tekken.json: as mistral-common reads it, and files with one fault each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tekken_files import tekken

import tokenarium_core as tc


def opened(file: object, folder: Path) -> tc.Tokenizer:
    path = folder / "tekken.json"
    path.write_text(json.dumps(file), "utf-8")
    return tc.open(path)


def test_ids_begin_after_the_special_tokens(tmp_path: Path) -> None:
    tokenizer = opened(tekken(), tmp_path)
    assert tokenizer.pre_tokenizer.name == "tekken"
    assert len(tokenizer.vocabulary) == 24 + 256 + 8
    assert tokenizer.encode_ids("lower low1") == [24 + 260, 24 + 262, 24 + ord("1")]
    assert tokenizer.encode_ids("11") == [24 + ord("1")] * 2
    assert tokenizer.special_tokens["[INST]"] == 3
    assert tokenizer.special_tokens["<SPECIAL_23>"] == 23
    ids = list(tokenizer.encode("[INST]low[/INST]", special="all", template=True).ids)
    assert ids == [1, 3, 24 + 258, 4]
    assert tokenizer.decode(ids) == "low"
    assert tokenizer.source.format == "tekken"
    assert ("config", "version", "v3") in [
        (detail.group, detail.name, detail.value) for detail in tokenizer.details
    ]
    split = [24 + 0xC3, 1, 24 + 0xA9]
    assert tokenizer.decode(split) == "\ufffd\ufffd"
    assert tokenizer.decode([24 + 0xC3, 24 + 0xA9]) == "é"
    assert tc.open(tmp_path).encode_ids("low") == [24 + 258]


def test_special_tokens_of_newer_files(tmp_path: Path) -> None:
    file = tekken(version="v13")
    with pytest.raises(tc.FormatError, match="'special_tokens' is missing, which only files up to"):
        opened(file, tmp_path)
    file["special_tokens"] = [
        {"rank": 0, "token_str": "<unk>", "is_control": True},
        {"rank": 1, "token_str": "<s>", "is_control": True},
        {"rank": 2, "token_str": "[THINK]", "is_control": False},
    ]
    tokenizer = opened(file, tmp_path)
    assert tokenizer.special_tokens["[THINK]"] == 2
    assert tokenizer.special_tokens["<SPECIAL_3>"] == 3
    assert "[INST]" not in tokenizer.special_tokens


def test_a_pattern_of_its_own(tmp_path: Path) -> None:
    tokenizer = opened(tekken(pattern=r"[a-z]+|[^a-z]+"), tmp_path)
    assert tokenizer.encode_ids(" low") == [24 + 32, 24 + 258]
    with pytest.raises(tc.PatternError):
        opened(tekken(pattern="("), tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"config": []}, "no field 'config'"),
        ({"vocab": {}}, "no field 'vocab'"),
        ({"config": {"pattern": 1}}, "no field 'pattern'"),
        ({"config": {"pattern": "a"}}, "the field 'default_vocab_size' is None, not a count"),
        ({"special_tokens": {}}, "no field 'special_tokens'"),
        ({"special_tokens": [1]}, "entry 0 of the field 'special_tokens' does not have the rank 0"),
        (
            {"special_tokens": [{"rank": 1, "token_str": "x"}]},
            "entry 0 of the field 'special_tokens'",
        ),
        (
            {"special_tokens": [{"rank": rank, "token_str": "x"} for rank in range(2)]},
            "special tokens 0 and 1 are both 'x'",
        ),
        (
            {"special_tokens": [{"rank": rank, "token_str": str(rank)} for rank in range(25)]},
            "has 25 special tokens, and 'default_num_special_tokens' has room for 24",
        ),
        ({"vocab": []}, "'vocab' has 0 entries, and 264 are needed"),
        ({"vocab": [1] * 300}, "entry 0 of the field 'vocab' does not have the rank 0"),
        ({"vocab": [{"rank": 0, "token_bytes": "?"}] * 300}, "entry 0 .* has no bytes in base64"),
        ({"vocab": [{"rank": 0, "token_bytes": "AQ=="}] * 300}, "entry 0 .* the first 256 must be"),
    ],
)
def test_files_with_a_fault(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(tc.FormatError, match=message):
        opened({**tekken(), **change}, tmp_path)


def test_counts_with_a_fault(tmp_path: Path) -> None:
    for name in ("default_vocab_size", "default_num_special_tokens"):
        for count in (-1, 1 << 40, True, "1", None):
            with pytest.raises(tc.FormatError, match=f"the field '{name}' is"):
                opened(tekken(**{name: count}), tmp_path)
    with pytest.raises(tc.FormatError, match="more than the 10 of 'default_vocab_size'"):
        opened(tekken(default_vocab_size=10), tmp_path)


def test_special_tokens_that_begin_alike_are_named(tmp_path: Path) -> None:
    """mistral-common looks for none in a text; a text with them is ours, and takes the longest."""
    file = tekken(version="v13")
    assert not [row for row in opened(tekken(), tmp_path).details if row.name == "not exact"]
    file["special_tokens"] = [
        {"rank": rank, "token_str": text, "is_control": True}
        for rank, text in enumerate(("<unk>", "<s>", "<a>", "<a>b"))
    ]
    tokenizer = opened(file, tmp_path)
    (said,) = [row.value for row in tokenizer.details if row.name == "not exact"]
    assert "'<a>b' begins with '<a>'" in said
    assert "mistral-common" in said
    assert list(tokenizer.encode("<a>b<a>", special="all").ids) == [3, 2]
    plain = tokenizer.encode_ids("<a>b")
    assert plain == [24 + byte for byte in b"<a>b"]
