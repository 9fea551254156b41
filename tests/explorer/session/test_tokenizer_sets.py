"""Which tokenizers are compared: only some, those that are chosen, and sets saved by name; every change can be undone."""

from __future__ import annotations

import json

import pytest
from windows import Host

from tokenarium.models.tokenizers.tokenizer_sets import (
    LONGEST_SET_NAME,
    MOST_MEMBERS,
    MOST_SETS,
    kept_sets,
    set_lines,
)
from tokenarium.session import kept_session, settings
from tokenarium.session.session import Session
from tokenarium.session.settings import Settings

FIRST, SECOND, THIRD = "shipped:tokenarium-8k", "shipped:unigram-8k", "shipped:wordpiece-8k"


@pytest.fixture
def session(host: Host) -> Session:
    for key in (FIRST, SECOND, THIRD):
        host.session.edits.turn_on(key, True)
    return host.session


def on(session: Session) -> set[str]:
    return {item.key for item in session.library if item.on}


def undo(session: Session) -> None:
    session.edits.undo_stack.undo()


def test_only_one_is_shown_and_the_others_come_back(session: Session) -> None:
    before = on(session)
    assert len(before) >= 3
    session.sets.show_only([SECOND])
    assert on(session) == {SECOND}
    undo(session)
    assert on(session) == before
    assert not session.sets.can_show_again
    session.edits.undo_stack.redo()
    assert on(session) == {SECOND}
    assert session.sets.can_show_again
    session.sets.show_again()
    assert on(session) == before
    assert not session.sets.can_show_again
    undo(session)
    assert on(session) == {SECOND}


def test_nothing_is_hidden_for_tokenizers_that_are_not_here(session: Session) -> None:
    before = on(session)
    steps = len(session.edits.undo_stack)
    session.sets.show_only(["named:gpt2", "file:/gone"])
    assert on(session) == before
    assert len(session.edits.undo_stack) == steps


def test_the_choice_is_toggled_and_ends_with_its_use(session: Session) -> None:
    heard: list[int] = []
    session.sets.changed.connect(lambda: heard.append(1))
    assert session.sets.members == tuple(item.key for item in session.library if item.on)
    for key in (SECOND, THIRD, FIRST, THIRD):
        session.sets.toggle(key)
    assert session.sets.chosen == session.sets.members == (SECOND, FIRST)
    assert len(heard) == 4
    session.sets.show_only(session.sets.chosen)
    assert on(session) == {FIRST, SECOND}
    assert session.sets.chosen == ()


def test_sets_are_saved_shown_renamed_and_deleted(session: Session) -> None:
    sets = session.sets
    sets.choose([THIRD, FIRST])
    assert sets.save("  for\tcode ") == ""
    assert sets.sets == {"for code": (THIRD, FIRST)}
    assert sets.chosen == ()
    assert sets.save("all") == ""
    assert set(sets.sets["all"]) == on(session)
    assert sets.show_set("for code") == ""
    assert on(session) == {FIRST, THIRD}
    assert sets.rename("for code", "all") == "There is already a set “all”."
    assert sets.rename("for code", " ") == "Enter a name for the set."
    assert sets.rename("for code", "pair") == ""
    assert list(sets.sets) == ["pair", "all"]
    assert sets.save("pair") == ""
    assert set(sets.sets["pair"]) == {FIRST, THIRD}
    sets.delete("all")
    assert list(sets.sets) == ["pair"]
    for expected in (["pair", "all"], ["pair", "all"], ["for code", "all"]):
        undo(session)
        assert list(sets.sets) == expected
    undo(session)
    assert len(on(session)) >= 3
    undo(session)
    undo(session)
    assert sets.sets == {}


def test_what_is_missing_of_a_set_is_said(session: Session) -> None:
    sets = session.sets
    sets.restore({"some": (SECOND, "named:gpt2"), "none": ("file:/gone/a.json",)})
    said = sets.show_set("some")
    assert said.startswith("GPT-2 · gpt2 is not on this computer. Get it in the library")
    assert on(session) == {SECOND}
    said = sets.show_set("none")
    assert said == "/gone/a.json is not on this computer; nothing was changed."
    assert on(session) == {SECOND}


def test_sets_that_cannot_be_are_refused(session: Session) -> None:
    sets = session.sets
    assert sets.save("\u202e\x07") == "Enter a name for the set."
    sets.restore({str(number): (FIRST,) for number in range(MOST_SETS)})
    assert sets.save("one more") == f"There are {MOST_SETS} sets: delete one first."
    assert sets.save("7") == ""
    session.sets.restore({})
    for item in session.library:
        session.edits.turn_on(item.key, False)
    assert sets.save("empty").startswith("No tokenizer is on")
    assert sets.sets == {}


def test_sets_come_back_from_the_settings(session: Session, store: Settings) -> None:
    sets = {"für Code": (FIRST, "file:/a\tb\n.json"), "日本語": (SECOND,)}
    session.sets.restore(sets)
    kept_session.keep(session, store)
    session.sets.restore({})
    kept_session.restore(session, store)
    assert session.sets.sets == sets
    store.set(settings.TOKENIZER_SETS, ["[", '["only a name"]', *set_lines(sets)])
    kept_session.restore(session, store)
    assert session.sets.sets == sets


@pytest.mark.parametrize(
    "line",
    [
        "",
        "[]",
        "{}",
        "1",
        "[" * 100_000,
        '["name"]',
        '["name", 1]',
        '["name", ""]',
        '["", "k"]',
        '[" name", "k"]',
        '["na\\u202eme", "k"]',
        json.dumps(["n" * (LONGEST_SET_NAME + 1), "k"]),
        json.dumps(["many", *map(str, range(MOST_MEMBERS + 1))]),
    ],
)
def test_lines_that_are_no_sets_are_left_out(line: str) -> None:
    assert kept_sets([line, '["good", "k", "k"]', '["good", "other"]']) == {"good": ("k",)}


def test_sets_in_the_settings_are_bounded() -> None:
    lines = set_lines({str(number): ("k",) for number in range(MOST_SETS + 9)})
    assert list(kept_sets(lines)) == list(map(str, range(MOST_SETS)))
