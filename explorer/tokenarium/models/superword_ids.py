"""Which entries of a tokenizer are superwords: pieces that hold several words."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

import tokenarium_core as tc


@lru_cache(maxsize=32)
def superword_ids(tokenizer: tc.Tokenizer) -> npt.NDArray[np.int32]:
    """Returns the ids of all superwords, in rising order; worked out once for each tokenizer."""
    return np.asarray(tc.superwords(tokenizer), dtype=np.int32)
