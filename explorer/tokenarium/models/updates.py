"""Whether there is a newer version, by what the Python Package Index says of the package.

https://docs.pypi.org/api/json/ describes the answer, PEP 440 the versions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

import msgspec

from tokenarium_core import TokenariumError, __version__

INDEX_URL: Final = "https://pypi.org/pypi/tokenarium/json"
"""What is asked."""

MOST_ANSWER: Final = 4 << 20
"""Bytes of the largest answer that is read."""

EVERY_DAYS: Final = 7
"""Days between two checks that nothing but the setting asked for."""

MOST_NEWS: Final = 6_000
"""Characters of what is new that are shown."""


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A version that is newer than this one; ``news`` is its part of the changelog, if the index has it."""

    version: str
    news: str = ""


class _Info(msgspec.Struct):
    version: str = ""
    description: str | None = None


class _File(msgspec.Struct):
    yanked: bool = False


class _Answer(msgspec.Struct):
    info: _Info
    releases: dict[str, list[_File]] = {}


def newer_version(answer: bytes, own: str = __version__) -> NewVersion | None:
    """Returns the newest version in an answer of the index, if it is newer than ``own``; else None.

    Withdrawn versions do not count, and versions that are not final only where ``own`` is not final either.
    TokenariumError if the answer is not one.
    """
    try:
        read = msgspec.json.decode(answer, type=_Answer)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise TokenariumError(
            "The package index gave an answer that is not about a package. A proxy or a login page may have given it."
        ) from error
    offered = {
        version
        for version, files in read.releases.items()
        if any(not file.yanked for file in files)
    }
    if not read.releases:
        offered = {read.info.version}
    mine = version_key(own)
    if mine is None:
        raise TokenariumError(f"The version of this Tokenarium, {own}, cannot be compared.")
    keyed = [(key, version) for version in offered if (key := version_key(version)) is not None]
    keyed = [keyed_version for keyed_version in keyed if keyed_version[0].final or not mine.final]
    best = max(keyed, key=lambda one: one[0].order, default=None)
    if best is None or best[0].order <= mine.order:
        return None
    return NewVersion(best[1], news_of(read.info.description or "", best[1]))


@dataclass(frozen=True, slots=True)
class VersionKey:
    """A version as PEP 440 orders them; ``final``: neither for development nor before a release."""

    order: tuple[Any, ...]
    final: bool


_VERSION = re.compile(
    r"v?(?:(?P<epoch>\d{1,18})!)?(?P<release>\d{1,18}(?:\.\d{1,18}){0,9})"
    r"(?:[-_.]?(?P<pre>alpha|a|beta|b|preview|pre|c|rc)[-_.]?(?P<pre_n>\d{1,18})?)?"
    r"(?P<post>-(?P<post_1>\d{1,18})|[-_.]?(?:post|rev|r)[-_.]?(?P<post_2>\d{1,18})?)?"
    r"(?P<dev>[-_.]?dev[-_.]?(?P<dev_n>\d{1,18})?)?"
    r"(?:\+(?P<local>[a-z0-9]{1,40}(?:[-_.][a-z0-9]{1,40}){0,9}))?",
    re.IGNORECASE | re.ASCII,
)
_PRE = {"alpha": "a", "beta": "b", "preview": "rc", "pre": "rc", "c": "rc"}
_LEAST, _MOST = ("",), ("zzz",)  # before and after each kind of pre-release


def version_key(text: str) -> VersionKey | None:
    """Returns the order of a version, as ``packaging.version`` has it; None for a text that is no version."""
    match = _VERSION.fullmatch(text.strip())
    if match is None:
        return None
    release = tuple(int(part) for part in match["release"].split("."))
    while len(release) > 1 and release[-1] == 0:
        release = release[:-1]
    pre, post, dev = match["pre"], match["post"], match["dev"]
    if pre:
        pre_order: tuple[Any, ...] = (_PRE.get(pre.lower(), pre.lower()), int(match["pre_n"] or 0))
    else:
        pre_order = _LEAST if dev and not post else _MOST
    post_order = int(match["post_1"] or match["post_2"] or 0) if post else -1
    dev_order = (0, int(match["dev_n"] or 0)) if dev else (1, 0)
    local = tuple(
        (1, int(part), "") if part.isdecimal() else (0, 0, part.lower())
        for part in re.split(r"[-_.]", match["local"] or "")
        if part
    )
    order = (int(match["epoch"] or 0), release, pre_order, post_order, dev_order, local)
    return VersionKey(order, not (pre or dev))


def upgrade_command(prefix: str) -> str:
    """Returns the command that updates the program; ``prefix`` is the environment that it is in.

    >>> upgrade_command("/home/anna/.local/share/uv/tools/tokenarium")
    'uv tool upgrade tokenarium'
    """
    parts = re.split(r"[/\\]", prefix)
    if "pipx" in parts:
        return "pipx upgrade tokenarium"
    if "uv" in parts and "tools" in parts:
        return "uv tool upgrade tokenarium"
    return "python3 -m pip install --upgrade tokenarium"


_HEADING = re.compile(r"(#{1,6})\s+(.*)")


def news_of(description: str, version: str) -> str:
    """Returns the part about a version of a description in Markdown, from its heading to the next one as high.

    >>> news_of("# A\\n## Changelog\\n### 1.1\\nMore.\\n### 1.0\\nFirst.", "1.1")
    'More.'
    """
    lines: list[str] = []
    level = 0
    for line in description.splitlines():
        heading = _HEADING.match(line)
        if heading is not None and level and len(heading[1]) <= level:
            break
        if level:
            lines.append(line)
        elif heading is not None and re.search(
            rf"(?<![\w.]){re.escape(version)}(?![\w.]|-\w)", heading[2]
        ):
            level = len(heading[1])
    return "\n".join(lines).strip()[:MOST_NEWS]


def is_due(last: str, today: date) -> bool:
    """Whether a check is due that is made once a week; ``last`` is the date of the last one, or an empty text.

    A date in the future, of a clock that was wrong, counts as none.
    """
    try:
        passed = (today - date.fromisoformat(last)).days
    except ValueError:
        return True
    return not 0 <= passed < EVERY_DAYS
