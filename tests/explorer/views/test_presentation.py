"""The presentation: what is shown to an audience on the whole screen, its keys, its questions, and the presenter's window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

import pytest
from narrowed import of_kind, there
from painted_texts import painted_texts
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QPalette, QScreen
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from windows import shown_in

from tokenarium.app.lesson_deck import LessonDeck
from tokenarium.app.window import MainWindow
from tokenarium.models.lessons.lesson import LessonHead
from tokenarium.models.scene import ReadScene
from tokenarium.models.scripts.vocabulary_scripts import CLASS_NAMES
from tokenarium.style.theme import PRESENTATION
from tokenarium.views.bytes import BytesView
from tokenarium.views.decks import BarsDeck, Deck
from tokenarium.views.figure_decks import BytesDeck, DifferencesDeck, TextPairDeck
from tokenarium.views.merge_training import MergeTrainingPage
from tokenarium.views.merges import MergesView
from tokenarium.views.presentation import Presentation, ViewDeck
from tokenarium.views.presenter import PICTURE_MS, elapsed
from tokenarium.views.scripts import CharactersPage
from tokenarium.views.step_decks import MergesDeck, PrefixDeck, TrainingDeck, WhyDeck
from tokenarium.views.text_decks import PretokensDeck, TokensDeck
from tokenarium.views.vocabulary_change import PARTS, ChangePage
from tokenarium.views.vocabulary_diagnostics import DiagnosticsPage
from tokenarium.views.vocabulary_prune import PrunePart
from tokenarium.views.workspace import PagedWorkspace
from tokenarium.widgets.players.lattice_body import LatticeBody
from tokenarium.widgets.players.merge_body import MergeBody

TEXT = "Unbelievable merging of strawberries"
SCRIPTS = {
    "latin": TEXT,
    "arabic": "النصوص العربية تُكتب من اليمين إلى اليسار",
    "hebrew": "שלום עולם, מה שלומך היום?",
    "hindi": "यह एक छोटा वाक्य है।",
    "japanese": "日本語の文章をトークンに分ける",
    "emoji": "👩‍👩‍👧 and 🍓🍓 berries",
}

Begin = Callable[..., Presentation]


@pytest.fixture
def begin(window: MainWindow, qtbot: QtBot) -> Iterator[Begin]:
    """Presents a workspace, or a page of one ("compare/overlap"), at 1280 × 720."""

    def present(what: str, text: str = TEXT, on: tuple[str, ...] = ()) -> Presentation:
        session = window.session
        for name in on:
            session.edits.turn_on(f"shipped:{name}", True)
        qtbot.waitUntil(lambda: all(item.tokenizer is not None for item in session.chosen()))
        qtbot.waitUntil(lambda: len(session.chosen()) == 1 + len(on))
        session.set_text(text)
        qtbot.waitUntil(lambda: all(session.encoded(item.key) for item in session.chosen()))
        workspace, _, page = what.partition("/")
        window.show_workspace(workspace)
        view = window.workspace
        if page:
            assert isinstance(view, PagedWorkspace)
            view.show_page(page)
        if what == "merges/steps":
            assert isinstance(view, MergesView)
            session.select(0, len(text.split(maxsplit=1)[0].encode()))
            view.steps.replay()
        elif what == "merges/training":
            training = cast(MergeTrainingPage, cast(PagedWorkspace, view).page)
            training.form.controls["merges"].show(6)
            training.train()
            qtbot.waitUntil(lambda: training.story is not None)
            training.player.pause()
            training.player.go_to(0)
        elif what == "merges/why":
            session.select(0, len(text.split(maxsplit=1)[0].encode()))
        qtbot.waitUntil(lambda: not view.busy and not session.jobs.running())
        qtbot.wait(80)  # pages follow a moment later
        window.actions_by_id["present"].trigger()
        shown = window.presenting.shown
        assert shown is not None
        shown.showNormal()
        shown.setFixedSize(1280, 720)
        qtbot.waitExposed(shown)
        assert shown.deck is not None
        return shown

    yield present
    if window.presenting.shown is not None:
        window.presenting.shown.close()


ALL = {
    "tokens": TokensDeck,
    "pretokens": PretokensDeck,
    "merges/steps": MergesDeck,
    "merges/why": WhyDeck,
    "merges/training": TrainingDeck,
    "merges/prefixes": PrefixDeck,
    "merges/sizes": ViewDeck,
    "bytes": BytesDeck,
    "compare/overview": BarsDeck,
    "compare/texts": TextPairDeck,
    "compare/differences": DifferencesDeck,
    "compare/overlap": BarsDeck,
    "scripts": ViewDeck,
    "vocabulary": ViewDeck,
}


def test_the_characters_are_presented_as_they_are_sorted_and_chosen(
    window: MainWindow, begin: Begin, qtbot: QtBot
) -> None:
    window.show_workspace("scripts")
    page = of_kind(cast(PagedWorkspace, window.workspace).page_of("characters"), CharactersPage)
    cast(PagedWorkspace, window.workspace).show_page("characters")
    page.table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    page.choose(CLASS_NAMES.index("Greek"))
    deck = of_kind(begin("scripts/characters").deck, ViewDeck)
    twin = of_kind(cast(PagedWorkspace, deck.view).page, CharactersPage)
    qtbot.waitUntil(lambda: twin.table.script == CLASS_NAMES.index("Greek"))
    qtbot.waitUntil(lambda: twin.table.header().sortIndicatorSection() == 1)
    assert twin.table.header().sortIndicatorOrder() == Qt.SortOrder.AscendingOrder


@pytest.mark.parametrize("what", ALL)
def test_no_text_of_a_deck_is_too_small_for_the_back_row(
    begin: Begin, qtbot: QtBot, what: str
) -> None:
    shown = begin(what, on=("unigram-8k",))
    assert type(shown.deck) is ALL[what]
    for step in range(4):
        texts = painted_texts(shown.sheet)
        assert texts
        assert min(texts)[0] >= 19.99, sorted(texts)[:5]
        labels = [one for one in shown.findChildren(QLabel) if one.isVisible() and one.text()]
        for label in labels:
            assert label.fontInfo().pixelSize() * shown.sheet.scale_now >= 19.99, label.text()
        if step == 2:
            qtbot.keyClick(shown, Qt.Key.Key_Q)
        qtbot.keyClick(shown, Qt.Key.Key_Space)
        qtbot.wait(30)


def test_figures_of_lost_text_come_last_and_have_a_sign(begin: Begin) -> None:
    shown = begin("compare/overview", "東京は  大きい", on=("wordpiece-8k",))
    deck = of_kind(shown.deck, BarsDeck)
    tokens = deck._boards[0]
    assert [bar.said.startswith("? ") for bar in tokens.bars] == [False, True]
    assert not any(bar.best for bar in tokens.bars)
    assert tokens.right == -1


def test_a_way_to_change_is_presented_with_what_it_found(
    begin: Begin, window: MainWindow, qtbot: QtBot
) -> None:
    window.session.set_text(TEXT)
    window.show_workspace("vocabulary")
    window.actions_by_id["vocabulary_change"].trigger()
    page = shown_in(window, ChangePage)
    page.choice.setCurrentIndex(PARTS.index(PrunePart))
    qtbot.waitUntil(lambda: page.prune.item is not None)
    page.prune.find_now()
    shown = begin("vocabulary/change")
    deck = of_kind(shown.deck, ViewDeck)
    assert deck.title == "Prune"
    twin = cast(ChangePage, cast(PagedWorkspace, deck.view).page).prune
    assert deck.busy
    qtbot.waitUntil(lambda: not deck.busy, timeout=60_000)
    assert twin.result is not None
    assert not any(one.isVisible() for one in (twin.texts, twin.name_field, twin.make_button))
    assert twin.plot.isVisible()
    shown.close()
    qtbot.waitUntil(lambda: window.presenting.shown is None)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    window.display_commands.set_colour_scheme("dark")  # the page that was presented is no more
    window.display_commands.set_colour_scheme("light")


def test_findings_that_come_later_have_the_colours_of_the_stage(
    begin: Begin, window: MainWindow, qtbot: QtBot
) -> None:
    window.display_commands.set_colour_scheme("dark")
    shown = begin("vocabulary/diagnostics")
    assert isinstance(shown.deck, ViewDeck)
    page = cast(DiagnosticsPage, cast(PagedWorkspace, shown.deck.view).page)
    qtbot.waitUntil(lambda: bool(page.cards) and page.cards[-1].isVisible(), timeout=60_000)
    written = QPalette.ColorRole.WindowText
    assert all(card.sentence.palette().color(written) == PRESENTATION.ink for card in page.cards)
    window.display_commands.set_colour_scheme("light")


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("what", ["tokens", "pretokens", "merges/steps", "bytes"])
def test_every_script_is_asked_about(begin: Begin, script: str, what: str) -> None:
    shown = begin(what, SCRIPTS[script])
    deck = shown.deck
    for position in range(min(deck.length, 12) + 1):
        deck.go_to(position)
        assert deck.sentence
        assert deck.position == position
        if position < deck.length and what != "tokens":
            assert deck.following()
        check_question(deck)


def check_question(deck: Deck) -> bool:
    """Checks that a question has one right answer among different ones; returns whether there is one."""
    question = deck.question
    if question is None:
        return False
    assert 2 <= len(question.choices) <= 4
    assert len({one.texts for one in question.choices}) == len(question.choices)
    assert 0 <= question.right < len(question.choices)
    assert deck.answer == question.choices[question.right].description
    return True


def test_it_takes_the_whole_screen_and_nothing_of_the_window_changes(
    window: MainWindow, begin: Begin, qtbot: QtBot
) -> None:
    window.session.edits.turn_on("shipped:unigram-8k", True)
    window.appearance.set_scheme("dark")
    window.show_workspace("tokens")
    window.session.set_text(TEXT)
    window.session.select(3, 9)
    before = (window.size(), window.appearance.theme, window.session.selection, window.workspace)
    window.actions_by_id["present"].trigger()
    shown = window.presenting.shown
    assert shown is not None
    assert shown.isFullScreen()
    assert shown.theme is PRESENTATION
    assert shown.deck.palette().color(QPalette.ColorRole.WindowText) == PRESENTATION.ink
    assert window.appearance.theme is before[1]
    qtbot.waitUntil(shown.isActiveWindow)
    qtbot.keyClick(shown, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.presenting.shown is None)
    assert before == (
        window.size(), window.appearance.theme, window.session.selection, window.workspace,
    )  # fmt: skip


@pytest.mark.parametrize("key", [Qt.Key.Key_F5, Qt.Key.Key_F11])
def test_its_keys_begin_and_end_it(window: MainWindow, qtbot: QtBot, key: Qt.Key) -> None:
    window.session.set_text(TEXT)
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(window, key)
    shown = window.presenting.shown
    assert shown is not None
    qtbot.waitUntil(shown.isActiveWindow)
    qtbot.keyClick(shown, key)
    qtbot.waitUntil(lambda: window.presenting.shown is None)


def merges(shown: Presentation) -> tuple[MergesDeck, MergeBody]:
    deck = of_kind(shown.deck, MergesDeck)
    assert isinstance(deck.body, MergeBody)
    return deck, deck.body


def test_keys_go_through_the_steps(begin: Begin, qtbot: QtBot) -> None:
    shown = begin("merges/steps")
    deck, _ = merges(shown)
    seen = []
    for key in (
        Qt.Key.Key_Space,
        Qt.Key.Key_Right,
        Qt.Key.Key_PageDown,
        Qt.Key.Key_Left,
        Qt.Key.Key_PageUp,
        Qt.Key.Key_End,
        Qt.Key.Key_Space,
        Qt.Key.Key_Home,
    ):
        qtbot.keyClick(shown, key)
        seen.append(deck.position)
    last = deck.length
    assert seen == [1, 2, 3, 2, 1, last, last, 0]


def test_keys_work_after_a_click_on_the_stage(begin: Begin, qtbot: QtBot) -> None:
    shown = begin("merges/steps")
    view = shown.sheet.viewport()
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(640, 480))
    focus = shown.focusWidget() or shown
    for key in (Qt.Key.Key_Right, Qt.Key.Key_PageDown, Qt.Key.Key_Space):
        QTest.keyClick(focus, key)
    assert shown.deck.position == 3


def test_each_pair_that_is_asked_for_waits(begin: Begin) -> None:
    deck, body = merges(begin("merges/steps"))
    asked = 0
    for position in range(deck.length + 1):
        deck.go_to(position)
        question = deck.question
        assert body.stage.ranks_hidden is (question is not None)
        if question is None:
            assert deck.sentence
            continue
        asked += check_question(deck)
        (following,) = [one for one in body.queue().waiting if one.next]
        assert question.choices[question.right].texts == (following.left, following.right)
        deck.go_to(position)
        assert deck.question == question  # the same again
    assert asked > 2
    deck.ask_questions(False)
    deck.go_to(0)
    assert deck.question is None
    assert not body.stage.ranks_hidden


def test_each_piece_that_is_asked_for_ends_the_best_way(begin: Begin, window: MainWindow) -> None:
    window.session.edits.turn_on("shipped:unigram-8k", True)
    shown = begin("merges/steps", on=("unigram-8k",))
    view = of_kind(window.workspace, MergesView)
    shown.close()
    window.session.set_current("shipped:unigram-8k")
    view.steps.replay()
    window.presenting.present()
    assert window.presenting.shown is not None
    deck = of_kind(window.presenting.shown.deck, MergesDeck)
    body = of_kind(deck.body, LatticeBody)
    assert body.paths is not None
    asked = 0
    for position in range(deck.length):
        deck.go_to(position)
        if not check_question(deck):
            continue
        asked += 1
        answer = deck.answer
        deck.go_to(position + 1)
        at = body.view.frontier.at
        best = body.view.frontier.sums[at][1]
        assert body.paths.surface(best) == answer
    assert asked > 2


def test_the_piece_that_is_asked_for_is_the_longest_match(begin: Begin, window: MainWindow) -> None:
    shown = begin("merges/steps", on=("wordpiece-8k",))
    shown.close()
    window.session.set_current("shipped:wordpiece-8k")
    view = of_kind(window.workspace, MergesView)
    view.steps.replay()
    window.presenting.present()
    assert window.presenting.shown is not None
    deck = window.presenting.shown.deck
    answers = []
    for position in range(deck.length):
        deck.go_to(position)
        if check_question(deck):
            answers.append(deck.answer)
    encoded = window.session.encoded("shipped:wordpiece-8k")
    item = window.session.library.item("shipped:wordpiece-8k")
    assert encoded is not None
    assert encoded.encoding is not None
    assert item is not None
    assert item.tokenizer is not None
    surface = item.tokenizer.vocabulary.surface
    pieces = [surface(token) for token in encoded.encoding.ids]
    assert answers
    assert answers == pieces[: len(answers)]


def test_the_longest_match_is_asked_for_at_each_place(begin: Begin) -> None:
    deck = of_kind(begin("merges/prefixes", "<|endoftext|> and more").deck, PrefixDeck)
    assert deck.length
    for position in range(deck.length):
        deck.go_to(position)
        check_question(deck)


def test_the_next_cut_is_that_of_the_trace(begin: Begin, window: MainWindow) -> None:
    deck = of_kind(begin("pretokens").deck, PretokensDeck)
    encoded = window.session.encoded(window.session.chosen()[0].key)
    assert encoded is not None
    assert encoded.encoding is not None
    ends = list(encoded.encoding.pre_tokens.ends)
    assert deck.length == len(ends)
    asked = set()
    for position in range(deck.length):
        deck.go_to(position)
        if not check_question(deck):
            continue
        assert deck.question is not None
        asked.add(deck.question.title.split()[0])
        if deck.question.title == "Where is the next cut?":
            start = ends[position - 1] if position else 0
            text = TEXT.encode()[start : ends[position]].decode()
            assert deck.answer == text.replace(" ", "␣")
    assert asked == {"Where", "Which"}


def test_the_merge_of_a_training_is_the_one_that_was_made(begin: Begin) -> None:
    deck = of_kind(
        begin("merges/training", "the theory of the weather, the other there").deck, TrainingDeck
    )
    asked = 0
    for position in range(deck.length):
        deck.go_to(position)
        if check_question(deck):
            asked += 1
            left, right = deck.answer.split(" + ")
            assert f"“{left}” and “{right}”" in deck.following()
    assert asked


@pytest.mark.parametrize("by", ["key", "click"])
def test_a_wrong_answer_turns_bad_and_then_the_merge_plays(
    begin: Begin, qtbot: QtBot, by: str
) -> None:
    shown = begin("merges/steps")
    deck, body = merges(shown)
    question = deck.question
    assert question is not None
    wrong = 0 if question.right else 1
    if by == "key":
        qtbot.keyClick(shown, (Qt.Key.Key_1, Qt.Key.Key_2)[wrong])
    else:
        inside = shown.band.mapTo(shown.band.window(), QPoint(0, 0)) * 1.0
        point = inside + shown.band.rects()[wrong].center().toPoint()
        place = shown.sheet.mapFromScene(point)
        qtbot.mouseClick(shown.sheet.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert deck.question is not None
    states = deck.question.states
    assert states[wrong] == "bad"
    assert states[question.right] == "good"
    assert states.count("dim") == len(states) - 2
    assert not body.stage.ranks_hidden
    assert deck.position == 0
    qtbot.waitUntil(lambda: deck.position == 1)


def test_r_reveals_without_going_on(begin: Begin, qtbot: QtBot) -> None:
    shown = begin("merges/steps")
    deck, body = merges(shown)
    qtbot.keyClick(shown, Qt.Key.Key_R)
    assert deck.question is not None
    assert deck.question.states.count("good") == 1
    assert "bad" not in deck.question.states
    assert not body.stage.ranks_hidden
    assert deck.position == 0


@pytest.mark.parametrize("key", [Qt.Key.Key_A, Qt.Key.Key_B, Qt.Key.Key_C, Qt.Key.Key_D])
def test_no_letter_answers(begin: Begin, qtbot: QtBot, key: Qt.Key) -> None:
    shown = begin("merges/steps")
    deck, _ = merges(shown)
    qtbot.keyClick(shown, key)
    assert not there(deck.question).states
    assert shown.black.isVisible() == (key == Qt.Key.Key_B)


def test_each_choice_has_the_number_that_chooses_it(begin: Begin, qtbot: QtBot) -> None:
    shown = begin("merges/steps")
    deck, _ = merges(shown)
    count = len(there(deck.question).choices)
    said = shown.band.accessibleDescription()
    assert all(f"{number}: " in said for number in range(1, count + 1))
    qtbot.keyClick(shown, Qt.Key(Qt.Key.Key_1.value + count - 1))
    assert there(deck.question).states[-1] in ("good", "bad")


def test_hints_are_large_enough_to_be_clicked(begin: Begin) -> None:
    shown = begin("merges/steps")
    assert all(hint.height() >= 24 and hint.width() >= 24 for hint in shown.hints)


def test_b_makes_the_screen_black(begin: Begin, qtbot: QtBot) -> None:
    shown = begin("merges/steps")
    deck, _ = merges(shown)
    qtbot.keyClick(shown, Qt.Key.Key_B)
    assert shown.black.isVisible()
    assert shown.grab().toImage().pixelColor(9, 9).name() == "#000000"
    qtbot.keyClick(shown, Qt.Key.Key_Space)
    assert not shown.black.isVisible()
    assert deck.position == 0


def test_the_count_of_the_next_tokenizer_is_asked_for_first(begin: Begin, qtbot: QtBot) -> None:
    shown = begin("tokens", on=("wordpiece-8k",))
    deck = of_kind(shown.deck, TokensDeck)
    assert "tokens:" in deck.sentence
    first = deck.position
    qtbot.keyClick(shown, Qt.Key.Key_Home if first else Qt.Key.Key_End)
    assert deck.position != first
    assert check_question(deck)
    counts = {len(layer.parts) for layer in deck.view.rows.values()}
    assert 0 in counts  # its tokens are not shown yet
    answer = deck.answer
    qtbot.keyClick(shown, Qt.Key.Key_R)
    assert deck.question is None
    assert f" {answer} tokens: " in deck.sentence
    assert len(deck.view.rows) == 2


def test_questions_can_be_turned_off(begin: Begin, qtbot: QtBot) -> None:
    shown = begin("compare/overlap", on=("wordpiece-8k", "unigram-8k"))
    deck = of_kind(shown.deck, BarsDeck)
    assert check_question(deck)
    assert deck.bars.hidden
    qtbot.keyClick(shown, Qt.Key.Key_Q)
    assert deck.question is None
    assert not deck.bars.hidden


def test_the_window_goes_on_at_the_same_step(window: MainWindow, begin: Begin) -> None:
    shown = begin("merges/steps")
    shown.deck.go_to(3)
    shown.close()
    view = of_kind(window.workspace, MergesView)
    assert view.steps.player is not None
    assert view.steps.player.position == 3


def test_closing_the_window_ends_the_presentation(window: MainWindow, begin: Begin) -> None:
    shown = begin("merges/steps")
    shown.switch_presenter()
    window.close()
    assert window.presenting.shown is None
    assert shown.presenter is None


def test_the_card_over_a_word_is_presented(window: MainWindow, qtbot: QtBot) -> None:
    window.session.set_text(TEXT)
    window.show_workspace("tokens")
    qtbot.waitUntil(lambda: bool(window.session.encoded(window.session.chosen()[0].key)))
    window.token_commands.explain(0, 12)
    window.presenting.present()
    assert window.presenting.shown is not None
    deck = of_kind(window.presenting.shown.deck, WhyDeck)
    assert check_question(deck)
    window.presenting.shown.close()


def test_a_scene_opens_it_at_a_step(window: MainWindow, begin: Begin, qtbot: QtBot) -> None:
    shown = begin("merges/steps")
    shown.deck.go_to(3)
    scene = window.stage.make(portable=True)
    assert scene.above["presentation"] == {"step": 3}
    shown.close()
    window.stage.show(ReadScene(scene))
    qtbot.waitUntil(lambda: window.presenting.shown is not None and not window.stage.busy)
    assert window.presenting.shown is not None
    assert window.presenting.shown.deck.position == 3


def test_the_window_keeps_its_scroll_and_selection(
    window: MainWindow, begin: Begin, qtbot: QtBot
) -> None:
    text = "\n".join(f"line {number} of a long text" for number in range(400))
    shown = begin("bytes", text)
    shown.close()
    window.session.select(100, 104)
    qtbot.wait(80)
    view = cast(PagedWorkspace, window.workspace)
    grid = cast(BytesView, view.page).grid
    grid.verticalScrollBar().setValue(grid.verticalScrollBar().maximum() // 2)
    before = grid.verticalScrollBar().value()
    window.presenting.present()
    assert window.presenting.shown is not None
    for _ in range(3):
        window.presenting.shown.deck.advance()
    window.presenting.shown.close()
    qtbot.wait(80)
    assert window.session.selection == (100, 104)
    assert grid.verticalScrollBar().value() == before


# The presenter's window.


def test_the_presenter_sees_the_answer_and_what_is_next(begin: Begin, qtbot: QtBot) -> None:
    shown = begin("merges/steps")
    qtbot.keyClick(shown, Qt.Key.Key_N)
    presenter = shown.presenter
    assert presenter is not None
    assert presenter.isVisible()
    deck = shown.deck
    assert presenter.now.text() == deck.sentence
    key = there(deck.question).right + 1
    assert presenter.answer.text() == f"Answer (key {key}): {deck.answer}"
    assert presenter.coming.text() == deck.following()
    coming, now = presenter.coming.text(), deck.sentence
    qtbot.keyClick(presenter, Qt.Key.Key_PageDown)
    assert deck.position == 1
    assert deck.sentence == now  # while the merge that it is about moves
    qtbot.waitUntil(lambda: presenter.now.text() == coming)  # the merge has moved
    qtbot.mouseClick(presenter.buttons["Next"], Qt.MouseButton.LeftButton)
    assert deck.position == 2
    qtbot.mouseClick(presenter.buttons["Reveal"], Qt.MouseButton.LeftButton)
    assert not deck.hides_something
    qtbot.mouseClick(presenter.buttons["Black"], Qt.MouseButton.LeftButton)
    assert shown.black.isVisible()
    assert presenter.covered.isVisible()
    qtbot.keyClick(presenter, Qt.Key.Key_N)
    assert shown.presenter is None
    assert shown.isVisible()


def test_the_presenter_sees_a_picture_of_the_stage(begin: Begin, qtbot: QtBot) -> None:
    shown = begin("merges/steps")
    shown.switch_presenter()
    presenter = shown.presenter
    assert presenter is not None
    picture, taken = presenter.picture, []
    take = picture._take
    picture._take = lambda room, ratio: taken.append(room) or take(room, ratio)
    qtbot.waitUntil(lambda: not picture.shown.isNull())
    first = picture.shown.toImage()
    assert abs(first.width() * shown.height() - first.height() * shown.width()) < shown.width() * 2
    assert len({first.pixel(x, first.height() // 4) for x in range(first.width())}) > 4  # tiles
    count = len(taken)
    for _ in range(3):
        qtbot.keyClick(presenter, Qt.Key.Key_PageDown)
    qtbot.waitUntil(lambda: picture.shown.toImage() != first)
    assert len(taken) == count + 1  # one picture for all of it
    shown.switch_black()
    qtbot.waitUntil(lambda: picture.shown.toImage().pixelColor(9, 9) == Qt.GlobalColor.black)
    shown.switch_presenter()
    count = len(taken)
    shown.switch_black()
    shown.go_on()
    qtbot.wait(PICTURE_MS + 50)
    assert len(taken) == count  # it costs nothing while the window is closed


def test_the_end_of_the_presentation_closes_the_presenters_window(
    begin: Begin, qtbot: QtBot
) -> None:
    shown = begin("tokens")
    shown.switch_presenter()
    presenter = shown.presenter
    assert presenter is not None
    with qtbot.waitSignal(presenter.closed):
        qtbot.keyClick(presenter, Qt.Key.Key_Escape)


def test_it_follows_the_screens(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = begin("tokens")
    home, other = shown.screen(), QObject()
    there, placed = [home], []
    monkeypatch.setattr(Presentation, "_screens", property(lambda _: there))
    monkeypatch.setattr(Presentation, "put_on", lambda _, screen: placed.append(screen))
    shown.fit_screens()
    assert not placed  # nothing has changed
    there.append(cast(QScreen, other))
    shown.fit_screens()
    assert placed == [other]
    assert shown.presenter is not None  # it opens by itself on the first
    there.remove(cast(QScreen, other))
    shown.fit_screens()
    assert placed == [other, home]
    assert shown.presenter is None  # it would hide the stage: N opens it
    shown.switch_presenter()
    presenter = shown.presenter
    there.append(cast(QScreen, other))
    shown.fit_screens()
    assert placed == [other, home, other]
    assert shown.presenter is presenter
    shown.close()
    there.remove(cast(QScreen, other))
    shown.fit_screens()
    assert len(placed) == 3  # it has ended


def test_time_is_shown_as_on_a_clock() -> None:
    assert [elapsed(seconds) for seconds in (0, 59.9, 60, 3599, 3600)] == [
        "0:00", "0:59", "1:00", "59:59", "1:00:00",
    ]  # fmt: skip


# Lessons.


@pytest.fixture
def lesson(window: MainWindow, qtbot: QtBot) -> LessonDeck:
    """The first lesson whose tokenizers are shipped, presented."""
    found = next(id for id, head in window.lessons.all.items() if _is_shipped(head))
    window.lessons.open(found)
    qtbot.waitUntil(lambda: window.lessons.step_shown is not None and not window.stage.busy)
    window.actions_by_id["present"].trigger()
    shown = window.presenting.shown
    assert shown is not None
    shown.showNormal()
    shown.setFixedSize(1280, 720)
    return of_kind(shown.deck, LessonDeck)


def _is_shipped(head: LessonHead) -> bool:
    return all(group[0].startswith("shipped:") or len(group) > 1 for group in head.tokenizers)


def test_a_lesson_is_presented(window: MainWindow, lesson: LessonDeck, qtbot: QtBot) -> None:
    shown = window.presenting.shown
    assert shown is not None
    seen = []
    for _ in range(60):
        step = window.lessons.step_shown
        assert step is not None
        assert lesson.heading.text() == step.title
        qtbot.waitUntil(lambda: lesson.inner is not None)
        assert min(painted_texts(shown.sheet))[0] >= 19.99
        if lesson.question is not None and lesson.question.choices and lesson.hides_something:
            assert lesson.question.choices[lesson.question.right].description == lesson.answer
        if lesson.position not in seen:
            seen.append(lesson.position)
        if lesson.position == lesson.length and not lesson.hides_something:
            break
        qtbot.keyClick(shown, Qt.Key.Key_Space)
        qtbot.wait(20)
        qtbot.waitUntil(lambda: not window.stage.busy)
    assert seen == list(range(lesson.length + 1))
    shown.close()
    assert window.lessons.at == lesson.length
    window.lessons.close()


def test_a_wrong_choice_of_a_lesson_has_its_reason_and_others_stay_open(
    window: MainWindow, lesson: LessonDeck, qtbot: QtBot
) -> None:
    shown = window.presenting.shown
    assert shown is not None
    while lesson.question is None or len(lesson.question.choices) < 2:
        lesson.go_to(lesson.position + 1)
        qtbot.wait(20)
    question = lesson.question
    wrong = 0 if question.right else 1
    before = lesson.prose.text()
    qtbot.keyClick(shown, (Qt.Key.Key_1, Qt.Key.Key_2)[wrong])
    assert lesson.question is not None
    assert lesson.question.states[wrong] == "bad"
    assert "good" not in lesson.question.states
    assert lesson.prose.text() != before
    lesson.choose(question.right)
    assert lesson.question.states[question.right] == "good"
    assert not lesson.hides_something
    shown.close()


def test_the_stage_of_a_lesson_can_have_the_whole_width(
    window: MainWindow, lesson: LessonDeck, qtbot: QtBot
) -> None:
    shown = window.presenting.shown
    assert shown is not None
    assert lesson.area.isVisibleTo(lesson)
    qtbot.keyClick(shown, Qt.Key.Key_P)
    assert not lesson.area.isVisibleTo(lesson)
    assert lesson.question is None
    qtbot.keyClick(shown, Qt.Key.Key_Space)
    assert lesson.area.isVisibleTo(lesson)
    assert lesson.position == 0
    shown.switch_presenter()
    assert shown.presenter is not None
    step = window.lessons.current
    assert step is not None
    assert shown.presenter.notes.toPlainText() == step.notes
    shown.close()
