"""The model that a vocabulary is for, as the settings of what its size costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tokenarium.analyses.field import Flag, Line
from tokenarium.models.training.size_budget import Embedding, parsed_budget
from tokenarium.models.typed_numbers import parsed_count

MODEL_FIELDS: Final = (
    Line("width", "", "Width of the model", "d, the numbers in each embedding", default="768"),
    Line(
        "budget",
        "",
        "Parameters for the embedding",
        "How many parameters the embedding may have: 120M, 1.5B, or 2% of those of the model",
        default="10M",
    ),
    Line(
        "model",
        "",
        "Parameters of the model",
        "How many parameters the whole model has, with its embedding: 120M, 1.5B. If it is empty, no shares are shown",
        hint="unknown",
    ),
    Flag(
        "tied",
        "",
        "Tied",
        "One matrix is used for input and output: V·d parameters instead of 2·V·d",
    ),
)


def embedding_of(values: Mapping[str, Any], multiple: int) -> tuple[Embedding, int]:
    """Returns the embedding of a model, and the parameters that it may have; TokenariumError if a number is invalid.

    ``values`` are those of the fields; the rows are padded to a multiple of ``multiple``.
    """
    model = str(values["model"])
    whole = parsed_count(model) if model.strip() else 0
    embedding = Embedding(parsed_count(values["width"]), bool(values["tied"]), whole, multiple)
    return embedding, parsed_budget(values["budget"], whole)
