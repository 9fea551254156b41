"""Where the project is, and what its pyproject.toml says."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"  # everything that the commands make and that may be removed
SETTINGS_FILE = ROOT / "pyproject.toml"


def settings() -> dict[str, Any]:
    """Returns pyproject.toml as a dict."""
    return tomllib.loads(SETTINGS_FILE.read_text(encoding="utf-8"))
