"""Corpora at addresses: web servers on this computer, with parts of files and without; memory; an object store."""

from __future__ import annotations

import gzip
import io
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_files import CorpusSource, source_of
from tokenarium.models.training.corpus_parts import CorpusPart, part_documents, parts_of
from tokenarium.models.training.corpus_urls import is_url, reason_of

fsspec = pytest.importorskip("fsspec")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

TEXTS = [f"Satz {number}: größer als {number % 91}" for number in range(3000)]
LINES = "".join(json.dumps({"text": text}) + "\n" for text in TEXTS).encode()


def parquet() -> bytes:
    content = io.BytesIO()
    pq.write_table(pa.table({"text": TEXTS}), content, row_group_size=700)
    return content.getvalue()


def arrow() -> bytes:
    content = io.BytesIO()
    table = pa.table({"text": TEXTS})
    with pa.ipc.new_stream(content, table.schema) as writer:
        writer.write_table(table, max_chunksize=700)
    return content.getvalue()


FILES = {
    "rows.jsonl": LINES,
    "rows.jsonl.gz": gzip.compress(LINES),
    "rows.parquet": parquet(),
    "rows.arrow": arrow(),
    "text.txt": "\n".join(TEXTS).encode(),
}


class _Server(ThreadingHTTPServer):
    ranges = True
    cut = 0  # bytes after which the connection is closed
    requests = 0


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_HEAD(self) -> None:
        self._answer(False)

    def do_GET(self) -> None:
        self._answer(True)

    def _answer(self, content: bool) -> None:
        self.server.requests += 1
        data = FILES.get(self.path.strip("/"))
        if data is None:
            self.send_error(404)
            return
        asked = self.headers.get("Range", "")
        if asked and self.server.ranges:
            first, _, last = asked.removeprefix("bytes=").partition("-")
            start, stop = int(first), min(int(last or len(data)) + 1, len(data))
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{stop - 1}/{len(data)}")
            data = data[start:stop]
        else:
            self.send_response(200)
        if self.server.ranges:
            self.send_header("Accept-Ranges", "bytes")
        self.send_header("ETag", '"one"')
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if content:
            self.wfile.write(data[: self.server.cut] if self.server.cut else data)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(params=[True, False], ids=["ranges", "no ranges"])
def server(request: pytest.FixtureRequest) -> Iterator[_Server]:
    found = _Server(("127.0.0.1", 0), _Handler)
    found.ranges = request.param
    thread = threading.Thread(target=found.serve_forever, daemon=True)
    thread.start()
    yield found
    found.shutdown()
    found.server_close()
    thread.join()
    from fsspec.implementations.http import HTTPFileSystem

    HTTPFileSystem.clear_instance_cache()


def url_of(server: _Server, name: str) -> str:
    return f"http://127.0.0.1:{server.server_address[1]}/{name}"


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_files_on_a_web_server_are_read_whole_and_in_parts(server: _Server, name: str) -> None:
    source = source_of(url_of(server, name))
    wanted = ["\n".join(TEXTS)] if name == "text.txt" else TEXTS
    corpus = Corpus([source])
    assert list(corpus) == wanted
    assert corpus.reports[0].note == ""
    assert corpus.reports[0].file.place == url_of(server, name)
    parts = [part for part in parts_of(source, 30_000) if isinstance(part, CorpusPart)]
    assert [text for part in parts for text in part_documents(part)] == wanted
    divided = name in ("rows.jsonl", "rows.arrow") and (server.ranges or name == "rows.arrow")
    assert (len(parts) > 1) == divided  # tables without ranges are kept on the disk for a moment


@pytest.mark.slow
def test_a_file_that_is_not_there_is_reported(server: _Server) -> None:
    corpus = Corpus([source_of(url_of(server, "gone.txt"))])
    assert list(corpus) == []
    assert "gone.txt: It cannot be read" in corpus.why_nothing


@pytest.mark.slow
def test_a_connection_that_ends_is_reported_with_what_was_read(server: _Server) -> None:
    source = source_of(url_of(server, "rows.jsonl"))
    corpus = Corpus([source])
    server.cut = 40_000
    texts = list(corpus)
    assert texts == TEXTS[: len(texts)]
    assert len(texts) < len(TEXTS)
    assert corpus.reports[0].note
    assert corpus.damage


def test_an_object_store_in_memory_is_listed(tmp_path: object) -> None:
    system = fsspec.filesystem("memory")
    system.pipe("/corpus/b/two.jsonl", LINES)
    system.pipe("/corpus/a.txt", b"first")
    system.pipe("/corpus/.hidden", b"never")
    system.pipe("/corpus/rows.parquet", FILES["rows.parquet"])
    try:
        corpus = Corpus([source_of("memory://corpus/")])
        assert list(corpus) == ["first", *TEXTS, *TEXTS]
        assert [file.place for file in corpus.files] == [
            "memory:///corpus/a.txt",
            "memory:///corpus/b/two.jsonl",
            "memory:///corpus/rows.parquet",
        ]
        assert list(Corpus([source_of("memory://corpus/**/*.jsonl")])) == TEXTS
        parts = list(parts_of(source_of("memory://corpus/b/two.jsonl"), 9000))
        found = [
            text for part in parts if isinstance(part, CorpusPart) for text in part_documents(part)
        ]
        assert (found, len(parts)) == (TEXTS, -(-len(LINES) // 9000))
        missing = Corpus([source_of("memory://corpus/gone.txt"), source_of("memory://none/*.txt")])
        list(missing)
        assert [item.reason for item in missing.skipped] == [
            "It cannot be read: there is no such file.",
            "No file was found there.",
        ]
    finally:
        system.rm("/corpus", recursive=True)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("s3://bucket/folder/", "folder"),
        ("s3://bucket/*.parquet", "glob"),
        ("hf://datasets/someone/texts/a.parquet", "file"),
        ("https://example.org/a.txt?x=1", "file"),
        ("https://example.org/*.txt", "glob"),
    ],
)
def test_addresses_are_sources(value: str, kind: str) -> None:
    assert is_url(value)
    assert source_of(value) == CorpusSource(kind, value)  # type: ignore[arg-type]


def test_what_a_protocol_lacks_is_said() -> None:
    assert reason_of(ImportError("Install s3fs"), "s3://bucket/a") == (
        "Its protocol, s3, needs a package that is not installed. Install it: pip install s3fs"
    )
    corpus = Corpus([source_of("klingon://a/b.txt")])
    assert "no file system is known for klingon://" in corpus.skipped[0].reason


def test_an_object_store_by_s3(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("s3fs")
    moto = pytest.importorskip("moto.server")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    store = moto.ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    store.start()
    try:
        host, port = store.get_host_and_port()
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        system = fsspec.filesystem("s3", skip_instance_cache=True)
        system.mkdir("texts")
        for name, data in FILES.items():
            system.pipe(f"texts/{name}", data)
        corpus = Corpus([source_of("s3://texts/*.parquet"), source_of("s3://texts/rows.jsonl")])
        assert list(corpus) == TEXTS * 2
        assert corpus.files[0].version
        parts = list(parts_of(source_of("s3://texts/rows.jsonl"), 20_000))
        found = [
            text for part in parts if isinstance(part, CorpusPart) for text in part_documents(part)
        ]
        assert (found, len(parts) > 3) == (TEXTS, True)
    finally:
        store.stop()
