"""The model of PickyBPE: what its tokenizers do, long words, and what they refuse, with the reason."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tokenarium_core as tc
from tokenarium_core.changing.extending import extend_with
from tokenarium_core.changing.special_tokens import change_special_tokens
from tokenarium_core.changing.token_usage import usage_of
from tokenarium_core.errors import UnsupportedError
from tokenarium_core.explaining.merge_path import merges
from tokenarium_core.explaining.sampling import sample
from tokenarium_core.explaining.why import why_not
from tokenarium_core.models.bpe.event_word import LONG
from tokenarium_core.models.bpe.picky_bpe import PickyBpe
from tokenarium_core.models.nested_cuts import merge_levels
from tokenarium_core.trace import KINDS, Trace

TEXT = "lowest lowest lowest low lower newest newest new abcdabcd abcdabcd cd cdx xcd "
PICKY = tc.train(
    "picky-bpe",
    [TEXT * 3],
    vocab_size=266,
    pattern=r"\s?\S+|\s+",
    threshold=0.7,
    min_frequency=1,
    special_tokens=["<end>"],
)


def model() -> PickyBpe:
    assert isinstance(PICKY.model, PickyBpe)
    return PICKY.model


def test_it_has_removed_tokens() -> None:
    events = model().events
    assert events.removed > 5
    assert all(events.present[token] for token in range(256))


@given(text=st.text(alphabet="lowestnabcd ", max_size=40))
@example(text="abcdabcdabcd xlowest")
def test_a_trace_changes_nothing(text: str) -> None:
    trace = Trace()
    encoding = PICKY.encode(text, trace=trace)
    ids = list(encoding.ids)
    assert ids == PICKY.encode_ids(text)
    data = encoding.text.data[: encoding.text.size]
    assert trace.replay(data, PICKY.model.byte_symbols()) == ids
    assert PICKY.decode(ids) == text


def test_a_removal_is_an_event_of_the_trace() -> None:
    trace = Trace()
    PICKY.encode("xabcdabcd", trace=trace)
    assert "unmerge" in {KINDS[kind] for kind in trace.kinds}


def test_a_long_word_is_left_to_the_caller() -> None:
    word = "abcdlowest" * (LONG // 10 + 1)
    trace = Trace()
    ids = PICKY.encode_ids(word)
    assert list(PICKY.encode(word, trace=trace).ids) == ids
    assert PICKY.decode(ids) == word
    around = PICKY.encode_ids("low"), PICKY.encode_ids(" low")
    assert PICKY.encode_ids(f"low {word} low") == [
        *around[0],
        *PICKY.encode_ids(f" {word}"),
        *around[1],
    ]


def test_special_tokens_can_be_changed() -> None:
    changed = change_special_tokens(PICKY, add=["<pad>"], rename={"<end>": "<stop>"})
    assert changed.special_tokens == {"<stop>": 265, "<pad>": 266}
    assert changed.encode_ids(TEXT) == PICKY.encode_ids(TEXT)
    assert list(changed.encode("low<stop>", special="all").ids)[-1] == 265


def test_why_a_part_of_a_word_is_a_token() -> None:
    ids = PICKY.encode_ids("xabcd")
    assert len(ids) < 5
    for start in range(5):
        for stop in range(start + 1, 6):
            assert why_not(PICKY, "xabcd", start, stop).ids


@pytest.mark.parametrize(
    ("ask", "reason"),
    [
        (lambda: tc.prune(PICKY, [TEXT], 260), "cannot be pruned"),
        (lambda: tc.prune(PICKY, scripts=["Cyrillic"]), "cannot be pruned"),
        (lambda: usage_of(PICKY, [TEXT]), "cannot be pruned"),
        (lambda: tc.extend(PICKY, [TEXT], 3), "cannot continue with other texts"),
        (lambda: extend_with(PICKY, [" hello"]), "Words cannot be added"),
        (lambda: sample(PICKY, "lowest", 3), "not defined which of them to leave out"),
        (lambda: merge_levels(PICKY.model), "not the vocabulary of that size"),
    ],
)
def test_what_is_not_available_says_why(ask: Callable[[], object], reason: str) -> None:
    with pytest.raises(UnsupportedError, match=reason):
        ask()


def test_it_has_no_list_of_merges() -> None:
    with pytest.raises(tc.ArgumentError, match="merges and removals in one order"):
        merges(PICKY)
