"""How numbers are written, against the ids of tiktoken, sentencepiece and tokenizers."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import tiktoken
import tokenizers as hf
from pytestqt.qtbot import QtBot
from sentencepiece import SentencePieceProcessor
from tokenizers.models import BPE
from tokenizers.pre_tokenizers import Split
from typer.testing import CliRunner
from windows import Host, show_page

import tokenarium_core as tc
from tokenarium.analyses import numbers
from tokenarium.analyses.numbers import NUMBERS, grouping
from tokenarium.commands.cli import app
from tokenarium.models.task import Task
from tokenarium.resources.shipped_tokenizers import shipped_path
from tokenarium.views.analysis_page import page_of

UP_TO = 10_500


def check(tokenizer: tc.Tokenizer, encode: Callable[[str], Sequence[int]], groups: str) -> None:
    """Compares all figures with those of a reference's ids."""
    sizes = [len(encode(str(number))) for number in range(UP_TO + 1)]
    answer = NUMBERS.run({"t": tokenizer}, up_to=UP_TO)
    (row,) = answer.rows
    assert row["Groups"] == groups
    assert row["Mean tokens"] == pytest.approx(sum(sizes) / len(sizes), rel=1e-5)
    wanted = [sizes.count(1), sizes.count(2), sizes.count(3), sum(size > 3 for size in sizes)]
    heads = ("1 token", "2 tokens", "3 tokens", "More")
    assert [row[head] for head in heads] == pytest.approx(
        [count / len(sizes) for count in wanted], rel=1e-5
    )
    ends = [0, 10, 100, 1000, 10_000, UP_TO + 1]
    for digits in range(1, 6):
        some = sizes[ends[digits - 1] : ends[digits]]
        assert answer.result.found["t"].mean(digits) == pytest.approx(sum(some) / len(some))


@pytest.mark.usefixtures("tiktoken_cache")
@pytest.mark.parametrize(("name", "groups"), [("gpt2", "mixed"), ("cl100k_base", "from the left")])
def test_the_figures_are_those_of_tiktoken(name: str, groups: str) -> None:
    check(tc.open(name), tiktoken.get_encoding(name).encode, groups)


@pytest.mark.parametrize("name", ["mistral-v3.model", "gemma3.model"])
def test_the_figures_are_those_of_sentencepiece(data: Path, name: str) -> None:
    path = data / "tokenizers" / name
    if not path.is_file():
        pytest.skip(f"needs {name}")
    reference: Any = SentencePieceProcessor(model_file=str(path))
    check(tc.open(path), reference.encode, "each digit")


@pytest.mark.parametrize(
    ("pattern", "groups"),
    [(r"\d{1,3}(?=(?:\d{3})*$)", "from the right"), (r"\d{1,3}", "from the left")],
)
def test_the_side_of_groups_of_three(tmp_path: Path, pattern: str, groups: str) -> None:
    """A vocabulary of all numbers of up to three digits, which only its pattern cuts."""
    entries = [str(n).zfill(digits) for digits in (1, 2, 3) for n in range(10**digits)]
    ids = {entry: n for n, entry in enumerate(entries)}
    reference = hf.Tokenizer(BPE(ids, [], ignore_merges=True))
    reference.pre_tokenizer = Split(hf.Regex(pattern), "isolated")
    path = tmp_path / "tokenizer.json"
    reference.save(str(path))
    check(tc.open(path), lambda text: reference.encode(text).ids, groups)


@pytest.mark.parametrize(
    ("cuts", "groups"),
    [
        ([], "too few digits"),
        ([(4,)], "whole"),
        ([(1, 1, 1, 1)], "each digit"),
        ([(2, 2)], "from either side"),
        ([(2, 2), (2, 2, 1)], "from the left"),
        ([(2, 2), (1, 2, 2)], "from the right"),
        ([(4,), (3, 1)], "mixed"),
        ([(3, 1), (2, 3)], "mixed"),
        ([(1, 2, 1)], "mixed"),
    ],
)
def test_groups(cuts: list[tuple[int, ...]], groups: str) -> None:
    assert grouping(cuts) == groups


def test_unknown_tokens_have_no_groups(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    hf.Tokenizer(BPE({"<unk>": 0, "1": 1}, [], unk_token="<unk>")).save(str(path))
    answer = NUMBERS.run({"t": tc.open(path)}, up_to=1111)
    assert answer.rows[0]["Groups"] == "unknown"
    assert answer.result.found["t"].lost == 1112 - 4  # all but 1, 11, 111 and 1111


def test_the_command_writes_json_and_csv(tmp_path: Path) -> None:
    path, names = tmp_path / "table.csv", ["tokenarium-8k", "wordpiece-8k"]
    line = ["numbers", str(shipped_path(names[0])), "--with", str(shipped_path(names[1]))]
    line += ["--up-to", "12"]
    written = CliRunner().invoke(app, [*line, "--json", "--csv", str(path)])
    answer = json.loads(written.stdout)
    assert answer["up_to"] == 12
    for name, row in zip(names, answer["tokenizers"], strict=True):
        tokenizer = tc.open(shipped_path(name))
        sizes = [len(tokenizer.encode_ids(str(number))) for number in range(13)]
        assert row["mean_tokens"] == pytest.approx(sum(sizes) / 13)
        assert row["mean_by_digits"]["2"] == pytest.approx(sum(sizes[10:]) / 3)
        assert row["groups"] == "too few digits"
    assert len(path.read_text("utf-8").splitlines()) == 3
    assert "Each number is encoded alone" in CliRunner().invoke(app, line).stdout


@pytest.mark.parametrize("up_to", [-1, numbers.MOST + 1])
def test_other_numbers_are_refused(up_to: int) -> None:
    with pytest.raises(tc.ArgumentError, match="give one from 0 to 99,999"):
        NUMBERS.run({"t": tc.open(shipped_path("tokenarium-8k"))}, up_to=up_to)


def test_the_work_is_in_slices() -> None:
    inputs = NUMBERS.run({"t": tc.open(shipped_path("tokenarium-8k"))}, up_to=0).inputs
    inputs.values = {"up_to": 999}
    steps = list(NUMBERS.work(inputs, NUMBERS.begin(inputs)))
    assert len(steps) > 999 // numbers.AT_ONCE
    task = Task("", NUMBERS.work(inputs, NUMBERS.begin(inputs)))
    assert not task.step(0).finished


def test_the_page_needs_no_text_and_follows_its_control(host: Host, qtbot: QtBot) -> None:
    host.session.set_text("")
    page: Any = show_page(host, "compare", "numbers", page_of("numbers"))
    page.controls["up_to"].widget.setValue(numbers.MOST)
    page.controls["up_to"].widget.setValue(12)  # the work on the others is given up
    qtbot.waitUntil(lambda: not page.busy)
    wanted = NUMBERS.run({"t": page.items[0].tokenizer}, up_to=12)
    assert page.lines()[1][1:] == NUMBERS.table(wanted.inputs, wanted.result).lines()[1][1:]
    assert page.inputs.values["up_to"] == 12
    shown = page.result
    host.session.set_text("another text")
    qtbot.waitUntil(lambda: not page.busy)
    assert page.result is shown  # it does not depend on the text
