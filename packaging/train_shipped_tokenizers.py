"""Trains the shipped tokenizers: one corpus, 8,000 entries each, a method for each of them.

    python packaging/train_shipped_tokenizers.py

Writes the files of resources/tokenizers that `tokenarium.resources.shipped_tokenizers` lists. The corpus is Python's
standard library and the sample texts, so the result depends on nothing else; another version of Python has another
standard library, and its files differ a little. The shipped ones are trained where this project is developed.

Each file is put in place only after the library that owns its format (tiktoken, sentencepiece or tokenizers) gave the
same ids for all samples. JSON is written without spaces, as all files together must be smaller than a megabyte;
for the same reason the models of SentencePiece leave characters as they are: its tables for NFKC take 240 KB.
"""

from __future__ import annotations

import json
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

import tokenarium_core as tc
from tokenarium.models.tokenizers.reference_check import check
from tokenarium.models.tokenizers.references import reference_for
from tokenarium.resources.samples_index import load_samples
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS, ShippedTokenizer
from tokenarium_core.formats.registry import save
from tokenarium_core.whole_files import write_files

TARGET = Path(__file__).resolve().parents[1] / "resources" / "tokenizers"
MOST_BYTES = 1_000_000  # all files together

VOCABULARY_SIZE = 8000
LIBRARY_CHARACTERS = (
    4_000_000  # a part of the library, so that code and English leave room for the rest
)
SAMPLE_WEIGHT = 12  # the samples are short: this gives 28 languages some weight next to the code
MIN_FREQUENCY = SAMPLE_WEIGHT + 1  # a pair that occurs once in one sample is not merged
NOT_TRAINED_ON = {"Hard cases"}  # contains what no tokenizer should learn

BYTE_LEVEL: dict[str, Any] = {
    "min_frequency": MIN_FREQUENCY,
    "special_tokens": ["<|endoftext|>"],
}
LOSSLESS: dict[
    str, object
] = {  # as Llama's first models had it, so that a text comes back as it was
    "byte_fallback": True,
    "normalization": "identity",
    "remove_extra_whitespaces": False,
    "allow_whitespace_only_pieces": True,
}

METHODS: dict[str, tuple[str, dict[str, Any], str]] = {
    "tokenarium-8k": ("bpe", {"pattern": "o200k", **BYTE_LEVEL}, "tokenarium"),
    "bpe-gpt2-8k": ("bpe", {"pattern": "gpt2", **BYTE_LEVEL}, "tiktoken"),
    "bpe-cl100k-8k": ("bpe", {"pattern": "cl100k", **BYTE_LEVEL}, "tiktoken"),
    "superbpe-8k": ("superbpe", {"pattern": "o200k", **BYTE_LEVEL}, "huggingface"),
    "sentencepiece-bpe-8k": (
        "sentencepiece-bpe",
        {"min_frequency": MIN_FREQUENCY, **LOSSLESS},
        "sentencepiece",
    ),
    "unigram-8k": ("unigram", LOSSLESS, "sentencepiece"),
    "wordpiece-8k": ("wordpiece", {"min_frequency": MIN_FREQUENCY}, "huggingface"),
}
"""Of each tokenizer: the algorithm, its options, and the format of its file."""


def library() -> list[str]:
    """Returns modules of the standard library, in the order of their names, up to `LIBRARY_CHARACTERS`."""
    folder = Path(sysconfig.get_path("stdlib"))
    texts: list[str] = []
    size = 0
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).parts
        if {"test", "tests", "site-packages", "idlelib", "encodings"}.isdisjoint(parts):
            text = path.read_text("utf-8", errors="ignore")
            size += len(text)
            if size > LIBRARY_CHARACTERS:
                break
            texts.append(text)
    return texts


def make(shipped: ShippedTokenizer, corpus: list[str], texts: list[str]) -> dict[str, bytes]:
    """Returns the files of a tokenizer by their names, once its library has given the same ids for all texts."""
    algorithm, options, format = METHODS[shipped.id]
    tokenizer = tc.train(
        algorithm, corpus, vocab_size=VOCABULARY_SIZE, name=shipped.name, **options
    )
    with tempfile.TemporaryDirectory() as folder:
        written = save(tokenizer, Path(folder) / shipped.file, format)
        if format == "huggingface":
            content = json.loads(written[0].read_bytes())
            compact = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
            written[0].write_bytes(compact.encode())
        again = tc.open(written[0])
        assert len(again.vocabulary) == VOCABULARY_SIZE, f"{shipped.name} has another size"
        text = "\n".join(texts)
        report = check(tokenizer, reference_for(again, False), text)
        assert report.divergence is None, f"{shipped.name}: {report.divergence}"
        assert tokenizer.encode_ids(text) == again.encode_ids(text), f"{shipped.name} changed"
        share = len(text.encode()) / report.tokens
        print(f"{shipped.name}: proved by {report.library}, {share:.2f} bytes per token")
        return {path.name: path.read_bytes() for path in written}


def main() -> None:
    """Trains all tokenizers, writes their files together, and prints their sizes."""
    samples = [sample.text() for sample in load_samples() if sample.group not in NOT_TRAINED_ON]
    corpus = [*library(), *samples * SAMPLE_WEIGHT]
    texts = [sample.text() for sample in load_samples()]
    files: dict[str, bytes] = {}
    for shipped in SHIPPED_TOKENIZERS:
        files |= make(shipped, corpus, texts)
    size = sum(map(len, files.values()))
    if size > MOST_BYTES:
        sys.exit(
            f"They take {size:,} bytes, more than the {MOST_BYTES:,} that the package has for them."
        )
    write_files({TARGET / name: content for name, content in files.items()})
    print(f"{len(files)} files, {size:,} bytes in all, in {TARGET}")


if __name__ == "__main__":
    main()
