"""The algorithms that train tokenizers: ours, and those of other libraries for comparison."""

from __future__ import annotations

import importlib.util
import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from tokenarium.models.installation import how_to_get
from tokenarium.models.training.trained_languages import DEV_SET
from tokenarium_core import NotAvailable, TokenariumError
from tokenarium_core.training import (
    ALGORITHMS,
    AUTO_COVERAGE,
    MIN_FREQUENCY,
    SENTENCEPIECE_OPTIONS,
    SPECIAL_TOKENS,
    Option,
)

Texts = Iterable[str]
Values = Mapping[str, Any]

LONGEST_LINE: Final = 1 << 30
"""Bytes: the limit that SentencePiece gets so that no line is too long."""

LOWERCASE: Final = Option("lowercase", True, "Upper case is folded and accents are stripped first.")

SUFFIXES: Final = {"sentencepiece": ".model", "tokenizers": ".json"}
"""The suffixes of the files that other libraries write."""

OURS: Final = "tokenarium"
"""The backend of our own trainers."""


@dataclass(frozen=True, slots=True)
class TrainingAlgorithm:
    """An algorithm; requests and the store use its ``name``.

    ``backend`` is the library of the trainer. For other libraries, ``train`` takes texts, the size and the options, and
    returns the content of the library's file, whose suffix is ``suffix``.
    """

    name: str
    title: str
    options: Sequence[Option]
    backend: str = OURS
    suffix: str = ""
    train: Callable[[Texts, int, Values], bytes] | None = None

    @property
    def ours(self) -> bool:
        """Whether it is our own trainer, which reports progress and can be stopped with a result."""
        return self.backend == OURS

    @property
    def obstacle(self) -> str:
        """Why it cannot be used: the library is missing; empty if it can."""
        if self.ours or importlib.util.find_spec(self.backend) is not None:
            return ""
        return f"{self.backend} is not installed. {how_to_get(self.backend)}"

    @property
    def note(self) -> str:
        """A note on another library's trainer to show before it starts; empty for ours."""
        if self.ours:
            return ""
        return (
            f"Trained by {self.backend} itself, for comparison. It reports no progress, and has no"
            " result before the end: it can be cancelled, but not stopped with what it has learned."
        )

    @property
    def version(self) -> str:
        """The library with its version."""
        return f"{self.backend} {version(self.backend)}"

    def file_of(self, texts: Texts, vocab_size: int, options: Values) -> bytes:
        """Returns the content of another library's file; TokenariumError, with its own words, for what it refuses."""
        if self.obstacle:
            raise NotAvailable(self.obstacle)
        assert self.train is not None
        try:
            return self.train(texts, vocab_size, options)
        except TokenariumError:
            raise
        except (RuntimeError, ValueError, OSError, TypeError) as error:
            said = " ".join(str(error).split())
            raise TokenariumError(f"{self.backend} does not train this: {said}") from error


def title_of(name: str, vocab_size: int) -> str:
    """Returns the default name of a training by an algorithm."""
    return f"{algorithm_title(name)} {vocab_size:,}"


def algorithm_title(name: str) -> str:
    """Returns the title of an algorithm; for an unknown one, as of a later version, its name."""
    known = TRAINING_ALGORITHMS.get(name)
    return known.title if known is not None else name


def is_ours(name: str) -> bool:
    """Whether a name is that of one of our own algorithms."""
    return name in ALGORITHMS


def learns_merges(name: str) -> bool:
    """Whether an algorithm is one of our own, and learns one entry after the other instead of removing some of many."""
    return is_ours(name) and not ALGORITHMS[name].scores_pieces


def is_theirs(name: str) -> bool:
    """Whether a name is that of an algorithm of another library."""
    return name in TRAINING_ALGORITHMS and not is_ours(name)


def _sentencepiece(kind: str) -> Callable[[Texts, int, Values], bytes]:
    def train(texts: Texts, vocab_size: int, options: Values) -> bytes:
        import sentencepiece

        settings = dict(options)
        settings["normalization_rule_name"] = settings.pop("normalization")
        settings["max_sentence_length"] = settings["max_sentence_length"] or LONGEST_LINE
        writer = io.BytesIO()
        rules = settings.pop("normalization_rule_tsv", "")
        with TemporaryDirectory() as folder:
            if rules:
                path = Path(folder, "rules.tsv")
                path.write_text(rules, encoding="utf-8", newline="")
                settings["normalization_rule_tsv"] = str(path)
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


_OPTIONS: Final = SENTENCEPIECE_OPTIONS
_FREQUENT: Final = [MIN_FREQUENCY, SPECIAL_TOKENS]
_THEIRS: Final = (
    (
        "bpe",
        "BPE by SentencePiece itself",
        "sentencepiece",
        [*_OPTIONS, AUTO_COVERAGE],
        _sentencepiece("bpe"),
    ),
    (
        "unigram",
        "Unigram by SentencePiece itself",
        "sentencepiece",
        _OPTIONS,
        _sentencepiece("unigram"),
    ),
    ("bpe", "Byte-level BPE by Hugging Face", "tokenizers", _FREQUENT, _tokenizers_bpe),
    (
        "wordpiece",
        "WordPiece by Hugging Face",
        "tokenizers",
        [LOWERCASE, *_FREQUENT],
        _tokenizers_wordpiece,
    ),
    ("unigram", "Unigram by Hugging Face", "tokenizers", [SPECIAL_TOKENS], _tokenizers_unigram),
)

_TITLES = {"bpe": "Byte-level BPE"}
"""What the window calls algorithms of ours, where that is another name."""

TRAINING_ALGORITHMS: Final[dict[str, TrainingAlgorithm]] = {
    name: TrainingAlgorithm(
        name,
        _TITLES.get(name, found.title),
        [*found.options, DEV_SET] if found.by_language else found.options,
    )
    for name, found in ALGORITHMS.items()
} | {
    f"{backend}:{kind}": TrainingAlgorithm(
        f"{backend}:{kind}", title, options, backend, SUFFIXES[backend], train
    )
    for kind, title, backend, options, train in _THEIRS
}
"""All algorithms by name, in the order in which they are offered."""
