"""Whether a tokenizer fits the configuration of the model that lies beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import tokenarium_core as tc
from tokenarium.models.diagnosis.diagnosis import Diagnosis, Evidence, Weight, many

FILES = ("config.json", "generation_config.json")
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
    method = f"Read from {' and '.join(FILES)} beside the tokenizer's file."
    source = Path(tokenizer.source.path) if tokenizer.source.path else None
    folder = (
        source
        if source is not None and source.is_dir()
        else source.parent
        if source is not None
        else None
    )
    found = {name: _read(folder / name) for name in FILES} if folder is not None else {}
    settings: dict[str, Any] = {}
    for content in found.values():
        settings.update(content)
    if not settings:
        return Diagnosis(
            "configuration",
            title,
            Weight.UNKNOWN,
            "There is no configuration of a model beside the tokenizer. Open the model's folder to have them compared.",
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
        Weight.WARNING if faults else Weight.FINE,
        f"{many(faults, 'setting does', 'settings do')} not fit the tokenizer."
        if faults
        else f"All {many(len(cases), 'setting fits', 'settings fit')} the tokenizer.",
        method,
        len(cases),
        tuple(cases),
    )


def _read(path: Path) -> dict[str, Any]:
    """Returns the fields of a JSON file; none where it is not there, or not what it should be."""
    try:
        if path.stat().st_size > LARGEST:
            return {}
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
