"""Chat templates: how messages become one text, and which role each part belongs to.

Source: ``apply_chat_template`` in huggingface/transformers, ``utils/chat_template_utils.py``.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, cast

from tokenarium.models.chat.chat_inputs import PASSED, Inputs, cut_open, opened_end, prepared
from tokenarium.models.chat.origins import Followed, TracedInputs
from tokenarium.models.faults import TooMuchError
from tokenarium.models.installation import how_to_get
from tokenarium_core import FormatError, NotAvailable

if TYPE_CHECKING:
    from jinja2 import Template
    from jinja2.nodes import Node

    from tokenarium.models.chat.template_sandbox import BoundedEnvironment
    from tokenarium.models.chat.tracing_environment import TracingEnvironment

Made = TypeVar("Made")

START: Final = "start"
PROMPT: Final = "generation prompt"
"""The roles of text outside messages: before the first one, and the invitation to answer."""

_LARGEST: Final = 1 << 20
_LONGEST_REASON: Final = 500
NO_INPUTS: Final = Inputs()
_CHECKED: Final = 1 << 15
"""Characters of a template up to which its syntax is checked when it is read: that takes some milliseconds."""


class ChatText(NamedTuple):
    """A chat as one text; ``roles`` are (start, stop, role) in characters, from the first to the last one.

    ``exact`` is false where the template does not write one message after the other, so that the ends of
    the parts are estimated. ``generated`` are the (start, stop) of what stands between the template's tags ``generation``.
    """

    text: str
    roles: list[tuple[int, int, str]]
    exact: bool
    generated: list[tuple[int, int]] = []  # noqa: RUF012 - never changed


class TemplateFault(FormatError):
    """A template that is wrong, or fails on a chat; ``line`` counts from 1, 0 if none is known.

    ``undefined`` as in `chat_tokens.Written`, as far as it is known.
    """

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line
        self.undefined: list[str] = []


class ChatTemplate:
    """One template; ``tokens`` are the special tokens that it may name (``bos_token``, …).

    It runs in this process, within the bounds of `template_sandbox`. Some templates escape these, so
    the app renders by `tokenarium.work.templating`, in a process that can be ended.
    Raises FormatError for one that is too long.
    """

    def __init__(self, name: str, source: str, tokens: Mapping[str, str]) -> None:
        self.name = name
        self.source = source
        self.tokens = dict(tokens)
        if len(source) > _LARGEST:
            raise FormatError(f"The chat template {name!r} has more than {_LARGEST:,} characters.")
        self._compiled: Template | None = None
        self._tracing: Template | None = None

    def check(self) -> None:
        """Raises TemplateFault for what is not Jinja; a long template is not checked before it is rendered."""
        if len(self.source) <= _CHECKED:
            self._jinja(lambda environment: environment.parse(self.source))

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        add_generation_prompt: bool = False,
        inputs: Inputs = NO_INPUTS,
    ) -> ChatText:
        """Returns the text of some messages (``role``, ``content``, …); FormatError if the template fails.

        The first k messages are rendered for each k: their text ends where the part of the k-th one does.
        """
        from tokenarium.models.chat.template_sandbox import MOST_SECONDS

        text, generated = self._made_of(messages, add_generation_prompt, inputs)
        end = time.monotonic() + MOST_SECONDS
        roles: list[tuple[int, int, str]] = []
        at = len(self._beginning(text))
        if at:
            roles.append((0, at, START))
        exact = True
        for count, message in enumerate(messages, 1):
            stop = at
            try:
                part = text if count == len(messages) and not add_generation_prompt else None
                if part is None and time.monotonic() > end:
                    raise TemplateFault("There was no time left to find the parts.")
                if part is None:
                    part = self.text_of(messages[:count], False, inputs._replace(resumed=""))
                exact = exact and text.startswith(part)
                stop = max(at, _common(text, part))
            except FormatError as error:  # some templates refuse a chat that ends here
                if isinstance(error.__cause__, TooMuchError):
                    raise
                exact = False
                stop = max(at, _end_of(text, message.get("content"), at))
            if stop > at:
                roles.append((at, stop, str(message.get("role", ""))))
            at = stop
        if at < len(text):
            roles.append((at, len(text), PROMPT if add_generation_prompt else START))
        return ChatText(text, roles, exact, generated)

    def undefined(self, inputs: Inputs = NO_INPUTS) -> list[str]:
        """Returns the variables that the template may read and nothing defines; FormatError for what is not Jinja.

        A variable that the template sets before it reads it is its own, even if it sets it only under a condition.
        """
        from jinja2.meta import find_undeclared_variables

        def read_first(environment: BoundedEnvironment) -> set[str]:
            source = environment.parse(self.source)
            set_first = {name for name, is_set in _first_uses(source).items() if is_set}
            return find_undeclared_variables(source) - set_first

        return sorted(self._jinja(read_first) - {*PASSED, *self.tokens, *inputs.variables})

    def _beginning(self, text: str) -> str:
        token = self.tokens.get("bos_token", "")
        return token if token and text.startswith(token) else ""

    def text_of(
        self,
        messages: Sequence[Mapping[str, Any]],
        add_generation_prompt: bool,
        inputs: Inputs = NO_INPUTS,
    ) -> str:
        """Returns the text alone; TemplateFault if the template fails."""
        return self._made_of(messages, add_generation_prompt, inputs)[0]

    def _made_of(
        self, messages: Sequence[Mapping[str, Any]], add_generation_prompt: bool, inputs: Inputs
    ) -> tuple[str, list[tuple[int, int]]]:
        """Returns the text, and where in it the tags ``generation`` are."""
        chat, final = self._prepared(messages, add_generation_prompt, inputs)
        if self._compiled is None:
            self._compiled = self._jinja(lambda environment: environment.from_string(self.source))
        values = {
            "messages": chat,
            "tools": inputs.tools,
            "documents": inputs.documents,
            **self._own_values(add_generation_prompt),
            **inputs.variables,
        }
        environment = cast("BoundedEnvironment", self._compiled.environment)
        text, generated = self._run(self._compiled, values, environment.rendered)
        return (cut_open(text, final), []) if inputs.resumed else (text, generated)

    def followed(
        self,
        messages: Sequence[Mapping[str, Any]],
        add_generation_prompt: bool,
        inputs: Inputs,
        text: str,
    ) -> Followed | None:
        """Returns where the characters of a text that `text_of` has given come from.

        The template runs again, with texts that keep their origins. None if it makes another text of these, or fails.
        """
        from tokenarium.models.chat.tracing_environment import TracingEnvironment

        chat, _ = self._prepared(messages, add_generation_prompt, inputs)
        traced = TracedInputs(chat, inputs, self._own_values(add_generation_prompt))
        try:
            if self._tracing is None:
                self._tracing = self._jinja(
                    lambda environment: environment.from_string(self.source),
                    TracingEnvironment(_to_json),
                )
            environment = cast("TracingEnvironment", self._tracing.environment)
            made, runs, missing = self._run(self._tracing, traced.values, environment.traced)
        except FormatError:  # with the origins it may need more than it may
            return None
        if not (made == text or (inputs.resumed and made.startswith(text))):
            return None
        parts = (part._replace(stop=min(part.stop, len(text))) for part in traced.parts(runs))
        return Followed([part for part in parts if part.start < part.stop], sorted(missing))

    def _prepared(
        self, messages: Sequence[Mapping[str, Any]], add_generation_prompt: bool, inputs: Inputs
    ) -> tuple[list[dict[str, Any]], str]:
        """Returns the messages as the template gets them, and the end of the last one if it is continued."""
        chat = prepared(messages)
        if not inputs.resumed:
            return chat, ""
        if add_generation_prompt:
            raise FormatError(
                "A continued message has no generation prompt after it: leave out one of the two."
            )
        return chat, opened_end(chat, inputs.resumed, self.source)

    def _own_values(self, add_generation_prompt: bool) -> dict[str, Any]:
        return {"add_generation_prompt": add_generation_prompt, **self.tokens}

    def _run(
        self,
        compiled: Template,
        values: Mapping[str, Any],
        run: Callable[[Template, Mapping[str, Any]], Made],
    ) -> Made:
        """Returns what an environment makes of a template; TemplateFault if the template fails."""
        import jinja2

        from tokenarium.models.chat.template_sandbox import weight_of

        try:
            environment = cast("BoundedEnvironment", compiled.environment)
            environment.begin(weight_of(list(values.values()), 1 << 30))
            return run(compiled, values)
        except Exception as error:  # the template is a program: it may fail in any way
            bound, line = too_much(error), _line_of(error)
            where = f" in line {line:,}" if line else ""
            if bound is not None:
                what = f"was stopped{where}: {bound}"
            elif isinstance(error, jinja2.TemplateError):
                what = f"refuses this chat{where}: {_short(error)}"
            else:
                what = f"fails on this chat{where}: {type(error).__name__}, {_short(error)}"
            fault = TemplateFault(f"The chat template {self.name!r} {what}.", line)
            raise fault from bound or error

    def _jinja(
        self,
        act: Callable[[BoundedEnvironment], Made],
        environment: BoundedEnvironment | None = None,
    ) -> Made:
        """Returns the source as compiled in an environment, a new one by default; TemplateFault if that is not Jinja."""
        try:
            import jinja2
        except ImportError as error:
            raise NotAvailable(
                f"Chat templates need the package Jinja2, which is not installed. {how_to_get('jinja2')}"
            ) from error
        from tokenarium.models.chat.template_sandbox import BoundedEnvironment

        if environment is None:
            environment = BoundedEnvironment()
            environment.filters["tojson"] = _to_json
        environment.globals["raise_exception"] = _raise
        environment.globals["strftime_now"] = _now
        try:
            return act(environment)
        except Exception as error:  # Python's own compiler refuses some
            bound = too_much(error)
            line = 0
            if bound is not None:
                what = f"was stopped: {bound}"
            elif isinstance(error, jinja2.TemplateSyntaxError):
                line = error.lineno
                what = f"is not Jinja: line {line}: {_short(error)}"
            else:
                what = f"cannot be compiled: {type(error).__name__}, {_short(error)}"
            fault = TemplateFault(f"The chat template {self.name!r} {what}.", line)
            raise fault from bound or error


def _first_uses(source: Node) -> dict[str, bool]:
    """Returns for each name in a template whether it is set where it stands first, in the order in which it runs."""
    from jinja2 import nodes

    found: dict[str, bool] = {}
    waiting: list[Node] = [source]
    while waiting:
        node = waiting.pop()
        if isinstance(node, nodes.Name):
            found.setdefault(node.name, node.ctx == "store")
        inner = list(node.iter_child_nodes())
        if isinstance(node, nodes.Assign):
            inner.reverse()  # what is read before what is set
        waiting += reversed(inner)
    return found


def _common(text: str, part: str) -> int:
    """Returns the length of the longest common beginning of two texts."""
    if text.startswith(part):
        return len(part)
    low, high = 0, min(len(text), len(part))
    while low < high:
        middle = (low + high + 1) // 2
        if text[:middle] == part[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _end_of(text: str, content: object, at: int) -> int:
    """Returns where a message's content ends after a place, or the place itself where it is not found."""
    start = text.find(content.strip(), at) if isinstance(content, str) and content.strip() else -1
    return start + len(content.strip()) if start >= 0 and isinstance(content, str) else at


def _line_of(error: BaseException) -> int:
    """Returns the line of the template in which it failed, or 0."""
    line, traceback = 0, error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == "<template>":  # so Jinja names it
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


def too_much(error: BaseException) -> TooMuchError | None:
    """Returns the exceeded bound that caused an error, even indirectly."""
    before: BaseException | None = error
    while before is not None and not isinstance(before, TooMuchError):
        before = before.__cause__ or before.__context__
    return before


def _short(error: Exception) -> str:
    """Returns what an error says, shortened for a sentence."""
    message = str(getattr(error, "message", None) or error)
    cut = message if len(message) <= _LONGEST_REASON else f"{message[:_LONGEST_REASON]} …"
    return cut.rstrip(".")


def _to_json(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    if indent is not None and indent > 100:
        raise ValueError("an indent of more than 100 spaces")
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def _raise(message: str) -> None:
    from jinja2 import TemplateError

    raise TemplateError(message)


def _now(format: str) -> str:
    if len(format) > 1000 or re.search(r"%\W*\d", format):  # the system's own extension: a width
        raise ValueError("a time format that is too long, or has widths")
    return datetime.now().strftime(format)
