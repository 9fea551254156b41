"""Tokenizers of Hugging Face in every shape that published files have, trained on a few lines."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from published_patterns import BLOOM, DEEPSEEK_3, LLAMA3

tokenizers = pytest.importorskip("tokenizers")
models = tokenizers.models
normalizers = tokenizers.normalizers
pre_tokenizers = tokenizers.pre_tokenizers
processors = tokenizers.processors
decoders = tokenizers.decoders
trainers = tokenizers.trainers
AddedToken = tokenizers.AddedToken

SAMPLES = [
    "",
    " ",
    "  two  spaces ",
    "\n\n\t tabs\tand\r\nlines \n",
    "Hello, world! It's 2024, isn't it?",
    "The quick brown fox jumps over the lazy dog. " * 3,
    "a literal ▁ and ▁▁ marks▁here",
    "héllo wörld ÀÉÎ ﬁne ½ ① ǅ İı ß",
    "x² + ³√12345.678 = ¼ ''quoted`` ..!",
    "日本語のテキスト、한국어 텍스트 中文。",
    "👩‍👩‍👧 \U0001fae9 🇩🇪",
    "<s>[CLS] <pad> <|endoftext|> <unk></s><|x|> [MASK][SEP] <extra>",
    "<0x41> <0x0A> ##ing ing</w> Ġthe",
    "non-breaking\u00a0space\u3000wide\u200bzero",
    "x" * 150,
    "\x00\x01\x7f\ufffd",
    "def f(x):\n    return x**2  # ok\n",
]


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


def split(pattern: str) -> Any:
    """Returns a pre-tokenizer that cuts a text around what a pattern matches."""
    return pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated")


def before_bytes(*steps: Any) -> Any:
    """Returns a pre-tokenizer with these steps, which then turns characters into bytes."""
    to_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    return pre_tokenizers.Sequence([*steps, to_bytes])


def llama3(corpus: list[str]) -> Any:
    """Returns a tokenizer like Llama 3's: its pattern, and whole pieces without merges."""
    made = byte_level(corpus, ignore_merges=True)
    made.pre_tokenizer = before_bytes(split(LLAMA3))
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
    """Returns a byte-level tokenizer that splits digits first."""
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
    words = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
    made.pre_tokenizer = before_bytes(
        pre_tokenizers.Split(tokenizers.Regex(words), "removed", invert=True)
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


def rules_of_sentencepiece() -> bytes:
    """Returns the normalization rules that SentencePiece puts into its models."""
    sentencepiece = pytest.importorskip("sentencepiece")
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["some words"] * 20),
        model_writer=written,
        vocab_size=16,
        model_type="bpe",
        hard_vocab_limit=False,
        num_threads=1,  # if memory is limited, a thread that cannot start ends the process
        minloglevel=2,
    )
    from sentencepiece import sentencepiece_model_pb2

    model = sentencepiece_model_pb2.ModelProto()
    model.ParseFromString(written.getvalue())
    return bytes(model.normalizer_spec.precompiled_charsmap)


def xlm_roberta(corpus: list[str]) -> Any:
    """Returns a Unigram tokenizer with SentencePiece's rules, as T5's and XLM-RoBERTa's."""
    made = t5(corpus)
    made.normalizer = normalizers.Sequence(
        [
            normalizers.Precompiled(rules_of_sentencepiece()),
            normalizers.Strip(left=False, right=True),
            normalizers.Replace(tokenizers.Regex(" {2,}"), "▁"),
        ]
    )
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="always")]
    )
    made.add_special_tokens([AddedToken("<mask>", lstrip=True, normalized=True)])
    return made


def metaspace_bpe(corpus: list[str]) -> Any:
    """Returns a tokenizer like Llama's newer files: a mark before the text only, and no cuts."""
    made = llama2(corpus)
    made.normalizer = None
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    return made


def real_spaces(corpus: list[str]) -> Any:
    """Returns a tokenizer whose pieces have real spaces as well as marks: the text has to keep both."""
    made = llama2(corpus)
    file = json.loads(made.to_str())
    vocab = file["model"]["vocab"]
    vocab["a b"] = len(vocab)
    return tokenizers.Tokenizer.from_str(json.dumps(file))


DEEPSEEK_FIRST = [split(r"\p{N}{1,3}"), split("[一-龥぀-ゟ゠-ヿ]+")]


def deepseek(corpus: list[str]) -> Any:
    """Returns a byte-level tokenizer whose text is split by several patterns."""
    made = byte_level(corpus)
    made.normalizer = normalizers.Sequence([])
    last = r"\s?\p{L}+|\s+(?!\S)|\s+|[^\s\p{L}]+"
    made.pre_tokenizer = before_bytes(*DEEPSEEK_FIRST, split(last))
    return made


def deepseek_3(corpus: list[str]) -> Any:
    """Returns a byte-level tokenizer as DeepSeek 3's."""
    made = byte_level(corpus)
    made.pre_tokenizer = before_bytes(*DEEPSEEK_FIRST, split(DEEPSEEK_3))
    return made


def bloom(corpus: list[str]) -> Any:
    """Returns a byte-level tokenizer as BLOOM's."""
    made = byte_level(corpus)
    made.pre_tokenizer = before_bytes(split(BLOOM))
    return made


def inverted(corpus: list[str]) -> Any:
    """Returns a byte-level tokenizer that removes what does not match, as files made of tiktoken's encodings do."""
    made = byte_level(corpus)
    made.pre_tokenizer = before_bytes(
        pre_tokenizers.Split(tokenizers.Regex(LLAMA3), "removed", invert=True)
    )
    return made


def falcon(corpus: list[str]) -> Any:
    """Returns a byte-level tokenizer as Falcon's: what follows ByteLevel cuts the alphabet's characters."""
    made = byte_level(corpus)
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Punctuation("contiguous"),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
            pre_tokenizers.Digits(individual_digits=False),
            split("[0-9][0-9][0-9]"),
        ]
    )
    return made


def few_falcon_bytes(corpus: list[str]) -> Any:
    """Returns the same with the bytes of its corpus only."""
    made = few_bytes(corpus, unk_token="[UNK]")
    made.pre_tokenizer = falcon(corpus).pre_tokenizer
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
        byte_level, llama3, prefixed_bytes, starcoder, composed_bytes, few_bytes, few_bytes_unknown,
        llama2, unknown_characters, clip, wordpieces_by_bpe, t5, xlm_roberta, metaspace_bpe,
        real_spaces, deepseek, deepseek_3, bloom, inverted, falcon, few_falcon_bytes, bert,
        word_level,
    )
}  # fmt: skip
CORPUS = [
    *SAMPLES,
    *(
        f"the {word}ing of {word}s and {word}er"
        for word in ["walk", "talk", "sing", "read", "lead", "heal", "tell"]
    ),
] * 4
