"""GGUF files of PLaMo-2: the ids by llama.cpp's rule, written again; `test_gguf` compares with llama.cpp itself."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from math import floor
from pathlib import Path

import pytest
from plamo_files import PARTS, plamo_file, plamo_texts

import tokenarium_core as tc
from tokenarium_core.explaining.sampling import sample
from tokenarium_core.explaining.verdict import NOT_THERE
from tokenarium_core.explaining.why import why_not
from tokenarium_core.trace import Trace


def by_rule(entries: dict[str, float]) -> Callable[[str], list[str]]:
    """Returns what gives the entries of the lowest cost, or those of bytes: of ways that cost the same, the longer entry first."""
    costs = {
        text: -floor(abs(value) * 1e4 + 0.5) * (1 if value > 0 else -1)
        for text, value in entries.items()
    }
    costs = {text: cost for text, cost in costs.items() if cost < 20_000_000}
    longest = max(map(len, costs))

    def entries_of(text: str) -> list[str]:
        text = text.removeprefix("\ufeff")

        @cache
        def best(at: int) -> tuple[int, int]:
            """Returns the cost from here on, and where the entry ends, negative for bytes."""
            if at == len(text):
                return 0, 0
            ways = [
                (costs[text[at:end]] + best(end)[0], -end, end)
                for end in range(at + 1, min(len(text), at + longest) + 1)
                if text[at:end] in costs
            ]
            ways.append((10_000_000 + best(at + 1)[0], 0, -(at + 1)))
            cost, _, end = min(ways)
            return cost, end

        found, at = [], 0
        while at < len(text):
            end = best(at)[1]
            if end > 0:
                found.append(text[at:end])
            else:
                found += [f"<0x{byte:02X}>" for byte in text[at].encode()]
            at = abs(end)
        return found

    return entries_of


@pytest.mark.parametrize("seed", range(4))
def test_the_entries_of_the_lowest_cost(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    entries_of = by_rule(plamo_file(tmp_path / "small.gguf", chance))
    tokenizer = tc.open(tmp_path / "small.gguf")
    for text in plamo_texts(chance):
        expected = [tokenizer.vocabulary[entry] for entry in entries_of(text)]
        assert tokenizer.encode_ids(text, special="none") == expected, text
        pieces = [tokenizer.vocabulary.piece(id) for id in expected]
        assert b"".join(pieces).decode() == text.removeprefix("\ufeff")
        trace = Trace()
        encoding = tokenizer.encode(text, special="none", trace=trace)
        assert list(encoding.ids) == expected
        data = text.encode()
        spans = zip(encoding.ids, encoding.spans[::2], encoding.spans[1::2], strict=True)
        assert all(data[start:stop] == tokenizer.vocabulary.piece(id) for id, start, stop in spans)


def test_long_texts(tmp_path: Path) -> None:
    chance = random.Random(5)
    plamo_file(tmp_path / "small.gguf", chance)
    tokenizer = tc.open(tmp_path / "small.gguf")
    text = "".join(chance.choices(PARTS[:12], k=2000))
    text = "x" + text * 40  # which is encoded in several calls
    assert tokenizer.encode_ids(text) == list(tokenizer.encode(text, trace=Trace()).ids)
    run = "a" * 70_000  # in which entries may cross every place
    assert tokenizer.encode_ids(run) == list(tokenizer.encode(run, trace=Trace()).ids)


def test_what_is_said_of_the_model(tmp_path: Path) -> None:
    plamo_file(tmp_path / "small.gguf", random.Random(5))
    tokenizer = tc.open(tmp_path / "small.gguf")
    entry = next(text for text in ("日本", "ab", "bc", "a b") if tokenizer.vocabulary.get(text))
    assert why_not(tokenizer, f"{entry}xx").kind == NOT_THERE
    with pytest.raises(tc.UnsupportedError, match=r"llama\.cpp, does not sample"):
        sample(tokenizer, "abc")
    with pytest.raises(
        tc.UnsupportedError, match=r"small cannot be pruned: it takes the entries of"
    ):
        tc.prune(tokenizer, ["abc"], 300)


@pytest.mark.parametrize(
    ("score", "lacks", "said"),
    [
        (-1000.0, -1, "'odd', has the score -1000, which"),
        (0.0, 0x7A, "the byte 0x7A has no entry <0x7A>"),
    ],
)
def test_what_is_refused(tmp_path: Path, score: float, lacks: int, said: str) -> None:
    plamo_file(tmp_path / "wrong.gguf", random.Random(1), score, lacks)
    with pytest.raises(tc.FormatError, match=rf"^wrong\.gguf: .*{said}"):
        tc.open(tmp_path / "wrong.gguf")
