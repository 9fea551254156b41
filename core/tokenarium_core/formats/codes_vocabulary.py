"""A vocabulary beside BPE codes: it limits the parts of words, and gives them ids.

```
the 9012            a word, or the last part of one, and how often it is in a corpus
lo@@ 88             a part of a word that is not the last one
```

A part that is not in the vocabulary is split again into those that were merged, until all are in it or single
characters. Neither subword-nmt nor fastBPE has ids; these are XLM's, which is trained on such files: four special tokens,
ten reserved ones, then the lines.

Sources: ``check_vocab_and_split`` in subword-nmt's ``apply_bpe.py``; ``limitVocab`` in fastBPE's ``fastBPE.hpp``;
``Dictionary.read_vocab`` in XLM's ``src/data/dictionary.py``.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any, Final

from tokenarium_core.errors import FormatError, NotAvailable
from tokenarium_core.formats.format import FileHead, whole_lines
from tokenarium_core.formats.hf.hf_named import AFTER, BETWEEN_WORDS, LIMITED, named_tokenizer
from tokenarium_core.formats.hf.hf_slow_builder import WORD_END, SlowBuilder
from tokenarium_core.formats.hf.hf_slow_named import named_fields, with_entries
from tokenarium_core.formats.hf.hf_slow_parts import part_decoders
from tokenarium_core.formats.hf.hf_slow_settings import SlowSettings
from tokenarium_core.formats.plain_lines import lines_of
from tokenarium_core.tokenizer import Tokenizer

SPECIAL: Final = ("<s>", "</s>", "<pad>", "<unk>", *[f"<special{n}>" for n in range(10)])
"""XLM's entries before those of the file."""

_LINE: Final = re.compile(rb"[^ \t]+ [0-9]{1,18}[ \r]*")
_PARTS: Final = re.compile(rb"[^ \t]+@@ [0-9]+[ \r]*")
_LEAST: Final = 8
_LINE_SEPARATOR: Final = "\u2028"
_OTHERS: Final = ("dict.txt", "vocab.txt")  # of fairseq and PhoBERT, with other ids
_MOST_FILES: Final = 256


def is_vocabulary(head: FileHead) -> bool:
    """Returns whether a file may be such a vocabulary: by its name, and by lines some of which are not the last part of a
    word.
    """
    if "vocab" not in head.name or head.name in _OTHERS:
        return False
    lines = whole_lines(head)
    alike = len(lines) >= _LEAST and all(_LINE.fullmatch(line) for line in lines)
    return alike and any(_PARTS.fullmatch(line) for line in lines)


def read_vocabulary(content: bytes, source: str) -> dict[str, int]:
    """Returns the entries of a vocabulary with XLM's ids; ``source`` names the file in errors.

    As in XLM, lines that are not an entry and a count do not count, nor do repeated entries. Raises FormatError, with the line,
    for a count that is no number.
    """
    entries = {name: id for id, name in enumerate(SPECIAL)}
    for number, line in lines_of(content, source):
        parts = line.split()
        if _LINE_SEPARATOR in line or len(parts) != 2 or parts[0] in entries:
            continue
        if not parts[1].isdigit():
            raise FormatError(
                f"Line {number} of {source} is {line[:60]!r}: after the entry comes how often it occurs."
            )
        entries[parts[0]] = len(entries)
    return entries


def codes_beside(path: Path) -> Path:
    """Returns the file of codes that belongs to a vocabulary: the one of the same name, or else the only one.

    Raises FormatError if there is none, or several; NotAvailable if the folder cannot be read.
    """
    try:
        names = sorted(os.listdir(path.parent))[:_MOST_FILES]
    except OSError as error:
        raise NotAvailable(f"The folder of {path} cannot be read: {error.strerror}.") from error
    found = [name for name in names if "code" in name and name != path.name]
    alike = [
        name
        for name in found
        if name in (path.name.replace("vocab", "codes"), path.name.replace("vocab", "code"))
    ]
    if len(alike or found) != 1:
        what = "several of them are there" if found else "there is none"
        raise FormatError(
            f"{path.name} is a vocabulary of parts of words and how often each occurs. It needs the codes that cut beside it,"
            f" in a file with codes in its name, and {what}."
        )
    return path.with_name((alike or found)[0])


def limited_tokenizer(
    cutter: dict[str, Any], entries: dict[str, int], name: str, source: str
) -> Tokenizer:
    """Returns the tokenizer of a `tokenizer.json` that cuts, whose unknown symbol is `BETWEEN_WORDS`, and of entries."""
    symbols: dict[str, int] = cutter["model"]["vocab"]
    for entry in entries:  # a single character needs no merge
        if len(entry) == 1:
            symbols.setdefault(entry + WORD_END, len(symbols))
        elif len(entry) == 1 + len(AFTER) and entry.endswith(AFTER):
            symbols.setdefault(entry[0], len(symbols))
    assert symbols[BETWEEN_WORDS] == 0
    settings = SlowSettings(None)
    settings.kind = "XLM"
    builder = SlowBuilder(settings)
    for role, content in (("bos", "<s>"), ("eos", "</s>"), ("pad", "<pad>"), ("unk", "<unk>")):
        builder.token(f"{role}_token", content)
    with_entries(builder, "XLM", entries, part_decoders())
    fields = json.dumps(named_fields(builder, "XLM"), ensure_ascii=False)
    cutting = json.dumps({**cutter, LIMITED: True}, ensure_ascii=False)
    encoded = [text.encode("utf-8", "surrogatepass") for text in (fields, cutting)]
    return named_tokenizer(encoded[0], encoded[1], False, name, source)
