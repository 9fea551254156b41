"""What a step of a lesson shows and asks, with the tokenizers that are open: its scene, its choices, what is right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any, Final

from tokenarium.models.lessons.answers import (
    AnswerError,
    Answers,
    Value,
    is_told_by_tokens,
    shown,
)
from tokenarium.models.lessons.lesson import Lesson, LessonQuestion, LessonScene
from tokenarium.models.merges.next_pair import NextPair, next_pair
from tokenarium.models.scene import Scene, SceneText, SceneTokenizer
from tokenarium.models.text.piece import readable
from tokenarium.models.text.text_map import TextMap

KEYS: Final = "123456789"
"""The keys of choices, in their order; further choices have none."""


def scene_of(
    scenes: Iterable[LessonScene],
    keys: Sequence[str],
    answers: Answers,
    as_written: bool = False,
) -> Scene:
    """Returns the scene after some steps of a lesson, shown with the tokenizers of these keys.

    AnswerError if the text or its selected part has an expression without a value; ``as_written``: its expressions are
    shown themselves.
    """
    values: dict[str, Any] = {"workspace": "tokens", "page": "", "display": {}, "pages": {}}
    selected, nth, at, front = None, 1, None, 1
    text: str | None = None
    settings: dict[str, Any] = {}
    for scene in scenes:
        text = text if scene.text is None else scene.text
        if scene.workspace is not None:
            values["workspace"], values["page"] = scene.workspace, ""
        values["page"] = values["page"] if scene.page is None else scene.page
        values["display"] = values["display"] | scene.display
        selected, nth, at, settings = scene.select, scene.nth, scene.at, scene.page_settings
        front = scene.front or front
    if text is not None:
        shown = text if as_written else answers.filled(text)
        values["text"] = SceneText(shown, title="Lesson text")
    name = ".".join(part for part in (values["workspace"], values["page"]) if part)
    if at is not None:
        settings = settings | {"step": at}
    if settings:
        values["pages"] = {name: settings}
    if selected and not as_written:
        selected = answers.filled(selected)
    if selected and "text" in values:
        span = span_of(TextMap(values["text"].inline), selected, nth)
        if span is not None:
            values["selection"] = span
    return Scene(
        tokenizers=tuple(map(SceneTokenizer, keys)) or None,
        front=keys[front - 1] if 0 < front <= len(keys) else "",
        **values,
    )


def scene_at(lesson: Lesson, number: int, keys: Sequence[str], answers: Answers) -> Scene:
    """Returns the scene of a step, as after the steps before it; its expressions as written if one has no value."""
    shown = [one.scene for one in lesson.steps[: number + 1] if one.scene is not None]
    try:
        return scene_of(shown, keys, answers)
    except AnswerError:
        return scene_of(shown, keys, answers, as_written=True)


def names_of(scene: Scene) -> dict[str, str]:
    """Returns the names that expressions of a step may use: the text of its scene, and what is selected in it."""
    text = scene.text.inline if scene.text is not None else ""
    start, end = scene.selection or (0, 0)
    selected = text.encode("utf-8", "surrogatepass")[start:end].decode("utf-8", "replace")
    return {"text": text, "selected": selected}


def front_of(scene: Scene) -> int:
    """Returns which tokenizer of the lesson is in front in a scene: 1 is the first."""
    keys = [tokenizer.key for tokenizer in scene.tokenizers or ()]
    return keys.index(scene.front) + 1 if scene.front in keys else 1


def cuts_of(scene: Scene, answers: Answers) -> tuple[list[str], list[str]]:
    """Returns the parts between the cuts of the tokenizer in front, and the bytes before each cut.

    In Pre-tokens these are the cuts between pre-tokens, otherwise those between tokens.
    """
    text = str(answers.value("text"))
    data, words = text.encode("utf-8", "surrogatepass"), scene.workspace == "pretokens"
    cuts = (answers.pre_token_cuts if words else answers.cuts)(text, front_of(scene))
    edges = [0, *cuts, len(data)]
    parts = [readable(data[start:end]) for start, end in pairwise(edges)]
    return parts, [str(cut) for cut in cuts]


def span_of(text_map: TextMap, part: str, nth: int = 1) -> tuple[int, int] | None:
    """Returns the bytes of the nth place, from 1 on, where a part is in a text; None if it is not there."""
    first = -1
    for _ in range(max(1, nth)):
        first = text_map.text.find(part, first + 1)
        if first < 0:
            return None
    start, end = text_map.char_to_byte([first, first + len(part)]).tolist()
    return start, end


def marks_of(scene: LessonScene | None, answers: Answers) -> list[str]:
    """Returns what a scene marks, as `marks` names it; without marks that have no value with these tokenizers."""
    marks = []
    for written in scene.mark if scene is not None else ():
        with suppress(AnswerError):
            marks.append(answers.filled(written))
    return marks


def hides_answer(question: LessonQuestion) -> bool:
    """Returns whether the window hides what answers a question until it is answered.

    It does where the reader predicts what the window shows, and not where the answer is found or tried in it.
    """
    if question.kind == "merge":
        return True
    if question.kind in ("click", "write"):
        return False
    return is_told_by_tokens(question.answer) if question.hides is None else question.hides


def pair_of(scene: Scene, answers: Answers) -> NextPair | None:
    """Returns which pair merges next in a scene, as a question; None if nothing merges.

    Asked is the tokenizer in front, about the selection, or all of the text, at the step of the page.
    """
    utf8 = scene.text.inline.encode("utf-8", "surrogatepass") if scene.text is not None else b""
    start, end = scene.selection or (0, len(utf8))
    try:
        run = answers.run(utf8, start, end, front_of(scene))
    except AnswerError:
        return None
    at = scene.pages.get(f"{scene.workspace}.{scene.page}", {}).get("step", 0)
    run.go_to(at if isinstance(at, int) else 0)
    return next_pair(run)


def choices_of(question: LessonQuestion, answers: Answers) -> Iterator[str]:
    """Yields the choices that have a value with these tokenizers."""
    for choice in question.choices:
        with suppress(AnswerError):
            yield answers.filled(choice)


def keys_of(choices: Sequence[str]) -> list[str]:
    """Returns the key of each choice: its place, or the digit itself where all choices are different digits.

    >>> keys_of(["one", "two"]), keys_of(["1", "3", "7"])
    (['1', '2'], ['1', '3', '7'])
    """
    if len(set(choices)) == len(choices) and all(choice in [*KEYS] for choice in choices):
        return list(choices)
    return [KEYS[place : place + 1] for place in range(len(choices))]


def reason_of(question: LessonQuestion, choice: str, answers: Answers) -> str:
    """Returns why a choice, as it is shown, is right or wrong; empty if the lesson does not say."""
    for written, reason in question.reasons.items():
        with suppress(AnswerError):
            if answers.filled(written) == choice:
                return reason
    return ""


def is_right(
    question: LessonQuestion, given: object, answers: Answers, pair: NextPair | None = None
) -> bool:
    """Returns whether an answer is right; AnswerError if that cannot be computed.

    ``pair``: what merges next, for a question of the kind "merge".
    """
    if question.kind == "merge":
        if pair is None:
            raise AnswerError("Nothing merges at this step.")
        return str(given) == str(pair.choices[pair.right])
    if question.kind == "write":
        return bool(answers.value(question.answer, text=str(given)))
    answer = answers.value(question.answer)
    if question.part == "cut":
        return isinstance(answer, int) and str(given) == str(answer)
    if question.kind == "number":
        try:
            number = float(str(given).replace(",", "").strip())
        except ValueError:
            raise AnswerError("Write a number.") from None
        return isinstance(answer, int | float) and abs(number - answer) < 0.051
    if question.kind == "split" and isinstance(answer, list) and isinstance(given, list):
        return given == split_parts(answer)
    if question.kind == "click":  # of a token, which is written as in the window or as in the text
        return as_shown(given) == as_shown(answer)
    if isinstance(answer, list):
        parts = given if isinstance(given, list) else [str(given)]
        return [shown(part) for part in parts] == [shown(one) for one in answer]
    return str(given) == shown(answer)


def split_parts(answer: Iterable[Value]) -> list[str]:
    """Returns the parts of a word that a person cuts, of its tokens.

    Some tokenizers put a space before a word, or a sign before what goes on: a person cuts the word alone.
    """
    return [shown(piece).removeprefix("##").lstrip("␣") or "␣" for piece in answer]


def as_shown(token: object) -> str:
    """Returns a token as the window writes it, whether it is written so or as in the text."""
    return readable(str(token).encode("utf-8", "surrogatepass"))
