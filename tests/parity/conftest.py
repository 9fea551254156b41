"""What several tests beside libraries share."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import pytest
from model_folders import Child


@pytest.fixture(scope="module")
def child() -> Iterator[Child]:
    """Transformers in a process of its own, for all tests of a file."""
    if importlib.util.find_spec("transformers") is None:
        pytest.skip("transformers is not installed")
    made = Child()
    yield made
    made.close()
