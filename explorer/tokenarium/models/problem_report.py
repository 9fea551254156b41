"""A report of a problem, to be copied: versions, the system, what went wrong and the end of the log, but no texts."""

from __future__ import annotations

import locale
import os
import platform
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from tokenarium.models.fault_notes import short_path, without_home
from tokenarium.models.installation import is_frozen
from tokenarium.models.machine import machine_name
from tokenarium.models.program_log import fault_path, tail_of
from tokenarium_core import COMPILED, __version__

LOG_END: Final = 6_000
"""Bytes of the end of the log in a report."""

FAULT_END: Final = 8_000
"""Characters of the beginning of what `faulthandler` wrote."""

Fact = tuple[str, str]
"""A name, and what it is here."""


@cache
def project_url(*labels: str) -> str:
    """Returns the first of the project's addresses with one of these labels, in their order; an empty text for none.

    It is in the metadata of the installed package (``[project.urls]``): nothing else knows an address.

    >>> project_url("no such label")
    ''
    """
    from importlib import metadata

    try:
        lines = metadata.metadata("tokenarium").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return ""
    addresses: dict[str, str] = {}
    for line in lines:
        label, _, url = str(line).partition(",")
        if url.strip().startswith("https://"):
            addresses[_plain(label)] = url.strip()
    return next((addresses[_plain(label)] for label in labels if _plain(label) in addresses), "")


def _plain(label: str) -> str:
    """Returns a label as the packaging index compares them: letters and digits alone, in lower case."""
    return re.sub(r"[^a-z0-9]", "", label.lower())


def tracker_url() -> str:
    """Returns the address where problems are reported; an empty text if none is known."""
    return project_url("Issues", "Bug Tracker", "Tracker", "Bug Reports", "Issue")


@cache
def library_versions() -> list[Fact]:
    """Returns the installed libraries that the program names as its own needs, with their versions."""
    from importlib import metadata

    needs: list[str] = []
    for name in ("tokenarium", "tokenarium-core"):
        try:
            needs += metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue
    names = [
        re.split(r"[^\w.-]", need)[0]
        for need in needs
        if not re.search(r"extra\s*==\s*['\"](test|bench)", need)
    ]
    libraries: list[Fact] = []
    for name in dict.fromkeys(name.lower() for name in names):
        if name.startswith("tokenarium"):
            continue
        try:
            libraries.append((name, metadata.version(name)))
        except metadata.PackageNotFoundError:
            continue
    return sorted(libraries)


def facts(qt: Sequence[Fact] = ()) -> list[Fact]:
    """Returns the versions and the system; ``qt`` are facts of the window, such as its screens."""
    core = "compiled" if COMPILED else "interpreted"
    kind = " (frozen app)" if is_frozen() else ""
    language = locale.getlocale()[0] or "not set"
    desktop = os.environ.get("XDG_CURRENT_DESKTOP", "")
    return [
        ("Tokenarium", f"{__version__}{kind}, core {core}"),
        ("Python", f"{platform.python_implementation()} {platform.python_version()}"),
        *qt,
        ("System", f"{platform.platform()}{f', {desktop}' if desktop else ''}"),
        ("Machine", f"{machine_name()}, {platform.machine()}"),
        ("Language", language),
        ("Libraries", ", ".join(f"{name} {version}" for name, version in library_versions())),
    ]


def window_facts() -> list[Fact]:
    """Returns the versions of Qt, and the screens."""
    import PySide6
    from PySide6.QtCore import qVersion
    from PySide6.QtGui import QGuiApplication

    from tokenarium.style.zoom import scale

    window_facts: list[Fact] = [
        ("Qt", f"{qVersion()} ({QGuiApplication.platformName()}), PySide6 {PySide6.__version__}"),
    ]
    screens = [
        f"{screen.size().width()} × {screen.size().height()} at {screen.devicePixelRatio():.2g}"
        for screen in QGuiApplication.screens()
    ]
    window_facts.append(("Screens", f"{'; '.join(screens)}; everything at {scale()} %"))
    return window_facts


def report_text(
    what: str, traces: Sequence[str], log: Path | None, qt: Sequence[Fact] = (), fault: str = ""
) -> str:
    """Returns a report: ``what`` happened in a line, tracebacks, the system, the end of a log.

    ``fault``: what `faulthandler` wrote.
    """
    parts = [what, *(_block(trace) for trace in traces if trace)]
    if fault:
        parts.append(f"Where it ended:\n{_block(fault[:FAULT_END])}")
    parts.append("\n".join(f"{name}: {value}" for name, value in facts(qt)))
    end = tail_of(log, LOG_END) if log is not None else ""
    if end:
        parts.append(f"The end of the log:\n{_block(end)}")
    return without_home("\n\n".join(parts)) + "\n"


def _block(text: str) -> str:
    """Returns a text as code of Markdown, as trackers show it."""
    return f"```\n{text.strip()}\n```"


def ended_in(log_name: str) -> str:
    """Returns what `faulthandler` wrote when the process with this log ended, with the paths of files cut short."""
    if not log_name:
        return ""
    text = tail_of(fault_path(log_name)).partition("\nExtension modules:")[0]
    return _FILE.sub(lambda found: f'"{short_path(found[1])}"', text)


_FILE = re.compile(r'"([^"\n]+)"')
