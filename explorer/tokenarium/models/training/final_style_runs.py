"""Unigram trained on one text twice, with its own pruning and with final-style pruning, for the same number of entries."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from math import log
from typing import Any, Final

import tokenarium_core as tc
from tokenarium.models.task import slices
from tokenarium.models.training.vocabulary_run import VocabularyRun
from tokenarium_core.models import Unigram
from tokenarium_core.progress import Progress
from tokenarium_core.training import PreTokenCounts, UnigramRecord, make_trainer
from tokenarium_core.training.unigram.unigram_trainer import UnigramTrainer

WORDS_AT_A_TIME: Final = 64
PLAIN: Final[dict[str, Any]] = {"normalization": "identity", "character_coverage": 1.0}
"""All characters are entries, as they are: what is compared are the longer entries."""

SYMBOLS: Final = 3
UNIGRAM: Final = "UNIGRAM"
ROUNDS: Final = 10
"""EMs after which the loss hardly falls further."""

LEAST: Final = -100.0
"""The score of an entry that is not expected."""


def final_style_runs(
    text: str, longer: int, factor: int
) -> Generator[Progress, None, list[VocabularyRun]]:
    """Returns Unigram, and Unigram with final-style pruning, with so many entries longer than a character.

    ``factor``: how many times as many the second begins with.
    """
    size = SYMBOLS + len({" ", *text} - {"\n"}) + longer
    usual = yield from _run("Unigram", 0, text, size, "unigram")
    simpler = yield from _run(
        "Final-style", 1, text, size, "fsp-unigram", initial_vocab_factor=factor
    )
    usual.compare(simpler)
    simpler.compare(usual)
    return [usual, simpler]


def _run(
    name: str, number: int, text: str, entries: int, algorithm: str, **options: Any
) -> Generator[Progress, None, VocabularyRun]:
    """Trains, and splits all words: as trained, and with the probabilities that make the text most likely."""
    record = UnigramRecord()  # with one, the trainer keeps the words
    trainer = make_trainer(algorithm, [text], vocab_size=entries, record=record, **PLAIN, **options)
    assert isinstance(trainer, UnigramTrainer)
    yield from slices(trainer)
    tokenizer = trainer.tokenizer("")
    found = yield from _split(tokenizer, trainer.pre_tokens)
    pieces = {tokenizer.vocabulary.piece(token): uses for token, uses in found.uses.items()}
    characters = {piece for piece in pieces if len(piece.decode()) == 1}
    least = found
    for _ in range(ROUNDS):
        scores = [_score(least.expected[token]) for token in least.uses]
        again = trainer.training.tokenizer(UNIGRAM, list(pieces), scores, "")
        least = yield from _split(again, trainer.pre_tokens)
    losses = found.loss, min(found.loss, least.loss)
    return VocabularyRun(name, number, pieces, int(trainer.byte_count), characters, *losses)


@dataclass(frozen=True, slots=True)
class _Split:
    """How often each entry is used in the best splits, and expected in all; the loss, in nats per word."""

    uses: dict[int, int]
    expected: dict[int, float]
    loss: float


def _split(tokenizer: tc.Tokenizer, words: PreTokenCounts) -> Generator[Progress, None, _Split]:
    """Splits all words in all ways."""
    model = tokenizer.model
    assert isinstance(model, Unigram)
    uses = dict.fromkeys(range(len(tokenizer.vocabulary)), 0)
    expected = dict.fromkeys(uses, 0.0)
    total, loss = 0, 0.0
    for at in range(len(words)):
        times = int(words.counts[at])
        lattice = model.lattice(words.piece(at).decode())
        for edge in lattice.best().edges:
            uses[lattice.edge(edge).token] += times
        for edge, share in enumerate(lattice.marginals()):
            expected[lattice.edge(edge).token] += times * share
        loss -= times * lattice.log_total()
        total += times
        if at % WORDS_AT_A_TIME == 0:
            yield Progress("splitting words", at, len(words), False)
    for symbol in range(SYMBOLS):  # NUL, which no entry may have, is unknown
        del uses[symbol], expected[symbol]
    whole = max(sum(expected.values()), 1)
    return _Split(uses, {token: count / whole for token, count in expected.items()}, loss / total)


def _score(share: float) -> float:
    return max(log(share), LEAST) if share > 0 else LEAST
