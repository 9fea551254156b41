"""The tests run the core that they should: a stray compiled module would hide a source."""

import importlib
import os
import pkgutil
import tomllib
from pathlib import Path

import pytest

import tokenarium_core

EXPECTED = os.environ.get("TOKENARIUM_EXPECT")
SETTINGS = Path(__file__).parents[2] / "core" / "pyproject.toml"
INTERPRETED = tomllib.loads(SETTINGS.read_text("utf-8"))["tool"]["tokenarium"]["interpreted"]
MODULES = [
    module.name
    for module in pkgutil.walk_packages(tokenarium_core.__path__, "tokenarium_core.")
    if not module.ispkg and not module.name.endswith("__mypyc")
]


@pytest.mark.skipif(
    EXPECTED is None, reason="TOKENARIUM_EXPECT says neither compiled nor interpreted"
)
@pytest.mark.parametrize("name", MODULES)
def test_every_module_runs_as_expected(name: str) -> None:
    file = importlib.import_module(name).__file__ or ""
    expected = "interpreted" if Path(file).name in INTERPRETED else EXPECTED
    assert ("interpreted" if file.endswith(".py") else "compiled") == expected, file


@pytest.mark.skipif(
    EXPECTED is None, reason="TOKENARIUM_EXPECT says neither compiled nor interpreted"
)
def test_the_core_says_how_it_runs() -> None:
    assert tokenarium_core.COMPILED is (EXPECTED == "compiled")
