"""The pure functions of the developer commands, and what pyproject.toml promises to pip."""

import itertools
import os
import re
import runpy
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

import core_build
import display
import environment
import project
import qt_libraries
import stages
import system_needs
import system_packages
import terminal
from stages import Stage

LDD = """\
/venv/libQt6Gui.so.6:
\tlinux-vdso.so.1 (0x00007ffe)
\tlibEGL.so.1 => not found
\tlibxkbcommon.so.0 => not found
\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f00)
/venv/libqxcb.so:
\tlibEGL.so.1 => not found
"""


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.04, "0.0 s"),
        (9.94, "9.9 s"),
        (9.96, "10 s"),
        (59.4, "59 s"),
        (59.6, "1 min 00 s"),
        (187, "3 min 07 s"),
    ],
)
def test_duration(seconds: float, said: str) -> None:
    assert terminal.duration(seconds) == said


def test_tail_keeps_the_last_lines_and_drops_blank_ones_at_the_end() -> None:
    assert terminal.tail("a\nb\nc\n\n \n", lines=2) == "    b\n    c"


def test_a_path_is_shown_from_where_the_user_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert terminal.short(tmp_path / "build" / "a.png") == os.path.join("build", "a.png")
    assert terminal.short(tmp_path.parent) == str(tmp_path.parent)


def test_a_failing_tool_shows_its_last_lines_and_the_advice() -> None:
    code = "print('first'); print('last'); raise SystemExit(3)"
    with pytest.raises(terminal.CommandError) as caught:
        terminal.run_quietly([sys.executable, "-c", code], "Trying", advice="Try again.")
    message = str(caught.value)
    assert "exit code 3" in message
    assert "    last\n" in message
    assert message.endswith("Try again.")


def test_a_tool_that_is_not_there_is_a_failure_and_no_traceback() -> None:
    code, output = terminal.captured(["tokenarium-no-such-tool"])
    assert code == 127
    assert "tokenarium-no-such-tool" in output


def test_libraries_that_ldd_did_not_find() -> None:
    assert qt_libraries.not_found(LDD) == ["libEGL.so.1", "libxkbcommon.so.0"]


def test_packages_of_missing_libraries() -> None:
    libraries = ["libxkbcommon.so.0", "libgthread-2.0.so.0", "libglib-2.0.so.0"]
    assert qt_libraries.packages_of(libraries) == ["libglib2.0-0", "libxkbcommon0"]


def test_a_library_that_is_not_in_the_table_has_the_name_of_debian_s_rules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = {"libnew9", "libnew-3-9", "libgssapi-krb5-2", "libold1t64"}
    monkeypatch.setattr(system_packages, "is_debian", lambda: True)
    monkeypatch.setattr(system_packages, "_is_known", known.__contains__)
    libraries = ["libEGL.so.1", "libnew.so.9", "libNew-3.so.9", "libold.so.1", "libnone.so.7", "x"]
    assert qt_libraries.packages_of(libraries) == ["libegl1", "libnew-3-9", "libnew9", "libold1t64"]


def test_every_package_in_the_table_that_the_rules_give_is_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only these break the rules; a typing error in the table would be a further one."""
    odd = {"libbrotli1", "libglib2.0-0", "zlib1g"}
    monkeypatch.setattr(system_packages, "is_debian", lambda: True)
    monkeypatch.setattr(system_packages, "_is_known", lambda package: not package.endswith("t64"))
    for library, package in qt_libraries.PACKAGES.items():
        assert package in odd or system_packages.of_library(library) == package


def test_libraries_that_this_system_loads() -> None:
    asked = ["libtokenarium-none.so.1", "libc.so.6"] if sys.platform == "linux" else ["libnone.so"]
    assert qt_libraries.unloadable(asked) == asked[:1]


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """A Debian system with nothing but Python; the calls of apt, which do nothing."""
    installed: list[list[str]] = []
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("TOKENARIUM_VENV", str(tmp_path / "none"))
    monkeypatch.setattr(system_packages, "is_debian", lambda: True)
    monkeypatch.setattr(system_packages, "missing", lambda packages: packages)
    monkeypatch.setattr(system_packages, "install", lambda names, why: installed.append(names))
    monkeypatch.setattr(system_needs, "venv_packages", lambda: ["python3-venv"])
    monkeypatch.setattr(core_build, "compiler_packages", lambda: ["gcc", "python3-dev"])
    monkeypatch.setattr(core_build, "is_up_to_date", lambda environment: False)
    monkeypatch.setattr(qt_libraries, "unloadable", lambda names: ["libEGL.so.1", "libz.so.1"])
    monkeypatch.setattr(qt_libraries, "missing_fonts", lambda: ["fonts-noto-core"])
    monkeypatch.setattr(system_needs.shutil, "which", lambda program: None)
    return installed


def test_all_that_a_bare_system_lacks_is_installed_by_one_command(bare: list[list[str]]) -> None:
    system_needs.provide(fonts=True, display_server=True, test_tools=True)
    compiler, qt = ["gcc", "python3-dev"], ["libegl1", "zlib1g"]
    tools = list(system_needs.TEST_TOOLS.values())
    assert bare == [["python3-venv", *compiler, *qt, "xvfb", *tools, "fonts-noto-core"]]
    bare.clear()
    system_needs.provide(compiler="unused", window=False)
    assert bare == [["python3-venv"]]


def test_a_system_that_has_all_is_left_alone(
    bare: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_needs, "venv_packages", list)
    monkeypatch.setattr(core_build, "is_up_to_date", lambda environment: True)
    monkeypatch.setattr(qt_libraries, "unloadable", lambda names: [])
    system_needs.provide()
    assert bare == []


@pytest.mark.parametrize("lacks_libraries", [True, False])
def test_without_rights_it_stops_only_for_what_is_needed(
    bare: list[list[str]],
    lacks_libraries: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def refuse(packages: list[str], why: str) -> None:
        raise terminal.CommandError(f"Type: apt-get install {' '.join(packages)}")

    monkeypatch.setattr(system_packages, "install", refuse)
    if lacks_libraries:
        with pytest.raises(
            terminal.CommandError, match="venv libegl1 zlib1g gcc python3-dev fonts"
        ):
            system_needs.provide(compiler="wished", fonts=True)
        return
    monkeypatch.setattr(system_needs, "venv_packages", list)
    monkeypatch.setattr(qt_libraries, "unloadable", lambda names: [])
    system_needs.provide(compiler="wished", fonts=True)
    assert "apt-get install gcc python3-dev fonts-noto-core" in capsys.readouterr().out


def test_where_there_is_no_apt_libraries_are_asked_for_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lacking = (["libEGL.so.1"], ["libegl1", "gcc", "python3.12-dev", "python3.12-venv"])
    monkeypatch.setattr(shutil, "which", lambda program: program if program == "dnf" else None)
    line = system_needs.elsewhere(*lacking).splitlines()[-1].strip()
    assert line == "sudo dnf install 'libEGL.so.1()(64bit)' gcc python3-devel"
    monkeypatch.setattr(shutil, "which", lambda program: None)
    assert "libegl1, gcc" in system_needs.elsewhere(*lacking)


def test_what_qt_misses_later_is_said_and_does_not_stop(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(qt_libraries, "missing_libraries", lambda environment: ["libnew.so.9"])
    monkeypatch.setattr(system_packages, "is_debian", lambda: True)
    monkeypatch.setattr(system_packages, "_is_known", lambda package: package == "libnew9")
    monkeypatch.setattr(system_packages, "rights_prefix", lambda: None)
    qt_libraries.provide(environment.Environment(tmp_path))
    said = capsys.readouterr().out
    assert "install --no-install-recommends libnew9" in said
    assert "Qt misses libnew.so.9" in said


def test_a_package_that_this_release_does_not_have_does_not_keep_the_others_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[list[str]] = []

    def apt(command: list[str], what: str, **others: object) -> None:
        asked.append([word for word in command if word.startswith("lib")])
        if "libgone1" in command:
            raise terminal.CommandError("Unable to locate package libgone1")

    monkeypatch.setattr(system_packages, "is_debian", lambda: True)
    monkeypatch.setattr(system_packages, "rights_prefix", list)
    monkeypatch.setattr(system_packages, "_is_known", lambda package: package != "libgone1")
    monkeypatch.setattr(system_packages.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(terminal, "run_quietly", apt)
    system_packages.install(["libegl1", "libgone1"], "what Qt needs")
    assert asked[-1] == ["libegl1"]


def test_without_rights_the_exact_command_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system_packages, "is_debian", lambda: True)
    monkeypatch.setattr(system_packages, "rights_prefix", lambda: None)
    with pytest.raises(terminal.CommandError) as caught:
        system_packages.install(["libegl1", "libgl1"], "what Qt needs")
    command = "apt-get install --no-install-recommends libegl1 libgl1"
    assert str(caught.value).endswith(command)


@pytest.mark.parametrize(
    ("variables", "shown"),
    [
        ({}, False),
        ({"DISPLAY": ":0"}, True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, True),
        ({"DISPLAY": ""}, False),
    ],
)
def test_display_on_linux(
    variables: dict[str, str], shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(os, "environ", variables)
    assert display.available() is shown


def test_tools_do_not_inherit_paths_of_another_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy")
    variables = environment.child_variables()
    assert "PYTHONPATH" not in variables
    assert variables["HTTPS_PROXY"] == "http://proxy"


@pytest.mark.parametrize("name", ["SETTINGS_FILE", "CORE_SETTINGS_FILE"])
def test_the_environment_is_due_again_when_a_pyproject_changes(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = environment.fingerprint("test")
    assert environment.fingerprint("run") != before
    changed = tmp_path / "pyproject.toml"
    changed.write_bytes(getattr(project, name).read_bytes() + b"\n")
    monkeypatch.setattr(environment, name, changed)
    assert environment.fingerprint("test") != before


def test_a_folder_that_is_no_environment_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    monkeypatch.setenv("TOKENARIUM_VENV", str(tmp_path))
    with pytest.raises(terminal.CommandError, match="left alone"):
        environment.Environment.prepare("run")
    assert (tmp_path / "thesis.txt").exists()


def test_the_core_is_due_again_when_the_compiler_changes() -> None:
    assert core_build.fingerprint(["mypy-2.4.1"]) != core_build.fingerprint(["mypy-2.5.0"])
    assert core_build.fingerprint(["mypy-2.4.1"]) == core_build.fingerprint(["mypy-2.4.1"])


def test_compiled_modules_that_are_missing(tmp_path: Path) -> None:
    for name in ("__init__.py", "__main__.py", "bpe.py", "formats/__init__.py", "formats/hf.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / f"bpe{core_build.SUFFIX}").touch()
    (tmp_path / f"gone{core_build.SUFFIX}").touch()
    assert core_build.missing_modules(tmp_path) == ["formats/hf.py"]
    core_build.remove_compiled(tmp_path)
    assert core_build.missing_modules(tmp_path) == ["bpe.py", "formats/hf.py"]
    assert not list(tmp_path.glob(f"*{core_build.SUFFIX}"))


def test_the_core_is_compiled_by_building_the_wheel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The modules of the wheel replace those compiled before; a build that fails changes nothing."""
    core = tmp_path / "core" / "tokenarium_core"
    core.mkdir(parents=True)
    (core / "bpe.py").touch()
    old = core / f"bpe{core_build.SUFFIX}"
    old.write_text("old")
    monkeypatch.setattr(core_build, "CORE", core)
    monkeypatch.setattr(core_build, "CORE_PROJECT", tmp_path / "core")
    monkeypatch.setattr(core_build, "DISTRIBUTIONS", tmp_path / "dist")
    monkeypatch.setattr(core_build, "STAMP", tmp_path / "stamp")
    (tmp_path / "core" / "setup.py").touch()
    used = environment.Environment(tmp_path / "environment")

    def fails(used: environment.Environment, folder: Path) -> None:
        raise terminal.CommandError("no network")

    monkeypatch.setattr(core_build, "build_distributions", fails)
    assert core_build.compile_as_released(used) is None
    assert old.read_text() == "old"

    def builds(used: environment.Environment, folder: Path) -> None:
        folder.mkdir()
        with zipfile.ZipFile(folder / "tokenarium_core-1.whl", "w") as wheel:
            wheel.writestr(f"tokenarium_core/bpe{core_build.SUFFIX}", "new")
            wheel.writestr("tokenarium_core/bpe.py", "not for the tree")

    monkeypatch.setattr(core_build, "build_distributions", builds)
    assert not core_build.is_up_to_date(used)
    assert core_build.compile_as_released(used) == tmp_path / "dist"
    assert old.read_text() == "new"
    assert (core / "bpe.py").read_text() == ""
    assert core_build.is_up_to_date(used)
    (core / "bpe.py").write_text("changed")
    assert not core_build.is_up_to_date(used)

    def edited(used: environment.Environment, folder: Path) -> None:
        builds(used, folder)
        (core / "bpe.py").write_text("changed while it was compiled")

    monkeypatch.setattr(core_build, "build_distributions", edited)
    assert core_build.compile_as_released(used)
    assert not core_build.is_up_to_date(used)


@pytest.mark.parametrize("mark", ["core", "window", "dist"])
def test_tests_with_a_mark_are_in_the_folders_where_its_stage_looks(mark: str) -> None:
    (stage,) = (s for s in stages.STAGES if ("-m", mark) in itertools.pairwise(s.arguments))
    folders = [project.ROOT / word for word in stage.arguments if word.startswith("tests/")]
    assert folders
    elsewhere = [
        path
        for path in (project.ROOT / "tests").rglob("*.py")
        if re.search(rf"pytest\.mark\.{mark}\b", path.read_text(encoding="utf-8"))
        and not any(path.is_relative_to(folder) for folder in folders)
    ]
    assert elsewhere == []


def test_stages_run_side_by_side_in_the_order_of_the_list() -> None:
    found = [[stage.name for stage in batch] for batch in stages.batches(stages.STAGES)]
    assert [name for batch in found for name in batch] == [stage.name for stage in stages.STAGES]
    assert found == [
        ["lint"],
        ["format"],
        ["types", "imports"],
        ["tests"],
        ["interpreted"],
        ["docs", "floors", "window", "dist"],
    ]


@pytest.mark.parametrize(
    ("names", "failing", "keep_going", "ran"),
    [
        (["lint", "types", "docs", "tests"], "", False, "lint compile types docs tests"),
        (["lint", "types", "tests"], "types", False, "lint compile types"),
        (["lint", "types", "tests"], "types", True, "lint compile types tests"),
        (["lint", "types", "tests"], "lint", False, "lint"),
        (["types", "docs", "interpreted"], "", False, "types compile docs interpreted"),
        (["tests"], "", False, "compile tests"),
        (["floors", "window"], "floors", False, "compile prepare floors window"),
    ],
)
def test_the_core_is_compiled_once_before_what_imports_it(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    names: list[str],
    failing: str,
    keep_going: bool,
    ran: str,
) -> None:
    done: list[str] = []

    def run(
        _environment: object,
        stage: Stage,
        _extra: object,
        distributions: dict[str, str],
        *_: object,
    ) -> bool:
        if stage.imports_core:
            assert "compile" in done
            assert distributions == {"BUILT": "here"}
        done.append(stage.name)
        return stage.name != failing

    def compile_core(*_: object) -> dict[str, str]:
        done.append("compile")
        return {"BUILT": "here"}

    monkeypatch.setattr(stages, "_run", run)
    monkeypatch.setattr(stages, "_compile_core", compile_core)
    monkeypatch.setattr(stages.floors, "prepare", lambda _: done.append("prepare"))
    chosen = [stage for stage in stages.STAGES if stage.name in names]
    code = stages.run_all(environment.Environment.default(), chosen, keep_going=keep_going)
    assert code == (1 if failing else 0)
    assert sorted(done) == sorted(ran.split())
    said = capsys.readouterr().out
    assert all(stage.title in said for stage in chosen if stage.name in done)
    if len(chosen) > 1:
        left = [stage for stage in chosen if stage.name not in done]
        assert said.count("not run") == len(left)


def test_what_runs_beside_others_says_its_output_at_its_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = [
        Stage(
            name, f"Stage {name}", "python", ("-c", f"print('{name}'); exit({code})"), together="x"
        )
        for name, code in (("first", 0), ("second", 3))
    ]
    assert stages.run_all(environment.Environment(Path(sys.prefix)), chosen) == 1
    lines = [line for line in capsys.readouterr().out.splitlines() if line]
    assert lines[lines.index("Stage second") + 1] == "second"  # only what failed is worth reading
    assert "first" not in lines


def test_quick_compiles_nothing_and_leaves_out_what_is_slow() -> None:
    assert {stage.name for stage in stages.QUICK[:-1]} <= {stage.name for stage in stages.STAGES}
    assert stages.QUICK_INTERPRETED[-1].interpreted
    assert not any(stage.imports_core for stage in stages.QUICK_INTERPRETED)
    for chosen in (stages.QUICK, stages.QUICK_INTERPRETED):
        assert "not slow" in " ".join(chosen[-1].arguments)


def report(path: Path, **counts: int) -> None:
    """Writes a report as pytest writes it."""
    attributes = " ".join(f'{name}="{count}"' for name, count in counts.items())
    path.write_text(f"<testsuites><testsuite {attributes}/></testsuites>")


def test_totals_add_up_over_stages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "REPORTS", tmp_path)
    report(tmp_path / "tests.xml", tests=10, failures=1, errors=1, skipped=2)
    report(tmp_path / "window.xml", tests=1, failures=0, errors=0, skipped=0)
    assert stages.totals(["tests"]) == "6 passed, 2 failed, 2 skipped"
    assert stages.totals(["tests", "window"]) == "7 passed, 2 failed, 2 skipped"


def test_no_total_is_claimed_where_one_is_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stages, "REPORTS", tmp_path)
    report(tmp_path / "tests.xml", tests=10, failures=0, errors=0, skipped=0)
    assert stages.totals(["tests", "interpreted"]) == ""
    assert stages.totals([]) == ""


@pytest.mark.parametrize(
    ("settings", "root", "others"),
    [
        (project.core_settings(), project.CORE_PROJECT, set()),
        (project.settings(), project.ROOT / "explorer", {"tokenarium.resources"}),
    ],
    ids=["core", "app"],
)
def test_every_folder_of_code_is_in_a_wheel(
    settings: dict[str, Any], root: Path, others: set[str]
) -> None:
    folders = {
        ".".join(init.parent.relative_to(root).parts)
        for init in root.rglob("__init__.py")
        if not init.is_relative_to(root / "build")
    }
    assert set(settings["tool"]["setuptools"]["packages"]) == folders | others


def test_the_two_distributions_agree() -> None:
    """What both say is the same: who may use it and how, and with which compiler the types are checked."""
    core, app = project.core_settings(), project.settings()
    licences = [folder / "LICENSE" for folder in (project.CORE_PROJECT, project.ROOT)]
    assert licences[0].read_bytes() == licences[1].read_bytes()
    for field in ("requires-python", "license", "authors"):
        assert core["project"][field] == app["project"][field]
    pythons = "Programming Language :: Python :: 3"
    assert [c for c in core["project"]["classifiers"] if c.startswith(pythons)] == [
        c for c in app["project"]["classifiers"] if c.startswith(pythons)
    ]
    (compiler,) = (r for r in core["build-system"]["requires"] if r.startswith("mypy"))
    assert re.fullmatch(r"mypy\[mypyc\]==[\d.]+", compiler)
    assert compiler in app["project"]["optional-dependencies"]["test"]


def test_links_of_the_readme_go_to_the_repository_where_one_is_set() -> None:
    text = (
        '[a](docs/a.md) [b](https://b.example/) [c](#c) ![d [1]](d.png) <img src="e.png">'
        ' <source srcset="f.png"> [![g](g.png)](h.md)'
    )
    absolute = runpy.run_path(str(project.ROOT / "setup.py"))["absolute"]
    assert absolute(text, "", "v1") == text
    base = "https://r.example/p"
    assert absolute(text, f"{base}/", "v1") == (
        f"[a]({base}/blob/v1/docs/a.md) [b](https://b.example/) [c](#c) ![d [1]]({base}/raw/v1/d.png)"
        f' <img src="{base}/raw/v1/e.png"> <source srcset="{base}/raw/v1/f.png">'
        f" [![g]({base}/raw/v1/g.png)]({base}/blob/v1/h.md)"
    )


@pytest.mark.parametrize("arguments", [[], ["--help"], ["frobnicate"]])
def test_the_commands_are_listed_for_who_does_not_know_them(arguments: list[str]) -> None:
    command = [sys.executable, str(project.ROOT / "packaging" / "dev.py"), *arguments]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == (0 if arguments == ["--help"] else 2)
    assert "packaging/dev.py run" in answer.stdout


def test_every_stage_that_contributors_read_of_is_there_and_no_other() -> None:
    table = (project.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    described = set(re.findall(r"^\| (`[a-z]+`(?:, `[a-z]+`)*) \|", table, re.MULTILINE))
    names = {name for cell in described for name in re.findall(r"[a-z]+", cell)}
    assert {stage.name for stage in stages.STAGES} <= names
    assert "players" in names
