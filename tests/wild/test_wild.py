"""The command that opens what people have says of each file what became of it, and fails where ids differ."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from tokenarium.resources.shipped_tokenizers import shipped_path

RUN = Path(__file__).with_name("wild.py")


def ran(folder: Path, out: Path, *more: str) -> tuple[int, dict[str, dict[str, str]]]:
    """Returns the exit code and the rows by the names of the files."""
    command = [sys.executable, str(RUN), str(folder), "--out", str(out), *more]
    code = subprocess.run(command, capture_output=True, check=False).returncode
    with out.open(newline="") as file:
        return code, {Path(row["path"]).name: row for row in csv.DictReader(file)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    byt5 = folder / "byt5"
    byt5.mkdir(parents=True)
    byt5.joinpath("tokenizer_config.json").write_text('{"tokenizer_class": "ByT5Tokenizer"}')
    made = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made.save(str(folder / "small.json"))
    folder.joinpath("pointer.model").write_text("version https://git-lfs.github.com/spec/v1\n")
    folder.joinpath("broken.json").write_text('{"model": {"type": "BPE", "vocab": {"a": 0}')
    return folder


def test_what_becomes_of_each_file(folder: Path, tmp_path: Path) -> None:
    code, rows = ran(folder, tmp_path / "rows.csv")
    outcomes = {name: row["outcome"] for name, row in rows.items()}
    assert outcomes == {
        "byt5": "equal",
        "small.json": "equal",
        "pointer.model": "known",
        "broken.json": "refused",
    }
    assert code == 0
    assert rows["byt5"]["library"].startswith("transformers ")
    assert int(rows["small.json"]["texts"]) > 100
    assert "git lfs pull" in rows["pointer.model"]["sentence"]


def test_a_process_that_takes_too_much_is_a_fault(folder: Path, tmp_path: Path) -> None:
    code, rows = ran(folder, tmp_path / "rows.csv", "--only", "small.json", "--seconds", "0.01")
    assert code == 1
    assert rows["small.json"]["outcome"] == "fault"
    assert "longer than 0.01 s" in rows["small.json"]["sentence"]


def test_other_ids_are_said_with_the_text(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reference that reads another file of the same name."""
    monkeypatch.syspath_prepend(str(RUN.parent))
    import wild
    from tokenarium.models.tokenizers import references

    path = folder / "small.json"
    other = json.loads(path.read_text())
    other["model"]["merges"] = []
    changed = tmp_path / "other.json"
    changed.write_text(json.dumps(other))
    monkeypatch.setattr(references, "_of_file", lambda _: Tokenizer.from_file(str(changed)))
    row = wild.opened(path)
    assert row.outcome == "other ids"
    assert row.sentence.startswith("'ab' (Model): ")


def test_a_tokenizer_of_ours_needs_no_other_file(tmp_path: Path) -> None:
    """A shipped tokenizer is in a format that only this program reads, and is compared by its pieces."""
    path = shipped_path("tokenarium-8k")
    code, rows = ran(path.parent, tmp_path / "rows.csv", "--only", path.name)
    assert (code, rows[path.name]["outcome"]) == (0, "equal")
