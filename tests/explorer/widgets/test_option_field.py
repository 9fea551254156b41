"""A field for the content of a file takes its path, a button chooses it, and an earlier content stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from small_files import write_file
from windows import off_screen

from tokenarium.analyses.training_draft import SOURCES, Draft, shown
from tokenarium.models.training.training_algorithms import TRAINING_ALGORITHMS
from tokenarium.widgets.training import option_field
from tokenarium.widgets.training.option_field import NO_FILE, OptionField
from tokenarium_core.command_values import option_value

RULES = "41\t61\n42\t62\n"


@pytest.fixture
def field(qtbot: QtBot) -> OptionField:
    options = {one.name: one for one in TRAINING_ALGORITHMS["unigram"].options}
    return off_screen(qtbot, OptionField(options["normalization_rule_tsv"]))


def test_a_path_is_chosen_and_read(
    field: OptionField, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_file(tmp_path / "rules.tsv", RULES)
    answers = iter([str(path), ""])
    monkeypatch.setattr(option_field, "ask_file", lambda *_: next(answers))
    field.choose.click()
    assert field.text == str(path)
    assert option_value(field.option, field.text) == RULES
    field.choose.click()  # cancelled
    assert field.text == str(path)
    draft = Draft(TRAINING_ALGORITHMS["unigram"], texts={field.option.name: field.text})
    assert field.option.name not in draft.problems()
    assert draft.values()[field.option.name] == RULES
    path.write_text("41\n")
    assert "Line 1 of normalization_rule_tsv has no tab" in draft.problems()[field.option.name]
    path.unlink()
    assert "cannot be read" in draft.problems()[field.option.name]


def test_what_options_need_is_said_at_their_fields() -> None:
    options = {"auto_character_coverage": "yes"}
    draft = Draft(TRAINING_ALGORITHMS["sentencepiece-bpe"], texts=options)
    said = draft.problems()["auto_character_coverage"]
    assert said.startswith("Auto character coverage = True needs byte_fallback")
    draft.texts |= {"byte_fallback": "yes"}
    assert set(draft.problems()) == {SOURCES}


def test_the_content_of_an_earlier_training_stays_until_something_is_typed(
    field: OptionField, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(field.changed):
        field.set_text(shown(RULES))
    assert field.text == RULES
    assert "2 lines" in field.control.placeholderText()
    qtbot.keyClicks(field.control, "x")
    assert field.text == "x"
    assert field.control.placeholderText() == NO_FILE
    qtbot.keyClick(field.control, "\b")
    field.control.clear()
    assert field.text == ""
