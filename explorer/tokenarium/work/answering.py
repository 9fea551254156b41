"""Computes the expressions of lessons in a process of their own: a lesson's file may come from anywhere.

The prices of `tokenarium.models.lessons.answers` stop what is too much before it is done. What they do not foresee, as
with a tokenizer that is slow itself, ends with the process.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokenarium.models.faults import TooMuchError, reported
from tokenarium.work.bounded_process import READY, BoundedProcess, packed, set_alarm
from tokenarium.work.child_process import end_with_parent, limit_memory
from tokenarium_core import TokenariumError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from tokenarium_core import Tokenizer

SECONDS: Final = 10.0
"""How long the expressions of a step may take, with opening the tokenizers."""

MEGABYTES: Final = 2048
"""How much memory they may take, with the tokenizers."""

MOST_OPEN: Final = 16
"""How many tokenizers the process keeps open."""


class TokenizerSource(NamedTuple):
    """A tokenizer of a lesson, as another process opens it: its name there, and what it is in the library."""

    name: str
    key: str
    source: str
    pattern: str


class LessonProcess(BoundedProcess):
    """The process. `ask` and `check` do not wait; `received` returns ``values`` or ``found``, or ``error``."""

    def __init__(self, seconds: float = SECONDS, megabytes: int = MEGABYTES) -> None:
        super().__init__(serve, "lesson", seconds, megabytes)

    def ask(
        self,
        name: str,
        tokenizers: Sequence[TokenizerSource],
        names: Mapping[str, str],
        expressions: Sequence[str],
    ) -> None:
        """Asks for the values of expressions of a lesson: ``values`` are pairs of a value and what is wrong."""
        asked = {"names": dict(names), "expressions": list(expressions)}
        self.send(name, {"tokenizers": list(tokenizers), **asked})

    def check(self, name: str, tokenizers: Sequence[TokenizerSource], source: str) -> None:
        """Asks what is wrong with the source of a lesson: ``found`` are pairs of a line and a sentence."""
        self.send(name, {"tokenizers": list(tokenizers), "check": source, "name": name})


def serve(pipe: Connection, seconds: float, megabytes: int) -> None:
    """Runs in the process: answers requests until the parent has ended."""
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal is meant for the parent
    from tokenarium.models.lessons import answers, checking  # noqa: F401 - before the memory is limited

    limit_memory(megabytes)
    opened: dict[TokenizerSource, Tokenizer] = {}
    with suppress(EOFError, OSError):
        pipe.send_bytes(READY)
        while True:
            asked = json.loads(pipe.recv_bytes().decode("utf-8", "surrogatepass"))
            try:
                answer = _answer(asked, opened, seconds)
            except MemoryError:
                opened.clear()
                said = (
                    f"its expressions took more than {megabytes:,} MB of memory, and were stopped."
                )
                answer = packed({"error": said, "last": True})
            pipe.send_bytes(answer)


def _answer(
    asked: Mapping[str, Any], opened: dict[TokenizerSource, Tokenizer], seconds: float
) -> bytes:
    """Returns what is sent back; may raise MemoryError."""
    try:
        try:
            set_alarm(seconds)
            sources = [TokenizerSource(*source) for source in asked["tokenizers"]]
            if "check" in asked:
                return packed({"found": _found(asked["name"], asked["check"], sources, opened)})
            return packed({"values": _values(asked, sources, opened)})
        finally:
            set_alarm(0)
    except TooMuchError as error:
        set_alarm(0)  # the alarm may have rung while it was turned off
        return packed({"error": f"its expressions were stopped: {error}."})
    except MemoryError:
        raise
    except Exception as error:
        return packed({"error": str(reported(error))})


def _values(
    asked: Mapping[str, Any],
    sources: Sequence[TokenizerSource],
    opened: dict[TokenizerSource, Tokenizer],
) -> list[tuple[Any, str]]:
    from tokenarium.models.lessons.answers import AnswerError, Answers

    tokenizers = [(source.name, _opened(source, opened)) for source in sources]
    answers = Answers(tokenizers).about(asked["names"])
    results: list[tuple[Any, str]] = []
    for expression in asked["expressions"]:
        try:
            results.append((answers.value(expression), ""))
        except AnswerError as error:
            results.append((None, str(error)))
    return results


def _found(
    name: str,
    source: str,
    sources: Sequence[TokenizerSource],
    opened: dict[TokenizerSource, Tokenizer],
) -> list[tuple[int, str]]:
    from tokenarium.models.lessons.checking import faults_by_step, shipped_tokenizer
    from tokenarium.models.lessons.lesson import lesson_of

    by_key = {source.key: source for source in sources}

    def open_one(key: str) -> Tokenizer | None:
        return _opened(by_key[key], opened) if key in by_key else shipped_tokenizer(key)

    return [
        fault for faults in faults_by_step(lesson_of(source, name), open_one) for fault in faults
    ]


def _opened(source: TokenizerSource, opened: dict[TokenizerSource, Tokenizer]) -> Tokenizer:
    """Returns a tokenizer, opened as the window does it; TokenariumError if it cannot be opened."""
    if source not in opened:
        from tokenarium.work.opener import open_source

        tokenizer = open_source(source.key, source.source, source.pattern)
        if isinstance(tokenizer, TokenariumError):
            raise tokenizer
        if len(opened) >= MOST_OPEN:
            opened.clear()
        opened[source] = tokenizer
    return opened[source]
