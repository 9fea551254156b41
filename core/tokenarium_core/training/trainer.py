"""The base of all trainers: the options, declared once for every interface, the steps, and the columns."""

from __future__ import annotations

from time import perf_counter
from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.errors import IdError, TokenariumError
from tokenarium_core.progress import Progress
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.training.corpus_reader import CorpusReader
from tokenarium_core.training.counts_file import CountsFile
from tokenarium_core.training.file_words import listed_words
from tokenarium_core.training.word_counter import PreTokenCounts, WordCounter
from tokenarium_core.vocabulary import MAX_IDS

_LARGEST: Final = 10**12  # of a whole number without its own bound: nothing counts further

Value = bool | int | float | str | list[str]
"""The value of an option, of the same type as its default."""


FORMER_NAMES: Final = {"way": "strategy"}
"""The current names of options, by their names in older settings."""


@final
class Option:
    """A setting of a trainer: its name, its default, and what it does in one sentence.

    ``choices``: the only allowed values, if not empty. ``least`` and ``most``: the bounds of a number.
    ``is_content``: the value is the content of a text file; command lines and forms take its path.
    """

    def __init__(
        self,
        name: str,
        default: Value,
        about: str,
        choices: list[str] | None = None,
        least: float | None = None,
        most: float | None = None,
        is_content: bool = False,
    ) -> None:
        self.name = name
        self.default = default
        self.about = about
        self.choices: list[str] = choices or []
        self.least = least
        self.most = most
        self.is_content = is_content

    def checked(self, value: object) -> Value:
        """Returns the value in the form that the trainer uses; raises TokenariumError if it is invalid."""
        if isinstance(self.default, list):
            if isinstance(value, (list, tuple)):
                return [self._whole(str(item)) for item in value]
        elif isinstance(self.default, bool) or isinstance(value, bool):
            if isinstance(self.default, bool) and isinstance(value, bool):
                return value
        elif isinstance(self.default, str):
            if isinstance(value, str):
                return self._chosen(self._whole(value))
        elif isinstance(self.default, int):
            if isinstance(value, int):
                if not -_LARGEST <= value <= _LARGEST:  # a float may be too small for it
                    raise self._out_of_bounds("a number with so many digits")
                self._check_bounds(value)
                return value
        elif isinstance(value, (int, float)):
            self._check_bounds(value)
            return float(value)
        kind = type(self.default).__name__
        raise TokenariumError(
            f"{self.name} = {value!r} is a {type(value).__name__}: it must be of type {kind}, such as {self.default!r}."
        )

    def _whole(self, value: str) -> str:
        """Returns a text that is valid as UTF-8, as a tokenizer file requires."""
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise TokenariumError(
                f"{self.name} has half of a surrogate pair in {value!r}, at character {error.start}, which no file"
                " can hold: leave it out."
            ) from error
        return value

    def _chosen(self, value: str) -> str:
        if self.choices and value not in self.choices:
            raise TokenariumError(
                f"{self.name} = {value!r} is not known: choose one of {', '.join(self.choices)}."
            )
        return value

    def _check_bounds(self, value: float) -> None:
        least, most = self.least, self.most
        # Written so that NaN fails too.
        if not ((least is None or value >= least) and (most is None or value <= most)):
            raise self._out_of_bounds(_shown(value))

    def _out_of_bounds(self, shown: str) -> TokenariumError:
        least = self.least
        most = self.most
        if most is None and isinstance(self.default, int):
            most = _LARGEST
        bounds = [
            text
            for text in (
                f"at least {_shown(least)}" if least is not None else "",
                f"at most {_shown(most)}" if most is not None else "",
            )
            if text
        ]
        return TokenariumError(f"{self.name} = {shown} has to be {' and '.join(bounds)}.")


def _shown(number: float) -> str:
    """Returns a number in ordinary notation: an integer with all its digits."""
    return f"{number:,.0f}" if number == number // 1 else f"{number:,g}"


PATTERN = Option(
    "pattern", "cl100k", "How a text is split into pre-tokens: a name, or a regular expression."
)


MIN_FREQUENCY = Option(
    "min_frequency", 2, "How often a pair has to be in the corpus to be merged.", least=1
)


SPECIAL_TOKENS = Option(
    "special_tokens",
    list[str](),
    "Tokens that no text becomes by itself; the corpus is split at them.",
)


TEXT: Final = "text"
ROWS: Final = "tsv"

INPUT_FORMAT = Option(
    "input_format",
    TEXT,
    "text: the corpus is texts. tsv: each of its lines is a text, a tab, and how often the text occurs.",
    choices=[TEXT, ROWS],
)


class CountSource:
    """Base of sources of counted words for a trainer: call `advance` until it returns False, then read them.

    ``done`` of ``total`` rows are read. The tables are shared: a trainer does not modify them. ``regions`` are those
    of SuperBPE, ``too_long`` and ``reserved`` the lines that SentencePiece skipped.

    If the trainer ``reads_file``, words that are in a file of counts stay there, and ``file`` is set instead of
    ``words``.
    """

    def __init__(self) -> None:
        self.words: WordCounter | None = None
        self.file: CountsFile | None = None
        self.reads_file = False
        self.regions: WordCounter | None = None
        self.too_long: int = 0
        self.reserved: int = 0
        self.done: int = 0
        self.total: int = 0

    def advance(self) -> bool:
        """Does about a millisecond of work; returns whether any is left."""
        raise NotImplementedError


class Trainer:
    """Base of all trainers: the caller steps through a training until ``step`` reports "finished".

    A subclass provides `_advance`, `progress`, `tokenizer`, and its columns. All of them may be read at any time,
    between two steps and after the last, and show what was done so far. To stop a training, discard it; while it is
    ``usable``, `tokenizer` returns a tokenizer of what was learned.

    ``algorithm`` is its name in `training.ALGORITHMS`.
    """

    def __init__(self, algorithm: str, vocab_size: int) -> None:
        if vocab_size > MAX_IDS:
            raise TokenariumError(
                f"A vocabulary of {vocab_size:,} is too large: this program holds up to {MAX_IDS:,} entries."
            )
        self.algorithm = algorithm
        self.vocab_size = vocab_size
        self._source: CountSource | None = None
        self._file: CountsFile | None = None  # with the words, if they are in no table
        self._reader: CorpusReader | None = None  # of the corpus, until it is counted

    def begin_with(self, source: CountSource) -> None:
        """Trains on counted words instead of a corpus; call it before the first step."""
        source.reads_file = self._reads_file()
        self._source = source

    def step(self, budget_ms: float) -> Progress:
        """Works for about ``budget_ms`` milliseconds, and returns the progress.

        Raises FormatError for a file that is not UTF-8, NotAvailable for one that cannot be read,
        TokenariumError if the corpus does not allow what was requested.
        """
        end = perf_counter() + budget_ms / 1000
        while self._proceed() and perf_counter() < end:
            pass
        return self.progress

    def run(self) -> None:
        """Runs to the end."""
        while self._proceed():
            pass

    def _proceed(self) -> bool:
        """Reads some counts, or continues the work; returns whether any work is left."""
        source = self._source
        if source is None:
            return self._advance()
        if not source.advance():
            self._file = source.file
            if self._file is None:
                words = source.words
                assert words is not None
                self._take(words, source)
            self._source = None
        return True

    def _reads_file(self) -> bool:
        """Returns whether the trainer can read the words from a file of counts, each time it needs them."""
        return False

    def _take(self, words: WordCounter, source: CountSource) -> None:
        """Uses counted words as those of the corpus."""
        raise NotImplementedError

    def _reading(self) -> Progress | None:
        """Returns the progress until all words are counted: in counts, or in bytes of files and characters of texts."""
        source = self._source
        reader = self._reader
        if source is not None:
            return Progress("counting", source.done, source.total, False)
        if reader is not None:
            return Progress("counting", reader.done, reader.total, False)
        return None

    def _word_table(self) -> WordCounter | None:
        """Returns the table in which the words of the corpus are counted; None if there is no single table."""
        return None

    def _advance(self) -> bool:
        """Does about a millisecond of work; returns whether any is left."""
        raise NotImplementedError

    @property
    def progress(self) -> Progress:
        """The progress: the phase, and how much of it is done; "finished" only at the very end."""
        raise NotImplementedError

    @property
    def report(self) -> str:
        """One sentence on how the training ended, empty if it gave what was requested."""
        return ""

    @property
    def usable(self) -> bool:
        """Whether `tokenizer` can return a tokenizer of what was learned so far."""
        return self.progress.finished

    def tokenizer(self, name: str) -> Tokenizer:
        """Returns the tokenizer of what was learned so far.

        Raises TokenariumError if the training is not ``usable`` yet, see `check_usable`.
        """
        raise NotImplementedError

    def tokenizer_after(self, step: int, name: str) -> Tokenizer:
        """Returns the tokenizer after a step, counted from 0; see `tokenizer`.

        A step is a merge; in Unigram, one of its `UnigramRecord`.
        """
        raise NotImplementedError

    def check_usable(self) -> None:
        """Raises TokenariumError if the training is not usable yet."""
        if not self.usable:
            raise TokenariumError(
                f"The training is still {self.progress.phase}: it has made no tokenizer yet. Let it continue."
            )

    @property
    def byte_count(self) -> int:
        """How many bytes of the corpus were counted so far, in its words as they are counted."""
        words = self._file or self._word_table()
        return 0 if words is None else words.byte_count

    @property
    def pre_token_count(self) -> int:
        """How many pre-tokens were counted so far."""
        words = self._file or self._word_table()
        return 0 if words is None else words.total

    @property
    def distinct_count(self) -> int:
        """How many distinct pre-tokens were counted so far."""
        if self._file is not None:
            return self._file.words
        words = self._word_table()
        return 0 if words is None else words.distinct

    @property
    def piece_count(self) -> int:
        """How many pieces the vocabulary has so far, including special tokens."""
        return 0

    @property
    def token_counts(self) -> vec[i64]:
        """How many tokens the corpus has after each merge; empty if nothing merges.

        The last number is for ``piece_count`` pieces, the one before for one fewer, and so on.
        """
        return vec[i64]()

    @property
    def left(self) -> vec[i32]:
        """The number of each merge's left symbol, see `symbol`; empty if nothing merges."""
        return vec[i32]()

    @property
    def right(self) -> vec[i32]:
        """The number of each merge's right symbol."""
        return vec[i32]()

    @property
    def pair_counts(self) -> vec[i64]:
        """How often each merge's pair was in the corpus when it was made."""
        return vec[i64]()

    @property
    def first_symbols(self) -> int:
        """How many symbols there are before the first merge; merge ``k`` makes symbol ``first_symbols + k``."""
        return 0

    def symbol(self, number: int) -> bytes:
        """Returns the piece of a symbol by its number: those before the first merge, then what each merge made."""
        raise IdError(f"There is no symbol number {number}.")

    def symbol_id(self, number: int) -> int:
        """Returns the id of a symbol in the tokenizer of the finished training."""
        raise IdError(f"There is no symbol number {number}.")

    @property
    def pre_tokens(self) -> PreTokenCounts:
        """The distinct pre-tokens that were counted, with how often each occurs: made at each call.

        Unigram keeps them only for a record.
        """
        words = self._word_table()
        if words is None:
            return PreTokenCounts(b"", vec[i64](), vec[i64]())
        return words.listed() if self._file is None else listed_words(self._file)

    def word_symbols(self, word: bytes) -> list[int]:
        """Returns the initial symbols of a pre-token; -1 for a character outside the alphabet."""
        return []

    def new_piece(self, number: int) -> bytes:
        """Returns the bytes of a learned piece, by its index in ``token_counts``."""
        raise IdError(f"There is no piece number {number}.")
