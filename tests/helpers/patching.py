"""Several attributes replaced for a test."""

from __future__ import annotations

from typing import Any

import pytest


def patch_all(monkeypatch: pytest.MonkeyPatch, target: Any, **values: Any) -> None:
    """Replaces attributes of a module, a class or an object until the test ends; each must exist."""
    for name, value in values.items():
        monkeypatch.setattr(target, name, value)
