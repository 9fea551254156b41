"""Compiles the core with mypyc; all other settings are in pyproject.toml.

Where no C compiler works, the same code is installed interpreted, some fifty times slower, and a line says so.

| variable | what it does |
|---|---|
| `TOKENARIUM_PURE=1` | compiles nothing: one wheel for every system, interpreted |
| `TOKENARIUM_COMPILED=1` | stops where no C compiler works: for releases |
| `TOKENARIUM_QUICK=1` | optimizes little and writes one C file a module: with a compiler cache (`CC="ccache gcc"`) a small change is built in a fraction of the time. Not for measuring |
"""

from __future__ import annotations

import os
import sys
import sysconfig
import tempfile
import tomllib
from email.parser import HeaderParser
from pathlib import Path
from typing import Any

from setuptools import setup

HERE = Path(__file__).resolve().parent
PACKAGE = Path("tokenarium_core")
SETTINGS = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))
INTERPRETED = SETTINGS["tool"]["tokenarium"]["interpreted"]
BUILD_COMMANDS = {"build", "build_ext", "bdist_wheel", "editable_wheel", "develop", "install"}


def main() -> None:
    """Builds what setuptools asks for."""
    os.chdir(HERE)
    setup(
        project_urls=project_urls(),
        ext_modules=native_modules(),
        # Beside the library there is a small extension for each module: some two hundred, which all cores compile.
        options={"build_ext": {"parallel": os.cpu_count() or 1}},
    )


def project_urls() -> dict[str, str]:
    """Returns the URLs of the whole project: in a clone those of its pyproject.toml, else those this sdist was made with."""
    made_with = HERE / "PKG-INFO"
    if made_with.is_file():
        lines = HeaderParser().parsestr(made_with.read_text(encoding="utf-8"))
        return dict(line.split(", ", 1) for line in lines.get_all("Project-URL", []))
    whole = HERE.parent / "pyproject.toml"
    if not whole.is_file():
        return {}
    urls: dict[str, str] = tomllib.loads(whole.read_text(encoding="utf-8"))["project"].get(
        "urls", {}
    )
    return urls


def native_modules() -> list[Any]:
    """Returns the extension modules of the core; an empty list for commands that build nothing, and for a pure build."""
    if os.environ.get("TOKENARIUM_PURE") == "1" or not BUILD_COMMANDS.intersection(sys.argv):
        return []
    fault = compiler_fault()
    if fault:
        advice = f"No C compiler works here ({fault}). {compiler_advice()}"
        if os.environ.get("TOKENARIUM_COMPILED") == "1":
            sys.exit(f"tokenarium-core: {advice}")
        print(
            f"tokenarium-core: installed interpreted, some fifty times slower. {advice}",
            file=sys.stderr,
        )
        return []
    from mypyc.build import mypycify

    os.environ["MYPYPATH"] = "."
    # The compiler needs types, and no strictness: that is checked by `dev.py test`. What is installed beside it is not
    # looked at, so that a build gives the same everywhere; mypy has the types of librt itself.
    lenient = ["--config-file=", "--no-site-packages", "--ignore-missing-imports"]
    quick = os.environ.get("TOKENARIUM_QUICK") == "1"
    sources = sorted(str(p) for p in PACKAGE.rglob("*.py") if p.name not in INTERPRETED)
    extensions = mypycify(
        [*lenient, "--namespace-packages", "--explicit-package-bases", *sources],
        group_name="tokenarium_core._native",
        opt_level="1" if quick else "3",
        multi_file=quick,
        debug_level="1" if quick else "0",
    )
    across_modules = link_time_flags(quick)
    for extension in extensions:
        # The files of modules look for the headers of the group beside them.
        extension.include_dirs.append(str(Path("build") / "tokenarium_core"))
        if os.name == "posix" and extension.name.endswith("__mypyc"):
            # The library itself. To look for things to warn of would take most of the time of compiling it. No other
            # library sees its functions or replaces them, so calls may be inlined.
            extension.extra_compile_args = [
                *extension.extra_compile_args,
                "-Wno-all",
                "-fno-semantic-interposition",
                "-fvisibility=hidden",
                *across_modules,
            ]
            extension.extra_link_args = [*extension.extra_link_args, "-O3", *across_modules]
    return extensions


def link_time_flags(quick: bool) -> list[str]:
    """Returns the flags that let gcc optimize the whole library at once, on all cores; elsewhere none.

    The core is one C file, which a compiler works through on one core. gcc hands the parts of it to as many
    processes as there are cores when it links, and what it makes is as fast.
    """
    compiler = os.environ.get("CC") or sysconfig.get_config_var("CC") or ""
    cores = os.cpu_count() or 1
    if quick or cores == 1 or sys.platform != "linux" or "gcc" not in compiler:
        return []
    return [f"-flto={cores}"]


def compiler_fault() -> str:
    """Returns why a file that includes Python's headers does not compile and link; empty if it does."""
    from setuptools import Distribution, Extension

    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "probe.c"
        source.write_text(
            "#include <Python.h>\n"
            'static struct PyModuleDef probe = {PyModuleDef_HEAD_INIT, "probe"};\n'
            "PyMODINIT_FUNC PyInit_probe(void) { return PyModule_Create(&probe); }\n"
        )
        distribution = Distribution(
            {"name": "probe", "ext_modules": [Extension("probe", [str(source)])]}
        )
        command = distribution.get_command_obj("build_ext")
        command.build_lib = command.build_temp = folder
        try:
            command.ensure_finalized()
            command.run()
        except (
            Exception
        ) as error:  # there are many kinds: a program that is missing, a header, Visual Studio
            return str(error).strip().partition("\n")[0] or type(error).__name__
    return ""


def compiler_advice() -> str:
    """Returns where this system's C compiler comes from, as one sentence."""
    if sys.platform == "win32":
        return "Install the “Build Tools for Visual Studio” with C++, then install again."
    if sys.platform == "darwin":
        return "Type xcode-select --install, then install again."
    headers = f"python{sys.version_info.major}.{sys.version_info.minor}-dev"
    return f"Install gcc and Python's headers (Debian, Ubuntu: apt install gcc libc6-dev {headers}), then install again."


main()
