"""Training gives the pieces of sentencepiece's own trainer, one by one.

Where two equally frequent pairs make the same piece, which of them sentencepiece merges depends on its heap, and so does
what comes after it; the plain training shows where that is.
"""

from __future__ import annotations

import io
from collections import Counter
from typing import Any

import pytest
import sentencepiece
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from plain_sentencepiece import LINES, choices, learn
from running import run_whole
from sentencepiece import sentencepiece_model_pb2

from tokenarium.resources.training_presets import load_presets
from tokenarium_core.errors import TokenariumError
from tokenarium_core.training.algorithms import make_trainer, train
from tokenarium_core.training.sentencepiece.sentencepiece_bpe_trainer import SentencePieceBpeTrainer
from tokenarium_core.training.sentencepiece.sentencepiece_training import SentencePieceTraining
from tokenarium_core.training.unigram.unigram_trainer import UnigramTrainer

Pieces = list[tuple[str, float]]


def theirs(lines: list[str], size: int, **options: Any) -> Pieces:
    """Returns the pieces that sentencepiece learns, with their scores."""
    writer = io.BytesIO()
    options["normalization_rule_name"] = options.pop("normalization", "nmt_nfkc")
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=writer,
        model_type="bpe",
        vocab_size=size,
        num_threads=1,
        max_sentence_length=1 << 20,
        minloglevel=3,
        **options,
    )
    return pieces_of(writer.getvalue())


def pieces_of(model: bytes) -> Pieces:
    """Returns the pieces of a model as sentencepiece reads it."""
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    return [
        (processor.id_to_piece(token), processor.get_score(token))
        for token in range(processor.get_piece_size())
    ]


def ours(lines: list[str], size: int, **options: Any) -> SentencePieceBpeTrainer:
    """Returns our trainer at its end."""
    return run_whole(
        SentencePieceBpeTrainer(SentencePieceTraining(**options), size, ["\n".join(lines)])
    )


@given(lines=LINES, options=choices())
@settings(max_examples=200)
def test_small_texts(lines: list[str], options: dict[str, Any]) -> None:
    training = SentencePieceTraining(**options)
    plain = learn(training, lines, 40)
    assume(0 < len(plain.characters) <= 40)
    # Of lines that normalize to nothing it makes a model of the mark alone; here that is an error.
    assume(set(plain.characters) != {"▁"})
    # Up to where chance has a say, or pairs run out: there it goes on with pieces that occur nowhere.
    size = len(training.symbols) + len(plain.characters) + len(plain.merges)
    assume(size > len(training.symbols))
    trainer = ours(lines, size, **options)
    assert pieces_of(trainer.model_file()) == theirs(lines, size, **options)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"normalization": "identity", "byte_fallback": True},
        {"byte_fallback": True, "split_digits": True, "character_coverage": 0.98},
        {"allow_whitespace_only_pieces": True, "remove_extra_whitespaces": False},
        {"split_by_whitespace": False, "normalization": "nfkc_cf"},
        {"normalization": "nmt_nfkc_cf"},
        {"treat_whitespace_as_suffix": True, "split_by_unicode_script": False},
        {"user_defined_symbols": ["<b>", "the", "人"], "control_symbols": ["<c>"]},
        {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1},
        {"unk_id": 300, "bos_id": 7, "control_symbols": ["<c>", "</s>"], "byte_fallback": True},
        {"unk_piece": "[UNK]", "bos_piece": "[CLS]", "eos_piece": "[SEP]", "pad_piece": "[PAD]", "pad_id": 5},
        {"pretokenization_delimiter": "an"},
        {"pretokenization_delimiter": "の", "normalization": "identity", "byte_fallback": True},
        {"input_sentence_size": 120, "shuffle_input_sentence": False},
        {"input_sentence_size": 10_000, "shuffle_input_sentence": True},
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "languages", [["eng", "deu_1996"], ["jpn", "cmn_hans", "kor"], ["hin", "arb", "rus"]]
)
def test_prose(texts: dict[str, str], languages: list[str], options: dict[str, Any]) -> None:
    lines = "\n".join(texts[name] for name in languages).split("\n")
    trainer = ours(lines, 2000, **options)
    made = pieces_of(trainer.model_file())
    assert made == theirs(lines, 2000, **options)


@pytest.mark.parametrize("options", [{}, {"split_by_whitespace": False}, {"byte_fallback": True}])
def test_rows_of_texts_and_counts(texts: dict[str, str], options: dict[str, Any]) -> None:
    counted = Counter(texts["eng"].split()) + Counter(texts["hin"].split("\n"))
    rows = [f"{text}\t{7 * count}" for text, count in counted.items()]
    trainer = run_whole(
        make_trainer(
            "sentencepiece-bpe", ["\n".join(rows)], vocab_size=1000, input_format="tsv", **options
        )
    )
    assert isinstance(trainer, SentencePieceBpeTrainer)
    assert pieces_of(trainer.model_file()) == theirs(rows, 1000, input_format="tsv", **options)


AUTO: dict[str, Any] = {"auto_character_coverage": True, "byte_fallback": True}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"normalization": "identity", "split_by_whitespace": False, "max_sentencepiece_length": 4},
        {"user_defined_symbols": ["人", "é"], "pretokenization_delimiter": "e"},
        {"add_dummy_prefix": False, "unk_id": 290, "split_by_unicode_script": False},
    ],
)
@pytest.mark.parametrize("size", [300, 700, 1500])
@pytest.mark.parametrize(
    "languages", [["eng", "deu_1996"], ["jpn", "cmn_hans", "kor"], ["hin", "arb", "rus"]]
)
def test_characters_that_are_chosen_with_the_merges(
    texts: dict[str, str], languages: list[str], size: int, options: dict[str, Any]
) -> None:
    lines = "\n".join(texts[name] for name in languages).split("\n")
    trainer = ours(lines, size, **AUTO, **options)
    made = trainer.model_file()
    assert pieces_of(made) == theirs(lines, size, **AUTO, **options)
    assert sentencepiece_model_pb2.ModelProto.FromString(made).trainer_spec.auto_character_coverage
    tokenizer = trainer.tokenizer("")
    assert trainer.piece_count == len(tokenizer.vocabulary) == size
    for number in range(trainer.first_symbols + trainer.merges_made):
        token = trainer.symbol_id(number)
        assert token == -1 or tokenizer.vocabulary.piece(token) == trainer.symbol(number)


@given(lines=LINES, options=choices(), room=st.integers(1, 30))
@settings(max_examples=150)
def test_small_texts_whose_characters_are_chosen(
    lines: list[str], options: dict[str, Any], room: int
) -> None:
    options |= {"character_coverage": 1.0, "required_chars": "", **AUTO}
    training = SentencePieceTraining(**options)
    plain = learn(training, lines, 40)
    assume(len(plain.merges) > 0)
    size = len(training.symbols) + min(room, len(plain.merges))
    # Of a few entries none may be worth it; then its model has fewer than were asked for, as ours has.
    wanted = theirs(lines, size, hard_vocab_limit=False, **options)
    trainer = ours(lines, size, **options)
    assert pieces_of(trainer.model_file()) == wanted
    assert ("entries are worth it" in trainer.report) == (len(wanted) < size)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "auto_character_coverage = True needs byte_fallback = True"),
        ({"byte_fallback": True, "required_chars": "z"}, "required_chars = 'z' chooses some"),
    ],
)
def test_characters_that_cannot_be_chosen(options: dict[str, Any], words: str) -> None:
    with pytest.raises(TokenariumError, match=words):
        make_trainer(
            "sentencepiece-bpe", ["a"], vocab_size=300, auto_character_coverage=True, **options
        )


@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
def test_a_delimiter_is_crossed_by_no_piece_and_kept_in_the_file(model_type: str) -> None:
    lines = ["un|||believ|||able un|||able", "be|||lieve able|||un", "un ||| be|||"] * 4
    algorithm = "unigram" if model_type == "unigram" else "sentencepiece-bpe"
    trainer = run_whole(
        make_trainer(algorithm, ["\n".join(lines)], vocab_size=30, pretokenization_delimiter="|||")
    )
    assert isinstance(trainer, (SentencePieceBpeTrainer, UnigramTrainer))
    spec = sentencepiece_model_pb2.ModelProto.FromString(trainer.model_file()).trainer_spec
    assert spec.pretokenization_delimiter == "|||"
    pieces = [piece for piece, _ in pieces_of(trainer.model_file())]
    assert {"able", "un"} <= {piece.lstrip("▁") for piece in pieces}
    assert not any("|" in piece or "nb" in piece or "eu" in piece for piece in pieces)
    # It is a matter of training alone: in a text to encode, it is text.
    text = "un|||believ|||able"
    processor = sentencepiece.SentencePieceProcessor(model_proto=trainer.model_file())
    assert trainer.tokenizer("").encode_ids(text) == processor.encode(text)


def test_a_delimiter_with_a_mark_is_looked_for_in_normalized_text() -> None:
    lines = ["b  able b  able", "ab  able", "  able b"] * 2
    options = {"pretokenization_delimiter": "▁ab", "character_coverage": 1.0}
    trainer = ours(lines, 9, **options)
    assert pieces_of(trainer.model_file()) == theirs(lines, 9, **options)


@pytest.mark.parametrize("delimiter", ["| |", "\n", "a\0"])
def test_delimiters_that_no_line_can_have(delimiter: str) -> None:
    with pytest.raises(TokenariumError, match="has a space, a line break or a NUL"):
        make_trainer("unigram", ["a"], vocab_size=40, pretokenization_delimiter=delimiter)


SYMBOLS: list[dict[str, Any]] = [
    {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1},
    {"pad_id": 0, "eos_id": 1, "bos_id": 2, "unk_id": 3, "control_symbols": ["<mask>"]},
    {"eos_id": -1, "unk_id": 4, "user_defined_symbols": ["</s>", "<s>", "a"]},
    {"unk_id": 1, "bos_id": -1, "eos_id": -1, "control_symbols": ["<pad>", "<s>"]},
]


@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
@pytest.mark.parametrize("options", SYMBOLS)
def test_the_ids_and_kinds_of_symbols(model_type: str, options: dict[str, Any]) -> None:
    lines = ["a text with <s> and </s> and <pad> in it", "and more of the text, a line"] * 3
    writer = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=writer,
        model_type=model_type,
        vocab_size=30,
        hard_vocab_limit=False,
        num_threads=1,
        minloglevel=3,
        **options,
    )
    reference = sentencepiece_model_pb2.ModelProto.FromString(writer.getvalue())
    algorithm = "unigram" if model_type == "unigram" else "sentencepiece-bpe"
    trainer = run_whole(make_trainer(algorithm, ["\n".join(lines)], vocab_size=30, **options))
    assert isinstance(trainer, (SentencePieceBpeTrainer, UnigramTrainer))
    made = sentencepiece_model_pb2.ModelProto.FromString(trainer.model_file())
    names = ["unk_id", "bos_id", "eos_id", "pad_id", "unk_piece", "bos_piece"]
    for name in [*names, "eos_piece", "pad_piece"]:
        assert getattr(made.trainer_spec, name) == getattr(reference.trainer_spec, name)
    kinds = [
        {
            number: (piece.piece, piece.type)
            for number, piece in enumerate(model.pieces)
            if piece.type != 1
        }
        for model in (made, reference)
    ]
    assert kinds[0] == kinds[1]
    processor = sentencepiece.SentencePieceProcessor(model_proto=trainer.model_file())
    tokenizer = trainer.tokenizer("")
    for text in [*lines, "unknown: 人"]:
        assert tokenizer.encode_ids(text) == processor.encode(text)


def test_a_sample_of_the_lines_is_the_same_each_time() -> None:
    lines = [f"line {number} of words{number % 7}" for number in range(3000)]
    options = {"input_sentence_size": 200}
    counts = {name: ours(lines, 60, **options).byte_count for name in ("once", "twice")}
    first = ours(lines[:200], 60)
    assert counts["once"] == counts["twice"]
    assert 0.8 * first.byte_count < counts["once"] < 1.5 * first.byte_count
    assert ours(lines, 60, **options).model_file() == ours(lines, 60, **options).model_file()
    assert ours(lines, 60, **options).pieces() != first.pieces()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"unk_id": -1}, "has to be at least 0"),
        ({"unk_id": 1}, "is already the id of <unk>"),
        ({"bos_piece": "<unk>"}, "named twice"),
        ({"pad_id": 5000}, "its last id is 39"),
        ({"pad_id": 3, "pad_piece": ""}, "cannot be a symbol"),
    ],
)
def test_symbols_that_cannot_be(options: dict[str, Any], words: str) -> None:
    with pytest.raises(TokenariumError, match=words):
        make_trainer("unigram", ["a"], vocab_size=40, **options)


LAYOUTS = {
    "Llama 2 style": {0: "<unk>", 1: "<s>", 2: "</s>", 3: "<0x00>", 258: "<0xFF>"},
    "Gemma style": {0: "<pad>", 1: "<eos>", 2: "<bos>", 3: "<unk>", 4: "<mask>"},
    "T5 style": {0: "<pad>", 1: "</s>", 2: "<unk>"},
    "ALBERT style": {0: "<pad>", 1: "<unk>", 2: "[CLS]", 3: "[SEP]", 4: "[MASK]"},
    "BERT style": {0: "[PAD]", 1: "[UNK]", 2: "[CLS]", 3: "[SEP]", 4: "[MASK]"},
    "Llama 3 style": {300: "<|begin_of_text|>", 301: "<|end_of_text|>", 309: "<|eot_id|>"},
    "GPT-2 style": {300: "<|endoftext|>"},
}
"""Where the model that a preset is named after has its symbols; after the merges, as if there were 44 of them."""


@pytest.mark.parametrize("title", LAYOUTS)
def test_presets_have_the_layout_of_their_models(title: str, texts: dict[str, str]) -> None:
    preset = next(one for one in load_presets() if one.title == title)
    special = len(preset.options.get("special_tokens", []))
    size = 300 + special if special else 600
    tokenizer = train(preset.algorithm, [texts["eng"]], vocab_size=size, **preset.options)
    vocabulary = tokenizer.vocabulary
    kinds = {token: vocabulary.kind(token) for token in range(len(vocabulary))}
    found = {token: vocabulary.piece(token).decode("utf-8", "replace") for token in kinds}
    for token, symbol in LAYOUTS[title].items():
        assert found[token] == symbol or kinds[token] == "byte"
    firsts = [token for token, kind in kinds.items() if kind in ("control", "unknown")]
    assert [found[token] for token in firsts if token < 5 and token not in LAYOUTS[title]] == []


@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
@pytest.mark.parametrize(
    "options",
    [
        {"user_defined_symbols": ["\n", "a\nb"]},
        {"unk_surface": " ?! "},
        {"unk_surface": "", "user_defined_symbols": ["\r\n", "<b>"]},
    ],
)
def test_symbols_with_line_breaks_and_the_text_of_what_is_unknown(
    model_type: str, options: dict[str, Any]
) -> None:
    lines = ["a text with some words in it", "a\tb and more of the text", "<b> a line"] * 3
    writer = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=writer,
        model_type=model_type,
        vocab_size=30,
        hard_vocab_limit=False,
        num_threads=1,
        minloglevel=3,
        **options,
    )
    reference = sentencepiece.SentencePieceProcessor(model_proto=writer.getvalue())
    algorithm = "unigram" if model_type == "unigram" else "sentencepiece-bpe"
    trainer = run_whole(make_trainer(algorithm, ["\n".join(lines)], vocab_size=30, **options))
    assert isinstance(trainer, (SentencePieceBpeTrainer, UnigramTrainer))
    made = trainer.model_file()
    spec = sentencepiece_model_pb2.ModelProto.FromString(made).trainer_spec
    theirs_spec = sentencepiece_model_pb2.ModelProto.FromString(writer.getvalue()).trainer_spec
    assert spec.unk_surface == theirs_spec.unk_surface
    assert list(spec.user_defined_symbols) == list(theirs_spec.user_defined_symbols)
    if model_type == "bpe":
        assert pieces_of(made) == pieces_of(writer.getvalue())
    tokenizer = trainer.tokenizer("")
    processor = sentencepiece.SentencePieceProcessor(model_proto=made)
    for text in ["a\nb text\n\nwords", "unknown: 人 and\r\nmore", "\n", "a\n", " \n a\nb"]:
        ids = tokenizer.encode_ids(text)
        assert ids == processor.encode(text)
        assert tokenizer.decode(ids) == processor.decode(ids)
        if model_type == "bpe":
            assert ids == reference.encode(text)
