"""Messages of the developer commands, and quiet runs of tools, whose output is shown when they fail."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from project import ROOT

TAIL = 25  # the last lines of a failed tool that are shown

BOLD, RED, GREEN = "1", "31", "32"


class CommandError(Exception):
    """An error that says what went wrong and what to do; ends the command with exit code 1."""


def styled(text: str, *codes: str) -> str:
    """Returns the text in these ANSI styles if the output is a terminal that supports them."""
    return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if _shows_colours() else text


def say(text: str) -> None:
    """Prints a line at once."""
    print(text, flush=True)


def heading(text: str) -> None:
    """Prints the heading of a stage."""
    say(f"\n{styled(text, BOLD)}")


def complain(text: str) -> None:
    """Prints an error, after all earlier output."""
    sys.stdout.flush()
    print(styled("Stopped: ", RED, BOLD) + text, file=sys.stderr, flush=True)


def short(path: Path) -> str:
    """Returns the path relative to the current folder, or the full path if it is elsewhere."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def duration(seconds: float) -> str:
    """Returns a time as people say it: ``0.4 s``, ``41 s``, ``3 min 07 s``."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60:02d} s"


def tail(output: str, lines: int = TAIL) -> str:
    """Returns the last lines of a tool's output, indented; blank lines at the end do not count."""
    return "\n".join(f"    {line}" for line in output.rstrip().splitlines()[-lines:])


def run_quietly(
    command: Sequence[str | Path],
    what: str,
    *,
    variables: dict[str, str] | None = None,
    advice: str = "",
) -> None:
    """Runs a tool, and prints how long it took; raises CommandError with its last lines if it fails."""
    start = time.monotonic()
    print(f"{what} …", end="" if sys.stdout.isatty() else "\n", flush=True)
    code, output = captured(command, variables=variables, live=f"{what} …")
    if code == 0:
        took = duration(time.monotonic() - start)
        say(f"\r\x1b[K{what}: {took}" if sys.stdout.isatty() else f"  done in {took}")
        return
    if sys.stdout.isatty():
        say("")
    tool = " ".join(str(word) for word in command)
    message = (
        f"this command failed with exit code {code}:\n    {tool}\nIts last lines:\n{tail(output)}"
    )
    raise CommandError(f"{message}\n{advice}" if advice else message)


def captured(
    command: Sequence[str | Path], *, variables: dict[str, str] | None = None, live: str = ""
) -> tuple[int, str]:
    """Returns the exit code and the whole output, errors included.

    With ``live`` a terminal shows the tool's current line after that text, so that a long
    download does not look like a hang.
    """
    try:
        process = subprocess.Popen(
            [str(word) for word in command],
            cwd=ROOT,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        )
    except OSError as error:
        return 127, f"{command[0]}: {error.strerror}"
    lines = []
    with process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            if live and sys.stdout.isatty():
                room = shutil.get_terminal_size().columns - 1
                print(f"\r\x1b[K{f'{live} {line.strip()}'[:room]}", end="", flush=True)
    return process.returncode, "".join(lines)


def _shows_colours() -> bool:
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return sys.platform != "win32" or "WT_SESSION" in os.environ
