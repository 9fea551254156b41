"""Reads a large session in a process of its own: to parse one takes frames, and what it takes comes from anywhere."""

from __future__ import annotations

from pathlib import Path

from tokenarium.models.progress_reporter import ProgressReporter
from tokenarium.models.scene import ReadScene
from tokenarium.models.scene_texts import read_scene_file


def read_session(report: ProgressReporter, path: Path) -> ReadScene:
    """Returns the scene of a file; SceneError if it cannot be read or is not one. It reports nothing."""
    return read_scene_file(path)
