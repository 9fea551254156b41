"""Compiles the core with mypyc; all other settings are in pyproject.toml.

``TOKENARIUM_PURE=1`` builds without a compiler: the same code, interpreted, some fifty times slower.
``TOKENARIUM_QUICK=1`` optimises little and writes one C file a module: with a compiler cache (``CC="ccache gcc"``),
a build after a small change compiles what changed, and takes a fraction of the time. Not for measuring.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

from setuptools import setup

CORE = Path("core") / "tokenarium_core"
INTERPRETED = {"__init__.py"}  # mypyc gains nothing there, and tests may patch it
BUILD_COMMANDS = {"build", "build_ext", "bdist_wheel", "editable_wheel", "develop", "install"}


def link_time_flags(quick: bool) -> list[str]:
    """Returns the flags that let gcc optimise the whole library at once, on all cores; elsewhere none.

    The core is one C file, which a compiler works through on one core. gcc hands the parts of it to as many
    processes as there are cores when it links, and what it makes is as fast.
    """
    compiler = os.environ.get("CC") or sysconfig.get_config_var("CC") or ""
    cores = os.cpu_count() or 1
    if quick or cores == 1 or sys.platform != "linux" or "gcc" not in compiler:
        return []
    return [f"-flto={cores}"]


def native_modules() -> list:
    """Returns the extension modules of the core; an empty list for commands that build nothing."""
    if os.environ.get("TOKENARIUM_PURE") == "1" or not BUILD_COMMANDS.intersection(sys.argv):
        return []
    from mypyc.build import mypycify

    os.environ.setdefault("MYPYPATH", "core")
    # The compiler needs types, and no strictness: that is checked by `dev.py test`. So a build finds no fault in
    # what is not installed where pip builds (tiktoken), or in what a newer mypy warns of.
    lenient = ["--config-file=", "--ignore-missing-imports"]
    quick = os.environ.get("TOKENARIUM_QUICK") == "1"
    sources = sorted(str(p) for p in CORE.rglob("*.py") if p.name not in INTERPRETED)
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
            # The library itself. To look for things to warn of would take most of the time of compiling it. Nobody
            # sees its functions from outside, or replaces them, so calls may be inlined.
            extension.extra_compile_args = [
                *extension.extra_compile_args,
                "-Wno-all",
                "-fno-semantic-interposition",
                "-fvisibility=hidden",
                *across_modules,
            ]
            extension.extra_link_args = [*extension.extra_link_args, "-O3", *across_modules]
    return extensions


# Beside the library there is a small extension for each module: some two hundred, which all cores compile.
setup(
    ext_modules=native_modules(),
    options={"build_ext": {"parallel": os.cpu_count() or 1}},
)
