"""A repair: edits of a tokenizer's files, what they do, and the files that come of them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final

import tokenarium_core as tc
from tokenarium.models.mending.json_edits import (
    JsonPath,
    insert_item,
    remove_value,
    rename_member,
    set_value,
    set_values,
)
from tokenarium_core.details import CHANGED
from tokenarium_core.formats import FIELDS
from tokenarium_core.formats.chat_part import folder_of
from tokenarium_core.plain_files import read_file

WHOLE: Final = "tokenizer.json"

LARGEST: Final = 1 << 30
"""The most bytes of a file that is mended, except for GGUF files."""

LARGE: Final = "…"
"""Instead of the value before an edit, if that is a whole vocabulary, or a list of merges."""

SHOWN: Final = 80
"""Characters of a value that are shown."""


class EditAction(Enum):
    """What an edit does."""

    SET = "set"
    INSERT = "insert"
    RENAME = "rename"
    REMOVE = "remove"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class FileEdit:
    """One edit of a file in the folder of a tokenizer.

    ``path`` leads to a value of a JSON file: it is set, removed, or a member is renamed; for INSERT, to the new item. In a
    text file, the first ``before`` becomes ``after``.
    """

    file: str
    path: JsonPath
    before: Any
    after: Any
    action: EditAction = EditAction.SET

    def applied(self, content: bytes) -> bytes:
        """Returns the content of the file after the edit; FormatError if there is nothing to edit."""
        match self.action:
            case EditAction.SET:
                return set_value(content, self.path, self.after)
            case EditAction.INSERT:
                return insert_item(content, self.path[:-1], int(self.path[-1]), self.after)
            case EditAction.RENAME:
                return rename_member(content, self.path, str(self.after))
            case EditAction.REMOVE:
                return remove_value(content, self.path)
            case EditAction.TEXT:
                before, after = (str(one).encode() for one in (self.before, self.after))
                if before not in content:
                    raise tc.FormatError(f"{self.file} has no {self.before!r}.")
                return content.replace(before, after, 1)

    def fits(self, fields: Any) -> bool:
        """Returns whether the value of a JSON file that it was made for is still there."""
        *parents, last = self.path
        try:
            for key in parents:
                fields = fields[key]
            if self.action is EditAction.INSERT:
                return isinstance(fields, list)
            if self.action is EditAction.SET and self.before is None and isinstance(fields, dict):
                return fields.get(last) is None
            found = fields[last]
        except (LookupError, TypeError):
            return False
        return self.action is EditAction.RENAME or self.before in (LARGE, found)

    @property
    def place(self) -> str:
        """The file and the place in it: ``tokenizer.json: added_tokens[3].lstrip``."""
        shown = ""
        for key in self.path:
            shown += f"[{key}]" if isinstance(key, int) else f".{key}" if shown else key
        return f"{self.file}: {shown}" if shown else self.file

    @property
    def old(self) -> str:
        """What is there before, shortened."""
        return "–" if self.action is EditAction.INSERT else _shown(self.before)

    @property
    def new(self) -> str:
        """What is there afterwards, shortened."""
        return "–" if self.action is EditAction.REMOVE else _shown(self.after)


@dataclass(frozen=True, slots=True)
class Repair:
    """A way to mend a finding or a difference: what it is called, what it does, and the edits.

    ``id`` is unique for a tokenizer; several repairs of one finding are alternatives. ``cause`` is the id of the finding, or
    the stage. ``pattern`` is the name of the pattern for a GGUF file, which has no edits.
    """

    id: str
    cause: str
    title: str
    sentence: str
    edits: tuple[FileEdit, ...] = ()
    pattern: str = ""

    @property
    def changes_tokenizer(self) -> bool:
        """Whether it changes more than the settings beside the tokenizer."""
        return bool(self.pattern) or any(
            edit.file == WHOLE or edit.path[:1] == ("chat_template",) or edit.action is EditAction.TEXT
            for edit in self.edits
        )  # fmt: skip


def whole_path(tokenizer: tc.Tokenizer) -> Path | None:
    """Returns the ``tokenizer.json`` that a tokenizer was opened from, whatever its name; None for other formats."""
    folder = folder_of(tokenizer)
    if folder is None or FIELDS not in tokenizer.stored or tokenizer.source.format == "tokenarium":
        return None
    path = Path(tokenizer.source.path)
    if os.path.isdir(path):
        path = path / WHOLE
    return path if path.suffix == ".json" and path.is_file() else None


def file_path(tokenizer: tc.Tokenizer, name: str) -> Path:
    """Returns the path of a file of a tokenizer's folder; `WHOLE` is the tokenizer's own file."""
    whole = whole_path(tokenizer) if name == WHOLE else None
    folder = folder_of(tokenizer)
    if whole is None and folder is None:
        raise tc.NotAvailable(f"{tokenizer.name} has no folder.")
    return whole if whole is not None else (folder or Path()) / name


def mended_files(tokenizer: tc.Tokenizer, repairs: Sequence[Repair]) -> dict[str, bytes]:
    """Returns the contents of the files that some repairs change, by their real names in the folder.

    TokenariumError if a file cannot be read, or does not have what is edited: it may have changed since it was examined.
    """
    contents: dict[str, bytes] = {}
    made: list[FileEdit] = []
    for edit in (
        edit for repair in repairs for edit in repair.edits if edit.action is not EditAction.SET
    ):
        if edit not in made:  # two repairs may need the same one
            made.append(edit)
    values: dict[str, dict[JsonPath, Any]] = {}
    for repair in repairs:
        for edit in repair.edits:
            if edit.file not in contents:
                contents[edit.file] = read_content(tokenizer, edit.file)
                _check(tokenizer, edit.file, contents[edit.file], repairs)
            if edit.action is EditAction.SET:
                values.setdefault(edit.file, {})[edit.path] = edit.after
    for name, wanted in values.items():  # before anything moves
        contents[name] = set_values(contents[name], wanted)
    for edit in made:
        contents[edit.file] = edit.applied(contents[edit.file])
    return {file_path(tokenizer, name).name: content for name, content in contents.items()}


def _check(tokenizer: tc.Tokenizer, name: str, content: bytes, repairs: Sequence[Repair]) -> None:
    """Raises FormatError if a file has other values than those that the repairs were made for."""
    edits = [edit for repair in repairs for edit in repair.edits if edit.file == name]
    if any(edit.action is EditAction.TEXT for edit in edits):
        return  # which finds its text by itself
    same = name != WHOLE or CHANGED not in dict(tokenizer.source.digests()).values()
    try:
        fields = json.loads(content)
    except (ValueError, RecursionError):
        same, fields = False, None
    if not same or not all(edit.fits(fields) for edit in edits):
        path = file_path(tokenizer, name)
        raise tc.FormatError(f"{path} has changed since it was examined: open it again.")


def read_content(tokenizer: tc.Tokenizer, name: str) -> bytes:
    """Returns the bytes of a file of a tokenizer's folder; NotAvailable if it cannot be read."""
    path = file_path(tokenizer, name)
    try:
        return read_file(path, LARGEST)
    except OSError as error:
        raise tc.NotAvailable(f"{path} cannot be read: {error.strerror or error}.") from None


def json_of(tokenizer: tc.Tokenizer, name: str) -> Mapping[str, Any]:
    """Returns the fields of a JSON file of a tokenizer's folder; none if it is missing or malformed."""
    try:
        fields = json.loads(read_content(tokenizer, name))
    except (tc.TokenariumError, ValueError, RecursionError):
        return {}
    return fields if isinstance(fields, dict) else {}


def _shown(value: Any) -> str:
    written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return written if len(written) <= SHOWN else f"{written[:SHOWN]}…"
