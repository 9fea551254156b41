"""The workflows: they are valid, safe, and run the commands and the Pythons that this project has."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import dev
from environment import Environment
from project import ROOT, core_settings, settings

FOLDER = ROOT / ".github"
WORKFLOWS = sorted((FOLDER / "workflows").glob("*.yml"))
TEXTS = {path.name: path.read_text("utf-8") for path in WORKFLOWS}
COMMANDS = re.compile(r"packaging/dev\.py (\w+)([^\n|>]*)")


def jobs(name: str) -> dict[str, Any]:
    """Returns the jobs of a workflow."""
    found: dict[str, Any] = yaml.safe_load(TEXTS[name])["jobs"]
    return found


def supported(project: dict[str, Any]) -> list[str]:
    """Returns the Pythons that the classifiers of a distribution name."""
    found = (re.fullmatch(r".*:: (3\.\d+)", line) for line in project["project"]["classifiers"])
    return [match[1] for match in found if match]


def check(program: str, *arguments: str | Path) -> None:
    """Runs a tool of the environment, and fails with what it found."""
    path = Environment(Path(sys.prefix)).program(program)
    done = subprocess.run([path, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_they_are_safe() -> None:
    check("zizmor", "--offline", "--pedantic", "--no-progress", FOLDER)


@pytest.mark.slow
def test_they_are_what_the_schema_allows() -> None:
    check("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *WORKFLOWS)
    check(
        "check-jsonschema", "--builtin-schema", "vendor.dependabot", str(FOLDER / "dependabot.yml")
    )


def test_every_supported_python_is_tried_on_three_systems() -> None:
    matrix = jobs("ci.yml")["test"]["strategy"]["matrix"]
    assert matrix["python"] == supported(settings()) == supported(core_settings())
    assert f">={matrix['python'][0]}" == settings()["project"]["requires-python"]
    assert {system.partition("-")[0] for system in matrix["system"]} == {
        "ubuntu",
        "macos",
        "windows",
    }


def test_a_wheel_of_the_core_is_made_for_every_supported_python() -> None:
    built = core_settings()["tool"]["cibuildwheel"]["build"]
    assert built == [f"cp{version.replace('.', '')}-*" for version in supported(core_settings())]


@pytest.mark.parametrize("name", TEXTS)
def test_actions_are_pinned_by_hash_and_one_action_by_one(name: str) -> None:
    used = re.findall(r"uses: (\S+)(.*)", TEXTS[name])
    for action, comment in used:
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action), action
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), action
    pins = {
        line.partition("@")[0]: line
        for text in TEXTS.values()
        for line in re.findall("uses: (.*)", text)
    }
    assert {f"{action}{comment}" for action, comment in used} <= set(pins.values())


@pytest.mark.parametrize("name", TEXTS)
def test_each_job_may_do_what_it_needs_and_no_more(name: str) -> None:
    workflow = yaml.safe_load(TEXTS[name])
    assert workflow["permissions"] == {}
    assert "concurrency" in workflow
    for job in workflow["jobs"].values():
        assert "permissions" in job
        assert "timeout-minutes" in job
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout"):
                assert step["with"]["persist-credentials"] is False


def test_nothing_of_a_release_comes_from_a_cache() -> None:
    assert "cache" not in TEXTS["release.yml"]


def test_only_a_tag_is_published() -> None:
    release = jobs("release.yml")
    for name in ("draft", "publish"):
        assert release[name]["if"] == "github.ref_type == 'tag'"
    assert release["publish"]["needs"] == ["draft"]
    assert set(release["sign"]["needs"]) == {"check", "wheels", "packages", "apps"}
    assert release["publish"]["permissions"] == {"id-token": "write"}


@pytest.mark.parametrize("name", TEXTS)
def test_the_commands_that_are_run_are_there(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = TEXTS[name]
    for kinds in re.findall(r"kinds: (.*)", text):  # they reach the command by a variable
        text += f"\npackaging/dev.py freeze {kinds}"
    called = COMMANDS.findall(text)
    assert called
    for command, arguments in called:
        assert command in dev.COMMANDS
        with pytest.raises(SystemExit) as ended:
            dev.COMMANDS[command](["--help"])
        assert ended.value.code == 0
        known = capsys.readouterr().out
        for option in re.findall(r"--[a-z-]+", arguments):
            assert option in known, f"dev.py {command} has no {option}"
