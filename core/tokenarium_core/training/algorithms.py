"""Training a tokenizer: the algorithms by name, with their options, and a convenience function."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, final

from tokenarium_core.errors import ArgumentError, TokenariumError
from tokenarium_core.formats.opening import open_tokenizer
from tokenarium_core.pretokenizers.scanners import cutting
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.training import (
    boundless_trainer,
    bpe_trainer,
    parity_trainer,
    picky_trainer,
    superbpe_trainer,
    wordpiece_trainer,
)
from tokenarium_core.training.boundless_trainer import BoundlessTrainer
from tokenarium_core.training.bpe_trainer import BpeTrainer
from tokenarium_core.training.merging.pair_record import PairRecord
from tokenarium_core.training.parity.language_corpus import UNDETERMINED, LanguageCorpus
from tokenarium_core.training.parity_trainer import ParityTrainer
from tokenarium_core.training.picky_trainer import PickyBpeTrainer
from tokenarium_core.training.sentencepiece import sentencepiece_bpe_trainer
from tokenarium_core.training.sentencepiece.sentencepiece_bpe_trainer import SentencePieceBpeTrainer
from tokenarium_core.training.sentencepiece.sentencepiece_training import SentencePieceTraining
from tokenarium_core.training.superbpe_trainer import SuperBpeTrainer
from tokenarium_core.training.trainer import (
    FORMER_NAMES,
    INPUT_FORMAT,
    ROWS,
    CountSource,
    Option,
    Trainer,
    Value,
)
from tokenarium_core.training.unigram import unigram_trainer
from tokenarium_core.training.unigram.unigram_record import UnigramRecord
from tokenarium_core.training.unigram.unigram_trainer import UnigramTrainer
from tokenarium_core.training.word_counts import WordCounts, counting_options
from tokenarium_core.training.wordpiece_trainer import WordPieceTrainer

Paths = Sequence[str | os.PathLike[str]]


@final
class Algorithm:
    """A training algorithm: its name, its options, and the function that creates its trainer.

    ``make`` takes the texts, the files, the size of the vocabulary and a record or None, then each option
    by name. ``recorded``: whether it fills a record of its steps. With ``by_language`` it takes a `LanguageCorpus`
    instead of texts, and no files: the corpus has a part for each language. ``scores_pieces``: it scores and removes pieces
    instead of merging them, so its record is a `UnigramRecord`.
    """

    def __init__(
        self,
        title: str,
        options: list[Option],
        make: Callable[..., Trainer],
        recorded: bool = True,
        by_language: bool = False,
        scores_pieces: bool = False,
    ) -> None:
        self.title = title
        self.options = options
        self.make = make
        self.recorded = recorded
        self.by_language = by_language
        self.scores_pieces = scores_pieces


def _bpe(
    corpus: Iterable[str],
    files: Paths,
    vocab_size: int,
    record: PairRecord | None,
    pattern: str,
    min_frequency: int,
    special_tokens: list[str],
    strategy: str,
    normalization: str,
    tie_break: str,
    max_token_length: int,
) -> Trainer:
    return BpeTrainer(
        cutting(pattern),
        vocab_size,
        corpus,
        files,
        min_frequency,
        special_tokens,
        strategy,
        record,
        normalization=normalization,
        tie_break=tie_break,
        max_token_length=max_token_length,
    )


def _picky_bpe(
    corpus: Iterable[str],
    files: Paths,
    vocab_size: int,
    record: PairRecord | None,
    pattern: str,
    normalization: str,
    threshold: float,
    min_frequency: int,
    special_tokens: list[str],
) -> Trainer:
    return PickyBpeTrainer(
        cutting(pattern),
        vocab_size,
        corpus,
        files,
        min_frequency,
        special_tokens,
        normalization,
        threshold,
    )


def _boundless_bpe(
    corpus: Iterable[str],
    files: Paths,
    vocab_size: int,
    record: PairRecord | None,
    pattern: str,
    joining: str,
    threshold: float,
    min_frequency: int,
    special_tokens: list[str],
) -> Trainer:
    return BoundlessTrainer(
        cutting(pattern),
        vocab_size,
        corpus,
        files,
        joining,
        threshold,
        min_frequency,
        special_tokens,
    )


def _superbpe(
    corpus: Iterable[str],
    files: Paths,
    vocab_size: int,
    record: PairRecord | None,
    pattern: str,
    superword_pattern: str,
    transition: int,
    max_words: int,
    across_punctuation: bool,
    across_lines: bool,
    kept_apart: str,
    sample: int,
    base: str,
    min_frequency: int,
    special_tokens: list[str],
) -> Trainer:
    return SuperBpeTrainer(
        cutting(pattern),
        cutting(superword_pattern),
        vocab_size,
        corpus,
        files,
        min_frequency,
        special_tokens,
        transition,
        max_words,
        across_punctuation,
        across_lines,
        kept_apart,
        sample,
        open_tokenizer(base) if base else None,
        record,
    )


def _parity_bpe(
    corpus: LanguageCorpus,
    files: Paths,
    vocab_size: int,
    record: PairRecord | None,
    pattern: str,
    **choices: Any,
) -> Trainer:
    return ParityTrainer(cutting(pattern), vocab_size, corpus, record=record, **choices)


def _sentencepiece_bpe(
    corpus: Iterable[str],
    files: Paths,
    vocab_size: int,
    record: PairRecord | None,
    min_frequency: int,
    **choices: Any,
) -> Trainer:
    training = SentencePieceTraining(**choices)
    return SentencePieceBpeTrainer(training, vocab_size, corpus, files, min_frequency, record)


def _wordpiece(
    corpus: Iterable[str],
    files: Paths,
    vocab_size: int,
    record: PairRecord | None,
    scoring: str,
    lowercase: bool,
    limit_alphabet: int,
    min_frequency: int,
    **special: Any,
) -> Trainer:
    return WordPieceTrainer(
        vocab_size,
        corpus,
        files,
        lowercase,
        limit_alphabet,
        min_frequency,
        scoring,
        record,
        **special,
    )


def _unigram(
    corpus: Iterable[str],
    files: Paths,
    vocab_size: int,
    record: UnigramRecord | None,
    seed_sentencepiece_size: int,
    shrinking_factor: float,
    num_sub_iterations: int,
    seed_piece_length_power: float,
    min_freq_alpha: float,
    use_sparse_pruning: bool,
    post_l1_debias: bool,
    **choices: Any,
) -> Trainer:
    return UnigramTrainer(
        SentencePieceTraining(**choices),
        vocab_size,
        corpus,
        files,
        seed_sentencepiece_size,
        shrinking_factor,
        num_sub_iterations,
        seed_piece_length_power,
        min_freq_alpha,
        use_sparse_pruning,
        post_l1_debias,
        record,
    )


def _fsp_unigram(
    corpus: Iterable[str],
    files: Paths,
    vocab_size: int,
    record: UnigramRecord | None,
    initial_vocab_factor: int,
    shrinking_factor: float,
    num_sub_iterations: int,
    **choices: Any,
) -> Trainer:
    return UnigramTrainer(
        SentencePieceTraining(**choices),
        vocab_size,
        corpus,
        files,
        shrinking_factor=shrinking_factor,
        num_sub_iterations=num_sub_iterations,
        record=record,
        initial_vocab_factor=initial_vocab_factor,
    )


ALGORITHMS: Final[dict[str, Algorithm]] = {
    "bpe": Algorithm("Byte-pair encoding", bpe_trainer.OPTIONS, _bpe),
    "picky-bpe": Algorithm("PickyBPE", picky_trainer.OPTIONS, _picky_bpe, recorded=False),
    "superbpe": Algorithm("SuperBPE", superbpe_trainer.OPTIONS, _superbpe),
    "boundless-bpe": Algorithm(
        "BoundlessBPE", boundless_trainer.OPTIONS, _boundless_bpe, recorded=False
    ),
    "parity-bpe": Algorithm(
        "Parity-aware BPE", parity_trainer.OPTIONS, _parity_bpe, by_language=True
    ),
    "sentencepiece-bpe": Algorithm(
        "SentencePiece BPE", sentencepiece_bpe_trainer.OPTIONS, _sentencepiece_bpe
    ),
    "wordpiece": Algorithm("WordPiece", wordpiece_trainer.OPTIONS, _wordpiece),
    "unigram": Algorithm("Unigram", unigram_trainer.OPTIONS, _unigram, scores_pieces=True),
    "fsp-unigram": Algorithm(
        "Unigram with final-style pruning",
        unigram_trainer.FINAL_STYLE_OPTIONS,
        _fsp_unigram,
        scores_pieces=True,
    ),
}
"""The algorithms that `train` knows, by name."""


def make_trainer(
    algorithm: str,
    corpus: Iterable[str] | Mapping[str, Iterable[str]] = (),
    *,
    vocab_size: int,
    files: Paths | Mapping[str, Paths] = (),
    record: PairRecord | UnigramRecord | None = None,
    counts: WordCounts | Mapping[str, WordCounts] | None = None,
    dev: Mapping[str, Iterable[str]] | None = None,
    **options: object,
) -> Trainer:
    """Returns the trainer of an algorithm, to be run in steps.

    ``corpus`` yields texts, each a separate document; ``files`` are UTF-8 texts; the options are those that
    `ALGORITHMS` lists. A ``record`` is filled with what each step does, and changes nothing: a `UnigramRecord` for
    both kinds of Unigram, a `PairRecord` for the others. ``counts`` replace texts and files, and imply the options that
    they were counted with; the tokenizer is the same as from their corpus. With ``input_format="tsv"``, each line
    of the corpus is a text, a tab, and how often the text occurs.

    Parity-aware BPE takes these by language, as ``{"de": texts, "sw": texts}``, and ``dev`` texts for each.

    Raises ArgumentError for an unknown algorithm, TokenariumError for an option that it does not have, a value that the
    option cannot take or that contradicts the counts, and if the corpus contains anything other than texts.
    """
    if algorithm not in ALGORITHMS:
        raise ArgumentError(
            f"{algorithm!r} is not an algorithm to train: choose one of {', '.join(ALGORITHMS)}."
        )
    chosen = ALGORITHMS[algorithm]
    _check_languages(chosen, [corpus, files, counts, dev])
    for given in corpus.values() if isinstance(corpus, Mapping) else [corpus]:
        _check_texts(given)
    for paths in files.values() if isinstance(files, Mapping) else [files]:
        _check_paths(paths)
    for texts in (dev or {}).values():
        _check_texts(texts)
    if record is not None and isinstance(record, UnigramRecord) != chosen.scores_pieces:
        fitting = "UnigramRecord" if chosen.scores_pieces else "PairRecord"
        raise ArgumentError(
            f"The record of {algorithm!r} is a {fitting}, not a {type(record).__name__}."
        )
    if record is not None and not chosen.recorded:
        raise ArgumentError(f"{chosen.title} keeps no record of its steps: train without one.")
    values: dict[str, Value] = {}
    options = {FORMER_NAMES.get(name, name): value for name, value in options.items()}
    if counts is not None:
        if files or not (isinstance(corpus, (str, list, tuple, dict)) and len(corpus) == 0):
            raise ArgumentError(
                "A training takes counts or a corpus, not both: count the corpus too, and merge the counts."
            )
        for counted in counts.values() if isinstance(counts, Mapping) else [counts]:
            options = counted.trained_options(algorithm, options)
    for option in chosen.options:
        value = options.pop(option.name, option.default)
        if isinstance(value, Mapping) and isinstance(option.default, list):
            value = [f"{name}={number}" for name, number in value.items()]
        values[option.name] = option.checked(value)
    for name in options:
        known = ", ".join(option.name for option in chosen.options)
        raise TokenariumError(
            f"{chosen.title} has no option {name!r}: its options are {known}. Leave it out."
        )
    if chosen.by_language:
        return _by_language(chosen, corpus, files, vocab_size, record, counts, dev, values)
    source = counts.source() if isinstance(counts, WordCounts) else None
    if values.pop(INPUT_FORMAT.name, "") == ROWS and source is None:
        source = _rows_source(algorithm, corpus, files, values)
        corpus, files = (), ()
    trainer = chosen.make(corpus, files, vocab_size, record, **values)
    if source is not None:
        trainer.begin_with(source)
    return trainer


def _rows_source(
    algorithm: str,
    corpus: Iterable[str],
    files: Paths | Mapping[str, Paths],
    values: dict[str, Value],
) -> CountSource:
    """Returns what counts the rows of a corpus; see `INPUT_FORMAT`."""
    assert not isinstance(files, Mapping)
    if values.get("input_sentence_size"):
        raise ArgumentError(
            f"input_sentence_size = {values['input_sentence_size']!r} cannot be used with {INPUT_FORMAT.name} ="
            f" {ROWS}: it chooses among lines of text, and rows are counts of text. Leave one of them out."
        )
    chosen = {name: values[name] for name in counting_options(algorithm) if name in values}
    return WordCounts(algorithm, **chosen, **{INPUT_FORMAT.name: ROWS}).source_of(corpus, files)


def _by_language(
    found: Algorithm,
    corpus: Iterable[str] | Mapping[str, Iterable[str]],
    files: Paths | Mapping[str, Paths],
    vocab_size: int,
    record: PairRecord | UnigramRecord | None,
    counts: WordCounts | Mapping[str, WordCounts] | None,
    dev: Mapping[str, Iterable[str]] | None,
    values: dict[str, Value],
) -> Trainer:
    """Returns the trainer of an algorithm that requires a corpus by language."""
    if counts is None:
        return found.make(LanguageCorpus(corpus, files, dev), (), vocab_size, record, **values)
    by_name = counts if isinstance(counts, Mapping) else {UNDETERMINED: counts}
    nothing: dict[str, Iterable[str]] = dict.fromkeys(by_name, ())
    trainer = found.make(LanguageCorpus(nothing, (), dev), (), vocab_size, record, **values)
    assert isinstance(trainer, ParityTrainer)
    trainer.begin_with_languages([counted.source() for counted in by_name.values()])
    return trainer


def _check_languages(found: Algorithm, given: list[object]) -> None:
    """Raises ArgumentError if texts, files, counts or dev texts by language are given to another algorithm."""
    if not found.by_language and any(isinstance(corpus, Mapping) for corpus in given):
        known = ", ".join(name for name, corpus in ALGORITHMS.items() if corpus.by_language)
        raise ArgumentError(
            f"{found.title} has no languages: give the texts of all of them as one list, or train {known}."
        )


def _check_texts(corpus: object) -> None:
    """Raises TokenariumError if paths or other objects are given as texts."""
    given = list(corpus) if isinstance(corpus, (list, tuple)) else [corpus]
    for text in given:
        if isinstance(text, os.PathLike):
            raise TokenariumError(
                f"The corpus has the path {os.fspath(text)!r} in place of a text: give paths as files=[…], or read"
                " the files first."
            )
        if isinstance(text, (bytes, bytearray, int, float)) or (
            text is not corpus and not isinstance(text, str)
        ):
            raise TokenariumError(
                f"The corpus has a {type(text).__name__} in place of a text (str): decode it first."
            )


def _check_paths(files: object) -> None:
    """Raises TokenariumError if a single path is given instead of a list."""
    if isinstance(files, (str, bytes, os.PathLike)):
        raise TokenariumError("The files must be a list of paths: write files=[…] even for one.")


def train(
    algorithm: str,
    corpus: Iterable[str] | Mapping[str, Iterable[str]] = (),
    *,
    vocab_size: int,
    files: Paths | Mapping[str, Paths] = (),
    name: str = "trained",
    record: PairRecord | UnigramRecord | None = None,
    counts: WordCounts | Mapping[str, WordCounts] | None = None,
    dev: Mapping[str, Iterable[str]] | None = None,
    **options: object,
) -> Tokenizer:
    """Returns a tokenizer trained on texts and files; see `make_trainer` for the options and errors.

    For progress, or to stop early, step a trainer and call its ``tokenizer``.
    """
    trainer = make_trainer(
        algorithm,
        corpus,
        vocab_size=vocab_size,
        files=files,
        record=record,
        counts=counts,
        dev=dev,
        **options,
    )
    trainer.run()
    return trainer.tokenizer(name)


def tokenizer_of(trainer: Trainer, name: str) -> Tokenizer:
    """Returns the tokenizer of what a trainer has learned so far, even if it is not finished."""
    return trainer.tokenizer(name)
