"""Reading the encodings that have a name in tiktoken: its own, and those that its plug-ins register."""

from __future__ import annotations

import base64
from pathlib import Path

from tokenarium_core.formats.gpt2_format import read_gpt2_merges
from tokenarium_core.formats.named import NamedEncoding, cache_path, read_files
from tokenarium_core.formats.tiktoken_format import (
    TIKTOKEN,
    check_order,
    load_tiktoken,
    read_tiktoken,
)
from tokenarium_core.plain_files import file_sha256
from tokenarium_core.pretokenizers.scanners import pre_tokenizer
from tokenarium_core.pretokenizers.tiktoken_pattern import tiktoken_pattern
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.tokenizer_cache import CacheWriter, is_worth_caching, load, store


def read_named(encoding: NamedEncoding, extra: dict[str, int], cache: Path | None) -> Tokenizer:
    """Returns an encoding of tiktoken, with more special tokens; NotAvailable as `read_files`."""
    special = {**encoding.special_tokens, **extra}
    scanner = pre_tokenizer(encoding.pre_tokenizer)
    name, ranks = encoding.name, encoding.files[0]
    if (
        len(encoding.files) == 2
    ):  # the hashes are right, and this encoder.json is in the usual order
        return read_gpt2_merges(read_files(encoding)[0], name, scanner, special)
    if cache is None or not is_worth_caching(cache_path(ranks)):
        return read_tiktoken(read_files(encoding)[0], name, name, scanner, special)
    cached = load(ranks.sha256, TIKTOKEN, cache)
    if cached is not None:
        try:
            if file_sha256(cache_path(ranks)) == ranks.sha256:
                return load_tiktoken(cached, name, name, scanner, special)
        except Exception:  # a cache only saves time: the file itself is still there
            pass
        finally:
            cached.close()
    out = CacheWriter()
    tokenizer = read_tiktoken(read_files(encoding)[0], name, name, scanner, special, out)
    store(ranks.sha256, TIKTOKEN, cache, out)
    return tokenizer


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
