"""Reading Mistral's ``tekken.json``: byte-level BPE by ranks, whose ids start after the special tokens.

```json
{
 "config": {"pattern": "…", "num_vocab_tokens": 150000, "default_vocab_size": 131072,
            "default_num_special_tokens": 1000, "version": "v3"},
 "vocab": [{"rank": 0, "token_bytes": "AA==", "token_str": "\\u0000"}, …],
 "special_tokens": [{"rank": 0, "token_str": "<unk>", "is_control": true}, …]     newer versions
}
```

Only the first entries of ``vocab`` count, up to the limit set by ``default_vocab_size``.

Source: ``mistral_common/tokens/tokenizers/tekken.py`` in mistralai/mistral-common.
"""

from __future__ import annotations

import binascii
import contextlib
import json
from typing import Any, Final, final

from tokenarium_core.added_tokens import of_special
from tokenarium_core.decoders.decoder import Decoder
from tokenarium_core.details import Detail
from tokenarium_core.encoding import Template
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.format import CERTAIN, LIKELY, NO, FileHead, Format, TokenizerFile
from tokenarium_core.formats.json_scanner import whole_json
from tokenarium_core.formats.tiktoken_format import begin_alike
from tokenarium_core.models.bpe.byte_pair_encoder import encoder_of_ranks
from tokenarium_core.pretokenizers.tiktoken_pattern import tiktoken_pattern
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.vocabulary import BYTE, CONTROL, MAX_IDS, NORMAL, PieceArena, Vocabulary

_FIRST: Final = "<s>"
_EARLY_SPECIAL: Final = (
    *("<unk>", _FIRST, "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"),
    *("[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]"),
    *("[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"),
    "[TOOL_CONTENT]",
)
"""The special tokens by id in files up to version 7, which do not list them."""

_LAST_UNLISTED: Final = 7
_FIELDS: Final = frozenset(["config", "vocab", "special_tokens"])
_SIZE: Final = b'"default_vocab_size"'


@final
class TekkenDecoder(Decoder):
    """Joins the bytes of pieces without special tokens; the bytes between two of them are a separate text."""

    def __init__(self, special: int) -> None:
        super().__init__("Tekken")
        self.special = special

    def decode(self, vocabulary: Vocabulary, ids: list[int]) -> bytes:
        """Returns the text; IndexError for an id that does not exist."""
        texts: list[bytes] = []
        pieces: list[bytes] = []
        for token in ids:
            piece = vocabulary.piece(token)
            if token >= self.special:
                pieces.append(piece)
            elif pieces:
                texts.append(b"".join(pieces).decode("utf-8", "replace").encode())
                pieces = []
        texts.append(b"".join(pieces))
        return b"".join(texts)


def read_tekken(content: bytes, source: str, name: str) -> Tokenizer:
    """Returns the tokenizer of a ``tekken.json`` file's content; ``source`` names it in errors.

    Raises FormatError, with the entry and the field, for anything that mistral-common would not load; PatternError
    for a pattern that does not compile.
    """
    file = whole_json(content, source)
    config = _field(file, "config", dict, source)
    pattern = _field(config, "pattern", str, source)
    size = _count(config, "default_vocab_size", source)
    room = _count(config, "default_num_special_tokens", source)
    if room > size:
        raise FormatError(
            f"{source}: the field 'default_num_special_tokens' is {room:,}, more than the"
            f" {size:,} of 'default_vocab_size'."
        )
    special = _special(file, config, room, source)
    vocab = _field(file, "vocab", list, source)
    if len(vocab) < size - room:
        raise FormatError(
            f"{source}: the field 'vocab' has {len(vocab):,} entries, and {size - room:,} are needed:"
            " the file is cut off, or 'default_vocab_size' is wrong."
        )
    pieces = PieceArena(size)
    for text in special:
        pieces.add(text.encode("utf-8", "replace"), CONTROL)
    for rank in range(size - room):
        piece = _piece(vocab[rank], rank, source)
        pieces.add(piece, BYTE if len(piece) == 1 else NORMAL)
    first = special.index(_FIRST) if _FIRST in special else -1
    by_text = {text: token for token, text in enumerate(special)}
    return Tokenizer(
        name,
        encoder_of_ranks(Vocabulary(pieces)),
        tiktoken_pattern(pattern),
        of_special(by_text),
        template=Template(f"bos: {_FIRST}", [first], []) if first >= 0 else None,
        decoder=TekkenDecoder(room),
        details=[
            Detail("config", str(key), value if isinstance(value, str) else json.dumps(value))
            for key, value in config.items()
        ]
        + _told_apart(by_text),
    )


def _told_apart(special_tokens: dict[str, int]) -> list[Detail]:
    """Returns a message naming two special tokens of which one is a prefix of the other."""
    alike = begin_alike(special_tokens)
    if alike is None:
        return []
    value = (
        f"{alike[1]!r} begins with {alike[0]!r}: here the longest is matched, and mistral-common looks for no special"
        " token in a text"
    )
    return [Detail("special tokens", "not exact", value)]


def _special(
    file: dict[str, object], config: dict[str, object], room: int, source: str
) -> list[str]:
    """Returns the special tokens by id, with fillers up to ``room``."""
    listed = file.get("special_tokens")
    texts: list[str] = []
    if listed is None:
        version = str(config.get("version", "")).removeprefix("v")
        if not version.isdecimal() or int(version[:9]) > _LAST_UNLISTED:
            raise FormatError(
                f"{source}: the field 'special_tokens' is missing, which only files up to version"
                f" {_LAST_UNLISTED} may leave out; this one says {config.get('version')!r}."
            )
        texts += _EARLY_SPECIAL
    else:
        entries = _field(file, "special_tokens", list, source)
        for rank, entry in enumerate(entries):
            text = entry.get("token_str") if isinstance(entry, dict) else None
            if not isinstance(text, str) or not text or entry.get("rank") != rank:
                raise FormatError(
                    f"{source}: entry {rank} of the field 'special_tokens' does not have the rank {rank} and a text"
                    " 'token_str'."
                )
            texts.append(text)
    if len(texts) > room:
        raise FormatError(
            f"{source} has {len(texts):,} special tokens, and 'default_num_special_tokens' has room for"
            f" {room:,}."
        )
    texts += [f"<SPECIAL_{token}>" for token in range(len(texts), room)]
    ranks: dict[str, int] = {}
    for rank, text in enumerate(texts):
        if ranks.setdefault(text, rank) != rank:
            raise FormatError(
                f"{source}: the special tokens {ranks[text]} and {rank} are both {text!r}."
            )
    return texts


def _piece(entry: object, rank: int, source: str) -> bytes:
    """Returns the bytes of one entry of the vocabulary."""
    if not isinstance(entry, dict) or entry.get("rank") != rank:
        raise FormatError(
            f"{source}: entry {rank} of the field 'vocab' does not have the rank {rank}."
        )
    text = entry.get("token_bytes")
    piece = b""
    if isinstance(text, str):
        with contextlib.suppress(ValueError):
            piece = binascii.a2b_base64(text, strict_mode=True)
    if not piece:
        raise FormatError(
            f"{source}: entry {rank} of the field 'vocab' has no bytes in base64 as 'token_bytes': {text!r}."
        )
    if rank < 256 and piece != bytes([rank]):
        raise FormatError(
            f"{source}: entry {rank} of the field 'vocab' is {piece!r}; the first 256 must be the bytes in order."
        )
    return piece


def _field(entry: object, name: str, kind: type, source: str) -> Any:
    value = entry.get(name) if isinstance(entry, dict) else None
    if type(value) is not kind:
        raise FormatError(f"{source} has no field {name!r} of the kind that tekken.json has.")
    return value


def _count(config: dict[str, object], name: str, source: str) -> int:
    value = config.get(name)
    if type(value) is not int or not 0 <= value <= MAX_IDS:
        raise FormatError(
            f"{source}: the field {name!r} is {value!r}, not a count up to {MAX_IDS:,}."
        )
    return value


def _recognized(head: FileHead) -> int:
    fields = head.fields
    if "config" in fields and "vocab" in fields:
        named = b'"pattern"' in head.content
        return CERTAIN if fields["config"] == "{" and fields["vocab"] == "[" and named else LIKELY
    if fields.get("config") == "{" and "special_tokens" in fields and _SIZE in head.content:
        return CERTAIN  # the entries come later
    return LIKELY if head.complete and fields and fields.keys() <= _FIELDS else NO


def _opened(file: TokenizerFile) -> Tokenizer:
    return read_tekken(file.content, file.path.name, file.name)


FORMAT: Final[Format] = Format(
    "tekken",
    "Mistral's tekken.json",
    "Tekken",
    (".json",),
    _recognized,
    _opened,
    signs="An object with `config` (with a pattern) and the list `vocab`.",
    algorithms="byte-level BPE by ranks",
    compared="tiktoken 0.14, with the ranks and the pattern of the file; mistral-common 1.13",
    own_names=("tekken.json",),
    folder_names=("tekken.json",),
    patterns=("*tekken*.json",),
)
