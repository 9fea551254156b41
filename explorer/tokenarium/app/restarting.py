"""Hands the text on to a fresh app in the place of this one, for what Qt takes only when it begins."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping, MutableMapping
from contextlib import suppress
from pathlib import Path

_VARIABLE = "TOKENARIUM_TEXT"
"""Names the file that hands the text on; it goes when it has been read."""


def hand_on(text: str, environment: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Writes the text down, and returns the command and the environment of the app that reads it.

    OSError where it cannot be written.
    """
    handle, path = tempfile.mkstemp(prefix="tokenarium-", suffix=".txt")
    with open(handle, "wb") as file:
        file.write(text.encode("utf-8", "surrogatepass"))
    return [sys.executable, "-m", "tokenarium"], {**environment, _VARIABLE: path}


def handed_on(environment: MutableMapping[str, str]) -> str | None:
    """Returns the text of the app before; none where there was none. It is taken once."""
    name = environment.pop(_VARIABLE, "")
    if not name:
        return None
    path = Path(name)
    try:
        return path.read_bytes().decode("utf-8", "surrogatepass")
    except (OSError, UnicodeDecodeError):
        return None
    finally:
        with suppress(OSError):
            path.unlink()
