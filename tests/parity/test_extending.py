"""Extended tokenizers beside the libraries that read their files, and trainings that go on beside their trainers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sentencepiece
import tiktoken
import tokenizers
from library_copies import as_tokenizers

import tokenarium_core as tc
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS, ShippedTokenizer
from tokenarium_core.changing.differing_texts import differing_texts
from tokenarium_core.changing.extending import extend_with
from tokenarium_core.formats.registry import save
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.wordpiece import WordPiece
from tokenarium_core.unicode import byte_alphabet

WORDS = [" kubernetes", " Tokenisierung", "日本語の文", " kubernetesähnlich"]
TEXT = "Hello, wörld 123 kubernetes Tokenisierung kubernetesähnliche\n\n日本語の文章 \U0001f600 def f(x):\n    return x\n"


def as_tiktoken(tokenizer: tc.Tokenizer, base: tiktoken.Encoding) -> tiktoken.Encoding:
    vocabulary = tokenizer.vocabulary
    return tiktoken.Encoding(
        "extended",
        pat_str=base._pat_str,
        mergeable_ranks={
            vocabulary.piece(id): id
            for id in range(len(vocabulary))
            if vocabulary.kind(id) in ("normal", "byte")
        },
        special_tokens=tokenizer.special_tokens,
    )


@pytest.mark.parametrize("name", ["cl100k_base", "o200k_base"])
def test_as_tiktoken(tiktoken_cache: Path, texts: dict[str, str], name: str) -> None:
    old = tc.open(name)
    base = tiktoken.get_encoding(name)
    new = tc.extend(old, [texts["deu_1996"], texts["jpn"]], 60)
    assert len(new.vocabulary) == len(old.vocabulary) + 60
    new = extend_with(new, WORDS)
    theirs = as_tiktoken(new, base)
    for text in [TEXT, *texts.values()]:
        ids = new.encode_ids(text)
        assert ids == theirs.encode(text, disallowed_special=())
    for word in WORDS:
        assert len(new.encode_ids(word)) == 1
    for differing in differing_texts(old, new, TEXT.split("\n") + texts["fra"].split("\n")):
        assert differing.has_new
    before, after = (len(one.encode_ids(texts["jpn"])) for one in (old, new))
    assert after < before
    special = f"a<|endoftext|>{TEXT}"
    assert list(new.encode(special, special="all").ids) == theirs.encode(
        special, allowed_special="all"
    )


@pytest.mark.parametrize("name", ["gemma3.model", "mistral-v3.model"])
def test_as_sentencepiece(
    real: Callable[[str], tc.Tokenizer], texts: dict[str, str], tmp_path: Path, name: str
) -> None:
    old = real(name)
    new = tc.extend(old, [texts["deu_1996"], texts["jpn"]], 60)
    new = extend_with(new, ["kubernetes", "Tokenisierung", b"Xylophon", "日本語の文"])
    path = tmp_path / "extended.model"
    save(new, path, "sentencepiece")
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(path))
    assert theirs.vocab_size() == len(new.vocabulary)
    for text in [TEXT, *texts.values()]:
        assert new.encode_ids(text) == theirs.encode(text)
    for differing in differing_texts(
        old, new, texts["deu_1996"].split("\n") + texts["fra"].split("\n")
    ):
        assert differing.has_new
    assert len(new.encode_ids(texts["jpn"])) < len(old.encode_ids(texts["jpn"]))


def spelled(tokenizer: tc.Tokenizer, id: int) -> str:
    """Returns an entry as a tokenizer.json spells it."""
    if isinstance(tokenizer.model, BytePairEncoder):
        return byte_alphabet.to_text(tokenizer.vocabulary.piece(id))
    return tokenizer.vocabulary.surface(id)


def check_as_tokenizers(old: tc.Tokenizer, new: tc.Tokenizer, folder: Path, text: str) -> None:
    theirs = as_tokenizers(new, folder)
    assert theirs.encode(text, add_special_tokens=False).ids == new.encode_ids(text)
    for token in old.added_tokens.tokens:
        assert theirs.token_to_id(token.content) == token.id
    for id in range(len(old.vocabulary), len(new.vocabulary)):
        assert theirs.id_to_token(id) == spelled(new, id)


def test_as_tokenizers_with_gemma(real: Callable[[str], tc.Tokenizer], tmp_path: Path) -> None:
    old = real("gemma3-tokenizer.json")
    new = extend_with(old, ["kubernetes", "Tokenisierung"])
    check_as_tokenizers(old, new, tmp_path, TEXT)
    with pytest.raises(tc.UnsupportedError, match="add a list of words"):
        tc.extend(old, [TEXT], 5)


def test_as_tokenizers_with_added_tokens_behind_the_vocabulary(
    tiktoken_cache: Path, texts: dict[str, str], tmp_path: Path
) -> None:
    """As in Llama 3: the special tokens are not in the model, and would get the ids behind the new entries."""
    old = as_read(tc.open("cl100k_base"), tmp_path)
    new = tc.extend(old, [texts["deu_1996"]], 40)
    check_as_tokenizers(old, new, tmp_path, TEXT + texts["deu_1996"])
    again = extend_with(new, [" Tokenisierung"])
    check_as_tokenizers(new, again, tmp_path, TEXT + texts["deu_1996"])


def as_read(tokenizer: tc.Tokenizer, folder: Path) -> tc.Tokenizer:
    """Returns a tokenizer as its tokenizer.json is read."""
    path = folder / "tokenizer.json"
    save(tokenizer, path, "huggingface", allow_differences=True)
    return tc.open(path)


@pytest.mark.parametrize("one", SHIPPED_TOKENIZERS, ids=lambda one: str(one.id))
def test_every_kind_that_is_shipped_grows(one: ShippedTokenizer, tmp_path: Path) -> None:
    old = tc.open(one.path)
    wanted = ["kubernetes", "Tokenisierung"]
    new = extend_with(old, wanted)
    size = len(old.vocabulary)
    assert all(new.vocabulary.piece(id) == old.vocabulary.piece(id) for id in range(size))
    for word in wanted:
        assert len(new.encode_ids(word)) == 1
    check_as_tokenizers(old, new, tmp_path, TEXT)
    if isinstance(old.model, WordPiece):
        with pytest.raises(tc.UnsupportedError, match="split other words differently"):
            tc.extend(old, [TEXT], 10)
        return
    grown = tc.extend(old, TEXT.split("\n") * 5, 10)
    check_as_tokenizers(old, grown, tmp_path, TEXT)
    for differing in differing_texts(old, grown, TEXT.split("\n")):
        assert differing.has_new


@pytest.mark.parametrize("byte_fallback", [False, True])
def test_unigram_as_sentencepiece_and_tokenizers(tmp_path: Path, byte_fallback: bool) -> None:
    lines = [f"{TEXT} {number} kubernetes pods and kubernetes nodes" for number in range(200)]
    old = tc.train(
        "unigram", TEXT.split("\n"), vocab_size=400 if byte_fallback else 90, name="small",
        byte_fallback=byte_fallback, normalization="identity", max_sentencepiece_length=3,
    )  # fmt: skip
    new = tc.extend(old, lines, 15)
    new = extend_with(new, ["Tokenisierung"])
    path = tmp_path / "extended.model"
    save(new, path, "sentencepiece")
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(path))
    for text in [*lines[:5], TEXT, "Ωunknown kubernetes"]:
        assert new.encode_ids(text) == theirs.encode(text)
        for differing in differing_texts(old, new, [text]):
            assert differing.has_new
    json_old = as_read(old, tmp_path)
    json_new = tc.extend(json_old, lines, 15)
    check_as_tokenizers(json_old, json_new, tmp_path, lines[0])
    assert len(json_new.encode_ids(lines[0])) < len(json_old.encode_ids(lines[0]))


def hf_training(lines: list[str], size: int) -> tokenizers.Tokenizer:
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=size,
        min_frequency=2,
        special_tokens=["<s>"],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(lines, trainer)
    return made


def test_a_training_of_tokenizers_goes_on_as_it_would_there(
    texts: dict[str, str], tmp_path: Path
) -> None:
    lines = [line for name in ("eng", "deu_1996", "rus") for line in texts[name].split("\n")]
    first = hf_training(lines, 400)
    path = tmp_path / "first.json"
    first.save(str(path))
    ours = tc.extend(tc.open(path), lines, 300)
    theirs = json.loads(hf_training(lines, 700).to_str())["model"]
    save(ours, tmp_path / "ours.json", "huggingface", allow_differences=True)
    found = json.loads((tmp_path / "ours.json").read_text("utf-8"))["model"]
    assert found["vocab"] == theirs["vocab"]
    assert [tuple(pair) for pair in found["merges"]] == [tuple(pair) for pair in theirs["merges"]]


def sp_training(lines: list[str], size: int, path: Path) -> bytes:
    it: Iterator[str] = iter(lines)
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=it,
        model_prefix=str(path),
        model_type="bpe",
        vocab_size=size,
        minloglevel=2,
        num_threads=1,
    )
    return path.with_suffix(".model").read_bytes()


def test_a_training_of_sentencepiece_goes_on_as_it_would_there(
    texts: dict[str, str], tmp_path: Path
) -> None:
    lines = [line for name in ("eng", "deu_1996") for line in texts[name].split("\n") if line]
    sp_training(lines, 300, tmp_path / "first")
    sp_training(lines, 600, tmp_path / "whole")
    old = tc.open(tmp_path / "first.model")
    whole = tc.open(tmp_path / "whole.model")
    ours = tc.extend(old, lines, 300, resume=True)
    assert [ours.vocabulary.surface(id) for id in range(600)] == [
        whole.vocabulary.surface(id) for id in range(600)
    ]
    assert list(ours.vocabulary.scores) == list(whole.vocabulary.scores)
    assert ours.encode_ids(texts["fra"]) == whole.encode_ids(texts["fra"])
