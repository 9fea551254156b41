"""A tekken.json of every version, with what newer ones may have, compared with mistral-common itself.

mistral-common holds numpy below 2.4 with Python 3.12 and earlier; without it these tests are skipped.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from tekken_files import PIECES, tekken

import tokenarium_core as tc

common = pytest.importorskip(
    "mistral_common.tokens.tokenizers.tekken", reason="mistral-common is not installed"
)

AUDIO = {
    "sampling_rate": 16000,
    "frame_rate": 12.5,
    "audio_encoding_config": {"num_mel_bins": 128, "hop_length": 160, "window_size": 400},
    "chunk_length_s": 30.0,
}
IMAGE = {"image_patch_size": 14, "max_image_size": 1540, "spatial_merge_size": 2}
STREAMING = {
    **AUDIO,
    "chunk_length_s": None,
    "transcription_format": "streaming",
    "transcription_delay_ms": 480,
    "streaming_look_ahead_ms": 2.5,
    "streaming_look_back_ms": 52.5,
    "streaming_n_left_pad_tokens": 32,
}
SETTINGS = {
    "reasoning_effort": {
        "type": "enum",
        "values": ["none", "high"],
        "accepts_none": True,
        "default": "none",
    }
}
LISTED = ["<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[IMG]", "[AUDIO]", "[BEGIN_AUDIO]", "<pad>"]
TEXTS = [
    "", " low lower LOW", "don't 12345 ½", "é e\u0301 नमस्ते 日本語 مرحبا", "😀👩‍👩‍👧 \u200b", "a\r\n\r\n  b\t\n ",
    "\0 \ufeff \u3000\u0085", "<s>[INST] low [/INST]</s><SPECIAL_20>", "İĲß HTTPServer camelCase",
]  # fmt: skip
VERSIONS: list[tuple[str, dict[str, Any]]] = [
    ("v3", {}),
    ("v7", {"multimodal": IMAGE}),
    ("v7", {"special_tokens": None}),
    ("v11", {"special_tokens": LISTED, "multimodal": IMAGE, "audio": AUDIO}),
    ("v11", {"special_tokens": LISTED, "image": IMAGE}),
    ("v13", {"special_tokens": LISTED, "image": IMAGE, "audio": AUDIO}),
    ("v15", {"special_tokens": LISTED, "image": IMAGE, "model_settings_builder": SETTINGS}),
    (
        "v15",
        {
            "special_tokens": LISTED,
            "audio": STREAMING,
            "image": IMAGE,
            "model_settings_builder": SETTINGS,
        },
    ),
    ("v15", {"special_tokens": []}),
]


def written(path: Path, version: str, more: dict[str, Any]) -> Path:
    """Writes a file of a version, and returns its path."""
    file = tekken(version=version)
    for name, value in more.items():
        if name == "special_tokens" and value is not None:
            value = [
                {"rank": rank, "token_str": text, "is_control": True}
                for rank, text in enumerate(value)
            ]
        file[name] = value
    path.write_text(json.dumps(file), "utf-8")
    return path


@pytest.mark.parametrize(("version", "more"), VERSIONS)
def test_versions(tmp_path: Path, version: str, more: dict[str, Any]) -> None:
    path = written(tmp_path / "tekken.json", version, more)
    reference = common.Tekkenizer.from_file(path)
    tokenizer = tc.open(path)
    assert len(tokenizer.vocabulary) == reference.n_words
    chance = random.Random(version)
    letters = ["".join(chance.choices(" lowerLÉé1\n'", k=20)) for _ in range(30)]
    for text in [*TEXTS, *letters]:
        ids = reference.encode(text, bos=False, eos=False)
        assert tokenizer.encode_ids(text) == ids, text
        assert tokenizer.decode(ids) == reference.decode(ids) == text
        if tokenizer.template is not None:
            assert tokenizer.encode_ids(text, template=True) == reference.encode(text, True, False)
    special = {text: reference.get_special_token(text) for text in tokenizer.special_tokens}
    assert tokenizer.special_tokens == special
    assert len(special) == reference.num_special_tokens
    for _ in range(50):
        ids = chance.choices(range(reference.n_words), k=12)
        assert tokenizer.decode(ids) == reference.decode(ids)


@pytest.mark.parametrize(
    ("version", "more"),
    [
        ("v11", {}),
        ("v15", {"special_tokens": None}),
        ("v13", {"special_tokens": ["<unk>", "<unk>"]}),
        ("v13", {"special_tokens": [f"<{id}>" for id in range(25)]}),
        ("v13", {"special_tokens": LISTED, "vocab": tekken()["vocab"][: 256 + len(PIECES) - 2]}),
    ],
)
def test_what_neither_reads(tmp_path: Path, version: str, more: dict[str, Any]) -> None:
    path = written(tmp_path / "tekken.json", version, more)
    with pytest.raises((AssertionError, ValueError)):
        common.Tekkenizer.from_file(path)
    with pytest.raises(tc.FormatError):
        tc.open(path)
