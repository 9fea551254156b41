"""Study files: written and read again, and refused with a sentence that says what is wrong."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from small_files import new_folder, saved, write_file

import tokenarium_core as tc
from tokenarium.models.corpora.encoding_order import tokenizer_sha256
from tokenarium.models.studies.study_file import (
    Study,
    StudyText,
    StudyTokenizer,
    check_sha256,
    read_study,
    study_toml,
)
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS

ROWS = '[[tokenizers]]\nname = "a"\npath = "a"\n[[texts]]\nname = "t"\nfile = "t.txt"\n'


def test_a_study_is_read_as_it_was_written(tmp_path: Path) -> None:
    study = Study(
        (StudyTokenizer('a "quoted" one', "α/a.json", "ab" * 32, r"\p{L}+|\s"),),
        (StudyText("t", "t.txt", "cd" * 32, "body.text"), StudyText("u", "u.txt")),
        title="A\nstudy",
        unit="line",
        measures=("fertility",),
        seed=7,
        resamples=500,
        alpha=0.01,
    )
    assert read_study(write_file(tmp_path / "s.toml", study_toml(study))) == study


def test_what_is_left_out_has_its_default(tmp_path: Path) -> None:
    study = read_study(write_file(tmp_path / "s.toml", ROWS))
    assert study == Study((StudyTokenizer("a", "a"),), (StudyText("t", "t.txt"),))
    assert study.folder == tmp_path


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[study]\nseed = ", "line 2: this is not valid TOML"),
        ("", "write [[tokenizers]] for each, with name and path"),
        ("texts = 3\n" + ROWS.split("[[texts]]", maxsplit=1)[0], "write [[texts]] for each"),
        ("[more]\n" + ROWS, "no table 'more'"),
        ("study = 1\n" + ROWS, "below [study]"),
        ("[study]\nresample = 1\n" + ROWS, "no setting 'resample': choose from title"),
        ("[study]\nseed = true\n" + ROWS, "seed in [study] is not a whole number"),
        ("[study]\nseed = 1.5\n" + ROWS, "seed in [study] is not a whole number"),
        ("[study]\nseed = -1\n" + ROWS, "the seed -1 is negative"),
        ("[study]\nalpha = 1\n" + ROWS, "α = 1 is not possible"),
        ("[study]\nresamples = 0\n" + ROWS, "0 resamples are not possible"),
        ('[study]\nunit = "word"\n' + ROWS, "the unit 'word' is not possible"),
        ('[study]\nmeasures = ["shannon"]\n' + ROWS, "'shannon' is not a measure"),
        ("[study]\nmeasures = []\n" + ROWS, "measures names none"),
        ("[study]\nmeasures = [[]]\n" + ROWS, "[] is not a measure"),
        (ROWS + '[[texts]]\nname = "t"\nfile = "u"\n', "two texts are named 't'"),
        (ROWS + '[[texts]]\nname = "u"\n', "[[texts]] number 2 has no file"),
        (ROWS + '[[texts]]\nname = "u"\nfile = 1\n', "file in [[texts]] number 2 is not a string"),
        (b"\xff", "is not a text in UTF-8"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, content: str | bytes, said: str) -> None:
    path = write_file(tmp_path / "s.toml", content)
    with pytest.raises(tc.FormatError) as caught:
        read_study(path)
    assert str(path) in str(caught.value)
    assert said in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(tc.NotAvailable, match=r"none\.toml cannot be read"):
        read_study(tmp_path / "none.toml")


def test_paths_are_from_the_folder_of_the_file_and_names_stay(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "study")
    text = write_file(folder / "t.txt", "a")
    study = replace(
        Study((StudyTokenizer("a", "gpt2"),), (StudyText("t", "t.txt"), StudyText("u", str(text)))),
        folder=folder,
    )
    assert study.place("t.txt") == str(text)
    assert study.place("gpt2") == "gpt2"
    moved = study.moved(tmp_path)
    assert [one.file for one in moved.texts] == ["study/t.txt"] * 2
    assert moved.tokenizers[0].path == "gpt2"


def test_the_hash_of_one_file_is_its_own_and_of_several_that_of_their_list(tmp_path: Path) -> None:
    path = SHIPPED_TOKENIZERS[0].path
    assert tokenizer_sha256(tc.open(path)) == hashlib.sha256(path.read_bytes()).hexdigest()
    trained = tc.train("bpe", ["low lower lowest"], vocab_size=260, pattern="gpt2")
    saved(trained, tmp_path / "encoder.json", "gpt2").rename(tmp_path / "vocab.json")
    (tmp_path / "vocab.bpe").rename(tmp_path / "merges.txt")
    tokenizer = tc.open(tmp_path / "vocab.json")
    names = [file.name for file in tokenizer.source.files]
    assert sorted(names) == ["merges.txt", "vocab.json"]
    assert names != sorted(names)  # so that their order matters
    listed = "".join(
        f"{hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()}  {name}\n"
        for name in sorted(names)
    )
    assert tokenizer_sha256(tokenizer) == hashlib.sha256(listed.encode()).hexdigest()
    write_file(tmp_path / "merges.txt", "changed")
    with pytest.raises(tc.TokenariumError, match=r"merges\.txt .* has changed"):
        tokenizer_sha256(tokenizer)


def test_a_hash_is_compared_to_its_last_digit() -> None:
    check_sha256("It", "AB" * 32, "ab" * 32)
    check_sha256("It", "", "ab" * 32)
    with pytest.raises(tc.TokenariumError, match="It is not what the study measured"):
        check_sha256("It", "ab" * 31 + "ac", "ab" * 32)


def test_a_tokenizer_without_files_has_the_hash_of_its_entries() -> None:
    one = tc.train("bpe", ["low lower lowest"], vocab_size=270)
    same = tc.train("bpe", ["low lower lowest"], vocab_size=270)
    other = tc.train("bpe", ["new newer newest"], vocab_size=270)
    assert tokenizer_sha256(one) == tokenizer_sha256(same) != tokenizer_sha256(other)
