"""The headings of the figures of a comparison in a window, and which of them are shown at first."""

from __future__ import annotations

HEADINGS: dict[str, tuple[str, str]] = {
    "tokens": ("Tokens", "for the same text"),
    "bytes_per_token": ("Bytes per token", "higher is shorter"),
    "characters_per_token": ("Characters per token", "code points"),
    "fertility": ("Tokens per word", "1 means one word per token"),
    "fertility_alone": ("Tokens per word alone", "each word by itself"),
    "fertility_median": ("Median word", "tokens"),
    "fertility_95": ("Long words", "tokens of the 95th percentile"),
    "whole_words": ("Words in one token", "of all words"),
    "continued": ("Words continued", "in two tokens or more"),
    "alone_median": ("Median word alone", "tokens"),
    "alone_95": ("Long words alone", "tokens of the 95th percentile"),
    "alone_whole": ("Words alone in one token", "STRR"),
    "used": ("Vocabulary used", "of its entries"),
    "fallback": ("Byte tokens", "one byte of a character"),
    "inside": ("Tokens inside a character", "cut letters or emoji"),
    "unknown": ("Unknown", "of the tokens"),
    "unknown_text": ("Unknown text", "of the bytes"),
    "lost_text": ("Lost text", "of the bytes"),
    "shannon": ("Shannon efficiency", "of the ids"),
    "renyi": ("Rényi efficiency", "of the ids"),
    "effective": ("Effective vocabulary", "ids"),
    "average_rank": ("Average rank", "of the tokens’ ids"),
    "unigram_bits": ("Bits per byte", "by frequency of ids"),
    "zipf": ("Zipf exponent", "slope of ranks"),
    "zipf_fit": ("Zipf fit", "R² of the line"),
    "round_trip": ("Round trip", "texts that come back"),
    "place_value": ("Place-value boundaries", "F1, threes from the right"),
    "from_right": ("Threes from the right", "of the long numbers"),
    "from_left": ("Threes from the left", "of the long numbers"),
    "split_variability": ("Digit split variability", "bits"),
    "tokens_per_digit": ("Tokens per digit", "mean over numbers"),
    "magnitude": ("Digits, variation", "by length of numbers"),
    "operators_apart": ("Operators apart", "of all operators"),
    "operators_whole": ("Long operators whole", "such as != in one token"),
    "split_characters": ("Characters split", "of several bytes"),
    "crossing": ("Tokens across characters", "parts of several"),
}
"""The heading of each figure in a window, and a second line."""

KEY_COLUMNS = ("tokens", "bytes_per_token", "fertility", "whole_words", "inside")
"""The figures that are shown at first, by their ids."""
