"""Compiles the core in place, again only when something that the compiler reads has changed.

Python prefers a compiled module to the ``.py`` next to it, so a module older than its source would silently run old
code. Therefore a build starts by removing all compiled files, and a stamp with a hash of the sources tells whether a
build is due.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import system_packages
import terminal
from environment import Environment, child_variables
from project import BUILD, CORE_PROJECT, ROOT, core_settings
from terminal import CommandError

CORE = CORE_PROJECT / "tokenarium_core"
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX") or ".so"
STAMP = BUILD / f"core{SUFFIX}.stamp"
DISTRIBUTIONS = BUILD / "dist"
# As in core/setup.py.
INTERPRETED = core_settings()["tool"]["tokenarium"]["interpreted"]
COMPILER_PACKAGES = ("mypy", "librt", "mypy_extensions", "setuptools")


def bring_up_to_date(environment: Environment, *, required: bool = True) -> None:
    """Compiles the core in place if it changed.

    Without a C compiler, raises CommandError if it is required, or says that the core runs interpreted.
    """
    if is_up_to_date(environment):
        return
    wanted = _wanted(environment)
    STAMP.unlink(missing_ok=True)
    remove_compiled(CORE)
    try:
        _provide_compiler()
    except CommandError as error:
        if required:
            raise
        terminal.say(f"The core runs interpreted, some fifty times slower: {error}")
        return
    jobs = str(os.cpu_count() or 1)
    try:
        terminal.run_quietly(
            [
                environment.python,
                CORE_PROJECT / "setup.py",
                "-q",
                "build_ext",
                "--inplace",
                "--parallel",
                jobs,
            ],
            "Compiling the core",
            variables=_compiling(),
            advice=_compiler_advice(),
        )
    except CommandError:
        remove_compiled(CORE)  # an incomplete build must not be used
        raise
    left = missing_modules(CORE)
    if left:
        raise CommandError(f"the build went through, but did not compile {', '.join(left)}.")
    _set_stamp(wanted)


def is_up_to_date(environment: Environment) -> bool:
    """Returns whether every module is compiled from its current source."""
    return _stamp() == _wanted(environment) and not missing_modules(CORE)


def build_distributions(environment: Environment, folder: Path) -> None:
    """Writes the sdists of the core and of the app, and the wheels made from them, to a folder.

    They are built in isolation as a release is; the core is compiled. The compiler and the libraries have the versions
    of the environment. Raises CommandError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    pinned = folder / "compiler.txt"
    versions = (name.rpartition("-") for name in environment.installed(*COMPILER_PACKAGES))
    pinned.write_text("".join(f"{name}=={version}\n" for name, _, version in versions))
    variables = _compiling() | {"PIP_CONSTRAINT": str(pinned)}
    for project, what in (
        (CORE_PROJECT, "the sdist of the core, and its wheel, compiled"),
        (ROOT, "the sdist of the app, and its wheel"),
    ):
        terminal.run_quietly(
            [environment.python, "-m", "build", "--outdir", folder, project],
            f"Building {what}",
            variables=variables,
            advice=_compiler_advice(),
        )


def compile_as_released(environment: Environment) -> Path | None:
    """Builds the distributions and installs the core of the wheel in place; returns their folder.

    Thus the tests run the released code, and the core is compiled once for both. Returns None, with nothing changed, if
    the build fails; compiling in place then shows why.
    """
    shutil.rmtree(DISTRIBUTIONS, ignore_errors=True)
    wanted = _wanted(environment)
    try:
        _provide_compiler()
        build_distributions(environment, DISTRIBUTIONS)
    except CommandError:
        return None
    (wheel,) = DISTRIBUTIONS.glob("tokenarium_core-*.whl")
    STAMP.unlink(missing_ok=True)
    remove_compiled(CORE)
    with zipfile.ZipFile(wheel) as archive:
        compiled = [name for name in archive.namelist() if name.endswith(SUFFIX)]
        archive.extractall(CORE.parent, compiled)
    left = missing_modules(CORE)
    if left:
        raise CommandError(f"the wheel was built, but without {', '.join(left)}.")
    _set_stamp(wanted)
    return DISTRIBUTIONS


def fingerprint(compiler: list[str]) -> str:
    """Returns a hash of the core's sources, of how they are built, and of the compiler's versions."""
    digest = hashlib.sha256(
        json.dumps([sys.version, compiler, core_settings()["build-system"]]).encode()
    )
    for path in sorted([*CORE.rglob("*.py"), CORE_PROJECT / "setup.py"]):
        digest.update(path.relative_to(CORE_PROJECT).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def remove_compiled(package: Path) -> None:
    """Removes every compiled module under a package; those of other Pythons may stay, as they are not imported."""
    for path in package.rglob(f"*{SUFFIX}"):
        path.unlink()


def missing_modules(package: Path) -> list[str]:
    """Returns the modules under a package that are not compiled but should be, as relative paths."""
    sources = (path for path in sorted(package.rglob("*.py")) if path.name not in INTERPRETED)
    return [
        path.relative_to(package).as_posix()
        for path in sources
        if not path.with_name(path.stem + SUFFIX).exists()
    ]


def copy_sources(to: Path) -> None:
    """Copies the core without compiled files, so that a path to it makes Python interpret it."""
    shutil.rmtree(to, ignore_errors=True)
    ignored = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    shutil.copytree(CORE, to / CORE.name, ignore=ignored)


def _compiling() -> dict[str, str]:
    """Returns the variables of a build that compiles, or fails."""
    variables = {k: v for k, v in child_variables().items() if k != "TOKENARIUM_PURE"}
    return variables | {"TOKENARIUM_COMPILED": "1"}


def _stamp() -> str:
    try:
        return STAMP.read_text(encoding="utf-8")
    except OSError:
        return ""


def _wanted(environment: Environment) -> str:
    """Returns the stamp of the current sources. It is taken before a build, as a source may be edited meanwhile."""
    return fingerprint(environment.installed(*COMPILER_PACKAGES))


def _set_stamp(stamp: str) -> None:
    STAMP.parent.mkdir(exist_ok=True)
    STAMP.write_text(stamp, encoding="utf-8")


def _provide_compiler() -> None:
    """Installs a C compiler and Python's headers on Debian; elsewhere raises CommandError if there is none."""
    if sys.platform == "win32":
        return  # setuptools finds Visual Studio by itself, or says that there is none
    if sys.platform == "darwin":
        if subprocess.run(["xcode-select", "-p"], capture_output=True, check=False).returncode:
            raise CommandError(_compiler_advice())
        return
    if packages := compiler_packages():
        system_packages.install(packages, "a C compiler for the core")


def compiler_packages() -> list[str]:
    """Returns the Debian packages that are missing to compile: a C compiler, the headers of C and of Python."""
    compiler = os.environ.get("CC", "").split()[:1] or ["cc"]
    packages = [] if shutil.which(compiler[0]) else ["gcc"]
    if not Path("/usr/include/stdio.h").exists():
        packages.append("libc6-dev")
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        packages.append(f"python{sys.version_info.major}.{sys.version_info.minor}-dev")
    return packages


def _compiler_advice() -> str:
    """Returns where this system's C compiler comes from."""
    if sys.platform == "win32":
        return "If there is no C compiler: install the “Build Tools for Visual Studio” with C++."
    if sys.platform == "darwin":
        return "If there is no C compiler, type: xcode-select --install"
    return "If the core itself does not compile, the lines above name the file."
