"""Which of the last tokens of a prompt more text can change, and what token healing allows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import hf_models
import pytest
import sentencepiece_models
from hypothesis import given
from hypothesis import strategies as st
from small_vocabularies import of_pieces

import tokenarium_core as tc
from tokenarium_core.explaining.prompt_end import UnstableEndJob, healing, unstable_end
from tokenarium_core.formats.sentencepiece.sentencepiece_format import read_sentencepiece

LOWER = of_pieces([b"lo", b"ow", b"low", b"er", b"lower", b" l", b" low"], "gpt2")
CORPUS = ["the then there the other one", "a café in the street", "low lower lowest"] * 4


def test_a_worked_example() -> None:
    # low·e, and with an r after it the one token "lower"
    end = unstable_end(LOWER, "a lowe")
    assert [LOWER.vocabulary.piece(token) for token in end.ids] == [b"a", b" low", b"e"]
    assert (end.ruled, end.changed, end.stable) == (1, 1, 1)  # a· ·lower
    end = unstable_end(LOWER, "lowe")
    assert (end.changed, end.continuation) == (0, "r")
    assert end.continued == [LOWER.vocabulary.find(b"lower")]
    assert (LOWER.vocabulary.find(b"lower"),) in end.completions


def models() -> dict[str, Any]:
    kinds = sentencepiece_models.MODELS
    return {
        "bytes": LOWER,
        **{
            name: read_sentencepiece(sentencepiece_models.trained(**kinds[name]), "s.model", "s")
            for name in ("bpe, plain", "bpe, bytes", "unigram, identity")
        },
    }


MODELS = models()


@pytest.mark.parametrize("name", MODELS)
@given(st.text("lower the,\n ", max_size=12), st.text("lower the,\n", min_size=1, max_size=4))
def test_stable_tokens_stay(name: str, text: str, more: str) -> None:
    tokenizer = MODELS[name]
    end = unstable_end(tokenizer, text)
    assert end.ids == tokenizer.encode_ids(text)
    assert tokenizer.encode_ids(text + more)[: end.stable] == end.ids[: end.stable]
    if end.continuation:
        assert tokenizer.encode_ids(text + end.continuation)[end.changed :] == end.continued
        assert end.continued[:1] != end.ids[end.changed : end.changed + 1]


def test_a_pattern_that_joins_more_than_tiktoken_expects() -> None:
    # In o200k_base a contraction belongs to the word before it.
    tokenizer = of_pieces([b"an", b"can", b"can't", b"'t", b"n't"], "o200k")
    end = unstable_end(tokenizer, "can'")
    assert (end.ruled, end.stable, end.continuation) == (1, 0, "t")


def test_nothing_is_unstable_after_an_added_token_and_without_text(tmp_path: Path) -> None:
    path = tmp_path / "t5.json"
    made = hf_models.KINDS["llama3"](CORPUS)
    made.add_tokens(["@@"])
    made.save(str(path))
    tokenizer = tc.open(path)
    end = unstable_end(tokenizer, "the@@")
    assert end.stable == len(end.ids) > 1
    assert unstable_end(tokenizer, "").stable == 0


def test_it_goes_in_steps() -> None:
    job = UnstableEndJob(LOWER, "a lower low")
    steps = 0
    while not job.step(0.001).finished:
        steps += 1
    assert steps > 1
    assert job.end.completions == unstable_end(LOWER, "a lower low").completions


def pieces(tokenizer: tc.Tokenizer, ids: list[int]) -> set[bytes]:
    return {tokenizer.vocabulary.piece(token) for token in ids}


def test_healing() -> None:
    found = healing(LOWER, LOWER.encode_ids("a l"))
    assert (found.kept, found.prefix) == (LOWER.encode_ids("a"), b" l")
    assert pieces(LOWER, found.allowed) == {b" l", b" low"}
    assert pieces(LOWER, found.parts) == {b" "}
    two = healing(LOWER, LOWER.encode_ids("xlo"), 2)
    assert (two.kept, two.prefix) == ([], b"xlo")
    assert (pieces(LOWER, two.allowed), pieces(LOWER, two.parts)) == (set(), {b"x"})
    assert healing(LOWER, [], 0).allowed == []
    with pytest.raises(tc.ArgumentError, match="dropped"):
        healing(LOWER, [97], 2)


def test_healing_keeps_to_the_kinds_of_wordpiece(tmp_path: Path) -> None:
    path = tmp_path / "bert.json"
    hf_models.KINDS["bert"](CORPUS).save(str(path))
    tokenizer = tc.open(path)
    by_surface = {
        tokenizer.vocabulary.surface(token): token for token in range(len(tokenizer.vocabulary))
    }
    word = [by_surface["t"]]
    found = healing(tokenizer, word)
    surfaces = {tokenizer.vocabulary.surface(token) for token in found.allowed}
    assert {"t", "the"} <= surfaces
    assert not any(surface.startswith("##") for surface in surfaces)
    found = healing(tokenizer, [*word, by_surface["##e"]])
    assert all(tokenizer.vocabulary.surface(token).startswith("##") for token in found.allowed)
