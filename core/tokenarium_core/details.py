"""What a tokenizer's file says about itself: where it lies, and the settings that it stores."""

from __future__ import annotations

from typing import final


@final
class Detail:
    """One stored setting, as the file has it: its group ("trainer", "normalizer"), its name, its value."""

    def __init__(self, group: str, name: str, value: str) -> None:
        self.group = group
        self.name = name
        self.value = value


@final
class Source:
    """Where a tokenizer came from.

    ``format``: "tiktoken", "gpt2", "sentencepiece", "huggingface", "vocab.txt", "tekken", "tokenarium" or
    "trained"; ``path``: the file or folder, from the root on, or the name of an encoding; empty where there is none.
    """

    def __init__(self, format: str, path: str) -> None:
        self.format = format
        self.path = path
