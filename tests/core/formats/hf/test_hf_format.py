"""Reading ``tokenizer.json``: what is accepted, and the places that errors name in wrong and hostile files."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenarium_core as tc
from tokenarium_core.formats.hf.hf_fields import serde_float, serde_text
from tokenarium_core.formats.hf.hf_format import read_huggingface
from tokenarium_core.formats.json_scanner import MOST_DEPTH, JsonScanner

VOCAB = {"<unk>": 0, "a": 1, "b": 2, "c": 3, "ab": 4, "abc": 5}


def bpe(**changes: Any) -> dict[str, Any]:
    """Returns a small file of type BPE with some fields of its model changed."""
    model = {
        "type": "BPE",
        "unk_token": "<unk>",
        "vocab": VOCAB,
        "merges": [["a", "b"], ["ab", "c"]],
    }
    return {"version": "1.0", "added_tokens": [], "model": model | changes}


def added(content: str, id: int, **options: bool) -> dict[str, Any]:
    """Returns an added token."""
    plain = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized", "special"), False)
    return {"id": id, "content": content} | plain | options


def read(file: object) -> tc.Tokenizer:
    """Returns the tokenizer of a file that is given as its object, or as its text."""
    content = file if isinstance(file, bytes) else json.dumps(file).encode()
    return read_huggingface(content, "small")


@pytest.mark.parametrize(
    "merges", [[["a", "b"], ["ab", "c"]], ["a b", "ab c"], ["#version: 0.2", "a b", "ab c"]]
)
@pytest.mark.parametrize("indent", [None, 1, 8])
@pytest.mark.parametrize("escaped", [True, False])
def test_both_forms_of_merges(merges: list[Any], indent: int | None, escaped: bool) -> None:
    vocab = VOCAB | {"é": 6, "é\n": 7, "\n": 8, '\U0001fae9"': 9, "\U0001fae9": 10, '"': 11}
    more: list[Any] = [["é", "\n"], ["\U0001fae9", '"']]
    if isinstance(merges[0], str):
        more = ["é \n", '\U0001fae9 "']
    file = bpe(vocab=vocab, merges=merges + more)
    text = json.dumps(file, indent=indent, ensure_ascii=escaped)
    assert read(text.encode()).encode_ids('abcabé\n\U0001fae9"') == [5, 4, 7, 9]


def test_ids_may_have_gaps_and_be_in_any_order() -> None:
    tokenizer = read(bpe(vocab={"c": 9, "ab": 4, "b": 2, "a": 7, "<unk>": 0}, merges=["a b"]))
    assert tokenizer.encode_ids("abxc") == [4, 0, 9]
    assert tokenizer.vocabulary.kind(5) == "unused"


def test_merges_may_come_before_the_vocabulary() -> None:
    file = bpe()
    file["model"] = dict(reversed(file["model"].items()))
    assert read(file).encode_ids("abc") == [5]


def test_added_tokens_get_the_ids_that_the_reference_gives() -> None:
    file = bpe() | {"added_tokens": [added("x", 90), added("ab", 0), added("y", 3, special=True)]}
    tokenizer = read(file)
    assert [(token.content, token.id) for token in tokenizer.added_tokens.tokens] == [
        ("x", 6),
        ("ab", 4),
        ("y", 7),
    ]
    assert len([detail for detail in tokenizer.details if detail.group == "added tokens"]) == 3


def test_what_has_no_use_here_is_shown_as_stored() -> None:
    tokenizer = read(bpe(dropout=0.1) | {"truncation": {"max_length": 512}})
    shown = {(detail.group, detail.name): detail.value for detail in tokenizer.details}
    assert shown["model", "dropout"] == "0.1 (encoding does not drop merges)"
    assert shown["batches", "truncation"] == '{"max_length": 512}'
    assert tokenizer.encode_ids("abc") == [5]


BYTE_LEVEL = {
    "type": "ByteLevel",
    "add_prefix_space": True,
    "trim_offsets": True,
    "use_regex": True,
}

FAULTS = [
    ({"version": "2.0", "model": bpe()["model"]}, "version '2.0'"),
    ({"version": "1.0"}, "no field 'model'"),
    (bpe() | {"foo": 1}, r"line 1, column \d+, at foo: this program does not know"),
    (bpe(foo=1), "model has the field 'foo'"),
    (bpe(type="Foo"), "model is of type 'Foo', which this program cannot run"),
    (bpe(vocab=3), "at model.vocab: an object of entries"),
    (bpe(vocab={"a": -1}), "at model.vocab: an id was expected"),
    (bpe(vocab={"a": 1.5}), "at model.vocab: an id was expected"),
    (bpe(vocab={"a": 1 << 40}), "at model.vocab: an id was expected"),
    (bpe(vocab={"a": 1, "b": 1}), "the id 1, which 'a' already has"),
    (bpe(vocab=[["a", 1.0]]), "list of entries and scores"),
    (bpe(merges=None), "at model.merges: a list of merges"),
    (bpe(merges=["a b", ["ab", "c"]]), r"at model.merges\[1\]: a merge was expected, in the form"),
    (bpe(merges=["a b c"]), r"at model.merges\[0\]: a merge is two entries with one space"),
    (bpe(merges=[["a"]]), r"at model.merges\[0\]: a merge is a list of two entries"),
    (bpe(merges=[["a", "b", "c"]]), r"at model.merges\[0\]: a merge is a list of two entries"),
    (bpe(merges=[["a", "x"]]), r"at model.merges\[0\]: this merges 'x', which is not an entry"),
    (bpe(merges=[["a", "b"], ["b", "a"]]), r"at model.merges\[1\]: 'b' and 'a' merge into a text that is not an entry"),
    (bpe(dropout=2), "model.dropout is 2"),
    (bpe() | {"added_tokens": [{"id": 1}]}, r"added_tokens\[0\] has no field 'content'"),
    (bpe() | {"added_tokens": [added("x", -1)]}, r"added_tokens\[0\].id is -1"),
    (bpe(vocab=VOCAB | {"z": 7}) | {"added_tokens": [added("x", 7)]}, "would get the id 7, which 'z' already has"),
    (bpe() | {"pre_tokenizer": {"type": "Foo"}}, "pre_tokenizer is of type 'Foo', which this program cannot run"),
    (
        bpe() | {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Whitespace"}, {"type": "Foo"}]}},
        r"pre_tokenizer.pretokenizers\[1\] is of type 'Foo'",
    ),
    (bpe() | {"pre_tokenizer": {"type": "Whitespace", "bar": 1}}, "pre_tokenizer has the field 'bar'"),
    (bpe() | {"pre_tokenizer": {"type": "Split"}}, "pre_tokenizer has no field 'pattern'"),
    (bpe() | {"normalizer": {"type": "Bar"}}, "normalizer is of type 'Bar'"),
    (bpe() | {"normalizer": 7}, "normalizer is 7, not an object"),
    *(
        (
            bpe() | {"normalizer": {"type": "Replace", "pattern": pattern, "content": "x"}, "pre_tokenizer": BYTE_LEVEL},
            "normalizer inserts text where its pattern matches nothing, before ByteLevel",
        )
        for pattern in ({"String": ""}, {"Regex": "^"}, {"Regex": "b*"})
    ),
    (
        bpe() | {"normalizer": {"type": "Prepend", "prepend": ""}, "pre_tokenizer": BYTE_LEVEL},
        "normalizer inserts an empty text before ByteLevel",
    ),
    (bpe() | {"normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAA"}}, "precompiled_charsmap"),
    (bpe() | {"decoder": {"type": "Baz"}}, "decoder is of type 'Baz'"),
    (bpe() | {"post_processor": {"type": "Baz"}}, "post_processor is of type 'Baz'"),
    (
        bpe() | {"post_processor": {"type": "BertProcessing", "sep": ["x", 900], "cls": ["a", 1]}},
        "puts the id 900 around a text",
    ),
    ({"version": "1.0", "model": {"type": "Unigram", "unk_id": 9, "vocab": [["a", -1.0]]}}, "unknown token is 9"),
    ({"version": "1.0", "model": {"type": "Unigram", "unk_id": 0, "vocab": [["a", -1.0], ["a", -2.0]]}}, "'a' occurs twice"),
    ({"version": "1.0", "model": {"type": "Unigram", "unk_id": 0, "vocab": [["a", None]]}}, r"model.vocab\[0\]: a score"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "message"), FAULTS)
def test_faults_are_reported_with_their_place(file: dict[str, Any], message: str) -> None:
    with pytest.raises(tc.FormatError, match=message):
        read(file)


WHOLE = json.dumps(bpe(), indent=1)

BROKEN = [
    (b"", "object was expected"),
    (b"[]", "object was expected"),
    (b"\xef\xbb\xbf{}", "line 1, column 1: an object was expected"),
    (b"{", "name of a member was expected"),
    (WHOLE.encode() + b"x", "follows the end of the JSON"),
    (WHOLE.replace("1.0", "1.\\ud800").encode(), "half of a surrogate pair"),
    (WHOLE.replace("1.0", "1.\\udc00\\ud800").encode(), "half of a surrogate pair"),
    (WHOLE.replace("1.0", "1.\\u12").encode(), "hexadecimal digits"),
    (WHOLE.replace("1.0", "1.\\x").encode(), "no such escape"),
    (WHOLE.replace("1.0", "1.\x01").encode(), "control character 0x01"),
    (WHOLE.encode("utf-16"), "not UTF-8"),
    (WHOLE.replace('"c"', '"\xff"').encode("latin-1"), r"line \d+, column \d+: byte \d+ of the file is not UTF-8"),
    (WHOLE.replace('"1.0"', "[" * 500 + "]" * 500).encode(), f"more than {MOST_DEPTH} brackets"),
    (WHOLE.replace('"1.0"', "[" * 500_000).encode(), f"more than {MOST_DEPTH} brackets"),
    (WHOLE.replace('"1.0"', "[}").encode(), "closes none"),
    (WHOLE.replace('"1.0"', "NaN").encode(), "NaN is not a number"),
    (WHOLE.replace('"1.0"', "1.0.0").encode(), "not JSON"),
    (WHOLE.replace('"version"', '"model": {}, "version"').encode(), "at model: this member occurs twice"),
    (WHOLE.replace('"b": 2', '"b": 2, "b": 7').encode(), r"line 10, column 12, at model.vocab: the entry 'b' occurs twice"),
    (WHOLE.replace('"b": 2', '"b": 2,, "x": 7').encode(), "at model.vocab: an entry was expected"),
    (WHOLE.replace('"b": 2', '"b" 2').encode(), "at model.vocab: a colon was expected"),
    (WHOLE.replace('"b": 2,', '"b": 2').encode(), "at model.vocab: a comma or"),
    (WHOLE.replace('"abc": 5', '"abc": 5,').encode(), "after the comma"),
    (WHOLE.replace('"added_tokens": []', '"added_tokens": [{"id": 1, "id": 2}]').encode(), "'id' occurs twice"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "message"), BROKEN)
def test_broken_json_is_reported_with_its_place(content: bytes, message: str) -> None:
    with pytest.raises(tc.FormatError, match=message):
        read(content)


def test_a_file_cut_off_anywhere_is_refused() -> None:
    content = WHOLE.encode()
    for size in range(len(content)):
        with pytest.raises(tc.FormatError):
            read(content[:size])


@pytest.mark.slow
def test_any_changed_byte_gives_a_tokenizer_or_a_sentence() -> None:
    content = WHOLE.encode()
    for at in range(len(content)):
        for byte in b'\x00"\\{[]},:9\xe2':
            with contextlib.suppress(tc.TokenariumError):
                read(content[:at] + bytes([byte]) + content[at + 1 :]).encode_ids("abc")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0.0),
        ("-3", -3.0),
        ("1e3", 1000.0),
        ("1.5E+10", 1.5e10),
        ("0.1e-320", 1e-321),
        ("-15.275492379532281", -15.27549237953228),  # serde's last digit, not Python's
        ("-12345678901234567890123.5", -1.2345678901234568e22),
        ("1e999", None),
        ("1e-99999999999999", 0.0),
        ("01", None),
        ("1.", None),
        ("-", None),
        ("", None),
        ("1e", None),
        ("--1", None),
    ],
)
def test_numbers_are_read_as_serde_reads_them(text: str, value: float | None) -> None:
    assert serde_float(text.encode()) == value


@given(st.floats(-1e3, 1e3))
def test_numbers_that_were_read_are_written_as_they_are_read_again(number: float) -> None:
    value = serde_float(repr(number).encode())
    assert value is not None
    assert serde_float(serde_text(value).encode()) == value


def test_members_are_found_by_path() -> None:
    content = b' {"a": [1, {"b": "]"}], "model": {"x": null, "y": "\\u00e9"}, "z": -1.5e3 } '
    scanner = JsonScanner(content, "x.json")
    members = scanner.document("model")
    assert list(members) == ["a", "model.x", "model.y", "model", "z"]
    values = {path: scanner.parse(span) for path, span in members.items()}
    assert values["a"] == [1, {"b": "]"}]
    assert values["model"] == {"x": None, "y": "é"}
    assert values["z"] == -1500.0


def test_a_folder_is_opened_by_its_tokenizer_json(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text(WHOLE)
    config = {"bos_token": {"content": "<s>"}, "model_max_length": 512, "chat_template": "{{ x }}"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    (tmp_path / "special_tokens_map.json").write_text("{")
    tokenizer = tc.open(tmp_path)
    assert tokenizer.name == tmp_path.name
    assert tokenizer.encode_ids("abc") == [5]
    shown = {(detail.group, detail.name): detail.value for detail in tokenizer.details}
    assert shown["tokenizer_config.json", "bos_token"] == "'<s>'"
    assert shown["tokenizer_config.json", "model_max_length"] == "512"
    assert ("special_tokens_map.json", "not read") in shown
    assert tc.open(tmp_path / "tokenizer.json").source.format == "huggingface"
