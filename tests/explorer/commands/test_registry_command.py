"""``tokenarium registry``, and the other commands with the names that it gives."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tokenarium.commands.cli import app
from tokenarium.commands.terminal import FAILED
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return Path(shutil.copy(SHIPPED_TOKENIZERS[0].path, tmp_path / "own.json"))


@pytest.mark.slow
def test_a_tokenizer_from_its_registration_to_its_removal(terminal: CliRunner, file: Path) -> None:
    def run(*arguments: str) -> str:
        found = terminal.invoke(app, list(arguments))
        assert found.exit_code == 0, found.output
        return found.stdout

    assert "Nothing is registered" in run("registry", "list")
    run("registry", "add", str(file), "own@1", "--author", "A. Person", "--note", "first")
    ids = run("encode", "own@1", "Hello")
    assert ids == run("encode", str(file), "Hello")
    assert "8,000" in run("inspect", "own@1")
    listed = run("registry", "list")
    assert all(part in listed for part in ("own@1", "unchanged", "A. Person", "first"))
    (entry,) = json.loads(run("registry", "list", "--json"))
    assert entry["reference"] == "own@1"
    assert entry["sha256"] in run("registry", "show", "own@1")
    run("registry", "add", "own@1", "own@stable")  # another name for the same files
    assert json.loads(run("registry", "show", "own@stable", "--json"))["source"] == str(file)
    assert "own@1: unchanged" in run("registry", "verify")
    content = file.read_bytes()
    file.write_bytes(content + b" ")
    refused = terminal.invoke(app, ["encode", "own@1", "Hello"])
    assert refused.exit_code == FAILED
    assert entry["sha256"] in refused.stderr
    checked = terminal.invoke(app, ["registry", "verify", "own@1"])
    assert checked.exit_code == FAILED
    assert "has changed" in checked.stderr
    file.write_bytes(content)
    assert "no longer registered" in run("registry", "remove", "own@1")
    gone = terminal.invoke(app, ["encode", "own@1", "Hello"])
    assert gone.exit_code == FAILED
    assert "Registered: own@stable" in gone.stderr


def test_a_shipped_tokenizer_can_be_registered(terminal: CliRunner) -> None:
    assert terminal.invoke(app, ["registry", "add", "tokenarium-8k", "mine@1"]).exit_code == 0
    shown = json.loads(terminal.invoke(app, ["registry", "show", "mine@1", "--json"]).stdout)
    assert shown["source"] == str(SHIPPED_TOKENIZERS[0].path)


def test_registered_files_are_put_back(terminal: CliRunner, file: Path) -> None:
    content = file.read_bytes()
    assert terminal.invoke(app, ["registry", "add", str(file), "own@1"]).exit_code == 0
    whole = terminal.invoke(app, ["registry", "restore", "own@1"])
    assert "there was nothing to restore" in whole.stdout
    file.write_bytes(content + b" ")
    refused = terminal.invoke(app, ["encode", "own@1", "Hello"])
    assert "tokenarium registry restore own@1" in refused.stderr
    (found,) = json.loads(terminal.invoke(app, ["registry", "restore", "own@1", "--json"]).stdout)
    assert found["path"] == str(file)
    assert Path(found["aside"]).read_bytes() == content + b" "
    assert file.read_bytes() == content
    assert terminal.invoke(app, ["encode", "own@1", "Hello"]).exit_code == 0
    file.unlink()
    assert "is restored" in terminal.invoke(app, ["registry", "restore", "own@1"]).stdout
    assert file.read_bytes() == content
    entry = json.loads(terminal.invoke(app, ["registry", "show", "own@1", "--json"]).stdout)
    (copy,) = (
        path for path in (file.parent / "data").rglob(f"{entry['sha256']}*") if path.is_file()
    )
    copy.write_bytes(b"something else")
    file.unlink()
    failed = terminal.invoke(app, ["registry", "restore", "own@1"])
    assert failed.exit_code == FAILED
    assert "Nothing was changed" in failed.stderr
    assert not file.exists()
