"""Assertions about one value: its type, and what it contains."""

from __future__ import annotations

from typing import Any, TypeVar

T = TypeVar("T")


def there(value: T | None) -> T:
    """Returns a value, which must not be None."""
    assert value is not None
    return value


def of_kind(value: object, kind: type[T]) -> T:
    """Returns a value, which must be of this kind."""
    assert isinstance(value, kind), value
    return value


def assert_contains(container: Any, *parts: object) -> None:
    """Asserts that each part is in a container."""
    missing = [part for part in parts if part not in container]
    assert not missing, container
