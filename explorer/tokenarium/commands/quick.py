"""Runs what scripts run most often, ``--version`` and ``encode`` without options, in a third of the time.

The library that reads arguments takes longer to import than all of this takes. Everything else is left to that library.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence


def quick(arguments: Sequence[str]) -> int | None:
    """Returns the exit code, or None if nothing was done because the full command line is needed."""
    if list(arguments) == ["--version"]:
        print(version_line())
        return 0
    plain = len(arguments) > 0 and not any(argument.startswith("-") for argument in arguments)
    if plain and arguments[0] == "encode" and len(arguments) in (2, 3):
        tolerate_characters()
        return _encode(arguments[1], arguments[2] if len(arguments) == 3 else None)
    return None


def version_line() -> str:
    """Returns the version, and whether the core is compiled."""
    from tokenarium_core import COMPILED, __version__

    return f"Tokenarium {__version__}, core {'compiled' if COMPILED else 'interpreted'}"


def tolerate_characters() -> None:
    """Makes the outputs write escapes for characters that they cannot encode.

    A terminal or a file may not be in UTF-8, and names may contain stray bytes.
    """
    for output in (sys.stdout, sys.stderr):
        if isinstance(output, io.TextIOWrapper):
            output.reconfigure(errors="backslashreplace")


def _encode(tokenizer: str, text: str | None) -> int:
    from tokenarium.commands.reading import FAILED, failure, text_of, tokenizer_of

    try:
        ids = tokenizer_of(tokenizer).encode_ids(text_of(text, None))
        print(" ".join(map(str, ids)), flush=True)
    except BrokenPipeError:  # the reader has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except (Exception, KeyboardInterrupt) as error:
        sentence, code = failure(error)
        print(f"\x1b[31m{sentence}\x1b[0m" if sys.stderr.isatty() else sentence, file=sys.stderr)
        return code
    return 0
