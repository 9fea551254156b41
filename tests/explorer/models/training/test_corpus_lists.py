"""Lists of sources with weights, and groups that are mixed by a temperature."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_files import write_file

from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_lists import (
    exponent_as_temperature,
    groups_of,
    named_sources,
)
from tokenarium_core import TokenariumError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lang").mkdir()
    for name, count in (("de", 4000), ("en", 9000), ("hsb", 300)):
        lines = "".join(f'{{"text": "{name} {number}"}}\n' for number in range(count))
        (tmp_path / "lang" / f"{name}.jsonl").write_text(lines)
    return tmp_path


def test_a_list_names_places_and_weights(folder: Path) -> None:
    (folder / "inner.txt").write_text("lang/hsb.jsonl\n")
    (folder / "list.txt").write_text(
        "# shares\n0.7 lang/de.jsonl\n\n 0.3\tlang\nlang/*.jsonl\nlibrary\ns3://bucket/a b.txt\n@inner.txt\n"
    )
    found = named_sources([f"@{folder / 'list.txt'}"], "body", "latin-1")
    assert [(one.kind, one.weight, one.value.replace(str(folder), "T")) for one in found] == [
        ("file", 0.7, "T/lang/de.jsonl"),
        ("folder", 0.3, "T/lang"),
        ("glob", None, "T/lang/*.jsonl"),
        ("library", None, ""),
        ("file", None, "s3://bucket/a b.txt"),
        ("file", None, "T/lang/hsb.jsonl"),
    ]
    assert {(one.field, one.encoding) for one in found} == {("body", "latin-1")}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "names no file"),
        ("# nothing\n", "names no file"),
        ("0 a.txt", "line 1: the weight 0 is not possible"),
        ("a.txt\nnan b.txt", "line 2: the weight nan"),
        ("0.5 @list.txt", "a list has no weight"),
        ("@list.txt", "are nested too deeply"),
    ],
)
def test_lists_that_cannot_be_used(tmp_path: Path, text: str, sentence: str) -> None:
    path = write_file(tmp_path / "list.txt", text)
    with pytest.raises(TokenariumError, match=sentence):
        named_sources([f"@{path}"])


def test_places_have_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a list that names one file a hundred thousand times."""
    monkeypatch.setattr("tokenarium.models.training.corpus_lists.MOST_SOURCES", 3)
    path = write_file(tmp_path / "list.txt", "a.txt\n" * 3)
    assert len(named_sources([f"@{path}"])) == 3
    for words in ([f"@{path}", "b.txt"], ["b.txt", f"@{path}"], ["b.txt"] * 4):
        with pytest.raises(
            TokenariumError, match="more than 3 sources are named: name folders or patterns"
        ):
            named_sources(words)


def test_a_list_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(TokenariumError, match="cannot be read"):
        named_sources([f"@{tmp_path / 'gone.txt'}"])
    (tmp_path / "bad.txt").write_bytes(b"a\xff")
    with pytest.raises(TokenariumError, match="not UTF-8 at byte 1"):
        named_sources([f"@{tmp_path / 'bad.txt'}"])


@pytest.mark.slow
@pytest.mark.parametrize("exponent", [0.3, 0.7, 1.0])
def test_shares_are_the_sizes_to_the_power_of_the_exponent(folder: Path, exponent: float) -> None:
    groups = groups_of([str(folder / "lang" / "*.jsonl")])
    assert [Path(one.value).name for one in groups] == ["de.jsonl", "en.jsonl", "hsb.jsonl"]
    corpus = Corpus(groups, size=6000, temperature=exponent_as_temperature(exponent))
    list(corpus)
    there = [share.there for share in corpus.shares]
    powers = [count**exponent for count in there]
    for share, power in zip(corpus.shares, powers, strict=True):
        assert share.after == pytest.approx(power / sum(powers), abs=0.02)


def test_a_folder_is_a_group_and_nothing_is_none(folder: Path) -> None:
    (folder / "more").mkdir()
    assert [one.kind for one in groups_of([str(folder / "*")])] == ["folder", "folder"]
    assert len(groups_of([str(folder / "lang"), str(folder / "*")])) == 2
    with pytest.raises(TokenariumError, match="No file matches"):
        groups_of([str(folder / "*.gone")])
    for exponent in (0.0, 1.5, float("nan"), -1.0):
        with pytest.raises(TokenariumError, match="is not possible with --mix"):
            exponent_as_temperature(exponent)
