"""The lock of the development environment: what it has, and what a group needs of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.requirements import Requirement

import locking
import terminal
from environment import Environment

SMALL = """\
# Written by: a test
build==1.2 \\
    --hash=sha256:aa
    # via tokenarium
numpy==2.4 ; python_full_version < '3.12' \\
    --hash=sha256:bb
    # via
    #   pyqtgraph
    #   tokenarium
numpy==2.5 ; python_full_version >= '3.12' \\
    --hash=sha256:cc
    # via
    #   pyqtgraph
    #   tokenarium
pyproject-hooks==1 \\
    --hash=sha256:dd
    # via build
pyqtgraph==0.14 \\
    --hash=sha256:ee
    # via tokenarium
"""


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lock of five lines, in place of the project's."""
    path = tmp_path / "requirements.lock"
    path.write_text(SMALL)
    monkeypatch.setattr(locking, "LOCK", path)
    return path


def test_the_lock_is_of_the_requirements_that_are_there_now() -> None:
    assert locking.is_fresh(), f"{locking.LOCK.name} is old. Type: {locking.COMMAND}"


def test_each_requirement_is_locked_at_a_version_that_it_allows() -> None:
    locked: dict[str, list[Requirement]] = {}
    for block in locking.blocks(locking.text()):
        one = Requirement(block.split("\\")[0])
        locked.setdefault(locking.name_of(one.name), []).append(one)
    for line in {line for required in locking.requirements().values() for line in required}:
        wanted = Requirement(line)
        for one in locked[locking.name_of(wanted.name)]:
            here = one.marker is None or one.marker.evaluate()
            if here and (wanted.marker is None or wanted.marker.evaluate()):
                (version,) = (part.version for part in one.specifier)
                assert wanted.specifier.contains(version), f"{line} is locked at {version}"


def test_every_locked_package_has_hashes() -> None:
    assert [b for b in locking.blocks(locking.text()) if "--hash=sha256:" not in b] == []


def test_our_own_distributions_are_not_required_of_an_index() -> None:
    names = {locking.name_of(line) for lines in locking.requirements().values() for line in lines}
    assert names
    assert not names & {"tokenarium", "tokenarium-core"}


@pytest.mark.parametrize(
    ("requirement", "name"),
    [
        ("PySide6-Essentials>=6.8; python_version >= '3.12'", "pyside6-essentials"),
        ("mypy[mypyc]==2.4.1", "mypy"),
        ("huggingface_hub>=0.34", "huggingface-hub"),
        ("ruamel.yaml", "ruamel-yaml"),
        ("# a comment", ""),
    ],
)
def test_names_are_spelled_as_indexes_do(requirement: str, name: str) -> None:
    assert locking.name_of(requirement) == name


@pytest.mark.usefixtures("small")
def test_a_part_has_what_its_packages_require_and_no_more() -> None:
    assert locking.part(["build"]).count("==") == 2
    plots = locking.part(["pyqtgraph"])
    assert "numpy==2.4 ; python_full_version < '3.12'" in plots
    assert "numpy==2.5" in plots
    assert "build" not in plots
    with pytest.raises(KeyError, match="nothing-of-the-kind"):
        locking.part(["nothing-of-the-kind"])


def test_a_lock_is_old_once_the_requirements_change(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not locking.is_fresh()
    small.write_text(f"{locking.HASH_LINE}{locking.fingerprint()}\n{SMALL}")
    assert locking.is_fresh()
    before = locking.requirements()
    monkeypatch.setattr(locking, "requirements", lambda: before | {"more": ["a-package>=1"]})
    assert not locking.is_fresh()


def test_an_old_lock_and_one_that_cannot_be_installed_are_said_and_passed_over(
    small: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    used = Environment(tmp_path / "environment")
    used.folder.mkdir()
    used._install_locked(["run"])
    assert "pip chooses the versions" in capsys.readouterr().out
    small.write_text(f"{locking.HASH_LINE}{locking.fingerprint()}\n{SMALL}")
    monkeypatch.setattr(locking, "requirements", lambda: {"run": ["build"]})
    monkeypatch.setattr(locking, "fingerprint", lambda: "same")
    small.write_text(f"{locking.HASH_LINE}same\n{SMALL}uv==1 \\\n    --hash=sha256:ff\n")

    def fails(self: Environment, what: str, *arguments: str) -> None:
        assert "--require-hashes" in arguments
        raise terminal.CommandError("no network")

    monkeypatch.setattr(Environment, "_pip", fails)
    used._install_locked(["run"])
    assert "cannot be installed here" in capsys.readouterr().out
    assert "pyproject-hooks==1" in (used.folder / "locked" / "packages.txt").read_text()
