"""SentencePiece's training of BPE in the simplest form: whole words, all pairs counted again for each merge.

Also lines and options to try it on.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from tokenarium_core.padded_text import PADDING
from tokenarium_core.training.sentencepiece.sentencepiece_training import SentencePieceTraining
from tokenarium_core.unicode.codepoints import script_of

MARK = "▁"
UNKNOWN = "▅"
BOUNDARY = "\x1f"
DIGITS = "0123456789０１２３４５６７８９"

Word = tuple[str, ...]

PARTS = [
    "a", "b", "ab", "A", "ba", "abc", " ", "  ", "1", "21", "é", "e\u0301", "\u0301", "б", "бa",
]  # fmt: skip
ODDS = ["カー", "人", "か", "▁", "▁▁", "<s>", "<x>", "<", "x>", "\t", "ﬁ", "%", "\x1f", "\0", "▅"]
LINES = st.lists(
    st.lists(st.sampled_from(PARTS * 2 + ODDS), max_size=12).map("".join), min_size=1, max_size=8
)


@st.composite
def choices(draw: st.DrawFn) -> dict[str, Any]:
    """Draws options of a training; half of the time, options with little effect keep their defaults."""
    booleans = [
        "add_dummy_prefix", "remove_extra_whitespaces", "split_by_unicode_script",
        "split_by_number", "split_by_whitespace", "split_digits", "allow_whitespace_only_pieces",
        "treat_whitespace_as_suffix",
    ]  # fmt: skip
    found: dict[str, Any] = {name: draw(st.booleans()) for name in booleans if draw(st.booleans())}
    found["character_coverage"] = draw(st.sampled_from([1.0, 0.98]))
    found["normalization"] = draw(st.sampled_from(["identity", "nmt_nfkc", "nmt_nfkc_cf"]))
    found["max_sentencepiece_length"] = draw(st.sampled_from([16, 3, 1]))
    found["required_chars"] = draw(st.sampled_from(["", "z", "б"]))
    found["user_defined_symbols"] = draw(
        st.sampled_from([[], ["<x>"], ["<x>", "<", "<s>"], ["ab", "▁b", "a▁"]])
    )
    found["pretokenization_delimiter"] = draw(st.sampled_from(["", "", "b", "bc", "▁a", "▁", "é"]))
    return found


@dataclass
class Learned:
    """What was learned: pieces by merge, characters by count, and whether a tie was broken.

    ``ambiguous``: two equally frequent pairs made the same piece, and only one of them can be merged.
    """

    merges: list[str]
    characters: list[str]
    token_counts: list[int] = field(default_factory=list)
    ambiguous: bool = False


def sentences(training: SentencePieceTraining, lines: list[str]) -> list[str]:
    """Returns the lines for training: normalized, with boundaries for symbols."""
    found = []
    for line in lines:
        if not line or UNKNOWN in line:
            continue
        data = training.normalizer.normalize_plain(line.encode() + bytes(PADDING))
        text = data[:-PADDING].decode().replace(" ", MARK)
        parts = []
        while text:
            symbols = [symbol for symbol in training.symbols if text.startswith(symbol)]
            longest = max(symbols, key=len, default="")
            parts.append(BOUNDARY if longest else text[0])
            text = text[len(longest) or 1 :]
        if parts:
            delimiter = training.pretokenization_delimiter
            sentence = "".join(parts)
            found.append(sentence.replace(delimiter, BOUNDARY) if delimiter else sentence)
    return found


def words_of(training: SentencePieceTraining, sentence: str) -> list[str]:
    """Returns the words of a sentence: the whole sentence if pieces may continue after spaces."""
    if not training.split_by_whitespace:
        return [sentence]
    words = [""]
    runs = training.allow_whitespace_only_pieces
    for before, character in pairwise("\n" + sentence):
        if training.treat_whitespace_as_suffix:
            cut = before == MARK and not (runs and character == MARK)
        else:
            cut = character == MARK and not (runs and before == MARK)
        if cut:
            words.append("")
        words[-1] += character
    return [word for word in words if word]


def is_piece(training: SentencePieceTraining, piece: str) -> bool:
    """Returns whether a string with ``▁`` may be a piece."""
    size = len(piece)
    if size > training.max_sentencepiece_length or {UNKNOWN, BOUNDARY, "\0"} & set(piece):
        return False
    if any(digit in piece for digit in DIGITS) and training.split_digits and size > 1:
        return False
    places = [at for at, character in enumerate(piece) if character == MARK]
    if not (training.allow_whitespace_only_pieces and len(places) == size):
        wanted = size - 1 if training.treat_whitespace_as_suffix else 0
        unwanted = 0 if training.treat_whitespace_as_suffix else size - 1
        for at in places:
            if training.split_by_whitespace and at != wanted:
                return False
            if not training.split_by_whitespace and at == unwanted != wanted:
                return False
    before = ""
    for character in piece:
        if character == MARK or not training.split_by_unicode_script:
            continue
        script = script_of(ord(character))
        if script in ("Hira", "Kana") or character == "ー":
            script = "Hani"
        if script == "Zinh":
            script = before
        if character in DIGITS and not training.split_by_number:
            script = ""
        if script and before and script != before:
            return False
        before = script
    return True


def learn(
    training: SentencePieceTraining, lines: list[str], pieces: int, min_frequency: int = 1
) -> Learned:
    """Returns the vocabulary of ``pieces`` pieces and the symbols, or of all pieces if there are fewer."""
    texts = sentences(training, lines)
    characters = chosen_characters(training, texts)
    counted = Counter(word for text in texts for word in words_of(training, text))
    words: Counter[Word] = Counter()
    for word, count in counted.items():
        words[tuple(c if c in characters else UNKNOWN for c in word)] += count
    learned = Learned([], characters)
    known: set[str] = set()
    refused: set[tuple[str, str]] = set()
    while len(learned.merges) < pieces - len(characters):
        counts: Counter[tuple[str, str]] = Counter()
        for symbols, count in words.items():
            for pair in pairwise(symbols):
                counts[pair] += count
        allowed = [
            pair
            for pair in counts
            if pair not in refused
            and counts[pair] >= min_frequency
            and is_piece(training, "".join(pair))
        ]
        if not allowed:
            break
        first = min(allowed, key=lambda pair: (-counts[pair], len("".join(pair)), "".join(pair)))
        piece = "".join(first)
        rivals = [p for p in allowed if counts[p] == counts[first] and "".join(p) == piece]
        if piece in known:
            refused.update(rivals)
            continue
        if len(rivals) > 1:
            learned.ambiguous = True
            return learned
        known.add(piece)
        learned.merges.append(piece)
        merged: Counter[Word] = Counter()
        for symbols, count in words.items():
            merged[joined(symbols, first)] += count
        words = merged
        learned.token_counts.append(sum(len(word) * count for word, count in words.items()))
    return learned


def chosen_characters(training: SentencePieceTraining, texts: list[str]) -> list[str]:
    """Returns the characters that become pieces, the most frequent first."""
    counts = Counter("".join(texts))
    del counts["\0"]
    total = counts.total()
    required = set(training.required_chars)
    for character in required:
        counts[character] += 0
    chosen: list[str] = []
    covered = 0
    if not total:
        return []
    for character in sorted(counts, key=lambda c: (c not in required, -counts[c], c)):
        if covered / total >= training.character_coverage:
            break
        covered += counts[character]
        if character != BOUNDARY:
            chosen.append(character)
    return sorted(chosen, key=lambda c: (-counts[c], c))


def joined(symbols: Word, pair: tuple[str, str]) -> Word:
    """Returns a word with each occurrence of a pair merged into one symbol, from left to right."""
    result: list[str] = []
    for symbol in symbols:
        # A symbol that was joined here is never a part of the pair: it is longer than both.
        if result and (result[-1], symbol) == pair:
            result[-1] += symbol
        else:
            result.append(symbol)
    return tuple(result)
