"""Builds the core for each Python as a release does, and runs its tests with the wheel.

    python3 packaging/pythons.py [--pytest ARGS] [PYTHON…]
    sudo python3 packaging/pythons.py --chroot DIR

Each PYTHON is an interpreter; without any, those on the path named python3.11 to python3.14. The sdist is made once,
and each Python makes a wheel of it in isolation, installs that wheel in its own environment under build/pythons, and
runs the tests there, never with the tree's own core. ``--chroot`` makes a Debian in DIR that has Python 3.14, by
debootstrap, and does the same in it. Compiling takes minutes for each; a wheel of the same sources is not built again.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import core_build
import terminal
from environment import child_variables
from project import BUILD, CORE_PROJECT, CORE_SETTINGS_FILE, ROOT, core_settings
from terminal import CommandError

PYTHONS = ("python3.11", "python3.12", "python3.13", "python3.14")
FOLDER = BUILD / "pythons"
STAMP = "wheel.stamp"
SUITE = "forky"  # the Debian that has Python 3.14
MIRROR = "http://deb.debian.org/debian"
PACKAGES = "python3.14,python3.14-dev,python3.14-venv,gcc,libc6-dev,ca-certificates"
NEEDED_OF_THE_SYSTEM = ("/etc/resolv.conf", "/etc/pip.conf", "/etc/ssl/certs/ca-certificates.crt")
COPIED = ("core", "tests", "packaging", "resources", "explorer", "pyproject.toml", "setup.py")
NOT_COPIED = shutil.ignore_patterns("*.so", "build", "__pycache__", "*.egg-info", "screenshots")
# Variables that would make a different wheel than a release.
UNWANTED = {"TOKENARIUM_PURE", "TOKENARIUM_QUICK"}


@dataclass(frozen=True)
class Tried:
    """The result of one Python: times in seconds (0 if an earlier wheel was kept), and the last line of pytest."""

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
    """Returns the result of building and testing with one Python. Raises CommandError if it cannot be built."""
    code, version = terminal.captured([python, "-c", "import sys; print(sys.version.split()[0])"])
    version = version.strip()
    if code != 0:
        raise CommandError(f"{python} does not start:\n{terminal.tail(version)}")
    folder = FOLDER / version
    wheel, built = kept_wheel(folder), 0.0
    if wheel is None:
        shutil.rmtree(folder, ignore_errors=True)
    inside = _environment(python, folder / "environment")
    if wheel is None:
        start = time.monotonic()
        wheel = _build(inside, folder, source, version)
        built = time.monotonic() - start
    needed = core_settings()["dependency-groups"]["test"]
    _run(
        [inside, "-m", "pip", "install", "--quiet", wheel, *needed],
        f"Installing the wheel and what its tests need for {version}",
    )
    start = time.monotonic()
    options: list[str | Path] = [
        *("-c", CORE_PROJECT / "pyproject.toml"),
        *("-n", "logical"),
        *("-m", "core"),
    ]
    terminal.say(f"Testing with {version} …")
    code, output = terminal.captured(
        [inside, "-m", "pytest", *options, *(pytest_arguments or [str(ROOT / "tests" / "core")])],
        variables=_variables() | {"TOKENARIUM_EXPECT": "compiled"},
    )
    if code != 0:
        terminal.say(terminal.tail(output))
    tested = time.monotonic() - start
    megabytes = wheel.stat().st_size / 1e6
    return Tried(version, wheel.name, megabytes, built, tested, result_of(output, code), code == 0)


def kept_wheel(folder: Path) -> Path | None:
    """Returns the wheel in the folder of a Python, if it was made from the current sources."""
    stamp, wheels = folder / STAMP, list((folder / "wheel").glob("*.whl"))
    if len(wheels) != 1 or not stamp.is_file():
        return None
    return wheels[0] if stamp.read_text(encoding="ascii") == fingerprint() else None


def fingerprint() -> str:
    """Returns a hash of everything in a wheel of the core, except the Python that builds it."""
    digest = hashlib.sha256(CORE_SETTINGS_FILE.read_bytes())
    for path in sorted([*core_build.CORE.rglob("*.py"), CORE_PROJECT / "setup.py"]):
        digest.update(path.relative_to(CORE_PROJECT).as_posix().encode() + b"\0")
        digest.update(path.read_bytes())
    return digest.hexdigest()


def result_of(output: str, code: int) -> str:
    """Returns pytest's own last line, such as ``12 passed in 3.4s``; its exit code if it ended before that."""
    lines = [line for line in output.splitlines() if re.search(r"\d+ (passed|failed|error)", line)]
    return lines[-1].strip("= ") if lines else f"pytest ended with {code}"


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
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, place / name, ignore=NOT_COPIED)
        else:
            shutil.copy(source, place)
    asked = [f"--pytest={' '.join(pytest_arguments)}"] if pytest_arguments else []
    command = ["chroot", str(folder), "python3.14", "/tokenarium/packaging/pythons.py", *asked]
    variables = {name: value for name, value in _variables().items() if name not in {"CC", "HOME"}}
    return subprocess.run(
        [*command, "python3.14"], env=variables | {"HOME": "/root"}, check=False
    ).returncode


def table(tried: list[Tried]) -> str:
    """Returns a line for each Python, in Markdown."""
    lines = ["| Python | wheel | MB | built | tested | tests |", "|---|---|---|---|---|---|"]
    for one in tried:
        built = terminal.duration(one.built) if one.built else "earlier"
        times = f"{built} | {terminal.duration(one.tested)}"
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


def _build(inside: Path, folder: Path, source: Path, version: str) -> Path:
    """Returns the wheel that an environment's Python makes from the sdist, in isolation."""
    wanted, wheels = fingerprint(), folder / "wheel"
    _run(
        [inside, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", wheels, source],
        f"Building the wheel for {version}",
    )
    (wheel,) = wheels.glob("*.whl")
    (folder / STAMP).write_text(wanted, encoding="ascii")
    return wheel


def _environment(python: Path, folder: Path) -> Path:
    """Returns the interpreter of an environment, made if it is missing."""
    inside = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not inside.exists():
        _run([python, "-m", "venv", folder], f"Making {terminal.short(folder)}")
    return inside


def _variables() -> dict[str, str]:
    """Returns the variables of a build as a release's, which compiles or fails."""
    given = {name: value for name, value in child_variables().items() if name not in UNWANTED}
    return given | {"TOKENARIUM_COMPILED": "1"}


def _run(command: list[str | Path], what: str) -> None:
    terminal.run_quietly(command, what, variables=_variables())


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except CommandError as fault:
        terminal.complain(str(fault))
        sys.exit(1)
