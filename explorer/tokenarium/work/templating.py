"""Runs chat templates in a process of their own, which is ended when one takes too much time or memory.

A template is a program from a stranger's file. Jinja's sandbox keeps it from reaching out, and the bounds of
`template_sandbox` stop most of what is too much, but not a single call of Python that takes forever.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from tokenarium.models.chat.chat_inputs import Inputs, inputs_of
from tokenarium.models.chat.chat_template import (
    NO_INPUTS,
    ChatTemplate,
    ChatText,
    TemplateFault,
)
from tokenarium.models.chat.chat_tokens import Written, written
from tokenarium.models.chat.conversation import Message
from tokenarium.models.chat.origins import ChatPart, Origin
from tokenarium.models.faults import TooMuchError
from tokenarium.work.bounded_process import (
    READY,
    BoundedProcess,
    StoppedError,
    packed,
    set_alarm,
)
from tokenarium.work.child_process import address_space, end_with_parent, limit_memory
from tokenarium_core import FormatError, TokenariumError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

SECONDS: Final = 4.0
"""How long a template may take for a chat, everything included."""

MEGABYTES: Final = 512
"""How much memory it may take, beyond what the process has before."""


class TemplateProcess(BoundedProcess):
    """The process. `ask` does not wait, and `answer` returns the chat once it is there; only `write` waits."""

    def __init__(self, seconds: float = SECONDS, megabytes: int = MEGABYTES) -> None:
        super().__init__(serve, "chat template", seconds, megabytes)

    def ask(
        self,
        template: ChatTemplate,
        messages: Sequence[Message],
        prompt: bool,
        inputs: Inputs = NO_INPUTS,
    ) -> None:
        """Asks what a template makes of messages; this replaces an earlier request.

        FormatError if no process can be started.
        """
        asked = {
            "name": template.name,
            "source": template.source,
            "tokens": template.tokens,
            "messages": messages,
            "prompt": prompt,
            "inputs": inputs.values(),
        }
        self.send(template.name, asked)

    def answer(self) -> Written | None:
        """Returns the chat, once; None until it is there. FormatError if the template fails, or was stopped."""
        try:
            answer = self.received()
        except StoppedError as error:
            raise TemplateFault(str(error)) from None
        return None if answer is None else _written(answer)

    def write(
        self,
        template: ChatTemplate,
        messages: Sequence[Message],
        prompt: bool = False,
        inputs: Inputs = NO_INPUTS,
    ) -> Written:
        """Returns what a template makes of messages, and waits for it; FormatError as in `answer`."""
        self.ask(template, messages, prompt, inputs)
        try:
            return _written(self.wait())
        except StoppedError as error:
            raise TemplateFault(str(error)) from None


def serve(pipe: Connection, seconds: float, megabytes: int) -> None:
    """Runs in the process: answers requests until the parent has ended."""
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal is meant for the parent
    _load()
    most = limit_memory(megabytes)
    template: ChatTemplate | None = None
    with suppress(EOFError, OSError):
        pipe.send_bytes(READY)
        while True:
            asked = json.loads(pipe.recv_bytes().decode("utf-8", "surrogatepass"))
            known = template and (template.name, template.source, template.tokens)
            if template is None or known != (asked["name"], asked["source"], asked["tokens"]):
                template = ChatTemplate(asked["name"], asked["source"], asked["tokens"])
            messages = [Message(*message) for message in asked["messages"]]
            try:
                answer = _answer(
                    template, messages, asked["prompt"], inputs_of(asked["inputs"]), seconds
                )
            except MemoryError:
                template = None
                what = f"was stopped: it took more than {megabytes:,} MB of memory"
                # Where much of it is not freed, the next request goes to another process.
                last = address_space() > most - (megabytes << 19)
                answer = packed(
                    {"error": f"The chat template {asked['name']!r} {what}.", "last": last}
                )
            pipe.send_bytes(answer)


def _answer(
    template: ChatTemplate,
    messages: Sequence[Message],
    prompt: bool,
    inputs: Inputs,
    seconds: float,
) -> bytes:
    """Returns what is sent back; may raise MemoryError."""
    try:
        try:
            set_alarm(seconds)
            return packed(written(template, messages, prompt, inputs)._asdict())
        except TemplateFault as error:
            if not isinstance(error.__cause__, TooMuchError):
                with suppress(FormatError):  # of what is not Jinja, nothing is known
                    error.undefined = template.undefined(inputs)
            raise
        finally:
            set_alarm(0)
    except TooMuchError as error:
        set_alarm(0)  # the alarm may have rung while it was turned off
        return packed({"error": f"The chat template {template.name!r} was stopped: {error}."})
    except TokenariumError as error:
        if isinstance(error.__cause__, MemoryError):
            raise MemoryError from None
        fault = error if isinstance(error, TemplateFault) else TemplateFault(str(error))
        return packed({"error": str(error), "line": fault.line, "undefined": fault.undefined})


def _load() -> None:
    """Loads what the first template needs, and what cannot be loaded once the memory is full."""
    with suppress(TokenariumError):  # the first request reports it
        source = "{% for m in messages %}{{ m.content | trim }}{% endfor %}"
        written(ChatTemplate("", source, {}), [], False)


def _written(answer: dict[str, Any]) -> Written:
    """Returns the chat in an answer; FormatError if it holds an error, or is not an answer."""
    if "error" in answer:
        fault = TemplateFault(str(answer["error"]), int(answer.get("line", 0)))
        fault.undefined = [str(name) for name in answer.get("undefined", [])]
        raise fault
    try:
        text, roles, exact, generated = answer["chat"]
        parts = answer["parts"]
        return Written(
            ChatText(
                text,
                [(int(a), int(b), str(role)) for a, b, role in roles],
                bool(exact),
                [(int(a), int(b)) for a, b in generated],
            ),
            None if parts is None else [_part(*part) for part in parts],
            [str(name) for name in answer["unused"]],
            [str(name) for name in answer["undefined"]],
            [str(name) for name in answer["missing"]],
        )
    except (KeyError, TypeError, ValueError):
        raise FormatError("The process for chat templates gave no answer. Try again.") from None


def _part(start: int, stop: int, origin: tuple[str, int, str]) -> ChatPart:
    kind, message, name = origin
    return ChatPart(int(start), int(stop), Origin(str(kind), int(message), str(name)))
