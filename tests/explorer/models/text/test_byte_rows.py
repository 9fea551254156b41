"""The rows over the bytes of a text: what is where, and what is marked."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from patching import patch_all

import tokenarium_core as tc
from tokenarium.models.text import graphemes
from tokenarium.models.text.byte_cells import Cell, CellMark, CellRow
from tokenarium.models.text.character_rows import (
    REMOVED,
    ByteRow,
    CodePointRow,
    GraphemeRow,
    NameRow,
    NormalizedRow,
    ScriptRow,
)
from tokenarium.models.text.graphemes import GraphemeJob
from tokenarium.models.text.part_decoding import decode_part, malformed
from tokenarium.models.text.piece import signs, signs_note
from tokenarium.models.text.pipeline import UNCHANGED, stages
from tokenarium.models.text.text_map import TextMap
from tokenarium.models.text.token_row import Counts, TokenRow

ASTRONAUT = "👩\N{ZERO WIDTH JOINER}🚀"


@pytest.fixture(scope="module")
def byte_tokens() -> tc.Tokenizer:
    """A tokenizer with a token for each byte."""
    return tc.train("bpe", [""], vocab_size=256)


@pytest.fixture(scope="module")
def lower(tmp_path_factory: pytest.TempPathFactory) -> tc.Tokenizer:
    """A WordPiece tokenizer that lower-cases and takes accents away."""
    path = tmp_path_factory.mktemp("wordpiece") / "vocab.txt"
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "he", "##llo", "a", "日", "本"]
    path.write_text("\n".join(words) + "\n", encoding="utf-8")
    return tc.open(path)


@pytest.fixture(scope="module")
def folding(tmp_path_factory: pytest.TempPathFactory) -> tc.Tokenizer:
    """A tokenizer that puts a blank before the text, folds it by NFKC, and falls back on bytes."""
    pieces = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁", "f", "i", "o", "a"]
    model = {
        "type": "BPE",
        "vocab": {piece: number for number, piece in enumerate(pieces)},
        "merges": [],
        "unk_token": "<unk>",
        "fuse_unk": True,
        "byte_fallback": True,
    }
    normalizers = [
        {"type": "NFKC"},
        {"type": "Prepend", "prepend": "▁"},
        {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
    ]
    file = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": {"type": "Sequence", "normalizers": normalizers},
        "pre_tokenizer": None,
        "model": model,
        "post_processor": None,
        "decoder": {
            "type": "Sequence",
            "decoders": [
                {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
                {"type": "ByteFallback"},
                {"type": "Fuse"},
                {"type": "Strip", "content": " ", "start": 1, "stop": 0},
            ],
        },
    }
    path = tmp_path_factory.mktemp("folding") / "tokenizer.json"
    path.write_text(json.dumps(file), encoding="utf-8")
    return tc.open(path)


def token_row(tokenizer: tc.Tokenizer, text: str) -> TokenRow:
    text_map = TextMap(text)
    job = GraphemeJob(text_map)
    job.step(1e9)
    return TokenRow("key", "name", 0, tokenizer, tokenizer.encode(text), text_map, job.edges)


def whole(row: CellRow, text: str) -> list[Cell]:
    return row.cells(0, len(text.encode()))


def shown(cells: list[Cell]) -> list[tuple[float, float, str]]:
    return [(cell.left, cell.right, cell.label) for cell in cells]


# Graphemes.


@given(
    st.lists(st.sampled_from(["a", "\n", "\r", "é", "e\u0301\u0302", f"{ASTRONAUT}."]), max_size=30)
)
def test_graphemes_are_the_same_in_small_pieces(characters: list[str]) -> None:
    text = TextMap("".join(characters))
    edges = np.zeros(text.byte_count + 1, dtype=np.bool_)
    edges[[0, *text.grapheme_edges(0, text.byte_count).tolist()]] = True
    with pytest.MonkeyPatch.context() as patch:
        patch_all(patch, graphemes, _PIECE=2, _LONGEST_PIECE=3, STRETCH=3)
        job = GraphemeJob(text)
        while not job.step(0).finished:
            job.step(0.01)
    assert np.asarray(job.edges).tolist() == edges.tolist()


# Characters.


def test_graphemes_code_points_and_scripts() -> None:
    text = f"e\u0301{ASTRONAUT}\r\n"
    text_map = TextMap(text)
    job = GraphemeJob(text_map)
    job.step(1e9)
    graphemes = [(0, 3, "e\u0301"), (3, 14, ASTRONAUT), (14, 16, "‹CR›⏎")]
    assert shown(whole(GraphemeRow(text_map, job.edges), text)) == graphemes
    assert shown(whole(GraphemeRow(text_map, None), text)) == graphemes
    assert [cell.label for cell in whole(CodePointRow(text_map), text)] == [
        "U+0065", "U+0301", "U+1F469", "U+200D", "U+1F680", "U+000D", "U+000A",
    ]  # fmt: skip
    assert shown(whole(ScriptRow(text_map), text))[:3] == [
        (0, 1, "Latin"),
        (1, 3, "Inherited"),
        (3, 7, "Common"),
    ]


@pytest.mark.parametrize(
    ("character", "name"),
    [
        ("क", "letter ka"),
        ("ひ", "letter hi"),
        ("é", "small letter e with acute"),
        ("東", ""),
        ("€", "euro sign"),
        ("a", ""),
    ],
)
def test_names_leave_out_what_the_scripts_say(character: str, name: str) -> None:
    assert [cell.label for cell in whole(NameRow(TextMap(character)), character)] == [name]


def test_a_mark_alone_is_on_a_circle() -> None:
    text_map = TextMap("\u0301")
    assert [cell.label for cell in GraphemeRow(text_map, None).cells(0, 2)] == ["◌\u0301"]


def test_bytes_after_the_first_of_a_character_are_faint() -> None:
    cells = ByteRow(TextMap("é€")).cells(0, 5)
    assert [cell.label for cell in cells] == ["C3", "A9", "E2", "82", "AC"]
    assert [bool(cell.mark & CellMark.FAINT) for cell in cells] == [False, True, False, True, True]


@given(st.text(max_size=20), st.integers(0, 60), st.integers(0, 60))
def test_cells_cover_what_is_asked_for(text: str, a: int, b: int) -> None:
    text_map = TextMap(text)
    start, end = sorted((min(a, text_map.byte_count), min(b, text_map.byte_count)))
    job = GraphemeJob(text_map)
    job.step(1e9)
    rows = (
        GraphemeRow(text_map, job.edges),
        GraphemeRow(text_map, None),
        CodePointRow(text_map),
        NameRow(text_map),
        ScriptRow(text_map),
        ByteRow(text_map),
    )
    for row in rows:
        cells = row.cells(start, end)
        covered = {byte for cell in cells for byte in range(cell.start, cell.end)}
        assert set(range(start, end)) <= covered
        assert all(row.tip(cell) for cell in cells)
        assert all(before.right <= cell.left for before, cell in pairwise(cells))


# Tokens.


def test_tokens_that_cut_characters_and_graphemes_are_marked(byte_tokens: tc.Tokenizer) -> None:
    text = "ae\u0301"
    row = token_row(byte_tokens, text)
    assert [cell.mark for cell in whole(row, text)] == [
        0,
        CellMark.SPLIT_END,
        CellMark.SPLIT_START | CellMark.TORN_END,
        CellMark.TORN_START,
    ]
    assert row.counts == Counts(4, 0, 2, 1, 0)


def test_a_blank_that_is_put_in_is_between_the_bytes(folding: tc.Tokenizer) -> None:
    row = token_row(folding, "ao")
    assert shown(whole(row, "ao")) == [(0, 0, "␣"), (0, 1, "a"), (1, 2, "o")]
    assert row.touching(0, 1) == (0, 2)
    assert row.touching(1, 2) == (2, 3)
    assert "no byte" in row.tip(whole(row, "ao")[0])


def test_what_one_character_became_shares_it(folding: tc.Tokenizer) -> None:
    text = "aﬁo"
    row = token_row(folding, text)
    cells = whole(row, text)
    assert shown(cells)[1:] == [(0, 1, "a"), (1, 2.5, "f"), (2.5, 4, "i"), (4, 5, "o")]
    assert [cell.mark for cell in cells[1:]] == [0, CellMark.TORN_END, CellMark.TORN_START, 0]
    assert (cells[2].start, cells[2].end) == (1, 4)
    assert row.cells(2, 3) == cells[2:4]


def test_byte_fallback_is_marked_and_counted(folding: tc.Tokenizer) -> None:
    row = token_row(folding, "a€")
    cells = whole(row, "a€")[2:]
    assert [cell.label for cell in cells] == ["<0xE2>", "<0x82>", "<0xAC>"]
    assert all(cell.mark & CellMark.FALLBACK for cell in cells)
    assert row.counts == Counts(5, 3, 3, 0, 0)
    assert "Byte fallback" in row.tip(cells[0])


def test_bytes_of_a_byte_level_vocabulary_are_no_fallback(byte_tokens: tc.Tokenizer) -> None:
    assert token_row(byte_tokens, "a€").counts == Counts(4, 0, 3, 0, 0)


def test_unknown_tokens_are_marked_as_lost() -> None:
    words = tc.train("wordpiece", ["low lower lowest"] * 9, vocab_size=40)
    row = token_row(words, "low 日 low")
    cells = whole(row, "low 日 low")
    lost = [cell.label for cell in cells if cell.mark & CellMark.LOST]
    assert lost == ["[UNK]"]
    assert row.counts.lost == 1
    assert any("text is lost" in row.tip(cell) for cell in cells)


def test_blanks_put_round_a_character_take_nothing_of_it(lower: tc.Tokenizer) -> None:
    row = token_row(lower, "日本")
    assert shown(whole(row, "日本")) == [(0, 3, "日"), (3, 6, "本")]
    assert row.counts.torn == 0


@pytest.mark.slow
@given(text=st.text(alphabet="aé€ﬁ😀\u0301 日oi\n", max_size=12))
def test_each_token_is_in_the_cells_of_its_bytes(
    folding: tc.Tokenizer, lower: tc.Tokenizer, byte_tokens: tc.Tokenizer, text: str
) -> None:
    size = len(text.encode())
    for tokenizer in (folding, lower, byte_tokens):
        row = token_row(tokenizer, text)
        cells = whole(row, text)
        assert [cell.index for cell in cells] == list(range(len(row.ids)))
        assert all(a.left <= b.left and a.right <= b.right for a, b in pairwise(cells))
        assert all(cell.start <= cell.left <= cell.right <= cell.end for cell in cells)
        in_parts = [row.cells(at, at + 1) for at in range(size)]
        assert {cell for part in in_parts for cell in part} == (set(cells) if size else set())


# The normalized form.


def normalized(tokenizer: tc.Tokenizer, text: str) -> NormalizedRow:
    return NormalizedRow("name", tokenizer, tokenizer.encode(text), TextMap(text))


def test_lower_case_and_lost_accents(lower: tc.Tokenizer) -> None:
    row = normalized(lower, "HÉa\0")
    cells = whole(row, "HÉa\0")
    assert shown(cells) == [(0, 1, "h"), (1, 3, "e"), (3, 4, "a"), (4, 5, REMOVED)]
    assert [bool(cell.mark & CellMark.CHANGED) for cell in cells] == [True, True, False, True]
    assert row.tip(cells[1]) == "É (C3 89) becomes e (65)"
    assert "takes out" in row.tip(cells[3])


def test_expanded_and_put_in(folding: tc.Tokenizer) -> None:
    row = normalized(folding, "ﬁ a")
    assert shown(whole(row, "ﬁ a")) == [(0, 0, "␣"), (0, 3, "fi"), (3, 4, "␣"), (4, 5, "a")]
    assert "puts ␣ in" in row.tip(whole(row, "ﬁ a")[0])


# Signs.


def test_a_token_is_its_bytes_and_the_tip_has_the_spelling_of_the_file(tmp_path: Path) -> None:
    from tokenarium_core.unicode import byte_alphabet

    vocabulary = {c: n for n, c in enumerate(byte_alphabet.CHARACTERS)}
    vocabulary["Ġt"] = 256
    (tmp_path / "encoder.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    (tmp_path / "vocab.bpe").write_text("#version: 0.2\nĠ t\n", encoding="utf-8")
    tokenizer = tc.open(tmp_path / "encoder.json", pattern="gpt2")
    row = token_row(tokenizer, " t\né")
    cells = whole(row, " t\né")
    assert [cell.label for cell in cells] == ["␣t", "⏎", "<0xC3>", "<0xA9>"]
    assert [cell.short for cell in cells] == ["", "", "C3", "A9"]
    assert ": ␣t, in the file Ġt\n" in row.tip(cells[0])
    (space,) = signs(tokenizer.vocabulary, 256)
    assert space.sentence == "␣ stands for a space."
    note = signs_note(tokenizer.vocabulary, row.ids.tolist())
    assert note == "␣ a space · <0xC3> a byte, part of a character"


def test_marks_of_spaces_bytes_and_affixes(folding: tc.Tokenizer, lower: tc.Tokenizer) -> None:
    row = token_row(folding, "a€")
    assert signs_note(row.tokenizer.vocabulary, row.ids.tolist()) == (
        "␣ a space · <0xE2> a byte, part of a character"
    )
    continuing = lower.encode_ids("hello")[1:]
    assert signs_note(lower.vocabulary, continuing) == "## continues a word"
    assert signs_note(lower.vocabulary, lower.encode_ids("a")) == ""


# Decoding a part.


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", []),
        (b"abc", []),
        (b"a\xe2\x82", [(1, 3)]),
        (b"\x82\xac\xe2", [(0, 1), (1, 2), (2, 3)]),
        (b"\xe2\x82b\x80", [(0, 2), (3, 4)]),
    ],
)
def test_malformed(data: bytes, found: list[tuple[int, int]]) -> None:
    assert malformed(data) == found


@given(st.binary(max_size=12))
def test_each_malformed_stretch_is_one_replacement_character(data: bytes) -> None:
    sign = "\N{REPLACEMENT CHARACTER}"
    decoded = data.decode("utf-8", "replace").count(sign)
    assert len(malformed(data)) == decoded - data.decode("utf-8", "ignore").count(sign)


def test_a_cut_character_is_explained(byte_tokens: tc.Tokenizer) -> None:
    text_map = TextMap("a€b")
    row = token_row(byte_tokens, "a€b")
    head = decode_part(row, text_map, 0, 2)
    assert head.text == "a�"
    assert head.notes == ("� stands for the byte E2: € goes on in the next token.",)
    tail = decode_part(row, text_map, 2, 5)
    assert tail.text == "��b"
    assert tail.notes[0] == "� stands for the byte 82: € begins in the previous token."
    assert decode_part(row, text_map, 1, 4).notes == ()


def test_a_cut_mark_is_named_on_a_circle(byte_tokens: tc.Tokenizer) -> None:
    part = decode_part(token_row(byte_tokens, "e\u0301"), TextMap("e\u0301"), 0, 2)
    assert part.notes == ("� stands for the byte CC: ◌\u0301 goes on in the next token.",)


def test_what_a_normalizer_lost_is_reported(lower: tc.Tokenizer, folding: tc.Tokenizer) -> None:
    assert decode_part(token_row(lower, "a x a"), TextMap("a x a"), 0, 2).notes == (
        "The text has a␣x: the unknown token keeps nothing of what it stands for.",
    )
    part = decode_part(token_row(folding, "a€"), TextMap("a€"), 1, 3)
    assert part.text.startswith("a\N{REPLACEMENT CHARACTER}")
    assert part.notes == ("€ goes on in the next token: each of its bytes gives �.",)


# The pipeline.


def contents(tokenizer: tc.Tokenizer, text: str, start: int, end: int) -> list[str]:
    made = stages(tokenizer, tokenizer.encode(text), TextMap(text), start, end)
    return [f"{stage.name}: {stage.content}" for stage in made]


def test_stages_of_bytes(byte_tokens: tc.Tokenizer) -> None:
    ids = byte_tokens.encode_ids(" b")
    found = contents(byte_tokens, "a b", 1, 3)
    assert found[0] == "Raw: ␣b"
    assert found[1] == f"Normalized: {UNCHANGED}"
    assert found[2].endswith("“␣b”")
    assert found[4] == f"Ids: {ids[0]}, {ids[1]}"


def test_stages_of_a_normalized_word(lower: tc.Tokenizer) -> None:
    assert contents(lower, "a Hello", 3, 4) == [
        "Raw: e",
        f"Added: {UNCHANGED}",
        f"Normalized: {UNCHANGED}",
        "Pre-token: word “hello”",
        "Piece: he",
        "Ids: 5",
    ]
    assert contents(lower, "a Hello", 2, 3)[2] == "Normalized: h"


def test_stages_without_pre_tokens(folding: tc.Tokenizer) -> None:
    found = contents(folding, "aﬁ", 0, 4)
    assert found[1] == "Normalized: ␣afi"
    assert found[2] == f"Pre-token: {UNCHANGED}"
    assert found[3] == "Pieces: ␣ | a | f | i"
    assert contents(folding, "aﬁ", 2, 3)[3] == "Pieces: f | i"


@given(text=st.text(max_size=10), a=st.integers(0, 40), b=st.integers(0, 40))
def test_stages_of_anything(
    folding: tc.Tokenizer, lower: tc.Tokenizer, text: str, a: int, b: int
) -> None:
    size = len(text.encode("utf-8", "surrogatepass"))
    start, end = sorted((min(a, size), min(b, size)))
    for tokenizer in (folding, lower):
        found = contents(tokenizer, text, start, end)
        assert len(found) == 5 + (len(tokenizer.added_tokens.tokens) > 0)


@pytest.mark.parametrize("text", ["a" + "\u0301" * 300, "日本" * 9 + "\u0301" * 40])
def test_every_part_of_a_text_has_normalized_cells(lower: tc.Tokenizer, text: str) -> None:
    """Also one that ends within the form of a character, or of which nothing is left."""
    text_map = TextMap(text)
    row = NormalizedRow("lower", lower, lower.encode(text), text_map)
    for start in range(0, text_map.byte_count, 16):
        end = min(start + 16, text_map.byte_count)
        cells = row.cells(start, end)
        assert cells
        assert all(cell.left < end and cell.right > start for cell in cells if not cell.empty)
