"""Identities: families by name, digests of contents, and the numbers that are kept."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from small_vocabularies import of_pieces

import tokenarium_core as tc
from tokenarium.models.tokenizers import tokenizer_identity
from tokenarium.models.tokenizers.library import LibraryGroup, LibraryItem, LibraryModel
from tokenarium.models.tokenizers.tokenizer_identity import (
    BERT,
    DEEPSEEK,
    FIXED,
    GEMMA,
    GPT_2,
    GPT_4,
    GPT_4O,
    LLAMA,
    MISTRAL,
    OWN,
    QWEN,
    ROUND,
    T5,
    content_digest,
    family_of_path,
    free_identity,
    identity_lines,
    kept_identities,
    vocabulary_digest,
)
from tokenarium.resources.catalogue_index import load_catalogue
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS
from tokenarium.session import catalogue
from tokenarium.style.theme import DARK, LIGHT

HUB = "/cache/hub/models--{}/snapshots/0123"


@pytest.mark.parametrize(
    ("path", "family"),
    [
        ("/x/gemma3.model", ("Gemma 3", "gemma3.model", GEMMA)),
        ("/x/gemma-2.model", ("Gemma 2", "gemma-2.model", FIXED["catalogue:gemma-2"])),
        (HUB.format("google--gemma-3-1b-it"), ("Gemma 3", "google/gemma-3-1b-it", GEMMA)),
        (HUB.format("google--gemma-2b"), ("Gemma", "google/gemma-2b", GEMMA)),
        (HUB.format("meta-llama--Llama-3.2-1B"), ("Llama 3.2", "meta-llama/Llama-3.2-1B", LLAMA)),
        (HUB.format("Qwen--Qwen3-0.6B"), ("Qwen 3", "Qwen/Qwen3-0.6B", QWEN)),
        (
            HUB.format("deepseek-ai--DeepSeek-V3"),
            ("DeepSeek V3", "deepseek-ai/DeepSeek-V3", DEEPSEEK),
        ),
        ("/x/mistral-v3.model", ("Mistral v3", "mistral-v3.model", MISTRAL)),
        ("/models/t5-small/spiece.model", ("T5", "t5-small", T5)),
        ("/models/bert-base-uncased/vocab.txt", ("BERT", "bert-base-uncased", BERT)),
        ("/models/gpt2/tokenizer.json", ("GPT-2", "gpt2", GPT_2)),
        ("/x/o200k_base.tiktoken", ("GPT-4o", "o200k_base.tiktoken", GPT_4O)),
        ("/x/cl100k_base.tiktoken", ("GPT-4", "cl100k_base.tiktoken", GPT_4)),
        (HUB.format("FacebookAI--xlm-roberta-base"), None),
        ("/x/my-llama.json", None),
        ("/x/bertha.json", None),
        ("/x/t5000.json", None),
    ],
)
def test_families_are_known_by_how_a_name_begins(
    path: str, family: tuple[str, str, int] | None
) -> None:
    assert family_of_path(Path(path)) == family


def test_all_that_is_always_there_has_an_identity_of_its_own() -> None:
    keys = [f"shipped:{one.id}" for one in SHIPPED_TOKENIZERS]
    keys += [
        f"named:{offer.tiktoken}" if offer.tiktoken else f"catalogue:{offer.id}"
        for offer in load_catalogue()
    ]
    assert sorted(FIXED) == sorted(keys)
    for theme in (LIGHT, DARK):
        looks = [theme.identity(number) for number in FIXED.values()]
        assert len({(one.full.rgb(), one.marker, one.hollow) for one in looks}) == len(looks)
    shown = [theme.identity(FIXED[f"shipped:{one.id}"]) for one in SHIPPED_TOKENIZERS]
    assert len({one.full.rgb() for one in shown}) == len(shown)
    assert len({one.marker for one in shown}) == len(shown)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_numbers_look_different(theme: object) -> None:
    assert theme in (LIGHT, DARK)
    looks = [LIGHT.identity(number) for number in range(12 * ROUND)]
    assert len({(one.full.rgb(), one.marker, one.hollow) for one in looks}) == len(looks)
    assert [one.hollow for one in looks[:ROUND]] == [False] * 12 + [True] * 12
    assert [one.marker for one in looks[12:ROUND]] == [one.marker for one in looks[:12]]


def _look(number: int) -> tuple[int, object]:
    identity = LIGHT.identity(number)
    return identity.full.rgb(), identity.marker


def test_free_identities_are_not_those_of_families_and_come_in_order() -> None:
    kept: dict[str, int] = {}
    for place in range(40):
        number = free_identity(list(kept.values()), kept.values(), kept.values())
        assert number not in kept.values()
        assert number not in FIXED.values()
        assert number >= OWN
        kept[str(place)] = number
    assert kept["0"] == OWN
    everything = range(12 * ROUND)
    assert free_identity([], everything) == OWN  # all of these are gone
    assert free_identity(everything, everything) not in everything


def test_trained_tokenizers_do_not_look_like_those_that_are_on(qtbot: QtBot) -> None:
    model = LibraryModel()
    for key in ("named:cl100k_base", "named:o200k_base", "shipped:tokenarium-8k"):
        model.insert(LibraryItem(key, LibraryGroup.OPENAI, key, key, on=True), 0)
    known = {_look(number) for number in FIXED.values()}
    colours = {_look(item.identity)[0] for item in model}
    for place, name in enumerate("abcdef"):
        item = trained(name)
        model.insert(item, place)
        model.set_on(item, True)
        colour, marker = _look(item.identity)
        assert colour not in colours, "each has a colour of its own"
        assert (colour, marker) not in known, "its marker is no hollow one of a known model"
        colours.add(colour)


def test_a_file_of_a_model_that_is_on_has_a_look_of_its_own(qtbot: QtBot) -> None:
    model = LibraryModel()
    for offer in load_catalogue():
        item = catalogue.offer_item(offer)
        model.insert(item, 0)
        model.set_on(item, True)
    item = catalogue.file_item("/a/gemma3.model")
    model.insert(item, 0)
    assert all(other.identity != item.identity for other in model if other is not item)


def test_kept_identities_come_back_and_damaged_lines_do_not() -> None:
    kept = {"0af3": 11, "77": 300}
    assert kept_identities(identity_lines(kept)) == kept
    assert kept_identities(["", "x", "x -1", " 3", "a 99999", "b 4"]) == {"b": 4}
    assert len(identity_lines({str(number): number for number in range(2000)})) == 500


def trained(name: str) -> LibraryItem:
    return LibraryItem(f"trained:{name * 8}", LibraryGroup.TRAINED, name, f"/store/{name}.json")


def test_an_identity_is_kept_for_its_tokenizer(qtbot: QtBot) -> None:
    """Another order, or one that is gone, changes nothing."""
    model = LibraryModel()
    for place, name in enumerate("abc"):
        model.insert(trained(name), place)
    first = {item.name: item.identity for item in model}
    again = LibraryModel()
    again.identities.update(kept_identities(identity_lines(model.identities)))
    for name in "cdb":
        again.insert(trained(name), 0)
    second = {item.name: item.identity for item in again}
    assert second["b"] == first["b"]
    assert second["c"] == first["c"]
    assert second["d"] not in first.values()


def test_a_file_keeps_its_identity_where_it_is_moved(qtbot: QtBot, tmp_path: Path) -> None:
    for name in ("one", "two"):
        of_pieces([b"ab", name.encode()]).save(tmp_path / f"{name}.json")
    model = LibraryModel()
    for name in ("one", "two"):
        model.insert(catalogue.file_item(str(tmp_path / f"{name}.json")), 0)
    found = {item.name: item.identity for item in model}
    moved = tmp_path / "moved.json"
    (tmp_path / "two.json").rename(moved)
    again = LibraryModel()
    again.identities.update(model.identities)
    item = catalogue.file_item(str(moved))
    again.insert(item, 0)
    assert item.identity == found["two"]


def test_a_second_file_of_a_family_has_a_look_of_its_own(qtbot: QtBot) -> None:
    model = LibraryModel()
    for offer in load_catalogue():
        model.insert(catalogue.offer_item(offer), 0)
    items = [catalogue.file_item(f"/{folder}/gemma3.model") for folder in ("a", "b")]
    for item in items:
        model.insert(item, 0)
    assert items[0].identity == GEMMA  # as that of the catalogue: it is the same
    assert items[1].identity not in FIXED.values()
    names = [item.display_name for item in model]
    assert len(set(names)) == len(names)
    assert [item.model_name for item in items] == ["Gemma 3"] * 2
    assert items[1].display_name == "Gemma 3 · gemma3.model (b)"


def test_a_known_vocabulary_is_recognized_in_any_file(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokenizer = of_pieces([b"ab"])
    path = tmp_path / "mine.json"
    tokenizer.save(path)
    known = {vocabulary_digest(tokenizer): ("GPT-2", GPT_2)}
    monkeypatch.setattr(tokenizer_identity, "_VOCABULARIES", known)
    model = LibraryModel()
    item = catalogue.file_item(str(path))
    model.insert(item, 0)
    assert item.display_name == "mine"
    model.set_tokenizer(item, tokenizer)
    assert (item.display_name, item.identity) == ("GPT-2 · mine.json", GPT_2)
    assert model.identities[content_digest(path)] == GPT_2


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("gemma3.model", "Gemma 3"),
        ("gemma3-tokenizer.json", "Gemma 3"),
        ("mistral-v3.model", "Mistral v3"),
        ("gpt2", "GPT-2"),
    ],
)
def test_published_vocabularies_are_known(data: Path, file: str, name: str) -> None:
    path = data / "tokenizers" / file
    if not path.exists():
        pytest.skip(f"{path} is not there")
    found = tokenizer_identity.family_of_vocabulary(tc.open(path))
    assert found is not None
    assert found[0] == name


def test_a_digest_needs_no_file(tmp_path: Path) -> None:
    missing = content_digest(tmp_path / "gone")
    assert missing == content_digest(tmp_path / "gone") != content_digest(tmp_path / "other")
    large = tmp_path / "large"
    large.write_bytes(bytes(1 << 20))
    before = content_digest(large)
    with large.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"x")
    assert content_digest(large) != before
