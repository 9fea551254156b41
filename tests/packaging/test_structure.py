"""How the project is arranged: where a name is defined, and where the tests of a file are."""

from __future__ import annotations

import ast
from collections import defaultdict

from project import ROOT

ROOTS = ("core", "explorer", "resources", "packaging")
ALLOWED_TWICE: set[str] = set()


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
