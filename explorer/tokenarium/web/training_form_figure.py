"""The figure of the page Train before anything is trained: the inputs of its form, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from tokenarium.analyses.training_draft import title as label
from tokenarium.analyses.training_inputs import TRAINING_FIELDS, VOCAB_SIZE
from tokenarium.models.training.corpus_files import CorpusSource
from tokenarium.models.training.training_algorithms import TRAINING_ALGORITHMS, TrainingAlgorithm
from tokenarium.web.html import bdi, escaped, table
from tokenarium.web.page import Figure
from tokenarium.web.shown_scene import ShownScene
from tokenarium_core import TokenariumError

TITLE = "Inputs of a training"

RAN = "The results of trainings cannot be a web page: render a picture of this scene, or leave them out."


def training_form_figures(shown: ShownScene) -> list[Figure]:
    """Returns the inputs of the form: the corpus, the algorithms, the entries, and what differs from the defaults."""
    kept = shown.scene.pages.get(shown.page, {})
    if kept.get("runs"):
        raise TokenariumError(RAN)
    rows = [[escaped(name), bdi(value)] for name, value in _inputs(kept)]
    listed = table(["Input", "Value"], rows, TITLE)
    said = '<p class="remark">The other inputs have their defaults.</p>'
    return [Figure(f'<div class="answer">{listed}{said}</div>', title=TITLE)]


def _inputs(kept: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    sources = _converted(kept.get("sources"), list[CorpusSource]) or [CorpusSource("library")]
    for number, source in enumerate(sources):
        yield "" if number else "Corpus", source.title
    names = _converted(kept.get("algorithms"), list[str]) or []
    chosen = [TRAINING_ALGORITHMS[name] for name in names if name in TRAINING_ALGORITHMS]
    chosen = chosen or [TRAINING_ALGORITHMS["bpe"]]
    yield "Algorithm" if len(chosen) == 1 else "Algorithms", ", ".join(one.title for one in chosen)
    yield VOCAB_SIZE.title, str(kept.get(VOCAB_SIZE.kept_as) or VOCAB_SIZE.default)
    for field in TRAINING_FIELDS:
        value = kept.get(field.kept_as)
        if value not in (None, "", field.default) and isinstance(value, str | int | float):
            yield field.title, _shown(value)
    yield from _options(chosen, _converted(kept.get("fields"), dict[str, str]) or {})


def _options(
    chosen: list[TrainingAlgorithm], typed: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yields what was typed for the options of the algorithms, each once."""
    options = {option.name: option for algorithm in chosen for option in algorithm.options}
    for name, option in options.items():
        if typed.get(name):
            yield label(option), typed[name]


def _shown(value: str | float) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _converted(kept: object, kind: type[Any]) -> Any:
    """Returns a setting of a scene as a type; None if it is not one."""
    try:
        return msgspec.convert(kept, kind)
    except (ValueError, TypeError):
        return None
