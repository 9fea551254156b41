"""Hugging Face's ``tokenizer.json``: one file with all stages of a tokenizer.

The stages of a tokenizer read from such a file are written unchanged (`Tokenizer.stored`). `hf_stages_writer`
builds those of any other tokenizer. Source: huggingface/tokenizers, ``tokenizer/serialization.rs``; each
stage names its own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from librt.vecs import vec
from mypy_extensions import i64

from tokenarium_core.added_tokens import AddedToken, AddedTokens
from tokenarium_core.details import Detail
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.byte_level import ordered_merges
from tokenarium_core.formats.chat_part import TEMPLATES, chat_of, config_of
from tokenarium_core.formats.format import (
    CERTAIN,
    LIKELY,
    NO,
    FileHead,
    Files,
    Format,
    TokenizerFile,
)
from tokenarium_core.formats.hf.hf_fields import Fields, serde_text, shown
from tokenarium_core.formats.hf.hf_folder import folder_details
from tokenarium_core.formats.hf.hf_model import ModelSettings, dump_model, load_model, model_of
from tokenarium_core.formats.hf.hf_pieces import vocabulary_of_code_points
from tokenarium_core.formats.hf.hf_stages_reader import Stages, stages_of
from tokenarium_core.formats.hf.hf_stages_writer import obstacle as obstacle_to_stages
from tokenarium_core.formats.hf.hf_stages_writer import stages_of as written_stages
from tokenarium_core.formats.hf.hf_vocabulary import (
    HfVocabulary,
    dump_added_tokens,
    load_added_tokens,
    load_answers,
    read_added_tokens,
    read_scored,
    read_vocabulary,
)
from tokenarium_core.formats.json_scanner import OPEN_LIST, JsonScanner, JsonSpan
from tokenarium_core.formats.parts import ALL_PARTS, FIELDS
from tokenarium_core.formats.settings_files import CONFIG
from tokenarium_core.models.bpe.byte_pair_encoder import BytePairEncoder
from tokenarium_core.models.bpe.character_bpe import CharacterBpe
from tokenarium_core.models.lookup_models import WordLevel
from tokenarium_core.models.model import Model
from tokenarium_core.models.unigram.unigram import Unigram
from tokenarium_core.tokenizer import Tokenizer
from tokenarium_core.tokenizer_cache import CacheReader, CacheWriter
from tokenarium_core.unicode import byte_alphabet
from tokenarium_core.vocabulary import BYTE, BYTE_ALPHABET, NORMAL, UNUSED

FOREIGN: Final = "foreign"
"""Another such part: the ids of the added tokens that the model itself does not have, as a list in JSON."""

_OPENING: Final = ("{", "[")
SOURCE: Final = "tokenizer.json"
"""The name of the file in errors."""

_LARGE: Final = "\ue000 large \ue000"
"""A placeholder for a large field of the model until its text is inserted."""

_MOST_BYTES: Final = 1 << 25
_MOST_BRACKETS: Final = 1 << 18
"""The most bytes, and objects and lists, apart from the vocabulary, the merges and the added tokens: as Python objects
they are large."""
_MOST_BYTES_ADDED: Final = 5 << 24
_MOST_BRACKETS_ADDED: Final = 1 << 19
_MOST_COMMAS_ADDED: Final = 1 << 22
"""The most of the added tokens, each an object of seven fields: 300,000 of them have 57 MB."""

_KNOWN: Final = (
    "version",
    "truncation",
    "padding",
    "added_tokens",
    "normalizer",
    "pre_tokenizer",
    "post_processor",
    "decoder",
    "model",
)


def read_huggingface(
    content: bytes,
    name: str,
    folder: Path | None = None,
    out: CacheWriter | None = None,
    scores: list[float] | None = None,
) -> Tokenizer:
    """Returns the tokenizer of a file's content; ``folder``: where the files next to it may say more.

    The parsed form is written to ``out`` for `load_huggingface`, if the model can be cached. ``scores`` are those
    of all entries of a Unigram model. They replace the ones in the content, which are not read exactly.

    Raises FormatError, with the line or the field, if it is not such a file, or cannot be
    run exactly.
    """
    scanner = JsonScanner(content, SOURCE)
    members = scanner.document("model")
    fields = _parsed(scanner, members)
    settings = ModelSettings(Fields(SOURCE, "model", fields["model"]))
    span = members.get("model.vocab")
    if span is None:
        raise FormatError(
            f"{SOURCE}: model has no field 'vocab': it is incomplete, or of another kind."
        )
    entries = _entries(scanner, span)
    if scores:
        entries.scores = vec[float](scores)
    added, details = read_added_tokens(fields["added_tokens"], entries, SOURCE)
    entries.note()
    stages = stages_of(SOURCE, fields, settings, entries, added)
    model = model_of(scanner, members, settings, entries, added, stages.spelling)
    answers = entries.answers()
    stored = _stored(fields, entries, added)
    if out is not None:
        out.text(json.dumps({**fields, "added_tokens": None}))
        out.data(stored[FIELDS])
        out.data(stored[FOREIGN])
        answers.dump(out)
        dump_added_tokens(added, details, out)
        out.complete = dump_model(model, out)
    details = _details(fields, settings) + details
    return _tokenizer(name, folder, model, stages, added, details, stored)


def tokenizer_of_code_points(fields: dict[str, object], name: str, folder: Path) -> Tokenizer:
    """Returns the tokenizer of a file's fields, with each character as an entry, whose id is its code point.

    Raises FormatError as `read_huggingface`.
    """
    settings = ModelSettings(Fields(SOURCE, "model", fields["model"]))
    entries = HfVocabulary(code_points=True)
    added, details = read_added_tokens(fields["added_tokens"], entries, SOURCE)
    stages = stages_of(SOURCE, fields, settings, entries, added)
    vocabulary = vocabulary_of_code_points(added)
    unknown = entries.find(settings.unknown)
    model = WordLevel(vocabulary, unknown, vocabulary.outside, code_points=True)
    details = _details(fields, settings) + details
    stored = _stored(fields, entries, added)
    return _tokenizer(name, folder, model, stages, added, details, stored)


def load_huggingface(cached: CacheReader, name: str, folder: Path | None) -> Tokenizer:
    """Returns the tokenizer that `read_huggingface` wrote to its ``out``."""
    fields: dict[str, object] = json.loads(cached.text())
    stored = {FIELDS: cached.data(), FOREIGN: cached.data()}
    settings = ModelSettings(Fields(SOURCE, "model", fields["model"]))
    entries = HfVocabulary(answers=load_answers(cached))
    added, details = load_added_tokens(cached)
    model = load_model(settings, entries, cached)
    cached.give_way()
    stages = stages_of(SOURCE, fields, settings, entries, added)
    details = _details(fields, settings) + details
    return _tokenizer(name, folder, model, stages, added, details, stored)


def _tokenizer(
    name: str,
    folder: Path | None,
    model: Model,
    stages: Stages,
    added: list[AddedToken],
    details: list[Detail],
    stored: dict[str, bytes],
) -> Tokenizer:
    if folder is not None:
        details += folder_details(folder)
    model.vocabulary.spelled.update(stages.spelled)
    tokenizer = Tokenizer(
        name,
        model,
        stages.pre_tokenizer,
        AddedTokens(added),
        stages.normalizer,
        stages.splitter,
        stages.template,
        stages.decoder,
        details,
    )
    tokenizer.stored = stored
    return tokenizer


def _stored(
    fields: dict[str, object], entries: HfVocabulary, added: list[AddedToken]
) -> dict[str, bytes]:
    """Returns the parts of the file that are preserved for writing it again."""
    foreign = [token.id for token in added if entries.find(token.content) < 0]
    return {FIELDS: json.dumps(fields).encode(), FOREIGN: json.dumps(foreign).encode()}


def _parsed(scanner: JsonScanner, members: dict[str, JsonSpan]) -> dict[str, object]:
    """Returns all members but the two large ones, those of the model in a separate object."""
    fields: dict[str, object] = dict.fromkeys(_KNOWN)
    model: dict[str, object] = {}
    size = 0
    brackets = 0
    for path, span in members.items():
        stage, _, inner = path.partition(".")
        if path == "model" or path in ("model.vocab", "model.merges"):
            continue
        here = span.stop - span.start
        opened = scanner.data.count(b"{", span.start, span.stop)
        opened += scanner.data.count(b"[", span.start, span.stop)
        if path == "added_tokens":
            too_large = (
                here > _MOST_BYTES_ADDED
                or opened > _MOST_BRACKETS_ADDED
                or scanner.data.count(b",", span.start, span.stop) > _MOST_COMMAS_ADDED
            )
        else:
            size += here
            brackets += opened
            too_large = size > _MOST_BYTES or brackets > _MOST_BRACKETS
        if too_large:
            raise scanner.error(
                span.start,
                path,
                "this is larger than the settings of any tokenizer, and would fill the memory",
            )
        if path.startswith("model.") and inner:
            model[inner] = scanner.parse(span)
        elif stage not in _KNOWN or inner:
            raise scanner.error(span.start, path, "this program does not know what this is")
        else:
            fields[path] = scanner.parse(span)
    if "model" not in members:
        raise FormatError(
            f"{SOURCE} has no field 'model': it is not a tokenizer, or is incomplete."
        )
    version = fields["version"]
    if version is not None and version != "1.0":
        raise FormatError(
            f"{SOURCE} has the version {shown(version)}; this program reads version '1.0'."
        )
    if "type" not in model:
        model["type"] = _type_of(members)
    fields["model"] = model
    return fields


def _type_of(members: dict[str, JsonSpan]) -> str:
    """Returns the type of a model that does not state it, as in files of early versions."""
    if "model.merges" in members:
        return "BPE"
    if "model.unk_id" in members:
        return "Unigram"
    return "WordPiece" if "model.continuing_subword_prefix" in members else "WordLevel"


def _entries(scanner: JsonScanner, span: JsonSpan) -> HfVocabulary:
    if scanner.data[span.start] == OPEN_LIST:
        return read_scored(scanner, span)
    return read_vocabulary(scanner, span)


def _details(fields: dict[str, object], settings: ModelSettings) -> list[Detail]:
    """Returns the settings as the file stores them."""
    model = fields["model"]
    details = [Detail("model", "type", settings.type)]
    if isinstance(model, dict):
        for name, value in model.items():
            if name != "type":
                note = (
                    " (encoding does not drop merges)"
                    if name == "dropout" and settings.dropout
                    else ""
                )
                details.append(Detail("model", name, shown(value) + note))
    stored = [
        ("stages", name) for name in ("normalizer", "pre_tokenizer", "post_processor", "decoder")
    ]
    stored += [("batches", name) for name in ("truncation", "padding")]
    details += [Detail(group, name, shown_whole(fields[name])) for group, name in stored]
    return details


def shown_whole(value: object) -> str:
    """Returns a setting as JSON, truncated if it is long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 2000 else f"{text[:2000]}…"


# Writing.


def _obstacle(tokenizer: Tokenizer) -> str:
    return "" if FIELDS in tokenizer.stored else obstacle_to_stages(tokenizer)


def file_of(tokenizer: Tokenizer) -> dict[str, Any]:
    """Returns the file's content as values of JSON, which may be changed; the scores of Unigram are the exact ones."""
    settings, surfaces = _parts(tokenizer)
    file: dict[str, Any] = json.loads(json.dumps(settings))
    model = file["model"]
    if isinstance(tokenizer.model, Unigram):
        scores = tokenizer.vocabulary.scores
        model["vocab"] = [[surface, scores[token]] for token, surface in surfaces.items()]
        return file
    model["vocab"] = {surface: token for token, surface in surfaces.items()}
    pairs = _merges(tokenizer.model)
    if pairs is not None:
        model["merges"] = [[surfaces[left], surfaces[right]] for left, right in pairs]
    return file


def _written(tokenizer: Tokenizer, stem: str) -> Files:
    """Returns the file, and the file next to it with the chat templates, if there are any."""
    file, surfaces = _parts(tokenizer)
    large = _large_fields(tokenizer.model, surfaces)
    file["model"] = {**file["model"], **dict.fromkeys(large, _LARGE)}
    # Indented, json writes in Python, item by item: so the large fields are left out, and written here.
    parts = json.dumps(file, ensure_ascii=False, indent=1).rsplit(f'"{_LARGE}"', len(large))
    content = [parts[0].encode()]
    for value, behind in zip(large.values(), parts[1:], strict=True):
        content += [value.encode(), behind.encode()]
    files = {f"{stem}.json": b"".join(content)}
    chat = chat_of(tokenizer)
    if chat[TEMPLATES]:
        files[CONFIG] = config_of(chat)
    return files


def _parts(tokenizer: Tokenizer) -> tuple[dict[str, Any], dict[int, str]]:
    """Returns all fields of the file except the large ones of the model, and the entries as spelled in the file, by id."""
    foreign: set[int] = set()
    contents: dict[int, str] = {}
    if FIELDS in tokenizer.stored:
        fields: dict[str, Any] = json.loads(tokenizer.stored[FIELDS])
        foreign = set(json.loads(tokenizer.stored[FOREIGN]))
        contents = {token.id: token.content for token in tokenizer.added_tokens.tokens}
    else:
        fields = written_stages(tokenizer)
    file = {name: fields.get(name) for name in _KNOWN}
    file["version"] = "1.0"
    file["added_tokens"] = fields.get("added_tokens") or []
    return file, _surfaces(tokenizer, foreign, contents)


def _surfaces(tokenizer: Tokenizer, foreign: set[int], contents: dict[int, str]) -> dict[int, str]:
    """Returns the entries of the model as spelled in the file, by id.

    ``foreign`` are ids that the model does not have, ``contents`` the added tokens that are spelled unchanged.
    """
    vocabulary = tokenizer.vocabulary
    # The file spells bytes in GPT-2's alphabet, even if the pieces came from a file that spells them in another way.
    on_bytes = isinstance(tokenizer.model, BytePairEncoder) and vocabulary.spelling != BYTE_ALPHABET
    surfaces: dict[int, str] = {}
    for token in range(len(vocabulary)):
        if token in foreign:
            continue
        kind: i64 = i64(vocabulary.kinds[token])
        if token in contents:
            surfaces[token] = contents[token]
        elif on_bytes and (kind == NORMAL or kind == BYTE):
            surfaces[token] = byte_alphabet.to_text(vocabulary.piece(token))
        elif kind != UNUSED or len(vocabulary.piece(token)):
            surfaces[token] = vocabulary.surface(token)
    return surfaces


def _large_fields(model: Model, surfaces: dict[int, str]) -> dict[str, str]:
    """Returns the large fields of the model as JSON: ``vocab``, and ``merges`` if there are any."""
    write = json.JSONEncoder(ensure_ascii=False).encode
    quoted = {token: write(surface) for token, surface in surfaces.items()}
    if isinstance(model, Unigram):  # with scores that the reader takes for the same numbers
        scores = model.vocabulary.scores
        rows = [
            f"   [\n    {surface},\n    {serde_text(scores[token])}\n   ]"
            for token, surface in quoted.items()
        ]
        return {"vocab": _lines("[", rows, "]")}
    ids = {surface: token for token, surface in quoted.items()}
    vocab = _lines("{", [f"   {surface}: {token}" for surface, token in ids.items()], "}")
    pairs = _merges(model)
    if pairs is None:
        return {"vocab": vocab}
    rows = [f"   [\n    {quoted[left]},\n    {quoted[right]}\n   ]" for left, right in pairs]
    return {"vocab": vocab, "merges": _lines("[", rows, "]")}


def _merges(model: Model) -> list[tuple[int, int]] | None:
    """Returns the merges by ids, in order; None for a model without merges."""
    if isinstance(model, BytePairEncoder):
        return ordered_merges(model)
    if isinstance(model, CharacterBpe):
        table = model.merges.table
        return [
            (int(i64(table.lefts[rank])), int(i64(table.rights[rank])))
            for rank in range(len(table))
            if i64(table.results[rank]) >= 0
        ]
    return None


def _lines(opening: str, rows: list[str], closing: str) -> str:
    """Returns a list or an object of the model as JSON, from its items in lines."""
    return f"{opening}\n" + ",\n".join(rows) + f"\n  {closing}" if rows else opening + closing


def _recognized(head: FileHead) -> int:
    fields = head.fields
    if fields.get("added_tokens") == "[":
        return CERTAIN
    for name in ("model", "added_tokens"):
        if fields.get(name, "") in _OPENING:
            return LIKELY
    return NO


def _opened(file: TokenizerFile) -> Tokenizer:
    return read_huggingface(file.content, file.name, file.path.parent, file.out)


def _loaded(cached: CacheReader, file: TokenizerFile) -> Tokenizer:
    return load_huggingface(cached, file.name, file.path.parent)


FORMAT: Final[Format] = Format(
    "huggingface",
    "Hugging Face tokenizer.json",
    "Hugging Face",
    (".json",),
    _recognized,
    _opened,
    signs="An object with the list `added_tokens` or the object `model`.",
    algorithms="BPE, Unigram, WordPiece, WordLevel",
    compared="tokenizers 0.23",
    writes="Every tokenizer whose stages tokenizers has.",
    own_names=(SOURCE,),
    folder_names=(SOURCE,),
    load=_loaded,
    obstacle=_obstacle,
    write=_written,
    reference="tokenizers",
    holds=ALL_PARTS,
)
