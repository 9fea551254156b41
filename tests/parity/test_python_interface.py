"""The names that people know from tokenizers and tiktoken mean here what they mean there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import hf_models
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenarium_core as tc
from tokenarium_core.formats.hf.hf_format import read_huggingface

tiktoken = pytest.importorskip("tiktoken")
tokenizers = pytest.importorskip("tokenizers")

KINDS = list(hf_models.KINDS)


@pytest.fixture(scope="module", params=KINDS)
def pair(request: pytest.FixtureRequest) -> tuple[tc.Tokenizer, Any]:
    """A tokenizer of ours, and the one of the library that it was read from."""
    theirs = hf_models.KINDS[request.param](hf_models.CORPUS)
    return read_huggingface(theirs.to_str().encode(), request.param), theirs


def same_vocabulary(ours: tc.Tokenizer, theirs: Any) -> None:
    """Checks all that names entries."""
    for added in (True, False):
        assert ours.get_vocab(added) == theirs.get_vocab(added)
    assert ours.vocab_size == theirs.get_vocab_size()
    assert dict(ours.vocabulary.items()) == theirs.get_vocab()
    for id in range(len(ours.vocabulary) + 3):
        assert ours.id_to_token(id) == theirs.id_to_token(id), id
    for token in [*theirs.get_vocab(), "no such entry", "", "Ġ Ġ", "\x00"]:
        assert ours.token_to_id(token) == theirs.token_to_id(token), token


def test_vocabularies(pair: tuple[tc.Tokenizer, Any]) -> None:
    same_vocabulary(*pair)


def test_the_vocabulary_of_gemma(data: Path) -> None:
    path = data / "tokenizers" / "gemma3-tokenizer.json"
    same_vocabulary(tc.open(path), tokenizers.Tokenizer.from_file(str(path)))


def test_a_vocabulary_that_is_changed_changes_nothing() -> None:
    made = tc.train("bpe", ["low lower"], vocab_size=258)
    made.get_vocab().clear()
    assert made.vocab_size == 258


def test_entries_that_are_bytes_are_written_as_transformers_writes_them(
    tiktoken_cache: Path, data: Path
) -> None:
    """gpt2 is both: OpenAI's files have GPT-2's alphabet, and r50k_base has the same entries as bytes."""
    written = json.loads((data / "tokenizers" / "gpt2" / "encoder.json").read_bytes())
    for name in ("gpt2", "r50k_base"):
        assert tc.open(name).get_vocab() == {**written, "<|endoftext|>": 50256}


def test_tokens_and_words(pair: tuple[tc.Tokenizer, Any]) -> None:
    ours, theirs = pair
    for text in hf_models.SAMPLES:
        for template in (False, True):
            found = ours.encode(text, special="all", template=template)
            expected = theirs.encode(text, add_special_tokens=template)
            assert list(found) == expected.ids
            assert len(found) == len(expected)
            assert found.tokens == [theirs.id_to_token(id) for id in expected.ids]
            assert found.word_ids == expected.word_ids, (text, expected.tokens)


UNCHANGED = ["falcon", "llama3", "starcoder"]
"""Kinds with no normalizer that changes lengths, and nothing put before a text."""

TEXT = st.text(max_size=12) | st.text("theodé日本 \n👩\u200d🚀", max_size=20)


@pytest.mark.parametrize("kind", UNCHANGED)
def test_offsets(kind: str) -> None:
    made = hf_models.KINDS[kind](hf_models.CORPUS)
    ours = read_huggingface(made.to_str().encode(), kind)
    untrimmed = made.to_str().replace('"trim_offsets":true', '"trim_offsets":false')
    theirs = tokenizers.Tokenizer.from_str(untrimmed)
    assert '"trim_offsets":true' not in untrimmed

    @settings(max_examples=200)
    @given(text=TEXT)
    def run(text: str) -> None:
        found = ours.encode(text, special="all")
        expected = theirs.encode(text, add_special_tokens=False)
        assert list(found) == expected.ids
        assert found.offsets == expected.offsets, text

    run()


def test_skipping_special_tokens(pair: tuple[tc.Tokenizer, Any]) -> None:
    ours, theirs = pair
    batch = [ours.encode_ids(text, "all", template=True) for text in hf_models.SAMPLES]
    for skips in (True, False):
        assert ours.decode_batch(batch, skip_special_tokens=skips) == theirs.decode_batch(
            batch, skip_special_tokens=skips
        )


CHOICES = st.none() | st.just("all") | st.sets(st.sampled_from(["<|endoftext|>", "<|fim_prefix|>"]))


@pytest.mark.usefixtures("tiktoken_cache")
def test_special_tokens_as_in_tiktoken() -> None:
    reference, tokenizer = tiktoken.get_encoding("cl100k_base"), tc.open("cl100k_base")
    signs = ["<|endoftext|>", "<|fim_prefix|>", "<|endofprompt|>", "a", " b", "<|", "|>", "\n"]

    @settings(max_examples=300)
    @given(
        parts=st.lists(st.sampled_from(signs), max_size=6),
        allowed=CHOICES,
        disallowed=CHOICES | st.sets(st.sampled_from(["b", "|>", "<|endofprompt|>"])).map(tuple),
    )
    def run(parts: list[str], allowed: Any, disallowed: Any) -> None:
        text = "".join(parts)
        if allowed is None and disallowed is None:  # ours has other defaults, and says so
            assert tokenizer.encode_ids(text) == reference.encode_ordinary(text)
            return
        options: dict[str, Any] = {}
        if allowed is not None:
            options["allowed_special"] = allowed
        if disallowed is not None:
            options["disallowed_special"] = disallowed
        try:
            ids = reference.encode(text, **options)
        except ValueError:
            for encode in (tokenizer.encode, tokenizer.encode_ids, tokenizer.encode_buffer):
                with pytest.raises(ValueError, match=r"special token|disallowed"):
                    encode(text, **options)
        else:
            assert list(tokenizer.encode(text, **options)) == ids
            assert tokenizer.encode_ids(text, **options) == ids
            assert list(tokenizer.encode_buffer(text, **options)) == ids
            assert tokenizer.encode_ids_batch([text], **options) == [ids]
            assert list(tokenizer.encode_batch([text], **options)[0]) == ids
            assert list(tokenizer.encode_texts([text], **options).ids) == ids

    run()


MAPPED = """
import sys
import datasets, tokenarium_core as tc
datasets.disable_progress_bars()
tok = tc.open(sys.argv[1])
texts = datasets.load_dataset("text", data_files=sys.argv[2], split="train", cache_dir=sys.argv[3])
made = texts.map(lambda row: {"ids": tok.encode_ids(row["text"])}, num_proc=2)
print(made._fingerprint, [len(ids) for ids in made["ids"]])
print(*sorted(file["filename"] for file in made.cache_files))
"""


def test_datasets_finds_what_it_made_before(tmp_path: Path) -> None:
    """A tokenizer goes to the processes of ``map``, and is hashed to the same in every run."""
    pytest.importorskip("datasets")
    file = tmp_path / "tokenizer.json"
    tc.train("bpe", ["low lower lowest"], vocab_size=260).save(file)
    (tmp_path / "texts.txt").write_text("low lower\nlowest\nlow\n" * 10, "utf-8")

    def run() -> list[str]:
        arguments = [file, tmp_path / "texts.txt", tmp_path / "cache"]
        done = subprocess.run(
            [sys.executable, "-c", MAPPED, *map(str, arguments)],
            check=True, capture_output=True, text=True,
            env=None,
        )  # fmt: skip
        return done.stdout.splitlines()[-2:]

    first = run()
    made = {path: Path(path).stat().st_mtime_ns for path in first[1].split()}
    assert len(made) == 2
    assert run() == first
    assert made == {path: Path(path).stat().st_mtime_ns for path in made}
    tc.train("bpe", ["lower lower slower"], vocab_size=259).save(file)
    assert run()[0] != first[0]
