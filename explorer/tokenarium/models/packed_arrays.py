"""The core's packed columns as arrays of numpy."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
import numpy.typing as npt
from librt.vecs import vec
from mypy_extensions import i32, i64, u8


@overload
def array_of(column: vec[u8]) -> npt.NDArray[np.uint8]: ...
@overload
def array_of(column: vec[i32]) -> npt.NDArray[np.int32]: ...
@overload
def array_of(column: vec[i64]) -> npt.NDArray[np.int64]: ...
@overload
def array_of(column: vec[float]) -> npt.NDArray[np.float64]: ...
def array_of(column: Any) -> npt.NDArray[Any]:
    """Returns the same memory as an array, ``(len(column),)``; the column must no longer change."""
    return np.asarray(memoryview(column))
