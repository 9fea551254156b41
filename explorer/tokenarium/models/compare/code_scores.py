"""How well tokens agree with the parts of a program."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tokenarium.models.compare.code_parts import KINDS, CodeParts
from tokenarium.models.compare.metric import ratio
from tokenarium.models.compare.morphology import f1
from tokenarium.models.compare.tally import tokens_of_words


@dataclass(frozen=True, slots=True)
class CodeScores:
    """Counts over a program. ``leaves`` and ``aligned`` are by kind; ``whole`` identifiers are one token.

    ``gaps`` is where the words of identifiers meet, ``gaps_found`` where a token ends there, ``inner`` the boundaries of
    tokens inside identifiers, and ``inner_right`` those where words meet.
    """

    leaves: tuple[int, ...]
    aligned: tuple[int, ...]
    identifiers: int
    identifier_tokens: int
    whole: int
    gaps: int
    gaps_found: int
    inner: int
    inner_right: int
    indents: int
    indent_tokens: int

    @property
    def alignment(self) -> float | None:
        """The share of the leaves at whose start and end a token begins and ends."""
        return ratio(sum(self.aligned), sum(self.leaves))

    def alignment_of(self, kind: str) -> float | None:
        """The same for the leaves of a kind."""
        at = KINDS.index(kind)
        return ratio(self.aligned[at], self.leaves[at])

    @property
    def word_f1(self) -> float | None:
        """The harmonic mean of precision and recall of the boundaries of words inside identifiers."""
        return f1(ratio(self.inner_right, self.inner), ratio(self.gaps_found, self.gaps))


def score_code(spans: npt.NDArray[np.int32], parts: CodeParts) -> CodeScores:
    """Returns the scores of tokens with these spans (n × 2, in bytes).

    A token that begins with a space begins after it, as the suite of Meister et al. has it.
    """
    size = len(parts.utf8)
    spans = spans[spans[:, 0] < spans[:, 1]]
    bounds, begins = np.zeros(size + 2, np.bool_), np.zeros(size + 2, np.bool_)
    bounds[spans.ravel()] = True
    begins[spans[:, 0]] = True
    spaces = spans[:, 0][np.frombuffer(parts.utf8, np.uint8)[spans[:, 0]] == ord(" ")]
    begins[spaces + 1] = True
    aligned = begins[parts.starts] & bounds[parts.ends]
    count = len(KINDS)
    names = parts.identifiers
    touched = tokens_of_words(spans, names[:, 0], names[:, 1])
    before = np.concatenate(([0], np.cumsum(bounds)))  # boundaries before each place
    met = before[parts.gaps[:, 1] + 1] - before[parts.gaps[:, 0]]
    inside = before[names[:, 1]] - before[np.minimum(names[:, 0] + 1, names[:, 1])]
    indents = tokens_of_words(spans, parts.indents[:, 0], parts.indents[:, 1])
    return CodeScores(
        tuple(np.bincount(parts.kinds, minlength=count).tolist()),
        tuple(np.bincount(parts.kinds[aligned], minlength=count).tolist()),
        len(names),
        int(touched.sum()),
        int((touched == 1).sum()),
        len(met),
        int((met > 0).sum()),
        int(inside.sum()),
        int(met.sum()),
        len(indents),
        int(indents.sum()),
    )
