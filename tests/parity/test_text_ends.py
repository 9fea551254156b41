"""The ids at the ends of a text are those of sentencepiece and tokenizers with the same option."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
import sentencepiece
import tokenizers

import tokenarium_core as tc
from tokenarium_core.encoding import Template

TEXTS = ["", "Hello world", " two  blanks ", "नमस्ते 日本語 🙂"]
BOTH = list(product((False, True), repeat=2))


@pytest.mark.parametrize("name", ["gemma3.model", "mistral-v3.model"])
def test_sentencepiece(name: str, data: Path) -> None:
    path = data / "tokenizers" / name
    reference = sentencepiece.SentencePieceProcessor(model_file=str(path))
    tokenizer = tc.open(path)
    ends = tokenizer.ends
    assert (ends.bos, ends.eos) == ([reference.bos_id()], [reference.eos_id()])
    assert not ends.adds_bos
    assert not ends.adds_eos
    for text, (bos, eos) in product(TEXTS, BOTH):
        ids = list(tokenizer.encode(text, add_bos=bos, add_eos=eos).ids)
        assert ids == reference.encode(text, add_bos=bos, add_eos=eos)


def test_post_processor_of_tokenizers(data: Path) -> None:
    path = data / "tokenizers" / "gemma3-tokenizer.json"
    reference, tokenizer = tokenizers.Tokenizer.from_file(str(path)), tc.open(path)
    ends = tokenizer.ends
    assert (ends.adds_bos, ends.adds_eos, ends.rule) == (True, False, "TemplateProcessing")
    for text in TEXTS:
        encoding = tokenizer.encode(text, add_bos=ends.adds_bos, add_eos=ends.adds_eos)
        assert list(encoding.ids) == reference.encode(text).ids
        assert encoding.span(0) == (0, 0)
        assert (
            list(tokenizer.encode(text).ids) == reference.encode(text, add_special_tokens=False).ids
        )


@pytest.mark.parametrize("bos", [False, True])
@pytest.mark.parametrize("eos", [False, True])
def test_made_post_processors(tmp_path: Path, bos: bool, eos: bool) -> None:
    reference = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({"<s>": 0, "</s>": 1, "a": 2, "b": 3, "?": 4}, unk_token="?")
    )
    reference.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    reference.add_special_tokens(["<s>", "</s>"])
    parts = [*["<s>"] * bos, "$A", *["</s>"] * eos]
    reference.post_processor = tokenizers.processors.TemplateProcessing(
        single=parts, special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    path = tmp_path / "tokenizer.json"
    reference.save(str(path))
    tokenizer = tc.open(path)
    ends = tokenizer.ends
    assert (ends.bos, ends.eos) == (
        [0],
        [1],
    )  # by the names that they usually have, if by nothing else
    assert (ends.adds_bos, ends.adds_eos) == (bos, eos)
    ids = list(tokenizer.encode("a b", add_bos=bos, add_eos=eos).ids)
    assert ids == reference.encode("a b").ids == [*[0] * bos, 2, 3, *[1] * eos]
    wrapped = tokenizer.encode("a b").with_ends(Template("", [0], [1]))
    assert [wrapped.span(place) for place in range(4)] == [(0, 0), (0, 1), (2, 3), (3, 3)]
