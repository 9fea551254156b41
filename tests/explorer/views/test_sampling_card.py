"""Cuts drawn at random on the page Ways."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot
from windows import Host, show_page

from tokenarium.analyses.sample import LONGEST
from tokenarium.views.tokens_ways import SampledCutsCard, WaysPage
from tokenarium_core.explaining.sampling import sample


@pytest.fixture
def page(host: Host, qtbot: QtBot) -> WaysPage:
    host.session.set_text("unbelievable tokens")
    found = show_page(host, "tokens", "ways", WaysPage)
    qtbot.waitUntil(lambda: found.sampling.samples is not None)
    return found


def ids_shown(card: SampledCutsCard, qtbot: QtBot) -> list[list[int]]:
    qtbot.waitUntil(lambda: card.samples is not None)  # a busy machine draws on as a job
    assert card.samples is not None
    return [cut.ids for cut in card.samples.cuts]


def test_merges_are_left_out_with_the_chosen_dropout(
    page: WaysPage, host: Host, qtbot: QtBot
) -> None:
    card = page.sampling
    item = host.session.current
    assert item is not None
    assert item.tokenizer is not None
    wanted = sample(item.tokenizer, "unbelievable tokens", 1000)
    assert ids_shown(card, qtbot) == [cut.ids for cut in wanted.cuts]
    name, amount = card.dials["dropout"]
    assert (name.text(), name.isVisible()) == ("dropout", True)
    view = card.parts["cuts"]
    assert view.rows[0].isVisible()
    assert f"{len(wanted.cuts)} cuts" in view.sentence.text()
    amount.setValue(0.0)
    assert ids_shown(card, qtbot) == [item.tokenizer.encode_ids("unbelievable tokens")]
    assert [row.isVisible() for row in view.rows[:2]] == [True, False]
    assert "encoding" in view.rows[0].said.text()
    amount.setValue(0.4)
    before = ids_shown(card, qtbot)
    card.again.click()
    seed = card.controls["seed"].widget
    assert seed.value() == 1
    assert ids_shown(card, qtbot) != before
    seed.setValue(0)
    assert ids_shown(card, qtbot) == before
    assert "SAMPLE.run(in_front" in page.python()


def test_other_models_have_other_dials_or_none(page: WaysPage, host: Host, qtbot: QtBot) -> None:
    card, session = page.sampling, host.session
    session.edits.turn_on("shipped:unigram-8k", True)
    session.edits.turn_on("shipped:wordpiece-8k", True)
    qtbot.waitUntil(lambda: not session.opening)
    session.set_current("shipped:unigram-8k")
    qtbot.waitUntil(lambda: card.dials["alpha"][0].isVisible() and card.samples is not None)
    assert not card.dials["dropout"][0].isVisible()
    view = card.parts["cuts"]
    assert "exactly" in view.rows[0].said.text()
    session.set_current("shipped:wordpiece-8k")
    qtbot.waitUntil(lambda: "longest entry" in view.sentence.text())
    assert not any(dial.isVisible() for dials in card.dials.values() for dial in dials)
    assert not any(row.isVisible() for row in view.rows)
    assert "SAMPLE" not in page.python()


def test_of_a_long_text_a_part_is_asked_for(page: WaysPage, host: Host, qtbot: QtBot) -> None:
    host.session.set_text("words and words " * (LONGEST // 8))
    qtbot.waitUntil(lambda: "Select up to" in page.sampling.parts["cuts"].sentence.text())
    host.session.select(0, 60)
    qtbot.waitUntil(lambda: page.sampling.samples is not None)


def test_scenes_keep_the_dials(page: WaysPage) -> None:
    card = page.sampling
    kept = {one.name: one for one in page.keeps()}
    assert kept["dropout"].read() is None
    amount = card.dials["dropout"][1]
    amount.setValue(0.35)
    card.controls["seed"].widget.setValue(9)
    assert (kept["dropout"].read(), kept["seed"].read()) == (0.35, 9)
    kept["dropout"].show(0.2)
    assert amount.value() == 0.2
    with pytest.raises(ValueError, match="1"):
        kept["dropout"].show(3.0)
