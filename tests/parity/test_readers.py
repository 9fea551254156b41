"""The rules of readers beside the programs themselves: kinds of files, classes and settings.

The programs of other versions than the installed ones are those of ``packaging/compare_readers.py``.
"""

from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tokenizers")
sentencepiece = pytest.importorskip("sentencepiece")

from hf_models import CORPUS, KINDS, SAMPLES  # noqa: E402
from reader_programs import PROGRAMS, Program, is_there, mismatch  # noqa: E402
from tekken_files import tekken  # noqa: E402

import tokenarium_core as tc  # noqa: E402
from tokenarium_core.comparing.readers.readers import READERS  # noqa: E402

pytestmark = pytest.mark.slow

TEXTS = [
    *SAMPLES,
    "Polish <sep> b <ent> x",
    "a<mask> b",
    "A B",
    "<extra_id_3> x",
    "[CLS] <extra_token>",
    "İstanbul ①② x²  \n\n 12345",
    "<|endoftext|> <|pad|>",
]
CLASSES = [
    "GPT2Tokenizer",
    "GPT2TokenizerFast",
    "Qwen2Tokenizer",
    "RobertaTokenizer",
    "BartTokenizer",
    "LlamaTokenizer",
    "LlamaTokenizerFast",
    "CodeLlamaTokenizer",
    "GemmaTokenizer",
    "BertTokenizer",
    "DistilBertTokenizer",
    "ElectraTokenizerFast",
    "MPNetTokenizer",
    "FunnelTokenizer",
    "T5Tokenizer",
    "XLMRobertaTokenizer",
    "AlbertTokenizer",
    "CamembertTokenizer",
    "DebertaV2Tokenizer",
    "XLNetTokenizer",
    "GPTNeoXTokenizer",
    "CohereTokenizer",
    "CLIPTokenizer",
    "PreTrainedTokenizerFast",
    "TokenizersBackend",
    "BloomTokenizerFast",
    "CodeGenTokenizer",
    "DebertaTokenizer",
    "NoSuchTokenizer",
]
ENT = {"content": "<ent>", "lstrip": True, "rstrip": False, "normalized": False, "single_word": False, "special": True}  # fmt: skip
SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"add_prefix_space": True},
    {"do_lower_case": False, "sep_token": "<sep>", "bos_token": "<s>"},
    {"added_tokens_decoder": {"5": ENT}, "eos_token": "<ent>"},
    {"additional_special_tokens": ["<extra_token>"], "add_bos_token": True, "bos_token": "<|endoftext|>"},
    {"extra_special_tokens": ["<extra_token>"]},
)  # fmt: skip
UNKNOWN = (
    "LlamaTokenizerFast converts",
    "T5TokenizerFast converts",
    "puts the id",  # of a token that the settings leave out
)
"""What is not known begins like this, or has this in it, and nothing else."""

SPM: tuple[tuple[str, dict[str, Any]], ...] = (
    ("unigram", {}),
    ("unigram", {"byte_fallback": True}),
    ("unigram", {"user_defined_symbols": ["<extra>", "ab", " c"]}),
    ("unigram", {"user_defined_symbols": ["▁▁", "aa"], "remove_extra_whitespaces": False}),
    ("bpe", {"byte_fallback": True}),
    ("char", {}),
)


@pytest.fixture(scope="module")
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:  # fmt: skip
    reader = next(one for one in READERS if one.name == request.param)
    made = Program(reader, tmp_path_factory.mktemp("home"))
    yield made
    made.close()


@cache
def whole(kind: str) -> bytes:
    """Returns the `tokenizer.json` of a kind."""
    made: str = KINDS[kind](CORPUS).to_str()
    return made.encode()


@cache
def model_of(number: int) -> bytes:
    """Returns a SentencePiece model, of text with runs of one character."""
    kind, options = SPM[number]
    lines = [line for text in CORPUS for line in text.splitlines() if line]
    lines += [mark * count for mark in "!?.-=a" for count in range(1, 9)] * 20
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=out, model_type=kind, vocab_size=500,
        hard_vocab_limit=False, minloglevel=2, character_coverage=0.98, **options,
    )  # fmt: skip
    return out.getvalue()


def agrees(found: str) -> bool:
    """Returns whether a mismatch is none, or something that is said to be not known."""
    return not found or (found.startswith("not known") and any(one in found for one in UNKNOWN))


def of(*groups: str) -> pytest.MarkDecorator:
    """Returns the mark of a test of all versions of some programs."""
    names = [one.name for one in READERS if one.group in groups]
    return pytest.mark.parametrize("program", names, indirect=True, scope="module")


SHARE = 1 if PROGRAMS in os.environ else 7
"""Of so many pairs of a kind and a class, one is tried where only what is installed for all tests is there."""

PAIRS = [(kind, kept) for kind in KINDS for kept in CLASSES][::SHARE]
FOLDERS = [
    (one.name, kind, kept)
    for one in READERS
    if one.group == "transformers"
    for kind, kept in (PAIRS if is_there(one) else PAIRS[:1])
]


@of("tokenizers")
@pytest.mark.parametrize("kind", list(KINDS))
def test_each_kind_of_tokenizer_json(program: Program, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(whole(kind))
    assert mismatch(program, tc.open(path), path, TEXTS) == ""


@pytest.mark.parametrize(("program", "kind", "kept"), FOLDERS, indirect=["program"], scope="module")
def test_each_class_and_setting(program: Program, tmp_path: Path, kind: str, kept: str) -> None:
    (tmp_path / "tokenizer.json").write_bytes(whole(kind))
    wrong = {}
    for settings in SETTINGS:
        config = {**settings, "tokenizer_class": kept}
        (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
        found = mismatch(program, tc.open(tmp_path), tmp_path, TEXTS)
        if not agrees(found):
            wrong[str(settings)] = found
    assert not wrong


@of("sentencepiece", "mistral-common")
@pytest.mark.parametrize("number", range(len(SPM)))
def test_sentencepiece_models(program: Program, tmp_path: Path, number: int) -> None:
    path = tmp_path / "tokenizer.model"
    path.write_bytes(model_of(number))
    runs = [
        first * count + second * more
        for first in "!?.-=a"
        for second in " !a"
        for count in range(1, 20, 3)
        for more in range(0, 8, 2)
    ]
    assert mismatch(program, tc.open(path), path, TEXTS + runs) == ""


@of("transformers")
@pytest.mark.parametrize("number", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("config", [
    {"tokenizer_class": "PreTrainedTokenizerFast"},
    {"tokenizer_class": "PreTrainedTokenizerFast", "legacy": False, "add_bos_token": True},
    {"tokenizer_class": "SomeTokenizer", "added_tokens_decoder": {"5": ENT}},
    {"tokenizer_class": "LlamaTokenizer"},
    {"tokenizer_class": "GemmaTokenizer"},
])  # fmt: skip
def test_folders_with_a_sentencepiece_model(
    program: Program, tmp_path: Path, number: int, config: dict[str, Any]
) -> None:
    if program.reader.version.startswith("4."):
        pytest.skip("transformers 4 converts a vocabulary by other code")
    (tmp_path / "tokenizer.model").write_bytes(model_of(number))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    try:
        tokenizer = tc.open(tmp_path)
    except tc.FormatError:
        pytest.skip("such a folder is not opened")
    more = [
        "  a  b  ",
        " ▁a",
        "▁",
        "a<extra>b ab c",
        "<s> x</s> <pad><ent> y",
        "!!!!!! ....",
        "\n x \n",
    ]
    assert mismatch(program, tokenizer, tmp_path, TEXTS + more) == ""


@of("mistral-common")
def test_tekken_files(program: Program, tmp_path: Path) -> None:
    path = tmp_path / "tekken.json"
    path.write_text(json.dumps(tekken()))
    assert mismatch(program, tc.open(path), path, TEXTS) == ""


@of("tiktoken")
@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_encodings_of_tiktoken(program: Program, name: str) -> None:
    try:
        tokenizer = tc.open(name)
    except tc.NotAvailable:
        pytest.skip(f"{name} is not in tiktoken's cache")
    assert mismatch(program, tokenizer, Path(name), TEXTS) == ""


@of("transformers")
@pytest.mark.parametrize(("file", "kept"), [
    ("gemma3-tokenizer.json", "GemmaTokenizer"),
    ("o200k_base", "GPT2Tokenizer"),
    ("cl100k_base", "Qwen2Tokenizer"),
    ("cl100k_base", "LlamaTokenizerFast"),
    ("gpt2", "PreTrainedTokenizerFast"),
])  # fmt: skip
def test_published_vocabularies(
    program: Program, tmp_path: Path, data: Path, file: str, kept: str
) -> None:
    whole = tmp_path / "tokenizer.json"
    if file.endswith(".json"):
        shutil.copy(data / "tokenizers" / file, whole)
    else:
        try:
            tc.open(file).save(whole)
        except tc.NotAvailable:
            pytest.skip(f"{file} is not in tiktoken's cache")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": kept}))
    found = mismatch(program, tc.open(tmp_path), tmp_path, TEXTS)
    assert agrees(found), found


@of("sentencepiece", "mistral-common")
@pytest.mark.parametrize("file", ["gemma3.model", "mistral-v3.model"])
def test_published_models(program: Program, data: Path, file: str) -> None:
    path = data / "tokenizers" / file
    assert mismatch(program, tc.open(path), path, TEXTS) == ""
