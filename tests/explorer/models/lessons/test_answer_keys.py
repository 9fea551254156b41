"""What a page compares answers with agrees with how the window judges them, in every lesson that ships."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import pytest
from narrowed import there

from tokenarium.app.lesson_list import lesson_paths
from tokenarium.models.lessons.answer_keys import AnswerKey
from tokenarium.models.lessons.answers import Answers
from tokenarium.models.lessons.asking import is_right, names_of, pair_of, scene_at
from tokenarium.models.lessons.checking import shipped_tokenizer
from tokenarium.models.lessons.handout import HandoutQuestion, step_of
from tokenarium.models.lessons.lesson import LessonQuestion, lesson_of, read_lesson
from tokenarium.models.merges.next_pair import NextPair
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS


class Asked(NamedTuple):
    """A question as a lesson has it, as a page has it, and what judges it."""

    question: LessonQuestion
    shown: HandoutQuestion
    answers: Answers
    pair: NextPair | None

    def is_right(self, given: object) -> bool:
        return is_right(self.question, given, self.answers, self.pair)


@cache
def asked(kind: str) -> list[Asked]:
    """All questions of a kind in the lessons that ship, with the tokenizers that ship."""
    return [one for one in _all_asked() if one.question.kind == kind]


def _all_asked() -> Iterator[Asked]:
    for path in lesson_paths():
        lesson = read_lesson(path)
        keys = [next(key for key in group if shipped_tokenizer(key)) for group in lesson.tokenizers]
        plain = Answers([(key, there(shipped_tokenizer(key))) for key in keys])
        for number, step in enumerate(lesson.steps):
            if step.question is None:
                continue
            scene = scene_at(lesson, number, keys, plain)
            answers = plain.about(names_of(scene))
            shown = there(step_of(step, plain, scene, b"", False, lesson.file).question)
            pair = pair_of(scene, answers) if step.question.kind == "merge" else None
            yield Asked(step.question, shown, answers, pair)


@pytest.mark.slow
def test_every_question_that_ships_can_be_asked_on_a_page() -> None:
    kinds = Counter(one.question.kind for one in _all_asked())
    assert set(kinds) == {"choose", "number", "click", "order", "merge", "split", "write"}
    assert all(one.shown.key is not None for one in _all_asked())


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["choose", "merge"])
def test_a_choice_is_right_on_a_page_if_it_is_right_in_the_window(kind: str) -> None:
    for one in asked(kind):
        key = there(one.shown.key)
        texts = [choice.text for choice in one.shown.choices]
        assert [text == key.right[0] for text in texts] == [one.is_right(text) for text in texts]
        assert key.right[0] in texts


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["split", "order"])
def test_parts_are_right_on_a_page_if_they_are_right_in_the_window(kind: str) -> None:
    for one in asked(kind):
        right = list(there(one.shown.key).right)
        assert one.is_right(right)
        assert not one.is_right(right[::-1])
        if kind == "order":
            assert sorted(right) == sorted(one.shown.parts)
        else:
            assert "".join(right) == "".join(one.shown.parts)


@pytest.mark.slow
def test_a_number_is_right_on_a_page_if_it_is_right_in_the_window() -> None:
    for one in asked("number"):
        (right,) = there(one.shown.key).right
        assert one.is_right(right)
        assert not one.is_right(str(float(right) + 1))


@pytest.mark.slow
def test_what_is_clicked_is_right_on_a_page_if_it_is_right_in_the_window() -> None:
    for one in asked("click"):
        key = there(one.shown.key)
        given = key.places or key.offers
        assert [text == key.right[0] for text in given] == [one.is_right(text) for text in given]
        assert key.right[0] in given
        assert len(key.offers) == len(key.places) + 1 or not key.places


@pytest.mark.slow
def test_texts_that_are_known_to_be_right_are_right() -> None:
    for one in asked("write"):
        key = there(one.shown.key)
        assert key.right, one.question.ask
        assert all(map(one.is_right, key.right))
        assert not any(map(one.is_right, key.wrong))


def page_says(key: AnswerKey, text: str) -> bool | None:
    """What the script of a page says of a text; None if it cannot judge it."""
    if text in key.right:
        return True
    if text in key.wrong or not all(need.met(text) for need in key.needs):
        return False
    return (not key.entries or text in key.entries) if key.whole else None


TRIED = (
    "a", " a", "", "function", " function", " information", "Information!", "a b c d", "one two three four",
    "10000", "123456", "internationalization", "x" * 40, "return value if value else None", "日本語のテキスト",
)  # fmt: skip


@pytest.mark.slow
def test_a_page_judges_texts_as_the_window_does_or_not_at_all() -> None:
    for one in asked("write"):
        key = there(one.shown.key)
        for text in (*TRIED, *key.right, *key.wrong, *key.entries):
            said = page_says(key, text)
            assert said is None or said is one.is_right(text), (one.question.ask, text)
    every = [there(one.shown.key) for one in asked("write")]
    assert sum(key.whole for key in every) == 1
    assert sum(bool(key.needs) for key in every) == len(every)


@pytest.mark.parametrize(
    ("answer", "needs", "whole"),
    [
        ("characters(text) > 3", [("characters", "", ">", 3)], True),
        ('letters(text, "a") == 2 and bytes(text) <= 9', [("letters", "a", "==", 2), ("bytes", "", "<=", 9)], True),
        ("characters(text) > 3 and count(text) < 2", [("characters", "", ">", 3)], False),
        ("characters(text) > 3 or bytes(text) > 9", [], False),
        ("not characters(text) > 3", [], False),
        ("bytes(text) > 4 * count(text)", [], False),
        ("characters(other) > 3", [], False),
        ('letters(text, "") > 3', [], False),
        ("letters(text, text) > 3", [], False),
        ("is_token(text, 7)", [], False),
    ],
)  # fmt: skip
def test_conditions_that_need_no_tokenizer_are_those_of_the_page(
    answer: str, needs: list[tuple[str, str, str, int]], whole: bool
) -> None:
    key = key_of(f"kind = \"write\"\nask = \"Write.\"\nanswer = '''{answer}'''")
    assert list(key.needs) == needs
    assert key.whole is whole


@pytest.mark.slow
def test_all_texts_of_one_token_are_known() -> None:
    key = key_of(
        'kind = "write"\nask = "Write."\nanswer = "is_token(text) and characters(text) > 8"'
    )
    tokenizer = there(shipped_tokenizer(f"shipped:{SHIPPED_TOKENIZERS[0].id}"))
    pieces = map(tokenizer.vocabulary.piece, range(len(tokenizer.vocabulary)))
    texts = {piece.decode("utf-8", "replace") for piece in pieces}
    assert set(key.entries) == {
        text for text in texts if len(text) > 8 and len(tokenizer.encode_ids(text)) == 1
    }
    assert " information" in key.entries
    assert key.whole


LESSON = """+++
title = "One"
minutes = 5
learns = ["x"]
tokenizers = ["shipped:tokenarium-8k"]
+++

## One

```scene
text = "a word."
```

```question
{}
```
"""


def key_of(question: str) -> AnswerKey:
    """The key of a question about "a word.", with the first tokenizer that ships."""
    one = SHIPPED_TOKENIZERS[0]
    lesson = lesson_of(LESSON.format(question), "a.md")
    answers = Answers([(one.name, there(shipped_tokenizer(f"shipped:{one.id}")))])
    scene = scene_at(lesson, 0, (), answers)
    shown = step_of(lesson.steps[0], answers, scene, b"", False, "")
    return there(there(shown.question).key)


def test_quoted_texts_are_tried() -> None:
    key = key_of(
        'kind = "write"\nask = "Write."\nanswer = "count(text) < 2"\nhint = "Not “a b c d”, but “a”."'
    )
    assert key == AnswerKey(("a",), ("a b c d",))


def test_the_tokens_of_the_text_are_offered() -> None:
    key = key_of('kind = "click"\nask = "Click."\nanswer = "item(tokens(text), 3)"')
    assert key.offers == ("a", "␣word", ".")
    assert key.right == (".",)
    key = key_of('kind = "click"\npart = "cut"\nask = "Click."\nanswer = "item(cuts(text), 1)"')
    assert (key.offers, key.places, key.right) == (("a", "␣word", "."), ("1", "6"), ("1",))
