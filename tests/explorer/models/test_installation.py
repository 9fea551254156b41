"""What is said where a library is missing: how pip gets it, but never in the app that has its own Python."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import tokenarium
from tokenarium.models import installation
from tokenarium.models.installation import how_to_get, how_to_repair, is_frozen
from tokenarium.models.tokenizers import hub
from tokenarium_core import NotAvailable


def test_a_package_is_named_with_the_command_that_gets_it() -> None:
    assert not is_frozen()
    assert how_to_get("jinja2") == "Install it: pip install jinja2"
    assert how_to_get("tokenarium[hub]") == 'Install it: pip install "tokenarium[hub]"'


def test_what_does_not_work_is_installed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    assert how_to_repair("x") == "Install it again: pip install --force-reinstall x"
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert "pip" not in how_to_repair("x")


def test_a_frozen_app_advises_no_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(NotAvailable) as raised:
        hub.fetch(lambda _: None, "owner/name")
    assert "pip" not in str(raised.value)
    assert "packages cannot be added" in str(raised.value)


def test_no_other_module_advises_pip() -> None:
    folder = Path(tokenarium.__file__).parent
    found = [
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        # What updates.py advises is asked for only where pip has installed the program.
        if path not in (Path(installation.__file__), folder / "models" / "updates.py")
        and "pip install" in path.read_text(encoding="utf-8")
    ]
    assert found == []
