"""Entries that a model hardly saw in its training, by its embeddings (Land and Bartolo 2024, Fishing for Magikarp).

The rows of a model's safetensors files are read in blocks, as they lie in the file: the model is not loaded.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import regex

import tokenarium_core as tc
from tokenarium.models.diagnosis.diagnosis import SHOWN, Diagnosis, Evidence, Level
from tokenarium.models.diagnosis.diagnosis_entries import NEVER_UTF8, whole_text
from tokenarium.models.installation import how_to_get
from tokenarium.models.text.piece import counted
from tokenarium_core.plain_files import read_file
from tokenarium_core.vocabulary import BYTE, CONTROL, UNKNOWN, UNUSED

Matrix = npt.NDArray[np.float32]
Values = npt.NDArray[np.float32]

IN_NORM = "L2 norm of the input embedding"
OUT_COSINE = "cosine distance of the output embedding to the mean of unused ones"
OUT_CENTRED = "cosine distance of the centred output embedding to the mean of unused ones"
OUT_WITHOUT_PC = "cosine distance to the mean of unused ones without the first principal component"
OUT_DISTANCE = "L2 distance of the output embedding to the mean of unused ones"
INDICATORS = (IN_NORM, OUT_COSINE, OUT_CENTRED, OUT_WITHOUT_PC, OUT_DISTANCE)
"""The indicators of the paper: low where an entry was hardly trained. The first is for models whose output layer has
a matrix of its own; the second is the main one for the others."""

MOST_SHARE = 0.02
"""The share of the entries that the paper takes as candidates, before it tries each with the model."""

UNUSED_SHARE = 90
"""Percent of the unused rows up to whose indicator an entry counts as hardly trained: some may be used after all."""

INDEX = "model.safetensors.index.json"
SINGLE = "model.safetensors"

_INPUTS = (
    "embed_tokens.weight",
    "wte.weight",
    "tok_embeddings.weight",
    "embed_in.weight",
    "word_embeddings.weight",
    "shared.weight",
    "token_embedding.weight",
    "embeddings.weight",
)
_OUTPUTS = ("lm_head.weight", "embed_out.weight", "output.weight", "ff_out.weight")
"""How the names of the tensors end, in the models of transformers and in those published by their makers."""

_TYPES = ("F64", "F32", "F16", "BF16")

_RESERVED = regex.compile(
    r"[<\[]\|?(?:unused|reserved|dummy)(?:[_-]?(?:special[_-]?)?token)?[_-]?\d+\|?[>\]]",
    regex.IGNORECASE,
)
"""Names of reserved entries: ``<unused7>``, ``[unused7]``, ``<|reserved_special_token_7|>``."""

_LARGEST_INDEX = 1 << 26
_BLOCK_VALUES = 1 << 23
"""Values of a block: 32 MB as numbers of 32 bits."""


class MissingWeights(tc.TokenariumError):
    """There are no embeddings where they were looked for, or none that can be read."""


@dataclass(frozen=True, slots=True)
class EmbeddingTensor:
    """One matrix of a safetensors file, of ``rows`` × ``width``, which is read in blocks of rows."""

    path: Path
    name: str
    rows: int
    width: int

    def blocks(self) -> Iterator[tuple[int, Matrix]]:
        """Yields the number of the first row of each block, and the block."""
        step = max(1, _BLOCK_VALUES // self.width)
        with ExitStack() as stack:
            whole = _opened(self.path, stack).get_slice(self.name)
            for first in range(0, self.rows, step):
                last = min(first + step, self.rows)
                yield first, np.asarray(whole[first:last]).astype(np.float32)

    def matrix(self) -> Matrix:
        """Returns all rows at once; for small models and tests."""
        return np.concatenate([block for _, block in self.blocks()])


@dataclass(frozen=True, slots=True)
class Embeddings:
    """The matrices of a model: ``output`` is ``input`` where the output layer shares it (tied)."""

    input: EmbeddingTensor
    output: EmbeddingTensor

    @property
    def tied(self) -> bool:
        """Whether the output layer has no matrix of its own."""
        return self.input == self.output


@dataclass(frozen=True, slots=True)
class EntryIndicators:
    """An indicator of each row of an embedding, by id: low where the model hardly trained it.

    ``unused`` are the rows that the model never saw, which the others are compared with. Rows after those of the
    vocabulary belong to no entry.
    """

    name: str
    values: Values
    unused: tuple[int, ...]


def weights_beside(source: str) -> Path | None:
    """Returns the safetensors files in the folder of a tokenizer, by its source's path, or None."""
    if not source or not Path(source).is_absolute():
        return None  # an encoding's name
    folder = Path(source) if Path(source).is_dir() else Path(source).parent
    for name in (INDEX, SINGLE):
        if (folder / name).is_file():
            return folder / name
    return None


def read_embeddings(path: Path, count: int) -> Embeddings:
    """Finds the embeddings of a model with at least ``count`` rows: in a safetensors file, the index of several, or a
    folder.

    Raises MissingWeights if there are none, or if they cannot be read.
    """
    if path.is_dir():
        file = next((path / name for name in (INDEX, SINGLE) if (path / name).is_file()), None)
        if file is None:
            files = sorted(path.glob("*.safetensors"))
            if not files:
                raise MissingWeights(
                    f"{path} has no safetensors file: choose the folder of a model that has one."
                )
            return _among(_tensors(files), count, path)
        path = file
    if path.name.endswith(".index.json"):
        return _among(_tensors(_indexed(path)), count, path)
    if path.suffix != ".safetensors":
        raise MissingWeights(
            f"{path.name} is not a safetensors file. Weights in other formats (.bin, .pt) can run programs, and are not"
            " opened: transformers saves a model as safetensors."
        )
    return _among(_tensors([path]), count, path)


def _indexed(path: Path) -> list[Path]:
    """Returns the files that an index names, in their folder."""
    try:
        names = json.loads(read_file(path, _LARGEST_INDEX))["weight_map"]
        tensor_names = {
            file
            for name, file in names.items()
            if isinstance(file, str) and name.endswith((*_INPUTS, *_OUTPUTS))
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise MissingWeights(f"{path} cannot be read as an index of safetensors files: {error}.") from None  # fmt: skip
    return [path.parent / Path(name).name for name in sorted(tensor_names)]


def _opened(path: Path, stack: ExitStack) -> Any:
    try:
        import ml_dtypes  # noqa: F401  so that numpy knows bfloat16
        from safetensors import SafetensorError, safe_open
    except ImportError:
        raise MissingWeights(
            f"The weights of models need safetensors. {how_to_get('tokenarium[weights]')}"
        ) from None
    try:
        return stack.enter_context(safe_open(str(path), framework="np"))
    except (OSError, SafetensorError) as error:
        raise MissingWeights(f"{path} cannot be read as safetensors: {error}.") from None


def _tensors(files: Sequence[Path]) -> list[tuple[EmbeddingTensor, str]]:
    """Returns the matrices of files whose names are those of embeddings, with their types."""
    matrices = []
    for path in files:
        with ExitStack() as stack:
            file = _opened(path, stack)
            for name in file.keys():  # noqa: SIM118  it is no mapping
                if name.endswith((*_INPUTS, *_OUTPUTS)):
                    part = file.get_slice(name)
                    shape = part.get_shape()
                    if len(shape) == 2 and shape[1] > 0:
                        matrices.append((EmbeddingTensor(path, name, *shape), part.get_dtype()))
    return matrices


def _among(tensors: Sequence[tuple[EmbeddingTensor, str]], count: int, path: Path) -> Embeddings:
    """Returns the matrices that have enough rows; other parts of a model may have embeddings too (of places, of
    images).
    """
    fitting = [(tensor, type) for tensor, type in tensors if tensor.rows >= count]
    inputs = [match for match in fitting if match[0].name.endswith(_INPUTS)]
    outputs = [match for match in fitting if match[0].name.endswith(_OUTPUTS)]
    if not inputs:
        if tensors:
            most = max(tensor.rows for tensor, _ in tensors)
            raise MissingWeights(
                f"The largest embedding in {path} has {most:,} rows, and the tokenizer {count:,} entries: the weights are"
                " of another model."
            )
        raise MissingWeights(f"{path} has no matrix of embeddings.")
    for tensor, type in (*inputs[:1], *outputs[:1]):
        if type not in _TYPES:
            raise MissingWeights(
                f"{tensor.name} in {tensor.path} has numbers of type {type}: quantized weights cannot be read. Choose the weights"
                " before quantization."
            )
    first = inputs[0][0]
    return Embeddings(first, outputs[0][0] if outputs else first)


def unused_rows(tokenizer: tc.Tokenizer, rows: int) -> list[int]:
    """Returns the rows of an embedding that no training text can have reached.

    Those after the last entry, reserved entries, and the bytes that never occur in UTF-8.
    """
    vocabulary = tokenizer.vocabulary
    special = set(tokenizer.special_tokens.values())
    unused = []
    for id in range(len(vocabulary)):
        free = vocabulary.kinds[id] == UNUSED or _RESERVED.fullmatch(vocabulary.surface(id))
        if free or (id not in special and vocabulary.piece(id) in NEVER_UTF8):
            unused.append(id)
    return [*unused, *range(len(vocabulary), rows)]


def main_indicator(embeddings: Embeddings) -> str:
    """Returns the indicator that the paper takes first: the norm, where the output has a matrix of its own."""
    return OUT_COSINE if embeddings.tied else IN_NORM


def indicators(embeddings: Embeddings, unused: Sequence[int], name: str) -> Values:
    """Returns an indicator for each row; those with the output need some ``unused`` rows.

    The formulas are those of the paper's published code (cohere-ai/magikarp).
    """
    if name == IN_NORM:
        parts = [np.linalg.norm(block, axis=1) for _, block in embeddings.input.blocks()]
        return np.concatenate(parts).astype(np.float32)
    if not len(unused):
        raise MissingWeights(
            "No row of the embeddings is known to be unused, and the output layer shares them: there is nothing to compare"
            " with."
        )
    rows = embeddings.output
    change = _change_for(rows, name)
    total = np.zeros(rows.width, np.float64)
    places = np.array(sorted(set(unused)), np.int64)
    for first, block in rows.blocks():
        inside = places[(places >= first) & (places < first + len(block))] - first
        total += change(block[inside]).sum(axis=0, dtype=np.float64)
    mean = (total / len(places)).astype(np.float32)
    measure = _distance if name == OUT_DISTANCE else _cosine_distance
    parts = [measure(change(block), mean) for _, block in rows.blocks()]
    return np.concatenate(parts).astype(np.float32)


def _change_for(rows: EmbeddingTensor, name: str) -> Callable[[Matrix], Matrix]:
    """Returns what is done to a block before distances are measured."""
    if name in (OUT_COSINE, OUT_DISTANCE):
        return np.asarray
    mean = sum(block.sum(axis=0, dtype=np.float64) for _, block in rows.blocks()) / rows.rows
    centre = np.asarray(mean).astype(np.float32)
    if name == OUT_CENTRED:
        return lambda block: block - centre
    spread = np.zeros((rows.width, rows.width), np.float64)
    for _, block in rows.blocks():
        centred = block - centre
        spread += centred.T @ centred
    first = np.linalg.eigh(spread)[1][:, -1].astype(np.float32)
    return lambda block: block - np.outer(block @ first, first)


def _distance(block: Matrix, mean: Matrix) -> Values:
    distances: Values = np.linalg.norm(block - mean, axis=1)
    return distances


def _cosine_distance(block: Matrix, mean: Matrix) -> Values:
    lengths = np.linalg.norm(block, axis=1) * np.linalg.norm(mean)
    distances: Values = 1 - (block @ mean) / np.maximum(
        lengths, 1e-6
    )  # rows of zeros have no direction
    return distances


def entry_indicators(
    tokenizer: tc.Tokenizer, weights: Path, name: str = "", unused: Sequence[int] = ()
) -> EntryIndicators:
    """Returns an indicator of each entry by a model's weights: the main one, or that with a ``name``.

    ``unused`` are more ids that the model never saw. Raises MissingWeights.
    """
    embeddings = read_embeddings(weights, len(tokenizer.vocabulary))
    name = name or main_indicator(embeddings)
    rows = sorted({*unused_rows(tokenizer, embeddings.output.rows), *unused})
    values = indicators(embeddings, rows, name)
    return EntryIndicators(name, values, tuple(rows))


def under_trained(
    tokenizer: tc.Tokenizer, found: EntryIndicators | None = None, problem: str = ""
) -> Diagnosis:
    """Examines which entries a model hardly trained, by an indicator of its embeddings; without one, says what is
    needed.
    """
    card = Diagnosis(
        "under_trained",
        "Under-trained tokens",
        Level.UNKNOWN,
        problem
        or "The tokenizer does not tell which entries a model has hardly seen in its training: that needs the model's"
        " weights, as safetensors.",
        "Not examined. Land and Bartolo 2024, Fishing for Magikarp, show how it is done with the weights.",
    )
    if found is None:
        return card
    vocabulary = tokenizer.vocabulary
    kinds = memoryview(vocabulary.kinds).tolist()
    apart = {*found.unused, *tokenizer.special_tokens.values()}
    tried = np.array(
        [
            id
            for id, kind in enumerate(kinds)
            if id not in apart and kind not in (CONTROL, UNKNOWN, BYTE) and vocabulary.piece(id)
        ],
        np.int64,
    )
    if not len(tried):
        return replace(card, sentence="The vocabulary has no entries that training could reach.")
    values = found.values[tried]
    count = len(vocabulary)
    # Rows after the vocabulary may be zeros, or begin otherwise than entries: only where there is nothing better.
    unused = [id for id in found.unused if id < count] or list(found.unused)
    middle = float(np.median(values))
    # As low as nearly all rows that were not trained, if these differ; else the paper's share of candidates.
    limit = float(np.percentile(found.values[unused], UNUSED_SHARE)) if unused else middle
    compared = limit < middle
    if not compared:
        limit = float(np.percentile(values, 100 * MOST_SHARE))
    order = np.argsort(values, kind="stable")
    ids = tried[order[: int(np.count_nonzero(values <= limit))]].tolist()
    note = partial(_note, found, middle)
    known = counted(len(found.unused), "row")
    if compared:
        sentence = (
            f"{counted(len(ids), 'entry has', 'entries have')} an embedding as near to that of an unused one as the unused"
            f" ones themselves ({known}): the model can hardly have been trained on {'it' if len(ids) == 1 else 'them'}."
            if ids
            else f"No entry has an embedding as near to that of an unused one as the unused ones themselves ({known})."
        )
    else:
        sentence = (
            f"The {counted(len(ids), 'entry', 'entries')} with the lowest indicator, {MOST_SHARE:.0%} of the vocabulary:"
            " those that the model hardly saw are among them. No row is known to be unused and lower than the others, so"
            " nothing says where they end."
        )
    return replace(
        card,
        level=Level.SURPRISE if ids and compared else Level.FINE,
        sentence=sentence,
        method=f"By the {found.name}, with a median of {middle:.3g} (Land and Bartolo 2024). It is an indicator: the paper"
        " then asks the model to repeat each entry, which is not done here. Special tokens, bytes, and entries that are"
        " reserved are left out.",
        count=len(ids),
        evidence=tuple(
            Evidence(note(id), id, whole_text(vocabulary.piece(id))) for id in ids[:SHOWN]
        ),
        tokens=tuple(ids),
    )


def _note(found: EntryIndicators, middle: float, id: int) -> str:
    value = float(found.values[id])
    return f"{value:.3g}, {value / middle:.0%} of the median" if middle > 0 else f"{value:.3g}"


def examine_embeddings(
    tokenizer: tc.Tokenizer, weights: str = "", name: str = "", unused: Sequence[int] = ()
) -> tuple[Diagnosis, EntryIndicators | None]:
    """Returns the finding and the indicators by a model's weights; by those beside the tokenizer, where none are named."""
    path = Path(weights) if weights else weights_beside(tokenizer.source.path)
    if path is None:
        return under_trained(tokenizer), None
    try:
        indicators = entry_indicators(tokenizer, path, name, unused)
    except MissingWeights as error:
        return under_trained(tokenizer, problem=str(error)), None
    return under_trained(tokenizer, indicators), indicators
