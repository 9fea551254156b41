#!/usr/bin/env python3
"""Installs the programs of the readers, each in its version, and compares their rules with them.

    .venv/bin/python packaging/compare_readers.py [ARGUMENT…]

The programs are installed in folders of `build/readers`, beside the packages of the environment, which they do not change; a
folder that is there is used again. The arguments go to pytest. When all is equal, put the day into ``compared`` of the readers.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tokenarium_core.comparing.readers.readers import READERS

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "readers"
WITH = {
    "tokenizers": [],
    "sentencepiece": [],
    "tiktoken": [],
    "mistral-common": ["sentencepiece==0.2.3"],
    "transformers": ["sentencepiece==0.2.3", "tiktoken==0.14.0", "protobuf"],
}
"""The packages that are installed with each program; one that is not here is no package."""


def install(group: str, version: str) -> None:
    """Installs a program in its folder, unless it is there."""
    target = FOLDER / f"{group}-{version}"
    if target.is_dir():
        return
    unfinished = target.with_suffix(".part")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    packages = [f"{group}=={version}", *WITH[group]]
    subprocess.run([*pip, "--target", str(unfinished), "--upgrade", *packages], check=True)
    unfinished.rename(target)


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for reader in READERS:
        if reader.group in WITH:
            print(f"{reader.name} …", flush=True)
            install(reader.group, reader.version)
    tests = [sys.executable, "-m", "pytest", "-n0", "-q", "-rs", "tests/parity/test_readers.py"]
    environment = {**os.environ, "TOKENARIUM_READERS": str(FOLDER)}
    done = subprocess.run([*tests, *sys.argv[1:]], cwd=ROOT, env=environment, check=False)
    raise SystemExit(done.returncode)


if __name__ == "__main__":
    main()
