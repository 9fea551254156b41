"""The tokenizers that come with Tokenarium: a family trained on one corpus, so that only the method differs.

`packaging/train_shipped_tokenizers.py` makes the files in the folder ``tokenizers``, 8,000 entries each, of the sample
texts and of Python's standard library (under the PSF licence, which permits this), and has each one proved by the
library that owns its format. They take less than a megabyte together.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ShippedTokenizer:
    """One of the family; ``id`` is its stable name, for settings and the command line."""

    id: str
    file: str
    name: str
    """What it is called: ``"SuperBPE 8k"``."""
    kind: str
    """What is special about it, as a second line: ``"superwords"``."""
    on: bool = False
    """Whether it is on at the first start."""

    @property
    def path(self) -> Path:
        """The file that it is opened from."""
        return Path(str(files(__package__) / "tokenizers" / self.file))


SHIPPED_TOKENIZERS = (
    ShippedTokenizer("tokenarium-8k", "tokenarium-8k.json", "Tokenarium 8k", "BPE", True),
    ShippedTokenizer("bpe-gpt2-8k", "bpe-gpt2-8k.tiktoken", "BPE 8k, GPT-2 cuts", "byte-level"),
    ShippedTokenizer("bpe-cl100k-8k", "bpe-cl100k-8k.tiktoken", "BPE 8k, GPT-4 cuts", "byte-level"),
    ShippedTokenizer("superbpe-8k", "superbpe-8k.json", "SuperBPE 8k", "superwords", True),
    ShippedTokenizer(
        "sentencepiece-bpe-8k",
        "sentencepiece-bpe-8k.model",
        "SentencePiece BPE 8k",
        "byte fallback",
    ),
    ShippedTokenizer("unigram-8k", "unigram-8k.model", "Unigram 8k", "likely pieces", True),
    ShippedTokenizer("wordpiece-8k", "wordpiece-8k.json", "WordPiece 8k", "lower case", True),
)
"""The family in the order of the library, the one that is always available first."""


def shipped_path(id: str) -> Path:
    """Returns the file of a shipped tokenizer by its stable name; KeyError for an unknown one."""
    return {one.id: one.path for one in SHIPPED_TOKENIZERS}[id]
