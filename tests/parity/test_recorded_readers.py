"""What the rules of readers predict is what programs made of the same files: JavaScript, fast libraries, llama.cpp.

The programs are not installed here. What they gave is in ``recorded_readers``, with their versions, and is written by
``tests/helpers/record_readers.py``, which installs and runs them.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from reader_files import TEXTS, Fields, gguf_files_of, reader_files
from record_readers import CONFIGS, RECORDS, content_of, file_name, hash_of

import tokenarium_core as tc
from tokenarium_core.comparing.readers.fastokens_reader import FASTOKENS
from tokenarium_core.comparing.readers.gigatoken_reader import GIGATOKEN
from tokenarium_core.comparing.readers.javascript_reader import JAVASCRIPT
from tokenarium_core.comparing.readers.kitoken_reader import KITOKEN
from tokenarium_core.comparing.readers.llama_readers import LLAMA_READERS, first_release
from tokenarium_core.comparing.readers.reader import Reader, ReaderFile, Reading
from tokenarium_core.comparing.readers.readers import READERS

pytestmark = pytest.mark.slow

OF_JSON: Final = {reader.group: reader for reader in (JAVASCRIPT, FASTOKENS, GIGATOKEN, KITOKEN)}
NOT_KNOWN: Final = {
    "@huggingface/tokenizers": {
        "unknown characters, fused",
        "no unknown token",
        "WordLevel",
        "FixedLength",
    },
    "fastokens": {"no unknown token"},
    "gigatoken": {"as Llama, NFC"},
    "kitoken": {
        "UnicodeScripts",
        "Nmt normalizer",
        "no unknown token",
        "unknown characters, fused",
        "Unigram with some bytes",
        "prefix",
    },
}
"""The files about which a reader says that nothing is known."""


@cache
def files() -> dict[str, Fields]:
    return reader_files()


def recorded(reader: Reader) -> dict[str, Any]:
    """Returns what a program gave, by the names of the files."""
    record = json.loads((RECORDS / file_name(reader)).read_text("utf-8"))
    assert (record["program"], record["version"]) == (reader.group, reader.version)
    return {row["file"]: row for row in record["files"]}


def ids_of(tokenizer: tc.Tokenizer, text: str) -> list[int]:
    return list(tokenizer.encode(text, special="all", template=True).ids)


def disagreement(reading: Reading, row: dict[str, Any]) -> str:
    """Returns how a reading differs from what the program gave; empty if it does not."""
    if reading.refusal:
        if "refusal" in row or all(isinstance(ids, str) for ids in row["ids"] if ids != []):
            return ""
        given = sum(isinstance(ids, str) for ids in row["ids"])
        return "" if given else f"not refused, but: {reading.refusal}"
    if "refusal" in row:
        return f"refused: {row['refusal']}"
    assert reading.tokenizer is not None
    for text, ids in zip(TEXTS, row["ids"], strict=True):
        ours = ids_of(reading.tokenizer, text)
        if ours != ids:
            return f"{text!r}: {ours} is not {ids}"
    return ""


def opened(name: str, folder: Path, config: Fields | None = None) -> tc.Tokenizer:
    path = folder / "tokenizer.json"
    path.write_text(content_of(files()[name]), "utf-8")
    if config is None:
        return tc.open(path)
    (folder / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    return tc.open(folder)


def test_every_program_is_recorded() -> None:
    groups = {*OF_JSON, "llama.cpp"}
    assert {reader.name for reader in READERS if reader.group in groups} == {
        reader.name for reader in (*OF_JSON.values(), *LLAMA_READERS)
    }
    for reader in OF_JSON.values():
        rows = recorded(reader)
        assert files().keys() <= rows.keys()
        for name, fields in files().items():
            assert rows[name]["sha256"] == hash_of(content_of(fields)), "run record_readers.py"


@pytest.mark.parametrize("group", OF_JSON)
@pytest.mark.parametrize("name", reader_files())
def test_ids_are_those_of_the_program(group: str, name: str, tmp_path: Path) -> None:
    reader = OF_JSON[group]
    reading = reader.read(ReaderFile(opened(name, tmp_path)))
    if name in NOT_KNOWN[group]:
        assert reading.unknown
    else:
        assert (reading.unknown, reading.not_read) == ("", "")
        assert disagreement(reading, recorded(reader)[name]) == ""


@pytest.mark.parametrize("name", CONFIGS)
def test_settings_that_javascript_reads(name: str, tmp_path: Path) -> None:
    file, config = CONFIGS[name]
    reading = JAVASCRIPT.read(ReaderFile(opened(file, tmp_path, config)))
    assert disagreement(reading, recorded(JAVASCRIPT)[name]) == ""
    if name != "unk_token":
        assert "js-settings" in [rule.id for rule in reading.rules]


@pytest.mark.parametrize("group", OF_JSON)
def test_every_rule_is_needed(group: str, tmp_path: Path) -> None:
    """Each rule applies to a file with other ids, a refusal or an unknown result, and to no file that has the same ids."""
    reader = OF_JSON[group]
    rows = recorded(reader)
    needed = {"js-settings"}  # in a test of its own
    for name in files():
        own = opened(name, tmp_path)
        reading = reader.read(ReaderFile(own))
        row = rows[name]
        same = "ids" in row and all(
            ids_of(own, text) == ids for text, ids in zip(TEXTS, row["ids"], strict=True)
        )
        if not same:
            needed |= {rule.id for rule in reading.rules}
        elif not reading.rules:
            assert disagreement(reading, row) == ""
    assert {rule.id for rule in reader.rules} <= needed


def test_releases_of_llama(tmp_path: Path) -> None:
    written = gguf_files_of(tmp_path)
    for reader in LLAMA_READERS:
        rows = recorded(reader)
        assert rows.keys() == written.keys()
        for name, (path, entries) in written.items():
            assert rows[name]["sha256"] == hash_of(entries), "run record_readers.py"
            if name == "no-such-name":
                assert "unknown pre-tokenizer type" in rows[name]["refusal"]
                assert first_release(name) == ""
                continue
            reading = reader.read(ReaderFile(tc.open(path)))
            assert (reading.unknown, reading.not_read) == ("", "")
            assert disagreement(reading, rows[name]) == "", f"{reader.name}: {name}"
            if reading.refusal:
                assert reading.refusal in rows[name]["refusal"]
