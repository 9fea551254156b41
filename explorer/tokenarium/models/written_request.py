"""Hands the request of a training to another process in a file: it may hold a whole text."""

from __future__ import annotations

import os
import pickle
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenarium.models.training_run import TrainingRequest


def write_request(request: TrainingRequest) -> Path:
    """Writes a request to a file of this user alone, and returns its path; OSError where there is no room."""
    file, path = tempfile.mkstemp(prefix="tokenarium-", suffix=".training")
    with os.fdopen(file, "wb") as opened:
        pickle.dump(request, opened)
    return Path(path)


def read_request(path: Path) -> TrainingRequest:
    """Returns the request that `write_request` wrote."""
    request: TrainingRequest = pickle.loads(path.read_bytes())
    return request
