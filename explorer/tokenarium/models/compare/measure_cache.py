"""The measure cache: what tokenizers gave on a text is stored on disk, so that measuring it again takes no time.

A stored form is named by the SHA-256 of everything on which it depends: the tokenizer's files and how it encodes, the
text, how it was divided, and `VERSION`. It contains counts, and no text and no path. It is kept as `tokenizer_cache`
keeps opened tokenizers, in a folder beside them: only the version of this program that wrote it reads it, a damaged one is
measured again, and one that cannot be written is not missed. With that cache turned off, nothing is stored.
"""

from __future__ import annotations

import hashlib
import json
import math
import zlib
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc
from tokenarium.models.compare.boundaries import BoundaryCounts
from tokenarium.models.compare.number_sums import NUMBER_COLUMNS, NumberSums
from tokenarium.models.compare.tally import LONGEST, Tally
from tokenarium.models.corpora.encoding_order import sample_ids, tokenizer_sha256
from tokenarium.models.files import MEASURES
from tokenarium_core import tokenizer_cache
from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter, is_worth_caching

VERSION: Final = "1"
"""Increase it whenever a measure counts otherwise, or a stored form changes."""

MOST_BYTES: Final = 200_000_000
"""Bytes that all stored forms may have together: some hundreds of texts with several tokenizers."""

_FORMAT: Final = "measures"
_MOST_ARRAY: Final = 1 << 28
"""Bytes of the largest array of a stored form: no more memory is allocated for a damaged one."""

Arrays = list[npt.NDArray[Any]]


def measure_folder() -> Path | None:
    """Returns the folder of the cache; None if it is off, or for a user without a folder."""
    folder = tokenizer_cache.cache_folder()
    return None if folder is None else folder / MEASURES


def is_kept(path: str) -> bool:
    """Returns whether what is measured on a file is stored: small ones are measured as quickly."""
    return measure_folder() is not None and is_worth_caching(Path(path))


def key_of(what: str, **parts: object) -> str:
    """Returns the name of a stored form, from everything on which it depends."""
    about = json.dumps([VERSION, what, parts], sort_keys=True, default=str)
    return hashlib.sha256(about.encode("utf-8", "surrogatepass")).hexdigest()


def tokenizer_key(tokenizer: tc.Tokenizer, sha256: str = "") -> str:
    """Returns what identifies a tokenizer here: the hash of its files, if known, and how it encodes.

    The same file with another pattern or other special tokens is another tokenizer.
    """
    cutter = tokenizer.pre_tokenizer
    return key_of(
        "tokenizer",
        files=sha256 or tokenizer_sha256(tokenizer),
        special=sorted(tokenizer.special_tokens.items()),
        cuts=(cutter.name, cutter.pattern),
        sample=hashlib.sha256(sample_ids(tokenizer)).hexdigest(),
    )


def store_arrays(key: str, arrays: Sequence[npt.NDArray[Any]]) -> None:
    """Stores some arrays of numbers, or does nothing if that is not possible.

    The least recently used stored forms are removed until all have at most `MOST_BYTES`.
    """
    folder = measure_folder()
    if folder is None or any(array.nbytes > _MOST_ARRAY for array in arrays):
        return
    writer = CacheWriter()
    writer.number(len(arrays))
    for array in arrays:
        writer.text(array.dtype.str)
        writer.text(",".join(map(str, array.shape)))
        writer.data(zlib.compress(np.ascontiguousarray(array).tobytes(), 1))
    tokenizer_cache.store(key, _FORMAT, folder, writer)
    tokenizer_cache.prune(folder, MOST_BYTES)


def load_arrays(key: str) -> Arrays | None:
    """Returns what `store_arrays` stored; None if there is nothing, or it is damaged."""
    folder = measure_folder()
    reader = None if folder is None else tokenizer_cache.load(key, _FORMAT, folder)
    if reader is None:
        return None
    try:
        return [_array(reader) for _ in range(reader.number())]
    except (OSError, ValueError, TypeError, MemoryError, zlib.error, tc.FormatError):
        return None
    finally:
        reader.close()


def _array(reader: CacheReader) -> npt.NDArray[Any]:
    dtype = np.dtype(reader.text())
    shape = tuple(int(size) for size in reader.text().split(",") if size)
    size = math.prod(shape) * dtype.itemsize
    if dtype.kind not in "if" or not 0 <= size <= _MOST_ARRAY:
        raise ValueError(shape)
    data = zlib.decompressobj().decompress(reader.data(), size + 1)
    return np.frombuffer(data, dtype).reshape(shape).copy()


# Tallies.

_PLAIN: Final = tuple(field.name for field in fields(Tally) if field.type == "int")
_BOUNDARIES: Final = tuple(field.name for field in fields(BoundaryCounts) if field.type == "int")


def tally_arrays(tally: Tally) -> Arrays:
    """Returns the arrays of a tally, with only the entries that occur."""
    used = np.flatnonzero(tally.uses)
    of_boundaries = tally.boundaries
    keys = np.array(sorted(of_boundaries.numbers), np.int64)
    counts = [getattr(tally, name) for name in _PLAIN]
    counts += [getattr(of_boundaries, name) for name in _BOUNDARIES]
    return [
        np.array([len(tally.uses), *counts, *of_boundaries.sums.row()], np.int64),
        np.stack((used, tally.uses[used])),
        np.stack((tally.words, tally.words_alone, tally.lengths)),
        np.stack((keys, np.array([of_boundaries.numbers[key] for key in keys.tolist()], np.int64))),
    ]


def tally_of_arrays(arrays: Arrays, entries: int) -> Tally | None:
    """Returns the tally of `tally_arrays` for a vocabulary of so many entries; None if it is not one."""
    try:
        head, used, words, numbers = arrays
        size, *counts = head.tolist()
        (at, times), (words_, alone, lengths), (keys, found) = used, words, numbers
        if size != entries or words.shape[1] != LONGEST + 1:
            return None
        uses = np.zeros(entries, np.int64)
        uses[at] = times
        plain, rest = counts[: len(_PLAIN)], counts[len(_PLAIN) :]
        boundaries = BoundaryCounts(
            **dict(zip(_BOUNDARIES, rest[: -len(NUMBER_COLUMNS)], strict=True)),
            sums=NumberSums.of_row(rest[-len(NUMBER_COLUMNS) :]),
        )
        boundaries.numbers.update(dict(zip(keys.tolist(), found.tolist(), strict=True)))
        plain_counts = dict(zip(_PLAIN, plain, strict=True))
        return Tally(uses, words_, alone, lengths, **plain_counts, boundaries=boundaries)
    except (ValueError, IndexError, TypeError):
        return None
