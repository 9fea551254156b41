"""The repairs in the window: from a card of Diagnostics or of Diff to the dialog, the library, or a folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from differing_pairs import fields_of, option, put
from narrowed import there
from pytestqt.qtbot import QtBot
from tokenizers import Tokenizer
from windows import Host, add_file, show_page

import tokenarium_core as tc
from tokenarium.models.mending.repair import EditAction, FileEdit, Repair
from tokenarium.models.tokenizers.library import LibraryGroup
from tokenarium.session.session import Session
from tokenarium.views import repairing
from tokenarium.views.compare_diff import DiffPage
from tokenarium.views.repairing import STOPPED
from tokenarium.views.vocabulary_diagnostics import DiagnosticsPage
from tokenarium.widgets.compare.diff_cards import DiffCardView
from tokenarium.widgets.repair_dialog import ONLY_SETTINGS, RepairDialog, edits_text
from tokenarium.widgets.training.trained_list import facts
from tokenarium.widgets.vocabulary.finding_card import FindingCard

WAIT_MS = 60_000


def written(folder: Path, name: str, *edits: object) -> Path:
    """Writes a folder with a file that takes the spaces before a token, and other edits."""
    path = folder / name
    path.mkdir()
    fields = fields_of("prefixed_bytes")
    for edit in edits:
        edit(fields)  # type: ignore[operator]
    (path / "tokenizer.json").write_text(json.dumps(fields, indent=2), "utf-8")
    return path / "tokenizer.json"


@pytest.fixture
def page(host: Host, qtbot: QtBot, tmp_path: Path) -> DiagnosticsPage:
    path = written(tmp_path, "spaces")
    config = {"bos_token": "<s>"}
    (path.parent / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    (path.parent / "config.json").write_text('{"bos_token_id": 1}', "utf-8")
    item = add_file(host.session, path, qtbot)
    host.session.set_current(item.key)
    found = show_page(host, "vocabulary", DiagnosticsPage.id, DiagnosticsPage)
    qtbot.waitUntil(lambda: found.item is item and not found.busy, timeout=WAIT_MS)
    return found


def card_of(page: DiagnosticsPage, id: str) -> FindingCard:
    return next(card for card in page.cards if card.finding.id == id)


def dialog_of(page: DiagnosticsPage | DiffPage) -> RepairDialog:
    return there(page.repairing.dialog)


def test_only_findings_with_a_repair_have_the_button(page: DiagnosticsPage) -> None:
    shown = {card.finding.id for card in page.cards if not card.repair.isHidden()}
    assert shown == {"added_blanks", "configuration"}


def test_a_repair_is_shown_made_and_undone(page: DiagnosticsPage, session: Session, qtbot: QtBot) -> None:  # fmt: skip
    old = there(page.item)
    before = Path(old.source).read_bytes()
    card_of(page, "added_blanks").repair.click()
    dialog = dialog_of(page)
    assert dialog.isVisible()
    assert dialog.title.text() == f"Spaces next to added tokens: {old.name}"
    assert dialog.edits.toPlainText() == "tokenizer.json: added_tokens[3].lstrip\n− true\n+ false"
    dialog.make.click()
    assert page.busy
    qtbot.waitUntil(lambda: not page.repairing.busy, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: session.current is not old and not session.opening, timeout=WAIT_MS)
    made = there(session.current)
    assert (made.group, made.name) == (LibraryGroup.TRAINED, f"{old.name}, mended")
    assert dialog.sentence.text() == f"{made.name} is in the library. Undo takes it out again."
    text = "a [MASK]b"
    ids = there(made.tokenizer).encode_ids(text, special="all")
    assert ids == [*there(old.tokenizer).encode_ids("a "), *there(old.tokenizer).encode_ids("[MASK]b", special="all")]  # fmt: skip
    trained = session.trainings.store.all()[0]
    assert facts(trained).startswith(f"Made from {old.name}: Keep the spaces")
    assert Path(old.source).read_bytes() == before
    session.edits.undo_stack.undo()
    assert session.library.item(made.key) is None


def test_a_folder_is_written_with_proof(page: DiagnosticsPage, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    out = tmp_path / "out"
    out.mkdir()
    monkeypatch.setattr(repairing, "ask_folder", lambda *_: str(out))
    card_of(page, "added_blanks").repair.click()
    dialog = dialog_of(page)
    dialog.write.click()
    qtbot.waitUntil(lambda: not page.busy, timeout=WAIT_MS)
    assert dialog.sentence.text().startswith(f"{out}: tokenizer.json mended; 2 other files copied unchanged.")  # fmt: skip
    assert ", as read by tokenizers " in dialog.sentence.text()
    reference = Tokenizer.from_file(str(out / "tokenizer.json"))
    assert reference.decode(reference.encode("a [MASK]").ids, skip_special_tokens=False).count(" ")
    # What is there is not overwritten: neither the copy nor the tokenizer itself.
    for folder in (out, Path(there(page.item).source).parent):
        monkeypatch.setattr(repairing, "ask_folder", lambda *_, chosen=folder: str(chosen))
        dialog.write.click()
        qtbot.waitUntil(lambda: not page.busy, timeout=WAIT_MS)
        assert "is not empty" in dialog.problem.text()


def test_settings_alone_make_no_tokenizer(page: DiagnosticsPage) -> None:
    card_of(page, "configuration").repair.click()
    dialog = dialog_of(page)
    assert not dialog.make.isEnabled()
    assert dialog.make.toolTip() == ONLY_SETTINGS
    assert dialog.write.isEnabled()
    assert dialog.edits.toPlainText().startswith("config.json: bos_token_id\n− 1\n+ 5")


def test_it_can_be_stopped(page: DiagnosticsPage, session: Session, qtbot: QtBot) -> None:
    card_of(page, "added_blanks").repair.click()
    dialog = dialog_of(page)
    dialog.make.click()
    assert not dialog.stop.isHidden()
    assert dialog.make.isHidden()
    dialog.stop.click()
    qtbot.waitUntil(lambda: not page.busy, timeout=WAIT_MS)
    assert dialog.problem.text() == STOPPED
    assert session.trainings.store.all() == []
    assert not dialog.make.isHidden()


def test_alternatives_are_chosen(qtbot: QtBot) -> None:
    dialog = RepairDialog()
    qtbot.addWidget(dialog)
    edit = FileEdit("tokenizer.json", ("model", "merges", 3), None, ["a", "b"], EditAction.INSERT)
    first = Repair("one", "x", "The first", "Does this.", (edit,))
    second = Repair("two", "x", "The second", "Does that.", pattern="gpt-2")
    dialog.show_repairs("Title", [first, second])
    assert [box.text() for box in dialog.choices] == ["The first", "The second"]
    assert dialog.edits.toPlainText() == 'tokenizer.json: model.merges[3]\n+ ["a", "b"]'
    dialog.choices[1].click()
    assert dialog.chosen is second
    assert dialog.what.text() == "Does that."
    assert dialog.edits.toPlainText() == "tokenizer.ggml.pre\n+ gpt-2"
    dialog.show_repairs("Title", ())
    assert dialog.chosen is None
    assert dialog.sentence.text() == "No edit of the files was found that would mend this."
    assert dialog.make.isHidden()
    many = Repair("many", "x", "Many", "Does it.", (edit,) * 150)
    assert edits_text(many).endswith("… and 50 more")


# Diff.


@pytest.fixture
def diff(host: Host, qtbot: QtBot, tmp_path: Path) -> DiffPage:
    split = {"type": "Digits", "individual_digits": True}
    level = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    steps = {"type": "Sequence", "pretokenizers": [split, level]}
    a = written(tmp_path, "a", put(steps, "pre_tokenizer"))
    b = written(
        tmp_path, "b", put(steps, "pre_tokenizer"),
        put(False, "pre_tokenizer", "pretokenizers", 0, "individual_digits"), option("[MASK]", "lstrip", False),
    )  # fmt: skip
    items = [add_file(host.session, path, qtbot) for path in (a, b)]
    host.session.edits.turn_on("shipped:tokenarium-8k", False)
    host.session.set_current(items[0].key)
    found = show_page(host, "compare", DiffPage.id, DiffPage)
    qtbot.waitUntil(lambda: found.answered and not found.busy, timeout=WAIT_MS)
    return found


def stage_card(page: DiffPage, stage: str) -> DiffCardView:
    return next(card for card in page.cards.cards if card.card.id == stage)


def test_a_stage_becomes_that_of_the_other(diff: DiffPage, session: Session, qtbot: QtBot) -> None:
    a, b = there(diff.pair.items)
    assert [card.card.id for card in diff.cards.cards if not card.repair.isHidden()] == ["added tokens", "pre-tokenizer"]  # fmt: skip
    stage_card(diff, "pre-tokenizer").repair.click()
    dialog = dialog_of(diff)
    assert dialog.title.text() == f"Pre-tokenizer of {a.name}, as in {b.name}"
    assert diff.button.text() == "Compare again"  # the comparison does not run
    qtbot.waitUntil(lambda: not diff.busy, timeout=WAIT_MS)
    assert dialog.edits.toPlainText() == (
        "tokenizer.json: pre_tokenizer.pretokenizers[0].individual_digits\n− true\n+ false"
    )
    dialog.make.click()
    qtbot.waitUntil(lambda: not diff.repairing.busy, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: session.current is not a and not session.opening, timeout=WAIT_MS)
    made = there(there(session.current).tokenizer)
    left = tc.diff(made, there(b.tokenizer)).differences
    assert {one.stage for one in left} == {"added tokens"}


def test_a_file_that_cannot_be_edited_has_no_button(host: Host, qtbot: QtBot, tmp_path: Path) -> None:  # fmt: skip
    session = host.session
    session.edits.turn_on("shipped:unigram-8k", True)
    qtbot.waitUntil(lambda: not session.opening, timeout=WAIT_MS)
    page = show_page(host, "compare", DiffPage.id, DiffPage)
    qtbot.waitUntil(lambda: page.answered and not page.busy, timeout=WAIT_MS)
    assert len(page.cards.cards) > 1
    assert all(card.repair.isHidden() for card in page.cards.cards)
