"""What is odd about a tokenizer, on small ones of which the oddities are known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_vocabularies import of_pieces

import tokenarium_core as tc
from tokenarium.app import sample_text
from tokenarium.models.diagnosing import EXAMINATIONS, diagnose
from tokenarium.models.diagnosis import Weight
from tokenarium.models.diagnosis_cuts import blank_runs, numbers, unstable
from tokenarium.models.diagnosis_entries import NEVER_UTF8, not_utf8, unreachable
from tokenarium.models.diagnosis_files import configuration
from tokenarium.models.diagnosis_texts import injection, round_trip

CORPUS = [sample_text(name) for name in ("prose-en", "prose-hi", "code-python", "numbers")]


@pytest.fixture(scope="module")
def trained() -> tc.Tokenizer:
    return tc.train("bpe", CORPUS, vocab_size=700, special_tokens=["<|end|>"])


@pytest.fixture(scope="module")
def sentencepiece() -> tc.Tokenizer:
    return tc.train("sentencepiece-bpe", CORPUS, vocab_size=800, byte_fallback=True)


def test_all_examinations_say_what_they_did(trained: tc.Tokenizer) -> None:
    found = list(diagnose(trained))
    assert len({one.id for one in found}) == len(found) == len(EXAMINATIONS)
    for one in found:
        assert one.sentence.endswith(".")
        assert one.method.endswith(".")
        assert one.count >= len(one.tokens[:1])
    assert {one.id for one in found if one.weight is Weight.UNKNOWN} == {
        "configuration",
        "under_trained",
    }


def test_only_bytes_that_no_text_has_are_out_of_reach(trained: tc.Tokenizer) -> None:
    found = unreachable(trained)
    assert {trained.vocabulary.piece(token) for token in found.tokens} == NEVER_UTF8
    assert "stands in no UTF-8" in found.evidence[0].note


def test_an_entry_that_no_merge_makes_is_proved() -> None:
    tokenizer = of_pieces([b"th", b"the", b"xyz", b" a"], r" ?\w+|\W")
    found = unreachable(tokenizer)
    named = {tokenizer.vocabulary.piece(token) for token in found.tokens}
    assert named - NEVER_UTF8 == set()  # tiktoken takes a word whole that is a piece
    tokenizer = of_pieces([b"th", b"a,"], r"\w+|\W")
    found = unreachable(tokenizer)
    [case] = [case for case in found.evidence if case.text == "a,"]
    assert tokenizer.vocabulary.piece(case.token) == b"a,"


def test_byte_pieces_of_characters_with_entries_are_out_of_reach(
    sentencepiece: tc.Tokenizer,
) -> None:
    found = unreachable(sentencepiece)
    assert b"e" in {sentencepiece.vocabulary.piece(token) for token in found.tokens}
    assert all("entry" in case.note or "UTF-8" in case.note for case in found.evidence)


def test_entries_that_split_characters(trained: tc.Tokenizer) -> None:
    found = not_utf8(trained)
    split = []
    for token in range(256, len(trained.vocabulary)):
        try:
            trained.vocabulary.piece(token).decode()
        except UnicodeDecodeError:
            split.append(token)
    assert list(found.tokens) == split
    assert found.count == len(split) > 0
    assert not_utf8(tc.train("bpe", [CORPUS[0]], vocab_size=300, pattern="gpt2")).count == 0


def test_round_trips(trained: tc.Tokenizer, sentencepiece: tc.Tokenizer) -> None:
    assert round_trip(trained).weight is Weight.FINE
    found = round_trip(sentencepiece)
    assert any("▁" in (case.text or "") for case in found.evidence)
    for case in found.evidence:
        assert case.text is not None
        assert sentencepiece.decode(list(case.ids)) != case.text


@pytest.mark.parametrize(
    ("pattern", "sentence", "weight"),
    [
        (
            "digits",
            "1 as 1, 2 as 1+1, 3 as 1+1+1, 4 as 1+1+1+1, 5 as 1+1+1+1+1. Digits of the same",
            Weight.FINE,
        ),
        ("gpt2", "Numbers of equal length are cut in different ways", Weight.WARNING),
    ],
)
def test_numbers(pattern: str, sentence: str, weight: Weight) -> None:
    tokenizer = tc.train("bpe", CORPUS, vocab_size=600, pattern=pattern)
    found = numbers(tokenizer)
    assert sentence in found.sentence
    assert found.weight is weight


def test_blanks_and_unstable_ends(trained: tc.Tokenizer) -> None:
    found = blank_runs(trained)
    [case] = [case for case in found.evidence if case.note.startswith("4 spaces")]
    assert case.text == "a\n    b"
    assert list(case.ids) == trained.encode_ids(case.text)
    found = unstable(trained)
    assert found.weight is Weight.WARNING
    for case in found.evidence:
        assert case.text is not None
        assert list(case.ids) == trained.encode_ids(case.text)
    alone = tc.train("bpe", CORPUS, vocab_size=400, pattern="whitespace")
    assert unstable(alone).weight is Weight.FINE


def test_special_tokens_in_plain_text(trained: tc.Tokenizer) -> None:
    found = injection(trained)
    assert "None of 1 special token" in found.sentence
    assert found.tokens == ()


def test_the_configuration_of_a_model(trained: tc.Tokenizer, tmp_path: Path) -> None:
    assert configuration(trained).weight is Weight.UNKNOWN
    path = tmp_path / "tokenizer.json"
    trained.save(path, "huggingface")
    opened = tc.open(path)
    size = len(opened.vocabulary)
    settings = {"vocab_size": size + 28, "eos_token_id": [size - 1, size + 5]}
    (tmp_path / "config.json").write_text(json.dumps(settings), "utf-8")
    (tmp_path / "generation_config.json").write_text("{broken", "utf-8")
    found = configuration(opened)
    assert found.weight is Weight.WARNING
    assert [case.token for case in found.evidence] == [-1, size - 1, -1]
    assert "28 rows" in found.evidence[0].note
    (tmp_path / "config.json").write_text(json.dumps({"vocab_size": size}), "utf-8")
    assert configuration(opened).weight is Weight.FINE


@pytest.mark.parametrize("name", ["cl100k_base", "gpt2"])
def test_encodings_of_openai(name: str, tiktoken_cache: Path) -> None:
    tokenizer = tc.open(name)
    found = {one.id: one for one in diagnose(tokenizer)}
    assert {
        tokenizer.vocabulary.piece(token) for token in found["unreachable"].tokens
    } == NEVER_UTF8
    assert found["round_trip"].weight is Weight.FINE
    assert ("5 as 3+2." in found["numbers"].sentence) == (name == "cl100k_base")
