"""The glossary: its terms are unique, and what the window asks of it is there."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QFont, Qt
from PySide6.QtWidgets import QApplication

from project import ROOT
from tokenarium.models.text.qt_text import as_tip
from tokenarium.models.vocabulary.vocabulary_table import COLUMNS, VocabularyTable
from tokenarium.resources.glossary import LINE, explanation, load_glossary

NAMES = {"term", "terms", "TERMS"}
"""What the variables, fields and arguments that hold names of the glossary are called."""


WORDS = re.compile(rf"\b(?:explanation|with_term|TermButton|TermHeads|{'|'.join(NAMES)})\b")
"""One of these is in each module that asks for a term: the others are not parsed."""


def asked(path: Path) -> Iterator[str]:
    """Yields the names that a module gives to `explanation`, or keeps for it."""
    source = path.read_text("utf-8")
    for node in ast.walk(ast.parse(source)) if WORDS.search(source) else ():
        match node:
            case ast.Call(func=ast.Name(id="explanation"), args=[ast.Constant(value=str(name))]):
                yield name
            case ast.Call(func=ast.Name(id="explanation"), args=[other]):
                written = ast.unparse(other).replace("self._", "")
                assert any(word in NAMES for word in written.replace("[", ".").split(".")), written
            case ast.Call(func=ast.Name(id="with_term"), args=[_, ast.Constant(value=str(name))]):
                yield name
            case ast.Call(func=ast.Name(id="TermButton"), args=[ast.Constant(value=str(name))]):
                yield name
            case ast.Call(func=ast.Name(id="TermHeads"), args=[_, held]):
                yield from strings(held)
            case ast.keyword(arg=name, value=held) if name in NAMES:
                yield from strings(held)
            case ast.Assign(targets=[ast.Name(id=name)], value=held) if name in NAMES:
                yield from strings(held)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Dict() as held) if name in NAMES:
                yield from strings(held)


def strings(held: ast.expr) -> Iterator[str]:
    """Yields a name, or the values of a table of names."""
    for one in held.values if isinstance(held, ast.Dict) else [held]:
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            yield one.value


ASKED = sorted(
    {
        (name, path.relative_to(ROOT).as_posix())
        for path in (ROOT / "explorer").rglob("*.py")
        for name in asked(path)
    }
)


def test_the_window_asks_for_terms() -> None:
    names = {name for name, _ in ASKED}
    assert {"fertility", "normalizer", "id", "temperature", "held-out text", "span"} <= names


@pytest.mark.parametrize(("name", "path"), ASKED)
def test_what_the_window_asks_for_is_in_the_glossary(name: str, path: str) -> None:
    assert name in load_glossary(), f"{path} asks for {name!r}: add it to resources/glossary.toml"


def test_each_name_is_of_one_term() -> None:
    written = tomllib.loads((ROOT / "resources" / "glossary.toml").read_text("utf-8"))["term"]
    names = Counter(
        name.casefold() for term in written for name in (term["name"], *term.get("also", ()))
    )
    assert len(written) == len(load_glossary())
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("name", list(load_glossary()))
def test_a_term_fits_into_a_tip(name: str) -> None:
    lines = explanation(name).split("\n")
    assert max(map(len, lines)) <= LINE
    assert " ".join(lines) == load_glossary()[name].text
    assert not Qt.mightBeRichText(explanation(name)) or as_tip(explanation(name)).startswith("<p")


def test_a_name_that_is_not_in_it_is_an_error() -> None:
    with pytest.raises(KeyError):
        explanation("no such term")


def test_heads_of_columns_say_what_they_show(qapp: QApplication) -> None:
    entries = VocabularyTable(QFont())
    for section, column in enumerate(COLUMNS):
        tip = entries.headerData(
            section, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole
        ).split("\n")
        assert tip[-1] == "A click sorts by it."
        known = explanation(column.term).split("\n") if column.term else []
        assert tip[: len(known)] == known
