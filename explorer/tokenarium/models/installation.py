"""How this program was installed: from packages, or as an app with all that it needs (a "frozen" one)."""

from __future__ import annotations

import sys


def is_frozen() -> bool:
    """Whether this is the app that has its own Python in it, to which no package can be added."""
    return bool(getattr(sys, "frozen", False))


def how_to_get(packages: str) -> str:
    """Returns what to do where a library is missing, as a sentence; ``packages`` is what pip is given.

    >>> how_to_get("jinja2")
    'Install it: pip install jinja2'
    >>> how_to_get("tokenarium[hub]")
    'Install it: pip install "tokenarium[hub]"'
    """
    if is_frozen():
        return "This app does not contain it, and packages cannot be added to the app."
    quoted = f'"{packages}"' if "[" in packages else packages
    return f"Install it: pip install {quoted}"


def how_to_repair(package: str) -> str:
    """Returns what to do where a library is there and does not work, as a sentence."""
    if is_frozen():
        return "The app is incomplete: install it again."
    return f"Install it again: pip install --force-reinstall {package}"
