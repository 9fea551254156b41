"""What every analysis declares: a question about a text, and what is said while it works."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

import tokenarium_core as tc
from tokenarium.analyses.ways import WAYS
from tokenarium.commands.cli import ANALYSES
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS


def analysis_of(name: str) -> Any:
    plain = name.replace("-", "_")
    return getattr(import_module(f"tokenarium.analyses.{plain}"), plain.upper())


@pytest.mark.parametrize("name", ANALYSES)
def test_what_is_done_is_said(name: str) -> None:
    analysis = analysis_of(name)
    inputs = analysis.inputs_for({"x": tc.open(SHIPPED_TOKENIZERS[0].path)}, "a text")
    assert analysis.working(inputs)[0].isupper()


@pytest.mark.parametrize("name", sorted({*ANALYSES} - {"overlap", "sample"}))
def test_the_question_is_one(name: str) -> None:
    assert analysis_of(name).question("“a {text}”").endswith("?")


def test_the_question_names_the_text() -> None:
    assert WAYS.question("“a {text}”") == "How many sequences of ids decode to “a {text}”?"
