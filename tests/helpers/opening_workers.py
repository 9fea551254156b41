"""Replaces `tokenarium.work.opening_worker`, with less time and memory, to open files that need more."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from tokenarium.work import opening_worker


def main(file: str) -> int:
    """Behaves as the file's name says."""
    want = Path(file).stem
    if want == "wait":
        time.sleep(60)
    opening_worker.limit(seconds=1, megabytes=64)
    if want == "compute":
        while True:
            sum(range(10_000))
    if want == "fill":
        try:
            bytearray(1 << 28)
        except MemoryError:
            return opening_worker.NO_MEMORY
    return opening_worker.main(file)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
