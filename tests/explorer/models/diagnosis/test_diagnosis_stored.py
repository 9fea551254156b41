"""What files store that other programs would not expect, on small ones with one such thing each, and on sound ones."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from stored_folders import CHAT, change, sound_folder, write
from tokenizers import Regex, Tokenizer, pre_tokenizers
from transformers import PreTrainedTokenizerFast

import tokenarium_core as tc
from tokenarium.models.diagnosis import diagnosis_stored
from tokenarium.models.diagnosis.diagnosing import diagnose
from tokenarium.models.diagnosis.diagnosis import FAULTS, Diagnosis, Level, worst
from tokenarium.models.diagnosis.diagnosis_files import configuration, settings_beside
from tokenarium.models.diagnosis.diagnosis_stored import (
    TEKKEN,
    added_blanks,
    added_ids,
    stored_cuts,
    stored_patterns,
    text_starts,
    zero_scores,
)
from tokenarium.models.diagnosis.diagnosis_texts import lookalikes, looks_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return sound_folder(tmp_path)


def notes(found: Diagnosis) -> str:
    return "\n".join(case.note for case in found.evidence)


@pytest.mark.slow
def test_a_sound_folder_has_no_fault(folder: Path) -> None:
    found = list(diagnose(tc.open(folder)))
    assert {one.level for one in found} == {Level.FINE, Level.UNKNOWN}
    by_id = {one.id: one for one in found}
    assert by_id["folder"].sentence == "All 2 tokens that they name are entries."
    assert by_id["configuration"].sentence == "All 3 settings fit the tokenizer."
    assert "once at its beginning" in by_id["text_starts"].sentence


def test_levels_are_ordered() -> None:
    assert worst([Level.FINE, Level.LOST_TEXT, Level.SURPRISE]) is Level.LOST_TEXT
    assert worst([]) is Level.FINE
    assert Level.WRONG_IDS.reaches(Level.SURPRISE)
    assert not Level.SURPRISE.reaches(Level.LOST_TEXT)
    assert not any(Level.FINE.reaches(one) or Level.UNKNOWN.reaches(one) for one in FAULTS)


def test_ids_of_other_tokens_are_wrong(folder: Path) -> None:
    size = len(tc.open(folder).vocabulary)
    write(folder / "config.json", {"vocab_size": size, "bos_token_id": 1, "eos_token_id": 2})
    found = configuration(tc.open(folder))
    assert found.level is Level.WRONG_IDS
    assert f"but the tokenizer's bos_token “<s>” has the id {size - 2}" in notes(found)
    # generate() reads generation_config.json, which may name several ends.
    write(folder / "config.json", {"vocab_size": size, "eos_token_id": 2})
    write(folder / "generation_config.json", {"eos_token_id": [2, size - 1]})
    assert configuration(tc.open(folder)).level is Level.FINE
    write(folder / "generation_config.json", {"pad_token_id": -1, "bos_token_id": size - 2})
    write(folder / "config.json", {"vocab_size": size})
    assert configuration(tc.open(folder)).level is Level.FINE
    write(folder / "config.json", {"vocab_size": size - 1})
    assert configuration(tc.open(folder)).level is Level.WRONG_IDS


def test_a_token_for_padding_is_no_wrong_id(folder: Path) -> None:
    path = folder / "tokenizer_config.json"
    write(path, json.loads(path.read_text("utf-8")) | {"pad_token": "</s>"})
    write(folder / "config.json", {"pad_token_id": 0})
    found = configuration(tc.open(folder))
    assert found.level is Level.SURPRISE


def test_an_id_that_a_file_names_twice(folder: Path) -> None:
    path = folder / "tokenizer_config.json"
    stated = {"added_tokens_decoder": {"5": {"content": "<s>", "special": True}}}
    write(path, json.loads(path.read_text("utf-8")) | stated)
    found = settings_beside(tc.open(folder))
    assert found.level is Level.WRONG_IDS
    assert "“<s>” (added_tokens_decoder of tokenizer_config.json) has the id 5 there" in notes(
        found
    )


def test_added_tokens_with_another_id(folder: Path) -> None:
    added = json.loads((folder / "tokenizer.json").read_text("utf-8"))["added_tokens"]
    assert added_ids(tc.open(folder)).level is Level.FINE
    added[1]["id"] = 900
    found = added_ids(change(folder, added_tokens=added))
    reference = Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert found.tokens == (reference.token_to_id("</s>"),)
    assert found.level is Level.WRONG_IDS
    assert "the file names the id 900" in notes(found)


def test_tokens_that_take_blanks(folder: Path) -> None:
    added = json.loads((folder / "tokenizer.json").read_text("utf-8"))["added_tokens"]
    added[1]["rstrip"] = True
    tokenizer = change(folder, added_tokens=added)
    found = added_blanks(tokenizer)
    assert found.level is Level.SURPRISE
    assert notes(found).startswith("takes all spaces after it")
    ids = list(tokenizer.encode("a</s>\n\nb", "all").ids)
    assert "\n" not in tokenizer.decode(ids)


def test_truncation_loses_text(folder: Path) -> None:
    assert stored_cuts(tc.open(folder)).level is Level.FINE
    cut = {"direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 0}
    found = stored_cuts(change(folder, truncation=cut))
    assert found.level is Level.LOST_TEXT
    reference = Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert len(reference.encode("a b c d e f g h i j k").ids) == 8
    fill = {"strategy": {"Fixed": 12}, "direction": "Right", "pad_to_multiple_of": None}
    fill |= {"pad_id": 0, "pad_type_id": 0, "pad_token": "!"}
    found = stored_cuts(change(folder, truncation=None, padding=fill))
    assert found.level is Level.SURPRISE
    assert "filled up to 12 tokens with “!”" in notes(found)
    assert stored_cuts(tc.train("bpe", ["a b"], vocab_size=260)).level is Level.UNKNOWN


@pytest.mark.slow
@pytest.mark.parametrize(
    ("literal", "is_regex"),
    [
        (r"\s+", True),
        (r"\p{N}{1,3}", True),
        ("[^a-z]", True),
        ("(?=x)", True),
        ("[0-9]+", True),
        (r"'s|'t| ?\p{L}+", True),
        (" ", False),
        ("▁", False),
        ("...", False),
        ("[UNK]", False),
        ("|", False),
        ("a|b", False),
        ("C++", False),
        ("{}", False),
        ("\n", False),
    ],
)
def test_literals_that_are_regular_expressions(folder: Path, literal: str, is_regex: bool) -> None:
    step = {
        "type": "Split",
        "pattern": {"String": literal},
        "behavior": "Isolated",
        "invert": False,
    }
    level = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": True,
    }
    steps = {"type": "Sequence", "pretokenizers": [step, level]}
    found = stored_patterns(change(folder, pre_tokenizer=steps))
    assert found.level is (Level.SURPRISE if is_regex else Level.FINE)
    assert found.count == is_regex


def test_the_pattern_of_a_model_of_mistral(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis_stored, "LARGE", 100)

    def with_pattern(regex: str) -> Diagnosis:
        made = Tokenizer.from_file(str(folder / "tokenizer.json"))
        made.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Split(Regex(regex), "isolated"),
                pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
            ]
        )
        made.save(str(folder / "tokenizer.json"))
        return stored_patterns(tc.open(folder))

    other = r"\p{N}{1,3}|\s+|[^\s\p{N}]+"
    write(folder / "config.json", {"model_type": "mistral3", "transformers_version": "4.50.1"})
    assert with_pattern(other).level is Level.SURPRISE
    path = folder / "tokenizer_config.json"
    write(path, json.loads(path.read_text("utf-8")) | {"fix_mistral_regex": True})
    found = with_pattern(other)
    assert found.level is Level.WRONG_IDS
    text = "hello world,this"
    patch = PreTrainedTokenizerFast._patch_mistral_regex

    def by_transformers() -> list[int]:
        whole = Tokenizer.from_file(str(folder / "tokenizer.json"))
        settings = json.loads(path.read_text("utf-8"))
        made = patch(
            whole, str(folder), is_local=True, init_kwargs=settings, fix_mistral_regex=True
        )
        ids: list[int] = made.encode(text, add_special_tokens=False).ids
        return ids

    assert by_transformers() != tc.open(folder).encode_ids(text)
    assert with_pattern(TEKKEN).level is Level.FINE
    assert by_transformers() == tc.open(folder).encode_ids(text)
    for unlike in ({"model_type": "llama"}, {"transformers_version": "5.1.0"}):
        config = {"model_type": "mistral3", "transformers_version": "4.50.1"} | unlike
        write(folder / "config.json", config)
        assert with_pattern(other).level is Level.FINE


def test_a_chat_that_begins_twice(folder: Path) -> None:
    (folder / "chat_template.jinja").write_text("{{ bos_token }}" + CHAT, "utf-8")
    found = text_starts(tc.open(folder))
    assert found.level is Level.SURPRISE
    assert "“<s>” 2 times" in found.sentence
    reference = PreTrainedTokenizerFast.from_pretrained(folder)
    chat = reference.apply_chat_template([{"role": "user", "content": "hello"}], tokenize=False)
    assert reference(chat).input_ids.count(reference.bos_token_id) == 2
    (folder / "chat_template.jinja").unlink()
    assert text_starts(tc.open(folder)).level is Level.UNKNOWN
    (folder / "chat_template.jinja").write_text("{{ nothing.at.all() }}", "utf-8")
    assert text_starts(tc.open(folder)).level is Level.UNKNOWN


def test_a_beginning_that_no_file_names(folder: Path) -> None:
    write(folder / "tokenizer_config.json", {"add_bos_token": True, "eos_token": "</s>"})
    found = settings_beside(tc.open(folder))
    assert "add_bos_token is set, but tokenizer_config.json names no bos_token" in notes(found)
    assert found.level is Level.SURPRISE


def added(contents: Iterable[str], **options: bool) -> list[dict[str, Any]]:
    plain = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return [
        {"id": 300 + at, "content": content, "special": True, **plain, **options}
        for at, content in enumerate(contents)
    ]


def test_look_alikes_of_special_tokens(folder: Path) -> None:
    assert looks_of("<|us\u0435r|>") == looks_of("<|user|>") != looks_of("<|users|>")
    tokens = ["<|user|>", "<\uff5cuser\uff5c>", "<|us\u200ber|>", "eng_Latn", "<|users|>"]
    found = lookalikes(change(folder, added_tokens=added(tokens), post_processor=None))
    assert [case.text for case in found.evidence] == [tokens[1], tokens[2], "eng_Latn"]
    assert found.level is Level.SURPRISE
    normalizer = {"type": "NFKC"}
    tokens = ["<|user|>"]
    options = {"added_tokens": added(tokens, normalized=True), "normalizer": normalizer}
    forged = lookalikes(change(folder, **options))
    (case,) = forged.evidence
    assert case.text == "\uff1c\uff5c\uff55\uff53\uff45\uff52\uff5c\uff1e"
    reference = Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert reference.token_to_id("<|user|>") in reference.encode(case.text).ids
    options["added_tokens"] = added(tokens)
    assert lookalikes(change(folder, **options)).level is Level.FINE


def test_pieces_of_a_second_vocabulary(tmp_path: Path) -> None:
    from sentencepiece import sentencepiece_model_pb2 as messages

    own = tc.train(
        "sentencepiece-bpe", ["some words of a text " * 9], vocab_size=290, byte_fallback=True
    )
    path = tmp_path / "own.model"
    own.save(path, "sentencepiece")
    assert zero_scores(tc.open(path)).level is Level.FINE
    model = messages.ModelProto.FromString(path.read_bytes())
    for at in range(12):
        model.pieces.add(piece=chr(0x4E00 + at) * 2, score=0.0)
    path.write_bytes(model.SerializeToString())
    found = zero_scores(tc.open(path))
    assert found.level is Level.SURPRISE
    assert found.count == len(found.tokens) == 12
    assert found.sentence.startswith("12 pieces (")
    assert zero_scores(tc.train("bpe", ["a b"], vocab_size=260)).level is Level.UNKNOWN
