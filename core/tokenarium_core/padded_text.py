"""A text as every stage reads it: UTF-8 followed by zero bytes, so that eight bytes can be read anywhere."""

from __future__ import annotations

from typing import Final

from tokenarium_core.errors import ArgumentError

PADDING: Final = 16
"""Zero bytes that must follow a text, so that scanners can read eight bytes at once anywhere."""

ZEROS: Final = bytes(PADDING)
"""That padding itself."""


def padded(text: str) -> bytes:
    """Returns the UTF-8 bytes of a text with `PADDING` zero bytes after them.

    A lone surrogate, which UTF-8 cannot hold, becomes U+FFFD, as in tiktoken.
    """
    try:
        return text.encode() + ZEROS
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode() + ZEROS


def utf8_size(text: str) -> int:
    """Returns the size of `padded` without the padding.

    >>> utf8_size("naïve")
    6
    """
    return len(text) if text.isascii() else len(padded(text)) - PADDING


def check_padding(data: bytes) -> None:
    """Raises ArgumentError for bytes that `padded` did not create: without zero bytes after them."""
    if not data.endswith(ZEROS):
        raise ArgumentError(
            f"A text in bytes ends with {PADDING} zero bytes, and this one does not: make it from a str with"
            " `padded`."
        )
