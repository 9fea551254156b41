"""What the tests of commands share."""

from __future__ import annotations

from pathlib import Path

import pytest
from differing_pairs import fields_of, opened, replaced
from typer.testing import CliRunner


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> CliRunner:
    """A wide terminal, with a folder of data for this test."""
    monkeypatch.setenv("TOKENARIUM_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "160")
    return CliRunner()


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    """Two files whose patterns take three digits, or two."""
    fields = fields_of("llama3")
    a, b = tmp_path / "a.json", tmp_path / "b.json"
    opened(fields, a)
    replaced("{1,3}", "{1,2}", "pre_tokenizer", "pretokenizers", 0, "pattern", "Regex")(fields)
    opened(fields, b)
    return a, b
