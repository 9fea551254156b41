"""Runs chat templates in a process of their own, which is ended when one takes too much time or memory.

A template is a program from a stranger's file. Jinja's sandbox keeps it from reaching out, and the bounds of
`template_sandbox` stop most of what is too much, but not a single call of Python that takes forever.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from tokenarium.models.chat.chat_template import (
    ChatTemplate,
    ChatText,
    TemplateFault,
)
from tokenarium.models.chat.chat_tokens import Content, Written, written
from tokenarium.models.chat.conversation import Message
from tokenarium.models.faults import TooMuchError
from tokenarium.work.child_process import address_space, end_with_parent, how_it_ended, limit_memory
from tokenarium_core import FormatError, TokenariumError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

SECONDS: Final = 4.0
"""How long a template may take for a chat, everything included."""

MEGABYTES: Final = 512
"""How much memory it may take, beyond what the process has before."""

GRACE_S: Final = 0.5
"""How much longer the process may take to stop by itself."""

STALE_S: Final = 0.3
"""A template that has run for so long is ended by the next request."""

START_S: Final = 60.0
"""How long the process may take to start, even on a very busy machine."""

_READY: Final = b"ready"
_LARGEST: Final = 1 << 29  # bytes of an answer


class TemplateProcess:
    """The process. It is kept for the next request: once it runs, an answer takes a few milliseconds.

    `ask` does not wait, and `answer` returns the answer once it is there; only `write` waits. ``seconds`` and
    ``megabytes`` are what one chat may take; the latter is limited on Linux only.
    """

    def __init__(self, seconds: float = SECONDS, megabytes: int = MEGABYTES) -> None:
        self._seconds = seconds
        self._megabytes = megabytes
        self._process: SpawnProcess | None = None
        self._pipe: Connection | None = None
        self._ready = False
        self._asked: tuple[str, bytes] | None = None  # the template's name, and what is to be sent
        self._running = ""  # the name of the template that runs
        self._stale = False  # whether its answer is no longer needed
        self._since = 0.0

    @property
    def busy(self) -> bool:
        """Whether an answer will come."""
        return self._asked is not None or (bool(self._since) and not self._stale)

    def start(self) -> None:
        """Starts the process, if it does not run, for a quicker first answer.

        FormatError where the system cannot start one.
        """
        if self._process is not None:
            if self._process.is_alive():
                return
            self.stop(and_forget=False)
        import multiprocessing

        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        process = context.Process(
            target=serve, args=(theirs, self._seconds, self._megabytes), daemon=True
        )
        try:
            process.start()
        except OSError as error:
            self._pipe.close()
            self._pipe = None
            raise FormatError(
                f"The system starts no process for the chat template: {error.strerror or error}."
                " Close other programs, and try again."
            ) from error
        finally:
            theirs.close()
        self._process = process
        self._ready, self._since = False, 0.0
        self._began = time.monotonic()

    def ask(self, template: ChatTemplate, messages: Sequence[Message], prompt: bool) -> None:
        """Asks what a template makes of messages; this replaces an earlier request.

        FormatError where no process can be started.
        """
        asked = {
            "name": template.name,
            "source": template.source,
            "tokens": template.tokens,
            "messages": messages,
            "prompt": prompt,
        }
        self._asked = template.name, _packed(asked)
        self._stale = bool(self._since)
        if self._stale and time.monotonic() - self._since > STALE_S:
            self.stop(and_forget=False)
        self.start()
        self._send()

    def answer(self) -> Written | None:
        """Returns the answer, once; None until it is there.

        FormatError where the template fails, or was stopped.
        """
        if self._process is None or self._pipe is None:
            return None
        try:
            if not self._pipe.poll():
                self._look_at_the_clock()
                return None
            content = self._pipe.recv_bytes(_LARGEST)
        except (EOFError, OSError):
            self._died()
            return None
        if content == _READY:
            self._ready = True
            self._send()
            return None
        stale, self._since, self._stale = self._stale, 0.0, False
        answer = _unpacked(content)
        if answer.get("last"):  # its memory is full: a new process gives the next answer
            self.stop(and_forget=False)
        if stale:
            if self._asked is not None:
                self.start()
                self._send()
            return None
        return _written(answer)

    def write(
        self, template: ChatTemplate, messages: Sequence[Message], prompt: bool = False
    ) -> Written:
        """Returns what a template makes of messages, and waits for it; FormatError as in `answer`."""
        self.ask(template, messages, prompt)
        while (made := self.answer()) is None:
            if self._pipe is not None:
                with suppress(OSError):
                    self._pipe.poll(0.02)
        return made

    def stop(self, and_forget: bool = True) -> None:
        """Ends the process; its request is forgotten, or waits for the next process."""
        if and_forget:
            self._asked = None
        self._since, self._stale, self._ready = 0.0, False, False
        if self._process is not None and self._pipe is not None:
            process, self._process = self._process, None
            self._pipe.close()
            process.kill()
            process.join()

    def _send(self) -> None:
        """Sends the request once the process waits for one, so that writing never blocks."""
        if self._asked is None or not self._ready or self._since or self._pipe is None:
            return
        (self._running, content), self._asked = self._asked, None
        self._since = time.monotonic()
        try:
            self._pipe.send_bytes(content)
        except OSError:
            self._died()

    def _look_at_the_clock(self) -> None:
        now = time.monotonic()
        if self._since and now - self._since > self._seconds + GRACE_S:
            self._end_with(f"it took longer than {self._seconds:g} s")
        elif not self._ready and now - self._began > START_S:
            self.stop()
            raise FormatError("The process for chat templates does not begin. Try again.")

    def _died(self) -> None:
        assert self._process is not None
        self._process.join(1)
        code = self._process.exitcode
        if not self._since:  # it was killed from outside while it ran no template
            self.stop(and_forget=False)
            if self._asked is not None:
                self.start()
            return
        how = how_it_ended(code)
        if (
            how == "SIGALRM"
        ):  # on a slow computer the alarm may ring again while the process deals with it
            self._end_with(f"it took longer than {self._seconds:g} s")
        self._end_with(f"its process ended ({how}), as for lack of memory or by too deep a nesting")

    def _end_with(self, reason: str) -> None:
        stale = self._stale
        self.stop(and_forget=False)
        if self._asked is not None:
            self.start()
        if not stale:
            raise TemplateFault(f"The chat template {self._running!r} was stopped: {reason}.")


def serve(pipe: Connection, seconds: float, megabytes: int) -> None:
    """Runs in the process: answers requests until the parent has ended."""
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal is meant for the parent
    _load()
    most = limit_memory(megabytes)
    template: ChatTemplate | None = None
    with suppress(EOFError, OSError):
        pipe.send_bytes(_READY)
        while True:
            asked = json.loads(pipe.recv_bytes().decode("utf-8", "surrogatepass"))
            known = template and (template.name, template.source, template.tokens)
            if template is None or known != (asked["name"], asked["source"], asked["tokens"]):
                template = ChatTemplate(asked["name"], asked["source"], asked["tokens"])
            messages = [Message(*message) for message in asked["messages"]]
            try:
                answer = _answer(template, messages, asked["prompt"], seconds)
            except MemoryError:
                template = None
                what = f"was stopped: it took more than {megabytes:,} MB of memory"
                # Where much of it is not freed, the next request goes to another process.
                last = address_space() > most - (megabytes << 19)
                answer = _packed(
                    {"error": f"The chat template {asked['name']!r} {what}.", "last": last}
                )
            pipe.send_bytes(answer)


def _answer(
    template: ChatTemplate, messages: Sequence[Message], prompt: bool, seconds: float
) -> bytes:
    """Returns what is sent back; may raise MemoryError."""
    try:
        try:
            _set_alarm(seconds)
            chat, contents = written(template, messages, prompt)
            return _packed({"chat": chat, "contents": contents})
        finally:
            _set_alarm(0)
    except TooMuchError as error:
        _set_alarm(0)  # the alarm may have rung while it was turned off
        return _packed({"error": f"The chat template {template.name!r} was stopped: {error}."})
    except TokenariumError as error:
        if isinstance(error.__cause__, MemoryError):
            raise MemoryError from None
        line = error.line if isinstance(error, TemplateFault) else 0
        return _packed({"error": str(error), "line": line})


def _set_alarm(seconds: float) -> None:
    """Raises TooMuchError after so many seconds, then repeatedly, since a template may catch it; 0 turns that off.

    Only between two steps of Python, and not on Windows: anything else is stopped by ending the process.
    """
    if sys.platform == "win32":
        return

    def ring(*_: object) -> None:
        raise TooMuchError(f"it took longer than {seconds:g} s")

    signal.setitimer(signal.ITIMER_REAL, 0)
    if seconds:
        import resource

        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, seconds, 0.02)
        used = resource.getrusage(resource.RUSAGE_SELF)
        most = int(used.ru_utime + used.ru_stime + seconds) + 2  # if the parent does not watch
        with suppress(ValueError, OSError):
            resource.setrlimit(
                resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1])
            )


def _load() -> None:
    """Loads what the first template needs, and what cannot be loaded once the memory is full."""
    with suppress(TokenariumError):  # the first request reports it
        ChatTemplate("", "{% for m in messages %}{{ m.content | trim }}{% endfor %}", {}).render([])


def _packed(content: dict[str, Any]) -> bytes:
    # A lone surrogate, which a text may have, has no UTF-8 of its own.
    return json.dumps(content, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _unpacked(content: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(content.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        answer = None
    return answer if isinstance(answer, dict) else {}


def _written(answer: dict[str, Any]) -> Written:
    """Returns the chat in an answer; FormatError where it holds an error, or is not an answer."""
    if "error" in answer:
        raise TemplateFault(str(answer["error"]), int(answer.get("line", 0)))
    try:
        text, roles, exact = answer["chat"]
        contents = answer["contents"]
        return Written(
            ChatText(text, [(int(a), int(b), str(role)) for a, b, role in roles], bool(exact)),
            None if contents is None else [Content(*map(int, one)) for one in contents],
        )
    except (KeyError, TypeError, ValueError):
        raise FormatError("The process for chat templates gave no answer. Try again.") from None
