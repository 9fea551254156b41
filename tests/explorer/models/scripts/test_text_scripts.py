"""The tokens of a text by script, held against a count of one token after the other."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from fontTools import unicodedata as unicode_data
from hypothesis import given
from hypothesis import strategies as st

import tokenarium_core as tc
from tokenarium.models.scripts import text_scripts as module
from tokenarium.models.scripts.text_scripts import CountedTokens, TextScriptsJob, text_scripts
from tokenarium.models.scripts.vocabulary_scripts import CLASS_NAMES

Spans = list[tuple[int, int]]


CONTROLS = np.array([False, True])
"""Of two entries: 1 is a control token."""


def one_by_one(text: str, ids: list[int], spans: Spans) -> tuple[Counter[str], Counter[str]]:
    """Returns the tokens of each class and those that cut a character, by another library."""
    starts, scripts, before = [0], [], "Zyyy"
    for character in text:
        starts.append(starts[-1] + len(character.encode("utf-8", "surrogatepass")))
        script = unicode_data.script(character)
        before = before if script == "Zinh" else script
        scripts.append(before)
    tokens: Counter[str] = Counter()
    cut: Counter[str] = Counter()
    for token, (start, end) in zip(ids, spans, strict=True):
        if token == 1 or start >= end:
            tokens["special"] += 1
            continue
        found = {
            script
            for place, script in enumerate(scripts)
            if starts[place] < end and starts[place + 1] > start
        } - {"Zyyy"}
        name = "common" if not found else "mixed"
        if len(found) == 1:
            name = unicode_data.script_name(found.pop()).replace("_", " ")
        tokens[name] += 1
        cut[name] += start not in starts or end not in starts
    return tokens, +cut


def named(counts: np.ndarray[tuple[int], np.dtype[np.int64]]) -> dict[str, int]:
    return {CLASS_NAMES[n].replace("_", " "): int(counts[n]) for n in np.flatnonzero(counts)}


def counted(text: str, ids: list[int], spans: Spans) -> tuple[dict[str, int], dict[str, int]]:
    utf8 = text.encode("utf-8", "surrogatepass")
    pairs = np.array(spans, np.int32).reshape(-1, 2)
    found = text_scripts(utf8, CountedTokens(np.array(ids, np.int32), pairs, CONTROLS))
    return named(found.tokens), named(found.cut)


CASES: list[tuple[str, Spans, dict[str, int], dict[str, int]]] = [
    ("the cat", [(0, 3), (3, 7)], {"Latin": 2}, {}),
    # GPT-2 takes parts of letters in Devanagari: they are tokens of Devanagari.
    ("सभी", [(0, 2), (2, 3), (3, 6), (6, 9)], {"Devanagari": 4}, {"Devanagari": 2}),
    (" स", [(0, 2), (2, 4)], {"Devanagari": 2}, {"Devanagari": 2}),
    ("aя", [(0, 3)], {"mixed": 1}, {}),
    ("aя", [(0, 2), (2, 3)], {"mixed": 1, "Cyrillic": 1}, {"mixed": 1, "Cyrillic": 1}),
    ("12 👩", [(0, 2), (2, 4), (4, 7)], {"common": 3}, {"common": 2}),
    ("e\u0301", [(0, 1), (1, 3)], {"Latin": 2}, {}),
    ("\u0301e", [(0, 2), (2, 3)], {"common": 1, "Latin": 1}, {}),
    ("a", [(0, 0), (0, 1)], {"special": 1, "Latin": 1}, {}),
    ("日本のテスト", [(0, 6), (6, 9), (9, 18)], {"Han": 1, "Hiragana": 1, "Katakana": 1}, {}),
    ("", [], {}, {}),
]


@pytest.mark.parametrize(("text", "spans", "tokens", "cut"), CASES)
def test_a_token_has_the_script_of_what_it_covers(
    text: str, spans: Spans, tokens: dict[str, int], cut: dict[str, int]
) -> None:
    assert counted(text, [0] * len(spans), spans) == (tokens, cut)


def test_control_tokens_are_special_wherever_they_are() -> None:
    assert counted("<s>a", [1, 0], [(0, 3), (3, 4)])[0] == {"special": 1, "Latin": 1}
    assert counted("ab", [7, -1], [(0, 1), (1, 2)])[0] == {
        "Latin": 2
    }  # no entries of the vocabulary


@st.composite
def cut_texts(draw: st.DrawFn) -> tuple[str, list[int], Spans]:
    text = draw(st.text(st.sampled_from("ab 1éяжسभींी\u0301\u200d👩本の\ud800"), max_size=30))
    size = len(text.encode("utf-8", "surrogatepass"))
    edges = sorted(draw(st.lists(st.integers(0, size), max_size=20)))
    spans = list(zip([0, *edges], [*edges, size], strict=True))
    ids = draw(st.lists(st.sampled_from((0, 0, 0, 1)), min_size=len(spans), max_size=len(spans)))
    return text, ids, spans


@given(cut_texts(), st.sampled_from((4, 7, 1 << 18)))
def test_all_at_once_is_as_one_by_one(cut: tuple[str, list[int], Spans], size: int) -> None:
    text, ids, spans = cut
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SLICE", size)
        assert counted(text, ids, spans) == one_by_one(text, ids, spans)


def test_the_bytes_of_the_text_add_up_and_work_is_done_in_slices() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SLICE", 8)
        text = "слова and words. " * 4
        utf8 = text.encode()
        spans = np.array([(at, at + 2) for at in range(0, len(utf8) - 1, 2)], np.int32)
        tokens = CountedTokens(np.zeros(len(spans), np.int32), spans, CONTROLS)
        job = TextScriptsJob(utf8, {"one": tokens, "other": tokens})
        fractions = []
        while not (progress := job.step(0)).finished:
            fractions.append(progress.fraction)
    assert len(fractions) > 10
    assert fractions == sorted(fractions)
    assert job.found["one"].bytes.sum() == len(utf8) - len(utf8) % 2
    assert np.array_equal(job.found["one"].tokens, job.found["other"].tokens)


def test_an_unknown_token_stands_for_text(tmp_path: Path) -> None:
    file = tmp_path / "vocab.txt"
    file.write_text("[PAD]\n[UNK]\n[CLS]\na\n##a\n", "utf-8")
    tokenizer = tc.open(file)
    text = "a स"
    sums = text_scripts(text.encode(), CountedTokens.of(tokenizer, tokenizer.encode(text)))
    assert named(sums.tokens) == {"Latin": 1, "Devanagari": 1}
