"""What is dropped becomes what is added to the library; no window is needed to see it."""

from __future__ import annotations

import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import tokenarium_core as tc
from tokenarium.app.file_taking import FileTaking


def test_a_dropped_archive_adds_each_of_its_tokenizers(tmp_path: Path) -> None:
    single = tmp_path / "tokenizer.json"
    tc.train("bpe", ["the low tokens"] * 3, vocab_size=262).save(single)
    archive = tmp_path / "two.zip"
    with zipfile.ZipFile(archive, "w") as out:
        for folder in ("a", "b/c"):
            out.write(single, f"{folder}/tokenizer.json")
    added: list[Path] = []
    shown: list[Path] = []
    searched: list[Path] = []
    said: list[str] = []
    stub: Any = SimpleNamespace(
        problem=SimpleNamespace(emit=said.append),
        add_path=added.append,
        open_path=shown.append,
    )
    files = FileTaking(*[cast("Any", stub)] * 5, searched.append)
    text = tmp_path / "text.txt"
    text.write_text("the low tokens")
    folder = tmp_path / "models"
    (folder / "one").mkdir(parents=True)
    files.take_files([archive, single, text, folder])
    assert added == [archive / "a", archive / "b" / "c", single]
    assert (shown, searched) == ([text], [folder])

    many = tmp_path / "many.zip"
    with zipfile.ZipFile(many, "w") as out:
        for number in range(20):
            out.write(single, f"{number:02}/tokenizer.json")
    files.take_files([many])
    assert added[3:] == [many / f"{number:02}" for number in range(16)]
    assert "The first 16 tokenizers of many.zip were added" in said[-1]
