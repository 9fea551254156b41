"""Merging: by hand on small vocabularies, and against a straightforward version of itself."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_vocabularies import LOWER, of_pieces
from trace_law import ids_by_law

from tokenarium_core.padded_text import padded
from tokenarium_core.trace import Trace


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", []),
        ("low", [b"low"]),
        ("lower", [b"lower"]),
        ("ow", [b"ow"]),
        ("wol", [b"w", b"o", b"l"]),
        ("lowlow", [b"low", b"low"]),
        ("slower", [b"s", b"lower"]),
        ("é", [b"\xc3", b"\xa9"]),
    ],
)
def test_words_merge_by_rank(text: str, pieces: list[bytes]) -> None:
    ids = LOWER.encode_ids(text)
    assert [LOWER.vocabulary.piece(token) for token in ids] == pieces
    assert LOWER.decode(ids) == text


def test_equal_ranks_merge_from_the_left() -> None:
    tokenizer = of_pieces([b"aa"], "whitespace")
    assert tokenizer.encode_ids("aaa") == [256, 97]
    assert tokenizer.encode_ids("aaaaa") == [256, 256, 97]


def naive(pieces: list[bytes], word: bytes, whole: bool) -> list[int]:
    """Merges as tiktoken defines it: the lowest rank of two neighbours' bytes, the leftmost first."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    ranks |= {piece: 256 + index for index, piece in enumerate(pieces)}
    if whole and word in ranks:
        return [ranks[word]]
    parts = [bytes([byte]) for byte in word]
    while True:
        best = min(
            (
                (ranks[left + right], at)
                for at, (left, right) in enumerate(pairwise(parts))
                if left + right in ranks
            ),
            default=None,
        )
        if best is None:
            return [ranks[part] for part in parts]
        at = best[1]
        parts[at : at + 2] = [parts[at] + parts[at + 1]]


piece_lists = st.lists(
    st.text("abé", min_size=1, max_size=6).map(str.encode).filter(lambda piece: len(piece) > 1),
    max_size=12,
    unique=True,
)


@pytest.mark.slow
@given(piece_lists, st.text("abé", max_size=90))
def test_any_ranks_merge_as_defined(pieces: list[bytes], text: str) -> None:
    """Also vocabularies that no training gives, with pieces that merges cannot make."""
    tokenizer = of_pieces(pieces)
    assert tokenizer.encode_ids(text) == naive(pieces, text.encode(), whole=True)


@pytest.mark.slow
@given(piece_lists, st.text("abé ", max_size=60))
def test_the_trace_replays_to_the_same_ids(pieces: list[bytes], text: str) -> None:
    ids_by_law(of_pieces(pieces), text)


def test_a_trace_names_each_merge() -> None:
    trace = Trace()
    LOWER.encode("lower", trace=trace)
    assert list(trace.kinds) == [0, 1, 1, 1, 1]
    assert list(trace.positions) == [0, 0, 0, 3, 0]
    assert list(trace.lefts)[1:] == [ord("l"), 256, ord("e"), 258]
    assert list(trace.rights)[1:] == [ord("o"), ord("w"), ord("r"), 259]
    assert list(trace.results)[1:] == list(trace.ranks)[1:] == [256, 258, 259, 260]


def test_a_false_trace_is_refused() -> None:
    trace = Trace()
    LOWER.encode("low", trace=trace)
    with pytest.raises(ValueError, match="Event 1 merges ids that are not at byte 0"):
        trace.replay(b"wol", [*range(256)])


@pytest.mark.parametrize("length", [16, 48, 49, 64, 4096, 4097, 9001])
def test_words_of_any_length(length: int) -> None:
    """Around the borders of the cache, of the scan for the lowest rank, and of the long words."""
    tokenizer = of_pieces([b"aa", b"aaaa", b"ab", b"aab"])
    text = ("a" * (length - 1) + "b") if length < 5000 else "a" * length
    ids = tokenizer.encode_ids(text)
    assert tokenizer.decode(ids) == text
    job = tokenizer.encode_job(text)
    while not job.finished:
        job.step(0)
    assert list(job.encoding.ids) == ids
    trace = Trace()
    assert list(tokenizer.encode(text, trace=trace).ids) == ids
    if length < 100:
        assert ids == naive([b"aa", b"aaaa", b"ab", b"aab"], text.encode(), whole=True)


def test_tokens_that_were_handed_out_stay_as_they_are() -> None:
    text = "low lower lowest " * 3000
    job = LOWER.encode_job(padded(text))
    seen = []
    while not job.finished:
        job.step(0)
        encoding = job.encoding
        seen.append((encoding, list(encoding.ids), list(encoding.spans)))
    assert len(seen) > 2
    whole = LOWER.encode(text)
    for encoding, ids, spans in seen:
        assert list(encoding.ids) == ids == list(whole.ids)[: len(ids)]
        assert list(encoding.spans) == spans == list(whole.spans)[: len(spans)]
    assert list(job.encoding.ids) == list(whole.ids)
    assert list(job.encoding.pre_tokens.ends) == list(whole.pre_tokens.ends)


@given(st.text("añ語🙂 \n", max_size=200))
def test_spans_and_cuts_cover_the_text(text: str) -> None:
    encoding = LOWER.encode(text)
    data = text.encode()
    spans = [encoding.span(index) for index in range(len(encoding))]
    assert b"".join(data[start:stop] for start, stop in spans) == data
    assert [LOWER.vocabulary.piece(token) for token in encoding.ids] == [
        data[a:b] for a, b in spans
    ]
    assert list(encoding.pre_tokens.ends)[-1:] == ([len(data)] if data else [])


def test_results_are_buffers() -> None:
    encoding = LOWER.encode("low lower")
    assert memoryview(LOWER.encode_buffer("low lower")).format == "i"
    assert memoryview(encoding.ids).tolist() == [258, 32, 260]
    assert memoryview(encoding.spans).tolist() == [0, 3, 3, 4, 4, 9]
    assert LOWER.encode_ids_batch(["low", "", "lower"]) == [[258], [], [260]]


def test_a_text_with_a_lone_surrogate_is_encoded_with_a_replacement() -> None:
    assert LOWER.decode(LOWER.encode_ids("a\ud800b")) == "a\ufffdb"


def test_ids_that_stand_for_nothing() -> None:
    tokenizer = of_pieces([], special_tokens={"<end>": 300})
    assert tokenizer.decode([300]) == "<end>"
    with pytest.raises(IndexError, match="The id 299 is unused"):
        tokenizer.decode_bytes([299])
    with pytest.raises(IndexError, match="no id 301"):
        tokenizer.decode_bytes([301])
    assert tokenizer.decode([0xC3]) == "\ufffd"


@pytest.mark.slow
@given(
    st.lists(st.text(st.sampled_from("lowers"), min_size=1, max_size=34), min_size=1, max_size=40)
)
def test_new_words_side_by_side_are_merged_as_alone(words: list[str]) -> None:
    """Words of all lengths and in any order, some of them twice, while others still wait for their ids."""
    pieces = [b"ow", b"lo", b"low", b"er", b"ers", b" l", b" lo", b"we"]
    expected = [id for word in words for id in of_pieces(pieces, "gpt2").encode_ids(" " + word)]
    text = "".join(" " + word for word in words)
    tokenizer = of_pieces(pieces, "gpt2")
    assert tokenizer.encode_ids(text) == expected
    assert tokenizer.encode_ids(text) == expected


def test_long_words_have_more_parts_than_there_are_words() -> None:
    """Each part is new: there is room for all of them, though a few long words bring thousands."""
    han = [chr(0x4E00 + number * 7919 % 20_000) for number in range(5_000)]
    tokenizer = of_pieces([b"\xe4\xb8", b"\xe4\xb8\x80"], "gpt2")
    tokenizer.encode_ids("".join(han[:700]))
    text = "".join(han[700:])
    ids = tokenizer.encode_ids(text)
    assert tokenizer.decode(ids) == text
    assert ids == [id for part in text for id in tokenizer.encode_ids(part)]
