"""Superwords stand out: in the boxes of their tokens, in the counts over them, and in the inspector."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

import tokenarium_core as tc
from tokenarium.models.inspection import tokens
from tokenarium.models.segmentation import Segmentation
from tokenarium.models.superword_ids import superword_ids
from tokenarium.views.tokens import TokensView
from tokenarium.window import MainWindow

TEXT = "by the way, by the way it is by the sea. " * 30


@pytest.fixture(scope="module")
def tokenizer() -> tc.Tokenizer:
    return tc.train("superbpe", [TEXT], vocab_size=320, transition=275)


def test_the_parts_know_superwords(tokenizer: tc.Tokenizer) -> None:
    encoding = tokenizer.encode(TEXT)
    parts = Segmentation.of_tokens(
        memoryview(encoding.ids), memoryview(encoding.spans), (), superword_ids(tokenizer)
    )
    assert parts.superwords is not None
    pieces = [tokenizer.vocabulary.piece(token) for token in memoryview(encoding.ids)]
    assert parts.superwords.tolist() == [len(piece.split()) > 1 for piece in pieces]
    assert parts.superwords.any()
    edited = parts.after_edit(3, 3, 2)
    assert edited.superwords is not None
    assert len(edited.superwords) == len(edited)
    assert Segmentation.of_tokens([1, 2], [0, 1, 1, 2]).superwords is None
    rows = tokens(encoding, tokenizer, 0, 40).rows
    assert any(row.kind == "superword" for row in rows)


def test_the_view_marks_and_counts_them(
    window: MainWindow, qtbot: QtBot, tokenizer: tc.Tokenizer, tmp_path: Path
) -> None:
    path = tmp_path / "super.json"
    tokenizer.save(path)
    window.session.set_text(TEXT)
    window.take_files([path])
    view = window.workspace
    assert isinstance(view, TokensView)
    qtbot.waitUntil(lambda: len(view.stack.rows) == 2)
    row = list(view.stack.rows.values())[1]
    qtbot.waitUntil(lambda: "superwords" in row.header.note.text())
    marked = row.view.segmentation.superwords
    assert marked is not None
    assert f"{np.count_nonzero(marked):,} superwords" in row.header.note.text()
    assert row.view.grab().width() > 0
