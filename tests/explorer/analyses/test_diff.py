"""What two tokenizers do differently as an analysis: its cards, its table and the values that cross processes."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from differing_pairs import fields_of, opened, put, replaced

import tokenarium_core as tc
from tokenarium.analyses.diff import (
    DIFF,
    HEADLINE,
    LOOKED_AT,
    MEANING,
    METHODS,
    TITLES,
    tried_sentence,
)
from tokenarium.analyses.parts import DiffCards
from tokenarium.models.compare.diff_result import DifferentStage, DiffResult, diff_sources
from tokenarium.resources.shipped_tokenizers import shipped_path
from tokenarium_core.comparing.stage_differences import EFFECTS, KEEPS_IDS, STAGES

TRUNCATION = {"direction": "Right", "max_length": 8, "strategy": "LongestFirst", "stride": 0}


def shown(a: tc.Tokenizer, b: tc.Tokenizer, text: str = "") -> tuple[DiffResult, DiffCards]:
    answer = DIFF.run({"a": a, "b": b}, text)
    cards = DIFF.show(answer.inputs, answer.result)["cards"]
    assert isinstance(cards, DiffCards)
    return answer.result, cards


def test_a_card_for_each_stage_the_worst_first() -> None:
    wordpiece, unigram = tc.open(shipped_path("wordpiece-8k")), tc.open(shipped_path("unigram-8k"))
    result, found = shown(wordpiece, unigram)
    headline, *stages = found.cards
    wanted = tc.diff(wordpiece, unigram)
    assert headline.id == HEADLINE
    assert headline.sentence == wanted.sentence
    assert headline.title == TITLES[wanted.worst]
    assert wanted.first is not None
    assert headline.rows[0].text == wanted.first.text
    assert headline.rows[0].ids == (wanted.first.ids_a, wanted.first.ids_b)
    effects = [EFFECTS.index(card.effect) for card in stages]
    assert effects == sorted(effects)
    assert {card.id for card in stages} == {one.stage for one in wanted.differences}
    for effect in EFFECTS:  # the stages of one effect are in their order
        places = [STAGES.index(card.id) for card in stages if card.effect == effect]
        assert places == sorted(places)
    for card in stages:
        rows = [EFFECTS.index(row.effect) for row in card.rows]
        assert rows == sorted(rows)
        assert card.effect == card.rows[0].effect
        assert {row.what for row in card.rows} == {one.what for one in wanted.differences if one.stage == card.id}  # fmt: skip
    assert tried_sentence(result) in headline.method


def test_a_part_of_a_long_text_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = tc.open(shipped_path("tokenarium-8k"))
    monkeypatch.setattr(type(DIFF), "page_limit", 4)
    methods = [shown(tokenizer, tokenizer, text)[1].cards[0].method for text in ("one", "four")]
    said = "Of your text, the first 4 characters were tried."
    assert [said in method for method in methods] == [False, True]


def test_what_was_tried_is_said() -> None:
    result = DiffResult(tried={"entries": 1200, "model": 0, "your texts": 1}, not_tried=["chats"])
    assert (
        tried_sentence(result)
        == "Tried: 1,201 texts (entries 1,200, your texts 1). Not tried: chats."
    )


def test_the_worst_difference_of_a_stage_is_first() -> None:
    tokenizer = tc.open(shipped_path("tokenarium-8k"))
    inputs = DIFF.run({"a": tokenizer, "b": tokenizer}).inputs
    result = DiffResult(EFFECTS[0])
    result.differences = [
        DifferentStage(stage, f"{stage} {effect}", "x", "y", effect, None, [], [])
        for stage, effect in zip(["model", "normalizer"] * 4, reversed(EFFECTS * 2), strict=True)
    ]
    found = DIFF.show(inputs, result)["cards"]
    assert isinstance(found, DiffCards)
    _, *cards = found.cards
    assert [[row.effect for row in card.rows] for card in cards] == [
        ["changes-ids", "changes-ids", "changes-text", "changes-text"],
        ["may-change-ids", "may-change-ids", "keeps-ids", "keeps-ids"],
    ]
    assert [card.id for card in cards] == ["normalizer", "model"]
    assert [card.sentence for card in cards] == [MEANING[EFFECTS[0]], MEANING[EFFECTS[1]]]


def test_every_stage_says_how_it_is_compared() -> None:
    assert list(METHODS) == list(STAGES)


def test_texts_are_not_mentioned_where_none_is_sought(tmp_path: Path) -> None:
    fields = fields_of("llama2")
    a = opened(fields, tmp_path / "a.json")
    put(TRUNCATION, "truncation")(fields)
    _, found = shown(a, opened(fields, tmp_path / "b.json"))
    headline, card = found.cards
    assert (card.id, card.effect, headline.effect) == ("truncation", KEEPS_IDS, KEEPS_IDS)
    assert LOOKED_AT not in card.method
    assert not headline.rows


def test_the_same_twice() -> None:
    tokenizer = tc.open(shipped_path("tokenarium-8k"))
    result, found = shown(tokenizer, tokenizer, "one\ntwo\n")
    (card,) = found.cards
    assert card.title == "No difference found"
    assert card.sentence == result.sentence
    assert result.tried["your texts"] == 2


def test_files_about_no_difference_say_what_was_tried() -> None:
    one = tc.open(shipped_path("tokenarium-8k"))
    answer = DIFF.run({"a": one, "b": one}, "a text")
    table = DIFF.table(answer.inputs, answer.result)
    rows = [line[:2] for line in table.lines()[1:]]
    tried = answer.result.tried
    assert ["no difference", "your texts: 1 text tried"] in rows
    assert ["no difference", f"white space: {tried['white space']} texts tried"] in rows
    assert ["no difference", "longer combinations of characters: not tried"] in rows
    assert len(rows) == len(tried) + len(answer.result.not_tried)
    assert DIFF.printed(answer.inputs, answer.result) is None  # the sentence says it there


def test_what_the_same_ids_decode_to(tmp_path: Path) -> None:
    fields = fields_of("bert")
    a = opened(fields, tmp_path / "a.json")
    put(not fields["decoder"]["cleanup"], "decoder", "cleanup")(fields)
    b = opened(fields, tmp_path / "b.json")
    _, found = shown(a, b)
    (row,) = found.cards[1].rows
    assert row.effect == "changes-text"
    assert row.note.startswith("A decodes these ids to “")
    one, other = (tokenizer.decode(list(row.ids[0])) for tokenizer in (a, b))
    assert one != other
    assert f"“{one}”" in row.note.replace("␣", " ")


@pytest.mark.parametrize("text", ["", "one\ntwo\n"])
def test_a_process_finds_the_same(tmp_path: Path, text: str) -> None:
    fields = fields_of("llama3")
    a = opened(fields, tmp_path / "a.json")
    replaced("{1,3}", "{1,2}", "pre_tokenizer", "pretokenizers", 0, "pattern", "Regex")(fields)
    b = opened(fields, tmp_path / "b.json")
    reports: list[object] = []
    found = diff_sources(reports.append, str(tmp_path / "a.json"), "", str(tmp_path / "b.json"), "", text)  # type: ignore[arg-type]  # fmt: skip
    assert pickle.loads(pickle.dumps(found)) == found == DIFF.run({"a": a, "b": b}, text).result
    assert found.tried.get("your texts", 0) == len(text.splitlines())


def test_a_file_has_whole_values_and_ids(tmp_path: Path) -> None:
    gpt2, other = tc.open(shipped_path("bpe-gpt2-8k")), tc.open(shipped_path("tokenarium-8k"))
    rows = DIFF.run({"one": gpt2, "other": other}).rows
    wanted = tc.diff(gpt2, other).differences
    assert [row["A: one"] for row in rows] == [one.a for one in wanted]
    assert [row["B: other"] for row in rows] == [one.b for one in wanted]
    assert [str(row["Ids of B"]) for row in rows] == [" ".join(map(str, one.ids_b)) for one in wanted]  # fmt: skip
