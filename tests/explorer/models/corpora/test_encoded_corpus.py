"""Corpora as ids: the layouts, read as trainers read them, and what is kept of an interrupted run."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenarium_core as tc
from tokenarium.models.corpora import encoded_corpus, shard_layouts
from tokenarium.models.corpora.encoded_corpus import (
    Shard,
    check_shard,
    corpus_parts,
    documents_of,
    finished,
    shards_of,
    write_manifest,
    write_shard,
)
from tokenarium.models.corpora.encoding_order import EncodingOrder, tokenizer_fingerprint
from tokenarium.models.corpora.shard_layouts import LAYOUTS
from tokenarium.models.training import corpus_documents
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.corpus_parts import CorpusPart
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS

PATHS = {one.id: str(one.path) for one in SHIPPED_TOKENIZERS}
TEXTS = ["Two words.", "नमस्ते 東京 👩🏽‍🚀", "", "a\n\n  b\r\n", "x" * 300]


def order_of(folder: Path, layout: str = "bin", shipped: str = "bpe-gpt2-8k") -> EncodingOrder:
    tokenizer = tc.open(PATHS[shipped])
    return EncodingOrder(
        PATHS[shipped],
        "small",
        tokenizer_fingerprint(tokenizer),
        len(tokenizer.vocabulary),
        str(folder),
        layout,
        after=(7,),
    )


def part_of(path: Path, content: str | bytes) -> CorpusPart:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    ((part,), _) = corpus_parts([CorpusSource("file", str(path))])
    return part


def lines_of(texts: list[str]) -> str:
    return "".join(json.dumps({"text": text}) + "\n" for text in texts)


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shipped", PATHS)
def test_the_documents_have_the_ids_of_their_texts(
    tmp_path: Path, layout: str, shipped: str
) -> None:
    order = order_of(tmp_path, layout, shipped)
    shard = Shard(
        0, (part_of(tmp_path / "a.jsonl", lines_of(TEXTS)), part_of(tmp_path / "b.txt", "plain\n"))
    )
    record = write_shard(order, shard)
    tokenizer = tc.open(order.tokenizer)
    wanted = [[*tokenizer.encode_ids(text), 7] for text in [*TEXTS, "plain\n"]]
    assert [ids.tolist() for ids in documents_of(order, shard)] == wanted
    assert (record.documents, record.tokens) == (6, sum(map(len, wanted)))
    found = check_shard(order, shard)
    assert (found.compared, found.differing, found.faults) == (6, 0, [])


@pytest.mark.parametrize("size", [60_000, 100_000])
def test_long_and_short_documents_are_written_in_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(encoded_corpus, "_FLUSH", 20)  # so that the memory grows too
    monkeypatch.setattr(encoded_corpus, "_AT_ONCE", 9)
    monkeypatch.setattr(shard_layouts, "_WRITTEN", 7)
    texts = ["", "short", "long " * 40, "x", "y", "long " * 30, "", "z"]
    order = replace(order_of(tmp_path), vocab_size=size, after=())
    shard = Shard(0, (part_of(tmp_path / "a.jsonl", lines_of(texts)),))
    record = write_shard(order, shard)
    tokenizer = tc.open(order.tokenizer)
    assert [ids.tolist() for ids in documents_of(order, shard)] == [
        tokenizer.encode_ids(text) for text in texts
    ]
    assert record.bytes == sum(map(len, texts))
    assert not check_shard(order, shard).faults


def test_a_row_group_has_many_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(encoded_corpus, "_FLUSH", 10)
    monkeypatch.setattr(encoded_corpus, "_AT_ONCE", 9)
    monkeypatch.setattr(shard_layouts, "_ROW_GROUP", 100)
    order = replace(order_of(tmp_path), layout="parquet")
    texts = ["short text", ""] * 40
    write_shard(order, Shard(0, (part_of(tmp_path / "a.jsonl", lines_of(texts)),)))
    tokenizer = tc.open(order.tokenizer)
    wanted = [[*tokenizer.encode_ids(text), 7] for text in texts]
    with parquet.ParquetFile(tmp_path / "tokens-00000.parquet") as file:
        groups = [
            file.read_row_group(number)["input_ids"].to_pylist()
            for number in range(file.num_row_groups)
        ]
    assert [ids for group in groups for ids in group] == wanted
    sizes = [sum(map(len, group)) for group in groups]
    assert len(sizes) > 1
    assert all(100 <= size < 150 for size in sizes[:-1])


def test_a_shard_of_empty_documents_has_no_ids(tmp_path: Path) -> None:
    order = replace(order_of(tmp_path), after=())
    shard = Shard(0, (part_of(tmp_path / "a.jsonl", lines_of(["", ""])),))
    assert (write_shard(order, shard).documents, len(list(documents_of(order, shard)))) == (2, 2)


def test_plain_ids_are_read_by_numpy_alone(tmp_path: Path) -> None:
    order = order_of(tmp_path)
    write_shard(order, Shard(0, (part_of(tmp_path / "a.jsonl", lines_of(TEXTS)),)))
    ids = np.memmap(tmp_path / "tokens-00000.bin", np.uint16, "r")
    offsets = np.load(tmp_path / "tokens-00000.offsets.npy")
    tokenizer = tc.open(order.tokenizer)
    assert ids[offsets[1] : offsets[2] - 1].tolist() == tokenizer.encode_ids(TEXTS[1])
    assert offsets[-1] == len(ids)


def test_a_plain_text_is_encoded_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Although it is read in small parts, which may end anywhere."""
    monkeypatch.setattr(encoded_corpus, "_AT_ONCE", 1000)
    text = "The lowest, नमस्ते 東京 12345 👩🏽‍🚀 and so on\n" * 20_000
    order = order_of(tmp_path)
    shard = Shard(0, (part_of(tmp_path / "a.txt", text),))
    record = write_shard(order, shard)
    (ids,) = documents_of(order, shard)
    assert ids.tolist() == [*tc.open(order.tokenizer).encode_ids(text), 7]
    assert (record.documents, record.in_pieces) == (1, 0)
    assert (record.characters, record.bytes) == (len(text), len(text.encode()))
    assert not check_shard(order, shard).faults


def test_the_index_is_as_megatron_writes_it(tmp_path: Path) -> None:
    """Field by field as its ``_IndexWriter`` does."""
    order = order_of(tmp_path, "megatron")
    write_shard(order, Shard(0, (part_of(tmp_path / "a.jsonl", lines_of(TEXTS)),)))
    lengths = [len(tc.open(order.tokenizer).encode_ids(text)) + 1 for text in TEXTS]
    pointers = [2 * sum(lengths[:place]) for place in range(len(lengths))]
    wanted = b"MMIDIDX\x00\x00" + struct.pack("<Q", 1) + struct.pack("<B", 8)
    wanted += struct.pack("<Q", len(lengths)) + struct.pack("<Q", len(lengths) + 1)
    wanted += np.array(lengths, np.int32).tobytes() + np.array(pointers, np.int64).tobytes()
    wanted += np.arange(len(lengths) + 1).astype(np.int64).tobytes()
    assert (tmp_path / "tokens-00000.idx").read_bytes() == wanted


@pytest.mark.parametrize(
    ("layout", "size", "dtype"),
    [
        ("bin", 65_536, "uint16"),
        ("bin", 65_537, "uint32"),
        ("parquet", 65_536, "uint16"),
        ("megatron", 65_499, "uint16"),
        ("megatron", 65_500, "int32"),
    ],
)
def test_the_type_holds_all_ids(tmp_path: Path, layout: str, size: int, dtype: str) -> None:
    assert replace(order_of(tmp_path, layout), vocab_size=size).dtype == dtype


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 50), max_size=30), st.integers(1, 200))
def test_shards_have_all_parts_in_their_order(sizes: list[int], least: int) -> None:
    source = CorpusSource("text", "x")
    parts = [CorpusPart(source, size=size) for size in sizes]
    shards = shards_of(parts, least)
    assert [part for shard in shards for part in shard.parts] == parts
    assert [shard.number for shard in shards] == list(range(len(shards)))
    assert all(shard.size >= least for shard in shards[:-1])


def test_a_long_document_is_one_and_keeps_its_cuts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The text is read in parts of a megabyte; an end of text between them would be wrong, and so would other cuts."""
    text = "one two\n\n   three\n" * 130_000
    order = order_of(tmp_path)
    shard = Shard(0, (part_of(tmp_path / "long.txt", text),))
    record = write_shard(order, shard)
    assert (record.documents, record.in_pieces) == (1, 0)
    assert next(documents_of(order, shard))[:-1].tolist() == tc.open(order.tokenizer).encode_ids(
        text
    )
    monkeypatch.setattr(encoded_corpus, "LARGEST_TEXT", 1 << 20)
    record = write_shard(order, shard)
    assert (record.documents, record.in_pieces) == (1, 1)
    assert len(list(documents_of(order, shard))) == 1


def test_a_text_in_several_shards_has_one_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "".join(f"line {number}\n" for number in range(1200))
    path = tmp_path / "long.txt"
    path.write_text(text)
    monkeypatch.setattr(corpus_documents, "SECTION", 1 << 12)
    monkeypatch.setattr(encoded_corpus, "PART", 1 << 12)
    parts, _ = corpus_parts([CorpusSource("file", str(path))])
    order = replace(order_of(tmp_path), before=(5,))
    shards = shards_of(parts, 1)
    assert len(shards) == 3
    records = [write_shard(order, shard) for shard in shards]
    ids = [
        token for shard in shards for one in documents_of(order, shard) for token in one.tolist()
    ]
    assert (ids[0], ids[-1], ids.count(5), ids.count(7)) == (5, 7, 1, 1)
    assert tc.open(order.tokenizer).decode(ids[1:-1]) == text
    assert [record.documents for record in records] == [1, 0, 0]
    assert all(not check_shard(order, shard).faults for shard in shards)


def test_what_cannot_be_read_is_named_and_the_rest_is_written(tmp_path: Path) -> None:
    order = order_of(tmp_path)
    content = '{"text": "fine"}\n{oops\n{"other": 1}\n{"text": "\\ud800 lone"}\n'
    shard = Shard(0, (part_of(tmp_path / "bad.jsonl", content),))
    record = write_shard(order, shard)
    assert record.documents + record.left_out == 2
    assert "2 of its lines were left out: line 2 is not JSON." in record.notes[0]
    assert not check_shard(order, shard).faults


@pytest.mark.parametrize("layout", LAYOUTS)
def test_nothing_at_all_makes_empty_files(tmp_path: Path, layout: str) -> None:
    order = order_of(tmp_path, layout)
    shard = Shard(0, (part_of(tmp_path / "bad.jsonl", "{oops\n"),))
    assert write_shard(order, shard).tokens == 0
    assert list(documents_of(order, shard)) == []
    assert not check_shard(order, shard).faults


def test_a_shard_is_finished_only_for_the_same_order_and_files(tmp_path: Path) -> None:
    order = order_of(tmp_path)
    shard = Shard(0, (part_of(tmp_path / "a.txt", "text"),))
    assert finished(order, shard) is None
    record = write_shard(order, shard)
    assert finished(order, shard) == record
    assert finished(replace(order, after=()), shard) is None
    assert finished(replace(order, fingerprint="other"), shard) is None
    changed = Shard(0, (part_of(tmp_path / "a.txt", "longer text"),))
    assert finished(order, changed) is None
    with pytest.raises(tc.TokenariumError, match="has changed since it was divided"):
        write_shard(order, shard)


def test_a_shard_that_is_cut_off_is_not_finished(tmp_path: Path) -> None:
    order = order_of(tmp_path)
    shard = Shard(0, (part_of(tmp_path / "a.txt", "text of some length"),))
    write_shard(order, shard)
    ids = tmp_path / "tokens-00000.bin"
    ids.write_bytes(ids.read_bytes()[:-2])
    assert finished(order, shard) is None
    assert "it is missing" in check_shard(order, shard).faults[0]


def test_a_changed_byte_is_found(tmp_path: Path) -> None:
    order = order_of(tmp_path)
    shard = Shard(0, (part_of(tmp_path / "a.txt", "text of some length"),))
    write_shard(order, shard)
    ids = tmp_path / "tokens-00000.bin"
    content = bytearray(ids.read_bytes())
    content[0] ^= 1
    ids.write_bytes(content)
    found = check_shard(order, shard)
    assert found.differing == 1
    assert len(found.faults) == 2


def test_another_tokenizer_at_the_path_is_refused(tmp_path: Path) -> None:
    order = replace(order_of(tmp_path), fingerprint="0" * 64)
    with pytest.raises(tc.TokenariumError, match="opens as a different tokenizer"):
        write_shard(order, Shard(0, (part_of(tmp_path / "a.txt", "text"),)))


def test_a_fault_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    order = order_of(tmp_path)
    shard = Shard(0, (part_of(tmp_path / "a.txt", "text"),))
    monkeypatch.setattr(encoded_corpus._Encoder, "__call__", stop)
    with pytest.raises(KeyboardInterrupt):
        write_shard(order, shard)
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_the_manifest_sums_up(tmp_path: Path) -> None:
    order = order_of(tmp_path)
    shards = shards_of([part_of(tmp_path / f"{k}.txt", "text " * k) for k in range(1, 4)], 1)
    records = [write_shard(order, shard) for shard in shards]
    manifest = json.loads(write_manifest(order, records).read_text("utf-8"))
    assert manifest["total"]["documents"] == 3
    assert manifest["total"]["tokens"] == sum(one.tokens for one in records)
    assert [len(one["files"]) for one in manifest["shards"]] == [2, 2, 2]
    assert manifest["tokenizer"]["sha256"] == order.fingerprint
