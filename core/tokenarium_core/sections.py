"""A text before it reaches the model: added tokens are split off, and the text between them is normalized.

The order is that of huggingface/tokenizers: tokens of the raw text first, then each section between them is
normalized separately, tokens of the normalized text are matched, and the rest is split.
"""

from __future__ import annotations

from typing import final

from librt.vecs import vec
from mypy_extensions import i32, i64, u8

from tokenarium_core.added_tokens import AddedMatch, AddedTokens
from tokenarium_core.normalized_text import NormalizedText, check_room, room_for, unchanged
from tokenarium_core.normalizers.normalizer import Normalizer
from tokenarium_core.padded_text import ZEROS
from tokenarium_core.pretokenizers.pretokenizer import PrecomputedCuts, PreTokenizer, Splitter


@final
class Sections:
    """A whole normalized text; its parts (start, stop, id), with -1 for text for the model; and the pre-tokenizer for
    these.

    ``added_tokens`` are those whose ids the parts have.
    """

    def __init__(
        self,
        text: NormalizedText,
        regions: list[tuple[int, int, int]],
        pre_tokenizer: PreTokenizer,
        added_tokens: AddedTokens,
    ) -> None:
        self.text = text
        self.regions = regions
        self.pre_tokenizer = pre_tokenizer
        self.added_tokens = added_tokens


@final
class Preparation:
    """The stages before the model."""

    def __init__(
        self,
        added_tokens: AddedTokens,
        normalizer: Normalizer | None,
        splitter: Splitter | None,
        pre_tokenizer: PreTokenizer,
    ) -> None:
        self.added_tokens = added_tokens
        self.normalizer = normalizer
        self.splitter = splitter
        self.pre_tokenizer = pre_tokenizer
        added_tokens.normalize(normalizer)

    def sections(
        self,
        data: bytes,
        size: int,
        allowed: frozenset[str],
        matches: list[AddedMatch] | None = None,
    ) -> Sections:
        """Returns the sections of the padded text ``data[:size]``, with the special tokens ``allowed``.

        The matched added tokens are added to ``matches``: those in the raw text first, then those in the normalized
        text. A caller that wants only these does not need the text split, which may fail.
        """
        added = self.added_tokens
        raw = added.regions(data, size, allowed, False, matches)
        if self.normalizer is None and self.splitter is None and not added.normalized:
            return Sections(unchanged(data, size, 0), raw, self.pre_tokenizer, added)
        parts: list[NormalizedText] = []
        tokens: list[int] = []
        room = room_for(size)  # for all sections together: each also has its own
        made: i64 = 0
        for start, stop, token in raw:
            section = data if start == 0 and stop == size else data[start:stop] + ZEROS
            text = unchanged(section, stop - start, start)
            if token < 0 and self.normalizer is not None:
                text = self.normalizer.normalize(text)
                made += text.size
                if made > room:
                    check_room(f"The normalizer {self.normalizer.name}", made, room)
            if token >= 0 or not added.normalized:
                parts.append(text)
                tokens.append(token)
                continue
            known = 0 if matches is None else len(matches)
            for first, last, inner in added.regions(text.data, text.size, allowed, True, matches):
                parts.append(part_of(text, first, last))
                tokens.append(inner)
            if matches is not None:
                for match in matches[known:]:
                    match.start = text.start_of(match.start)
                    match.stop = max(text.stop_of(match.stop), match.start)
        if self.splitter is None or matches is not None:
            return Sections(joined(parts), _regions(parts, tokens), self.pre_tokenizer, added)
        return self._split(self.splitter, parts, tokens, room)

    def _split(
        self, splitter: Splitter, parts: list[NormalizedText], tokens: list[int], room: i64
    ) -> Sections:
        ends: list[vec[i32]] = []
        rules: list[vec[u8]] = []
        words: i64 = 0
        for index, token in enumerate(tokens):
            if token < 0:
                split = splitter.split(parts[index])
                parts[index] = split.text
                ends.append(split.ends)
                rules.append(split.rules)
                words += len(split.ends)
        regions = _regions(parts, tokens)
        all_ends = vec[i32]([0] * words)
        all_rules = vec[u8]([0] * words)
        count: i64 = 0
        section = 0
        at: i64 = 0
        made: i64 = 0
        for part in parts:
            made += part.size
        check_room(f"The pre-tokenizer {splitter.name}", made, room)
        for index, token in enumerate(tokens):
            if token < 0:
                part_ends = ends[section]
                part_rules = rules[section]
                section += 1
                for word in range(len(part_ends)):
                    all_ends[count] = i32(at + i64(part_ends[word]))
                    all_rules[count] = part_rules[word]
                    count += 1
            at += parts[index].size
        cuts = PrecomputedCuts(all_ends, all_rules, splitter.rules)
        return Sections(joined(parts), regions, cuts, self.added_tokens)


def _regions(parts: list[NormalizedText], tokens: list[int]) -> list[tuple[int, int, int]]:
    """Returns the positions of the parts once they are joined; empty parts are left out."""
    regions: list[tuple[int, int, int]] = []
    at = 0
    for part, token in zip(parts, tokens, strict=True):
        if part.size or token >= 0:
            regions.append((at, at + part.size, token))
        at += part.size
    return regions


def part_of(text: NormalizedText, start: i64, stop: i64) -> NormalizedText:
    """Returns the bytes ``start`` to ``stop`` of a text as a separate text."""
    if start == 0 and stop == text.size:
        return text
    data = text.data[start:stop] + ZEROS
    if not text.aligned:
        return unchanged(data, stop - start, text.origin + start)
    part = NormalizedText(
        data, stop - start, text.start_of(start), text.starts[start:stop], text.stops[start:stop]
    )
    part.opening = max(min(text.opening, stop) - start, 0)
    part.room = text.room
    return part


def joined(parts: list[NormalizedText]) -> NormalizedText:
    """Returns the concatenation of texts, each with its alignment."""
    if len(parts) == 1:
        return parts[0]
    size: i64 = 0
    for part in parts:
        size += part.size
    starts = vec[i32]([0] * size)
    stops = vec[i32]([0] * size)
    at: i64 = 0
    behind: i64 = (
        0  # text inserted before a part belongs to the character that ends there, if that continues
    )
    for part in parts:
        for byte in range(part.size):
            behind = max(behind, part.stop_of(byte + 1))
            starts[at] = i32(part.start_of(byte))
            stops[at] = i32(behind)
            at += 1
    data = b"".join([part.data[: part.size] for part in parts]) + ZEROS
    return NormalizedText(data, size, 0, starts, stops)
