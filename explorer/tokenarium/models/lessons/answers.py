"""The answers of lessons: computed from the open tokenizers when they are needed, never stored.

A lesson writes expressions such as ``count("Egg") - count(" Egg")``. They are calls of the functions declared here on
texts, numbers and lists, with arithmetic and comparisons: nothing else is in the language, so no code of a file runs.
The last argument of most functions says by which tokenizer of the lesson: 1 is the first, and the default.

    >>> import tokenarium_core as tc
    >>> from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS
    >>> answers = Answers([("Tokenarium 8k", tc.open(SHIPPED_TOKENIZERS[0].path))])
    >>> (
    ...     answers.value('count("Hello, world") + 1'),
    ...     answers.filled("There are {{ tokens('a word') }}."),
    ... )
    (5, 'There are a · ␣word.')
"""

from __future__ import annotations

import ast
import inspect
import operator
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any, Final

from tokenarium.models.lessons.limits import (
    MOST_CHARACTERS,
    MOST_LEARNED,
    MOST_LESSON_COST,
    MOST_NODES,
    MOST_NUMBER,
    MOST_PROSE,
    MOST_SPELLED,
    MOST_STEP_COST,
    MOST_WORD,
    MOST_WRITTEN,
)
from tokenarium.models.merges.run import TraceRun
from tokenarium.models.packed_arrays import array_of
from tokenarium.models.text.lost_text import is_doubtful, lost_share
from tokenarium.models.text.piece import hexadecimal, readable
from tokenarium_core import TokenariumError, Tokenizer, train
from tokenarium_core.changing.extending import Extension
from tokenarium_core.explaining.merge_path import merges
from tokenarium_core.models import (
    BoundlessBpe,
    CharacterBpe,
    LongestMatch,
    LowestCost,
    PickyBpe,
    Unigram,
    WordPiece,
)
from tokenarium_core.trace import MERGE
from tokenarium_core.vocabulary import KINDS, MAX_IDS

UNCUT: Final = "(?s).+"
"""The pattern that takes a whole text: nothing is cut."""

Utf8 = bytes  # which is a function of the language, too
Value = bool | int | float | str | list[Any]


class AnswerError(TokenariumError):
    """An expression is not in the language of answers, or has no value here; the message says why."""


class _Said(AnswerError):
    """An error that names its expression."""


IDS, ENCODING, RUN, TRAINING, EXTENDING = 2, 3, 100, 5, 12
"""Prices of a character that is encoded, with its spans, and with its steps, and that merges are learned from; and of an
entry of a vocabulary that gets another one."""

EXTENDED: Final = 4
"""How many tokenizers with another word are kept."""

_OPERATORS: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda part, whole: part in whole,
    ast.NotIn: lambda part, whole: part not in whole,
}


class Purse:
    """What expressions may still cost, of ``most``; ``what`` they are of, and ``other`` is a purse that pays too."""

    def __init__(self, most: int, what: str = "a lesson", other: Purse | None = None) -> None:
        self._left = self._most = most
        self._what = what
        self._other = other

    def pay(self, cost: float) -> None:
        """Takes the price of some work before it is done; AnswerError if there is not enough."""
        if cost > self._left:
            raise AnswerError(
                f"it takes too much work: {self._what} may take about {self._most / 1e6:g} s."
                " Take a shorter text, or make several steps of this one."
            )
        self._left -= int(cost)
        if self._other is not None:
            self._other.pay(cost)


class Answers:
    """Computes expressions with some tokenizers, each with its name; ``texts`` are names that they may use.

    Its public methods, `about`, `value`, `filled` and `run` aside, are the functions of the language. Each pays its price,
    about a microsecond a unit, before it does its work: so the expressions of a step are bounded, and those of a
    lesson, whatever they are.
    """

    def __init__(
        self,
        tokenizers: Sequence[tuple[str, Tokenizer]],
        texts: Mapping[str, Value] | None = None,
        most: int = MOST_STEP_COST,
        lesson: Purse | None = None,
    ) -> None:
        self._tokenizers = list(tokenizers)
        self._texts = dict(texts or {})
        self._most = most
        self._lesson = lesson or Purse(MOST_LESSON_COST)
        self._purse = Purse(most, "a step", self._lesson)
        self._extended: set[tuple[int, str]] = set()  # what was paid for, and is kept

    def about(self, texts: Mapping[str, Value]) -> Answers:
        """Returns the same with other names for texts, for another step."""
        return Answers(self._tokenizers, texts, self._most, self._lesson)

    # The language.

    def value(self, expression: str, **names: Value) -> Value:
        """Returns the value of an expression; AnswerError if it has none."""
        try:
            tree = parsed(expression)
            value: Value = self._of(tree.body, {**self._texts, **names})
            return value
        except _Said:
            raise
        except AnswerError as error:
            raise _Said(
                f"“{_short(expression)}” has no value: {_short(str(error), 300)}"
            ) from error
        except OverflowError as error:
            raise _Said(f"“{_short(expression)}” has no value: a number is too large.") from error
        except (
            *(TypeError, ValueError, LookupError, ArithmeticError, AttributeError),
            *(RecursionError, MemoryError, TokenariumError),
        ) as error:
            why = _short(str(error) or type(error).__name__, 300)
            raise _Said(f"“{_short(expression)}” has no value: {why}") from error

    def filled(self, prose: str, escaped: Callable[[str], str] = str, **names: Value) -> str:
        """Returns a text with the value of each expression between ``{{`` and ``}}``; AnswerError if one has none.

        ``escaped`` makes of a value what is written in its place.
        """
        parts = prose.split("{{")
        done = [parts[0]]
        size = len(prose)
        for part in parts[1:]:
            expression, closed, rest = part.partition("}}")
            if not closed:
                raise AnswerError(f"“{{{{{_short(expression)}” has no end: write }}}} after it.")
            value = shown(self.value(expression, **names))
            size += len(value)
            if size > 2 * MOST_PROSE:
                raise AnswerError(
                    f"With its values, this text has more than {2 * MOST_PROSE:,} characters: show less."
                )
            done += [escaped(value), rest]
        return "".join(done)

    def _of(self, node: ast.AST, names: Mapping[str, Value]) -> Any:
        match node:
            case ast.Constant(value=bool() | int() | float() | str() as value):
                return _bounded(value)
            case ast.Name(id=name) if name in names:
                return names[name]
            case ast.List(elts=elements) | ast.Tuple(elts=elements):
                return [self._weighed(self._of(element, names)) for element in elements]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._of(operand, names)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return not self._of(operand, names)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                first, second = self._of(left, names), self._of(right, names)
                if isinstance(op, ast.Mult) and not all(
                    _is_number(operand) for operand in (first, second)
                ):
                    return _bounded(_repeated(first, second))
                self._weighed(first), self._weighed(second)
                return _bounded(_OPERATORS[type(op)](first, second))
            case ast.BoolOp(op=op, values=values):
                results = [bool(self._of(value, names)) for value in values]
                return all(results) if isinstance(op, ast.And) else any(results)
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _OPERATORS:
                first, second = self._of(left, names), self._of(right, names)
                self._weighed(first), self._weighed(second)
                return _OPERATORS[type(op)](first, second)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
                self._purse.pay(10)
                given = [self._of(argument, names) for argument in arguments]
                made = getattr(self, name)(*given)
                # Ways to spell are counted exactly, whatever their number.
                return made if isinstance(made, int) else _bounded(made)
            case ast.Call(func=ast.Name(id=name)):
                from difflib import get_close_matches  # the start does without

                near = get_close_matches(name, FUNCTIONS, 1) if len(name) < 30 else []
                others = (
                    f"Did you mean “{near[0]}”?"
                    if near
                    else f"The functions are {', '.join(FUNCTIONS)}."
                )
                raise _Said(f"“{_short(name)}” is not a function. {others}")
            case ast.Name(id=name):
                raise _Said(f"“{_short(name)}” is not a name here.")
        raise _Said(f"“{_short(ast.unparse(node))}” is not part of the language of answers.")

    def _weighed(self, value: Any) -> Any:
        """Returns a value, having paid for a walk over what it holds."""
        if isinstance(value, str):
            self._purse.pay(len(value) / 50)
        elif isinstance(value, list):
            self._purse.pay(len(value))
            for item in value:
                self._weighed(item)
        return value

    def _paid(self, text: object, each: float, more: float = 0) -> str:
        """Returns a text after paying for each of its characters, and once."""
        bounded = _bounded(_text(text))
        self._purse.pay(each * len(bounded) + more)
        return str(bounded)

    def _tokenizer(self, which: int) -> Tokenizer:
        if not isinstance(which, int) or not 1 <= which <= len(self._tokenizers):
            raise AnswerError(
                f"there is no tokenizer {_short(str(which))}; the lesson has {len(self._tokenizers)}."
            )
        return self._tokenizers[which - 1][1]

    # The functions.

    def name(self, which: int = 1) -> str:
        """The name of a tokenizer."""
        self._tokenizer(which)
        return self._tokenizers[which - 1][0]

    def kind(self, which: int = 1) -> str:
        """How it makes tokens: "BPE", "SentencePiece BPE", "Unigram" or "WordPiece"."""
        return kind_of(self._tokenizer(which))

    def size(self, which: int = 1) -> int:
        """How many entries its vocabulary has."""
        return len(self._tokenizer(which).vocabulary)

    def entries(self, kind: str, which: int = 1) -> int:
        """How many entries of a kind it has: "normal", "control", "user-defined", "byte", "unknown" or "unused"."""
        if kind not in KINDS:
            raise AnswerError(f"{_text(kind)!r} is not one of {', '.join(KINDS)}.")
        self._purse.pay(self.size(which) / 10)
        kinds = array_of(self._tokenizer(which).vocabulary.kinds)
        return int((kinds == KINDS.index(kind)).sum())

    def score(self, piece: str, which: int = 1) -> float:
        """The score of the entry with this text, 0 if there is none, or none with scores."""
        vocabulary = self._tokenizer(which).vocabulary
        id = vocabulary.find(self._paid(piece, 1).encode("utf-8", "surrogatepass"))
        return float(vocabulary.scores[id]) if 0 <= id < len(vocabulary.scores) else 0.0

    def ids(self, text: str, which: int = 1) -> list[int]:
        """The ids of a text, with special tokens as plain text."""
        return list(self._tokenizer(which).encode_ids(self._paid(text, IDS)))

    def count(self, text: str, which: int = 1) -> int:
        """How many tokens a text has."""
        return len(self.ids(text, which))

    def counted(self, text: str, which: int = 1) -> str:
        """How many tokens a text has, with the word: 1 token, 2 tokens."""
        count = self.count(text, which)
        return f"{count:,} token" + "s" * (count != 1)

    def tokens(self, text: str, which: int = 1) -> list[str]:
        """The tokens of a text as they are written in the window: ␣ for a space, <0xE2> for a byte."""
        return [self.piece(token, which) for token in self.ids(text, which)]

    def piece(self, id: int, which: int = 1) -> str:
        """The entry with an id, as it is written in the window."""
        return readable(self._tokenizer(which).vocabulary.piece(id))

    def fewest(self, text: str) -> str:
        """The name of the tokenizer with the fewest tokens for a text, the first of several.

        One that loses a part of the text counts only where all do.
        """
        counts = []
        for index in range(len(self._tokenizers)):
            count = self.count(text, index + 1)
            paid = self._paid(text, IDS)
            lossy = is_doubtful(lost_share(self._tokenizer(index + 1), [paid]))
            counts.append((lossy, count))
        return self.name(counts.index(min(counts)) + 1)

    def is_token(self, text: str, which: int = 1) -> bool:
        """Whether a text is one token."""
        return self.count(text, which) == 1

    def decoded(self, ids: list[int], which: int = 1) -> str:
        """The text of some ids."""
        tokenizer = self._tokenizer(which)
        self._purse.pay(len(ids))
        piece = tokenizer.vocabulary.piece
        self._purse.pay(sum(len(piece(token)) for token in ids))
        return tokenizer.decode(ids)

    def round_trip(self, text: str, which: int = 1) -> bool:
        """Whether the ids of a text give the same text again."""
        return self.decoded(self.ids(text, which), which) == text

    def same_ids(self, first: str, second: str, which: int = 1) -> bool:
        """Whether two texts have the same ids."""
        return self.ids(first, which) == self.ids(second, which)

    def cuts(self, text: str, which: int = 1) -> list[int]:
        """The places between the tokens of a text, as the bytes before each."""
        tokenizer, text = self._tokenizer(which), self._paid(text, ENCODING)
        spans = array_of(tokenizer.encode(text).spans).reshape(-1, 2)
        size = len(text.encode("utf-8", "surrogatepass"))
        return [end for end in dict.fromkeys(spans[:, 1].tolist()) if 0 < end < size]

    def line_counts(self, text: str, which: int = 1) -> list[int]:
        """How many tokens begin in each line of a text, as the window counts them at the right."""
        tokenizer, text = self._tokenizer(which), self._paid(text, ENCODING)
        starts = array_of(tokenizer.encode(text).spans).reshape(-1, 2)[:, 0]
        lines = text.encode("utf-8", "surrogatepass").split(b"\n")
        edges = [0, *accumulate(len(line) + 1 for line in lines)]
        return [int(((starts >= a) & (starts < b)).sum()) for a, b in pairwise(edges)]

    def same_cuts(self, text: str, first: int = 1, second: int = 2) -> bool:
        """Whether two tokenizers cut a text at the same places."""
        return self.cuts(text, first) == self.cuts(text, second)

    def spellings(self, text: str, which: int = 1) -> int:
        """How many sequences of ids decode to a text."""
        from tokenarium_core.explaining.ways import ways

        tokenizer = self._tokenizer(which)
        if len(_text(text)) > MOST_SPELLED:
            raise AnswerError(f"ways to spell more than {MOST_SPELLED} characters are not counted.")
        paid = self._paid(text, len(text), len(tokenizer.vocabulary))
        return ways(tokenizer, paid, best=0).count

    def letters(self, text: str, letter: str) -> int:
        """How often a letter is in a text."""
        return self._paid(text, 0.1).count(_text(letter))

    def special_count(self, text: str, which: int = 1) -> int:
        """How many tokens a text has where special tokens in it are recognized."""
        return len(self._tokenizer(which).encode(self._paid(text, ENCODING), special="all").ids)

    def pre_tokens(self, text: str, which: int = 1) -> list[str]:
        """The text as it is cut before any merge."""
        data = self._paid(text, ENCODING).encode("utf-8", "surrogatepass")
        spans = array_of(self._tokenizer(which).encode(text).pre_token_spans).reshape(-1, 2)
        return [data[start:end].decode("utf-8", "replace") for start, end in spans.tolist()]

    def pre_token_cuts(self, text: str, which: int = 1) -> list[int]:
        """The places between the pre-tokens of a text, as the bytes before each."""
        tokenizer, text = self._tokenizer(which), self._paid(text, ENCODING)
        spans = array_of(tokenizer.encode(text).pre_token_spans).reshape(-1, 2)
        size = len(text.encode("utf-8", "surrogatepass"))
        return [end for end in dict.fromkeys(spans[:, 1].tolist()) if 0 < end < size]

    def steps(self, text: str, which: int = 1) -> int:
        """How many steps make the tokens of a text."""
        return len(self._run(text, which))

    def merges(self, text: str, which: int = 1) -> list[str]:
        """The steps that make the tokens of a text, in their order: merges as "a + b", else the piece of the step."""
        run = self._run(text, which)
        self._purse.pay(len(run) * len(run.data))  # each step is shown on its own
        made = []
        for position in range(len(run)):
            run.go_to(position)
            made.append(" + ".join(_made_of(run)))
        return made

    def next_merge(self, text: str, step: int, which: int = 1) -> str:
        """The step that comes after so many others, as in `merges`."""
        made = self.merges(text, which)
        if not 0 <= step < len(made):
            raise AnswerError(
                f"“{_short(text)}” takes {len(made)} steps, so there is none after {step}."
            )
        return made[step]

    def waiting(self, text: str, step: int, which: int = 1) -> list[str]:
        """The pairs that could be merged after so many steps, as "a + b"."""
        run = self._run(text, which)
        if not isinstance(step, int) or not 0 <= step <= len(run):
            raise AnswerError(f"“{_short(text)}” takes {len(run)} steps.")
        run.go_to(step)
        pairs = []
        for symbols in run.symbols():
            begins = {candidate.start for candidate in run.candidates(symbols)}
            pairs += [
                f"{_seen(run, left)} + {_seen(run, right)}"
                for left, right in pairwise(symbols)
                if left.start in begins
            ]
        return pairs

    def learned(self, text: str, count: int) -> list[str]:
        """The first merges that a training on a text learns, from bytes and with no cuts, as "a + b"."""
        trained = _trained(self._paid(text, TRAINING), count)
        pieces = trained.vocabulary.piece
        return [
            f"{readable(pieces(left))} + {readable(pieces(right))}"
            for left, right, _ in merges(trained)
        ]

    def tokens_after(self, text: str, count: int) -> int:
        """How many tokens a text has after the merges of `learned`."""
        return len(_trained(self._paid(text, TRAINING), count).encode_ids(text))

    def picky(self, text: str, count: int, threshold: float) -> list[str]:
        """What PickyBPE does with a text until it has so many entries: merges as "a + b", removals as "- a"."""
        return list(_picky(self._paid(text, TRAINING), count, threshold))

    def entries_for(self, word: str, which: int = 1) -> int:
        """How many entries have to be added so that a word is one token: the word, and the steps to it."""
        tokenizer = self._tokenizer(which)
        return len(self._with_word(word, which).vocabulary) - len(tokenizer.vocabulary)

    def count_with(self, text: str, word: str, which: int = 1) -> int:
        """How many tokens a text has once a word is one token."""
        return len(self._with_word(word, which).encode_ids(self._paid(text, IDS)))

    def characters(self, text: str) -> int:
        """How many code points a text has."""
        return len(_text(text))

    def bytes(self, text: str) -> int:
        """How many bytes a text has in UTF-8."""
        return len(_text(text).encode("utf-8", "surrogatepass"))

    def hex(self, text: str) -> str:
        """The bytes of a text in UTF-8, in hexadecimal."""
        return hexadecimal(_text(text).encode("utf-8", "surrogatepass"), 64)

    def reversed(self, text: str) -> str:
        """A text backwards."""
        return _text(text)[::-1]

    def length(self, values: list[Any]) -> int:
        """How many elements a list has."""
        return len(values)

    def item(self, values: list[Any], number: int) -> Any:
        """An element of a list: 1 is the first, -1 the last."""
        return values[number - 1 if number > 0 else number]

    def ratio(self, first: float, second: float) -> float:
        """The first number divided by the second, with one digit after the point."""
        return round(first / second, 1)

    def percent(self, part: float, whole: float) -> int:
        """The share of a part in the whole, in percent."""
        return round(100 * part / whole)

    def rest(self, number: int, divisor: int) -> int:
        """What is left of a whole number when it is divided by another one."""
        if not isinstance(number, int) or not isinstance(divisor, int):
            raise AnswerError("only whole numbers have a remainder.")
        return number % divisor

    def when(self, condition: bool, text: Any, other: Any = "") -> Any:
        """The second argument if a condition holds, otherwise the third one."""
        return text if condition else other

    def joined(self, values: list[Any], between: str = " ") -> str:
        """The elements of a list as a text."""
        size = max(0, len(values) - 1) * len(_text(between))
        self._purse.pay(size / 50)
        parts = [shown(self._weighed(value)) for value in values]
        if size + sum(map(len, parts)) > MOST_CHARACTERS:
            raise AnswerError(f"a text may have at most {MOST_CHARACTERS:,} characters.")
        return between.join(parts)

    def run(self, utf8: Utf8, start: int, end: int, which: int = 1) -> TraceRun:
        """Returns the steps of a tokenizer on some bytes of a text; AnswerError for too many of them."""
        self._purse.pay(RUN * max(0, end - start))
        return TraceRun(self._tokenizer(which), utf8, start, end)

    def _run(self, text: str, which: int) -> TraceRun:
        data = _bounded(_text(text)).encode("utf-8", "surrogatepass")
        return self.run(data, 0, len(data), which)

    def _with_word(self, word: str, which: int) -> Tokenizer:
        """Returns a tokenizer of the lesson in which a word is one token."""
        tokenizer = self._tokenizer(which)
        if len(_text(word)) > MOST_WORD:
            raise AnswerError(
                f"a word that becomes one token may have at most {MOST_WORD:,} characters."
            )
        if (which, word) not in self._extended:
            self._paid(word, RUN, EXTENDING * len(tokenizer.vocabulary))
            if len(self._extended) >= EXTENDED:
                self._extended.clear()
            self._extended.add((which, word))
        return _with_word(tokenizer, word)


@lru_cache(maxsize=8)
def _trained(text: str, count: int) -> Tokenizer:
    """Returns what so many merges make of a text, learned from its bytes."""
    return train("bpe", [_bounded(_text(text))], vocab_size=256 + _learnable(count), pattern=UNCUT)


@lru_cache(maxsize=8)
def _picky(text: str, count: int, threshold: float) -> tuple[str, ...]:
    """Returns the events of PickyBPE on a text, from its bytes and with no cuts."""
    trained = train(
        "picky-bpe",
        [_bounded(_text(text))],
        vocab_size=256 + _learnable(count),
        pattern=UNCUT,
        threshold=float(threshold),
    )
    assert isinstance(trained.model, PickyBpe)
    events = trained.model.events
    seen = [readable(piece) for piece in events.pieces]
    return tuple(
        f"- {seen[token]}" if left < 0 else f"{seen[left]} + {seen[right]}"
        for left, right, token in zip(events.lefts, events.rights, events.tokens, strict=True)
    )


def _learnable(count: int) -> int:
    """Returns a number of merges; AnswerError if it is out of range."""
    if not isinstance(count, int) or not 0 < count <= MOST_LEARNED:
        raise AnswerError(f"a lesson can learn 1 to {MOST_LEARNED:,} merges.")
    return count


@lru_cache(maxsize=EXTENDED)
def _with_word(tokenizer: Tokenizer, word: str) -> Tokenizer:
    """Returns a tokenizer in which a word is one token; itself if it is one already."""
    extension = Extension(tokenizer, MAX_IDS - len(tokenizer.vocabulary))
    extension.add_words([_bounded(_text(word))])
    return extension.tokenizer() if extension.added else tokenizer


FUNCTIONS: Final = tuple(
    name
    for name, function in vars(Answers).items()
    if inspect.isfunction(function)
    and not name.startswith("_")
    and name not in ("about", "value", "filled", "run")
)
"""The functions of the language, in the order in which they are declared."""


TOLD_BY_TOKENS: Final = frozenset(
    (
        *("ids", "count", "counted", "tokens", "fewest", "is_token", "decoded", "round_trip"),
        *("same_ids", "cuts", "line_counts", "same_cuts", "spellings", "special_count"),
        *("pre_tokens", "pre_token_cuts", "steps", "merges", "next_merge", "waiting"),
        *("learned", "tokens_after", "picky", "count_with"),
    )
)
"""The functions whose values can be seen in a window that shows the tokens, or the steps to them."""


def is_told_by_tokens(expression: str) -> bool:
    """Returns whether the value of an expression can be read from tokens in the window.

    >>> is_told_by_tokens("count('a') > 1"), is_told_by_tokens("bytes('a') > 1")
    (True, False)
    """
    try:
        nodes = ast.walk(parsed(expression))
    except AnswerError:
        return False
    return any(isinstance(node, ast.Name) and node.id in TOLD_BY_TOKENS for node in nodes)


def tokenizer_of(answers: Answers, which: int) -> Tokenizer:
    """Returns the tokenizer of a number, from 1; AnswerError if there is none."""
    return answers._tokenizer(which)


def told_tokens(expression: str, answers: Answers) -> tuple[Tokenizer, list[int]] | None:
    """Returns the tokenizer and the ids that an expression counts or lists, such as ``count(text, 2)``.

    None for other expressions, and if they have no value.
    """
    try:
        match parsed(expression).body:
            case ast.Call(func=ast.Name(id="count" | "tokens"), args=[what, *more]):
                which = ast.literal_eval(more[0]) if more else 1
                text = str(answers.value(ast.unparse(what)))
                return tokenizer_of(answers, which), answers.ids(text, which)
    except (AnswerError, ValueError):
        pass
    return None


def functions() -> list[tuple[str, str]]:
    """Returns each function as it is called, with what it gives; for the documentation."""
    signatures = []
    for name in FUNCTIONS:
        one = getattr(Answers, name)
        parameters = list(inspect.signature(one).parameters.values())[1:]
        called = ", ".join(
            p.name if p.default is p.empty else f"{p.name}={p.default!r}" for p in parameters
        )
        signatures.append((f"{name}({called})", inspect.getdoc(one) or ""))
    return signatures


def kind_of(tokenizer: Tokenizer) -> str:
    """Returns how a tokenizer makes tokens, by the name of its algorithm."""
    model = tokenizer.model
    if isinstance(model, Unigram):
        return "Unigram"
    if isinstance(model, WordPiece):
        return "WordPiece"
    if isinstance(model, LongestMatch):
        return "longest match"
    if isinstance(model, LowestCost):
        return "Unigram in whole numbers"
    if isinstance(model, PickyBpe):
        return "PickyBPE"
    if isinstance(model, BoundlessBpe):
        return "BoundlessBPE"
    return "SentencePiece BPE" if isinstance(model, CharacterBpe) else "BPE"


def shown(value: Value) -> str:
    """Returns a value as prose has it.

    >>> shown(12345), shown(0.5), shown(["a", "b"]), shown(True)
    ('12,345', '0.5', 'a · b', 'yes')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.1f}"
    if isinstance(value, list):
        return " · ".join(str(item) if isinstance(item, int) else shown(item) for item in value)
    return value


def _made_of(run: TraceRun) -> tuple[str, ...]:
    """Returns the texts of the symbols that the next step joins."""
    step = run.next_step
    if step is None:
        return ()
    if step.kind != MERGE:
        return (readable(run.data[step.start : step.end]),)
    symbols = [
        symbol for word in run.symbols() for symbol in word if step.start <= symbol.start < step.end
    ]
    return tuple(_seen(run, symbol) for symbol in symbols)


def _seen(run: TraceRun, symbol: Any) -> str:
    return readable(run.data[symbol.start : symbol.end])


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise AnswerError(f"{_short(shown(value))} is not a text.")  # type: ignore[arg-type]
    return value


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


def _repeated(first: Any, second: Any) -> Any:
    """Returns a text some times over, within the bounds."""
    text, times = (first, second) if isinstance(first, str) else (second, first)
    if not isinstance(text, str) or not isinstance(times, int):
        raise AnswerError("only a text can be repeated, and only a whole number of times.")
    if times > 0 and len(text) * times > MOST_CHARACTERS:
        raise AnswerError(f"a text may have at most {MOST_CHARACTERS:,} characters.")
    return text * times


def _bounded(value: Any) -> Any:
    if isinstance(value, str) and len(value) > MOST_CHARACTERS:
        raise AnswerError(f"a text may have at most {MOST_CHARACTERS:,} characters.")
    if isinstance(value, list) and len(value) > MOST_CHARACTERS:
        raise AnswerError(f"a list may have at most {MOST_CHARACTERS:,} elements.")
    if _is_number(value) and not abs(value) <= MOST_NUMBER:
        raise AnswerError(f"a number may be at most {MOST_NUMBER:,}.")
    return value


_STRINGS: Final = re.compile(
    r"""(?<![\w])(?:"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+')""", re.DOTALL
)
"""Texts in an expression. Where a letter is before one, it may contain what is parsed."""


def parsed(expression: str) -> ast.Expression:
    """Returns the syntax tree of an expression; AnswerError if it is not one, or is too large, which is checked first."""
    written = expression.strip()
    if len(written) > 8 * MOST_CHARACTERS or len(_STRINGS.sub("", written)) > MOST_WRITTEN:
        raise _Said(
            f"“{_short(expression)}” has more than {MOST_WRITTEN:,} characters besides its texts: make it shorter."
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # about a stranger's text
            tree = ast.parse(written, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise _Said(f"“{_short(expression)}” is not an expression.") from error
    if sum(1 for _ in ast.walk(tree)) > MOST_NODES:
        raise _Said(f"“{_short(expression)}” has more than {MOST_NODES} parts: make it shorter.")
    return tree


def _short(text: str, most: int = 60) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
