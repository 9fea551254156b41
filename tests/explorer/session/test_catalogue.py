"""The catalogue: what its file says, where fetched files are kept, and getting them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import platformdirs
import pytest
from pytestqt.qtbot import QtBot

import tokenarium_core as tc
from tokenarium.app.window import MainWindow
from tokenarium.models import files
from tokenarium.models.tokenizers.library import LibraryGroup, LibraryItem, State
from tokenarium.models.tokenizers.tokenizer_names import name_of
from tokenarium.resources import catalogue_index
from tokenarium.resources.catalogue_index import Offer, PublishedFile, load_catalogue
from tokenarium.session import catalogue, fetching
from tokenarium.session.session import Session
from tokenarium_core.formats.named import NAMED, cache_path


def test_every_encoding_of_tiktoken_is_offered() -> None:
    offered = {offer.tiktoken: offer.models for offer in load_catalogue() if offer.tiktoken}
    assert offered == {name: encoding.models for name, encoding in NAMED.items()}


@pytest.mark.parametrize(
    "offer", [offer for offer in load_catalogue() if offer.file], ids=lambda offer: offer.id
)
def test_a_file_is_pinned(offer: Offer) -> None:
    assert offer.file is not None
    address = urlsplit(offer.file.url)
    assert address.scheme == "https"
    assert any(re.fullmatch(r"[0-9a-f]{40}", part) for part in address.path.split("/"))
    assert len(bytes.fromhex(offer.file.sha256)) == 32
    assert LibraryGroup(offer.owner).can_be_fetched


def test_ids_and_names_of_files_are_given_once() -> None:
    ids = [offer.id for offer in load_catalogue()]
    names = [offer.file.name for offer in load_catalogue() if offer.file]
    assert len(set(ids)) == len(ids)
    assert len(set(names)) == len(names)


def test_repositories_have_an_owner_and_a_name() -> None:
    for repository in catalogue_index.load_repositories():
        owner, slash, name = repository.name.partition("/")
        assert owner
        assert slash
        assert name


def test_where_fetched_files_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert files.data_folder() == tmp_path / "fetched"
    monkeypatch.delenv("TOKENARIUM_DATA")
    assert files.data_folder().is_relative_to(
        platformdirs.user_data_path("tokenarium", appauthor=False)
    )


def test_a_file_that_was_fetched_before_needs_no_network(tmp_path: Path) -> None:
    def gemma() -> LibraryItem:
        return next(e for e in catalogue.offered([], [], []) if e.key == "catalogue:gemma-3")

    assert gemma().state is State.MISSING
    (tmp_path / "fetched").mkdir()
    (tmp_path / "fetched" / "gemma-3.model").write_bytes(b"?")
    assert gemma().state is State.CLOSED


def test_an_encoding_is_read_from_tiktokens_cache() -> None:
    item = next(e for e in catalogue.offered([], [], []) if e.key == "named:gpt2")
    assert [(file.name, path) for file, path in catalogue.published_files(item)] == [
        ("vocab.bpe", cache_path(NAMED["gpt2"].files[0])),
        ("encoder.json", cache_path(NAMED["gpt2"].files[1])),
    ]


@pytest.fixture
def offer(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, served: str, tmp_path: Path
) -> Offer:
    """A small tokenizer that the catalogue offers."""
    made = tmp_path / "served" / "small.json"
    tc.train("bpe", ["abc abc"], vocab_size=258).save(made)
    content = made.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    file = PublishedFile("small.json", f"{served}/small.json", digest, len(content))
    offer = Offer("small", "Small", "Google", "tests", file=file)
    monkeypatch.setattr(catalogue, "load_catalogue", lambda: (*load_catalogue(), offer))
    return offer


def test_get_it_opens_a_tokenizer_of_the_catalogue(
    offer: Offer, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    content = (tmp_path / "served" / "small.json").read_bytes()
    item = catalogue.offer_item(offer)
    window.session.fill_library([item])
    window.fetcher.fetch("catalogue:small")
    qtbot.waitUntil(lambda: item.state is State.OPEN)
    assert (tmp_path / "fetched" / "small.json").read_bytes() == content
    assert item in window.session.chosen()


def test_without_a_network_it_says_so_and_tries_all_again(
    offer: Offer, window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = catalogue.offer_item(offer)
    second = replace(offer, id="other", name="Other")
    offers = (*load_catalogue(), offer, second)
    monkeypatch.setattr(catalogue, "load_catalogue", lambda: offers)
    other = catalogue.offer_item(second)
    window.session.fill_library([item, other])
    files = fetching.published_files
    nowhere = "http://no-such-host.invalid/small.json"
    monkeypatch.setattr(
        fetching,
        "published_files",
        lambda one: [(replace(file, url=nowhere), path) for file, path in files(item)],
    )
    window.fetcher.fetch(item.key)
    qtbot.waitUntil(window.messages.offered.isVisible)
    window.fetcher.fetch(other.key)
    qtbot.waitUntil(lambda: " and " in window.messages.label.text())
    messages = window.messages
    assert messages.label.text().startswith("You are offline. Small and Other were not fetched")
    assert "no-such-host" not in messages.label.text()
    assert messages.details.isHidden()
    messages.unfold.click()
    assert "no-such-host" in messages.details.text()
    assert messages.details.isVisible()
    assert messages.second.text() == "Open a file …"
    assert (item.state, item.note) == (State.MISSING, "You are offline. Try again later.")
    monkeypatch.setattr(fetching, "published_files", lambda one: files(item))
    messages.offered.click()
    qtbot.waitUntil(lambda: item.state is State.OPEN)
    assert not messages.isVisible()


def test_a_damaged_copy_is_fetched_again(
    offer: Offer, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    content = (tmp_path / "served" / "small.json").read_bytes()
    (tmp_path / "fetched").mkdir()
    (tmp_path / "fetched" / "small.json").write_bytes(content[:-20])
    item = catalogue.offer_item(offer)
    window.session.fill_library([item])
    window.session.edits.turn_on(item.key, True)
    qtbot.waitUntil(lambda: item.state is State.FAILED)
    window.fetcher.fetch(item.key)  # as "Try again" does
    qtbot.waitUntil(lambda: item.state is State.OPEN)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/h/hub/models--google--gemma-3-1b-it/snapshots/0f", "google/gemma-3-1b-it"),
        ("/h/hub/models--gpt2/snapshots/0f/tokenizer.json", "gpt2"),
        ("/h/hub/models--a--b--c/snapshots/0f/vocab.txt", "a/b--c"),
        ("/x/bert/vocab.txt", "bert"),
        ("/x/t5/spiece.model", "t5"),
        ("/x/mine.model", "mine"),
        ("/x/tekken_240911.json", "tekken_240911"),
        ("/x/qwen.tiktoken", "qwen"),
        ("/x/tokenizer.model.v3", "tokenizer.model.v3"),
        ("/x/stories/tokenizer.bin", "stories"),
        ("/x/small.spm.fb", "small"),
        ("/x/opus-mt-en-de/source.spm", "opus-mt-en-de"),
        ("/x/byt5/tokenizer_config.json", "byt5"),
        ("/x/model-folder", "model-folder"),
        ("tokenizer.json", "tokenizer"),
    ],
)
def test_names(path: str, name: str) -> None:
    assert name_of(Path(path)) == name


def test_the_order_of_the_library_is_the_same_at_each_start() -> None:
    def filled(order: Sequence[str]) -> list[str]:
        session = Session()
        session.fill_library(catalogue.offered([], order, []))
        return [item.key for item in session.library]

    first = filled([])
    assert filled(first) == first
    assert first.index("catalogue:gemma-3") < first.index("named:p50k_base")
