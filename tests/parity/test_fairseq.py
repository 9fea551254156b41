"""fairseq's dict.txt beside what cuts, compared with its rule, written again here, and with transformers."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import sentencepiece
import tiktoken
from hf_models import CORPUS
from model_folders import BPE, PLAIN_BPE, TEXTS, UNIGRAM, Child, folder_of, model
from word_parts import learned, parts, texts_of

import tokenarium_core as tc
from tokenarium_core.errors import FormatError, NotAvailable
from tokenarium_core.formats.registry import save
from tokenarium_core.unicode import byte_alphabet

SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]


def plain_ids(lines: bytes) -> dict[str, int]:
    """Returns what fairseq's ``Dictionary`` makes of a file, from its source."""
    symbols = list(SPECIAL)
    indices = {symbol: id for id, symbol in enumerate(symbols)}
    for line in lines.decode().splitlines():
        line, field = line.rstrip().rsplit(" ", 1)
        if field == "#fairseq:overwrite":
            line, field = line.rsplit(" ", 1)
        int(field)
        indices[line] = len(symbols)
        symbols.append(line)
    return indices


def plain_encode(ids: dict[str, int], cut: list[str]) -> list[int]:
    """Returns the ids as ``encode_line`` gives them for pieces that are joined by spaces, within ``<s>`` and ``</s>``."""
    line = " ".join(["<s>", *cut, "</s>"])
    return [ids.get(word, ids["<unk>"]) for word in line.split()]


def dictionary(entries: list[str]) -> bytes:
    """Returns the lines of a ``dict.txt``."""
    return "".join(f"{entry} {9000 - place}\n" for place, entry in enumerate(entries)).encode()


def model_folder(name: str, folder: Path, seed: int = 1) -> Path:
    """Writes a model and a dictionary of most of its pieces."""
    chance = random.Random(seed)
    cutter = sentencepiece.SentencePieceProcessor(model_proto=model(name))
    pieces = [cutter.id_to_piece(id) for id in range(3, cutter.get_piece_size())]
    chance.shuffle(pieces)
    lines = dictionary([piece for piece in pieces if chance.random() < 0.9])
    first = lines.split(b" ")[0]
    lines += first + b" 5 #fairseq:overwrite\n"
    return folder_of({"dict.txt": lines, "sentencepiece.bpe.model": model(name)}, folder)


@pytest.mark.parametrize("name", [UNIGRAM, PLAIN_BPE, BPE])
def test_beside_a_model(tmp_path: Path, name: str) -> None:
    folder = model_folder(name, tmp_path)
    cutter = sentencepiece.SentencePieceProcessor(model_proto=model(name))
    ids = plain_ids((folder / "dict.txt").read_bytes())
    ours = tc.open(folder)
    saved = tc.open(save(ours, tmp_path / "saved.json", "tokenarium")[0])
    for text in [text for text in TEXTS if "<" not in text and "\x00" not in text]:
        expected = plain_encode(ids, cutter.encode(text, out_type=str))
        for tokenizer in (ours, saved):
            assert tokenizer.encode_ids(text, template=True) == expected, text
    assert tc.open(folder / "dict.txt").encode_ids("Hello the world") == ours.encode_ids("Hello the world")  # fmt: skip
    assert {row.name for row in ours.details if row.group == "fairseq"} >= {"ids", "cut by"}
    known = [piece for piece in cutter.encode("the world", out_type=str) if piece in ids]
    assert ours.decode(ours.encode_ids("the world")) == "".join(known).replace("▁", " ").strip()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_beside_codes(child: Child, tmp_path: Path, seed: int) -> None:
    """PhoBERT has the same files under other names."""
    merges = learned(seed)
    codes = "".join(f"{left} {right} {count}\n" for left, right, count in merges).encode()
    lines = dictionary(parts(merges, seed))
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for folder in (ours, theirs):
        folder.mkdir()
    folder_of({"dict.txt": lines, "bpe.codes": codes}, ours)
    config = {"tokenizer_class": "PhobertTokenizer"}
    folder_of({"vocab.txt": lines, "bpe.codes": codes, "tokenizer_config.json": config}, theirs)
    tokenizer = tc.open(ours)
    texts = [text for text in texts_of(seed) if "<mask>" not in text]
    for text, row in zip(texts, child.ask(theirs, texts)["texts"], strict=True):
        assert tokenizer.encode_ids(text, special="all", template=True) == row[0], text
        assert tokenizer.decode(row[0]) == row[2]


def gpt2_pair() -> tuple[dict[str, int], bytes]:
    """Returns the entries and the merges of a small GPT-2."""
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=350, initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )  # fmt: skip
    made.train_from_iterator(CORPUS, trainer)
    stored = json.loads(made.to_str())["model"]
    merges = "#version: 0.2\n" + "".join(f"{' '.join(merge)}\n" for merge in stored["merges"])
    entries = {**stored["vocab"], "<|endoftext|>": len(stored["vocab"])}
    return entries, merges.encode()


def test_beside_gpt2(tmp_path: Path) -> None:
    entries, merges = gpt2_pair()
    numbers = [str(id) for id in entries.values()]
    random.Random(3).shuffle(numbers)
    lines = dictionary([*numbers, "madeupword0000"])
    folder_of({"dict.txt": lines, "encoder.json": entries, "vocab.bpe": merges}, tmp_path)
    ids = plain_ids(lines)
    ranks = {byte_alphabet.to_bytes(text): id for text, id in entries.items() if text[:2] != "<|"}
    pattern = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
    plain = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    ours = tc.open(tmp_path)
    for text in TEXTS:
        cut = [str(id) for id in plain.encode_ordinary(text)]
        assert ours.encode_ids(text, template=True) == plain_encode(ids, cut), text
        assert ours.decode(ours.encode_ids(text)) == text
    assert ours.vocabulary.ids["<mask>"] == len(ids)


def test_of_a_folder_that_has_something_else(tmp_path: Path) -> None:
    entries, merges = gpt2_pair()
    files = {"encoder.json": entries, "vocab.bpe": merges}
    numbers = [str(id) for id in entries.values()]
    folder_of({**files, "dict.txt": dictionary(numbers[:-9])}, tmp_path)
    with pytest.raises(FormatError, match="ids are missing: they do not belong together"):
        tc.open(tmp_path / "dict.txt")
    folder_of({"dict.txt": dictionary([*numbers, "99999"])}, tmp_path)
    with pytest.raises(FormatError, match="has the entry 99999"):
        tc.open(tmp_path / "dict.txt")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"the 5\n", r"Line 6 of dict\.txt has the entry 'the'"),
        (b"\xff 5\n", r"Line 6 of dict\.txt is not UTF-8"),
        (b"<s> 5\n", r"Line 6 of dict\.txt has the entry '<s>'"),
    ],
)
def test_refused_lines(tmp_path: Path, line: bytes, said: str) -> None:
    content = b"the 9\nof 8\nand 7\na 6\nb 5\n" + line
    folder_of({"dict.txt": content, "m.model": model(UNIGRAM)}, tmp_path)
    with pytest.raises((FormatError, NotAvailable), match=said):
        tc.open(tmp_path / "dict.txt")


def test_without_what_cuts(tmp_path: Path) -> None:
    folder_of({"dict.txt": b"the 9\nof 8\nand 7\n"}, tmp_path)
    with pytest.raises(FormatError, match=r"fairseq.s list of entries.*there is none"):
        tc.open(tmp_path / "dict.txt")
    folder_of({"a.model": model(UNIGRAM), "b.model": model(BPE)}, tmp_path)
    with pytest.raises(FormatError, match="several of them"):
        tc.open(tmp_path / "dict.txt")
