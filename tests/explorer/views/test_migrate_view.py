"""The page Migrate: the pair that is compared, its counts and rows, and the mapping as a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from asked import wait_asked
from pytestqt.qtbot import QtBot
from windows import Host, show_page

import tokenarium_core as tc
from tokenarium.models.compare.migration import DROPPED, migrate_sources, migration_table
from tokenarium.resources.shipped_tokenizers import shipped_path
from tokenarium.session.requests import ShowEntry, TellSaved
from tokenarium.session.session import Session
from tokenarium.views.compare_migrate import ENTRY, FATE, ID, OLD, MigratePage
from tokenarium_core.changing.migrating import Migration
from tokenarium_core.errors import WriteError

OLD_KEY, NEW_KEY = "shipped:tokenarium-8k", "shipped:unigram-8k"


@pytest.fixture
def page(host: Host, qtbot: QtBot) -> MigratePage:
    host.session.set_text("The quick brown fox")
    host.session.edits.turn_on(NEW_KEY, True)
    qtbot.waitUntil(lambda: not host.session.opening)
    found = show_page(host, "compare", MigratePage.id, MigratePage)
    qtbot.waitUntil(lambda: found.table is not None)
    return found


@pytest.fixture(scope="module")
def wanted() -> Migration:
    return tc.migrate(tc.open(shipped_path("tokenarium-8k")), tc.open(shipped_path("unigram-8k")))


def test_the_arrays_hold_what_the_core_finds(wanted: Migration) -> None:
    found = migrate_sources(lambda _: None, shipped_path("tokenarium-8k"), "", shipped_path("unigram-8k"), "")  # type: ignore[arg-type]  # fmt: skip
    assert [found.fate(id) for id in range(len(wanted.fates))] == wanted.fates
    assert [found.old_ids(id) for id in range(len(wanted.fates))] == wanted.sources
    assert found.dropped.tolist() == wanted.dropped
    assert found.counts == {**{fate: wanted.count(fate) for fate in found.counts if fate != DROPPED}, DROPPED: len(wanted.dropped)}  # fmt: skip
    assert found.clashes == migration_table(wanted).clashes


def test_the_rows_say_what_becomes_of_each_id(page: MigratePage, wanted: Migration) -> None:
    assert page.items is not None
    assert [item.key for item in page.items] == [OLD_KEY, NEW_KEY]
    assert page.rows.rowCount() == 8000
    page.kinds.choose("pieces")
    ids = page.rows.ids.tolist()
    assert ids == [id for id, fate in enumerate(wanted.fates) if fate == "pieces"]
    cells = [page.rows.data(page.rows.index(0, place)) for place in (ID, ENTRY, FATE, OLD)]
    assert cells[0] == str(ids[0])
    assert cells[2] == "pieces"
    assert cells[3].startswith(f"{wanted.sources[ids[0]][0]} ")
    assert cells[3].count("  +  ") == len(wanted.sources[ids[0]]) - 1
    page.kinds.choose(DROPPED)
    assert page.rows.ids.tolist() == wanted.dropped
    assert page.rows.data(page.rows.index(0, FATE)) == "dropped"
    assert f"{wanted.count('same'):,} of the 8,000 ids" in page.summary.text()
    assert "tokens in" in page.summary.text()


def test_the_other_way_round_and_back(page: MigratePage, session: Session, qtbot: QtBot) -> None:
    page.swap.click()
    assert page.busy
    qtbot.waitUntil(lambda: page.table is not None)
    assert page.items is not None
    assert [item.key for item in page.items] == [NEW_KEY, OLD_KEY]
    assert "of the 8,000 ids of Tokenarium 8k" in page.summary.text()
    page.old_box.setCurrentIndex(page.old_box.findData(OLD_KEY))
    page.old_box.activated.emit(page.old_box.currentIndex())  # the new one takes the other's place
    assert [item.key for item in page.items] == [OLD_KEY, NEW_KEY]
    qtbot.waitUntil(lambda: page.table is not None)
    session.edits.turn_on(NEW_KEY, False)
    assert page.empty.isVisible()
    assert not page.busy


def test_an_entry_is_shown_in_its_vocabulary(
    page: MigratePage, session: Session, qtbot: QtBot
) -> None:
    page.kinds.choose(DROPPED)
    with wait_asked(qtbot, session.requests, ShowEntry) as asked:
        page.list.activated.emit(page.rows.index(2, 0))
    assert asked.args == [ShowEntry(int(page.rows.ids[2]), OLD_KEY)]


def test_the_mapping_is_written(
    page: MigratePage, session: Session, qtbot: QtBot, tmp_path: Path, wanted: Migration
) -> None:
    path = tmp_path / "mapping.json"
    with wait_asked(qtbot, session.requests, TellSaved):
        page.write(path)
    content = json.loads(path.read_text("utf-8"))
    assert (content["old"], content["new"]) == ("Tokenarium 8k", "Unigram 8k")
    assert [row["old_ids"] for row in content["ids"]] == wanted.sources
    with qtbot.waitSignal(session.problem) as said:
        page.write(tmp_path / "absent" / "mapping.csv")
    assert "absent" in said.args[0]
    assert issubclass(WriteError, tc.TokenariumError)
    assert page.python().count("tc.migrate") == 1
    assert page.lines()[-1][0] == str(len(wanted.dropped))


def test_fewer_tokens_are_no_gain_where_text_is_lost(
    page: MigratePage, session: Session, qtbot: QtBot
) -> None:
    assert "is lost" not in page.summary.text()
    session.edits.turn_on(NEW_KEY, False)
    session.edits.turn_on("shipped:wordpiece-8k", True)
    session.set_text("the sun   is  warm")
    qtbot.waitUntil(lambda: "tokens in" in page.summary.text())
    qtbot.waitUntil(lambda: "? but part of it is lost (WordPiece 8k 16.7%)" in page.summary.text())
    assert "fewer" not in page.summary.text()
