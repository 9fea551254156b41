"""The verdict on a string that is, or is not, one token: the reason, and the run that proves it."""

from __future__ import annotations

from typing import Final, final

from tokenarium_core.encoding import Encoding
from tokenarium_core.explaining.merge_path import Merge
from tokenarium_core.models.unigram.lattice import LatticeEdge
from tokenarium_core.trace import Trace

ONE: Final = "one token"
NOTHING: Final = "nothing"
NEVER_TEXT: Final = "never text"
ADDED: Final = "added token"
CHANGED: Final = "changed"
CUT: Final = "cut"
NOT_THERE: Final = "not in the vocabulary"
PREFIXED: Final = "prefixed"
NO_MERGE: Final = "no merge"
OUTRANKED: Final = "outranked"
MERGED_ON: Final = "merged on"
OUTSCORED: Final = "outscored"
WRONG_PLACE: Final = "wrong place"
TOO_LONG: Final = "too long"
UNCOVERED: Final = "uncovered"
JOINED: Final = "joined"
PARTED: Final = "parted"

VERDICTS: Final = [
    ONE,
    NOTHING,
    NEVER_TEXT,
    ADDED,
    CHANGED,
    CUT,
    NOT_THERE,
    PREFIXED,
    NO_MERGE,
    OUTRANKED,
    MERGED_ON,
    OUTSCORED,
    WRONG_PLACE,
    TOO_LONG,
    UNCOVERED,
    JOINED,
    PARTED,
]
"""All kinds of verdicts, roughly in the order of the stages."""


@final
class Verdict:
    """Why a string is one token, or is not.

    All positions are bytes of ``data``, the normalized text: the string is ``data[low:high]``.
    ``ids`` are the tokens that touch it, ``first`` is the number of the first in ``encoding``; ``whole``: the
    string was the whole text. ``piece`` is the id of the entry with its bytes, -1 if there is none; ``changed``:
    the normalized text is not what was typed. ``unknown``: the unknown token is among the ids; ``fallbacks``: how
    many ids are bytes of a character that has no piece.

    ============= ========================================================================================
    kind
    ============= ========================================================================================
    ONE           it is the one token ``token``; ``how`` says by which kind of event of the trace
    NOTHING       nothing is left of it
    NEVER_TEXT    the entry ``token`` has its bytes, but is of a kind that no text becomes
    ADDED         the added or user-defined token ``token`` is taken out of it first, at ``start`` to ``stop``
    CHANGED       ``token`` is the entry of what was typed, but the model gets something else
    CUT           the words ``rules`` end at ``start`` and begin at ``stop``
    NOT_THERE     no entry has its bytes; ``token`` is the longest one at its beginning (-1), up to ``stop``
    PREFIXED      ``token`` is the entry, but the model gets more: what is before ``low`` or after ``high``
    NO_MERGE      no merge makes the entry ``token`` at ``start`` to ``stop``, which it is or needs
    OUTRANKED     ``merge`` came first (``event`` of the trace), and took a part of what ``blocked`` needs
    MERGED_ON     it was made, and then ``merge`` made it a part of something longer
    OUTSCORED     ``best_path`` has ``best_score``, the best one with the piece, ``own_path``, ``own_score``
    WRONG_PLACE   ``token`` is the entry, but of a kind for another place in a word
    TOO_LONG      the word has more characters than ``limit``
    UNCOVERED     the word is unknown as a whole: from byte ``start`` on no piece fits
    JOINED        it is a part of the token ``token``, at ``start`` to ``stop``
    PARTED        the model gives several tokens, for none of the reasons above
    ============= ========================================================================================

    For ONE, ``how`` is `MERGE` (``merge`` made it, the last of ``path``), `PIECE` (an entry found as a whole, such as
    a user-defined one, which is taken before any merge, or one of WordPiece and Unigram), `SPECIAL` (an added token),
    `WHOLE` (the pre-token is an entry, and nothing is merged), `SYMBOL` (a character), `BYTE_FALLBACK`, or
    `PRE_TOKEN` (a byte of byte-level BPE). ``event`` is the number of that event.

    For OUTRANKED, ``path`` are the merges that make the piece, ``blocked`` is the smallest piece among them that has
    lost a side, and ``needed`` the merge, its own or one below it, that was waiting when ``merge`` was made. PREFIXED
    also has what is known of the merges and scores. Of the two paths, only the part in which they differ is given,
    ``start`` to ``stop``.
    """

    def __init__(
        self, text: str, data: bytes, low: int, high: int, encoding: Encoding, trace: Trace
    ) -> None:
        self.kind = PARTED
        self.text = text
        self.data = data
        self.low = low
        self.high = high
        self.encoding = encoding
        self.trace = trace
        self.whole = True
        self.changed = False
        self.first = 0
        self.ids: list[int] = []
        self.piece = -1
        self.token = -1
        self.start = low
        self.stop = high
        self.rules: tuple[str, str] = ("", "")
        self.event = -1
        self.how = -1
        self.merge: Merge | None = None
        self.needed: Merge | None = None
        self.blocked: Merge | None = None
        self.path: list[Merge] = []
        self.best_path: list[LatticeEdge] = []
        self.own_path: list[LatticeEdge] = []
        self.best_score = 0.0
        self.own_score = 0.0
        self.limit = 0
        self.unknown = False
        self.fallbacks = 0

    def __repr__(self) -> str:
        return f"<Verdict {self.kind}: {self.text!r}, {len(self.ids)} ids>"

    @property
    def is_one(self) -> bool:
        """Whether the string is one token."""
        return self.kind == ONE
