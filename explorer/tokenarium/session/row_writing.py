"""Writes the rows of a table to a file while the window stays alive."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tokenarium.models.sliced_writer import SlicedWriter
from tokenarium.session.session import Session
from tokenarium_core import TokenariumError


def write_rows(session: Session, make: Callable[[Path], SlicedWriter], path: Path) -> None:
    """Writes a file as a job; says that it was written, or why it cannot be."""
    say = session.problem.emit
    try:
        writer = make(path)
    except TokenariumError as error:
        say(str(error))
        return
    session.jobs.start(
        f"write {path}",
        f"Writing {path.name}",
        writer,
        lambda progress: session.requests.tell_saved(path) if progress.finished else None,
        lambda error: say(str(error)),
        writer.drop,
    )
