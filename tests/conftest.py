"""What all tests share: time limits, and the folder of real vocabularies and texts."""

from __future__ import annotations

import functools
import itertools
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import tokenarium_core as tc
from tokenarium_core import COMPILED

# An example may take as long as the machine lets it: no test depends on its speed. The interpreted core is some fifty
# times slower, and has fewer: its sources are those whose compiled form has all of them.
settings.register_profile(
    "any machine",
    deadline=None,
    max_examples=100 if COMPILED else 30,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("any machine")

# What a test that asks for one of these sets up takes longer than most tests: real vocabularies, Qt's event loop.
SLOW_FIXTURES = {"data", "qtbot"}

ROOT = Path(__file__).resolve().parents[1]
CORE = Path(__file__).resolve().parent / "core"


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks those tests as slow, others say so themselves; and those of the core which need not be compiled."""
    for item in items:
        fixtures = item.fixturenames if isinstance(item, pytest.Function) else ()
        if not SLOW_FIXTURES.isdisjoint(fixtures):
            item.add_marker("slow")
        if item.path.is_relative_to(CORE) and not item.get_closest_marker("compiled"):
            item.add_marker("core")


def data_folder() -> Path | None:
    """Returns the folder of real vocabularies and texts, None where this computer has none."""
    named = os.environ.get("TOKENARIUM_TEST_DATA")
    folder = Path(named) if named else ROOT.parent / "shared" / "data"
    return folder if folder.is_dir() else None


_FOLDERS = itertools.count()


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the test's own.

    pytest's looks through the folders of all earlier tests to number the next one: thousands, for each test.
    """
    name = re.sub(r"\W", "_", request.node.name)[:25]  # a socket's path has at most a hundred bytes
    return tmp_path_factory.mktemp(f"{name}-{next(_FOLDERS)}", numbered=False)


@pytest.fixture(scope="session", autouse=True)
def opened_files(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keeps the tokenizer cache of all tests in a folder of their own: a large file is read once."""
    os.environ.setdefault("TOKENARIUM_CACHE", str(tmp_path_factory.mktemp("opened")))


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real vocabularies and texts; tests that need it are skipped where it is not there."""
    folder = data_folder()
    if folder is None:
        pytest.skip("needs the folder that TOKENARIUM_TEST_DATA names")
    return folder


@pytest.fixture(scope="session")
def real(data: Path) -> Callable[[str], tc.Tokenizer]:
    """Opens a real tokenizer by the name of its file, once for all tests that only read it."""
    return functools.cache(lambda name: tc.open(data / "tokenizers" / name))


@pytest.fixture(scope="session")
def texts(data: Path) -> dict[str, str]:
    """The Universal Declaration of Human Rights by language: 34 texts of 8 to 45 KB."""
    found = {
        path.stem: path.read_text("utf-8")
        for path in sorted((data / "text" / "udhr").glob("*.txt"))
    }
    assert len(found) > 30
    return found


@pytest.fixture
def tiktoken_cache(data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """tiktoken's cache with the official files, set for this test."""
    folder = data / "tokenizers" / "tiktoken-cache"
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
    return folder
