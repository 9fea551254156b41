"""A copy whose stages are rebuilt: the texts that it treats otherwise are found, named with their cause, or allowed."""

from __future__ import annotations

from pathlib import Path

import pytest
from narrowed import assert_contains

import tokenarium_core as tc
from tokenarium_core.added_tokens import of_special
from tokenarium_core.decoders.decoder import Decoder
from tokenarium_core.encoding import Template
from tokenarium_core.errors import ArgumentError
from tokenarium_core.formats import registry
from tokenarium_core.formats.copy_proof import differences, smallest
from tokenarium_core.normalizers.character_normalizers import UnicodeNormalizer

CORPUS = ["low lower ハ lowest newer wider"] * 9


@pytest.mark.parametrize("algorithm", ["unigram", "sentencepiece-bpe"])
def test_a_copy_that_differs_is_refused_with_the_text_and_the_cause(
    tmp_path: Path, algorithm: str
) -> None:
    tokenizer = tc.train(algorithm, CORPUS, vocab_size=36)
    path = tmp_path / "x.json"
    with pytest.raises(ArgumentError, match=r"'[^']+' \(U\+.*U\+.*The normalizers differ") as error:
        tokenizer.save(path, "huggingface")
    assert "--allow-differences" in str(error.value)
    assert list(tmp_path.iterdir()) == []
    tokenizer.save(path, "huggingface", allow_differences=True)
    copy = tc.open(path)
    found = registry.differences_of(tokenizer, "huggingface")
    causes = " ".join(one.cause for one in found)
    assert_contains(causes, "The normalizers differ", "spells the token '<unk>'", "decoders")
    for one in found[:-1]:
        ways = [(special, around) for special in ("none", "all") for around in (False, True)]
        assert any(
            list(tokenizer.encode(one.text, special=special, template=around).ids)
            != list(copy.encode(one.text, special=special, template=around).ids)
            for special, around in ways
        )
    ids = tokenizer.encode_ids(found[-1].text)
    assert tokenizer.decode(ids, False) != copy.decode(ids, False)


def test_what_is_not_rebuilt_is_not_refused(tmp_path: Path) -> None:
    tokenizer = tc.train("unigram", CORPUS, vocab_size=36)
    for format in ("sentencepiece", "tokenarium"):
        assert registry.differences_of(tokenizer, format) == []
        tokenizer.save(tmp_path / "x", format)


def test_each_difference_of_a_copy_is_found() -> None:
    one = tc.train("bpe", CORPUS, vocab_size=262, pattern="gpt2", special_tokens=["<s>"])
    special = one.special_tokens["<s>"]

    def copy(**parts: object) -> tc.Tokenizer:
        added = of_special(parts.pop("special", {"<s>": special}))  # type: ignore[arg-type]
        return tc.Tokenizer("copy", one.model, one.pre_tokenizer, added, **parts)  # type: ignore[arg-type]

    texts = ["low lower", "a<s>b", "e\u0301", "x" * 300 + "\ne\u0301\n" + "y" * 300]
    assert differences(one, copy(), texts) == []
    for other, what in (
        (copy(template=Template("x", [special], [])), "with the template"),
        (copy(special={"<t>": special}), "ids (special tokens recognized)"),
        (copy(normalizer=UnicodeNormalizer("NFC")), "ids (special tokens as text)"),
        (copy(decoder=Decoder("bytes", frozenset((special,)))), ""),
    ):
        found = differences(one, other, texts)
        if not what:  # what is left out unless one asks otherwise is not compared
            assert found == []
            continue
        assert what in found[0].what
        assert found[0].sentence.endswith(".")
        assert all(len(one.text) < 12 for one in found)


def test_a_small_text_is_found() -> None:
    assert smallest("a" * 500 + "x" + "b" * 500, 500, lambda text: "x" in text) == "x"
    assert smallest("a" * 500, 100, lambda text: "x" in text) == ""
