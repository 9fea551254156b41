"""How the project is arranged: where a name is defined, and where the tests of a file are."""

from __future__ import annotations

import ast
from collections import defaultdict
from graphlib import TopologicalSorter

import pytest

from project import ROOT

ROOTS = ("core", "explorer", "resources", "packaging")
ALLOWED_TWICE: set[str] = set()


@pytest.mark.slow
def test_no_two_classes_have_the_same_name() -> None:
    """A class is found by its name: an imported name, or one in a sentence, means one thing only."""
    places: dict[str, list[str]] = defaultdict(list)
    for root in ROOTS:
        for path in sorted((ROOT / root).rglob("*.py")):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef):
                    places[node.name].append(path.relative_to(ROOT).as_posix())
    assert places
    twice = {name: found for name, found in places.items() if len(found) > 1}
    assert {name: found for name, found in twice.items() if name not in ALLOWED_TWICE} == {}
    assert twice.keys() >= ALLOWED_TWICE


def test_no_two_modules_of_the_commands_import_each_other() -> None:
    """Not inside a function either: such an import only hides a circle."""
    sources = {path.stem: path for path in (ROOT / "packaging").glob("*.py")}
    imported: dict[str, set[str]] = {}
    for name, path in sources.items():
        found: set[str] = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module)
        imported[name] = found & sources.keys()
    assert any(imported.values())
    TopologicalSorter(imported).prepare()  # raises CycleError, which names the circle
