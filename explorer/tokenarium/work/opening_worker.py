"""Works one tokenizer file out and keeps the result, in a process of its own: see `opener`.

python -m tokenarium.work.opening_worker FILE FOLDER

Where the file is refused, the sentence that says why is written to the standard output, in UTF-8.
"""

from __future__ import annotations

import sys
from pathlib import Path

import tokenarium_core as tc
from tokenarium.models.faults import reported
from tokenarium_core import frozen

MOST_BYTES = 500_000_000
"""What all kept files together may take; the oldest go first."""

MOST_MEMORY = 4 << 30
"""Bytes of address space that opening a file may take: the largest known take a quarter of it."""

MOST_SECONDS = 120
"""Seconds of processor time that it may take: the largest known take two."""

REFUSED = 3
"""The exit code of a file that is not a tokenizer."""


def main(file: str, folder: str) -> int:
    """Returns 0 where the file was opened, `REFUSED` where it cannot be."""
    _limit()
    try:
        tc.open(file, cache=Path(folder))
    except Exception as error:
        sys.stdout.buffer.write(str(reported(error)).encode("utf-8", "backslashreplace"))
        return REFUSED
    frozen.prune(Path(folder), MOST_BYTES)
    return 0


def _limit() -> None:
    """Bounds what this process may take, where the system can do so."""
    if sys.platform != "win32":
        import resource

        for kind, most in (
            (resource.RLIMIT_AS, MOST_MEMORY),
            (resource.RLIMIT_CPU, MOST_SECONDS),
        ):
            hard = resource.getrlimit(kind)[1]
            if hard == resource.RLIM_INFINITY or hard > most:
                resource.setrlimit(kind, (most, hard))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
