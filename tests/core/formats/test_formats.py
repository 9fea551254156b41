"""Files with one fault each: the error names the place, and nothing is half-loaded."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from small_files import saved, write_file
from small_vocabularies import LOWER, of_pieces, rank_file

import tokenarium_core as tc
from tokenarium_core.formats.gpt2_format import read_gpt2, read_gpt2_merges
from tokenarium_core.formats.named import NAMED, read_files
from tokenarium_core.formats.opening import open_tokenizer
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.pretokenizers.scanners import pre_tokenizer
from tokenarium_core.unicode import byte_alphabet

RANKS = rank_file([b"ab", b"abc"])


def b64(piece: bytes) -> bytes:
    return base64.b64encode(piece)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\x80\x81 binary", "no format that this program knows"),
        (RANKS + b"!!! 258\n", "Line 259 of .* is not base64, a space and a rank"),
        (RANKS + b64(b"abcd"), "Line 259 of .* is cut off: the file ends in the middle of it"),
        (RANKS + b64(b"abcd")[:3], "Line 259 of .* is cut off"),
        (RANKS + b64(b"abcd") + b" ", "Line 259 of .* is cut off"),
        (RANKS + b64(b"abcd") + b" 25", "Line 259 of .* is cut off"),
        (RANKS + b64(b"abcd") + b"\n", "Line 259 of .* is not base64, a space and a rank"),
        (RANKS + b64(b"abcd") + b" \n", "Line 259 of .* has no rank"),
        (RANKS + b64(b"abcd")[:-1] + b" 258", "Line 259 of .* has an entry whose base64 is cut off"),
        (RANKS + b64(b"abcd") + b" 258 x", "Line 259 of .* continues after its rank"),
        (RANKS + b64(b"abcd") + b" 257\n", "Line 259 of .* has the rank 257, which an earlier line"),
        (RANKS + b64(b"abcd") + b" 99999999999\n", "Line 259 of .* has a rank above 2,097,150"),
        (RANKS + b64(b"abcd") + b" 260\n", "no entry of rank 258"),
        (RANKS + b64(b"ab") + b" 258\n", "ids 256 and 258 have the same bytes, b'ab'"),
        (b"".join(RANKS.splitlines(True)[:-3][1:]), "no entry of rank 0"),
        (b"IQ== 0\n", "The byte 0x00 has no entry"),
    ],
)  # fmt: skip
def test_rank_files_with_a_fault(tmp_path: Path, content: bytes, message: str) -> None:
    path = write_file(tmp_path / "fault.tiktoken", content)
    with pytest.raises(tc.FormatError, match=message):
        open_tokenizer(path, pattern="whitespace")


def test_a_rank_file_needs_a_pattern(tmp_path: Path) -> None:
    path = write_file(tmp_path / "some.tiktoken", RANKS.replace(b"\n", b"\r\n"))
    with pytest.raises(tc.FormatError, match="not the pattern that splits a text: choose one"):
        tc.open(path)
    tokenizer = tc.open(path, pattern=r"\w+|\W+", special_tokens={"<x>": 258})
    assert tokenizer.name == "some"
    assert list(tokenizer.encode("abc<x>", special="all").ids) == [257, 258]
    with pytest.raises(tc.FormatError, match="'<x>' has the id 3, which another entry"):
        tc.open(path, pattern="gpt2", special_tokens={"<x>": 3})
    with pytest.raises(tc.PatternError):
        tc.open(path, pattern="(")


def gpt2_pair(folder: Path, merges: list[str], extra: dict[str, int] | None = None) -> Path:
    """Writes a pair of files with these merges; returns the folder."""
    ids = {character: byte for byte, character in enumerate(byte_alphabet.CHARACTERS)}
    for merge in merges:
        ids.setdefault(merge.replace(" ", ""), len(ids))
    (folder / "encoder.json").write_text(json.dumps({**ids, **(extra or {})}), "utf-8")
    (folder / "vocab.bpe").write_text("\n".join(["#version: 0.2", *merges, ""]), "utf-8")
    return folder


def test_a_pair_of_gpt2_files(tmp_path: Path) -> None:
    folder = gpt2_pair(tmp_path, ["Ġ t", "h e", "Ġt he"], {"<|endoftext|>": 259})
    for path in (folder, folder / "encoder.json", folder / "vocab.bpe"):
        tokenizer = tc.open(path)
        assert tokenizer.encode_ids(" the the") == [258, 258]
        assert (tokenizer.source.format, tokenizer.source.path) == ("gpt2", str(path))
        assert tokenizer.special_tokens == {"<|endoftext|>": 259}
        assert list(tokenizer.encode(" the<|endoftext|>", special="all").ids) == [258, 259]


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("vocab.bpe", "#version", "version", "no format that this program knows"),
        ("vocab.bpe", "h e", "he", "Line 3 of vocab.bpe is 'he', not two entries"),
        ("encoder.json", '"he": 257', '"hx": 257', "Line 3 of vocab.bpe merges"),
        ("vocab.bpe", "Ġ t\nh e\nĠt he\n", "", "which no merge in vocab.bpe makes, and 2 more"),
        ("encoder.json", '"he": 257', '"he": 256', "The id 256 belongs to both"),
        ("encoder.json", '"he": 257', '"he": 257, "<x>": 256', "belongs to both 'Ġt' and '<x>'"),
        ("encoder.json", '"he": 257', '"he": 257, "he": 300', "has the entry 'he' twice"),
        ("encoder.json", '"he": 257', '"he": -1', "the id -1, which is not a whole number from 0"),
        ("encoder.json", '"he": 257', '"he": 2000000', "is far above the number of entries"),
        ("encoder.json", '"he": 257', '"he": 257', None),
        ("encoder.json", ": 258}", ": 258", "is not complete JSON"),
    ],
)  # fmt: skip
def test_gpt2_files_with_a_fault(
    tmp_path: Path, name: str, old: str, new: str, message: str | None
) -> None:
    path = gpt2_pair(tmp_path, ["Ġ t", "h e", "Ġt he"]) / name
    path.write_text(path.read_text("utf-8").replace(old, new, 1), "utf-8")
    if message is None:
        assert len(tc.open(tmp_path).vocabulary) == 259
        return
    with pytest.raises(tc.FormatError, match=message):
        tc.open(path)


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("merges.txt", "h e", "he", "Line 3 of merges.txt is 'he', not two entries"),
        ("merges.txt", "h e", "h \udcff", "merges.txt is not UTF-8 at byte"),
        ("merges.txt", "Ġ t\nh e\nĠt he\n", "", "^vocab.json has .* merge in merges.txt makes, .* or merges.txt is cut"),
        ("vocab.json", '"he": 257', '"hx": 257', "of merges.txt merges 'h' and 'e', but vocab.json has no entry"),
        ("vocab.json", '"he": 257', '"he": -1', "^vocab.json gives 'he' the id -1"),
        ("vocab.json", '"he": 257', '"he": 257, "he": 300', "^vocab.json has the entry 'he' twice"),
        ("vocab.json", ": 258}", ": 258", "^vocab.json is not complete JSON"),
    ],
)  # fmt: skip
def test_a_fault_names_the_file_that_was_read(
    tmp_path: Path, name: str, old: str, new: str, message: str
) -> None:
    pair = gpt2_pair(tmp_path, ["Ġ t", "h e", "Ġt he"])
    (pair / "encoder.json").rename(pair / "vocab.json")
    (pair / "vocab.bpe").rename(pair / "merges.txt")
    content = (pair / name).read_text("utf-8").replace(old, new, 1)
    (pair / name).write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(tc.FormatError, match=message):
        tc.open(pair / "vocab.json")


@pytest.mark.usefixtures("tiktoken_cache")
def test_merges_alone_give_the_tokenizer_of_the_pair() -> None:
    encoding = NAMED["gpt2"]
    merges, encoder = read_files(encoding)
    scanner = pre_tokenizer("gpt2")
    special = {**encoding.special_tokens, "<a>": 50300, "<b>": 50300}
    pair = read_gpt2(encoder, merges, "gpt2", scanner, special)
    alone = read_gpt2_merges(merges, "gpt2", scanner, special)
    assert alone.vocabulary.arena == pair.vocabulary.arena
    assert alone.vocabulary.spelling == pair.vocabulary.spelling
    for column in ("offsets", "kinds", "_slots"):
        assert same(alone.vocabulary, pair.vocabulary, column), column
    assert alone.special_tokens == pair.special_tokens
    assert isinstance(alone.model, BytePairEncoder)
    assert isinstance(pair.model, BytePairEncoder)
    for column in ("lefts", "rights", "results", "entries"):
        assert same(alone.model.merges, pair.model.merges, column), column


def same(one: object, other: object, column: str) -> bool:
    """Returns whether a column has the same values in two objects."""
    return bytes(memoryview(getattr(one, column))) == bytes(memoryview(getattr(other, column)))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("h ex", "Line 3 of vocab.bpe merges 'h' and 'ex': earlier lines should make both"),
        ("Ġ t", "Line 3 of vocab.bpe merges 'Ġ' and 't'"),
        ("he", "Line 3 of vocab.bpe is 'he', not two entries"),
    ],
)
def test_merges_alone_with_a_fault(line: str, message: str) -> None:
    content = f"#version: 0.2\nĠ t\n{line}\n".encode()
    with pytest.raises(tc.FormatError, match=message):
        read_gpt2_merges(content, "a", pre_tokenizer("gpt2"), {})


@pytest.mark.parametrize("token", [256, -1, 1 << 30])
def test_a_special_token_has_a_free_id(token: int) -> None:
    content = "#version: 0.2\nĠ t\n".encode()
    with pytest.raises(tc.FormatError, match=f"has the id {token}: those from 257 to"):
        read_gpt2_merges(content, "a", pre_tokenizer("gpt2"), {"<a>": token})


def test_half_a_pair_is_not_available(tmp_path: Path) -> None:
    (gpt2_pair(tmp_path, ["h e"]) / "vocab.bpe").unlink()
    with pytest.raises(tc.NotAvailable, match=r"encoder\.json needs vocab\.bpe beside it"):
        tc.open(tmp_path / "encoder.json")
    with pytest.raises(tc.FormatError, match="a folder without a tokenizer"):
        tc.open(tmp_path)


def test_our_file_keeps_everything(tmp_path: Path) -> None:
    for tokenizer in (
        LOWER,
        of_pieces([b"abc"], "gpt2", {"<end>": 300}),  # a piece that merging does not reach
        of_pieces([b"ab"], r"[ab]+|[^ab]+", {"<\U0001f642>": 258}),
    ):
        path = saved(tokenizer, tmp_path / "saved.json")
        again = tc.open(path)
        content = path.read_bytes()
        again.save(path)
        assert path.read_bytes() == content
        text = "abc lower <end> <🙂> é"
        assert list(again.encode(text, special="all").ids) == list(
            tokenizer.encode(text, special="all").ids
        )
        assert again.pre_tokenizer.pattern == tokenizer.pre_tokenizer.pattern
    assert [path.name for path in tmp_path.iterdir()] == ["saved.json"]
    with pytest.raises(ValueError, match="cannot be saved as 'onnx'"):
        LOWER.save(tmp_path / "x", format="onnx")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"format": "tokenarium"', '"format": "other"', "field 'format' is not 'tokenarium'"),
        (
            '"version": 1',
            '"version": 6',
            "version 6 of the format; this program reads versions 1 to 5",
        ),
        ('"lower"', '"lowex"', "changed or cut off after it was saved"),
        ('"tokenizer": {', '"tokenizer": 3, "x": {', "no field 'tokenizer'"),
    ],
)
def test_our_files_with_a_fault(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = saved(LOWER, tmp_path / "fault.json")
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(tc.FormatError, match=message):
        tc.open(path)
    path.write_text(text[: len(text) // 2], "utf-8")
    with pytest.raises(tc.FormatError, match="is not complete JSON"):
        tc.open(path)


@pytest.mark.parametrize("text", ["[" * 100000, '{"a": ' * 100000, "{}", '{"model": {}}'])
def test_other_json_is_refused(tmp_path: Path, text: str) -> None:
    path = write_file(tmp_path / "other.json", text)
    with pytest.raises(
        tc.FormatError, match=r"is of no format|is not complete|is incomplete|not of a tokenizer"
    ):
        tc.open(path)


@pytest.mark.parametrize(
    ("content", "quoted"),
    [
        (b"\x89TEN\r\n\x1a\n\0\0\0\rIHDR", "the bytes 89 54 45 4E 0D 0A 1A 0A"),
        (b"hello there, nobody", "“hello there, nob”"),
    ],
)
def test_a_file_of_no_known_format_is_quoted_by_its_beginning(
    tmp_path: Path, content: bytes, quoted: str
) -> None:
    path = write_file(tmp_path / "other.model", content)
    with pytest.raises(tc.FormatError, match=f"begins with {quoted}. Open the tokenizer file"):
        tc.open(path)


def test_what_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    with pytest.raises(
        tc.NotAvailable, match="There is no file nothing, and no encoding of that name"
    ):
        tc.open("nothing")
    with pytest.raises(tc.NotAvailable) as error:
        tc.open("cl100k_base")
    for part in (
        "cl100k_base is not on this computer",
        str(tmp_path),
        "tokenarium fetch cl100k_base",
    ):
        assert part in str(error.value)


def test_a_damaged_copy_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tokenarium_core.formats.named import NAMED, cache_path

    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    cache_path(NAMED["cl100k_base"].files[0]).write_bytes(RANKS)
    with pytest.raises(tc.NotAvailable, match="is damaged: its SHA-256 is"):
        tc.open("cl100k_base")


def test_the_byte_alphabet() -> None:
    assert byte_alphabet.to_text(b" the\n") == "ĠtheĊ"
    every = bytes(range(256))
    assert byte_alphabet.to_bytes(byte_alphabet.to_text(every)) == every
    assert byte_alphabet.to_text(every).isprintable()
