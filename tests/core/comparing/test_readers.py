"""What other programs make of a file, by their rules; tests/parity/test_readers.py compares these with the programs."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
from differing_pairs import fields_of
from sentencepiece_models import trained
from tekken_files import tekken

import tokenarium_core as tc
from tokenarium_core.comparing.readers.reader import Reader, ReaderDraft, ReaderFile, ReaderRule
from tokenarium_core.comparing.readers.readers import (
    NOT_READ,
    NOT_SHOWN,
    OTHER,
    OTHER_TEXT,
    READERS,
    REFUSES,
    SAME,
    UNKNOWN,
    VERDICTS,
    ReaderResult,
    ReadersJob,
    read_as_others,
)

pytestmark = [pytest.mark.slow, pytest.mark.compiled]

V4, V5 = "transformers 4.57.6", "transformers 5.24.0"


def folder(path: Path, kind: str, config: Any, model: str = "", saved: str = "") -> tc.Tokenizer:
    """Returns the tokenizer of a folder with a `tokenizer.json` and its settings.

    ``model`` is the type of its model, ``saved`` the version of transformers that saved it.
    """
    path.mkdir(exist_ok=True)
    (path / "tokenizer.json").write_text(json.dumps(fields_of(kind)))
    (path / "tokenizer_config.json").write_text(json.dumps(config))
    if model:
        content = {"model_type": model, "transformers_version": saved}
        (path / "config.json").write_text(json.dumps(content))
    return tc.open(path, cache=False)


def asked(tokenizer: tc.Tokenizer, *names: str) -> dict[str, ReaderResult]:
    """Returns the results of some programs, by their names."""
    chosen = [one for one in READERS if one.name in names or not names]
    return {one.program: one for one in read_as_others(tokenizer, readers=chosen)}


def rules(result: ReaderResult) -> list[str]:
    return [rule.id for rule in result.reading.rules]


def test_a_class_replaces_the_stages(tmp_path: Path) -> None:
    made = folder(tmp_path, "llama3", {"tokenizer_class": "GPT2Tokenizer"})
    found = asked(made, V4, V5)
    assert (found[V4].verdict, found[V5].verdict) == (SAME, OTHER)
    one = found[V5]
    assert rules(one) == ["class-stages"]
    assert "The class is GPT2Tokenizer." in one.cause
    assert one.text is not None
    assert one.ids == made.encode_ids(one.text, template=one.around)
    assert one.ids != one.other_ids
    assert one.tried > 0


def test_llamas_class_does_not_replace_byte_level_stages(tmp_path: Path) -> None:
    made = folder(tmp_path, "llama3", {"tokenizer_class": "LlamaTokenizer"})
    assert rules(asked(made, V5)[V5]) == []
    made = folder(tmp_path, "llama3", {"tokenizer_class": "LlamaTokenizer"}, model="qwen2")
    assert rules(asked(made, V5)[V5]) == ["class-stages"]


def test_transformers_4_lacks_the_class_that_5_writes(tmp_path: Path) -> None:
    made = folder(tmp_path, "llama3", {"tokenizer_class": "TokenizersBackend"})
    found = asked(made, V4, V5)
    assert (found[V4].verdict, found[V5].verdict) == (REFUSES, SAME)
    assert found[V4].cause == "It has no tokenizer class TokenizersBackend."


@pytest.mark.parametrize(("value", "verdict"), [([], REFUSES), ({}, SAME), (["<x>"], REFUSES)])
def test_extra_special_tokens_as_a_list(tmp_path: Path, value: object, verdict: str) -> None:
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "extra_special_tokens": value}
    found = asked(folder(tmp_path, "llama3", config), V4)
    assert found[V4].verdict == verdict


def test_a_token_of_the_settings_is_added(tmp_path: Path) -> None:
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "sep_token": "<sep>"}
    made = folder(tmp_path, "byte_level", config)
    for one in asked(made, V4, V5).values():
        assert (one.verdict, one.text, rules(one)) == (OTHER, "<sep>", ["settings-tokens"])
        assert one.other_ids == [len(made.vocabulary)]
        assert "'<sep>'" in one.cause


def test_options_of_the_settings_count(tmp_path: Path) -> None:
    content = fields_of("byte_level")["added_tokens"][0]["content"]
    token = {"content": content, "lstrip": True, "normalized": False, "special": True}
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "added_tokens_decoder": {"0": token}}
    made = folder(tmp_path, "byte_level", config)
    one = asked(made, V5)[V5]
    assert one.verdict == OTHER
    assert one.text is not None
    assert one.text.endswith(content)
    assert len(one.other_ids) < len(one.ids)  # the white space before it is gone


def test_prefix_space_is_false_where_the_settings_do_not_name_it(tmp_path: Path) -> None:
    made = folder(tmp_path, "prefixed_bytes", {"tokenizer_class": "PreTrainedTokenizerFast"})
    found = asked(made, V4, V5)
    assert (found[V4].verdict, rules(found[V4])) == (OTHER, ["prefix-space"])
    assert found[V5].verdict == SAME
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "add_prefix_space": True}
    assert asked(folder(tmp_path, "prefixed_bytes", config), V4)[V4].verdict == SAME


def test_berts_normalizer_follows_the_settings(tmp_path: Path) -> None:
    config = {"tokenizer_class": "BertTokenizer", "do_lower_case": False}
    found = asked(folder(tmp_path, "bert", config), V4, V5)
    for one in found.values():
        assert one.verdict == OTHER
        assert one.text is not None
    assert rules(found[V4]) == ["bert-normalizer"]


def test_the_ids_around_a_text_are_those_of_the_class(tmp_path: Path) -> None:
    config = {"tokenizer_class": "LlamaTokenizer", "bos_token": "<s>", "add_eos_token": True, "eos_token": "</s>"}  # fmt: skip
    one = asked(folder(tmp_path, "llama2", config), V4)[V4]
    assert "class-template" in rules(one)
    assert (one.verdict, one.around) == (OTHER, True)
    config["bos_token"] = None  # type: ignore[assignment]
    one = asked(folder(tmp_path, "llama2", config), V4)[V4]
    assert one.verdict == REFUSES


def test_mistrals_pattern_needs_a_large_vocabulary_and_an_early_version(tmp_path: Path) -> None:
    fields = fields_of("llama3")
    size = len(fields["model"]["vocab"])
    fields["model"]["vocab"] |= {f"entry {number}": size + number for number in range(100_000)}
    fields |= {"added_tokens": [], "post_processor": None}
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "fix_mistral_regex": True}
    for model, saved, applied in (
        ("mistral", "4.50.0", ["mistral-pattern"]),
        ("mistral", "5.0.0", []),
        ("llama", "4.50.0", []),
    ):
        folder(tmp_path, "llama3", config, model, saved)
        (tmp_path / "tokenizer.json").write_text(json.dumps(fields))
        draft = ReaderDraft(ReaderFile(tc.open(tmp_path, cache=False)))
        reader = next(one for one in READERS if one.name == V5)
        assert [rule.id for rule in reader.rules if rule.apply(draft)] == applied


def test_code_of_the_folder_is_refused(tmp_path: Path) -> None:
    config = {"tokenizer_class": "OwnTokenizer", "auto_map": {"AutoTokenizer": ["a.B", None]}}
    found = asked(folder(tmp_path, "llama3", config), V4, V5)
    assert {one.verdict for one in found.values()} == {REFUSES}
    assert "trust_remote_code" in found[V5].cause


def test_a_class_in_python_is_not_known(tmp_path: Path) -> None:
    made = folder(tmp_path, "llama3", {"tokenizer_class": "EsmTokenizer"})
    assert {one.verdict for one in asked(made, V4, V5).values()} == {UNKNOWN}


def test_an_added_token_decodes_to_its_own_text_before_0_23(tmp_path: Path) -> None:
    fields = fields_of("bert")
    size = len(fields["model"]["vocab"])
    token = {**fields["added_tokens"][0], "id": size, "content": "Polish", "special": False, "normalized": True}  # fmt: skip
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({**fields, "added_tokens": [*fields["added_tokens"], token]}))
    found = asked(tc.open(path, cache=False))
    one = found["tokenizers 0.22.2"]
    assert (one.verdict, one.text, rules(one)) == (OTHER_TEXT, "Polish", ["added-content"])
    assert found["tokenizers 0.23.3"].verdict == SAME


def test_ties_of_unigram_before_0_2_2(tmp_path: Path) -> None:
    path = tmp_path / "runs.model"
    chance = random.Random(2)
    lines = [
        " ".join("".join(chance.choice("!?.-=*#a") * chance.randint(1, 6) for _ in range(2)) for _ in range(8))
        for _ in range(3000)
    ]  # fmt: skip
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_prefix=str(path.with_suffix("")), vocab_size=60,
        hard_vocab_limit=False, minloglevel=2, num_threads=1,
    )  # fmt: skip
    found = asked(tc.open(path, cache=False))
    one = found["sentencepiece 0.2.1"]
    assert (one.verdict, rules(one)) == (OTHER, ["unigram-ties"])
    assert sorted(one.ids) == sorted(one.other_ids)  # the same pieces in another order
    assert found["sentencepiece 0.2.3"].verdict == SAME
    assert found[V5].verdict == NOT_READ


def test_what_is_in_no_file_cannot_be_asked() -> None:
    with pytest.raises(tc.NotAvailable, match="is in no file"):
        read_as_others(tc.train("bpe", ["low lower"], vocab_size=260))


def test_a_rule_that_no_text_shows_says_so(tmp_path: Path) -> None:
    made = folder(tmp_path, "byte_level", {"tokenizer_class": "GPT2Tokenizer"})
    one = asked(made, V5)[V5]
    assert one.verdict == SAME
    assert one.cause.endswith(NOT_SHOWN)
    assert one.tried > 1000


def test_own_texts_are_tried(tmp_path: Path) -> None:
    made = folder(tmp_path, "byte_level", {"tokenizer_class": "GPT2Tokenizer"})
    chosen = [one for one in READERS if one.name == V5]
    [one] = read_as_others(made, ["one\ntwo\n"], chosen)
    assert one.diff is not None
    assert one.diff.tried["your texts"] == 2


def test_the_job_reports_each_program(tmp_path: Path) -> None:
    job = ReadersJob(folder(tmp_path, "byte_level", {"tokenizer_class": "GPT2Tokenizer"}))
    said = []
    while not (progress := job.step(0)).finished:
        said.append((progress.phase, progress.done, progress.total))
    assert [one.program for one in job.results] == [one.name for one in READERS]
    assert list(dict.fromkeys(phase for phase, _, _ in said)) == [one.name for one in READERS]
    assert {total for _, _, total in said} == {len(READERS)}
    for one in job.results:
        assert one.verdict in VERDICTS
        assert set(one.as_json()["rules"]) == set(rules(one))


@pytest.mark.parametrize(
    "value", [None, True, -1, 1.5, "", "x" * 1000, "\ud800", [], ["x"], [[1]], {}, {"content": 3}, {"a": [1]}]
)  # fmt: skip
@pytest.mark.parametrize("name", [
    "tokenizer_class", "bos_token", "extra_special_tokens", "additional_special_tokens", "added_tokens_decoder",
    "add_prefix_space", "do_lower_case", "strip_accents", "add_bos_token", "extra_ids", "auto_map", "fix_mistral_regex",
])  # fmt: skip
def test_wrong_settings_are_a_result(tmp_path: Path, name: str, value: object) -> None:
    for kept in ("BertTokenizer", "LlamaTokenizer", "T5Tokenizer"):
        config = {"tokenizer_class": kept, name: value}
        try:
            made = folder(tmp_path, "llama2", config)
        except tc.TokenariumError:
            continue
        for reader in READERS:
            reading = reader.read(ReaderFile(made))
            said = [bool(reading.refusal), bool(reading.unknown), bool(reading.not_read)]
            assert sum(said) + (reading.tokenizer is not None) == 1


def test_every_reader_says_when_it_was_compared() -> None:
    names = [one.name for one in READERS]
    assert len(set(names)) == len(names)
    for reader in READERS:
        assert reader.compared
        for rule in reader.rules:
            assert rule.sentence.endswith(".")
            assert rule.source


def _fails(draft: ReaderDraft) -> bool:
    raise KeyError("missing")


def test_a_rule_that_fails_makes_nothing_known(tmp_path: Path) -> None:
    made = folder(tmp_path, "byte_level", {})
    reader = Reader("x", "1", ("huggingface",), (ReaderRule("a", "b.", "c", _fails),))
    [one] = read_as_others(made, readers=[reader])
    assert one.verdict == UNKNOWN
    assert "missing" in one.cause


def test_merges_with_a_prefix_that_the_class_lacks_are_refused(tmp_path: Path) -> None:
    made = folder(tmp_path, "wordpieces_by_bpe", {"tokenizer_class": "GPT2Tokenizer"})
    one = asked(made, V5)[V5]
    assert one.verdict == REFUSES
    assert "is no entry" in one.cause


@pytest.mark.parametrize(("program", "kind", "config", "words"), [
    (V4, "llama2", {"tokenizer_class": "CLIPTokenizer"}, "needs a Sequence as the pre-tokenizer"),
    (V4, "xlm_roberta", {"tokenizer_class": "CLIPTokenizer"}, "needs a BPE model"),
    (V4, "byte_level", {"tokenizer_class": "CodeGenTokenizer", "add_bos_token": True}, "does not put bos_token"),
    (V4, "bert", {"tokenizer_class": "NoSuchTokenizer"}, "no tokenizer class NoSuchTokenizer"),
    (V5, "byte_level", {"tokenizer_class": "BertTokenizer"}, "'[UNK]' and no entry"),
    (V5, "byte_level", {"tokenizer_class": "GemmaTokenizer"}, "'<unk>' and no entry"),
    (V5, "byte_level", {"tokenizer_class": "T5Tokenizer"}, "needs the entries of a Unigram model"),
])  # fmt: skip
def test_refused(tmp_path: Path, program: str, kind: str, config: Any, words: str) -> None:
    one = asked(folder(tmp_path, kind, config), program)[program]
    assert one.verdict == REFUSES
    assert words in one.cause


def test_without_a_class_and_a_model_transformers_4_guesses(tmp_path: Path) -> None:
    one = asked(folder(tmp_path, "llama3", {}), V4)[V4]
    assert one.verdict == UNKNOWN
    assert "guesses the class" in one.cause
    one = asked(folder(tmp_path, "llama3", {}, "no_such_model"), V4)[V4]
    assert one.verdict == REFUSES
    assert asked(folder(tmp_path, "llama3", {}, "gpt2"), V4)[V4].verdict == SAME


def test_a_model_in_a_class_without_stages_follows_its_rules_from_5_24_on(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.model").write_bytes(trained("bpe", 400))
    config = {"tokenizer_class": "PreTrainedTokenizerFast"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    made = tc.open(tmp_path, cache=False)
    found = asked(made, "transformers 5.23.0", V5)
    assert found["transformers 5.23.0"].verdict == SAME
    one = found[V5]
    assert (one.verdict, rules(one)) == (OTHER, ["model-rules"])
    assert one.text is not None
    assert one.other_ids[-len(one.ids) :] != one.ids
    config["tokenizer_class"] = "LlamaTokenizer"
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    assert rules(asked(tc.open(tmp_path, cache=False), V5)[V5]) == []


def test_versions_with_the_same_rules_are_compared_once(tmp_path: Path) -> None:
    made = folder(tmp_path, "llama3", {"tokenizer_class": "GPT2Tokenizer"})
    found = asked(made, "transformers 5.23.0", V5)
    one, other = found.values()
    assert one.diff is other.diff is not None
    assert {**one.as_json(), "version": ""} == {**other.as_json(), "version": ""}


@pytest.mark.parametrize(("configured", "verdict"), [(True, UNKNOWN), (False, NOT_READ)])
def test_a_tekken_folder(tmp_path: Path, configured: bool, verdict: str) -> None:
    (tmp_path / "tekken.json").write_text(json.dumps(tekken()))
    if configured:
        (tmp_path / "config.json").write_text(json.dumps({"model_type": "mistral"}))
    found = asked(tc.open(tmp_path, cache=False))
    assert found[V5].verdict == verdict
    assert found["mistral-common 1.13.1"].verdict == SAME
