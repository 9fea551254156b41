"""Counting in groups: the same counts as of the whole corpus, with any division, and after an interruption."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import tokenarium_core as tc
from tokenarium.models.corpora import counted_corpus
from tokenarium.models.corpora.counted_corpus import (
    CountFolder,
    CountingGroup,
    CountingOrder,
    count_group,
    groups_of_parts,
    merge_tree,
)
from tokenarium.models.corpora.encoded_corpus import corpus_parts
from tokenarium.models.training import corpus_documents
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.corpus_parts import CorpusPart
from tokenarium_core.training.word_counts import count

LINES = [f"the {number} quick foxes’ {number % 7} dens, नमस्ते\n" for number in range(700)]


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[CorpusPart]:
    """A text in several sections, and a file of JSON lines, in small parts."""
    monkeypatch.setattr(corpus_documents, "SECTION", 1 << 12)
    monkeypatch.setattr("tokenarium.models.corpora.encoded_corpus.PART", 1 << 12)
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.txt").write_text("".join(LINES))
    lines = "".join(json.dumps({"text": line}) + "\n" for line in LINES)
    (folder / "b.jsonl").write_text(lines + "{oops\n")
    found, skipped = corpus_parts([CorpusSource("folder", str(folder))])
    assert len(found) > 20
    assert not skipped
    return found


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["bpe", "unigram", "wordpiece", "superbpe"])
def test_groups_have_the_counts_of_the_corpus(
    parts: list[CorpusPart], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, algorithm: str
) -> None:
    monkeypatch.setattr(counted_corpus, "SMALLEST_GROUP", 10_000)
    monkeypatch.setattr(counted_corpus, "FILES_MERGED", 3)
    order = CountingOrder(algorithm)
    groups = groups_of_parts(parts)
    assert len(groups) >= 8
    assert [part for group in groups for part in group.parts] == parts
    folder = CountFolder(order, tmp_path / "corpus.counts")
    for group in reversed(groups):
        folder.keep(group, count_group(order, group))
    folder.finish(groups)
    whole = count_group(order, CountingGroup(tuple(parts)))
    assert (tmp_path / "corpus.counts").read_bytes() == whole.data
    assert [path.name for path in tmp_path.iterdir() if path.name != "texts"] == ["corpus.counts"]
    (note,) = whole.notes(CountingGroup(tuple(parts)))
    assert "1 of its lines was left out" in note or "1 of its lines were left out" in note


def test_little_memory_gives_the_same(parts: list[CorpusPart]) -> None:
    group = CountingGroup(tuple(parts))
    order = CountingOrder("bpe")
    assert count_group(replace(order, memory=1), group).data == count_group(order, group).data


def test_what_is_kept_is_found_again(parts: list[CorpusPart], tmp_path: Path) -> None:
    order = CountingOrder("bpe", (("pattern", "gpt2"),))
    group = CountingGroup(tuple(parts[:2]))
    folder = CountFolder(order, tmp_path / "out.counts")
    assert folder.kept(group) is None
    counted = count_group(order, group)
    folder.keep(group, counted)
    assert folder.kept(group) == replace(counted, data=b"")
    assert CountFolder(CountingOrder("bpe"), tmp_path / "out.counts").kept(group) is None
    assert folder.kept(CountingGroup(tuple(parts[:3]))) is None
    (file,) = folder.path.glob("*.counts")
    file.write_bytes(counted.data[:-1])  # as after a crash
    assert folder.kept(group) is None


def test_a_file_that_changed_is_refused(parts: list[CorpusPart]) -> None:
    file = parts[0].file
    assert file is not None
    file.path.write_text("other")
    with pytest.raises(tc.TokenariumError, match="has changed since it was divided"):
        count_group(CountingOrder("bpe"), CountingGroup((parts[0],)))


def test_a_fault_in_merging_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counted_corpus, "FILES_MERGED", 2)
    paths = [tmp_path / f"{number}.counts" for number in range(5)]
    for path in paths:
        count("bpe", ["some words"]).save(path)
    paths[-1].write_bytes(b"no counts")
    with pytest.raises(tc.FormatError):
        merge_tree(paths, tmp_path / "out.counts")
    assert sorted(tmp_path.iterdir()) == paths
