"""What the explorer says of a PickyBPE tokenizer: its merges and removals, its removed tokens, and why a word is cut."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

import tokenarium_core as tc
from tokenarium.commands.cli import app
from tokenarium.models.diagnosis.diagnosis import Level
from tokenarium.models.diagnosis.diagnosis_residues import residues
from tokenarium.models.lessons.answers import kind_of
from tokenarium.models.merges.why_sentences import why
from tokenarium.models.text.piece import Sentence
from tokenarium.models.tokenizers.picky_events import (
    event_rows,
    events_title,
    removal_facts,
    removed_tokens,
)
from tokenarium.models.tokenizers.tokenizer_facts import REMOVALS, facts
from tokenarium.models.vocabulary.entry_details import ancestry
from tokenarium.models.vocabulary.vocabulary_columns import VocabularyColumns
from tokenarium_core.explaining.why import why_not
from tokenarium_core.models import PickyBpe

PICKY = tc.train(
    "picky-bpe",
    ["abcd abcd abcd abcde xab cd cd q"],
    vocab_size=262,
    pattern=r"\s?\S+",
    threshold=0.6,
    min_frequency=1,
)


def model() -> PickyBpe:
    assert isinstance(PICKY.model, PickyBpe)
    return PICKY.model


def plain(sentence: Sentence) -> str:
    return "".join(part if isinstance(part, str) else part.text for part in sentence)


def test_rows_of_events() -> None:
    rows = event_rows(model())
    assert len(rows) == len(model().events)
    assert rows[0] == ("merge", "c + d", "cd")
    removals = [row for row in rows if row[0] == "removal"]
    assert removals
    assert all(" + " in parts for _, _, parts in removals)
    merges = len(rows) - len(removals)
    assert events_title("p", model()) == f"p: {merges} merges and {len(removals)} removals"


def test_facts_count_and_name_the_removed() -> None:
    rows = dict(removal_facts(model()))
    gone = removed_tokens(model())
    assert rows["Removed tokens"] == len(gone) == model().events.removed
    assert isinstance(rows["Removed"], str)
    assert f"“{gone[0]}”" in rows["Removed"]
    assert rows["Removals"] == rows["Removed tokens that came back"] + len(gone)  # type: ignore[operator]
    assert dict(facts(PICKY, "p", ""))[REMOVALS] == removal_facts(model())


def test_the_command_line_lists_them(tmp_path: Path) -> None:
    path = tmp_path / "picky.json"
    PICKY.save(path)
    runner = CliRunner()
    rows = json.loads(runner.invoke(app, ["inspect", str(path), "--merges", "--json"]).stdout)
    assert [(row["event"], row["of"], row["made"]) for row in rows] == event_rows(model())
    said = runner.invoke(app, ["inspect", str(path), "--merges"]).stdout
    assert "removal" in said
    assert REMOVALS in runner.invoke(app, ["inspect", str(path)]).stdout


def test_what_is_said_of_it() -> None:
    found = residues(PICKY)
    assert found.level == Level.FINE
    assert "PickyBPE removed" in found.sentence
    assert kind_of(PICKY) == "PickyBPE"
    columns = VocabularyColumns(PICKY)
    assert "merges and removals" in ancestry(columns, len(PICKY.vocabulary) - 1).note


def test_why_is_a_sentence_for_every_part_of_a_word() -> None:
    for word in ("xabcd", "abcdeabcd", " abcd"):
        for start in range(len(word)):
            for stop in range(start + 1, len(word) + 1):
                verdict = why_not(PICKY, word, start, stop)
                said = plain(why(verdict, PICKY))
                assert said.endswith(".")
                assert "looks it up" not in said
