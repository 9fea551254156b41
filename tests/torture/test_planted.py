"""Each attack on sockets, schedulers and own files finds a fault that is planted for it, and nothing without it."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it attacks what is of Unix")

MOST = 300
"""Cases that may be needed to find a fault."""


def replaced(path: Path, text: str) -> None:
    """Writes a file as it must not be written: a link is replaced."""
    path.unlink(missing_ok=True)
    path.write_text(text)


def unbounded(path: Path, most: int) -> bytes:
    """Reads all of a file."""
    return Path(path).read_bytes()


def uncaught(*_: object) -> bytes:
    """Raises what no reader expects."""
    raise KeyError("planted")


def any_result(item: Any, place: int, answer: Any, kind: Any) -> Any:
    """Takes whatever comes."""
    from tokenarium.work.cluster import Done

    return Done(item, answer[1] if isinstance(answer, tuple) and len(answer) > 1 else answer)


FAULTS: dict[str, tuple[str, object]] = {
    "sockets-requests": ("tokenarium.work.handover._can_be_named", lambda word: True),
    "sockets-starts": ("tokenarium.work.handover._asked", lambda *_: True),
    "sockets-credentials": ("tokenarium.work.handover.is_own", lambda line: True),
    "schedulers-greetings": ("tokenarium.work.cluster._GREETING", b""),
    "schedulers-answers": ("tokenarium.work.cluster._taken", any_result),
    "owned-files": ("tokenarium.models.scene_store.read_file", uncaught),
    "owned-bounds": ("owned.read_file", unbounded),
    "owned-links": ("owned.write_whole", replaced),
}


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Any, int], str]]:
    """Runs a case of an attack in a folder of its own, and leaves the environment and Qt's names as they were."""
    from PySide6.QtCore import QCoreApplication

    top = tempfile.TemporaryDirectory(prefix="planted-", ignore_cleanup_errors=True)
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    for name in ("XDG_RUNTIME_DIR", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, top.name)
    monkeypatch.setattr(QCoreApplication, "setOrganizationName", lambda name: None)
    monkeypatch.setattr(QCoreApplication, "setApplicationName", lambda name: None)
    monkeypatch.setattr(QCoreApplication, "organizationName", lambda: "Owned")
    monkeypatch.setattr(QCoreApplication, "applicationName", lambda: "Owned")

    def run(attack: Any, number: int) -> str:
        from attack import chance_of

        folder = Path(top.name, str(number))  # a short path: there are sockets in it
        folder.mkdir()
        monkeypatch.chdir(folder)
        return str(attack.run(attack.make(chance_of(1, attack.name, number))))

    yield run
    monkeypatch.undo()
    top.cleanup()


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found(
    name: str, here: Callable[[Any, int], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from batch import attack_of

    attack = attack_of(name)
    monkeypatch.setattr(*FAULTS[name])
    for number in range(MOST):
        try:
            here(attack, number)
        except (AssertionError, KeyError, ValueError):
            return
    raise AssertionError("no case finds it")


def test_every_attack_of_these_families_has_one() -> None:
    from batch import attacks

    assert set(attacks("sockets", "schedulers", "owned")) == set(FAULTS)
