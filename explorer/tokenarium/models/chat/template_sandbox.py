"""Jinja's sandbox with bounds: a template from a stranger's file may neither reach out, nor hang, nor fill the memory.

Every value that a template makes is measured, every round of a loop counts, and so does every
character that is written, even into a variable. All other work is linear in what exists already.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from jinja2 import Environment, Template, TemplateSyntaxError, nodes
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace
from jinja2.visitor import NodeTransformer

from tokenarium.models.faults import TooMuchError

MOST_SECONDS: Final = 1.0
MOST_WRITTEN: Final = 20_000_000
"""Characters that a template may write, besides those of the chat."""

_MOST_WEIGHT: Final = 2_000_000  # characters and elements of one value, besides those of the chat
_MOST_NUMBER: Final = 1 << 63
_MOST_WIDTH: Final = 10_000  # for filling up, indenting or repeating by a number
_MOST_GENERATED: Final = 100_000
_LONG_NUMBER: Final = re.compile(r"\d{5}|\*")
_OF_JINJA: Final = ("_loop_vars", "_block_vars")  # what compiled templates pass to a call
_WIDE: Final = frozenset(["replace", "join", "format", "format_map"])


class Generation(Extension):
    """The tag ``generation`` of transformers, which marks what the assistant says.

    As there, its body is a scope of its own, and its place counts from what is written outside all macros.
    """

    tags = {"generation"}  # noqa: RUF012 - so declared by Jinja

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self.written = 0
        self.found: list[tuple[int, int]] = []

    def parse(self, parser: Parser) -> nodes.Node:
        """Returns what is between the tags, as a block that is called."""
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("note"), [], [], body).set_lineno(line)

    def note(self, caller: Callable[[], str]) -> str:
        """Notes the place of a body; returns the body."""
        body = caller()
        self.found.append((self.written, self.written + len(body)))
        if len(self.found) > _MOST_GENERATED:
            raise TooMuchError("it marks too many places as generated")
        return body


class _Dict:
    """The ``dict`` of templates: only what makes one."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict.fromkeys(*args, **kwargs)


class _Namespace(Namespace):
    """The ``namespace`` of templates, which takes no name that begins with an underscore."""

    def __init__(*args: Any, **kwargs: Any) -> None:
        self, *rest = args  # so that a variable may be called self
        values = dict(*rest, **kwargs)
        for name in values:
            _Namespace._check(name)
        Namespace.__init__(self, values)

    def __setitem__(self, name: str, value: Any) -> None:
        _Namespace._check(name)
        Namespace.__setitem__(self, name, value)

    @staticmethod
    def _check(name: object) -> None:
        if isinstance(name, str) and name.startswith("_"):
            raise SecurityError(f"a name in a namespace cannot begin with an underscore: {name!r}")


class BoundedEnvironment(ImmutableSandboxedEnvironment):
    """The settings of transformers' ``utils/chat_template_utils.py``, and the bounds.

    Before each rendering it needs a `begin`.
    """

    intercepted_binops = frozenset(["+", "-", "*", "/", "//", "**", "%"])

    def __init__(self) -> None:
        super().__init__(
            trim_blocks=True,
            lstrip_blocks=True,
            optimized=False,
            cache_size=0,
            extensions=[Generation, loopcontrols],
            finalize=self.written,
        )
        self.begin(0)
        self.globals.pop("lipsum", None)  # a random text of any length
        self.globals.update(dict=_Dict(), namespace=_Namespace)
        for name, function in list(self.filters.items()):
            self.filters[name] = _guarded(self, name, function)

    def begin(self, weight: int) -> None:
        """Starts to count: one rendering of a chat of this weight."""
        self._most = _MOST_WEIGHT + 8 * weight
        self._left = MOST_WRITTEN + 8 * weight
        self._end = time.monotonic() + MOST_SECONDS
        self._steps = 0

    def rendered(
        self, template: Template, values: Mapping[str, Any]
    ) -> tuple[str, list[tuple[int, int]]]:
        """Returns the text of a template, and where in it the tags ``generation`` are."""
        extension = self.extensions[Generation.identifier]
        assert isinstance(extension, Generation)
        extension.written, extension.found = 0, []
        parts = []
        for part in template.generate(**values):
            parts.append(part)
            extension.written += len(part)
        return "".join(parts), extension.found

    def step(self, *_: object) -> str:
        """Counts one round of a loop; TooMuchError if all of them take too long."""
        self._steps += 1
        if self._steps & 63 == 0 and time.monotonic() > self._end:
            raise TooMuchError(f"it took more than {MOST_SECONDS:g} s")
        return ""

    def light(self, value: Any) -> Any:
        """Returns a value; TooMuchError if it is too large."""
        self.step()
        if isinstance(value, int) and abs(value) > _MOST_NUMBER:
            raise TooMuchError("it makes a number that is too large")
        if weight_of(value, self._most) > self._most:
            raise TooMuchError("it makes a value that is too large")
        return value

    def joined(self, *parts: Any) -> str:
        """Returns parts as one text."""
        texts: list[str] = []
        size = 0
        for part in parts:
            text = str(part)
            size += len(text)
            if size > self._most:
                raise TooMuchError("it makes a text that is too long")
            texts.append(text)
        self.step()
        return "".join(texts)

    def written(self, value: Any) -> Any:
        """Returns what is to be written; TooMuchError if the total is too much."""
        self.step()
        self._left -= weight_of(value, self._left)
        if self._left < 0:
            raise TooMuchError("it writes too much")
        return value

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Returns the result of an operator, if it will not be too large."""
        self.step()
        if operator == "*":
            for value, times in ((left, right), (right, left)):
                if isinstance(value, (str, list, tuple)) and isinstance(times, int):
                    if len(value) * times > self._most:
                        raise TooMuchError("it repeats a value too often")
        elif operator == "**":
            if not (abs(left) <= 1 << 31 and abs(right) <= 64):
                raise TooMuchError("it makes a number that is too large")
        elif operator == "%" and isinstance(left, str):
            self._check_format(left)
        return self.light(super().call_binop(context, operator, left, right))

    def call(
        __self,  # noqa: N805
        __context: Context,
        __obj: Any,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """Returns the result of a call, if it will not be too large."""
        self = __self
        named = {name: value for name, value in kwargs.items() if name not in _OF_JINJA}
        owner = getattr(getattr(__obj, "__wrapped__", __obj), "__self__", None)
        if owner is self:  # one of the checks themselves
            return __obj(*args, **named)
        self.check(getattr(__obj, "__name__", ""), [owner, *args], named)
        return self.light(super().call(__context, __obj, *args, **kwargs))

    def check(self, name: str, args: list[Any], kwargs: dict[str, Any]) -> None:
        """Raises TooMuchError if a function would make something too large of these arguments."""
        values = [*args, *kwargs.values()]
        if name not in ("range", "safe_range"):
            for value in values:
                if isinstance(value, int) and abs(value) > _MOST_WIDTH:
                    if name in (
                        "center",
                        "ljust",
                        "rjust",
                        "zfill",
                        "expandtabs",
                        "indent",
                        "tojson",
                        "batch",
                        "slice",
                        "wordwrap",
                    ):
                        raise TooMuchError(f"it asks {name} for {value:,} places")
        if name not in _WIDE:
            return
        texts = [value for value in values if isinstance(value, str)]
        if name == "replace" and len(texts) >= 3:
            if (texts[0].count(texts[1]) + 1) * (len(texts[2]) + 1) > self._most:
                raise TooMuchError("it makes a text that is too long")
        elif name == "join":
            count = max([len(value) for value in values if hasattr(value, "__len__")] or [0])
            if sum(map(len, texts)) * count > 4 * self._most:
                raise TooMuchError("it makes a text that is too long")
        elif texts:
            self._check_format(texts[0])

    def _check_format(self, text: str) -> None:
        if _LONG_NUMBER.search(text) is not None and ("%" in text or "{" in text):
            raise TooMuchError("it asks for a text of excessive width")

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        template = super()._parse(source, name, filename)
        changed = _Checks().visit(template)
        assert isinstance(changed, nodes.Template)
        return changed


class _Checks(NodeTransformer):
    """Puts the checks into a template: where values are made, texts written, and loops go round."""

    def visit_List(self, node: nodes.List) -> nodes.Node:
        self.generic_visit(node)
        return _checked("light", [node])

    visit_Dict = visit_List

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Node:
        self.generic_visit(node)
        return _checked("light", [node]) if node.ctx == "load" else node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:
        self.generic_visit(node)
        return _checked("joined", node.nodes)

    def visit_TemplateData(self, node: nodes.TemplateData) -> nodes.Node:
        return _checked("joined", [nodes.Const(node.data)])

    def visit_Const(self, node: nodes.Const) -> nodes.Node:
        # Jinja would compile it to a name.
        if isinstance(node.value, float) and not math.isfinite(node.value):
            raise TemplateSyntaxError("There is a number that is too large", node.lineno)
        return node

    def visit_For(self, node: nodes.For) -> nodes.Node:
        self.generic_visit(node)
        node.body.insert(0, nodes.ExprStmt(_checked("step", []), lineno=node.lineno))
        return node


def _checked(method: str, arguments: list[Any]) -> nodes.Call:
    function = nodes.EnvironmentAttribute(method)
    return nodes.Call(function, arguments, [], None, None)


def _guarded(environment: BoundedEnvironment, name: str, function: Callable[..., Any]) -> Any:
    """Returns a filter whose arguments and result are checked, with the marks that Jinja has put on it."""

    def guarded(*args: Any, **kwargs: Any) -> Any:
        environment.check(name, list(args), kwargs)
        return environment.light(function(*args, **kwargs))

    guarded.__dict__.update(getattr(function, "__dict__", {}))
    return guarded


def weight_of(value: Any, most: int) -> int:
    """Returns how many characters and elements a value has, with nested ones; above ``most``, any larger number."""
    weight = 0
    waiting = [value]
    while waiting and weight <= most:
        value = waiting.pop()
        weight += 1
        if isinstance(value, (str, bytes)):
            weight += len(value)
        elif isinstance(value, dict):
            waiting.extend(value.keys())
            waiting.extend(value.values())
        elif isinstance(value, (list, tuple)):
            weight += len(value)
            if weight <= most:
                waiting.extend(value)
    return weight
