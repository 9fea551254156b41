"""The peers that load OpenAI's encodings: Tokenarium, tiktoken as the reference, and the others, without the network."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from peer_files import definition, tiktoken_file, tokenizer_json, write
from peers import OURS, Loaded, Peer, load_snaptokens

NAMED = ("cl100k_base", "o200k_base")  # most peers know these two by name


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
    if encoding in NAMED:
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
        # Quicker than its own way to lists, encode_batch_list, which prepares a batch for each call.
        return tokenizer.encode(text).tolist()

    return Loaded(to_list, tokenizer.encode)


def _splintr(encoding: str) -> Loaded:
    import splintr

    if encoding in NAMED:
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

    if encoding in NAMED:
        tokenizer = kitoken.Kitoken.from_tiktoken_file(str(tiktoken_file(encoding)))
    else:  # a .tiktoken file names no pattern, and it takes these two for one with another
        tokenizer = kitoken.Kitoken.from_tokenizers_file(str(tokenizer_json(encoding)))

    def to_list(text: str) -> list[int]:
        return tokenizer.encode(text, False)

    return Loaded(to_list)


def _toktok(encoding: str) -> Loaded:
    import toktok

    # Its public functions only count, and keep the first one.
    tokenizer = toktok._Tokenizer(encoding, "")

    def to_buffer(text: str) -> Any:
        return tokenizer.encode_to_numpy(text, disallowed_special=())

    return Loaded(tokenizer.encode_ordinary, to_buffer)


def _snaptokens(encoding: str) -> Loaded:
    """It knows patterns by their wording: that of ``cl100k_base`` as it is in the files of models which took it over."""
    path = tokenizer_json(encoding)
    if encoding == "cl100k_base":
        source, path = path, path.with_name(f"{encoding}-of-models.json")
        if not path.exists():
            content = json.loads(source.read_text(encoding="utf-8"))
            content["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = _CL100K_OF_MODELS
            write(path, json.dumps(content).encode())
    return load_snaptokens(path)


_CL100K_OF_MODELS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def _tokenizers(encoding: str) -> Loaded:
    import tokenizers

    tokenizer = tokenizers.Tokenizer.from_file(str(tokenizer_json(encoding)))

    def to_list(text: str) -> list[int]:
        return tokenizer.encode(text, add_special_tokens=False).ids

    return Loaded(to_list)


CACHE = "tiktoken's cache"
FILE = "a .tiktoken file"
OWN = "its own bundled file"

PEERS = (
    Peer(OURS, ("tokenarium_core",), _tokenarium, CACHE),
    Peer("tiktoken", ("tiktoken", "tiktoken_ext.openai_public"), _tiktoken, CACHE),
    Peer("fastokens", ("fastokens",), _fastokens, FILE),
    Peer("gigatoken", ("gigatoken",), _gigatoken, FILE),
    Peer("splintr", ("splintr",), _splintr, OWN),
    Peer("quicktok", ("quicktok",), _quicktok, OWN),
    Peer("toktok", ("toktok",), _toktok, OWN),
    Peer("snaptokens", ("snaptokens",), _snaptokens, "a tokenizer.json"),
    Peer("kitoken", ("kitoken",), _kitoken, FILE, share=1 / 4),
    Peer("tokenizers", ("tokenizers",), _tokenizers, "a tokenizer.json", share=1 / 16),
)
