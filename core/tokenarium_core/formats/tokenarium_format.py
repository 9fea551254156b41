"""Our own file: a whole tokenizer as readable JSON, with a version and a hash.

```json
{
 "format": "tokenarium", "version": 1, "sha256": "…",
 "tokenizer": {
  "name": "my 8k", "algorithm": "byte-level BPE",
  "pre_tokenizer": {"name": "cl100k"},          or {"pattern": "\\w+|\\W+"}
  "special_tokens": {"<|endoftext|>": 8192},
  "pieces": ["!", "\"", …, "Ġthe", null],       in GPT-2's alphabet, by id; null has no piece
  "merges": ["Ġ t", …]                          by rank; null: the ids are the ranks, as in tiktoken
 }
}
```

The hash is SHA-256 over the "tokenizer" value as JSON with sorted keys, no blanks and no escapes beyond
JSON's own; a file that was cut off or changed by hand is refused.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

from tokenarium_core.added_tokens import of_special
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.byte_level import obstacle_to_bytes
from tokenarium_core.formats.format import (
    CERTAIN,
    LIKELY,
    NO,
    FileHead,
    Files,
    Format,
    TokenizerFile,
)
from tokenarium_core.formats.json_scanner import whole_json
from tokenarium_core.models.bpe.byte_pair_encoder import (
    BytePairEncoder,
    encoder_of_merges,
    encoder_of_ranks,
)
from tokenarium_core.models.bpe.merge_table import MergeTable
from tokenarium_core.pretokenizers.pattern import pattern as regex_pre_tokenizer
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.pretokenizers.scanners import PRE_TOKENIZERS, pre_tokenizer
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.unicode import byte_alphabet
from tokenarium_core.vocabulary import (
    BYTE,
    CONTROL,
    MAX_IDS,
    NORMAL,
    UNUSED,
    PieceArena,
    Vocabulary,
)

_NAME: Final = "tokenarium"
VERSION: Final = 1
ALGORITHM: Final = "byte-level BPE"


def _written(tokenizer: Tokenizer, stem: str) -> Files:
    """Returns the one file; `read_json` makes an equal tokenizer of it."""
    content = content_of_tokenizer(tokenizer)
    file = {
        "format": _NAME,
        "version": VERSION,
        "sha256": content_hash(content),
        "tokenizer": content,
    }
    content_of_file = json.dumps(file, ensure_ascii=False, indent=0).encode()
    return {f"{stem}.json": content_of_file + b"\n"}


def content_of_tokenizer(tokenizer: Tokenizer) -> dict[str, Any]:
    """Returns the value "tokenizer" of the file; only if there is no obstacle to this format."""
    encoder = tokenizer.model
    assert isinstance(encoder, BytePairEncoder)
    pre_tokenizer = tokenizer.pre_tokenizer
    vocabulary = encoder.vocabulary
    texts: list[str | None] = []
    for token in range(len(vocabulary)):
        kind = vocabulary.kind(token)
        texts.append(
            None
            if kind in ("unused", "control")
            else byte_alphabet.to_text(vocabulary.piece(token))
        )
    merges: list[str] | None = None
    if not encoder.whole_pieces:
        table = encoder.merges
        merges = [
            f"{texts[table.lefts[rank]]} {texts[table.rights[rank]]}"
            for rank in range(len(table))
            if table.results[rank] >= 0
        ]
    named = pre_tokenizer.name in PRE_TOKENIZERS
    return {
        "name": tokenizer.name,
        "algorithm": ALGORITHM,
        "pre_tokenizer": {"name": pre_tokenizer.name}
        if named
        else {"pattern": pre_tokenizer.pattern},
        "special_tokens": tokenizer.special_tokens,
        "pieces": texts,
        "merges": merges,
    }


def content_hash(content: object) -> str:
    """Returns the SHA-256 of a parsed "tokenizer" value, in hexadecimal digits."""
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def read_json(file: object, source: str) -> Tokenizer:
    """Returns the tokenizer of a parsed file; FormatError, with the field, if it is not one."""
    if not isinstance(file, dict) or file.get("format") != _NAME:
        raise FormatError(
            f"{source} is not a Tokenarium file: its field 'format' is not {_NAME!r}."
        )
    if file.get("version") != VERSION:
        raise FormatError(
            f"{source} has version {file.get('version')!r} of the format; this program reads version {VERSION}."
            " A newer Tokenarium may read it."
        )
    content = file.get("tokenizer")
    if not isinstance(content, dict):
        raise FormatError(f"{source} has no field 'tokenizer'.")
    if file.get("sha256") != content_hash(content):
        raise FormatError(
            f"{source} was changed or cut off after it was saved: its content does not have the hash it names."
        )
    return tokenizer_of_content(content, source)


def tokenizer_of_content(content: dict[str, Any], source: str) -> Tokenizer:
    """Returns the tokenizer of the value "tokenizer"; FormatError, with the field, if it is not one."""
    name = content.get("name")
    if not isinstance(name, str) or content.get("algorithm") != ALGORITHM:
        raise FormatError(
            f"{source}: the fields 'name' and 'algorithm' must be a text and {ALGORITHM!r}."
        )
    special = _special_tokens(content.get("special_tokens"), source)
    texts = content.get("pieces")
    if not isinstance(texts, list) or len(texts) > MAX_IDS:
        raise FormatError(
            f"{source}: the field 'pieces' is not a list of at most {MAX_IDS:,} entries."
        )
    vocabulary = _vocabulary(texts, special, source)
    merges = content.get("merges")
    if merges is None:
        encoder = encoder_of_ranks(vocabulary)
    elif isinstance(merges, list):
        encoder = encoder_of_merges(vocabulary, _merges(merges, texts, source))
    else:
        raise FormatError(f"{source}: the field 'merges' is neither a list nor null.")
    return Tokenizer(
        name,
        encoder,
        _pre_tokenizer(content.get("pre_tokenizer"), source),
        of_special(special),
    )


def _pre_tokenizer(field: object, source: str) -> PreTokenizer:
    if isinstance(field, dict):
        name = field.get("name")
        if isinstance(name, str) and name in PRE_TOKENIZERS:
            return pre_tokenizer(name)
        pattern = field.get("pattern")
        if isinstance(pattern, str):
            return regex_pre_tokenizer(pattern)
    raise FormatError(
        f"{source}: the field 'pre_tokenizer' names neither a pattern nor one of {', '.join(PRE_TOKENIZERS)}."
    )


def _special_tokens(field: object, source: str) -> dict[str, int]:
    if not isinstance(field, dict):
        raise FormatError(f"{source}: the field 'special_tokens' is not an object.")
    for token, number in field.items():
        if type(number) is not int or not 0 <= number < MAX_IDS:
            raise FormatError(f"{source}: the special token {token!r} has the id {number!r}.")
    return field


def _vocabulary(texts: list[object], special: dict[str, int], source: str) -> Vocabulary:
    by_id: dict[int, str] = {}
    for token, number in special.items():
        if number < len(texts) and texts[number] is not None:
            raise FormatError(
                f"{source}: the special token {token!r} has the id {number}, which is taken."
            )
        by_id.setdefault(number, token)
    count = max([len(texts), *[number + 1 for number in by_id]])
    pieces = PieceArena(count)
    for number in range(count):
        text = texts[number] if number < len(texts) else None
        if number in by_id:
            pieces.add(by_id[number].encode(), CONTROL)
        elif text is None:
            pieces.add(b"", UNUSED)
        elif isinstance(text, str) and text:
            try:
                pieces.add(byte_alphabet.to_bytes(text), BYTE if len(text) == 1 else NORMAL)
            except KeyError as error:
                raise FormatError(
                    f"{source}: entry {number} of 'pieces', {text!r}, has a character outside of GPT-2's alphabet."
                ) from error
        else:
            raise FormatError(f"{source}: entry {number} of 'pieces' is {text!r}, not a text.")
    return Vocabulary(pieces)


def _merges(lines: list[object], texts: list[object], source: str) -> MergeTable:
    ids: dict[object, int] = {text: number for number, text in enumerate(texts) if text is not None}
    table = MergeTable(len(lines))
    for rank, line in enumerate(lines):
        parts = line.split(" ") if isinstance(line, str) else []
        if len(parts) != 2:
            raise FormatError(f"{source}: merge {rank} is {line!r}, not two entries.")
        left, right = parts
        for part in (left, right, left + right):
            if part not in ids:
                raise FormatError(
                    f"{source}: merge {rank}, {line!r}, needs the entry {part!r}, which is not there."
                )
        if not table.set(rank, ids[left], ids[right], ids[left + right]):
            raise FormatError(f"{source}: merge {rank}, {line!r}, occurs twice.")
    return table


def _recognised(head: FileHead) -> int:
    if head.fields.get("format") != '"':
        return NO
    return CERTAIN if b'"tokenarium"' in head.content[:512] else LIKELY


def _opened(file: TokenizerFile) -> Tokenizer:
    return read_json(whole_json(file.content, file.path.name), file.path.name)


FORMAT: Final[Format] = Format(
    _NAME,
    "Tokenarium's JSON",
    "Tokenarium",
    (".json",),
    _recognised,
    _opened,
    obstacle=obstacle_to_bytes,
    write=_written,
)
