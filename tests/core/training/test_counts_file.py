"""A file of counts is whole or refused: cut off, changed, made by hand or of another version."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenarium_core as tc
from tokenarium_core.training import word_counts
from tokenarium_core.training.word_counts import merge_files

OPTIONS = {"normalization": "identity", "pattern": "cl100k", "special_tokens": []}
HEADER = {"family": "byte-level", "options": OPTIONS, "reserved": 0, "texts": 1, "too_long": 0}
Row = tuple[bytes, int]


def head_of(header: object, version: int = 1) -> bytes:
    """Returns the beginning of a file with this header."""
    content = header if isinstance(header, bytes) else json.dumps(header).encode()
    head = b"TOKCOUNT" + struct.pack("<II", version, len(content)) + content
    return head + struct.pack("<I", crc32(head))


def block_of(kind: int, rows: list[Row], lengths: list[int] | None = None) -> bytes:
    """Returns a block with a checksum that fits."""
    text = b"".join(word for word, _ in rows)
    counts = b"".join(struct.pack("<Q", count) for _, count in rows)
    sizes = lengths or [len(word) for word, _ in rows]
    body = counts + b"".join(struct.pack("<I", size) for size in sizes) + text
    head = struct.pack("<IIQ", kind, len(rows), len(text))
    return head + struct.pack("<I", crc32(body, crc32(head))) + body


def end_of(words: int, regions: int) -> bytes:
    """Returns the last block."""
    return block_of(3, [(b"", words), (b"", regions)])


def file_of(*blocks: bytes, header: object = HEADER, version: int = 1) -> bytes:
    """Returns a whole file."""
    return head_of(header, version) + b"".join(blocks)


ROWS = [(b" a", 2), (b"a", 7), ("é".encode(), 1)]


def test_the_format_is_as_it_is_described(tmp_path: Path) -> None:
    (tmp_path / "made").write_bytes(file_of(block_of(1, ROWS), end_of(3, 0)))
    counts = tc.WordCounts.load(tmp_path / "made")
    assert (counts.total, len(counts), counts.byte_count, counts.texts) == (10, 3, 13, 1)
    found = counts.listed()
    assert [(found.piece(n), found.counts[n]) for n in range(3)] == [
        (b"a", 7), (b" a", 2), ("é".encode(), 1),
    ]  # fmt: skip
    word_counts.count("bpe", ["a a"]).save(tmp_path / "saved")
    written = (tmp_path / "saved").read_bytes()
    sorted_header = json.dumps(HEADER, sort_keys=True).encode()
    expected = file_of(block_of(1, [(b" a", 1), (b"a", 1)]), end_of(2, 0), header=sorted_header)
    assert written == expected


BROKEN: list[tuple[bytes, str]] = [
    (b"", "too short"),
    (b"TOKCOUNT", "too short"),
    (b"PK\3\4" + bytes(30), "does not begin with TOKCOUNT"),
    (file_of(end_of(0, 0), version=2), "version 2, and this program reads version 1"),
    (b"TOKCOUNT" + struct.pack("<II", 1, 1 << 31) + bytes(99), "header is said to have 2,147,483,648 bytes"),
    (head_of(HEADER)[:-1] + b"?" + end_of(0, 0), "checksum of the header"),
    (file_of(end_of(0, 0), header=b"{"), "not JSON"),
    (file_of(end_of(0, 0), header=b"[" * 100_000), "not JSON"),
    (file_of(end_of(0, 0), header=[]), "not a JSON object"),
    (file_of(end_of(0, 0), header=HEADER | {"family": "magic"}), "the family 'magic'"),
    (file_of(end_of(0, 0), header=HEADER | {"options": {}}), "options are not those of byte-level"),
    (file_of(end_of(0, 0), header=HEADER | {"options": OPTIONS | {"pattern": 3}}), "an option is impossible"),
    (file_of(end_of(0, 0), header=HEADER | {"texts": -1}), "texts is -1"),
    (file_of(), "ends before its last block"),
    (file_of(block_of(1, ROWS)), "ends before its last block"),
    (file_of(block_of(1, ROWS), end_of(2, 0)), "3 words and 0 regions, not what its end says"),
    (file_of(block_of(1, ROWS), end_of(3, 0), b"more"), "more follows its end"),
    (file_of(block_of(1, [*ROWS, (b"b", 1)]), end_of(4, 0)), "row 3 of a block is not in its order"),
    (file_of(block_of(1, ROWS), block_of(1, [(b"a", 1)]), end_of(4, 0)), "a block is not in its order"),
    (file_of(block_of(1, [(b"a", 1), (b"a", 1)]), end_of(2, 0)), "not in its order"),
    (file_of(block_of(1, [(b"a", 0)]), end_of(1, 0)), "has the count 0"),
    (file_of(block_of(1, [(b"a", 1 << 63)]), end_of(1, 0)), "has the count -"),
    (file_of(block_of(1, [(b"abcd", 1 << 61)]), end_of(1, 0)), "has the count 2,305"),
    (file_of(block_of(1, [(b"", 1)]), end_of(1, 0)), "has the length 0"),
    (file_of(block_of(1, ROWS, [2, 1 << 30, 2]), end_of(3, 0)), "has the length 1,073,741,824"),
    (file_of(block_of(1, ROWS, [2, 1, 1]), end_of(3, 0)), "do not add up"),
    (file_of(block_of(1, [(b"a\xff", 1)]), end_of(1, 0)), "not UTF-8"),
    (file_of(block_of(1, [(b"\xc3", 1), (b"\xc3\xa9", 1)]), end_of(2, 0)), "not UTF-8"),
    (file_of(block_of(1, [(b"a", 1), (b"\xa9", 1)]), end_of(2, 0)), "begins inside a character"),
    (file_of(block_of(2, ROWS), end_of(0, 3)), "regions, which byte-level does not have"),
    (file_of(block_of(2, ROWS), block_of(1, ROWS), end_of(3, 3)), "words come after regions"),
    (file_of(block_of(9, ROWS), end_of(3, 0)), "unknown kind 9"),
    (file_of(struct.pack("<IIQI", 1, 0xFFFFFFFF, 1 << 63, 0)), "a block is said to have"),
    (file_of(struct.pack("<IIQI", 1, 0, 0, 0)), "a block is said to have 0 rows"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "why"), BROKEN)
def test_a_broken_file_is_refused_with_its_place(content: bytes, why: str, tmp_path: Path) -> None:
    path = tmp_path / "broken.counts"
    path.write_bytes(content)
    with pytest.raises(tc.FormatError, match=why) as caught:
        tc.WordCounts.load(path)
    assert "broken.counts" in str(caught.value)
    if "regions, which" not in why:  # merging keeps what a file has
        with pytest.raises(tc.FormatError, match=why):
            merge_files([path], tmp_path / "out.counts")
        assert list(tmp_path.iterdir()) == [path]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_change_of_a_file_is_noticed(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("changed") / "some.counts"
    word_counts.count("superbpe", ["low lower lowest, slow and slower\n", "नमस्ते दुनिया"]).save(path)
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    changes: list[Callable[[], object]] = [
        lambda: content.__delitem__(slice(place, None)),
        lambda: content.__setitem__(place, content[place] ^ data.draw(st.integers(1, 255))),
        lambda: content.__delitem__(place),
        lambda: content.insert(place, data.draw(st.integers(0, 255))),
    ]
    changes[data.draw(st.integers(0, 3))]()
    if bytes(content) == path.read_bytes():
        return  # an inserted byte equal to its neighbour can leave nothing changed but the length
    path.write_bytes(content)
    with pytest.raises(tc.FormatError, match=r"some\.counts"):
        tc.WordCounts.load(path)


def test_a_file_that_is_not_there_is_not_available(tmp_path: Path) -> None:
    with pytest.raises(tc.NotAvailable, match="cannot be read"):
        tc.WordCounts.load(tmp_path / "absent.counts")
    with pytest.raises(tc.NotAvailable, match="cannot be read"):
        tc.WordCounts.load(tmp_path)
    with pytest.raises(tc.WriteError, match="cannot be written"):
        word_counts.count("bpe", ["a"]).save(tmp_path / "no folder" / "a.counts")


def test_many_blocks_are_sorted_over_all_of_them(tmp_path: Path) -> None:
    long = "x" * 700_000
    texts = [f"{long}{n} {n}" for n in (3, 1, 2)] + [
        " ".join(f"{n * 7919 % 5003}" for n in range(5003))
    ]
    counts = word_counts.count("bpe", texts, pattern=r"\S+|\s+")
    counts.save(tmp_path / "a.counts")
    loaded = tc.WordCounts.load(tmp_path / "a.counts")
    assert len(loaded) == len(counts) == 5003 + 3 + 1
    loaded.merge(counts)
    assert loaded.total == 2 * counts.total
