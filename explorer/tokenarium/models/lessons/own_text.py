"""A question of a step, asked about another text than that of the step."""

from __future__ import annotations

import ast
import re
from contextlib import suppress
from typing import Final

import msgspec

from tokenarium.models.lessons.answers import AnswerError, parsed
from tokenarium.models.lessons.lesson import LessonQuestion
from tokenarium.models.lessons.limits import MOST_CHARACTERS

MOST_QUOTED: Final = 60
"""The most characters of a text that a question is asked with."""

MOST_CUT: Final = 24
"""The most characters of a text that a person cuts."""


class _ElsewhereError(Exception):
    """A question is about a part of the step's text."""


def asked_about(
    question: LessonQuestion, text: str, selected: str, own: str, own_selected: str = ""
) -> LessonQuestion | None:
    """Returns a question about a text of the user; None for one that is about a part of the step's text alone.

    ``text`` and ``selected`` are those of the step. Where an expression names the whole of one, it gets the user's.
    Reasons of choices are left out: they are about the step's text.

    >>> asked = LessonQuestion("How many tokens is “a b”?", 'count("a b")', "number")
    >>> asked_about(asked, "a b", "", "c").answer
    "count('c')"
    >>> asked_about(
    ...     LessonQuestion("How many is “b”?", 'count("b")', "number"), "a b", "", "c"
    ... ) is None
    True
    """
    if not own or len(own) > MOST_CHARACTERS:
        return None
    others = {text: own}
    if selected.strip() and selected != text and own_selected:
        others |= {selected: own_selected, selected.strip(): own_selected.strip()}
    about = _Texts(others, text)
    try:
        answer = question.answer and about.expression(question.answer)
        ask = about.prose(question.ask)
        cut = others.get(question.text, "") if question.text in text else question.text
        if question.kind == "split" and not 0 < len(cut) <= MOST_CUT:
            return None
        choices = [about.prose(choice) for choice in question.choices]
    except _ElsewhereError:
        return None
    hint = after = ""
    with suppress(_ElsewhereError):
        hint = about.prose(question.hint)
    with suppress(_ElsewhereError):
        after = about.prose(question.after)
    return msgspec.structs.replace(
        question,
        ask=ask,
        answer=answer,
        text=cut,
        choices=tuple(choices),
        hint=hint,
        after=after,
        reasons={},
    )


_QUOTED = re.compile("“([^”]+)”|`([^`]+)`|([^\\s“”`]*\\d[^\\s“”`?.,]*)")


class _Texts(ast.NodeTransformer):
    """Puts texts in the place of others; raises _ElsewhereError for another part of the step's ``text``."""

    def __init__(self, others: dict[str, str], text: str) -> None:
        self._others = others
        self._text = text

    def expression(self, written: str) -> str:
        """Returns an expression about the other texts."""
        try:
            tree = parsed(written)
        except AnswerError as error:
            raise _ElsewhereError from error
        return ast.unparse(self.visit(tree))

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        value = node.value
        if not isinstance(value, str) or not value:
            return node
        if value in self._others:
            return ast.Constant(self._others[value])
        if value in self._text or value.strip() in self._text:
            raise _ElsewhereError
        return node

    def prose(self, written: str) -> str:
        """Returns prose with expressions about the other texts."""
        first, *rest = written.split("{{")
        done = [self._plain(first)]
        for part in rest:
            expression, _, after = part.partition("}}")
            done.append("{{" + self.expression(expression) + "}}" + self._plain(after))
        return "".join(done)

    def _plain(self, written: str) -> str:
        """Returns prose without expressions; quoted parts of the step's text must have something in their place."""
        for quotation in _QUOTED.finditer(written):
            part = next(group for group in quotation.groups() if group is not None)
            other = self._others.get(part) or self._others.get(part.replace("␣", " "))
            if other is not None and len(other) <= MOST_QUOTED:
                written = written.replace(quotation[0], f"“{other}”")
            elif other is not None or part.replace("␣", " ") in self._text:
                raise _ElsewhereError
        return written
