"""System packages on Debian and Ubuntu: installed if allowed, otherwise the exact command is shown."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import terminal
from terminal import CommandError

LISTS = Path("/var/lib/apt/lists")
TRIES = 3
LOCK_WAIT = "DPkg::Lock::Timeout=300"  # seconds to wait while another program installs


def is_debian() -> bool:
    """Returns whether packages are installed with apt here."""
    return shutil.which("apt-get") is not None


def missing(packages: list[str]) -> list[str]:
    """Returns the Debian packages that are not installed, in their order."""
    query = ["dpkg-query", "--show", "--showformat=${Package} ${db:Status-Status}\n", *packages]
    _, output = terminal.captured(query)
    states = dict(line.split(" ", 1) for line in output.splitlines() if line.count(" ") == 1)
    return [package for package in packages if states.get(package) != "installed"]


def of_library(library: str) -> str:
    """Returns the package that holds a library, by Debian's naming rule, or "" if apt knows none.

    Debian Policy, section 8.1: the name of the library and its version, with a hyphen between two digits;
    ``t64`` where the package was renamed for 64-bit times.
    """
    name, found, version = library.partition(".so.")
    if not found or not is_debian():
        return ""
    stem = re.sub(r"[^a-z0-9+.-]", "-", name.lower())
    package = f"{stem}{'-' if stem[-1:].isdigit() else ''}{version}"
    return next((one for one in (package, f"{package}t64") if _is_known(one)), "")


def _is_known(package: str) -> bool:
    """Whether apt could install a package, by its local lists."""
    return terminal.captured(["apt-get", "-q", "--simulate", "install", package])[0] == 0


def install(packages: list[str], why: str) -> None:
    """Installs Debian packages; if that is not allowed, raises CommandError with the command to type."""
    by_hand = f"sudo apt-get install --no-install-recommends {' '.join(packages)}"
    if is_debian() and not _has_lists():
        by_hand = f"sudo apt-get update && {by_hand}"
    if not is_debian():
        raise CommandError(f"{why} is missing. On Debian or Ubuntu: {by_hand}")
    rights = rights_prefix()
    if rights is None:
        raise CommandError(
            f"{why} is missing, and installing it needs the rights of an administrator. Type:\n    {by_hand}"
        )
    variables = os.environ | {"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
    apt = [*rights, "apt-get", "-q", "-y", "-o", LOCK_WAIT]
    if rights:
        apt.insert(len(rights), "--preserve-env=DEBIAN_FRONTEND")
    if not _has_lists():
        _update(apt, variables)
    for attempt in range(1, TRIES + 1):
        try:
            terminal.run_quietly(
                [*apt, "install", "--no-install-recommends", *packages],
                f"Installing {why} ({_some(packages)})",
                variables=variables,
                advice=f"To try it by hand:\n    {by_hand}",
            )
        except CommandError:
            if attempt == TRIES:
                raise
            terminal.say(
                "  That did not work; the package lists are fetched again for a second try."
            )
            time.sleep(3 * attempt)
            _update(apt, variables)
            packages = _known_ones(packages)
        else:
            return


def _known_ones(packages: list[str]) -> list[str]:
    """Returns the packages without those that this release lacks, which are named, as one would stop apt."""
    known = [package for package in packages if _is_known(package)]
    if known and len(known) < len(packages):
        gone = ", ".join(package for package in packages if package not in known)
        terminal.say(f"  This system has no package {gone}; going on without.")
        return known
    return packages


def _update(apt: list[str], variables: dict[str, str]) -> None:
    """Updates the lists; failures are ignored, as only a failed installation matters."""
    try:
        terminal.run_quietly([*apt, "update"], "Fetching the package lists", variables=variables)
    except CommandError:
        terminal.say("  Not every package list could be fetched; going on with what is there.")


def rights_prefix() -> list[str] | None:
    """Returns what to put before apt-get: nothing for root, sudo if it asks no password, else None."""
    if os.name == "posix" and os.geteuid() == 0:
        return []
    if shutil.which("sudo"):
        asked = subprocess.run(
            ["sudo", "-n", "true"], stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        if asked.returncode == 0:
            return ["sudo", "-n"]
    return None


def _has_lists() -> bool:
    return any("_Packages" in entry.name for entry in LISTS.glob("*"))


def _some(packages: list[str], most: int = 3) -> str:
    """Returns the first names, and how many more there are."""
    names = ", ".join(packages[:most])
    return names if len(packages) <= most else f"{names} and {len(packages) - most} more"
