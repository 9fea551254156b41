"""What the second phase of SuperBPE gains from a corpus and what it costs, with its words in order and shuffled."""

from __future__ import annotations

import random
import re
from collections.abc import Generator
from dataclasses import dataclass
from time import process_time
from typing import Final

import tokenarium_core as tc
from tokenarium.models.task import SLICE_MS, slices
from tokenarium.models.text.superword_ids import superword_ids
from tokenarium_core.padded_text import padded, utf8_size
from tokenarium_core.pretokenizers.pretokenizer import cut_bytes
from tokenarium_core.pretokenizers.scanners import pre_tokenizer
from tokenarium_core.progress import Progress
from tokenarium_core.training import Trainer, make_trainer
from tokenarium_core.training.superbpe_trainer import SuperBpeTrainer

BYTES: Final = 256
WORDS: Final = "cl100k"
CHUNKS: Final = "superbpe"
"""How a text is split into words, and in the second phase into longer chunks."""

BETWEEN_SPACES: Final = re.compile(r"(?<= )\S+(?= )")
CHUNKS_AT_A_TIME: Final = 4096


@dataclass(frozen=True, slots=True)
class SuperwordRun:
    """A finished training, and how its tokenizer splits the corpus as it is.

    ``superwords`` are the pieces in the order in which they were learned, ``merges`` those of the second phase.
    ``distinct`` of ``chunks`` differ: words for BPE, what the second phase counts for SuperBPE. ``symbols`` is how many
    symbols are in memory at the transition. ``seconds`` are processor time, ``sizes`` the tokens of the corpus that it
    was trained on, by the entries of the vocabulary.
    """

    name: str
    number: int
    tokenizer: tc.Tokenizer
    superwords: list[bytes]
    bytes: int
    tokens: int
    merges: int
    distinct: int
    chunks: int
    symbols: int
    seconds: float
    sizes: list[tuple[int, int]]
    report: str

    @property
    def ratio(self) -> float:
        """The bytes per token of the corpus as it is."""
        return self.bytes / max(self.tokens, 1)

    @property
    def transition(self) -> int:
        """The entries when the second phase begins, which is earlier if the pairs inside words run out."""
        return BYTES + len(self.sizes) - self.merges


def shuffled(text: str, seed: int) -> str:
    """Returns a text whose words between two spaces have changed places.

    The first and the last word of each line stay, so that the text has the same pre-tokens, each as often as before.

    >>> shuffled("a b c d e f\\n", 1)
    'a c d e b f\\n'
    """
    words = BETWEEN_SPACES.findall(text)
    random.Random(seed).shuffle(words)
    left = iter(words)
    return BETWEEN_SPACES.sub(lambda _: next(left), text)


def superword_run(
    name: str, number: int, corpus: str, text: str, entries: int, transition: int
) -> Generator[Progress, None, SuperwordRun]:
    """Trains SuperBPE on a corpus, or BPE for number 0, in slices; ``text`` is the corpus in its own order."""
    trainer: Trainer = (
        make_trainer("superbpe", [corpus], vocab_size=entries, transition=transition)
        if number
        else make_trainer("bpe", [corpus], vocab_size=entries)
    )
    seconds, finished = 0.0, False
    while not finished:
        began = process_time()
        progress = trainer.step(SLICE_MS)
        seconds += process_time() - began
        finished = progress.finished
        yield progress
    counts = [int(count) for count in trainer.token_counts]
    is_super = isinstance(trainer, SuperBpeTrainer)
    first = min(transition, trainer.piece_count) - BYTES
    if isinstance(trainer, SuperBpeTrainer):
        first = trainer.transition - BYTES
    chunks = yield from chunks_of(corpus, CHUNKS if is_super else WORDS)
    symbols = yield from _symbols(trainer, counts, first)
    tokenizer = trainer.tokenizer(name)
    job = tokenizer.encode_job(text)
    yield from slices(job)
    return SuperwordRun(
        name,
        number,
        tokenizer,
        [tokenizer.vocabulary.piece(token) for token in superword_ids(tokenizer).tolist()],
        utf8_size(text),
        len(job.encoding.ids),
        len(counts) - first if is_super else 0,
        len(chunks),
        sum(chunks.values()),
        symbols,
        seconds,
        [(BYTES + 1 + at, count) for at, count in enumerate(counts)],
        trainer.report,
    )


def _symbols(trainer: Trainer, counts: list[int], first: int) -> Generator[Progress, None, int]:
    """Returns how many symbols are in memory at the transition: those of distinct words, or of the whole text."""
    if isinstance(trainer, SuperBpeTrainer):
        return counts[first - 1] if first else trainer.byte_count
    words, symbols = trainer.pre_tokens, 0
    tokenizer = trainer.tokenizer_after(first, "")
    for at in range(len(words)):
        symbols += len(tokenizer.encode_bytes(words.piece(at)).ids)
        if at % CHUNKS_AT_A_TIME == 0:
            yield Progress("counting symbols", at, len(words), False)
    return symbols


def chunks_of(text: str, pattern: str) -> Generator[Progress, None, dict[bytes, int]]:
    """Returns how often each chunk of a text occurs."""
    data = padded(text)
    ends = cut_bytes(pre_tokenizer(pattern), data).ends
    found: dict[bytes, int] = {}
    begin = 0
    for at, end in enumerate(ends):
        chunk = data[begin:end]
        found[chunk] = found.get(chunk, 0) + 1
        begin = end
        if at % CHUNKS_AT_A_TIME == 0:
            yield Progress("counting chunks", end, len(data), False)
    return found
