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
    lines = latex_table([["a", "b", "c"], ["x", "y", "1"]], 2).splitlines()
    assert lines == [
        r"\begin{tabular}{llr}",
        r"\toprule",
        r"a & b & c \\",
        r"\midrule",
        r"x & y & 1 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_without_lines_there_is_no_table() -> None:
    assert latex_table([]) == ""
