"""Files cut off at many places, with bytes changed, nested deep, or full of huge numbers: a sentence, or a tokenizer.

Whatever a file holds, opening it raises TokenariumError at most, and what opens can encode a text.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from sentencepiece_models import BYTES, SMALL, message, trained
from small_vocabularies import LOWER, rank_file
from tekken_files import tekken

import tokenarium_core as tc

TEXT = "low ab  <mask>é▁\u2603\n"
CUTS = 60
CHANGES = 120


def with_bytes() -> bytes:
    model = message([*SMALL, *BYTES], kind=2)
    model.trainer_spec.byte_fallback = True
    content: bytes = model.SerializeToString()
    return content


def ours(folder: Path) -> bytes:
    path = folder / "ours.json"
    LOWER.save(path)
    return path.read_bytes()


HUGGING_FACE = {
    "version": "1.0",
    "added_tokens": [],
    "normalizer": None,
    "pre_tokenizer": None,
    "post_processor": None,
    "decoder": None,
    "model": {"type": "WordLevel", "vocab": {"[UNK]": 0, "low": 1, "ab": 2}, "unk_token": "[UNK]"},
}


def content_of(name: str, folder: Path) -> bytes:
    """Returns a file that is right, of the kind that the name tells."""
    if name.endswith(".model"):
        kind = name.removesuffix(".model")
        if kind == "bytes":
            return with_bytes()
        return trained(kind, 300, ("<mask>",), character_coverage=0.98)
    if name == "tekken.json":
        return json.dumps(tekken()).encode()
    if name == "tokenizer.json":
        return json.dumps(HUGGING_FACE, indent=1).encode()
    if name == "ours.json":
        return ours(folder)
    if name == "vocab.txt":
        return "\n".join(
            ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "low", "##er", "a", "##b", "é"]
        ).encode()
    return rank_file([b"lo", b"low"])


FILES = [
    "char.model",
    "word.model",
    "bpe.model",
    "unigram.model",
    "bytes.model",
    "tekken.json",
    "tokenizer.json",
    "ours.json",
    "vocab.txt",
    "ranks.tiktoken",
]


def tried(path: Path, content: bytes) -> bool:
    """Tells whether a file opens; then it encodes a text, and its ids are in range."""
    path.write_bytes(content)
    pattern = "gpt2" if path.suffix == ".tiktoken" else None
    try:
        tokenizer = tc.open(path, pattern=pattern)
    except tc.TokenariumError as error:
        sentence = str(error)
    else:
        encode(tokenizer)
        return True
    assert sentence.endswith("."), sentence
    assert "\n" not in sentence
    return False


def encode(tokenizer: tc.Tokenizer) -> None:
    """Encodes a text and decodes it; it may be one that this model has no ids for."""
    try:
        ids = tokenizer.encode_ids(TEXT)
    except tc.TokenariumError:
        return
    assert all(0 <= token < len(tokenizer.vocabulary) for token in ids)
    tokenizer.decode(ids)


@pytest.mark.parametrize("name", FILES)
def test_cut_off(name: str, tmp_path: Path) -> None:
    content = content_of(name, tmp_path)
    path = tmp_path / name
    assert tried(path, content)
    chance = random.Random(1)
    for size in [*range(24), *[chance.randrange(len(content)) for _ in range(CUTS)]]:
        tried(path, content[:size])


@pytest.mark.parametrize("name", FILES)
def test_bytes_changed(name: str, tmp_path: Path) -> None:
    content = content_of(name, tmp_path)
    path = tmp_path / name
    chance = random.Random(2)
    for _ in range(CHANGES):
        changed = bytearray(content)
        for _ in range(chance.choice([1, 1, 1, 8, 64])):
            # Half of the changes where the file begins: there it tells what it is.
            reach = chance.choice([len(content), min(len(content), 200)])
            changed[chance.randrange(reach)] = chance.randrange(256)
        tried(path, bytes(changed))


@pytest.mark.parametrize("name", FILES)
def test_parts_twice_or_left_out(name: str, tmp_path: Path) -> None:
    content = content_of(name, tmp_path)
    path = tmp_path / name
    chance = random.Random(3)
    for _ in range(CUTS):
        start = chance.randrange(len(content))
        stop = min(len(content), start + chance.randrange(200))
        tried(path, content[:start] + content[stop:])
        tried(path, content[:stop] + content[start:stop] + content[stop:])


@pytest.mark.parametrize(
    "content",
    [
        b"\x0a\x00" * ((1 << 21) + 1),
        b"\x0a\x02\x0a\x00" * 1000,
        b"\x0a" * 100_000,
        b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" * 10,
        b"\x12\x00" * 100_000,
        b"\x22\x04\x0a\x02\x0a\x00" * 10_000,
        b"\0" * 100_000,
        b"\xff" * 100_000,
        b"{" * 100_000,
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"model":' * 100_000,
        b'{"model":{"vocab":{' + b'"a":{' * 100_000,
        b'{"config":{},"vocab":' + b"[" * 100_000,
        b'{"vocab":[],"config":{"pattern":"a","default_vocab_size":99999999999999999999999}}',
        b'{"config":{"pattern":"a","default_vocab_size":' + b"9" * 10_000 + b'},"vocab":[]}',
        b'{"\\ud800":1}',
        b'{"format":"tokenarium","version":1,"tokenizer":' + b"[" * 100_000,
        b'{"' + b"x" * 1_000_000,
        b'{"a":"' + b"\\" * 1_000_001,
        b"[UNK]\n" * 1000,
        b"IQ== 99999999999999999999999999\n",
        b"#version: 0.2\n" + b"a b\n" * 1000,
        b"\xef\xbb\xbf{}",
    ],
    ids=range(24),
)
def test_made_to_hurt(content: bytes, tmp_path: Path) -> None:
    for name in ("x.model", "x.json"):
        assert not tried(tmp_path / name, content)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.json", {"format": "tokenarium", "version": 1, "tokenizer": {"name": "x\ud800"}}),
        ("tekken.json", tekken(pattern="[\udfff]|.")),
        ("encoder.json", {"!": 0, "<\udc00>": 1}),
        ("x.pattern.json", {"name": "x\ud800", "pat_str": "a", "special_tokens": {}}),
    ],
)
def test_half_of_a_surrogate_pair(name: str, content: object, tmp_path: Path) -> None:
    """No file could be written with it again."""
    path = tmp_path / name
    path.write_text(json.dumps(content))
    (tmp_path / "vocab.bpe").write_text("#version: 0.2\n")
    if name == "x.pattern.json":
        path = tmp_path / "x.tiktoken"
        path.write_bytes(rank_file([b"lo"]))
    with pytest.raises(tc.FormatError, match=r"has half of a surrogate pair, \\u"):
        tc.open(path)
