"""The form of a training: what it takes, and the sentence for what it does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from narrowed import of_kind
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QFileDialog, QInputDialog
from pytestqt.qtbot import QtBot
from small_files import write_file
from windows import off_screen, on_screen

from tokenarium.analyses.training_draft import (
    MIXING,
    SIZE,
    SOURCES,
    Draft,
    shown,
    title,
)
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.training_algorithms import TRAINING_ALGORITHMS
from tokenarium.models.typed_numbers import parsed_size
from tokenarium.resources.training_presets import load_presets
from tokenarium.style.theme import DARK, LIGHT
from tokenarium.widgets.training.source_list import SourceList
from tokenarium.widgets.training.train_form import TrainingForm
from tokenarium_core.command_values import option_value
from tokenarium_core.errors import TokenariumError
from tokenarium_core.training.trainer import Option

TEXT = (CorpusSource("text", "some text"),)
LANGUAGES = tuple(CorpusSource("text", "some text", language=one) for one in ("de", "sw"))


def draft(algorithm: str = "bpe", size: str = "500", **texts: str) -> Draft:
    return Draft(TRAINING_ALGORITHMS[algorithm], {SIZE: size}, texts, TEXT)


@pytest.mark.parametrize(
    ("algorithm", "size", "texts", "field", "words"),
    [
        ("bpe", "", {}, SIZE, "whole number"),
        ("bpe", "12.5", {}, SIZE, "whole number"),
        ("bpe", "-3", {}, SIZE, "whole number"),
        ("bpe", "²", {}, SIZE, "whole number"),
        ("bpe", "9" * 40, {}, SIZE, "too many"),
        ("bpe", "100", {}, SIZE, "too small"),
        ("bpe", "257", {"special_tokens": "<a>, <b>"}, SIZE, "too small"),
        ("unigram", "2", {}, SIZE, "too small"),
        ("bpe", "500", {"pattern": r"\p{L}+|("}, "pattern", "does not compile"),
        ("bpe", "500", {"pattern": ""}, "pattern", "needed"),
        ("bpe", "500", {"min_frequency": "0"}, "min_frequency", "Minimum frequency = 0 has to be"),
        ("bpe", "500", {"special_tokens": "<a>, <a>"}, "special_tokens", "named twice"),
        ("bpe", "500", {"min_frequency": "often"}, "min_frequency", "whole number"),
        ("bpe", "500", {"strategy": "quick"}, "strategy", "choose one of"),
        ("superbpe", "500", {"superword_pattern": "["}, "superword_pattern", "does not compile"),
        ("superbpe", "500", {"base": "/no/such.json"}, "base", "neither"),
        ("superbpe", "500", {"across_lines": "maybe"}, "across_lines", "yes or no"),
        ("unigram", "500", {"shrinking_factor": "2"}, "shrinking_factor", "at most 0.95"),
        ("unigram", "500", {"shrinking_factor": "x"}, "shrinking_factor", "a number"),
        ("sentencepiece-bpe", "500", {"normalization": "nfd"}, "normalization", "choose one of"),
    ],
)
def test_what_cannot_be_is_said_at_its_field(
    algorithm: str, size: str, texts: dict[str, str], field: str, words: str
) -> None:
    problems = draft(algorithm, size, **texts).problems()
    assert list(problems) == [field]
    assert words in problems[field]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (CorpusSource("text", " "), "empty"),
        (CorpusSource("file", "/no/such"), "no longer a file"),
        (CorpusSource("folder", "/no/such"), "no longer a folder"),
        (CorpusSource("glob", ""), "names no file"),
        (CorpusSource("library", weight=0), "weight"),
        (CorpusSource("library", encoding="klingon"), "encoding"),
    ],
)
def test_what_is_wrong_with_a_source(source: CorpusSource, words: str) -> None:
    problems = Draft(TRAINING_ALGORITHMS["bpe"], sources=[source]).problems()
    assert list(problems) == [SOURCES]
    assert words in problems[SOURCES]


def test_a_corpus_is_needed() -> None:
    assert "add a source" in Draft(TRAINING_ALGORITHMS["bpe"]).problems()[SOURCES]


@pytest.mark.parametrize(("seed", "drawn"), [("5", 5), ("", 0), (" 1,000 ", 1000), ("0007", 7)])
def test_a_seed_is_read(seed: str, drawn: int) -> None:
    assert Draft(TRAINING_ALGORITHMS["bpe"], {"seed": seed}, sources=TEXT).mixing()["seed"] == drawn


@pytest.mark.parametrize("seed", ["five", "-1", str(2**31), "9" * 20])
def test_a_seed_that_is_none_is_refused(seed: str) -> None:
    problems = Draft(TRAINING_ALGORITHMS["bpe"], {"seed": seed}, sources=TEXT).problems()
    assert "seed must be a whole number up to 2,147,483,647" in problems[MIXING]


@pytest.mark.parametrize("algorithm", list(TRAINING_ALGORITHMS))
def test_defaults_are_right(algorithm: str, tmp_path: Path) -> None:
    made = draft(algorithm, "32,000")
    if algorithm == "parity-bpe":
        made.sources = LANGUAGES
    assert made.problems() == {}
    request = made.request(tmp_path)
    assert request.vocab_size == 32_000
    assert request.options == {o.name: o.default for o in TRAINING_ALGORITHMS[algorithm].options}
    assert request.name.endswith("32,000")


@pytest.mark.parametrize(
    ("default", "text", "value"),
    [
        (2, "1,000", 1000),
        (0.5, " 0.25 ", 0.25),
        (True, "no", False),
        ("", "  as it is", "  as it is"),
        (["a"], "<s>,, </s> ", ["<s>", "</s>"]),
        (["a"], "", []),
    ],
)
def test_what_is_typed_is_read(default: object, text: str, value: object) -> None:
    option = Option("name", default, "")  # type: ignore[arg-type]
    assert option_value(option, text) == value
    assert option_value(option, shown(value)) == value  # type: ignore[arg-type]


def test_labels_are_words() -> None:
    assert title(Option("max_sentencepiece_length", 1, "")) == "Maximum piece length"
    assert parsed_size("32_000") == parsed_size("32 000") == 32_000
    with pytest.raises(TokenariumError):
        parsed_size("none")


def test_presets_fit_their_algorithms(qtbot: QtBot) -> None:
    form = off_screen(qtbot, TrainingForm(TRAINING_ALGORITHMS, load_presets()))
    form.sources.set_sources(TEXT)
    offered = [form.preset.itemText(row) for row in range(1, form.preset.count())]
    assert {"GPT-2 style", "GPT-4 style", "Llama 2 style", "T5 style", "SuperBPE"} <= set(offered)
    presets = {preset.title: preset for preset in load_presets()}
    for row, name in enumerate(offered, start=1):
        form.preset.activated.emit(row)
        assert form.problems == {}, name
        values = form.draft.values()
        for option, value in presets[name].options.items():
            assert values[option] == value
        assert [one.name for one in form.chosen] == [presets[name].algorithm]
        form.check()
        assert form.preset.currentText() == name
    form.controls["vocab_size"].show("777")
    form.check()
    assert form.preset.currentIndex() == 0


def test_the_button_says_why_not(qtbot: QtBot) -> None:
    form = TrainingForm(TRAINING_ALGORITHMS, load_presets())
    form.setPalette(LIGHT.palette())  # that of the app, which only a window sets
    qtbot.addWidget(form)
    form.show()
    assert not form.train.isEnabled()
    assert "add a source" in form.reason.text()
    form.sources.add_library()
    form.check()
    assert form.train.isEnabled()
    assert not form.reason.isVisible()
    form.controls["vocab_size"].show("12")
    qtbot.waitUntil(lambda: not form.train.isEnabled())
    assert "too small" in form.size_problem.text()
    assert "too small" in form.train.toolTip()
    assert form.reason.text() == "Look again at “Entries”."
    for problem in (form.size_problem, form.reason):
        assert problem.palette().color(problem.foregroundRole()) == LIGHT.bad
    form.controls["vocab_size"].show("600")
    form.fields["special_tokens"].set_text("<s>, <s>")
    form.check()
    assert form.fields["special_tokens"].problem.text() == "“<s>” is named twice: name each once."
    assert not form.size_problem.isVisible()
    form.fields["special_tokens"].set_text("")
    form.fields["pattern"].set_text("(")
    form.check()
    assert "compile" in form.fields["pattern"].problem.text()
    assert form.reason.text() == "Look again at “Pattern”."
    form.setPalette(DARK.palette())
    assert form.controls["vocab_size"].widget.accessibleName() == "Entries"


def test_what_was_written_for_a_method_stays(qtbot: QtBot) -> None:
    form = off_screen(qtbot, TrainingForm(TRAINING_ALGORITHMS, load_presets()))
    form.fields["min_frequency"].set_text("7")
    form.choose("unigram")
    assert "shrinking_factor" in form.fields
    fallback = of_kind(form.fields["byte_fallback"].control, QCheckBox)
    form.more.setChecked(True)
    qtbot.mouseClick(fallback, Qt.MouseButton.LeftButton, pos=fallback.rect().center() / 8)
    form.choose("bpe")
    assert form.draft.values()["min_frequency"] == 7


def test_one_field_is_for_all_algorithms_that_have_it_alike(qtbot: QtBot) -> None:
    form = off_screen(qtbot, TrainingForm(TRAINING_ALGORITHMS, load_presets()))
    form.sources.set_sources(TEXT)
    form.choose("bpe", "superbpe", "sentencepiece-bpe", "unigram")
    form.check()
    assert form.problems == {}
    assert form.train.text() == "Train four"
    form.fields["pattern"].set_text("gpt2")
    form.fields["min_frequency"].set_text("5")
    form.fields["character_coverage"].set_text("1.0")
    form.controls["name"].show("Mine")
    drafts = {draft.algorithm.name: draft for draft in form.drafts}
    assert list(drafts) == ["bpe", "superbpe", "sentencepiece-bpe", "unigram"]
    values = {name: draft.values() for name, draft in drafts.items()}
    assert values["bpe"]["pattern"] == values["superbpe"]["pattern"] == "gpt2"
    assert values["bpe"]["min_frequency"] == values["superbpe"]["min_frequency"] == 5
    assert values["sentencepiece-bpe"]["min_frequency"] == 1  # its default is another one
    assert values["sentencepiece-bpe"]["character_coverage"] == 1.0
    assert values["unigram"]["character_coverage"] == 1.0
    assert drafts["unigram"].typed("name") == "Mine · Unigram"
    form.choose("superbpe")
    assert form.fields["pattern"].text == "gpt2"
    form.choose()
    form.check()
    assert not form.train.isEnabled()
    assert "Choose at least one algorithm" in form.algorithm_problem.text()


def test_sources_are_added_changed_and_taken_out(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = on_screen(qtbot, SourceList())
    lines = write_file(tmp_path / "a.jsonl", "{}")
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(lines)], ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    monkeypatch.setattr(QInputDialog, "getText", lambda *_: ("x/**/*.txt", True))
    for add in (sources.add_files, sources.add_folder, sources.add_pattern, sources.add_library):
        add()
        add()  # what is there already is only chosen
    assert [source.kind for source in sources.sources] == ["file", "folder", "glob", "library"]
    assert not sources.encoding.isVisible()  # of the library nothing is to be said
    sources.list.choose(0)
    for edit, text in (
        (sources.weight, "0.5"),
        (sources.encoding, "latin-1"),
        (sources.field, "x"),
    ):
        assert edit.isVisible()
        edit.clear()
        qtbot.keyClicks(edit, text)
    assert sources.sources[0] == CorpusSource("file", str(lines), 0.5, "latin-1", "x")
    qtbot.keyClicks(sources.encoding, "x")
    assert "encoding" in sources.problem.text()
    qtbot.keyClick(sources.list, Qt.Key.Key_Delete)
    assert [source.kind for source in sources.sources] == ["folder", "glob", "library"]
    assert not sources.problem.isVisible()
