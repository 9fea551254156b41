"""The trainers of other libraries, to compare ours with: SentencePiece's own, and Hugging Face's where it is installed."""

from __future__ import annotations

import importlib.util
import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final

from tokenarium_core.errors import NotAvailable, TokenariumError
from tokenarium_core.training.sentencepiece.sentencepiece_training import SENTENCEPIECE_OPTIONS
from tokenarium_core.training.trainer import MIN_FREQUENCY, SPECIAL_TOKENS, Option

Texts = Iterable[str]
Values = Mapping[str, Any]

LONGEST_LINE: Final = 1 << 30
"""Bytes: what SentencePiece is told where no line is too long."""

LOWERCASE: Final = Option("lowercase", True, "Upper case is folded and accents are stripped first.")


@dataclass(frozen=True, slots=True)
class Engine:
    """One of their trainers; ``train`` takes texts, the size and the options, and returns the content of its file."""

    title: str
    library: str
    suffix: str
    options: list[Option]
    train: Callable[[Texts, int, Values], bytes]

    @property
    def obstacle(self) -> str:
        """Why it cannot be used here: the library is missing; empty where it can."""
        if importlib.util.find_spec(self.library) is not None:
            return ""
        return f"{self.library} is not installed. Install it (pip install {self.library}) and start again."

    @property
    def version(self) -> str:
        """The library with its version."""
        return f"{self.library} {version(self.library)}"


def train_by(engine: Engine, texts: Texts, vocab_size: int, options: Values) -> bytes:
    """Returns the file that an engine makes; TokenariumError, with its own words, for what it does not take."""
    if engine.obstacle:
        raise NotAvailable(engine.obstacle)
    try:
        return engine.train(texts, vocab_size, options)
    except (RuntimeError, ValueError, OSError, TypeError) as error:
        said = " ".join(str(error).split())
        raise TokenariumError(f"{engine.library} does not train this: {said}") from error


def _sentencepiece(kind: str) -> Callable[[Texts, int, Values], bytes]:
    def train(texts: Texts, vocab_size: int, options: Values) -> bytes:
        import sentencepiece

        settings = dict(options)
        settings["normalization_rule_name"] = settings.pop("normalization")
        settings["max_sentence_length"] = settings["max_sentence_length"] or LONGEST_LINE
        writer = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=_lines(texts),
            model_writer=writer,
            model_type=kind,
            vocab_size=vocab_size,
            num_threads=os.cpu_count() or 1,
            minloglevel=2,
            **settings,
        )
        return writer.getvalue()

    return train


def _lines(texts: Texts) -> Iterator[str]:
    """Yields the lines of texts: SentencePiece takes sentences."""
    for text in texts:
        for line in text.split("\n"):
            if line:
                yield line


def _tokenizers_bpe(texts: Texts, vocab_size: int, options: Values) -> bytes:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
        **options,
    )
    return _trained(tokenizer, texts, trainer)


def _tokenizers_wordpiece(texts: Texts, vocab_size: int, options: Values) -> bytes:
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

    settings = dict(options)
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=settings.pop("lowercase"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    special = dict.fromkeys(["[UNK]", *settings.pop("special_tokens")])
    trainer = trainers.WordPieceTrainer(
        vocab_size=vocab_size, special_tokens=list(special), show_progress=False, **settings
    )
    return _trained(tokenizer, texts, trainer)


def _tokenizers_unigram(texts: Texts, vocab_size: int, options: Values) -> bytes:
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

    settings = dict(options)
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    special = dict.fromkeys(["<unk>", *settings.pop("special_tokens")])
    trainer = trainers.UnigramTrainer(
        vocab_size=vocab_size,
        special_tokens=list(special),
        unk_token="<unk>",
        show_progress=False,
        **settings,
    )
    return _trained(tokenizer, texts, trainer)


def _trained(tokenizer: Any, texts: Texts, trainer: Any) -> bytes:
    tokenizer.train_from_iterator(texts, trainer)
    content: str = tokenizer.to_str()
    return content.encode()


ENGINES: Final[dict[str, Engine]] = {
    "sentencepiece:bpe": Engine(
        "BPE by SentencePiece itself",
        "sentencepiece",
        ".model",
        SENTENCEPIECE_OPTIONS,
        _sentencepiece("bpe"),
    ),
    "sentencepiece:unigram": Engine(
        "Unigram by SentencePiece itself",
        "sentencepiece",
        ".model",
        SENTENCEPIECE_OPTIONS,
        _sentencepiece("unigram"),
    ),
    "tokenizers:bpe": Engine(
        "Byte-level BPE by Hugging Face",
        "tokenizers",
        ".json",
        [MIN_FREQUENCY, SPECIAL_TOKENS],
        _tokenizers_bpe,
    ),
    "tokenizers:wordpiece": Engine(
        "WordPiece by Hugging Face",
        "tokenizers",
        ".json",
        [LOWERCASE, MIN_FREQUENCY, SPECIAL_TOKENS],
        _tokenizers_wordpiece,
    ),
    "tokenizers:unigram": Engine(
        "Unigram by Hugging Face",
        "tokenizers",
        ".json",
        [SPECIAL_TOKENS],
        _tokenizers_unigram,
    ),
}
"""The trainers of other libraries, by the names that requests and the store know them by."""
