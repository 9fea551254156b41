"""Works one tokenizer file out and keeps the result, in a process of its own: see `opener`.

python -m tokenarium.work.opening_worker FILE FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import tokenarium_core as tc
from tokenarium.work.child_process import end_with_parent
from tokenarium_core import frozen

MOST_BYTES = 500_000_000
"""What all kept files together may take; the oldest go first."""


def main(file: str, folder: str) -> int:
    """Returns 0 where the file was opened; what it says otherwise the window finds out again."""
    end_with_parent()
    try:
        tc.open(file, cache=Path(folder))
    except tc.TokenariumError:
        return 1
    frozen.prune(Path(folder), MOST_BYTES)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
