"""Comparing two tokenizers: which ids keep their meaning, and what each new id consists of in the old one.

A model that switches to a new tokenizer needs embedding rows for the new ids. An existing entry keeps its row; a
new one starts with the mean of the rows of its pieces in the old tokenizer, as in the subtoken initialization
that WECHSEL (Minixhofer et al. 2022) and FOCUS (Dobler and de Melo 2023) compare with.
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.padded_text import ZEROS
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.trace import Trace
from tokenarium_core.vocabulary import BYTE, CONTINUING, CONTROL, NORMAL, UNKNOWN, UNUSED, WORD_END

SAME: Final = "same"
MOVED: Final = "moved"
PIECES: Final = "pieces"
NOTHING: Final = "nothing"
UNUSED_ID: Final = "unused"
"""The fates of a new id: it equals the old id; it had a different id; it corresponds to several old ids; no old id
corresponds to it; or the new tokenizer does not use it."""

_TEXT: Final = "text"
_SPECIAL: Final = "special"
_BYTE: Final = "byte"
_CONTINUING: Final = "continuing"
_WORD_END: Final = "word end"


@final
class SpecialClash:
    """A special token with a different meaning in the other tokenizer.

    Either one name has two ids, or one id has two names: ``old_name`` and ``new_name``, ``old_id`` and ``new_id``.
    """

    def __init__(self, old_name: str, old_id: int, new_name: str, new_id: int) -> None:
        self.old_name = old_name
        self.old_id = old_id
        self.new_name = new_name
        self.new_id = new_id

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SpecialClash):
            return NotImplemented
        return (self.old_name, self.old_id, self.new_name, self.new_id) == (
            other.old_name,
            other.old_id,
            other.new_name,
            other.new_id,
        )

    def __hash__(self) -> int:
        return hash((self.old_name, self.old_id, self.new_name, self.new_id))

    def __repr__(self) -> str:
        return f"<SpecialClash {self.old_name!r} {self.old_id} -> {self.new_name!r} {self.new_id}>"


@final
class Migration:
    """What the ids of ``new`` are in ``old``.

    ``sources[id]`` are the old ids whose rows a new id starts with: one for an entry that both have, several for
    one that the old tokenizer splits, none if it cannot encode it. ``fates[id]`` is one of `SAME`, `MOVED`, `PIECES`,
    `NOTHING` and `UNUSED_ID`. ``dropped`` are the old ids without an entry in the new tokenizer. ``clashes`` are
    the special tokens with a different meaning.

    An entry is the same if it has the same bytes and is of the same sort: a text, a byte to fall back to, one that
    continues a word (``##ing``), one that ends it (``ing</w>``), or a special token, which has its name instead. If
    none is of the same sort, a token that is special in only one of the two is matched by name, preferably with the
    same id.
    """

    def __init__(self, old: Tokenizer, new: Tokenizer) -> None:
        self.old = old
        self.new = new
        self.sources: list[list[int]] = []
        self.fates: list[str] = []
        theirs = _ids_by_content(old)
        taken: set[int] = set()
        special = _special_names(new)
        byte_ids = _byte_ids(old)
        used = _special_names(old)
        for id in range(len(new.vocabulary)):
            keys = _keys(new, id, special)
            if not keys:
                self.sources.append([])
                self.fates.append(UNUSED_ID)
                continue
            found = -1
            for key in keys:
                if found < 0:
                    found = theirs.get(key, -1)
            # Two entries may share their bytes, as a letter and the byte to fall back to: the id that stays wins.
            if found != id and id < len(old.vocabulary) and keys[0] in _keys_of(old, id):
                found = id
            if found < 0:
                found = _by_name(old, id, used, keys[0], theirs)
            if found >= 0:
                taken.add(found)
                self.sources.append([found])
                self.fates.append(SAME if found == id else MOVED)
                continue
            made = (
                [] if keys[0][0] == _SPECIAL else pieces_of(old, new.vocabulary.piece(id), byte_ids)
            )
            self.sources.append(made)
            self.fates.append(PIECES if made else NOTHING)
        self.dropped = [
            id for id in range(len(old.vocabulary)) if id not in taken and _keys(old, id, used)
        ]
        self.clashes = special_clashes(old, new)

    def count(self, fate: str) -> int:
        """Returns how many new ids have a fate."""
        return self.fates.count(fate)

    def costs(self, text: str) -> tuple[int, int]:
        """Returns the numbers of tokens of a text, in the old tokenizer and in the new one."""
        return len(self.old.encode_ids(text)), len(self.new.encode_ids(text))


def migrate(old: Tokenizer, new: Tokenizer) -> Migration:
    """Returns what the ids of a new tokenizer are in an old one; a few seconds for 250,000 entries."""
    return Migration(old, new)


def special_clashes(old: Tokenizer, new: Tokenizer) -> list[SpecialClash]:
    """Returns the special tokens whose name has a different id in the new tokenizer, and ids with a different name."""
    clashes: list[SpecialClash] = []
    before = old.special_tokens
    after = new.special_tokens
    names: dict[int, str] = {}
    for name, id in before.items():
        names.setdefault(id, name)
    for name, id in after.items():
        if name in before and before[name] != id:
            clashes.append(SpecialClash(name, before[name], name, id))
    for name, id in after.items():
        if id in names and name not in before and names[id] not in after:
            clashes.append(SpecialClash(names[id], id, name, id))
    return clashes


def pieces_of(tokenizer: Tokenizer, piece: bytes, byte_ids: dict[int, int]) -> list[int]:
    """Returns the ids of some bytes as one word of a tokenizer's model; empty if it has no ids for all of them.

    ``byte_ids`` are the ids of single bytes to which it falls back, for bytes that are not UTF-8.
    """
    model = tokenizer.model
    size: i64 = len(piece)
    if size == 0:
        return []
    if not _is_utf8(piece) and len(model.byte_symbols()) == 0:
        parts = [byte_ids.get(byte, -1) for byte in piece]
        return parts if -1 not in parts else []
    out = vec[i32]([0] * (size * model.ids_per_byte + 1))
    count: i64 = model.encode_traced(piece + ZEROS, 0, size, out, 0, Trace())
    ids = [int(id) for id in out[:count]]
    unknown = tokenizer.added_tokens.special_ids  # such as [UNK], which WordPiece has among them
    for id in ids:
        if id in unknown or i64(tokenizer.vocabulary.kinds[id]) == UNKNOWN:
            return []
    return ids


def _is_utf8(piece: bytes) -> bool:
    try:
        piece.decode()
    except UnicodeDecodeError:
        return False
    return True


def _byte_ids(tokenizer: Tokenizer) -> dict[int, int]:
    """Returns the ids of entries of one byte by their byte."""
    vocabulary = tokenizer.vocabulary
    ids: dict[int, int] = {}
    for id in range(len(vocabulary)):
        if i64(vocabulary.kinds[id]) == BYTE:
            piece = vocabulary.piece(id)
            if len(piece) == 1:
                ids.setdefault(piece[0], id)
    return ids


def _special_names(tokenizer: Tokenizer) -> dict[int, list[bytes]]:
    """Returns the names of special tokens by id; several may share one."""
    names: dict[int, list[bytes]] = {}
    for name, id in tokenizer.special_tokens.items():
        names.setdefault(id, []).append(name.encode("utf-8", "replace"))
    return names


def _keys(
    tokenizer: Tokenizer, id: i64, special: dict[int, list[bytes]]
) -> list[tuple[str, bytes]]:
    """Returns the sorts and bytes by which an id is found in another tokenizer, the best first.

    None if it is unused.
    """
    if id in special:
        return [(_SPECIAL, name) for name in special[id]]
    vocabulary = tokenizer.vocabulary
    kind: i64 = i64(vocabulary.kinds[id])
    piece = vocabulary.piece(id)
    if kind == UNUSED and not piece:
        return []
    if kind == CONTROL or kind == UNKNOWN:
        return [(_SPECIAL, piece)]
    if kind == CONTINUING:
        return [(_CONTINUING, piece)]
    if kind == WORD_END:
        return [(_WORD_END, piece)]
    if kind == BYTE:
        # A byte below 128 is also a text, in vocabularies without other entries of one byte.
        return [(_BYTE, piece), (_TEXT, piece)]
    return [(_TEXT, piece), (_BYTE, piece)] if len(piece) == 1 else [(_TEXT, piece)]


def _by_name(
    old: Tokenizer,
    id: i64,
    used: dict[int, list[bytes]],
    key: tuple[str, bytes],
    theirs: dict[tuple[str, bytes], int],
) -> int:
    """Returns the old id of a name that is a special token in one of the two tokenizers and a text in the other; or -1.

    ``used`` are the names of old special tokens. The model has one row for the name, whatever the flag says.
    """
    sort, name = key
    if sort not in (_SPECIAL, _TEXT):
        return -1
    other = (_TEXT if sort == _SPECIAL else _SPECIAL, name)
    if id < len(old.vocabulary) and other in _keys(old, id, used):
        return int(id)
    return theirs.get(other, -1)


def _keys_of(tokenizer: Tokenizer, id: i64) -> list[tuple[str, bytes]]:
    kind: i64 = i64(tokenizer.vocabulary.kinds[id])
    if kind == NORMAL or kind == BYTE:
        return [(_TEXT if kind == NORMAL else _BYTE, tokenizer.vocabulary.piece(id))]
    return []


def _ids_by_content(tokenizer: Tokenizer) -> dict[tuple[str, bytes], int]:
    """Returns the ids by sort and bytes; of several, the first."""
    special = _special_names(tokenizer)
    ids: dict[tuple[str, bytes], int] = {}
    for id in range(len(tokenizer.vocabulary)):
        keys = _keys(tokenizer, id, special)
        for index, key in enumerate(keys):
            if index == 0 or key[0] == _SPECIAL:
                ids.setdefault(key, id)
    return ids
