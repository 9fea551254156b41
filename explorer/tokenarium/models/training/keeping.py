"""Holds out some of a corpus to measure with, and keeps trained tokenizers in the store."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final

import tokenarium_core as tc
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_filters import ALL
from tokenarium.models.training.store import Store, Trained
from tokenarium_core import __version__
from tokenarium_core.formats.chat_part import TEMPLATES, chat_of
from tokenarium_core.formats.registry import EXPORT_FORMATS, files_of, fitting
from tokenarium_core.pretokenizers import PRE_TOKENIZERS
from tokenarium_core.training import INPUT_FORMAT, ROWS

HELD_OUT_EVERY = 20
"""Of this many documents or paragraphs, one is used to measure with, not to train on."""

HELD_OUT_MOST = 1_000_000
"""Most characters that are held out."""

SMALL = 1_000_000
"""Bytes: of a smaller corpus nothing is held out, since it would miss that."""

FEW: Final = 40
"""Documents: of fewer, paragraphs of each are held out, as whole ones would be too much of the corpus or too little."""

_BLANK_LINES: Final = re.compile(r"\n(?:[ \t\r]*\n)+")


HeldCut = tuple[int, int]
"""What of a text is held out: the first paragraph or line, and every n-th after it; `WHOLE`: all of it."""

WHOLE: Final[HeldCut] = (-1, 0)


def held_apart(text: str, cut: HeldCut) -> tuple[str, str]:
    """Returns a text without what is held out, and that."""
    if cut == WHOLE:
        return "", text
    first, every = cut
    units = _units(text)
    held = units[first::every]
    del units[first::every]
    return "".join(units), "".join(held)


def _units(text: str) -> list[str]:
    """Returns the paragraphs of a text, or its lines where there are few."""
    units = paragraphs(text)
    return units if len(units) >= HELD_OUT_EVERY else text.splitlines(keepends=True)


class HeldOut:
    """A corpus without some of its text, which is kept in ``texts`` to measure with.

    Of a corpus of many documents every `HELD_OUT_EVERY`-th text that it yields is held out, up to `HELD_OUT_MOST`
    characters: a document, or a part of a long one. Of fewer than `FEW` documents it is every n-th paragraph of
    every one, or line where there are too few paragraphs. Nothing is held out of a corpus of fewer bytes than `SMALL`,
    nor of a source that is read more than once: it would be trained on too.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        known = corpus.known_documents
        self.by_paragraph = known is not None and known < FEW  # not by document
        self._number = 0  # of texts so far
        self._units = 0  # paragraphs so far
        self._characters = 0
        self.texts: list[str] = []

    def __iter__(self) -> Iterator[str]:
        return self._without(self._corpus)

    def by_language(self) -> dict[str, Iterator[str]]:
        """Returns what is left of the texts of each language; see `Corpus.by_language`."""
        return {
            name: self._without(texts, spares_first=True)
            for name, texts in self._corpus.by_language().items()
        }

    def _without(self, texts: Iterable[str], *, spares_first: bool = False) -> Iterator[str]:
        spared = spares_first and not self.by_paragraph  # a language may have one document only
        for text in texts:
            cut = None if spared else self.cut(text)
            self._number += spared
            spared = False
            rest = text if cut is None else held_apart(text, cut)[0]
            if rest:
                yield rest

    @classmethod
    def of(cls, corpus: Corpus, wanted: bool, options: Mapping[str, Any]) -> HeldOut | None:
        """Returns what is held out of a corpus; None if nothing is to be held out, and for rows, which are not running
        text.
        """
        return cls(corpus) if wanted and options.get(INPUT_FORMAT.name) != ROWS else None

    @property
    def settings(self) -> dict[str, str]:
        """What is to be added to the settings of a training, as the tokenizer depends on it."""
        return {"held_out": "paragraphs"} if self.texts and self.by_paragraph else {}

    @property
    def takes(self) -> bool:
        """Whether something of the present source is held out, if there is enough of it."""
        return self._corpus.planned >= SMALL and not self._corpus.repeats_source

    @property
    def full(self) -> bool:
        """Whether nothing more is held out."""
        return self._characters >= HELD_OUT_MOST

    def cut(self, text: str) -> HeldCut | None:
        """Takes the next text of the corpus; returns what of it is held out, which ``texts`` then has."""
        self._number += 1
        if not self.takes or (self.full and not self.by_paragraph):
            return None
        if self.by_paragraph:
            cut = self._paragraphs(text)
        else:
            cut = WHOLE if self._number % HELD_OUT_EVERY == 0 else None
        if cut is None or self.full:
            return None
        held = held_apart(text, cut)[1]
        if not held:
            return None
        self.texts.append(held)
        self._characters += len(held)
        return cut

    def _paragraphs(self, text: str) -> HeldCut | None:
        """Returns which paragraphs or lines of a text are held out; none of a few lines."""
        # Of a long corpus fewer are taken, so that they come from all of it.
        every = max(HELD_OUT_EVERY, int(self._corpus.planned) // HELD_OUT_MOST)
        units = _units(text)
        if len(units) < HELD_OUT_EVERY:
            return None
        first = (-self._units - 1) % every
        self._units += len(units)
        return first, every

    @property
    def bytes(self) -> int:
        """How many bytes of UTF-8 are held out."""
        return sum(len(text.encode("utf-8", "surrogatepass")) for text in self.texts)

    @property
    def sentence(self) -> str:
        """What was held out, or why nothing was."""
        if self.texts:
            one = len(self.texts) == 1
            texts = (
                "1 document or part of one"
                if one
                else f"{len(self.texts):,} documents or parts of them"
            )
            if self.by_paragraph:
                texts = "paragraphs of each document"
            share = self.bytes / max(sum(self._corpus.bytes_taken), 1)
            return f"Held out and not trained on: {texts}, {self.bytes:,} bytes ({share:.1%} of the corpus)."
        if self._corpus.repeats_source:
            return "Nothing was held out: what is read more than once would be trained on too."
        if self._corpus.planned < SMALL:
            return f"Nothing was held out: a corpus of less than {SMALL / 1e6:g} MB would miss it."
        return f"Nothing was held out: that needs at least {HELD_OUT_EVERY} documents, paragraphs or lines."


def paragraphs(text: str) -> list[str]:
    """Returns the paragraphs of a text, each with the blank lines after it; joined, they are the text.

    >>> paragraphs("one\\n\\ntwo\\nmore\\n \\n\\nthree")
    ['one\\n\\n', 'two\\nmore\\n \\n\\n', 'three']
    """
    ends = [found.end() for found in _BLANK_LINES.finditer(text)]
    if not ends or ends[-1] < len(text):
        ends.append(len(text))
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]


LARGE = 16_384
"""Entries from which a file in our own format takes longer to open than a frame of the window."""

FASTER = "huggingface"
"""A format whose large files the app prepares and caches."""


def format_to_keep(tokenizer: tc.Tokenizer) -> str:
    """Returns the format that a tokenizer is kept in, which holds all of it.

    Large byte-level BPE that a scanner cuts is kept in a format that opens faster than our own. UnsupportedError
    where no format can hold it.
    """
    fits = fitting(tokenizer)
    if "tokenarium" in fits and chat_of(tokenizer)[TEMPLATES]:
        return "tokenarium"  # others have no room for it, or a second file
    if not fits:
        raise tc.UnsupportedError(f"{tokenizer.name} cannot be saved: no format can store it.")
    if "sentencepiece" in fits:
        return "sentencepiece"
    scanned = tokenizer.pre_tokenizer.name in PRE_TOKENIZERS
    large = len(tokenizer.vocabulary) > LARGE and scanned
    return FASTER if large and FASTER in fits else fits[0]


def keep(
    store: Store,
    tokenizer: tc.Tokenizer,
    algorithm: str,
    settings: Mapping[str, Any],
    corpus: Mapping[str, Any],
    fingerprint: str,
    figures: Mapping[str, Any] | None = None,
    file: tuple[bytes, str] | None = None,
) -> Trained:
    """Keeps a tokenizer in the store and returns it as it is kept.

    ``corpus`` describes the texts, see `about_corpus`, and ``fingerprint`` identifies them. ``file`` is the content of its own file with the suffix; without one it is written in the first format that can
    hold it.
    """
    content, suffix = file or _written(tokenizer)
    trained = Trained(
        name=tokenizer.name,
        algorithm=algorithm,
        settings=settings,
        corpus=corpus,
        fingerprint=fingerprint,
        suffix=suffix,
        pieces=len(tokenizer.vocabulary),
        version=__version__,
        figures=figures or {},
    )
    return store.save(trained, content)


def _written(tokenizer: tc.Tokenizer) -> tuple[bytes, str]:
    format = format_to_keep(tokenizer)
    return next(iter(files_of(tokenizer, format, "kept").values())), EXPORT_FORMATS[format].suffix


def about_corpus(corpus: Corpus, held: HeldOut | None) -> dict[str, Any]:
    """Returns the description of a corpus for the store."""
    languages = [source.language for source in corpus.sources]
    return {
        "sources": [source.title for source in corpus.sources],
        "weights": [source.weight for source in corpus.sources],
        **({"languages": languages} if any(languages) else {}),
        "seed": corpus.seed,
        "size": corpus.size,
        "temperature": corpus.temperature,
        "repeat": corpus.repeat,
        "shares": [asdict(share) for share in corpus.shares],
        "held_out": held.sentence if held is not None else "",
        "documents": corpus.documents,
        "characters": corpus.characters,
        "notes": list(reading_notes(corpus)),
        **({"filters": asdict(corpus.filters)} if corpus.filters != ALL else {}),
    }


def reading_notes(corpus: Corpus) -> Iterator[str]:
    """Yields a sentence for each file that was skipped or read in part."""
    yield from corpus.mixing_notes
    for skipped in corpus.skipped:
        yield f"{skipped.place}: {skipped.reason}"
    for report in corpus.reports:
        if report.note:
            yield f"{report.file.place}: {report.note}"
