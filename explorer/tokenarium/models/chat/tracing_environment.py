"""The sandbox of chat templates, in which texts keep their origins through filters, operators and macros.

What a template writes may come from several texts of the chat. Methods of texts follow that themselves (`traced_text`);
here is the rest. A filter that is not known runs a second time with a mark for each text that it gets: if only the
marks tell both results apart, the texts are where the marks are. Everything else counts as of unknown origin.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from jinja2 import Template, Undefined, pass_environment
from jinja2.filters import make_attrgetter
from jinja2.runtime import Context
from jinja2.utils import missing

from tokenarium.models.chat.template_sandbox import BoundedEnvironment, Generation, weight_of
from tokenarium.models.chat.traced_text import (
    UNKNOWN,
    Runs,
    Traced,
    TracedFloat,
    TracedInt,
    joined,
    joined_by,
    origin_of,
    origin_or_unknown,
    runs_of,
    whole,
)

_MOST_MARKED: Final = 10_000
"""Texts in the arguments of a filter that get marks."""

_MOST_JSON: Final = 1 << 20
"""Characters and elements of a value up to which its JSON is followed."""


class TracingEnvironment(BoundedEnvironment):
    """A `BoundedEnvironment` whose texts may be `Traced`. ``json`` writes a value as the filter ``tojson`` does."""

    def __init__(self, json: Callable[..., str]) -> None:
        self._json = json
        self._sign = f"m{secrets.token_hex(8)}x"  # letters and digits: JSON keeps them as they are
        self._mark = re.compile(f'"{self._sign}([0-9]+)y"|{self._sign}([0-9]+)x')
        self._missing: dict[str, None] = {}
        super().__init__()
        self.concat = joined  # type: ignore[method-assign]
        for name, function in list(self.filters.items()):
            self.filters[name] = self._followed(function)
        self.filters["join"] = pass_environment(_join)
        self.filters["tojson"] = self._to_json

    def traced(
        self, template: Template, values: Mapping[str, Any]
    ) -> tuple[str, Runs, dict[str, None]]:
        """Returns the text of a template, with its origins, and the variables that it writes but that are not defined."""
        self._missing = {}
        extension = self.extensions[Generation.identifier]
        assert isinstance(extension, Generation)
        extension.written, extension.found = 0, []
        text = joined(template.generate(**values))
        return str.__str__(text), runs_of(text), self._missing

    def written(self, value: Any) -> Any:
        """Returns what is to be written, as a text with its origins."""
        return self._text(super().written(value))

    def joined(self, *parts: Any) -> str:
        """Returns parts as one text."""
        texts = [self._text(part) for part in parts]
        super().joined(*texts)  # measures them
        return joined(texts)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Returns the result of an operator; a text with its origins."""
        made = super().call_binop(context, operator, left, right)
        if operator == "%" and isinstance(left, str):
            return self._follow(lambda text, values: text % values, [left, right], {}, made)
        return made

    def call(
        __self,  # noqa: N805
        __context: Context,
        __obj: Any,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """Returns the result of a call; that of a method of a text with its origins."""
        self = __self
        inner = getattr(__obj, "__wrapped__", __obj)
        owner, name = getattr(inner, "__self__", None), getattr(inner, "__name__", "")
        if isinstance(owner, str) and not isinstance(owner, Traced) and name == "join":
            self.check(name, [owner, *args], {})
            return self.light(joined_by(owner, *args))
        if isinstance(owner, str) and name == "replace" and not isinstance(owner, Traced):
            owner = Traced(owner, runs_of(owner))
            return self.call(__context, owner.replace, *args, **kwargs)
        made = super().call(__context, __obj, *args, **kwargs)
        if isinstance(owner, str) and not isinstance(owner, Traced):
            again = {key: value for key, value in kwargs.items() if not key.startswith("_")}
            return self._follow(
                lambda text, *values, **named: self.getattr(text, name)(*values, **named),
                [owner, *args],
                again,
                made,
            )
        return made

    def _text(self, value: Any) -> str:
        """Returns a value as it is written."""
        if isinstance(value, Undefined) and value._undefined_obj is missing:
            self._missing[str(value._undefined_name)] = None
        if isinstance(value, (str, Undefined, TracedInt, TracedFloat)):
            return value if isinstance(value, Traced) else str(value)
        if isinstance(value, bool) or value is None:
            return whole(str(value), UNKNOWN)  # it may be a value of the chat
        origin = origin_of(value)
        if origin is None and any(True for _ in _texts_in(value)):
            origin = UNKNOWN
        return str(value) if origin is None else whole(str(value), origin)

    def _followed(self, function: Callable[..., Any]) -> Any:
        def followed(*args: Any, **kwargs: Any) -> Any:
            return self._follow(function, list(args), kwargs, function(*args, **kwargs))

        followed.__dict__.update(getattr(function, "__dict__", {}))
        return followed

    def _follow(
        self, function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any], made: Any
    ) -> Any:
        """Returns what a function has made of its arguments, as a text with its origins if it is a text."""
        if not isinstance(made, str) or isinstance(made, Traced):
            return made
        values = [args, kwargs]
        texts = list(_texts_in(values))
        plain = str.__str__(made)
        if not texts or not plain:
            return made
        if len(texts) == 1 and len(texts[0]) == len(plain) and texts[0].lower() == plain.lower():
            return Traced(plain, runs_of(texts[0]))
        if len(texts) > _MOST_MARKED or self._sign in plain:
            return Traced(plain)
        marked: list[str] = []
        again = self._marked(values, marked)
        try:
            self.step()
            frame = function(*again[0], **again[1])
        except Exception:  # it does not take any text
            return Traced(plain)
        return self._filled(frame, plain, lambda number, _: marked[number])

    def _marked(self, value: Any, marked: list[str]) -> Any:
        """Returns a value with marks instead of its texts, and adds these to a list."""
        if isinstance(value, Traced):
            marked.append(value)
            return f"{self._sign}{len(marked) - 1}x"
        if isinstance(value, dict):
            return {
                self._marked(key, marked): self._marked(item, marked) for key, item in value.items()
            }
        if isinstance(value, (list, tuple)):
            items = [self._marked(item, marked) for item in value]
            return tuple(items) if isinstance(value, tuple) else items
        return value

    def _filled(self, frame: object, plain: str, form: Callable[[int, str], str]) -> str:
        """Returns a text with marks, each replaced by what ``form`` returns for its number and the text before it.

        Of unknown origin where that is not ``plain``.
        """
        if isinstance(frame, str):
            parts, size, at = [], 0, 0
            text = str.__str__(frame)
            for mark in self._mark.finditer(text):
                before = text[at : mark.start()]
                made = form(int(mark[1] or mark[2]), text[: mark.start()])
                parts += [before, made]
                size += len(before) + len(made)
                at = mark.end()
                if size > len(plain):
                    return Traced(plain)
            filled = joined([*parts, text[at:]])
            if filled == plain:
                return filled
        return Traced(plain)

    def _to_json(self, value: Any, *args: Any, **kwargs: Any) -> str:
        """The filter ``tojson``."""
        self.check("tojson", [value, *args], kwargs)
        plain = str.__str__(self.light(self._json(value, *args, **kwargs)))
        if self._sign in plain or weight_of(value, _MOST_JSON) > _MOST_JSON:
            return Traced(plain)
        marked: list[Any] = []

        def form(number: int, before: str) -> str:
            one = marked[number]
            if isinstance(
                one, Traced
            ):  # each letter as JSON writes it, with the origin of the letter
                at, texts = 0, []
                for length, origin in runs_of(one):
                    quoted = self._json(str.__str__(one)[at : at + length], *args, **kwargs)
                    texts.append(whole(quoted[1:-1], origin))
                    at += length
                return joined(texts)
            line = before[before.rfind("\n") + 1 :]
            margin = line[: len(line) - len(line.lstrip(" "))]
            text = self._json(one, *args, **kwargs).replace("\n", f"\n{margin}")
            return whole(text, origin_or_unknown(one))

        frame = self._json(self._marked_json(value, marked), *args, **kwargs)
        return self._filled(frame, plain, form) if marked else plain

    def _marked_json(self, value: Any, marked: list[Any]) -> Any:
        """Returns a value for JSON, with marks instead of what has an origin, and adds that to a list."""
        if isinstance(value, Traced):
            marked.append(value)
            return f"{self._sign}{len(marked) - 1}x"
        if origin_of(value) is not None or isinstance(value, bool) or value is None:
            marked.append(value)
            return f"{self._sign}{len(marked) - 1}y"
        if isinstance(value, dict):
            return {
                self._marked_json(key, marked) if isinstance(key, str) else key: self._marked_json(
                    item, marked
                )
                for key, item in value.items()
            }
        if isinstance(value, (list, tuple)):
            return [self._marked_json(item, marked) for item in value]
        return value


def _texts_in(value: Any) -> Iterator[Traced]:
    """Yields the texts with origins in a value, those inside lists and objects too."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Traced):
            yield value
        elif isinstance(value, dict):
            waiting += value.keys()
            waiting += value.values()
        elif isinstance(value, (list, tuple)):
            waiting += value


def _join(
    environment: TracingEnvironment,
    value: Iterable[Any],
    d: str = "",
    attribute: str | int | None = None,
) -> str:
    """The filter ``join``."""
    items = list(value)
    if attribute is not None:
        items = list(map(make_attrgetter(environment, attribute), items))
    texts = [environment._text(item) for item in items]
    environment.check("join", [texts, str(d)], {})
    made = environment.light(joined_by(str(d), texts))
    assert isinstance(made, str)
    return made
