"""Codes of subword-nmt against its ``BPE``; those of fastBPE have the same rule, and a count in each line."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest
from other_files import subword_codes
from trace_law import ids_by_law

import tokenarium_core as tc
from tokenarium_core.formats.format import TokenizerFile
from tokenarium_core.formats.registry import FORMATS

apply_bpe = pytest.importorskip("subword_nmt.apply_bpe")
UNKNOWN = "<unk>"


def parts_of(tokenizer: tc.Tokenizer, line: str) -> list[str]:
    """Returns the parts of the words of a line as subword-nmt writes them."""
    encoding = tokenizer.encode(line)
    offsets = encoding.offsets
    found = []
    for number, (id, (start, stop)) in enumerate(zip(encoding.ids, offsets, strict=True)):
        entry = tokenizer.vocabulary.surface(id)
        if entry == UNKNOWN:
            ends = number + 1 == len(offsets) or offsets[number + 1][0] > stop
            entry = line[start:stop]
        else:
            ends = entry.endswith("</w>")
            entry = entry.removesuffix("</w>")
        found.append(entry if ends else f"{entry}@@")
    return found


def check(tokenizer: tc.Tokenizer, reference: apply_bpe.BPE, line: str) -> None:
    assert parts_of(tokenizer, line) == reference.segment_tokens(line.strip("\r\n ").split(" "))


def opened(folder: Path, content: bytes) -> tuple[tc.Tokenizer, apply_bpe.BPE]:
    (folder / "x.codes").write_bytes(content)
    return tc.open(folder / "x.codes"), apply_bpe.BPE(io.StringIO(content.decode()))


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_random_lines(tmp_path: Path, seed: int, apart: bool) -> None:
    chance = random.Random(seed)
    tokenizer, reference = opened(tmp_path, subword_codes(chance, apart))
    signs = ["a", "b", "c", "é", "日", " ", "  ", "\t", "x", "☃", "</w>", "@@"]
    for _ in range(200):
        check(tokenizer, reference, "".join(chance.choices(signs, k=25)))


@pytest.mark.parametrize("apart", [False, True])
def test_texts(tmp_path: Path, texts: dict[str, str], apart: bool) -> None:
    tokenizer, reference = opened(tmp_path, subword_codes(None, apart))
    for text in texts.values():
        for line in text.splitlines()[:20]:
            check(tokenizer, reference, line)


def test_merges_of_other_orders(tmp_path: Path) -> None:
    """Codes that no corpus makes, in which ends merge late or never."""
    for seed in range(40):
        chance = random.Random(seed)
        symbols = ["a", "b", "c", "</w>"]
        lines = []
        for _ in range(12):
            left = chance.choice([symbol for symbol in symbols if "</w>" not in symbol])
            right = chance.choice(symbols)
            lines.append(f"{left} {right}")
            symbols.append(left + right)
        content = "\n".join(["#version: 0.1", *lines]).encode()
        tokenizer, reference = opened(tmp_path, content)
        for _ in range(60):
            line = "".join(chance.choices("aabbccd ", k=14))
            check(tokenizer, reference, line)
            ids_by_law(tokenizer, line)


def test_the_end_of_a_word_apart(tmp_path: Path) -> None:
    content = b"l o\ne </w>\nw e</w>\nlo we</w>\n" + b"a b\n" * 6
    tokenizer, reference = opened(tmp_path, content)  # without a first line, as 0.1 was written
    assert reference.version == (0, 1)
    check(tokenizer, reference, "lowe lo lowa e \U000f0000 x\U000f0000\U000f0001 </w>")
    encoding = tokenizer.encode("lowe  lo\nx")
    assert encoding.tokens == ["lowe</w>", "lo</w>", "<unk>"]
    assert list(encoding.offsets) == [(0, 4), (6, 8), (9, 10)]
    assert tokenizer.decode(tokenizer.encode_ids(" lowe  lo\n")) == "lowe lo"
    long = "lo" * 5000
    check(tokenizer, reference, f"{long} {long}we")
    tokenizer.save(tmp_path / "copy.json", "tokenarium")
    copy = tc.open(tmp_path / "copy.json")
    check(copy, reference, "lowe lo ab abx")
    assert copy.get_vocab() == tokenizer.get_vocab()
    tokenizer.save(tmp_path / "copy.codes", "subword-nmt")
    assert (tmp_path / "copy.codes").read_bytes() == content
    with pytest.raises(tc.ArgumentError):
        tokenizer.save(tmp_path / "tokenizer.json", "huggingface")


def test_merges_before_their_parts(tmp_path: Path) -> None:
    """A pair is merged everywhere at once by subword-nmt, which shows only in an order that is never learned."""
    learned, early = (
        b"#version: 0.2\na b\nab a\nab c</w>\n",
        b"#version: 0.2\nab a\na b\nab c</w>\n",
    )
    for content, exact in ((learned, True), (early, False)):
        tokenizer, reference = opened(tmp_path, content + b"x y</w>\n" * 6)
        told = [row.value for row in tokenizer.details if row.name == "not exact"]
        assert len(told) == (not exact)
        same = parts_of(tokenizer, "ababc") == reference.segment_tokens(["ababc"])
        assert same == exact, "where this fails, the row can go"


def test_fastbpe_has_the_same_rule(tmp_path: Path) -> None:
    tokenizer, reference = opened(tmp_path, subword_codes())
    lines = subword_codes().decode().splitlines()[1:]
    counted = "".join(f"{line} {900 - number}\n" for number, line in enumerate(lines))
    (tmp_path / "fast.codes").write_text(counted)
    same = tc.open(tmp_path / "fast.codes")
    assert same.get_vocab() == tokenizer.get_vocab()
    for line in ("low lower lowest", "ab é日 bx", ""):
        check(same, reference, line)
    assert {detail.group for detail in same.details} == {"fastBPE"}


def test_words_come_back(tmp_path: Path) -> None:
    tokenizer, _ = opened(tmp_path, subword_codes())
    ids = tokenizer.encode_ids("  low  lower\r\nlowest ")
    assert tokenizer.decode(ids) == "low lower lowest"
    assert tokenizer.encode_ids("low\nlow") == tokenizer.encode_ids("low low")
    assert tokenizer.encode_ids("☃low")[0] == tokenizer.get_vocab()[UNKNOWN] == 0


def test_a_copy_is_the_same(tmp_path: Path) -> None:
    tokenizer, reference = opened(tmp_path, subword_codes(random.Random(1)))
    for name, format in (("x.json", "tokenarium"), ("tokenizer.json", "huggingface")):
        tokenizer.save(tmp_path / name, format)
        copy = tc.open(tmp_path / name)
        check(copy, reference, "abcabé 日日x ba")
        assert copy.get_vocab() == tokenizer.get_vocab()


@pytest.mark.parametrize(
    ("line", "with_", "said"),
    [
        (1, "#version: 0.3", "has codes of version '0.3': those of 0.1 and 0.2 are read"),
        (1, "#version: x", "has codes of version 'x'"),
        (3, "a", "Line 3 of x.codes is not two parts of words"),
        (3, "a b 5", "Line 3 of x.codes is not two parts of words"),
        (3, "a  b", "Line 3 of x.codes is not two parts of words"),
        (3, "", "Line 3 of x.codes is not two parts of words"),
        (3, "a </w>", "Line 3 of x.codes has </w> elsewhere than at the end of a word"),
        (3, "a</w> b", "Line 3 of x.codes has </w> elsewhere than at the end of a word"),
        (2, "a b 5", "Line 3 of x.codes is not two parts of words and a count"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(
    tmp_path: Path, line: int, with_: str, said: str
) -> None:
    lines = subword_codes().decode().splitlines()
    lines[line - 1] = with_
    file = TokenizerFile(tmp_path / "x.codes", "\n".join(lines).encode(), "x")
    with pytest.raises(tc.FormatError) as refused:
        FORMATS["subword-nmt"].read(file)
    assert said in str(refused.value)


def test_merges_of_a_pair_are_none(tmp_path: Path) -> None:
    """GPT-2's and CLIP's merges need their vocabulary beside, and are known by their names."""
    path = tmp_path / "merges.txt"
    path.write_bytes(subword_codes())
    with pytest.raises(tc.TokenariumError, match=r"vocab\.json"):
        tc.open(path)
