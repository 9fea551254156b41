"""Files of expected ids: what is written, what a check finds in other tokenizers, and which files are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from differing_pairs import KNOWN, KnownPair, fields_of, opened, put, replaced

import tokenarium_core as tc
from tokenarium.models.release.expected_ids import (
    UNKNOWN_STAGE,
    ExpectedCheck,
    check_expected,
    expected_lines,
    expected_of,
    texts_of,
    usual_texts,
)
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS
from tokenarium_core.comparing.stage_differences import CHANGES_IDS, CHANGES_TEXT, KEEPS_IDS

HARD = ("a\ud800b", "\udc00\ud800", "zero \0 here", "line\u2028end\r\n\n", "", "\ue0ffé \U0001fae8")
STAGES = {
    "merges": "model", "scores": "model", "a missing entry": "model", "a piece": "model",
    "mark before each part": "normalizer", "no mark": "normalizer", "space before the text": "normalizer",
}  # fmt: skip
"""What a check says where one text alone does not show the stage, by the stage or the name of the pair."""


def written(path: Path, tokenizer: tc.Tokenizer, *texts: str, **options: bool) -> Path:
    path.write_text("".join(expected_lines(tokenizer, texts, **options)), encoding="ascii")
    return path


def checked(tmp_path: Path, a: tc.Tokenizer, b: tc.Tokenizer, *texts: str, **options: bool) -> ExpectedCheck:  # fmt: skip
    return check_expected(written(tmp_path / "e.jsonl", a, *texts, **options), b)


@pytest.mark.slow
@pytest.mark.parametrize("pair", KNOWN, ids=lambda pair: pair.name)
def test_each_known_difference_is_found_with_its_stage(pair: KnownPair, tmp_path: Path) -> None:
    fields, changed = fields_of(pair.kind), fields_of(pair.kind)
    for one in (fields, changed):
        if pair.before is not None:
            pair.before(one)
    pair.edit(changed)
    a, b = opened(fields, tmp_path / "a.json"), opened(changed, tmp_path / "b.json")
    first = tc.diff(a, b).first
    assert first is not None
    options = {"special": first.special == "all", "template": first.template}
    found = checked(tmp_path, a, b, "", first.text, **options)
    assert (found.worst, found.changed_files) == (CHANGES_IDS, True)
    one = found.differences[-1]
    assert one.text == first.text
    assert (list(one.expected.ids), list(one.found.ids)) == (list(first.ids_a), list(first.ids_b))
    assert one.stage == STAGES.get(pair.name, STAGES.get(pair.stage, pair.stage))


@pytest.mark.parametrize("one", SHIPPED_TOKENIZERS, ids=lambda one: one.id)
def test_any_text_comes_back_as_ascii(one: object, tmp_path: Path) -> None:
    tokenizer = tc.open(one.path)  # type: ignore[attr-defined]
    path = written(tmp_path / "e.jsonl", tokenizer, *HARD, special=True)
    lines = path.read_bytes().split(b"\n")
    assert len(lines) == len(HARD) + 2
    assert lines[1].startswith(b'{"text": "a\\ud800b", "ids": [')
    assert tuple(texts_of(path)) == HARD
    found = check_expected(path, tokenizer)
    assert (found.texts, found.different, found.worst) == (len(HARD), 0, "")
    assert found.sentence == f"6 texts have the expected ids in {tokenizer.name}."


def test_same_ids_that_decode_differently(tmp_path: Path) -> None:
    fields = fields_of("llama2")
    a = opened(fields, tmp_path / "a.json")
    put(None, "decoder")(fields)
    found = checked(tmp_path, a, opened(fields, tmp_path / "b.json"), "a b", "c")
    assert [(one.effect, one.stage) for one in found.differences] == [(CHANGES_TEXT, "decoder")] * 2
    assert found.worst == CHANGES_TEXT


def test_other_files_with_the_same_ids(tmp_path: Path) -> None:
    fields = fields_of("llama3")
    a = opened(fields, tmp_path / "a.json")
    fields["truncation"] = {
        "direction": "Right",
        "max_length": 8,
        "strategy": "LongestFirst",
        "stride": 0,
    }
    b = opened(fields, tmp_path / "b.json")
    found = checked(tmp_path, a, b, "a b")
    assert (found.worst, found.different, found.changed_files) == (KEEPS_IDS, 0, True)
    assert checked(tmp_path, a, a, "a b").worst == ""


def test_an_added_token_with_another_id(tmp_path: Path) -> None:
    fields = fields_of("llama3")
    a = opened(fields, tmp_path / "a.json")
    tokens = fields["added_tokens"]
    content = tokens[-1]["content"]
    tokens.insert(-1, {**tokens[-1], "content": "<|new|>"})
    tokens[-1] = {**tokens[-1], "id": tokens[-1]["id"] + 1}
    found = checked(tmp_path, a, opened(fields, tmp_path / "b.json"), f"a{content}", special=True)
    assert [one.stage for one in found.differences] == ["added tokens"]


def test_all_are_counted_and_the_first_are_kept(tmp_path: Path) -> None:
    fields = fields_of("llama3")
    a = opened(fields, tmp_path / "a.json")
    replaced("{1,3}", "{1,2}", "pre_tokenizer", "pretokenizers", 0, "pattern", "Regex")(fields)
    b = opened(fields, tmp_path / "b.json")
    path = written(tmp_path / "e.jsonl", a, *("1234" for _ in range(200)), "none")
    news = []
    found = check_expected(path, b, news.append, most=3)
    assert (found.texts, found.different, len(found.differences)) == (201, 200, 3)
    assert found.differences[0].line == 2
    assert found.sentence == (
        "200 of 201 texts have different ids in b. The files of the tokenizer have changed."
    )
    assert [one.fraction for one in news] == sorted({one.fraction for one in news})
    assert 0 < news[0].fraction < news[-1].fraction <= 1


def test_a_text_that_a_tokenizer_refuses_is_expected_to_be_refused(tmp_path: Path) -> None:
    fields = fields_of("word_level")
    a = opened(fields, tmp_path / "a.json")
    put("[NONE]", "model", "unk_token")(fields)
    b = opened(fields, tmp_path / "b.json")
    assert "is not in this vocabulary" in expected_of(b, "\ue0ff").refused
    assert checked(tmp_path, b, b, "\ue0ff").different == 0
    assert [one.effect for one in checked(tmp_path, a, b, "\ue0ff").differences] == [CHANGES_IDS]
    assert [one.effect for one in checked(tmp_path, b, a, "\ue0ff").differences] == [CHANGES_IDS]


def test_a_file_by_hand_needs_only_texts_and_ids(tmp_path: Path) -> None:
    tokenizer = opened(fields_of("llama3"), tmp_path / "a.json")
    path = tmp_path / "hand.jsonl"
    right = tokenizer.encode_ids("ab ab")
    lines = [{"text": "ab ab", "ids": right}, {"text": "ab", "ids": [1]}]
    path.write_text("\n\n".join(map(json.dumps, lines)), encoding="utf-8")
    found = check_expected(path, tokenizer)
    assert [(one.line, one.stage) for one in found.differences] == [(3, UNKNOWN_STAGE)]
    assert not found.changed_files


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"schema": "other"}', "is not a file of expected ids"),
        ('{"schema": "tokenarium-expected-ids", "version": 9}', "this Tokenarium reads 1"),
        ('{"schema": "tokenarium-expected-ids", "version": true}', "this Tokenarium reads 1"),
        ("[1]", "line 1, is not a JSON object"),
        ("{", "line 1, is not valid JSON"),
        ("\xff", "line 1, is not valid JSON"),
        ('{"text": "a"}', "line 1, has no ids"),
        ('{"text": "a", "ids": [true]}', "line 1: the ids are not a list of whole numbers"),
        ('{"text": "a", "ids": [1], "around": [1]}', "line 1, has no ids"),
        (
            '{"text": "a", "ids": [1], "added": ["a"]}',
            "an added token is not a text and two numbers",
        ),
        ('{"text": "a", "ids": [1], "tokens": [1]}', "the tokens are not a list of strings"),
        ('{"text": "a", "ids": [1], "decoded": 1}', "a text is not a string"),
        ('{"text": "a", "ids": []}\n{"ids": [1]}', 'line 2, has no "text" that is a string'),
        ("[" * 100, "nested too deeply"),
        ("", "has no texts"),
        ('{"schema": "tokenarium-expected-ids", "version": 1}', "has no texts"),
    ],
)
def test_what_is_refused(content: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    path.write_text(content, encoding="latin-1")
    tokenizer = opened(fields_of("llama3"), tmp_path / "a.json")
    with pytest.raises(tc.FormatError) as refused:
        check_expected(path, tokenizer)
    assert said in str(refused.value)


def test_two_halves_of_a_surrogate_pair_are_a_character(tmp_path: Path) -> None:
    """JSON reads the escapes of two halves as one character."""
    tokenizer = opened(fields_of("llama3"), tmp_path / "a.json")
    path = written(tmp_path / "e.jsonl", tokenizer, "\ud83d\ude00", "\ud83d", "\ude00\ud83d")
    found = check_expected(path, tokenizer)
    assert (found.texts, found.worst) == (3, "")
    assert [*texts_of(path)] == ["\U0001f600", "\ud83d", "\ude00\ud83d"]


def test_a_text_that_is_written_as_decoded_too(tmp_path: Path) -> None:
    tokenizer = opened(fields_of("llama3"), tmp_path / "a.json")
    ids = tokenizer.encode_ids("ab")
    line = {"text": "ab", "ids": ids, "tokens": ["a", "b"], "decoded": "ab"}
    path = tmp_path / "e.jsonl"
    path.write_text(json.dumps(line), "utf-8")
    assert check_expected(path, tokenizer).worst == ""
    path.write_text(json.dumps({**line, "decoded": "abc"}), "utf-8")
    assert check_expected(path, tokenizer).worst == "changes-text"


def test_texts_are_lines_or_fields(tmp_path: Path) -> None:
    plain, lines = tmp_path / "a.txt", tmp_path / "a.jsonl"
    plain.write_bytes("one\r\n\n two \u2028x\n".encode())
    assert list(texts_of(plain)) == ["one", " two \u2028x"]
    lines.write_text('{"text": "a\\nb", "more": 1}\n\n{"text": "\\u0000"}\n', encoding="utf-8")
    assert list(texts_of(lines)) == ["a\nb", "\0"]
    lines.write_text('{"text": "a"}\n{"content": "b"}\n', encoding="utf-8")
    with pytest.raises(tc.FormatError, match=r'line 2, has no "text"'):
        list(texts_of(lines))
    plain.write_bytes(b"a\n\xff\n")
    with pytest.raises(tc.FormatError, match=r"line 2, is not UTF-8"):
        list(texts_of(plain))


def test_the_usual_texts_show_the_difference_of_a_pattern_and_an_option() -> None:
    texts = list(usual_texts())
    assert len(texts) > 1000
    assert any("Numbers" in text for text in texts)
    assert "a\u3000a" in texts
