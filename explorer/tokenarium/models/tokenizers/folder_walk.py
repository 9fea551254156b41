"""Walks through a folder with an end: in depth, in count and in time, and once around each ring of links."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

_PASSED_OVER = {"__pycache__", "node_modules", "blobs", "site-packages", "dist-packages"}
"""Folders with many files, and no tokenizers that a person would look for there."""


@dataclass(slots=True)
class Limits:
    """How far a walk goes; ``reached`` tells afterwards whether it went so far and no further."""

    depth: int = 6
    entries: int = 50_000
    seconds: float = 20.0
    reached: bool = False


def walk(
    top: Path, limits: Limits, stop: Callable[[], bool] = lambda: False
) -> Iterator[tuple[Path, list[str]]]:
    """Yields each folder under ``top``, itself first, with the names of its files, sorted.

    Links are followed, but no folder is entered twice; hidden folders and those that cannot be read are
    passed over. Broad before deep, so that a limit cuts off what lies deepest.
    """
    too_deep = False
    deadline = time.monotonic() + limits.seconds
    entered: set[tuple[int, int]] = set()
    count = 0
    waiting = [(top, 0)]
    for folder, depth in waiting:  # which grows on the way
        if stop():
            return
        if limits.reached or time.monotonic() > deadline:
            limits.reached = True
            return
        try:
            about = folder.stat()
            mark = (about.st_dev, about.st_ino)
            if mark in entered:
                continue
            entered.add(mark)
            files: list[str] = []
            inside: list[str] = []
            with os.scandir(folder) as entries:
                for entry in entries:
                    count += 1
                    if count > limits.entries:
                        limits.reached = True
                        break
                    (inside if _is_folder(entry) else files).append(entry.name)
        except OSError:
            continue
        yield folder, sorted(files)
        wanted = [name for name in sorted(inside) if name[0] != "." and name not in _PASSED_OVER]
        if depth < limits.depth:
            waiting += [(folder / name, depth + 1) for name in wanted]
        elif wanted:
            too_deep = True
    limits.reached |= too_deep


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself
        return False
