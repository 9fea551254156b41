"""The errors that the core raises on purpose: each message is a whole sentence for users.

Where Python has an error for the same, ours is derived from it too, so `except` works with either. A class with two
bases cannot be a native one, and then no other class here can be.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import mypyc_attr

_LONGEST: Final = 2000  # characters of a message


@mypyc_attr(native_class=False)
class TokenariumError(Exception):
    """Base of all errors below: catch this one to show the message to a user.

    The message is one line. The middle of a long one is left out: it may quote what a file contains.
    """

    def __init__(self, message: str) -> None:
        line = " ".join(message.splitlines()) if len(message.splitlines()) > 1 else message
        if len(line) > _LONGEST:
            line = f"{line[: _LONGEST // 2]} … {line[-_LONGEST // 2 :]}"
        super().__init__(line)


@mypyc_attr(native_class=False)
class FormatError(TokenariumError, ValueError):
    """A file or a value does not follow its format; says where (file, line or offset, field)."""


@mypyc_attr(native_class=False)
class NotAvailable(TokenariumError, FileNotFoundError):
    """Something known is not on this computer; says what, where it was expected, how to get it."""


@mypyc_attr(native_class=False)
class UnsupportedError(TokenariumError, ValueError):
    """A tokenizer of this kind cannot do what is asked, or not with this text; says why."""


@mypyc_attr(native_class=False)
class WriteError(TokenariumError, OSError):
    """A file cannot be written; says which, and why."""


@mypyc_attr(native_class=False)
class ArgumentError(TokenariumError, ValueError):
    """An argument is not one of the possible values, or not in the right form."""


@mypyc_attr(native_class=False)
class ArgumentTypeError(ArgumentError, TypeError):
    """An argument has the wrong type, such as bytes instead of a text; says what to do."""


@mypyc_attr(native_class=False)
class IdError(TokenariumError, IndexError):
    """An id that a vocabulary does not have, or that is unused in it; or the number of a merge or an entry that does not exist."""


@mypyc_attr(native_class=False)
class TokenError(TokenariumError, KeyError):
    """A token that a vocabulary does not have."""

    def __str__(self) -> str:  # KeyError shows its argument as Python writes it, in quotes
        return str(self.args[0])


@mypyc_attr(native_class=False)
class RoomError(TokenariumError):
    """A stage would make far more of a text than it was given, or a file asks for more than any tokenizer needs."""


@mypyc_attr(native_class=False)
class PatternError(TokenariumError, ValueError):
    """A pre-token pattern that does not compile, leaves characters out, or takes too long.

    ``position`` is a character index, into the pattern when ``in_text`` is false, else into the text;
    -1 if none is known.
    """

    def __init__(self, message: str, position: int = -1, in_text: bool = False) -> None:
        super().__init__(message)
        self.position = position
        self.in_text = in_text


@mypyc_attr(native_class=False)
class SpecialTokenError(TokenariumError, ValueError):
    """A text holds a special token that the caller does not allow; ``position`` is its byte offset."""

    def __init__(self, message: str, token: str, position: int) -> None:
        super().__init__(message)
        self.token = token
        self.position = position
