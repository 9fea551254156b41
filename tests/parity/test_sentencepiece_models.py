"""Whole ``.model`` files: the ids, the pieces and the text back as sentencepiece itself has them."""

from __future__ import annotations

import functools
import itertools
from pathlib import Path

import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st
from sentencepiece_models import BYTES, LINES, MODELS, SMALL, message, reference, trained

import tokenarium_core as tc
from tokenarium_core.formats.sentencepiece.sentencepiece_format import read_sentencepiece

TEXT = st.lists(
    st.one_of(
        st.text(max_size=6),
        st.sampled_from(LINES),
        st.sampled_from(
            [
                " ", "  ", "▁", "<mask>", "<s>", "<unk>", "<0x41>", "\n", "\u2603", "\U0001fae9",
                " ⁇ ",
            ]
        ),
        st.text("theod ▁", max_size=12),
    ),
    max_size=8,
).map("".join)  # fmt: skip


@functools.cache
def both(name: str) -> tuple[sentencepiece.SentencePieceProcessor, tc.Tokenizer]:
    """Returns one model twice: the reference's and ours."""
    model = trained(**MODELS[name])
    return reference(model), read_sentencepiece(model, f"{name}.model", name)


def check(
    processor: sentencepiece.SentencePieceProcessor, tokenizer: tc.Tokenizer, text: str
) -> None:
    """Compares the ids, and the text back."""
    ids = processor.encode(text)
    assert tokenizer.encode_ids(text) == ids, repr(text)
    assert tokenizer.decode(ids) == processor.decode(ids), repr(text)


@pytest.mark.parametrize("name", MODELS)
def test_lines(name: str) -> None:
    processor, tokenizer = both(name)
    for text in [*LINES, "", " ", "▁", "  ".join(LINES), "\u2603\u2604 \u2603", "\u2603" * 40]:
        check(processor, tokenizer, text)


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=100)
@given(text=TEXT)
def test_random_text(name: str, text: str) -> None:
    check(*both(name), text)


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=100)
@given(data=st.data())
def test_random_ids(name: str, data: st.DataObject) -> None:
    processor, tokenizer = both(name)
    token = st.integers(0, min(len(tokenizer.vocabulary), 300) - 1)
    ids = data.draw(st.lists(token, max_size=20))
    assert tokenizer.decode(ids) == processor.decode(ids)


@pytest.mark.parametrize("name", MODELS)
def test_long_texts(name: str) -> None:
    """Texts of more than one bite, with unknown units in rows."""
    processor, tokenizer = both(name)
    for unit in ("the other dog, ", "\u2603 ", "\u2603", "a"):
        text = unit * (150_000 // len(unit))
        assert tokenizer.encode_ids(text) == processor.encode(text)
        assert list(tokenizer.encode(text).ids) == processor.encode(text)


@pytest.mark.parametrize("name", MODELS)
def test_pieces(name: str) -> None:
    processor, tokenizer = both(name)
    assert len(tokenizer.vocabulary) == processor.get_piece_size()
    for token in range(len(tokenizer.vocabulary)):
        kind = tokenizer.vocabulary.kind(token)
        assert (kind == "control") == processor.is_control(token)
        assert (kind == "unknown") == processor.is_unknown(token)
        assert (kind == "byte") == processor.is_byte(token)
        if kind != "byte" or tokenizer.vocabulary.spelling:
            assert tokenizer.vocabulary.surface(token) == processor.id_to_piece(token)
        assert tokenizer.vocabulary.scores[token] == processor.get_score(token)


def test_a_denormalizer_has_the_last_say() -> None:
    model = message([*SMALL, ("é", -1.0, 1)])
    rules = trained(normalization_rule_name="nmt_nfkc_cf")
    model.denormalizer_spec.precompiled_charsmap = (
        type(model).FromString(rules).normalizer_spec.precompiled_charsmap
    )
    model.denormalizer_spec.escape_whitespaces = False
    model.denormalizer_spec.add_dummy_prefix = False
    content = model.SerializeToString()
    processor = reference(content)
    tokenizer = read_sentencepiece(content, "x.model", "x")
    for ids in ([4, 4, 5, 4, 4, 6], [9, 4, 9], [0, 5, 0], []):
        assert tokenizer.decode(ids) == processor.decode(ids)


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_a_mark_that_falls_back_to_bytes(kind: int) -> None:
    """A ``▁`` that is no piece becomes its own three bytes, not a space."""
    pieces = [("<unk>", 0.0, 2), ("a", -1.0, 1), ("▁b", -1.0, 1), ("b", -2.0, 1), *BYTES]
    model = message(pieces, kind)
    model.trainer_spec.byte_fallback = True
    content = model.SerializeToString()
    tokenizer = read_sentencepiece(content, "x.model", "x")
    for text in ("a a", " ", "a b", "▁", " c▁b"):
        check(reference(content), tokenizer, text)


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@settings(max_examples=60)
@given(ids=st.lists(st.integers(0, 9), max_size=8))
def test_real_spaces_at_the_beginning(kind: int, every: bool, ids: list[int]) -> None:
    """The space that is dropped there is a mark, never a real space of a user-defined piece."""
    content = with_real_spaces(kind, every)
    tokenizer = read_sentencepiece(content, "x.model", "x")
    assert tokenizer.decode(ids) == reference(content).decode(ids)


@functools.cache
def with_real_spaces(kind: int, every: bool) -> bytes:
    blanks = [("  ", 0.0, 4), (" a", 0.0, 4), ("▁a", -1.0, 1), ("▁▁", -1.0, 1), ("▁", -2.0, 1)]
    model = message(
        [("▁?", 0.0, 2), ("<s>", 0.0, 3), *blanks, ("a", -3.0, 1), ("b", -3.0, 1), ("x ", 0.0, 4)],
        kind,
    )
    model.normalizer_spec.add_dummy_prefix = True
    model.normalizer_spec.remove_extra_whitespaces = every
    content: bytes = model.SerializeToString()
    return content


@pytest.mark.parametrize("unknown", ["", " ", "▁", "é"])
def test_what_stands_for_the_unknown_piece(unknown: str) -> None:
    """It drops the first space where the piece itself begins with one."""
    for piece, blank in itertools.product(["▁?", "?", "▁"], [" ", "<b>"]):
        model = message([(piece, 0.0, 2), ("▁a", -1.0, 1), (blank, 0.0, 4), ("▁▁", -1.0, 1)])
        model.trainer_spec.unk_surface = unknown
        model.normalizer_spec.add_dummy_prefix = True
        content = model.SerializeToString()
        tokenizer = read_sentencepiece(content, "x.model", "x")
        processor = reference(content)
        for ids in itertools.product(range(4), repeat=3):
            assert tokenizer.decode(ids) == processor.decode(list(ids)), ids


@pytest.mark.parametrize("kind", [2, 3, 4])
def test_infinite_scores(kind: int) -> None:
    """SentencePiece's own trainer writes them, for required characters that occur nowhere."""
    infinite = float("inf")
    content = message(
        [*SMALL, ("c", -infinite, 1), ("ac", -infinite, 1), ("ba", infinite, 1)], kind
    ).SerializeToString()
    tokenizer = read_sentencepiece(content, "x.model", "x")
    for text in ("abacab", "bac", " ab ac"):
        check(reference(content), tokenizer, text)


@pytest.mark.parametrize("kind", ["char", "word", "bpe", "unigram"])
def test_required_characters_that_occur_nowhere(kind: str) -> None:
    content = trained(kind, required_chars="\u2603ž", character_coverage=0.98)
    check(reference(content), read_sentencepiece(content, "x.model", "x"), "the \u2603 žog")


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("text", ["<unk>", "<0x41>", "<s>", "a", "▁", "a b", "a▁b"])
def test_pieces_that_are_spelled_alike(kind: int, text: str) -> None:
    """SentencePiece decides which pieces may be equal, by their types and the model's."""
    for first, second in itertools.product([1, 3, 4, 5], repeat=2):
        pieces = [*SMALL[:4], *BYTES, (text, -1.0, first), ("b", -1.0, 1)]
        if text not in ("<unk>", "<0x41>", "<s>"):
            pieces.append((text, -2.0, second))
        model = message(pieces, kind)
        model.trainer_spec.byte_fallback = True
        content = model.SerializeToString()
        try:
            processor = reference(content)
        except RuntimeError:
            with pytest.raises(tc.FormatError):
                read_sentencepiece(content, "x.model", "x")
        else:
            check(processor, read_sentencepiece(content, "x.model", "x"), "ab a b <unk> <0x41> <s>")


@functools.cache
def published(path: Path) -> tuple[sentencepiece.SentencePieceProcessor, tc.Tokenizer]:
    """Returns a published model twice: the reference's and ours."""
    return sentencepiece.SentencePieceProcessor(model_file=str(path)), tc.open(path)


@pytest.mark.parametrize("name", ["gemma3", "mistral-v3"])
def test_published_models(name: str, data: Path, texts: dict[str, str]) -> None:
    processor, tokenizer = published(data / "tokenizers" / f"{name}.model")
    for language, text in texts.items():
        ids = processor.encode(text)
        assert tokenizer.encode_ids(text) == ids, language
        assert list(tokenizer.encode(text).ids) == ids, language
        assert tokenizer.decode(ids) == processor.decode(ids), language
    assert tokenizer.name == name
    assert tokenizer.source.format == "sentencepiece"
    assert tokenizer.template is not None
    assert tokenizer.template.before == [processor.bos_id()]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("<bos>Heyllo", "< bos > Hey llo"),
        (
            "<start_of_turn>user\nWho are you?<end_of_turn>\n<start_of_turn>model",
            "<start_of_turn> user \n Who ▁are ▁you ? <end_of_turn> \n <start_of_turn> model",
        ),
        ("<unused10> blahblahblah", "<unused10> ▁blah blah blah"),
        ("\U0001fae9", "<0xF0> <0x9F> <0xAB> <0xA9>"),
    ],
)
def test_examples_of_gemma(text: str, pieces: str, data: Path) -> None:
    processor, tokenizer = published(data / "tokenizers" / "gemma3.model")
    ids = tokenizer.encode_ids(text)
    assert [tokenizer.vocabulary.surface(token) for token in ids] == pieces.split(" ")
    assert ids == processor.encode(text)
    assert tokenizer.decode(ids) == text


def test_a_literal_mark_does_not_survive(data: Path) -> None:
    _, tokenizer = published(data / "tokenizers" / "gemma3.model")
    assert tokenizer.decode(tokenizer.encode_ids("a▁b")) == "a b"
    assert tokenizer.encode_ids("a▁b") == tokenizer.encode_ids("a b")
