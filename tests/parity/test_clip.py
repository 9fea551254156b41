"""CLIP's list of merges and its pair without settings, compared with CLIP's own rule and with transformers."""

from __future__ import annotations

import gzip
import itertools
import random
import unicodedata
from pathlib import Path

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st
from model_folders import TEXTS, Child, folder_of
from other_files import clip_list

import tokenarium_core as tc
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.clip_format import FORMAT, unpacked
from tokenarium_core.formats.format import FileHead, TokenizerFile

REPAIRED = ("Cc", "Cs", "Cn")
"""Controls, which ftfy removes, and what is no character in some version of Unicode."""


class PlainClip:
    """``SimpleTokenizer`` of CLIP and open_clip, from its source, without the repair of a text."""

    PATTERN = (
        r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+"
    )

    def __init__(self, packed: bytes) -> None:
        lines = gzip.decompress(packed).decode().split("\n")[1 : 49152 - 256 - 2 + 1]
        self.merges = [tuple(line.split()) for line in lines if line]
        codes = [*range(33, 127), *range(161, 173), *range(174, 256)]
        bytes_first = codes + [byte for byte in range(256) if byte not in codes]
        extra = itertools.count(256)
        self.letters = {byte: chr(byte if byte in codes else next(extra)) for byte in bytes_first}
        entries = list(self.letters.values())
        entries += [one + "</w>" for one in entries]
        entries += ["".join(merge) for merge in self.merges]
        self.special = ["<|startoftext|>", "<|endoftext|>"]
        self.ids = {entry: id for id, entry in enumerate([*entries, *self.special])}

    def encode(self, text: str) -> list[int]:
        text = regex.sub(r"\s+", " ", unicodedata.normalize("NFC", text)).strip().lower()
        ids: list[int] = []
        for found in regex.findall(self.PATTERN, text, regex.IGNORECASE):
            if found in self.special:
                ids.append(self.ids[found])
                continue
            letters = [self.letters[byte] for byte in found.encode()]
            word = [*letters[:-1], letters[-1] + "</w>"]
            for merge in self.merges:  # each in its turn
                at = 0
                while at + 1 < len(word):
                    if (word[at], word[at + 1]) == merge:
                        word[at : at + 2] = ["".join(merge)]
                    at += 1
            ids += [self.ids[part] for part in word]
        return ids


def opened(content: bytes, name: str = "bpe_simple_vocab_16e6.txt.gz") -> tc.Tokenizer:
    return FORMAT.read(TokenizerFile(Path(name), content, "clip"))


@pytest.mark.parametrize("seed", [None, 1, 2, 3])
def test_ids_by_its_own_rule(seed: int | None) -> None:
    content = clip_list(None if seed is None else random.Random(seed))
    ours, plain = opened(content), PlainClip(content)
    assert len(ours.vocabulary) == len(plain.ids)

    @settings(max_examples=150, deadline=None)
    @given(
        st.lists(
            st.sampled_from(["a", "cat ", "É", "ab", "日本", "\u0301", "'s", " ", "\n", "!!", "12", " <|endoftext|> ", "ß"])
            | st.text(st.characters(exclude_characters="Σſ", exclude_categories=REPAIRED), max_size=4)
        ).map("".join)
    )  # fmt: skip
    def same(text: str) -> None:
        assert list(ours.encode(text, special="all").ids) == plain.encode(text)

    same()


def test_decoding_and_the_text_around(tmp_path: Path) -> None:
    tokenizer = opened(clip_list())
    ids = tokenizer.encode("A photo of a cat!", special="all", template=True).ids
    first, last = len(tokenizer.vocabulary) - 2, len(tokenizer.vocabulary) - 1
    assert (ids[0], ids[-1]) == (first, last)
    assert tokenizer.decode(ids) == "a photo of a cat !"
    path = tmp_path / "copy.json"
    tokenizer.save(path)
    copy = tc.open(path)
    assert copy.encode("A photo of a cat!").ids == tokenizer.encode("A photo of a cat!").ids


def test_the_unpacked_file_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "merges-of-clip.txt"
    path.write_bytes(clip_list(packed=False))
    text = "Lower than the lowest, it's a photo"
    assert tc.open(path).encode(text).ids == opened(clip_list()).encode(text).ids


@pytest.mark.parametrize("with_settings", [False, True])
def test_a_pair_without_a_class(child: Child, tmp_path: Path, with_settings: bool) -> None:
    plain = PlainClip(clip_list())
    merges = ["#version: 0.2", *[" ".join(merge) for merge in plain.merges], ""]
    files = {"vocab.json": plain.ids, "merges.txt": "\n".join(merges).encode()}
    theirs, bare = tmp_path / "theirs", tmp_path / "bare"
    for folder in (theirs, bare):
        folder.mkdir()
        folder_of(files, folder)
    config = {"tokenizer_class": "CLIPTokenizer"}
    folder_of({"tokenizer_config.json": config}, theirs)
    if with_settings:
        folder_of({"tokenizer_config.json": {"model_max_length": 77}}, bare)
    texts = [*TEXTS, "Cat, cat's dog 12", "<|startoftext|> cow"]
    answer = child.ask(theirs, texts)
    for path in (bare, bare / "merges.txt"):
        ours = tc.open(path)
        for text, (ids, inner, decoded) in zip(texts, answer["texts"], strict=True):
            assert list(ours.encode(text, special="all", template=True).ids) == ids, text
            assert list(ours.encode(text, special="all").ids) == inner, text
            assert ours.decode(ids) == decoded, text


def test_a_pair_of_another_class_is_refused(tmp_path: Path) -> None:
    entries = {entry: id for id, entry in enumerate(["<unk>", "a", "b</w>", "ab</w>"])}
    folder_of({"vocab.json": entries, "merges.txt": b"#version: 0.2\na b</w>\n"}, tmp_path)
    with pytest.raises(FormatError, match="mark the ends of words with </w>"):
        tc.open(tmp_path)


PLAIN = clip_list(packed=False)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (clip_list()[:-9], "is cut off"),
        (clip_list()[:40] + b"\xff" * 40, "is damaged"),
        (PLAIN + b"l o w\n", r"Line \d+ of .* is not two entries"),
        (PLAIN + b"l q!!\n", r"Line \d+ of .* merges 'q!!', which no earlier line makes"),
        (PLAIN + PLAIN.split(b"\n")[1] + b"\n", r"Line \d+ of .* as an earlier line does"),
        (PLAIN + b"\xff a\n", r"Line \d+ of .* is not UTF-8"),
        (PLAIN.split(b"\n")[0] + b"\n", "has no merges"),
    ],
)
def test_refusals(content: bytes, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        opened(content)


def test_what_unpacks_to_too_much() -> None:
    assert unpacked(clip_list(), "x", len(PLAIN)) == PLAIN
    with pytest.raises(FormatError, match="x is larger than 100 bytes"):
        unpacked(clip_list(), "x", 100)


def test_recognized_only_by_its_first_line() -> None:
    assert FORMAT.recognize(FileHead(clip_list(), "x")) == 2
    assert FORMAT.recognize(FileHead(clip_list()[:200], "x")) == 2
    assert FORMAT.recognize(FileHead(gzip.compress(b"i n\nt h\n"), "x.gz")) == 0
    assert FORMAT.recognize(FileHead(b"\x1f\x8b\x08\xff\xff", "x.gz")) == 0


@pytest.mark.parametrize(("file", "name"), [("list.txt.gz", "list"), ("list.txt", "list")])
def test_its_name_has_no_endings(tmp_path: Path, file: str, name: str) -> None:
    (tmp_path / file).write_bytes(clip_list(None, file.endswith(".gz")))
    assert tc.open(tmp_path / file).name == name
