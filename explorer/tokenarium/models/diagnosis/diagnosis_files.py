"""Whether a tokenizer fits the files of its model: the configuration, and the tokens that they name."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import tokenarium_core as tc
from tokenarium.models.diagnosis.diagnosis import SHOWN, Diagnosis, Evidence, Severity
from tokenarium.models.text.piece import counted
from tokenarium_core.formats import FOREIGN, GROUP, NOT_APPLIED, SETTINGS_FILES, named_tokens
from tokenarium_core.plain_files import read_file

FILES = ("config.json", "generation_config.json")
WHOLE = "tokenizer.json"
LARGEST = 1 << 24

_SPECIAL = (
    "bos_token_id",
    "eos_token_id",
    "pad_token_id",
    "unk_token_id",
    "decoder_start_token_id",
)


def configuration(tokenizer: tc.Tokenizer) -> Diagnosis:
    """Examines vocabulary size and special ids against the model's configuration."""
    title = "The model's configuration"
    method = f"Read from {' and '.join(FILES)} next to the tokenizer's file."
    folder = _folder(tokenizer)
    found = {name: _read(folder / name) for name in FILES} if folder is not None else {}
    settings: dict[str, Any] = {}
    for content in found.values():
        settings.update(content)
    if not settings:
        return Diagnosis(
            "configuration",
            title,
            Severity.UNKNOWN,
            "There is no model's configuration next to the tokenizer. Open the model's folder to compare them.",
            method,
        )
    size = len(tokenizer.vocabulary)
    cases = []
    faults = 0
    wanted = settings.get("vocab_size")
    if isinstance(wanted, int):
        fits = size <= wanted
        faults += not fits
        rest = (
            f"{wanted - size:,} rows of the embedding have no entry"
            if fits and wanted > size
            else "equal"
        )
        cases.append(
            Evidence(
                f"vocab_size {wanted:,}, entries {size:,}: "
                + (rest if fits else "some entries have no row in the embedding")
            )
        )
    for name in _SPECIAL:
        value = settings.get(name)
        for token in value if isinstance(value, list) else [value]:
            if isinstance(token, int):
                is_there = 0 <= token < size
                faults += not is_there
                what = f"“{tokenizer.vocabulary.surface(token)}”" if is_there else "no such id"
                cases.append(Evidence(f"{name} {token:,}: {what}", token if is_there else -1))
    return Diagnosis(
        "configuration",
        title,
        Severity.WARNING if faults else Severity.FINE,
        f"{counted(faults, 'setting does', 'settings do')} not fit the tokenizer."
        if faults
        else f"All {counted(len(cases), 'setting fits', 'settings fit')} the tokenizer.",
        method,
        len(cases),
        tuple(cases),
    )


def settings_beside(tokenizer: tc.Tokenizer) -> Diagnosis:
    """Examines the tokens that the files of the folder name against the tokenizer, and settings that were not applied."""
    id, title = "folder", "The folder's settings"
    method = (
        f"Read from {', '.join(SETTINGS_FILES)} next to the vocabulary. A token that these name and that is not an entry gets a"
        " new id when transformers opens the folder; the model has no row for it unless it was trained so."
    )
    folder = _folder(tokenizer)
    if folder is None or not any(os.path.isfile(folder / name) for name in SETTINGS_FILES):
        return Diagnosis(
            id, title, Severity.UNKNOWN, "There are no such files next to the tokenizer.", method
        )
    cases = [
        Evidence(detail.value)
        for detail in tokenizer.details
        if detail.group == GROUP and detail.name == NOT_APPLIED
    ]
    applied = any(detail.group == GROUP and detail.name == "class" for detail in tokenizer.details)
    ids = {token.content: token.id for token in tokenizer.added_tokens.tokens}
    foreign = json.loads(tokenizer.stored.get(FOREIGN, b"[]"))
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
    for token in named:
        place = f"{token.field} of {token.file}" if token.field else token.file
        known = ids.get(token.content)
        if token.content in shown:
            continue
        if known is None and applied:
            what = "is not an entry, and was not added: beside added_tokens_decoder, transformers does not read it either"
        elif known is None:
            what = (
                "is not an entry, and was not added; transformers adds it when it opens the folder"
            )
        elif token.id >= 0 and token.id != known:
            what = f"has the id {token.id:,} there, and {known:,} in the tokenizer"
        elif known in foreign and token.content not in given:
            what = f"is not an entry of the vocabulary: it was added with the id {known:,}"
        else:
            continue
        shown.add(token.content)
        cases.append(
            Evidence(f"“{token.content}” ({place}) {what}", -1 if known is None else known)
        )
    if os.path.isfile(folder / WHOLE):
        cases += _not_around(tokenizer, _read(folder / SETTINGS_FILES[0]), ids)
    return Diagnosis(
        id,
        title,
        Severity.WARNING if cases else Severity.FINE,
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
        if config.get(setting) is True and isinstance(content, str):
            known = ids.get(content, -1)
            if known not in around:
                note = (
                    f"{setting} is set, but {WHOLE} does not put “{content}” around a text: the file counts, in"
                    " transformers 5, too"
                )
                cases.append(Evidence(note, known))
    return cases


def _folder(tokenizer: tc.Tokenizer) -> Path | None:
    """Returns the folder that a tokenizer was opened from, or None."""
    if not tokenizer.source.path:
        return None
    source = Path(tokenizer.source.path)
    return source if os.path.isdir(source) else source.parent


def _read(path: Path) -> dict[str, Any]:
    """Returns the fields of a JSON file; none where it is missing or malformed."""
    try:
        content = json.loads(read_file(path, LARGEST))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
