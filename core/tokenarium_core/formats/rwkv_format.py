"""The vocabulary of RWKV's World models, ``rwkv_vocab_v20230424.txt``: an entry a line, with its id and its size.

```
257 '\\t\\t' 2
3311 b'\\xe4\\xb8' 2
65530 ' ~' 2
```

The entry is a literal of Python; its size is that in bytes. The longest entry at each place is taken. The id 0, the end
of a text, has no line. Source: ``rwkv_tokenizer.py`` of the package ``rwkv``.
"""

from __future__ import annotations

import re
from typing import Final

from tokenarium_core.added_tokens import AddedToken, AddedTokens, of_special
from tokenarium_core.decoders.decoder import Decoder
from tokenarium_core.details import Detail
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.format import (
    CERTAIN,
    LIKELY,
    NO,
    FileHead,
    Files,
    Format,
    named_after_file,
    whole_lines,
)
from tokenarium_core.formats.parts import lost_sentence
from tokenarium_core.formats.plain_lines import lines_of, pieces_by_id
from tokenarium_core.formats.python_literals import literal_bytes
from tokenarium_core.models.longest_match import LongestMatch
from tokenarium_core.pretokenizers.pretokenizer import WholeText
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import MAX_IDS

END: Final = "<|endoftext|>"
"""What the id 0 is called here; the file does not name it."""

_LINE: Final = re.compile(r"([0-9]{1,9}) +([bB]?['\"].*['\"]) +([0-9]{1,9}) *")
_HEAD_LINE: Final = re.compile(rb"[0-9]{1,9} +[bB]?['\"].*['\"] +[0-9]{1,9} *\r?")
_LEAST: Final = 3


def read_rwkv(content: bytes, source: str) -> Tokenizer:
    """Returns the tokenizer of a vocabulary of RWKV; ``source`` names it in errors.

    Raises FormatError, with the line, for anything but an id, a literal and its size in bytes, for an id or an entry
    that was there before, an id out of range, and if one of the 256 bytes is not an entry.
    """
    pieces: dict[int, bytes] = {}
    lines: dict[bytes, int] = {}
    for number, line in lines_of(content, source):
        match = _LINE.fullmatch(line)
        if match is None:
            raise FormatError(
                f"Line {number} of {source} is not an id, an entry in quotes and its size."
            )
        token = int(match[1])
        try:
            piece = literal_bytes(match[2])
        except ValueError as error:
            raise FormatError(f"Line {number} of {source} has an entry that {error}.") from error
        if len(piece) != int(match[3]):
            raise FormatError(
                f"Line {number} of {source} has an entry of {len(piece)} bytes, but states the size {match[3]}."
            )
        if token >= MAX_IDS:
            raise FormatError(
                f"Line {number} of {source} has an id above {MAX_IDS - 1:,}, the most that fits."
            )
        if token in pieces:
            raise FormatError(
                f"Line {number} of {source} has the id {token}, which an earlier line already has."
            )
        if piece in lines:
            raise FormatError(
                f"Line {number} of {source} has an entry that line {lines[piece]} already has."
            )
        pieces[token] = piece
        if piece:  # a text never has an entry of no bytes, and its id is that of no text
            lines[piece] = number
    special = {} if 0 in pieces else {END: 0}
    vocabulary = pieces_by_id(pieces, special, source)
    try:
        model = LongestMatch(vocabulary, bytes_match=True)
    except FormatError as error:
        raise FormatError(f"{source}: {error}") from error
    tokenizer = Tokenizer(
        source,
        model,
        WholeText(),
        of_special(special),
        decoder=Decoder("bytes", frozenset(special.values())),
    )
    if special:
        tokenizer.details = [
            Detail("assumed", "id 0", f"the end of a text, here {END}: the file has no line for it")
        ]
    return tokenizer


def with_special_entries(tokenizer: Tokenizer, special: dict[str, int]) -> Tokenizer:
    """Returns a tokenizer of `read_rwkv` some of whose entries are special tokens, as in llama.cpp.

    FormatError for one that is not an entry of its text.
    """
    vocabulary = tokenizer.vocabulary
    for text, token in special.items():
        if token >= len(vocabulary) or vocabulary.piece(token) != text.encode():
            raise FormatError(
                f"{tokenizer.name}: the special token {text!r} is not the entry with the id {token}."
            )
    added = [AddedToken(text, token, True) for text, token in special.items()]
    return Tokenizer(
        tokenizer.name,
        tokenizer.model,
        tokenizer.pre_tokenizer,
        AddedTokens(added, longest_first=True),
        decoder=Decoder("bytes", frozenset(special.values())),
    )


def obstacle_to_entries(tokenizer: Tokenizer) -> str:
    """Returns why a tokenizer does not consist of RWKV's entries, special ones included, in a sentence; empty if it does."""
    reason = _obstacle_to_stages(tokenizer)
    if reason:
        return reason
    vocabulary = tokenizer.vocabulary
    for token in tokenizer.added_tokens.tokens:
        is_entry = token.id < len(vocabulary) and vocabulary.kind(token.id) != "control"
        if not is_entry or vocabulary.piece(token.id) != token.content.encode():
            return f"The special token {token.content!r} is not an entry."
        if token.flags != ["special"]:
            return f"The special token {token.content!r} has options."
    return ""


def _obstacle(tokenizer: Tokenizer) -> str:
    reason = _obstacle_to_stages(tokenizer)
    listed = [token for token in tokenizer.added_tokens.tokens if token.content != END]
    if not reason and (listed or tokenizer.special_tokens.get(END, 0) != 0):
        keeps = "" if obstacle_to_entries(tokenizer) else " Tokenarium's JSON keeps them."
        return (
            "The file has no room for special tokens other than the id 0, which is called"
            f" {END}.{keeps}"
        )
    return reason


def _obstacle_to_stages(tokenizer: Tokenizer) -> str:
    model = tokenizer.model
    if not isinstance(model, LongestMatch) or not model.bytes_match:
        return "The file holds entries of which the longest is matched, and this is a model of another kind."
    if (
        tokenizer.normalizer is not None
        or tokenizer.splitter is not None
        or not isinstance(tokenizer.pre_tokenizer, WholeText)
    ):
        return "Programs that read the file use a text as it is, and this tokenizer normalizes or splits it first."
    if tokenizer.decoder.left_out != frozenset(tokenizer.special_tokens.values()):
        return lost_sentence("decoder")
    return ""


def _written(tokenizer: Tokenizer, stem: str) -> Files:
    vocabulary = tokenizer.vocabulary
    lines: list[str] = []
    for token in range(len(vocabulary)):
        if vocabulary.kind(token) not in ("control", "unused"):
            piece = vocabulary.piece(token)
            try:
                literal = repr(piece.decode())
            except UnicodeDecodeError:
                literal = repr(piece)
            lines.append(f"{token} {literal} {len(piece)}\n")
    return {f"{stem}.txt": "".join(lines).encode()}


def _recognized(head: FileHead) -> int:
    if not head.content[:1].isdigit():
        return NO
    lines = whole_lines(head)
    if len(lines) < _LEAST:
        return NO
    for line in lines[:_LEAST]:
        match = _LINE.fullmatch(line.decode("utf-8", "replace").rstrip("\r"))
        try:
            if match is None or len(literal_bytes(match[2])) != int(match[3]):
                return NO
        except ValueError:
            return NO
    return CERTAIN if all(_HEAD_LINE.fullmatch(line) for line in lines) else LIKELY


FORMAT: Final[Format] = Format(
    "rwkv",
    "RWKV's vocabulary",
    "RWKV",
    (".txt",),
    _recognized,
    named_after_file(read_rwkv),
    signs="Each of the first lines is an id, a text or bytes as Python writes them, and the size in bytes.",
    algorithms="longest match over bytes",
    compared="rwkv 0.8",
    writes="What was read from such a file, and changed.",
    patterns=("rwkv_vocab*.txt",),
    obstacle=_obstacle,
    write=_written,
    reference="rwkv",
)
