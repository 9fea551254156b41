"""Versions are ordered as the index orders them, and no answer of a server does harm."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from narrowed import there
from packaging.version import InvalidVersion, Version

from tokenarium.models.updates import is_due, newer_version, news_of, version_key
from tokenarium_core import TokenariumError

NUMBER = st.integers(0, 30).map(str)
VERSIONS = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(["", "1!"]),
        st.lists(NUMBER, min_size=1, max_size=4).map(".".join),
        st.sampled_from(["", "a1", "b2", "rc1", ".alpha.3", "-c", "preview4", "RC2"]),
        st.sampled_from(["", ".post1", "-2", ".rev", "post3"]),
        st.sampled_from(["", ".dev1", "dev", "-dev4"]),
        st.sampled_from(["", "+local.1", "+1", "+abc", "+1.a", "+10"]),
    ),
)


@given(VERSIONS, VERSIONS)
def test_versions_are_ordered_as_packaging_does(one: str, two: str) -> None:
    left, right = there(version_key(one)), there(version_key(two))
    assert (left.order < right.order) == (Version(one) < Version(two))
    assert (left.order == right.order) == (Version(one) == Version(two))
    assert left.final == (not Version(one).is_prerelease)


@given(st.text(alphabet="0123456789.abcdevrpost+-_!v x\n٣", max_size=12))
def test_a_text_is_a_version_where_it_is_one_for_packaging(text: str) -> None:
    try:
        Version(text)
    except InvalidVersion:
        assert version_key(text) is None
    else:
        assert version_key(text) is not None


def answer(*versions: str, yanked: tuple[str, ...] = (), **info: Any) -> bytes:
    releases = {one: [{"yanked": one in yanked, "size": 3}] for one in versions}
    newest = versions[-1] if versions else ""
    return json.dumps({"info": {"version": newest, **info}, "releases": releases}).encode()


@pytest.mark.parametrize(
    ("own", "given", "newest"),
    [
        ("1.0", answer("0.9", "1.0"), None),
        ("1.0", answer("1.0", "1.10", "1.9"), "1.10"),
        ("1.0", answer("1.0", "1.1rc1"), None),
        ("1.0rc1", answer("1.0rc1", "1.0rc2"), "1.0rc2"),
        ("1.0.dev3", answer("1.0"), "1.0"),
        ("1.0", answer("1.0", "1.1", "1.2", yanked=("1.2",)), "1.1"),
        ("1.0", answer("1.0", "not a version", "<b>9</b>"), None),
        ("1.0", b'{"info": {"version": "2.0"}}', "2.0"),
        ("1.0", b'{"info": {"version": "2.0"}, "releases": {"3.0": []}}', None),
        ("1.0", b'{"info": {}}', None),
    ],
)
def test_the_newest_version(own: str, given: bytes, newest: str | None) -> None:
    found = newer_version(given, own)
    assert (found.version if found else None) == newest


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>Log in</html>",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"info": 3}',
        b'{"info": {"version": ["2"]}}',
        b'{"info": {"version": "2"}, "releases": [1]}',
        b'{"info": {"version": "2"}, "releases": {"2": {"yanked": 1}}}',
        b'{"info":' + b"[" * 200_000,
        b"{" + b'"a":{' * 100_000,
    ],
)
def test_a_hostile_answer_is_a_sentence(content: bytes) -> None:
    with pytest.raises(TokenariumError, match="not about a package"):
        newer_version(content, "1.0")


CHANGELOG = """# Tokenarium

Words about 1.1 here.

## Changelog

### [1.10] - 2026-01-01

Tenth.

### [1.1] - 2025-01-01

- One <b>thing</b>.

#### Details

More of 1.1.

### 1.0

First.
"""


@pytest.mark.parametrize(
    ("version", "begins", "ends"),
    [
        ("1.1", "- One", "More of 1.1."),
        ("1.10", "Tenth.", "Tenth."),
        ("1.0", "First.", "First."),
        ("2", "", ""),
    ],
)
def test_news(version: str, begins: str, ends: str) -> None:
    found = news_of(CHANGELOG, version)
    assert found.startswith(begins)
    assert found.endswith(ends)
    assert bool(found) == bool(begins)


def test_news_are_not_longer_than_can_be_read() -> None:
    assert len(news_of("# 1.1\n" + "x" * 1_000_000, "1.1")) < 10_000


@pytest.mark.parametrize(
    ("days", "due"), [(0, False), (6, False), (7, True), (400, True), (-3, True)]
)
def test_a_check_is_due_once_a_week(days: int, due: bool) -> None:
    today = date(2026, 5, 1)
    assert is_due((today - timedelta(days)).isoformat(), today) is due
    assert is_due("", today)
    assert is_due("not a date", today)
