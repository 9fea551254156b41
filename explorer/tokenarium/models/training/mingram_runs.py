"""BPE and MinGram trained on one text, for the same number of entries."""

from __future__ import annotations

from collections.abc import Generator
from typing import Final

import tokenarium_core as tc
from tokenarium.models.task import slices
from tokenarium.models.training.mingram import (
    BYTES,
    Counts,
    first_scores,
    mingram,
    segmented,
)
from tokenarium.models.training.superword_runs import WORDS, chunks_of
from tokenarium.models.training.vocabulary_run import VocabularyRun
from tokenarium_core.progress import Progress
from tokenarium_core.training import make_trainer

WORDS_AT_A_TIME: Final = 256
SINGLE: Final = frozenset(bytes([byte]) for byte in range(BYTES))


def mingram_runs(
    text: str, entries: int, overshoot: float
) -> Generator[Progress, None, list[VocabularyRun]]:
    """Returns BPE, the same vocabulary in the fewest tokens, and MinGram."""
    words = yield from chunks_of(text, WORDS)
    size = sum(len(word) * times for word, times in words.items())
    pieces = yield from _bpe(text, words, entries)
    bpe = VocabularyRun("BPE", 0, pieces, size, SINGLE)
    found = yield from segmented(words, first_scores(pieces))
    split = VocabularyRun("BPE, fewest tokens", 1, _used(pieces, found.counts), size, SINGLE)
    larger = yield from _bpe(text, words, BYTES + int((entries - BYTES) * overshoot))
    scores = yield from mingram(words, larger, entries)
    found = yield from segmented(words, scores)
    kept = VocabularyRun("MinGram", 2, _used(scores, found.counts), size, SINGLE)
    for run, other in ((bpe, kept), (split, kept), (kept, bpe)):
        run.compare(other)
    return [bpe, split, kept]


def _used(pieces: Counts | dict[bytes, float], counts: Counts) -> Counts:
    return {piece: counts.get(piece, 0) for piece in pieces}


def _bpe(text: str, words: Counts, entries: int) -> Generator[Progress, None, Counts]:
    """Returns the entries of a BPE in their order, with how often the words use each."""
    trainer = make_trainer("bpe", [text], vocab_size=entries, min_frequency=1)
    yield from slices(trainer)
    tokenizer: tc.Tokenizer = trainer.tokenizer("")
    counts = [0] * len(tokenizer.vocabulary)
    for at, (word, times) in enumerate(words.items()):
        for token in tokenizer.encode_bytes(word).ids:
            counts[token] += times
        if at % WORDS_AT_A_TIME == 0:
            yield Progress("counting tokens", at, len(words), False)
    return {tokenizer.vocabulary.piece(token): count for token, count in enumerate(counts)}
