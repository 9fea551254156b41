"""The programs of readers, each in a process of its own with its version, and what it must be for a reader's rules to hold."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import reader_child

import tokenarium_core as tc
from tokenarium.models.compare.installed_programs import AROUND, SPECIAL, installed_version
from tokenarium_core.added_tokens import ALL, NONE
from tokenarium_core.comparing.readers.reader import Reader, ReaderFile

PROGRAMS = "TOKENARIUM_READERS"
"""The folder of pinned programs that ``packaging/compare_readers.py`` installs: a folder ``NAME-VERSION`` for each."""


def is_there(reader: Reader) -> bool:
    """Whether a program is installed in the version of a reader, here or in `PROGRAMS`."""
    folder = Path(os.environ.get(PROGRAMS, "/nowhere"), f"{reader.group}-{reader.version}")
    return folder.is_dir() or installed_version(reader.group) == reader.version


class Program:
    """One version of a program; it ends with `close`."""

    def __init__(self, reader: Reader, home: Path) -> None:
        if not is_there(reader):
            pytest.skip(f"{reader.name} is not installed: see packaging/compare_readers.py")
        folder = Path(os.environ.get(PROGRAMS, "/nowhere"), f"{reader.group}-{reader.version}")
        environment = {**os.environ, "HOME": str(home)}
        if folder.is_dir():
            environment["PYTHONPATH"] = str(folder)
        self.reader = reader
        self._process = subprocess.Popen(
            [sys.executable, "-s", "-W", "ignore", reader_child.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            env=environment,
        )

    def ask(self, path: Path | str, texts: list[str]) -> dict[str, Any]:
        """Returns what it makes of a file: ``ids``, or ``refusal``."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        asked = {"program": self.reader.group, "path": str(path), "texts": texts}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        assert answer["version"] == self.reader.version
        return answer

    def close(self) -> None:
        """Ends it."""
        self._process.communicate()


def mismatch(program: Program, tokenizer: tc.Tokenizer, path: Path, texts: list[str]) -> str:
    """Returns how the rules of a reader and the program differ on a file; empty if they agree.

    "not known" begins what no rule covers.
    """
    reading = program.reader.read(ReaderFile(tokenizer))
    said = program.ask(path, texts)
    if reading.unknown or reading.not_read:
        return f"not known: {reading.unknown or reading.not_read} (program: {said.get('refusal', 'reads it')})"
    if "refusal" in said:
        return "" if reading.refusal else f"refused: {said['refusal'][:300]}"
    if reading.refusal:
        if any(isinstance(ids, str) for ids in said["ids"]):
            return ""  # it opens the file, and stops at a text
        return f"not refused, but the rule says: {reading.refusal}"
    made = reading.tokenizer
    assert made is not None
    template, special = program.reader.group in AROUND, program.reader.group in SPECIAL
    for text, ids in zip(texts, said["ids"], strict=True):
        if reading.encoder is not None:
            ours = reading.encoder.encode_ids(text)
        else:
            ours = made.encode_ids(text, special=ALL if special else NONE, template=template)
        if isinstance(ids, list) and ours != ids:
            return f"{text!r}: the rules give {ours}, the program {ids}"
    return ""
