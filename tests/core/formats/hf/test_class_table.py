"""Every tokenizer class of transformers: what reads it, or that it is refused by its name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tokenarium_core as tc
from tokenarium_core.errors import TokenariumError
from tokenarium_core.formats.hf.hf_class_data import CLASSES
from tokenarium_core.formats.hf.hf_slow_basic import BASIC_FILES
from tokenarium_core.formats.hf.hf_slow_characters import CHARACTER_CLASSES
from tokenarium_core.formats.hf.hf_slow_classes import (
    PAIR_CLASSES,
    SENTENCEPIECE_FILES,
    WORDPIECE_CLASSES,
)
from tokenarium_core.formats.hf.hf_slow_folder import OWN_CLASSES
from tokenarium_core.formats.hf.hf_slow_languages import OTHER_PIECE_FILES
from tokenarium_core.formats.hf.hf_slow_media import MEDIA_PIECE_FILES
from tokenarium_core.formats.hf.hf_slow_named import NAMED_FILES
from tokenarium_core.formats.hf.hf_slow_pairs import OTHER_PAIR_CLASSES
from tokenarium_core.formats.hf.hf_slow_parts import PART_FILES
from tokenarium_core.formats.hf.hf_slow_words import OTHER_WORD_CLASSES

READ = [
    *SENTENCEPIECE_FILES,
    *OTHER_PIECE_FILES,
    *MEDIA_PIECE_FILES,
    *WORDPIECE_CLASSES,
    *OTHER_WORD_CLASSES,
    *PAIR_CLASSES,
    *OTHER_PAIR_CLASSES,
    *NAMED_FILES,
    *PART_FILES,
    *BASIC_FILES,
    *CHARACTER_CLASSES,
    *OWN_CLASSES,
    "Wav2Vec2CTCTokenizer",
]

NOT_READ = {
    # class: a file that a folder has
    "BioGptTokenizer": "vocab.json",
    "ClvpTokenizer": "vocab.json",
    "CpmAntTokenizer": "vocab.txt",
    "CpmTokenizer": "spiece.model",
    "DiaTokenizer": "",
    "FSMTTokenizer": "vocab-src.json",
    "FastSpeech2ConformerTokenizer": "vocab.json",
    "FlaubertTokenizer": "vocab.json",
    "GPTNeoXJapaneseTokenizer": "vocab.txt",
    "MyT5Tokenizer": "byte_maps.json",
    "Pop2PianoTokenizer": "vocab.json",
    "Qwen3_5Tokenizer": "vocab.json",  # it reads a tokenizer.json only
    "RagTokenizer": "",
    "RoFormerTokenizer": "vocab.txt",
    "TapasTokenizer": "vocab.txt",
    "Wav2Vec2PhonemeCTCTokenizer": "vocab.json",
    "XLMTokenizer": "vocab.json",
}
"""Refused by name."""

PARTS = (
    "BasicTokenizer",
    "CharacterTokenizer",
    "MecabTokenizer",
    "WordpieceTokenizer",
    "PythonBackend",
)
"""Names that are no class of a folder."""


def test_every_class_is_read_or_refused() -> None:
    assert len(set(READ)) == len(READ)
    assert not NOT_READ.keys() & set(READ)
    assert {*READ, *NOT_READ, *PARTS} == CLASSES.keys()


@pytest.mark.parametrize("kind", NOT_READ)
def test_refused_by_name(tmp_path: Path, kind: str) -> None:
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": kind}))
    name = NOT_READ[kind]
    if name:
        (tmp_path / name).write_text("[UNK]\na\n" if name == "vocab.txt" else '{"a": 0, "b": 1}')
    if name == "vocab.json":
        (tmp_path / "merges.txt").write_text("#version: 0.2\n")
    with pytest.raises(TokenariumError, match=kind) as refused:
        tc.open(tmp_path)
    assert str(refused.value).endswith(".")
