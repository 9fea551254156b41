"""A pattern stays with the engine that reads it: which files a tokenizer can be written to, and what those give."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tiktoken
from small_files import saved
from small_vocabularies import rank_file

import tokenarium_core as tc
from tokenarium_core.formats import registry
from tokenarium_core.pretokenizers.pattern import TIKTOKEN_PATTERN

CONSONANTS = "[a-z&&[^aeiou]]+|(?s:.)"
PIECES = [b"ll", b"he", b"el"]


def ranks(folder: Path, pattern: str) -> Path:
    """Returns a .tiktoken file, with the pattern beside it."""
    path = folder / "x.tiktoken"
    path.write_bytes(rank_file(PIECES))
    beside = {"name": "x", "pat_str": pattern, "special_tokens": {}}
    path.with_name("x.pattern.json").write_text(json.dumps(beside))
    return path


def by_tiktoken(pattern: str, text: str) -> list[int]:
    pieces = [*(bytes([byte]) for byte in range(256)), *PIECES]
    mergeable = {piece: rank for rank, piece in enumerate(pieces)}
    encoding = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=mergeable, special_tokens={})
    return encoding.encode_ordinary(text)


@pytest.mark.parametrize("pattern", [CONSONANTS, r"\h+|(?s:.)", "hello", r"\p{Ll}+|(?s:.)"])
def test_a_file_of_ranks_gives_the_ids_of_tiktoken(tmp_path: Path, pattern: str) -> None:
    tokenizer = tc.open(ranks(tmp_path, pattern))
    assert tokenizer.pre_tokenizer.name == TIKTOKEN_PATTERN
    assert tokenizer.encode_ids("hello") == by_tiktoken(pattern, "hello")
    chosen = tc.open(ranks(tmp_path, "(?s:.)"), pattern=CONSONANTS)
    assert chosen.encode_ids("hello") == by_tiktoken(CONSONANTS, "hello")


@pytest.mark.slow
def test_a_pattern_of_tiktoken_is_kept_as_one(tmp_path: Path) -> None:
    tokenizer = tc.open(ranks(tmp_path, CONSONANTS))
    assert {"tokenarium", "tiktoken"} <= set(registry.fitting(tokenizer))
    path = saved(tokenizer, tmp_path / "kept.json")
    assert json.loads(path.read_text("utf-8"))["tokenizer"]["pre_tokenizer"] == {
        "tiktoken_pattern": CONSONANTS
    }
    again = tc.open(path)
    assert again.pre_tokenizer.name == TIKTOKEN_PATTERN
    assert again.encode_ids("hello") == tokenizer.encode_ids("hello")


def test_a_pattern_of_another_engine_is_not_written_for_tiktoken() -> None:
    tokenizer = tc.train("bpe", ["hello"], vocab_size=257, pattern=CONSONANTS, min_frequency=1)
    assert "tiktoken" not in registry.fitting(tokenizer)
    reason = registry.FORMATS["tiktoken"].obstacle(tokenizer)
    assert "[a-z&&[^aeiou]]+ means something else to tiktoken" in reason
    same = tc.train("bpe", ["hello"], vocab_size=257, pattern=r"\w+|\W", min_frequency=1)
    assert "tiktoken" in registry.fitting(same)


@pytest.mark.parametrize(
    ("pattern", "part"),
    [(r"\p{L}+|\P{L}", ""), (CONSONANTS.replace("(?s:.)", "[^a]"), ""), ("a$|[^a]", "$ means")],
)
def test_a_pattern_of_tiktoken_in_the_format_of_hugging_face(
    tmp_path: Path, pattern: str, part: str
) -> None:
    tokenizer = tc.open(ranks(tmp_path, pattern))
    reason = registry.FORMATS["huggingface"].obstacle(tokenizer)
    assert part in reason
    assert bool(reason) == bool(part)
    if not reason:
        path = saved(tokenizer, tmp_path / "tokenizer.json", "huggingface")
        assert tc.open(path).encode_ids("hello zzz") == tokenizer.encode_ids("hello zzz")
