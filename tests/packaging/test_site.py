"""The site of the documentation works from a disk, with no network: its links, what it loads, and its search."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from browser import browser, needs, wait_until
from mkdocs.commands.build import build
from mkdocs.config import load_config

from project import ROOT
from site_links import broken_links

PAGES = {
    "index.md": "# First\n\n[Another](other.md#place) and [the web](https://example.org/).\n",
    "other.md": "# Second\n\n## Place\n\nThe word marsupial.\n",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of two pages, built with the settings of the documentation."""
    folder = tmp_path_factory.mktemp("site")
    pages = folder / "docs"
    (pages / "javascripts").mkdir(parents=True)
    for script in (ROOT / "docs" / "javascripts").iterdir():
        (pages / "javascripts" / script.name).write_bytes(script.read_bytes())
    for name, text in PAGES.items():
        (pages / name).write_text(text)
    settings: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    # The description of the API takes as long as all the rest.
    plugins = [one for one in settings["plugins"] if one in ("search", "offline")]
    with (folder / "mkdocs.yml").open("w") as file:
        yaml.safe_dump(settings | {"nav": list(PAGES), "hooks": [], "plugins": plugins}, file)
    built = folder / "built"
    build(load_config(str(folder / "mkdocs.yml"), docs_dir=str(pages), site_dir=str(built)))
    return built


def test_all_links_lead_to_files(site: Path) -> None:
    assert {page.name for page in site.glob("*.html")} == {"index.html", "other.html", "404.html"}
    assert broken_links(site) == []


@pytest.mark.parametrize(
    ("html", "said"),
    [
        ('<a href="other/">', "page.html links to other/, which is no file."),
        ('<a href=".">', "page.html links to ., which is no file."),
        ('<iframe src="gone.html">', "page.html links to gone.html, which is no file."),
        ('<a href="gone.html#a">', "page.html links to gone.html#a, which is no file."),
        ('<script src="https://a.org/a.js">', "page.html loads https://a.org/a.js from the web."),
        ('<link rel="stylesheet" href="//a.org/a">', "page.html loads //a.org/a from the web."),
        ('<a href="https://a.org/"><a href="#here"><a href="deep/a%20b.html?q=1#x">', ""),
        ('<img src="data:image/png;base64,AA=="><a href="mailto:a@b.org">', ""),
        ('<link rel="canonical" href="https://a.org/">', ""),
    ],
)
def test_what_fails_on_a_disk_is_found(tmp_path: Path, html: str, said: str) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a b.html").write_text('<a href="../page.html">')
    (tmp_path / "page.html").write_text(html)
    (tmp_path / "404.html").write_text('<a href="/gone/">')
    assert broken_links(tmp_path) == [said] * bool(said)


@pytest.mark.slow
@needs("chromium")
def test_the_search_finds_a_word_without_a_server(site: Path, tmp_path: Path) -> None:
    with browser(tmp_path) as opened:
        opened.open(site / "index.html")
        opened.value("document.querySelector('.md-search__input').focus()")
        opened.press(*"marsupial")
        wait_until(opened, "document.querySelectorAll('.md-search-result__link').length > 0")
        found = opened.value(
            "document.querySelector('.md-search-result__link').getAttribute('href')"
        )
        assert str(found).rpartition("/")[2].startswith("other.html")
        assert opened.errors == []


@pytest.mark.slow
@needs("chromium")
def test_the_colours_are_those_of_the_system(site: Path, tmp_path: Path) -> None:
    with browser(tmp_path) as opened:
        for asked, scheme in (("light", "default"), ("dark", "slate")):
            opened.open(site / "index.html", prefers_color_scheme=asked)
            assert opened.value("document.body.dataset.mdColorScheme") == scheme
