"""Parquet and Arrow: the texts are those that pyarrow and datasets read; a broken row group is reported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tokenarium.models.training import corpus_unpacking
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_files import CorpusSource, Kind

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

TEXTS = [f"document {number}, größer 日本 🙂\n" * (number % 5) for number in range(1500)]
INNER = [{"title": f"title {number}", "n": number} for number in range(1500)]


def table(**more: Any) -> Any:
    return pa.table({"id": list(range(len(TEXTS))), "text": TEXTS, **more})


def read(path: Path, field: str = "text", kind: Kind = "file") -> tuple[list[str], Corpus]:
    corpus = Corpus([CorpusSource(kind, str(path), field=field)])
    return list(corpus), corpus


@pytest.mark.slow
@pytest.mark.parametrize("compression", ["none", "snappy", "zstd", "gzip", "lz4", "brotli"])
@pytest.mark.parametrize(
    "type", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())]
)
def test_parquet_is_read_as_pyarrow_reads_it(tmp_path: Path, compression: str, type: Any) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(
        table(text=pa.array(TEXTS, type)), path, row_group_size=400, compression=compression
    )
    texts, corpus = read(path)
    assert texts == pq.read_table(path)["text"].to_pylist() == TEXTS
    assert corpus.reports[0].note == ""
    assert (corpus.documents, corpus.done) == (1500, corpus.total)


@pytest.mark.parametrize("kind", ["new_file", "new_stream"])
@pytest.mark.parametrize("compression", [None, "zstd", "lz4"])
def test_arrow_is_read_as_pyarrow_reads_it(
    tmp_path: Path, kind: str, compression: str | None
) -> None:
    path = tmp_path / "rows.arrow"
    options = pa.ipc.IpcWriteOptions(compression=compression)
    for text in (
        pa.array(TEXTS),
        pa.array(TEXTS).dictionary_encode(),
        pa.array(TEXTS, pa.string_view()),
    ):
        one = pa.table({"id": list(range(len(TEXTS))), "text": text})
        with getattr(pa.ipc, kind)(str(path), one.schema, options=options) as writer:
            writer.write_table(one, max_chunksize=200)
        texts, corpus = read(path)
        assert texts == TEXTS
        assert corpus.reports[0].note == ""


def test_a_column_is_chosen_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(table(meta=INNER, raw=[text.encode() for text in TEXTS]), path)
    assert read(path)[0] == TEXTS
    assert read(path, "meta.title")[0] == [one["title"] for one in INNER]
    assert read(path, "raw")[0] == TEXTS
    texts, corpus = read(path, "body")
    assert texts == []
    assert corpus.reports[0].note == (
        "It has no column “body”. Choose the field: the columns of text: text, meta.title."
    )
    assert "its column “id” holds int64, not text" in read(path, "id")[1].why_nothing.replace(
        "Its", "its"
    )


def test_one_column_of_text_needs_no_name(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"n": [1, 2], "content": ["a", "b"]}), path)
    assert read(path)[0] == ["a", "b"]
    pq.write_table(pa.table({"one": ["a"], "two": ["b"]}), path)
    assert "Choose the field: the columns of text: one, two." in read(path)[1].why_nothing
    pq.write_table(pa.table({"n": [1]}), path)
    assert "None of its columns holds text." in read(path)[1].why_nothing


def test_rows_without_text_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    raw = pa.array([b"a", None, b"\xff\xfe", b"b"])
    pq.write_table(pa.table({"text": raw}), path)
    texts, corpus = read(path)
    assert texts == ["a", "b"]
    assert corpus.reports[0].note == "2 rows left out: row 2 of group 0 has no text."
    assert corpus.damage == (
        "Of 1 file, 1 could not be read completely, and 2 lines or rows in them."
    )
    # Text that is not UTF-8, as faulty programs write it.
    words = pa.StringArray.from_buffers(2, raw.buffers()[1], pa.py_buffer(b"a\xff\xfeb"))
    with pa.ipc.new_file(str(tmp_path / "rows.arrow"), pa.schema({"text": pa.string()})) as writer:
        writer.write_table(pa.table({"text": words}))
    texts, corpus = read(tmp_path / "rows.arrow")
    assert corpus.reports[0].bad_lines >= 0
    assert "a" in texts


def test_a_broken_row_group_is_named_and_the_next_ones_are_read(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(
        pa.table({"text": TEXTS}),
        path,
        row_group_size=500,
        compression="zstd",
        use_dictionary=False,
    )
    place = pq.ParquetFile(path).metadata.row_group(1).column(0).data_page_offset
    data = bytearray(path.read_bytes())
    data[place + 20 : place + 400] = bytes(380)
    path.write_bytes(data)
    texts, corpus = read(path)
    assert texts[:500] == TEXTS[:500]
    assert texts[-500:] == TEXTS[1000:]
    assert "row group left out: row group 1 cannot be read" in corpus.reports[0].note
    strict = Corpus([CorpusSource("file", str(path))], strict=True)
    with pytest.raises(Exception, match="row group 1 cannot be read"):
        list(strict)


@pytest.mark.parametrize("stop", [40, 3000, -200])
@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.stream.arrow"])
def test_a_table_that_is_cut_off_is_reported(tmp_path: Path, name: str, stop: int) -> None:
    path = tmp_path / name
    if name == "a.parquet":
        pq.write_table(table(), path, row_group_size=100)
    else:
        kind = pa.ipc.new_stream if "stream" in name else pa.ipc.new_file
        with kind(str(path), table().schema) as writer:
            writer.write_table(table(), max_chunksize=100)
    path.write_bytes(path.read_bytes()[:stop])
    texts, corpus = read(path)
    assert texts == TEXTS[: len(texts)]
    assert corpus.reports[0].note
    assert len(texts) < len(TEXTS)


def test_a_table_that_unpacks_to_far_more_than_a_text_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_unpacking, "MOST_UNPACKED", 1 << 20)
    path = tmp_path / "bomb.parquet"
    pq.write_table(pa.table({"text": pa.array(["x" * 10_000] * 2_000).dictionary_encode()}), path)
    texts, corpus = read(path)
    assert len(texts) < 2_000
    assert "unpacks to more than 250 times its size" in corpus.reports[0].note


@pytest.mark.slow
def test_a_saved_dataset_is_read_in_its_order(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    one = datasets.Dataset.from_dict({"text": TEXTS, "n": list(range(1500))})
    mixed = one.shuffle(seed=3).select(range(700))
    both = datasets.DatasetDict({"train": mixed, "dev": one.select(range(30))})
    mixed.save_to_disk(tmp_path / "one", num_shards=3)
    both.save_to_disk(tmp_path / "both", num_shards={"train": 2, "dev": 1})
    texts, corpus = read(tmp_path / "one", kind="folder")
    assert texts == datasets.load_from_disk(str(tmp_path / "one"))["text"][:]
    assert corpus.skipped == []
    assert len(corpus.files) == 3
    loaded = datasets.load_from_disk(str(tmp_path / "both"))
    texts, _ = read(tmp_path / "both", kind="folder")
    assert texts == [*loaded["train"]["text"][:], *loaded["dev"]["text"][:]]


def test_a_repository_in_the_cache_of_the_hub_is_its_current_revision(tmp_path: Path) -> None:
    top = tmp_path / "datasets--someone--texts"
    (top / "blobs").mkdir(parents=True)
    (top / "refs").mkdir()
    for number, revision in enumerate(("old", "new")):
        blob = top / "blobs" / f"{number}abc"
        pq.write_table(pa.table({"text": [revision]}), blob)
        folder = top / "snapshots" / revision / "data"
        folder.mkdir(parents=True)
        (folder / "train-00000-of-00001.parquet").symlink_to(blob)
    (top / "refs" / "main").write_text("new")
    assert read(top, kind="folder")[0] == ["new"]
