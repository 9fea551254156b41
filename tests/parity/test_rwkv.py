"""RWKV's vocabularies against the tokenizer of the package ``rwkv``, on random bytes and texts, and on its own file."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from other_files import rwkv_vocabulary
from small_files import write_file

import tokenarium_core as tc
from tokenarium_core.explaining.verdict import JOINED
from tokenarium_core.explaining.why import why_not
from tokenarium_core.formats.python_literals import literal_bytes
from tokenarium_core.trace import Trace

rwkv = pytest.importorskip("rwkv.rwkv_tokenizer")


def opened(path: Path, content: bytes) -> tuple[tc.Tokenizer, Any]:
    path.write_bytes(content)
    return tc.open(path), rwkv.TRIE_TOKENIZER(str(path))


def check(tokenizer: tc.Tokenizer, reference: Any, text: str) -> None:
    ids = tokenizer.encode_ids(text)
    assert ids == reference.encode(text)
    assert tokenizer.decode_bytes(ids) == reference.decodeBytes(ids)
    trace = Trace()
    encoding = tokenizer.encode(text, trace=trace)
    assert list(encoding.ids) == ids
    assert trace.replay(text.encode(), []) == ids


@pytest.mark.parametrize("seed", range(8))
def test_random_texts(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    tokenizer, reference = opened(tmp_path / "rwkv_vocab.txt", rwkv_vocabulary(chance))
    for _ in range(200):
        check(tokenizer, reference, "".join(chance.choices("abcdeé low日本\n\t'\"\\😀", k=40)))


def test_every_code_point_is_its_bytes(tmp_path: Path) -> None:
    tokenizer, reference = opened(tmp_path / "v.txt", rwkv_vocabulary())
    text = "".join(chr(code) for code in range(0x11000) if not 0xD800 <= code < 0xE000)
    assert tokenizer.encode_ids(text) == reference.encode(text)


def test_the_published_file(tmp_path: Path, texts: dict[str, str]) -> None:
    path = Path(rwkv.__file__).with_name("rwkv_vocab_v20230424.txt")
    tokenizer = tc.open(path)
    reference = rwkv.TRIE_TOKENIZER(str(path))
    for text in texts.values():
        check(tokenizer, reference, text)
    tokenizer.save(tmp_path / "copy.txt", "rwkv")
    again = rwkv.TRIE_TOKENIZER(str(tmp_path / "copy.txt"))
    assert again.idx2token == reference.idx2token


def test_a_copy_of_ours_is_the_same(tmp_path: Path) -> None:
    tokenizer, _ = opened(tmp_path / "rwkv_vocab.txt", rwkv_vocabulary())
    assert tokenizer.special_tokens == {"<|endoftext|>": 0}
    assert tokenizer.encode_ids("<|endoftext|>", special="all") == [0]
    for name, format in (("x.json", "tokenarium"), ("x.txt", "rwkv")):
        tokenizer.save(tmp_path / name, format)
        copy = tc.open(tmp_path / name)
        assert copy.get_vocab() == tokenizer.get_vocab()
        assert copy.encode_ids("a low 日本 é") == tokenizer.encode_ids("a low 日本 é")
        assert copy.decode([0, 98]) == tokenizer.decode([0, 98]) == "a"


def test_entries_of_no_bytes_are_in_no_text(tmp_path: Path) -> None:
    content = rwkv_vocabulary() + b"900 '' 0\n901 '' 0\n"
    tokenizer, reference = opened(tmp_path / "rwkv_vocab.txt", content)
    for text in ("", "a low 日本 é", "\0\n"):
        check(tokenizer, reference, text)
    assert len(tokenizer.vocabulary) == 902
    assert tokenizer.decode_bytes([900, 98, 901]) == reference.decodeBytes([900, 98, 901]) == b"a"
    tokenizer.save(tmp_path / "copy.txt", "rwkv")
    again = rwkv.TRIE_TOKENIZER(str(tmp_path / "copy.txt"))
    assert again.idx2token == reference.idx2token
    tokenizer.save(tmp_path / "copy.json", "tokenarium")
    assert tc.open(tmp_path / "copy.json").encode_ids("a low") == reference.encode("a low")


def test_a_long_text(tmp_path: Path) -> None:
    tokenizer, reference = opened(tmp_path / "rwkv_vocab.txt", rwkv_vocabulary(random.Random(1)))
    text = "abcd é low" * 20_000
    assert tokenizer.encode_ids(text) == reference.encode(text)


def test_why_a_string_is_not_one_token(tmp_path: Path) -> None:
    tokenizer, _ = opened(tmp_path / "rwkv_vocab.txt", rwkv_vocabulary())
    verdict = why_not(tokenizer, "abcd", 1, 4)
    assert (verdict.is_one, verdict.kind) == (False, JOINED)
    assert tokenizer.vocabulary.piece(verdict.token) == b"abc"
    assert why_not(tokenizer, "abcd", 0, 3).is_one


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("300", "is not an id, an entry in quotes and its size"),
        ("300 'ab' 3", "has an entry of 2 bytes, but states the size 3"),
        ("300 'ab 2", "is not an id, an entry in quotes and its size"),
        ("300 'ab\" 3", "is not a text or bytes in quotes"),
        ("300 'a'b' 3", "continues after its closing quote"),
        ("300 'ab\\' 3", "ends within an escape"),
        ("300 b'\\xe' 2", "has an escape \\x without its 2 digits"),
        ("300 '\\U00110000' 4", "has an escape above U+10FFFF"),
        ("300 '\\ud800' 3", "has half a surrogate pair"),
        ("300 '\\N{BULLET}' 3", "names a character"),
        ("300 b'\u00e9' 2", "has a character beyond ASCII among bytes"),
        ("300 '\\400' 2", "has an octal escape above"),
        ("5 'xyz' 3", "has the id 5, which an earlier line already has"),
        ("900 'low' 3", "has an entry that line 261 already has"),
        ("2097151 'xyz' 3", "has an id above 2,097,150"),
        ("99999999999999999999 'xyz' 3", "is not an id"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, line: str, said: str) -> None:
    content = rwkv_vocabulary()
    path = write_file(tmp_path / "rwkv_vocab.txt", content + line.encode() + b"\n")
    with pytest.raises(tc.FormatError) as refused:
        tc.open(path)
    number = content.count(b"\n") + 1
    assert f"Line {number} of rwkv_vocab.txt" in str(refused.value)
    assert said in str(refused.value)


def test_a_byte_without_an_entry_is_refused(tmp_path: Path) -> None:
    path = write_file(
        tmp_path / "rwkv_vocab.txt", "".join(f"{n} {chr(96 + n)!r} 1\n" for n in range(1, 9))
    )
    with pytest.raises(tc.FormatError, match="no entry for the byte 0x00"):
        tc.open(path)


@pytest.mark.parametrize(
    "literal",
    [
        "'\\a\\b\\f\\v\\0\\1\\12\\101'",
        "'\\q'",
        "b'\\q\\u0041'",
        'B"\'"',
        "'\\x41\\u0416\\U0001f600'",
    ],
)
@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
def test_literals_are_those_of_python(literal: str) -> None:
    value = eval(literal)
    assert literal_bytes(literal) == (value.encode() if isinstance(value, str) else value)
