"""minbpe's models against the rules of its code (``minbpe/base.py`` and ``regex.py`` of karpathy/minbpe), written again.

minbpe is on no package index.
"""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest
import regex
from naive_merges import merged
from other_files import GPT4, minbpe_model

import tokenarium_core as tc
from tokenarium_core.trace import Trace

GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


class Minbpe:
    """What ``load``, ``encode_ordinary``, ``encode`` and ``decode`` do; the pattern is the file's.

    ``RegexTokenizer.load`` takes the pattern of the file and goes on cutting by that of its constructor.
    """

    def __init__(self, content: bytes) -> None:
        lines = content.decode().splitlines()
        self.pattern, count = lines[1], int(lines[2])
        self.special = {}
        for line in lines[3 : 3 + count]:
            name, id = line.split()
            self.special[name] = int(id)
        self.merges = {}
        for made, line in enumerate(lines[3 + count :], 256):
            left, right = map(int, line.split())
            self.merges[left, right] = made
        self.pieces = {byte: bytes([byte]) for byte in range(256)}
        for (left, right), made in self.merges.items():
            self.pieces[made] = self.pieces[left] + self.pieces[right]
        self.pieces |= {id: name.encode() for name, id in self.special.items()}

    def ids(self, text: str) -> list[int]:
        chunks = regex.findall(self.pattern, text) if self.pattern else [text]
        found: list[int] = []
        for chunk in chunks:
            ids = list(chunk.encode())
            while len(ids) >= 2:
                pairs = set(itertools.pairwise(ids))
                pair = min(pairs, key=lambda one: self.merges.get(one, float("inf")))
                if pair not in self.merges:
                    break
                ids = merged(ids, pair, self.merges[pair])
            found += ids
        return found

    def ids_with_special(self, text: str) -> list[int]:
        parts = regex.split("(" + "|".join(map(regex.escape, self.special)) + ")", text)
        return [
            id
            for part in parts
            for id in ([self.special[part]] if part in self.special else self.ids(part))
        ]


def opened(folder: Path, content: bytes) -> tuple[tc.Tokenizer, Minbpe]:
    (folder / "m.model").write_bytes(content)
    return tc.open(folder / "m.model"), Minbpe(content)


def check(tokenizer: tc.Tokenizer, reference: Minbpe, text: str) -> None:
    ids = tokenizer.encode_ids(text)
    assert ids == reference.ids(text)
    assert tokenizer.decode_bytes(ids) == text.encode()
    assert tokenizer.encode_ids(text, special="all") == reference.ids_with_special(text)
    trace = Trace()
    assert list(tokenizer.encode(text, trace=trace).ids) == ids
    assert trace.replay(text.encode(), tokenizer.model.byte_symbols()) == ids


@pytest.mark.parametrize("pattern", [GPT4, GPT2, ""])
@pytest.mark.parametrize("seed", range(6))
def test_random_texts(tmp_path: Path, seed: int, pattern: str) -> None:
    chance = random.Random(seed)
    tokenizer, reference = opened(tmp_path, minbpe_model(chance, pattern))
    for _ in range(60):
        check(tokenizer, reference, "".join(chance.choices("abéab  \n'1x", k=40)))
    check(tokenizer, reference, "ab<|end|>é a<|pad|><|en")


def test_texts(tmp_path: Path, texts: dict[str, str]) -> None:
    tokenizer, reference = opened(tmp_path, minbpe_model())
    for text in texts.values():
        check(tokenizer, reference, text[:3000])


@pytest.mark.parametrize("pattern", [GPT4, ""])
@pytest.mark.parametrize("twice", [False, True])
def test_a_copy_is_the_same(tmp_path: Path, twice: bool, pattern: str) -> None:
    """Where two merges make the same bytes, these are two entries, which only this file and ours can hold."""
    extra = ("97 98", "98 99", "286 99", "97 287") if twice else ()
    content = minbpe_model(None, pattern, extra)
    tokenizer, reference = opened(tmp_path, content)
    if twice:
        assert [tokenizer.vocabulary.piece(id) for id in (288, 289)] == [b"abc", b"abc"]
        assert 289 in tokenizer.encode_ids("babcc abcc") or 288 in tokenizer.encode_ids("abc")
    assert tokenizer.special_tokens == {"<|end|>": 500, "<|pad|>": 301}
    text = "abc bcab aabcc low lower <|end|>"
    for name, format in (("x.json", "tokenarium"), ("x.model", "minbpe")):
        tokenizer.save(tmp_path / name, format)
        copy = tc.open(tmp_path / name)
        check(copy, reference, text)
        assert copy.get_vocab() == tokenizer.get_vocab()
    assert (tmp_path / "x.model").read_bytes() == content
    if twice:
        for format in ("gpt2", "tiktoken", "huggingface"):
            with pytest.raises(tc.ArgumentError, match="Two entries have the same bytes"):
                tokenizer.save(tmp_path / "y", format)


@pytest.mark.parametrize(
    ("line", "with_", "said"),
    [
        (1, b"", "ends too early"),
        (3, b"many", "Line 3 of m.model is 'many', where the number of special tokens"),
        (3, b"99", "ends too early, after line 35: it names 99 special tokens"),
        (4, b"<|end|>", "Line 4 of m.model is not a special token and its id"),
        (5, b"<|end|> 7000", "Line 5 of m.model has a special token or an id that an earlier"),
        (5, b"<|pad|> 500", "Line 5 of m.model has a special token or an id that an earlier"),
        (5, b"<|end|>x 301", "has the special token '<|end|>' before '<|end|>x'"),
        (5, b"<|pad|> 256", "has the id 256, which another entry already has"),
        (5, b"<|pad|> 99999999", "has the id 99999999, which is out of range"),
        (6, b"1", "Line 6 of m.model is not a merge, which is two ids"),
        (6, b"", "Line 6 of m.model is not a merge, which is two ids"),
        (6, b"1 256", "Line 6 of m.model merges the id 256, which no line before it makes"),
        (6, b"1 9999999999999999999999", "Line 6 of m.model is not a merge"),
        (35, b"0 0\n0 0", "Line 36 of m.model repeats an earlier merge"),
        (35, b"\xff", "Line 35 of m.model is not UTF-8"),
        (2, b"(a)|.", "Line 2 of m.model is a pattern with groups"),
        (2, b"[", "Line 2 of m.model: "),
    ],
)
def test_what_is_wrong_is_said_with_its_line(
    tmp_path: Path, line: int, with_: bytes, said: str
) -> None:
    lines = minbpe_model(None, GPT4, ()).splitlines()
    assert len(lines) == 35
    content = b"\n".join([*lines[: line - 1], with_, *lines[line:]]) if line > 1 else b"minbpe v1\n"
    (tmp_path / "m.model").write_bytes(content)
    with pytest.raises(tc.FormatError) as refused:
        tc.open(tmp_path / "m.model")
    assert said in str(refused.value)


def test_a_pattern_that_may_match_nothing(tmp_path: Path) -> None:
    """``findall`` goes on after an empty match, tiktoken fails at it."""
    tokenizer, reference = opened(tmp_path, minbpe_model(None, r"\p{L}+|[^\s\p{L}]*|\s"))
    for text in ("low\n low", " a1 ", "\n\n"):
        check(tokenizer, reference, text)
    tokenizer.save(tmp_path / "x.json", "tokenarium")
    check(tc.open(tmp_path / "x.json"), reference, "low\n low 1")
    with pytest.raises(tc.ArgumentError, match="Its pattern may match the empty string"):
        tokenizer.save(tmp_path / "x.tiktoken", "tiktoken")


def test_entries_that_double_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    merges = [f"{max(255 + n, 0) if n else 97} {max(255 + n, 0) if n else 97}" for n in range(60)]
    content = "\n".join(["minbpe v1", "", "0", *merges])
    (tmp_path / "m.model").write_text(content)
    with pytest.raises(tc.FormatError, match=r"more than 256 MiB at line 3\d"):
        tc.open(tmp_path / "m.model")
