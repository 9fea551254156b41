"""SentencePiece's own normalization: its compiled rules, and how it treats whitespace.

Source: ``Normalizer::Normalize`` in google/sentencepiece's ``src/normalizer.cc``.
"""

from __future__ import annotations

from typing import Final, final

from librt.strings import BytesWriter, read_i64_le
from librt.vecs import vec
from mypy_extensions import i64, u8

from tokenarium_core.normalized_text import (
    NormalizedText,
    NormalizedWriter,
    check_room,
    room_for,
)
from tokenarium_core.normalizers.charsmap import Charsmap
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.normalizers.plain_ascii import PlainAscii
from tokenarium_core.padded_text import PADDING, ZEROS, padded
from tokenarium_core.prefix_matcher import PrefixMatcher
from tokenarium_core.unicode.utf8 import EACH_01

MARK: Final = "▁".encode()
"""The character that SentencePiece writes for a space."""

_NESTED: Final = (
    64  # SentencePiece tries this many user-defined pieces that are prefixes of one another
)
_SPACE: Final = 32
_REPLACEMENT: Final = "\ufffd".encode()
_PADDING: Final = "\0" * PADDING
_SHORT: Final = 1024  # characters

_SPECIAL: Final = 0  # more than one byte matters
_COPIED: Final = 1
_BLANK: Final = 2
_SWAPPED: Final = 3  # another ASCII byte replaces it, if ASCII follows

_STAGE: Final = "The normalizer of SentencePiece"


@final
class SentencePieceNormalizer(Normalizer):
    """The normalizer of one model.

    ``charsmap``: its rules, None if it has none. ``prefix``: a space is added before the
    text (``add_dummy_prefix``), or after it with ``suffix`` (``treat_whitespace_as_suffix``). ``squeeze``: no spaces
    at either end, and never two in a row (``remove_extra_whitespaces``). ``user_defined``: pieces that the
    rules leave unchanged, as written in the file; ``matcher`` finds them, with their sizes for numbers.

    ``escape``: a space stands for ``▁``, and a ``▁`` in the text cannot be distinguished from one; so the text is
    written with spaces (the pieces too, see `Vocabulary`), and a ``▁`` becomes a space. ``marks``: the text is written
    with ``▁`` nevertheless, for vocabularies that also have a real space.
    """

    def __init__(
        self,
        name: str,
        charsmap: Charsmap | None,
        prefix: bool,
        squeeze: bool,
        escape: bool,
        suffix: bool,
        user_defined: list[bytes],
        marks: bool = False,
    ) -> None:
        super().__init__(name)
        self.charsmap = charsmap
        self.prefix = prefix
        self.squeeze = squeeze
        self.escape = escape
        self.suffix = suffix
        self.matcher: PrefixMatcher | None = None
        if user_defined:
            self.matcher = PrefixMatcher(
                user_defined, [len(piece) for piece in user_defined], _NESTED
            )
        self._from_mark = escape and not marks  # a mark in the text becomes a space
        self._to_mark = escape and marks  # a space in the text becomes a mark
        self._blank = MARK if self._to_mark else b" "
        self._swaps = vec[u8]([0] * 128)
        self._firsts = vec[u8]([0] * 256)  # bytes that a rule begins with
        if charsmap is not None:
            self._firsts = charsmap.first_bytes()
        self._kinds = self._byte_kinds(user_defined)
        self._ascii = PlainAscii()
        self.keeps_ascii = True  # whether printable ASCII other than spaces never changes
        for byte in range(_SPACE + 1, 127):
            if self._kinds[byte] != _COPIED:
                self.keeps_ascii = False
        # … and single spaces
        self._keeps_plain = self.keeps_ascii and self._kinds[_SPACE] == _BLANK
        self.keeps_spaces = self._firsts[_SPACE] != 2  # whether no rule changes them among ASCII
        self.local = charsmap is None and not squeeze and not self._to_mark
        self._only_prefixes_plain = self._keeps_plain and prefix and not suffix
        # Whether it changes a text without a mark.
        self._changes = charsmap is not None or prefix or squeeze or self._to_mark

    def normalize(self, text: NormalizedText) -> NormalizedText:
        """Returns the normalized text with its alignment; ``text`` itself if nothing changes."""
        if not self._changes and not (self._from_mark and MARK in text.data):
            return text
        plain = BytesWriter()
        writer = NormalizedWriter(text, _STAGE)
        self._write(text.data, text.size, plain, writer)
        normalized = writer.finish()
        if plain.getvalue() == text.data[: text.size] and _in_place(normalized, text):
            return text
        return normalized

    def normalize_text(self, text: str) -> bytes:
        """Returns the normalized form of a text, padded: a short plain one is written once, with its prefix."""
        if self._only_prefixes_plain and len(text) <= _SHORT:
            try:
                data = f" {text}{_PADDING}".encode()
            except UnicodeEncodeError:
                return self.normalize_plain(padded(text))
            if self._ascii.holds(data, 1, len(data) - PADDING):
                return data
        return self.normalize_plain(padded(text))

    def normalize_plain(self, data: bytes) -> bytes:
        """Returns the normalized form of a padded text, padded."""
        size: i64 = len(data) - PADDING
        if size == 0:
            return data
        if self.local:
            return self.normalize_part(data, True, True)
        if self._keeps_plain and not self.suffix and self._ascii.holds(data, 0, size):
            return b" " + data if self.prefix else data
        writer = BytesWriter()
        self._write(data, size, writer, None)
        writer.write(ZEROS)
        return writer.getvalue()

    def normalize_part(self, data: bytes, first: bool, last: bool) -> bytes:
        """Returns the normalized form of a part of a text: spaces for marks, and the one at its beginning or end."""
        if self._from_mark and _not_ascii(data, len(data) - PADDING) and MARK in data:
            data = data.replace(MARK, b" ")
        if not self.prefix:
            return data
        if self.suffix:
            return data[: len(data) - PADDING] + b" " + ZEROS if last else data
        return b" " + data if first else data

    def _byte_kinds(self, user_defined: list[bytes]) -> vec[u8]:
        """Returns how to treat each byte of a text: `_COPIED`, `_BLANK` or `_SPECIAL`."""
        kinds = vec[u8]([_COPIED] * 256)
        for byte in range(128, 256):
            kinds[byte] = _SPECIAL
        charsmap = self.charsmap
        if charsmap is not None:
            for byte in range(128):
                if self._firsts[byte] == 2:
                    kinds[byte] = _SPECIAL
            if self.squeeze and not self._to_mark:
                self._swaps = charsmap.swapped_bytes()
                for byte in range(128):
                    if self._swaps[byte] != 0:
                        kinds[byte] = _SWAPPED
        if self._to_mark:
            kinds[_SPACE] = _SPECIAL
        elif self.squeeze and kinds[_SPACE] == _COPIED:
            kinds[_SPACE] = _BLANK
        for piece in user_defined:
            byte = piece[0]
            kinds[byte] = _SPECIAL
        return kinds

    def _write(
        self, data: bytes, size: i64, plain: BytesWriter, aligned: NormalizedWriter | None
    ) -> None:
        """Writes the normalized form of ``data[:size]``, and the same into ``aligned`` if given."""
        kinds = self._kinds
        charsmap = self.charsmap
        matcher = self.matcher
        swaps = self._swaps
        firsts = self._firsts
        ascii = self._ascii
        keeps_plain = self._keeps_plain
        squeeze = self.squeeze
        from_mark = self._from_mark
        most = room_for(size)
        at: i64 = 0
        if squeeze:
            at = self._skip_blanks(data, size)
        if at == size:
            return
        if self.prefix and not self.suffix:
            _replace(plain, aligned, at, at, self._blank)
        copied: i64 = at  # the beginning of what was read but not yet written
        blank = squeeze  # whether a space would be the second one
        before = blank  # the same, one byte earlier
        while at < size:
            # A run of ASCII that stays as it is.
            run = at
            look = at  # from here, eight bytes at once may be plain
            while at < size:
                if at == look and keeps_plain and data[at] < 0x80:
                    at = ascii.skip(data, at, size, blank)
                    if at > look:
                        blank = data[at - 1] == _SPACE
                        before = data[at - 2] == _SPACE
                        if at == size:
                            break
                    look = at + 8
                byte: i64 = data[at]
                kind: i64 = i64(kinds[byte])
                if kind != _COPIED:
                    if kind != _BLANK or blank:
                        if kind == _SPECIAL or aligned is not None or data[at + 1] >= 0x80:
                            break
                        # One byte for another, or a second space.
                        _copy(plain, None, data, copied, at)
                        swap: i64 = i64(swaps[byte]) if kind == _SWAPPED else _SPACE
                        if swap != _SPACE or not blank:
                            plain.append(swap)
                        blank = swap == _SPACE
                        at += 1
                        while blank and data[at] == _SPACE and data[at + 1] < 0x80:
                            at += 1
                        copied = at
                        run = at
                        look = at
                        continue
                before = blank
                blank = kind == _BLANK
                at += 1
            if at == size:
                break
            if charsmap is not None and byte >= 0x80:
                if at > run and firsts[i64(data[at - 1])] != 0:
                    at -= 1  # a rule may begin with the character before
                    blank = before
                elif matcher is None:
                    behind = charsmap.skip_others(data, at, size, from_mark)
                    if behind > at:
                        at = behind
                        blank = False
                        continue
            # One step of any other kind: a piece, a rule, or a character.
            if matcher is not None:
                length = matcher.match(data, at, size)
                if length > 0:
                    _copy(plain, aligned, data, copied, at)
                    blank = self._write_part(
                        data[at : at + length], plain, aligned, data, at, length, blank, True
                    )
                    at += length
                    copied = at
                    continue
            if charsmap is not None:
                length = charsmap.match(data, at, size)
                if length > 0:
                    _copy(plain, aligned, data, copied, at)
                    part = charsmap.replacements[charsmap.start : charsmap.stop]
                    if len(plain) + len(part) > most:
                        check_room(_STAGE, len(plain) + len(part), most)
                    blank = self._write_part(part, plain, aligned, data, at, length, blank, False)
                    at += length
                    copied = at
                    continue
            byte = data[at]
            if byte < 0x80:
                if byte == _SPACE and (blank or self._to_mark):
                    _copy(plain, aligned, data, copied, at)
                    if not blank:
                        _replace(plain, aligned, at, at + 1, self._blank)
                    copied = at + 1
                blank = squeeze and byte == _SPACE
                at += 1
                continue
            blank = False
            if byte < 0xC0:  # a rule ended inside a character
                _copy(plain, aligned, data, copied, at)
                _replace(plain, aligned, at, at + 1, _REPLACEMENT)
                at += 1
                copied = at
                continue
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            if from_mark and byte == 0xE2 and data[at + 1] == 0x96 and data[at + 2] == 0x81:
                _copy(plain, aligned, data, copied, at)
                _replace(plain, aligned, at, at + 3, self._blank)
                copied = at + 3
            at += length
        _copy(plain, aligned, data, copied, size)
        if squeeze:
            self._trim(plain, aligned)
        if self.prefix and self.suffix:
            _replace(plain, aligned, size, size, self._blank)

    def _write_part(
        self,
        part: bytes,
        plain: BytesWriter,
        aligned: NormalizedWriter | None,
        data: bytes,
        at: i64,
        length: i64,
        blank: bool,
        same: bool,
    ) -> bool:
        """Writes the replacement of ``data[at:at + length]``; returns whether a space would be the second.

        ``same``: it is those bytes, unchanged.
        """
        if blank:
            short = part.lstrip(b" ")
            if same:
                at += len(part) - len(short)
                length = len(short)
            part = short
        if not part:
            return blank
        blank = self.squeeze and part.endswith(b" ")
        if self._to_mark:
            written = part.replace(b" ", MARK)
        elif self._from_mark:
            written = part.replace(MARK, b" ")
        else:
            written = part
        if same and written == part:
            _copy(plain, aligned, data, at, at + length)
        else:
            _replace(plain, aligned, at, at + length, written)
        return blank

    def _skip_blanks(self, data: bytes, size: i64) -> i64:
        """Returns where the text begins after its first characters that become one space each."""
        charsmap = self.charsmap
        matcher = self.matcher
        at: i64 = 0
        while at < size:
            length: i64 = 0
            if matcher is not None:
                length = matcher.match(data, at, size)
            if length > 0:
                if data[at : at + length] != b" ":
                    break
            else:
                length = charsmap.match(data, at, size) if charsmap is not None else 0
                if length > 0 and charsmap is not None:
                    if charsmap.replacements[charsmap.start : charsmap.stop] != b" ":
                        break
                elif data[at] == _SPACE:
                    length = 1
                else:
                    break
            at += length
        return at

    def _trim(self, plain: BytesWriter, aligned: NormalizedWriter | None) -> None:
        """Removes the spaces at the end, and marks if they are written for spaces."""
        size: i64 = len(plain)
        if self._to_mark:
            while (
                size >= 3
                and plain[size - 3] == 0xE2
                and plain[size - 2] == 0x96
                and plain[size - 1] == 0x81
            ):
                size -= 3
        else:
            while size > 0 and plain[size - 1] == _SPACE:
                size -= 1
        if size < len(plain):
            plain.truncate(size)
            if aligned is not None:
                aligned.truncate(size)


def _not_ascii(data: bytes, size: i64) -> bool:
    """Returns whether a padded text has characters beyond ASCII: for most texts the fastest test for a mark."""
    at: i64 = 0
    while at < size and (read_i64_le(data, at) >> 7) & EACH_01 == 0:
        at += 8
    return at < size


def _in_place(normalized: NormalizedText, text: NormalizedText) -> bool:
    """Returns whether each byte comes from the same place: not if an inserted space replaces a removed one."""
    at: i64 = 0
    while at < normalized.size and i64(normalized.starts[at]) == text.start_of(at):
        at += 1
    return at == normalized.size


def _copy(
    plain: BytesWriter, aligned: NormalizedWriter | None, data: bytes, start: i64, stop: i64
) -> None:
    if start < stop:
        plain.write(data[start:stop])
        if aligned is not None:
            aligned.copy(start, stop)


def _replace(
    plain: BytesWriter, aligned: NormalizedWriter | None, start: i64, stop: i64, content: bytes
) -> None:
    plain.write(content)
    if aligned is not None:
        aligned.replace(start, stop, content)
