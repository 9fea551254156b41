"""What the program says of itself."""

from __future__ import annotations

import platform

from PySide6.QtCore import qVersion

from tokenarium_core import COMPILED
from tokenarium_core.version import __version__


def about_text() -> str:
    """Returns, as rich text, what this is, with what a report of a fault should name."""
    core = "compiled" if COMPILED else "interpreted"
    return (
        f"<b>Tokenarium {__version__}</b>"
        "<p>Shows how a text becomes tokens, stage by stage.</p>"
        f"<p>Core {core} · Python {platform.python_version()} · Qt {qVersion()}<br>Free software, MIT licence</p>"
    )
