"""llama2.c's tokenizer.bin against ``encode`` and ``decode`` of its run.c (karpathy/llama2.c), written again."""

from __future__ import annotations

import random
import re
import struct
from pathlib import Path

import pytest
from other_files import llama2c_bin, llama2c_entries

import tokenarium_core as tc
from tokenarium_core.explaining.why import why_not
from tokenarium_core.trace import Trace


class RunC:
    def __init__(self, entries: list[tuple[float, str]]) -> None:
        self.scores = [struct.unpack("<f", struct.pack("<f", score))[0] for score, _ in entries]
        self.texts = [text for _, text in entries]
        self.ids = {text: id for id, text in enumerate(self.texts)}

    def encode(self, text: str) -> list[int]:
        tokens: list[int] = []
        if text:
            tokens.append(self.ids[" "])
        for character in text:
            id = self.ids.get(character, -1)
            tokens += [id] if id >= 0 else [byte + 3 for byte in character.encode()]
        while True:
            best_score, best_id, best_at = -1e10, -1, -1
            for at in range(len(tokens) - 1):
                id = self.ids.get(self.texts[tokens[at]] + self.texts[tokens[at + 1]], -1)
                if id >= 0 and self.scores[id] > best_score:
                    best_score, best_id, best_at = self.scores[id], id, at
            if best_at < 0:
                return tokens
            tokens[best_at : best_at + 2] = [best_id]

    def decode(self, tokens: list[int]) -> bytes:
        """What the program prints of the tokens after the first, which is BOS."""
        printed = []
        for before, token in zip([1, *tokens], tokens, strict=False):
            piece = self.texts[token]
            if before == 1 and piece.startswith(" "):
                piece = piece[1:]
            byte = re.match(r"<0x([0-9a-fA-F]{1,2})", piece)
            printed.append(bytes([int(byte[1], 16)]) if byte else piece.encode())
        return b"".join(printed)


def opened(folder: Path, entries: list[tuple[float, str]]) -> tuple[tc.Tokenizer, RunC]:
    (folder / "tokenizer.bin").write_bytes(llama2c_bin(entries))
    return tc.open(folder), RunC(entries)


def check(tokenizer: tc.Tokenizer, reference: RunC, text: str) -> None:
    ids = tokenizer.encode_ids(text)
    assert ids == reference.encode(text)
    assert tokenizer.decode_bytes(ids) == reference.decode(ids) == text.encode()
    trace = Trace()
    encoding = tokenizer.encode(text, trace=trace)
    assert list(encoding.ids) == ids
    data = encoding.text.data[: encoding.text.size]
    assert trace.replay(data, []) == ids


@pytest.mark.parametrize("seed", range(12))
def test_random_texts(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    tokenizer, reference = opened(tmp_path, llama2c_entries(chance))
    for _ in range(150):
        check(tokenizer, reference, "".join(chance.choices("aabbé  日\n本x▁😀", k=30)))


def test_texts(tmp_path: Path, texts: dict[str, str]) -> None:
    tokenizer, reference = opened(tmp_path, llama2c_entries())
    for text in texts.values():
        check(tokenizer, reference, text[:150])
    for text in ("", " ", "  ", "low", " low", "<s>", "<0x41>", "<unk>", "▁low"):
        check(tokenizer, reference, text)
    assert tokenizer.decode_bytes([1, *tokenizer.encode_ids("low"), 2]) == b"low\n</s>\n"
    assert tokenizer.ends.bos == [1]
    assert tokenizer.ends.eos == [2]


def test_a_long_text(tmp_path: Path) -> None:
    chance = random.Random(5)
    tokenizer, reference = opened(tmp_path, llama2c_entries(chance))
    words = ["".join(chance.choices("abé日x", k=chance.randint(1, 9))) for _ in range(40)]
    text = "\n".join(chance.choices(words, k=3000))
    lines = [tokenizer.encode_ids("a\n" + line)[2:] for line in words]
    assert tokenizer.decode_bytes(tokenizer.encode_ids(text)) == text.encode()
    assert all(lines)
    check(tokenizer, reference, text[:400])


def test_a_copy_is_the_same(tmp_path: Path) -> None:
    entries = llama2c_entries(random.Random(2))
    tokenizer, reference = opened(tmp_path, entries)
    for name, format in (("x.json", "tokenarium"), ("x.bin", "llama2.c")):
        tokenizer.save(tmp_path / name, format)
        copy = tc.open(tmp_path / name)
        for text in ("", "aab é日 ☃", "a" * 50):
            check(copy, reference, text)
        assert copy.get_vocab() == tokenizer.get_vocab()
    assert (tmp_path / "x.bin").read_bytes() == llama2c_bin(entries)
    for format in ("huggingface", "sentencepiece", "tiktoken", "gpt2"):
        with pytest.raises(tc.ArgumentError):
            tokenizer.save(tmp_path / "y", format)


def test_why_a_string_is_not_one_token(tmp_path: Path) -> None:
    tokenizer, _ = opened(tmp_path, llama2c_entries())
    assert why_not(tokenizer, "a low", 1, 5).is_one
    assert not why_not(tokenizer, "lowxl", 3, 5).is_one


def changed(at: int, score: float, text: str) -> list[tuple[float, str]]:
    entries = llama2c_entries()
    entries[at] = (score, text)
    return entries


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (llama2c_bin()[:-1], "ends too early, in the entry"),
        (llama2c_bin()[:2500], "ends too early, in the entry"),
        (llama2c_bin() + b"\0\0", "ends too early, in the entry"),
        (llama2c_bin(changed(4, 0, "<0x02>")), "the entry 4 is not <0x01>"),
        (llama2c_bin(llama2c_entries()[:200]), "is not <0xC5>"),
        (llama2c_bin(changed(260, -1, "low<0x4")), "the entry 260, 'low<0x4', is made of"),
        (llama2c_bin([*changed(260, -1, "<0"), (-9, "x41>")]), "'<0x41>', is made of characters"),
        (llama2c_bin(changed(260, float("nan"), "lo")), "the entry 260 has the score nan"),
        (llama2c_bin(changed(260, -1e11, "lo")), "the entry 260 has the score -"),
        (llama2c_bin([*llama2c_entries(), (-9, "é")]), "are the same text, 'é'"),
        (
            llama2c_bin([*llama2c_entries(), (-9, "éw☃")]),
            "the character '☃', which is not an entry",
        ),
        (llama2c_bin([*llama2c_entries(), (-9, "")]), "is empty, or has a zero byte"),
        (llama2c_bin([one for one in llama2c_entries() if one[1] != " "]), "no entry of one space"),
        (b"\x07" + llama2c_bin()[1:-1] + b"\xff", "has 9 bytes, and the longest has 7"),
        (b"\x05\0\0\0<unk>\x05\0\0\0\n<s>\n\x06", "of the first version of llama2.c, without"),
    ],
)
def test_what_is_wrong_is_said_with_the_entry(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "tokenizer.bin").write_bytes(content)
    with pytest.raises(tc.FormatError) as refused:
        tc.open(tmp_path / "tokenizer.bin")
    assert said in str(refused.value)
