"""Text files and pictures that a person asked for: there whole or not at all, under the name that was chosen."""

from __future__ import annotations

from pathlib import Path

from tokenarium_core.whole_files import write_files


def chosen_path(name: str, suffix: str, *others: str) -> Path:
    """Returns what was chosen in a dialog for files, which leaves the ending away that nobody typed.

    ``suffix`` is of the kind that was asked for; ``others`` may be typed instead.

    >>> chosen_path("gpt-4.1 and others", ".csv").name, chosen_path("a.SVG", ".png", ".svg").name
    ('gpt-4.1 and others.csv', 'a.SVG')
    """
    return Path(name if name.lower().endswith((suffix, *others)) else name + suffix)


def write_whole(path: Path, text: str) -> None:
    """Writes a text file; TokenariumError where that fails, and then the file is as it was."""
    write_files({path: text.encode("utf-8", "surrogatepass")})
