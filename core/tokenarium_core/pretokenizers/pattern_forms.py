"""How the pattern of a pre-tokenizer is written for other regular-expression engines."""

from __future__ import annotations

from typing import Final

from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer

ONIGURUMA: Final = {
    "cl100k": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
        r"|\s+\z|\s*[\r\n]+|\s+(?!\S)|\s+"
    )
}
"""Named patterns that mean something else in Oniguruma, as that engine has them.

There ``$`` is the end of a line, and ``{1,3}+`` repeats what stands before.
"""

SCANNER_OF: Final = {pattern: name for name, pattern in ONIGURUMA.items()}
"""The names of the scanners that cut as these patterns do."""


def oniguruma_pattern(pre_tokenizer: PreTokenizer) -> str:
    """Returns a pattern for huggingface/tokenizers; a user's own is left as it is."""
    return ONIGURUMA.get(pre_tokenizer.name, pre_tokenizer.pattern)
