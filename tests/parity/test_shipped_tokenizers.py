"""Each shipped tokenizer, opened by the library that owns its format: equal ids on every sample."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

import pytest

import tokenarium_core as tc
from tokenarium.models.tokenizers.references import Reference, reference_for
from tokenarium.resources.samples_index import Sample, load_samples
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS, ShippedTokenizer

LIBRARIES = {
    "tokenarium": "tiktoken",
    "tiktoken": "tiktoken",
    "sentencepiece": "sentencepiece",
    "huggingface": "tokenizers",
}
LOSSY = {"wordpiece-8k"}  # it lower-cases
EACH = pytest.mark.parametrize("shipped", SHIPPED_TOKENIZERS, ids=lambda shipped: shipped.id)


@cache
def opened(shipped: ShippedTokenizer) -> tc.Tokenizer:
    return tc.open(shipped.path)


@cache
def reference(shipped: ShippedTokenizer) -> Reference:
    library = LIBRARIES[opened(shipped).source.format]
    if find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    found = reference_for(opened(shipped), False)
    assert found.library.startswith(library)
    return found


@EACH
@pytest.mark.parametrize("sample", load_samples(), ids=lambda sample: sample.id)
def test_its_library_gives_the_same_ids(shipped: ShippedTokenizer, sample: Sample) -> None:
    text, tokenizer = sample.text(), opened(shipped)
    ids = list(tokenizer.encode_ids(text))
    assert ids == list(reference(shipped).ids(text))
    if shipped.id not in LOSSY:
        blank = "▁" if shipped.file.endswith(".model") else ""  # how SentencePiece writes a space
        assert tokenizer.decode(ids) == (text.replace(blank, " ") if blank else text)


@EACH
def test_it_is_of_the_family(shipped: ShippedTokenizer) -> None:
    """All are of one size, so that only their methods differ."""
    assert len(opened(shipped).vocabulary) == 8000


def test_the_files_are_those_of_the_family_and_small() -> None:
    folder = SHIPPED_TOKENIZERS[0].path.parent
    files = {shipped.file for shipped in SHIPPED_TOKENIZERS}
    files |= {
        f"{shipped.id}.pattern.json"
        for shipped in SHIPPED_TOKENIZERS
        if shipped.file.endswith(".tiktoken")
    }
    assert {path.name for path in folder.iterdir()} == files
    assert sum(path.stat().st_size for path in folder.iterdir()) < 1_000_000
    assert SHIPPED_TOKENIZERS[0].on
    assert len({shipped.name for shipped in SHIPPED_TOKENIZERS}) == len(SHIPPED_TOKENIZERS)
