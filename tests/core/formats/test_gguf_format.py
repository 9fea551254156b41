"""GGUF files as the ``gguf`` package writes them: what is read, what is refused, and files that are damaged."""

from __future__ import annotations

import json
import os
import random
import struct
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import gguf
import gguf_faults
import gguf_files
import numpy as np
import pytest
from sentencepiece_models import trained
from small_files import saved, write_file
from small_vocabularies import LOWER

import tokenarium_core as tc
from tokenarium_core.changing.extending import extend_with
from tokenarium_core.formats import tokenarium_format
from tokenarium_core.formats.gguf.gguf_cuts import CUTS
from tokenarium_core.formats.gguf.gguf_file import read_metadata
from tokenarium_core.formats.opening import is_tokenizer, tokenizers_in
from tokenarium_core.trace import Trace
from tokenarium_core.unicode import byte_alphabet

TEXT = "low lower  lowest 1234\n\nslower, LOW! é <|im_end|>"
CORPUS = ["low lower lowest slow slower 1234 a, b! " * 20]


def trained_bytes(special: list[str] | None = None) -> tc.Tokenizer:
    return tc.train(
        "bpe", CORPUS, vocab_size=290, pattern="gpt2", special_tokens=special or ["<|im_end|>"]
    )


def small(path: Path, pre: str | None = "gpt-2", **values: Any) -> Path:
    def more(writer: Any) -> None:
        for name, value in values.items():
            add = writer.add_bool if isinstance(value, bool) else writer.add_uint32
            add(f"tokenizer.ggml.{name}", value)

    return gguf_files.of_merges(path, trained_bytes(), pre, more)


def test_the_metadata_is_what_gguf_reads(tmp_path: Path) -> None:
    def fill(writer: Any) -> None:
        writer.add_string("general.name", "Straße")
        writer.add_uint8("tokenizer.a", 255)
        writer.add_int8("tokenizer.b", -128)
        writer.add_uint16("tokenizer.c", 65535)
        writer.add_int16("tokenizer.d", -32768)
        writer.add_uint32("tokenizer.e", 2**32 - 1)
        writer.add_int32("tokenizer.f", -(2**31))
        writer.add_uint64("tokenizer.g", 2**64 - 1)
        writer.add_int64("tokenizer.h", -(2**63))
        writer.add_float32("tokenizer.i", 1.5)
        writer.add_float64("tokenizer.j", -2.25)
        writer.add_bool("tokenizer.k", True)
        writer.add_array("llama.skipped", [1, 2, 3])
        writer.add_array("llama.texts", ["", "a", "é" * 200])
        writer.add_string("llama.text", "x" * 3_000_000)
        writer.add_array("tokenizer.numbers", [1, -2, 3])
        writer.add_array("tokenizer.floats", [0.5, -1.25])
        writer.add_array("tokenizer.flags", [True, False])
        writer.add_array("tokenizer.texts", ["", "low", "é▁", "x" * 2_000_000])

    path = gguf_files.write(tmp_path / "all.gguf", fill, tensors=True)
    read = read_metadata(path).values
    expected: dict[str, object] = {}
    for name, field in gguf.GGUFReader(path).fields.items():
        if name.startswith(("general.", "tokenizer.")):
            kinds = [kind.name for kind in field.types]
            parts = [field.parts[index] for index in field.data]
            values = [bytes(part) if kinds[-1] == "STRING" else part.tolist()[0] for part in parts]
            expected[name] = values if kinds[0] == "ARRAY" else values[0]
    assert read == expected
    assert len(read) > 15


def test_bytes_with_merges(tmp_path: Path) -> None:
    original = trained_bytes()
    path = small(tmp_path / "small.gguf", bos_token_id=3, eos_token_id=0, add_bos_token=True)
    tokenizer = tc.open(path)
    assert tokenizer.name == "small"
    assert tokenizer.source.format == "gguf"
    assert tokenizer.source.files == [path]
    assert tokenizer.pre_tokenizer.name == "gpt2"
    assert tokenizer.encode_ids(TEXT) == original.encode_ids(TEXT)
    assert list(tokenizer.encode(TEXT, special="all").ids) == list(
        original.encode(TEXT, special="all").ids
    )
    assert tokenizer.decode(tokenizer.encode_ids(TEXT)) == TEXT
    assert list(tokenizer.encode("low", template=True).ids) == [3, *original.encode_ids("low")]
    assert tokenizer.ends.adds_bos
    assert not tokenizer.ends.adds_eos
    assert tokenizer.special_tokens == original.special_tokens
    details = {(detail.group, detail.name): detail.value for detail in tokenizer.details}
    assert details["tokenizer", "model"] == "gpt2 (byte-level BPE)"
    assert details["tokenizer", "pre"] == "gpt-2"
    assert details["tokenizer", "add_bos_token"] == "true"
    assert details["special tokens", "eos_token"] == tokenizer.vocabulary.surface(0)
    assert details["general", "architecture"] == "llama"


def test_it_is_found_by_its_content_and_in_folders(tmp_path: Path) -> None:
    path = small(tmp_path / "small.gguf")
    renamed = tmp_path / "blob" / "sha256-0"
    renamed.parent.mkdir()
    renamed.write_bytes(path.read_bytes())
    assert tc.open(renamed).encode_ids("low") == tc.open(path).encode_ids("low")
    assert is_tokenizer(path)
    assert is_tokenizer(renamed)
    assert tc.open(tmp_path).encode_ids("low") == tc.open(path).encode_ids("low")
    assert [one.format.name for one in tokenizers_in(tmp_path, ["small.gguf"])] == ["gguf"]
    LOWER.save(tmp_path / "lower.tiktoken", format="tiktoken")
    with pytest.raises(tc.FormatError, match="has its own pattern and special tokens"):
        tc.open(path, pattern="gpt2")


def test_it_can_be_saved_as_tokenizer_json(tmp_path: Path) -> None:
    tokenizer = tc.open(small(tmp_path / "small.gguf", bos_token_id=3, add_bos_token=True))
    tokenizer.save(tmp_path / "tokenizer.json", format="huggingface")
    again = tc.open(tmp_path / "tokenizer.json")
    assert again.encode_ids(TEXT) == tokenizer.encode_ids(TEXT)
    assert again.ends.bos == [3]


NEWER = "a\u1c89b \u0897x 1\U00016d401 \u1c89!\n"
"""With characters of Unicode 16, which llama.cpp takes for no letters."""


def cuts_of(tokenizer: tc.Tokenizer) -> list[int]:
    return list(tokenizer.encode(NEWER).pre_tokens.ends)


@pytest.mark.parametrize("pre", ["gpt-2", "qwen2", "deepseek-coder"])
def test_copies_cut_by_the_unicode_of_llama(pre: str, tmp_path: Path) -> None:
    """Also those that were changed, or copied again; a file for another library cuts as that one does."""
    tokenizer = tc.open(small(tmp_path / "small.gguf", pre))
    cuts = cuts_of(tokenizer)
    paths = [tmp_path / "copy.json", tmp_path / "again.json"]
    tokenizer.save(paths[0], format="tokenarium")
    tc.open(paths[0]).save(paths[1], format="tokenarium")
    copies = [tc.open(path) for path in paths]
    for one in [tokenizer, *copies]:
        assert cuts_of(one) == cuts
        changed = [
            tc.prune(one, CORPUS, to_size=270).tokenizer,
            extend_with(one, ["slowlow"]),
            tc.change_special_tokens(one, add={"<|new|>": None}),
        ]
        for number, other in enumerate(changed):
            assert cuts_of(other) == cuts
            other.save(tmp_path / f"{number}.json", format="tokenarium")
            assert cuts_of(tc.open(tmp_path / f"{number}.json")) == cuts
    tokenizer.save(tmp_path / "tokenizer.json", format="huggingface")
    assert "llama.cpp" not in (tmp_path / "tokenizer.json").read_text("utf-8")
    if pre != "deepseek-coder":  # Oniguruma's Unicode is as old
        assert cuts_of(tc.open(tmp_path / "tokenizer.json")) != cuts


def test_a_copy_of_another_unicode_is_refused(tmp_path: Path) -> None:
    tokenizer = tc.open(small(tmp_path / "small.gguf"))
    tokenizer.save(tmp_path / "copy.json", format="tokenarium")
    file = json.loads((tmp_path / "copy.json").read_text("utf-8"))
    assert file["version"] == 4
    file["tokenizer"]["llama.cpp"] = "Unicode 99"
    file["sha256"] = tokenarium_format.content_hash(file["tokenizer"])
    (tmp_path / "copy.json").write_text(json.dumps(file), "utf-8")
    with pytest.raises(tc.FormatError, match=r"'llama\.cpp' is 'Unicode 99'.*'Unicode 15.1'"):
        tc.open(tmp_path / "copy.json")


def test_bytes_without_entries(tmp_path: Path) -> None:
    """As in the files of Falcon and StarCoder: what no entry has gives no id."""
    letters = list(byte_alphabet.CHARACTERS)
    pieces = [letter for letter in letters if letter not in ("\u0100", "z")]

    def fill(writer: Any) -> None:
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre("falcon")
        writer.add_token_list([*pieces, "ab"])
        writer.add_token_types([gguf_files.NORMAL] * (len(pieces) + 1))
        writer.add_token_merges(["a b"])

    tokenizer = tc.open(gguf_files.write(tmp_path / "x.gguf", fill))
    assert tokenizer.decode(tokenizer.encode_ids("abz \u1c89 éab 1\0")) == "ab \u1c89 éab 1"


def test_the_longest_added_token_is_found_first(tmp_path: Path) -> None:
    """The ids are those of llama.cpp 0.5.0, which `tests/parity/test_gguf.py` asks where it is installed."""
    letters = list(byte_alphabet.CHARACTERS)
    added = {
        "ab": gguf_files.USER_DEFINED,
        "bcd": gguf_files.USER_DEFINED,
        "d<x>": gguf_files.SPECIAL,
    }

    def fill(writer: Any) -> None:
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre("gpt-2")
        writer.add_token_list([*letters, "aa", *added])
        writer.add_token_types([gguf_files.NORMAL] * 257 + list(added.values()))
        writer.add_token_merges(["a a"])

    tokenizer = tc.open(gguf_files.write(tmp_path / "x.gguf", fill))
    a, c = ord("a"), ord("c")
    path = saved(tokenizer, tmp_path / "copy.json", format="tokenarium")
    for one in (tokenizer, tc.open(path)):
        assert one.encode_ids("abcd") == [a, 258]  # not ab, which begins before it
        assert one.encode_ids("aabcab") == [a, 257, c, 257]
        assert list(one.encode("abcd<x>", special="all").ids) == [257, c, 259]
        assert one.encode_ids("bcd<x>")[:2] == [
            258,
            ord("<"),
        ]  # within a special token that is plain text


def test_characters_of_wordpiece(tmp_path: Path) -> None:
    """The ids are those of llama.cpp 0.5.0, which `tests/parity/test_gguf.py` asks where it is installed."""
    words = ["a", "i", "e", "\u1100", "\u093f", "\u0897", "\u8c48", "x\u1c89", "\ue000"]
    pieces = ["[UNK]", "[CLS]", "[SEP]", *[f"\u2581{word}" for word in words], "b", "!"]

    def fill(writer: Any) -> None:
        writer.add_tokenizer_model("bert")
        writer.add_token_list(pieces)
        writer.add_token_types([gguf_files.SPECIAL] * 3 + [gguf_files.NORMAL] * (len(pieces) - 3))
        for add, id in ((writer.add_unk_token_id, 0), (writer.add_bos_token_id, 1)):
            add(id)
        writer.add_sep_token_id(2)

    tokenizer = tc.open(gguf_files.write(tmp_path / "x.gguf", fill))
    for text, ids in {
        "A\u0301\u093fb\x0bA\ue000B\x00\u200d\u0085a": [
            3,
            12,
            3,
            12,
            3,
        ],  # marks and private characters go
        "\u0130 \xc9": [4, 5],
        "\uac01": [6],  # the first letter of a Hangul syllable
        "\u0897": [8],  # a mark that its Unicode does not know
        "\uf900\uf900": [9, 9],
        "X\u1c89": [10],  # a newer letter has no lower case
        "a\u2581a": [3, 3],  # an entry that begins a word may continue one
        "\u2581": [0],
        "a!b": [3, 0, 0],
    }.items():
        assert tokenizer.encode_ids(text) == ids, text
    for format in ("tokenarium", "huggingface"):
        with pytest.raises(tc.ArgumentError, match=r"WordPiece|another kind"):
            tokenizer.save(tmp_path / "copy.json", format=format)


def unigram(path: Path, pieces: dict[str, int], scores: dict[str, float] | None = None) -> Path:
    texts = ["<unk>", *pieces]

    def fill(writer: Any) -> None:
        writer.add_tokenizer_model("t5")
        writer.add_token_list(texts)
        writer.add_token_scores([(scores or {}).get(text, -1.0) for text in texts])
        writer.add_token_types([gguf_files.UNKNOWN, *pieces.values()])
        writer.add_add_space_prefix(True)
        writer.add_unk_token_id(0)
        writer.add_add_eos_token(False)

    return gguf_files.write(path, fill)


def test_spaces_of_unigram(tmp_path: Path) -> None:
    """The ids are those of llama.cpp 0.5.0, which `tests/parity/test_gguf.py` asks where it is installed."""
    pieces = dict.fromkeys(["\u2581", "a", "b\0c"], gguf_files.NORMAL) | {"u": gguf_files.NOT_USED}
    tokenizer = tc.open(unigram(tmp_path / "x.gguf", pieces))
    for text, ids in {
        "a": [1, 2],
        "  ": [1, 1],  # no other one before them
        "\u2581": [1, 1],  # which is none
        " \u2581a": [1, 1, 1, 2],
        "\0": [1, 0],
        "u": [1, 4],  # also found
        "b": [1, 3],  # an entry ends at a NUL
    }.items():
        assert tokenizer.encode_ids(text) == ids, text
        assert list(tokenizer.encode(text).ids) == ids, text


def test_more_scores_than_entries(tmp_path: Path) -> None:
    """llama.cpp reads as many as there are entries."""
    path = unigram(tmp_path / "x.gguf", {"a": 1, "b": 1}, {"b": -3.0})
    file = gguf_faults.fields_of(path.read_bytes())
    scores = gguf_faults.list_field("tokenizer.ggml.scores", 6, [-1.0, -1.0, -3.0, -9.0, -9.0])
    fields = [scores if field[0] == scores[0] else field for field in file.fields]
    path.write_bytes(replace(file, fields=tuple(fields)).joined())
    tokenizer = tc.open(path)
    assert tokenizer.encode_ids("ab") == [0, 1, 2]
    assert list(tokenizer.vocabulary.scores) == [0.0, -1.0, -3.0]


@pytest.mark.parametrize(
    ("pieces", "scores", "message"),
    [
        ({"a": 1, "\u2028": 4}, {}, "user-defined, and is not ASCII"),
        ({"a": 1, "x" * 65: 4}, {}, "has more than 64 characters"),
        ({"a": 1, "xyz": 5}, {"xyz": -20.0}, "entry 2, 'xyz', is of the type 'unused'"),
    ],
)
def test_unigram_that_is_not_run(
    pieces: dict[str, int], scores: dict[str, float], message: str, tmp_path: Path
) -> None:
    with pytest.raises(tc.FormatError, match=message):
        tc.open(unigram(tmp_path / "x.gguf", pieces, scores))


@pytest.mark.slow
@pytest.mark.parametrize("pre", sorted(name for name, cuts in CUTS.items() if not cuts.marks))
def test_every_name_cuts_every_text_whole(pre: str, tmp_path: Path) -> None:
    tokenizer = tc.open(small(tmp_path / "small.gguf", pre))
    text = "I'M low2345 «é» 中文かな ДЖ \u0301x\r\n\n  \t-- don't ¼٣٤٥٦ हिन्दी 한국 😀!?\u3000 z  "
    assert tokenizer.decode(tokenizer.encode_ids(text)) == text
    for detail in tokenizer.details:
        if detail.name == "pre":
            assert detail.value == pre


def test_a_file_that_names_no_pattern_is_cut_by_the_default_one(tmp_path: Path) -> None:
    named = tc.open(small(tmp_path / "default.gguf", "default"))
    unnamed = tc.open(small(tmp_path / "unnamed.gguf", None))
    assert unnamed.encode_ids(TEXT) == named.encode_ids(TEXT)
    notes = [detail.value for detail in unnamed.details if detail.name == "pre"]
    assert notes[0].startswith("none: split by the default pattern")


def test_types_of_tokens(tmp_path: Path) -> None:
    """User-defined tokens are found always, control tokens where they are allowed, some texts whatever their type is."""

    def fill(writer: Any) -> None:
        alphabet = [chr(code) for code in [*range(33, 127), *range(161, 173), *range(174, 256)]]
        alphabet += [chr(256 + code) for code in range(68)]
        texts = [*alphabet, "lo", "low", "<|im_end|>", "<tool>", "<|x|>", "[PAD5]", "<|end|>"]
        texts += ["<|return|>", "<|call|>", ""]
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre("gpt-2")
        writer.add_token_list(texts)
        writer.add_token_types([1] * 258 + [1, 4, 3, 5, 1, 1, 1, 1])
        writer.add_token_merges(["l o", "lo w", "l o"])

    tokenizer = tc.open(gguf_files.write(tmp_path / "x.gguf", fill))
    ids = tokenizer.encode_ids("<tool>low<|x|><|im_end|><|end|>")
    assert ids[:2] == [259, 257]
    assert ids[-1] == 262  # llama.cpp shows it where <|return|> and <|call|> are
    assert not {258, 260} & set(ids)
    assert list(tokenizer.encode("<|x|><|im_end|>", special="all").ids) == [260, 258]
    assert set(tokenizer.special_tokens) == {"<|im_end|>", "<|x|>", "<|return|>", "<|call|>"}
    assert tokenizer.vocabulary.surface(265) == "[EMPTY_265]"


def test_pieces_by_scores(tmp_path: Path) -> None:
    path = write_file(
        tmp_path / "small.model",
        trained(
            "bpe", 460, ("<mask>", "▁▁"), byte_fallback=True, normalization_rule_name="identity"
        ),
    )
    original = tc.open(path)
    tokenizer = tc.open(gguf_files.of_sentencepiece(tmp_path / "small.gguf", path))
    assert tokenizer.encode_ids("low lower é\n\u2603") == original.encode_ids("low lower é\n\u2603")
    mask = tokenizer.vocabulary.find(b"<mask>")
    assert mask < 0
    kinds = {tokenizer.vocabulary.surface(id): tokenizer.vocabulary.kind(id) for id in range(8)}
    assert kinds["<mask>"] == "user-defined"
    assert kinds["  "] == "user-defined"
    token = next(one for one in tokenizer.added_tokens.tokens if one.content == "<mask>")
    assert token.id in tokenizer.encode_ids("low<mask>ab")
    # llama.cpp begins the text after a token with a space again.
    after = tokenizer.encode_ids("low<mask>low")
    assert after[:3] == after[-3:]


def test_kimi_without_merges_is_bytes(tmp_path: Path) -> None:
    """llama.cpp loads such a file, and then has nothing to merge: each byte is the entry of its character."""
    pieces = [*byte_alphabet.to_text(bytes(range(256))), "low", "[EOS]"]

    def fill(writer: Any, pre: str = "kimi-k2") -> None:
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre(pre)
        writer.add_token_list(pieces)
        writer.add_token_types([gguf_files.NORMAL] * 257 + [gguf_files.SPECIAL])

    tokenizer = tc.open(gguf_files.write(tmp_path / "kimi.gguf", fill))
    text = "low 日本 é\n12"
    assert tokenizer.encode_ids(text) == list(text.encode())
    assert tokenizer.decode(tokenizer.encode_ids(text)) == text
    assert tokenizer.encode_ids("[EOS]", special="all") == [257]
    assert list(tokenizer.encode(text, trace=Trace()).ids) == list(text.encode())
    assert any(one.name == "merges" and "each byte" in one.value for one in tokenizer.details)
    copy = saved(tokenizer, tmp_path / "copy.json", format="tokenarium")
    assert tc.open(copy).encode_ids(text) == tokenizer.encode_ids(text)
    other = gguf_files.write(tmp_path / "other.gguf", lambda writer: fill(writer, "qwen2"))
    with pytest.raises(tc.FormatError, match="has no merges"):
        tc.open(other)


@pytest.mark.parametrize(
    ("fill", "message"),
    [
        (lambda writer: None, "holds no tokenizer: it has no field 'tokenizer.ggml.model'"),
        (
            lambda writer: writer.add_tokenizer_model("hybriddna"),
            r"of the kind 'hybriddna' \(tokenizer.ggml.model\), which this program does not run. It runs gpt2",
        ),
        (lambda writer: writer.add_tokenizer_model("none"), "its model does not read text"),
        (lambda writer: writer.add_uint32("tokenizer.ggml.model", 1), "is not a text"),
        (
            lambda writer: (
                writer.add_tokenizer_model("gpt2"),
                writer.add_tokenizer_pre("no-such"),
            ),
            "with the pre-tokenizer 'no-such'.*does not know",
        ),
        (lambda writer: writer.add_tokenizer_model("gpt2"), "'tokenizer.ggml.tokens' is empty"),
        (
            lambda writer: (
                writer.add_tokenizer_model("gpt2"),
                writer.add_token_list(["a", "b", "a"]),
            ),
            "the entries 0 and 2 are both 'a'",
        ),
        (
            lambda writer: (
                writer.add_tokenizer_model("gpt2"),
                writer.add_token_list(["a", "b"]),
            ),
            "has no merges",
        ),
        (
            lambda writer: (
                writer.add_tokenizer_model("gpt2"),
                writer.add_token_list(["a", "b"]),
                writer.add_token_merges(["a b"]),
            ),
            "merge 0 is 'a b', which is not two entries",
        ),
        (
            lambda writer: (
                writer.add_tokenizer_model("gpt2"),
                writer.add_token_list(["a", "b"]),
                writer.add_token_types([1]),
            ),
            "has 2 entries, but only 1 types",
        ),
        (
            lambda writer: (
                writer.add_tokenizer_model("llama"),
                writer.add_token_list(["a", "b"]),
                writer.add_token_scores([1.0]),
            ),
            "has 2 entries, but only 1 scores",
        ),
        (
            lambda writer: (
                writer.add_tokenizer_model("llama"),
                writer.add_token_list(["a", "b"]),
                writer.add_token_scores([1.0, float("nan")]),
            ),
            "entry 1 has the score NaN",
        ),
        (
            lambda writer: (
                writer.add_tokenizer_model("llama"),
                writer.add_array("tokenizer.ggml.tokens", [1, 2]),
            ),
            "'tokenizer.ggml.tokens' is not a list of texts",
        ),
        (
            lambda writer: (writer.add_tokenizer_model("t5"), writer.add_token_list(["a"])),
            "has no unknown token",
        ),
    ],
)
def test_refused(fill: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(tc.FormatError, match=message):
        tc.open(gguf_files.write(tmp_path / "x.gguf", fill))


def header(fields: int, *parts: bytes, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, 0, fields) + b"".join(parts)


def text(content: bytes) -> bytes:
    return struct.pack("<Q", len(content)) + content


NAME = text(b"tokenizer.x")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (header(0, version=1), "has the version 1 of GGUF; this program reads 2 and 3"),
        (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "highest byte first"),
        (header(1 << 40), "1,099,511,627,776 fields"),
        (header(1, struct.pack("<Q", 1 << 40)), "longer than the 0 bytes that are left"),
        (header(1, text(b"x" * 70_000)), "70,000 bytes, more than 65,535"),
        (header(2, NAME, struct.pack("<IB", 0, 1), NAME), "there are two of them"),
        (header(1, NAME, struct.pack("<I", 13)), "of type 13, which this program does not know"),
        (header(1, NAME, struct.pack("<IIQ", 9, 9, 1), bytes(99)), "a list of lists"),
        (
            header(1, NAME, struct.pack("<IIQ", 9, 4, 1 << 60), bytes(99)),
            "1,152,921,504,606,846,976 items, and only 99 bytes are left",
        ),
        (
            header(1, NAME, struct.pack("<IIQ", 9, 4, (1 << 64) - 1), bytes(99)),
            "18,446,744,073,709,551,615 items, and only 99 bytes are left",
        ),
        (
            header(1, NAME, struct.pack("<IIQ", 9, 8, 1 << 40), bytes(99)),
            "items, and only 99 bytes are left",
        ),
        (
            header(1, NAME, struct.pack("<IIQQ", 9, 8, 2, 1 << 62), bytes(99)),
            "longer than the",
        ),
        (
            header(1, text(b"other"), struct.pack("<IIQQ", 9, 8, 2, 1 << 63), bytes(99)),
            "longer than the",
        ),
        (header(1, NAME, struct.pack("<I", 10), b"1234"), "ends in the field 'tokenizer.x'"),
        (b"GGUF\3", "ends, after 5 bytes: it is cut off"),
    ],
)
def test_damaged(content: bytes, message: str, tmp_path: Path) -> None:
    path = write_file(tmp_path / "x.gguf", content)
    with pytest.raises(tc.FormatError, match=message):
        tc.open(path)


@pytest.mark.slow
def test_every_cut_and_many_changes_give_a_sentence(tmp_path: Path) -> None:
    content = small(tmp_path / "small.gguf").read_bytes()
    path = tmp_path / "cut.gguf"
    chance = random.Random(3)
    cases = [content[:size] for size in [*range(4, 200), *range(200, len(content), 251)]]
    for _ in range(300):
        changed = bytearray(content)
        for _ in range(chance.choice([1, 1, 4])):
            changed[chance.randrange(4, len(changed))] = chance.randrange(256)
        cases.append(bytes(changed))
    for case in cases:
        path.write_bytes(case)
        sentence = ""
        try:
            tc.open(path).encode_ids(TEXT)
        except tc.TokenariumError as error:
            sentence = str(error)
        assert not sentence or sentence.endswith(".")


@pytest.mark.skipif(os.name == "nt", reason="Windows writes the holes of a file")
def test_a_file_of_a_terabyte_that_is_empty_fills_no_memory(tmp_path: Path) -> None:
    """A file with a hole has as many items as it says, all of them empty."""
    path = tmp_path / "hole.gguf"
    cases = [(4, 1 << 24), (8, 1 << 24)]
    if tc.COMPILED:
        cases.append((8, 8_000_000))  # interpreted, reading millions of texts takes minutes
    for kind, count in cases:
        with path.open("wb") as file:
            file.write(header(1, NAME, struct.pack("<IIQ", 9, kind, count)))
            file.truncate(1 << 40)
        tracemalloc.start()
        try:
            with pytest.raises(tc.FormatError, match=r"more than any tokenizer|have more than"):
                tc.open(path)
            assert tracemalloc.get_traced_memory()[1] < 1 << 29
        finally:
            tracemalloc.stop()


def test_the_tensors_are_not_read(tmp_path: Path) -> None:
    path = gguf_files.of_merges(tmp_path / "x.gguf", trained_bytes(), "gpt-2", tensors=True)
    whole = tc.open(path).encode_ids(TEXT)
    assert np.prod(gguf.GGUFReader(path).tensors[0].shape) == 4096
    path.write_bytes(path.read_bytes()[:-16_000])  # without nearly all of the tensor
    assert tc.open(path).encode_ids(TEXT) == whole
