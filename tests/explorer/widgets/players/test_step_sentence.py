"""The sentence on a step: what it quotes is on grounds of its own, and it fits."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from tokenarium.widgets.players.step_sentence import StepSentence, _parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("Nothing is left.", ["Nothing", "is", "left."]),
        ("“i” and “e” become “ie”.", ["[i]", "and", "[e]", "become", "[ie]", "+."]),
        ("Is “##a b”, the longest?", ["Is", "[##a b]", "+,", "the", "longest?"]),
        ("Next: (“a”)", ["Next:", "(", "+[a]", "+)"]),
        ("an open “quote", ["an", "open", "“quote"]),
    ],
)
def test_what_is_quoted_stands_out(text: str, parts: list[str]) -> None:
    found = [
        ("+" if part.glued else "") + (f"[{part.text}]" if part.chip else part.text)
        for part in _parts(text)
    ]
    assert found == parts


def test_a_long_sentence_is_smaller_and_then_cut_with_a_tip(qtbot: QtBot) -> None:
    label = StepSentence()
    qtbot.addWidget(label)
    label.resize(600, label.sizeHint().height())
    sizes = []
    for count in (2, 6, 7, 60):
        label.setText("some words " * count)
        sizes.append(label._font_size)
        assert bool(label.toolTip()) is (count == 60)
        assert not label.grab().isNull()
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]
    label.set_lines(2)
    label.setText("some words " * 11)
    assert not label.toolTip()
