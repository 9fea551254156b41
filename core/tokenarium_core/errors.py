"""The errors that the core raises on purpose: each message is a whole sentence for a person."""

from __future__ import annotations


class TokenariumError(Exception):
    """Base of all errors below: catch this one to show the message to a person."""


class FormatError(TokenariumError):
    """A file or a value is not what its format asks for; says where (file, line or offset, field)."""


class NotAvailable(TokenariumError):
    """Something known is not on this computer; says what, where it was looked for, how to get it."""


class PatternError(TokenariumError):
    """A pre-token pattern that does not compile, leaves characters out, or takes too long.

    ``position`` is a character index, into the pattern when ``in_text`` is false, else into the text;
    -1 where none is known.
    """

    def __init__(self, message: str, position: int = -1, in_text: bool = False) -> None:
        super().__init__(message)
        self.position = position
        self.in_text = in_text


class SpecialTokenError(TokenariumError):
    """A text holds a special token that the caller disallowed; ``position`` is its byte offset."""

    def __init__(self, message: str, token: str, position: int) -> None:
        super().__init__(message)
        self.token = token
        self.position = position
