"""Files that are valid but unusual, as people have them: the same ids as the library that reads them."""

from __future__ import annotations

import base64
import itertools
import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import tiktoken
import tokenizers
from small_files import saved, write_file
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

import tokenarium_core as tc
from tokenarium_core.unicode import byte_alphabet

WORDS = ["".join(word) for size in range(1, 7) for word in itertools.product("abc", repeat=size)]


def same(ours: tc.Tokenizer, theirs: Any, texts: Iterable[str]) -> None:
    for text in texts:
        assert ours.encode_ids(text) == theirs.encode(text, add_special_tokens=False).ids, text


@pytest.mark.parametrize(
    "merges",
    [
        ["a b", "b c", "a b"],
        ["a b", "ab c", "b c", "a b", "a bc"],
        ["b c", "a b", "ab c", "b c", "ab c"],
    ],
)
@pytest.mark.parametrize("in_lists", [False, True])
def test_a_merge_that_is_listed_twice_has_its_last_rank(
    tmp_path: Path, merges: list[str], in_lists: bool
) -> None:
    vocab = {piece: id for id, piece in enumerate(["a", "b", "c", "ab", "bc", "abc"])}
    listed = [merge.split(" ") for merge in merges] if in_lists else merges
    path = tmp_path / "tokenizer.json"
    model = {"type": "BPE", "vocab": vocab, "merges": listed}
    path.write_text(json.dumps({"version": "1.0", "model": model}))
    ours = tc.open(path)
    same(ours, Tokenizer.from_file(str(path)), WORDS)
    again = saved(ours, tmp_path / "again.json", "huggingface")
    same(ours, Tokenizer.from_file(str(again)), WORDS)


def test_very_many_added_tokens(tmp_path: Path) -> None:
    """As many as there are objects in a file that is no tokenizer's were refused."""
    count = 1 << 18
    flags = dict.fromkeys(("special", "lstrip", "rstrip", "single_word", "normalized"), False)
    added = [{"id": 3 + one, "content": f"<{one}>", **flags} for one in range(count)]
    model = {"type": "WordLevel", "vocab": {"[UNK]": 0, "a": 1, "b": 2}, "unk_token": "[UNK]"}
    path = tmp_path / "tokenizer.json"
    file = {"version": "1.0", "added_tokens": added, "model": model}
    file["pre_tokenizer"] = {"type": "Whitespace"}
    path.write_text(json.dumps(file))
    same(tc.open(path), Tokenizer.from_file(str(path)), ["a<7>b", f"<{count - 1}><{count}>a"])


@pytest.mark.parametrize("many", ["{}," * (1 << 19) + "{}", "1, " * (1 << 22) + "1, 1"])
def test_added_tokens_beyond_a_bound(many: str, tmp_path: Path) -> None:
    model = {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}
    path = write_file(
        tmp_path / "tokenizer.json", f'{{"added_tokens": [{many}], "model": {json.dumps(model)}}}'
    )
    with pytest.raises(tc.FormatError, match="at added_tokens: this is larger"):
        tc.open(path)


@pytest.mark.parametrize(
    ("names", "opened", "said"),
    [
        (["vocab.bpe", "vocab.json"], "vocab.bpe", "If vocab.json beside it is its other half, rename that to encoder.json"),
        (["vocab.bpe", "vocab.json"], "vocab.json", "If vocab.bpe beside it is its other half, rename that to merges.txt"),
        (["my-merges.txt", "my-encoder.json"], "my-merges.txt", "rename that to my-vocab.json"),
        (["vocab.json", "source.spm"], "vocab.json", "gives the pieces of that model their ids"),
        (["vocab.bpe"], "vocab.bpe", "does not exist.$"),
    ],
)  # fmt: skip
def test_a_half_of_a_pair_says_what_it_may_be(
    tmp_path: Path, names: list[str], opened: str, said: str
) -> None:
    for name in names:
        entries = {chr(97 + one): one for one in range(20)}
        content = json.dumps(entries) if name.endswith(".json") else "#version: 0.2\na b\n"
        (tmp_path / name).write_text(content)
    with pytest.raises(tc.NotAvailable, match=said):
        tc.open(tmp_path / opened)


def pair(folder: Path, merges: list[str], extra: list[str], head: str) -> None:
    """Writes a vocab.json with some entries more than bytes and merges make, and a merges.txt."""
    ids = {character: byte for byte, character in enumerate(byte_alphabet.CHARACTERS)}
    for entry in [merge.replace(" ", "") for merge in merges] + extra:
        ids.setdefault(entry, len(ids))
    (folder / "vocab.json").write_text(json.dumps(ids), "utf-8")
    (folder / "merges.txt").write_text("\n".join([*filter(None, [head]), *merges, ""]), "utf-8")


@pytest.mark.parametrize("head", ["#version: 0.2", "#version: 0.2 - Trained by others", ""])
@pytest.mark.parametrize("extra", [[], ["madeupword0000", "madeupword0001"]])
@pytest.mark.parametrize("merges", [["a b", "ab c", "b c"], ["a b", "b c", "a b"]])
def test_pairs_of_vocabulary_and_merges(
    tmp_path: Path, merges: list[str], extra: list[str], head: str
) -> None:
    pair(tmp_path, merges, extra, head)
    theirs = Tokenizer(
        models.BPE.from_file(str(tmp_path / "vocab.json"), str(tmp_path / "merges.txt"))
    )
    theirs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    ours = tc.open(tmp_path)
    same(ours, theirs, [*WORDS, "madeupword0000 madeupword0001", "été"])
    assert len(ours.vocabulary) == theirs.get_vocab_size()
    for entry in extra:
        id = theirs.token_to_id(entry)
        assert ours.decode([id]) == entry


@pytest.mark.parametrize("seed", range(4))
def test_pairs_without_some_bytes(tmp_path: Path, seed: int) -> None:
    """As transformers opens them alone; GPT-2's own code fails on the first text that has such a byte."""
    library = pytest.importorskip("transformers")
    chance = random.Random(seed)
    share = (0.05, 0.3, 0.8, 1)[seed]
    text_bytes = {byte_alphabet.CHARACTERS[byte] for byte in b"abc "}
    there = [c for c in byte_alphabet.CHARACTERS if c in text_bytes or chance.random() > share]
    entries = [*there, "ab", "bc", "Ġa", "Ġab", "<|endoftext|>", "[PAD]"]
    ids = {entry: id for id, entry in enumerate(entries)}
    merges = ["a b", "b c", "Ġ a", "Ġ ab"]
    write_file(tmp_path / "vocab.json", json.dumps(ids))
    write_file(tmp_path / "merges.txt", "\n".join(["#version: 0.2", *merges, ""]))
    pair = [tmp_path / "vocab.json", tmp_path / "merges.txt"]
    tokenizers = Tokenizer(models.BPE.from_file(str(pair[0]), str(pair[1])))
    tokenizers.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizers.decoder = decoders.ByteLevel()
    ours = tc.open(pair[0])
    assert ours.source.format == "gpt2"
    parts = [
        "a",
        "b",
        "c",
        " ",
        "ab",
        "é",
        "漢",
        "\n",
        "\0",
        "😀",
        "!",
        "1",
        "A",
        "<|",
        "e\u0301",
        "هـ",
    ]
    mixed = ["".join(chance.choices(parts, k=chance.randrange(1, 9))) for _ in range(300)]
    texts = [*WORDS[:200], *mixed, "aéb", " éa b", ""]
    same(ours, tokenizers, texts)
    for text in texts:
        kept = tokenizers.encode(text).ids
        assert ours.decode(kept) == tokenizers.decode(kept), text
    transformers = library.GPT2Tokenizer(vocab=str(pair[0]), merges=str(pair[1]), pad_token="[PAD]")
    for text in ("a<|endoftext|>b", "[PAD] ab\n<|endoftext|>"):
        assert list(ours.encode(text, special="all").ids) == transformers(text)["input_ids"]
    [(name, value)] = [(row.name, row.value) for row in ours.details if row.group == "vocabulary"]
    assert (name, value.split(":")[0]) == ("bytes without an entry", f"{256 - len(there)} of 256")
    assert saved(ours, tmp_path / "copy.json", "huggingface").exists()
    with pytest.raises(tc.FormatError, match="has no entry: a byte-level vocabulary has one"):
        tc.open(pair[0], pattern="cl100k")


def test_a_pair_has_the_types_that_bert_gives_it(tmp_path: Path) -> None:
    """Also what ends the second text is of the second type."""
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b"]
    ours = tc.open(write_file(tmp_path / "vocab.txt", "\n".join(words) + "\n"))
    copy = tokenizers.Tokenizer.from_file(str(saved(ours, tmp_path / "tokenizer.json")))
    theirs = tokenizers.BertWordPieceTokenizer(str(tmp_path / "vocab.txt"))
    for texts in (("a b",), ("a", "b b")):
        assert copy.encode(*texts).ids == theirs.encode(*texts).ids
        assert copy.encode(*texts).type_ids == theirs.encode(*texts).type_ids


def test_an_empty_line_of_a_vocab_txt_is_an_entry(tmp_path: Path) -> None:
    lines = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "", "a", "b", "##b", "", "c", ""]
    path = write_file(tmp_path / "vocab.txt", "\n".join(lines) + "\n")
    theirs = Tokenizer(models.WordPiece.from_file(str(path), unk_token="[UNK]"))
    theirs.normalizer = normalizers.BertNormalizer()
    theirs.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ours = tc.open(path)
    same(ours, theirs, [*WORDS, "a ab c d", " ", ""])
    assert len(ours.vocabulary) == len(lines)


@pytest.mark.parametrize("empty", ["=", "=="])
def test_a_tiktoken_file_with_an_entry_of_no_bytes(tmp_path: Path, empty: str) -> None:
    pieces = [bytes([byte]) for byte in range(256)]
    lines = [f"{base64.b64encode(piece).decode()} {rank}" for rank, piece in enumerate(pieces)]
    lines += [f"{empty} 256", f"{base64.b64encode(b'ab').decode()} 257"]
    path = write_file(tmp_path / "x.tiktoken", "\n".join(lines) + "\n")
    ranks = {base64.b64decode(piece): int(rank) for piece, rank in (line.split() for line in lines)}
    theirs = tiktoken.Encoding("x", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens={})
    ours = tc.open(path, pattern=r"\S+|\s+")
    for text in [*WORDS, "été ab\n"]:
        assert ours.encode_ids(text) == theirs.encode(text)
    assert len(ours.vocabulary) == theirs.n_vocab
    assert ours.decode_bytes([97, 256, 98]) == theirs.decode_bytes([97, 256, 98])


def test_special_tokens_that_begin_alike_are_refused(tmp_path: Path) -> None:
    ranks = {bytes([byte]): byte for byte in range(256)}
    lines = [f"{base64.b64encode(piece).decode()} {rank}" for piece, rank in ranks.items()]
    path = write_file(tmp_path / "x.tiktoken", "\n".join(lines) + "\n")
    taken = set()
    for text in ("abc", "bca", "cab", "fed", "dad", "ebb", "add", "fab"):
        special = {f"<{text}>": 256, f"<{text}>x": 257}
        with pytest.raises(tc.FormatError, match=f"'<{text}>x' begins with '<{text}>'"):
            tc.open(path, pattern=r"\S+|\s+", special_tokens=special)
        theirs = tiktoken.Encoding(
            "x", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens=special
        )
        taken.add(len(theirs.encode(f"<{text}>x", allowed_special="all")))
    assert taken == {1, 2}, "tiktoken has one order: take the same"
    apart = tc.open(path, pattern=r"\S+|\s+", special_tokens={"<a>": 256, "<b>": 257})
    assert list(apart.encode("<a><b>", special="all").ids) == [256, 257]
