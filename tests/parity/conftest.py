"""What several tests beside libraries share."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import pytest
from model_folders import Child, Files, trained_pair


@pytest.fixture(scope="module")
def child() -> Iterator[Child]:
    """Transformers in a process of its own, for all tests of a file."""
    if importlib.util.find_spec("transformers") is None:
        pytest.skip("transformers is not installed")
    made = Child()
    yield made
    made.close()


@pytest.fixture(scope="module")
def pair() -> Files:
    """GPT-2's two files, trained here."""
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=400,
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<s>", "<pad>", "</s>", "<unk>"],
        show_progress=False,
    )
    return trained_pair(made, trainer)
