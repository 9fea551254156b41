"""Why a string is not one token: the first reason, on small models of every kind."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from narrowed import there
from sentencepiece_models import BYTES, Piece, message
from small_vocabularies import LOWER, of_pieces

import tokenarium_core as tc
from tokenarium_core.added_tokens import AddedToken, AddedTokens
from tokenarium_core.explaining import verdict as kinds
from tokenarium_core.explaining.merge_path import MergePaths
from tokenarium_core.explaining.near_spellings import near_spellings
from tokenarium_core.explaining.verdict import Verdict
from tokenarium_core.explaining.vocabulary_entries import unreached_pieces
from tokenarium_core.explaining.why import why_not
from tokenarium_core.formats.hf.hf_format import read_huggingface
from tokenarium_core.formats.sentencepiece.sentencepiece_format import read_sentencepiece
from tokenarium_core.formats.vocab_txt_format import read_vocab_txt
from tokenarium_core.trace import MERGE, PIECE, PRE_TOKEN, SYMBOL
from tokenarium_core.trace import SPECIAL as SPECIAL_EVENT


def sentencepiece(pieces: list[Piece], kind: int = 2, prefix: bool = False) -> tc.Tokenizer:
    """Returns a SentencePiece model of these pieces: Unigram (1), BPE (2), words (3) or characters (4)."""
    proto = message(pieces, kind)
    proto.normalizer_spec.add_dummy_prefix = prefix
    proto.trainer_spec.byte_fallback = BYTES[0] in pieces
    return read_sentencepiece(proto.SerializeToString(), "test.model", "test")


def huggingface(model: dict[str, Any], **stages: Any) -> tc.Tokenizer:
    """Returns the tokenizer of a tokenizer.json with this model."""
    file = {"version": "1.0", "added_tokens": [], "model": model} | stages
    return read_huggingface(json.dumps(file).encode(), "test")


def merging(*merges: str, **more: int) -> tc.Tokenizer:
    """Returns BPE over the characters a to e whose pieces are the sides and results of these merges ("ab c")."""
    pairs = [merge.split() for merge in merges]
    pieces = [*"abcde", *(left + right for left, right in pairs)]
    vocab = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    for piece in more:
        vocab[piece] = len(vocab)
    return huggingface({"type": "BPE", "vocab": vocab, "merges": pairs})


LETTERS: list[Piece] = [
    ("<unk>", 0.0, 2),
    ("<s>", 0.0, 3),
    ("<mask>", 0.0, 4),
    *((letter, -20.0, 1) for letter in "▁abcd"),
]
BPE = sentencepiece(
    [
        *LETTERS,
        ("▁a", -1.0, 1),
        ("bc", -2.0, 1),
        ("ab", -3.0, 1),
        ("cd", -4.0, 1),
        ("abcd", -5.0, 1),
    ]
)
PREFIXED = sentencepiece([*LETTERS, ("▁a", -1.0, 1), ("ab", -3.0, 1), ("cd", -4.0, 1)], prefix=True)
UNUSED = sentencepiece([*LETTERS, ("ab", -1.0, 5), *BYTES])
UNIGRAM = sentencepiece([*LETTERS[:6], ("▁ab", -45.0, 1), ("▁a", -2.0, 1), ("ab", -3.0, 1)], kind=1)
WORDPIECE = read_vocab_txt(
    b"\n".join(
        [b"[PAD]", b"[UNK]", b"[CLS]", b"[SEP]", b"un", b"##aff", b"##able", b"##a", b"a", b"x"]
    ),
    "wordpiece",
)
WORDLEVEL = huggingface(
    {"type": "WordLevel", "vocab": {"[UNK]": 0, "low": 1, "er": 2}, "unk_token": "[UNK]"},
    pre_tokenizer={"type": "Whitespace"},
)
LOWERING = huggingface(
    {"type": "BPE", "vocab": {"A": 0, "a": 1, "B": 2, "b": 3, "AB": 4}, "merges": [["A", "B"]]},
    normalizer={"type": "Lowercase"},
)
ACCENTED = of_pieces(["é".encode(), "éé".encode()])
SPACED = of_pieces([b"lo", b"low", b" low"], "gpt2")
SPECIAL = of_pieces([b"lo"], special_tokens={"<|end|>": 300})
PICKY = tc.train(
    "picky-bpe",
    ["lowest newest"] * 9 + ["low", "new"],
    vocab_size=258,
    pattern=r"\S+|\s+",
    threshold=0.6,
    min_frequency=1,
)
EVERY = [LOWER, SPECIAL, BPE, PREFIXED, UNUSED, UNIGRAM, WORDPIECE, WORDLEVEL, LOWERING, PICKY]


@pytest.mark.parametrize(
    ("tokenizer", "text", "kind", "token"),
    [
        (LOWER, "low", kinds.ONE, 258),
        (LOWER, "", kinds.NOTHING, -1),
        (LOWER, "slow", kinds.NOT_THERE, ord("s")),
        (LOWER, "lowly", kinds.NOT_THERE, 258),
        (LOWER, "low lower", kinds.CUT, -1),
        (SPECIAL, "<|end|>", kinds.NEVER_TEXT, 300),
        (BPE, "<s>", kinds.NEVER_TEXT, 1),
        (BPE, "<unk>", kinds.NEVER_TEXT, 0),
        (BPE, "<mask>", kinds.ONE, 2),
        (BPE, "a<mask>", kinds.ADDED, 2),
        (BPE, "bc", kinds.ONE, 9),
        (BPE, "abcd", kinds.OUTRANKED, -1),
        (BPE, "☃", kinds.NOT_THERE, -1),
        (BPE, "ac", kinds.NOT_THERE, 4),
        (UNUSED, "ab", kinds.NEVER_TEXT, 8),
        (UNUSED, "<0x0A>", kinds.NEVER_TEXT, 19),
        (UNUSED, "\n", kinds.ONE, 19),
        (UNUSED, "é", kinds.NOT_THERE, -1),
        (PREFIXED, "a", kinds.ONE, 8),
        (PREFIXED, "cd", kinds.PREFIXED, 10),
        (PREFIXED, "ab", kinds.PREFIXED, 9),
        (UNIGRAM, " a", kinds.ONE, 7),
        (UNIGRAM, " ab", kinds.OUTSCORED, 6),
        (WORDPIECE, "un", kinds.ONE, 4),
        (WORDPIECE, "UN", kinds.ONE, 4),
        (WORDPIECE, "able", kinds.WRONG_PLACE, 6),
        (WORDPIECE, "unable", kinds.NOT_THERE, 4),
        (WORDPIECE, "unz", kinds.UNCOVERED, -1),
        (WORDPIECE, "un x", kinds.CUT, -1),
        (WORDPIECE, "x" * 101, kinds.TOO_LONG, -1),
        (WORDPIECE, "[UNK]", kinds.NEVER_TEXT, 1),
        (WORDLEVEL, "low", kinds.ONE, 1),
        (WORDLEVEL, "lower", kinds.NOT_THERE, 1),
        (LOWERING, "AB", kinds.CHANGED, 4),
        (LOWERING, "A", kinds.ONE, 1),
        (merging("a b", "ab c"), "abc", kinds.ONE, 6),
        (merging("b c", "a b", "ab c"), "abc", kinds.OUTRANKED, -1),
        (merging("ab c", ab=0), "abc", kinds.NO_MERGE, 6),
        (merging("a b", abc=0), "abc", kinds.NO_MERGE, 6),
    ],
)
def test_first_reason(tokenizer: tc.Tokenizer, text: str, kind: str, token: int) -> None:
    verdict = why_not(tokenizer, text)
    assert (verdict.kind, verdict.token) == (kind, token)
    assert verdict.ids == list(verdict.encoding.ids)


@pytest.mark.parametrize(
    ("tokenizer", "text", "span", "kind"),
    [
        (LOWER, "lower low", (6, 9), kinds.ONE),
        (LOWER, "lower low", (0, 3), kinds.MERGED_ON),
        (LOWER, "lower low", (4, 7), kinds.CUT),
        (LOWER, "lower low", (3, 5), kinds.MERGED_ON),
        (LOWER, "lower low", (1, 3), kinds.OUTRANKED),
        (WORDPIECE, "unable", (0, 2), kinds.ONE),
        (WORDPIECE, "unable", (2, 6), kinds.ONE),
        (WORDPIECE, "unable", (2, 3), kinds.JOINED),
        (WORDPIECE, "unx", (2, 3), kinds.WRONG_PLACE),
        (WORDPIECE, "unaffx", (2, 5), kinds.UNCOVERED),
        (WORDLEVEL, "low er", (4, 6), kinds.ONE),
        (UNIGRAM, " ab", (1, 3), kinds.OUTSCORED),
        (PREFIXED, "cd", (0, 2), kinds.PREFIXED),
    ],
)
def test_in_its_place(tokenizer: tc.Tokenizer, text: str, span: tuple[int, int], kind: str) -> None:
    verdict = why_not(tokenizer, text, *span)
    assert verdict.kind == kind
    assert verdict.text == text.encode()[slice(*span)].decode()


def test_cut_names_place_and_rules() -> None:
    verdict = why_not(of_pieces([b"lo"], "gpt2"), "lo's 12")
    assert (verdict.kind, verdict.start, verdict.stop) == (kinds.CUT, 2, 2)
    assert verdict.rules == ("word", "contraction")


def test_added_tokens_are_named_with_their_place() -> None:
    verdict = why_not(SPECIAL, "lo<|end|>", special="all")
    assert (verdict.kind, verdict.token, verdict.start, verdict.stop) == (kinds.ADDED, 300, 2, 9)
    assert why_not(SPECIAL, "<|end|>", special="all").is_one


def test_outranking_merge_and_the_one_that_waited() -> None:
    verdict = why_not(merging("b c", "c d", "a b", "ab cd"), "abcd")
    assert verdict.merge is not None
    assert verdict.needed is not None
    assert verdict.blocked is not None
    assert (verdict.merge.start, verdict.merge.stop, verdict.merge.rank) == (1, 3, 0)
    assert (verdict.needed.start, verdict.needed.stop, verdict.needed.rank) == (0, 2, 2)
    assert (verdict.blocked.start, verdict.blocked.stop) == (0, 2)
    assert [(merge.start, merge.stop) for merge in verdict.path] == [(0, 2), (2, 4), (0, 4)]
    assert verdict.trace.kinds[verdict.event] == MERGE


def test_missing_merge_is_named_with_its_place() -> None:
    verdict = why_not(merging("b c", "ab de", "abde bc", "d e", ab=0), "abdebc")
    assert (verdict.kind, verdict.start, verdict.stop) == (kinds.NO_MERGE, 0, 2)
    assert (0, 4) in [(merge.start, merge.stop) for merge in verdict.path]


def test_scores_of_the_best_way_and_of_the_piece() -> None:
    verdict = why_not(UNIGRAM, " ab")
    assert (verdict.best_score, verdict.own_score) == (-22.0, -45.0)
    assert verdict.best_score == pytest.approx(UNIGRAM.model.lattice(" ab").best().score)
    assert [edge.token for edge in verdict.best_path] == [7, 5]
    assert [edge.token for edge in verdict.own_path] == [6]


def test_paths_are_shown_only_where_they_differ() -> None:
    verdict = why_not(UNIGRAM, "b ab a", 2, 4)
    assert (verdict.kind, verdict.start, verdict.stop) == (kinds.OUTSCORED, 1, 4)
    assert (verdict.best_score, verdict.own_score) == (-22.0, -23.0)
    assert [edge.token for edge in verdict.own_path] == [3, 8]


def test_bytes_are_there_without_a_merge() -> None:
    tokenizer = sentencepiece([*LETTERS, *BYTES])
    paths = MergePaths(tokenizer.model)
    for byte in range(256):
        found = paths.paths(len(LETTERS) + byte, 0)
        assert [(path.merges, path.missing) for path in found] == [([], -1)]


def test_what_is_lacking_is_reported() -> None:
    assert why_not(UNUSED, "é").fallbacks == 2
    assert why_not(BPE, "☃").unknown
    assert not why_not(BPE, "ac").unknown


@pytest.mark.slow
@pytest.mark.parametrize("tokenizer", EVERY)
@given(text=st.text("abcdlowerunx ▁<s>é☃\n", max_size=8))
@settings(max_examples=60)
def test_one_token_means_one_id(tokenizer: tc.Tokenizer, text: str) -> None:
    verdict = why_not(tokenizer, text)
    ids = tokenizer.encode_ids(text)
    assert verdict.ids == ids
    assert verdict.is_one == (len(ids) == 1 and not verdict.unknown)
    check_evidence(verdict)


@pytest.mark.slow
@given(
    merges=st.lists(
        st.tuples(
            st.sampled_from(["abc", "ab", "bc", "ca", "cc", "abc"]),
            st.sampled_from(["a", "b", "c", "bc"]),
        ),
        max_size=8,
        unique=True,
    ),
    text=st.text("abc", min_size=1, max_size=7),
    data=st.data(),
)
@settings(max_examples=150)
def test_evidence_is_in_the_trace(
    merges: list[tuple[str, str]], text: str, data: st.DataObject
) -> None:
    pieces = [*"abc", *(piece for pair in merges for piece in (*pair, "".join(pair)))]
    vocab = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = huggingface({"type": "BPE", "vocab": vocab, "merges": merges})
    start = data.draw(st.integers(0, len(text) - 1))
    stop = data.draw(st.integers(start + 1, len(text)))
    verdict = why_not(tokenizer, text, start, stop)
    places = [verdict.encoding.span(index) for index in range(len(verdict.encoding))]
    assert verdict.is_one == ((start, stop) in places)
    assert verdict.kind != kinds.PARTED
    check_evidence(verdict)


def check_evidence(verdict: Verdict) -> None:
    """Asserts that a merge which is named is an event of the trace, and came no later than the one needed."""
    merge = verdict.merge
    if merge is None:
        return
    trace = verdict.trace
    assert trace.kinds[verdict.event] == MERGE
    assert trace.positions[verdict.event] == merge.start
    assert trace.results[verdict.event] == merge.result
    assert (trace.lefts[verdict.event], trace.rights[verdict.event]) == (merge.left, merge.right)
    if verdict.kind == kinds.OUTRANKED:
        needed, blocked = there(verdict.needed), there(verdict.blocked)
        assert merge.rank <= needed.rank
        assert merge.start < blocked.stop
        assert blocked.start < merge.stop
        assert blocked.start <= needed.start
        assert needed.stop <= blocked.stop
        if merge.rank == needed.rank and merge.result == needed.result:
            assert merge.start < needed.start


@pytest.mark.parametrize(
    ("tokenizer", "text", "near"),
    [
        (SPACED, "LOW", [("low", 257, "in lower case"), (" low", 258, "in lower case, with a space in front")]),
        (SPACED, "low", [(" low", 258, "with a space in front")]),
        (SPACED, "Ġlow", [(" low", 258, "as an entry is spelled")]),
        (SPACED, "▁low", [(" low", 258, "as an entry is spelled")]),
        (ACCENTED, "Ã©", [("é", 256, "as an entry is spelled")]),
        (ACCENTED, "Ã©Ã©", [("éé", 257, "as an entry is spelled")]),
        (WORDPIECE, "Ã©", []),
        (WORDPIECE, "UN", []),
        (WORDPIECE, "##a", [("a", 8, "as an entry is spelled")]),
        (SPACED, "", []),
        (SPACED, "x" * 300, []),
    ],
)  # fmt: skip
def test_near_spellings(
    tokenizer: tc.Tokenizer, text: str, near: list[tuple[str, int, str]]
) -> None:
    assert [(one.text, one.token, one.how) for one in near_spellings(tokenizer, text)] == near


def test_unreached_pieces() -> None:
    assert unreached_pieces(LOWER.model, 0, len(LOWER.vocabulary)) == []
    unreachable = merging("b c", "a b", "ab c", "d e")
    assert unreached_pieces(unreachable.model, 0, len(unreachable.vocabulary)) == [7]
    assert not why_not(unreachable, unreachable.vocabulary.surface(7)).is_one


def test_one_token_says_how_it_became_one() -> None:
    tokenizer = merging("a b", "ab c")
    verdict = why_not(tokenizer, "abc")
    assert (verdict.kind, verdict.how) == (kinds.ONE, MERGE)
    assert verdict.merge is not None
    assert verdict.merge.rank == 1
    assert [merge.rank for merge in verdict.path] == [0, 1]
    assert verdict.trace.results[verdict.event] == verdict.token
    assert why_not(tokenizer, "a").how == SYMBOL
    user = sentencepiece([*LETTERS, ("ab", 0.0, 4)])
    verdict = why_not(user, "ab")
    assert (verdict.kind, verdict.how, verdict.merge) == (kinds.ONE, PIECE, None)
    byte_level = tc.train("bpe", ["low lower"], vocab_size=260)
    assert why_not(byte_level, "l").how == PRE_TOKEN
    special = tc.Tokenizer(
        "special",
        byte_level.model,
        byte_level.pre_tokenizer,
        AddedTokens([AddedToken("<s>", 256)]),
    )
    assert why_not(special, "<s>", special="all").how == SPECIAL_EVENT
    within = why_not(tokenizer, "dabcd", 1, 4)
    assert (within.kind, within.how) == (kinds.ONE, MERGE)
