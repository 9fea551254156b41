"""A tokenizer of a list of merges: that of the training they come from, and of Hugging Face's tokenizers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import tokenizers

import tokenarium_core as tc
from tokenarium_core.explaining import merge_path
from tokenarium_core.training import merge_list
from tokenarium_core.training.merge_list import from_merges

TEXTS = ["low lower lowest, newer and wider: low low\n" * 5, "der Löwe, नमस्ते दुनिया, 123 456\n" * 4]


def spelled(piece: bytes) -> str:
    """Returns bytes in GPT-2's alphabet: printable Latin letters are themselves, the others follow from U+0100 on."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    letters = {byte: chr(byte) for byte in plain}
    letters |= {byte: chr(256 + number) for number, byte in enumerate(others)}
    return "".join(letters[byte] for byte in piece)


@pytest.mark.compiled
def test_the_merges_of_a_training_make_its_tokenizer() -> None:
    trained = tc.train("bpe", TEXTS, vocab_size=330, special_tokens=["<|end|>"])
    merges = merge_path.merges(trained)
    as_ids = [(left, right) for left, right, _ in merges]
    piece = trained.vocabulary.piece
    as_bytes = [(piece(left), piece(right)) for left, right in as_ids]
    for given in (as_ids, as_bytes, dict.fromkeys(as_bytes), iter(as_ids)):
        made = from_merges(given, special_tokens=["<|end|>"])
        assert merge_path.merges(made) == merges
        assert made.special_tokens == trained.special_tokens
        for text in [*TEXTS, "lowlow <|end|> ż"]:
            assert made.encode_ids(text) == trained.encode_ids(text)
            assert made.encode(text, special="all").ids == trained.encode(text, special="all").ids


@pytest.mark.compiled
def test_tokenizers_gives_the_same_ids(tmp_path: Path) -> None:
    """The library is given the merges themselves, in its own spelling of bytes, and not our file."""
    trained = tc.train("bpe", TEXTS, vocab_size=330, pattern="gpt2")
    merges = [(left, right) for left, right, _ in merge_path.merges(trained)]
    entries = [spelled(trained.vocabulary.piece(token)) for token in range(len(trained.vocabulary))]
    library = tokenizers.Tokenizer(
        tokenizers.models.BPE(
            {entry: token for token, entry in enumerate(entries)},
            [(entries[left], entries[right]) for left, right in merges],
        )
    )
    library.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made = from_merges(merges, pattern="gpt2")
    made.save(tmp_path / "tokenizer.json", format="huggingface")
    again = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    for text in [*TEXTS, "  odd \n\n ’s 'll ż"]:
        assert made.encode_ids(text) == library.encode(text).ids == again.encode(text).ids


@pytest.mark.parametrize(
    ("merges", "said"),
    [
        ([("a", "b"), ("ab", "cd")], "Merge 1 uses b'cd', which is neither a byte nor made by an earlier merge"),
        ([("a", "b"), ("a", "b")], "Merge 1 makes b'ab', which is already the entry 256"),
        ([(97, 256)], "Merge 0 uses the id 256, but only the ids 0 to 255 exist by then"),
        ([(97, -1)], "uses the id -1"),
        ([("a",)], "Merge 0 is ('a',), which is not a pair of entries"),
        (["ab"], "Merge 0 is 'ab', which is not a pair"),
        ([(True, "a")], "has True in it, which is neither bytes, nor text, nor an id"),
        ([("a", "")], "uses b''"),
    ],
)  # fmt: skip
def test_what_is_no_list_of_merges_is_said(merges: Any, said: str) -> None:
    with pytest.raises(tc.ArgumentError, match=re.escape(said)):
        from_merges(merges)


@pytest.mark.slow
def test_entries_that_double_are_bounded() -> None:
    doubling = [(97, 97), *[(token, token) for token in range(256, 400)]]
    with pytest.raises(tc.ArgumentError, match="have more than 256 MiB: leave the last ones out"):
        from_merges(doubling)
    assert merge_list._MOST_BYTES == 1 << 28
