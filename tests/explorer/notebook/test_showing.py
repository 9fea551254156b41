"""Texts, runs and traces in a notebook."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from small_vocabularies import LOWER, of_pieces

import tokenarium_core as tc
from tokenarium import notebook
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS, shipped_path

OTHER = of_pieces([b"lo", b"low"], "gpt2")


def words(html: str) -> list[str]:
    """Returns the words of HTML, without its elements."""
    return re.sub(r"<[^>]*>", " ", html).split()


def test_a_text_is_shown_with_the_tokens_of_each_tokenizer() -> None:
    shown = notebook.show("lowest\nlower", LOWER, OTHER)
    assert [(row["tokenizer"], row["id"], row["token"]) for row in shown.rows] == [
        ("small", 258, "low"), ("small", 101, "e"), ("small", 115, "s"), ("small", 116, "t"), ("small", 10, "⏎"),
        ("small (2)", 257, "low"), ("small (2)", 101, "e"), ("small (2)", 115, "s"), ("small (2)", 116, "t"),
        ("small (2)", 10, "⏎"),
        ("small", 260, "lower"),
        ("small (2)", 257, "low"), ("small (2)", 101, "e"), ("small (2)", 114, "r"),
    ]  # fmt: skip
    assert [(row["start"], row["end"]) for row in shown.rows[:2]] == [(0, 3), (3, 4)]
    assert words(shown.still).count("258") == 1
    assert words(shown.still)[-5:] == ["257", "e", "101", "r", "114"]


def test_without_a_tokenizer_the_usual_ones_are_taken() -> None:
    shown = notebook.show("low")
    usual = [one.name for one in SHIPPED_TOKENIZERS if one.on]
    assert list(dict.fromkeys(row["tokenizer"] for row in shown.rows)) == usual


def test_a_tokenizer_is_given_by_its_name_its_file_or_itself() -> None:
    path = shipped_path("unigram-8k")
    ids = [
        [row["id"] for row in notebook.show("lower", given).rows]
        for given in ("unigram-8k", path, str(path), tc.open(path))
    ]
    assert ids == [ids[0]] * 4 != [[]] * 4
    with pytest.raises(tc.NotAvailable):
        notebook.show("low", "no-such-tokenizer")


def test_a_long_text_is_shown_up_to_a_limit_and_counted_as_a_whole() -> None:
    shown = notebook.show("low " * 5000, LOWER, most=40)
    assert max(int(str(row["end"])) for row in shown.rows) <= 40
    assert "Tokens that are not shown" in shown.still
    assert len(shown.html) < 200_000
    assert '<h1 dir="auto">Tokens of the first 40 characters</h1>' in shown.page
    total = len(LOWER.encode("low " * 5000))
    assert f"{total:,}" in words(shown.still)
    assert f"{total - len(shown.rows):,}" in words(shown.still)


def test_a_line_that_reads_right_to_left_has_its_tokens_from_the_right() -> None:
    shown = notebook.show("שלום\nlow", LOWER)
    assert shown.still.count('<div dir="rtl">') == 1


def test_the_page_of_a_text_is_that_of_the_window() -> None:
    shown = notebook.show("lower", LOWER)
    assert "Content-Security-Policy" in shown.page
    assert 'class="lines n1"' in shown.page
    assert "&lt;!DOCTYPE html&gt;" in shown.html
    assert 'sandbox="allow-scripts"' in shown.html


def test_a_run_is_played_step_by_step() -> None:
    played = notebook.play("lower", LOWER)
    assert [row["symbols"] for row in played.rows] == [
        ["l", "o", "w", "e", "r"],
        ["lo", "w", "e", "r"],
        ["low", "e", "r"],
        ["low", "er"],
        ["lower"],
    ]
    sentences = [str(row["what"]) for row in played.rows]
    assert "“l” and “o” become “lo”" in sentences[0]
    assert sentences[-1] == "Nothing is left to do: 1 token."
    assert played.still.count("<li>") == 5


def test_a_lattice_is_played_with_the_best_way_so_far() -> None:
    played = notebook.play("lowest", "unigram-8k")
    symbols = [row["symbols"] for row in played.rows]
    assert symbols[0] == []
    assert symbols[-1] == ["␣low", "est"]
    assert ["␣lo"] in symbols


def test_of_a_long_run_the_first_steps_are_listed() -> None:
    played = notebook.play("lower " * 60, LOWER)
    assert played.still.count("<li>") == 101
    assert "And 140 more steps." in played.still
    assert len(played.rows) == 241


def test_a_trace_is_a_table_of_its_events() -> None:
    traced = notebook.trace("low", LOWER)
    assert traced.rows == [
        {"word": 0, "event": "merge", "text": "lo", "start": 0, "end": 2, "rank": 256, "id": 256, "entry": "lo"},
        {"word": 0, "event": "merge", "text": "low", "start": 0, "end": 3, "rank": 258, "id": 258, "entry": "low"},
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text", ["", "\n", "\ud800", "\0", "e" + "\u0301" * 3000, "a\u2028b\r\nc\x0b"]
)
def test_unusual_texts(text: str) -> None:
    for shown in (notebook.show(text, LOWER, "wordpiece-8k"), notebook.play(text, LOWER), notebook.trace(text, LOWER)):  # fmt: skip
        shown.html.encode("utf-8")
        assert "\0" not in shown.html
        assert repr(shown).encode("utf-8", "replace")


def test_a_figure_is_saved_as_a_page(tmp_path: Path) -> None:
    live, still = tmp_path / "live.html", tmp_path / "still.html"
    notebook.show("lower", LOWER).save(live)
    notebook.trace("lower", LOWER).save(str(still))
    for path in (live, still):
        written = path.read_text("utf-8")
        assert written.startswith("<!DOCTYPE html>")
        assert "default-src 'none'" in written
    with pytest.raises(tc.TokenariumError):
        notebook.trace("lower", LOWER).save(tmp_path)


@pytest.mark.slow
def test_no_window_is_imported() -> None:
    code = (
        "import sys; from tokenarium import notebook as n; n.show('low \u200b', 'wordpiece-8k').html;"
        " n.play('low \u200b', 'tokenarium-8k').html; n.train(['low low'] * 3, 258).html;"
        " sys.exit(any(name.startswith('PySide6') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
