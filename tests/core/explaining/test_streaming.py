"""What a stream of ids can show after each id, and where a stop string ends it."""

from __future__ import annotations

from pathlib import Path

import hf_models
import pytest
import sentencepiece_models
from hypothesis import given
from hypothesis import strategies as st
from small_vocabularies import of_pieces

import tokenarium_core as tc
from tokenarium_core.explaining.streaming import TokenStream, incomplete, stream
from tokenarium_core.formats.sentencepiece.sentencepiece_format import read_sentencepiece

LOWER = of_pieces([b"lo", b"ow", b"low", b"er", b" l", b" low"], "gpt2")
CORPUS = ["the then there the other one", "a café in the street", "x < y"] * 4


def test_half_a_character_is_held_back() -> None:
    made = stream(LOWER, LOWER.encode_ids("歪 lower"))
    assert [(step.alone, step.held, made.text[: step.shown]) for step in made.steps] == [
        ("�", b"\xe6", ""),
        ("�", b"\xe6\xad", ""),
        ("�", b"", "歪"),
        (" low", b"", "歪 low"),
        ("er", b"", "歪 lower"),
    ]


def test_a_stop_string_inside_a_token() -> None:
    tokenizer = of_pieces([b"):", b"):\n", b"x\n"], "cl100k")
    ids = tokenizer.encode_ids("f():\nx")
    made = stream(tokenizer, ids, [":\n"])
    assert made.text[: made.stopped_at] == "f()"
    assert made.inside
    assert made.steps[-1].stop == ":\n"
    assert len(made.steps) < len(ids)


def test_what_may_become_a_stop_string_waits() -> None:
    made = stream(LOWER, LOWER.encode_ids("ab##c##END"), ["##END", "b!"])
    assert [(made.text[: step.shown], step.waiting) for step in made.steps] == [
        ("a", ""),
        ("a", "b"),
        ("ab", "#"),
        ("ab", "##"),
        ("ab##c", ""),
        ("ab##c", "#"),
        ("ab##c", "##"),
        ("ab##c", "##E"),
        ("ab##c", "##EN"),
        ("ab##c", ""),
    ]
    assert (made.stopped_at, made.inside) == (5, False)


@given(st.text("ab#\n", max_size=12), st.lists(st.text("ab#\n", max_size=3), max_size=3))
def test_it_is_cut_where_the_first_stop_string_is(text: str, stops: list[str]) -> None:
    made = stream(LOWER, LOWER.encode_ids(text), stops)
    places = [text.find(stop) for stop in stops if stop and stop in text]
    # A stop string ends the stream as soon as it is complete: a later one may begin earlier.
    assert (made.stopped_at >= 0) == bool(places)
    shown = 0
    for step in made.steps:
        assert step.shown >= shown or step.stop
        shown = step.shown
        assert not any(stop and stop in made.text[: step.shown] for stop in stops)
    if not places:
        assert made.text == text


def tokenizers(folder: Path) -> list[tc.Tokenizer]:
    found = [LOWER]
    for name in ("bpe, bytes", "unigram, plain"):
        options = dict(sentencepiece_models.MODELS[name])
        found.append(read_sentencepiece(sentencepiece_models.trained(**options), "s.model", "s"))
    for name in ("llama2", "llama3", "bert", "t5", "clip"):
        path = folder / f"{name}.json"
        hf_models.KINDS[name](CORPUS).save(str(path))
        found.append(tc.open(path))
    return found


def test_what_is_shown_is_never_taken_back(tmp_path: Path) -> None:
    for tokenizer in tokenizers(tmp_path):
        for text in ("the café", "a 歪 b", "😀x<0x41>", "  two  ", "there 日本語 other"):
            ids = tokenizer.encode_ids(text)
            made = stream(tokenizer, ids)
            whole = tokenizer.decode(ids)
            assert made.text == whole
            assert all(whole.startswith(made.text[: step.shown]) for step in made.steps)
            assert all("\ufffd" not in made.text[: step.shown] for step in made.steps)


def test_bytes_that_no_others_complete_are_said_as_such() -> None:
    made = stream(LOWER, [0xE6, 97])
    assert (made.text, made.steps[0].held, made.steps[1].held) == ("�a", b"\xe6", b"")


@given(st.text(max_size=4), st.integers(0, 3))
def test_incomplete_bytes(text: str, missing: int) -> None:
    data = text.encode("utf-8", "replace")
    data = data[: max(len(data) - missing, 0)]
    assert data[: len(data) - incomplete(data)].decode() == data.decode("utf-8", "ignore")


def test_what_cannot_go_on_does_not_wait() -> None:
    for data in (b"\xe0\x80", b"\xed\xa0", b"\xf4\x90", b"\xf5", b"\xc1", b"\x80", b"\xf0\x80"):
        assert incomplete(data) == 0, data


def test_refusals() -> None:
    with pytest.raises(tc.ArgumentError, match="list"):
        stream(LOWER, [97], "stop")
    with pytest.raises(tc.IdError):
        stream(LOWER, [1 << 20])
    assert TokenStream(LOWER, []).finished
