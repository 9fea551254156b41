"""What other programs make of a file as an analysis: its table, its tiles, its JSON and what crosses processes."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import tokenarium_core as tc
from tokenarium.analyses.parts import TilesCard
from tokenarium.analyses.readers import READERS, TILES
from tokenarium.models.compare.readers_result import (
    RUN,
    WORDS,
    ProgramResult,
    ReadersResult,
    readers_of_source,
)
from tokenarium.resources.shipped_tokenizers import shipped_path
from tokenarium_core.comparing.readers.readers import (
    NOT_READ,
    OTHER,
    REFUSES,
    SAME,
    VERDICTS,
    read_as_others,
)

EARLIER = "sentencepiece 0.2.1"


def result(verdict: str, name: str = "one", **values: object) -> ProgramResult:
    given = {
        "text": None, "ids": [], "other_ids": [], "around": False, "cause": "", "rules": [],
        "compared": "2026-11-30", "texts_tried": 0,
    }  # fmt: skip
    return ProgramResult(program=name, version="1", verdict=verdict, **(given | values))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def unigram() -> tc.Tokenizer:
    return tc.open(shipped_path("unigram-8k"))


def test_a_row_for_each_program(unigram: tc.Tokenizer) -> None:
    answer = READERS.run({"one": unigram})
    wanted = read_as_others(unigram)
    assert [row["Program"] for row in answer.rows] == [one.program for one in wanted]
    assert [row["Result"] for row in answer.rows] == [one.verdict for one in wanted]
    by_name = {one.name: one for one in answer.result.programs}
    assert by_name[EARLIER].verdict == OTHER
    assert by_name["sentencepiece 0.2.3"].verdict == SAME
    shown = READERS.show(answer.inputs, answer.result)
    assert str(shown["head"]).startswith("one. Of ")
    assert READERS.printed(answer.inputs, answer.result) is not None


def test_a_program_that_was_run_is_counted_once() -> None:
    found = [result(SAME, "a"), result(SAME, "a", compared=RUN), result(OTHER, "b")]
    said = ReadersResult([*found, result(SAME, "b", compared=RUN)]).sentence
    assert said == "Of 2 programs, different ids: b 1; same ids: a 1 (run), b 1 (run)."


def test_the_tiles_of_the_chosen_program(unigram: tc.Tokenizer) -> None:
    answer = READERS.run({"one": unigram})
    one = next(one for one in answer.result.programs if one.name == EARLIER)
    card = READERS.show_chosen(answer.inputs, answer.result, EARLIER)["detail"]
    assert isinstance(card, TilesCard)
    assert [row.ids for row in card.rows] == [one.ids, one.other_ids]
    assert card.sentence.startswith(f"{EARLIER}: different ids. {one.cause}")
    same = READERS.show_chosen(answer.inputs, answer.result, "sentencepiece 0.2.3")["detail"]
    assert isinstance(same, TilesCard)
    assert not same.rows
    assert "None of its rules applies" in same.sentence
    assert READERS.show_chosen(answer.inputs, answer.result, "no program") == {}


def test_ids_without_an_entry_are_written(unigram: tc.Tokenizer) -> None:
    answer = READERS.run({"one": unigram})
    answer.result.programs = [
        result(OTHER, text="<x>", ids=[1], other_ids=[10**6, 5]),
        result(OTHER, "many", text="x", ids=[3] * (TILES + 1), other_ids=[-1]),
    ]
    rows = READERS.show_chosen(answer.inputs, answer.result, "one 1")["detail"].rows  # type: ignore[attr-defined]
    assert (rows[1].ids, rows[1].heading) == (
        (),
        "“<x>”, in one 1: 1000000 5. This file does not have all of these ids.",
    )
    rows = READERS.show_chosen(answer.inputs, answer.result, "many 1")["detail"].rows  # type: ignore[attr-defined]
    assert len(rows[0].ids) == TILES
    assert rows[0].heading.endswith(f"{TILES + 1} tokens (the first {TILES} of {TILES + 1})")


def test_the_sentence_names_the_worst_first() -> None:
    made = ReadersResult([result(SAME, "a"), result(REFUSES, "b"), result(OTHER, "c"), result(NOT_READ, "d")])  # fmt: skip
    assert (
        made.sentence == "Of 3 programs, different ids: c 1; refuses the file: b 1; same ids: a 1."
    )
    assert made.worst == OTHER
    assert ReadersResult([result(NOT_READ)]).sentence.startswith("No program")
    assert ReadersResult().worst == ""
    assert set(WORDS) == set(VERDICTS)


def test_a_file_that_no_program_reads_has_no_table() -> None:
    answer = READERS.run({"one": tc.open(shipped_path("tokenarium-8k"))})
    assert READERS.printed(answer.inputs, answer.result) is None
    assert "table" not in READERS.show(answer.inputs, answer.result)
    assert answer.result.sentence.startswith("No program")


def test_the_result_of_a_process_is_the_same(
    unigram: tc.Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tokenarium.models.compare.readers_result.STEP_MS", 0)
    said = []
    path = str(shipped_path("unigram-8k"))
    made = readers_of_source(said.append, path, "", "a line\n")
    assert said
    assert pickle.loads(pickle.dumps(made)) == made
    assert [one.verdict for one in made.programs] == [
        one.verdict for one in read_as_others(unigram)
    ]


def test_json_has_the_file(unigram: tc.Tokenizer, tmp_path: Path) -> None:
    answer = READERS.run({"one": unigram})
    found = READERS.as_json(answer.inputs, answer.result)
    assert isinstance(found, dict)
    assert found["file"] == str(shipped_path("unigram-8k"))
    assert (found["format"], found["worst"]) == ("sentencepiece", OTHER)
    one = next(one for one in found["programs"] if one["version"] == "0.2.1")
    assert one["rules"] == ["unigram-ties"]
