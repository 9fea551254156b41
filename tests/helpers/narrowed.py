"""Values that may be None, in tests where they must not."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def there(value: T | None) -> T:
    """Returns a value, which must not be None."""
    assert value is not None
    return value
