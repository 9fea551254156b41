"""Compiles the core with mypyc; all other settings are in pyproject.toml.

``TOKENARIUM_PURE=1`` builds without a compiler: the same code, interpreted, some fifty times slower.
``TOKENARIUM_QUICK=1`` optimises little and writes one C file a module: with a compiler cache (``CC="ccache gcc"``),
a build after a small change compiles what changed, and takes a fraction of the time. Not for measuring.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from setuptools import setup

CORE = Path("core") / "tokenarium_core"
INTERPRETED = {"__init__.py"}  # mypyc gains nothing there, and tests may patch it
BUILD_COMMANDS = {"build", "build_ext", "bdist_wheel", "editable_wheel", "develop", "install"}


def native_modules() -> list:
    """Returns the extension modules of the core; an empty list for commands that build nothing."""
    if os.environ.get("TOKENARIUM_PURE") == "1" or not BUILD_COMMANDS.intersection(sys.argv):
        return []
    from mypyc.build import mypycify

    os.environ.setdefault("MYPYPATH", "core")
    quick = os.environ.get("TOKENARIUM_QUICK") == "1"
    sources = sorted(str(p) for p in CORE.rglob("*.py") if p.name not in INTERPRETED)
    extensions = mypycify(
        ["--namespace-packages", "--explicit-package-bases", *sources],
        group_name="tokenarium_core._native",
        opt_level="1" if quick else "3",
        multi_file=quick,
    )
    for extension in extensions:
        # The files of modules look for the headers of the group beside them.
        extension.include_dirs.append(str(Path("build") / "tokenarium_core"))
        if os.name == "posix":
            # Calls within the library may be inlined: nobody replaces its functions from outside.
            extension.extra_compile_args = [
                *extension.extra_compile_args,
                "-fno-semantic-interposition",
            ]
    return extensions


setup(ext_modules=native_modules())
