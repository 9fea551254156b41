"""Who encodes: Tokenarium, tiktoken as the reference, and the peers; each loads an encoding without the network."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from peer_files import definition, tiktoken_file, tokenizer_json

OURS = "tokenarium"
REFERENCE = "tiktoken"
NEWER = ("cl100k_base", "o200k_base")  # most peers know these two by name
OLDER = ("gpt2", "r50k_base")


class Loaded(NamedTuple):
    """A tokenizer's two ways to encode a text, special tokens as plain text; a way it lacks is None."""

    to_list: Callable[[str], list[int]]
    to_buffer: Callable[[str], Any] | None


@dataclass(frozen=True)
class Peer:
    """One that encodes. ``share``: the part of a text that it is given, less where it is slow."""

    name: str
    modules: tuple[str, ...]
    load: Callable[[str], Loaded]
    encodings: tuple[str, ...] = NEWER + OLDER
    share: float = 1.0
    source: str = "tiktoken's cache"
    """What it loads an encoding from."""

    def prepare(self) -> None:
        """Imports its modules, so that loading an encoding is all that `load` does."""
        for module in self.modules:
            importlib.import_module(module)

    def why_not(self, encoding: str) -> str:
        """Returns why it cannot take part, empty if it can: a first load tells."""
        if importlib.util.find_spec(self.modules[0]) is None:
            return "it is not installed"
        if encoding not in self.encodings:
            return "it does not have that one"
        try:
            self.prepare()
            self.load(encoding).to_list("It loads, and it encodes.")
        except Exception as error:  # a peer may fail in any way: a finding, not a fault of ours
            words = " ".join(str(error).split())[:300].rstrip(".")
            return f"{type(error).__name__}: {words}"
        return ""


def _tokenarium(encoding: str) -> Loaded:
    import tokenarium_core as tc

    tokenizer = tc.open(encoding)
    return Loaded(tokenizer.encode_ids, tokenizer.encode_buffer)


def _tiktoken(encoding: str) -> Loaded:
    """tiktoken's own constructor, file by file: `tiktoken.get_encoding` would keep the first one."""
    import tiktoken
    from tiktoken_ext.openai_public import ENCODING_CONSTRUCTORS

    tokenizer = tiktoken.Encoding(**ENCODING_CONSTRUCTORS[encoding]())

    def to_buffer(text: str) -> Any:
        return tokenizer.encode_to_numpy(text, disallowed_special=())

    return Loaded(tokenizer.encode_ordinary, to_buffer)


def _fastokens(encoding: str) -> Loaded:
    import fastokens

    path = str(tiktoken_file(encoding))
    if encoding in NEWER:
        tokenizer = fastokens.Tokenizer.from_tiktoken(path, encoding=encoding)
    else:
        arguments = definition(encoding)
        tokenizer = fastokens.Tokenizer.from_tiktoken(
            path, pattern=arguments["pat_str"], special_tokens=arguments["special_tokens"]
        )

    def to_list(text: str) -> list[int]:
        return tokenizer.encode_ordinary(text).ids

    def to_buffer(text: str) -> Any:
        ids, _ = tokenizer.encode_batch_flat([text], split_special_tokens=True)
        return np.frombuffer(ids, np.uint32)

    return Loaded(to_list, to_buffer)


def _gigatoken(encoding: str) -> Loaded:
    import gigatoken

    scheme = {"cl100k_base": "cl100k", "o200k_base": "o200k"}.get(encoding, "gpt2")
    tokenizer = gigatoken.Tokenizer.from_tiktoken(tiktoken_file(encoding), scheme)

    def to_list(text: str) -> list[int]:
        return tokenizer.encode_batch_list([text], parallel=False)[0]

    return Loaded(to_list, tokenizer.encode)


def _splintr(encoding: str) -> Loaded:
    import splintr

    if encoding in NEWER:
        tokenizer = splintr.Tokenizer.from_pretrained(encoding)
    else:
        tokenizer = splintr.Tokenizer.from_bytes(
            tiktoken_file(encoding).read_bytes(),
            splintr.GPT2_PATTERN,
            definition(encoding)["special_tokens"],
        )

    def to_buffer(text: str) -> Any:
        return np.frombuffer(tokenizer.encode_flat(text), np.uint32)

    return Loaded(tokenizer.encode_ordinary, to_buffer)


def _quicktok(encoding: str) -> Loaded:
    import quicktok

    tokenizer = quicktok.Tokenizer(encoding, "")  # `get_encoding` would keep the first one

    def to_buffer(text: str) -> Any:
        return tokenizer.encode_batch([text], 1)[0]

    return Loaded(tokenizer.encode_ordinary, to_buffer)


def _kitoken(encoding: str) -> Loaded:
    import kitoken

    if encoding in NEWER:
        tokenizer = kitoken.Kitoken.from_tiktoken_file(str(tiktoken_file(encoding)))
    else:  # a .tiktoken file names no pattern, and it takes these two for one with another
        tokenizer = kitoken.Kitoken.from_tokenizers_file(str(tokenizer_json(encoding)))

    def to_list(text: str) -> list[int]:
        return tokenizer.encode(text, False)

    return Loaded(to_list, None)


def _tokenizers(encoding: str) -> Loaded:
    import tokenizers

    tokenizer = tokenizers.Tokenizer.from_file(str(tokenizer_json(encoding)))

    def to_list(text: str) -> list[int]:
        return tokenizer.encode(text, add_special_tokens=False).ids

    return Loaded(to_list, None)


FILE = "a .tiktoken file"
OWN = "its own bundled file"

PEERS = (
    Peer(OURS, ("tokenarium_core",), _tokenarium),
    Peer(REFERENCE, ("tiktoken", "tiktoken_ext.openai_public"), _tiktoken),
    Peer("fastokens", ("fastokens",), _fastokens, source=FILE),
    Peer("gigatoken", ("gigatoken",), _gigatoken, source=FILE),
    Peer("splintr", ("splintr",), _splintr, source=OWN),
    Peer("quicktok", ("quicktok",), _quicktok, encodings=NEWER, source=OWN),
    Peer("kitoken", ("kitoken",), _kitoken, share=0.25, source=FILE),
    Peer(
        "tokenizers",
        ("tokenizers",),
        _tokenizers,
        share=1 / 16,
        source="a tokenizer.json",
    ),
)
