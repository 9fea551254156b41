"""BoundlessBPE as a model: slices, blocks and streams, traces, its file, and what it answers to questions."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from trace_law import by_law

import tokenarium_core as tc
from tokenarium_core.errors import FormatError, TokenariumError, UnsupportedError
from tokenarium_core.explaining.merge_path import merges
from tokenarium_core.explaining.prompt_end import unstable_end
from tokenarium_core.explaining.vocabulary_entries import unreached_pieces
from tokenarium_core.explaining.why import why_not
from tokenarium_core.formats.boundless_format import read_boundless
from tokenarium_core.formats.registry import FORMATS, files_of
from tokenarium_core.models import BoundlessBpe
from tokenarium_core.pretokenizers.pretokenizer import cut
from tokenarium_core.trace import PRE_TOKEN, Trace

CORPUS = ["the king of the hill, the end of the day, in spite of the king. foo.bar 12"] * 3
WORDS = ["the", "king", "of", "hill", "end", "day", "in", "spite", "foo", "k", "ki", "12"]


def made(**options: object) -> tc.Tokenizer:
    return tc.train("boundless-bpe", CORPUS, vocab_size=310, min_frequency=1, **options)


TOKENIZER = made(special_tokens=["<|end|>"])


def random_text(chance: random.Random, words: int) -> str:
    signs = ["", "", "", ",", ".", "\n", " of the king of the"]
    return " ".join(chance.choice(WORDS) + chance.choice(signs) for _ in range(words))


def test_blocks_and_streams_give_the_same_ids() -> None:
    chance = random.Random(1)
    text = random_text(chance, 16_000)
    ids = TOKENIZER.encode_ids(text)
    assert list(TOKENIZER.encode(text).ids) == ids
    stream = tc.EncodeStream(TOKENIZER, 1)
    found: list[int] = []
    at = 0
    while at < len(text):
        size = chance.randrange(1, 9000)
        found += stream.add(text[at : at + size])
        at += size
    found += stream.finish()
    assert found == ids


def test_spans_are_those_of_the_pieces() -> None:
    text = random_text(random.Random(2), 60)
    _, encoding = by_law(TOKENIZER, text)
    data = text.encode()
    for index, token in enumerate(encoding.ids):
        start, stop = encoding.span(index)
        assert data[start:stop] == TOKENIZER.vocabulary.piece(token)
    assert list(encoding.pre_tokens.ends) == list(cut(TOKENIZER.pre_tokenizer, text).ends)


def test_joined_pre_tokens_are_one_in_a_trace() -> None:
    trace = Trace()
    TOKENIZER.encode("end of the day, of", trace=trace)
    places = [
        (trace.positions[event], trace.lefts[event])
        for event in range(len(trace))
        if trace.kinds[event] == PRE_TOKEN
    ]
    assert (3, 14) in places  # “ of the day”
    assert (3, 6) not in places


def test_our_file(tmp_path: Path) -> None:
    TOKENIZER.save(tmp_path / "ours.json")
    opened = tc.open(tmp_path / "ours.json")
    assert isinstance(opened.model, BoundlessBpe)
    text = random_text(random.Random(3), 80)
    assert opened.encode_ids(text) == TOKENIZER.encode_ids(text)
    assert files_of(opened, "tokenarium", "x") == files_of(TOKENIZER, "tokenarium", "x")
    content = json.loads((tmp_path / "ours.json").read_text())
    assert "Ġof + Ġthe" in content["tokenizer"]["events"]


def test_other_formats_say_why_not() -> None:
    holding = {name for name, format in FORMATS.items() if not format.obstacle(TOKENIZER)}
    assert holding == {"tokenarium", "boundless"}
    assert "also joins pre-tokens" in FORMATS["huggingface"].obstacle(TOKENIZER)
    spaced = made(special_tokens=["<the end>"])
    assert "has a space" in FORMATS["boundless"].obstacle(spaced)
    assert "another kind" in FORMATS["boundless"].obstacle(tc.train("bpe", ["a"], vocab_size=256))


LINES = files_of(TOKENIZER, "boundless", "x")["x.model"].decode().split("\n")


@pytest.mark.parametrize(
    ("line", "other", "reason"),
    [
        (0, "word v2", "does not begin with"),
        (1, "a pattern", "Line 2 of x is not the pattern"),
        (2, "many", "the number of entries"),
        (3, "0 !!", "ends the entries"),
        (3, "a Ā", "is not a number and 1 part after it"),
        (3, "0 \u4e00", "outside GPT-2's alphabet"),
        (4, "1 Ā", "repeats an entry or an id"),
        (-2, "1", "supermerges were deleted"),
    ],
)
def test_faults_of_a_file(line: int, other: str, reason: str) -> None:
    lines = list(LINES)
    lines[line] = other
    with pytest.raises(FormatError, match=reason):
        read_boundless("\n".join(lines).encode(), "x")


def test_events_that_no_training_has() -> None:
    at = next(k for k, line in enumerate(LINES) if line.endswith(" Ġ o"))
    for other in ("Ġo f", "Ġ zz", "Ġ"):
        lines = list(LINES)
        lines[at] = lines[at].split(" ")[0] + " " + other
        with pytest.raises(FormatError):
            read_boundless("\n".join(lines).encode(), "x")


def test_why_not_one_token() -> None:
    kinds = {text: why_not(TOKENIZER, text).kind for text in (" of the", "foo.bar", " of xyz")}
    assert kinds == {" of the": "one token", "foo.bar": "cut", " of xyz": "cut"}
    inside = why_not(TOKENIZER, "in spite of the king", 9, 15)
    assert inside.kind != "cut"


def test_what_can_be_reached() -> None:
    model = TOKENIZER.model
    assert isinstance(model, BoundlessBpe)
    unreached = unreached_pieces(model, 0, len(TOKENIZER.vocabulary))
    deleted = {
        TOKENIZER.vocabulary.find(model.events.pieces[token])
        for token in range(len(model.events.pieces))
        if not model.events.present[token]
    }
    assert set(unreached) == deleted


def test_stable_tokens_stay() -> None:
    chance = random.Random(4)
    for _ in range(40):
        text = random_text(chance, chance.randrange(1, 8)) + chance.choice(["", " ", "."])
        end = unstable_end(TOKENIZER, text)
        for _ in range(10):
            more = TOKENIZER.encode_ids(text + chance.choice(["", " "]) + random_text(chance, 3))
            assert more[: end.stable] == end.ids[: end.stable]


def test_questions_that_have_no_answer() -> None:
    with pytest.raises(UnsupportedError, match="joins words"):
        TOKENIZER.encode_bytes(b"ab\xff")
    with pytest.raises(UnsupportedError, match="supermerges"):
        TOKENIZER.nested_cuts("a")
    with pytest.raises(TokenariumError, match="not a list of merges"):
        merges(TOKENIZER)
