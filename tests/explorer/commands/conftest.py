"""What the tests of commands share."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> CliRunner:
    """A wide terminal, with a folder of data for this test."""
    monkeypatch.setenv("TOKENARIUM_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "160")
    return CliRunner()
