"""The page "Why not one?": its sentences by tables, and the page in the window."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import repeat
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from narrowed import there
from played_models import bpe, wordpiece
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from sentencepiece_models import Piece, message
from small_vocabularies import LOWER, of_pieces
from windows import Host, off_screen, show_page, shown_in

import tokenarium_core as tc
from tokenarium.app.window import MainWindow
from tokenarium.models.merges.playback import Symbol
from tokenarium.models.merges.why_finding import (
    LONGEST,
    Question,
    alone,
    beginnings,
    comparisons,
    finding,
    longest_entry,
    places_to_play,
)
from tokenarium.models.text.piece import plain
from tokenarium.views import why_answers
from tokenarium.views.merge_why import EXAMPLES, WhyPage
from tokenarium.views.merges import MergesView
from tokenarium.widgets.players.why_card import BeginningsRow
from tokenarium_core.formats.hf.hf_format import read_huggingface
from tokenarium_core.formats.sentencepiece.sentencepiece_format import read_sentencepiece

SPECIAL = of_pieces([b"lo"], special_tokens={"<|end|>": 300})
CUTTING = of_pieces([b"lo", b"low"], "gpt2")
LOWERING: dict[str, Any] = {
    "version": "1.0",
    "added_tokens": [],
    "normalizer": {"type": "Lowercase"},
    "model": {
        "type": "BPE",
        "vocab": {"A": 0, "a": 1, "B": 2, "b": 3, "AB": 4},
        "merges": [["A", "B"]],
    },
}


def merging(*merges: str, **more: int) -> tc.Tokenizer:
    """Returns BPE over the characters a to e with these merges ("ab c"), and more pieces that nothing makes."""
    pairs = [merge.split() for merge in merges]
    pieces = dict.fromkeys([*"abcde", *(left + right for left, right in pairs), *more])
    vocab = {piece: number for number, piece in enumerate(pieces)}
    file = {
        "version": "1.0",
        "added_tokens": [],
        "model": {"type": "BPE", "vocab": vocab, "merges": pairs},
    }
    return read_huggingface(json.dumps(file).encode(), "test")


@pytest.mark.parametrize(
    ("tokenizer", "text", "count", "sentence"),
    [
        (LOWER, "low", "1 token", "It is one token, id 258: merged, with rank 258, of “lo” + “w”."),
        (LOWER, "", "0 tokens", "There is nothing to look at."),
        (
            LOWER,
            "lowly",
            "3 tokens",
            "“lowly” is not among the 263 entries; the longest entry that it begins with is “low”, id 258.",
        ),
        (
            CUTTING,
            "low lo",
            "3 tokens",
            "The pre-tokenizer (gpt2) cuts it after 3 characters: “low” is a pre-token by the rule “word”, "
            "“␣lo” by “word”.",
        ),
        (
            SPECIAL,
            "<|end|>",
            "7 tokens",
            "“<|end|>” has an entry, id 300, but it is a special token: as text it is cut like any other, unless "
            "special tokens are recognized.",
        ),
        (
            read_huggingface(json.dumps(LOWERING).encode(), "test"),
            "AB",
            "2 tokens",
            "“AB” is in the vocabulary, id 4, but the model never gets it: the normalizer (Lowercase) makes “ab” of it.",
        ),
        (
            merging("b c", "a b", "ab c"),
            "abc",
            "2 tokens",
            "“b” + “c” came first, with rank 0; “a” + “b”, which “abc” needs, with rank 1, had to wait.",
        ),
        (
            merging("ab c", ab=0),
            "abc",
            "3 tokens",
            "“abc” is in the vocabulary, id 5, but it is made of “ab”, and no merge makes that.",
        ),
        (merging("a b", abc=0), "abc", "2 tokens", "“abc” is in the vocabulary, id 6, but no merge makes it."),
        (
            wordpiece(),
            "able",
            "1 unknown token",
            "It is in the vocabulary only as “##able”, id 6, which occurs inside a word, and never at the beginning "
            "of one.",
        ),
        (
            wordpiece(),
            "unz",
            "1 unknown token",
            "No entry fits where “z” begins, so the whole word is the unknown token “[UNK]”, id 1.",
        ),
        (
            wordpiece(),
            "a" * 101,
            "1 unknown token",
            "The word has 101 characters, more than the 100 that this model splits (max_input_chars_per_word), so all of "
            "it is the unknown token.",
        ),
        (bpe(), "a<mask>", "2 tokens", "“<mask>”, id 3, stands for itself and is taken out before all else."),
    ],
)  # fmt: skip
def test_verdict_in_words(tokenizer: tc.Tokenizer, text: str, count: str, sentence: str) -> None:
    answer = finding(tokenizer, alone(text))
    assert (answer.count, plain(answer.sentence)) == (count, sentence)


def test_verdicts_where_the_string_stands() -> None:
    inside = finding(LOWER, Question(b"lower", 1, 3))
    assert inside.count == "in 1 token"
    assert plain(inside.sentence) == (
        "“l” + “o” came first, with rank 256; “o” + “w”, which “ow” needs, with rank 257, had to wait."
    )
    on = finding(LOWER, Question(b"lower", 0, 3))
    assert plain(on.sentence) == (
        "“low”, id 258, is made, but then “low” + “er” become “lower”, with rank 260."
    )
    assert on.run is not None
    assert on.step == 3
    assert on.tokens == [[Symbol(0, 5, 260)]]


def test_the_merge_that_had_to_be_made_before() -> None:
    answer = finding(merging("e a", "b c", "a bc"), Question(b"eabc", 1, 4))
    assert plain(answer.sentence) == (
        "“e” + “a” came first, with rank 0, and took a part of “abc”: “b” + “c”, with rank 1, had to be made before that."
    )
    assert [plain(fact.sentence) for fact in answer.facts] == ["“bc” 1 → “abc” 2"]


def hand_made(kind: int, prefix: bool = False) -> tc.Tokenizer:
    """Returns a SentencePiece model of a few pieces: Unigram (1) or BPE (2)."""
    letters: list[Piece] = [("<unk>", 0.0, 2), *((letter, -20.0, 1) for letter in "▁abcd")]
    longer: list[Piece] = [("▁ab", -45.0, 1), ("▁a", -2.0, 1), ("bc", -3.0, 1), ("abc", -45.0, 1)]
    proto = message([*letters, *longer], kind)
    proto.normalizer_spec.add_dummy_prefix = prefix
    return read_sentencepiece(proto.SerializeToString(), "test.model", "test")


@pytest.mark.parametrize(
    ("tokenizer", "question", "sentence"),
    [
        (
            hand_made(1),
            alone(" ab"),
            "“␣ab” is in the vocabulary, id 6, but it scores −45, 23 less than the best way, −22.",
        ),
        (
            hand_made(1),
            Question(b" abc", 1, 4),
            "“abc” is in the vocabulary, id 9, but the best way through it scores −65, 60 less than the best way, −5.",
        ),
        (
            hand_made(2, prefix=True),
            alone("abc"),
            "“abc” is in the vocabulary, id 9, but the normalizer (SentencePiece) puts “␣” before it, and “␣abc” is not an entry.",
        ),
        (
            hand_made(2, prefix=True),
            alone("a"),
            "It is one token: “␣a”, id 7: merged, with score −2, of “␣” + “a”.",
        ),
        (
            hand_made(2),
            alone("☃"),
            "“☃” (U+2603 SNOWMAN) is not among the 10 entries, and it begins with none of them.",
        ),
    ],
)
def test_scores_and_prefix_in_words(
    tokenizer: tc.Tokenizer, question: Question, sentence: str
) -> None:
    assert plain(finding(tokenizer, question).sentence) == sentence


def test_the_step_that_decides_is_the_one_to_play() -> None:
    answer = finding(LOWER, Question(b"lower", 1, 3))
    assert there(answer.verdict).kind == "outranked"
    assert answer.step == 0


def test_error_is_an_answer() -> None:
    tokenizer = read_huggingface(
        json.dumps(
            {
                "version": "1.0",
                "added_tokens": [],
                "model": {"type": "WordLevel", "vocab": {"low": 0}, "unk_token": "[UNK]"},
            }
        ).encode(),
        "test",
    )
    assert "not in this vocabulary" in finding(tokenizer, alone("high")).error


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a low one", (2, 5, 0)),
        ("lower and low", (10, 13, 0)),
        ("lower", None),
        ("", None),
        ("low", (0, 3, 0)),
    ],
)
def test_place_where_the_same_happens(text: str, place: tuple[int, int, int] | None) -> None:
    answer = finding(LOWER, alone("low"))
    tried = list(places_to_play(LOWER, answer, text.encode()))
    assert [found for found in tried if found is not None] == ([place] if place else [])
    assert place is None or tried[-1] == place


def test_only_the_first_places_are_tried() -> None:
    answer = finding(LOWER, alone("low"))
    assert list(places_to_play(LOWER, answer, b"lower lower lower lower low")) == [None] * 3


@pytest.fixture
def page(host: Host, qtbot: QtBot) -> WhyPage:
    host.session.set_text("Merging makes tokens of bytes.")
    view = show_page(host, "merges", "why", MergesView)
    assert isinstance(view.page, WhyPage)
    view.page.answer()
    return view.page


def test_empty_page_offers_examples(page: WhyPage) -> None:
    assert [button.text() for button in page.empty.buttons] == list(EXAMPLES)
    QTest.mouseClick(page.empty.buttons[0], Qt.MouseButton.LeftButton)
    page.answer()
    assert page.field.text() == EXAMPLES[0]
    assert len(page.answers.findings) == 1


def test_typing_asks(page: WhyPage, qtbot: QtBot) -> None:
    QTest.keyClicks(page.field, "tokenizers")
    card = page.answers.card
    qtbot.waitUntil(
        lambda: card.finding is not None and card.finding.question == alone("tokenizers")
    )
    assert "tokenizers" in card.sentence.accessibleName() or card.finding.is_one
    assert "10 characters" in page.seen.text()
    assert page.mode.currentIndex() == 0
    assert not page.mode.isTabEnabled(1)


def test_selection_is_asked_about_in_its_place(host: Host, page: WhyPage) -> None:
    host.session.select(0, 5)
    page.answer()
    assert page.field.text() == "Mergi"
    assert page.question == Question(host.session.text_map.utf8, 0, 5)
    assert page.mode.currentIndex() == 1
    page.mode.setCurrentIndex(0)
    page.answer()
    assert page.question == alone("Mergi")
    page.mode.setCurrentIndex(1)
    page.answer()
    assert not page.question.by_itself
    host.session.select(0, 0)
    page.answer()
    assert page.question == alone("Mergi")


@pytest.mark.parametrize(
    ("text", "start", "halves"), [("a\ud83d", 0, 1), ("x \udc00\ud800y", 2, 2)]
)
def test_half_of_a_surrogate_pair_is_asked_about_as_it_is_read(
    host: Host, page: WhyPage, text: str, start: int, halves: int
) -> None:
    read = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
    host.session.set_text(text)
    text_map = host.session.text_map
    host.session.select(start, text_map.byte_count)
    page.answer()
    assert page.question.text == read[start:]
    assert page.field.text() == read[start:]
    assert page.halves.isVisible()
    assert page.halves.text().startswith("One" if halves == 1 else f"{halves} ")
    assert "U+FFFD" in page.halves.text()
    item = host.session.chosen()[0]
    assert item.tokenizer is not None
    verdict = there(finding(item.tokenizer, page.question).verdict)
    assert (
        verdict.ids
        == finding(item.tokenizer, Question(read.encode(), start, len(read.encode()))).verdict.ids
    )  # type: ignore[union-attr]
    page.ask(text)  # by itself
    page.answer()
    assert page.question.text == read
    assert page.halves.isVisible()
    page.ask("ab")
    page.answer()
    assert not page.halves.isVisible()


def test_long_strings_are_refused(page: WhyPage) -> None:
    page.ask("x" * (LONGEST + 1))
    page.answer()
    assert f"{LONGEST + 1} bytes are too many" in page.empty.title.text()


def test_no_tokenizer(host: Host, page: WhyPage) -> None:
    page.ask("token")
    for item in host.session.chosen():
        host.session.edits.turn_on(item.key, False)
    page.answer()
    assert "No tokenizer" in page.empty.title.text()


def test_what_reads_right_to_left_keeps_its_signs_to_itself(page: WhyPage) -> None:
    page.ask(" لا")
    page.answer()
    assert page.seen.text().startswith("“\u2068␣لا\u2069”, 3 characters")
    near = [button.text() for button in page.answers.card.near]
    assert "\u2068لا\u2069  7420" in near


def test_near_spelling_is_asked_about(page: WhyPage) -> None:
    page.ask("THE")
    page.answer()
    card = page.answers.card
    assert card.near
    QTest.mouseClick(card.near[0], Qt.MouseButton.LeftButton)
    page.answer()
    assert card.finding is not None
    assert card.finding.is_one
    assert page.field.text() == card.finding.question.text


def test_playing_goes_to_the_step(window: MainWindow, page: WhyPage, qtbot: QtBot) -> None:
    window.session.set_text("He slows the flow")
    start = window.session.text.index("low")
    window.session.select(start, start + 3)
    page.answer()
    key, card = page.answers.chosen, page.answers.card
    QTest.mouseClick(card.play, Qt.MouseButton.LeftButton)
    view = shown_in(window, MergesView)
    qtbot.waitUntil(lambda: view.page is view.steps)
    qtbot.waitUntil(window.actions_by_id["merge_steps"].isChecked)
    assert window.session.selection == (start, start + 3)
    assert view.steps.lanes[key].player.position == max(there(card.finding).step, 0)


def test_each_place_is_tried_in_a_turn(
    window: MainWindow, page: WhyPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns: list[object] = []
    runs: list[None] = []

    def places(*_: object) -> Iterator[object]:
        runs.append(None)
        # The first run has no end, so that it is always in its midst when another begins.
        for place in repeat(None) if len(runs) == 1 else (None, None, (0, 7, 0)):
            turns.append(place)
            yield place

    monkeypatch.setattr(why_answers, "places_to_play", places)
    page.ask("Merging")
    page.answer()
    card = page.answers.card
    QTest.mouseClick(card.play, Qt.MouseButton.LeftButton)
    assert turns == []
    qtbot.waitUntil(lambda: len(turns) > 0)
    before = len(turns)
    QTest.mouseClick(card.play, Qt.MouseButton.LeftButton)  # from the beginning, and only once
    qtbot.waitUntil(lambda: not page.isVisible())
    assert turns[before:] == [None, None, (0, 7, 0)]
    assert window.session.selection == (0, 7)
    window.actions_by_id["merge_why"].trigger()
    turns.clear()
    page.ask("Merging")
    page.answer()
    QTest.mouseClick(card.play, Qt.MouseButton.LeftButton)
    window.session.set_text("Another text")  # in which the places are others
    page.answer()
    qtbot.wait(100)
    assert turns == []
    assert page.isVisible()


def test_a_string_that_is_nowhere_is_put_into_the_text(
    window: MainWindow, page: WhyPage, qtbot: QtBot
) -> None:
    page.ask("unbelievable")
    page.answer()
    card = page.answers.card
    assert card.put.isHidden()
    QTest.mouseClick(card.play, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not card.put.isHidden())
    assert window.session.text == "Merging makes tokens of bytes."
    QTest.mouseClick(card.put, Qt.MouseButton.LeftButton)
    assert window.session.text == "unbelievable"
    view = shown_in(window, MergesView)
    assert view.page is view.steps
    window.undo_commands.undo()
    assert window.session.text == "Merging makes tokens of bytes."


# What the card shows beside the sentence.


def test_beginnings_are_entries_until_they_stop() -> None:
    found = finding(LOWER, alone("lowly")).beginnings
    assert [one.piece.decode() for one in found] == ["l", "lo", "low", "lowl", "lowly"]
    assert [one.token >= 0 for one in found] == [True, True, True, False, False]
    assert longest_entry(found) == 2
    assert longest_entry([]) == -1


def test_marks_belong_to_the_beginning_before_them_unless_that_is_an_entry() -> None:
    text = "किकी"
    without = beginnings(of_pieces([]).vocabulary, text.encode())
    letters = [one.piece.decode() for one in without if len(one.piece) > 1]
    assert letters == ["कि", "किकी"]
    entry = of_pieces(["क".encode()])
    assert "क" in [
        one.piece.decode("utf-8", "replace") for one in beginnings(entry.vocabulary, text.encode())
    ]


@given(st.text(max_size=12))
def test_the_last_beginning_is_the_whole(text: str) -> None:
    data = text.encode("utf-8", "replace")
    found = beginnings(LOWER.vocabulary, data)
    assert [one.piece for one in found] == sorted((one.piece for one in found), key=len)
    assert (found[-1].piece if found else b"") == data
    assert all(data.startswith(one.piece) for one in found)


def test_other_tokenizers_are_compared() -> None:
    """Which have it as one token, which cut it before the model, which keep it whole, what they make of it."""
    two = of_pieces([b"lo"])
    cut, whole = finding(CUTTING, alone("low lo")), finding(bpe(), alone("low lo"))
    table = [
        (finding(LOWER, alone("low")), finding(two, alone("low")), ["B makes 2 tokens of it."]),
        (
            finding(two, alone("low")),
            finding(LOWER, alone("low")),
            ["B has “low” as one entry, id 258."],
        ),
        (
            whole,
            cut,
            ["B cuts it after “low” before any merge; here it is kept whole."],
        ),
        (cut, whole, ["B keeps it whole, and the model decides."]),
    ]
    for own, other, said in table:
        assert [plain(fact.sentence) for fact in comparisons(own, [("B", other)])] == said


def test_two_tokens_that_never_merge_are_named() -> None:
    facts = finding(LOWER, alone("lowly")).facts
    assert plain(facts[0].sentence) == "“low” and “l” never merge: no rank joins them."


@pytest.mark.parametrize("width", [200, 420, 768])
@pytest.mark.parametrize("text", ["lowly", "internationalization of it all", "l"])
def test_boxes_fit_and_the_longest_entry_is_kept(qtbot: QtBot, width: int, text: str) -> None:
    row = off_screen(qtbot, BeginningsRow(), width, 56)
    found = finding(LOWER, alone(text)).beginnings
    row.show_beginnings(found)
    placed = row.placed(width)
    assert all(rect.right() <= width + 1 for _, rect in placed)
    assert found[longest_entry(found)] in [one for one, _ in placed]
    assert not row.grab().isNull()


def test_the_tabs_choose_a_tokenizer(host: Host, page: WhyPage, qtbot: QtBot) -> None:
    other = next(
        item for item in host.session.library if not item.on and item.key.startswith("shipped")
    )
    host.session.edits.turn_on(other.key, True)
    qtbot.waitUntil(lambda: len(host.session.chosen()) == 2)
    page.ask("unbelievable")
    page.answer()
    card = page.answers.card
    assert card.tabs.count() == card.box.count() == 2
    place = [item.key for item in host.session.chosen()].index(other.key)
    card.tabs.setCurrentIndex(place)
    assert page.answers.chosen == other.key
    assert card.finding is page.answers.findings[other.key]
    card.resize(260, 600)
    assert card.box.isVisible() or not card.isVisible()


def test_only_the_tokens_that_the_string_is_in_are_counted() -> None:
    answer = finding(LOWER, Question(b"low low lower", 4, 6))
    assert answer.verdict is not None
    pieces = [answer.run.data[one.start : one.end] for word in answer.touched for one in word]  # type: ignore[union-attr]
    assert pieces == [b"low"]
    whole = finding(LOWER, alone("low lower"))
    assert whole.touched == whole.tokens


def user_defined() -> tc.Tokenizer:
    """Returns BPE with the user-defined piece "ab"."""
    pieces: list[Piece] = [("<unk>", 0.0, 2), ("ab", 0.0, 4), *((one, -1.0, 1) for one in "▁abc")]
    proto = message(pieces, 2)
    proto.normalizer_spec.add_dummy_prefix = False
    return read_sentencepiece(proto.SerializeToString(), "test.model", "test")


@pytest.mark.parametrize(
    ("tokenizer", "text", "special", "sentence"),
    [
        (LOWER, "l", "none", "a byte, with which merging begins"),
        (SPECIAL, "<|end|>", "all", "a special token, taken before all else"),
        (user_defined(), "ab", "none", "user-defined, taken before any merge"),
        (user_defined(), "c", "none", "a character that is an entry, with nothing to merge"),
    ],
)
def test_one_token_says_why_it_is_one(
    tokenizer: tc.Tokenizer, text: str, special: str, sentence: str
) -> None:
    answer = finding(tokenizer, alone(text), special)
    assert answer.is_one
    assert plain(answer.sentence).endswith(f": {sentence}.")


def test_one_token_lists_the_merges_that_made_it() -> None:
    made = next(fact for fact in finding(LOWER, alone("low")).facts if fact.label == "Made by")
    assert plain(made.sentence) == "“lo” 256 → “low” 258"
