"""Runs one program of a reader: gets a line of JSON for each file and writes one, see `answer`."""

from __future__ import annotations

import contextlib
import json
import sys

from tokenarium.models.compare.installed_programs import answer


def main() -> None:
    for line in sys.stdin:
        with contextlib.redirect_stdout(sys.stderr):
            found = answer(json.loads(line))
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
