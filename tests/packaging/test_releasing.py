"""What a release needs, on a tree of a test's own."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

import dev
import floors
import locking
import releasing
import terminal
from environment import Environment
from project import ROOT, core_settings, settings
from releasing import Release

DAY = date(2027, 3, 4)
METAINFO = """\
<component type="desktop-application">
  <releases>
    <release version="0.1.0" date="2026-11-23" />
  </releases>
</component>
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Release:
    """A repository whose version 0.1.0 was released, and in which something changed since."""
    (tmp_path / "core" / "tokenarium_core").mkdir(parents=True)
    (tmp_path / "docs").mkdir()
    (tmp_path / "packaging" / "linux").mkdir(parents=True)
    shutil.copy(
        ROOT / "core" / "tokenarium_core" / "version.py", tmp_path / "core" / "tokenarium_core"
    )
    release = Release(tmp_path)
    release.version_file.write_text('"""A version."""\n\n__version__: Final = "0.1.0"\n')
    release.changelog.write_text(
        "# Changelog\n\n## [Unreleased]\n\n- **Faster**: it is.\n\n## [0.1.0] - 2026-11-23\n\nThe first.\n"
    )
    release.metainfo.write_text(METAINFO)
    (tmp_path / "README.md").write_text("To install it: `pip install tokenarium`\n")
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    commit(tmp_path)
    git(tmp_path, "tag", "v0.1.0")
    monkeypatch.setattr(locking, "is_fresh", lambda: True)
    return release


def git(folder: Path, *arguments: str) -> str:
    """Returns what git prints, with no settings of the computer."""
    names = ("-c", "user.name=A test", "-c", "user.email=test@localhost", "-c", "tag.gpgSign=false")
    done = subprocess.run(
        ["git", *names, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout


def commit(folder: Path) -> None:
    """Commits all that is there."""
    git(folder, "add", "--all")
    git(folder, "-c", "commit.gpgSign=false", "commit", "--quiet", "--message", "A step")


def test_a_version_is_written_committed_and_then_can_be_released(
    tree: Release, capsys: pytest.CaptureFixture[str]
) -> None:
    assert releasing.prepare(tree, "0.2.0") == 0
    assert tree.version() == "0.2.0"
    assert "git tag --annotate v0.2.0" in capsys.readouterr().out
    assert list(tree.faults()) == ["There are changes that are not committed."]
    commit(tree.root)
    assert releasing.check(tree) == 0
    git(tree.root, "tag", "v0.2.0")
    assert list(tree.faults("v0.2.0")) == []
    assert "was released" in " ".join(tree.faults())


def test_what_is_written_is_dated_and_taken_back_by_git(tree: Release) -> None:
    written = tree.write("0.2.0", DAY)
    assert {path.name for path in written} == {
        "version.py",
        "CHANGELOG.md",
        "tokenarium.metainfo.xml",
    }
    assert tree.section("0.2.0") == ("2027-03-04", "- **Faster**: it is.")
    assert tree.section("Unreleased") == ("", "")
    assert tree.section("0.1.0") == ("2026-11-23", "The first.")
    first, second = tree.metainfo.read_text().splitlines()[2:4]
    assert first.strip() == '<release version="0.2.0" date="2027-03-04" />'
    assert "0.1.0" in second
    assert tree.write("0.2.0", DAY) == []
    git(tree.root, "checkout", "--", ".")
    assert tree.version() == "0.1.0"
    assert git(tree.root, "status", "--porcelain") == ""


def test_a_later_day_replaces_the_date(tree: Release) -> None:
    tree.write("0.2.0", DAY)
    tree.write("0.2.0", date(2027, 3, 9))
    assert tree.section("0.2.0")[0] == "2027-03-09"
    assert tree.metainfo.read_text().count('version="0.2.0"') == 1
    assert 'date="2027-03-09"' in tree.metainfo.read_text()


def test_the_first_release_is_written_where_none_was_listed(tree: Release) -> None:
    tree.metainfo.write_text('<component type="desktop-application">\n</component>\n')
    tree.write("0.2.0", DAY)
    commit(tree.root)
    assert list(tree.faults()) == []


@pytest.mark.parametrize("version", ["", "1", "1.2", "v0.2.0", "0.2.0-beta", "0.2.0 ", "zwei"])
def test_what_is_no_version_is_refused_and_nothing_is_written(tree: Release, version: str) -> None:
    with pytest.raises(terminal.CommandError, match="no version"):
        tree.write(version, DAY)
    assert git(tree.root, "status", "--porcelain") == ""


def test_nothing_is_released_where_nothing_changed(tree: Release) -> None:
    tree.changelog.write_text("# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-11-23\n\nIt.\n")
    with pytest.raises(terminal.CommandError, match="nothing under Unreleased"):
        tree.write("0.2.0", DAY)
    assert tree.version() == "0.1.0"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "old", "new", "said"),
    [
        ("CHANGELOG.md", "## [0.2.0] - 2027-03-04", "## [0.2.0]", "no date for 0.2.0"),
        ("CHANGELOG.md", "## [0.2.0]", "## [0.3.0]", "no text under “## [0.2.0]"),
        ("CHANGELOG.md", "## [Unreleased]\n", "## [Unreleased]\n\nMore.\n", "under Unreleased"),
        ("packaging/linux/tokenarium.metainfo.xml", "2027-03-04", "2027-03-05", "metainfo.xml"),
        ("README.md", "tokenarium`", "tokenarium==0.1.0`", "README.md names tokenarium==0.1.0"),
        ("core/tokenarium_core/version.py", '"0.2.0"', '"0.2.1"', "no text under “## [0.2.1]"),
    ],
)
def test_each_fault_is_said(tree: Release, path: str, old: str, new: str, said: str) -> None:
    tree.write("0.2.0", DAY)
    commit(tree.root)
    assert list(tree.faults()) == []
    file = tree.root / path
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    assert said in " ".join(tree.faults())


def test_another_tag_and_an_old_lock_are_faults(
    tree: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.write("0.2.0", DAY)
    commit(tree.root)
    assert list(tree.faults("v0.2.1")) == ["The tag is v0.2.1, and the version 0.2.0."]
    monkeypatch.setattr(locking, "is_fresh", lambda: False)
    assert locking.COMMAND in " ".join(tree.faults())


def test_this_tree_says_what_it_lacks_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("needs a clone")
    assert dev.release([]) in {0, 1}
    assert "released" in capsys.readouterr().out
    assert Release().version() in (ROOT / "CHANGELOG.md").read_text("utf-8")


@pytest.mark.slow
def test_sums_are_of_every_file_and_the_contents_are_what_is_locked(tmp_path: Path) -> None:
    (tmp_path / "tokenarium.whl").write_bytes(b"a wheel")
    contents, sums = releasing.sums(Environment(Path(sys.prefix)), tmp_path)
    lines = dict(line.split("  ")[::-1] for line in sums.read_text().splitlines())
    assert set(lines) == {"tokenarium.whl", contents.name}
    assert lines["tokenarium.whl"] == hashlib.sha256(b"a wheel").hexdigest()
    listed = json.loads(contents.read_text("utf-8"))
    assert listed["metadata"]["component"]["name"] == settings()["project"]["name"]
    names = {locking.name_of(part["name"]) for part in listed["components"]}
    wanted = locking.requirements()
    assert {locking.name_of(line) for line in wanted["run"] + wanted["reference"]} <= names


def test_lower_bounds_are_tried_of_all_that_users_install() -> None:
    extras = {
        extra
        for project in (core_settings(), settings())
        for extra in project["project"]["optional-dependencies"]
    }
    assert set(floors.GROUPS) == {"run"} | extras - {"test", "bench", "freeze"}


def test_the_lowest_versions_are_found_again_where_a_requirement_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = floors.fingerprint(["pytest==9"])
    assert floors.fingerprint(["pytest==10"]) != before
    required = locking.requirements()
    monkeypatch.setattr(locking, "requirements", lambda: required | {"hub": ["huggingface_hub>=1"]})
    assert floors.fingerprint(["pytest==9"]) != before
