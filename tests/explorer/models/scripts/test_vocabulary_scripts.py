"""How a vocabulary was spent by script, held against counts that are made in another way."""

from __future__ import annotations

import statistics
from collections import Counter
from importlib import resources

import numpy as np
import pytest
from fontTools import unicodedata as unicode_data
from hypothesis import given
from hypothesis import strategies as st

import tokenarium_core as tc
from tokenarium.models.charts.chart import Axis, GroupedBars
from tokenarium.models.scripts.script_bars import ScriptCounts, length_bars, share_bars
from tokenarium.models.scripts.vocabulary_scripts import (
    CLASS_COUNT,
    CLASS_NAMES,
    VocabularyScripts,
    assigned,
    characters_of,
    count_own,
    query_of,
    script_of_piece,
)
from tokenarium.widgets.charts.treemap import squarify
from tokenarium_core.unicode.codepoints import SCRIPTS
from tokenarium_core.vocabulary import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, PieceArena

PIECES: list[tuple[bytes, int, str]] = [
    (b"the", NORMAL, "Latin"),
    (b" the", NORMAL, "Latin"),
    ("é".encode(), NORMAL, "Latin"),
    ("e\u0301".encode(), NORMAL, "Latin"),
    ("Москва".encode(), NORMAL, "Cyrillic"),
    ("aя".encode(), NORMAL, "mixed"),
    ("日本".encode(), NORMAL, "Han"),
    ("する".encode(), NORMAL, "Hiragana"),
    ("日する".encode(), NORMAL, "mixed"),
    ("ー".encode(), NORMAL, "common"),
    (b" 12", NORMAL, "common"),
    ("👩\u200d🚀".encode(), NORMAL, "common"),
    ("\u0301".encode(), NORMAL, "common"),
    ("\u0378".encode(), NORMAL, "Unknown"),
    (b"\xe6\x97", NORMAL, "bytes"),
    (b"a\xff", NORMAL, "bytes"),
    (b"\x41", BYTE, "Latin"),
    (b"<s>", CONTROL, "special"),
    (b"<unk>", UNKNOWN, "special"),
    (b"", UNUSED, "special"),
]


def vocabulary_of(pieces: list[tuple[bytes, int]]) -> tc.Vocabulary:
    arena = PieceArena(len(pieces))
    for piece, kind in pieces:
        arena.add(piece, kind)
    return tc.Vocabulary(arena, findable=(NORMAL,))


@pytest.fixture(scope="module")
def use() -> VocabularyScripts:
    return VocabularyScripts(vocabulary_of([(piece, kind) for piece, kind, _ in PIECES]))


def test_each_entry_has_its_class(use: VocabularyScripts) -> None:
    assert [CLASS_NAMES[number] for number in use.classes] == [name for _, _, name in PIECES]
    assert use.counts.sum() == use.total == len(PIECES)


@given(st.lists(st.one_of(st.text(min_size=1, max_size=4), st.binary(min_size=1, max_size=4))))
def test_all_at_once_is_as_one_by_one(parts: list[str | bytes]) -> None:
    raw = [
        part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part for part in parts
    ]
    pieces = list(dict.fromkeys(raw))
    use = VocabularyScripts(vocabulary_of([(piece, NORMAL) for piece in pieces]))
    assert [CLASS_NAMES[number] for number in use.classes] == list(map(script_of_piece, pieces))


def test_the_shipped_vocabulary_against_another_library() -> None:
    with resources.as_file(resources.files("tokenarium.resources") / "tokenizers") as folder:
        vocabulary = tc.open(folder / "tokenarium-8k.json").vocabulary
    counts: Counter[str] = Counter()
    own: Counter[str] = Counter()
    lengths: dict[str, list[int]] = {}
    for token in range(len(vocabulary)):
        piece = vocabulary.piece(token)
        if vocabulary.kind(token) in ("control", "unknown", "unused"):
            counts["special"] += 1
            continue
        text = piece.decode("utf-8", "surrogateescape")
        whole = not any("\udc80" <= character <= "\udcff" for character in text)
        if whole and len(text) == 1:
            own[unicode_data.script_name(unicode_data.script(text)).replace("_", " ")] += 1
        if not whole:
            counts["bytes"] += 1
            continue
        found = {unicode_data.script(character) for character in text} - {"Zyyy", "Zinh"}
        name = (
            "mixed"
            if len(found) > 1
            else unicode_data.script_name(found.pop()).replace("_", " ")
            if found
            else "common"
        )
        counts[name] += 1
        lengths.setdefault(name, []).append(len(text))
    use = VocabularyScripts(vocabulary)
    assert {CLASS_NAMES[n]: int(use.counts[n]) for n in np.flatnonzero(use.counts)} == counts
    marked = count_own(use.own_characters)
    assert {CLASS_NAMES[n].replace("_", " "): int(marked[n]) for n in np.flatnonzero(marked)} == own
    for name, found_lengths in lengths.items():
        middle = use.lengths[CLASS_NAMES.index(name), 1]
        assert middle == statistics.median(found_lengths)


@pytest.mark.slow
def test_characters_are_counted_as_another_library_does() -> None:
    other: Counter[str] = Counter()
    for code in range(0x110000):
        other[unicode_data.script(chr(code))] += 1
    del other["Zzzz"]
    assert {SCRIPTS[n]: int(assigned[n]) for n in np.flatnonzero(assigned)} == other
    hebrew = characters_of(CLASS_NAMES.index("Hebrew")).tolist()
    assert len(hebrew) == other["Hebr"]
    assert len(characters_of(CLASS_NAMES.index("Unknown"))) == 0


def test_own_characters_are_entries_alone(use: VocabularyScripts) -> None:
    assert np.flatnonzero(use.own_characters).tolist() == sorted(
        ord(character) for character in "Aéー\u0301\u0378"
    )


def test_queries_have_no_blanks() -> None:
    assert query_of(CLASS_NAMES.index("Latin")) == "script:latin"
    assert query_of(CLASS_NAMES.index("Old Italic")) == "script:olditalic"


# The charts.


def counts_of(**names: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    counts = np.zeros(CLASS_COUNT, np.int64)
    for name, count in names.items():
        counts[CLASS_NAMES.index(name)] = count
    return counts


ONE = ScriptCounts("one", 0, counts_of(Latin=60, Greek=40))
TWO = ScriptCounts("two", 1, counts_of(Latin=30, Han=170))


def ends(chart: GroupedBars) -> list[list[float | None]]:
    return [[None if bar is None else bar.end for bar in one.bars] for one in chart.series]


def test_shares_are_side_by_side_the_largest_first() -> None:
    chart, order = share_bars([ONE, TWO], "share", 0, "entries", "the vocabulary")
    assert chart.names == ["Han", "Latin", "Greek"]
    assert [CLASS_NAMES[number] for number in order] == chart.names
    assert ends(chart) == [[None, 60, 40], [85, 15, None]]
    assert chart.table().splitlines()[:3] == [
        "Script of the entry,Tokenizer,Entries,Share of the vocabulary (%)",
        "Han,two,170,85",
        "Latin,one,60,60",
    ]
    assert "Latin: one: 60 entries, 60.0% of the vocabulary; two: 30" in chart.summary()


def test_the_others_are_held_against_the_reference() -> None:
    chart, _ = share_bars([ONE, TWO], "difference", 0, "entries", "the vocabulary")
    assert ends(chart) == [[85, -45, -40]]
    assert chart.base == 0
    chart, _ = share_bars([ONE, TWO], "ratio", 1, "entries", "the vocabulary")
    assert [series.title for series in chart.series] == ["one"]
    assert ends(chart) == [[None, 4, None]]
    assert chart.x.logarithmic


def test_the_average_bytes_of_an_entry_are_those_of_its_script(use: VocabularyScripts) -> None:
    counted = ScriptCounts("one", 0, use.counts, None, use.byte_counts)
    chart, order = share_bars([counted], "bytes", 0, "entries", "the vocabulary")
    for number, (end,) in zip(order, zip(*ends(chart), strict=True), strict=True):
        assert end == use.byte_counts[number] / use.counts[number] == use.mean_bytes[number]
    assert chart.x.label == "Average size of an entry (bytes)"
    assert chart.table().splitlines()[0] == (
        "Script of the entry,Tokenizer,Entries,Bytes of the entries,Average bytes"
    )


def test_no_tokenizers_are_an_empty_chart() -> None:
    assert share_bars([], "share", 0, "entries", "the vocabulary")[0].empty
    assert length_bars([])[0].empty
    assert GroupedBars(Axis("x"), Axis("y")).empty


def test_lengths_are_quartiles(use: VocabularyScripts) -> None:
    chart, order = length_bars([("one", 0, use)])
    latin = chart.names.index("Latin")
    bar = chart.series[0].bars[latin]
    assert bar is not None
    assert (bar.start, bar.mark, bar.end) == tuple(np.percentile([3, 4, 1, 2, 1], (25, 50, 75)))
    assert {"bytes", "special"}.isdisjoint(CLASS_NAMES[number] for number in order)


# The treemap.


@given(st.lists(st.integers(1, 10_000), min_size=1, max_size=60), st.integers(20, 900))
def test_a_treemap_fills_its_bounds(areas: list[int], width: int) -> None:
    areas.sort(reverse=True)
    places = squarify(areas, (5, 7, width, 300))
    unit = width * 300 / sum(areas)
    for area, (left, top, wide, high) in zip(areas, places, strict=True):
        assert wide * high == pytest.approx(area * unit, rel=1e-6)
        assert 5 - 1e-6 <= left <= left + wide <= 5 + width + 1e-6
        assert 7 - 1e-6 <= top <= top + high <= 307 + 1e-6


def test_a_treemap_is_that_of_the_paper() -> None:
    places = squarify([6, 6, 4, 3, 2, 2, 1], (0, 0, 6, 4))
    assert [tuple(round(side, 2) for side in place) for place in places[:4]] == [
        (0, 0, 3, 2),
        (0, 2, 3, 2),
        (3, 0, 1.71, 2.33),
        (4.71, 0, 1.29, 2.33),
    ]
