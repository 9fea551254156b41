"""What all trainers have in common: the steps, and the columns that a view of a training draws."""

from __future__ import annotations

from time import perf_counter

from librt.vecs import vec
from mypy_extensions import i64

from tokenarium_core.errors import TokenariumError
from tokenarium_core.progress import Progress
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import MAX_IDS


class Trainer:
    """Base of all trainers: a training that its caller steps through, until ``step`` says "finished".

    A subclass gives `_advance`, `progress`, `tokenizer`, and the columns that it has. All of them may
    be read at any time, between two steps as after the last, and tell what was done so far. A
    training is given up by dropping it; while it is ``usable``, `tokenizer` makes one of what there is.

    ``algorithm`` is its name in `training.ALGORITHMS`.
    """

    def __init__(self, algorithm: str, vocab_size: int) -> None:
        if vocab_size > MAX_IDS:
            raise TokenariumError(
                f"A vocabulary of {vocab_size:,} is too large: this program holds up to {MAX_IDS:,} entries."
            )
        self.algorithm = algorithm
        self.vocab_size = vocab_size

    def step(self, budget_ms: float) -> Progress:
        """Works on for about ``budget_ms`` milliseconds, and returns how far it is.

        Raises FormatError for a file that is not UTF-8, NotAvailable for one that cannot be read,
        TokenariumError where the corpus does not allow what was asked for.
        """
        end = perf_counter() + budget_ms / 1000
        while self._advance() and perf_counter() < end:
            pass
        return self.progress

    def run(self) -> None:
        """Works to the end."""
        while self._advance():
            pass

    def _advance(self) -> bool:
        """Does about a millisecond of work; returns whether any is left."""
        raise NotImplementedError

    @property
    def progress(self) -> Progress:
        """How far it is: the phase, and what of it is done; "finished" only at the very end."""
        raise NotImplementedError

    @property
    def report(self) -> str:
        """One sentence on how the training ended, empty when it gave what was asked for."""
        return ""

    @property
    def usable(self) -> bool:
        """Whether `tokenizer` can make a tokenizer of what was done so far."""
        return self.progress.finished

    def tokenizer(self, name: str) -> Tokenizer:
        """Returns the tokenizer of what was learned so far.

        Raises TokenariumError where the training is not ``usable`` yet, see `check_usable`.
        """
        raise NotImplementedError

    def check_usable(self) -> None:
        """Raises TokenariumError where nothing can be made of the training yet."""
        if not self.usable:
            raise TokenariumError(
                f"The training is still {self.progress.phase}: there is no tokenizer to make of it"
                " yet. Let it go on."
            )

    @property
    def byte_count(self) -> int:
        """How many bytes of the corpus were counted so far."""
        return 0

    @property
    def pre_token_count(self) -> int:
        """How many pre-tokens were counted so far."""
        return 0

    @property
    def distinct_count(self) -> int:
        """How many different pre-tokens were counted so far."""
        return 0

    @property
    def piece_count(self) -> int:
        """How many pieces the vocabulary has by now, special tokens among them."""
        return 0

    @property
    def token_counts(self) -> vec[i64]:
        """How many tokens the corpus takes after each merge; empty where nothing merges.

        The last number belongs to ``piece_count`` pieces, the one before to one fewer, and so on.
        """
        return vec[i64]()

    def new_piece(self, number: int) -> bytes:
        """Returns the bytes of a piece that was learned, by its place in ``token_counts``."""
        raise IndexError(f"There is no piece number {number}.")
