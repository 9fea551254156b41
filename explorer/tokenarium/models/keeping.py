"""Keeps what was trained in the store, with what it was trained on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import tokenarium_core as tc
from tokenarium.models.corpus import Corpus
from tokenarium.models.store import Store, Trained
from tokenarium_core.export_formats import EXPORT_FORMATS, files_of
from tokenarium_core.version import __version__


def store_folder() -> Path:
    """Returns where trained tokenizers are kept."""
    import platformdirs

    return platformdirs.user_data_path("tokenarium", appauthor=False) / "trained"


def keep(
    store: Store,
    tokenizer: tc.Tokenizer,
    algorithm: str,
    settings: Mapping[str, Any],
    corpus: Corpus,
    figures: Mapping[str, Any] | None = None,
) -> Trained:
    """Keeps a tokenizer in the store, in the first format that can hold it, and returns it as it is kept."""
    format = next(name for name, kind in EXPORT_FORMATS.items() if not kind.obstacle(tokenizer))
    content = next(iter(files_of(tokenizer, format, "kept").values()))
    trained = Trained(
        name=tokenizer.name,
        algorithm=algorithm,
        settings=settings,
        corpus=_about(corpus),
        fingerprint=corpus.fingerprint,
        suffix=EXPORT_FORMATS[format].suffix,
        pieces=len(tokenizer.vocabulary),
        version=__version__,
        figures=figures or {},
    )
    return store.save(trained, content)


def _about(corpus: Corpus) -> dict[str, Any]:
    """Returns what the store tells of a corpus."""
    return {
        "sources": [source.title for source in corpus.sources],
        "weights": [source.weight for source in corpus.sources],
        "seed": corpus.seed,
        "documents": corpus.documents,
        "characters": corpus.characters,
        "notes": list(reading_notes(corpus)),
    }


def reading_notes(corpus: Corpus) -> Iterator[str]:
    """Yields a sentence for each file that was not read as it is: skipped, in part, or in a guessed encoding."""
    for skipped in corpus.skipped:
        yield f"{skipped.path}: {skipped.reason}"
    for report in corpus.reports:
        if report.note:
            yield f"{report.file.path}: {report.note}"
        elif report.encoding is not None and report.encoding.how == "guessed":
            yield f"{report.file.path}: read as {report.encoding}."
