"""Files cut off at many places, with bytes changed, nested deep, or full of huge numbers: a sentence, or a tokenizer.

Whatever a file holds, opening it raises TokenariumError at most, and what opens can encode a text.
"""

from __future__ import annotations

import json
import random
import tracemalloc
from pathlib import Path

import pytest
from mutation_seeds import seeds
from mutations import mutated, use, written
from other_files import FILES as OTHER_FILES
from sentencepiece_models import BYTES, SMALL, message, trained
from small_files import new_folder, saved, write_file
from small_vocabularies import LOWER, rank_file
from tekken_files import tekken

import tokenarium_core as tc
from tokenarium_core.errors import RoomError
from tokenarium_core.formats.registry import files_of

pytestmark = pytest.mark.compiled

TEXT = "low ab  <mask>é▁\u2603\n"
CUTS = 60
CHANGES = 120


def with_bytes() -> bytes:
    model = message([*SMALL, *BYTES], kind=2)
    model.trainer_spec.byte_fallback = True
    content: bytes = model.SerializeToString()
    return content


def ours(folder: Path) -> bytes:
    path = saved(LOWER, folder / "ours.json")
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


def boundless() -> bytes:
    """Returns a file of BoundlessBPE."""
    tokenizer = tc.train("boundless-bpe", ["in the low, in the lower ab"] * 3, vocab_size=285)
    return files_of(tokenizer, "boundless", "x")["x.model"]


OTHER = dict(OTHER_FILES.values())


def content_of(name: str, folder: Path) -> bytes:
    """Returns a valid file, of the kind that the name says."""
    if name in OTHER:
        return OTHER[name]()
    if name == "boundless.model":
        return boundless()
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
    "char.model", "word.model", "bpe.model", "unigram.model", "bytes.model", "tekken.json",
    "tokenizer.json", "ours.json", "vocab.txt", "ranks.tiktoken", "boundless.model",
    *OTHER,
]  # fmt: skip


def tried(path: Path, content: bytes) -> bool:
    """Returns whether a file opens; then it encodes a text, and its ids are in range."""
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


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_cut_off(name: str, tmp_path: Path) -> None:
    content = content_of(name, tmp_path)
    path = tmp_path / name
    assert tried(path, content)
    chance = random.Random(1)
    for size in [*range(24), *[chance.randrange(len(content)) for _ in range(CUTS)]]:
        tried(path, content[:size])


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_bytes_changed(name: str, tmp_path: Path) -> None:
    content = content_of(name, tmp_path)
    path = tmp_path / name
    chance = random.Random(2)
    for _ in range(CHANGES):
        changed = bytearray(content)
        for _ in range(chance.choice([1, 1, 1, 8, 64])):
            # Half of the changes at the start of the file, which says what it is.
            reach = chance.choice([len(content), min(len(content), 200)])
            changed[chance.randrange(reach)] = chance.randrange(256)
        tried(path, bytes(changed))


@pytest.mark.slow
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
    path = write_file(tmp_path / name, json.dumps(content))
    (tmp_path / "vocab.bpe").write_text("#version: 0.2\n")
    if name == "x.pattern.json":
        path = write_file(tmp_path / "x.tiktoken", rank_file([b"lo"]))
    with pytest.raises(tc.FormatError, match=r"has half of a surrogate pair, \\u"):
        tc.open(path)


# Stages that make much of little.


def file_of(**stages: object) -> bytes:
    """Returns a `tokenizer.json` of words with these stages."""
    return json.dumps({**HUGGING_FACE, **stages}).encode()


def ten_times(character: str) -> dict[str, object]:
    return {"type": "Replace", "pattern": {"String": character}, "content": character * 10}


def by_pattern(character: str) -> dict[str, object]:
    return {**ten_times(character), "pattern": {"Regex": f"[{character}]"}}


BYTE_LEVEL = {
    "type": "ByteLevel",
    "add_prefix_space": True,
    "trim_offsets": True,
    "use_regex": False,
}
SPACED_OUT = {"type": "BPEDecoder", "suffix": ""}
PREPENDED = {"type": "Prepend", "prepend": "a" * 2_000_000}
LONG = {"type": "Replace", "pattern": {"String": "a"}, "content": "b" * 1_000_000}
MADE_TO_GROW = {
    "Replace": {"normalizer": {"type": "Sequence", "normalizers": [ten_times("a")] * 10}},
    "Replace by a pattern": {
        "normalizer": {"type": "Sequence", "normalizers": [by_pattern("a")] * 10}
    },
    "ByteLevel as a normalizer": {
        "normalizer": {
            "type": "Sequence",
            "normalizers": [*[{"type": "ByteLevel"}] * 40, {"type": "Lowercase"}],
        }
    },
    "Prepend": {"normalizer": {"type": "Sequence", "normalizers": [PREPENDED, {"type": "NFC"}]}},
    "Replace once": {"normalizer": LONG},
    "ByteLevel before the model": {
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [BYTE_LEVEL] * 40}
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MADE_TO_GROW)
def test_a_text_that_would_fill_the_memory(name: str, tmp_path: Path) -> None:
    """Each file is small, and would make gigabytes of eight bananas."""
    path = write_file(tmp_path / "tokenizer.json", file_of(**MADE_TO_GROW[name]))
    tokenizer = tc.open(path)
    for way in (tokenizer.encode_ids, tokenizer.encode_buffer, tokenizer.encode):
        with pytest.raises(
            RoomError, match=rf"{name.split(maxsplit=1)[0]}.* would make .* no tokenizer needs"
        ):
            way("banana split é " * 8)


def test_added_tokens_that_would_fill_the_memory(tmp_path: Path) -> None:
    """Their normalized forms are taken when the file is opened."""
    flags = dict.fromkeys(["special", "lstrip", "rstrip", "single_word"], False)
    added = [
        {"id": 3 + number, "content": f"a{number}", "normalized": True, **flags}
        for number in range(50)
    ]
    path = write_file(tmp_path / "tokenizer.json", file_of(added_tokens=added, normalizer=LONG))
    with pytest.raises(RoomError, match="added tokens would make"):
        tc.open(path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "steps",
    [
        [{"type": "Replace", "pattern": {"String": "l"}, "content": "l" * 10}] * 10,
        [{"type": "Replace", "pattern": {"Regex": "[l]"}, "content": "l" * 10}] * 10,
        [{"type": "Replace", "pattern": {"Regex": ""}, "content": "l" * 10}] * 10,
        [SPACED_OUT] * 40,
        [{"type": "CTC", "pad_token": "x", "word_delimiter_token": "", "cleanup": True}] * 40,
    ],
    ids=["Replace", "pattern", "nothing", "BPEDecoder", "CTC"],
)
def test_ids_that_would_fill_the_memory(steps: list[object], tmp_path: Path) -> None:
    path = write_file(
        tmp_path / "tokenizer.json", file_of(decoder={"type": "Sequence", "decoders": steps})
    )
    tokenizer = tc.open(path)
    with pytest.raises(RoomError, match=r"The decoder \w+ would make"):
        tokenizer.decode([1, 1, 1, 1])


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="there is no such device")
def test_a_device_is_not_opened() -> None:
    tracemalloc.start()
    try:
        with pytest.raises(tc.NotAvailable, match="it is a device, not a file"):
            tc.open("/dev/null")
        assert tracemalloc.get_traced_memory()[1] < 1 << 24
    finally:
        tracemalloc.stop()


def test_many_ids_are_no_leave_to_grow(tmp_path: Path) -> None:
    """The output is limited to a multiple of the input: each step takes as long as the output is."""
    steps = [{"type": "Replace", "pattern": {"Regex": "l"}, "content": "ll"}] * 8
    path = write_file(
        tmp_path / "tokenizer.json", file_of(decoder={"type": "Sequence", "decoders": steps})
    )
    tokenizer = tc.open(path)
    assert len(tokenizer.decode([1] * 100)) > 256 * 100
    with pytest.raises(RoomError, match=r"The decoder Replace would make .* what the tokens have"):
        tokenizer.decode([1] * 20_000)


def test_a_surface_of_the_unknown_piece_that_would_fill_the_memory(tmp_path: Path) -> None:
    model = message(SMALL)
    model.trainer_spec.unk_surface = "u" * 1_000_000
    path = write_file(tmp_path / "x.model", model.SerializeToString())
    tokenizer = tc.open(path)
    assert len(tokenizer.decode([0] * 4)) == 4_000_000
    with pytest.raises(RoomError, match="The decoder of SentencePiece would make"):
        tokenizer.decode([0] * 5_000)


def test_a_template_that_would_fill_the_memory(tmp_path: Path) -> None:
    part = {"SpecialToken": {"id": "A", "type_id": 0}}
    template = {
        "type": "TemplateProcessing",
        "single": [*[part] * 1000, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [],
        "special_tokens": {"A": {"id": "A", "ids": [1] * 1000, "tokens": ["A"] * 1000}},
    }
    path = write_file(tmp_path / "tokenizer.json", file_of(post_processor=template))
    with pytest.raises(tc.FormatError, match="more than 65,536 ids around a text"):
        tc.open(path)


@pytest.mark.slow
def test_much_that_sensible_stages_make_is_made(tmp_path: Path) -> None:
    """U+FDFA has 18 characters in NFKD, the most of all, and GPT-2's alphabet spells each byte with two."""
    steps = [{"type": "NFKD"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]
    path = write_file(
        tmp_path / "tokenizer.json",
        file_of(
            normalizer={
                "type": "Sequence",
                "normalizers": [*steps, {"type": "ByteLevel"}, {"type": "NFC"}],
            }
        ),
    )
    tokenizer = tc.open(path)
    text = "\ufdfa" * 60_000
    assert tokenizer.encode_ids(text) == list(tokenizer.encode(text).ids)


# Entries that are long.


@pytest.mark.parametrize("size", [100_000, 1_000_000])
def test_one_long_entry(size: int, tmp_path: Path) -> None:
    """Asking every two parts for a merge takes the square of the size."""
    path = write_file(tmp_path / "x.tiktoken", rank_file([b"ab", b"x" * size]))
    tokenizer = tc.open(path, pattern="gpt2")
    assert tokenizer.encode_ids("ab") == [256]


def test_more_pre_tokenizers_than_have_numbers(tmp_path: Path) -> None:
    steps = [{"type": "Digits", "individual_digits": False}] * 300
    path = write_file(
        tmp_path / "tokenizer.json",
        file_of(pre_tokenizer={"type": "Sequence", "pretokenizers": steps}),
    )
    with pytest.raises(tc.FormatError, match="rules together, and 250 are the most"):
        tc.open(path)


# Mutants.


@pytest.mark.slow
@pytest.mark.parametrize("kind", list(seeds()))
def test_mutants(kind: str, tmp_path: Path) -> None:
    """A seeded sample of the attacks; most of these were bugs once."""
    for seed in range(8):
        folder = new_folder(tmp_path / str(seed))
        chance = random.Random(seed)
        use(written(mutated(chance, seeds()[kind]), folder), chance)
