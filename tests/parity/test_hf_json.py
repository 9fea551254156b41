"""Whole ``tokenizer.json`` files against tokenizers: Gemma 3's, and one of each kind, trained here."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tokenarium_core as tc
from tokenarium_core.hf_format import read_huggingface

tokenizers = pytest.importorskip("tokenizers")
models = tokenizers.models
normalizers = tokenizers.normalizers
pre_tokenizers = tokenizers.pre_tokenizers
processors = tokenizers.processors
decoders = tokenizers.decoders
trainers = tokenizers.trainers
AddedToken = tokenizers.AddedToken

LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"

SAMPLES = [
    "",
    " ",
    "  two  spaces ",
    "\n\n\t tabs\tand\r\nlines \n",
    "Hello, world! It's 2024, isn't it?",
    "The quick brown fox jumps over the lazy dog. " * 3,
    "a literal ▁ and ▁▁ marks▁here",
    "héllo wörld ÀÉÎ ﬁne ½ ① ǅ İı ß",
    "日本語のテキスト、한국어 텍스트 中文。",
    "👩‍👩‍👧 \U0001fae9 🇩🇪",
    "<s>[CLS] <pad> <|endoftext|> <unk></s><|x|> [MASK][SEP] <extra>",
    "<0x41> <0x0A> ##ing ing</w> Ġthe",
    "non-breaking\u00a0space\u3000wide\u200bzero",
    "x" * 150,
    "\x00\x01\x7f\ufffd",
    "def f(x):\n    return x**2  # ok\n",
]
TEXT = st.text(
    alphabet=st.sampled_from("abcdehlot THE.,'▁\n  \t0159éñ日本ー\U0001fae9<>[]#|"), max_size=40
) | st.text(max_size=20)


def same(ours: tc.Tokenizer, theirs: Any, text: str) -> None:
    """Checks all that both say of a text."""
    theirs.encode_special_tokens = False
    everything = theirs.encode(text, add_special_tokens=False).ids
    assert list(ours.encode(text, special="all").ids) == everything, text
    with_template = theirs.encode(text).ids
    assert list(ours.encode(text, special="all", template=True).ids) == with_template, text
    theirs.encode_special_tokens = True
    plain = theirs.encode(text, add_special_tokens=False).ids
    assert ours.encode_ids(text) == plain, text
    trace = tc.Trace()
    assert list(ours.encode(text, trace=trace).ids) == plain, text
    theirs.encode_special_tokens = False


def same_decoded(ours: tc.Tokenizer, theirs: Any, ids: list[int]) -> None:
    """Checks the text of some ids."""
    assert ours.decode(ids) == theirs.decode(ids), ids


def byte_level(corpus: list[str], **options: Any) -> Any:
    """Returns a tokenizer as GPT-2's."""
    made = tokenizers.Tokenizer(models.BPE(**options))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.post_processor = processors.ByteLevel(trim_offsets=False)
    made.train_from_iterator(
        corpus,
        trainers.BpeTrainer(
            vocab_size=1200,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            special_tokens=["<|endoftext|>"],
            show_progress=False,
        ),
    )
    return made


def llama3(corpus: list[str]) -> Any:
    """Returns a tokenizer as Llama 3's: its pattern, and pieces taken whole."""
    made = byte_level(corpus, ignore_merges=True)
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(tokenizers.Regex(LLAMA3), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    made.add_special_tokens(["<|begin|>", "<|x|>"])
    begin = made.token_to_id("<|begin|>")
    made.post_processor = processors.Sequence(
        [
            processors.ByteLevel(trim_offsets=False),
            processors.TemplateProcessing(
                single="<|begin|> $A", pair="<|begin|> $A $B", special_tokens=[("<|begin|>", begin)]
            ),
        ]
    )
    return made


def prefixed_bytes(corpus: list[str]) -> Any:
    """Returns a byte-level tokenizer as RoBERTa's, with a space before the text."""
    made = byte_level(corpus)
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    made.add_special_tokens(["<s>", "</s>", AddedToken("[MASK]", lstrip=True, special=True)])
    made.post_processor = processors.RobertaProcessing(
        ("</s>", made.token_to_id("</s>")), ("<s>", made.token_to_id("<s>"))
    )
    return made


def starcoder(corpus: list[str]) -> Any:
    """Returns a byte-level tokenizer that parts digits first."""
    made = byte_level(corpus)
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    return made


def composed_bytes(corpus: list[str]) -> Any:
    """Returns a byte-level tokenizer that composes characters first, as Qwen's."""
    made = byte_level(corpus)
    made.normalizer = normalizers.NFC()
    return made


def few_bytes(corpus: list[str], **options: Any) -> Any:
    """Returns a byte-level tokenizer that has only the bytes of its corpus."""
    made = tokenizers.Tokenizer(models.BPE(**options))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    special = ["[UNK]"] if options else []
    made.train_from_iterator(
        [text for text in corpus if text.isascii()] or ["abc abd"],
        trainers.BpeTrainer(vocab_size=300, special_tokens=special, show_progress=False),
    )
    return made


def few_bytes_unknown(corpus: list[str]) -> Any:
    """Returns the same with an unknown token."""
    return few_bytes(corpus, unk_token="[UNK]")


def llama2(corpus: list[str]) -> Any:
    """Returns a tokenizer as Llama 2's: characters, byte fallback, no pre-tokenizer."""
    made = tokenizers.Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    made.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    made.train_from_iterator(
        [line for text in corpus for line in text.splitlines()],
        trainers.BpeTrainer(
            vocab_size=1500,
            limit_alphabet=200,
            special_tokens=["<unk>", "<s>", "</s>", *[f"<0x{byte:02X}>" for byte in range(256)]],
            show_progress=False,
        ),
    )
    file = json.loads(made.to_str())
    file["added_tokens"] = file["added_tokens"][:3]  # the bytes are only pieces
    made = tokenizers.Tokenizer.from_str(json.dumps(file))
    made.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A $B", special_tokens=[("<s>", 1)]
    )
    return made


def unknown_characters(corpus: list[str]) -> Any:
    """Returns BPE of characters with words as in Whitespace, and an unknown token that is not fused."""
    made = tokenizers.Tokenizer(models.BPE(unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.train_from_iterator(
        corpus,
        trainers.BpeTrainer(
            vocab_size=800,
            limit_alphabet=80,
            special_tokens=["[UNK]", "[CLS]"],
            show_progress=False,
        ),
    )
    return made


def clip(corpus: list[str]) -> Any:
    """Returns a tokenizer as CLIP's: lower case, words with an ending."""
    made = tokenizers.Tokenizer(
        models.BPE(unk_token="<|endoftext|>", end_of_word_suffix="</w>", fuse_unk=False)
    )
    made.normalizer = normalizers.Sequence(
        [
            normalizers.NFC(),
            normalizers.Replace(tokenizers.Regex(r"\s+"), " "),
            normalizers.Lowercase(),
        ]
    )
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(
                tokenizers.Regex(r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"),
                behavior="removed",
                invert=True,
            ),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    made.train_from_iterator(
        corpus,
        trainers.BpeTrainer(
            vocab_size=900,
            end_of_word_suffix="</w>",
            special_tokens=["<|startoftext|>", "<|endoftext|>"],
            show_progress=False,
        ),
    )
    made.decoder = decoders.ByteLevel()
    return made


def wordpieces_by_bpe(corpus: list[str]) -> Any:
    """Returns BPE whose pieces within a word have a prefix."""
    made = tokenizers.Tokenizer(models.BPE(unk_token="[UNK]", continuing_subword_prefix="##"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.train_from_iterator(
        corpus,
        trainers.BpeTrainer(
            vocab_size=700,
            limit_alphabet=60,
            continuing_subword_prefix="##",
            special_tokens=["[UNK]"],
            show_progress=False,
        ),
    )
    return made


def t5(corpus: list[str]) -> Any:
    """Returns a Unigram tokenizer with Metaspace, as T5's without its rules."""
    made = tokenizers.Tokenizer(models.Unigram())
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.train_from_iterator(
        corpus,
        trainers.UnigramTrainer(
            vocab_size=800,
            special_tokens=["<pad>", "</s>", "<unk>", "<extra>"],
            unk_token="<unk>",
            show_progress=False,
        ),
    )
    made.decoder = decoders.Metaspace()
    made.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)]
    )
    return made


def bert(corpus: list[str]) -> Any:
    """Returns a tokenizer as BERT's."""
    made = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=100))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.train_from_iterator(
        corpus,
        trainers.WordPieceTrainer(
            vocab_size=1000,
            limit_alphabet=100,
            special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
            show_progress=False,
        ),
    )
    made.decoder = decoders.WordPiece()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return made


def word_level(corpus: list[str]) -> Any:
    """Returns a tokenizer of whole words."""
    made = tokenizers.Tokenizer(models.WordLevel(unk_token="[UNK]"))
    made.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation()]
    )
    made.train_from_iterator(
        corpus,
        trainers.WordLevelTrainer(
            vocab_size=500, special_tokens=["[UNK]", "<s>"], show_progress=False
        ),
    )
    return made


KINDS: dict[str, Callable[[list[str]], Any]] = {
    made.__name__: made
    for made in (
        byte_level,
        llama3,
        prefixed_bytes,
        starcoder,
        composed_bytes,
        few_bytes,
        few_bytes_unknown,
        llama2,
        unknown_characters,
        clip,
        wordpieces_by_bpe,
        t5,
        bert,
        word_level,
    )
}
CORPUS = [
    *SAMPLES,
    *(
        f"the {word}ing of {word}s and {word}er"
        for word in ["walk", "talk", "sing", "read", "lead", "heal", "tell"]
    ),
] * 4


@pytest.fixture(scope="module", params=KINDS)
def pair(request: pytest.FixtureRequest) -> tuple[tc.Tokenizer, Any]:
    """A tokenizer of ours, and the one that it was read from."""
    theirs = KINDS[request.param](CORPUS)
    return read_huggingface(theirs.to_str().encode(), request.param), theirs


def test_samples(pair: tuple[tc.Tokenizer, Any]) -> None:
    ours, theirs = pair
    for text in SAMPLES:
        same(ours, theirs, text)


def test_declarations(pair: tuple[tc.Tokenizer, Any], texts: dict[str, str]) -> None:
    ours, theirs = pair
    for text in texts.values():
        same(ours, theirs, text)


@settings(deadline=None, max_examples=60)
@given(text=TEXT)
def test_any_text(pair: tuple[tc.Tokenizer, Any], text: str) -> None:
    same(*pair, text)


def test_decoding(pair: tuple[tc.Tokenizer, Any]) -> None:
    ours, theirs = pair
    for text in SAMPLES:
        ids = theirs.encode(text).ids
        same_decoded(ours, theirs, ids)
        same_decoded(ours, theirs, ids[::-1])
    size = theirs.get_vocab_size(with_added_tokens=True)
    same_decoded(ours, theirs, list(range(size)))


def test_added_tokens() -> None:
    theirs = llama2(CORPUS)
    theirs.add_tokens(
        [
            AddedToken("hello", single_word=True),
            AddedToken("quick brown", lstrip=True, rstrip=True),
            AddedToken("Dog", normalized=True),
            AddedToken("fox", normalized=False),
            AddedToken("▁the"),
        ]
    )
    theirs.add_special_tokens([AddedToken("<x>", lstrip=True), "<y y>"])
    ours = read_huggingface(theirs.to_str().encode(), "added")
    for text in (
        "hello hellos (hello) Xhello",
        "the quick brown fox; quick brown",
        "Dog dog  Dog",
        "a   <x> b<x><y y>  <x>the the",
        *SAMPLES,
    ):
        same(ours, theirs, text)
        same_decoded(ours, theirs, theirs.encode(text).ids)


@pytest.fixture(scope="module")
def gemma(data: Path) -> tuple[tc.Tokenizer, Any]:
    """Gemma 3 in both libraries."""
    content = (data / "tokenizers" / "gemma3-tokenizer.json").read_bytes()
    return read_huggingface(content, "gemma3"), tokenizers.Tokenizer.from_str(content.decode())


def test_gemma_on_texts(gemma: tuple[tc.Tokenizer, Any], texts: dict[str, str]) -> None:
    for text in texts.values():
        same(*gemma, text)


def test_gemma_on_samples(gemma: tuple[tc.Tokenizer, Any]) -> None:
    ours, theirs = gemma
    for text in SAMPLES:
        same(ours, theirs, text)
        same_decoded(ours, theirs, theirs.encode(text).ids)


@settings(deadline=None, max_examples=200)
@given(text=TEXT)
def test_gemma_on_any_text(gemma: tuple[tc.Tokenizer, Any], text: str) -> None:
    same(*gemma, text)


@pytest.mark.parametrize(
    ("text", "special", "pieces"),
    [
        ("<bos>Heyllo", "none", "< bos > Hey llo"),
        (
            "<start_of_turn>user\nWho are you?<end_of_turn>\n<start_of_turn>model",
            "all",
            "<start_of_turn> user \n Who ▁are ▁you ? <end_of_turn> \n <start_of_turn> model",
        ),
        ("<unused10> blahblahblah", "none", "<unused10> ▁blah blah blah"),
        ("\U0001fae9", "none", "<0xF0> <0x9F> <0xAB> <0xA9>"),
    ],
)
def test_gemma_on_examples(
    gemma: tuple[tc.Tokenizer, Any], text: str, special: str, pieces: str
) -> None:
    ours, _ = gemma
    ids = ours.encode(text, special=special).ids
    assert [ours.vocabulary.surface(token) for token in ids] == pieces.split(" ")


def test_gemma_loses_marks(gemma: tuple[tc.Tokenizer, Any]) -> None:
    ours, _ = gemma
    assert ours.decode(ours.encode_ids("a▁b")) == "a b"
