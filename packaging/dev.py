"""The commands for developers, starting from a fresh clone.

    python3 packaging/dev.py run [FILE…]           open the window
    python3 packaging/dev.py test [PYTEST ARGS]    everything that must hold
    python3 packaging/dev.py test --quick          style, and the fast tests: less than a minute
    python3 packaging/dev.py coverage              what the tests run of each module, as pages under build/
    python3 packaging/dev.py torture [--minutes N] tries to break it; writes what failed
    python3 packaging/dev.py wild FOLDER           opens all files below it, beside the libraries that own them
    python3 packaging/dev.py bench [NAME…]         speed, beside the peers
    python3 packaging/dev.py docs                  the documentation, as pages under build/
    python3 packaging/dev.py build                 only compile the core
    python3 packaging/dev.py lock                  the versions of all packages, written down with hashes
    python3 packaging/dev.py release [VERSION]     what a release still lacks; with a version, writes it
    python3 packaging/dev.py freeze [--check]      the app that needs no Python, and packages of it

Each command makes what it needs (a virtual environment, Qt's system libraries, the compiled core) and keeps it, so that
the second run takes seconds. It needs only Python's standard library.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - this line is for the Pythons that it turns away
    sys.exit(
        "Tokenarium needs Python 3.11 or later; this is Python %d.%d (%s).\n"  # noqa: UP031
        "Install a newer one (https://www.python.org/downloads/) and call it by its name, "
        "for example: python3.12 packaging/dev.py run" % (*sys.version_info[:2], sys.executable)
    )

import argparse
import os
import shutil
import subprocess
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import core_build
import display
import locking
import qt_libraries
import stages
import system_needs
import terminal
from environment import Environment, child_variables
from project import BUILD, ROOT
from stages import Stage

RENDERED = BUILD / "render"
HEADLESS_OPTIONS = {"--render", "--tour"}


def run(arguments: list[str]) -> int:
    """Returns the exit code of the app; without a display, its windows are rendered to PNG files."""
    asked_headless = not HEADLESS_OPTIONS.isdisjoint(arguments)
    headless = asked_headless or not display.available()
    environment = _prepared("run", compiler="wished", fonts=headless)
    variables = child_variables()
    if headless:
        variables["QT_QPA_PLATFORM"] = "offscreen"
    if headless and not asked_headless:
        terminal.say(
            "There is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set), "
            "so the window is rendered to pictures."
        )
        RENDERED.mkdir(parents=True, exist_ok=True)
        arguments = ["--render", str(RENDERED), *arguments]
    command = [str(environment.python), "-m", "tokenarium", *arguments]
    code = subprocess.run(command, env=variables, check=False).returncode
    if code == 0 and headless and not asked_headless:
        terminal.say(f"The pictures lie in {terminal.short(RENDERED)}:")
        for picture in sorted(RENDERED.glob("*.png")):
            terminal.say(f"  {terminal.short(picture)}")
    return code


def test(arguments: list[str]) -> int:
    """Returns 0 when every stage passed; with pytest arguments, when that one pytest run passed."""
    parser = argparse.ArgumentParser(
        prog="dev.py test",
        description="Runs every stage, in order. Other arguments go to pytest, and then only it runs.",
    )
    parser.add_argument("--keep-going", action="store_true", help="run the later stages as well")
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--quick",
        action="store_true",
        help="lint, format, imports and the fast tests, and nothing is compiled: where the core has changed, only its "
        "own tests run, on its sources. Leaves out types, the documentation, the tests marked slow, the core "
        "interpreted (or the explorer, where the core has changed), the real window and the distributions",
    )
    which.add_argument(
        "--stage",
        action="append",
        choices=[stage.name for stage in stages.STAGES],
        help="only this stage (may be given several times)",
    )
    options, pytest_arguments = parser.parse_known_args(arguments)
    if pytest_arguments and not options.stage and not options.quick:
        options.stage = ["tests"]
    chosen: Sequence[Stage] = stages.STAGES
    if options.quick:
        changed = not core_build.is_up_to_date(Environment.default())
        chosen = stages.QUICK_INTERPRETED if changed else stages.QUICK
    elif options.stage:
        chosen = [stage for stage in stages.STAGES if stage.name in options.stage]
    compiles = any(stage.imports_core for stage in chosen) and not options.quick
    runs_tests = any(stage.is_pytest for stage in chosen)
    draws = runs_tests or any(stage.imports_core for stage in chosen)
    system_needs.provide(
        compiler="needed" if compiles else "unused",
        window=draws,
        fonts=draws,
        test_tools=runs_tests,
        display_server=any(s.on_display for s in chosen) and not display.available(),
    )
    environment = Environment.prepare("test")
    if draws:
        qt_libraries.provide(environment)
    return stages.run_all(environment, chosen, pytest_arguments, keep_going=options.keep_going)


def coverage(arguments: list[str]) -> int:
    """Returns 0 once the tests have passed and the report is written, whatever the coverage."""
    argparse.ArgumentParser(
        prog="dev.py coverage",
        description="Runs the tests of the core, interpreted, and of the explorer, and reports which lines they ran.",
    ).parse_args(arguments)
    system_needs.provide(fonts=True)
    environment = Environment.prepare("test")
    qt_libraries.provide(environment)
    shutil.rmtree(
        stages.COVERED, ignore_errors=True
    )  # data of killed processes of an earlier run would stay
    code = stages.run_all(environment, stages.COVERAGE, [], keep_going=True)
    return stages.report_coverage(environment) or code


def torture(arguments: list[str]) -> int:
    """Returns 0 when nothing broke; each failure is kept as a file under build/ that replays it."""
    environment = _prepared("test", fonts=True)
    script = ROOT / "tests" / "torture" / "run.py"
    command = [str(environment.python), str(script), *arguments]
    return subprocess.run(command, env=child_variables(), check=False).returncode


def wild(arguments: list[str]) -> int:
    """Returns 0 when every file below some folders opens with its library's ids, or is rejected with a sentence."""
    environment = _prepared("test")
    command = [str(environment.python), str(ROOT / "tests" / "wild" / "wild.py"), *arguments]
    return subprocess.run(command, env=child_variables(), check=False).returncode


def bench(arguments: list[str]) -> int:
    """Returns the exit code of the benchmarks; their numbers are kept as JSON under build/."""
    environment = _prepared("bench")
    if "--json" not in arguments:
        arguments = [*arguments, "--json", str(BUILD / "benchmarks.json")]
    script = ROOT / "tests" / "benchmarks" / "run.py"
    command = [str(environment.python), str(script), *arguments]
    return subprocess.run(command, env=child_variables(), check=False).returncode


def docs(arguments: list[str]) -> int:
    """Returns 0 once the documentation is built."""
    argparse.ArgumentParser(prog="dev.py docs").parse_args(arguments)
    system_needs.provide(fonts=True)
    environment = Environment.prepare("test")
    qt_libraries.provide(environment)
    stage = next(stage for stage in stages.STAGES if stage.name == "docs")
    code = stages.run_all(environment, [stage], [])
    if code == 0:
        terminal.say(f"The first page is {terminal.short(BUILD / 'docs' / 'index.html')}.")
    return code


def build(arguments: list[str]) -> int:
    """Returns 0 once the core is compiled in place."""
    argparse.ArgumentParser(prog="dev.py build").parse_args(arguments)
    system_needs.provide(window=False)
    core_build.bring_up_to_date(Environment.prepare("run"))
    return 0


def lock(arguments: list[str]) -> int:
    """Returns 0 once the lock matches the requirements in pyproject.toml."""
    parser = argparse.ArgumentParser(
        prog="dev.py lock",
        description="Writes packaging/requirements.lock: a version of each package that commands install, with hashes.",
    )
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions that fit")
    options = parser.parse_args(arguments)
    system_needs.provide(compiler="unused", window=False)
    environment = Environment.prepare("test")
    count = locking.write(environment.program("uv"), child_variables(), upgrade=options.upgrade)
    terminal.say(f"{terminal.short(locking.LOCK)} has {count} packages.")
    return 0


def freeze(arguments: list[str]) -> int:
    """Returns 0 once the frozen app and the requested packages are made and have passed the checks."""
    parser = argparse.ArgumentParser(
        prog="dev.py freeze",
        description="Makes the app as a folder that needs no Python, in build/freeze/app, and packages of it, in"
        " build/freeze. What has not changed is not made again.",
    )
    for name, what in (
        ("--deb", "a package for Debian and Ubuntu"),
        ("--appimage", "an AppImage; RUNTIME names the program that it begins with"),
        ("--installer", "an installer for Windows, by Inno Setup"),
        ("--dmg", "a disk image for macOS, by hdiutil"),
        ("--check", "run the app: workers, tour, and a system without Python"),
        ("--quick", "with --check: neither the tour nor another system"),
    ):
        parser.add_argument(name, action="store_true", help=what)
    options = parser.parse_args(arguments)
    _prepared("run")
    import freeze as freezing

    wanted = [name for name in freezing.PACKAGES if getattr(options, name)]
    return freezing.make(wanted, check=options.check, quick=options.quick)


def release(arguments: list[str]) -> int:
    """Returns 0 if nothing keeps the tree from being released, or the requested files are made."""
    parser = argparse.ArgumentParser(
        prog="dev.py release",
        description="Says what keeps this tree from being released. With a version, writes it where it belongs. "
        "Commits, tags and pushes nothing.",
    )
    parser.add_argument("version", nargs="?", help="write this version and today's date")
    parser.add_argument("--check", action="store_true", help="only look, as without a version")
    parser.add_argument("--tag", default="", help="the tag that this release is built from")
    parser.add_argument("--notes", action="store_true", help="print what changed in this version")
    parser.add_argument(
        "--build", metavar="DIR", help="build sdists and pure wheels, and check them"
    )
    parser.add_argument("--sums", metavar="DIR", help="write SHA256SUMS and the list of contents")
    options = parser.parse_args(arguments)
    import releasing

    state = releasing.Release()
    if options.build or options.sums:
        system_needs.provide(compiler="unused", window=False)
        environment = Environment.prepare("test")
    if options.build:
        releasing.build(environment, Path(options.build).absolute())
    if options.sums:
        for path in releasing.sums(environment, Path(options.sums).absolute()):
            terminal.say(f"{terminal.short(path)} is written.")
    if options.notes:
        terminal.say(state.section(state.version())[1])
    if options.build or options.sums or options.notes:
        return 0
    if options.version and not options.check:
        return releasing.prepare(state, options.version)
    return releasing.check(state, options.tag)


def _prepared(
    group: str, *, compiler: Literal["needed", "wished"] = "needed", fonts: bool = False
) -> Environment:
    """Returns the environment of a group, with the compiled core and Qt's libraries, ready to run the app."""
    system_needs.provide(compiler=compiler, fonts=fonts)
    environment = Environment.prepare(group)
    core_build.bring_up_to_date(environment, required=compiler == "needed")
    qt_libraries.provide(environment)
    return environment


COMMANDS = {
    "run": run,
    "test": test,
    "coverage": coverage,
    "torture": torture,
    "wild": wild,
    "bench": bench,
    "docs": docs,
    "build": build,
    "lock": lock,
    "release": release,
    "freeze": freeze,
}


def main(arguments: list[str]) -> int:
    """Returns the exit code of the command that stands first in the arguments."""
    if not arguments or arguments[0] not in COMMANDS:
        print((__doc__ or "").strip())
        return 0 if arguments and arguments[0] in {"-h", "--help", "help"} else 2
    try:
        return COMMANDS[arguments[0]](arguments[1:])
    except terminal.CommandError as error:
        terminal.complain(str(error))
        return 1
    except tomllib.TOMLDecodeError as error:
        terminal.complain(f"pyproject.toml is not valid TOML: {error}. Mend it there.")
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")  # so that stages and their headings keep order
    sys.exit(main(sys.argv[1:]))
