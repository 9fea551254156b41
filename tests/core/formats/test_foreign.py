"""Files of kinds that are known and not read: each is refused by its own sentence, wherever it stands."""

from __future__ import annotations

from pathlib import Path

import pytest
from foreign_files import FOREIGN_FILES
from narrowed import there
from small_files import write_file

import tokenarium_core as tc
from tokenarium_core.formats import in_folder
from tokenarium_core.formats.foreign import FOREIGN_KINDS
from tokenarium_core.formats.format import FileHead
from tokenarium_core.formats.opening import foreign_kind, is_tokenizer, refusal

CASES = pytest.mark.parametrize(("name", "content", "words"), FOREIGN_FILES)


@CASES
def test_a_file_is_refused_by_its_kind(
    tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    path = write_file(tmp_path / name, content)
    kind = there(foreign_kind(path))
    assert words in kind.what
    assert not is_tokenizer(path)
    for source in (path, tmp_path):  # the folder has nothing else
        with pytest.raises(tc.FormatError) as refused:
            tc.open(source)
        assert kind.sentence(name) in str(refused.value)


@pytest.mark.slow
@CASES
def test_any_beginning_of_one_is_refused_with_a_sentence(
    tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    path = tmp_path / name
    for size in range(0, min(len(content), 48), 3):
        path.write_bytes(content[:size])
        with pytest.raises(tc.TokenariumError, match=r"\.$|\)\.?$"):
            tc.open(path)


def test_each_kind_has_a_file() -> None:
    heads = [FileHead(content, name) for name, content, _ in FOREIGN_FILES]
    for head in heads:
        while head.is_object and head.read_field() and not head.complete:
            pass
    for kind in FOREIGN_KINDS:
        assert any(kind.has(head) for head in heads), kind.what


@pytest.mark.parametrize("name", ["page.html", "page.HTM"])
def test_a_web_page_by_its_name_is_a_text(tmp_path: Path, name: str) -> None:
    path = write_file(tmp_path / name, "<html><p>hello</p></html>")
    assert foreign_kind(path) is None


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.tiktoken", b"YQ== 2\nYg== 1\nYw== 0\n"),  # tiktoken takes ranks in any order
        ("x.txt", b"YQ== 0\nYg== 1\nYw== 2\nYQ 3\n"),
        ("x.tiktoken", b"= 0\nYg 1\nYw 2\n"),
        ("notes.txt", b"'one'\n'two'\n'three'\n"),
        ("notes.txt", b"Four 1\n" * 40),
        ("notes.txt", b"Chapter 1\nChapter 2\nChapter 3\n"),
        ("notes.txt", b"../notes\nare elsewhere\n"),
        ("notes.txt", b"the 10 best\nof 3\n"),
        ("settings.json", b'{"width": 5, "height": 6}'),
        ("text.txt", b"BZh is no archive, nor is ggml\n"),
        ("vocab.txt", b"the\nwords that I learnt\n"),
        ("vocab.txt", b"dog Hund\ncat Katze\ncow Kuh\n"),
        ("vocab.txt", b"the\nof\n"),
        ("vocabulary of a poem.txt", b"Tyger\nTyger\nburning\nbright\n"),
        ("notes.txt", b"bread\nmilk\ntea\n"),
        ("dictation.txt", b"bread\nmilk\ntea\n"),
        ("tokens.json", b'[["a", 1], ["b", 2]]'),
    ],
)
def test_what_only_looks_like_one_is_none(tmp_path: Path, name: str, content: bytes) -> None:
    path = write_file(tmp_path / name, content)
    assert foreign_kind(path) is None


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("added_tokens.json", b'{"<pad>": 7}', "the settings of a model"),
        ("special_tokens_map.json", b"{}", "the settings of a model"),
        ("tokenizer_config.json", b'{"add_prefix_space": false}', "the settings of a model"),
        ("merges.txt", b"a b\nc d\n", "named like a tokenizer's file"),
        ("merges.txt", b"", "named like a tokenizer's file"),
        ("vocab.bpe", b"32 116\n32 97\n", "named like a tokenizer's file"),
        ("vocab.json", b'{"0": "a", "b": 1}', "named like a tokenizer's file"),
        (
            "bpe_simple_vocab_16e6.txt.gz",
            b"\x1f\xef\xbf\xbd\x08\0",
            "named like a tokenizer's file",
        ),
    ],
)
def test_a_name_of_a_part_says_that_it_is_no_text(
    tmp_path: Path, name: str, content: bytes, words: str
) -> None:
    path = write_file(tmp_path / name, content)
    assert words in there(foreign_kind(path)).what


@pytest.mark.parametrize(
    ("name", "content"),
    [("merges.txt", b"#version: 0.2\na b\n"), ("vocab.json", b'{"a": 0, "b": 1, "ab": 2}')],
)
def test_half_of_a_pair_is_opened_to_say_what_is_missing(
    tmp_path: Path, name: str, content: bytes
) -> None:
    path = write_file(tmp_path / name, content)
    assert is_tokenizer(path)
    with pytest.raises(tc.NotAvailable, match="beside it, but"):
        tc.open(path)


@pytest.mark.parametrize(
    ("content", "begins"),
    [
        (b"0: <pad>\n1: <unk>\n", "“0: <pad>”"),
        ("क ख\r\nग".encode(), "“क ख”"),
        (b"It was a bright cold day in April", "“It was a bright ”"),
        (b"a\0b\n", "the bytes 61 00 62 0A"),
        (b"\n\nlow\n", "the bytes 0A 0A 6C 6F 77 0A"),
        (b"caf\xe9\n", "the bytes 63 61 66 E9 0A"),
    ],
)
def test_an_unknown_file_is_named_by_its_first_line(
    tmp_path: Path, content: bytes, begins: str
) -> None:
    path = write_file(tmp_path / "list.txt", content)
    with pytest.raises(tc.FormatError) as refused:
        tc.open(path)
    assert f"it begins with {begins}." in str(refused.value)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("vocab.txt", b'\n!\n"\n#\n0\n1\na\nb\n'),  # begins as a model of SentencePiece does
        ("dict.km.txt", b"".join(b"%d %d\n" % (k, 9 * k) for k in range(40))),  # not base64
    ],
)
def test_a_list_is_not_taken_for_a_tokenizer(tmp_path: Path, name: str, content: bytes) -> None:
    path = write_file(tmp_path / name, content)
    assert not is_tokenizer(path)


def test_a_large_folder_of_other_files_has_no_tokenizer(tmp_path: Path) -> None:
    for number in range(300):
        write_file(tmp_path / f"note{number}.txt", "some words\n")
        write_file(tmp_path / f"._tokenizer{number}.model", "attributes of macOS")
    assert not is_tokenizer(tmp_path)
    write_file(tmp_path / "tokenizer_config.json", "{}")
    assert in_folder(tmp_path) is None, "of many, none is certain"
    (tmp_path / "small.model").write_bytes(b"minbpe v1\n")
    assert is_tokenizer(tmp_path)


def test_a_pointer_beside_others_is_named_too(tmp_path: Path) -> None:
    pointer = FOREIGN_FILES[0][1]
    (tmp_path / "vocab.json").write_text('{"a": 0, "b": 1, "ab": 2}')
    (tmp_path / "merges.txt").write_bytes(pointer)
    with pytest.raises(tc.FormatError, match=r"merges\.txt is a pointer of Git LFS"):
        tc.open(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "GPT2Tokenizer"}')
    with pytest.raises(tc.FormatError, match=r"merges\.txt is a pointer of Git LFS"):
        tc.open(tmp_path)


def test_settings_that_are_pointers_are_named(tmp_path: Path) -> None:
    for name in ("special_tokens_map.json", "tokenizer_config.json"):
        (tmp_path / name).write_bytes(FOREIGN_FILES[0][1])
    with pytest.raises(tc.FormatError, match=r"special_tokens_map\.json is a pointer of Git LFS"):
        tc.open(tmp_path)


def test_a_link_of_a_cache_without_its_file_is_named(tmp_path: Path) -> None:
    snapshot = tmp_path / "models--org--name" / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    (tmp_path / "models--org--name" / "refs").mkdir()
    write_file(tmp_path / "models--org--name" / "refs" / "main", "abc")
    (snapshot / "tokenizer.json").symlink_to("../../blobs/gone")
    for source in (snapshot, tmp_path / "models--org--name"):
        assert "tokenizer.json is a link to a file that is not there" in refusal(source)
        with pytest.raises(
            tc.FormatError, match=r"tokenizer\.json is a link to a file that is not"
        ):
            tc.open(source)


def test_a_pair_with_ends_of_words_is_refused_by_its_cause(tmp_path: Path) -> None:
    (tmp_path / "vocab.json").write_text('{"a": 0, "b</w>": 1, "ab</w>": 2}')
    (tmp_path / "merges.txt").write_text("#version: 0.2\na b</w>\n")
    with pytest.raises(tc.FormatError, match="mark the ends of words with </w>"):
        tc.open(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "Qwen3_5Tokenizer"}')
    with pytest.raises(tc.FormatError) as refused:
        tc.open(tmp_path)
    assert "by itself" not in str(refused.value), "which is refused too"


@pytest.mark.parametrize("size", [0, 40_000])
def test_a_word_list_without_an_unknown_token_says_so(tmp_path: Path, size: int) -> None:
    path = write_file(
        tmp_path / "vocab.txt",
        "[PAD]\nlow\n##er\n" + "".join(f"word{id}\n" for id in range(size // 8)),
    )
    for source in (path, tmp_path):
        with pytest.raises(tc.FormatError, match=r"vocab\.txt has no line \[UNK\]"):
            tc.open(source)


def test_headings_are_no_word_list(tmp_path: Path) -> None:
    path = write_file(tmp_path / "vocab.txt", "# Words\n## Nouns\nlow\n")
    assert not is_tokenizer(path)
