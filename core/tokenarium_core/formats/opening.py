"""Opening a tokenizer by a name or a path: the format is known by the content, not by the file's name."""

from __future__ import annotations

import base64
import hashlib
import os
from pathlib import Path
from typing import Final

from tokenarium_core.details import Source
from tokenarium_core.errors import FormatError, NotAvailable
from tokenarium_core.formats.gpt2_format import read_gpt2
from tokenarium_core.formats.hf.hf_format import read_huggingface, thaw_huggingface
from tokenarium_core.formats.hf.hf_slow_folder import not_applied, open_slow_folder, slow_form
from tokenarium_core.formats.json_reader import read_json
from tokenarium_core.formats.named import NAMED, NamedEncoding, cache_path, read_files
from tokenarium_core.formats.recognition import (
    GPT2,
    HUGGINGFACE,
    IN_FOLDERS,
    JSON,
    KNOWN,
    MODEL_FOLDER,
    PAIRS,
    SENTENCEPIECE,
    TEKKEN,
    TIKTOKEN,
    TOKENARIUM,
    UNKNOWN,
    VOCAB_TXT,
    format_of,
    in_folder,
)
from tokenarium_core.formats.sentencepiece.sentencepiece_format import (
    read_sentencepiece,
    thaw_sentencepiece,
)
from tokenarium_core.formats.tekken_format import read_tekken
from tokenarium_core.formats.tiktoken_format import read_tiktoken
from tokenarium_core.formats.tiktoken_writer import PATTERN_SUFFIX, RANKS_HASH
from tokenarium_core.formats.vocab_txt_format import read_vocab_txt
from tokenarium_core.formats.whole_json import whole_json
from tokenarium_core.frozen import FrozenWriter, is_worth_keeping, keep, kept, state_of
from tokenarium_core.pretokenizers.pattern import pattern as regex_pre_tokenizer
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.pretokenizers.scanners import (
    PRE_TOKENIZERS,
    is_name,
    pre_tokenizer,
    scanner_for,
)
from tokenarium_core.tokenizer import Tokenizer

_LARGEST: Final = 1 << 28
_PIECE: Final = 1 << 20


def open_tokenizer(
    source: str | os.PathLike[str],
    *,
    pattern: str | None = None,
    special_tokens: dict[str, int] | None = None,
    cache: Path | None = None,
) -> Tokenizer:
    """Returns the tokenizer of a name ("cl100k_base") or of a file or folder of any format that is known.

    ``pattern``: how a ``.tiktoken`` file cuts a text: a name of `PRE_TOKENIZERS` or a regular expression;
    needed only where the file is not one that is known by its hash, and has no pattern beside it. ``special_tokens`` come on top of
    those that the source has. ``cache``: a folder where what was worked out of a large file is kept, so
    that it opens in a fraction of the time when it is opened again (see `frozen`).

    Raises NotAvailable for what is not on this computer, FormatError for a file that is not what it
    should be, PatternError for a pattern that does not compile.
    """
    extra = special_tokens or {}
    if isinstance(source, str) and source in NAMED and not Path(source).exists():
        named = NAMED[source]
        tokenizer = _named(named, extra)
        tokenizer.source = Source(TIKTOKEN, source, [cache_path(file) for file in named.files])
        return tokenizer
    path = Path(source)
    folder: Path | None = None
    try:
        path.stat()
    except FileNotFoundError:
        pass  # it may be a name
    except OSError as error:
        raise NotAvailable(f"{path} cannot be looked at: {error.strerror}.") from error
    except ValueError:  # no file can have such a name
        pass
    if path.is_dir():
        folder = path
        inside = in_folder(folder)
        if inside is None:
            raise FormatError(
                f"{folder} is a folder without a tokenizer, or with several: open one of its files."
                f" Known are {KNOWN}."
            )
        path = inside
    if folder is not None and pattern is None and not extra and slow_form(folder, path):
        tokenizer, files = open_slow_folder(folder, path, _name(path), _content, cache)
        tokenizer.source = Source(MODEL_FOLDER, str(folder), files)
        return tokenizer
    if not path.exists():
        registered = _registered(str(source), extra)
        if registered is not None:
            registered.source = Source(TIKTOKEN, str(source))
            return registered
        names = ", ".join(NAMED)
        raise NotAvailable(
            f"There is no file {path}, and no encoding of that name: known are {names}."
        )
    if cache is not None and pattern is None and not extra and is_worth_keeping(path):
        known = _thawed(path, folder, cache)
        if known is not None:
            return known
    state = state_of(path) if cache is not None else ""
    content = _content(path)
    format = format_of(content, path.name)
    if format == TIKTOKEN:
        tokenizer = _tiktoken(content, path, pattern, extra)
    elif format == GPT2:
        tokenizer = _pair(path, pattern, extra)
    elif format not in (UNKNOWN, JSON) and (pattern is not None or extra):
        raise FormatError(
            f"{path.name} tells its own pattern and special tokens: open it without any beside it."
        )
    else:
        out = FrozenWriter() if cache is not None and is_worth_keeping(path) else None
        if out is not None:
            out.text(format)
        tokenizer = _read(format, content, path, folder, out)
        if out is not None and cache is not None and out.complete:
            keep(path, cache, out, state, content)
    tokenizer.source = Source(format, str((folder or path).absolute()), _files(format, path))
    if folder is None:
        tokenizer.details += not_applied(path)
    return tokenizer


def _files(format: str, path: Path) -> list[Path]:
    """Returns the files that one of this format was read from."""
    beside = path.with_name(path.stem + PATTERN_SUFFIX)
    if format == TIKTOKEN and beside.is_file():
        return [path, beside]
    if format == GPT2:
        names = next((pair for pair in PAIRS if path.name in pair), PAIRS[0])
        return [path.with_name(name) for name in names]
    return [path]


def _thawed(path: Path, folder: Path | None, cache: Path) -> Tokenizer | None:
    """Returns the tokenizer as it is kept of an earlier time; None where there is nothing of use."""
    frozen = kept(path, cache)
    if frozen is None:
        return None
    try:
        format = frozen.text()
        if format == SENTENCEPIECE:
            tokenizer = thaw_sentencepiece(frozen, path.name, _name(path))
        else:
            tokenizer = thaw_huggingface(frozen, _name(path), path.parent)
    except Exception:  # a cache only saves time: the file itself is there
        return None
    tokenizer.source = Source(format, str((folder or path).absolute()), [path])
    if folder is None:
        tokenizer.details += not_applied(path)
    return tokenizer


def cutting(pattern: str) -> PreTokenizer:
    """Returns the pre-tokenizer of a name or a regular expression; a known pattern gets its scanner.

    Raises PatternError for a word that is no name, with those that are near, and for an expression that does not compile.
    """
    if pattern in PRE_TOKENIZERS or is_name(pattern):
        return pre_tokenizer(pattern)
    scanner = scanner_for(pattern)
    return scanner if scanner is not None else regex_pre_tokenizer(pattern)


def _content(path: Path) -> bytes:
    try:
        if path.is_file():
            size = path.stat().st_size
            content = path.read_bytes() if size <= _LARGEST else b""
        else:  # a pipe, perhaps, or a device that never ends
            content, size = _streamed(path)
        if size > _LARGEST:
            raise FormatError(f"{path.name} is larger than 256 MiB: this is not a tokenizer.")
    except OSError as error:
        raise NotAvailable(f"{path} cannot be read: {error.strerror}.") from error
    if not content.strip():
        raise FormatError(f"{path.name} is empty.")
    return content


def _streamed(path: Path) -> tuple[bytes, int]:
    """Returns what comes, and how much it is, up to a piece more than `_LARGEST`: the room for it is taken as it comes."""
    pieces: list[bytes] = []
    size = 0
    with path.open("rb") as stream:
        while size <= _LARGEST and (piece := stream.read(_PIECE)):
            pieces.append(piece)
            size += len(piece)
    return b"".join(pieces) if size <= _LARGEST else b"", size


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
    name = _name(path)
    special: dict[str, int] = {}
    beside = path.with_name(path.stem + PATTERN_SUFFIX)
    if pattern is None and beside.is_file():
        name, pattern, special = _beside(beside, path.name, content)
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
                f"{path.name} has entries and their ranks, but not the pattern that cuts a text: choose one"
                f" ({', '.join(PRE_TOKENIZERS)}, or a regular expression)."
            )
    return read_tiktoken(content, path.name, name, cutting(pattern), {**special, **extra})


def _beside(path: Path, source: str, ranks: bytes) -> tuple[str, str, dict[str, int]]:
    """Returns the name, the pattern and the special tokens in the file that `tiktoken_writer` puts beside the ranks.

    Raises FormatError where it names other ranks: then one of the two is of an earlier time. One without a hash is taken
    as it is.
    """
    stored = whole_json(_content(path), path.name)
    fields = stored if isinstance(stored, dict) else {}
    name = fields.get("name")
    pattern = fields.get("pat_str")
    special = fields.get("special_tokens")
    if (
        not isinstance(name, str)
        or not isinstance(pattern, str)
        or not isinstance(special, dict)
        or not {type(token) for token in special.values()} <= {int}
    ):
        raise FormatError(
            f"{path.name} should have the fields 'name' and 'pat_str' (texts) and 'special_tokens' (ids by text)."
            " Move it away to choose the pattern by hand."
        )
    if RANKS_HASH in fields and fields[RANKS_HASH] != hashlib.sha256(ranks).hexdigest():
        raise FormatError(
            f"{path.name} belongs to other ranks than those in {source}: one of the two was replaced without the other."
            " Save the tokenizer again, or move the file with the pattern away to choose one by hand."
        )
    return name, pattern, special


def _pair(path: Path, pattern: str | None, extra: dict[str, int]) -> Tokenizer:
    names = next((pair for pair in PAIRS if path.name in pair), PAIRS[0])
    encoder, merges = [path.with_name(name) for name in names]
    for one, other in ((encoder, merges), (merges, encoder)):
        if not one.is_file():
            raise NotAvailable(f"{other.name} needs {one.name} beside it, and {one} is not there.")
    return read_gpt2(
        _content(encoder), _content(merges), _name(encoder), cutting(pattern or "gpt2"), extra
    )


def _read(
    format: str, content: bytes, path: Path, folder: Path | None, out: FrozenWriter | None
) -> Tokenizer:
    """Returns the tokenizer of a file that tells all about itself."""
    if format == SENTENCEPIECE:
        return read_sentencepiece(content, path.name, _name(path), out)
    if format == TEKKEN:
        return read_tekken(content, path.name, _name(path))
    if format == HUGGINGFACE:
        return read_huggingface(content, _name(path), path.parent, out)
    if format == VOCAB_TXT:
        tokenizer = read_vocab_txt(content, path.name)
        tokenizer.name = _name(path)
        return tokenizer
    if format == TOKENARIUM or format == JSON:
        file = whole_json(content, path.name)
        if format == TOKENARIUM:
            return read_json(file, path.name)
        raise FormatError(
            f"{path.name} is JSON, but not of a tokenizer that this program knows. Known are {KNOWN}."
        )
    raise FormatError(
        f"{path.name} is of no format that this program knows: it begins with {_beginning(content)}. Known are {KNOWN}."
    )


def _beginning(content: bytes) -> str:
    head = content[:16]
    if head.isascii() and head.decode("ascii").isprintable():
        return f"“{head.decode('ascii')}”"
    return f"the bytes {head[:8].hex(' ').upper()}"


def _name(path: Path) -> str:
    """Returns what to call the tokenizer of a file: the folder's name where the file's is always the same."""
    name = path.stem
    if path.name in IN_FOLDERS or any(path.name in pair for pair in PAIRS):
        name = path.absolute().parent.name or path.stem
    # Bytes of a file's name that are not UTF-8 come as surrogates, which no file can be written with.
    return name.encode("utf-8", "backslashreplace").decode()
