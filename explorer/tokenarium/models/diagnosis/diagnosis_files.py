"""Whether a tokenizer fits the files of its model: the configuration, and the tokens that they name."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

import tokenarium_core as tc
from tokenarium.models.diagnosis.diagnosis import SHOWN, Diagnosis, Evidence, Level, worst
from tokenarium.models.text.added_in_text import id_of
from tokenarium.models.text.piece import counted
from tokenarium_core.formats import FOREIGN, GROUP, NOT_APPLIED, SETTINGS_FILES, named_tokens
from tokenarium_core.formats.chat_part import folder_of
from tokenarium_core.plain_files import read_file

FILES: Final = ("config.json", "generation_config.json")
"""The files of a model that name its size and its special ids; where both do, it writes by the second."""

WHOLE: Final = "tokenizer.json"
LARGEST: Final = 1 << 24

ROLES: Final = ("bos", "eos", "pad", "unk", "sep", "cls", "mask")
"""The special tokens that the files of a model name by their ids, and those of a tokenizer by their texts."""

_START: Final = "decoder_start_token_id"


@final
@dataclass(frozen=True, slots=True)
class IdSetting:
    """An id that a model's file names for a role; ``fault`` says what is wrong with it, or is empty.

    ``grave``: a model that is used with it gets a wrong id; a different token that only pads a batch is not grave.
    """

    field: str
    id: int
    file: str
    fault: str = ""
    grave: bool = False


def id_settings(
    tokenizer: tc.Tokenizer, folder: Path | None, settings: Mapping[str, Mapping[str, Any]]
) -> list[IdSetting]:
    """Returns the special ids that the files of a model name, compared with the tokens that its folder names.

    ``settings`` are the fields of each file by its name. An id below 0 stands for none. Of a list of ids (several ends)
    one must be that of the token, in one of the files.
    """
    size = len(tokenizer.vocabulary)
    roles = {token.field: token.content for token in (named_tokens(folder) if folder else [])}
    named: dict[str, list[tuple[str, list[int]]]] = {}
    for file, fields in settings.items():
        for field in (*(f"{role}_token_id" for role in ROLES), _START):
            value = fields.get(field)
            several = value if isinstance(value, list) else [value]
            ids = [one for one in several if type(one) is int and one >= 0]
            if ids:
                named.setdefault(field, []).append((file, ids))
    id_settings = []
    for field, places in named.items():
        content = roles.get(field.removesuffix("_id"))
        known = -1 if content is None else id_of(tokenizer, content)
        fits = any(known in ids for _, ids in places)
        for file, ids in places:
            for token in ids:
                fault = ""
                if token >= size:
                    fault = "the tokenizer has no such id"
                elif content is not None and not fits:
                    where = f"has the id {known:,}" if known >= 0 else "is no entry"
                    fault = (
                        f"it is “{tokenizer.vocabulary.surface(token)}”, but the tokenizer's"
                        f" {field.removesuffix('_id')} “{content}” {where}"
                    )
                grave = token >= size or field != "pad_token_id"
                id_settings.append(IdSetting(field, token, file, fault, grave))
    return id_settings


def configuration(tokenizer: tc.Tokenizer) -> Diagnosis:
    """Examines vocabulary size and special ids against the model's configuration."""
    title = "The model's configuration"
    method = f"Read from {' and '.join(FILES)} next to the tokenizer's file."
    folder = folder_of(tokenizer)
    files = {name: model_fields(folder / name) for name in FILES} if folder is not None else {}
    if not any(files.values()):
        return Diagnosis(
            "configuration",
            title,
            Level.UNKNOWN,
            "There is no model configuration next to the tokenizer. Open the model's folder to compare them.",
            method,
        )
    size = len(tokenizer.vocabulary)
    cases = []
    levels = []
    vocab_size = next((file["vocab_size"] for file in files.values() if "vocab_size" in file), None)
    if type(vocab_size) is int:
        fits = size <= vocab_size
        levels += [] if fits else [Level.WRONG_IDS]
        rest = (
            f"{vocab_size - size:,} rows of the embedding have no entry"
            if vocab_size > size
            else "equal"
            if fits
            else "some entries have no row in the embedding"
        )
        cases.append(Evidence(f"vocab_size {vocab_size:,}, entries {size:,}: {rest}"))
    for setting in id_settings(tokenizer, folder, files):
        if setting.fault:
            levels.append(Level.WRONG_IDS if setting.grave else Level.SURPRISE)
        is_there = setting.id < size
        what = setting.fault or f"“{tokenizer.vocabulary.surface(setting.id)}”"
        case = Evidence(
            f"{setting.field} {setting.id:,} of {setting.file}: {what}",
            setting.id if is_there else -1,
        )
        if case not in cases:
            cases.append(case)
    faults = len(levels)
    return Diagnosis(
        "configuration",
        title,
        worst(levels),
        f"{counted(faults, 'setting does', 'settings do')} not fit the tokenizer."
        if faults
        else f"All {counted(len(cases), 'setting fits', 'settings fit')} the tokenizer."
        if len(cases) != 1
        else "The one setting fits the tokenizer.",
        method + " The ids are compared with the tokens that the tokenizer's own files name.",
        len(cases),
        tuple(cases[:SHOWN]),
    )


def rows_sentence(old: tc.Tokenizer, new: tc.Tokenizer) -> str:
    """Returns where the additional ids of a changed tokenizer are in its model's embedding; empty if the size is unknown.

    The size is the vocab_size of the configuration next to the old tokenizer's file.
    """
    folder = folder_of(old)
    if folder is None:
        return ""
    sizes = ((name, model_fields(folder / name).get("vocab_size")) for name in FILES)
    name, rows = next(((name, rows) for name, rows in sizes if type(rows) is int), ("", 0))
    first, end = len(old.vocabulary), len(new.vocabulary)
    if not name or end <= first:
        return ""
    has = f"The model has {rows:,} rows in its embedding (vocab_size of {name}), and {old.name} has {first:,} entries:"
    inside = min(rows, end) - first
    if inside <= 0:
        return f"{has} it needs {end:,} rows for the new ids."
    ids = f"{first:,}" if inside == 1 else f"{first:,} to {first + inside - 1:,}"
    said = (
        f"{has} the {'id' if inside == 1 else 'ids'} {ids} {'falls' if inside == 1 else 'fall'} into rows that"
        " were only padding. They exist, but were never trained."
    )
    return said if rows >= end else f"{said} For the others it needs {end:,} rows."


def settings_beside(tokenizer: tc.Tokenizer) -> Diagnosis:
    """Examines the tokens that the files of the folder name against the tokenizer, and settings that were not applied."""
    id, title = "folder", "The folder's settings"
    method = (
        f"Read from {', '.join(SETTINGS_FILES)} next to the vocabulary. A token that these name and that is not an entry gets a"
        " new id when transformers opens the folder; the model has no row for it unless it was trained with one."
    )
    folder = folder_of(tokenizer)
    if folder is None or not any(os.path.isfile(folder / name) for name in SETTINGS_FILES):
        return Diagnosis(
            id, title, Level.UNKNOWN, "There are no such files next to the tokenizer.", method
        )
    cases = [
        Evidence(detail.value)
        for detail in tokenizer.details
        if detail.group == GROUP and detail.name == NOT_APPLIED
    ]
    applied = any(detail.group == GROUP and detail.name == "class" for detail in tokenizer.details)
    ids = {token.content: token.id for token in tokenizer.added_tokens.tokens}
    # In a tokenizer.json every added token is declared; of a class's, some are there only because a setting names them.
    foreign = json.loads(tokenizer.stored.get(FOREIGN, b"[]")) if applied else []
    named = named_tokens(folder)
    given = {token.content for token in named if token.id >= 0}
    unknown = {token.content for token in named} - ids.keys()
    if unknown:
        vocabulary = tokenizer.vocabulary
        for one in range(len(vocabulary)):
            text = vocabulary.surface(one)
            if text in unknown:
                ids[text] = one
    shown: set[str] = set()
    levels: list[Level] = []
    for token in named:
        setting = f"{token.field} of {token.file}" if token.field else token.file
        known = ids.get(token.content)
        if token.content in shown:
            continue
        if known is None and applied:
            what = "is not an entry, and was not added: if there is added_tokens_decoder, transformers does not read it either"
        elif known is None:
            what = (
                "is not an entry, and was not added; transformers adds it when it opens the folder"
            )
        elif token.id >= 0 and token.id != known:
            what = f"has the id {token.id:,} there, and {known:,} in the tokenizer"
            levels.append(Level.WRONG_IDS)
        elif known in foreign and token.content not in given:
            what = f"is not an entry of the vocabulary: it was added with the id {known:,}"
        else:
            continue
        shown.add(token.content)
        cases.append(
            Evidence(f"“{token.content}” ({setting}) {what}", -1 if known is None else known)
        )
    if os.path.isfile(folder / WHOLE):
        cases += _not_around(tokenizer, _fields(folder / SETTINGS_FILES[0]), ids)
    return Diagnosis(
        id,
        title,
        worst([*levels, *(Level.SURPRISE for _ in cases[:1])]),
        f"{counted(len(cases), 'setting does', 'settings do')} not fit the tokenizer."
        if cases
        else f"All {counted(len(named), 'token')} that they name are entries.",
        method,
        len(cases) if cases else len(named),
        tuple(cases[:SHOWN]),
        tuple(case.token for case in cases if case.token >= 0),
    )


def _not_around(
    tokenizer: tc.Tokenizer, config: dict[str, Any], ids: dict[str, int]
) -> list[Evidence]:
    """Returns the settings that ask for a token around a text where the whole file's template adds none."""
    template = tokenizer.template
    around = [*template.before, *template.after] if template is not None else []
    cases = []
    for setting, name in (("add_bos_token", "bos_token"), ("add_eos_token", "eos_token")):
        token = config.get(name)
        content = token.get("content") if isinstance(token, dict) else token
        if config.get(setting) is True and not isinstance(content, str):
            note = f"{setting} is set, but {SETTINGS_FILES[0]} names no {name}: none is put around a text"
            cases.append(Evidence(note))
        elif config.get(setting) is True:
            known = ids.get(str(content), -1)
            if known not in around:
                note = (
                    f"{setting} is set, but {WHOLE} does not put “{content}” around a text: the file counts, in"
                    " transformers 5, too"
                )
                cases.append(Evidence(note, known))
    return cases


def model_fields(path: Path, needed: bool = False) -> dict[str, Any]:
    """Returns the fields of a model's configuration, with those of its text part, which some models keep apart.

    None if the file is missing or malformed; where it is needed, FormatError.
    """
    content = _fields(path, needed)
    inner = content.get("text_config")
    return {**inner, **content} if isinstance(inner, dict) else content


def _fields(path: Path, needed: bool = False) -> dict[str, Any]:
    """Returns the fields of a JSON file; none if it is missing or malformed, unless it is needed."""
    try:
        content = json.loads(read_file(path, LARGEST))
        if not isinstance(content, dict):
            raise ValueError("it is not an object")
    except (OSError, ValueError, RecursionError) as error:
        if needed:
            raise tc.FormatError(f"{path} is not the configuration of a model: {error}.") from None
        return {}
    return content
