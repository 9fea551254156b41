"""Reading the encodings that have a name in tiktoken: its own, and those that its plug-ins register."""

from __future__ import annotations

import base64

from tokenarium_core.formats.gpt2_format import read_gpt2_merges
from tokenarium_core.formats.named import NamedEncoding, read_files
from tokenarium_core.formats.tiktoken_format import check_order, read_tiktoken
from tokenarium_core.pretokenizers.scanners import pre_tokenizer
from tokenarium_core.pretokenizers.tiktoken_pattern import tiktoken_pattern
from tokenarium_core.tokenizer import Tokenizer


def read_named(encoding: NamedEncoding, extra: dict[str, int]) -> Tokenizer:
    """Returns an encoding of tiktoken, with more special tokens; NotAvailable as `read_files`."""
    contents = read_files(encoding)
    special = {**encoding.special_tokens, **extra}
    scanner = pre_tokenizer(encoding.pre_tokenizer)
    if len(contents) == 2:  # the hashes are right, and this encoder.json is in the usual order
        return read_gpt2_merges(contents[0], encoding.name, scanner, special)
    return read_tiktoken(contents[0], encoding.name, encoding.name, scanner, special)


def read_plugin_encoding(name: str, extra: dict[str, int]) -> Tokenizer | None:
    """Returns an encoding that a plug-in of tiktoken registers; None if there is none of that name."""
    try:
        from tiktoken import registry
    except ImportError:  # the core does not need tiktoken
        return None
    if name not in registry.list_encoding_names():
        return None
    encoding = registry.get_encoding(name)
    lines = [
        base64.b64encode(piece) + b" %d\n" % rank
        for piece, rank in encoding._mergeable_ranks.items()
    ]
    special = {**encoding._special_tokens, **extra}
    check_order(special, name)
    return read_tiktoken(b"".join(lines), name, name, tiktoken_pattern(encoding._pat_str), special)
