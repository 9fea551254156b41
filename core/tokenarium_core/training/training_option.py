"""What can be chosen for a training, declared once: for `train`, the command line and the window's form."""

from __future__ import annotations

from typing import Final, final

from tokenarium_core.errors import TokenariumError

_LARGEST: Final = 10**12  # of a whole number that has no bound of its own: more is counted nowhere

Value = bool | int | float | str | list[str]
"""The value of an option; the type of its default tells which of these it is."""


@final
class Option:
    """A setting of a trainer: its name, its default, and what it does in one sentence.

    ``choices``: the only values there are, where not empty. ``least`` and ``most``: the bounds of a number.
    """

    def __init__(
        self,
        name: str,
        default: Value,
        about: str,
        choices: list[str] | None = None,
        least: float | None = None,
        most: float | None = None,
    ) -> None:
        self.name = name
        self.default = default
        self.about = about
        self.choices: list[str] = choices or []
        self.least = least
        self.most = most

    def checked(self, value: object) -> Value:
        """Returns the value as the trainer takes it; raises TokenariumError for one that cannot be."""
        if isinstance(self.default, list):
            if isinstance(value, (list, tuple)):
                return [self._whole(str(item)) for item in value]
        elif isinstance(self.default, bool) or isinstance(value, bool):
            if isinstance(self.default, bool) and isinstance(value, bool):
                return value
        elif isinstance(self.default, str):
            if isinstance(value, str):
                return self._chosen(self._whole(value))
        elif isinstance(self.default, int):
            if isinstance(value, int):
                if not -_LARGEST <= value <= _LARGEST:  # a float may have no room for it
                    raise self._out_of_bounds("a number of so many digits")
                self._check_bounds(value)
                return value
        elif isinstance(value, (int, float)):
            self._check_bounds(value)
            return float(value)
        kind = type(self.default).__name__
        raise TokenariumError(
            f"{self.name} = {value!r} is a {type(value).__name__}: it takes a {kind},"
            f" {self.default!r} for instance."
        )

    def _whole(self, value: str) -> str:
        """Returns a text that UTF-8 can hold, as a tokenizer's file has to."""
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise TokenariumError(
                f"{self.name} has half of a surrogate pair in {value!r}, at character {error.start}, which no file"
                " can hold: leave it out."
            ) from error
        return value

    def _chosen(self, value: str) -> str:
        if self.choices and value not in self.choices:
            raise TokenariumError(
                f"{self.name} = {value!r} is not known: choose one of {', '.join(self.choices)}."
            )
        return value

    def _check_bounds(self, value: float) -> None:
        least, most = self.least, self.most
        # Said so that what is not a number fails, too.
        if not ((least is None or value >= least) and (most is None or value <= most)):
            raise self._out_of_bounds(_shown(value))

    def _out_of_bounds(self, shown: str) -> TokenariumError:
        least = self.least
        most = self.most
        if most is None and isinstance(self.default, int):
            most = _LARGEST
        bounds = [
            text
            for text in (
                f"at least {_shown(least)}" if least is not None else "",
                f"at most {_shown(most)}" if most is not None else "",
            )
            if text
        ]
        return TokenariumError(f"{self.name} = {shown} has to be {' and '.join(bounds)}.")


def _shown(number: float) -> str:
    """Returns a number as a person writes it: a whole one with all its digits."""
    return f"{number:,.0f}" if number == number // 1 else f"{number:,g}"


PATTERN = Option(
    "pattern", "cl100k", "How a text is cut into pre-tokens: a name, or a regular expression."
)
MIN_FREQUENCY = Option(
    "min_frequency", 2, "How often a pair has to be in the corpus to be merged.", least=1
)
SPECIAL_TOKENS = Option(
    "special_tokens",
    list[str](),
    "Tokens that no text becomes by itself; the corpus is cut at them.",
)
