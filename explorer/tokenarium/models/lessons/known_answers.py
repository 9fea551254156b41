"""Answers that another process has computed, and a list of those that are still to be computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from tokenarium.models.lessons.answers import AnswerError, Answers, Value
from tokenarium.models.lessons.limits import MOST_CHARACTERS
from tokenarium_core import Tokenizer

MOST_KNOWN: Final = 5_000
"""Values that are kept."""

Question = tuple[str, tuple[tuple[str, Value], ...]]
"""An expression, with the names that it may use."""

Known = dict[Question, Value | AnswerError]


class NotYetError(AnswerError):
    """A value is being computed."""


class KnownAnswers(Answers):
    """Answers by a table of what is ``known``; ``want`` is called with what is not in it.

    The functions of the language compute here, for the program's own use, within the same prices.
    """

    def __init__(
        self,
        tokenizers: Sequence[tuple[str, Tokenizer]],
        known: Known,
        want: Callable[[Question], object],
        texts: Mapping[str, Value] | None = None,
    ) -> None:
        super().__init__(tokenizers, texts)
        self._known = known
        self._want = want

    def about(self, texts: Mapping[str, Value]) -> Answers:
        return KnownAnswers(self._tokenizers, self._known, self._want, texts)

    def value(self, expression: str, **names: Value) -> Value:
        question = self._question(expression, names)
        if question[0] in self._texts and not names:
            return self._texts[question[0]]
        answer = self._known.get(question)
        if answer is None:
            if any(
                isinstance(text, str) and len(text) > MOST_CHARACTERS for _, text in question[1]
            ):
                raise AnswerError(f"The text has more than {MOST_CHARACTERS:,} characters.")
            self._want(question)
            raise NotYetError("This is being computed …")
        if isinstance(answer, AnswerError):
            raise AnswerError(str(answer))
        return answer

    def has(self, expressions: Iterable[str]) -> bool:
        """Returns whether all of some expressions have answers; wants those that have none."""
        has = True
        for expression in expressions:
            try:
                self.value(expression)
            except NotYetError:
                has = False
            except AnswerError:
                pass
        return has

    def _question(self, expression: str, names: Mapping[str, Value]) -> Question:
        return expression.strip(), tuple(sorted({**self._texts, **names}.items()))


def expressions_in(texts: Iterable[str]) -> list[str]:
    """Returns the expressions in some texts, each once.

    >>> expressions_in(["a {{ 1 }} b {{ 2 }}", "{{ 1 }} {{ no end"])
    ['1', '2']
    """
    expressions = []
    for text in texts:
        for part in text.split("{{")[1:]:
            expression, closed, _ = part.partition("}}")
            if closed:
                expressions.append(expression.strip())
    return list(dict.fromkeys(expressions))
