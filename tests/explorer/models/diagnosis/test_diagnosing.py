"""The diagnostics of a tokenizer, on small ones with known oddities."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from narrowed import assert_contains, there
from small_files import saved, write_file
from small_vocabularies import of_pieces

import tokenarium_core as tc
from tokenarium.app.start import sample_text
from tokenarium.models.diagnosis.diagnosing import EXAMINATIONS, diagnose
from tokenarium.models.diagnosis.diagnosis import SHOWN, Level
from tokenarium.models.diagnosis.diagnosis_cuts import blank_runs, numbers, unstable
from tokenarium.models.diagnosis.diagnosis_entries import (
    NEVER_UTF8,
    Witnesses,
    not_utf8,
    unreachable,
)
from tokenarium.models.diagnosis.diagnosis_files import configuration, settings_beside
from tokenarium.models.diagnosis.diagnosis_residues import residues
from tokenarium.models.diagnosis.diagnosis_texts import TRIED, injection, round_trip
from tokenarium.models.text.lost_text import lost_share
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS

CORPUS = [sample_text(name) for name in ("prose-en", "prose-hi", "code-python", "numbers")]


@pytest.fixture(scope="module")
def trained() -> tc.Tokenizer:
    return tc.train("bpe", CORPUS, vocab_size=700, special_tokens=["<|end|>"])


@pytest.fixture(scope="module")
def sentencepiece() -> tc.Tokenizer:
    return tc.train("sentencepiece-bpe", CORPUS, vocab_size=800, byte_fallback=True)


@pytest.mark.slow
def test_all_examinations_say_what_they_did(trained: tc.Tokenizer) -> None:
    found = list(diagnose(trained))
    assert len({one.id for one in found}) == len(found) == len(EXAMINATIONS)
    for one in found:
        assert one.sentence.endswith(".")
        assert one.method.endswith(".")
        assert one.count >= max(len(one.evidence), len(one.tokens[:1]))
        assert len(one.evidence) <= SHOWN
    assert {one.id for one in found if one.level is Level.UNKNOWN} == {
        "configuration",
        "folder",
        "same_model",
        "stored_cuts",
        "stored_patterns",
        "text_starts",
        "under_trained",
        "zero_scores",
    }


def test_only_bytes_that_no_text_has_are_out_of_reach(trained: tc.Tokenizer) -> None:
    found = unreachable(trained)
    assert {trained.vocabulary.piece(token) for token in found.tokens} == NEVER_UTF8
    assert found.level is Level.FINE
    assert "13 are bytes that no text needs." in found.sentence
    assert "occurs in no UTF-8" in found.evidence[0].note


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
    for case in found.evidence:
        assert any(word in case.note for word in ("entry", "entries", "UTF-8", "normalizer"))


def test_a_byte_is_needless_where_all_that_it_begins_are_entries() -> None:
    letters = "".join(map(chr, range(0xC0, 0x100)))  # all that begin with the byte C3
    tokenizer = tc.train(
        "sentencepiece-bpe", [f"{letters} {'zä ' * 9}"], vocab_size=400, byte_fallback=True
    )
    found = unreachable(tokenizer)
    notes = {tokenizer.vocabulary.piece(case.token): case.note for case in found.evidence}
    assert "all 64 characters that begin with C3 have entries" in notes[b"\xc3"]
    assert b"\xc2" not in notes


def test_a_space_that_encoding_puts_there_leaves_an_entry_alone() -> None:
    tokenizer = tc.train("sentencepiece-bpe", ["ab ab ab b b"], vocab_size=270, byte_fallback=True)
    assert tokenizer.encode_ids("ab") == [tokenizer.vocabulary.find(b" ab")]
    # "ab" and "b" without a space, the space itself, and the bytes of characters that have several.
    expected = 3 + 128 - sum(byte >= b"\x80" for byte in NEVER_UTF8)
    assert f", {expected} of them only beside other characters" in unreachable(tokenizer).sentence


def test_a_piece_that_goes_on_words_is_found_after_a_long_one(tmp_path: Path) -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["[UNK]", *letters, *(f"{letter}s" for letter in letters), "international", "##s"]
    file = write_file(tmp_path / "vocab.txt", "\n".join(words))
    tokenizer = tc.open(str(file))
    assert Witnesses(tokenizer).find(len(words) - 1) == "internationals"
    assert unreachable(tokenizer).level is Level.FINE


def test_bytes_of_no_character_are_completed_to_any() -> None:
    quick = [b"\xd0" + bytes([byte]) for byte in (0x80, 0x8D, 0xA0, 0xBF, 0x99, 0xB0)]
    tokenizer = of_pieces([*quick, b"\xd0\xbe", b"\xd0\xbe\xd0"])
    token = tokenizer.vocabulary.find(b"\xd0\xbe\xd0")
    text = there(Witnesses(tokenizer).find(token))
    assert token in tokenizer.encode_ids(text)
    every = [b"\xd0" + bytes([byte]) for byte in range(0x80, 0xC0)]
    tokenizer = of_pieces([*every, b"\xd0\xbe\xd0"])
    found = unreachable(tokenizer)
    token = tokenizer.vocabulary.find(b"\xd0\xbe\xd0")
    [case] = [case for case in found.evidence if case.token == token]
    assert "Other merges seem to take these bytes first" in case.note or "becomes" in case.note
    assert found.level is Level.SURPRISE


def test_signs_and_endings_are_tried_around_an_entry() -> None:
    tokenizer = of_pieces(
        [b"//", b"\n//", b".\n", b" w", b" w'"], r" ?\w+'?[a-z]*|[.)]?\n+/*|[^\w\s]+|\s"
    )
    witnesses = Witnesses(tokenizer)
    for token in range(256, len(tokenizer.vocabulary)):
        text = there(witnesses.find(token))
        assert token in tokenizer.encode_ids(text)


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
    whole = not_utf8(tc.train("bpe", [CORPUS[0]], vocab_size=300, pattern="gpt2"))
    assert whole.count == 0
    assert whole.sentence.startswith("All entries of several bytes are made of whole characters. ")


def test_round_trips(trained: tc.Tokenizer, sentencepiece: tc.Tokenizer) -> None:
    assert round_trip(trained).level is Level.FINE
    found = round_trip(sentencepiece)
    assert any("▁" in (case.text or "") for case in found.evidence)
    for case in found.evidence:
        assert case.text is not None
        assert sentencepiece.decode(list(case.ids)) != case.text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pattern", "sentence", "level"),
    [
        (
            "digits",
            "1 as 1, 2 as 1+1, 3 as 1+1+1, 4 as 1+1+1+1, 5 as 1+1+1+1+1. Digits of the same",
            Level.FINE,
        ),
        ("gpt2", "Numbers of equal length are split in different ways", Level.SURPRISE),
    ],
)
def test_numbers(pattern: str, sentence: str, level: Level) -> None:
    tokenizer = tc.train("bpe", CORPUS, vocab_size=600, pattern=pattern)
    found = numbers(tokenizer)
    assert sentence in found.sentence
    assert found.level is level


def test_blanks_and_unstable_ends(trained: tc.Tokenizer) -> None:
    found = blank_runs(trained)
    [case] = [case for case in found.evidence if case.note.startswith("4 spaces")]
    assert case.text == "a\n    b"
    assert list(case.ids) == trained.encode_ids(case.text)
    found = unstable(trained)
    assert found.level is Level.SURPRISE
    for case in found.evidence:
        assert case.text is not None
        assert list(case.ids) == trained.encode_ids(case.text)
        assert "last 1 token" not in case.note
    alone = tc.train("bpe", CORPUS, vocab_size=400, pattern="whitespace")
    assert unstable(alone).level is Level.FINE


def test_blanks_that_do_not_come_back_are_reported(trained: tc.Tokenizer) -> None:
    found = blank_runs(trained)
    assert found.level is Level.FINE
    assert "do not come back" not in found.sentence
    [one] = [case for case in found.evidence if case.note.startswith("1 line end:")]
    assert one.text == "a\n\nb"  # beside the one that is always there
    lossy = blank_runs(tc.train("wordpiece", CORPUS, vocab_size=800))
    assert lossy.level is Level.LOST_TEXT
    assert "Runs of spaces and of tabs and of line ends do not come back" in lossy.sentence


def test_causes_of_a_vocabulary_of_words(tmp_path: Path) -> None:
    wordpiece = tc.train("wordpiece", CORPUS, vocab_size=800)
    path = tmp_path / "tokenizer.json"
    wordpiece.save(path, "huggingface")  # there the unknown token is an added one
    for tokenizer in (wordpiece, tc.open(path)):
        by_text = {case.text: case.note for case in round_trip(tokenizer).evidence}
        assert "(spaces that are dropped)" in by_text["a   b"]
        assert "(an unknown token)" in by_text["a\u2581b"]
        assert lost_share(tokenizer, ["\u6771\u4eac"]) == 1


def test_entries_that_any_text_makes(trained: tc.Tokenizer) -> None:
    tokenizer = tc.train(
        "sentencepiece-bpe",
        CORPUS,
        vocab_size=500,
        user_defined_symbols=["::", "<unused0>", "<turn>", "never found"],  # no text has its space
    )
    found = injection(tokenizer)
    assert_contains(
        found.sentence,
        "3 other entries are found in any text",
        "2 of them are written like markers, such as <turn>.",
    )
    assert [case.text for case in found.evidence] == ["<turn>", "<unused0>", "::"]
    for case in found.evidence:
        assert case.text is not None
        assert case.token in tokenizer.encode_ids(f"a{case.text}b")


def test_special_tokens_in_plain_text(trained: tc.Tokenizer) -> None:
    found = injection(trained)
    assert "None of 1 special token" in found.sentence
    assert found.tokens == ()


def test_the_configuration_of_a_model(trained: tc.Tokenizer, tmp_path: Path) -> None:
    assert configuration(trained).level is Level.UNKNOWN
    path = saved(trained, tmp_path / "tokenizer.json", "huggingface")
    opened = tc.open(path)
    size = len(opened.vocabulary)
    settings = {"vocab_size": size + 28, "eos_token_id": [size - 1, size + 5]}
    (tmp_path / "config.json").write_text(json.dumps(settings), "utf-8")
    (tmp_path / "generation_config.json").write_text("{broken", "utf-8")
    found = configuration(opened)
    assert found.level is Level.WRONG_IDS
    assert [case.token for case in found.evidence] == [-1, size - 1, -1]
    assert "28 rows" in found.evidence[0].note
    (tmp_path / "config.json").write_text(json.dumps({"vocab_size": size}), "utf-8")
    assert configuration(opened).level is Level.FINE


CONFIG = {
    "tokenizer_class": "LlamaTokenizer",
    "bos_token": "<s>",
    "eos_token": "</nope>",
    "additional_special_tokens": ["<s>", "</nope>", {"__type": "AddedToken", "content": "<also>"}],
}


def test_tokens_that_a_folder_names(sentencepiece: tc.Tokenizer, tmp_path: Path) -> None:
    """A special token that is not an entry is found, whether the folder or only the file is open."""
    assert settings_beside(sentencepiece).level is Level.UNKNOWN
    sentencepiece.save(tmp_path / "tokenizer.model", "sentencepiece")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(CONFIG), "utf-8")
    (tmp_path / "added_tokens.json").write_text('{"<new>": 805}', "utf-8")
    size = len(sentencepiece.vocabulary)
    found = settings_beside(tc.open(tmp_path))
    assert found.level is Level.WRONG_IDS
    assert [case.note.partition(" ")[0] for case in found.evidence] == [
        "“</nope>”",
        "“<also>”",
        "“<new>”",
    ]
    assert f"added with the id {size + 1}" in found.evidence[0].note
    assert f"has the id 805 there, and {size} in the tokenizer" in found.evidence[2].note
    found = settings_beside(tc.open(tmp_path / "tokenizer.model"))
    assert "open the folder" in found.evidence[0].note
    assert "transformers adds it" in found.evidence[1].note
    (tmp_path / "added_tokens.json").unlink()
    (tmp_path / "tokenizer_config.json").write_text('{"bos_token": "<s>"}', "utf-8")
    assert settings_beside(tc.open(tmp_path)).level is Level.FINE


def test_tokens_of_a_file_that_does_not_count(sentencepiece: tc.Tokenizer, tmp_path: Path) -> None:
    """Beside ``added_tokens_decoder`` added_tokens.json is not read, by transformers neither."""
    sentencepiece.save(tmp_path / "tokenizer.model", "sentencepiece")
    number = len(sentencepiece.vocabulary)
    added = {str(number): {"content": "<one>", "special": True}}
    config = {"tokenizer_class": "LlamaTokenizer", "added_tokens_decoder": added}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    (tmp_path / "added_tokens.json").write_text(json.dumps({"<two>": number + 1}), "utf-8")
    (case,) = settings_beside(tc.open(tmp_path)).evidence
    assert case.note.startswith("“<two>” (added_tokens.json) is not an entry, and was not added")
    assert "transformers does not read it either" in case.note


def test_tokens_named_beside_a_whole_file(trained: tc.Tokenizer, tmp_path: Path) -> None:
    """Beside a tokenizer.json, tokens are not added, as tokenizers has it: that is said."""
    trained.save(tmp_path / "tokenizer.json", "huggingface")
    config = {"eos_token": "<|end|>", "pad_token": "<pad>", "add_eos_token": True}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    found = settings_beside(tc.open(tmp_path))
    assert [case.note for case in found.evidence] == [
        "“<pad>” (pad_token of tokenizer_config.json) is not an entry, and was not added; transformers adds it when it opens"
        " the folder",
        "add_eos_token is set, but tokenizer.json does not put “<|end|>” around a text: the file counts, in transformers 5,"
        " too",
    ]


@pytest.mark.parametrize("name", ["cl100k_base", "gpt2"])
def test_encodings_of_openai(name: str, tiktoken_cache: Path) -> None:
    tokenizer = tc.open(name)
    found = {one.id: one for one in diagnose(tokenizer)}
    assert {
        tokenizer.vocabulary.piece(token) for token in found["unreachable"].tokens
    } == NEVER_UTF8
    assert found["round_trip"].level is Level.FINE
    assert ("5 as 3+2." in found["numbers"].sentence) == (name == "cl100k_base")


def test_entries_that_are_only_steps_are_residues(trained: tc.Tokenizer) -> None:
    found = residues(trained)
    assert found.level in (Level.FINE, Level.FINE)
    assert found.count == len(found.tokens)
    shipped = residues(tc.open(SHIPPED_TOKENIZERS[0].path))
    assert shipped.level is Level.FINE
    assert "of the vocabulary" in shipped.sentence
    assert "stays" in shipped.evidence[0].note
    assert shipped.evidence[0].token == shipped.tokens[0]
    paths = residues(tc.train("unigram", CORPUS[:1], vocab_size=100))
    assert paths.level is Level.FINE
    assert "does not merge" in paths.sentence


def test_a_tokenizer_that_refuses_texts_is_examined(tmp_path: Path) -> None:
    """A model of words without an unknown token stops most examinations, and the others go on."""
    file = tmp_path / "tokenizer.json"
    model = {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "[UNK]"}
    file.write_text(json.dumps({"version": "1.0", "added_tokens": [], "model": model}), "utf-8")
    found = {one.id: one for one in diagnose(tc.open(file))}
    assert len(found) == len(EXAMINATIONS)
    assert found["round_trip"].level is Level.LOST_TEXT
    assert found["round_trip"].count == len(TRIED)
    assert found["numbers"].level is Level.UNKNOWN
    assert "not in this vocabulary" in found["numbers"].sentence


def test_the_unknown_token_is_not_forged(tmp_path: Path) -> None:
    file = write_file(tmp_path / "vocab.txt", "[UNK]\na\nb\n")
    assert injection(tc.open(file)).level is Level.FINE
