"""Where on this computer the program keeps what it worked out."""

from __future__ import annotations

from pathlib import Path


def cache_folder() -> Path:
    """Returns the folder in which is kept what was worked out of large files."""
    import platformdirs

    return platformdirs.user_cache_path("tokenarium", appauthor=False) / "opened"
