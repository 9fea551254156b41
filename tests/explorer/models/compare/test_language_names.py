"""The names of languages by the names of files."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_files import new_folder

from tokenarium.models.compare.language_names import language_titles
from tokenarium.models.compare.parallel_texts import of_folder


@pytest.mark.parametrize(
    ("names", "titles"),
    [
        (["amh", "arb", "khm", "yor"], ["Amharic", "Standard Arabic", "Khmer", "Yoruba"]),
        (["ell_monotonic", "swh"], ["Modern Greek", "Swahili"]),
        (["eng_Latn", "ace_Arab", "ace_Latn"], ["English", "Achinese (Arab)", "Achinese (Latn)"]),
        (["ger", "fre"], ["German", "French"]),
        (["de", "pt-BR"], ["German", "Portuguese"]),
        (["pt-BR", "pt-PT"], ["Portuguese (BR)", "Portuguese (PT)"]),
        # No codes, or words that happen to be some.
        (["de", "draft"], ["de", "draft"]),
        (["old", "new"], ["old", "new"]),
        (["xx", "de"], ["xx", "de"]),
        # The same language twice, with nothing that tells them apart.
        (["de", "deu"], ["de", "deu"]),
    ],
)
def test_names_of_files(names: list[str], titles: list[str]) -> None:
    assert language_titles(names) == titles


def test_a_folder_of_flores(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "devtest")
    for name in ("eng_Latn.devtest", "mya_Mymr.devtest"):
        (folder / name).write_text("one\ntwo\n", "utf-8")
    texts, left_out = of_folder(folder)
    assert [(text.language, text.title) for text in texts] == [
        ("eng_Latn", "English"),
        ("mya_Mymr", "Burmese"),
    ]
    assert not left_out
