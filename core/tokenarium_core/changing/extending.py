"""A vocabulary that grows: its training goes on with a corpus, or wanted words become entries; the old ids stay.

BPE: the corpus is cut by the old merges, and the merges go on from there. All new merges come after the old ones, so a
text is first cut as before, and only then by the new ones: it gets other ids only if it has a new entry. That holds
where each old entry is what its own text is cut into, as in all vocabularies that a training made.

Unigram: see `unigram_extension`. The old scores stay, so the same holds.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from tokenarium_core.changing.extended_files import NewEntry, check_last, is_unigram, with_entries
from tokenarium_core.changing.extension import Extension
from tokenarium_core.changing.extension_words import check_counts
from tokenarium_core.changing.merge_extension import ByteExtension, MarkedExtension
from tokenarium_core.changing.special_tokens import library_of
from tokenarium_core.changing.unigram_extension import UnigramExtension
from tokenarium_core.changing.wanted_words import entries_of_words
from tokenarium_core.errors import ArgumentError
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.wordpiece import WordPiece
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.training.word_counts import WordCounts
from tokenarium_core.vocabulary import MAX_IDS

Paths = Sequence[str | os.PathLike[str]]


def extend(
    tokenizer: Tokenizer,
    corpus: Iterable[str] = (),
    files: Paths = (),
    counts: WordCounts | None = None,
    vocab_size: int = 0,
    words: Sequence[str | bytes] = (),
    min_frequency: int = 0,
    resume: bool = False,
    name: str = "",
) -> Tokenizer:
    """Returns a tokenizer with more entries, and all ids as they were; `Tokenizer.details` of `CHANGES` say which.

    Either its training goes on, up to ``vocab_size`` entries, with texts, UTF-8 files or ``counts`` of them: see
    `make_extension`, also for ``min_frequency`` and ``resume``. Or each of the ``words`` becomes one entry: see
    `wanted_entries`.

    A text gets other ids only if a new entry is among them; `partings` finds such texts. In WordPiece a text may
    also become the unknown token: the longest entry is taken first, whatever is left of the word.

    Raises ArgumentError, with the reason, for a tokenizer or a word that cannot be extended so.
    """
    if words:
        if vocab_size or corpus or files or counts is not None:
            raise ArgumentError(
                "Give either words or a corpus with a vocab_size: to have both, extend the tokenizer twice."
            )
        entries = wanted_entries(tokenizer, words)
        return add_entries(tokenizer, entries, name or tokenizer.name)
    job = make_extension(tokenizer, vocab_size, corpus, files, counts, min_frequency, resume)
    job.run()
    return job.tokenizer(name or tokenizer.name)


def wanted_entries(tokenizer: Tokenizer, words: Sequence[str | bytes]) -> list[NewEntry]:
    """Returns the entries that make each wanted word one token, in the order in which they have to be added.

    A word is a text as a person writes it: with a space before it where it is to have one. In a tokenizer that cuts a
    text into words, it has to be one of them; SentencePiece puts its ``▁`` before it. Bytes are an entry as it is to be.
    What is one token already is left out.

    In BPE, an entry is made by merging two others, so a word of n tokens takes up to n - 1 entries: those that
    are only steps have ``wanted`` False, and words share them where they begin alike. In Unigram and WordPiece a word
    takes one entry.

    Raises ArgumentError for words that cannot be one token, with the reason for each of the first ones.
    """
    return entries_of_words(tokenizer, words)


def add_entries(tokenizer: Tokenizer, entries: Sequence[NewEntry], name: str) -> Tokenizer:
    """Returns the tokenizer with the entries that `wanted_entries` found for it."""
    if not entries:
        raise ArgumentError("All of these words are one token already: there is nothing to add.")
    wanted = sum(1 for entry in entries if entry.wanted)
    steps = len(entries) - wanted
    said = f"{wanted:,} words" if wanted != 1 else "1 word"
    if steps:
        said += f" and {steps:,} {'steps' if steps != 1 else 'step'} on the way"
    said += f", as {entries[0].id} to {entries[-1].id}"
    return with_entries(tokenizer, entries, name, said)


def make_extension(
    tokenizer: Tokenizer,
    vocab_size: int,
    corpus: Iterable[str] = (),
    files: Paths = (),
    counts: WordCounts | None = None,
    min_frequency: int = 0,
    resume: bool = False,
) -> Extension:
    """Returns a training that goes on from a tokenizer, to be stepped through; `Extension.tokenizer` is its result.

    The corpus is prepared and cut as by the tokenizer. In byte-level BPE and SentencePiece's BPE its tokens are merged on,
    each time the most frequent pair of neighbours, until there are ``vocab_size`` entries; in Unigram EM weighs
    new pieces beside the old ones. SentencePiece's models first get those characters of the corpus that they lack, as far
    as their ``character_coverage`` asks. Of equally frequent pairs, byte-level BPE merges the one with the smallest
    ids, as `BpeTrainer` and tokenizers do; SentencePiece's BPE makes the shortest piece first, then the smallest one.

    ``min_frequency``: how often a pair has to occur; 0 is the trainers' own: 2, in SentencePiece 1. ``resume``, only in
    BPE: the entries stand where one training to ``vocab_size`` would have put them. So a tokenizer that was trained
    here, to any size, becomes the very one that such a training gives on the same corpus; but special tokens, or in
    SentencePiece single characters, that came behind the merges get higher ids.

    Raises ArgumentError, with the reason, for a tokenizer of another kind.
    """
    if counts is not None:
        if corpus or files:
            raise ArgumentError("Give either a corpus or counts.")
        check_counts(tokenizer, counts)
    old = len(tokenizer.vocabulary)
    if vocab_size <= old:
        raise ArgumentError(
            f"{tokenizer.name} has {old:,} entries: ask for a vocab_size above that, not {vocab_size:,}."
        )
    if vocab_size > MAX_IDS:
        raise ArgumentError(
            f"A vocabulary of {vocab_size:,} is too large: this program holds up to {MAX_IDS:,} entries."
        )
    library = library_of(tokenizer)
    model = tokenizer.model
    made: Extension
    if isinstance(model, BytePairEncoder):
        if resume and library == "tokenizers":
            check_last(tokenizer)
        made = ByteExtension(tokenizer, vocab_size, corpus, files, min_frequency, resume)
    elif isinstance(model, CharacterBpe) and library == "sentencepiece":
        made = MarkedExtension(tokenizer, vocab_size, corpus, files, min_frequency, resume)
    elif is_unigram(tokenizer):
        if resume:
            raise ArgumentError(
                "A Unigram training cannot be resumed: its last rounds depend on the size that was asked for. Extend the"
                " tokenizer, or train it again."
            )
        made = UnigramExtension(tokenizer, vocab_size, corpus, files)
    else:
        raise ArgumentError(_not_trained_on(tokenizer))
    if counts is not None:
        made.begin_with(counts.source())
    return made


def _not_trained_on(tokenizer: Tokenizer) -> str:
    if isinstance(tokenizer.model, WordPiece):
        return (
            f"{tokenizer.name} is WordPiece, whose file has no merges, so its training cannot go on. Words can be added to"
            " the end of its vocabulary; since the longest entry is taken first, that changes how other words are cut."
        )
    if isinstance(tokenizer.model, CharacterBpe):
        return (
            f"{tokenizer.name} is BPE over characters in a tokenizer.json, which does not say what an entry may be."
            " Extend the SentencePiece model that it was made of, or add a list of words."
        )
    return f"{tokenizer.name} looks its entries up: there is no training that could go on."


# Suggestions.


def suggest_entries(
    tokenizer: Tokenizer,
    corpus: Iterable[str] = (),
    files: Paths = (),
    counts: WordCounts | None = None,
    count: int = 100,
    min_frequency: int = 0,
) -> list[NewEntry]:
    """Returns the entries that would save a corpus most tokens, in the order in which they are to be added.

    ``gain`` is what each saves after all before it, so that nothing counts twice, and ``total`` the sum up to there. In
    BPE an entry needs its two parts as entries, so these are the next ``count`` merges: the best at each step, since a
    longer entry with its steps never saves more for each of them than its most frequent step. An entry of few ``uses`` is
    mostly a step to later ones. In Unigram the entries that EM chooses come in the order of what they save.

    To add some of them, give their ``piece`` to `extend` as ``words``. Raises ArgumentError as `make_extension` does.
    """
    if count < 1:
        raise ArgumentError(f"Ask for one entry or more, not {count:,}.")
    size = min(len(tokenizer.vocabulary) + count, MAX_IDS)
    job = make_extension(tokenizer, size, corpus, files, counts, min_frequency)
    job.run()
    return job.entries
