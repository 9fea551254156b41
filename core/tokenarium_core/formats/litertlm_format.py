"""LiteRT-LM's bundles, ``.litertlm``: a header with the sections of a model, one of which is its tokenizer.

A file is "LITERTLM", its version as three u32, four bytes, the end of the header as u64, the header from byte 32 on, a
FlatBuffer, and the sections. The tokenizer is a SentencePiece model, or a ``tokenizer.json`` after its size, compressed
by zlib. Only the header, that section and the description of the model are read, a message of protobuf, which may have a chat
template.

Source: ``schema/core/litertlm_header_schema.fbs``, ``schema/core/litertlm_read.cc``, ``runtime/util/litert_lm_loader.cc`` and
``runtime/proto/llm_metadata.proto`` of google-ai-edge/LiteRT-LM.
"""

from __future__ import annotations

import os
import zlib
from contextlib import suppress
from typing import IO, Final

from mypy_extensions import i64

from tokenarium_core.details import Detail
from tokenarium_core.errors import FormatError, NotAvailable
from tokenarium_core.formats.chat_part import DEFAULT, TEMPLATES, TOKENS, keep_read_chat
from tokenarium_core.formats.format import CERTAIN, NO, FileHead, Format, TokenizerFile
from tokenarium_core.formats.hf.hf_format import read_huggingface
from tokenarium_core.formats.sentencepiece.flat_tables import FlatTable
from tokenarium_core.formats.sentencepiece.sentencepiece_format import read_sentencepiece
from tokenarium_core.formats.sentencepiece.sentencepiece_messages import BYTES, WireReader
from tokenarium_core.plain_files import open_file
from tokenarium_core.tokenizer import Tokenizer

_MAGIC: Final = b"LITERTLM"
_VERSION_AT: Final = 8
_VERSION: Final = 1
_END_AT: Final = 24
_HEADER_AT: Final = 32
_LARGEST_HEADER: Final = 16 * 1024  # the runtime reads no more
_LARGEST: Final = 1 << 28
_MOST_ITEMS: Final = 1 << 12  # of all sections: many may refer to one list

_ROOT: Final = ("system_metadata", "section_metadata")
_SECTIONS: Final = ("objects",)
_SECTION: Final = ("items", "begin_offset", "end_offset", "data_type")
_ITEM: Final = ("key", "value_type", "value")
_TEXT: Final = ("value",)
_TEXT_TYPE: Final = 9

_SENTENCEPIECE: Final = 4
_METADATA: Final = 5
_HUGGINGFACE: Final = 6
_LARGEST_METADATA: Final = 1 << 22
_TEMPLATE: Final = "jinja_prompt_template"
_FIELDS: Final = {3: "prompt_templates", 7: _TEMPLATE}
_ROLES: Final = {1: "user", 2: "model", 3: "system"}
_AFFIXES: Final = {1: "prefix", 2: "suffix"}

_MAIN: Final = "tf_lite_prefill_decode"
"""The model for which a tokenizer counts that is for all, or for one only."""

_Spans = dict[tuple[int, str], tuple[int, int]]
"""Where sections begin and end in the file, by their type and the model that each is for."""


def _recognized(head: FileHead) -> int:
    return CERTAIN if head.content.startswith(_MAGIC) else NO


def _opened(file: TokenizerFile) -> Tokenizer:
    """Returns the tokenizer of a bundle.

    Raises NotAvailable if it cannot be read; FormatError for one that is cut off or damaged, of another version, or
    without a tokenizer.
    """
    source = file.path.name
    try:
        with open_file(file.path) as content:
            spans = _section_spans(content, source)
            kind, section = _tokenizer_section(content, spans, source)
            about = _metadata_section(content, spans)
    except OSError as error:
        raise NotAvailable(f"{file.path} cannot be read: {error.strerror}.") from error
    if kind == _SENTENCEPIECE:
        tokenizer = read_sentencepiece(section, source, file.name)
    else:
        tokenizer = read_huggingface(_decompressed(section, source), file.name)
    with suppress(FormatError):  # a damaged description is no reason to refuse the tokenizer
        _describe(tokenizer, about, source)
    return tokenizer


def _section_spans(file: IO[bytes], source: str) -> _Spans:
    """Returns where the tokenizers and the description begin and end; of several for one model, the last one counts."""
    head = file.read(_LARGEST_HEADER)
    version = int.from_bytes(head[_VERSION_AT : _VERSION_AT + 4], "little")
    if len(head) >= _HEADER_AT and version != _VERSION:
        raise FormatError(
            f"{source} has the version {version} of LiteRT-LM's bundles; this program reads {_VERSION}."
        )
    end = int.from_bytes(head[_END_AT:_HEADER_AT], "little")
    if not _HEADER_AT + 4 <= end <= len(head):
        raise FormatError(
            f"{source} is damaged or cut off: its header ends at byte {end:,}, which is not between {_HEADER_AT} and"
            f" {len(head):,}."
        )
    spans: _Spans = {}
    for kind, model, begin, stop in _sections(head[_HEADER_AT:end], source):
        if kind in (_SENTENCEPIECE, _HUGGINGFACE, _METADATA):
            spans[kind, model] = (begin, stop)
    return spans


def _tokenizer_section(file: IO[bytes], spans: _Spans, source: str) -> tuple[int, bytes]:
    """Returns the type and the content of the section that the runtime takes for the language model."""
    size = os.fstat(file.fileno()).st_size
    first = [(kind, model) for kind in (_SENTENCEPIECE, _HUGGINGFACE) for model in (_MAIN, "")]
    for key in [*first, *spans]:
        if key not in spans or key[0] == _METADATA:
            continue
        begin, stop = spans[key]
        if not 0 <= begin < stop <= size:
            raise FormatError(
                f"{source} is damaged or cut off: its tokenizer is from byte {begin:,} to {stop:,}, and it has"
                f" {size:,} bytes."
            )
        if stop - begin > _LARGEST:
            raise FormatError(f"{source} has a section of {stop - begin:,} bytes as its tokenizer.")
        file.seek(begin)
        return key[0], file.read(stop - begin)
    raise FormatError(
        f"{source} has no tokenizer among its sections. Open the one that the model was published with."
    )


def _metadata_section(file: IO[bytes], spans: _Spans) -> bytes:
    """Returns the description of the model; nothing if there is none, or it is too large."""
    begin, stop = spans.get((_METADATA, ""), (0, 0))
    if not 0 < begin < stop <= begin + _LARGEST_METADATA:
        return b""
    file.seek(begin)
    return file.read(stop - begin)


def _describe(tokenizer: Tokenizer, about: bytes, source: str) -> None:
    """Gives a tokenizer the chat template of the description, and shows what it puts around the texts of each role.

    FormatError for a description that cannot be read.
    """
    rows: list[Detail] = []
    template = ""
    fields = WireReader(about, 0, len(about), source, "LlmMetadata", _FIELDS)
    while fields.advance():
        if fields.wire != BYTES or fields.field not in _FIELDS:
            continue
        if _FIELDS[fields.field] == _TEMPLATE:
            template = fields.data[fields.start : fields.stop].decode("utf-8", "replace")
            continue
        roles = WireReader(about, fields.start, fields.stop, source, "PromptTemplates", _ROLES)
        while roles.advance():
            if roles.wire == BYTES and roles.field in _ROLES:
                rows += _affixes(about, roles, source)
    tokenizer.details = [*tokenizer.details, *rows]
    if template:
        keep_read_chat(tokenizer, {TEMPLATES: {DEFAULT: template}, TOKENS: {}}, source)


def _affixes(about: bytes, role: WireReader, source: str) -> list[Detail]:
    rows: list[Detail] = []
    parts = WireReader(about, role.start, role.stop, source, "PromptAffixes", _AFFIXES)
    while parts.advance():
        if parts.wire == BYTES and parts.field in _AFFIXES:
            text = about[parts.start : parts.stop].decode("utf-8", "replace")
            title = f"{_ROLES[role.field]}, {_AFFIXES[parts.field]}"
            rows.append(Detail("prompt template", title, repr(text)))
    return rows


def _sections(header: bytes, source: str) -> list[tuple[int, str, int, int]]:
    """Returns of each section its type, the model that it is for, and where it begins and ends in the file."""
    root = FlatTable(header, int.from_bytes(header[:4], "little"), source, _ROOT)
    sections = root.table(1, _SECTIONS)
    result: list[tuple[int, str, int, int]] = []
    if sections is None:
        return result
    start, count = sections.vector(0, 4)
    left: i64 = _MOST_ITEMS
    for index in range(count):
        section = sections.table_at(start + 4 * index, "objects", _SECTION)
        first, items = section.vector(0, 4)
        left -= items
        if left < 0:
            raise FormatError(f"{source} has more than {_MOST_ITEMS:,} items in its header.")
        model = ""
        for item in range(items):
            model = _model_of(section.table_at(first + 4 * item, "items", _ITEM)) or model
        kind: int = section.number(3, 1, 0)
        begin: int = section.offset(1)
        stop: int = section.offset(2)
        result.append((kind, model, begin, stop))
    return result


def _model_of(item: FlatTable) -> str:
    """Returns the value of the item that says which model a section is for; empty for any other."""
    if item.content(0).lower() != b"model_type" or item.number(1, 1, 0) != _TEXT_TYPE:
        return ""
    value = item.table(2, _TEXT)
    return value.content(0).decode("utf-8", "replace").lower() if value is not None else ""


def _decompressed(section: bytes, source: str) -> bytes:
    size = int.from_bytes(section[:8], "little")
    if len(section) < 8 or size > _LARGEST:
        raise FormatError(f"{source} says that its tokenizer has {size:,} bytes.")
    try:
        unpacked = zlib.decompressobj()
        content = unpacked.decompress(section[8:], size + 1)
        whole = unpacked.eof and len(content) == size
    except zlib.error:
        whole = False
        content = b""
    if not whole:
        raise FormatError(
            f"{source} is damaged: its tokenizer is not {size:,} bytes that zlib has compressed."
        )
    return content


FORMAT: Final[Format] = Format(
    "litertlm",
    "LiteRT-LM bundle",
    "LiteRT-LM",
    (".litertlm",),
    _recognized,
    _opened,
    signs="The file begins with `LITERTLM`.",
    algorithms="BPE by scores, Unigram; of a `tokenizer.json`, any",
    compared="sentencepiece 0.2.3 and tokenizers 0.23, with the files that were put into it",
    own_names=(".litertlm",),
    in_place=True,
)
