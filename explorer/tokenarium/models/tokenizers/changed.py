"""Tokenizers that were made of others by changing them, kept in the store beside the trained ones."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import tokenarium_core as tc
from tokenarium.models.progress_reporter import ReportProgress, stage
from tokenarium.models.training.keeping import format_to_keep
from tokenarium.models.training.store import Store, Trained
from tokenarium_core.formats.registry import EXPORT_FORMATS, files_of

CHANGED: Final = "changed"
"""The algorithm, in the store, of a tokenizer that was made of another one."""


@dataclass(slots=True)
class Changes:
    """Changes of special tokens: new ones with their ids (None: the next free one), new names, and removed ones."""

    add: dict[str, int | None] = field(default_factory=dict)
    rename: dict[str, str] = field(default_factory=dict)
    remove: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.settings)

    @property
    def settings(self) -> dict[str, Any]:
        """What the store keeps of them."""
        kinds = {"add": [*self.add.items()], "rename": [*self.rename.items()]}
        return {name: one for name, one in {**kinds, "remove": self.remove}.items() if one}

    @property
    def description(self) -> str:
        """The changes in words."""
        return changes_of(self.settings)

    def made(self, old: tc.Tokenizer) -> tc.Tokenizer:
        """Returns a tokenizer with the changes; TokenariumError where they are not possible."""
        return tc.change_special_tokens(old, self.add, self.rename, self.remove)


@dataclass(frozen=True, slots=True)
class ChangeRequest:
    """What to change: how the old tokenizer is opened, and the special tokens.

    ``folder`` is that of the store, ``name`` what the new tokenizer is called.
    """

    source: str
    pattern: str
    old_name: str
    changes: Changes
    name: str
    folder: str


def make_changed(report: ReportProgress, request: ChangeRequest) -> Trained:
    """Makes a tokenizer with other special tokens and keeps it in the store; ``report`` gets the progress.

    On the sample texts, which have no special tokens, it must give the same ids as the old one. TokenariumError where
    it does not, or where the change is not possible, with the reason.
    """
    from tokenarium.resources.samples_index import load_samples

    report(stage(f"Opening {request.old_name}", 0.0))
    old = tc.open(request.source, pattern=request.pattern or None)
    old.name = request.old_name
    report(stage("Changing the special tokens", 0.3))
    changed = request.changes.made(old)
    changed.name = request.name
    report(stage("Comparing the ids of the sample texts", 0.6))
    text = without("\n".join(sample.text() for sample in load_samples()), old, changed)
    if changed.encode_ids(text) != old.encode_ids(text):
        raise tc.TokenariumError(
            "With this change, a text without special tokens would get different ids: nothing was made."
        )
    report(stage("Saving it", 0.9))
    return keep_made(changed, old.name, request.name, request.folder, request.changes.settings)


def without(text: str, *tokenizers: tc.Tokenizer) -> str:
    """Returns a text without any of the special tokens of some tokenizers."""
    for tokenizer in tokenizers:
        for token in tokenizer.special_tokens:
            text = text.replace(token, "")
    return text


def keep_made(
    made: tc.Tokenizer, old_name: str, name: str, folder: str, changes: Mapping[str, Any]
) -> Trained:
    """Keeps a tokenizer that was made of another one, with the changes, for `changes_of`; returns it as it is kept."""
    format = format_to_keep(made)
    content = next(iter(files_of(made, format, "kept").values()))
    trained = Trained(
        name=name,
        algorithm=CHANGED,
        settings=json.loads(json.dumps({"made_from": old_name, **changes})),  # as it is read again
        corpus={"sources": [f"from {old_name}"]},
        fingerprint=hashlib.sha256(content).hexdigest(),
        suffix=EXPORT_FORMATS[format].suffix,
        pieces=len(made.vocabulary),
        version=tc.__version__,
    )
    return Store(Path(folder)).save(trained, content)


def changes_of(settings: Mapping[str, Any]) -> str:
    """Returns what was changed, in words, from the settings that `keep_made` wrote."""
    said = [f"{old} renamed to {new}" for old, new in settings.get("rename", [])]
    said += [f"{token} removed" for token in settings.get("remove", [])]
    said += [
        f"{token} added" + (f" as {id}" if id is not None else "")
        for token, id in settings.get("add", [])
    ]
    pruned = settings.get("prune")
    if pruned:
        said.append(f"{pruned['removed']:,} entries removed: {pruned['wanted']}")
        if pruned["texts"]:
            more = pruned["tokens"] - pruned["tokens_before"]
            said.append(f"{more:,} more tokens on {pruned['texts'][0]}")
    said += settings.get("mend", [])
    extended = settings.get("extend")
    if extended:
        said.append(f"{extended['added']:,} entries added")
        if extended["texts"]:
            said.append(f"{extended['saved']:,} fewer tokens on {extended['texts'][0]}")
    return ", ".join(said)
