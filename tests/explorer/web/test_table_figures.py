"""Figures of vocabularies, sizes, languages, streams and ids: their values are those of the models that the window shows."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from html import unescape

import pytest
from browser import Browser, check_readable
from shown_scenes import FOUR, shipped, shown_scene

from tokenarium.models.compare.metrics import figures_of
from tokenarium.models.compare.parallel_texts import shipped as shipped_languages
from tokenarium.models.compare.tally import measured, tally
from tokenarium.models.diagnosis.diagnosing import EXAMINATIONS, examined
from tokenarium.models.diagnosis.diagnosis import FAULTS, Level
from tokenarium.models.merges.size_cuts import SizeCuts
from tokenarium.models.text.byte_table import byte_rows
from tokenarium.models.text.piece import readable
from tokenarium.models.vocabulary.vocabulary_search import matching_entries, vocabulary_columns
from tokenarium.web.scene_pages import FIGURES, page_of_shown
from tokenarium.web.shown_scene import ShownScene
from tokenarium_core import TokenariumError

TEXT = "Tokenization of words: 1234 歪"

PAGES: dict[str, dict[str, object]] = {
    "tokens.stream": {},
    "bytes.decode": {"ids": "[300, 400, 230]"},
    "bytes.alphabet": {},
    "vocabulary.entries": {},
    "vocabulary.diagnostics": {},
    "scripts.vocabulary": {},
    "compare.overview": {},
    "merges.sizes": {},
    "train.sizes": {},
}
"""Pages with settings that give them something to show."""


def scene_of(page: str, text: str = TEXT, **settings: object) -> ShownScene:
    """A text with four tokenizers on a page."""
    workspace, _, name = page.partition(".")
    pages = {page: {**PAGES.get(page, {}), **settings}}
    return shown_scene(text, workspace=workspace, page=name, pages=pages)


def rows_of(page: str, text: str = TEXT, **settings: object) -> list[list[str]]:
    """The texts of the cells of the first table of a page, row by row."""
    html = FIGURES[page][1](scene_of(page, text, **settings))[-1].html
    body = re.search(r"<tbody>(.*?)</tbody>", html, re.DOTALL)
    assert body is not None
    return [
        [unescape(re.sub("<[^>]*>", "", cell)).strip() for cell in re.findall(r"<t[dh]\b.*?</t[dh]>", row)]
        for row in re.findall(r"<tr.*?</tr>", body[1], re.DOTALL)
    ]  # fmt: skip


def test_entries_are_those_that_the_filter_finds_in_the_order_of_the_scene() -> None:
    columns = vocabulary_columns(shipped(FOUR[0]))
    every = [int(row[0]) for row in rows_of("vocabulary.entries")]
    assert every == list(range(40))
    found = rows_of("vocabulary.entries", filter="script:greek", sorted=["Length", True])
    ids = matching_entries(columns, "script:greek", "length", True).tolist()
    assert [int(row[0]) for row in found] == ids[:40]
    assert [row[6] for row in found] == ["Greek"] * 40
    html = page_of_shown(scene_of("vocabulary.entries", filter="script:greek"))
    assert f"{len(ids):,} entries of 8,000 match “script:greek”; 40 are listed." in html


def test_the_chosen_entry_is_marked_among_its_neighbours() -> None:
    html = page_of_shown(scene_of("vocabulary.entries", entry=4_000))
    assert re.findall(r"<tr class=picked><td[^>]*>(\d+)", html) == ["4000"]
    assert rows_of("vocabulary.entries", entry=7_999)[-1][0] == "7999"
    assert "class=picked" not in page_of_shown(scene_of("vocabulary.entries"))


def test_a_filter_that_cannot_be_read_is_refused_in_a_sentence() -> None:
    with pytest.raises(TokenariumError):
        page_of_shown(scene_of("vocabulary.entries", filter="script:nosuch"))


def test_diagnostics_have_the_worst_finding_first_and_name_no_level_that_was_not_found() -> None:
    found = [examined(one, shipped(FOUR[0])) for one in EXAMINATIONS]
    rows = rows_of("vocabulary.diagnostics")
    levels = [row[0] for row in rows]
    order = [level.words for level in (*FAULTS, Level.FINE)]
    assert levels == sorted(levels, key=order.index)
    assert {row[1] for row in rows} == {
        one.title + one.sentence for one in found if one.level is not Level.UNKNOWN
    }


def test_scripts_are_bars_of_shares() -> None:
    rows = rows_of("scripts.vocabulary")
    assert rows[0][0] == "Latin"
    assert re.fullmatch(r"[\d,]+ entries, [\d.]+% of the vocabulary", rows[0][-1])
    assert [row[-3] for row in rows[:4]] == ["Tokenarium 8k", "BPE 8k, GPT-2 cuts", "Unigram 8k", "WordPiece 8k"]  # fmt: skip


def test_the_byte_table_has_all_characters_and_marks_those_that_map_to_another() -> None:
    html = page_of_shown(scene_of("bytes.alphabet"))
    found = re.findall(r"<td>(<mark>)?<bdi>(.*?)</bdi>", html)
    assert [bool(mark) for mark, _ in found] == [not row.itself for row in byte_rows()]
    assert [unescape(sign) for _, sign in found] == [
        readable(row.character.encode()) for row in byte_rows()
    ]
    assert (found[0xE9][1], found[0x20][1]) == ("é", "Ġ")


def test_the_overview_sorts_by_tokens_and_has_the_figures_of_the_text() -> None:
    rows = rows_of("compare.overview")
    document = measured(TEXT)
    found = sorted(figures_of(tally(shipped(one), document)).value("tokens") or 0 for one in FOUR)
    assert [int(row[1].removeprefix("? ")) for row in rows] == found


@pytest.mark.parametrize("settings", [{"text": ""}, {"begin_at": "languages"}])
def test_the_overview_is_about_languages_without_a_text_or_if_the_scene_begins_there(
    settings: dict[str, str],
) -> None:
    rows = rows_of("compare.overview", **settings)
    names = [row[0] for row in rows[::4]]
    every = {text.title for text in shipped_languages()}
    assert set(names) <= every
    assert len(names) == 12
    assert float(rows[0][-1].removeprefix("? ")) > 1


def test_the_overview_has_both_if_the_scene_is_scrolled() -> None:
    html = page_of_shown(scene_of("compare.overview", scroll=300))
    assert "Words in one token" in html
    assert "The same content in" in html


def test_sizes_are_rows_of_the_text_and_points_of_a_curve() -> None:
    shown = scene_of("merges.sizes", size=1_000)
    text, curves = FIGURES["merges.sizes"][1](shown)
    job = shipped(FOUR[0]).nested_cuts(TEXT)
    while not job.step(100).finished:
        pass
    cuts = SizeCuts(job)
    found = re.findall(r"<b>([\d,]+) entries</b>.*?class=\"count\"><b>([\d,]+)</b>", text.html)
    sizes = [int(size.replace(",", "")) for size, _ in found]
    assert sizes[0] == 1_000
    assert len(sizes) == 5
    assert [int(count) for _, count in found] == [cuts.count(cuts.number(size)) for size in sizes]
    assert "Without merges: Unigram 8k, WordPiece 8k." in curves.html
    assert curves.html.count('class="curve ') == 2


def test_what_a_size_costs_is_worked_out_for_the_model_of_the_scene() -> None:
    plain = rows_of("train.sizes")
    assert [row[0] for row in plain] == ["Tokenarium 8k", "BPE 8k, GPT-2 cuts", "Unigram 8k", "WordPiece 8k"]  # fmt: skip
    assert {row[3] for row in plain} == {f"{2 * 768 * 8_000 / 1e6:.2f}"}
    settings = {"width": "1024", "tied": True, "model": "120M", "multiple": "to 128"}
    rows = rows_of("train.sizes", **settings)
    assert {row[2] for row in rows} == {"8,064"}
    assert {row[3] for row in rows} == {f"{1024 * 8_064 / 1e6:.2f}"}
    assert {row[4] for row in rows} == {"6.9%"}
    with pytest.raises(TokenariumError):
        page_of_shown(scene_of("train.sizes", width="many"))


def test_a_page_of_sizes_needs_merges() -> None:
    shown = shown_scene(TEXT, ("unigram-8k",), workspace="merges", page="sizes")
    with pytest.raises(TokenariumError, match="None of these tokenizers has merges"):
        page_of_shown(shown)


def test_a_stream_has_a_row_for_each_token() -> None:
    rows = rows_of("tokens.stream")
    ids = shipped(FOUR[0]).encode_ids(TEXT)
    assert [int(row[1]) for row in rows] == ids
    assert [row[3] for row in rows[-3:]] == ["", "", "歪"]
    assert "could change" in page_of_shown(scene_of("tokens.stream"))


def test_ids_are_decoded_by_each_tokenizer() -> None:
    rows = rows_of("bytes.decode", ids="[300, 400]")
    assert [row[1] for row in rows] == [shipped(one).decode([300, 400]).strip() for one in FOUR]
    with pytest.raises(TokenariumError, match="There is nothing to decode"):
        page_of_shown(scene_of("bytes.decode", ids="none"))


@pytest.mark.parametrize("page", PAGES)
def test_without_a_tokenizer_there_is_no_page(page: str) -> None:
    workspace, _, name = page.partition(".")
    shown = shown_scene(TEXT, (), workspace=workspace, page=name, pages={page: PAGES[page]})
    if page == "bytes.alphabet":
        assert "256 bytes" in page_of_shown(shown)
    else:
        with pytest.raises(TokenariumError, match="There is nothing to ask"):
            page_of_shown(shown)


WRONG = ([["Id"], {}], {"a": []}, -1, True, 10**30, "\ud800", [None, None], None, 1.5)
"""Values that no page keeps."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [*PAGES, "tokens.covering", "compare.mingram", "compare.text_sizes"]
)
def test_wrong_settings_of_a_scene_are_left_out_or_refused(page: str) -> None:
    names = ["sorted", "filter", "entry", "ids", "scale", "reference", "begin_at", "scroll", "size", "width", "budget",
             "model", "tied", "multiple", "stops", "place", "entries", "overshoot", "texts_out"]  # fmt: skip
    for wrong in WRONG:
        with suppress(TokenariumError):
            assert page_of_shown(scene_of(page, "one 歪", **dict.fromkeys(names, wrong)))


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_everybody_can_read_these_figures(opened: Callable[..., Browser], page: str) -> None:
    check_readable(opened, page_of_shown(scene_of(page)))
