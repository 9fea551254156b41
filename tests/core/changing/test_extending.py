"""Entries that are added: the laws, and the libraries that read the result."""

from __future__ import annotations

from pathlib import Path

import pytest
import sentencepiece
import tiktoken
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from running import run_whole
from small_files import saved

import tokenarium_core as tc
from tokenarium_core.changing.extending import Extension, extend, extend_with
from tokenarium_core.changing.special_tokens import CHANGES
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder

OLD = ["the then there the other one", "low lower lowest", "a café in the street"] * 3
NEW = ["lower streets and lower cafés", "tokenization tokenizes tokens", "नमस्ते नमस्ते दुनिया"] * 4
TEXTS = [*OLD[:3], *NEW[:3], "", " ", "x<|end|>y", "  two  spaces", "日本"]


def byte_level(size: int = 290) -> tc.Tokenizer:
    return tc.train("bpe", OLD, vocab_size=size, special_tokens=["<|end|>"])


def characters(size: int = 300) -> tc.Tokenizer:
    return tc.train("sentencepiece-bpe", OLD, vocab_size=size, byte_fallback=True)


@pytest.fixture(scope="module", params=["ranks", "json", "model"])
def old(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tc.Tokenizer:
    """A tokenizer in the file of each of three libraries."""
    folder = tmp_path_factory.mktemp("old")
    if request.param == "model":
        path = saved(characters(), folder / "old.model", format="sentencepiece")
    elif request.param == "json":
        path = saved(byte_level(), folder / "old.json", format="huggingface")
    else:
        path = saved(byte_level(), folder / "old.tokenarium.json")
    return tc.open(path)


@pytest.fixture(scope="module")
def extension(old: tc.Tokenizer) -> Extension:
    return run_whole(Extension(old, 12, NEW))


@pytest.fixture(scope="module")
def new(extension: Extension) -> tc.Tokenizer:
    return extension.tokenizer("extended")


def reduced(ids: list[int], extension: Extension) -> list[int]:
    """Takes new entries apart, down to old ones."""
    parts = {one.id: one.parts for one in extension.added}
    found: list[int] = []
    waiting = list(reversed(ids))
    while waiting:
        id = waiting.pop()
        if id in parts:
            waiting += reversed(parts[id])
        else:
            found.append(id)
    return found


def test_old_ids_keep_their_bytes(
    old: tc.Tokenizer, new: tc.Tokenizer, extension: Extension
) -> None:
    size = len(old.vocabulary)
    assert [new.vocabulary.piece(id) for id in range(size)] == [
        old.vocabulary.piece(id) for id in range(size)
    ]
    assert new.special_tokens == old.special_tokens
    assert len(extension.added) == 12 == len(new.vocabulary) - size
    assert [one.id for one in extension.added] == list(range(size, size + 12))
    assert len({one.piece for one in extension.added}) == 12
    assert [(one.name, one.value) for one in new.details if one.group == CHANGES] == [
        ("extended", f"12 entries added to {size:,}")
    ]


@pytest.mark.parametrize("text", TEXTS)
def test_ids_change_only_where_there_is_a_new_entry(
    old: tc.Tokenizer, new: tc.Tokenizer, extension: Extension, text: str
) -> None:
    before, after = old.encode_ids(text), new.encode_ids(text)
    assert reduced(after, extension) == before
    assert new.decode(after) == old.decode(before)


@pytest.mark.slow
@given(st.text(alphabet="lowerstaéok नमस्ते", max_size=30))
def test_the_same_for_any_text(
    old: tc.Tokenizer, new: tc.Tokenizer, extension: Extension, text: str
) -> None:
    assert reduced(new.encode_ids(text), extension) == old.encode_ids(text)


def test_what_is_saved_is_what_the_texts_save(
    old: tc.Tokenizer, new: tc.Tokenizer, extension: Extension
) -> None:
    before = sum(len(old.encode_ids(text)) for text in NEW)
    after = sum(len(new.encode_ids(text)) for text in NEW)
    assert extension.tokens == before
    assert before - after == sum(one.saved for one in extension.added) > 0
    half = extension.tokenizer("half", 6)
    assert before - sum(len(half.encode_ids(text)) for text in NEW) == sum(one.saved for one in extension.added[:6])  # fmt: skip
    counts = [one.count for one in extension.added if one.left >= 0]
    assert counts == sorted(counts, reverse=True)


def test_the_words_on_which_they_part(
    old: tc.Tokenizer, new: tc.Tokenizer, extension: Extension
) -> None:
    found = extension.changed_words()
    assert found
    for word in found:
        assert word.count >= 1
        text = old.decode(word.old)
        assert new.decode(word.new) == text
        assert reduced(word.new, extension) == word.old
        assert set(word.new) & {one.id for one in extension.added}
    assert len(extension.changed_words(1)) == 1


def test_going_on_gives_what_one_training_gives() -> None:
    corpus = [*OLD, *NEW]
    small = tc.train("bpe", corpus, vocab_size=290)
    large = tc.train("bpe", corpus, vocab_size=320)
    assert (len(small.vocabulary), len(large.vocabulary)) == (290, 320)
    found = run_whole(Extension(small, 30, corpus))
    assert [one.piece for one in found.added] == [
        large.vocabulary.piece(id) for id in range(290, 320)
    ]
    whole = found.tokenizer()
    for text in TEXTS:
        assert whole.encode_ids(text) == large.encode_ids(text)


def test_a_real_training_goes_on_as_if_it_had_not_stopped(texts: dict[str, str]) -> None:
    corpus = [texts[name] for name in sorted(texts)[:12]]
    small = tc.train("bpe", corpus, vocab_size=3000)
    large = tc.train("bpe", corpus, vocab_size=4000)
    found = run_whole(Extension(small, 1000, corpus))
    assert [one.piece for one in found.added] == [
        large.vocabulary.piece(id) for id in range(3000, 4000)
    ]


def test_tiktoken_gives_the_same_ids(tiktoken_cache: Path) -> None:
    old = tc.open("cl100k_base")
    new = extend(old, ["Tokenarium zählt Tokenarium-Einträge, Tokenarium!"] * 5, 8)
    theirs = tiktoken.get_encoding("cl100k_base")
    ranks = dict(theirs._mergeable_ranks)
    for id in range(len(old.vocabulary), len(new.vocabulary)):
        ranks[new.vocabulary.piece(id)] = id
    encoding = tiktoken.Encoding("new", pat_str=theirs._pat_str, mergeable_ranks=ranks, special_tokens=theirs._special_tokens)  # fmt: skip
    for text in ("Tokenarium zählt", "The Tokenarium", *TEXTS):
        assert list(new.encode_ids(text)) == encoding.encode(text, disallowed_special=())
    assert len(new.encode_ids(" Tokenarium")) < len(old.encode_ids(" Tokenarium"))


def test_tokenizers_gives_the_same_ids(tmp_path: Path) -> None:
    path, added = tmp_path / "old.json", tmp_path / "new.json"
    byte_level().save(path, format="huggingface")
    extend(tc.open(path), NEW, 12).save(added, format="huggingface")
    theirs = tokenizers.Tokenizer.from_file(str(added))
    new = tc.open(added)
    for text in TEXTS:
        assert theirs.encode(text, add_special_tokens=False).ids == list(new.encode(text, special="all").ids)  # fmt: skip


def test_sentencepiece_gives_the_same_ids(tmp_path: Path) -> None:
    path, added = tmp_path / "old.model", tmp_path / "new.model"
    characters().save(path, format="sentencepiece")
    extend(tc.open(path), NEW, 12).save(added, format="sentencepiece")
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(added))
    new = tc.open(added)
    assert theirs.get_piece_size() == len(new.vocabulary)
    for text in TEXTS:
        assert theirs.encode(text) == new.encode_ids(text)


@pytest.mark.skipif(not tc.COMPILED, reason="takes long where it is interpreted")
def test_gemma_is_extended_as_sentencepiece_reads_it(data: Path, tmp_path: Path) -> None:
    path = next(data.glob("tokenizers/**/*emma*.model"))
    old = tc.open(path)
    new = extend_with(old, [" Tokenarium", " Einträgeliste"])
    new.save(tmp_path / "new.model", format="sentencepiece")
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "new.model"))
    for text in ("a Tokenarium Einträgeliste", *TEXTS):
        assert theirs.encode(text) == new.encode_ids(text)
    assert len(new.encode_ids("a Tokenarium Einträgeliste")) == 3


def test_words_become_one_token(old: tc.Tokenizer) -> None:
    words = [" streets", " cafés", " lowers"]
    new = extend_with(old, [*words, words[0]])
    for word in words:
        ids = new.encode_ids("a" + word)
        assert ids[-1] >= len(old.vocabulary)
        assert new.vocabulary.piece(ids[-1]) == word.encode()
    assert new.encode_ids("the other") == old.encode_ids("the other")


def test_what_cannot_be_added_is_refused(old: tc.Tokenizer) -> None:
    with pytest.raises(tc.ArgumentError, match="at least one character"):
        extend_with(old, [""])
    with pytest.raises(tc.ArgumentError, match="nothing to add"):
        extend_with(old, [])
    with pytest.raises(tc.ArgumentError, match="nothing to add"):
        extend(old, [], 5)
    with pytest.raises(tc.ArgumentError, match="cannot be added"):
        Extension(old, 0)
    if isinstance(old.model, BytePairEncoder):
        with pytest.raises(tc.ArgumentError, match="splits it before"):
            extend_with(old, ["two words"])
    else:
        with pytest.raises(tc.ArgumentError, match="cannot be one token"):
            extend_with(old, ["two words"])
    found = run_whole(Extension(old, 10_000, NEW))
    assert "of 10,000" in found.report
    with pytest.raises(tc.UnsupportedError, match="longest entry"):
        extend(tc.train("wordpiece", OLD, vocab_size=120), NEW, 5)


def test_impossible_words_are_left_out_where_they_are_listed(old: tc.Tokenizer) -> None:
    impossible = [f"two words{number}" for number in range(16)]
    wanted = [" streets", " cafés"]
    refused: list[tuple[str, str]] = []
    found = Extension(old, 10_000)
    found.add_words([*impossible, *wanted, ""], refused)
    assert [word for word, _ in refused] == [*impossible, ""]
    assert all(reason.endswith(".") for _, reason in refused)
    new = found.tokenizer()
    other = extend_with(old, wanted).vocabulary
    assert len(new.vocabulary) == len(other)
    for id in range(len(other)):
        assert new.vocabulary.piece(id) == other.piece(id)
    refused.clear()
    nothing = Extension(old, 10_000)
    nothing.add_words(impossible, refused)
    assert (len(refused), nothing.added) == (16, [])


def test_it_goes_in_steps(old: tc.Tokenizer) -> None:
    found = Extension(old, 20, iter(NEW * 50))
    steps = 0
    while not found.finished:
        progress = found.step(0.0)
        steps += 1
    assert steps > 3
    assert (progress.phase, progress.finished) == ("merging", True)
