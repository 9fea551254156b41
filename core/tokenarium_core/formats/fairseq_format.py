"""fairseq's ``dict.txt`` beside the file that cuts: a SentencePiece model, codes of fastBPE, or GPT-2's pair.

```
▁the 99999          an entry, and how often it is in a corpus
ing 88888 #fairseq:overwrite
```

The first four ids are those of ``<s>``, ``<pad>``, ``</s>`` and ``<unk>``; the others count the lines. With GPT-2's pair, an entry is
the id of one of its entries. Tokens that a task of fairseq adds are not in the file: languages, and ``<mask>`` behind all.

Sources: ``Dictionary`` in fairseq's ``data/dictionary.py``, ``encode`` in ``models/roberta/hub_interface.py``, and
``data/encoders`` for what cuts.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Final

from tokenarium_core.details import Detail
from tokenarium_core.errors import FormatError, NotAvailable
from tokenarium_core.formats.foreign import content_of
from tokenarium_core.formats.format import (
    CERTAIN,
    NO,
    FileHead,
    Format,
    TokenizerFile,
    whole_lines,
)
from tokenarium_core.formats.gpt2_format import OWN_NAMES, read_gpt2
from tokenarium_core.formats.hf.hf_format import read_huggingface
from tokenarium_core.formats.hf.hf_named import named_tokenizer
from tokenarium_core.formats.hf.hf_slow_builder import TEXT, SlowBuilder, replace
from tokenarium_core.formats.hf.hf_slow_classes import of_pair
from tokenarium_core.formats.hf.hf_slow_named import MOST_SPACES, named_fields, with_entries
from tokenarium_core.formats.hf.hf_slow_parts import cutter_of, part_decoders, read_merges
from tokenarium_core.formats.hf.hf_slow_settings import SlowSettings
from tokenarium_core.formats.plain_lines import lines_of
from tokenarium_core.formats.sentencepiece.sentencepiece_format import raw_pieces
from tokenarium_core.pretokenizers.scanners import cutting
from tokenarium_core.tokenizer import Tokenizer

NAME: Final = "dict.txt"
SPECIAL: Final = ("<s>", "<pad>", "</s>", "<unk>")
"""The entries before those of the file."""

_ROBERTA: Final = "RobertaTokenizer"
_CODES: Final = ("bpe.codes", "bpecodes", "codes", "code")
_FASTBPE: Final = "PhobertTokenizer"  # whose codes are those of fastBPE
_OVERWRITE: Final = " #fairseq:overwrite"
_LINE: Final = re.compile(rb"\S.* -?[0-9]{1,18}(?: #fairseq:overwrite)?\s*")
_NUMBER: Final = re.compile(r"-?[0-9]{1,18}")
_LEAST: Final = 3
_MOST_FILES: Final = 256


def read_dictionary(content: bytes, source: str) -> dict[str, int]:
    """Returns the entries of a ``dict.txt`` with their ids; ``source`` names the file in errors.

    Raises FormatError, with the line, for one without a count, and for a duplicate that is not marked as one.
    """
    entries = {name: id for id, name in enumerate(SPECIAL)}
    count = len(entries)
    for number, line in lines_of(content, source):
        line = line.rstrip()
        again = line.endswith(_OVERWRITE)
        entry, _, times = line.removesuffix(_OVERWRITE).rpartition(" ")
        if not entry or _NUMBER.fullmatch(times) is None:
            raise FormatError(
                f"Line {number} of {source} is {line[:60]!r}, not an entry and a count."
            )
        if entry in entries and not again:
            raise FormatError(
                f"Line {number} of {source} has the entry {entry!r:.60}, which already has an id; fairseq takes that"
                " only with #fairseq:overwrite."
            )
        if again and entry in entries:  # whose first id then has no entry that a text becomes
            first = entries.pop(entry)
            entries[f"{entry}{_OVERWRITE} {first}"] = first
        entries[entry] = count
        count += 1
    return entries


def _with_model(builder: SlowBuilder, entries: dict[str, int], model: Path, name: str) -> Tokenizer:
    pieces = content_of(model)
    _, trainer, _ = raw_pieces(pieces, model.name)
    strip = {"type": "Strip", "content": " ", "start": MOST_SPACES, "stop": MOST_SPACES}
    decoders = [replace("▁", " "), {"type": "Fuse"}, strip]
    if trainer.byte_fallback:
        decoders.insert(1, {"type": "ByteFallback"})
    with_entries(builder, "fairseq", entries, decoders)
    return named_tokenizer(_stages(builder), pieces, False, name, model.name)


def _with_codes(builder: SlowBuilder, entries: dict[str, int], codes: Path, name: str) -> Tokenizer:
    merges = read_merges(_FASTBPE, content_of(codes), codes.name)
    with_entries(builder, "fairseq", entries, part_decoders())
    cutter = json.dumps(cutter_of(_FASTBPE, entries, merges), ensure_ascii=False)
    cutting_file = cutter.encode("utf-8", "surrogatepass")
    return named_tokenizer(_stages(builder), cutting_file, False, name, codes.name)


def _stages(builder: SlowBuilder) -> bytes:
    single: list[tuple[object, int]] = [("<s>", 0), (TEXT, 0), ("</s>", 0)]
    builder.template(single, single)
    fields = named_fields(builder, "fairseq")
    return json.dumps(fields, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _with_pair(
    builder: SlowBuilder, entries: dict[str, int], pair: tuple[Path, Path], source: str, name: str
) -> Tokenizer:
    contents = [content_of(file) for file in pair]
    inner = read_gpt2(contents[0], contents[1], name, cutting("gpt2"), {})
    spelled = json.loads(contents[0])
    texts = {id: text for text, id in spelled.items()}
    named: dict[str, int] = {}
    for entry, id in entries.items():
        text = texts.pop(int(entry), None) if entry.isdecimal() and len(entry) < 10 else entry
        if text is None:
            raise FormatError(
                f"{source} has the entry {entry}, which {pair[0].name} beside it does not have as an id: they do not belong"
                " together."
            )
        named[text] = id
    used = [id for id, text in texts.items() if text not in inner.special_tokens]
    if used:
        raise FormatError(
            f"{source} has no entry {used[0]}, an id of {pair[0].name} beside it, and {len(used) - 1:,} more ids are"
            " missing: they do not belong together."
        )
    lines = contents[1].decode().split("\n")
    merges = [(line.split(" ")[0], line.split(" ")[1]) for line in lines if line.count(" ") == 1]
    if lines and lines[0].startswith("#version"):
        merges = merges[lines[0].count(" ") == 1 :]
    of_pair(builder, _ROBERTA, named, merges)
    fields = json.dumps(builder.fields(), ensure_ascii=False)
    return read_huggingface(fields.encode("utf-8", "surrogatepass"), name)


def _beside(path: Path) -> tuple[list[Path], list[Path], bool]:
    """Returns the SentencePiece models and the codes beside a file, and whether GPT-2's pair is."""
    names = sorted(os.listdir(path.parent))[:_MOST_FILES]
    models = [path.with_name(name) for name in names if name.endswith(".model")]
    codes = [path.with_name(name) for name in names if name in _CODES or name.endswith(".codes")]
    return models, codes, all(name in names for name in OWN_NAMES)


def _opened(file: TokenizerFile) -> Tokenizer:
    path = file.path
    try:
        models, codes, pair = _beside(path)
    except OSError as error:
        raise NotAvailable(f"The folder of {path} cannot be read: {error.strerror}.") from error
    found = len(models) + len(codes) + pair
    if found != 1:
        what = "several of them are there" if found else "there is none"
        raise FormatError(
            f"{path.name} is fairseq's list of entries and how often each occurs. It needs the file that cuts beside it, a"
            f" SentencePiece model (.model), codes of fastBPE (bpe.codes) or encoder.json with vocab.bpe, and {what}."
        )
    entries = read_dictionary(file.content, path.name)
    settings = SlowSettings(None)
    settings.kind = _ROBERTA if pair else "fairseq"
    builder = SlowBuilder(settings)
    if pair:
        both = (path.with_name(OWN_NAMES[0]), path.with_name(OWN_NAMES[1]))
        tokenizer = _with_pair(builder, entries, both, path.name, file.name)
        used = list(both)
    else:
        names = {
            "bos_token": "<s>",
            "pad_token": "<pad>",
            "eos_token": "</s>",
            "unk_token": "<unk>",
        }
        for name, content in names.items():
            builder.token(name, content)
        used = models or codes
        make = _with_model if models else _with_codes
        tokenizer = make(builder, entries, used[0], file.name)
    file.files = [path, *used]
    cuts = " with ".join([one.name for one in used])
    tokenizer.details = [
        Detail("fairseq", "ids", f"the lines of {path.name}, after {len(SPECIAL)} special tokens"),
        Detail("fairseq", "cut by", cuts),
        Detail(
            "fairseq",
            "not in the files",
            "<mask> is the last id"
            if pair
            else "what a task adds: languages, and <mask> behind all",
        ),
        *tokenizer.details,
    ]
    return tokenizer


def _recognized(head: FileHead) -> int:
    """The name, and lines that are an entry and a count."""
    lines = whole_lines(head)
    alike = len(lines) >= _LEAST and all(_LINE.fullmatch(line) for line in lines)
    return CERTAIN if alike and head.name == NAME else NO


FORMAT: Final[Format] = Format(
    "fairseq",
    "fairseq's dict.txt beside the file that cuts",
    "fairseq's dictionary",
    (".txt",),
    _recognized,
    _opened,
    signs="The name `dict.txt`, and lines that are an entry and a count; beside it a `.model`, `bpe.codes` or GPT-2's pair.",
    algorithms="SentencePiece, BPE with ends of words, or byte-level BPE, with ids by name",
    compared="fairseq's rule, and transformers 5 (RobertaTokenizer, XLMRobertaTokenizer)",
    folder_names=(NAME,),
)
