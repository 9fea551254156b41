"""What is written down of a fault of the program: where it happened, and none of the user's texts.

The message of an exception may quote anything, such as the text that could not be read. So only those of its words
stay that are the program's own: names and constants of the code that raised it, and the words of Python's messages.
"""

from __future__ import annotations

import builtins
import linecache
import os
import re
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Final

LEFT_OUT: Final = "…"
"""What is put in the place of a word that is not the program's own."""

FRAMES: Final = 12
"""Calls of a traceback that are written down at its beginning, and at its end."""

MOST_MESSAGE: Final = 500
"""Characters of a message that are looked at."""

CHAIN: Final = 5
"""Exceptions that led to each other which are written down."""

_PACKAGES = ("tokenarium", "tokenarium_core")
_WORDS = re.compile(r"\w+|\s+|.", re.DOTALL)
_QUOTED = re.compile(r"""'[^']*'|"[^"]*"|“[^”]*”|‘[^’]*’|`[^`]*`|«[^»]*»""", re.DOTALL)
_PATHS = re.compile(r"file:/\S+|(?<![\w.])(?:~|[A-Za-z]:)?[/\\][^\s:;,'\"]+")

_WORDS_OF_PYTHON: Final = """
a above after all already an and any are argument arguments array as ascii assignment associated at attribute
axis base be been before below between big bit bool boolean bound bounds broadcast broken busy but by byte
bytearray bytes c call called can cannot changed character characters class closed code codec comparison
concatenate connection contain context conversion convert could cpp created data decode deleted denied depth
descriptor destroyed device dict dictionary did dimension dimensions directory divide division does dtype during
e either element elements empty encode end equal error exceeded exhausted exists expected failed false few file
float for format found from frozenset function generator get given got had has hashable have in index indexes
indices initialize initialized instance instances instead int integer internal into invalid is it item items
iterable iteration iterator its key keys keyword large len length less libshiboken list literal local longer
main many mapping maximum memory method mismatch missing module modulo more most must mutated name nan need
negative no non none nonetype not null number object objects of on only open operand operands operation operator
or order ordinal out overflow pack parameter permission pipe pop position positional possible process range
reached read recursion reduced reference referenced refused released required reset result returned running same
sequence set shape shapes shiboken should signal signature size slice slot small start step str string sub
subscriptable supported surrogates t takes than that the there this thread timed timeout to together too true
truth tuple type types unable unbound undefined underlying unexpected unhashable unknown unpack unsupported use
used utf value values variable was were when where while with within without wrapped wrong yet zero zip
"""
_USUAL: Final = frozenset(_WORDS_OF_PYTHON.split())
"""The words of Python's messages, and those of its libraries, in lower case."""


_WORDS_BEFORE: Final = """
argument axis base but byte dimension exceeded expected got index length line of position requires size takes than to with
"""
_BEFORE: Final = frozenset(_WORDS_BEFORE.split())
"""The words after which a number is one of the program's."""


@dataclass(frozen=True, slots=True)
class FaultNote:
    """A fault, written down.

    ``key`` is the same for the same fault; ``kind`` is the type of the exception, ``place`` a file and a line.
    ``own``: whether the program raised it, rather than a library that it called.
    """

    key: str
    kind: str
    place: str
    trace: str
    own: bool = True


def note_of(error: BaseException) -> FaultNote:
    """Returns what is written down of a fault."""
    kind = _kind(error)
    last = _last_frame(error.__traceback__)
    if last is None:
        return FaultNote(kind, kind, "", traced(error))
    file, line = last
    location = f"{short_path(file)}, line {line}"
    return FaultNote(f"{kind} {location}", kind, location, traced(error), _is_own(file))


def key_of(error: BaseException) -> str:
    """Returns the key of a fault, as `note_of` has it, in a few steps: faults may come many times a second."""
    last = _last_frame(error.__traceback__)
    location = f" {short_path(last[0])}, line {last[1]}" if last is not None else ""
    return f"{_kind(error)}{location}"


def _last_frame(trace: TracebackType | None) -> tuple[str, int] | None:
    """Returns the file and the line that raised it."""
    frame = None
    while trace is not None:
        frame = trace.tb_frame.f_code.co_filename, trace.tb_lineno or 0
        trace = trace.tb_next
    return frame


def _kind(error: BaseException) -> str:
    return type(error).__name__


def traced(error: BaseException) -> str:
    """Returns the traceback of an exception, and of those that led to it, with what is the program's own."""
    parts: list[str] = []
    seen: set[int] = set()
    now: BaseException | None = error
    while now is not None and id(now) not in seen and len(parts) < CHAIN:
        seen.add(id(now))
        parts.append("\n".join(_lines(now)))
        cause = now.__cause__
        if cause is None and not now.__suppress_context__:
            cause = now.__context__
        now = cause
    return "\n\nafter:\n\n".join(parts)


def _lines(error: BaseException) -> Iterator[str]:
    frames = list(_frames(error.__traceback__))
    code = [frame.f_code for frame, _ in frames[-2 * FRAMES :]]
    skipped = len(frames) - 2 * FRAMES
    for index, (frame, line) in enumerate(frames):
        if skipped > 0 and FRAMES <= index < FRAMES + skipped:
            if index == FRAMES:
                yield f"  … {skipped:,} more calls …"
            continue
        yield from _frame_lines(frame, line)
    yield f"{_kind(error)}: {scrubbed_message(error, code, frames)}".removesuffix(": ")
    if isinstance(error, BaseExceptionGroup):
        for exception in error.exceptions[:CHAIN]:
            yield f"  with {_kind(exception)}: {scrubbed_message(exception, code)}".removesuffix(
                ": "
            )


def _frames(trace: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    while trace is not None:
        yield trace.tb_frame, trace.tb_lineno or 0
        trace = trace.tb_next


def _frame_lines(frame: FrameType, line: int) -> Iterator[str]:
    file, name = frame.f_code.co_filename, frame.f_code.co_name
    if not _is_known(file):  # such as a chat template, whose names and lines are the user's
        yield f"  {short_path(file)}, line {line}"
        return
    yield f"  {short_path(file)}, line {line}, in {name}"
    source = linecache.getline(file, line).strip()
    if source:
        yield f"    {source}"


def scrubbed_message(
    error: BaseException,
    code: list[CodeType] | None = None,
    frames: list[tuple[FrameType, int]] | None = None,
) -> str:
    """Returns the message of an exception with ``…`` for each word that is not the program's own.

    ``code`` and ``frames`` are those that raised it, whose names and constants stay.
    """
    if isinstance(error, OSError) and error.errno is not None:
        return f"[Errno {error.errno}] {os.strerror(error.errno)}"  # without the name of the file
    try:
        message = str(error)[:MOST_MESSAGE]
    except Exception:  # its own text may be what is wrong
        return LEFT_OUT
    known = set(dir(builtins))
    for part in code or ():
        if _is_known(part.co_filename):
            known.update(_names(part))
    for frame, _ in (frames or ())[-2:]:
        known.update(type(value).__name__ for value in frame.f_locals.values())
    if isinstance(error, AttributeError):
        known.add(type(error.obj).__name__)
    return scrubbed(message, known.__contains__)


def _names(code: CodeType) -> Iterator[str]:
    yield from (code.co_name, *code.co_names, *code.co_varnames, *code.co_freevars)
    texts = [constant for constant in code.co_consts if isinstance(constant, str)]
    for text in texts:
        yield from re.findall(r"\w+", text)


def scrubbed(message: str, is_own: Callable[[str], bool]) -> str:
    """Returns a message with ``…`` for each word that is neither usual nor the program's own.

    Numbers of up to six digits stay after words that come before numbers, such as "index".

    >>> scrubbed("invalid literal for int() with base 10: 'my text 42'", lambda word: False)
    "invalid literal for int() with base 10: '…'"
    """
    inside = {
        index for quotation in _QUOTED.finditer(message) for index in range(*quotation.span())
    }
    parts: list[str] = []
    for match in _WORDS.finditer(message):
        word = match.group()
        if word.isspace():
            word = " "
        elif word[0].isalnum() or word[0] == "_":
            quoted = match.start() in inside
            number = len(word) <= 6 and word.isascii() and word.isdecimal() and not quoted
            number = number and len(parts) > 1 and parts[-1] == " " and parts[-2].lower() in _BEFORE
            if not (number or is_own(word) or (not quoted and word.lower() in _USUAL)):
                word = LEFT_OUT
        elif not (word.isascii() and word.isprintable()):
            word = LEFT_OUT
        parts.append(word)
    whole = "".join(parts)
    return re.sub(r"…(?:[^\w'\")\]},:;]*…)+", LEFT_OUT, whole)


def without_names(message: str) -> str:
    """Returns a message of Qt with ``…`` for what is in quotation marks, and for paths."""
    return _PATHS.sub(LEFT_OUT, _QUOTED.sub(lambda one: f"{one[0][0]}…{one[0][-1]}", message))


def without_home(text: str) -> str:
    """Returns a text with ``~`` for the user's folder, however a system writes it."""
    try:
        home = str(Path.home())
    except RuntimeError:
        return text
    if len(home) < 3:  # "/": nothing is in it that only one user has
        return text
    for written in {home, home.replace("\\", "/"), home.replace("\\", "\\\\")}:
        text = re.sub(rf"{re.escape(written)}(?![\w-])", "~", text)
    return text


_LIBRARY = sysconfig.get_paths()["stdlib"]


def _is_own(file: str) -> bool:
    """Whether a file is the program's. The names of compiled files are relative to the folder they were built in."""
    parts = re.split(r"[/\\]", file)
    return any(package in parts for package in _PACKAGES) and file.endswith(".py")


def _is_known(file: str) -> bool:
    """Whether a file is the program's, Python's, or a library's."""
    if not file.endswith((".py", ".pyx")) and not file.startswith("<frozen "):
        return False
    in_library = file.startswith((_LIBRARY, "<frozen ")) or "site-packages" in file
    return in_library or "dist-packages" in file or _is_own(file)


def short_path(file: str) -> str:
    """Returns the path of a source file from its package on; of a file of the user only that it is one.

    >>> short_path("/home/anna/lib/python3.12/site-packages/numpy/core/numeric.py")
    'numpy/core/numeric.py'
    >>> short_path("/home/anna/thesis.py")
    '….py'
    """
    parts = re.split(r"[/\\]", file)
    for mark in ("site-packages", "dist-packages"):
        if mark in parts:
            return "/".join(parts[len(parts) - parts[::-1].index(mark) :])
    if _is_own(file):
        first = max(
            len(parts) - parts[::-1].index(package) - 1 for package in _PACKAGES if package in parts
        )
        return "/".join(parts[first:])
    if file.startswith("<"):
        return file if file.startswith("<frozen ") else "<…>"
    if file.startswith(_LIBRARY):
        return "/".join(re.split(r"[/\\]", file[len(_LIBRARY) :].lstrip("/\\")))
    return f"{LEFT_OUT}{os.path.splitext(file)[1][:4]}"
