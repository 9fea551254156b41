"""``tokenarium fetch``, from a server on this computer: whole, cut off, wrong, refused, endless, interrupted, twice."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from narrowed import assert_contains
from patching import patch_all
from typer.testing import CliRunner

from tokenarium.commands import fetch as command
from tokenarium.commands.cli import app
from tokenarium.models.tokenizers import hub, offers
from tokenarium.models.tokenizers.offers import away_sentence
from tokenarium.resources import catalogue_index
from tokenarium.resources.catalogue_index import load_catalogue, usual_offers
from tokenarium.views.welcome import USUAL
from tokenarium.work.download import LEAST_FREE, Download

if TYPE_CHECKING:
    from conftest import Server

CONTENT = bytes(range(256)) * 400
HASH = hashlib.sha256(CONTENT).hexdigest()

Catalogue = Callable[..., None]

_IN_A_PROCESS = """
import json, sys
from pathlib import Path
from tokenarium.resources import catalogue_index
content = Path(sys.argv.pop(1)).read_text()
catalogue_index._content = lambda: json.loads(content)
from tokenarium.commands.cli import main
main()
"""


def entry(id: str, url: str, size: int) -> dict[str, Any]:
    file = {"name": f"{id}.model", "url": url, "sha256": HASH, "size": size}
    return {"id": id, "name": id.title(), "owner": "Google", "models": "tests", "file": file}


@pytest.fixture
def catalogue(server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Catalogue:
    """Fills the catalogue with ids and what the server does with each; all of them are the usual ones."""
    (server.folder / "file").write_bytes(CONTENT)
    patch_all(monkeypatch, Download, PAUSE_MS=5, STALLED_MS=300)

    def fill(size: int = len(CONTENT), **ways: str) -> None:
        entries = [entry(id, f"{server.address}/{way}", size) for id, way in ways.items()]
        content = {"tokenizers": entries, "usual": list(ways), "repositories": []}
        (tmp_path / "catalogue.json").write_text(json.dumps(content))
        monkeypatch.setattr(
            catalogue_index,
            "_content",
            lambda: json.loads((tmp_path / "catalogue.json").read_text()),
        )
        for module in (catalogue_index, offers, command):
            monkeypatch.setattr(module, "load_catalogue", load_catalogue.__wrapped__)
        monkeypatch.setattr(command, "usual_offers", usual_offers.__wrapped__)

    return fill


def fetch(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["fetch", *arguments])


def fetched(tmp_path: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((tmp_path / "fetched").glob("*"))}


def test_the_usual_six_are_those_of_the_window() -> None:
    assert [offers.key_of(offer) for offer in usual_offers()] == list(USUAL)
    assert len(usual_offers()) == 6
    assert all(file.size for offer in usual_offers() for file, _ in offers.offer_files(offer))


@pytest.mark.parametrize("option", [[], ["--one-by-one"]])
def test_all_come_and_are_not_fetched_again(
    catalogue: Catalogue, server: Server, tmp_path: Path, option: list[str]
) -> None:
    catalogue(one="file", two="breaks-off/file", three="file", four="file")
    found = fetch("--usual", *option)
    assert (found.exit_code, found.stderr) == (0, "")
    assert set(fetched(tmp_path)) == {f"{id}.model" for id in ("one", "two", "three", "four")}
    assert set(fetched(tmp_path).values()) == {CONTENT}
    assert found.stdout.count("is here now") == 4
    assert_contains(found.stdout, HASH[:16], str(tmp_path / "fetched" / "one.model"))
    server.asked.clear()
    again = fetch("--usual", "One")
    assert again.exit_code == 0
    assert again.stdout.count("is here already") == 4
    assert server.asked == []


def test_a_damaged_file_is_fetched_again(catalogue: Catalogue, tmp_path: Path) -> None:
    catalogue(one="file")
    (tmp_path / "fetched").mkdir()
    (tmp_path / "fetched" / "one.model").write_bytes(CONTENT[:-1])
    assert fetch("one").exit_code == 0
    assert fetched(tmp_path) == {"one.model": CONTENT}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("wrong", "SHA-256"),
        ("nothing-here", "404"),
        ("forbids/file", "It may ask for an account"),
        ("floods/file", "more than the 102,400 bytes"),
        ("breaks-off-each-time/file", "to continue from there"),
    ],
)
def test_one_that_fails_says_why_and_the_others_come(
    catalogue: Catalogue, server: Server, tmp_path: Path, way: str, words: str
) -> None:
    (server.folder / "wrong").write_bytes(b"?" * len(CONTENT))
    catalogue(bad=way, good="file")
    found = fetch("bad", "good")
    assert found.exit_code == 1
    assert_contains(found.stderr, "Bad was not fetched. ", words)
    assert fetched(tmp_path)["good.model"] == CONTENT
    assert "bad.model" not in fetched(tmp_path)
    assert ("bad.model.part" in fetched(tmp_path)) == way.startswith("breaks-off")


def test_what_was_cut_off_goes_on_where_it_ended(
    catalogue: Catalogue, server: Server, tmp_path: Path
) -> None:
    catalogue(one="breaks-off-each-time/file")
    assert fetch("one").exit_code == 1
    catalogue(one="breaks-off/file")
    server.asked.clear()
    assert fetch("one").exit_code == 0
    assert server.asked[0][1] == "bytes=4000-"
    assert fetched(tmp_path) == {"one.model": CONTENT}


def test_a_full_disk(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    usage = shutil.disk_usage(tmp_path)
    full = type(usage)(usage.total, usage.total - LEAST_FREE, LEAST_FREE)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: full)
    catalogue(one="file")
    found = fetch("one")
    assert found.exit_code == 1
    assert "There is no room for the download" in found.stderr
    assert fetched(tmp_path) == {}


def test_another_folder(catalogue: Catalogue, tmp_path: Path) -> None:
    catalogue(one="file")
    folder = tmp_path / "some" / "folder"
    assert fetch("one", "--to", str(folder)).exit_code == 0
    assert (folder / "one.model").read_bytes() == CONTENT
    assert fetched(tmp_path) == {}
    listed = json.loads(fetch("--list", "--json", "--to", str(folder)).stdout)
    assert [(one["id"], one["here"], one["files"][0]["size"]) for one in listed] == [
        ("one", True, len(CONTENT))
    ]
    assert not json.loads(fetch("--list", "--json").stdout)[0]["here"]


def test_the_list_names_all_of_the_catalogue() -> None:
    found = CliRunner().invoke(app, ["fetch", "--list"], env={"COLUMNS": "160"}).stdout
    for offer in load_catalogue():
        assert offer.id in found
    assert_contains(found, "4.7 MB", "not known")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [([], 2, "--list shows all"), (["nothing"], 1, "has no nothing: it has gpt2, r50k_base")],
)
def test_what_cannot_be_asked_for(arguments: list[str], code: int, words: str) -> None:
    found = fetch(*arguments)
    assert found.exit_code == code
    assert words in " ".join(found.stderr.replace("│", " ").split())


def test_a_repository_goes_to_a_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "snapshot").mkdir()
    (tmp_path / "snapshot" / "tokenizer.json").write_text("{}")
    monkeypatch.setattr(hub, "fetch", lambda report, name: tmp_path / "snapshot")
    found = fetch("owner/name", "--to", str(tmp_path / "to"))
    assert found.exit_code == 0
    assert (tmp_path / "to" / "owner--name" / "tokenizer.json").is_file()


def started(tmp_path: Path, *arguments: str) -> subprocess.Popen[str]:
    """Starts the command in a process of its own."""
    return subprocess.Popen(
        [
            sys.executable,
            "-c",
            _IN_A_PROCESS,
            str(tmp_path / "catalogue.json"),
            "fetch",
            *arguments,
        ],
        env={**os.environ, "TOKENARIUM_DATA": str(tmp_path / "fetched")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no such signal to a process")
def test_ctrl_c_keeps_what_has_come(catalogue: Catalogue, server: Server, tmp_path: Path) -> None:
    catalogue(size=0, one="never-ends/file")
    running = started(tmp_path, "one")
    end = time.monotonic() + 300
    while (
        running.poll() is None
        and time.monotonic() < end
        and not any(path.stat().st_size for path in (tmp_path / "fetched").glob(".*.part"))
    ):
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=300)
    assert running.returncode == 130
    assert "continues from there" in errors
    assert list(fetched(tmp_path)) == ["one.model.part"]


@pytest.mark.slow
def test_two_processes_fetch_the_same_file(catalogue: Catalogue, tmp_path: Path) -> None:
    catalogue(one="breaks-off/file")
    both = [started(tmp_path, "one") for _ in range(2)]
    for running in both:
        _, errors = running.communicate(timeout=300)
        assert (running.returncode, errors) == (0, "")
    assert fetched(tmp_path) == {"one.model": CONTENT}


@pytest.mark.parametrize(
    ("names", "keys", "then", "said"),
    [
        (["GPT-4"], ["named:cl100k_base"], "", "GPT-4 is not on this computer. Get it in the library, or with: tokenarium fetch cl100k_base"),
        (["A", "B"], ["gpt2", "catalogue:gemma-3"], "; C takes their place", "A and B are not on this computer; C takes their place. Get them in the library, or with: tokenarium fetch gpt2 gemma-3"),
        (["Mine"], ["file:/mine.json"], "", "Mine is not on this computer."),
    ],
)  # fmt: skip
def test_the_sentence_about_what_is_not_here(
    names: list[str], keys: list[str], then: str, said: str
) -> None:
    assert away_sentence(names, keys, then) == said


@pytest.mark.parametrize("name", ["cl100k_base", "gemma-3", "Gemma 3", "qwen-3"])
def test_a_command_names_the_command_that_gets_what_is_missing(name: str) -> None:
    found = CliRunner().invoke(app, ["encode", name, "text", "--show"])
    assert found.exit_code == 1
    assert_contains(
        found.stderr,
        "is not on this computer",
        f"tokenarium fetch {name.lower().replace(' ', '-')}",
    )


def test_what_was_fetched_opens_by_its_id(empty_cache: Path, data: Path, tmp_path: Path) -> None:
    (tmp_path / "fetched").mkdir()
    shutil.copy(data / "tokenizers" / "mistral-v3.model", tmp_path / "fetched")
    found = CliRunner().invoke(app, ["encode", "mistral-v3", "text", "--json"])
    assert found.exit_code == 0, found.stderr
    assert json.loads(found.stdout)["ids"]
