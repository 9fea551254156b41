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
    stub: Any = SimpleNamespace(
        problem=SimpleNamespace(emit=lambda said: None),
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
