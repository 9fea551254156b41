"""A copy keeps every part of a tokenizer, or is refused by the part's name: laws over every pair of formats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from small_files import new_folder, saved, write_file

import tokenarium_core as tc
from tokenarium_core.added_tokens import of_special
from tokenarium_core.decoders.decoder import Decoder
from tokenarium_core.encoding import Template
from tokenarium_core.errors import ArgumentError
from tokenarium_core.formats import parts, registry
from tokenarium_core.formats.chat_part import TEMPLATES, chat_of
from tokenarium_core.formats.parts import TITLES, fields_of, parts_of
from tokenarium_core.formats.tekken_format import TekkenDecoder
from tokenarium_core.formats.tokenarium_format import content_of_tokenizer, tokenizer_of_content

CORPUS = ["low lower lowest newer wider é"] * 9
TEXTS = ["", "low newest", "<s>low</s> lower", "a <s>", "é <|é|>", "\u0915\u094d"]
SPECIAL = ["<s>", "</s>"]
CHAT = {"bos_token": "<s>", "chat_template": "{{ bos_token }}{{ messages[0].content }}</s>"}


def bpe() -> tc.Tokenizer:
    return tc.train("bpe", CORPUS, vocab_size=272, pattern="gpt2", special_tokens=SPECIAL)


def around(tokenizer: tc.Tokenizer) -> dict[str, Any]:
    token = {"id": "<s>", "ids": [tokenizer.special_tokens["<s>"]], "tokens": ["<s>"]}
    first = {"SpecialToken": {"id": "<s>", "type_id": 0}}
    text = {"Sequence": {"id": "A", "type_id": 0}}
    second = {"Sequence": {"id": "B", "type_id": 1}}
    return {
        "type": "TemplateProcessing",
        "single": [first, text],
        "pair": [first, text, first, second],
        "special_tokens": {"<s>": token},
    }


PADDING = {
    "strategy": "BatchLongest",
    "direction": "Right",
    "pad_to_multiple_of": None,
    "pad_id": 0,
    "pad_type_id": 0,
    "pad_token": "!",
}
TRUNCATION = {"direction": "Right", "max_length": 5, "strategy": "LongestFirst", "stride": 0}
STRIP = {"type": "Strip", "content": " ", "start": 1, "stop": 0}


def folder_with(folder: Path, part: str) -> tc.Tokenizer:
    """Returns a tokenizer.json, opened in its folder, with one part more than plain byte-level BPE has."""
    tokenizer = bpe()
    path = folder / "model" / "tokenizer.json"
    path.parent.mkdir(exist_ok=True)
    tokenizer.save(path, "huggingface")
    file = json.loads(path.read_text("utf-8"))
    if part == parts.TEMPLATE:
        file["post_processor"] = around(tokenizer)
    elif part == parts.TRUNCATION:
        file["truncation"] = TRUNCATION
    elif part == parts.PADDING:
        file["padding"] = PADDING
    elif part == parts.DECODER:
        file["decoder"] = {"type": "Sequence", "decoders": [file["decoder"], STRIP]}
    elif part in ("lstrip", "rstrip", "single_word", "normalized"):
        file["added_tokens"][0][part] = True
    elif part == "special":
        file["added_tokens"][0][part] = False
    path.write_text(json.dumps(file), "utf-8")
    if part == parts.CHAT:
        (path.parent / "tokenizer_config.json").write_text(json.dumps(CHAT), "utf-8")
    return tc.open(path.parent)


def same(one: tc.Tokenizer, copy: tc.Tokenizer) -> None:
    """Asserts that a copy has all parts, and gives the same ids and texts with and without each of them."""
    assert parts_of(copy) == parts_of(one)
    assert chat_of(copy)[TEMPLATES] == chat_of(one)[TEMPLATES]
    for name in ("truncation", "padding"):
        assert fields_of(copy).get(name) == fields_of(one).get(name)
    assert [vars_of(token) for token in copy.added_tokens.tokens] == [
        vars_of(token) for token in one.added_tokens.tokens
    ]
    for text in TEXTS:
        for special in ("none", "all"):
            for template in (False, True):
                ids = list(one.encode(text, special=special, template=template).ids)
                assert list(copy.encode(text, special=special, template=template).ids) == ids
                for skips in (False, True):
                    assert copy.decode(ids, skips) == one.decode(ids, skips)


def vars_of(token: Any) -> tuple[str, int, list[str]]:
    return token.content, token.id, token.flags


def sources(folder: Path) -> dict[str, tc.Tokenizer]:
    """Returns one tokenizer for each part, one for each other kind of model, and those of other readers."""
    options = ("lstrip", "rstrip", "single_word", "normalized", "special")
    found: dict[str, tc.Tokenizer] = {"plain": bpe()}
    for part in [*TITLES, *options, "json"]:
        place = new_folder(folder / part)
        found[part] = folder_with(place, part)
    plain = bpe()
    found["ranks with a template"] = tc.Tokenizer(
        "t",
        plain.model,
        plain.pre_tokenizer,
        of_special(plain.special_tokens),
        template=Template("<s>", [plain.special_tokens["<s>"]], []),
    )
    found["ranks that leave out"] = tc.Tokenizer(
        "t",
        plain.model,
        plain.pre_tokenizer,
        of_special(plain.special_tokens),
        decoder=Decoder("bytes", frozenset(plain.special_tokens.values())),
    )
    found["tekken"] = tc.Tokenizer(
        "t",
        plain.model,
        plain.pre_tokenizer,
        of_special(plain.special_tokens),
        decoder=TekkenDecoder(0),
    )
    found["wordpiece"] = tc.train("wordpiece", CORPUS, vocab_size=60)
    found["picky"] = tc.train("picky-bpe", CORPUS, vocab_size=270, special_tokens=SPECIAL)
    found["unigram"] = tc.train("unigram", CORPUS, vocab_size=40)
    return found


@pytest.mark.slow
def test_a_copy_keeps_every_part_or_is_refused_by_name(tmp_path: Path) -> None:
    """Over every source and format, and from there into every format again."""
    held = 0
    for name, tokenizer in sources(tmp_path).items():
        for format in registry.EXPORT_FORMATS:
            if registry.obstacle_to(tokenizer, format):
                with pytest.raises(ArgumentError, match="cannot be saved as"):
                    registry.files_of(tokenizer, format, "x")
                continue
            if name == "unigram" and format == "huggingface":
                continue  # see test_copy_proof
            copy = copied(tokenizer, format, tmp_path / f"{name} {format}")
            same(tokenizer, copy)
            held += 1
            for other in registry.EXPORT_FORMATS:
                if not registry.obstacle_to(copy, other) and (name, other) != (
                    "unigram",
                    "huggingface",
                ):
                    same(tokenizer, copied(copy, other, tmp_path / f"{name} {format} {other}"))
    assert held > 25


def copied(tokenizer: tc.Tokenizer, format: str, folder: Path) -> tc.Tokenizer:
    folder.mkdir()
    suffix = registry.EXPORT_FORMATS[format].suffix
    return tc.open(registry.save(tokenizer, folder / f"copy{suffix}", format)[0])


@pytest.mark.parametrize("part", TITLES)
def test_what_has_no_room_is_named(tmp_path: Path, part: str) -> None:
    tokenizer = folder_with(tmp_path, part)
    assert parts_of(tokenizer) == [part]
    for format in ("tiktoken", "gpt2"):
        assert TITLES[part] in registry.obstacle_to(tokenizer, format)
    assert registry.obstacle_to(tokenizer, "tokenarium") == ""


@pytest.mark.parametrize("part", [*TITLES, "lstrip"])
def test_our_file_has_a_new_version_only_with_such_a_part(tmp_path: Path, part: str) -> None:
    path = saved(bpe(), tmp_path / "x.json")
    assert json.loads(path.read_text("utf-8"))["version"] == 1
    folder_with(tmp_path, part).save(path)
    assert json.loads(path.read_text("utf-8"))["version"] == 3


@pytest.mark.parametrize("part", [parts.TEMPLATE, parts.CHAT])
def test_changed_extended_and_pruned_ones_keep_their_parts(tmp_path: Path, part: str) -> None:
    tokenizer = folder_with(tmp_path, part)
    changed = tc.change_special_tokens(tokenizer, ["<new>"], {"<s>": "<begin>"})
    assert parts_of(changed) == [part]
    if part == parts.CHAT:
        chat = chat_of(changed)
        assert chat["tokens"]["bos_token"] == "<begin>"
        assert chat[TEMPLATES] == chat_of(tokenizer)[TEMPLATES]
    assert parts_of(tc.extend(tokenizer, CORPUS, 1, min_frequency=1)) == [part]
    assert parts_of(tc.prune(tokenizer, CORPUS, to_size=270).tokenizer) == [part]


def test_settings_of_another_tokenizer_are_not_replaced(tmp_path: Path) -> None:
    tokenizer = folder_with(tmp_path, parts.CHAT)
    target = new_folder(tmp_path / "there")
    config = write_file(target / "tokenizer_config.json", '{"chat_template": "another"}')
    with pytest.raises(ArgumentError, match="already has its own: choose another folder"):
        registry.save(tokenizer, target / "x.json", "huggingface")
    assert config.read_text("utf-8") == '{"chat_template": "another"}'
    assert [path.name for path in target.iterdir()] == [config.name]
    beside = tmp_path / "model" / "x.json"  # the same templates: nothing is replaced there
    before = (beside.parent / config.name).read_text("utf-8")
    assert registry.save(tokenizer, beside, "huggingface") == [beside]
    assert (beside.parent / config.name).read_text("utf-8") == before


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("template", {"name": "x", "before": [9_999], "after": []}, "'template' has no name"),
        ("template", 3, "'template' has no name"),
        ("decoder", {"left_out": ["a"]}, "'decoder' has no ids"),
        ("decoder", {"tekken": -1}, "'decoder' has no ids"),
        ("chat", {"templates": {"a": 1}, "tokens": {}}, "'chat' has no texts"),
        ("chat", [], "'chat' has no texts"),
    ],
)
def test_fields_with_a_fault_are_named(
    tmp_path: Path, field: str, value: object, message: str
) -> None:
    content = {**content_of_tokenizer(bpe()), field: value}
    with pytest.raises(tc.FormatError, match=message):
        tokenizer_of_content(content, "x.json")


@pytest.mark.parametrize(
    ("algorithm", "text", "message"),
    [
        ("tokenizer.json", 3, "is not a text"),
        ("tokenizer.json", "\ud800", "not a text in UTF-8"),
        ("tokenizer.json", "{}", "no field 'model'"),
        ("tokenizer.model", "?", "not base64"),
    ],
)
def test_files_within_with_a_fault_are_named(algorithm: str, text: object, message: str) -> None:
    content = {"name": "x", "algorithm": algorithm, "file": text}
    with pytest.raises(tc.FormatError, match=message):
        tokenizer_of_content(content, "x.json")
