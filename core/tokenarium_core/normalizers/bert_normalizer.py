"""BERT's normalizer: cleaning, spaces around ideographs, accents stripped, lower case.

Source: Hugging Face tokenizers, ``normalizers/bert.rs`` (0.23), after ``BasicTokenizer`` in the
``tokenization.py`` of Google's BERT.
"""

from __future__ import annotations

from typing import Final, final

from librt.strings import BytesWriter, read_i64_le, write_i64_le
from mypy_extensions import i64, u8

from tokenarium_core.normalized_text import NormalizedText, NormalizedWriter
from tokenarium_core.normalizers.character_normalizers import (
    MOST_MARKS,
    followers,
    opening_characters,
    too_many_marks,
)
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.padded_text import PADDING, ZEROS
from tokenarium_core.unicode.bert_characters import (
    ACCENT,
    BLANK,
    CHANGE,
    DROP,
    IDEOGRAPH,
    KEEP,
    MARK,
    SYLLABLE,
    BertCharacterTable,
)
from tokenarium_core.unicode.utf8 import EACH_01, code_point_at, width_of

_HANGUL: Final = 0xAC00


@final
class BertNormalizer(Normalizer):
    """Prepares a text as for BERT's vocabularies, with four options.

    ``clean_text`` removes control characters and turns all whitespace into spaces; ``handle_chinese_chars`` puts
    spaces around ideographs; ``strip_accents`` decomposes and removes accents (None: if
    ``lowercase`` is set), which also splits Hangul syllables into their letters. A ``table`` defines the replacement of
    each character instead of these options.
    """

    def __init__(
        self,
        clean_text: bool = True,
        handle_chinese_chars: bool = True,
        strip_accents: bool | None = None,
        lowercase: bool = True,
        table: BertCharacterTable | None = None,
    ) -> None:
        super().__init__("BertNormalizer")
        strips = lowercase if strip_accents is None else strip_accents
        self.clean_text = clean_text
        self.handle_chinese_chars = handle_chinese_chars
        self.strip_accents = strip_accents
        self.lowercase = lowercase
        self._strips = strips
        if table is None:
            table = BertCharacterTable(clean_text, handle_chinese_chars, strips, lowercase)
        self._table = table
        # Whether ASCII characters are dropped, as a mask, and the distance from the space to 0x80, in eight bytes.
        self._drops: i64 = -1 if clean_text else 0
        each: i64 = EACH_01
        self._to_space: i64 = each * 0x60

    def normalize(self, text: NormalizedText) -> NormalizedText:
        """Returns the normalized text with its alignment; ``text`` itself if nothing changes."""
        table = self._table
        classes = table.classes
        data = text.data
        stop = text.size
        writer: NormalizedWriter | None = None
        kept: i64 = 0  # where the unchanged characters begin
        at: i64 = 0
        while at < stop:
            point = code_point_at(data, at)
            kind: i64 = classes[point]
            end: i64 = at + width_of(data[at])
            if kind == KEEP or (kind == BLANK and point == 0x20):
                at = end
                continue
            content = b""
            if kind == BLANK:
                content = b" "
            elif kind == IDEOGRAPH:
                content = b" " + data[at:end] + b" "
            elif kind == CHANGE:
                content = table.value(point)
            elif kind == SYLLABLE:
                content = letters_of(point)
            elif kind == MARK:
                end, content = table.run(data, at, stop)
            if writer is None:
                writer = NormalizedWriter(text, "The normalizer BertNormalizer")
            if kept < at:
                writer.copy(kept, at)
            if content:
                writer.replace(at, end, content)
            at = end
            kept = at
        if writer is None:
            return text
        if kept < stop:
            writer.copy(kept, stop)
        normalized = writer.finish()
        if text.opening > 0 and self._strips:
            normalized.opening = self._opening_of(text)
        return normalized

    def _opening_of(self, text: NormalizedText) -> i64:
        """Returns the ``opening`` of a text's normalized form: a mark that moves takes the position of another."""
        table = self._table
        classes = table.classes
        moved = followers("NFD")
        data = text.data
        cleaned: list[str] = []
        count = 0  # of those that begin with the text
        at: i64 = 0
        while at < text.size:
            point: int = code_point_at(data, at)
            kind = classes[point]
            if at >= text.opening and kind != DROP and chr(point) not in moved:
                break
            if kind == BLANK:
                cleaned.append(" ")
            elif kind == IDEOGRAPH:
                cleaned += [" ", chr(point), " "]
            elif kind != DROP:
                cleaned.append(chr(point))
            if at < text.opening:
                count = len(cleaned)
            elif len(cleaned) > count + MOST_MARKS:
                raise too_many_marks()
            at += width_of(data[at])
        opening: i64 = 0
        for character in opening_characters("NFD", "".join(cleaned), count):
            opening += len(table.lowered(character))
        return opening

    def normalize_plain(self, data: bytes) -> bytes:
        """Returns the normalized form of a padded text, padded."""
        table = self._table
        data = data.translate(table.ascii)
        stop: i64 = len(data) - PADDING
        at = self._plain_end(data, stop)
        if at == stop:
            return data
        to_space = self._to_space
        drops = self._drops
        classes = table.classes
        pages = table.pages
        values = table.values
        writer = BytesWriter()
        writer.write(data[:at])
        while at < stop:
            eight: i64 = read_i64_le(data, at)
            lead: i64 = eight & 0xFF
            if lead < 0x80:
                unprintable = (~(eight + to_space) | (eight + EACH_01)) & drops
                others = ((unprintable | eight) >> 7) & EACH_01
                if others == 0 and at + 8 <= stop:
                    write_i64_le(writer, eight)
                    at += 8
                    continue
                if others & 1 == 0:
                    writer.append(u8(lead))
                at += 1
                continue
            point = code_point_at(data, at)
            kind: i64 = classes[point]
            if kind == KEEP or kind == IDEOGRAPH:
                if kind == IDEOGRAPH:
                    writer.append(0x20)
                writer.append(u8(lead))
                writer.append(u8(eight >> 8 & 0xFF))
                at += 2
                if lead >= 0xE0:
                    writer.append(u8(eight >> 16 & 0xFF))
                    at += 1
                    if lead >= 0xF0:
                        writer.append(u8(eight >> 24 & 0xFF))
                        at += 1
                if kind == IDEOGRAPH:
                    writer.append(0x20)
                continue
            if kind == MARK:
                at, content = table.run(data, at, stop)
                writer.write(content)
                continue
            at += width_of(lead)
            if kind == CHANGE:
                value = values[i64(pages[point >> 8]) << 8 | (point & 0xFF)]
                left = value >> 56
                while left > 0:
                    writer.append(u8(value & 0xFF))
                    value >>= 8
                    left -= 1
            elif kind == BLANK:
                writer.append(0x20)
            elif kind == SYLLABLE:
                writer.write(letters_of(point))
            else:
                assert kind == ACCENT or kind == DROP
        writer.write(ZEROS)
        return writer.getvalue()

    def _plain_end(self, data: bytes, stop: i64) -> i64:
        """Returns where the ASCII at the beginning of a text ends, if none of it is dropped."""
        to_space = self._to_space
        drops = self._drops
        at: i64 = 0
        while at < stop:
            eight: i64 = read_i64_le(data, at)
            unprintable = (~(eight + to_space) | (eight + EACH_01)) & drops
            others = ((unprintable | eight) >> 7) & EACH_01
            if others == 0:
                at += 8
            elif others & 1:
                break
            else:
                at += 1
        return min(at, stop)


def letters_of(syllable: i64) -> bytes:
    """Returns the letters of a Hangul syllable (Unicode, section 3.12): U+AC01 is U+1100, U+1161, U+11A8."""
    index = syllable - _HANGUL
    letters = [0x1100 + index // 588, 0x1161 + index % 588 // 28]
    if index % 28:
        letters.append(0x11A7 + index % 28)
    return "".join([chr(letter) for letter in letters]).encode()
