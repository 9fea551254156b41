"""Makes a study of what is compared: its files and tokenizers, with their hashes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import tokenarium_core as tc
from tokenarium.models.compare.comparing import named_parts
from tokenarium.models.compare.intervals import RESAMPLES, SIGNIFICANCE
from tokenarium.models.corpora.encoding_order import tokenizer_sha256
from tokenarium.models.studies.study_file import (
    MOST_TEXTS,
    MOST_TOKENIZERS,
    UNITS,
    Study,
    StudyText,
    StudyTokenizer,
    settings_fault,
)
from tokenarium.models.training.corpus import Corpus
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.corpus_urls import is_url
from tokenarium.models.training.keeping import reading_notes
from tokenarium_core.plain_files import file_sha256


@dataclass(frozen=True, slots=True)
class IntervalSettings:
    """How intervals are found; see `Study`."""

    unit: str = UNITS[0]
    seed: int = 0
    resamples: int = RESAMPLES
    alpha: float = SIGNIFICANCE


def study_of(
    tokenizers: Sequence[StudyTokenizer],
    sources: Sequence[CorpusSource],
    settings: IntervalSettings,
) -> Study:
    """Returns the study of tokenizers on the files of some sources. Paths are from the working directory on.

    TokenariumError for what a study cannot have.
    """
    fault = settings_fault(settings.unit, settings.seed, settings.resamples, settings.alpha)
    if fault:
        raise tc.TokenariumError(fault[:1].upper() + fault[1:])
    if not sources:
        raise tc.TokenariumError("A study needs texts in files: name them.")
    corpus = Corpus([replace(source, weight=None) for source in sources])
    parts = named_parts(corpus)
    for _, source in parts:
        if source.kind != "file" or is_url(source.value):
            raise tc.TokenariumError(f"{source.title} is not a file: a study has files only.")
    if not parts:
        places = ", ".join(source.title for source in sources)
        raise tc.TokenariumError(
            " ".join(reading_notes(corpus)) or f"{places} contains no text files."
        )
    if len(tokenizers) > MOST_TOKENIZERS:
        raise tc.TokenariumError(
            f"There are {len(tokenizers):,} tokenizers, more than {MOST_TOKENIZERS:,}."
        )
    if len(parts) > MOST_TEXTS:
        raise tc.TokenariumError(f"There are {len(parts):,} files, more than {MOST_TEXTS:,}.")
    distinct = len({name for name, _ in parts}) == len(parts)
    texts = tuple(
        StudyText(
            name if distinct else source.value,
            str(Path(source.value).absolute()),
            field=source.field,
        )
        for name, source in parts
    )
    return Study(
        tuple(replace(one, path=_absolute(one.path)) for one in tokenizers),
        texts,
        unit=settings.unit,
        seed=settings.seed,
        resamples=settings.resamples,
        alpha=settings.alpha,
        folder=Path.cwd(),
    )


def _absolute(path: str) -> str:
    return str(Path(path).absolute()) if Path(path).exists() else path


def with_hashes(study: Study, tokenizers: Sequence[tc.Tokenizer], most: int | None = None) -> Study:
    """Returns a study with the hashes of its opened ``tokenizers`` and of its texts.

    A text has none if it cannot be read, or has more than ``most`` bytes.
    """
    return replace(
        study,
        tokenizers=tuple(
            replace(one, sha256=tokenizer_sha256(opened))
            for one, opened in zip(study.tokenizers, tokenizers, strict=True)
        ),
        texts=tuple(
            replace(one, sha256=file_sha256(study.place(one.file), most) or "")
            for one in study.texts
        ),
    )
