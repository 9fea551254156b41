"""The workspace Pre-tokens: chosen patterns, one's own, its errors, and differences."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from running import run_through
from small_files import write_file
from windows import Host, add_file, on_screen, shown_in

import tokenarium_core as tc
from tokenarium.app.start import PATIENCE_S, make_window
from tokenarium.app.window import MainWindow
from tokenarium.models.text import cut_job, differences
from tokenarium.models.text.cut_job import CutJob, RunCut
from tokenarium.models.text.differences import CutComparison
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings
from tokenarium.views import pretokens
from tokenarium.views.pattern_choices import OWN
from tokenarium.views.pretokens import PretokensView
from tokenarium.views.tokens import TokensView
from tokenarium.widgets.text.legend import _Chip
from tokenarium_core.formats.hf.hf_format import read_huggingface
from tokenarium_core.formats.vocab_txt_format import read_vocab_txt
from tokenarium_core.padded_text import padded
from tokenarium_core.pretokenizers import pretokenizer, scanners
from tokenarium_core.pretokenizers.bert_pretokenizer import BertPreTokenizer
from tokenarium_core.pretokenizers.scanners import PRE_TOKENIZERS

TEXT = "It's 12345 o'clock.\n\nGo"


@pytest.fixture
def view(host: Host) -> PretokensView:
    host.session.set_text(TEXT)
    host.session.set_patterns(["gpt2", "cl100k"])
    host.show_workspace("pretokens")
    return shown_in(host, PretokensView)


def parts(view: PretokensView, key: str) -> list[str]:
    spans = view.view.rows[key].parts
    text = view.session.text_map
    return [text.slice(*spans.span(k)) for k in range(len(spans))]


def counts(view: PretokensView) -> dict[str, int | None]:
    """What the cards say."""
    view.show_facts()
    return {key: card.tokens for key, card in view.cards.cards.items()}


def write(view: PretokensView, qtbot: QtBot, pattern: str) -> None:
    view.pattern_edit.clear()
    if pattern:
        qtbot.keyClicks(view.pattern_edit, pattern)
    qtbot.waitUntil(lambda: not view._try_own.isActive())


def test_each_pattern_has_a_row(view: PretokensView) -> None:
    assert parts(view, "gpt2")[2] == " 12345"
    assert parts(view, "cl100k")[2:5] == [" ", "123", "45"]
    assert counts(view)["gpt2"] == len(parts(view, "gpt2"))


def test_the_patterns_of_tokenizers_that_are_on_come_first(
    view: PretokensView, session: Session
) -> None:
    assert list(view.choices.buttons) == [
        "of shipped:tokenarium-8k",
        "o200k",
        *[n for n in PRE_TOKENIZERS if n != "o200k"],
        OWN,
    ]
    assert "used by Tokenarium 8k" in view.choices.buttons["o200k"].toolTip()
    session.edits.turn_on("shipped:tokenarium-8k", False)
    assert list(view.choices.buttons) == [*PRE_TOKENIZERS, OWN]


def test_a_button_shows_and_hides_a_pattern(view: PretokensView, qtbot: QtBot) -> None:
    qtbot.mouseClick(view.choices.buttons["digits"], Qt.MouseButton.LeftButton)
    assert "digits" in view.view.rows
    qtbot.mouseClick(view.choices.buttons["digits"], Qt.MouseButton.LeftButton)
    assert "digits" not in view.view.rows


def test_a_row_comes_in_front_by_its_card_its_marker_and_its_key(
    view: PretokensView, qtbot: QtBot
) -> None:
    view.show_facts()
    assert view.view.front == "gpt2"
    view.cards.chosen.emit("cl100k")
    assert view.view.front == "cl100k"
    assert [chip.entry.name for chip in view.legend.findChildren(_Chip)].count("1 to 3 digits") == 1
    qtbot.keyClick(view.view, Qt.Key.Key_1)
    assert view.view.front == "gpt2"
    view.view.front_requested.emit("cl100k")
    assert view.view.parts is view.view.rows["cl100k"].parts


def test_no_pattern_is_said(view: PretokensView, session: Session) -> None:
    session.set_patterns([])
    assert view.empty.isVisible()


def test_the_text_is_cut_again(view: PretokensView, session: Session) -> None:
    session.set_text("one two")
    assert parts(view, "gpt2") == ["one", " two"]
    session.set_text("")
    assert parts(view, "gpt2") == []


def test_a_pattern_of_ones_own_is_live_and_names_its_rules(
    view: PretokensView, qtbot: QtBot
) -> None:
    qtbot.mouseClick(view.choices.buttons[OWN], Qt.MouseButton.LeftButton)
    assert view.view.front == OWN
    write(view, qtbot, r"(?P<digit>\d)|(?P<rest>\D+)")
    qtbot.waitUntil(lambda: len(parts(view, OWN)) == 7)
    names = view.view.rows[OWN].parts.rule_names
    assert names[:2] == ("digit", "rest")


@pytest.mark.parametrize(
    ("pattern", "position", "words"),
    [(r"\w+|(", 5, "does not compile"), (r"[a-z]+", -1, "matches nothing")],
)
def test_errors_are_said_and_marked(
    view: PretokensView, qtbot: QtBot, pattern: str, position: int, words: str
) -> None:
    qtbot.mouseClick(view.choices.buttons[OWN], Qt.MouseButton.LeftButton)
    write(view, qtbot, pattern)
    qtbot.waitUntil(lambda: words in view.own_problem.text())
    assert view.own_problem.isVisible()
    assert view.pattern_edit.marked == position
    assert parts(view, OWN) == []
    assert len(parts(view, "gpt2")) > 0
    write(view, qtbot, r"(?s).")
    qtbot.waitUntil(lambda: len(parts(view, OWN)) == len(TEXT))
    assert not view.own_problem.isVisible()
    assert view.pattern_edit.marked == -1


def test_a_pattern_that_takes_too_long_is_stopped(
    view: PretokensView, session: Session, qtbot: QtBot
) -> None:
    session.set_text("a" * 40)
    qtbot.mouseClick(view.choices.buttons[OWN], Qt.MouseButton.LeftButton)
    write(view, qtbot, r"(a|aa)+$x|b")
    qtbot.waitUntil(lambda: view.own_problem.text() != "")
    assert parts(view, OWN) == []


def test_the_own_pattern_outlives_its_row(view: PretokensView, qtbot: QtBot) -> None:
    for _ in range(2):
        qtbot.mouseClick(view.choices.buttons[OWN], Qt.MouseButton.LeftButton)
        write(view, qtbot, r"(?s).")
        qtbot.waitUntil(lambda: len(parts(view, OWN)) == len(TEXT))
        qtbot.mouseClick(view.choices.buttons[OWN], Qt.MouseButton.LeftButton)
        assert OWN not in view.view.rows
    assert view.pattern_edit.text() == r"(?s)."


def test_a_chip_of_the_legend_walks_what_its_rule_cut(
    view: PretokensView, session: Session
) -> None:
    found = []
    view.put_in_front("cl100k")
    for _ in range(4):
        view.legend.picked.emit("1 to 3 digits")
        assert session.selection is not None
        found.append(session.text_map.slice(*session.selection))
    assert found == ["123", "45", "123", "45"]


def test_f8_walks_the_differences(view: PretokensView, window: MainWindow, qtbot: QtBot) -> None:
    found = []
    assert view.difference_count == 3
    window.actions_by_id.refresh()
    for _ in range(4):
        window.actions_by_id["next_difference"].trigger()
        assert window.session.selection is not None
        found.append(window.session.text_map.slice(*window.session.selection))
    assert found == [" 12345", "'clock", ".\n\n", " 12345"]
    window.actions_by_id["previous_difference"].trigger()
    assert window.session.text_map.slice(*window.session.selection) == found[2]


def test_one_pattern_differs_from_nothing(view: PretokensView, session: Session) -> None:
    session.set_patterns(["gpt2"])
    assert view.difference_count == 0
    assert not view.difference_bar.buttons[0].isEnabled()


@pytest.mark.parametrize(
    ("cuts", "expected"),
    [
        ([[2, 5, 9], [2, 3, 5, 9]], [[2, 5]]),
        ([[1, 2], [1, 2]], []),
        ([[4], [1, 4], [2, 4]], [[0, 4]]),
        ([[1, 3, 6], [2, 3, 6], [1, 3, 5, 6]], [[0, 3], [3, 6]]),
        ([[3]], []),
        ([], []),
    ],
)
def test_differences(
    cuts: list[list[int]], expected: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for stretch in (1 << 20, 4, 2, 1):
        monkeypatch.setattr(differences, "STRETCH", stretch)
        comparison = compared(cuts)
        assert comparison.regions.tolist() == expected
        ways = [set(cut) for cut in cuts]
        all_of_them = set.union(*ways) - set.intersection(*ways) if ways else set()
        assert comparison.disputed.tolist() == sorted(all_of_them)


def compared(cuts: list[list[int]]) -> CutComparison:
    comparison = CutComparison([np.array(cut, dtype=np.int32) for cut in cuts])
    run_through(comparison, 0)
    return comparison


def test_a_long_text_is_compared_when_all_have_cut_it(
    host: Host, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pretokens, "SLICE_MS", 0.0)
    monkeypatch.setattr(differences, "STRETCH", 1 << 10)
    host.session.set_patterns(["gpt2", "cl100k"])
    host.show_workspace("pretokens")
    view = shown_in(host, PretokensView)
    host.session.set_text("We're 12345 \n" * 20_000)
    assert view.difference_bar.label.text() == "Comparing …"
    qtbot.waitUntil(lambda: not host.session.jobs.running())
    assert view.difference_bar.label.text().startswith("They differ in ")


def test_a_pattern_kept_from_last_time_says_what_is_wrong_with_it(host: Host) -> None:
    host.session.set_text(TEXT)
    host.session.set_patterns(["own"])
    host.session.set_own_pattern(r"\p{L}+|(\s+")
    host.show_workspace("pretokens")
    assert isinstance(host.workspace, PretokensView)
    assert "does not compile" in host.workspace.own_problem.text()
    assert host.workspace.pattern_edit.marked == 11


def test_a_pattern_without_an_end_holds_up_the_window_for_a_moment_only(
    view: PretokensView, qtbot: QtBot
) -> None:
    view.session.set_text("xx" + "a" * 300)
    qtbot.mouseClick(view.choices.buttons[OWN], Qt.MouseButton.LeftButton)
    write(view, qtbot, r"x|(?:a|aa)+[bc]")
    qtbot.waitUntil(lambda: view.own_problem.text() != "")
    assert f"took more than {PATIENCE_S:g} s at character 2" in view.own_problem.text()


@pytest.mark.parametrize("name", PRE_TOKENIZERS)
def test_a_cut_in_slices_is_the_cut_at_once(name: str) -> None:
    text = TEXT * 5000
    job = CutJob(scanners.pre_tokenizer(name), padded(text))
    steps = 1
    while not job.step(0).finished:
        steps += 1
    whole = pretokenizer.cut(scanners.pre_tokenizer(name), text)
    assert steps > 1
    assert job.ends.tolist() == np.asarray(memoryview(whole.ends)).tolist()
    assert job.rules.tolist() == np.asarray(memoryview(whole.rules)).tolist()


def test_tab_goes_through_the_patterns_and_then_the_differences(
    view: PretokensView, session: Session, qtbot: QtBot
) -> None:
    session.set_text("It's 12345 words.")
    buttons = [*view.choices.buttons.values(), *view.difference_bar.buttons]
    qtbot.waitUntil(lambda: all(button.isEnabled() for button in buttons))
    buttons[0].setFocus()
    for button in buttons:
        assert QApplication.focusWidget() is button
        qtbot.keyClick(button, Qt.Key.Key_Tab)


def test_tokenizers_with_no_pattern_that_is_shown_change_no_row(
    view: PretokensView, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    monkeypatch.setattr(view.view, "set_rows", calls.append)
    for on in (False, True):
        session.edits.turn_on("shipped:tokenarium-8k", on)
    assert not calls


def test_what_changes_unseen_is_shown_when_it_is_seen(
    view: PretokensView, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.show_workspace("bytes")
    with monkeypatch.context() as patch:
        patch.setattr(view, "view", None)  # nothing is done to it meanwhile
        patch.setattr(view, "choices", None)
        host.session.set_text("It's 2026")
        host.session.edits.turn_on("shipped:tokenarium-8k", False)
        host.session.set_patterns(["digits", "cl100k"])
        host.session.select(0, 2)
    host.show_workspace("pretokens")
    assert set(view.view.rows) == {"cl100k", "digits"}
    assert parts(view, "cl100k") == ["It", "'s", " ", "202", "6"]
    assert view.difference_count > 0
    assert list(view.choices.buttons) == [*PRE_TOKENIZERS, OWN]


def test_cutting_ends_with_its_text_also_unseen(view: PretokensView, host: Host) -> None:
    host.session.set_text(TEXT * 200_000)
    assert host.session.jobs.runs("cut gpt2")
    host.show_workspace("bytes")
    host.session.set_text("short")
    assert not any(job.key.startswith("cut ") for job in host.session.jobs.running())


def test_tokenizers_that_change_only_the_order_compare_nothing(
    view: PretokensView, session: Session, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.set_patterns(["gpt2", "o200k"])
    qtbot.waitUntil(lambda: not view._try_own.isActive())  # which compares at its end
    assert list(view.view.rows) == ["o200k", "gpt2"]
    count = view.difference_count
    monkeypatch.setattr(pretokens, "CutComparison", None)
    session.edits.turn_on("shipped:tokenarium-8k", False)
    assert list(view.view.rows) == ["gpt2", "o200k"]
    assert view.difference_count == count


BERT_WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"helo", *(f"##{c}" for c in "helowrd")]

ADDED = [
    ("<|im|>", {"special": True, "rstrip": True}),
    ("<|im", {"special": True}),
    ("bee", {"single_word": True}),
]


def hugging_face(pre_tokenizer: object, *added: tuple[str, dict[str, bool]]) -> str:
    """Returns a tokenizer.json of whole words, which cuts in a given way."""
    flags = ("special", "lstrip", "rstrip", "single_word", "normalized")
    return json.dumps(
        {
            "added_tokens": [
                {"id": 2 + at, "content": content, **dict.fromkeys(flags, False), **options}
                for at, (content, options) in enumerate(added)
            ],
            "pre_tokenizer": pre_tokenizer,
            "model": {"type": "WordLevel", "vocab": {"<unk>": 0, "the": 1}, "unk_token": "<unk>"},
        }
    )


PEGASUS = {
    "type": "Sequence",
    "pretokenizers": [
        {"type": "WhitespaceSplit"},
        {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
    ],
}
FILES = {
    "vocab.txt": "\n".join(BERT_WORDS),
    "pegasus.json": hugging_face(PEGASUS),
    "dashes.json": hugging_face({"type": "CharDelimiterSplit", "delimiter": "-"}),
    "bytes.json": hugging_face(
        {"type": "ByteLevel", "add_prefix_space": True, "use_regex": True, "trim_offsets": True}
    ),
    "added.json": hugging_face({"type": "WhitespaceSplit"}, *ADDED),
}


@functools.cache
def opened(name: str) -> tc.Tokenizer:
    content = FILES[name].encode()
    return read_vocab_txt(content, name) if name == "vocab.txt" else read_huggingface(content, name)


def put_in(view: PretokensView, qtbot: QtBot, folder: Path, *names: str) -> list[str]:
    """Opens some of `FILES`, and shows their rows; returns the keys of these."""
    keys = []
    for name in names:
        path = write_file(folder / name, FILES[name])
        item = add_file(view.session, path, qtbot)
        keys.append(f"of {item.key}")
    view.session.set_patterns([*keys, "gpt2"])
    return keys


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("pegasus.json", "hello world's 123 test", ["hello", "world's", "123", "test"]),
        ("dashes.json", "the--end-", ["the", "end"]),
        ("bytes.json", "one 23", ["one", " 23"]),
        ("vocab.txt", "Hello, 日本 !", ["Hello", ",", "日", "本", "!"]),
        ("pegasus.json", "مرحبا  👩\u200d🚀", ["مرحبا", "👩\u200d🚀"]),
        ("vocab.txt", "  ", []),
        ("vocab.txt", "", []),
    ],
)
def test_a_tokenizer_shows_what_its_run_cut(
    view: PretokensView, qtbot: QtBot, tmp_path: Path, name: str, text: str, expected: list[str]
) -> None:
    (key,) = put_in(view, qtbot, tmp_path, name)
    view.session.set_text(text)
    shown = view.view.rows[key].parts
    removed = shown.removed.tolist()
    kept = [part for k, part in enumerate(parts(view, key)) if list(shown.span(k)) not in removed]
    assert kept == expected
    assert "".join(parts(view, key)) == text  # what was removed is shown too
    assert counts(view)[key] == len(expected)


def test_tokenizers_that_are_on_have_rows_until_they_are_hidden(
    window: MainWindow, qapp: QApplication, store: Settings, qtbot: QtBot, tmp_path: Path
) -> None:
    session = window.session
    session.set_text("hello world")
    window.show_workspace("pretokens")
    view = shown_in(window, PretokensView)
    shipped = "of shipped:tokenarium-8k"
    assert next(iter(view.view.rows)) == shipped
    (tmp_path / "vocab.txt").write_text(FILES["vocab.txt"], encoding="utf-8")
    item = add_file(session, tmp_path / "vocab.txt", qtbot)
    opened = f"of {item.key}"
    assert list(view.view.rows)[:2] == [shipped, opened]
    for shown in (False, True, False):
        view.choices.buttons[opened].click()
        assert view.choices.buttons[opened].isChecked() == shown
        assert (opened in view.view.rows) == shown
    window.close()
    after = on_screen(qtbot, make_window(qapp, store))
    qtbot.waitUntil(lambda: not after.session.opening)
    after.show_workspace("pretokens")
    view = shown_in(after, PretokensView)
    assert shipped in view.view.rows
    assert opened not in view.view.rows


def test_rows_below_one_that_removes_blanks_are_shown_and_compared(
    view: PretokensView, qtbot: QtBot, tmp_path: Path
) -> None:
    put_in(view, qtbot, tmp_path, "vocab.txt")
    view.session.set_text("hello world")
    assert list(counts(view).values()) == [2, 2]
    cards = list(view.cards.cards.values())
    assert cards[1].name == "Pattern gpt2"  # a tokenizer may have the same name
    assert [card.identity.full == view.appearance.theme.dim for card in cards] == [False, True]
    assert "5.50 bytes per pre-token" in cards[1].tip
    assert "5.00 bytes per pre-token" in cards[0].tip
    assert view.difference_bar.label.text() == "They differ in 1 place, at 1 cut"
    view.session.set_text("hello")
    assert view.difference_bar.label.text() == "All split this text the same way"


def test_a_pattern_that_removes_blanks_has_a_name_for_them() -> None:
    job = CutJob(BertPreTokenizer(), padded("to be"))
    assert job.step(float("inf")).finished
    assert [job.names[rule] for rule in job.rules] == ["word", "removed", "word"]
    cuts = pretokenizer.cut(BertPreTokenizer(), "to be")
    assert [cuts.names[rule] for rule in cuts.rules] == ["word", "removed", "word"]


def test_added_tokens_are_shown_with_what_they_do(
    view: PretokensView, qtbot: QtBot, tmp_path: Path
) -> None:
    (key,) = put_in(view, qtbot, tmp_path, "added.json")
    view.put_in_front(key)
    chips = view.added
    view.session.set_text("<|im|>  a bee, beehive <|im")
    view.session.set_special("all")
    view.show_facts()
    shown = {chip.entry.name: chip.entry.tip for chip in chips.findChildren(_Chip)}
    assert list(shown) == [
        "<|im|> · id 2",
        "bee · id 4",
        "bee · id 4 · left as text",
        "<|im · id 3",
    ]
    assert "rstrip: takes the spaces after it" in shown["<|im|> · id 2"]
    assert "shorter ones that begin there: <|im (id 3)" in shown["<|im|> · id 2"]
    assert "single_word" in shown["bee · id 4 · left as text"]
    chips.picked.emit("bee · id 4 · left as text")
    assert view.session.selection == (15, 18)
    view.session.set_special("none")
    view.show_facts()
    names = [chip.entry.name for chip in chips.findChildren(_Chip)]
    assert names[0] == "<|im|> · id 2 · left as text"
    view.session.set_text("nothing of them")
    view.show_facts()
    assert not chips.isVisible()


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
@given(
    text=st.lists(
        st.sampled_from([" ", "  ", "é", "日本", "ﬁ", "-", "a\n", "<|im", "|>", "👩\u200d🚀"])
    ).map("".join)
)
def test_the_parts_of_a_run_cover_the_text_however_they_are_sliced(name: str, text: str) -> None:
    tokenizer = opened(name)
    encoding = tokenizer.encode(text, special="all")
    size = len(text.encode())
    found = []
    for slice_of in (1 << 16, 2, 1):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cut_job, "_PLACED", slice_of)
            run = RunCut(encoding, size)
            run_through(run, 0)
        parts = run.parts
        assert parts.rules is not None
        rows = zip(parts.starts.tolist(), parts.ends.tolist(), parts.rules.tolist(), strict=True)
        found.append(list(rows))
    assert found[0] == found[1] == found[2]
    covered = 0
    for start, end, _ in found[0]:
        assert start <= covered
        covered = max(covered, end)
    assert covered == size


def test_the_rows_of_tokenizers_go_on_with_a_long_text(
    view: PretokensView, qtbot: QtBot, tmp_path: Path
) -> None:
    (key,) = put_in(view, qtbot, tmp_path, "pegasus.json")
    view.session.set_text("It's 12345 \n" * 20_000)
    qtbot.waitUntil(lambda: not view.session.jobs.running())
    assert counts(view)[key] == 40_000
    assert view.difference_bar.label.text().startswith("They differ in ")


def test_its_switches_have_the_names_that_tokens_has() -> None:
    assert set(PretokensView.switches) <= set(TokensView.switches)
