"""The race of encoding: the same ids by a scan and by a queue, at other costs as the text grows."""

from __future__ import annotations

import pytest
from narrowed import assert_contains
from patching import patch_all
from played_models import bpe, unigram

import tokenarium_core as tc
from tokenarium.app.start import sample_text
from tokenarium.models.training import encoding_race
from tokenarium.models.training.encoding_race import QUEUE, SCAN, WAYS, WORDS, EncodingRace

LENGTHS = (10, 50, 200, 400)


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    patch_all(monkeypatch, encoding_race, LENGTHS=LENGTHS, LONGEST=LENGTHS[-1], STEPPED=60)


def run(race: EncodingRace) -> None:
    while not race.step(1000).finished:
        pass


def trained() -> tc.Tokenizer:
    return tc.train("bpe", [sample_text("prose-en")] * 2, vocab_size=500)


def test_a_scan_takes_the_square_and_the_queue_does_not() -> None:
    race = EncodingRace(trained(), sample_text("prose-en"))
    assert race.sentence() == ""
    run(race)
    assert len(race.laps) == len(LENGTHS) * len(WAYS)
    looked = {way: [lap.looked for lap in race.laps if lap.way == way] for way in WAYS}
    left = {way: [lap.left for lap in race.laps if lap.way == way] for way in WAYS}
    assert left[QUEUE] == left[SCAN]
    assert looked[SCAN][-1] / looked[SCAN][-2] > 3.4  # twice the text, four times the work
    assert looked[QUEUE][-1] / looked[QUEUE][-2] < 2.6
    assert looked[WORDS][-1] < looked[QUEUE][-1] < looked[SCAN][-1]
    work = race.chart(seconds=False)
    assert [curve.title for curve in work.curves] == [
        "Queue",
        "Scanning",
        "Scanning each word",
        "n² / 2",
        "n log₂ n",
    ]
    assert [x for x, _ in work.curves[0].points] == list(LENGTHS)
    assert len(race.chart(seconds=True).curves) == 3
    assert_contains(race.sentence(), "times fewer", "400 bytes as one word")
    merges = race.merge_chart()
    assert len({len(curve.points) for curve in merges.curves}) == 1
    assert all(
        a <= b
        for curve in merges.curves
        for (_, a), (_, b) in zip(curve.points, curve.points[1:], strict=False)
    )


def test_a_short_text_is_repeated_and_characters_are_counted_where_they_merge() -> None:
    race = EncodingRace(bpe(), "the dog")
    run(race)
    assert race.laps[-1].symbols == LENGTHS[-1]
    assert race.chart(seconds=True).x.unit == "characters"
    assert len(race.chart(seconds=True).curves) == 2  # it has no words


def test_what_cannot_race() -> None:
    with pytest.raises(tc.TokenariumError, match="no text"):
        EncodingRace(trained(), "")
    with pytest.raises(tc.TokenariumError, match="no queue"):
        EncodingRace(unigram(), "the dog")
