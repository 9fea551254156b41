"""What callers hand in, as the core needs it: texts, bytes and ids, or an error that says what to hand in instead.

Compiled code checks the types of its arguments by itself, but says only which one it got. So the parameters of public
functions take anything, and these functions check it.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import Any

from tokenarium_core.errors import ArgumentTypeError


def text_of(text: str | Any) -> str:
    """Returns a text; ArgumentTypeError for anything else."""
    if isinstance(text, str):
        return text
    if isinstance(text, bytes | bytearray | memoryview):
        raise ArgumentTypeError(
            "A text must be a str, not bytes: decode it (data.decode()), or use encode_bytes."
        )
    raise ArgumentTypeError(f"A text must be a str, not {type(text).__name__}.")


def texts_of(texts: Iterable[str] | Any) -> Iterable[Any]:
    """Returns what has texts, which `text_of` checks; ArgumentTypeError for one text, whose characters would be the texts."""
    if isinstance(texts, str | bytes):
        raise ArgumentTypeError(
            "Several texts must be a list of str, not a single str: put it into a list, or use the function for one"
            " text."
        )
    if not hasattr(texts, "__iter__"):
        raise ArgumentTypeError(f"Several texts must be a list of str, not {type(texts).__name__}.")
    found: Iterable[Any] = texts
    return found


def data_of(data: bytes | Any) -> bytes:
    """Returns bytes; ArgumentTypeError for anything but bytes, a bytearray or a memoryview."""
    if isinstance(data, bytes):
        return data
    if isinstance(data, bytearray | memoryview):
        return bytes(data)
    if isinstance(data, str):
        raise ArgumentTypeError(
            "The data must be bytes, not a str: encode it as UTF-8 (text.encode())."
        )
    raise ArgumentTypeError(f"The data must be bytes, not {type(data).__name__}.")


def id_of(id: object) -> int:
    """Returns an id as Python's integer, also one of numpy; ArgumentTypeError for what is none."""
    try:
        return index(id)  # type: ignore[arg-type]
    except TypeError:
        raise ArgumentTypeError(f"An id must be an integer, not {type(id).__name__}.") from None


def whole_number(number: object) -> int:
    """Returns a number as Python's integer, also one of numpy; ArgumentTypeError for anything else."""
    try:
        return index(number)  # type: ignore[arg-type]
    except TypeError:
        raise ArgumentTypeError(
            f"A number must be an integer here, not {type(number).__name__}."
        ) from None


def ids_of(ids: Iterable[int] | Any) -> list[int]:
    """Returns ids as a list: of a list, an array, a tensor or anything else that has integers.

    Only what is not a list is checked: `whole_numbers` checks a list if its integers turn out to be of another kind.
    """
    if isinstance(ids, list):
        return ids
    if isinstance(ids, str | bytes | bytearray):
        raise ArgumentTypeError(f"Ids must be integers, such as [0, 1], not {type(ids).__name__}.")
    # Arrays, tensors and buffers make Python's integers of theirs faster than one by one.
    whole = getattr(ids, "tolist", None)
    values: Any = whole() if whole is not None else ids
    if isinstance(values, list):
        return values
    if not hasattr(values, "__iter__"):
        raise ArgumentTypeError(
            f"Ids must be a list of integers, such as [0, 1], not {type(ids).__name__}."
        )
    return whole_numbers(values)


def whole_numbers(ids: Iterable[object]) -> list[int]:
    """Returns each of some ids as Python's integer; ArgumentTypeError for what is none."""
    return [id_of(id) for id in ids]
