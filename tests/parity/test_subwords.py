"""TensorFlow Datasets' ``.subwords`` against its rule, written again from ``subword_text_encoder.py``."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from other_files import subwords

import tokenarium_core as tc
from tokenarium_core.formats.opening import is_tokenizer
from tokenarium_core.formats.subwords_format import read_subwords
from tokenarium_core.trace import Trace

ESCAPE = "\\&undsc"
RESERVED = ("<EOS>", "a-b", "<s_1>", "x y")


class Rule:
    """What the library does, step by step, for a file."""

    def __init__(self, content: bytes) -> None:
        lines = content.decode().split("\n")[2:-1]
        self.subwords = [line[1:-1] for line in lines if line[1:-1]]
        self.ids = {subword: id for id, subword in enumerate(self.subwords)}
        mixed = {one for one in self.subwords if len([*filter(None, re.split(r"(\W+)", one))]) > 1}
        self.first = re.compile(f"({'|'.join(map(re.escape, [ESCAPE, *mixed]))})")
        self.kept = {ESCAPE, *mixed}

    def encode(self, text: str) -> list[int]:
        tokens: list[str] = []
        for part in self.first.split(text):
            tokens += [part] if part in self.kept else re.split(r"(\W+)", part)
        tokens = [token for token in tokens if token]
        ids: list[int] = []
        at = 0
        while at < len(tokens):
            followed = tokens[at + 1 : at + 2] == [" "]
            if tokens[at] == ESCAPE:
                assert not followed
                ids += [*self.token(ESCAPE[:2]), *self.token(ESCAPE[2:])]
            else:
                ids += self.token(tokens[at].replace("_", ESCAPE) + "_" * followed)
            at += 1 + followed
        return [id + 1 for id in ids]

    def token(self, token: str) -> list[int]:
        ids: list[int] = []
        at = 0
        while at < len(token):
            ends = range(len(token), at, -1)
            found = next((end for end in ends if token[at:end] in self.kept_or_ids), at + 1)
            subword = token[at:found]
            if subword == ESCAPE:
                ids.append(len(self.subwords) + ord("_"))
            elif subword in self.ids:
                ids.append(self.ids[subword])
            else:
                sign = " " if subword == "_" else subword
                ids += [len(self.subwords) + byte for byte in sign.encode()]
            at = found
        return ids

    @property
    def kept_or_ids(self) -> set[str]:
        return {ESCAPE, *self.ids}


def check(tokenizer: tc.Tokenizer, rule: Rule, text: str) -> None:
    ids = tokenizer.encode_ids(text)
    assert ids == rule.encode(text), text
    assert tokenizer.decode(ids) == text
    trace = Trace()
    assert list(tokenizer.encode(text, trace=trace).ids) == ids
    assert trace.replay(text.encode(), []) == ids


def opened(folder: Path, content: bytes) -> tuple[tc.Tokenizer, Rule]:
    path = folder / "x.subwords"
    path.write_bytes(content)
    assert is_tokenizer(path)
    return tc.open(path), Rule(content)


SIGNS = ["a", "b", "é", "日", "_", "__", " ", " ", "  ", ",", "-", "the", "low", "x y", "<EOS>", "a-b", "<s_1>", "\n", "☃", "٣", "\\"]  # fmt: skip


@pytest.mark.parametrize("reserved", [(), RESERVED])
@pytest.mark.parametrize("seed", range(5))
def test_random_texts(tmp_path: Path, seed: int, reserved: tuple[str, ...]) -> None:
    chance = random.Random(seed)
    tokenizer, rule = opened(tmp_path, subwords(chance, reserved))
    for _ in range(150):
        check(tokenizer, rule, "".join(chance.choices(SIGNS, k=20)))


def test_texts(tmp_path: Path, texts: dict[str, str]) -> None:
    tokenizer, rule = opened(tmp_path, subwords())
    for text in texts.values():
        check(tokenizer, rule, text[:1500])


def test_the_spelling_of_an_underscore_in_a_text(tmp_path: Path) -> None:
    tokenizer, rule = opened(tmp_path, subwords(None, RESERVED))
    for text in (
        ESCAPE,
        f"a{ESCAPE}x b",
        f"{ESCAPE}, b",
        f"{ESCAPE}{ESCAPE}",
        "\\&und sc",
        "\\ &undsc",
    ):
        check(tokenizer, rule, text)


def test_ids_begin_behind_padding_and_end_with_bytes(tmp_path: Path) -> None:
    tokenizer, rule = opened(tmp_path, subwords(None, ()))
    assert tokenizer.encode_ids("the ") == [1]
    assert tokenizer.encode_ids("!") == [len(rule.subwords) + 1 + ord("!")]
    assert len(tokenizer.vocabulary) == len(rule.subwords) + 257
    assert tokenizer.vocabulary.kind(0) == "unused"
    assert tokenizer.encode_ids("_") == [len(rule.subwords) + 1 + ord("_")]


def test_the_last_of_equal_subwords_counts_and_single_characters_are_subwords(
    tmp_path: Path,
) -> None:
    head = b"### SubwordTextEncoder\n### Metadata: {}\n"
    tokenizer, rule = opened(tmp_path, head + b"'the'\n'a'\n'the'\n'.\n'\n'b_'\n")
    for text in ("the a", "b the", "bb a."):
        check(tokenizer, rule, text)
    assert tokenizer.encode_ids("the") == [3] == [tokenizer.get_vocab()["the"]]
    assert tokenizer.vocabulary.kind(1) == "unused"
    assert tokenizer.encode_ids("b ") == [4]  # the subword with a line feed is gone


def test_a_copy_is_the_same(tmp_path: Path) -> None:
    tokenizer, rule = opened(tmp_path, subwords(random.Random(1), RESERVED))
    for name, format in (("copy.json", "tokenarium"), ("copy.subwords", "tfds-subwords")):
        tokenizer.save(tmp_path / name, format)
        copy = tc.open(tmp_path / name)
        for text in ("the low a_b, <EOS> x y", "日本 é日 <s_1> "):
            check(copy, rule, text)
    assert (tmp_path / "copy.subwords").read_bytes() == (tmp_path / "x.subwords").read_bytes()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"### TokenTextEncoder\n'a'\n", "x.subwords does not begin with"),
        (b"### SubwordTextEncoder\n", "x.subwords has no subwords"),
        (b"### SubwordTextEncoder\n'the_'", "x.subwords ends within a line"),
        (b"### SubwordTextEncoder\n'\xff'\n", "Line 2 of x.subwords is not UTF-8"),
        (b"### SubwordTextEncoder\n'ab'\n'_'\n", "Line 3 of x.subwords has the subword '_': it is a space"),
        (b"### SubwordTextEncoder\n'ab'\n' '\n", "Line 3 of x.subwords has the subword ' ': it is a space"),
        (b"### SubwordTextEncoder\n'ab\\&un'\n", "it ends within \\&undsc"),
        (b"### SubwordTextEncoder\n'a b_'\n'a b '\n", "it is the text of 'a b_', which an earlier line has"),
        (b"### SubwordTextEncoder\n" + b"".join(b"'a-%d'\n" % id for id in range(1001)), "1,001 subwords of both"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(content: bytes, said: str) -> None:
    with pytest.raises(tc.FormatError) as refused:
        read_subwords(content, "x.subwords")
    assert said in str(refused.value)
