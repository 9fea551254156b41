"""Our own file: a whole tokenizer as JSON that a person can read, with a version and a hash.

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
from typing import Final

from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.pretokenizers.pretokenizer import PreTokenizer
from tokenarium_core.pretokenizers.scanners import PRE_TOKENIZERS
from tokenarium_core.unicode import byte_alphabet

FORMAT: Final = "tokenarium"
VERSION: Final = 1
ALGORITHM: Final = "byte-level BPE"


def write_json(
    name: str,
    pre_tokenizer: PreTokenizer,
    encoder: BytePairEncoder,
    special_tokens: dict[str, int],
) -> bytes:
    """Returns the file of a tokenizer with these parts; `read_json` makes an equal one of it."""
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
    content = {
        "name": name,
        "algorithm": ALGORITHM,
        "pre_tokenizer": {"name": pre_tokenizer.name}
        if named
        else {"pattern": pre_tokenizer.pattern},
        "special_tokens": special_tokens,
        "pieces": texts,
        "merges": merges,
    }
    file = {
        "format": FORMAT,
        "version": VERSION,
        "sha256": content_hash(content),
        "tokenizer": content,
    }
    return json.dumps(file, ensure_ascii=False, indent=0).encode() + b"\n"


def content_hash(content: object) -> str:
    """Returns the SHA-256 of a parsed "tokenizer" value, in hexadecimal digits."""
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
