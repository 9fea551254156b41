"""Faults of the program that attacks have to find: what is replaced by something wrong, and wrong things to replace it by."""

from __future__ import annotations

import contextlib
import os
import resource
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from attack import Fault

import tokenarium_core as tc


def instead(place: Any, name: str, make: Callable[[Any], Any]) -> Fault:
    """Returns a fault: ``place.name`` is what ``make`` returns of it.

    AttributeError where there is no such name, so that a fault cannot outlive what it is in. What is compiled cannot be
    changed in its class: it is replaced by another object where an attack finds it, under its module's name for it.
    """
    before = getattr(place, name)
    return lambda: mock.patch.object(place, name, make(before))


def patched(name: str, new: Any) -> Fault:
    """Returns a fault: what has this name, with its module's, is something else. It has to be there."""
    return lambda: mock.patch(name, new)


def together(*faults: Fault) -> Fault:
    """Returns a fault of several."""

    @contextlib.contextmanager
    def block() -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            for fault in faults:
                stack.enter_context(fault())
            yield

    return block


def no_sentence(*_: object, **__: object) -> Any:
    """Refuses a file with no sentence."""
    raise tc.FormatError("no sentence")


def fail_inside(*_: object, **__: object) -> Any:
    """Raises a KeyError as the program would: not in a line of the tests, which would be the suite's own."""
    return os.environ["A PLANTED FAULT"]


def without_a_sentence(before: Any) -> Any:
    """Returns what refuses a file as ``before`` does, but with no sentence."""

    def open(*values: Any, **named: Any) -> Any:
        try:
            return before(*values, **named)
        except tc.FormatError as error:
            raise type(error)("bad file") from error

    return open


def with_a_fault(before: Any) -> Any:
    """Returns what fails inside where ``before`` refuses a file."""

    def open(*values: Any, **named: Any) -> Any:
        try:
            return before(*values, **named)
        except tc.FormatError:
            return fail_inside()

    return open


def abort(*_: object, **__: object) -> Any:
    """Ends the process."""
    os.abort()


def never_end(*_: object, **__: object) -> Any:
    """Computes without an end."""
    while True:
        pass


class Bent:
    """A tokenizer with some methods replaced: each gets the tokenizer, and its arguments."""

    def __init__(self, tokenizer: tc.Tokenizer, **methods: Callable[..., Any]) -> None:
        self._tokenizer = tokenizer
        self._methods = methods

    def __getattr__(self, name: str) -> Any:
        if name in self._methods:
            return lambda *values, **named: self._methods[name](self._tokenizer, *values, **named)
        return getattr(self._tokenizer, name)


def bent(**methods: Callable[..., Any]) -> Callable[[Any], Any]:
    """Returns what makes a function that returns tokenizers return such ones."""
    return lambda before: lambda *values, **named: Bent(before(*values, **named), **methods)


def backwards(tokenizer: tc.Tokenizer, *values: Any, **named: Any) -> Any:
    """Returns ids in the wrong order."""
    return tokenizer.encode_ids(*values, **named)[::-1]


def in_place(path: Path, content: bytes) -> None:
    """Writes a file as it must not be written: what was there is gone before the new content is whole."""
    half = len(content) // 2
    path.write_bytes(content[:half])
    with path.open("ab") as file:
        file.write(content[half:])


def save_in_place(tokenizer: tc.Tokenizer, path: Path, format: str = "tokenarium") -> None:
    """Saves a tokenizer so."""
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, limit[1]))
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.save(Path(folder, path.name), format)
        made = {path.parent / file.name: file.read_bytes() for file in Path(folder).iterdir()}
    resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    for file, content in made.items():
        in_place(file, content)
