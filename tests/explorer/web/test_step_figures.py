"""Figures that are played step by step: at each step a page shows what the trace has there, for every kind of model."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable
from html import unescape

import pytest
from browser import Browser, violations
from played_models import bpe, unigram, wordpiece
from small_vocabularies import of_pieces
from stepped_pages import SHOWN, parts_of, texts_at

import tokenarium_core as tc
from tokenarium.models.merges import narration
from tokenarium.models.merges.canvas_places import seen_nodes
from tokenarium.models.merges.greedy_windows import GreedyScenes
from tokenarium.models.merges.lattice_layout import number_text
from tokenarium.models.merges.lattice_paths import LatticePaths
from tokenarium.models.merges.merge_scene import MergeScenes
from tokenarium.models.merges.playback import NO_PIECE
from tokenarium.models.merges.prefix_play import own_tokenizer, plays, walk_parts
from tokenarium.models.merges.run import TraceRun
from tokenarium.models.text.piece import in_tile, readable
from tokenarium.resources.samples_index import load_samples
from tokenarium.resources.shipped_tokenizers import shipped_path
from tokenarium.web.page import Figure, page
from tokenarium.web.prefix_figure import prefix_figure
from tokenarium.web.step_scenes import run_figure
from tokenarium_core.trace import EDGE, SPECIAL, UNMERGE
from tokenarium_core.training import make_trainer

WORDS = "the other then there, this that thing: the weather there. low lower lowest newer wider "


@functools.cache
def trained(algorithm: str, size: int) -> tc.Tokenizer:
    trainer = make_trainer(algorithm, [WORDS * 6], vocab_size=size)
    trainer.run()
    return trainer.tokenizer(algorithm)


@functools.cache
def shipped(name: str) -> tc.Tokenizer:
    return tc.open(shipped_path(name))


Opened = Callable[..., Browser]

MERGING: dict[str, Callable[[], tc.Tokenizer]] = {
    "bytes": lambda: of_pieces([b"lo", b"low", b" lo", b" low", b"er", b"lower", "é".encode()]),
    "characters": bpe,
    "characters, unknown": lambda: bpe(False),
    "picky": lambda: trained("picky-bpe", 300),
    "boundless": lambda: trained("boundless-bpe", 300),
    "superwords": lambda: shipped("superbpe-8k"),
}
TEXTS = (
    "lower the weather<mask>",
    "café 日本 🎉",
    "السلام عليكم",
    "ज़िन्दगी",
    "a\0b<b>\"'&\u202e\u2028",
    "a" + "\u0301" * 40,
)


def run_of(tokenizer: tc.Tokenizer, text: str) -> TraceRun:
    utf8 = text.encode()
    return TraceRun(tokenizer, utf8, 0, len(utf8))


def figure_of(run: TraceRun, step: int = 0) -> Figure:
    return run_figure(run, "T", "about", step)


def said(figure: Figure) -> list[list[str]]:
    """The sentence and the figures of each step."""
    assert isinstance(figure.data, dict)
    (listed,) = re.findall(r'<ol start="0">(.*?)</ol>', figure.html)
    sentences = map(unescape, re.findall("<li>(.*?)</li>", listed))
    return list(map(list, zip(sentences, figure.data["figures"], strict=True)))


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("model", MERGING)
def test_merges_are_those_of_the_trace(model: str, text: str) -> None:
    run = run_of(MERGING[model](), text)
    figure = figure_of(run)
    tiles, ranks = parts_of(figure, "symbol"), parts_of(figure, "rank")
    nodes = parts_of(figure, "node")
    scenes = MergeScenes(run)
    for step in range(len(run) + 1):
        run.go_to(step)
        symbols = [symbol for word in run.symbols() for symbol in word]
        wanted = [in_tile(readable(run.data[symbol.start : symbol.end])) for symbol in symbols]
        ids = ["" if symbol.id == NO_PIECE else str(symbol.id) for symbol in symbols]
        found = [part for part in tiles if part.seen(step)]
        assert sorted(part.texts[0] for part in found) == sorted(wanted)
        for part in found:  # an id without room is left out
            assert len(part.texts) == 1 or part.texts[1] in ids
        loose = sum("loose" in part.classes + part.look(step) for part in found)
        assert loose == ids.count("")
        labels = [[pair.label] for pair in scenes.scene().pairs]
        assert sorted(texts_at(ranks, step)) == sorted(labels)
        best = [part for part in ranks if part.seen(step) and "best" in part.classes]
        assert len(best) == sum(pair.winner for pair in scenes.scene().pairs)
        ends = {symbol.start: symbol.end for symbol in symbols}
        below = [
            [scenes.node_label(growth.nodes[number])]
            for growth, count in zip(scenes.growths, scenes.counts(), strict=True)
            for number, _ in seen_nodes(growth, count, ends.get)
        ]
        assert sorted(texts_at(nodes, step)) == sorted(below)
        assert said(figure)[step] == [narration.next_step(run), narration.count(run)]
    assert len(said(figure)) == len(run) + 1


def test_symbols_of_picky_bpe_come_apart_on_a_page_too() -> None:
    """So that the case above is about more than merges."""
    run = run_of(MERGING["picky"](), WORDS)
    assert any(step.kind == UNMERGE for step in run.playback.steps)


@pytest.mark.parametrize("fallback", [True, False])
@pytest.mark.parametrize("text", TEXTS[:5])
def test_a_lattice_is_searched_as_in_the_trace(text: str, fallback: bool) -> None:
    run = run_of(unigram(fallback), text)
    figure = figure_of(run)
    paths = LatticePaths(run)
    pieces = [part for part in parts_of(figure, "piece") if part.texts]
    sums, frontiers = parts_of(figure, "sum"), parts_of(figure, "frontier")
    assert len(pieces) == len(paths.edges)
    for step in range(len(run) + 1):
        run.go_to(step)
        coming = run.next_step
        searches = coming is not None and coming.kind in (EDGE, SPECIAL)
        best_sums = paths.sums(coming.start if coming is not None and searches else paths.end)
        assert sorted(texts_at(sums, step)) == sorted(
            [number_text(total)] for total, _ in best_sums.values()
        )
        leading = {number for _, number in best_sums.values() if number >= 0}
        for number, part in enumerate(pieces):
            done = coming is None
            assert ("best" in part.look(step)) == (done and number in paths.best.edges)
            assert ("leading" in part.look(step)) == (not done and number in leading)
        assert sum(part.seen(step) for part in frontiers) == (coming is not None)
        assert said(figure)[step][0] == narration.next_edges(run, paths, best_sums)


@pytest.mark.parametrize("text", ["unaffable! aff", "unaffxyz aff", "नम naïve", "<b>un"])
def test_windows_are_those_of_the_trace(text: str) -> None:
    run = run_of(wordpiece(), text)
    figure = figure_of(run)
    tokens, windows = parts_of(figure, "token"), parts_of(figure, "window")
    answers = parts_of(figure, "answer")
    scenes = GreedyScenes(run)
    for step in range(len(run) + 1):
        run.go_to(step)
        tiles = [
            [tile.text, *([tile.note] if tile.note else [])]
            for word in scenes.tiles()
            for tile in word
        ]
        assert texts_at(tokens, step) == tiles
        scene = scenes.scene()
        coming = [scene.coming] if scene.coming is not None else []
        assert texts_at(windows, step) == [[one.text] for one in [*scene.windows, *coming]]
        assert texts_at(answers, step) == [[one.answer] for one in scene.windows]
        matched = [one.matched for one in scene.windows]
        looks = [part.look(step) for part in windows if part.seen(step)]
        assert ["found" in look for look in looks] == matched + [False] * len(coming)
        assert ["coming" in look for look in looks] == [False] * len(matched) + [True] * len(coming)


@pytest.mark.parametrize(
    ("strings", "text"),
    [(["ab", "abcd"], "babd abcd"), (["ひ", "ひらがな"], "ひらひらがな"), (["<b>", "&"], "a<b>&")],
)
def test_a_walk_is_that_of_the_core(strings: list[str], text: str) -> None:
    utf8 = text.encode()
    play = plays(own_tokenizer(strings), utf8, 0, len(utf8), "none")[0]
    figure = prefix_figure(play, "T", "about", 0)
    cells = [part for part in parts_of(figure, "cell", "token") if part.texts]
    states, edges = parts_of(figure, "state"), parts_of(figure, "edge")
    for step in range(len(play) + 1):
        moment = play.moment(step)
        wanted = [
            [readable(play.data[start:end]), *([str(token)] if token >= 0 else [])]
            for start, end, token, _ in walk_parts(play, moment)
        ]
        assert texts_at(cells, step) == wanted
        read = [part for part in cells if part.seen(step) and "read" in part.look(step)]
        assert bool(read) == (moment.place is not None)
        path = [part.texts for part in states if part.seen(step)]
        assert len(path) == 1 + len(moment.read)
        assert all(
            ("×" if one.state < 0 else f"{one.state:,}") in texts
            for one, texts in zip(moment.read, path[1:], strict=True)
        )
        there = play.trie.edges(moment.state) if moment.state >= 0 else ()
        assert len(texts_at(edges, step)) == len(there)


@pytest.mark.parametrize("model", MERGING)
def test_the_still_form_is_the_step_that_is_asked_for(model: str) -> None:
    """Without a script, there is what is seen at the step, in its colours, and all sentences are in a list."""
    run = run_of(MERGING[model](), "lower low é the weather there")
    for step in (0, 2, 99):
        figure = figure_of(run, step)
        run.go_to(min(step, len(run)))
        written = re.findall(
            r'<g class="symbol ([^"]*)"[^>]*>.*?<text[^>]*>(.*?)</text>', figure.html
        )
        found = [(look.removesuffix(" made").split()[-1], text) for look, text in written]
        assert found == coloured(MergeScenes(run))
        ranks = sum(part.seen(run.position) for part in parts_of(figure, "rank"))
        assert figure.html.count('<g class="rank') == ranks
        assert figure.html.count("<li>") == len(run) + 1


def coloured(scenes: MergeScenes) -> list[tuple[str, str]]:
    """Returns the class of the colour of each tile, and its text."""
    return [(f"s{tile.colour}", tile.text) for word in scenes.scene().words for tile in word]


def test_nothing_of_a_text_is_markup() -> None:
    for tokenizer in (MERGING["characters"](), unigram(), wordpiece()):
        html = figure_of(run_of(tokenizer, '<b onclick="x">&amp;</b><script>')).html
        assert "<script" not in html
        assert "onclick=" not in html.replace("&quot;", '"').replace('onclick="', "")
        assert "<b onclick" not in html


# In a browser.


PLAYED: dict[str, tuple[Callable[[], tc.Tokenizer], str, str]] = {
    "merges": (MERGING["bytes"], "lower café low", ".symbol"),
    "picky": (MERGING["picky"], "the weather there", ".symbol"),
    "arabic": (lambda: shipped("bpe-gpt2-8k"), "السلام عليكم", ".symbol"),
    "markup": (
        lambda: of_pieces([b"<b", b"<b>", b"&l", b"&lt", b"&lt;", b'="']),
        '<b>&lt;<b onclick="x">',
        ".symbol",
    ),
    "lattice": (unigram, "the weather", ".sum"),
    "windows": (wordpiece, "unaffable aff", ".token"),
}


COLOURS = "[...document.querySelectorAll('.symbol:not(.off)')].map(one => one.getAttribute('class').match(/s\\d+/)[0])"


@pytest.mark.slow
@pytest.mark.parametrize("case", PLAYED)
def test_the_browser_shows_the_states_of_all_steps(opened: Opened, case: str) -> None:
    tokenizer, text, selector = PLAYED[case]
    run = run_of(tokenizer(), text)
    figure = figure_of(run)
    one = opened(page("T", [figure]), prefers_reduced_motion="reduce")
    parts = parts_of(figure, selector[1:])
    shown = SHOWN.replace("SELECTOR", repr(selector))
    scenes = MergeScenes(run) if selector == ".symbol" else None
    one.value("document.querySelector('.stage').focus()")
    for step in [*range(len(run) + 1), *range(len(run) - 1, -1, -1)]:
        assert one.value(shown) == texts_at(parts, step)
        if scenes is not None:
            run.go_to(step)
            assert one.value(COLOURS) == [colour for colour, _ in coloured(scenes)]
        assert one.value("document.querySelector('.said').textContent") == said(figure)[step][0]
        forwards = step < len(run) and one.value("!window.back")
        if step == len(run):
            one.value("window.back = true")
        one.press("ArrowRight" if forwards else "ArrowLeft")


@pytest.mark.slow
def test_keys_buttons_and_slider_go_to_steps(opened: Opened) -> None:
    run = run_of(MERGING["bytes"](), "lower low lower")
    last = len(run)
    figure = figure_of(run, 2)
    group = figure._replace(data={**dict(figure.data), "group": "g"})  # type: ignore[call-overload]
    one = opened(page("T", [group, group]))
    counts = "[...document.querySelectorAll('.player output')].map(one => one.textContent)"

    def both(step: int) -> list[str]:
        return [f"{step} / {last}"] * 2

    assert one.value(counts) == both(2)
    one.value("document.querySelector('.stage').focus()")
    for key, step in (
        ("End", last),
        ("Home", 0),
        ("ArrowRight", 1),
        ("ArrowLeft", 0),
        ("ArrowLeft", 0),
    ):
        one.press(key)
        assert one.value(counts) == both(step)  # the second figure is in step with the first
    one.value("document.querySelector('[aria-label=\"Step forward\"]').click()")
    assert one.value(counts) == both(1)
    slide = "s = document.querySelector('input[type=range]'), s.value = 3, s.dispatchEvent(new Event('input'))"
    one.value(f"(() => {{ let s; {slide}; }})()")
    assert one.value(counts) == both(3)
    live = "document.querySelector('.said').getAttribute('aria-live')"
    playing = "document.querySelector('.player .main').textContent"
    assert one.value(playing) == "Play"
    one.press(" ")
    assert (one.value(playing), one.value(live)) == ("Pause", "off")
    one.press(" ")
    assert (one.value(playing), one.value(live)) == ("Play", None)


@pytest.mark.slow
def test_parts_only_fade_in_if_motion_is_wanted(opened: Opened) -> None:
    html = page("T", [figure_of(run_of(MERGING["bytes"](), "lower"))])
    for wanted, count in (("no-preference", True), ("reduce", False)):
        one = opened(html, prefers_reduced_motion=wanted)
        one.value("document.querySelector('.stage').focus()")
        one.press("ArrowRight")
        assert bool(one.value("document.querySelectorAll('.new').length")) == count
        assert bool(one.value("document.getAnimations().length")) == count


@pytest.mark.slow
def test_a_printed_page_has_all_steps_and_no_buttons(opened: Opened) -> None:
    one = opened(page("T", [figure_of(run_of(wordpiece(), "unaffable aff"))]))
    one.value("dispatchEvent(new Event('beforeprint'))")
    one.show_as_printed()
    shown = "(one => one.checkVisibility() && one.getBoundingClientRect().height > 0)(document.querySelector(SELECTOR))"
    assert not one.value(shown.replace("SELECTOR", "'.player'"))
    assert one.value(shown.replace("SELECTOR", "'.listed li:last-child'"))
    one.value("dispatchEvent(new Event('afterprint'))")
    assert not one.value("document.querySelector('.listed').open")
    assert one.value(
        "document.querySelector('.stage').scrollHeight <= document.querySelector('.stage').clientHeight"
    )


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("case", PLAYED)
def test_everybody_can_use_them(opened: Opened, case: str, scheme: str) -> None:
    tokenizer, text, _ = PLAYED[case]
    run = run_of(tokenizer(), text)
    html = page("T", [figure_of(run, len(run) // 2)])
    assert violations(opened(html, prefers_color_scheme=scheme)) == []


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_use_a_walk(opened: Opened, scheme: str) -> None:
    play = plays(own_tokenizer(["ab", "abcd"]), b"babd abcd", 0, 9, "none")[0]
    html = page("T", [prefix_figure(play, "T", "about", 4)])
    assert violations(opened(html, prefers_color_scheme=scheme)) == []


def test_pages_without_a_player_do_not_carry_it() -> None:
    assert "steps-new" not in page("T", [Figure("<p>text</p>")])
    assert "steps-new" in page("T", [figure_of(run_of(wordpiece(), "aff"))])


LONG: dict[str, tuple[Callable[[], tc.Tokenizer], str, str]] = {
    "merges": (
        lambda: shipped("bpe-gpt2-8k"),
        "internationalization of libraries",
        ".frame:not(.off)",
    ),
    "lattice": (lambda: shipped("unigram-8k"), "internationalization", ".frontier:not(.off)"),
    "windows": (lambda: shipped("wordpiece-8k"), "internationalizations", ".coming"),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", LONG)
def test_a_drawing_without_room_scrolls_to_what_happens(opened: Opened, case: str) -> None:
    tokenizer, text, selector = LONG[case]
    run = run_of(tokenizer(), text)
    one = opened(page("T", [figure_of(run)]), 500, 800)
    one.value("document.querySelector('.stage').focus()")
    inside = (
        "(() => { const stage = document.querySelector('.stage').getBoundingClientRect(),"
        f" here = document.querySelector('{selector}')?.getBoundingClientRect();"
        " return !here || here.right > stage.left && here.left < stage.right"
        " && here.bottom > stage.top && here.top < stage.bottom; })()"
    )
    for _ in range(len(run)):
        assert one.value(inside)
        one.press("ArrowRight")
        if case == "windows":  # the tokens so far stay where they are seen
            assert one.value(
                "document.querySelector('.tokens').getBoundingClientRect().left"
                " === document.querySelector('.stage').getBoundingClientRect().left"
            )
    assert one.value("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
def test_many_tokens_leave_room_for_the_windows(opened: Opened) -> None:
    """They scroll to the word that comes next."""
    run = run_of(shipped("wordpiece-8k"), "the weather is low and lower " * 30)
    one = opened(page("T", [figure_of(run, len(run) // 2)]), 500, 800)
    coming, tokens, stage, kept, loose = (
        one.value(f"document.querySelector('{what}').getBoundingClientRect().toJSON()")
        for what in (".coming", ".tokens", ".stage", ".kept", ".loose:not(.off)")
    )
    assert kept["bottom"] <= coming["top"] + 1 < coming["bottom"] <= stage["bottom"]
    assert tokens["top"] <= loose["top"] < loose["bottom"] <= tokens["bottom"]


@pytest.mark.slow
@pytest.mark.parametrize("tokenizer", ["superbpe-8k", "unigram-8k"])
def test_a_page_of_a_thousand_bytes_is_not_large(tokenizer: str) -> None:
    """What is seen at first is markup, everything else a few numbers for each part."""
    text = next(one for one in load_samples() if one.id == "prose-en").text()[:1000]
    figure = figure_of(run_of(shipped(tokenizer), text))
    written = page("T", [figure])
    assert len(written) < 1_350_000
    assert isinstance(figure.data, dict)
    assert len(json.dumps(figure.data)) < 450_000
