"""The entries of ``model.vocab`` of a `tokenizer.json`: BPE, WordPiece, WordLevel and Unigram alike."""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i32

from tokenarium_core.formats.hf.surface_table import SurfaceTable
from tokenarium_core.frozen import FrozenReader, FrozenWriter


@final
class HfVocabulary:
    """The entries in the order of the file, and by id.

    Entry ``k`` of ``table`` has the id ``ids[k]``; the entry of an id is ``numbers[id]``, -1 where there is none.
    ``scores`` (Unigram) are by id, and empty in other models.
    """

    def __init__(self) -> None:
        self.table = SurfaceTable()
        self.ids = vec[i32]()
        self.numbers = vec[i32]()
        self.scores = vec[float]()

    @property
    def size(self) -> int:
        """How many ids there are, gaps counted."""
        return len(self.numbers)

    def find(self, text: str) -> int:
        """Returns the id of an entry, or -1."""
        number = self.table.find_text(text)
        return self.ids[number] if number >= 0 else -1

    def has_space(self) -> bool:
        """Tells whether a real space stands in some entry."""
        return b" " in self.table.arena

    def freeze(self, out: FrozenWriter) -> None:
        """Writes the entries."""
        self.table.freeze(out)
        out.i32s(self.ids[: self.table.count])
        out.i32s(self.numbers)
        out.floats(self.scores)

    def thaw(self, frozen: FrozenReader) -> None:
        """Reads what `freeze` wrote."""
        self.table.thaw(frozen)
        self.ids = frozen.i32s()
        self.numbers = frozen.i32s()
        self.scores = frozen.floats()
