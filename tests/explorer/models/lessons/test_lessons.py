"""Lessons are files that anyone may write: faults have a line, no code of them runs, every answer has a value."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenarium_core as tc
from tokenarium.app.lesson_list import lesson_paths
from tokenarium.models.lessons.answers import FUNCTIONS, AnswerError, Answers, functions, shown
from tokenarium.models.lessons.asking import (
    choices_of,
    hides_answer,
    is_right,
    marks_of,
    names_of,
    pair_of,
    reason_of,
    scene_of,
)
from tokenarium.models.lessons.checking import faults_of, shipped_tokenizer
from tokenarium.models.lessons.lesson import (
    AskedName,
    Lesson,
    LessonError,
    LessonQuestion,
    LessonScene,
    lesson_of,
    read_head,
    read_lesson,
    read_outline,
)
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS

HEAD = (
    '+++\ntitle = "A"\nminutes = 5\nlearns = ["x"]\ntokenizers = ["shipped:tokenarium-8k"]\n+++\n'
)
STEP = "\n## One\n\nProse.\n"


@pytest.fixture(scope="module")
def answers() -> Answers:
    return Answers([(one.name, tc.open(one.path)) for one in SHIPPED_TOKENIZERS])


@pytest.mark.slow
@pytest.mark.parametrize("path", lesson_paths(), ids=lambda path: path.stem)
@pytest.mark.parametrize("shipped", SHIPPED_TOKENIZERS, ids=lambda one: one.id)
def test_every_lesson_runs_with_every_shipped_tokenizer(path: Path, shipped: object) -> None:
    lesson = read_lesson(path)
    opened = shipped_tokenizer(f"shipped:{shipped.id}")  # type: ignore[attr-defined]
    assert faults_of(lesson, lambda key: opened) == []
    first = lesson.tokenizers[0]
    assert faults_of(lesson, lambda key: opened if key in first else shipped_tokenizer(key)) == []


@pytest.fixture(scope="module")
def published(data: Path) -> dict[str, tc.Tokenizer]:
    """The real tokenizers of the lessons, by their keys."""
    folder = data / "tokenizers"
    found = {
        "catalogue:gemma-3": tc.open(folder / "gemma3.model"),
        "catalogue:mistral-v3": tc.open(folder / "mistral-v3.model"),
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(folder / "tiktoken-cache"))
        for name in ("gpt2", "cl100k_base", "o200k_base"):
            found[f"named:{name}"] = tc.open(name)
    return found


@pytest.mark.parametrize("path", lesson_paths(), ids=lambda path: path.stem)
def test_every_lesson_runs_with_its_first_choice(
    path: Path, published: dict[str, tc.Tokenizer]
) -> None:
    lesson = read_lesson(path)
    assert faults_of(lesson, lambda key: published.get(key) or shipped_tokenizer(key)) == []


@pytest.mark.parametrize("path", lesson_paths(), ids=lambda path: path.stem)
def test_a_lesson_has_what_the_list_shows(path: Path) -> None:
    lesson = read_lesson(path)
    assert lesson.id == path.stem
    assert 5 <= lesson.minutes <= 60
    assert lesson.learns
    assert lesson.asked
    assert any(step.question is not None for step in lesson.steps)
    assert all(group[-1].startswith("shipped:") for group in lesson.tokenizers)
    assert faults_of(lesson) == []
    head = read_head(path)
    assert (head.title, head.count) == (lesson.title, len(lesson.steps))
    assert head.asked == lesson.asked
    outlines = read_outline(path)[1]
    assert [one.title for one in outlines] == [step.title for step in lesson.steps]
    assert [one.asked for one in outlines] == [step.asked for step in lesson.steps]


@pytest.mark.parametrize("path", lesson_paths(), ids=lambda path: path.stem)
def test_every_step_has_notes_and_every_wrong_choice_its_reason(path: Path) -> None:
    lesson = read_lesson(path)
    answers = Answers(
        [
            (group[-1], opened)
            for group in lesson.tokenizers
            if (opened := shipped_tokenizer(group[-1]))
        ]
    )
    scenes = []
    for step in lesson.steps:
        where = f"{path.name}, line {step.line}"
        scenes += [step.scene] if step.scene is not None else []
        assert step.notes, where
        assert scenes, where
        question = step.question
        if question is None:
            continue
        assert question.after, where
        assert question.hint, where
        if question.kind != "choose":
            continue
        here = answers.about(names_of(scene_of(scenes, [], answers)))
        right = shown(here.value(question.answer))
        for choice in choices_of(question, here):
            assert choice == right or reason_of(question, choice, here), f"{where}: {choice}"


def test_a_lesson_is_read() -> None:
    text = (
        HEAD
        + "\n## One\n\nProse with {{ count('a') }}.\n\n```python\nx = 1\n```\n\n```scene\ntext = \"a b\"\nat = 2\n```\n\n"
        '```notes\nSay this.\n```\n\n```asked\nWhy? | because\n\nHow?\n```\n\n## Two\n\nMore.\n\n```question\nask = "?"\nkind = "number"\nanswer = "1"\n```\n'
    )
    lesson = lesson_of(text, "a-lesson.md")
    one, two = lesson.steps
    assert (lesson.id, lesson.title, lesson.tokenizers) == (
        "a-lesson",
        "A",
        (("shipped:tokenarium-8k",),),
    )
    assert one.prose == "Prose with {{ count('a') }}.\n\n```python\nx = 1\n```"
    assert one.scene == LessonScene(text="a b", at=2)
    assert one.notes == "Say this."
    assert lesson.asked == (AskedName("Why?", "because", 0), AskedName("How?", "", 0))
    assert two.question == LessonQuestion("?", "1", "number")
    assert two.line == text[: text.index("## Two")].count("\n") + 1


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", 1, "begins with its head"),
        ("# A\n", 1, "begins with its head"),
        ("+++\ntitle = \n+++\n" + STEP, 2, "TOML"),
        ('+++\ntitle = "A"\n+++\n' + STEP, 2, "minutes"),
        (HEAD, 6, "no step"),
        (HEAD.replace('["shipped:tokenarium-8k"]', "[]") + STEP, 2, "is empty: give"),
        (HEAD + STEP + "```scene\ntext = 5\n```\n", 12, "text"),
        (HEAD + STEP + "```scene\nscreen = 5\n```\n", 12, "screen"),
        (HEAD + STEP + "```scene\n```\n\n```scene\n```\n", 14, "second block"),
        (HEAD + STEP + '```question\nask = "?"\nanswer = "1"\n```\n', 12, "at least two"),
        (HEAD + STEP + '```question\nask = "?"\nkind = "shout"\nanswer = "1"\n```\n', 12, "shout"),
        (HEAD + STEP + '```question\nask = "?"\nkind = "number"\n```\n', 12, "needs an “answer”"),
        (
            HEAD + STEP + '```question\nask = "?"\nkind = "number"\nanswer="1"\npart="cut"\n```\n',
            12,
            "only a question of the kind “click”",
        ),
        (HEAD + STEP + '```scene\nmark = ["the moon"]\n```\n', 12, "the moon.*cannot be marked"),
        (HEAD + STEP + '```scene\nmark = ["strip"]\n```\n', 12, "cannot be marked"),
        (HEAD + STEP + '```scene\nmark = ["token 0"]\n```\n', 12, "cannot be marked"),
        (HEAD + STEP + "```question\n\nask = ?\n```\n", 13, "TOML"),
    ],
)
def test_a_fault_has_its_line(text: str, line: int, said: str) -> None:
    with pytest.raises(LessonError, match=said) as caught:
        lesson_of(text, "a.md")
    assert caught.value.line == line
    assert str(caught.value).startswith(f"a.md, line {line}: ")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(LessonError, match="cannot be read"):
        read_lesson(tmp_path / "gone.md")
    (tmp_path / "a.md").write_bytes(b"+++\n\xff\n")
    with pytest.raises(LessonError, match="line 2: it is not UTF-8"):
        read_lesson(tmp_path / "a.md")


def test_what_has_no_value_is_a_fault() -> None:
    text = (
        HEAD + '\n## One\n\n{{ count(\'a\', 7) }}\n\n```scene\ntext = "abc"\nselect = "x"\n```\n\n'
        '```question\nask = "?"\nkind = "number"\nanswer = "tokens(\'a\')"\n```\n'
    )
    faults = faults_of(lesson_of(text, "a.md"))
    assert len(faults) == 3
    assert [fault.partition(":")[0] for fault in faults] == ["line 12", "line 17", "line 10"]


def test_a_fault_in_the_prose_has_its_own_line() -> None:
    text = (
        HEAD + '\n## One\n\n\nTwo {{ 1 + 1 }} values.\n\n```scene\ntext = "abc"\n```\n\n'
        "Some more.\nAnd {{ count('a', 7) }} tokens.\n"
    )
    (fault,) = faults_of(lesson_of(text, "a.md"))
    number = text.split("\n").index("And {{ count('a', 7) }} tokens.") + 1
    assert fault.startswith(f"line {number}: ")


# Answers.


@pytest.mark.slow
@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("count('Hello') + 1 == count('Hello') * 1 + 1", True),
        ("bytes('é')", 2),
        ("characters('é') - 2", -1),
        ("reversed('abc') in 'xcba'", True),
        ("item(['a', 'b'], -1)", "b"),
        ("length(ids('a b c')) == count('a b c')", True),
        ("joined(['a', 'b'], '-') + 'c' * 2", "a-bcc"),
        ("ratio(7, 2)", 3.5),
        ("percent(1, 3)", 33),
        ("rest(8000, 128)", 64),
        ("entries_for(' paracetamol') == count(' paracetamol') - 1", True),
        ("entries_for('paracetamol', 6)", 1),
        ("entries_for(' the')", 0),
        ("count_with('a paracetamol', ' paracetamol')", 2),
        ("picky('est est', 2, 0.9)", ["e + s", "es + t", "- es"]),
        ("picky('est est', 2, 1)", ["e + s", "es + t"]),
        ("decoded(ids('Some text'))", "Some text"),
        ("round_trip('naïve')", True),
        ("not is_token('two words')", True),
        ("kind(1) == 'BPE' and kind(6) == 'Unigram' and kind(7) == 'WordPiece'", True),
        ("size(1)", 8000),
        ("hex('é')", "C3 A9"),
        ("cuts('the of') == [3]", True),
        ("length(cuts('the'))", 0),
        ("same_cuts('the of', 1, 2)", True),
        ("pre_token_cuts('the of')", [3]),
        ("letters('strawberry', 'r')", 3),
        ("when(1 < 2, 'yes', 'no') + when(1 > 2, 'yes')", "yes"),
        ("line_counts('the\\nof the\\n')", [2, 3, 0]),
        ("joined(line_counts('안\\nof')) == joined([count('안\\n'), 1])", True),
        ("spellings('the') > 1", True),
    ],
)
def test_expressions_have_values(answers: Answers, expression: str, value: object) -> None:
    assert answers.value(expression) == value


def test_merges_are_those_of_the_trace(answers: Answers) -> None:
    made = answers.merges("unbelievable")
    assert len(made) == answers.steps("unbelievable")
    assert answers.next_merge("unbelievable", 1) == made[1]
    assert all(made[step] in answers.waiting("unbelievable", step) for step in range(len(made)))


@pytest.mark.parametrize(
    "expression",
    [
        "__import__('os')",
        "().__class__",
        "count('a').real",
        "[x for x in 'abc']",
        "lambda: 1",
        "9 ** 9",
        "'a' * 10000000",
        "[1] * 5",
        "count('a', 99)",
        "count(5)",
        "value('1')",
        "_text('a')",
        "f'{1}'",
        "1 if 1 else 2",
        "(x := 1)",
        "count(",
        "",
        "1 / 0",
        "item([], 1)",
        "rest(1, 0)",
        "rest('%9999999d', 1)",
        "entries_for('two words')",
        "picky('est', 0, 0.9)",
        "picky('est', 2, 7)",
        "1 < 2 < 3",
        "count(*['a'])",
        "count(text='a')",
        "+".join(["1"] * 500),
        "(" * 300 + ")" * 300,
    ],
)
def test_nothing_else_is_in_the_language(answers: Answers, expression: str) -> None:
    with pytest.raises(AnswerError, match=r"."):
        answers.value(expression)


@pytest.mark.slow
@given(st.text("count('ab')[]{}+-*/.,_ 12=<>&|lambda", max_size=40))
@settings(max_examples=200, deadline=None)
def test_any_expression_has_a_value_or_a_sentence(expression: str) -> None:
    with suppress(AnswerError):  # and no other error
        Answers([]).value(expression)


def test_prose_is_filled(answers: Answers) -> None:
    assert answers.filled("{{ bytes('é') }} of {{ name() }}") == "2 of Tokenarium 8k"
    with pytest.raises(AnswerError, match="no end"):
        answers.filled("{{ 1 ")


def test_all_functions_are_described() -> None:
    assert len(functions()) == len(FUNCTIONS)
    assert all(said.endswith(".") for _, said in functions())


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        (LessonQuestion("?", "count('a')"), "1", "2"),
        (LessonQuestion("?", "bytes('é')", "number"), " 2", "2.5"),
        (LessonQuestion("?", "bytes('a' * 1234)", "number"), "1,234", "1234.2"),
        (LessonQuestion("?", "['a', 'b']", "order"), ["a", "b"], ["b", "a"]),
        (LessonQuestion("?", "['ab', 'c']", "split"), ["ab", "c"], ["abc"]),
        (LessonQuestion("?", "'x'", "click"), "x", "y"),
        (LessonQuestion("?", "item(tokens('Hello '), -1)", "click"), " ", "o"),
        (LessonQuestion("?", "' two'", "click"), "␣two", "two"),
        (LessonQuestion("?", "item(cuts('the of'), 1)", "click", "cut"), 3, 2),
        (LessonQuestion("?", "count(text) == 2", "write"), "the of", ""),
    ],
)
def test_answers_are_right_or_wrong(
    answers: Answers, question: LessonQuestion, right: object, wrong: object
) -> None:
    assert is_right(question, right, answers)
    assert not is_right(question, wrong, answers)


def test_a_scene_has_what_the_steps_before_it_set(answers: Answers) -> None:
    scenes = [
        LessonScene(
            text="über {{ bytes('é') }} Egg", workspace="merges", page="steps", select="2", at=3
        ),
        LessonScene(select="Egg"),
    ]
    scene = scene_of(scenes, [], answers)
    assert scene.text is not None
    assert scene.text.inline == "über 2 Egg"
    assert (scene.workspace, scene.page, scene.selection, scene.pages) == (
        "merges",
        "steps",
        (8, 11),
        {},
    )
    assert scene_of(scenes[:1], [], answers).pages == {"merges.steps": {"step": 3}}


def test_the_next_pair_is_asked_about_the_step_that_is_shown(answers: Answers) -> None:
    shown = LessonScene(
        text="an unbelievable thing", workspace="merges", page="steps", select=" unbelievable", at=2
    )
    pair = pair_of(scene_of([shown], ["shipped:tokenarium-8k"], answers), answers)
    assert pair is not None
    right = str(pair.choices[pair.right])
    assert right == answers.next_merge(" unbelievable", 2)
    assert {str(one) for one in pair.choices} <= set(answers.waiting(" unbelievable", 2))
    assert len({str(one) for one in pair.choices}) == len(pair.choices) > 1
    question = LessonQuestion("?", kind="merge")
    assert [is_right(question, str(one), answers, pair) for one in pair.choices].count(True) == 1
    last = LessonScene(text="the", workspace="merges", page="steps", at=99)
    assert pair_of(scene_of([last], ["shipped:tokenarium-8k"], answers), answers) is None


def test_the_nth_of_equal_parts_is_selected(answers: Answers) -> None:
    scene = scene_of([LessonScene(text="é an an an", select="an", nth=2)], [], answers)
    assert scene.selection == (6, 8)
    assert scene_of([LessonScene(text="an", select="an", nth=2)], [], answers).selection is None


def test_the_lessons_of_the_documentation_have_no_faults() -> None:
    page = (Path(__file__).parents[4] / "docs" / "lessons.md").read_text()
    written = re.findall(r"^````markdown\n(.*?)^````$", page, re.MULTILINE | re.DOTALL)
    assert len(written) == 2
    for text in written:
        assert faults_of(lesson_of(text, "a.md")) == []


def test_a_lesson_is_plain_data() -> None:
    assert isinstance(lesson_of(HEAD + STEP, "a.md"), Lesson)


def test_a_counted_text_has_the_right_word(answers: Answers) -> None:
    assert answers.value('counted("a")') == "1 token"
    assert answers.value('counted("")') == "0 tokens"
    assert answers.value('counted("x y z w")').endswith(" tokens")


@pytest.mark.parametrize("path", lesson_paths(), ids=lambda path: path.stem)
def test_prose_never_leaves_the_plural_open(path: Path) -> None:
    assert "(s)" not in path.read_text("utf-8")


def test_a_carriage_return_alone_begins_no_line() -> None:
    lesson = lesson_of(HEAD + "\n## One\n\na\rb\rc\n\n```notes\nN\n```\n\n## Two\n", "a.md")
    assert [(step.title, step.line) for step in lesson.steps] == [("One", 8), ("Two", 16)]
    assert (lesson.steps[0].prose, lesson.steps[0].notes) == ("a\rb\rc", "N")


@pytest.mark.parametrize(
    ("question", "hides"),
    [
        (LessonQuestion("?", "count('a')", "number"), True),
        (LessonQuestion("?", "item(['a', 'b'], 1 + (count('a') > 1))"), True),
        (LessonQuestion("?", "'a'"), False),
        (LessonQuestion("?", "bytes('é')", "number"), False),
        (LessonQuestion("?", "'a'", hides=True), True),
        (LessonQuestion("?", "count('a')", "number", hides=False), False),
        (LessonQuestion("?", "item(tokens('a'), 1)", "click"), False),
        (LessonQuestion("?", "count(text) == 1", "write", hides=True), False),
        (LessonQuestion("?", kind="merge"), True),
        (LessonQuestion("?", "not an expression"), False),
    ],
)
def test_a_prediction_hides_what_answers_it(question: LessonQuestion, hides: bool) -> None:
    assert hides_answer(question) is hides


def test_what_a_scene_selects_and_marks_may_depend_on_the_tokenizer(answers: Answers) -> None:
    word = "{{ when(count('Egg') > 1, 'salt', 'Egg') }}"
    scene = LessonScene(text="Egg and salt", select=word, mark=(f"range: {word}", "counts"))
    shown = scene_of([scene], [], answers)
    assert shown.selection == (8, 12)
    assert marks_of(scene, answers) == ["range: salt", "counts"]
    assert marks_of(LessonScene(mark=("range: {{ nothing() }}",)), answers) == []
    assert set(scene.texts) == {"Egg and salt", word, f"range: {word}", "counts"}


def test_a_question_may_name_a_token_with_bars() -> None:
    text = HEAD + "\n## One\n\n```asked\nWhat is <|x|>? | end, <|y|>\nWhy?|because\n```\n"
    asked = lesson_of(text, "a.md").asked
    assert asked == (AskedName("What is <|x|>?", "end, <|y|>"), AskedName("Why?", "because"))
