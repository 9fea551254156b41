"""Tables as LaTeX with the rules of the package booktabs, for papers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_SIGNS: Final = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "–": r"\textendash{}",
    "−": r"\ensuremath{-}",
    "α": r"\ensuremath{\alpha}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
_SPECIAL: Final = re.compile("[" + re.escape("".join(_SIGNS)) + "]")
_BREAKS: Final = re.compile(r"\s*[\r\n]\s*")


_NUMBER: Final = re.compile(r"(\? )?[-−+]?[\d,.]+%?( \[[^\]]*\])?|–|")
"""A figure, with the bounds of its interval, or nothing."""


def latex_table(lines: Sequence[Sequence[str]]) -> str:
    """Returns a table, its head first; empty without any lines. The document needs ``\\usepackage{booktabs}``.

    Columns of numbers are aligned right, but for the first. What has a meaning in LaTeX is escaped.

    >>> print(latex_table([["name", "%"], ["a_b", "1"]]), end="")
    \\begin{tabular}{lr}
    \\toprule
    name & \\% \\\\
    \\midrule
    a\\_b & 1 \\\\
    \\bottomrule
    \\end{tabular}
    """
    if not lines:
        return ""
    head, *rows = [" & ".join(map(latex_text, line)) + r" \\" for line in lines]
    numbers = [all(map(_NUMBER.fullmatch, cells)) for cells in zip(*lines[1:], strict=True)]
    columns = "l" + "".join("r" if number else "l" for number in numbers[1:])
    whole = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule", *rows]
    return "\n".join([*whole, r"\bottomrule", r"\end{tabular}"]) + "\n"


def latex_text(text: str) -> str:
    """Returns a text in one line in which nothing has a meaning in LaTeX; a bracket at its beginning neither, which
    would be an option of the line end before it.
    """
    escaped = _SPECIAL.sub(lambda found: _SIGNS[found[0]], _BREAKS.sub(" ", text))
    return f"{{}}{escaped}" if escaped.startswith(("[", "*")) else escaped
