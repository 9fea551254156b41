"""The covering of a prompt, against all sequences of ids that there are."""

from __future__ import annotations

import functools
import gc
import json
from pathlib import Path
from typing import Any

import hf_models
import pytest
import sentencepiece_models
import tokenizers
from hypothesis import example, given, settings
from hypothesis import strategies as st
from small_vocabularies import of_pieces
from typer.testing import CliRunner

import tokenarium_core as tc
from tokenarium.analyses.covering import COVERING
from tokenarium.commands.cli import app
from tokenarium.models.text.covering import Covering, CoveringJob
from tokenarium.resources.shipped_tokenizers import shipped_path
from tokenarium_core.explaining.near_spellings import spelled_bytes
from tokenarium_core.explaining.ways import ways
from tokenarium_core.formats.sentencepiece.sentencepiece_format import read_sentencepiece
from tokenarium_core.vocabulary import CONTROL, UNKNOWN, UNUSED

CORPUS = ["the then there the other one", "a café in the street", "日本 and 日本語", "x  y"] * 4
PROMPTS = ["the", "a b", " the", "é", "日", "th", "a  t", "x.", " "]
SMALL = of_pieces(
    [b"lo", b"ow", b"low", b"er", b"lower", b" l", b" low", b"\xc3\xa9", b"\xa9l", b"lol"]
)


def covering(tokenizer: tc.Tokenizer, prompt: str) -> Covering:
    job = CoveringJob(tokenizer, prompt)
    while not job.finished:
        job.step(1e9)
    return job.covering


def all_sequences(tokenizer: tc.Tokenizer, prompt: bytes) -> set[tuple[int, ...]]:
    """Returns the covering of a prompt, found by decoding."""
    vocabulary, special = tokenizer.vocabulary, tokenizer.added_tokens.special_ids
    candidates = [
        token
        for token in range(len(vocabulary))
        if vocabulary.kinds[token] not in (CONTROL, UNKNOWN, UNUSED)
        and token not in special
        and vocabulary.piece(token)
    ]
    forms = {token: _forms(vocabulary, token) for token in candidates}
    inner = [t for t in candidates if any(one in b" " + prompt for one in forms[t])]
    last = [t for t in candidates if any(prompt[-1:] in one for one in forms[t])]
    found: set[tuple[int, ...]] = set()
    open_ones: list[tuple[int, ...]] = [()]
    while open_ones:
        ids = open_ones.pop()
        found |= {(*ids, t) for t in last if tokenizer.decode_bytes((*ids, t)).startswith(prompt)}
        for token in inner:
            longer = (*ids, token)
            data = tokenizer.decode_bytes(longer)
            if longer in found or len(longer) > len(prompt) or (not data and len(longer) > 1):
                continue  # at most one id writes nothing
            if prompt.startswith(data.rstrip("\ufffd".encode())):
                open_ones.append(longer)
    return found


def _forms(vocabulary: tc.Vocabulary, token: int) -> list[bytes]:
    """Returns what an id may add to a text, or something with the same end."""
    surface = vocabulary.surface(token)
    form = surface.replace("##", "").replace("</w>", " ").replace("▁", " ").encode()
    return [vocabulary.piece(token), form, form.strip(), spelled_bytes(surface) or b"\xff"]


def is_canonical(tokenizer: tc.Tokenizer, ids: tuple[int, ...]) -> bool:
    pieces = b"".join(map(tokenizer.vocabulary.piece, ids))
    try:
        pieces.decode()
    except UnicodeDecodeError:  # the last token ends inside a character
        return tuple(tokenizer.encode_bytes(pieces).ids) == ids
    return tuple(tokenizer.encode_ids(tokenizer.decode(ids))) == ids


def check(tokenizer: tc.Tokenizer, prompt: str) -> Covering | None:
    try:
        found = covering(tokenizer, prompt)
    except tc.UnsupportedError:
        return None
    expected = all_sequences(tokenizer, prompt.encode())
    canonical = [ids for ids in expected if is_canonical(tokenizer, ids)]
    assert found.sequences == len(expected)
    assert {token for place in found.places for token in place.entries} == {
        ids[-1] for ids in expected
    }
    assert sorted(token for place in found.places for token in place.canonical) == sorted(
        ids[-1] for ids in canonical
    )
    assert found.canonical == len(canonical)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["bpe, plain", "bpe, identity", "bpe, bytes", "unigram, bytes"])
def test_all_of_sentencepiece(kind: str) -> None:
    options: dict[str, Any] = dict(sentencepiece_models.MODELS[kind])
    tokenizer = read_sentencepiece(sentencepiece_models.trained(**options), "small.model", "small")
    found = [check(tokenizer, prompt) for prompt in PROMPTS]
    assert any(found)


@functools.cache
def of_hugging_face(name: str, folder: Path) -> tc.Tokenizer:
    path = folder / f"{name}-covering.json"
    hf_models.KINDS[name](CORPUS).save(str(path))
    return tc.open(path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["llama2", "llama3", "bert", "t5", "metaspace_bpe", "real_spaces", "clip"]
)
def test_all_of_hugging_face(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    tokenizer = of_hugging_face(name, tmp_path_factory.getbasetemp())
    found = [check(tokenizer, prompt) for prompt in PROMPTS]
    assert any(found) == (name != "clip")


@example("lol")
@pytest.mark.slow
@settings(max_examples=15)
@given(st.text("lower é", min_size=1, max_size=5))
def test_each_place_of_byte_level_bpe(prompt: str) -> None:
    found = check(SMALL, prompt)
    assert found is not None
    expected: dict[int, list[int]] = {}
    for ids in all_sequences(SMALL, found.data):
        expected.setdefault(len(SMALL.decode_bytes(ids[:-1])), []).append(ids[-1])
    assert [place.at for place in found.places] == sorted(expected)
    for place in found.places:
        assert place.rest == found.data[place.at :]
        assert place.sequences == len(expected[place.at])
        assert place.entries == sorted(set(expected[place.at]))
        assert place.sequences == place.before * len(place.entries)


def test_a_worked_example() -> None:
    found = covering(SMALL, "low")
    piece = SMALL.vocabulary.piece
    rows = [
        (p.at, p.before, [piece(token) for token in p.entries], p.sequences) for p in found.places
    ]
    assert rows == [
        (0, 1, [b"low", b"lower"], 2),
        (1, 1, [b"ow"], 1),
        (2, 2, [b"w"], 2),  # after l·o and lo
    ]
    assert [[piece(token) for token in place.canonical] for place in found.places] == [[b"low", b"lower"], [], []]  # fmt: skip
    assert found.ids == [258]
    assert found.last_at == 0


def test_what_a_normalizer_changes_is_not_canonical(tmp_path: Path) -> None:
    """With “ab” after it, “x” becomes “y”: the ids end with the same one, but are those of another text."""
    made = tokenizers.Tokenizer(
        tokenizers.models.BPE({"x": 0, "y": 1, "a": 2, "b": 3, "ab": 4}, [("a", "b")])
    )
    made.normalizer = tokenizers.normalizers.Replace("xab", "yab")
    made.decoder = tokenizers.decoders.Fuse()
    made.save(str(tmp_path / "tokenizer.json"))
    [place] = covering(tc.open(tmp_path / "tokenizer.json"), "xa").places
    assert (place.at, place.entries, place.canonical) == (1, [2, 4], [2])


def test_the_shipped_tokenizer_completes_a_prompt_with_its_own_encoding() -> None:
    tokenizer = tc.open(shipped_path("tokenarium-8k"))
    for prompt in ("See http:", "127 + ", "日本", "def f(", "a 👩‍👩"):
        found = covering(tokenizer, prompt)
        [place] = [place for place in found.places if place.at == found.last_at]
        assert found.ids[-1] in place.canonical
        assert place.before == (ways(tokenizer, prompt.encode()[: place.at].decode(), 0).count if place.at else 1)  # fmt: skip


def test_what_does_not_come_back_has_no_covering() -> None:
    with pytest.raises(tc.UnsupportedError, match="decode to another text"):
        covering(tc.open(shipped_path("wordpiece-8k")), "Ünknown ☃")


def test_a_prompt_that_is_too_long_is_refused() -> None:
    with pytest.raises(tc.ArgumentError, match=r"has 20,001 characters: give at most 20,000"):
        COVERING.run({"small": SMALL}, "e" * 20_001)


def test_it_works_in_steps() -> None:
    tokenizer = tc.open(shipped_path("tokenarium-8k"))
    job, steps = CoveringJob(tokenizer, "the "), 0
    while not job.finished:
        progress = job.step(0.01)
        steps += 1
        assert progress.finished == job.finished
    assert steps > 20
    whole = covering(tokenizer, "the ")
    assert [(p.at, p.canonical) for p in job.covering.places] == [(p.at, p.canonical) for p in whole.places]  # fmt: skip


def test_the_command_writes_all_entries() -> None:
    line = ["covering", str(shipped_path("tokenarium-8k")), "http:"]
    answer = json.loads(CliRunner().invoke(app, [*line, "--json"]).stdout)
    found = covering(tc.open(shipped_path("tokenarium-8k")), "http:")
    assert answer["sequences"] == str(found.sequences)
    assert answer["canonical"] == found.canonical
    assert [row["entries"] for row in answer["places"]] == [p.entries for p in found.places]
    assert [row["at"] for row in answer["places"]] == [p.at for p in found.places]
    written = CliRunner().invoke(app, line).stdout
    assert "Vieira et al. 2024" in " ".join(written.split())


@pytest.mark.parametrize(
    ("prompt", "shown"),
    [
        ("low" * 5, "…wlowlowlowlo"),
        ("é", "<0xC3>"),
        ("\u05d0\u05d1", "\u2067\u05d0\u2069<0xD7>"),  # the byte stays behind the letters
    ],
)
def test_what_is_before_the_last_byte_is_shown_from_a_character_on(prompt: str, shown: str) -> None:
    bytes_alone = of_pieces([])
    answer = COVERING.run({"bytes": bytes_alone}, prompt)
    table = COVERING.table(answer.inputs, answer.result)
    assert table.columns[0].cell(table.rows[-1]).text == shown


def test_the_chosen_place_shows_canonical_entries_first() -> None:
    answer = COVERING.run({"small": SMALL}, "low")
    shown: Any = COVERING.show_chosen(answer.inputs, answer.result, "0")["detail"]
    assert [row.heading for row in shown.rows] == ["Canonical: 2 entries"]
    shown = COVERING.show_chosen(answer.inputs, answer.result, "2")["detail"]
    assert [(row.heading, list(row.ids)) for row in shown.rows] == [("Not canonical: 1 entry", [ord("w")])]  # fmt: skip
    assert COVERING.show_chosen(answer.inputs, answer.result, "7") == {}
    assert [row["Encoding"] for row in answer.rows] == ["encoding", "", ""]
    assert [row["Before"] for row in answer.rows] == ["", "l", "lo"]
    said: Any = COVERING.show(answer.inputs, answer.result)["prompt"]
    assert said.sentence == "small: 5 sequences of ids cover the prompt; 2 of them are canonical."


WORDS = [
    "low",
    " lower",
    "  ",
    "\n",
    "12",
    "345",
    " x",
    "'s",
    ".",
    "é",
    "日",
    "ǆ",
    "\u0301",
    " ",
    ", ",
    "(x)",
]


@pytest.mark.slow
@settings(max_examples=15)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map("".join))
@example("low 12 lower. It's low, ")
@example("a.\u0301")
@example("lower low é")
def test_what_is_before_a_sure_cut_changes_no_covering(prompt: str) -> None:
    for name in ("bpe-gpt2-8k", "bpe-cl100k-8k", "tokenarium-8k"):
        tokenizer = shipped(name)
        found = covering(tokenizer, prompt)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(CoveringJob, "_divided", lambda *_: 0)
            assert found == covering(tokenizer, prompt)


@functools.cache
def shipped(name: str) -> tc.Tokenizer:
    return tc.open(shipped_path(name))


def test_only_what_follows_a_sure_cut_is_encoded(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[bytes] = []
    found = CoveringJob._encoded
    monkeypatch.setattr(CoveringJob, "_encoded", lambda self, data: encoded.append(data) or found(self, data))  # fmt: skip
    covering(shipped("bpe-gpt2-8k"), "words " * 200)
    assert len(encoded) > 2000  # nearly each entry with a space before it
    assert max(map(len, encoded)) < 100


def test_a_slice_encodes_few_texts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done = [0]
    encode = CoveringJob._encoded

    def counted(self: CoveringJob, data: bytes) -> list[int]:
        done[0] += 1
        return encode(self, data)

    monkeypatch.setattr(CoveringJob, "_encoded", counted)
    job = CoveringJob(shipped("bpe-gpt2-8k"), "low ")
    job.pieces.step(1e9)
    most, before = 0, 0
    while not job.finished:
        job.step(0)
        most, before = max(most, done[0] - before), done[0]
    assert done[0] > 2000
    assert most <= 64


def test_a_stopped_search_leaves_what_the_next_one_needs() -> None:
    tokenizer = shipped("bpe-gpt2-8k")
    first = CoveringJob(tokenizer, "low ")
    first.pieces.step(1e9)
    while first.step(0).phase != "Looking for entries":
        pass
    first.step(0)
    starts = first.starts
    del first  # its generator is closed in the middle
    gc.collect()
    again = CoveringJob(tokenizer, "low ", starts)
    while not again.finished:
        again.step(1e9)
    assert again.covering == covering(tokenizer, "low ")
