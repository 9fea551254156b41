"""The display on which a real window opens: the user's, or one that is started for the tests."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from terminal import CommandError

SCREEN = "1600x1000x24"


def available() -> bool:
    """Returns whether a window can be shown here."""
    if not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


@contextmanager
def some_display() -> Iterator[dict[str, str]]:
    """Yields the variables that select a display for Qt; starts Xvfb on a free number if there is none."""
    if available():
        yield {}
        return
    reading, writing = os.pipe()
    with tempfile.TemporaryFile() as log:
        # -displayfd: the server takes the first free number and writes it there once it is ready.
        server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writing), "-screen", "0", SCREEN, "-nolisten", "tcp"],
            pass_fds=[writing],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        try:
            os.close(writing)
            with os.fdopen(reading) as pipe:
                number = pipe.readline().strip()
            if not number:
                log.seek(0)
                reason = log.read().decode(errors="replace").strip()
                raise CommandError(f"Xvfb, the display for tests, did not start:\n{reason}")
            yield {"DISPLAY": f":{number}", "QT_QPA_PLATFORM": "xcb"}
        finally:
            server.terminate()
            server.wait()
