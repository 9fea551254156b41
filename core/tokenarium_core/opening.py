"""Opening a tokenizer by a name or a path: the format is known by the content, not by the file's name."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from pathlib import Path
from typing import Final

from tokenarium_core.errors import FormatError, NotAvailable
from tokenarium_core.gpt2_format import read_gpt2
from tokenarium_core.json_reader import read_json
from tokenarium_core.named import NAMED, NamedEncoding, read_files
from tokenarium_core.pattern import pattern as regex_pre_tokenizer
from tokenarium_core.pretokenizer import PreTokenizer
from tokenarium_core.pretokenizers import PRE_TOKENIZERS, pre_tokenizer, scanner_for
from tokenarium_core.tiktoken_format import read_tiktoken
from tokenarium_core.tokenizer import Tokenizer

_LARGEST: Final = 1 << 30
_TIKTOKEN_LINE: Final = re.compile(rb"[A-Za-z0-9+/]+={0,2} [0-9]+\r?(\n|\Z)")
_PAIR: Final = ("encoder.json", "vocab.bpe")


def open_tokenizer(
    source: str | os.PathLike[str],
    *,
    pattern: str | None = None,
    special_tokens: dict[str, int] | None = None,
) -> Tokenizer:
    """Returns the tokenizer of a name ("cl100k_base") or of a file or folder of any format that is known.

    ``pattern``: how a ``.tiktoken`` file cuts a text: a name of `PRE_TOKENIZERS` or a regular expression;
    needed only where the file is not one that is known by its hash. ``special_tokens`` come on top of
    those that the source has.

    Raises NotAvailable for what is not on this computer, FormatError for a file that is not what it
    should be, PatternError for a pattern that does not compile.
    """
    extra = special_tokens or {}
    if isinstance(source, str) and source in NAMED and not Path(source).exists():
        return _named(NAMED[source], extra)
    path = Path(source)
    if path.is_dir():
        if not all((path / name).is_file() for name in _PAIR):
            raise FormatError(
                f"{path} is a folder without a tokenizer: it has no encoder.json with vocab.bpe."
            )
        path = path / _PAIR[0]
    if not path.exists():
        registered = _registered(str(source), extra)
        if registered is not None:
            return registered
        names = ", ".join(NAMED)
        raise NotAvailable(
            f"There is no file {path}, and no encoding of that name: known are {names}."
        )
    content = _content(path)
    if content.lstrip()[:1] == b"{":
        return _json(content, path, pattern, extra)
    if content.startswith(b"#version"):
        return _pair(path.with_name(_PAIR[0]), path, pattern, extra)
    if _TIKTOKEN_LINE.match(content) is not None:
        return _tiktoken(content, path, pattern, extra)
    raise FormatError(
        f"{path.name} is of no format that this program knows: it begins with {content[:16]!r}. Known are"
        " .tiktoken files, GPT-2's encoder.json with vocab.bpe, and Tokenarium's own JSON."
    )


def cutting(pattern: str) -> PreTokenizer:
    """Returns the pre-tokenizer of a name or a regular expression; a known pattern gets its scanner."""
    if pattern in PRE_TOKENIZERS:
        return pre_tokenizer(pattern)
    scanner = scanner_for(pattern)
    return scanner if scanner is not None else regex_pre_tokenizer(pattern)


def _content(path: Path) -> bytes:
    try:
        if path.stat().st_size > _LARGEST:
            raise FormatError(f"{path.name} is larger than 1 GiB: this is not a tokenizer.")
        content = path.read_bytes()
    except OSError as error:
        raise NotAvailable(f"{path} cannot be read: {error.strerror}.") from error
    if not content.strip():
        raise FormatError(f"{path.name} is empty.")
    return content


def _named(encoding: NamedEncoding, extra: dict[str, int]) -> Tokenizer:
    contents = read_files(encoding)
    special = {**encoding.special_tokens, **extra}
    scanner = pre_tokenizer(encoding.pre_tokenizer)
    if len(contents) == 2:
        return read_gpt2(contents[1], contents[0], encoding.name, scanner, special)
    return read_tiktoken(contents[0], encoding.name, encoding.name, scanner, special)


def _registered(name: str, extra: dict[str, int]) -> Tokenizer | None:
    """Returns an encoding that a plug-in of tiktoken registers; None where there is none of that name."""
    try:
        from tiktoken import registry
    except ImportError:  # the core does without tiktoken
        return None
    if name not in registry.list_encoding_names():
        return None
    encoding = registry.get_encoding(name)
    lines = [
        base64.b64encode(piece) + b" %d\n" % rank
        for piece, rank in encoding._mergeable_ranks.items()
    ]
    special = {**encoding._special_tokens, **extra}
    return read_tiktoken(b"".join(lines), name, name, cutting(encoding._pat_str), special)


def _tiktoken(content: bytes, path: Path, pattern: str | None, extra: dict[str, int]) -> Tokenizer:
    name = path.stem
    special: dict[str, int] = {}
    if pattern is None:
        digest = hashlib.sha256(content).hexdigest()
        for encoding in NAMED.values():
            if encoding.files[0].sha256 == digest:
                name = encoding.name
                special = encoding.special_tokens
                pattern = encoding.pre_tokenizer
                break
        else:
            raise FormatError(
                f"{path.name} has pieces and ranks, but not the pattern that cuts a text: choose one"
                f" ({', '.join(PRE_TOKENIZERS)}, or a regular expression)."
            )
    return read_tiktoken(content, path.name, name, cutting(pattern), {**special, **extra})


def _pair(encoder: Path, merges: Path, pattern: str | None, extra: dict[str, int]) -> Tokenizer:
    for path, other in ((encoder, merges), (merges, encoder)):
        if not path.is_file():
            raise NotAvailable(
                f"{other.name} needs {path.name} beside it, and {path} is not there."
            )
    name = encoder.parent.resolve().name or "gpt2"
    return read_gpt2(_content(encoder), _content(merges), name, cutting(pattern or "gpt2"), extra)


def _json(content: bytes, path: Path, pattern: str | None, extra: dict[str, int]) -> Tokenizer:
    try:
        file = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path.name} is not whole JSON: {error}.") from error
    if isinstance(file, dict) and "format" in file and "tokenizer" in file:
        return read_json(file, path.name)
    if isinstance(file, dict) and file and all(type(value) is int for value in file.values()):
        return _pair(path, path.with_name(_PAIR[1]), pattern, extra)
    raise FormatError(f"{path.name} is JSON, but not of a tokenizer that this program knows.")
