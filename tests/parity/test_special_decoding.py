"""Decoding with special tokens left out or kept, as transformers does it; what is blank or NUL; streams of WordPiece."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import gguf_files
import pytest
import sentencepiece_models
import tokenizers
from small_files import saved, write_file

import tokenarium_core as tc
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS
from tokenarium_core.explaining.streaming import stream

SHIPPED = {shipped.id: shipped.path for shipped in SHIPPED_TOKENIZERS}
SPELLED = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3)]
BYTES = [(f"<0x{byte:02X}>", 0.0, 6) for byte in range(256)]
LAST = [("▁", -1.0, 1), ("a", -2.0, 1), ("▁b", -3.0, 1), ("\0", -4.0, 1), ("\u2028", -5.0, 1)]


def model(folder: Path) -> Path:
    """A SentencePiece model with a NUL piece, as some converters write it, in a folder of Llama."""
    made = sentencepiece_models.message([*SPELLED, *BYTES, *LAST], 2)
    made.trainer_spec.byte_fallback = True
    made.normalizer_spec.add_dummy_prefix = True
    made.normalizer_spec.remove_extra_whitespaces = False
    path = write_file(folder / "tokenizer.model", made.SerializeToString())
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "LlamaTokenizer"}')
    return path


def sequences(count: int, others: tuple[int, ...]) -> list[list[int]]:
    return [
        ids
        for one in range(count)
        for ids in ([one], [one, one], *([one, two] for two in others), *([two, one] for two in others))
    ]  # fmt: skip


def test_a_nul_piece_decodes_as_in_sentencepiece(tmp_path: Path) -> None:
    path = model(tmp_path)
    reference = sentencepiece_models.reference(path.read_bytes())
    tokenizer = tc.open(path)
    for ids in sequences(len(tokenizer.vocabulary), (1, 260, 261)):
        assert tokenizer.decode(ids) == reference.decode(ids)
    for text in ("a\0b", "\0", "\u2028"):
        assert tokenizer.encode_ids(text) == reference.encode(text)


@pytest.mark.skipif(
    importlib.util.find_spec("transformers") is None, reason="transformers is not installed"
)
@pytest.mark.parametrize("skip", [True, False])
def test_special_tokens_of_a_sentencepiece_model(tmp_path: Path, skip: bool) -> None:
    from transformers import AutoTokenizer

    path = model(tmp_path)
    reference = AutoTokenizer.from_pretrained(tmp_path)
    for tokenizer in (tc.open(path), tc.open(tmp_path)):
        for ids in ([1, 259, 260], [1, 261, 2], [260, 2, 261], [1], [2, 262]):
            expected = reference.decode(ids, skip_special_tokens=skip)
            assert tokenizer.decode(ids, skip_special_tokens=skip) == expected


@pytest.mark.parametrize("kind", ["byte_level", "wordpiece"])
def test_special_tokens_of_a_tokenizer_json(tmp_path: Path, kind: str) -> None:
    special = ["[UNK]", "<|a|>", "[CLS]"]
    if kind == "wordpiece":
        path = SHIPPED["wordpiece-8k"]
    else:
        trained = tc.train("bpe", ["low lower"], vocab_size=262, special_tokens=special)
        path = saved(trained, tmp_path / "x.json", format="huggingface")
    reference = tokenizers.Tokenizer.from_file(str(path))
    tokenizer = tc.open(path)
    known = list(tokenizer.special_tokens.values())
    assert known
    texts = tokenizer.encode_ids("lower low")
    for ids in ([*known, *texts], [*texts, known[-1], *texts], known):
        assert tokenizer.decode(ids) == reference.decode(ids)
        for skip in (True, False):
            assert tokenizer.decode(ids, skip) == reference.decode(ids, skip_special_tokens=skip)
            assert stream(tokenizer, ids, (), skip).text == tokenizer.decode(ids, skip)
    assert tokenizer.decode(known, False) != ""


def test_special_tokens_of_a_file_that_writes_them(tmp_path: Path) -> None:
    trained = tc.train("bpe", ["low lower"], vocab_size=260, special_tokens=["<|a|>"])
    one = trained.special_tokens["<|a|>"]
    ids = [*trained.encode_ids("lo"), one, *trained.encode_ids("w")]
    assert trained.decode(ids, True) == "low"
    assert trained.decode(ids, False) == "lo<|a|>w"
    assert trained.decode(ids) == trained.decode(ids, False)


def test_a_blank_line_of_vocab_txt(tmp_path: Path) -> None:
    """tokenizers takes the blanks from the end of each line, and the last of several that are the same."""
    path = tmp_path / "vocab.txt"
    lines = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "##b", "\u2028", "##c\u2028", "d"]
    path.write_bytes("\n".join([*lines, ""]).encode())
    reference = tokenizers.Tokenizer(
        tokenizers.models.WordPiece.from_file(str(path), unk_token="[UNK]")
    )
    reference.decoder = tokenizers.decoders.WordPiece()
    tokenizer = tc.open(path)
    for one in range(5, len(lines)):
        for ids in ([one], [5, one], [one, 5], [one, one]):
            assert tokenizer.decode(ids) == reference.decode(ids)


def test_a_stream_of_wordpiece_is_its_text(tmp_path: Path) -> None:
    text = "Tokenizers are unbelievably useful, aren't they?"
    path = SHIPPED["wordpiece-8k"]
    reference = tokenizers.Tokenizer.from_file(str(path))
    in_gguf = tc.open(gguf_files.of_wordpiece(tmp_path / "x.gguf", path, True))
    vocabulary = json.loads(path.read_text())["model"]["vocab"]
    plain = write_file(
        tmp_path / "vocab.txt", "\n".join(sorted(vocabulary, key=vocabulary.__getitem__))
    )
    for tokenizer in (in_gguf, tc.open(plain), tc.open(path)):
        ids = tokenizer.encode_ids(text)
        made = stream(tokenizer, ids)
        assert made.text == tokenizer.decode(ids)
        assert made.text == reference.decode(ids)
        assert "##" not in made.text
        shown = [step.shown for step in made.steps]
        assert shown == sorted(shown)
