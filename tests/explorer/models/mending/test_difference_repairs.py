"""The repairs of differences: afterwards the first tokenizer does what the second does, in the library too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tiktoken
from differing_pairs import KNOWN, KnownPair, fields_of, opened, put, replaced
from tokenizers import Tokenizer

import tokenarium_core as tc
from tokenarium.models.mending.difference_repairs import stage_repairs
from tokenarium.models.mending.mended_folder import write_mended
from tokenarium.models.release.expected_ids import usual_texts
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS

SMALL = {"a missing merge": 1, "two digits": 1, "lstrip": 1, "a score": 1, "byte fallback": 1, "no SEP": 1, "accents": 1}  # fmt: skip
"""How many lines of some repaired files differ from the original."""


def pair_of(pair: KnownPair) -> tuple[dict[str, Any], dict[str, Any]]:
    fields, changed = fields_of(pair.kind), fields_of(pair.kind)
    for one in (fields, changed):
        if pair.before is not None:
            pair.before(one)
    pair.edit(changed)
    return fields, changed


@pytest.mark.slow
@pytest.mark.parametrize("swapped", [False, True], ids=["forwards", "backwards"])
@pytest.mark.parametrize("pair", KNOWN, ids=lambda pair: pair.name)
def test_each_known_difference_is_mended(pair: KnownPair, swapped: bool, tmp_path: Path) -> None:
    ours, theirs = reversed(pair_of(pair)) if swapped else pair_of(pair)
    a, b = opened(ours, tmp_path / "a.json"), opened(theirs, tmp_path / "b.json")
    found = stage_repairs(a, b)
    assert pair.stage.replace(" ", "-") in [one.id for one in found]
    written = write_mended(a, found, tmp_path / "out")
    assert (written.mended, written.copied) == (("a.json",), ())
    mended = tc.open(tmp_path / "out" / "a.json")
    assert tc.diff(mended, b).worst == ""
    path = str(tmp_path / "out" / "a.json")
    reference, right = Tokenizer.from_file(path), Tokenizer.from_str(json.dumps(theirs))
    first = tc.diff(a, b).first
    assert first is not None
    for text in (first.text, *list(usual_texts())[::20]):
        assert reference.encode(text).ids == right.encode(text).ids


def test_only_what_differs_is_edited(tmp_path: Path) -> None:
    by_name = {pair.name: pair for pair in KNOWN}
    for name, count in SMALL.items():
        ours, theirs = pair_of(by_name[name])
        a, b = opened(ours, tmp_path / "a.json"), opened(theirs, tmp_path / "b.json")
        assert [len(one.edits) for one in stage_repairs(a, b)] == [count], name


def test_several_stages_at_once(tmp_path: Path) -> None:
    ours, theirs = fields_of("llama3"), fields_of("llama3")
    put({"type": "NFC"}, "normalizer")(theirs)
    put(False, "model", "ignore_merges")(theirs)
    put(True, "added_tokens", 2, "lstrip")(theirs)
    a, b = opened(ours, tmp_path / "a.json"), opened(theirs, tmp_path / "b.json")
    found = stage_repairs(a, b)
    assert [one.id for one in found] == ["added-tokens", "normalizer", "model"]
    assert all(one.title.endswith(" of b") for one in found)
    write_mended(a, found, tmp_path / "out")
    assert tc.diff(tc.open(tmp_path / "out" / "a.json"), b).worst == ""
    write_mended(a, found[:1], tmp_path / "one")
    assert {one.stage for one in tc.diff(tc.open(tmp_path / "one" / "a.json"), b).differences} == {"normalizer", "model"}  # fmt: skip


def test_a_chat_template_of_the_other(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in "ab"]
    for folder, template in zip(folders, ("{{ 1 }}", "{{ 2 }}"), strict=True):
        folder.mkdir()
        opened(fields_of("llama3"), folder / "tokenizer.json")
        config = {"x": 1.50, "chat_template": template, "eos_token": "<|x|>"}
        (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=2), "utf-8")
    a, b = map(tc.open, folders)
    (found,) = stage_repairs(a, b)
    assert found.id == "chat-template"
    write_mended(a, [found], tmp_path / "out")
    before = (folders[0] / "tokenizer_config.json").read_text("utf-8")
    after = (tmp_path / "out" / "tokenizer_config.json").read_text("utf-8")
    assert after == before.replace("{{ 1 }}", "{{ 2 }}")


def test_a_model_that_no_tokenizer_json_has(tmp_path: Path) -> None:
    shipped = {one.id: tc.open(one.path) for one in SHIPPED_TOKENIZERS}
    a = opened(fields_of("llama3"), tmp_path / "a.json")
    assert stage_repairs(shipped["tokenarium-8k"], a) == []


def test_a_vocabulary_of_another_format(tmp_path: Path) -> None:
    """A file that is another form of the same tokenizer, but for its pattern."""
    shipped = tc.open({one.id: one.path for one in SHIPPED_TOKENIZERS}["tokenarium-8k"])
    path = tmp_path / "a.json"
    shipped.save(path, format="huggingface")
    fields = json.loads(path.read_text("utf-8"))
    fields["pre_tokenizer"] = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}  # fmt: skip
    a = opened(fields, path)
    found = stage_repairs(a, shipped)
    assert [one.id for one in found] == ["pre-tokenizer"]
    write_mended(a, found, tmp_path / "out")
    reference = Tokenizer.from_file(str(tmp_path / "out" / "a.json"))
    for text in list(usual_texts())[::10]:
        assert reference.encode(text).ids == shipped.encode_ids(text)


@pytest.mark.slow
def test_a_real_vocabulary(tiktoken_cache: Path, tmp_path: Path) -> None:
    """A copy of cl100k_base with another pattern and without three merges gives tiktoken's ids again."""
    right = tc.open("cl100k_base")
    path = tmp_path / "tokenizer.json"
    right.save(path, format="huggingface")
    fields = json.loads(path.read_text("utf-8"))
    replaced("{1,3}", "{1,2}", "pre_tokenizer", "pretokenizers", 0, "pattern", "Regex")(fields)
    del fields["model"]["merges"][2000:2003]
    path.write_text(json.dumps(fields, ensure_ascii=False, indent=2), "utf-8")
    wrong = tc.open(path)
    found = stage_repairs(wrong, right)
    assert [(one.id, len(one.edits)) for one in found] == [("pre-tokenizer", 1), ("merges", 3)]
    write_mended(wrong, found, tmp_path / "out")
    encoding = tiktoken.get_encoding("cl100k_base")
    references = [Tokenizer.from_file(str(one)) for one in (path, tmp_path / "out" / path.name)]
    differ = [0, 0]
    for text in usual_texts():
        for place, reference in enumerate(references):
            reference.encode_special_tokens = True
            ids = reference.encode(text, add_special_tokens=False).ids
            differ[place] += ids != encoding.encode_ordinary(text)
    assert differ[0] > 0
    assert differ[1] == 0
