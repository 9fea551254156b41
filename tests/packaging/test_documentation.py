"""The page of the Python API: what is public has an example there, and a description that is taken from its docstring."""

from __future__ import annotations

import ast
import doctest
import html
import importlib
import re

import pytest

import docs_pages
import tokenarium_core
from project import ROOT
from tokenarium.models.compare.metrics import METRICS
from tokenarium.models.lessons.lesson import read_head
from tokenarium_core.comparing.readers.readers import READERS
from tokenarium_core.formats.foreign import FOREIGN_KINDS
from tokenarium_core.formats.places import PLACES
from tokenarium_core.formats.registry import FORMATS

PAGE = (ROOT / "docs" / "python.md").read_text("utf-8")
EXAMPLES = ast.parse(
    "".join(example.source for example in doctest.DocTestParser().get_examples(PAGE))
)
DESCRIBED = re.findall(r"^::: ([\w.]+)$", PAGE, re.MULTILINE)
"""The names of the directives of mkdocstrings."""

MODULES = [
    name
    for row in re.findall(r"^\| (`.+?) \|", tokenarium_core.__doc__ or "", re.MULTILINE)
    for name in re.findall(r"`([\w.]+)`", row)
]
"""The public modules, as the docstring of the core lists them."""


@pytest.mark.slow
@pytest.mark.parametrize("name", tokenarium_core.__all__)
def test_each_public_name_has_an_example(name: str) -> None:
    used = {
        node.attr
        for node in ast.walk(EXAMPLES)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "tc"
    }
    assert name in used, f"docs/python.md has no example with tc.{name}"


@pytest.mark.parametrize("name", MODULES)
def test_each_public_module_has_an_example(name: str) -> None:
    imported: set[str] = set()
    for node in ast.walk(EXAMPLES):
        if isinstance(node, ast.ImportFrom) and node.module:
            imported |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    module = f"tokenarium_core.{name}"
    assert any(f"{one}.".startswith(f"{module}.") for one in imported)


@pytest.mark.parametrize(
    "name", [name for name in tokenarium_core.__all__ if callable(getattr(tokenarium_core, name))]
)
def test_each_public_class_and_function_is_described(name: str) -> None:
    """A directive names it in the module that defines it, or that module with all its members."""
    described = getattr(tokenarium_core, name)
    assert {f"{described.__module__}.{described.__name__}", described.__module__} & {*DESCRIBED}


@pytest.mark.parametrize("name", DESCRIBED)
def test_each_directive_names_what_is_there(name: str) -> None:
    module, _, attribute = name.rpartition(".")
    try:
        importlib.import_module(name)
    except ModuleNotFoundError:
        assert hasattr(importlib.import_module(module), attribute)


def test_the_table_of_formats_is_made_of_all_that_are_known() -> None:
    rows = docs_pages.formats().splitlines()
    for format in FORMATS.values():
        (row,) = [row for row in rows if row.startswith(f"| **{format.title}** |")]
        for cell in (format.signs, format.algorithms, format.compared, format.writes or "—"):
            assert f"| {docs_pages._cell(cell)} |" in row
    for place in PLACES:
        assert f"| {' | '.join(place)} |" in rows
    for kind in FOREIGN_KINDS:
        assert f"| {kind.what} | {kind.advice} |" in rows
    assert "{{ made }}" in (ROOT / "docs" / "formats.md").read_text("utf-8")


def test_the_tables_of_other_programs_have_all_rules() -> None:
    made = docs_pages.readers()
    for reader in READERS:
        assert f"| {reader.name} | {docs_pages._cell(reader.about)} | {reader.compared} |" in made
        for rule in reader.rules:
            assert (
                f"| `{rule.id}` | {docs_pages._cell(rule.sentence).replace('<', '&lt;')} |" in made
            )
    assert "{{ made }}" in (ROOT / "docs" / "other-programs.md").read_text("utf-8")


def test_the_table_of_measures_has_all_figures() -> None:
    rows = docs_pages.measures().splitlines()[2:]
    assert len(rows) == len(METRICS)
    for metric, row in zip(METRICS, rows, strict=True):
        cells = re.split(r"(?<!\\) ?\| ?", row)[1:-1]
        assert f"`{metric.id}`" in cells[0]
        plain = [html.unescape(re.sub(r"\\([*_`|\\])", r"\1", cell)) for cell in cells[1:]]
        assert plain == [metric.formula, metric.source, metric.caveat]
    assert "{{ made }}" in (ROOT / "docs" / "measures.md").read_text("utf-8")


def test_the_table_of_lessons_links_to_the_page_of_each() -> None:
    made = docs_pages.live()
    paths = sorted((ROOT / "resources" / "lessons").glob("*.md"))
    assert len(paths) == len(made.splitlines()) - 2
    for path in paths:
        assert f"[{read_head(path).title}](live/{path.stem}.html) |" in made
    assert "{{ made }}" in (ROOT / "docs" / "live.md").read_text("utf-8")


@pytest.mark.parametrize("name", FORMATS)
def test_the_facts_of_a_format_are_there(name: str) -> None:
    format = FORMATS[name]
    assert format.signs.endswith(".")
    assert format.algorithms
    assert format.compared
    assert format.writes or not format.is_written
