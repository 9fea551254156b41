"""The script that trains the shipped tokenizers: a method for each of them, and a corpus that is the same each time."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS

SCRIPTS = str(Path(__file__).resolve().parents[2] / "packaging")


@pytest.mark.slow
def test_each_tokenizer_has_a_method(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(SCRIPTS)
    import train_shipped_tokenizers as script

    try:
        assert list(script.METHODS) == [one.id for one in SHIPPED_TOKENIZERS]
        texts = script.library()
        assert texts == script.library()
        assert sum(map(len, texts)) <= script.LIBRARY_CHARACTERS
    finally:
        del sys.modules["train_shipped_tokenizers"]
