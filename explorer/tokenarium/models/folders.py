"""Where on this computer the program's files lie."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path

SHIPPED = "tokenarium-8k"
"""The name of the tokenizer that is always there."""


def shipped_file() -> Path:
    """Returns the file of the tokenizer that comes with the program."""
    return Path(str(files("tokenarium.resources") / "tokenizers" / f"{SHIPPED}.json"))


def cache_folder() -> Path:
    """Returns the folder in which is kept what was worked out of large files."""
    import platformdirs

    return platformdirs.user_cache_path("tokenarium", appauthor=False) / "opened"


def data_folder() -> Path:
    """Returns where fetched tokenizers are kept: ``TOKENARIUM_DATA``, else where the system wants them."""
    named = os.environ.get("TOKENARIUM_DATA")
    return Path(named) if named else _user_folder() / "tokenizers"


def store_folder() -> Path:
    """Returns where trained tokenizers are kept: beside those that ``TOKENARIUM_DATA`` names, else as the system wants."""
    named = os.environ.get("TOKENARIUM_DATA")
    return (Path(named) if named else _user_folder()) / "trained"


def _user_folder() -> Path:
    import platformdirs

    return platformdirs.user_data_path("tokenarium", appauthor=False)
