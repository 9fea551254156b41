"""How the project is arranged: where a name is defined, and where the tests of a file are."""

from __future__ import annotations

import ast
from collections import defaultdict
from graphlib import TopologicalSorter

import pytest

from project import ROOT

ROOTS = ("core", "explorer", "resources", "packaging")
ALLOWED_TWICE: set[str] = set()
LONG = 500
"""The most lines of a file that needs no reason."""
LONG_FILES = {
    "core/tokenarium_core/changing/pruning.py": "one algorithm: the order of removal and what must stay reachable",
    "core/tokenarium_core/command_line.py": "all commands of a program that needs the core alone",
    "core/tokenarium_core/encoding.py": "the encoding and the job that fills it, which mypyc compiles as one",
    "core/tokenarium_core/explaining/sampling.py": "two samplers, each beside the check that their counts are exact",
    "core/tokenarium_core/formats/opening.py": "what names, files, folders and archives open, beside what is stored of them",
    "core/tokenarium_core/formats/tokenarium_format.py": "one format: what is written stands beside what reads it",
    "core/tokenarium_core/formats/tiktoken_format.py": "one format with the known files that it recognizes",
    "core/tokenarium_core/formats/hf/hf_slow_classes.py": "a table: a row for each class of transformers",
    "core/tokenarium_core/formats/hf/hf_slow_folder.py": "one kind of folder: a reader for each set of files",
    "core/tokenarium_core/normalizers/character_normalizers.py": "six normalizers of some eighty lines each",
    "core/tokenarium_core/patterns/oniguruma.py": "one grammar",
    "core/tokenarium_core/patterns/rust_syntax.py": "one grammar",
    "core/tokenarium_core/tokenizer.py": "the public class: a docstring with examples for each method",
    "core/tokenarium_core/training/word_counter.py": "one hash table, its parts written out for speed",
    "core/tokenarium_core/training/word_counts.py": "one file format with its merging",
    "explorer/tokenarium/app/lessons.py": "the course of a lesson, one state machine",
    "explorer/tokenarium/app/panes.py": "the layout of the window, one state",
    "explorer/tokenarium/app/scene_commands.py": "the files and links of scenes",
    "explorer/tokenarium/app/scenes.py": "what a scene keeps: writing stands beside reading",
    "explorer/tokenarium/app/window.py": "where the parts of the window are made and connected",
    "explorer/tokenarium/commands/compare.py": "one command with its tables",
    "explorer/tokenarium/menus/chatting.py": "one dialog",
    "explorer/tokenarium/models/compare/comparison_model.py": "one table and its charts",
    "explorer/tokenarium/models/corpora/encoded_corpus.py": "three layouts of shards and their manifest",
    "explorer/tokenarium/models/lessons/answers.py": "the functions that lessons may call, and their bounds",
    "explorer/tokenarium/models/merges/training_story.py": "three kinds of trainings as steps",
    "explorer/tokenarium/models/merges/training_tables.py": "three tables of one training",
    "explorer/tokenarium/models/release/evaluation.py": "one report: its measures and checks",
    "explorer/tokenarium/models/training/store.py": "one store and its index",
    "explorer/tokenarium/views/compare_figures.py": "one page",
    "explorer/tokenarium/views/compare_languages.py": "one part of a page",
    "explorer/tokenarium/views/merge_training.py": "one page",
    "explorer/tokenarium/views/pretokens.py": "one workspace",
    "explorer/tokenarium/views/scripts.py": "one workspace with its four pages",
    "explorer/tokenarium/views/tokens.py": "one workspace",
    "explorer/tokenarium/views/train_training.py": "one page",
    "explorer/tokenarium/views/vocabulary_release.py": "one page",
    "explorer/tokenarium/widgets/charts/size_chart.py": "one chart: layout, painting, dragging",
    "explorer/tokenarium/widgets/library/library_panel.py": "one list with its painting",
    "explorer/tokenarium/widgets/players/merge_canvas.py": "one drawing",
    "explorer/tokenarium/widgets/players/why_card.py": "one card",
    "explorer/tokenarium/widgets/text/inspected_tree.py": "two lists of the inspector",
    "explorer/tokenarium/widgets/text/token_painter.py": "one painter, its inner loops written out",
    "explorer/tokenarium/widgets/text/token_view.py": "one widget: scrolling, selection, hovering",
    "explorer/tokenarium/widgets/training/train_form.py": "one form",
    "explorer/tokenarium/widgets/training/training_view.py": "the cards of one page",
}
"""The longer ones, and why each is one file."""


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


def test_a_long_file_has_a_reason() -> None:
    long = {
        path.relative_to(ROOT).as_posix()
        for root in ROOTS
        for path in (ROOT / root).rglob("*.py")
        if "build" not in path.relative_to(ROOT).parts
        and len(path.read_text(encoding="utf-8").splitlines()) > LONG
    }
    assert long == LONG_FILES.keys()
