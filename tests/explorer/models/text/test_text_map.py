"""Where the bytes, characters and graphemes of a text are, places to go through, and packed columns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from patching import patch_all

import tokenarium_core as tc
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text import character_places, text_map
from tokenarium.models.text.character_places import CharacterPlaces
from tokenarium.models.text.chunked_column import memory_of_columns
from tokenarium.models.text.text_map import TextMap, next_region
from tokenarium_core.padded_text import padded

TEXTS = [
    "", "a", "abc", "é", "e\u0301x", "😀", "a😀b", "日本語", "\ufeffx\r\n", "👩‍👩‍👧‍👦!", "\x00\U0010ffff",
]  # fmt: skip


def utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_every_position_maps_as_the_encoders_say(text: str) -> None:
    m = TextMap(text)
    bytes_at = [len(text[:i].encode("utf-8", "surrogatepass")) for i in range(len(text) + 1)]
    units_at = [utf16_length(text[:i]) for i in range(len(text) + 1)]
    assert m.byte_count == bytes_at[-1]
    assert m.utf16_count == units_at[-1]
    assert m.char_to_byte(range(len(text) + 1)).tolist() == bytes_at
    assert m.byte_to_char(bytes_at).tolist() == list(range(len(text) + 1))
    assert m.byte_to_utf16(bytes_at).tolist() == units_at
    assert m.utf16_to_byte(units_at).tolist() == bytes_at


@given(st.text(min_size=1))
def test_a_byte_inside_a_character_belongs_to_it(text: str) -> None:
    m = TextMap(text)
    at = 0
    for index, character in enumerate(text):
        size = len(character.encode())
        for inner in range(at, at + size):
            assert int(m.byte_to_char(inner)) == index
            assert bool(m.inside_character(inner)) == (inner > at)
            assert m.characters(inner, inner + 1) == (at, at + size)
        at += size
    assert not m.inside_character(m.byte_count)


def test_between_two_surrogates_is_the_start_of_the_pair() -> None:
    m = TextMap("a😀b")
    assert m.utf16_to_byte([0, 1, 2, 3, 4]).tolist() == [0, 1, 1, 5, 6]
    assert m.byte_to_utf16([0, 1, 2, 3, 4, 5, 6]).tolist() == [0, 1, 1, 1, 1, 3, 4]


@pytest.mark.parametrize("text", TEXTS)
def test_slices_decode_what_they_can(text: str) -> None:
    m = TextMap(text)
    assert m.slice(0, m.byte_count) == text


def test_a_slice_shows_a_cut_character_as_replacement() -> None:
    assert TextMap("日本").slice(0, 4) == "日\ufffd"


@pytest.mark.parametrize(
    ("text", "start", "end", "edges"),
    [
        ("abc", 0, 3, [0, 1, 2, 3]),
        ("e\u0301x", 0, 4, [0, 3, 4]),
        ("a👍🏽b", 0, 10, [0, 1, 9, 10]),
        ("ab😀\ncd", 2, 7, [2, 6, 7]),
        ("", 0, 0, [0]),
    ],
)
def test_grapheme_edges(text: str, start: int, end: int, edges: list[int]) -> None:
    assert TextMap(text).grapheme_edges(start, end).tolist() == edges


def test_ascii_needs_no_tables() -> None:
    m = TextMap("plain" * 1000)
    assert m.is_ascii
    m.byte_to_utf16(np.arange(10))
    m.utf16_to_byte([3])
    m.byte_to_char([3])
    assert "_places" not in vars(m)


@given(st.text(alphabet=st.characters(exclude_categories=())), st.integers(1, 9), st.booleans())
def test_tables_that_are_built_bit_by_bit_are_the_same(
    text: str, stretch: int, is_long: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_map, "STRETCH", stretch)
        if is_long:
            keep_few_places(patch)
        m = TextMap(text)
        done = list(m.prepare())
        assert done == sorted(done)
        assert done[-1] == 1
        bytes_at = [len(text[:i].encode("utf-8", "surrogatepass")) for i in range(len(text) + 1)]
        assert m.char_to_byte(range(len(text) + 1)).tolist() == bytes_at
        assert m.byte_to_utf16(bytes_at).tolist() == [
            utf16_length(text[:i]) for i in range(len(text) + 1)
        ]
        assert m.padded == padded(text)


def keep_few_places(patch: pytest.MonkeyPatch) -> None:
    """As in a text of megabytes, with the smallest blocks."""
    patch_all(patch, character_places, STEP=4, WHOLE=0, NEAR=1, FEW=2, GROUP=3)


PLACES = np.array([[0, 2], [5, 6], [9, 12]], dtype=np.int32)


@pytest.mark.parametrize(
    ("span", "after", "before"),
    [
        (None, 0, 2),  # from no selection on: the first, the last
        ((0, 2), 1, 2),
        ((3, 4), 1, 0),
        ((5, 5), 2, 0),
        ((9, 12), 0, 1),  # round the ends
        ((20, 21), 0, 2),
    ],
)
def test_the_places_around_a_span(span: tuple[int, int] | None, after: int, before: int) -> None:
    assert next_region(PLACES, span, 1) == after
    assert next_region(PLACES, span, -1) == before


@pytest.fixture
def encoding() -> tc.Encoding:
    tokenizer = tc.train("bpe", "words, and more words", vocab_size=260)
    return tokenizer.encode("Words, and more words.")


def test_the_types_are_those_of_the_columns(encoding: tc.Encoding) -> None:
    assert array_of(encoding.ids).dtype == np.int32
    assert array_of(encoding.pre_tokens.rules).dtype == np.uint8


def test_the_memory_is_shared(encoding: tc.Encoding) -> None:
    ids = array_of(encoding.ids)
    assert ids.tolist() == list(encoding.ids)
    assert np.shares_memory(ids, array_of(encoding.ids))


PIECES = st.lists(
    st.sampled_from(["a", "é", "日", "😀", "\n", "\r", "\ud83d", " "]), max_size=12
).map("".join)


@given(PIECES, PIECES, PIECES, PIECES, st.booleans())
def test_an_edited_map_is_the_map_of_the_edited_text(
    head: str, old: str, new: str, tail: str, is_long: bool
) -> None:
    before, text = TextMap(head + old + tail), head + new + tail
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_map, "CARRIED", 0)
        if is_long:
            keep_few_places(patch)
        made = before.edited(text)
        made = made.edited(text)  # nothing is changed
        expected = TextMap(text)
        assert made.text == text
        assert made.utf8 == expected.utf8
        assert made.read_utf8 == expected.read_utf8
        assert (made.is_ascii, made.utf16_count) == (expected.is_ascii, expected.utf16_count)
        assert (made.occurring | expected.occurring == made.occurring).all()
        places = np.arange(expected.byte_count + 1)
        assert (made.byte_to_char(places) == expected.byte_to_char(places)).all()
        assert (made.byte_to_utf16(places) == expected.byte_to_utf16(places)).all()
        units = np.arange(expected.utf16_count + 1)
        assert (made.utf16_to_byte(units) == expected.utf16_to_byte(units)).all()
        assert (
            made.utf16_to_char(units) == expected.byte_to_char(expected.utf16_to_byte(units))
        ).all()


def test_the_places_of_a_long_text_need_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """However much is typed in it, no two of them are further from one another than a block and a character."""
    m = TextMap("añ日😀\n" * 30_000)
    places = np.arange(m.char_count + 1)
    starts = [0, *np.cumsum([1, 2, 3, 4, 1] * 30_000).tolist()]
    assert m.char_to_byte(places).tolist() == starts
    kept = [m._places._bytes, m._places._chars, m._places._units]
    assert memory_of_columns(kept) < 0.2 * m.byte_count
    for place in (70_000, 70_001, 70_000, 69_910, 3, 149_000):
        m = m.replaced(place, place + 90, "日a")
    anchors = m._places._bytes[:]
    assert 0 < np.diff(anchors).min() <= np.diff(anchors).max() <= character_places.STEP + 3
    assert m.byte_count - int(anchors[-1]) <= character_places.STEP
    expected = TextMap(m.text)
    some = np.array([[0, 69_999], [m.char_count, 110_000]], np.int32)
    looked_through: list[int] = []
    table = CharacterPlaces._table

    def noted(self: CharacterPlaces, first: int, last: int) -> object:
        looked_through.append(last - first)
        return table(self, first, last)

    monkeypatch.setattr(CharacterPlaces, "_table", noted)
    found = m.char_to_byte(some)
    assert len(looked_through) == 4
    assert (m.char_to_byte(some) == found).all()  # from the tables that are kept
    assert len(looked_through) == 4
    assert (found == expected.char_to_byte(some)).all()
    assert max(looked_through) <= character_places.NEAR
    assert (m.char_to_utf16(some) == expected.char_to_utf16(some)).all()
    units = np.arange(m.utf16_count + 1)
    assert (m.utf16_to_char(units) == expected.utf16_to_char(units)).all()


def test_an_edited_map_names_the_bytes_that_were_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_map, "CARRIED", 0)
    before = TextMap("one é three")
    after = before.edited("one two three")
    assert after.edit_since(before) == (4, 6)
    assert after.edit_since(TextMap("another")) is None
    assert before.edit_since(after) is None


@given(
    PIECES,
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), PIECES), min_size=1, max_size=8),
    st.integers(0, 7),
    st.booleans(),
)
def test_edits_one_after_the_other(
    text: str, edits: list[tuple[float, float, str]], since: int, is_long: bool
) -> None:
    """Each map is that of its text, and says where the text differs from any of the earlier ones."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_map, "CARRIED", 0)
        if is_long:
            keep_few_places(patch)
        maps = [TextMap(text)]
        for begin, length, characters in edits:
            first = round(begin * len(text))
            last = first + round(length * (len(text) - first))
            text = text[:first] + characters + text[last:]
            maps.append(maps[-1].replaced(first, last, characters))
        made, expected = maps[-1], TextMap(text)
        assert made.line_feeds == expected.line_feeds
        assert made.part(1, 4) == text[1:4]
        bytes_of = expected.utf8
        assert made.utf8_of(1, 7) == bytes_of[1:7]
        places = np.arange(expected.byte_count + 1)
        assert (made.byte_to_char(places) == expected.byte_to_char(places)).all()
        assert (made.inside_character(places) == expected.inside_character(places)).all()
        characters_at = np.arange(expected.char_count + 1)
        assert (made.char_to_byte(characters_at) == expected.char_to_byte(characters_at)).all()
        assert (made.char_to_utf16(characters_at) == expected.char_to_utf16(characters_at)).all()
        assert made.grapheme_edges(0, made.byte_count).tolist() == (
            expected.grapheme_edges(0, expected.byte_count).tolist()
        )
        assert (made.text, made.utf8) == (text, bytes_of)
        older = maps[min(since, len(maps) - 2)]
        span = made.edit_since(older)
        if span is not None:
            start, stop = span
            rest = older.byte_count - stop
            assert made.utf8[:start] == older.utf8[:start]
            assert made.utf8[made.byte_count - rest :] == older.utf8[stop:]
        else:
            assert any("\ud83d" in one.text for one in maps)
