"""The dialogs about one tokenizer: its facts, a check against its library, an export to other formats."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

import pytest
import tokenizers
from narrowed import assert_contains, of_kind, there
from patching import patch_all
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QTextEdit
from pytestqt.qtbot import QtBot
from small_files import new_folder, saved
from windows import add_file, off_screen, on_screen, trigger

import tokenarium_core as tc
from tokenarium.app.start import sample_text
from tokenarium.app.window import MainWindow
from tokenarium.menus.checking import HASHING, ExportingCommands
from tokenarium.models.mending.program_folder import PROGRAMS
from tokenarium.models.text import editor_text
from tokenarium.models.tokenizers.reference_check import CheckStage, Divergence, Report
from tokenarium.models.tokenizers.tokenizer_facts import as_text, facts
from tokenarium.style.theme import DARK, LIGHT
from tokenarium.tour.faked import PARTING
from tokenarium.widgets.library.about_tokenizer import AboutTokenizer
from tokenarium.widgets.library.check_dialog import CheckDialog
from tokenarium.widgets.library.export_dialog import FOLDER, ExportDialog
from tokenarium_core.details import Detail
from tokenarium_core.formats.registry import EXPORT_FORMATS
from tokenarium_core.vocabulary import KINDS


def test_facts_show_the_stages_and_what_is_stored() -> None:
    tokenizer = tc.train("bpe", ["abc abc"], vocab_size=258, special_tokens=["<|end|>"])
    tokenizer.details = [Detail("trainer", "vocab_size", "258"), Detail("", "x", "y")]
    answer = dict(facts(tokenizer, "Mine", "/x/mine.json"))
    assert list(answer) == [
        "Tokenizer",
        "Stages",
        "Vocabulary",
        "Longest match",
        "Stored: trainer",
        "Stored",
    ]
    assert ("Source", "/x/mine.json") in answer["Tokenizer"]
    stages = dict(answer["Stages"])
    assert stages["Model"] == "byte-level BPE"
    assert stages["Normalizer"] == "none"
    assert (stages["Added tokens"], stages["Special added tokens"]) == (1, 1)
    vocabulary = dict(answer["Vocabulary"])
    assert vocabulary["Entries"] == 258
    assert sum(int(count) for kind, count in vocabulary.items() if kind in _KINDS) == 258
    assert answer["Stored: trainer"] == [("vocab_size", "258")]
    assert "vocab_size\t258" in as_text(list(answer.items()))


def test_files_are_hashed_while_the_window_lives(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    path = saved(tc.train("bpe", ["abc abc"], vocab_size=258), tmp_path / "mine.json")
    window.session.edits.add_file(path, "")
    item = next(item for item in window.session.library if item.source == str(path))
    qtbot.waitUntil(lambda: item.tokenizer is not None)
    window.session.set_current(item.key)
    window.lazy.checking.about_tokenizer()
    about = there(window.lazy.checking.about_window)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()

    def value() -> str:
        (line,) = about.table.findItems("SHA-256 of mine.json", Qt.MatchFlag.MatchRecursive)
        return line.text(1)

    assert value() == HASHING
    qtbot.waitUntil(lambda: value() == digest)
    qtbot.mouseClick(about.copy, Qt.MouseButton.LeftButton)
    assert f"SHA-256 of mine.json\t{digest}" in QGuiApplication.clipboard().text()


_KINDS = {kind.capitalize() for kind in KINDS}


def test_about_this_tokenizer_can_be_searched_and_copied(window: MainWindow, qtbot: QtBot) -> None:
    trigger(window, "about_tokenizer")
    about = there(window.lazy.checking.about_window)
    qtbot.keyClicks(about.search, "entries")
    shown = [
        head.child(row).text(0)
        for head in map(about.table.topLevelItem, range(about.table.topLevelItemCount()))
        for row in range(head.childCount())
        if not head.isHidden() and not head.child(row).isHidden()
    ]
    assert shown == ["Entries"]
    about.search.setText("qqqq")
    assert about.nothing.isVisible()
    qtbot.mouseClick(about.copy, Qt.MouseButton.LeftButton)
    assert "Entries\t8,000" in QGuiApplication.clipboard().text()
    assert about.copy.text() == "Copied"


def test_a_huge_value_is_shown_in_part_and_copied_whole(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(editor_text, "LONGEST_FIELD_LINE", 6_000)
    value = "<b>" + "x" * 7_000
    about = off_screen(
        qtbot, AboutTokenizer("One", [("Stages", [("Template", value)])], f"Template\t{value}\n")
    )
    head = there(about.table.topLevelItem(0))
    line = head.child(0)
    field = of_kind(about.table.itemWidget(line, 1), QTextEdit)
    assert field.toPlainText().startswith(value[:5_000] + " …")
    assert "beginning of 7,003 characters" in field.toPlainText()
    assert line.text(1) == value[:5_000]
    assert len(line.toolTip(1)) < 6_000
    about.copy.click()
    assert value in QGuiApplication.clipboard().text()


def test_a_long_value_wraps_and_can_be_selected(qtbot: QtBot) -> None:
    pattern = r"[^\r\n\p{L}\p{N}]?\p{Lu}+|" * 12
    about = on_screen(
        qtbot, AboutTokenizer("One", [("Stages", [("Model", "BPE"), ("Pattern", pattern)])], "")
    )
    head = there(about.table.topLevelItem(0))
    line = head.child(1)
    value = of_kind(about.table.itemWidget(line, 1), QTextEdit)
    assert about.table.itemWidget(head.child(0), 1) is None
    heights = []
    for width in (900, 420):
        about.resize(width, 500)
        qtbot.waitUntil(lambda: about.table.visualItemRect(line).height() == value.height())
        assert value.verticalScrollBar().maximum() == 0  # all of it is seen
        heights.append(value.height())
    assert heights[0] < heights[1]
    value.selectAll()
    value.copy()
    assert QGuiApplication.clipboard().text() == pattern


def test_a_check_says_on_how_much_both_agree(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    window.session.set_text("Hello world, 世界\n" * 20)
    trigger(window, "check_reference")
    dialog = there(window.lazy.checking.dialog)
    assert dialog.bar.isVisible()
    qtbot.waitUntil(lambda: not window.lazy.checking.busy)
    assert dialog.verdict.text() == "Identical on 320 characters"
    assert "tiktoken" in dialog.sentence.text()
    assert not list(tmp_path.glob("tokenarium-*.txt"))


def test_a_check_of_a_file(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "text").write_text("twelve chars")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(tmp_path / "text"), ""))
    trigger(window, "check_reference_on_file")
    qtbot.waitUntil(lambda: not window.lazy.checking.busy)
    assert there(window.lazy.checking.dialog).verdict.text() == "Identical on 12 characters"
    (tmp_path / "text").write_bytes(b"\xff")
    window.lazy.checking.check_reference_on_file()
    assert window.messages.isVisible()


def test_a_check_can_be_stopped(window: MainWindow, qtbot: QtBot) -> None:
    window.session.set_text("Hello")
    window.lazy.checking.check_reference()
    dialog = there(window.lazy.checking.dialog)
    qtbot.mouseClick(dialog.stop, Qt.MouseButton.LeftButton)
    assert not window.lazy.checking.busy
    assert "stopped" in dialog.sentence.text()
    window.lazy.checking.check_reference()
    dialog.reject()
    assert not window.lazy.checking.busy


def test_half_a_character_is_named(window: MainWindow) -> None:
    window.lazy.checking.check("abc\ud800")
    assert "Character 3" in there(window.lazy.checking.dialog).sentence.text()


def test_a_divergence_is_shown_with_both_sides(qtbot: QtBot) -> None:
    dialog = on_screen(qtbot, CheckDialog())
    dialog.show_report(PARTING)
    assert dialog.verdict.text() == "Small and made-up 1.0 differ"
    for words in ("1,205 tokens", "character 4,711", "byte 4,806", "Normalizer", "１２３"):
        assert words in dialog.sentence.text()
    found = there(PARTING.divergence)
    assert dialog.table.topLevelItemCount() == len(found.ours) + 1
    parting = dialog.table.topLevelItem(found.before)
    assert [parting.text(column) for column in range(3)] == [
        "▸ Token 1,205",
        "5120  １２",
        "7391  123",
    ]


def test_lists_of_different_length_are_shown(qtbot: QtBot) -> None:
    dialog = off_screen(qtbot, CheckDialog())
    divergence = Divergence(
        1, 1, 1, ((5, "a"),), ((5, "a"), (6, "b")), 1, "b", CheckStage.MODEL, "", "b"
    )
    dialog.show_report(Report("x", "y 1", 2, 1, divergence))
    assert dialog.table.topLevelItem(1).text(1) == ""
    assert dialog.table.topLevelItem(1).text(2) == "6  b"


@pytest.fixture
def exporting(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> ExportingCommands:
    """The dialog, open on a small BPE."""
    tokenizer = tc.train("bpe", [sample_text("prose-en")], vocab_size=400, pattern="gpt2")
    tokenizer.save(tmp_path / "small one.json")
    item = add_file(window.session, tmp_path / "small one.json", qtbot)
    window.session.set_current(item.key)
    trigger(window, "save_tokenizer")
    return window.lazy.exporting


def dialog_of(exporting: ExportingCommands) -> ExportDialog:
    return there(exporting.dialog)


def wait(exporting: ExportingCommands, qtbot: QtBot) -> str:
    qtbot.waitUntil(lambda: not exporting.busy)
    dialog = dialog_of(exporting)
    return dialog.sentence.text() or dialog.problem.text()


def test_formats_that_cannot_hold_it_are_grey_and_say_why(exporting: ExportingCommands) -> None:
    dialog = dialog_of(exporting)
    possible = {name for name, box in dialog.choices.items() if box.isEnabled()}
    assert possible == {"tokenarium", "huggingface", "tiktoken", "gpt2", FOLDER}
    grey = [name for name in EXPORT_FORMATS if name not in possible]
    assert list(dialog.choices) == [name for name in EXPORT_FORMATS if name in possible] + [
        FOLDER,
        *grey,
    ]
    assert "different stages" in dialog.choices["sentencepiece"].toolTip()
    assert dialog.chosen == "tokenarium"


def test_a_folder_for_programs(
    exporting: ExportingCommands, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog = dialog_of(exporting)
    assert list(dialog.programs) == list(PROGRAMS)
    assert not any(box.isEnabled() for box in dialog.programs.values())
    dialog.choices[FOLDER].setChecked(True)
    assert dialog.chosen_programs == ("tokenizers", "transformers", "tiktoken")
    assert "different stages" in dialog.programs["sentencepiece"].toolTip()
    dialog.programs["transformers"].setChecked(False)
    out = tmp_path / "out"
    patch_all(monkeypatch, QFileDialog, getExistingDirectory=lambda *_: str(out))
    qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
    assert dialog.bar.isVisible()
    said = wait(exporting, qtbot)
    assert_contains(said, f"Written to {out}: tokenizer.json", "The ids are the same on", "tokenizers ", "tiktoken ")  # fmt: skip
    assert "transformers" not in said
    assert {path.name for path in out.iterdir()} >= {"tokenizer.json", "tokenizer.tiktoken"}
    exporting.save_folder(out)
    assert "is not empty" in wait(exporting, qtbot)
    assert dialog.problem.isVisible()
    exporting.save_tokenizer()
    assert dialog.chosen == FOLDER
    assert dialog.chosen_programs == ("tokenizers", "tiktoken")
    for box in dialog.programs.values():
        box.setChecked(False)
    assert not dialog.save.isEnabled()


@pytest.mark.parametrize("height", [600, 480])
def test_the_formats_scroll_in_a_low_window(
    window: MainWindow, exporting: ExportingCommands, qtbot: QtBot, height: int
) -> None:
    dialog = dialog_of(exporting)
    window.resize(800, height)
    exporting.save_tokenizer()
    dialog.choices[FOLDER].setChecked(True)
    qtbot.waitUntil(lambda: dialog.area.verticalScrollBar().maximum() > 0)
    assert dialog.height() < height
    assert dialog.save.mapTo(dialog, dialog.save.rect().bottomLeft()).y() < dialog.height()
    dialog.close()
    exporting.save_tokenizer()
    assert dialog.chosen == FOLDER
    qtbot.waitUntil(lambda: not dialog.choices[FOLDER].visibleRegion().isEmpty())
    for box in dialog.programs.values():
        assert box.visibleRegion().boundingRect().height() == box.height()
    window.resize(1440, 1400)
    exporting.save_tokenizer()
    qtbot.waitUntil(lambda: dialog.area.verticalScrollBar().maximum() == 0)


def test_a_folder_with_differences_needs_a_tick(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, exporting: ExportingCommands
) -> None:
    session = window.session
    session.edits.turn_on("shipped:unigram-8k", True)
    qtbot.waitUntil(lambda: not session.opening)
    session.set_current("shipped:unigram-8k")
    exporting.save_tokenizer()
    dialog = dialog_of(exporting)
    dialog.choices[FOLDER].setChecked(True)
    for name, box in dialog.programs.items():
        box.setChecked(name == "sentencepiece")
    assert not dialog.allow.isVisible()
    dialog.programs["tokenizers"].setChecked(True)
    assert dialog.allow.isVisible()
    out = tmp_path / "out"
    exporting.save_folder(out)
    assert "Tick the box above" in wait(exporting, qtbot)
    assert not out.exists()
    dialog.allow.setChecked(True)
    exporting.save_folder(out)
    assert "These texts differ" in wait(exporting, qtbot)
    assert {path.name for path in out.iterdir()} >= {"tokenizer.json", "tokenizer.model"}


@pytest.mark.parametrize(
    ("normalization", "byte_fallback", "text", "what"),
    [
        ("nmt_nfkc", False, "o\u0306\u0307\u0308", "The normalizers differ"),
        ("identity", True, "<0x0A>", "different ids"),
        ("identity", False, "Text may have <unk> in it.", "spells the token '<unk>'"),
    ],
)
def test_a_unigram_is_saved_for_hugging_face_only_with_its_differences(
    window: MainWindow,
    qtbot: QtBot,
    tmp_path: Path,
    exporting: ExportingCommands,
    normalization: str,
    byte_fallback: bool,
    text: str,
    what: str,
) -> None:
    session = window.session
    made = tc.train(
        "unigram",
        [sample_text("prose-en")],
        vocab_size=600,
        normalization=normalization,
        byte_fallback=byte_fallback,
    )
    made.save(tmp_path / "unigram.model", "sentencepiece")
    item = add_file(session, tmp_path / "unigram.model", qtbot)
    assert item.tokenizer is not None
    session.set_current(item.key)
    session.set_text(text)
    exporting.save_tokenizer()
    dialog = dialog_of(exporting)
    assert not dialog.allow.isVisible()
    dialog.choices["huggingface"].setChecked(True)
    assert dialog.allow.isVisible()
    out = tmp_path / "out.json"
    exporting.save("huggingface", out)
    assert "would treat some texts differently" in wait(exporting, qtbot)
    assert not out.exists()
    dialog.allow.setChecked(True)
    exporting.save("huggingface", out)
    said = wait(exporting, qtbot)
    assert_contains(said, "not identical", what)
    theirs = tokenizers.Tokenizer.from_file(str(out))
    ids = theirs.encode(text, add_special_tokens=False).ids
    assert ids != item.tokenizer.encode_ids(text), "the library has another reason"
    exporting.save_tokenizer()
    assert not dialog.differences_allowed


@pytest.mark.parametrize(
    ("format", "files", "library"),
    [
        ("huggingface", ["small-one.json"], "tokenizers"),
        ("gpt2", ["encoder.json", "vocab.bpe"], "tokenizers"),
    ],
)
def test_what_is_proved_is_written(
    exporting: ExportingCommands,
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    format: str,
    files: list[str],
    library: str,
) -> None:
    out = new_folder(tmp_path / "out")
    asked: list[str] = []

    def ask(*arguments: object) -> tuple[str, str]:
        asked.append(str(arguments[2]))
        return str(out / str(arguments[2])), ""

    patch_all(
        monkeypatch, QFileDialog, getSaveFileName=ask, getExistingDirectory=lambda *_: str(out)
    )
    dialog = dialog_of(exporting)
    dialog.choices[format].setChecked(True)
    qtbot.mouseClick(dialog.save, Qt.MouseButton.LeftButton)
    assert dialog.bar.isVisible()
    answer = wait(exporting, qtbot)
    assert_contains(answer, "identical on", library)
    assert sorted(path.name for path in out.iterdir()) == files
    assert asked in ([], ["small-one.json"])
    assert dialog.save.isVisible()


def test_a_failure_and_a_cancellation_are_reported(
    exporting: ExportingCommands, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = dialog_of(exporting)
    exporting.save("tokenarium", tmp_path / "no such" / "folder" / "t.json")
    assert "cannot be written" in wait(exporting, qtbot)
    assert (dialog.sentence.isVisible(), dialog.problem.isVisible()) == (False, True)
    for scheme, theme in (("dark", DARK), ("light", LIGHT)):
        window.display_commands.set_colour_scheme(scheme)
        problem = dialog.problem
        assert problem.palette().color(problem.foregroundRole()) == theme.bad
    exporting.save("tiktoken", tmp_path / "t.tiktoken")
    qtbot.mouseClick(dialog.stop, Qt.MouseButton.LeftButton)
    assert "Stopped" in dialog.sentence.text()
    assert not dialog.problem.isVisible()
    assert not (tmp_path / "t.tiktoken").exists()
    exporting.save("tiktoken", tmp_path / "t.tiktoken")
    dialog.reject()
    assert not exporting.busy
