"""Figures of notebooks in a real browser: live ones play in a frame that cannot reach the notebook, still ones are read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Browser, axe_script, browser, each_browser
from small_vocabularies import LOWER

from tokenarium import notebook

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=each_browser())
def opened(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Browser]:
    """Each browser for all tests here."""
    with browser(tmp_path_factory.mktemp("browser"), request.param) as one:
        yield one


def cell(path: Path, *html: str) -> Path:
    """Returns a page with the output of cells, as a notebook has it."""
    outputs = "".join(f'<div class="output">{one}</div>' for one in html)
    path.write_text(
        '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Notebook</title>'
        f"<script>var secret = 1</script><main><h1>Notebook</h1>{outputs}</main>",
        "utf-8",
    )
    return path


def test_a_live_figure_is_played_in_its_frame(opened: Browser, tmp_path: Path) -> None:
    opened.errors.clear()
    opened.open(
        cell(tmp_path / "cell.html", notebook.play("lower", LOWER).html),
        900,
        760,
        prefers_reduced_motion="reduce",
    )
    assert opened.value("document.querySelector('iframe').contentDocument") is None
    assert opened.value("document.querySelector('iframe').sandbox.value") == "allow-scripts"
    opened.value("document.querySelector('iframe').focus()")
    opened.press("Tab", "Tab")  # to the colours, and to the tiles
    pictures = []
    for key in ("", "ArrowRight", "ArrowRight"):
        opened.press(*[key] * bool(key))
        opened.value("new Promise(done => setTimeout(done, 800))")
        opened.picture(tmp_path / "step.png")
        pictures.append((tmp_path / "step.png").read_bytes())
    assert len(set(pictures)) == 3
    assert opened.errors == []


def test_the_whole_figure_fits_its_frame(opened: Browser, tmp_path: Path) -> None:
    for figure in (notebook.show("lower low\nlow", LOWER, "unigram-8k"), notebook.play("lower", LOWER)):  # fmt: skip
        page = tmp_path / "page.html"
        figure.save(page)
        opened.open(page, 900, 300)
        height = int(opened.value("document.documentElement.scrollHeight"))
        frame = figure.html.partition('height="')[2].partition('"')[0]
        assert height - 60 <= int(frame) <= height + 220


def test_still_figures_are_read_by_everybody(opened: Browser, tmp_path: Path) -> None:
    forms = [
        notebook.show("lower <b>\nשלום low", LOWER, "unigram-8k").still,
        notebook.play("lower", LOWER).still,
        notebook.trace("lower", LOWER).still,
        notebook.pretokens("lower low", LOWER).still,
        notebook.bytes("né", LOWER).still,
        notebook.why("lowest", LOWER).still,
        notebook.compare("lower", LOWER).still,
        notebook.train(["low lower"] * 5, 260).still,
        LOWER.encode("low lower")._repr_html_(),
        LOWER._repr_html_(),
        LOWER.vocabulary._repr_html_(),
    ]
    opened.errors.clear()
    opened.open(cell(tmp_path / "still.html", *forms), 900, 1800)
    opened.value(axe_script() + ";0")
    found = opened.value(
        "axe.run().then(found => found.violations.map(one => one.id + ': ' + one.nodes[0].html))"
    )
    assert found == []
    assert opened.errors == []
