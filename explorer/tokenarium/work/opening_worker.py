"""Prepares one tokenizer file in a process of its own and keeps the result: see `opener`.

python -m tokenarium.work.opening_worker FILE

Where the file is refused, the sentence that says why is written to the standard output, in UTF-8.
"""

from __future__ import annotations

import sys
from contextlib import suppress

import tokenarium_core as tc
from tokenarium.models.faults import reported

SECONDS = 10
"""Processor time that opening a file may take: Gemma 3, with 262,144 entries, takes one or two."""

MEGABYTES = 1024
"""Memory that opening a file may take: Gemma 3 takes 150."""

REFUSED, NOT_AVAILABLE, NO_MEMORY = 1, 2, 3
"""Exit codes where the file was not opened. With the first two, the reason was written, in UTF-8."""


def main(file: str) -> int:
    """Returns 0 if the file was opened, else one of the codes above."""
    # Not for the window, which needs only the codes.
    from tokenarium.work.child_process import end_with_parent

    end_with_parent()
    limit()
    try:
        tc.open(file)
    except tc.TokenariumError as error:
        sys.stdout.buffer.write(str(error).encode("utf-8", "backslashreplace"))
        return NOT_AVAILABLE if isinstance(error, tc.NotAvailable) else REFUSED
    except MemoryError:
        return NO_MEMORY
    except Exception as error:
        sys.stdout.buffer.write(str(reported(error)).encode("utf-8", "backslashreplace"))
        return REFUSED
    return 0


def limit(seconds: int = SECONDS, megabytes: int = MEGABYTES) -> None:
    """Limits the processor time and the memory of this process; not on Windows."""
    from tokenarium.work.child_process import limit_memory

    limit_memory(megabytes)
    if sys.platform != "win32":
        import resource

        with suppress(ValueError, OSError):  # where it is lower already
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
