"""The same ids, texts and spans as tokenizers itself, for BERT's stages one by one and together."""

from __future__ import annotations

import functools
import itertools
from pathlib import Path

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors, trainers
from trace_law import ids_by_law

import tokenarium_core as tc
from tokenarium_core.added_tokens import of_special
from tokenarium_core.decoders.token_decoders import StepsDecoder, WordPieceStep
from tokenarium_core.formats.vocab_txt_format import read_vocab_txt, vocabulary_of
from tokenarium_core.models.lookup_models import WordLevel
from tokenarium_core.models.wordpiece import WordPiece
from tokenarium_core.normalized_text import NormalizedText, unchanged
from tokenarium_core.normalizers.bert_normalizer import BertNormalizer
from tokenarium_core.padded_text import PADDING, padded
from tokenarium_core.pretokenizers.bert_pretokenizer import BertPreTokenizer
from tokenarium_core.pretokenizers.pretokenizer import cut
from tokenarium_core.pretokenizers.scanners import WhitespaceScanner
from tokenarium_core.unicode.bert_data import TOKENIZERS_VERSION
from tokenarium_core.vocabulary import CONTINUING, NORMAL, PieceArena, Vocabulary

SAMPLES = Path(__file__).resolve().parents[2] / "resources" / "samples"
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
OPTIONS = list(itertools.product([True, False], [True, False], [None, True, False], [True, False]))
ALONE_AND_TOGETHER = [
    (False, False, False, False),
    (True, False, False, False),
    (False, True, False, False),
    (False, False, True, False),
    (False, False, False, True),
    (True, True, None, True),
]
POINTS = [point for point in range(0x110000) if not 0xD800 <= point < 0xE000]
BLOCK = 0x400  # what the reference keeps of so many stays in the processor's cache

same_version = pytest.mark.skipif(
    tokenizers.__version__ != TOKENIZERS_VERSION,
    reason=f"the table was made with tokenizers {TOKENIZERS_VERSION}",
)


@functools.cache
def sample_texts() -> dict[str, str]:
    found = {path.name: path.read_text("utf-8") for path in sorted(SAMPLES.glob("*.txt"))}
    assert len(found) > 20
    return found


@functools.cache
def both(lowercase: bool) -> tuple[tokenizers.Tokenizer, tc.Tokenizer]:
    """Returns a WordPiece tokenizer that is trained on the samples, as theirs and as ours."""
    reference = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    reference.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    reference.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=4000,
        special_tokens=SPECIAL,
        limit_alphabet=900,
        show_progress=False,
    )
    reference.train_from_iterator(sample_texts().values(), trainer)
    ids = {piece: reference.token_to_id(piece) for piece in SPECIAL}
    reference.post_processor = processors.BertProcessing(
        ("[SEP]", ids["[SEP]"]), ("[CLS]", ids["[CLS]"])
    )
    reference.decoder = decoders.WordPiece()
    reference.encode_special_tokens = True
    content = "".join(
        f"{reference.id_to_token(token)}\n" for token in range(reference.get_vocab_size())
    )
    return reference, read_vocab_txt(content.encode(), "vocab.txt", lowercase)


def check(reference: tokenizers.Tokenizer, tokenizer: tc.Tokenizer, text: str) -> None:
    """Asserts that ids by all ways and the decoded text are those of the reference."""
    ids = reference.encode(text, add_special_tokens=False).ids
    assert tokenizer.encode_ids(text) == ids
    assert memoryview(tokenizer.encode_buffer(text)).tolist() == ids
    assert ids_by_law(tokenizer, text) == ids
    assert tokenizer.decode(ids) == reference.decode(ids)


@pytest.mark.parametrize("lowercase", [True, False])
def test_udhr(lowercase: bool, texts: dict[str, str]) -> None:
    for text in texts.values():
        check(*both(lowercase), text)


@pytest.mark.parametrize("lowercase", [True, False])
def test_samples(lowercase: bool) -> None:
    for text in sample_texts().values():
        check(*both(lowercase), text)


@same_version
@pytest.mark.parametrize("lowercase", [True, False])
def test_every_code_point(lowercase: bool) -> None:
    reference, tokenizer = both(lowercase)
    for first in range(0, len(POINTS), BLOCK):
        for context in ("{} ", "The{}end "):
            text = "".join(
                [context.replace("{}", chr(point)) for point in POINTS[first : first + BLOCK]]
            )
            ids = reference.encode(text, add_special_tokens=False).ids
            assert tokenizer.encode_ids(text) == ids, hex(POINTS[first])


@pytest.mark.parametrize("lowercase", [True, False])
def test_ids_are_where_the_reference_says(lowercase: bool) -> None:
    reference, tokenizer = both(lowercase)
    for name, text in sample_texts().items():
        theirs = reference.encode(text, add_special_tokens=False)
        if len(text) != len(text.encode()):
            continue  # what was inserted or taken out is another matter; ids alone count there
        spans = memoryview(tokenizer.encode(text).spans).tolist()
        assert list(zip(spans[::2], spans[1::2], strict=True)) == theirs.offsets, name


@pytest.mark.parametrize("lowercase", [True, False])
def test_special_tokens_and_template(lowercase: bool) -> None:
    reference, tokenizer = both(lowercase)
    text = "[CLS] what is [MASK] ? [SEP]it is[PAD][UNK] x"
    check(reference, tokenizer, text)
    reference.encode_special_tokens = False
    try:
        theirs = reference.encode(text).ids
    finally:
        reference.encode_special_tokens = True
    assert list(tokenizer.encode(text, special="all", template=True).ids) == theirs
    assert tokenizer.decode(theirs) == reference.decode(theirs)


def as_normalized(normalizer: BertNormalizer, text: str) -> tuple[str, NormalizedText]:
    """Returns a text in its normalized form, by the fast way and with its alignment."""
    data = padded(text)
    plain = normalizer.normalize_plain(data)
    assert plain.endswith(bytes(PADDING))
    aligned = normalizer.normalize(unchanged(data, len(data) - PADDING, 0))
    assert aligned.data[: aligned.size] == plain[: len(plain) - PADDING]
    return plain[: len(plain) - PADDING].decode(), aligned


@same_version
@pytest.mark.parametrize("options", ALONE_AND_TOGETHER, ids=str)
def test_every_code_point_is_normalized_alike(
    options: tuple[bool, bool, bool | None, bool],
) -> None:
    """Alone, and among combining marks of which some stay, in an order that is not the canonical one."""
    reference = normalizers.BertNormalizer(*options)
    normalizer = BertNormalizer(*options)
    for first in range(0, len(POINTS), BLOCK):
        block = POINTS[first : first + BLOCK]
        for context in ("{}\n", "A{}\u0301\U0001d165\ua9c0\u093c{}\u302e\u200d\u1b44b "):
            text = "".join([context.replace("{}", chr(point)) for point in block])
            assert as_normalized(normalizer, text)[0] == reference.normalize_str(text), hex(first)


HARD = st.one_of(
    st.text(max_size=12),
    st.text("aAzZ .,!?'-#[]\t\r\n\x00\x07\x7f\u00a0\u3000\u200d\ufffd", max_size=24),
    st.text("ÀéİßǅΣΆЙё\u0301\u0323\u0345\u034f한글각", max_size=12),
    st.text("中文漢\uf900\U0002f800\U00020000あア", max_size=8),
    st.text("\U0001d15e\U0001d160\U0001d165\ua9c0\u1b44\u302e\u0334\u0301\U00016ff0", max_size=8),
    st.sampled_from(["unaffable", "[UNK]", "##ing", "don't", " . ", "नमस्ते", "👩‍👩‍👧", "a" * 101]),
)
TEXTS = st.lists(HARD, max_size=10).map("".join)


@same_version
@settings(max_examples=400)
@given(text=TEXTS, options=st.sampled_from(OPTIONS))
def test_random_text_is_normalized_alike(
    text: str, options: tuple[bool, bool, bool | None, bool]
) -> None:
    ours, aligned = as_normalized(BertNormalizer(*options), text)
    assert ours == normalizers.BertNormalizer(*options).normalize_str(text)
    starts = [aligned.start_of(at) for at in range(aligned.size)]
    stops = [aligned.stop_of(at + 1) for at in range(aligned.size)]
    assert starts == sorted(starts)
    assert stops == sorted(stops)
    assert all(0 <= a <= b <= len(text.encode()) for a, b in zip(starts, stops, strict=True))


def words_of(text: str) -> list[str]:
    """Returns the words that our pre-tokenizer leaves of a text."""
    pre_tokens = cut(BertPreTokenizer(), text)
    data = text.encode()
    starts = [0, *pre_tokens.ends]
    return [
        data[start:end].decode()
        for start, end, rule in zip(starts, pre_tokens.ends, pre_tokens.rules, strict=False)
        if rule != pre_tokens.removed
    ]


@same_version
def test_every_code_point_is_cut_alike() -> None:
    reference = pre_tokenizers.BertPreTokenizer()
    for first in range(0, len(POINTS), BLOCK):
        text = "".join([f"a{chr(p)}{chr(p)}b {chr(p)}" for p in POINTS[first : first + BLOCK]])
        assert words_of(text) == [word for word, _ in reference.pre_tokenize_str(text)]


@same_version
@settings(max_examples=300)
@given(text=TEXTS)
def test_random_text_is_cut_and_encoded_alike(text: str) -> None:
    cuts = pre_tokenizers.BertPreTokenizer().pre_tokenize_str(text)
    assert words_of(text) == [word for word, _ in cuts]
    check(*both(True), text)
    check(*both(False), text)


def with_affix(pieces: list[str], affix: str) -> Vocabulary:
    arena = PieceArena(len(pieces))
    for piece in pieces:
        continuing = bool(affix) and piece.startswith(affix) and piece != affix
        arena.add(piece[len(affix) * continuing :].encode(), CONTINUING if continuing else NORMAL)
    return Vocabulary(arena, (NORMAL,), affix=affix)


@settings(max_examples=400)
@given(
    pieces=st.lists(st.text("ab#é", min_size=1, max_size=4), max_size=14, unique=True),
    affix=st.sampled_from(["##", "", "a", "é#"]),
    limit=st.sampled_from([0, 3, 8, 100]),
    text=st.lists(st.text("ab#é", max_size=40), max_size=5).map(" ".join),
)
def test_any_pieces_affix_and_limit(pieces: list[str], affix: str, limit: int, text: str) -> None:
    """Also pieces that look like continuing ones in a text, and vocabularies that no training gives."""
    pieces = ["[UNK]", *pieces]
    reference = tokenizers.Tokenizer(
        models.WordPiece(
            {piece: token for token, piece in enumerate(pieces)},
            unk_token="[UNK]",
            continuing_subword_prefix=affix,
            max_input_chars_per_word=limit,
        )
    )
    reference.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    model = WordPiece(with_affix(pieces, affix), 0, limit)
    words = text.split()
    theirs = reference.encode(text, add_special_tokens=False)
    for word, cuts in zip(words, words_in(theirs, text), strict=True):
        check_word(model, word, *cuts)


def words_in(
    encoding: tokenizers.Encoding, text: str
) -> list[tuple[list[int], list[tuple[int, int]]]]:
    """Returns for each word the ids and the spans in characters from the beginning of the word."""
    found: list[tuple[list[int], list[tuple[int, int]]]] = []
    at = 0
    for word in text.split():
        at = text.index(word, at)
        inside = [
            (token, (start - at, stop - at))
            for token, (start, stop) in zip(encoding.ids, encoding.offsets, strict=True)
            if at <= start and stop <= at + len(word)
        ]
        found.append(([token for token, _ in inside], [span for _, span in inside]))
        at += len(word)
    return found


def check_word(
    model: WordPiece | WordLevel, word: str, ids: list[int], offsets: list[tuple[int, int]]
) -> None:
    """Asserts that one word gives these ids at these characters, twice, and by its trace."""
    tokenizer = tc.Tokenizer("small", model, WhitespaceScanner(), of_special({}))
    assert tokenizer.encode_ids(word) == ids
    assert tokenizer.encode_ids(word) == ids
    assert ids_by_law(tokenizer, word) == ids
    encoding = tokenizer.encode(word)
    data = word.encode()
    spans = [encoding.span(index) for index in range(len(ids))]
    assert [(len(data[:a].decode()), len(data[:b].decode())) for a, b in spans] == offsets


def test_a_vocabulary_without_unknown_token() -> None:
    pieces = {"a": 0, "##b": 1}
    reference = tokenizers.Tokenizer(models.WordPiece(pieces, unk_token="[UNK]"))
    with pytest.raises(Exception, match="Missing \\[UNK\\] token"):
        reference.encode("abc")
    tokenizer = tc.Tokenizer(
        "small", WordPiece(vocabulary_of(list(pieces)), -1), BertPreTokenizer(), of_special({})
    )
    assert tokenizer.encode_ids("ab") == [0, 1]
    with pytest.raises(tc.FormatError, match="word 'abc' at byte 3 cannot be made"):
        tokenizer.encode_ids("ab abc")


@settings(max_examples=200)
@given(
    pieces=st.lists(st.text("abé", min_size=1, max_size=3), max_size=9, unique=True),
    text=st.lists(st.text("abé", max_size=4), max_size=9).map(" ".join),
)
def test_word_level(pieces: list[str], text: str) -> None:
    pieces = ["<unk>", *pieces]
    reference = tokenizers.Tokenizer(
        models.WordLevel({piece: i for i, piece in enumerate(pieces)}, unk_token="<unk>")
    )
    reference.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    model = WordLevel(with_affix(pieces, ""), 0)
    for word, cuts in zip(text.split(), words_in(reference.encode(text), text), strict=True):
        check_word(model, word, *cuts)


def test_word_level_without_unknown_token() -> None:
    reference = tokenizers.Tokenizer(models.WordLevel({"a": 0}, unk_token="<unk>"))
    with pytest.raises(Exception, match="Missing"):
        reference.encode("b")
    tokenizer = tc.Tokenizer(
        "small", WordLevel(with_affix(["a"], ""), -1), BertPreTokenizer(), of_special({})
    )
    assert tokenizer.encode_ids("a a") == [0, 0]
    with pytest.raises(tc.FormatError, match="word 'b' at byte 2 is not in this vocabulary"):
        tokenizer.encode_ids("a b")


@settings(max_examples=300)
@given(
    tokens=st.lists(
        st.sampled_from(
            [
                "a", "##b", "##", "##'s", ".", "?", "'", "n't", "'m", " do not", "'ve x", "##.",
                "[UNK]",
            ]
        ),
        max_size=12,
    ),
    prefix=st.sampled_from(["##", "#", "", "a"]),
    cleanup=st.booleans(),
)  # fmt: skip
def test_decoding(tokens: list[str], prefix: str, cleanup: bool) -> None:
    pieces = sorted(set(tokens))
    decoder = StepsDecoder([WordPieceStep(prefix, cleanup)])
    ids = [pieces.index(token) for token in tokens]
    theirs = decoders.WordPiece(prefix, cleanup).decode(tokens)
    assert decoder.decode(with_affix(pieces, "##"), ids).decode() == theirs


def test_the_reference_reads_a_vocab_txt_alike(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nhi \r\n##gh\u00a0\nna\n##na\n.\n", "utf-8")
    reference = tokenizers.implementations.BertWordPieceTokenizer(str(path))
    tokenizer = read_vocab_txt(path.read_bytes(), "vocab.txt")
    assert len(tokenizer.vocabulary) == reference.get_vocab_size()
    assert [tokenizer.vocabulary.surface(token) for token in range(10)] == [
        reference.id_to_token(token) for token in range(10)
    ]
    for text in ("High nana. nanx Hïgh", "[CLS] hi[SEP]", "na\u200bna"):
        ids = reference.encode(text).ids
        assert list(tokenizer.encode(text, special="all", template=True).ids) == ids
        assert tokenizer.decode(ids) == reference.decode(ids)
