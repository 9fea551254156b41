"""Extending a vocabulary: its training continues on a corpus, or given words become entries; the old ids stay.

BPE: the corpus is tokenized with the old merges, and merging continues from there. All new merges come after the old
ones, so a text is first merged as before, and only then with the new ones: it gets different ids only if it has a new
entry. This holds if each old entry is what its own text encodes to, as in all trained vocabularies.

Unigram: see `unigram_extension`. The old scores stay, so the same holds.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import final

from mypy_extensions import i64

from tokenarium_core.changing.extended_files import NewEntry, check_last, is_unigram, with_entries
from tokenarium_core.changing.extension import ExtensionTrainer
from tokenarium_core.changing.extension_words import check_counts
from tokenarium_core.changing.merge_extension import ByteExtension, MarkedExtension
from tokenarium_core.changing.special_tokens import library_of
from tokenarium_core.changing.unigram_extension import UnigramExtension
from tokenarium_core.changing.wanted_words import entries_of_words
from tokenarium_core.errors import ArgumentError, UnsupportedError
from tokenarium_core.models.bpe.boundless_bpe import BoundlessBpe
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.bpe.picky_bpe import PickyBpe
from tokenarium_core.models.named_pieces import BY_NAME, NamedPieces
from tokenarium_core.models.wordpiece import WordPiece
from tokenarium_core.normalizers.sentencepiece_normalizer import MARK
from tokenarium_core.progress import Progress
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.training.merging.encoded_segmentation import ModelWords
from tokenarium_core.training.word_counts import WordCounts
from tokenarium_core.vocabulary import MAX_IDS, SPACE_MARK

Paths = Sequence[str | os.PathLike[str]]


@final
class ChangedWord:
    """A word of the texts whose ids change: its count, its old ids and its new ones.

    ``text`` is its UTF-8, as it is after the normalizer: old ids may be unknown tokens, which do not identify it.
    """

    def __init__(self, count: int, old: list[int], new: list[int], text: bytes = b"") -> None:
        self.count = count
        self.old = old
        self.new = new
        self.text = text

    def __repr__(self) -> str:
        return f"<ChangedWord {self.count:,} times: {self.old} -> {self.new}>"


@final
class Extension:
    """New entries for a tokenizer, found in texts: call ``step`` until the progress is "finished", or pass ``words``.

    ``count`` is the maximum number to add; ``texts`` are documents, ``files`` UTF-8 texts, or ``counts`` are those of
    a corpus counted with the tokenizer's own pre-tokens. ``added`` are the `NewEntry` so far, in order; ``tokens``
    is the number of tokens of the texts before them. `tokenizer` builds the file with any number of them.

    In byte-level BPE and SentencePiece's BPE the most frequent pair of neighbours is merged each time, within the
    tokenizer's own words, and in SentencePiece by the rules of its trainer (stored in its file). Of equally frequent
    pairs, byte-level BPE takes the one with the smallest ids, as `BpeTrainer` and tokenizers do; SentencePiece's BPE
    the shortest piece, then the smallest. So training continues as if it had not stopped. No entry is made twice, and
    none that occurs fewer than ``min_frequency`` times; 0 stands for the trainers' default: 2, and 1 in
    SentencePiece. A merge is the best step at any time, since a longer entry with all its intermediate steps never
    saves more per entry than its most frequent step; an entry with few ``uses`` is mostly a step towards later ones.

    SentencePiece's models also get the characters that they lack: all that their ``character_coverage`` asks for, or,
    if they fall back to bytes, those that save more than the last merges would. In Unigram, EM weighs new pieces
    beside the old ones, whose scores stay; the entries come in the order of what they save.

    ``resume``, only for BPE: the entries stand where one training would have put them. So a tokenizer that was trained
    here, to any size, becomes the very one that such a training gives on the same corpus; but special tokens, or in
    SentencePiece single characters, that came behind the merges get higher ids.

    Raises UnsupportedError, with the reason, for a model whose training cannot continue, ArgumentError for a size that
    cannot be and for counts of other words.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        count: int,
        texts: Iterable[str] = (),
        min_frequency: int = 0,
        files: Paths = (),
        counts: WordCounts | None = None,
        resume: bool = False,
    ) -> None:
        size = len(tokenizer.vocabulary)
        if count < 1 or size + count > MAX_IDS:
            raise ArgumentError(
                f"{count:,} entries cannot be added to {size:,}: add from 1 to {int(MAX_IDS) - size:,}."
            )
        if counts is not None and (texts or files):
            raise ArgumentError("Texts and counts exclude each other: give one of them.")
        self.old = tokenizer
        self.finished = False
        self._count = count
        self._texts = texts
        self._min_frequency = min_frequency
        self._files = files
        self._counts = counts
        self._resume = resume
        self._trainer: ExtensionTrainer | None = None
        self._added: list[NewEntry] = []

    @property
    def trainer(self) -> ExtensionTrainer:
        """The continued training, like those of `make_trainer`."""
        if self._trainer is None:
            self._trainer = _trainer(
                self.old,
                self._count,
                self._texts,
                self._files,
                self._counts,
                self._min_frequency,
                self._resume,
            )
        return self._trainer

    @property
    def added(self) -> list[NewEntry]:
        """The entries so far; in Unigram only when it is finished."""
        trainer = self._trainer
        if self.finished or trainer is None or not trainer.usable:
            return self._added
        return trainer.entries

    @property
    def tokens(self) -> int:
        """How many tokens the texts have in the old tokenizer, without line endings in SentencePiece; 0 for a list."""
        return 0 if self._trainer is None else self._trainer.tokens_before

    def step(self, budget_ms: float) -> Progress:
        """Works for about ``budget_ms`` milliseconds; the phases are those of the trainer.

        Raises FormatError for a file that is not UTF-8, NotAvailable for one that cannot be read.
        """
        progress = self.trainer.step(budget_ms)
        if progress.finished and not self.finished:
            self._added = self.trainer.entries
            self.finished = True
        return progress

    def run(self) -> None:
        """Works to the end."""
        while not self.finished:
            self.step(1e9)

    @property
    def report(self) -> str:
        """What was skipped, and a sentence if the texts gave fewer entries than requested; otherwise empty."""
        trainer = self._trainer
        return trainer.report if self.finished and trainer is not None else ""

    def add_words(
        self, words: Sequence[str | bytes], refused: list[tuple[str, str]] | None = None
    ) -> None:
        """Adds the entries that make each of these words one token.

        A word is ordinary text, with a space before it if it should have one. In a tokenizer that splits
        a text into words it has to be one word; SentencePiece adds its ``▁`` before it. Bytes specify an entry
        exactly. A word that is already one token needs no entry.

        In BPE an entry is made by merging two others, so a word of n tokens needs up to n - 1 of them: intermediate
        steps have ``wanted`` False, and words with a common beginning share them. In Unigram and WordPiece
        a word needs one; but WordPiece takes the longest entry first, so other words may be tokenized differently,
        or become unknown.

        Words that cannot be one token are added to ``refused``, each with a message that says why, and the others are
        processed; if it is None they raise ArgumentError, with the reasons. Raises ArgumentError if a training is to be
        resumed; UnsupportedError for a lookup model.
        """
        if self._resume:
            raise ArgumentError(
                "Words are added after all entries, because no training learned them: leave resume out."
            )
        entries = entries_of_words(self.old, words, refused)
        if len(entries) > self._count:
            raise ArgumentError(
                f"The words need {len(entries):,} entries, more than the {self._count:,} that may be added."
            )
        self._added = entries
        self.finished = True

    def changed_words(self, most: int = 100) -> list[ChangedWord]:
        """Returns words of the texts whose ids change, the most frequent first: no other words do. None for a list."""
        trainer = self._trainer
        if trainer is None or not self.added:
            return []
        new = self.tokenizer()
        plain = isinstance(new.model, BytePairEncoder) or not trainer.escaped
        before = ModelWords(
            self.old.model, not plain and self.old.vocabulary.spelling != SPACE_MARK
        )
        after = ModelWords(new.model, not plain and new.vocabulary.spelling != SPACE_MARK)
        listed = trainer.pre_tokens
        changed: list[ChangedWord] = []
        number = 0
        while number < len(listed) and len(changed) < most:
            word = listed.piece(number)
            old_ids = before.ids_of(word)
            new_ids = after.ids_of(word)
            if old_ids != new_ids:
                text = word.replace(MARK, b" ") if trainer.escaped else word
                changed.append(ChangedWord(int(i64(listed.counts[number])), old_ids, new_ids, text))
            number += 1
        return changed

    def tokenizer(self, name: str = "", count: int | None = None) -> Tokenizer:
        """Returns the tokenizer with the first ``count`` new entries, or all, added to the file that its library reads.

        `Tokenizer.details` in the group `CHANGES` say what was added. Raises ArgumentError if that file cannot
        represent them, or there is nothing to add.
        """
        added = self.added if count is None else self.added[: max(count, 0)]
        if not added:
            raise ArgumentError(f"There is nothing to add to {self.old.name}.")
        return with_entries(self.old, added, name or self.old.name, self._resume)


def extend(
    tokenizer: Tokenizer,
    texts: Iterable[str] = (),
    count: int = 1000,
    min_frequency: int = 0,
    files: Paths = (),
    counts: WordCounts | None = None,
    resume: bool = False,
) -> Tokenizer:
    """Returns a tokenizer with up to ``count`` more entries: its training continues with texts; see `Extension`.

    Each text is a document of its own. All old ids keep their bytes, and a text keeps its ids unless it gets a new
    entry; `differing_texts` finds those that do. `Tokenizer.details` of the group `CHANGES` say what was added.
    """
    extension = Extension(tokenizer, count, texts, min_frequency, files, counts, resume)
    extension.run()
    return extension.tokenizer()


def extend_with(tokenizer: Tokenizer, words: Sequence[str | bytes]) -> Tokenizer:
    """Returns a tokenizer in which each of these words is one token; see `Extension.add_words`."""
    extension = Extension(tokenizer, int(MAX_IDS) - len(tokenizer.vocabulary))
    extension.add_words(words)
    return extension.tokenizer()


def _trainer(
    tokenizer: Tokenizer,
    count: int,
    texts: Iterable[str],
    files: Paths,
    counts: WordCounts | None,
    min_frequency: int,
    resume: bool,
) -> ExtensionTrainer:
    size = len(tokenizer.vocabulary) + count
    model = tokenizer.model
    trainer: ExtensionTrainer
    if isinstance(model, BytePairEncoder):
        if resume and library_of(tokenizer) == "tokenizers":
            check_last(tokenizer)
        trainer = ByteExtension(tokenizer, size, texts, files, min_frequency, resume)
    elif isinstance(model, CharacterBpe) and library_of(tokenizer) == "sentencepiece":
        trainer = MarkedExtension(tokenizer, size, texts, files, min_frequency, resume)
    elif is_unigram(tokenizer):
        if resume:
            raise UnsupportedError(
                "A Unigram training cannot be resumed: its last rounds depend on the requested size. Extend the"
                " tokenizer, or train it again."
            )
        trainer = UnigramExtension(tokenizer, size, texts, files)
    else:
        raise UnsupportedError(_why_not(tokenizer))
    if counts is not None:
        check_counts(tokenizer, counts)
        trainer.begin_with(counts.source())
    return trainer


def _why_not(tokenizer: Tokenizer) -> str:
    if isinstance(tokenizer.model, WordPiece):
        return (
            "The file of a WordPiece tokenizer has no merges, so its training cannot continue; and since WordPiece"
            " matches the longest entry, a new entry would also split other words differently. A list of words can"
            " be added at the end of its vocabulary."
        )
    if isinstance(tokenizer.model, CharacterBpe):
        return (
            f"{tokenizer.name} is BPE over characters in a tokenizer.json, which does not say what an entry may be."
            " Extend the SentencePiece model that it was made from, or add a list of words."
        )
    if isinstance(tokenizer.model, BoundlessBpe):
        return (
            "BoundlessBPE deletes tokens and joins words by how often they occurred in the corpus of its training,"
            " which is not in the file: its training cannot continue with other texts. Train it again, with all"
            " texts."
        )
    if isinstance(tokenizer.model, PickyBpe):
        return (
            "PickyBPE removes tokens by how often they occurred in the corpus of its training, which is not in the"
            " file: its training cannot continue with other texts. Train it again, with all texts."
        )
    if isinstance(tokenizer.model, NamedPieces):
        return f"This tokenizer cannot be extended: {BY_NAME}."
    return (
        "This model looks up whole words or characters: there is no training that could continue."
    )
