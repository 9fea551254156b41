"""Records what programs that are not in the test environment make of `reader_files`: ``.venv/bin/python tests/helpers/record_readers.py``.

It installs the versions of the readers into a folder (``TOKENARIUM_READERS``, or a temporary one), with pip and npm, runs each
on all files and texts, and writes ``tests/parity/recorded_readers/NAME.json``. Neither Node.js nor these programs are needed by anything
else. Run it again after a change of `reader_files`, or with a new version in a reader; ``test_recorded_readers.py`` compares the rules.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from reader_files import TEXTS, Fields, gguf_files_of, reader_files

from tokenarium_core.comparing.readers.fastokens_reader import FASTOKENS
from tokenarium_core.comparing.readers.gigatoken_reader import GIGATOKEN
from tokenarium_core.comparing.readers.javascript_reader import JAVASCRIPT
from tokenarium_core.comparing.readers.kitoken_reader import KITOKEN
from tokenarium_core.comparing.readers.llama_readers import LLAMA_READERS
from tokenarium_core.comparing.readers.reader import Reader

HERE: Final = Path(__file__).resolve().parent
RECORDS: Final = HERE.parent / "parity" / "recorded_readers"

LLAMA_PACKAGES: Final = {
    "b3889": "3.1.1",
    "b4529": "3.4.1",
    "b5640": "3.10.0",
    "b6673": "3.14.0",
    "b8390": "3.18.1",
    "v0.5.0": "3.22.1",
}
"""The versions of @node-llama-cpp/linux-x64 that contain the releases."""

CONFIGS: Final[dict[str, tuple[str, Fields]]] = {
    "remove_space": ("no stage", {"remove_space": True}),
    "do_lowercase_and_remove_accent": ("no stage", {"do_lowercase_and_remove_accent": True}),
    "unk_token": ("WordLevel", {"unk_token": "<unk>"}),
}
"""Folders for JavaScript: the file in each, and its tokenizer_config.json."""


def file_name(reader: Reader) -> str:
    """Returns the name of the file in which a program is recorded."""
    return f"{reader.group.replace('@', '').replace('/', '-')}-{reader.version}.json"


def content_of(fields: Fields) -> str:
    """Returns a `tokenizer.json`."""
    return json.dumps(fields, ensure_ascii=False)


def hash_of(content: str) -> str:
    """Returns the hash by which a record knows its file."""
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def ask(command: list[str], questions: list[Fields], **environment: str) -> list[Any]:
    """Returns the answers of a program."""
    sent = "".join(json.dumps(question) + "\n" for question in questions)
    done = subprocess.run(
        command,
        input=sent,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, **environment},
        check=True,
        timeout=600,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def of_python(reader: Reader, home: Path, questions: list[Fields]) -> list[Any]:
    """Asks a package of Python."""
    folder = home / f"{reader.group}-{reader.version}"
    if not folder.is_dir():
        wanted = f"{reader.group}=={reader.version}"
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "-q", "--target", str(folder), wanted],
            check=True,
        )
    asked = [{**question, "program": reader.group} for question in questions]
    child = [sys.executable, "-s", "-W", "ignore", str(HERE / "reader_child.py")]
    return ask(child, asked, PYTHONPATH=str(folder))


def of_javascript(reader: Reader, home: Path, questions: list[Fields]) -> list[Any]:
    """Asks a package of npm."""
    folder = home / file_name(reader).removesuffix(".json")
    if not folder.is_dir():
        folder.mkdir(parents=True)
        wanted = f"{reader.group}@{reader.version}"
        subprocess.run(
            ["npm", "install", "--silent", "--ignore-scripts", "--prefix", str(folder), wanted],
            check=True,
        )
    return ask(["node", str(HERE / "javascript_child.mjs"), str(folder)], questions)


def of_llama(reader: Reader, home: Path, questions: list[Fields]) -> list[Any]:
    """Asks the libraries of a release of llama.cpp."""
    folder = home / file_name(reader).removesuffix(".json")
    if not folder.is_dir():
        folder.mkdir(parents=True)
        package = f"@node-llama-cpp/linux-x64@{LLAMA_PACKAGES[reader.version]}"
        subprocess.run(["npm", "pack", "--silent", package], cwd=folder, check=True)
        packed = next(folder.glob("*.tgz"))
        subprocess.run(["tar", "xzf", packed.name], cwd=folder, check=True)
    libraries = folder / "package" / "bins" / "linux-x64"
    built = json.loads((libraries / "_nlcBuildMetadata.json").read_text("utf-8"))
    assert built["buildOptions"]["llamaCpp"]["release"] == reader.version
    child = [sys.executable, str(HERE / "llama_child.py"), str(libraries), reader.version]
    return ask(child, questions, LD_LIBRARY_PATH=str(libraries))


def write_record(reader: Reader, hashes: dict[str, str], answers: list[Any]) -> None:
    """Writes what a program answered."""
    rows = []
    for (name, hash), answer in zip(hashes.items(), answers, strict=True):
        assert answer.pop("version") == reader.version
        row = {"file": name, "sha256": hash, **answer}
        rows.append(json.dumps(row, ensure_ascii=True, separators=(",", ":")))
    head = json.dumps({"program": reader.group, "version": reader.version})[:-1]
    content = f'{head}, "files": [\n' + ",\n".join(rows) + "\n]}\n"
    (RECORDS / file_name(reader)).write_text(content, "utf-8")


def record(home: Path, folder: Path) -> None:
    """Records all programs."""
    files = reader_files()
    questions: list[Fields] = []
    for number, fields in enumerate(files.values()):
        path = folder / f"{number}.json"
        path.write_text(content_of(fields), "utf-8")
        questions.append({"path": str(path), "texts": TEXTS})
    hashes = {name: hash_of(content_of(fields)) for name, fields in files.items()}
    for reader in (FASTOKENS, GIGATOKEN, KITOKEN):
        write_record(reader, hashes, of_python(reader, home, questions))
    numbers = list(files)
    for name, (file, config) in CONFIGS.items():
        question = questions[numbers.index(file)]
        questions.append({**question, "config": config})
        hashes[name] = hashes[file]
    write_record(JAVASCRIPT, hashes, of_javascript(JAVASCRIPT, home, questions))
    written = gguf_files_of(folder)
    asked: list[Fields] = [{"path": str(path), "texts": TEXTS} for path, _ in written.values()]
    read = {name: hash_of(entries) for name, (_, entries) in written.items()}
    for reader in LLAMA_READERS:
        write_record(reader, read, of_llama(reader, home, asked))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(os.environ.get("TOKENARIUM_READERS", folder))
        written = Path(folder, "files")
        written.mkdir()
        record(home, written)


if __name__ == "__main__":
    main()
