"""YouTokenToMe's models against the rules of its ``bpe.cpp`` (VKCOM/YouTokenToMe), written again.

The package does not build with current compilers and Cython, so it is no requirement of the tests.
"""

from __future__ import annotations

import itertools
import random
import re
from pathlib import Path

import pytest
from other_files import yttm_model

import tokenarium_core as tc
from tokenarium_core.explaining.why import why_not
from tokenarium_core.formats.format import TokenizerFile
from tokenarium_core.formats.registry import FORMATS
from tokenarium_core.trace import Trace

BLANKS = " \t\n\v\f\r▁"


class Yttm:
    def __init__(self, content: bytes) -> None:
        rows = [[int(one) for one in line.split()] for line in content.decode().splitlines()]
        (characters, merges), rest = rows[0], rows[1:]
        self.ids = {chr(code): id for code, id in rest[:characters]}
        self.merges = {
            (left, right): (rank, made)
            for rank, (left, right, made) in enumerate(rest[characters : characters + merges])
        }
        self.unknown, self.pad, self.bos, self.eos = rest[characters + merges]
        self.texts = {id: one for one, id in self.ids.items()}
        for (left, right), (_, made) in self.merges.items():
            self.texts[made] = self.texts[left] + self.texts[right]

    def encode(self, text: str) -> list[int]:
        for blank in BLANKS:
            text = text.replace(blank, " ")
        found: list[int] = []
        for word in text.split(" "):
            if not word:
                continue
            ids = [self.ids["▁"]]
            for known, run in itertools.groupby(word, key=self.ids.__contains__):
                ids += [self.ids[one] for one in run] if known else [-1]
            while True:
                pairs = [
                    (self.merges[pair], at)
                    for at, pair in enumerate(itertools.pairwise(ids))
                    if pair in self.merges
                ]
                if not pairs:
                    break
                (_, made), at = min(pairs)
                ids[at : at + 2] = [made]
            found += [self.unknown if id < 0 else id for id in ids]
        return found

    def decode(self, ids: list[int]) -> str:
        names = {self.unknown: "<UNK>", self.pad: "<PAD>", self.bos: "<BOS>", self.eos: "<EOS>"}
        text = ""
        for number, id in enumerate(ids):
            piece = names.get(id) or self.texts[id]
            text += " " + piece[1:] if piece.startswith("▁") else piece
            if number == 0 and text.startswith(" "):
                text = text[1:]
        return text


def opened(folder: Path, content: bytes) -> tuple[tc.Tokenizer, Yttm]:
    (folder / "m.model").write_bytes(content)
    return tc.open(folder / "m.model"), Yttm(content)


def check(tokenizer: tc.Tokenizer, reference: Yttm, text: str) -> None:
    ids = tokenizer.encode_ids(text)
    assert ids == reference.encode(text)
    assert tokenizer.decode(ids) == reference.decode(ids)
    trace = Trace()
    encoding = tokenizer.encode(text, trace=trace)
    assert list(encoding.ids) == ids
    assert trace.replay(encoding.text.data[: encoding.text.size], []) == ids


@pytest.mark.parametrize("seed", range(12))
def test_random_texts(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    tokenizer, reference = opened(tmp_path, yttm_model(chance))
    for _ in range(150):
        check(tokenizer, reference, "".join(chance.choices("aabbéc 日\t▁本x😀", k=30)))
    for text in ("", " ", "  a", "a  ", "\n\n", "▁", "a\u00a0b", "a\x85b", "a\x1cb", "<UNK>"):
        check(tokenizer, reference, text)
    for text in (f"a{blank}b" for blank in BLANKS):
        check(tokenizer, reference, text)


def test_texts(tmp_path: Path, texts: dict[str, str]) -> None:
    tokenizer, reference = opened(tmp_path, yttm_model())
    for text in texts.values():
        check(tokenizer, reference, text[:1500])
    assert (tokenizer.ends.bos, tokenizer.ends.eos) == ([2], [3])
    assert (
        tokenizer.decode([2, *tokenizer.encode_ids("low the"), 1, 3]) == "<BOS> low the<UNK><EOS>"
    )


def test_spans_are_those_of_the_text(tmp_path: Path) -> None:
    tokenizer, _ = opened(tmp_path, yttm_model())
    text = "  low\t☃☃low "
    encoding = tokenizer.encode(text)
    found = [text[start:stop] for start, stop in encoding.offsets]
    assert "".join(found).split() == ["low", "☃☃low"]


@pytest.mark.parametrize("twice", [False, True])
def test_a_copy_is_the_same(tmp_path: Path, twice: bool) -> None:
    extra = ((",", "."), (".", ","), (",.", ","), (",", ".,")) if twice else ()
    content = yttm_model(None, "1 0 -1 3", extra)
    tokenizer, reference = opened(tmp_path, content)
    for name, format in (("x.json", "tokenarium"), ("x.model", "youtokentome")):
        tokenizer.save(tmp_path / name, format)
        copy = tc.open(tmp_path / name)
        for text in ("", "low,., .,.,., ☃☃ ,.,, x,.,y", "a" * 50):
            check(copy, reference, text)
        assert copy.get_vocab() == tokenizer.get_vocab()
    assert (tmp_path / "x.model").read_bytes() == content
    for format in ("huggingface", "sentencepiece", "tiktoken", "gpt2"):
        with pytest.raises(tc.ArgumentError):
            tokenizer.save(tmp_path / "y", format)


def test_why_a_string_is_not_one_token(tmp_path: Path) -> None:
    tokenizer, _ = opened(tmp_path, yttm_model())
    assert why_not(tokenizer, "low").is_one
    assert not why_not(tokenizer, "lowx").is_one


@pytest.mark.parametrize(
    ("line", "with_", "said"),
    [
        (1, "2", "Line 1 of m.model is '2', where 2 numbers should be"),
        (1, "900 2", "ends too early, after line"),
        (1, "1 2", "continues after line 5"),
        (2, "44 x", "Line 2 of m.model is '44 x', where 2 numbers should be"),
        (2, "46 4", "Line 3 of m.model repeats a character or an id"),
        (2, "44 5", "Line 3 of m.model repeats a character or an id"),
        (2, "55296 4", "Line 2 of m.model has 55296, which is not a character"),
        (2, "1114112 4", "Line 2 of m.model has 1114112, which is not a character"),
        (2, "44 9999999", "an id that is too large"),
        (2, "44 99999999999", "Line 2 of m.model is '44 99999999999', where"),
        (-2, "5 900 901", "merges an id that no line before it has"),
        (-2, "5 900", "where 3 numbers should be"),
        (-1, "1 0 2", "is not the ids of four special tokens"),
        (-1, "-1 0 2 3", "has no id for <UNK>"),
        (-1, "1 1 2 3", "has one id for two special tokens"),
        (-1, "4 0 2 3", "has the id 4, which another entry already has"),
        (-1, "9999999 0 2 3", "has the id 9999999, which is out of range"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(
    tmp_path: Path, line: int, with_: str, said: str
) -> None:
    lines = yttm_model().decode().splitlines()
    lines[line - 1 if line > 0 else line] = with_
    file = TokenizerFile(tmp_path / "m.model", ("\n".join(lines) + "\n").encode(), "m")
    with pytest.raises(tc.FormatError) as refused:
        FORMATS["youtokentome"].read(file)
    assert said in str(refused.value)


def test_the_id_0_of_an_entry_is_refused(tmp_path: Path) -> None:
    content = yttm_model(special="1 -1 2 3").decode()
    (tmp_path / "m.model").write_text(re.sub(r"\b4\b", "0", content))
    with pytest.raises(tc.FormatError, match="has the id 0 for an entry"):
        tc.open(tmp_path / "m.model")


def test_a_merge_beyond_a_word_is_refused(tmp_path: Path) -> None:
    content = yttm_model(None, extra=(("w", "▁t"),))
    (tmp_path / "m.model").write_bytes(content)
    with pytest.raises(tc.FormatError, match="merges beyond the beginning of a word"):
        tc.open(tmp_path / "m.model")
