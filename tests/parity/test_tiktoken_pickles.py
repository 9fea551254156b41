"""Pickles of an encoding of tiktoken against the encoding itself; and what is refused in pickles, with harmless ones."""

from __future__ import annotations

import collections
import pickle
import random
from pathlib import Path

import pytest
import tiktoken
from other_files import GPT4, SPECIAL, pickled_encoding, small_ranks
from small_files import write_file

import tokenarium_core as tc


def opened(folder: Path, content: bytes) -> tc.Tokenizer:
    (folder / "tokenizer.pkl").write_bytes(content)
    return tc.open(folder)


@pytest.mark.parametrize("protocol", [3, 4, 5])
@pytest.mark.parametrize("seed", range(3))
def test_random_texts(tmp_path: Path, seed: int, protocol: int) -> None:
    chance = random.Random(seed)
    content = pickled_encoding(chance, protocol)
    tokenizer = opened(tmp_path, content)
    reference = pickle.loads(content)
    assert tokenizer.source.format == "tiktoken-pickle"
    for _ in range(100):
        text = "".join(chance.choices("abéab  \n'1x\ufeff\x85", k=40))
        ids = tokenizer.encode_ids(text)
        assert ids == reference.encode_ordinary(text)
        assert tokenizer.decode_bytes(ids) == reference.decode_bytes(ids)
    text = "ab<|endoftext|>é<|x|>"
    assert tokenizer.encode_ids(text, special="all") == reference.encode(
        text, allowed_special="all"
    )


def test_texts_and_copies(tmp_path: Path, texts: dict[str, str]) -> None:
    content = pickled_encoding()
    tokenizer = opened(tmp_path, content)
    reference = pickle.loads(content)
    tokenizer.save(tmp_path / "x.json", "tokenarium")
    copy = tc.open(tmp_path / "x.json")
    for text in texts.values():
        assert tokenizer.encode_ids(text[:4000]) == reference.encode_ordinary(text[:4000])
        assert copy.encode_ids(text[:4000]) == tokenizer.encode_ids(text[:4000])


def test_a_real_encoding(tmp_path: Path, tiktoken_cache: Path, texts: dict[str, str]) -> None:
    whole = tiktoken.get_encoding("cl100k_base")
    encoding = tiktoken.Encoding(
        name="mine",
        pat_str=whole._pat_str,
        mergeable_ranks=whole._mergeable_ranks,
        special_tokens=whole._special_tokens,
    )
    tokenizer = opened(tmp_path, pickle.dumps(encoding))
    for text in texts.values():
        assert tokenizer.encode_ids(text) == whole.encode_ordinary(text)


def pickle_of(state: object, protocol: int = 4) -> bytes:
    """Returns a pickle of an encoding with another state."""

    class Encoding:
        def __getstate__(self) -> object:
            return state

    Encoding.__module__ = "tiktoken.core"
    Encoding.__qualname__ = "Encoding"
    kept = tiktoken.core.Encoding
    tiktoken.core.Encoding = Encoding  # type: ignore[misc, assignment]
    try:
        return pickle.dumps(Encoding(), protocol)
    finally:
        tiktoken.core.Encoding = kept  # type: ignore[misc]


PARTS = {"name": "x", "pat_str": GPT4, "mergeable_ranks": small_ranks(), "special_tokens": SPECIAL}
WITHOUT = {name: value for name, value in PARTS.items() if name != "pat_str"}
WHOLE = pickled_encoding()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (pickle_of("cl100k_base"), "only names the encoding 'cl100k_base': open that by its name"),
        (pickle_of(WITHOUT), "without its pat_str, mergeable_ranks and special_tokens"),
        (pickle_of([1]), "has the instruction EMPTY_LIST at byte"),
        (pickle_of({**PARTS, "name": None}), "has the instruction NONE at byte"),
        (pickle_of({**PARTS, "name": 1 << 40}), "has the instruction LONG1 at byte"),
        (pickle_of({**PARTS, "name": 0.5}), "has the instruction BINFLOAT at byte"),
        (pickle_of({**PARTS, "name": collections.Counter}), "names 'collections.Counter' at byte"),
        (pickle_of({**PARTS, "name": print}), "names 'builtins.print' at byte"),
        (pickle_of({**PARTS, "x": {1: 2}}), "has an entry of another kind than texts, bytes"),
        (pickle_of({**PARTS, "pat_str": "("}), "pat_str cannot be read"),
        (pickle_of({**PARTS, "special_tokens": {"x": 0}}), "has the id 0, which another entry"),
        (pickle_of({**PARTS, "special_tokens": {"x": "y"}}), "special_tokens are not ids"),
        (pickle_of({**PARTS, "special_tokens": {"a": 301, "ab": 302}}), "cannot be told apart"),
        (pickle_of({**PARTS, "mergeable_ranks": {"a": 1}}), "ranks that are not numbers of bytes"),
        (pickle_of({**PARTS, "mergeable_ranks": {b"a": 1 << 30}}), "has the rank 1073741824"),
        (pickle_of({**PARTS, "mergeable_ranks": {b"a": -1}}), "has the rank -1"),
        (pickle_of({**PARTS, "mergeable_ranks": {b"a": 1, b"b": 1}}), "has the rank 1 twice"),
        (pickle_of({**PARTS, "mergeable_ranks": {b"a": 97}}), "0x00"),
        (WHOLE[:-1], "ends too early"),
        (WHOLE[:500], "ends too early"),
        (WHOLE[:-1] + b"0.", "has the instruction POP at byte"),
        (WHOLE[:-1] + b"\x94h\x00.", "ends with something other than the object"),
        (WHOLE[:-1] + b"j\xff\xff\xff\xff.", "recalls a value that does not exist"),
        (WHOLE[:-1] + b"q\x00.", "remembers values in an order that no pickler has"),
        (WHOLE[:-1] + b"}b.", "sets the state of something else"),
        (WHOLE[:-1] + b"K\x00K\x00\x81.", "makes another object"),
        (WHOLE[:-1] + b"\xfe.", "has the instruction 0xfe at byte"),
        (WHOLE[:-1] + b"(" * 9000, "keeps too many values"),
        (WHOLE[:-1] + b"u.", "takes a value where there is none"),
        (WHOLE[:-1] + b"X\xff\xff\xff\xffabc", "ends too early"),
    ],
)
def test_what_is_not_needed_is_refused_by_name(tmp_path: Path, content: bytes, said: str) -> None:
    path = write_file(tmp_path / "tokenizer.pkl", content)
    with pytest.raises(tc.FormatError) as refused:
        tc.open(path)
    assert said in str(refused.value)


def test_other_pickles_are_refused_by_their_kind(tmp_path: Path) -> None:
    path = write_file(tmp_path / "tokenizer.pkl", pickle.dumps({"a": 1}, 4))
    with pytest.raises(tc.FormatError, match="a pickle of Python, which may run any code"):
        tc.open(path)
