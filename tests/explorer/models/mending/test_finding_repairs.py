"""The repairs of findings: afterwards the libraries give the right ids, and only what is mended has changed."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import gguf_faults
import gguf_files
import mutation_seeds
import pytest
from gguf import GGUFReader
from stored_folders import CHAT, sound_folder, write
from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers
from transformers import AutoTokenizer, PreTrainedTokenizerFast

import tokenarium_core as tc
from tokenarium.models.diagnosis import diagnosis_stored
from tokenarium.models.diagnosis.diagnosing import EXAMINATION_OF, diagnose
from tokenarium.models.diagnosis.diagnosis import Level
from tokenarium.models.mending import mended_folder
from tokenarium.models.mending.finding_repairs import MENDABLE, repairs_of
from tokenarium.models.mending.gguf_repair import mended_gguf
from tokenarium.models.mending.mended_folder import MendedFolder, write_mended
from tokenarium.models.mending.repair import Repair
from tokenarium.resources.samples_index import load_samples
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS

WEIGHTS = "model.safetensors"
SHIPPED = {shipped.id: shipped.path for shipped in SHIPPED_TOKENIZERS}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "model"
    path.mkdir()
    sound_folder(path)
    (path / WEIGHTS).write_bytes(b"weights")
    (path / "README.md").write_text("not a file of the tokenizer", "utf-8")
    return path


def repairs(folder: Path, finding: str) -> dict[str, Repair]:
    tokenizer = tc.open(folder)
    return {one.id: one for one in repairs_of(tokenizer, EXAMINATION_OF[finding](tokenizer))}


def mended(folder: Path, finding: str, id: str = "", files: str = "tokenizer.json") -> Path:
    """Returns a folder with a repair; only these files may have changed, and the finding has to be gone."""
    found = repairs(folder, finding)
    repair = found[id] if id else next(iter(found.values()))
    out = folder.parent / f"mended-{repair.id}"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    written = write_mended(tc.open(folder), [repair], out)
    assert sorted(written.mended) == sorted(files.split())
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    after = {path.name: path.read_bytes() for path in out.iterdir()}
    assert after.keys() == before.keys() - {WEIGHTS, "README.md"}
    assert {name for name in after if after[name] != before[name]} == set(written.mended)
    assert written.library.startswith("tokenizers ")
    assert repair.id not in repairs(out, finding)
    return out


def lines_that_differ(folder: Path, out: Path, name: str = "tokenizer.json") -> list[str]:
    """Returns the lines of a mended file that the file did not have."""
    before, after = ((one / name).read_text("utf-8").splitlines() for one in (folder, out))
    return [line[2:].strip() for line in difflib.ndiff(before, after) if line.startswith("+ ")]


def pretty(folder: Path, **fields: Any) -> None:
    """Changes fields of a tokenizer.json, and writes it as the library does."""
    path = folder / "tokenizer.json"
    changed = json.loads(path.read_text("utf-8")) | fields
    path.write_text(json.dumps(changed, ensure_ascii=False, indent=2), "utf-8")


def added_of(folder: Path) -> list[dict[str, Any]]:
    tokens: list[dict[str, Any]] = json.loads((folder / "tokenizer.json").read_text("utf-8"))["added_tokens"]  # fmt: skip
    return tokens


def test_every_finding_that_may_be_mended_is_one() -> None:
    assert EXAMINATION_OF.keys() >= MENDABLE


@pytest.mark.slow
def test_a_sound_folder_needs_no_repair(folder: Path) -> None:
    tokenizer = tc.open(folder)
    assert [one for finding in diagnose(tokenizer) for one in repairs_of(tokenizer, finding)] == []


def test_spaces_next_to_added_tokens_stay(folder: Path) -> None:
    tokens = added_of(folder)
    tokens[1]["rstrip"] = True
    pretty(folder, added_tokens=tokens)
    config = folder / "tokenizer_config.json"
    stated = {"eos_token": {**tokens[1], "__type": "AddedToken"}}
    write(config, json.loads(config.read_text("utf-8")) | stated)
    text = "hello</s>  world"
    fast = PreTrainedTokenizerFast.from_pretrained(folder)
    assert fast.decode(fast(text).input_ids).endswith("</s>world")
    out = mended(folder, "added_blanks", files="tokenizer.json tokenizer_config.json")
    assert lines_that_differ(folder, out) == ['"rstrip": false,']
    reference = Tokenizer.from_file(str(out / "tokenizer.json"))
    assert reference.decode(reference.encode(text).ids, skip_special_tokens=False).endswith(text)
    fast = PreTrainedTokenizerFast.from_pretrained(out)
    assert fast.decode(fast(text).input_ids).endswith(text)


def test_an_added_token_gets_the_id_that_its_file_states(folder: Path) -> None:
    tokens = added_of(folder)
    tokens[1]["id"] = 900
    pretty(folder, added_tokens=tokens)
    real = Tokenizer.from_file(str(folder / "tokenizer.json")).token_to_id("</s>")
    out = mended(folder, "added_ids")
    assert lines_that_differ(folder, out) == [f'"id": {real},']
    assert Tokenizer.from_file(str(out / "tokenizer.json")).token_to_id("</s>") == real


def test_ids_of_the_configuration(folder: Path) -> None:
    tokenizer = tc.open(folder)
    bos, eos = tokenizer.special_tokens["<s>"], tokenizer.special_tokens["</s>"]
    config = {"text_config": {"bos_token_id": 1}, "x": [1.50, "é"], "eos_token_id": 2}
    (folder / "config.json").write_text(json.dumps(config, indent=4), "utf-8")
    write(folder / "generation_config.json", {"eos_token_id": [2, 3, 9999], "top_p": 0.90})
    out = mended(folder, "configuration", files="config.json generation_config.json")
    assert lines_that_differ(folder, out, "config.json") == [f'"bos_token_id": {bos}', f'"eos_token_id": {eos}']  # fmt: skip
    generation = json.loads((out / "generation_config.json").read_text("utf-8"))
    assert generation["eos_token_id"][0] == eos
    assert 9999 not in generation["eos_token_id"]
    assert b'"top_p": 0.9' in (out / "generation_config.json").read_bytes()


@pytest.mark.parametrize("twice", [False, True])
def test_ids_of_the_settings(folder: Path, twice: bool) -> None:
    token = {"content": "<s>", "special": True, "lstrip": False, "rstrip": False, "normalized": False}  # fmt: skip
    known = tc.open(folder).special_tokens["<s>"]
    decoder = {"5": token} | ({str(known): token} if twice else {})
    config = folder / "tokenizer_config.json"
    write(config, json.loads(config.read_text("utf-8")) | {"added_tokens_decoder": decoder})
    write(folder / "added_tokens.json", {"</s>": 7})
    out = mended(folder, "folder", files="tokenizer_config.json added_tokens.json")
    settings = json.loads((out / "tokenizer_config.json").read_text("utf-8"))
    assert settings["added_tokens_decoder"] == {str(known): token}
    assert json.loads((out / "added_tokens.json").read_text("utf-8")) == {"</s>": known + 1}
    fast = AutoTokenizer.from_pretrained(out)
    assert fast.convert_tokens_to_ids("<s>") == known


def test_tokens_that_the_settings_name(folder: Path) -> None:
    """transformers adds them when it opens the folder; the file alone, in tokenizers, does not know them."""
    config = folder / "tokenizer_config.json"
    mask = {"content": "<mask>", "lstrip": True, "rstrip": False, "normalized": False, "single_word": False, "special": True}  # fmt: skip
    named = {"mask_token": {"__type": "AddedToken", **mask}, "pad_token": "<pad>", "unk_token": "<unk>", "sep_token": "<s>", "cls_token": "<cls>"}  # fmt: skip
    write(config, json.loads(config.read_text("utf-8")) | named)
    fast = AutoTokenizer.from_pretrained(folder)
    given = {
        token: fast.convert_tokens_to_ids(token) for token in ("<pad>", "<mask>", "<unk>", "<cls>")
    }
    assert Tokenizer.from_file(str(folder / "tokenizer.json")).token_to_id("<pad>") is None
    out = mended(folder, "folder", "folder-tokens")
    reference = Tokenizer.from_file(str(out / "tokenizer.json"))
    assert {token: reference.token_to_id(token) for token in given} == given
    again = AutoTokenizer.from_pretrained(out)
    assert {token: again.convert_tokens_to_ids(token) for token in given} == given
    assert again("a  <mask>").input_ids == fast("a  <mask>").input_ids == reference.encode("a  <mask>").ids  # fmt: skip
    assert len(again) == len(fast) == len(tc.open(out).vocabulary)


def test_a_setting_that_asks_for_a_token_around_a_text(folder: Path) -> None:
    pretty(folder, post_processor=None)
    config = folder / "tokenizer_config.json"
    asked = {"add_bos_token": True, "add_eos_token": True}
    write(config, json.loads(config.read_text("utf-8")) | asked)
    off = mended(folder, "folder", "folder-off", "tokenizer_config.json")
    assert json.loads((off / "tokenizer_config.json").read_text("utf-8"))["add_bos_token"] is False
    with_template = mended(folder, "folder", "folder-template")
    plain = Tokenizer.from_file(str(folder / "tokenizer.json")).encode("hello").ids
    around = Tokenizer.from_file(str(with_template / "tokenizer.json"))
    bos, eos = around.token_to_id("<s>"), around.token_to_id("</s>")
    assert around.encode("hello").ids == [bos, *plain, eos]
    assert around.encode("hello", "hello").ids == [bos, *plain, eos, bos, *plain, eos]
    assert PreTrainedTokenizerFast.from_pretrained(with_template)("hello").input_ids == [bos, *plain, eos]  # fmt: skip


def test_truncation_and_padding_are_removed(folder: Path) -> None:
    cut = {"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0}
    fill = {"strategy": {"Fixed": 12}, "direction": "Right", "pad_to_multiple_of": None}
    fill |= {"pad_id": 0, "pad_type_id": 0, "pad_token": "!"}
    whole = Tokenizer.from_file(str(folder / "tokenizer.json")).encode("hello hello hello").ids
    pretty(folder, truncation=cut, padding=fill)
    assert len(Tokenizer.from_file(str(folder / "tokenizer.json")).encode("hello hello hello").ids) == 12  # fmt: skip
    out = mended(folder, "stored_cuts")
    reference = Tokenizer.from_file(str(out / "tokenizer.json"))
    assert reference.encode("hello hello hello").ids == whole


def test_a_pattern_that_was_stored_as_text(folder: Path) -> None:
    made = Tokenizer.from_file(str(folder / "tokenizer.json"))
    split = pre_tokenizers.Split(Regex(r"\p{N}{1,2}"), "isolated")
    level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.pre_tokenizer = pre_tokenizers.Sequence([split, level])
    right = made.encode("hello 1234 wor5ld").tokens
    made.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(r"\p{N}{1,2}", "isolated"), level])  # fmt: skip
    made.save(str(folder / "tokenizer.json"))
    out = mended(folder, "stored_patterns")
    reference = Tokenizer.from_file(str(out / "tokenizer.json"))
    assert reference.encode("hello 1234 wor5ld").tokens == right
    assert lines_that_differ(folder, out) == [r'"Regex": "\\p{N}{1,2}"']


def test_the_pattern_of_mistral(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis_stored, "LARGE", 100)
    made = Tokenizer.from_file(str(folder / "tokenizer.json"))
    split = pre_tokenizers.Split(Regex(r"\p{N}{1,3}|\s+|[^\s\p{N}]+"), "isolated")
    level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.pre_tokenizer = pre_tokenizers.Sequence([split, level])
    made.save(str(folder / "tokenizer.json"))
    write(folder / "config.json", {"model_type": "mistral3", "transformers_version": "4.50.1"})
    config = folder / "tokenizer_config.json"
    settings = json.loads(config.read_text("utf-8")) | {"fix_mistral_regex": True}
    write(config, settings)

    def by_transformers(path: Path) -> list[int]:
        whole = Tokenizer.from_file(str(path / "tokenizer.json"))
        patched = PreTrainedTokenizerFast._patch_mistral_regex(
            whole, str(path), is_local=True, init_kwargs={**settings}, fix_mistral_regex=True
        )
        ids: list[int] = patched.encode("hello world,this", add_special_tokens=False).ids
        return ids

    right = by_transformers(folder)
    assert tc.open(folder).encode_ids("hello world,this") != right
    out = mended(folder, "stored_patterns", "stored_patterns-mistral")
    assert tc.open(out).encode_ids("hello world,this") == right == by_transformers(out)


TEMPLATES = {
    "expression": "{{ bos_token }}" + CHAT,
    "with whitespace control": "{{- bos_token -}}\n" + CHAT,
    "sum": "{% for m in messages %}{{ (bos_token + m['role'] if loop.first else m['role']) + ': ' + m['content'] }}{% endfor %}",
    "literal": "{% for m in messages %}{% if loop.first %}<s>{% endif %}{{ m['content'] }}{% endfor %}",
    "text in quotes": "{{ '<s>' }}" + CHAT,
    "two branches": "{% if messages[0].role == 'system' %}{{ bos_token }}A{% else %}{{ bos_token }}B{% endif %}" + CHAT,
    "Llama 3": "{% for m in messages %}{% set content = m['role'] + m['content'] %}{% if loop.index0 == 0 %}"
    "{% set content = bos_token + content %}{% endif %}{{ content }}{% endfor %}",
}  # fmt: skip


@pytest.mark.parametrize("source", TEMPLATES.values(), ids=TEMPLATES)
@pytest.mark.parametrize("own_file", [True, False])
def test_a_template_without_a_second_beginning(folder: Path, source: str, own_file: bool) -> None:
    if own_file:
        (folder / "chat_template.jinja").write_text(source, "utf-8", newline="")
    else:
        (folder / "chat_template.jinja").unlink(missing_ok=True)
        config = folder / "tokenizer_config.json"
        write(config, json.loads(config.read_text("utf-8")) | {"chat_template": source})
    messages = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "world"}]
    fast = PreTrainedTokenizerFast.from_pretrained(folder)
    before = fast.apply_chat_template(messages, tokenize=False)
    assert fast(before).input_ids.count(fast.bos_token_id) == 2
    out = mended(folder, "text_starts", files="chat_template.jinja" if own_file else "tokenizer_config.json")  # fmt: skip
    fast = PreTrainedTokenizerFast.from_pretrained(out)
    after = fast.apply_chat_template(messages, tokenize=False)
    assert after == before.removeprefix("<s>") != before
    assert fast(after).input_ids.count(fast.bos_token_id) == 1


def test_a_template_that_cannot_be_mended(folder: Path) -> None:
    source = "{% set s = '<' %}{{ s ~ 's>' }}" + CHAT
    (folder / "chat_template.jinja").write_text(source, "utf-8")
    assert EXAMINATION_OF["text_starts"](tc.open(folder)).level is Level.SURPRISE
    assert repairs(folder, "text_starts") == {}


def test_special_tokens_only_by_their_exact_text(folder: Path) -> None:
    made = Tokenizer.from_file(str(folder / "tokenizer.json"))
    made.normalizer = normalizers.NFKC()
    made.save(str(folder / "tokenizer.json"))
    tokens = added_of(folder)
    tokens[1]["normalized"] = True
    pretty(folder, added_tokens=tokens)
    wide = "＜/ｓ＞".replace("/", "／")
    end = tokens[1]["id"]
    assert end in Tokenizer.from_file(str(folder / "tokenizer.json")).encode(wide).ids
    out = mended(folder, "lookalikes")
    reference = Tokenizer.from_file(str(out / "tokenizer.json"))
    assert end not in reference.encode(wide).ids
    assert end in reference.encode("</s>").ids


def test_markers_become_special(folder: Path) -> None:
    tokens = added_of(folder)
    tokens[1]["special"] = False
    pretty(folder, added_tokens=tokens)
    out = mended(folder, "injection")
    reference = Tokenizer.from_file(str(out / "tokenizer.json"))
    assert reference.decode(reference.encode("hello</s>").ids) == "hello"
    assert tc.open(out).encode_ids("</s>") != [tokens[1]["id"]]


@pytest.mark.parametrize("as_text", [True, False])
@pytest.mark.parametrize("lost", [[0], [2], [3, 5, 11]])
def test_missing_merges(folder: Path, lost: list[int], as_text: bool) -> None:
    fields = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    merges = fields["model"]["merges"]
    fields["model"]["merges"] = [" ".join(one) if as_text else one for one in merges]
    right_fields = json.loads(json.dumps(fields))
    text = "hello world, this is text"
    right = Tokenizer.from_str(json.dumps(right_fields)).encode(text).ids
    for place in reversed(lost):
        del fields["model"]["merges"][place]
    pretty(folder, model=fields["model"])
    assert Tokenizer.from_file(str(folder / "tokenizer.json")).encode(text).ids != right
    out = mended(folder, "unreachable")
    assert json.loads((out / "tokenizer.json").read_text("utf-8"))["model"] == right_fields["model"]
    assert Tokenizer.from_file(str(out / "tokenizer.json")).encode(text).ids == right


def test_no_place_for_a_merge_without_an_order_of_ids(folder: Path) -> None:
    fields = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    merges, vocab = fields["model"]["merges"], fields["model"]["vocab"]
    first, last = "".join(merges[1]), "".join(merges[-1])
    vocab[first], vocab[last] = vocab[last], vocab[first]
    del merges[0]
    pretty(folder, model=fields["model"])
    assert EXAMINATION_OF["unreachable"](tc.open(folder)).level is Level.SURPRISE
    assert repairs(folder, "unreachable") == {}


@pytest.mark.parametrize("by_folder", [True, False])
def test_the_configuration_beside_a_sentencepiece_model(tmp_path: Path, by_folder: bool) -> None:
    folder, out = tmp_path / "model", tmp_path / "out"
    folder.mkdir()
    original = tc.open(SHIPPED["unigram-8k"])
    original.save(folder / "tokenizer.model", format="sentencepiece")
    (folder / "config.json").write_text('{ "eos_token_id": 7,"x":1.50 }', "utf-8")
    write(folder / "tokenizer_config.json", {"eos_token": "</s>", "tokenizer_class": "T5Tokenizer"})
    tokenizer = tc.open(folder if by_folder else folder / "tokenizer.model")
    (repair,) = repairs_of(tokenizer, EXAMINATION_OF["configuration"](tokenizer))
    written = write_mended(tokenizer, [repair], out)
    assert (written.mended, written.texts) == (("config.json",), 0)
    eos = original.special_tokens["</s>"]
    assert (out / "config.json").read_text("utf-8") == f'{{ "eos_token_id": {eos},"x":1.50 }}'
    for name in written.copied:
        assert (out / name).read_bytes() == (folder / name).read_bytes()
    assert sorted(written.copied) == ["tokenizer.model", "tokenizer_config.json"]


# GGUF.


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda one: replace(one, tensors=2), "is cut off"),
        (lambda one: replace(one, tensors=2**64 - 1), "is cut off"),
        (lambda one: replace(one, rest=b"\xff" * 7 + b"\x7f" + one.rest[8:]), "is cut off"),
        (lambda one: replace(one, fields=(*one.fields, gguf_faults.number_field("general.alignment", 24))), "no power of two"),
        (lambda one: replace(one, fields=(*one.fields, gguf_faults.text_field("general.alignment", "x"))), "no power of two"),
        (lambda one: replace(one, fields=(*one.fields, gguf_faults.number_field("general.alignment", 1 << 31))), "is cut off"),
    ],
)  # fmt: skip
def test_gguf_files_with_wrong_numbers(change: Callable[[Any], Any], said: str, tmp_path: Path) -> None:  # fmt: skip
    """No size that a file states is allocated before the file has been found to be so long."""
    sound = gguf_faults.with_tensors(mutation_seeds.seeds()["gguf bytes"]["small.gguf"], 32)
    path = tmp_path / "m.gguf"
    path.write_bytes(sound)
    assert gguf_faults.data_of(b"".join(mended_gguf(path, "qwen2"))) == gguf_faults.data_of(sound)
    path.write_bytes(change(gguf_faults.fields_of(sound)).joined())
    with pytest.raises(tc.FormatError, match=said):
        b"".join(mended_gguf(path, "qwen2"))


@pytest.mark.slow
@pytest.mark.parametrize("pre", ["default", None, "llama-bpe"])
def test_the_name_of_the_pattern(pre: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    folder = tmp_path / "model"
    folder.mkdir()
    original = tc.open(SHIPPED["bpe-gpt2-8k"])
    original.save(folder / "tokenizer.json", format="huggingface")

    def more(writer: Any) -> None:
        writer.add_string("general.name", "é" * 7)
        writer.add_array("tokenizer.x", [1, 2, 3])
        writer.add_bool("general.x", True)

    path = gguf_files.of_merges(folder / "m.gguf", original, pre, more, tensors=True)
    tokenizer = tc.open(path)
    (repair,) = repairs_of(tokenizer, EXAMINATION_OF["same_model"](tokenizer))
    assert repair.pattern == "gpt-2"
    out = tmp_path / "out"
    written = write_mended(tokenizer, [repair], out)
    assert (written.mended, written.copied) == (("m.gguf",), ())
    texts = [sample.text() for sample in load_samples()]
    assert written.texts == sum(tokenizer.encode_ids(text) != original.encode_ids(text) for text in texts)  # fmt: skip
    mended_file = tc.open(out / "m.gguf")
    assert all(mended_file.encode_ids(text) == original.encode_ids(text) for text in texts)
    before, after = GGUFReader(path), GGUFReader(out / "m.gguf")
    assert [(one.name, one.data.tobytes()) for one in before.tensors] == [
        (one.name, one.data.tobytes()) for one in after.tensors
    ]
    names = {*before.fields, "tokenizer.ggml.pre"}
    assert {*after.fields} == names
    for name in names - {"tokenizer.ggml.pre", "GGUF.kv_count"}:
        assert after.fields[name].contents() == before.fields[name].contents()
    assert after.fields["tokenizer.ggml.pre"].contents() == "gpt-2"
    with pytest.raises(tc.ArgumentError, match="not changed in place"):
        write_mended(tokenizer, [repair], folder)


# Folders.


def blanks(folder: Path) -> Repair:
    tokens = added_of(folder)
    tokens[1]["rstrip"] = True
    pretty(folder, added_tokens=tokens)
    return repairs(folder, "added_blanks")["added_blanks"]


def test_in_place_only_the_mended_file_changes(folder: Path) -> None:
    repair = blanks(folder)
    before = {path.name: path.stat().st_ino for path in folder.iterdir()}
    written = write_mended(tc.open(folder), [repair], folder)
    assert written == MendedFolder(folder, ("tokenizer.json",), (), 0, written.tried, written.library)  # fmt: skip
    after = {path.name: path.stat().st_ino for path in folder.iterdir()}
    assert {name for name in after if after[name] != before[name]} == {"tokenizer.json"}
    assert after.keys() == before.keys()
    assert list(folder.parent.glob(".*")) == []
    assert repairs(folder, "added_blanks") == {}


def test_a_file_of_another_name_keeps_it(folder: Path) -> None:
    blanks(folder)
    own = folder / "own.json"
    (folder / "tokenizer.json").rename(own)
    tokenizer = tc.open(own)
    (repair,) = repairs_of(tokenizer, EXAMINATION_OF["added_blanks"](tokenizer))
    written = write_mended(tokenizer, [repair], folder.parent / "out")
    assert written.mended == ("own.json",)
    assert not (folder.parent / "out" / "tokenizer.json").exists()


def full(path: Path) -> None:
    path.mkdir()
    (path / "x").write_bytes(b"")


@pytest.mark.parametrize(
    ("prepare", "said"), [(full, "is not empty"), (lambda path: path.write_bytes(b""), "is not empty")]
)  # fmt: skip
def test_other_folders_are_not_overwritten(folder: Path, prepare: Callable[[Path], object], said: str) -> None:  # fmt: skip
    repair = blanks(folder)
    out = folder.parent / "out"
    prepare(out)
    with pytest.raises(tc.ArgumentError, match=said):
        write_mended(tc.open(folder), [repair], out)


def moved(folder: Path) -> None:
    tokens = added_of(folder)
    pretty(folder, added_tokens=tokens[::-1])


def listed(folder: Path) -> None:
    (folder / "tokenizer.json").write_text("[]", "utf-8")


def cut(folder: Path) -> None:
    path = folder / "tokenizer.json"
    path.write_bytes(path.read_bytes()[:-9])


@pytest.mark.parametrize("change", [moved, listed, cut])
@pytest.mark.parametrize("again", [False, True])
def test_a_file_that_has_changed_is_not_mended(folder: Path, change: Callable[[Path], None], again: bool) -> None:  # fmt: skip
    repair = blanks(folder)
    tokenizer = tc.open(folder)
    change(folder)
    if again and change is moved:
        tokenizer = tc.open(folder)  # as another process does
    before = (folder / "tokenizer.json").read_bytes()
    for out in (folder.parent / "out", folder):
        with pytest.raises(tc.FormatError, match="has changed since it was examined"):
            write_mended(tokenizer, [repair], out)
    assert (folder / "tokenizer.json").read_bytes() == before
    assert not (folder.parent / "out").exists()


def test_a_file_that_changes_while_its_copy_is_checked_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    repair = blanks(folder)
    tokenizer = tc.open(folder)

    def change(*_: object) -> str:
        pretty(folder, version="1.1")
        return ""

    monkeypatch.setattr(mended_folder, "_proved", change)
    with pytest.raises(tc.TokenariumError, match="has changed"):
        write_mended(tokenizer, [repair], folder)
    assert json.loads((folder / "tokenizer.json").read_text("utf-8"))["version"] == "1.1"
    assert list(folder.parent.glob(".*")) == []


def test_nothing_is_written_if_the_finding_stays(folder: Path) -> None:
    repair = blanks(folder)
    tokens = added_of(folder)
    tokens[0]["lstrip"] = True  # in the meantime
    pretty(folder, added_tokens=tokens)
    out = folder.parent / "out"
    with pytest.raises(tc.TokenariumError, match="did not mend everything"):
        write_mended(tc.open(folder), [repair], out)
    assert not out.exists()
    assert list(folder.parent.glob(".*")) == []
    (folder / "tokenizer.json").write_text("{}", "utf-8")
    with pytest.raises(tc.TokenariumError):
        write_mended(tc.open(SHIPPED["bpe-gpt2-8k"]), [], out)


def test_a_tokenizer_of_another_format_has_no_repair_of_fields(tmp_path: Path) -> None:
    tc.train("bpe", ["a b"], vocab_size=260).save(tmp_path / "a.tokenarium", format="tokenarium")
    tokenizer = tc.open(tmp_path / "a.tokenarium")
    assert [one for finding in diagnose(tokenizer) for one in repairs_of(tokenizer, finding)] == []


def test_the_libraries_are_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repair = blanks(folder)
    real = mended_folder.reference_for

    def wrong(tokenizer: tc.Tokenizer, special: bool) -> Any:
        reference = real(tokenizer, special)
        reference.ids = lambda text: [1]  # type: ignore[method-assign]
        return reference

    monkeypatch.setattr(mended_folder, "reference_for", wrong)
    with pytest.raises(tc.TokenariumError, match="gives different ids with them"):
        write_mended(tc.open(folder), [repair], folder.parent / "out")
