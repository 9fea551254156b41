"""Builds the core for each Python as a release does, and runs its tests with the wheel.

    python3 packaging/pythons.py [--pytest ARGS] [PYTHON…]
    sudo python3 packaging/pythons.py --chroot DIR

Each PYTHON is an interpreter; without any, those on the path named python3.11 to python3.14. The sdist is made once,
and each Python makes a wheel of it in isolation, installs that wheel in an environment of its own under build/pythons,
and runs the tests there: never the tree's own core. ``--chroot`` makes a Debian in DIR that has Python 3.14, by
debootstrap, and does the same in it. Compiling takes minutes for each.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import terminal
from environment import child_variables
from project import BUILD, CORE_PROJECT, ROOT, core_settings
from terminal import CommandError

PYTHONS = ("python3.11", "python3.12", "python3.13", "python3.14")
FOLDER = BUILD / "pythons"
SUITE = "forky"  # the Debian that has Python 3.14
MIRROR = "http://deb.debian.org/debian"
PACKAGES = "python3.14,python3.14-dev,python3.14-venv,gcc,libc6-dev,ca-certificates"
NEEDED_OF_THE_SYSTEM = ("/etc/resolv.conf", "/etc/pip.conf", "/etc/ssl/certs/ca-certificates.crt")
COPIED = ("core", "tests", "packaging", "resources", "explorer", "pyproject.toml", "setup.py")


@dataclass(frozen=True)
class Tried:
    """What came of one Python: times in seconds, and the last line of pytest."""

    version: str
    wheel: str
    megabytes: float
    built: float
    tested: float
    result: str
    passed: bool


def sdist() -> Path:
    """Returns the sdist of the core, made by this Python."""
    folder = FOLDER / "sdist"
    shutil.rmtree(folder, ignore_errors=True)
    tools = _environment(Path(sys.executable), FOLDER / "tools")
    _run([tools, "-m", "pip", "install", "--quiet", "build"], "Installing what builds")
    _run(
        [tools, "-m", "build", "--sdist", "--outdir", folder, CORE_PROJECT],
        "Making the sdist of the core",
    )
    (path,) = folder.glob("*.tar.gz")
    return path


def attempt(python: Path, source: Path, pytest_arguments: list[str]) -> Tried:
    """Returns what came of building and testing with one Python. Raises CommandError where it cannot be built."""
    version = terminal.captured([python, "-c", "import sys; print(sys.version.split()[0])"])[1]
    version = version.strip()
    folder = FOLDER / version
    shutil.rmtree(folder, ignore_errors=True)
    inside = _environment(python, folder / "environment")
    wheels = folder / "wheel"
    start = time.monotonic()
    _run(
        [inside, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", wheels, source],
        f"Building the wheel for {version}",
    )
    built = time.monotonic() - start
    (wheel,) = wheels.glob("*.whl")
    needed = core_settings()["dependency-groups"]["test"]
    _run(
        [inside, "-m", "pip", "install", "--quiet", wheel, *needed],
        f"Installing the wheel and what its tests need for {version}",
    )
    start = time.monotonic()
    options: list[str | Path] = [
        "-c",
        CORE_PROJECT / "pyproject.toml",
        "-n",
        "logical",
        "-m",
        "core",
    ]
    terminal.say(f"Testing with {version} …")
    code, output = terminal.captured(
        [inside, "-m", "pytest", *options, *(pytest_arguments or [str(ROOT / "tests" / "core")])],
        variables=_variables() | {"TOKENARIUM_EXPECT": "compiled"},
    )
    if code != 0:
        terminal.say(terminal.tail(output))
    lines = [line for line in output.splitlines() if re.search(r"\d+ (passed|failed|error)", line)]
    return Tried(
        version,
        wheel.name,
        wheel.stat().st_size / 1e6,
        built,
        time.monotonic() - start,
        lines[-1].strip("= ") if lines else f"pytest ended with {code}",
        code == 0,
    )


def in_chroot(folder: Path, pytest_arguments: list[str]) -> int:
    """Makes a Debian with Python 3.14 in a folder unless it is there, and runs this script in it."""
    if not shutil.which("debootstrap"):
        raise CommandError("debootstrap is not here. On Debian or Ubuntu: apt install debootstrap")
    if not (folder / "usr" / "bin" / "python3.14").exists():
        _run(
            # An older debootstrap does not know the name, and makes it as it makes any Debian.
            [
                "debootstrap",
                "--variant=minbase",
                f"--include={PACKAGES}",
                SUITE,
                folder,
                MIRROR,
                "sid",
            ],
            f"Making a Debian ({SUITE}) in {folder}",
        )
    for name in NEEDED_OF_THE_SYSTEM:
        if Path(name).exists():
            target = folder / name.lstrip("/")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
            shutil.copy(name, target)
    place = folder / "tokenarium"
    shutil.rmtree(place, ignore_errors=True)
    unwanted = shutil.ignore_patterns("*.so", "build", "__pycache__", "*.egg-info", "screenshots")
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, place / name, ignore=unwanted)
        else:
            shutil.copy(source, place)
    asked = ["--pytest", " ".join(pytest_arguments)] if pytest_arguments else []
    command = ["chroot", str(folder), "python3.14", "/tokenarium/packaging/pythons.py", *asked]
    variables = {name: value for name, value in _variables().items() if name not in {"CC", "HOME"}}
    return subprocess.run(
        [*command, "python3.14"], env=variables | {"HOME": "/root"}, check=False
    ).returncode


def table(tried: list[Tried]) -> str:
    """Returns a line for each Python, in Markdown."""
    lines = ["| Python | wheel | MB | built | tested | tests |", "|---|---|---|---|---|---|"]
    for one in tried:
        times = f"{terminal.duration(one.built)} | {terminal.duration(one.tested)}"
        lines.append(
            f"| {one.version} | {one.wheel} | {one.megabytes:.1f} | {times} | {one.result} |"
        )
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Returns 0 when every Python built the core and passed its tests."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("pythons", nargs="*", metavar="PYTHON")
    parser.add_argument(
        "--pytest", default="", metavar="ARGS", help="instead of all tests of the core"
    )
    parser.add_argument("--chroot", type=Path, metavar="DIR")
    options = parser.parse_args(arguments)
    if options.chroot:
        return in_chroot(options.chroot.absolute(), options.pytest.split())
    named = [shutil.which(name) for name in options.pythons or PYTHONS]
    missing = [
        name for name, found in zip(options.pythons or PYTHONS, named, strict=True) if not found
    ]
    if missing:
        terminal.say(f"Not on this computer: {', '.join(missing)}.")
    tried: list[Tried] = []
    source = sdist()
    for python in filter(None, named):
        try:
            tried.append(attempt(Path(python), source, options.pytest.split()))
        except CommandError as error:
            terminal.complain(str(error))
            tried.append(Tried(python, "none", 0.0, 0.0, 0.0, "not built", False))
    terminal.say(f"\n{table(tried)}")
    complete = not (options.pythons and missing)
    return 0 if tried and complete and all(one.passed for one in tried) else 1


def _environment(python: Path, folder: Path) -> Path:
    """Returns the interpreter of an environment, made where it is missing."""
    inside = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not inside.exists():
        _run([python, "-m", "venv", folder], f"Making {terminal.short(folder)}")
    return inside


def _variables() -> dict[str, str]:
    return child_variables() | {"TOKENARIUM_COMPILED": "1"}


def _run(command: list[str | Path], what: str) -> None:
    terminal.run_quietly(command, what, variables=_variables())


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except CommandError as fault:
        terminal.complain(str(fault))
        sys.exit(1)
