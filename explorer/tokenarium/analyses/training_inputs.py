"""The inputs of a training besides its algorithm and sources, for the form and the command."""

from __future__ import annotations

from typing import Final

from tokenarium.analyses.field import Flag, Line

VOCAB_SIZE: Final = Line(
    "vocab_size", "The number of entries.", "Entries", term="vocabulary", default="8,000"
)
NAME: Final = Line("name", "The name of the tokenizer.", "Name", "The name of the new tokenizer")
HOLD_OUT: Final = Flag(
    "hold_out",
    "Hold out a twentieth of a corpus of 1 MB or more to measure on, as the window does. Without it, the"
    " whole corpus is used for training.",
    "Hold out a twentieth",
    "Here it is every 20th document, or every 20th paragraph if there are"
    " few documents, up to a million characters. Nothing is held out of a corpus smaller than 1 MB, which needs all of its text.",
    term="held-out text",
    default=True,
)

LENGTHS: Final = (
    Line(
        "min_characters",
        "Leave shorter documents out.",
        "Shortest document",
        "Leaves out documents with fewer characters, such as 200 (--min-characters)",
        "least",
        hint="any",
        kind=int,
        low=0,
    ),
    Line("max_characters", "Leave longer documents out.", kind=int, low=0),
)
"""The lengths of the documents that are read."""

MIXING: Final = (
    Line(
        "seed",
        "Which parts are used if not all are.",
        "Seed of the sample",
        "Which parts are used if not all are; another seed makes another choice",
        default="0",
        kind=int,
    ),
    Line(
        "size",
        "How large the corpus should be, such as 50MB, by the shares of its sources; without it, as large as"
        " these allow. If a source has too little for its share, all are scaled down, so the"
        " shares are kept and nothing counts twice.",
        "Target size",
        "How large the corpus should be, such as 50 MB, by the shares of its sources. If a source has too"
        " little text for its share, all are scaled down, so nothing counts twice",
        "target",
        hint="all",
    ),
    Line(
        "temperature",
        "Shares of sources without weights are their bytes to the power of 1 / TEMPERATURE: the higher,"
        " the more alike. With --mix they are their bytes to the power of TEMPERATURE, from 0 (alike) to 1, as"
        " for multilingual BERT (0.7) and XLM-R (0.3).",
        "Temperature",
        "It applies if the sources have no weights.",
        term="temperature",
        default="1",
        kind=float,
    ),
    Flag(
        "unique",
        "Keep only the first of identical documents.",
        "Each document once",
        "Keeps the first of identical documents (--unique)",
    ),
    *LENGTHS,
    Flag(
        "strict",
        "Stop at the first thing that cannot be read, instead of reporting it.",
        "Stop at read errors",
        "Ends the training at the first broken line, row or file, instead of leaving it out (--strict)",
    ),
    Flag(
        "repeat",
        "Read a source more than once if it has too little text for its share.",
        "Repeat small sources",
        "A source that has too little text for its share is read more than once, instead of a smaller corpus",
    ),
)
"""Which part of its sources is the corpus, in the order of the command's help."""

TRAINING_FIELDS: Final = (NAME, HOLD_OUT, *(one for one in MIXING if one.title))
"""The fields of the form, after `VOCAB_SIZE`."""
