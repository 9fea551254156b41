"""GGUF files of RWKV's models: the ids of the package ``rwkv``, and what llama.cpp does otherwise by its rule, written again."""

from __future__ import annotations

import ast
import json
import random
from pathlib import Path
from typing import Any

import gguf_files
import pytest
from other_files import rwkv_vocabulary
from small_files import saved, write_file

import tokenarium_core as tc
from tokenarium_core.formats.tokenarium_format import content_hash
from tokenarium_core.trace import Trace

rwkv = pytest.importorskip("rwkv.rwkv_tokenizer")

SIZE = 400


def converted(path: Path, vocabulary: bytes, extra: tuple[str, ...] = ()) -> Path:
    """Writes a vocabulary as llama.cpp's converter does: escaped, with "<s>" for the id 0, and entries for padding."""
    texts = {0: "<s>"}
    for line in vocabulary.decode().splitlines():
        number, _, rest = line.partition(" ")
        entry = ast.literal_eval(rest.rpartition(" ")[0])
        piece = entry.encode() if isinstance(entry, str) else entry
        texts[int(number)] = repr(piece)[2:-1]
    pieces = [texts.get(id, f"[PAD{id}]") for id in range(SIZE)]
    types = [gguf_files.NORMAL if id in texts else gguf_files.NOT_USED for id in range(SIZE)]
    types[0] = gguf_files.SPECIAL

    def fill(writer: Any) -> None:
        writer.add_tokenizer_model("rwkv")
        writer.add_token_list([*pieces, *extra])
        writer.add_token_types([*types, *[gguf_files.NORMAL] * len(extra)])
        writer.add_bos_token_id(0)
        writer.add_add_bos_token(True)  # which llama.cpp does not do for this kind

    return gguf_files.write(path, fill)


def plain_ids(entries: dict[bytes, int], text: bytes) -> list[int]:
    """Returns the ids by llama.cpp's rule: the longest entry, of any type, at each byte."""
    ids, at = [], 0
    longest = max(map(len, entries))
    while at < len(text):
        size = next(size for size in range(longest, 0, -1) if text[at : at + size] in entries)
        ids.append(entries[text[at : at + size]])
        at += size
    return ids


@pytest.mark.parametrize("seed", range(6))
def test_the_ids_are_those_of_the_vocabulary(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    vocabulary = rwkv_vocabulary(chance)
    listed = tmp_path / "rwkv_vocab.txt"
    listed.write_bytes(vocabulary)
    reference = rwkv.TRIE_TOKENIZER(str(listed))
    tokenizer = tc.open(converted(tmp_path / "small.gguf", vocabulary))
    for _ in range(100):
        text = "".join(chance.choices("abcdeé low日本\n\t\r'\"\\\\😀\0", k=40))
        ids = tokenizer.encode_ids(text)
        assert ids == reference.encode(text)
        assert tokenizer.decode_bytes(ids) == text.encode()
        trace = Trace()
        assert list(tokenizer.encode(text, trace=trace).ids) == ids
        assert trace.replay(text.encode(), []) == ids


def test_entries_of_any_type_are_found(tmp_path: Path) -> None:
    vocabulary = rwkv_vocabulary()
    tokenizer = tc.open(converted(tmp_path / "small.gguf", vocabulary))
    entries = {tokenizer.vocabulary.piece(id): id for id in range(SIZE)}
    for text in ("a<s>b", "[PAD399]x[PAD", "<s", "low[PAD398"):
        for special in ("all", "none"):
            assert tokenizer.encode_ids(text, special=special) == plain_ids(entries, text.encode())
    assert tokenizer.decode([0, *tokenizer.encode_ids("low")]) == "low"
    with pytest.raises(
        tc.ArgumentError, match=r"other than the id 0.*Tokenarium's JSON keeps them"
    ):
        tokenizer.save(tmp_path / "copy.txt", "rwkv")


def test_a_copy_keeps_the_special_tokens(tmp_path: Path) -> None:
    tokenizer = tc.open(converted(tmp_path / "small.gguf", rwkv_vocabulary()))
    copy = tc.open(saved(tokenizer, tmp_path / "copy.json", "tokenarium"))
    assert copy.special_tokens == tokenizer.special_tokens == {"<s>": 0}
    assert dict(copy.vocabulary.items()) == dict(tokenizer.vocabulary.items())
    for text in ("a<s>b", "[PAD399]x[PAD", "low日本é<s><s>"):
        for special in ("all", "none"):
            ids = tokenizer.encode_ids(text, special=special)
            assert copy.encode_ids(text, special=special) == ids
            assert copy.decode(ids) == tokenizer.decode(ids)
    content = json.loads((tmp_path / "copy.json").read_text("utf-8"))
    for special, said in (
        ({"<t>": 0}, "'<t>' is not the entry"),
        ({"<s>": 7}, "entry with the id 7"),
    ):
        content["tokenizer"]["special_tokens"] = special
        content["sha256"] = content_hash(content["tokenizer"])
        write_file(tmp_path / "wrong.json", json.dumps(content))
        with pytest.raises(tc.FormatError, match=said):
            tc.open(tmp_path / "wrong.json")


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("a\\\\x6", "incomplete escape"),
        ("a\\\\xAB", "incomplete escape"),
        ("end\\\\", "incomplete escape"),
        ("\\\\x61bc", "are both b'abc'"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, entry: str, said: str) -> None:
    path = converted(tmp_path / "wrong.gguf", rwkv_vocabulary(), (entry.replace("\\\\", "\\"),))
    with pytest.raises(tc.FormatError, match=rf"wrong\.gguf.* {SIZE} .*{said}"):
        tc.open(path)


def test_a_byte_without_an_entry(tmp_path: Path) -> None:
    path = converted(tmp_path / "wrong.gguf", b"1 'a' 1\n2 'b' 1\n3 'ab' 2\n")
    with pytest.raises(tc.FormatError, match="no entry for the byte 0x00"):
        tc.open(path)
