"""The folders of the project, and its two pyproject.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"  # everything that the commands make and that may be removed
CORE_PROJECT = ROOT / "core"  # the distribution of the core; that of the app is ROOT
SETTINGS_FILE = ROOT / "pyproject.toml"
CORE_SETTINGS_FILE = CORE_PROJECT / "pyproject.toml"


def settings() -> dict[str, Any]:
    """Returns the app's pyproject.toml, which has the settings of all tools, as a dict."""
    return tomllib.loads(SETTINGS_FILE.read_text(encoding="utf-8"))


def core_settings() -> dict[str, Any]:
    """Returns the core's pyproject.toml as a dict."""
    return tomllib.loads(CORE_SETTINGS_FILE.read_text(encoding="utf-8"))
