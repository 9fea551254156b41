"""Reading Hugging Face's ``tokenizer.json``: one file with all stages of a tokenizer.

Source: huggingface/tokenizers, ``tokenizer/serialization.rs``; each stage names its own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from librt.vecs import vec

from tokenarium_core.added_tokens import AddedToken, AddedTokens
from tokenarium_core.details import Detail
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.hf.hf_added_tokens import read_added_tokens
from tokenarium_core.formats.hf.hf_fields import Fields, shown
from tokenarium_core.formats.hf.hf_folder import folder_details
from tokenarium_core.formats.hf.hf_model_reader import ModelSettings, freeze_bpe, model_of, thaw_bpe
from tokenarium_core.formats.hf.hf_stages_reader import Stages, stages_of
from tokenarium_core.formats.hf.hf_vocabulary import HfVocabulary
from tokenarium_core.formats.hf.hf_vocabulary_reader import read_scored, read_vocabulary
from tokenarium_core.formats.json_scanner import OPEN_LIST, JsonScanner, Span
from tokenarium_core.frozen import FrozenReader, FrozenWriter
from tokenarium_core.models.model import Model
from tokenarium_core.tokenizer import Tokenizer

FIELDS: Final = "fields"
"""The part of a file that `Tokenizer.stored` keeps: all fields but the vocabulary and the merges, as JSON."""

FOREIGN: Final = "foreign"
"""Another such part: the ids of the added tokens that the model itself does not have, as a list in JSON."""

SOURCE: Final = "tokenizer.json"
"""How errors call the file."""

_MOST_BYTES: Final = 1 << 25
_MOST_BRACKETS: Final = 1 << 18
"""Bytes, and objects and lists, of all that is not the vocabulary and the merges: as objects of Python, they need much room."""

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
    out: FrozenWriter | None = None,
    scores: list[float] | None = None,
) -> Tokenizer:
    """Returns the tokenizer of a file's content; ``folder``: where files beside it may tell more.

    What was worked out is written to ``out`` for `thaw_huggingface`, where the model can be kept so. ``scores`` are those
    of all entries of a Unigram model, in place of the ones in the content, which are not read exactly.

    Raises FormatError, with the line or the field, for what is not such a file, or cannot be run exactly.
    """
    scanner = JsonScanner(content, SOURCE)
    members = scanner.document("model")
    fields = _parsed(scanner, members)
    settings = ModelSettings(Fields(SOURCE, "model", fields["model"]))
    span = members.get("model.vocab")
    if span is None:
        raise FormatError(
            f"{SOURCE}: model has no field 'vocab': it is not whole, or of another kind."
        )
    entries = _entries(scanner, span)
    if scores:
        entries.scores = vec[float](scores)
    added, details = read_added_tokens(fields["added_tokens"], entries, SOURCE)
    stages = stages_of(SOURCE, fields, settings, entries, added)
    model = model_of(scanner, members, settings, entries, added, stages.spelling)
    stored = json.dumps(fields)
    if out is not None:
        out.text(stored)
        entries.freeze(out)
        out.complete = freeze_bpe(model, out)
    details = _details(fields, settings) + details
    return _tokenizer(name, folder, model, stages, added, details, _stored(stored, entries, added))


def thaw_huggingface(frozen: FrozenReader, name: str, folder: Path | None) -> Tokenizer:
    """Returns the tokenizer that `read_huggingface` wrote to its ``out``."""
    stored = frozen.text()
    fields: dict[str, object] = json.loads(stored)
    settings = ModelSettings(Fields(SOURCE, "model", fields["model"]))
    entries = HfVocabulary()
    entries.thaw(frozen)
    model = thaw_bpe(settings, entries, frozen)
    added, details = read_added_tokens(fields["added_tokens"], entries, SOURCE)
    stages = stages_of(SOURCE, fields, settings, entries, added)
    details = _details(fields, settings) + details
    return _tokenizer(name, folder, model, stages, added, details, _stored(stored, entries, added))


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


def _stored(fields: str, entries: HfVocabulary, added: list[AddedToken]) -> dict[str, bytes]:
    """Returns the parts of the file that are kept for writing it again."""
    foreign = [token.id for token in added if entries.find(token.content) < 0]
    return {FIELDS: fields.encode(), FOREIGN: json.dumps(foreign).encode()}


def _parsed(scanner: JsonScanner, members: dict[str, Span]) -> dict[str, object]:
    """Returns all members but the two large ones, those of the model in an object of their own."""
    fields: dict[str, object] = dict.fromkeys(_KNOWN)
    model: dict[str, object] = {}
    size = 0
    brackets = 0
    for path, span in members.items():
        stage, _, inner = path.partition(".")
        if path == "model" or path in ("model.vocab", "model.merges"):
            continue
        size += span.stop - span.start
        brackets += scanner.data.count(b"{", span.start, span.stop)
        brackets += scanner.data.count(b"[", span.start, span.stop)
        if size > _MOST_BYTES or brackets > _MOST_BRACKETS:
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
        raise FormatError(f"{SOURCE} has no field 'model': it is no tokenizer, or not whole.")
    version = fields["version"]
    if version is not None and version != "1.0":
        raise FormatError(
            f"{SOURCE} has the version {shown(version)}; this program reads version '1.0'."
        )
    if "type" not in model:
        model["type"] = _type_of(members)
    fields["model"] = model
    return fields


def _type_of(members: dict[str, Span]) -> str:
    """Returns the type of a model that does not name it, as files of the first versions do not."""
    if "model.merges" in members:
        return "BPE"
    if "model.unk_id" in members:
        return "Unigram"
    return "WordPiece" if "model.continuing_subword_prefix" in members else "WordLevel"


def _entries(scanner: JsonScanner, span: Span) -> HfVocabulary:
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
                note = " (not applied)" if name == "dropout" and settings.dropout else ""
                details.append(Detail("model", name, shown(value) + note))
    stored = [
        ("stages", name) for name in ("normalizer", "pre_tokenizer", "post_processor", "decoder")
    ]
    stored += [("batches", name) for name in ("truncation", "padding")]
    details += [Detail(group, name, shown_whole(fields[name])) for group, name in stored]
    return details


def shown_whole(value: object) -> str:
    """Returns a setting as its JSON, cut off where it is long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 2000 else f"{text[:2000]}…"
