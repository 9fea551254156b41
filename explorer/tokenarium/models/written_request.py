"""Hands a request to another process in a file: it may hold a whole text, for which the window would have to wait."""

from __future__ import annotations

import os
import pickle
import tempfile
from pathlib import Path


def write_request(request: object) -> Path:
    """Writes a request to a file of this user alone, and returns its path; OSError where there is no room."""
    file, path = tempfile.mkstemp(prefix="tokenarium-", suffix=".request")
    with os.fdopen(file, "wb") as opened:
        pickle.dump(request, opened)
    return Path(path)


def read_request(path: Path) -> object:
    """Returns what `write_request` wrote."""
    request: object = pickle.loads(path.read_bytes())
    return request
