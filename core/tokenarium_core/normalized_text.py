"""A text in the normalizers, with the original position of each of its bytes."""

from __future__ import annotations

from typing import Any, Final, final

from librt.strings import BytesWriter, read_i64_le, write_i64_le
from librt.vecs import vec
from mypy_extensions import i32, i64

from tokenarium_core.columns import grown
from tokenarium_core.errors import RoomError
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.unicode.utf8 import width_of

MOST_GROWTH: Final = 32
"""A text may become this many times as long before the model, and in any case `LEAST_ROOM` bytes.

Unicode's normal forms grow it at most 11 times (U+FDFA), and GPT-2's alphabet doubles that.
"""

LEAST_ROOM: Final = 1 << 20

_SHORT: Final = 24  # bytes that are copied without a slice


@final
class NormalizedText:
    """Normalized UTF-8, ``data[:size]`` and padded, with its alignment to the original bytes.

    Byte ``k`` was made from the original bytes ``starts[k]`` up to ``stops[k]``; if both are equal, it was inserted
    there. Neither column ever decreases. Both are empty if nothing was changed: byte ``k`` is then the original byte
    ``origin + k``.

    ``opening``: how many of its first bytes start at the very beginning of the original text in the reference
    (huggingface/tokenizers), whose alignment is less detailed; a Metaspace that marks the first word uses it.
    ``leads``: whether the original text begins with what became this text.

    Without ``tracked``, the positions of bytes are not needed, and later forms of the text have no columns either.
    """

    def __init__(
        self,
        data: bytes,
        size: i64,
        origin: i64,
        starts: vec[i32],
        stops: vec[i32],
        tracked: bool = True,
    ) -> None:
        self.data = data
        self.size: i64 = size
        self.origin: i64 = origin
        self.starts = starts
        self.stops = stops
        self.tracked = tracked
        self.opening: i64 = 0
        self.leads = False
        self.room: i64 = room_for(size)  # the most bytes that it may become

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return NormalizedText, (
            self.data,
            self.size,
            self.origin,
            self.starts,
            self.stops,
            self.tracked,
        )

    @property
    def aligned(self) -> bool:
        """Whether the columns exist: whether anything was changed."""
        return len(self.starts) > 0

    def start_of(self, at: i64) -> i64:
        """Returns the first original byte of byte ``at``; after the last byte, the end of the original."""
        if len(self.starts) == 0:
            return self.origin + at
        if at < self.size:
            return i64(self.starts[at])
        return i64(self.stops[self.size - 1])

    def stop_of(self, at: i64) -> i64:
        """Returns the original byte after those that became the bytes before ``at``."""
        if len(self.starts) == 0:
            return self.origin + at
        if at > 0:
            return i64(self.stops[at - 1])
        return i64(self.starts[0])


def room_for(size: i64) -> i64:
    """Returns the most bytes that a text of a given size may become."""
    return size * MOST_GROWTH + LEAST_ROOM


def check_room(stage: str, size: i64, room: i64) -> None:
    """Raises RoomError if the output of a stage would exceed the room; call it before it is created."""
    if size > room:
        raise RoomError(
            f"{stage} would make more than {room:,} bytes from a text of"
            f" {max((room - LEAST_ROOM) // MOST_GROWTH, 0):,}, which no tokenizer needs: its file is damaged, or made"
            " to fill the memory. Use another file."
        )


def unchanged(data: bytes, size: i64, origin: i64) -> NormalizedText:
    """Returns the padded text ``data[:size]`` unchanged, ``origin`` bytes into the original."""
    text = NormalizedText(data, size, origin, vec[i32](), vec[i32]())
    if origin == 0 and size > 0:
        text.leads = True
        text.opening = width_of(data[0])
    return text


def untracked(data: bytes, size: i64) -> NormalizedText:
    """Returns the padded text ``data[:size]`` without positions, for callers such as `encode_ids`."""
    return NormalizedText(data, size, 0, vec[i32](), vec[i32](), False)


@final
class NormalizedWriter:
    """Writes the next form of a `NormalizedText`: parts copied, replaced or inserted, from left to right.

    Inserting ``" "``, then copying all of ``ab`` gives `` ab`` with the starts 0, 0, 1 and stops 0, 1, 2.
    An empty result has no alignment; it has no tokens.
    Raises RoomError, which names the ``stage``, if the inserted text grows beyond the room.
    """

    def __init__(self, text: NormalizedText, stage: str = "A stage of this tokenizer") -> None:
        self._text = text
        self._stage = stage
        self._room: i64 = text.room
        self._writer = BytesWriter()
        self._size: i64 = 0
        self._starts = vec[i32]()
        self._stops = vec[i32]()
        self.reach: i64 = text.opening
        """How many bytes of the text begin with the original; see `NormalizedText.opening`."""
        self._opening: i64 = 0  # … of what is written
        self._put_in: i64 = 0  # where the last character that `replace_each` put in begins,
        self._put_end: i64 = 0  # … and where it ends

    def copy(self, start: i64, stop: i64) -> None:
        """Copies the bytes ``start`` to ``stop`` of the text."""
        text = self._text
        if stop - start > _SHORT:
            self._writer.write(text.data[start:stop])
        else:
            data = text.data
            at = start
            while (
                at < stop
            ):  # eight bytes at a time, also some after the end: a slice would cost more
                write_i64_le(self._writer, read_i64_le(data, at))
                at += 8
            self._writer.truncate(self._size + stop - start)
        if not text.tracked:
            self._size += stop - start
            return
        self._reserve(stop - start)
        size = self._size
        if self._opening == size and start < self.reach:
            self._opening += min(stop, self.reach) - start
        for byte in range(start, stop):
            self._starts[size] = i32(text.start_of(byte))
            self._stops[size] = i32(text.stop_of(byte + 1))
            size += 1
        self._size = size

    def replace(self, start: i64, stop: i64, content: bytes) -> None:
        """Writes ``content`` in place of the bytes ``start`` to ``stop`` of the text.

        If both are equal, the content is inserted; inside the bytes that one character became, it is part of them.
        """
        text = self._text
        if self._size + len(content) > self._room:
            check_room(self._stage, self._size + len(content), self._room)
        self._writer.write(content)
        if not text.tracked:
            self._size += len(content)
            return
        self._reserve(len(content))
        if self._opening == self._size and start < self.reach:
            self._opening += len(content)
        first: i64 = text.start_of(start)
        last: i64 = max(text.stop_of(stop), first)
        for _ in range(len(content)):
            self._starts[self._size] = i32(first)
            self._stops[self._size] = i32(last)
            self._size += 1

    def replace_behind(self, start: i64, stop: i64, content: bytes) -> None:
        """Does what `replace` does where, in the reference, the content starts like the last character before ``stop``."""
        opening = self._opening
        opens = opening == self._size
        self.replace(start, stop, content)
        if opens:
            begins = stop <= self.reach if stop > 0 else self._text.leads
            self._opening = self._size if begins else opening

    def replace_each(self, start: i64, stop: i64, content: bytes) -> None:
        """Does what `replace` does where, in the reference, each new character starts like the old one in its place.

        Additional ones start like the last old one. Removal at the very beginning is not recorded there:
        what follows starts that many characters late. Removal after an inserted character is recorded at that
        character, which then starts like the removed one.
        """
        opening = self._opening
        opens = opening == self._size
        self.replace(start, stop, content)
        if not opens or not self._text.tracked:
            return
        data = self._text.data
        if not content and self._put_end == self._size and opening > 0:
            if start >= self.reach:
                self._opening = self._put_in
            self._put_end = 0
            return
        if not content and opening == 0 and self.reach > 0:
            removed = start
            while removed < stop and self.reach < self._text.size:
                removed += width_of(data[removed])
                self.reach += width_of(data[self.reach])
        at = start
        made: i64 = 0
        replaced = True  # whether the next character has one to take the place of
        while made < len(content) and at < self.reach:
            if not replaced:
                self._put_in = opening + made
                self._put_end = self._size
            made += width_of(content[made])
            following = at + width_of(data[at])
            replaced = following < stop
            if replaced:
                at = following
        self._opening = opening + made

    def truncate(self, size: i64) -> None:
        """Removes what was written from byte ``size`` on."""
        self._writer.truncate(size)
        self._size = size
        self._opening = min(self._opening, size)

    def finish(self) -> NormalizedText:
        """Returns what was written."""
        size = self._size
        self._writer.write(ZEROS)
        text = self._text
        if not text.tracked:
            plain = untracked(self._writer.getvalue(), size)
            plain.room = text.room
            return plain
        normalized = NormalizedText(
            self._writer.getvalue(),
            size,
            text.start_of(0) if text.size else text.origin,
            self._starts[:size],
            self._stops[:size],
        )
        normalized.leads = text.leads
        normalized.opening = self._opening
        normalized.room = text.room
        return normalized

    def _reserve(self, more: i64) -> None:
        needed = self._size + more
        if len(self._starts) == 0:
            room: i64 = max(self._text.size + 64, needed)
            self._starts = vec[i32]([0] * room)
            self._stops = vec[i32]([0] * room)
        elif needed > len(self._starts):
            self._starts = grown(self._starts, self._size, needed)
            self._stops = grown(self._stops, self._size, needed)
