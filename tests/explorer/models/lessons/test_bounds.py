"""The bounds of a lesson: each is lowered here, and harmless input is refused by it with a sentence."""

from __future__ import annotations

import io
import os
import re
import sys
from pathlib import Path

import pytest
from narrowed import there
from small_files import new_folder, write_file

import tokenarium_core as tc
from tokenarium.app import lesson_list
from tokenarium.app.lesson_list import LessonReading, is_ours, lesson_paths
from tokenarium.models.files import lessons_folder
from tokenarium.models.lessons import answers as answers_module
from tokenarium.models.lessons import lesson as lesson_module
from tokenarium.models.lessons.answers import AnswerError, Answers, Purse
from tokenarium.models.lessons.lesson import (
    Lesson,
    LessonError,
    lesson_of,
    read_lesson,
    read_outline,
    read_text,
)
from tokenarium.models.lessons.own_text import asked_about
from tokenarium.models.lessons.toml import TomlError, read_toml
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS

HEAD = (
    '+++\ntitle = "T"\nminutes = 5\nlearns = ["x"]\ntokenizers = ["shipped:tokenarium-8k"]\n{}+++\n'
)
LESSON = HEAD.format("") + "\n## One\n\nProse {{{{ 1 }}}} {{{{ 2 }}}}.\n\n" + "```{}\n{}\n```\n"


def of(block: str = "notes", content: str = "x", more: str = "") -> Lesson:
    """A lesson with a block in its only step, and more after it."""
    return lesson_of(LESSON.format(block, content) + more, "its.md")


def test_a_lesson_within_all_bounds_is_read() -> None:
    assert of().steps[0].notes == "x"


BOUNDS = [
    ("MOST_LINES", 12, lambda: of(more="\n" * 9), "lines, more than 12"),
    ("MOST_BYTES", 100, of, "more than 100 characters"),
    ("MOST_STEPS", 2, lambda: of(more="\n## Two\n\n## Three\n"), "more than 2 steps"),
    ("MOST_HEAD", 20, of, "the head has"),
    ("MOST_BLOCK", 4, lambda: of("scene", 'text = "a"'), "this block has 11 characters"),
    ("MOST_TITLE", 5, lambda: of(more="\n## A long title\n"), "more than 5"),
    ("MOST_PROSE", 20, of, "more than 20"),
    ("MOST_PROSE_LINES", 1, lambda: of(more="\n## T\n\na\nb\n"), "more than 1 lines"),
    ("MOST_EXPRESSIONS", 1, of, "this step has 2 expressions, more than 1"),
    (
        "MOST_LISTED",
        1,
        lambda: of("scene", 'mark = ["text", "counts"]'),
        "“mark” has 2 entries, more than 1",
    ),
    ("MOST_LISTED", 1, lambda: of("asked", "a\nb"), "“asked” has 2 entries"),
    ("MOST_MINUTES", 4, of, "“minutes” is not from 1 to 4"),
    ("MOST_TOKENIZERS", 0, of, "“tokenizers” has more than 0"),
    (
        "MOST_CHOICES",
        2,
        lambda: of("question", 'ask = "a"\nanswer = "1"\nchoices = ["1", "2", "3"]'),
        "at most 2 “choices”",
    ),
    ("MOST_CHARACTERS", 3, lambda: of("scene", "nth = 4"), "“nth” is not from 1 to 3"),
]


@pytest.mark.parametrize(("name", "most", "make", "said"), BOUNDS, ids=[one[3] for one in BOUNDS])
def test_each_bound_names_the_file_what_is_too_much_and_the_limit(
    monkeypatch: pytest.MonkeyPatch, name: str, most: int, make: object, said: str
) -> None:
    monkeypatch.setattr(lesson_module, name, most)
    with pytest.raises(LessonError, match=re.escape(said)) as refused:
        make()  # type: ignore[operator]
    assert re.match(r"its\.md, line \d+: .+\.$", str(refused.value), re.DOTALL)


def test_a_file_is_not_read_beyond_its_bound(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = write_file(tmp_path / "its.md", LESSON.format("notes", "x"))
    read_lesson(path)
    monkeypatch.setattr(lesson_module, "MOST_BYTES", 60)
    asked: list[int] = []

    class File(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            asked.append(size or 0)
            return super().read(size)

    monkeypatch.setattr(lesson_module, "open_file", lambda path: File(path.read_bytes()))
    with pytest.raises(LessonError, match="larger than"):
        read_text(path)
    assert asked == [61]


def test_the_list_has_the_bounds_of_the_lesson(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = write_file(tmp_path / "its.md", LESSON.format("asked", "a\nb") + "\n## Two\n")
    assert read_outline(path)[0].count == 2
    monkeypatch.setattr(lesson_module, "MOST_STEPS", 1)
    with pytest.raises(LessonError, match="more than 1 steps"):
        read_outline(path)
    monkeypatch.undo()
    monkeypatch.setattr(lesson_module, "MOST_LISTED", 1)
    with pytest.raises(LessonError, match="“asked” has 2 entries"):
        read_outline(path)


# The TOML of heads and blocks, before a parser sees it.

NESTED = [
    "a.b.c = 1",
    "\"a\" . 'b' . c = 1",
    "[a.b.c]",
    "x = [[[1]]]",
    "x = [1, [2, [3]]]",
    "x = {a = {b = {}}}",
    "x = [{a.b = [1]}]",
    's = "a" # [[[\n[a.b.c]',
    "s = '''\n'\n'''\na.b.c = 1",
    's = """x""""\na.b.c = 1',
]
FLAT = [
    "x = [1.5, 2.5, 3.5, 4.5]",
    's = "[[[[ a.b.c.d"',
    "s = '{{{{'",
    's = """\n[[[\n"" \\""" a.b.c.d\n"""',
    "s = '''[[[ a.b.c.d '' '''",
    "# [[[[ a.b.c.d",
    "a.b = 1\nc.d = 2\n[e.f]\n[[g.h]]",
    "x = [[1], [2], [3], [4]]",
]


@pytest.mark.parametrize("text", NESTED)
def test_what_is_nested_is_refused_before_it_is_parsed(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tomllib

    read_toml(text, 100, "it", depth=9)
    parsed: list[str] = []
    monkeypatch.setattr(tomllib, "loads", parsed.append)
    with pytest.raises(TomlError, match="it is nested more than 1 deep"):
        read_toml(text, 100, "it", depth=1)
    assert not parsed


@pytest.mark.parametrize("text", FLAT)
def test_what_is_not_nested_is_read(text: str) -> None:
    read_toml(text, 200, "it", depth=2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = 2020-01-01", "a date"),
        ("a = [07:32:00]", "a date"),
        ("a = inf", "larger than"),
        ("a = nan", "larger than"),
        ("a = 1" + "0" * 16, "larger than"),
        ("a = " + "1" * 5000, "larger than"),
        ('a = "x', "not valid TOML"),
        ("a = 1\na = 2", "not valid TOML"),
    ],
)
def test_values_are_those_of_json(text: str, said: str) -> None:
    with pytest.raises(TomlError, match=said):
        read_toml(text, 10_000, "it")


def test_a_lesson_opens_no_file_by_a_scene() -> None:
    with pytest.raises(LessonError, match="is a path, but a lesson cannot open files"):
        of("scene", 'page_settings = {sources = ["/dev/zero"]}')


@pytest.mark.parametrize("number", ["9" * 5000, "10000000000000000"])
@pytest.mark.parametrize("field", ["at", "front", "nth"])
def test_long_numbers_are_refused(field: str, number: str) -> None:
    with pytest.raises(LessonError):
        of("scene", f"{field} = {number}")
    with pytest.raises(LessonError):
        of("scene", f'mark = ["token {number}"]')


# What there is in the folder.


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The user's folder, with one lesson."""
    monkeypatch.setenv("TOKENARIUM_DATA", str(tmp_path))
    folder = new_folder(lessons_folder())
    (folder / "zz-good.md").write_text(LESSON.format("notes", "x"))
    return folder


def read_all() -> LessonReading:
    reading = LessonReading(lesson_paths())
    while not reading.finished:
        reading.step(0)
    return reading


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes of this kind")
def test_no_bad_file_prevents_the_others_from_being_listed(own: Path) -> None:
    os.mkfifo(own / "pipe.md")
    (own / "zero.md").symlink_to("/dev/zero")
    (own / "loop.md").symlink_to(own / "loop.md")
    (own / "folder.md").mkdir()
    (own / "bytes.md").write_bytes(b"+++\n\xff\n+++\n")
    (own / "long.md").write_text("+++\na = " + "1" * 5000 + "\n+++\n## x\n")
    (own / "deep.md").write_text("+++\n" + "a." * 20 + "b = 1\n+++\n## x\n")
    with open(own / os.fsencode("odd\udcff.md").decode("utf-8", "surrogateescape"), "w") as odd:
        odd.write("no head")
    reading = read_all()
    assert "zz-good" in reading.heads
    assert len(reading.heads) == 20
    assert len(reading.faults) == 8
    for name in ("pipe.md", "zero.md", "loop.md", "folder.md", "bytes.md", "long.md", "deep.md"):
        assert sum(name in fault for fault in reading.faults) == 1
    assert any("it is a pipe, not a file" in fault for fault in reading.faults)


def test_a_full_folder_is_listed_as_far_as_the_bound(
    own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        (own / f"a{number}.md").write_text(LESSON.format("notes", "x"))
    monkeypatch.setattr(lesson_list, "MOST_LESSONS", 2)
    reading = read_all()
    assert [id for id in reading.heads if id.startswith("a")] == ["a0", "a1"]
    assert "zz-good" not in reading.heads
    assert reading.faults[0].endswith("4 lessons, more than 2: those after a1.md are not listed.")


def test_a_large_folder_is_read_in_slices(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lesson_list, "AT_ONCE", 1)
    reading = LessonReading(lesson_paths())
    reading.read_at_once()
    assert len(reading.heads) == 1
    assert not reading.step(0).finished
    assert len(reading.heads) == 2


def test_only_lessons_of_the_program_are_ours(own: Path) -> None:
    ours = [path for path in lesson_paths() if path.parent != own]
    assert len(ours) == 19
    assert all(is_ours(str(path)) for path in ours)
    assert not is_ours(str(own / "zz-good.md"))
    assert not is_ours("")


# Expressions.

TOKENIZERS = [
    (one.name, tc.open(one.path))
    for one in SHIPPED_TOKENIZERS
    if one.id in ("tokenarium-8k", "unigram-8k")
]
DEAR = [
    'merges("x" * 300)',
    'steps("x" * 300)',
    'waiting("x" * 300, 1)',
    'ids("x" * 9000)',
    'joined(ids("x" * 6000), "")',
    'cuts("x" * 9000)',
    'pre_tokens("x" * 9000)',
    'pre_token_cuts("x" * 9000)',
    'special_count("x" * 9000)',
    'spellings("x" * 200)',
    'learned("x" * 9000, 3)',
    'picky("x" * 9000, 3, 0.9)',
    'tokens_after("x" * 9000, 3)',
    'entries_for("paracetamol")',
    'count_with("a", "paracetamol")',
    'decoded(ids("x" * 5000))',
    'letters("x" * 20000, "x") + letters("x" * 20000, "x") + letters("x" * 20000, "x")'
    + ' + letters("x" * 20000, "x") + letters("x" * 20000, "x") + letters("x" * 20000, "x")',
    'fewest("x" * 9000)',
]


@pytest.mark.parametrize("expression", DEAR)
def test_work_is_paid_for_before_it_is_done(
    expression: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a full purse it is computed; with a small one it is refused, and no tokenizer has been asked."""
    Answers(TOKENIZERS).about({}).value(expression)
    with pytest.raises(AnswerError, match="it takes too much work"):
        Answers(TOKENIZERS, most=10_000).about({}).value(expression)


def test_a_word_that_becomes_one_token_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time to make it one grows with the square of its length."""
    monkeypatch.setattr(answers_module, "MOST_WORD", 9)
    assert Answers(TOKENIZERS).value('entries_for("aaaaaaaaa") > 0') is True
    for called in ('entries_for("aaaaaaaaaa")', 'count_with("a", "aaaaaaaaaa")'):
        with pytest.raises(AnswerError, match="may have at most 9 characters"):
            Answers(TOKENIZERS).value(called)


def test_a_refused_call_does_no_work() -> None:
    encoded: list[str] = []

    class Noted:
        def encode_ids(self, text: str) -> list[int]:
            encoded.append(text)
            return []

    answers = Answers([("noted", Noted())], most=1_000)  # type: ignore[list-item]
    with pytest.raises(AnswerError, match="it takes too much work"):
        answers.ids("x" * 600)
    assert not encoded
    answers.ids("x" * 400)
    assert encoded


def test_all_steps_of_a_lesson_share_a_purse() -> None:
    lesson = Purse(1_000)
    first = Answers(TOKENIZERS, most=900, lesson=lesson).about({})
    assert first.value('count("x" * 300)')
    with pytest.raises(AnswerError, match="too much work"):
        first.about({}).value('count("x" * 300)')
    assert first.about({}).value('count("x")') == 1


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("percent(1e15, 1e-300)", "has no value"),
        ("ratio(1e15, 1e-300)", "may be at most"),
        ("9" * 5000, "more than"),
        ("1e999", "may be at most"),
        ("1e15 * 10", "may be at most"),
        ('"x" * 20001', "a text may have at most 20,000 characters"),
        ('joined(ids("the " * 4000), "x" * 20000)', "has no value"),
        ('joined(ids("the " * 4000), "xxxxxx")', "a text may have at most 20,000 characters"),
        ('spellings("x" * 257)', "more than 256 characters are not counted"),
        ("1 + " * 600 + "1", "more than 2,000 characters besides its texts"),
        ("1+" * 150 + "1", "more than 200 parts"),
        ("-" * 1900 + "1", ""),
        ("(" * 900 + "1" + ")" * 900, "is not an expression"),
        ("piece(10 * 1e15)", "may be at most"),
        ("piece(-1)", ""),
        ("piece(1000000000000000)", "has no value"),
        ("item([1], 1000000000000)", "has no value"),
        ("decoded([1000000000000])", "has no value"),
        ("name(0 - 1)", "there is no tokenizer"),
        ('next_merge("hello", 1000000000)', "there is none after"),
        ('waiting("hello", 1000000000)', "takes"),
    ],
)
def test_what_has_no_value_is_said_in_a_sentence(expression: str, said: str) -> None:
    with pytest.raises(AnswerError) as refused:
        Answers(TOKENIZERS).value(expression)
    assert said in str(refused.value)
    assert len(str(refused.value)) < 1_000


def test_a_long_text_may_be_in_an_expression() -> None:
    assert Answers(TOKENIZERS).value(f"characters({'é' * 15_000!r})") == 15_000


def test_values_make_no_text_longer_than_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = Answers(TOKENIZERS)
    monkeypatch.setattr(answers_module, "MOST_PROSE", 20)
    assert answers.filled('{{ "x" * 10 }}')
    with pytest.raises(AnswerError, match="has more than 40 characters"):
        answers.filled('{{ "x" * 40 }}')


def test_a_question_about_an_own_text_is_taken_apart_within_the_same_bounds() -> None:
    lesson = of("question", f'ask = "a"\nkind = "number"\nanswer = "{"1+" * 1500}1"')
    question = there(lesson.steps[0].question)
    assert asked_about(question, "a", "", "b") is None


def test_what_loses_the_text_has_not_the_fewest_tokens() -> None:
    paths = {one.id: one.path for one in SHIPPED_TOKENIZERS}
    both = [(name, tc.open(paths[name])) for name in ("wordpiece-8k", "tokenarium-8k")]
    lossy, kept = (len(tokenizer.encode_ids("東京は大きい")) for _, tokenizer in both)
    assert lossy < kept
    answers = Answers(both)
    assert answers.value('fewest("東京は大きい")') == answers.value("name(2)")
    assert answers.value('fewest("the")') == answers.value("name(1)")
    assert Answers(both[:1]).value('fewest("東京は大きい")') == answers.value("name(1)")
