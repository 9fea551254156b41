"""Special tokens that are added, renamed and removed, beside the libraries that read the files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import sentencepiece
import tiktoken
from library_copies import as_tokenizers
from other_files import FILES, tokenizer_of
from small_vocabularies import of_pieces

import tokenarium_core as tc
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS, ShippedTokenizer
from tokenarium_core.changing.special_tokens import CHANGES, change_special_tokens, forgery
from tokenarium_core.formats.registry import save

SMALL = of_pieces([b"ab"], special_tokens={"<a>": 300, "<b>": 257})
CHAT = ["<|im_start|>", "<|im_end|>"]
TEXT = "Hello, wörld 123 <a> x\n\n日本語 \U0001f600 def f(x):\n    return x\n"


def test_tokens_are_added_renamed_and_removed() -> None:
    changed = tc.change_special_tokens(
        SMALL, add={"<new>": None, "<at>": 260}, rename={"<a>": "<c>"}, remove=["<b>"]
    )
    assert changed.special_tokens == {"<c>": 300, "<new>": 301, "<at>": 260}
    assert changed.vocabulary.kind(257) == "unused"
    assert SMALL.special_tokens == {"<a>": 300, "<b>": 257}
    assert list(changed.encode("ab<c>", special="all").ids) == [256, 300]
    assert changed.encode_ids(TEXT) == SMALL.encode_ids(TEXT)
    said = [(one.name, one.value) for one in changed.details if one.group == CHANGES]
    assert said == [
        ("renamed", "<a> to <c>"),
        ("removed", "<b>"),
        ("added", "<new> as 301"),
        ("added", "<at> as 260"),
    ]
    again = tc.change_special_tokens(changed, add=["<b>"])
    assert len([one for one in again.details if one.group == CHANGES]) == 5


@pytest.mark.parametrize(
    ("add", "rename", "remove", "reason"),
    [
        ({"<a>": None}, {}, [], "already a special token '<a>'"),
        ({"<x>": 300}, {}, [], "belongs to '<a>'"),
        ({"<x>": 256}, {}, [], "belongs to the entry 'ab'"),
        ({"<x>": -1}, {}, [], "not between 0"),
        ({"<x>": 1 << 40}, {}, [], "not between 0"),
        ({"": None}, {}, [], "empty"),
        ({"\ud800": None}, {}, [], "half of a surrogate pair"),
        ({}, {"<a>": "<b>"}, [], "already a special token '<b>'"),
        ({}, {"<z>": "<y>"}, [], "'<z>' is not a special token"),
        ({}, {"<a>": "<y>"}, ["<a>"], "choose one"),
        ({}, {}, ["<z>"], "'<z>' is not a special token"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(
    add: dict[str, int | None], rename: dict[str, str], remove: list[str], reason: str
) -> None:
    with pytest.raises(tc.ArgumentError, match=reason):
        tc.change_special_tokens(SMALL, add, rename, remove)


def test_names_can_be_exchanged() -> None:
    changed = tc.change_special_tokens(SMALL, rename={"<a>": "<b>", "<b>": "<a>"})
    assert changed.special_tokens == {"<a>": 257, "<b>": 300}


def test_what_a_text_can_forge_is_said() -> None:
    assert "unless the caller allows it" in forgery(SMALL, "<a>")
    with pytest.raises(tc.ArgumentError, match="not a special token"):
        forgery(SMALL, "<z>")


@pytest.mark.compiled
def test_as_tiktoken(tiktoken_cache: Path) -> None:
    ids = {"<|im_start|>": 100264, "<|im_end|>": 100265}
    ours = change_special_tokens(tc.open("cl100k_base"), ids)
    base = tiktoken.get_encoding("cl100k_base")
    theirs = tiktoken.Encoding(
        "chat",
        pat_str=base._pat_str,
        mergeable_ranks=base._mergeable_ranks,
        special_tokens={**base._special_tokens, **ids},
    )
    text = f"<|im_start|>user\n{TEXT}<|im_end|><|endoftext|>"
    assert list(ours.encode(text, special="all").ids) == theirs.encode(text, allowed_special="all")
    assert ours.encode_ids(text) == theirs.encode(text, disallowed_special=())
    assert ours.encode_ids(text) == tc.open("cl100k_base").encode_ids(text)


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["gemma3.model", "mistral-v3.model"])
def test_as_sentencepiece(real: Callable[[str], tc.Tokenizer], tmp_path: Path, name: str) -> None:
    old = real(name)
    ours = change_special_tokens(
        old, CHAT, {"<s>" if "<s>" in old.special_tokens else "<bos>": "<start>"}
    )
    path = tmp_path / "changed.model"
    save(ours, path, "sentencepiece")
    theirs = sentencepiece.SentencePieceProcessor(model_file=str(path))
    assert theirs.vocab_size() == len(old.vocabulary) + 2
    assert theirs.bos_id() == ours.special_tokens["<start>"]
    for place, token in enumerate(CHAT):
        assert theirs.piece_to_id(token) == len(old.vocabulary) + place
        assert theirs.is_control(theirs.piece_to_id(token))
        assert "never" in forgery(ours, token)
    text = f"{TEXT}<|im_start|>"
    assert ours.encode_ids(text) == theirs.encode(text) == old.encode_ids(text)
    with pytest.raises(tc.ArgumentError, match="names it in its settings"):
        change_special_tokens(ours, remove=["<start>"])
    gone = change_special_tokens(ours, remove=["<|im_start|>"])
    save(gone, path, "sentencepiece")
    again = sentencepiece.SentencePieceProcessor(model_file=str(path))
    assert again.is_unused(len(old.vocabulary))
    assert again.encode(text) == gone.encode_ids(text)


@pytest.mark.compiled
def test_as_tokenizers_with_gemma(real: Callable[[str], tc.Tokenizer], tmp_path: Path) -> None:
    old = real("gemma3-tokenizer.json")
    ours = change_special_tokens(old, CHAT, {"<start_of_turn>": "<turn>"})
    theirs = as_tokenizers(ours, tmp_path)
    for token in [*CHAT, "<turn>"]:
        assert theirs.token_to_id(token) == ours.special_tokens[token]
    assert ours.special_tokens["<turn>"] == old.special_tokens["<start_of_turn>"]
    text = f"<|im_start|>user\n{TEXT}<|im_end|> <turn> <start_of_turn>"
    encoded = theirs.encode(text, add_special_tokens=False)
    assert list(ours.encode(text, special="all").ids) == encoded.ids
    assert ours.encode_ids(TEXT) == old.encode_ids(TEXT)
    assert "whoever writes the text" in forgery(ours, CHAT[0])
    with pytest.raises(tc.ArgumentError, match="can only get the id"):
        change_special_tokens(old, {"<x>": 999_999})
    with pytest.raises(tc.ArgumentError, match="Rename tokens instead"):
        change_special_tokens(old, remove=["<start_of_turn>"])


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("one", SHIPPED_TOKENIZERS, ids=lambda one: str(one.id))
def test_every_kind_that_is_shipped_takes_them(one: ShippedTokenizer, tmp_path: Path) -> None:
    old = tc.open(one.path)
    ours = change_special_tokens(old, CHAT)
    assert ours.encode_ids(TEXT) == old.encode_ids(TEXT)
    assert [ours.special_tokens[token] for token in CHAT] == [
        len(old.vocabulary),
        len(old.vocabulary) + 1,
    ]
    theirs = as_tokenizers(ours, tmp_path)
    text = f"<|im_start|>{TEXT}<|im_end|>"
    encoded = theirs.encode(text, add_special_tokens=False)
    assert list(ours.encode(text, special="all").ids) == encoded.ids


@pytest.mark.compiled
@pytest.mark.parametrize("format", FILES)
def test_forgery_of_what_no_library_can_change(format: str) -> None:
    """A tokenizer of a format of its own cannot be changed, and its special tokens are looked at as all others."""
    tokenizer = tokenizer_of(format)
    for token in tokenizer.special_tokens:
        assert forgery(tokenizer, token).endswith(".")
