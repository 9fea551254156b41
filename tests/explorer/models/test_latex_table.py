"""Tables as LaTeX: what has a meaning there is escaped, and the rules are those of booktabs."""

from __future__ import annotations

import pytest

from tokenarium.models.latex_table import latex_table, latex_text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a_b & 5%", r"a\_b \& 5\%"),
        ("{x}$#", r"\{x\}\$\#"),
        (r"\n~^", r"\textbackslash{}n\textasciitilde{}\textasciicircum{}"),
        ("<|end|>", r"\textless{}\textbar{}end\textbar{}\textgreater{}"),
        ("−1 – α", r"\ensuremath{-}1 \textendash{} \ensuremath{\alpha}"),
        ("two\r\n lines", "two lines"),
        ("[1, 2]", "{}[1, 2]"),
        ("*", "{}*"),
        ("東京", "東京"),
    ],
)
def test_what_has_a_meaning_is_escaped(text: str, written: str) -> None:
    assert latex_text(text) == written


def test_texts_are_left_and_numbers_right_between_the_rules() -> None:
    cells = ["1", "8k", "1,234", "? −0.5 [−1.0, 0.0]", "12%"]
    lines = latex_table([[*"abcde"], cells, ["2", "1", "–", "+3", ""]]).splitlines()
    assert lines == [
        r"\begin{tabular}{llrrr}",
        r"\toprule",
        r"a & b & c & d & e \\",
        r"\midrule",
        r"1 & 8k & 1,234 & ? \ensuremath{-}0.5 [\ensuremath{-}1.0, 0.0] & 12\% \\",
        r"2 & 1 & \textendash{} & +3 &  \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_without_lines_there_is_no_table() -> None:
    assert latex_table([]) == ""
