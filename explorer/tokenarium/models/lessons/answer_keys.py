"""What a page without tokenizers compares the answer to a question with; computed when the page is written."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from operator import eq, ge, gt, le, lt, ne
from typing import Any, Final, NamedTuple

from tokenarium.models.lessons.answers import (
    AnswerError,
    Answers,
    parsed,
    shown,
    tokenizer_of,
)
from tokenarium.models.lessons.asking import as_shown, cuts_of, is_right, split_parts
from tokenarium.models.lessons.lesson import LessonQuestion
from tokenarium.models.lessons.limits import MOST_PARTS
from tokenarium.models.scene import Scene
from tokenarium.models.text.byte_table import byte_level
from tokenarium_core import TokenariumError

MOST_TRIED: Final = 40
"""The most texts that are tried as answers to a question that asks for one."""

_QUOTED: Final = re.compile(r"“([^“”]{1,200})”")


MEASURES: Final = ("characters", "bytes", "letters")
"""The functions of a text that a page computes itself."""

SIGNS: Final[Mapping[type[ast.cmpop], str]] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip

COMPARED: Final[Mapping[str, Callable[[int, int], bool]]] = {
    "==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge,
}  # fmt: skip

MOST_ENTRIES: Final = 60_000
"""The most entries of a vocabulary that are tried as answers to a question that asks for one token."""

MOST_RIGHT: Final = 2_000
"""The most of them that a page has."""


class Need(NamedTuple):
    """A condition that a text meets: one of the `MEASURES`, the letter that it counts or "", a sign, and a number."""

    measure: str
    letter: str
    sign: str
    number: int

    def met(self, text: str) -> bool:
        """Returns whether a text meets it."""
        sizes = {
            "characters": len(text),
            "bytes": len(text.encode("utf-8", "surrogatepass")),
            "letters": text.count(self.letter),
        }
        return COMPARED[self.sign](sizes[self.measure], self.number)


class AnswerKey(NamedTuple):
    """The right answer as texts: a number, a token, the bytes before a cut, the parts of a word, or items in their order.

    For a question that asks for a text, they are those texts that are known to be right, and ``wrong`` are others.
    ``needs`` are what each right text has; ``whole``: with one of the ``entries``, if there are any, it is right.
    ``offers`` are the tokens to click; of a cut, the parts between the cuts ``places``, each the bytes before it.
    """

    right: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    needs: tuple[Need, ...] = ()
    entries: tuple[str, ...] = ()
    whole: bool = False


def answer_key(
    question: LessonQuestion, answer: Any, right: str, scene: Scene, answers: Answers
) -> AnswerKey | None:
    """Returns what a page compares answers with; None if it cannot ask the question.

    ``answer`` is the value of the right one, and ``right`` how it is shown.
    """
    if question.kind == "write":
        return _tried(question, answers)
    if question.kind == "split":
        return AnswerKey(tuple(split_parts(answer))) if isinstance(answer, list) else None
    if question.kind == "order":
        return AnswerKey(tuple(map(shown, answer))) if isinstance(answer, list) else None
    if question.kind == "number":
        return AnswerKey((str(answer),)) if isinstance(answer, int | float) else None
    if question.kind == "click":
        try:
            offers, places = cuts_of(scene, answers)
        except AnswerError:
            return None
        if len(offers) > MOST_PARTS:
            return None
        if question.part == "cut":
            return AnswerKey((str(answer),), (), tuple(offers), tuple(places))
        return AnswerKey((as_shown(answer),), (), tuple(offers))
    return AnswerKey((right,))


def _tried(question: LessonQuestion, answers: Answers) -> AnswerKey:
    """Tries the texts that are quoted in what is said about a question that asks for a text."""
    said = []
    for text in (question.hint, question.after, question.ask):
        try:
            said.append(answers.filled(text))
        except AnswerError:
            continue
    right: list[str] = []
    wrong: list[str] = []
    for text in list(dict.fromkeys(_QUOTED.findall("\n".join(said))))[:MOST_TRIED]:
        try:
            (right if is_right(question, text, answers) else wrong).append(text)
        except AnswerError:
            continue
    needs, token_of, rest = _conditions(question.answer)
    entries: tuple[str, ...] = ()
    if token_of and not rest:
        entries = _entries(needs, token_of, answers)
    whole = not rest and bool(entries or not token_of)
    return AnswerKey(tuple(right), tuple(wrong), needs=needs, entries=entries, whole=whole)


def _conditions(expression: str) -> tuple[tuple[Need, ...], tuple[int, ...], bool]:
    """Returns the conditions of an expression that all have to be met.

    They are those that need no tokenizer, and the numbers of the tokenizers in which the text is one token; and whether there
    are others.
    """
    try:
        body = parsed(expression).body
    except AnswerError:
        return (), (), True
    every = body.values if isinstance(body, ast.BoolOp) and isinstance(body.op, ast.And) else [body]
    needs: list[Need] = []
    token_of: list[int] = []
    rest = False
    for one in every:
        match one:
            case ast.Compare(
                left=ast.Call(func=ast.Name(id=measure), args=[ast.Name(id="text"), *more]),
                ops=[op],
                comparators=[ast.Constant(value=int() as number)],
            ) if measure in MEASURES and type(op) in SIGNS and len(more) == (measure == "letters"):
                letter = more[0] if more else ast.Constant("")
                if isinstance(letter, ast.Constant) and isinstance(letter.value, str):
                    needs.append(Need(measure, letter.value, SIGNS[type(op)], number))
                    rest |= bool(more) and not letter.value
                else:
                    rest = True
            case ast.Call(func=ast.Name(id="is_token"), args=[ast.Name(id="text")]):
                token_of.append(1)
            case ast.Call(
                func=ast.Name(id="is_token"),
                args=[ast.Name(id="text"), ast.Constant(value=int() as which)],
            ):
                token_of.append(which)
            case _:
                rest = True
    kept = tuple(need for need in needs if need.letter or need.measure != "letters")
    return kept, tuple(token_of), rest


def _entries(needs: Sequence[Need], token_of: Sequence[int], answers: Answers) -> tuple[str, ...]:
    """Returns all texts that are one token and meet the needs; none if they cannot be listed.

    They can where a token stands for its bytes and nothing else: in a byte-level vocabulary without a normalizer.
    """
    try:
        tokenizers = [tokenizer_of(answers, which) for which in token_of]
    except AnswerError:
        return ()
    first = tokenizers[0]
    size = len(first.vocabulary)
    if first.normalizer is not None or not byte_level(first) or size > MOST_ENTRIES:
        return ()
    found: list[str] = []
    for token in range(size):
        try:
            text = first.vocabulary.piece(token).decode()
            if all(need.met(text) for need in needs) and all(
                len(one.encode_ids(text)) == 1 for one in tokenizers
            ):
                found.append(text)
        except (UnicodeDecodeError, TokenariumError):
            continue
        if len(found) > MOST_RIGHT:
            return ()
    return tuple(found)
