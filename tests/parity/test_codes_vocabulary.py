"""A vocabulary beside BPE codes: the parts are those of subword-nmt, and the ids those of XLM's rule, written again here."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest
from other_files import subword_codes
from trace_law import ids_by_law

import tokenarium_core as tc
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.codes_vocabulary import read_vocabulary
from tokenarium_core.trace import UNMERGE, Trace

apply_bpe = pytest.importorskip("subword_nmt.apply_bpe")
get_vocab = pytest.importorskip("subword_nmt.get_vocab")

SPECIAL = ["<s>", "</s>", "<pad>", "<unk>", *[f"<special{number}>" for number in range(10)]]
SIGNS = ["a", "b", "c", "é", "日", " ", "  ", "x", "☃", "lo", "we", "low", "est "]


def counted(codes: bytes, lines: list[str]) -> bytes:
    """Returns the vocabulary that subword-nmt counts in lines that are cut by codes."""
    cutter = apply_bpe.BPE(io.StringIO(codes.decode()))
    written = io.StringIO()
    get_vocab.get_vocab(io.StringIO("\n".join(cutter.segment(line) for line in lines)), written)
    return written.getvalue().encode()


def plain_ids(vocabulary: bytes) -> dict[str, int]:
    """Returns what XLM's ``Dictionary.read_vocab`` makes of a file, from its source."""
    ids = {entry: id for id, entry in enumerate(SPECIAL)}
    skipped = 0
    for number, line in enumerate(io.StringIO(vocabulary.decode())):
        parts = line.rstrip().split()
        if "\u2028" in line or len(parts) != 2 or parts[0] in ids:
            skipped += 1
            continue
        ids[parts[0]] = 4 + 10 + number - skipped
    return ids


class Pair:
    """The tokenizer of a vocabulary and codes in a folder, and their references."""

    def __init__(
        self,
        folder: Path,
        codes: bytes,
        vocabulary: bytes,
        names: tuple[str, str] = ("vocab", "codes"),
    ) -> None:
        folder.mkdir(exist_ok=True)
        (folder / names[0]).write_bytes(vocabulary)
        (folder / names[1]).write_bytes(codes)
        self.tokenizer = tc.open(folder / names[0])
        known = apply_bpe.read_vocabulary(io.StringIO(vocabulary.decode()), None)
        self.reference = apply_bpe.BPE(io.StringIO(codes.decode()), vocab=known)
        self.ids = plain_ids(vocabulary)

    def check(self, line: str, tokenizer: tc.Tokenizer | None = None) -> None:
        parts = self.reference.segment_tokens(line.strip("\r\n ").split(" "))
        encoding = (tokenizer or self.tokenizer).encode(line)
        assert list(encoding.ids) == [self.ids.get(part, 3) for part in parts], line
        texts = [line[start:stop] for start, stop in encoding.offsets]
        assert texts == [part.removesuffix("@@") for part in parts], line


def pair_of(folder: Path, seed: int) -> Pair:
    """Returns a pair whose vocabulary lacks some of the parts."""
    chance = random.Random(seed)
    codes = subword_codes(chance)
    lines = ["".join(chance.choices(SIGNS, k=30)) for _ in range(60)]
    rows = counted(codes, lines).splitlines(keepends=True)
    return Pair(folder, codes, b"".join(row for row in rows if chance.random() < 0.7))


@pytest.mark.parametrize("seed", range(8))
def test_random_lines(tmp_path: Path, seed: int) -> None:
    pair = pair_of(tmp_path, seed)
    chance = random.Random(seed + 100)
    splits = 0
    for _ in range(150):
        line = "".join(chance.choices(SIGNS, k=25))
        pair.check(line)
        ids_by_law(pair.tokenizer, line)
        trace = Trace()
        pair.tokenizer.encode(line, trace=trace)
        splits += sum(kind == UNMERGE for kind in trace.kinds)
    assert splits > 0
    pair.tokenizer.save(tmp_path / "copy.json", "tokenarium")
    copy = tc.open(tmp_path / "copy.json")
    for _ in range(30):
        pair.check("".join(chance.choices(SIGNS, k=25)), copy)


def test_parts_are_split_until_the_vocabulary_has_them(tmp_path: Path) -> None:
    codes = b"#version: 0.2\nl o\nlo w\nlow e\nlowe r</w>\nlow er</w>\ne r</w>\nx y</w>\na b\n"
    rows = ["er", "low@@", "lo@@", "w@@", "e@@", "r", "l@@", "ab@@"]
    vocabulary = "".join(f"{row} {90 - number}\n" for number, row in enumerate(rows)).encode()
    pair = Pair(tmp_path, codes, vocabulary)
    for line in ("lower", "lowers lo low e ab abx xy", "l r rr", ""):
        pair.check(line)
    assert pair.tokenizer.encode("lower").tokens == ["low@@", "e@@", "r"]
    assert pair.tokenizer.decode(pair.tokenizer.encode_ids("lower  er\n")) == "lower er"
    assert len(pair.tokenizer.vocabulary) == 14 + len(rows)
    assert pair.tokenizer.special_tokens["<unk>"] == 3


def test_lines_that_xlm_skips(tmp_path: Path) -> None:
    vocabulary = b"a@@ 9\nb 8\na@@ 7\n<s> 6\nab 4\nc 3\nd 2\ne 2\nf 2\ng 1\n"
    pair = Pair(tmp_path, b"#version: 0.2\n" + b"a b</w>\n" * 9, vocabulary)
    assert pair.ids["ab"] == 16
    pair.check("ab ba c")
    skipped = "a@@ 9\n\nb\u2028 8\nc d 5\nb 7\r\n"
    assert plain_ids(skipped.encode()) == read_vocabulary(skipped.encode(), "vocab")
    with pytest.raises(FormatError, match="Line 2 of vocab"):
        read_vocabulary(b"a 5\nb x\n", "vocab")


@pytest.mark.parametrize(
    ("names", "others"),
    [
        (("vocab.de", "codes.de"), ["codes.en"]),
        (("vocab_xnli_15", "codes_xnli_15"), []),
        (("my.vocab", "bpe.codes"), []),
    ],
)
def test_the_codes_are_found_by_name(
    tmp_path: Path, names: tuple[str, str], others: list[str]
) -> None:
    codes = subword_codes()
    for other in others:
        (tmp_path / other).write_bytes(codes)
    pair = Pair(
        tmp_path, codes, counted(codes, ["low lower lowest abc"] * 3 + ["a b c d e f g"]), names
    )
    pair.check("low lower lowest")
    assert pair.tokenizer.source.format == "subword-nmt"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "and there is none"),
        ({"a.codes": b"a b</w>\n" * 9, "b.codes": b"a b</w>\n" * 9}, "several of them are there"),
        (
            {"codes": b"#version: 0.1\na </w>\n"},
            "codes of version 0.1, which are read only without",
        ),
        ({"codes": b"a b\nc\n"}, "Line 2 of codes is not two parts"),
    ],
)
def test_what_is_refused(tmp_path: Path, files: dict[str, bytes], said: str) -> None:
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "vocab").write_bytes(b"".join(b"%c@@ 9\n" % sign for sign in b"abcdefgh"))
    with pytest.raises(FormatError, match=said):
        tc.open(tmp_path / "vocab")
