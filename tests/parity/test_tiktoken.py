"""The same ids as tiktoken itself, on real vocabularies: texts, every code point, random text."""

from __future__ import annotations

import base64
import functools
from collections.abc import Callable
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st
from small_files import write_file
from tiktoken.load import load_tiktoken_bpe
from trace_law import ids_by_law

import tokenarium_core as tc
from tokenarium_core.formats.named import NAMED

ENCODINGS = ["gpt2", "r50k_base", "cl100k_base", "o200k_base"]
BLOCK = 0x800

pytestmark = pytest.mark.usefixtures("tiktoken_cache")


@functools.cache
def both(name: str) -> tuple[tiktoken.Encoding, tc.Tokenizer]:
    """Returns one encoding twice: tiktoken's and ours."""
    return tiktoken.get_encoding(name), tc.open(name)


@pytest.mark.parametrize("name", ENCODINGS)
def test_texts(name: str, texts: dict[str, str]) -> None:
    reference, tokenizer = both(name)
    for language, text in texts.items():
        ids = reference.encode_ordinary(text)
        assert tokenizer.encode_ids(text) == ids, language
        assert memoryview(tokenizer.encode_buffer(text)).tolist() == ids
        assert tokenizer.decode(ids) == text


@pytest.mark.parametrize(
    "names", [("gpt2", "r50k_base"), ("cl100k_base",), ("o200k_base",)], ids="+".join
)
def test_every_code_point(names: tuple[str, ...]) -> None:
    """Encodings with the same ranks and pattern share the reference's answers, which take the most time."""
    reference = both(names[0])[0]
    for name in names[1:]:
        same = both(name)[0]
        assert same._pat_str == reference._pat_str
        assert same._mergeable_ranks == reference._mergeable_ranks
    points = [point for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    for first in range(0, len(points), BLOCK):
        block = [chr(point) for point in points[first : first + BLOCK]]
        for context in ("{}", "a{}b", " {}", "{}'s 1{}", "{} \n"):
            text = "\n".join([context.replace("{}", character) for character in block])
            expected = reference.encode_ordinary(text)
            for name in names:
                assert both(name)[1].encode_ids(text) == expected, (name, hex(ord(block[0])))


PARTS = st.one_of(
    st.text(max_size=12),
    st.text(st.characters(max_codepoint=0x24F), max_size=20),
    st.text("aAsS'tTdD \t\r\n\u00a0\u3000\u200d.,!?/-_0123456789", max_size=24),
    st.sampled_from(
        [
            "'LL", "don't", "\u017f", "e\u0301", "नमस्ते", "สวัสดี", "日本語の", "👩‍👩‍👧", "\r\n\r\n",
            "   ",
        ]
    ),
    st.sampled_from(["a", " ", "\n", "=", "あ", "\t"]).map(lambda character: character * 70),
)  # fmt: skip


@pytest.mark.parametrize("name", ENCODINGS)
@settings(max_examples=400)
@given(parts=st.lists(PARTS, max_size=12))
def test_random_text(name: str, parts: list[str]) -> None:
    reference, tokenizer = both(name)
    text = "".join(parts)
    ids = reference.encode_ordinary(text)
    assert tokenizer.encode_ids(text) == ids
    assert ids_by_law(tokenizer, text) == ids
    job = tokenizer.encode_job(text)
    while not job.finished:
        job.step(0)
    assert list(job.encoding.ids) == ids


@settings(max_examples=100)
@given(
    parts=st.lists(
        st.sampled_from(
            ["<|endoftext|>", "<|fim_prefix|>", "<|endofprompt|>", "a", " b", "<|", "|>", "\n"]
        ),
        max_size=8,
    )
)
def test_special_tokens(parts: list[str]) -> None:
    reference, tokenizer = both("cl100k_base")
    text = "".join(parts)
    assert list(tokenizer.encode(text, special="all").ids) == reference.encode(
        text, allowed_special="all"
    )
    chosen = {"<|endoftext|>"}
    assert list(tokenizer.encode(text, special=chosen).ids) == reference.encode(
        text, allowed_special=chosen, disallowed_special=()
    )
    try:
        ids = reference.encode(text, allowed_special=chosen)
    except ValueError:
        with pytest.raises(tc.SpecialTokenError):
            tokenizer.encode(text, special=chosen, disallowed_special="all")
    else:
        assert list(tokenizer.encode(text, special=chosen, disallowed_special="all").ids) == ids


def test_long_runs() -> None:
    for name in ("cl100k_base", "o200k_base"):
        reference, tokenizer = both(name)
        for text in (
            "a" * 9000,
            " " * 9000,
            "ab" * 4000,
            "あ" * 3000,
            "=" * 5000 + "\n",
            "aéあ🙂" * 900,
        ):
            assert tokenizer.encode_ids(text) == reference.encode_ordinary(text)


@pytest.mark.parametrize("name", list(NAMED))
def test_the_registry_says_the_same(name: str, tiktoken_cache: Path) -> None:
    from tokenarium_core.formats.named import missing_files

    if missing_files(NAMED[name]):
        pytest.skip(f"{name} is not in the folder of test data")
    reference = tiktoken.get_encoding(name)
    tokenizer = tc.open(name)
    assert tokenizer.special_tokens == reference._special_tokens
    assert tokenizer.pre_tokenizer.pattern == reference._pat_str
    assert len(tokenizer.vocabulary) == reference.n_vocab


def test_a_known_file_is_known_by_its_hash(tiktoken_cache: Path, tmp_path: Path) -> None:
    from tokenarium_core.formats.named import cache_path

    path = write_file(
        tmp_path / "renamed.bin", cache_path(NAMED["cl100k_base"].files[0]).read_bytes()
    )
    tokenizer = tc.open(path, special_tokens={"<|im_start|>": 100264})
    assert tokenizer.name == "cl100k_base"
    reference = tiktoken.get_encoding("cl100k_base")
    extended = tiktoken.Encoding(
        "extended",
        pat_str=reference._pat_str,
        mergeable_ranks=reference._mergeable_ranks,
        special_tokens={**reference._special_tokens, "<|im_start|>": 100264},
    )
    text = "<|im_start|>user\nHi<|endoftext|>"
    assert list(tokenizer.encode(text, special="all").ids) == extended.encode(
        text, allowed_special="all"
    )


@pytest.mark.parametrize("place", [0, 100, 256])
def test_the_entry_of_no_bytes(tmp_path: Path, place: int) -> None:
    """As in the files of Whisper; it may be any line."""
    lines = [b"%s %d" % (base64.b64encode(bytes([byte])), byte) for byte in range(256)]
    lines.insert(place, b"= 256")
    path = write_file(tmp_path / "whisper.tiktoken", b"\n".join(lines) + b"\n")
    ranks = load_tiktoken_bpe(str(path))
    pattern = r"[a-z]+|[^a-z]+"
    reference = tiktoken.Encoding(
        "whisper", pat_str=pattern, mergeable_ranks=ranks, special_tokens={"<x>": 257}
    )
    tokenizer = tc.open(path, pattern=pattern, special_tokens={"<x>": 257})
    assert tokenizer.vocabulary.piece(256) == b""
    for text in ("44 = 256\n", "", "<x>ab<x>"):
        assert list(tokenizer.encode(text, special="all").ids) == reference.encode(
            text, allowed_special="all"
        )


def test_an_encoding_that_a_plug_in_registers(monkeypatch: pytest.MonkeyPatch) -> None:
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256, b"abab": 257}
    registry = tiktoken.registry
    registry.list_encoding_names()  # so that the registry has looked for its plug-ins
    settings = {
        "name": "plugged",
        "pat_str": r"[a-z]+|[^a-z]+",
        "mergeable_ranks": ranks,
        "special_tokens": {"<x>": 258},
    }
    monkeypatch.setitem(registry.ENCODING_CONSTRUCTORS, "plugged", lambda: dict(settings))
    tokenizer = tc.open("plugged")
    reference = tiktoken.get_encoding("plugged")
    text = "ababab ab<x>"
    assert list(tokenizer.encode(text, special="all").ids) == reference.encode(
        text, allowed_special="all"
    )


def test_gpt2_from_its_own_files(
    real: Callable[[str], tc.Tokenizer], texts: dict[str, str]
) -> None:
    tokenizer = real("gpt2")
    reference = tiktoken.get_encoding("gpt2")
    for text in texts.values():
        assert tokenizer.encode_ids(text) == reference.encode_ordinary(text)


@pytest.mark.parametrize(
    ("name", "ids"),
    [("gpt2", [220, 23748, 995, 10185]), ("cl100k_base", [220, 24748, 1917, 12340])],
)
def test_a_run_of_blanks_before_a_word(name: str, ids: list[int]) -> None:
    """The figures of a course on tokenization, which the library gives too."""
    reference, tokenizer = both(name)
    assert tokenizer.encode_ids("  hello world!!!") == reference.encode("  hello world!!!") == ids
    assert tokenizer.encode_ids("") == []


BROKEN = st.lists(
    st.one_of(
        st.binary(max_size=12),
        PARTS.map(str.encode),
        PARTS.map(lambda text: text.encode()[:-1]),
        st.sampled_from([b"\xff", b"\xe2\x80", b"\x80", b" \n \xc3", b"\xf0\x9f\x91", b"\xed\xa0\x80"]),
    ),
    max_size=6,
).map(b"".join)  # fmt: skip


@pytest.mark.parametrize("name", ENCODINGS)
@settings(max_examples=400)
@given(data=BROKEN)
def test_bytes_that_are_not_utf8(name: str, data: bytes) -> None:
    reference, tokenizer = both(name)
    encoding = tokenizer.encode_bytes(data)
    ids = list(encoding.ids)
    assert ids == reference._encode_bytes(data)
    assert tokenizer.decode_bytes(ids) == data
    spans = [encoding.span(place) for place in range(len(ids))]
    assert [data[start:stop] for start, stop in spans] == reference.decode_tokens_bytes(ids)
    assert list(encoding.pre_tokens.ends)[-1:] == ([len(data)] if data else [])


@pytest.mark.parametrize("name", ENCODINGS)
def test_every_single_byte(name: str) -> None:
    reference, tokenizer = both(name)
    for byte in range(256):
        assert list(tokenizer.encode_bytes(bytes([byte])).ids) == [
            reference.encode_single_token(bytes([byte]))
        ]
