"""Entries of a vocabulary by kind: those with certain bytes, those that no text produces, and superwords.

A superword is a piece of more than one word, as SuperBPE learns them. A word is the text between whitespace (White_Space) that contains
a letter, so ``b" of the"`` has two of them and is a superword; ``b" the"``, ``b"    "``, ``b"//\\n//"`` and whitespace
with no-break spaces between them are not. This depends only on a piece's bytes, so it applies to any tokenizer, whoever trained
it.
"""

from __future__ import annotations

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.models.bpe.boundless_bpe import BoundlessBpe
from tokenarium_core.models.model import Model
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.trace import Trace
from tokenarium_core.unicode.codepoints import FLAGS, LETTER, SPACE
from tokenarium_core.unicode.utf8 import character_at
from tokenarium_core.vocabulary import BYTE, KINDS, NORMAL, SPACE_MARK, Vocabulary, same_bytes


def entries_of(vocabulary: Vocabulary, piece: bytes) -> list[int]:
    """Returns the ids of all entries with these bytes, including those that no text produces; the one that can be
    found first.

    Looks at every entry: a third of a millisecond for 200,000 of them.
    """
    size: i64 = len(piece)
    if size == 0:
        return []
    data = piece + ZEROS
    entries: list[int] = []
    arena = vocabulary.arena
    offsets = vocabulary.offsets
    findable = vocabulary.find_in(data, 0, size)
    if findable >= 0:
        entries.append(findable)
    start: i64 = 0
    for token in range(vocabulary.count):
        stop: i64 = i64(offsets[token + 1])
        if stop - start == size and token != findable and same_bytes(arena, start, data, 0, size):
            if not (i64(vocabulary.kinds[token]) == BYTE and vocabulary.spelling == SPACE_MARK):
                entries.append(token)
        start = stop
    return entries


def longest_entry(
    vocabulary: Vocabulary, data: bytes, start: i64, stop: i64, usable: list[int]
) -> tuple[int, int]:
    """Returns the id of the longest entry that is a prefix of ``data[start:stop]`` (padded), and the byte after it.

    Only entries of the kinds ``usable`` count; -1 and ``start`` if there is none. This checks every entry, too.
    """
    counts = vec[u8]([0] * len(KINDS))
    for kind in usable:
        counts[kind] = 1
    arena = vocabulary.arena
    offsets = vocabulary.offsets
    room = stop - start
    longest: i64 = 0
    found: i64 = -1
    begin: i64 = 0
    for token in range(vocabulary.count):
        end: i64 = i64(offsets[token + 1])
        size = end - begin
        if longest < size <= room and i64(counts[i64(vocabulary.kinds[token])]) == 1:
            if same_bytes(arena, begin, data, start, size):
                longest = size
                found = token
        begin = end
    return found, start + longest


def unreached_pieces(model: Model, first: i64, stop: i64) -> list[int]:
    """Returns the normal entries from ``first`` to ``stop - 1`` that are not produced by their own bytes as one word.

    Only the model runs, as if there were no normalizer and no pre-tokenizer; `why.why_not` on the text of an entry
    says what happens instead. An entry made by supermerges is a sequence of words. Meant for slices: about 5
    microseconds per entry.
    """
    vocabulary = model.vocabulary
    offsets = vocabulary.offsets
    unreached: list[int] = []
    out = vec[i32]([0] * 64)
    for token in range(first, stop):
        start: i64 = i64(offsets[token])
        end: i64 = i64(offsets[token + 1])
        if start == end or i64(vocabulary.kinds[token]) != NORMAL:
            continue
        room = (end - start) * model.ids_per_byte
        if room > len(out):
            out = vec[i32]([0] * room)
        if isinstance(model, BoundlessBpe) and model.joining.is_joined(token):
            if not model.joining.is_reached(token):
                unreached.append(token)
            continue
        count = model.encode_traced(vocabulary.arena, start, end, out, 0, Trace())
        if count != 1 or i64(out[0]) != token:
            unreached.append(token)
    return unreached


def words_in(piece: bytes) -> int:
    """Returns how many words, or parts of words, a piece contains: 3 for ``b"e of the"``.

    Incomplete characters are part of the word that they are in.
    """
    size: i64 = len(piece)
    return words_between(piece, 0, size, size)


def words_between(data: bytes, at: i64, stop: i64, most: i64) -> i64:
    """Returns how many words ``data[at:stop]`` contains, ``most`` if there are more."""
    table = FLAGS
    words: i64 = 0
    within = False  # of a word whose letter was seen
    while at < stop and words < most:
        code: i64 = data[at]
        size: i64 = 1
        if code >= 0x80:
            size = character_at(data, at, stop)
            if size == 0:
                at += 1
                continue
            code = code & (0x7F >> size)
            for index in range(at + 1, at + size):
                further: i64 = data[index]
                code = code << 6 | further & 0x3F
        flags: i64 = table[code]
        if flags & SPACE:
            within = False
        elif not within and flags & LETTER:
            within = True
            words += 1
        at += size
    return words


def superwords(tokenizer: Tokenizer) -> list[int]:
    """Returns the ids of all superwords of a tokenizer, in ascending order."""
    vocabulary = tokenizer.vocabulary
    return [token for token in range(vocabulary.count) if is_superword(vocabulary, token)]


def is_superword(vocabulary: Vocabulary, token: i64) -> bool:
    """Returns whether a piece is a superword: a normal piece with a whitespace character between letters of two words.

    IdError for an id that does not exist.
    """
    vocabulary.check(token)
    if i64(vocabulary.kinds[token]) != NORMAL:
        return False
    start: i64 = i64(vocabulary.offsets[token])
    stop: i64 = i64(vocabulary.offsets[token + 1])
    return words_between(vocabulary.arena, start, stop, 2) == 2
