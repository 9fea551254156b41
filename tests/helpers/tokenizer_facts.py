"""What a tokenizer does and reports, to compare two that should be the same."""

from __future__ import annotations

import hashlib

import tokenarium_core as tc
from tokenarium_core.formats.registry import EXPORT_FORMATS, files_of, obstacle_to
from tokenarium_core.trace import Trace
from tokenarium_core.vocabulary import Vocabulary

TEXT = "Ein Text, zwei Wörter; 三つの文字 और एक <unused3>\n\n  <bos>\U0001fae9 <|endoftext|> l'été"


def facts(tokenizer: tc.Tokenizer) -> dict[str, object]:
    """Returns what a tokenizer does and reports, with all of its entries and everything it can be written as."""
    vocabulary = tokenizer.vocabulary
    ids = tokenizer.encode_ids(TEXT)
    encoding = tokenizer.encode(TEXT, special="all", template=True)
    return {
        "ids": ids,
        "traced": list(tokenizer.encode(TEXT, trace=Trace()).ids),
        "encoding": (list(encoding.ids), list(encoding.spans)),
        "decoded": tokenizer.decode(ids),
        "name": tokenizer.name,
        "special tokens": tokenizer.special_tokens,
        "source": (tokenizer.source.format, tokenizer.source.path, tokenizer.source.files),
        "details": [(one.group, one.name, one.value) for one in tokenizer.details],
        "columns": [hashlib.sha256(one).hexdigest() for one in columns(vocabulary)],
        "merges": merges(tokenizer),
        "texts": [vocabulary.token(token) for token in range(0, len(vocabulary), 97)],
        "found": vocabulary.find(b"Text"),
        "written": {
            name: hashlib.sha256(content).hexdigest()
            for format in EXPORT_FORMATS
            if not obstacle_to(tokenizer, format)
            for name, content in files_of(tokenizer, format, "x").items()
        },
    }


def columns(vocabulary: Vocabulary) -> list[bytes]:
    packed = (vocabulary.offsets, vocabulary.kinds, vocabulary.scores)
    return [vocabulary.arena, *[bytes(memoryview(column)) for column in packed]]


def merges(tokenizer: tc.Tokenizer) -> list[str]:
    table = getattr(tokenizer.model, "merges", None)
    table = getattr(table, "table", table)
    if table is None:
        return []
    packed = (table.lefts, table.rights, table.results)
    return [hashlib.sha256(bytes(memoryview(column))).hexdigest() for column in packed]
