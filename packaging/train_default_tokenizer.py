"""Trains the tokenizer that is shipped: 8,000 entries, on Python's standard library and the samples.

    python packaging/train_default_tokenizer.py

Writes resources/tokenizers/tokenarium-8k.json. Another version of Python has another standard library,
so its file differs a little; the one that is shipped is trained where this project is developed.
"""

from __future__ import annotations

import json
import sysconfig
from pathlib import Path

import tokenarium_core as tc

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "resources" / "samples"
TARGET = ROOT / "resources" / "tokenizers" / "tokenarium-8k.json"

VOCABULARY_SIZE = 8000
LIBRARY_BYTES = 4_000_000  # some of the library, so that code and English leave room for the rest
SAMPLE_WEIGHT = 12  # the samples are short: this gives 28 languages a say beside the code
MIN_FREQUENCY = SAMPLE_WEIGHT + 1  # what occurs once in one sample is no reason for a merge
NOT_TRAINED_ON = {"Hard cases"}  # made of what no tokenizer should learn


def library() -> list[str]:
    """Returns modules of the standard library, in the order of their names, up to `LIBRARY_BYTES`."""
    folder = Path(sysconfig.get_path("stdlib"))
    texts: list[str] = []
    size = 0
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).parts
        if {"test", "tests", "site-packages", "idlelib", "encodings"}.isdisjoint(parts):
            text = path.read_text("utf-8", errors="ignore")
            size += len(text)
            if size > LIBRARY_BYTES:
                break
            texts.append(text)
    return texts


def samples() -> list[str]:
    """Returns the sample texts but the hard cases."""
    manifest = json.loads((ROOT / "resources" / "samples.json").read_text("utf-8"))
    return [
        (SAMPLES / sample["file"]).read_bytes().decode()
        for group in manifest["groups"]
        if group["title"] not in NOT_TRAINED_ON
        for sample in group["samples"]
    ]


def main() -> None:
    """Trains, writes the file, and says how well it does on the samples."""
    texts = samples()
    tokenizer = tc.train(
        "bpe",
        [*library(), *texts * SAMPLE_WEIGHT],
        vocab_size=VOCABULARY_SIZE,
        pattern="o200k",
        min_frequency=MIN_FREQUENCY,
        special_tokens=["<|endoftext|>"],
        name="Tokenarium 8k",
    )
    TARGET.parent.mkdir(exist_ok=True)
    tokenizer.save(TARGET)
    size = sum(len(text.encode()) for text in texts)
    count = sum(len(tokenizer.encode_ids(text)) for text in texts)
    print(
        f"{tokenizer} at {TARGET.relative_to(ROOT)}, {size / count:.2f} bytes per token on the samples"
    )


if __name__ == "__main__":
    main()
