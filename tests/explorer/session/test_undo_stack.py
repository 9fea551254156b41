"""Steps that can be undone, and changes that are withdrawn from them wherever they are."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tokenarium.session.session import Session
from tokenarium.session.undo_stack import Change, UndoStack

SHIPPED = "shipped:tokenarium-8k"


class Notes:
    """Words that changes write and take back, in the order in which they were written."""

    def __init__(self) -> None:
        self.stack = UndoStack()
        self.words: list[str] = []

    def change(self, word: str, about: object = None) -> Change:
        return Change(lambda: self.words.append(word), lambda: self.words.remove(word), about)

    def make(self, word: str, about: object = None) -> Change:
        change = self.change(word, about)
        self.stack.make(word, change)
        return change

    def withdraw(self, change: Change, word: str) -> None:
        """As one does who refuses something: takes it back, and has it forgotten."""
        if word in self.words:
            self.words.remove(word)
        self.stack.withdraw(change)

    @property
    def text(self) -> str:
        return "".join(self.words)


@pytest.mark.parametrize("places", [(0,), (1,), (2,), (0, 2), (0, 1, 2)])
@pytest.mark.parametrize("when", ["open", "made", "undone", "made again"])
def test_a_step_survives_what_is_withdrawn_in_it(places: tuple[int, ...], when: str) -> None:
    notes = Notes()
    notes.make("x")
    with notes.stack.step("all"):
        made = [notes.make(word) for word in "abc"]
        if when == "open":
            for place in places:
                notes.withdraw(made[place], "abc"[place])
    if when in ("undone", "made again"):
        notes.stack.undo()
        assert notes.text == "x"
    if when == "made again":
        notes.stack.redo()
    if when != "open":
        for place in places:
            notes.withdraw(made[place], "abc"[place])
    left = "".join(word for place, word in enumerate("abc") if place not in places)
    assert len(notes.stack) == 1 + bool(left)  # without a change, it is no step
    if when == "undone":
        notes.stack.redo()
    for _ in range(3):
        assert notes.text == "x" + left
        if left:
            notes.stack.undo()
            assert notes.text == "x"
            notes.stack.redo()


def test_all_changes_of_what_is_gone_are_withdrawn() -> None:
    notes, gone = Notes(), object()
    for word in "abcd":
        with notes.stack.step(word):
            notes.make(word)
            if word in "bd":
                notes.make(word.upper(), gone)
    notes.make("E", gone)
    notes.words[:] = list("abcd")
    notes.stack.withdraw_about(gone)
    assert len(notes.stack) == 4
    for left in ("abc", "ab", "a", ""):
        notes.stack.undo()
        assert notes.text == left


def test_a_change_that_fails_is_none() -> None:
    notes = Notes()

    def fail() -> None:
        raise ValueError("it fails")

    with notes.stack.step("all"):
        notes.make("a")
        with pytest.raises(ValueError, match="it fails"):
            notes.stack.make("b", Change(fail, fail))
    notes.stack.undo()
    assert notes.text == ""
    assert not notes.stack.can_undo


def test_a_change_that_is_refused_while_it_is_made_is_none() -> None:
    notes = Notes()
    change = Change(lambda: notes.stack.withdraw(change), lambda: None)
    notes.stack.make("refused", change)
    assert len(notes.stack) == 0


def test_nothing_is_undone_or_recorded_within_a_step() -> None:
    notes = Notes()
    notes.make("a")
    with notes.stack.step("all"), notes.stack.step("a part"):
        notes.make("b")
        notes.stack.undo()
        assert notes.text == "ab"
    assert len(notes.stack) == 2
    notes.stack.make("c", Change(lambda: notes.make("c"), lambda: notes.words.remove("c")))
    for _ in range(2):  # what a change makes belongs to it
        assert notes.text == "abc"
        assert len(notes.stack) == 3
        notes.stack.undo()
        assert notes.text == "ab"
        notes.stack.redo()


def test_steps_without_changes_are_none_and_forget_nothing() -> None:
    notes = Notes()
    notes.make("a")
    notes.stack.undo()
    with notes.stack.step("nothing"):
        pass
    assert notes.stack.can_redo
    notes.make("b")
    assert not notes.stack.can_redo


def test_any_steps_and_refusals_leave_what_was_not_refused() -> None:
    for seed in range(200):
        chance, notes = random.Random(seed), Notes()
        made: list[tuple[str, Change]] = []
        for number in range(12):
            with notes.stack.step("some"):
                for part in range(chance.randrange(3)):
                    word = f"{number}.{part} "
                    made.append((word, notes.make(word)))
            for _ in range(chance.randrange(3)):
                chance.choice([notes.stack.undo, notes.stack.redo])()
            if made and chance.random() < 0.5:
                word, change = made.pop(chance.randrange(len(made)))
                notes.withdraw(change, word)
        while notes.stack.can_redo:
            notes.stack.redo()
        end = notes.text
        while notes.stack.can_undo:
            notes.stack.undo()
        assert notes.text == ""
        while notes.stack.can_redo:
            notes.stack.redo()
        assert notes.text == end


@pytest.mark.parametrize("group", [False, True], ids=["one by one", "together"])
def test_several_files_of_which_some_are_refused(
    session: Session, qtbot: QtBot, tmp_path: Path, group: bool
) -> None:
    """Undo and redo go over the refused ones, whatever was done to them until they were refused."""
    import tokenarium_core as tc

    good = tmp_path / "good.json"
    tc.train("bpe", [""], vocab_size=256).save(good)
    bad = [tmp_path / f"bad{number}.json" for number in range(3)]
    for path in bad:
        path.write_text('{"model": {"type": "BPE", "vo')
    edits, stack = session.edits, session.edits.undo_stack
    session.set_text("first")

    def add_all() -> None:
        for path in (bad[0], good, bad[1]):
            edits.add_file(path)
        edits.turn_on(f"file:{bad[1]}", False)
        edits.move(f"file:{bad[0]}", 1)
        edits.remove(edits.add_file(bad[2]).key)
        session.set_text("second")

    if group:
        with stack.step("together"):
            add_all()
    else:
        add_all()
    qtbot.waitUntil(lambda: not session.opening)

    def state() -> tuple[str, list[str]]:
        return session.text, [item.key for item in session.library if item.on]

    after = ("second", [SHIPPED, f"file:{good}"])
    assert state() == after
    for _ in range(2):
        while stack.can_undo:
            stack.undo()
            qtbot.waitUntil(lambda: not session.opening)
        assert state() == ("first", [SHIPPED])
        while stack.can_redo:
            stack.redo()
            qtbot.waitUntil(lambda: not session.opening)
        assert state() == after
        for path in bad:
            assert session.library.item(f"file:{path}") is None
