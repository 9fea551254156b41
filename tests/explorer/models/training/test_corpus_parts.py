"""Parts of a corpus: read alone and in any process, they give the documents of the whole."""

from __future__ import annotations

import gzip
import json
import pickle
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_files import write_file

from tokenarium.models.training import corpus_documents
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.corpus_parts import (
    CorpusPart,
    check_unchanged,
    part_documents,
    parts_of,
)
from tokenarium.models.training.corpus_reports import FileReport
from tokenarium_core import TokenariumError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

DOCUMENTS = st.lists(st.text(st.characters(codec="utf-8"), max_size=40), min_size=1, max_size=40)
FORMS = ("txt", "jsonl", "jsonl.gz", "parquet", "arrow", "stream.arrow")
AS_EXAMPLES = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def write(path: Path, texts: Sequence[str], rows: int) -> None:
    """Writes texts in the form of a file's name."""
    table = pa.table({"text": pa.array(texts, pa.string()), "n": list(range(len(texts)))})
    if path.name.endswith(".txt"):
        path.write_bytes("\n".join(texts).encode())
    elif ".jsonl" in path.name:
        content = "".join(json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in texts)
        data = content.encode()
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    elif path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=rows)
    else:
        kind = pa.ipc.new_stream if ".stream" in path.name else pa.ipc.new_file
        with kind(str(path), table.schema) as writer:
            writer.write_table(table, max_chunksize=rows)


def parts(source: CorpusSource, size: int) -> list[CorpusPart]:
    found = list(parts_of(source, size))
    assert all(isinstance(part, CorpusPart) for part in found)
    return [part for part in found if isinstance(part, CorpusPart)]


def read(found: Sequence[CorpusPart]) -> Iterator[str]:
    for part in found:
        again = pickle.loads(pickle.dumps(part))
        assert again == part
        assert again.identity == part.identity
        yield from part_documents(again)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@AS_EXAMPLES
@given(
    texts=DOCUMENTS, size=st.integers(1, 600), rows=st.integers(1, 9), section=st.integers(1, 90)
)
def test_parts_of_any_size_are_the_whole(
    tmp_path: Path, form: str, texts: list[str], size: int, rows: int, section: int
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(corpus_documents, "SECTION", section)
        patched.setattr(corpus_documents, "LARGEST_DOCUMENT", 1 + section // 2)
        path = tmp_path / f"texts.{form}"
        write(path, texts, rows)
        source = CorpusSource("file", str(path), encoding="utf-8" if "json" in form else "")
        if form == "txt" and not path.stat().st_size:
            return
        whole = Corpus([source])
        documents = list(whole)
        found = parts(source, size)
        assert list(read(found)) == documents
        assert len({part.identity for part in found}) == len(found)
        if form != "txt":
            assert documents == texts
        elif not whole.reports[0].note:
            assert "".join(documents).encode("utf-8") in (
                path.read_bytes(),
                path.read_bytes().removeprefix(b"\xef\xbb\xbf"),
            )
        if form in ("txt", "jsonl", "jsonl.gz"):
            assert sum(part.size for part in found) == path.stat().st_size


@AS_EXAMPLES
@given(
    lines=st.lists(st.binary(max_size=12), max_size=30),
    size=st.integers(1, 60),
    name=st.sampled_from(["utf-8", "latin-1", "shift_jis", "gb18030", "utf-16-le"]),
)
def test_broken_lines_are_left_out_alike(
    tmp_path: Path, lines: list[bytes], size: int, name: str
) -> None:
    path = tmp_path / "lines.jsonl"
    good = '{"text": "gut"}\n'.encode(name)
    path.write_bytes(good + b"".join(line + b"\n" + good for line in lines))
    source = CorpusSource("file", str(path), encoding=name)
    whole = Corpus([source])
    documents = list(whole)
    reports = [FileReport(part.file) for part in parts(source, size) if part.file is not None]
    found = [
        text
        for part, report in zip(parts(source, size), reports, strict=True)
        for text in part_documents(part, report)
    ]
    assert found == documents
    assert sum(report.bad_lines for report in reports) == whole.reports[0].bad_lines


def test_a_line_that_is_not_text_takes_no_other_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_documents, "SECTION", 100)
    path = tmp_path / "text.txt"
    lines = [b"line %04d\n" % number for number in range(50)]
    lines[15] = b"lin\xff 0015\n"
    path.write_bytes(b"".join(lines))
    source = CorpusSource("file", str(path), encoding="utf-8")
    corpus = Corpus([source])
    texts = list(corpus)
    assert "line 0009" in texts[0]
    assert "line 0014\nline 0016" in texts[1]
    assert len(texts) == 5
    assert "0xFF at byte 153" in corpus.reports[0].note
    found = parts(source, 100)
    assert [part.start for part in found] == [0, 100, 200, 300, 400]
    assert list(read(found)) == texts
    report = FileReport(found[1].file)  # type: ignore[arg-type]
    assert list(part_documents(found[1], report)) == texts[1:2]
    assert report.note == (
        "bytes 100 to 199: 1 line was left out because of bytes that cannot be decoded: 0xFF at byte 153 is not utf-8."
    )


def test_the_text_of_a_source_is_a_part(tmp_path: Path) -> None:
    [part] = parts(CorpusSource("text", "größer"), 1)
    assert (part.size, part.name, list(part_documents(part))) == (8, "“größer”", ["größer"])
    assert parts(CorpusSource("text", ""), 1) == []


def test_an_identity_is_of_the_content_and_of_how_it_is_read(tmp_path: Path) -> None:
    path = write_file(tmp_path / "rows.jsonl", '{"text": "a"}\n' * 10)
    source = CorpusSource("file", str(path))
    first = parts(source, 50)
    assert [part.identity for part in parts(source, 50)] == [part.identity for part in first]
    assert {part.identity for part in parts(source, 60)}.isdisjoint(part.identity for part in first)
    other = CorpusSource("file", str(path), field="title")
    assert parts(other, 50)[0].identity != first[0].identity
    check_unchanged(first[0])
    path.write_text('{"text": "b"}\n' * 10 + "\n")
    assert parts(source, 50)[0].identity != first[0].identity
    with pytest.raises(TokenariumError, match="has changed since it was divided"):
        check_unchanged(first[0])
    path.unlink()
    with pytest.raises(TokenariumError, match="cannot be read"):
        check_unchanged(first[0])


def test_a_file_that_cannot_be_divided_is_one_part_and_says_why(tmp_path: Path) -> None:
    path = write_file(tmp_path / "broken.parquet", b"PAR1 and nothing more")
    [part] = parts(CorpusSource("file", str(path)), 1)
    assert part.file is not None
    report = FileReport(part.file)
    assert list(part_documents(part, report)) == []
    assert "It is not a complete Parquet file" in report.note
