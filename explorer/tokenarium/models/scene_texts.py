"""The files of a session: its JSON, and beside it the texts that are large, each named by its hash.

So the JSON is small, is read at once, and is written as often as something changes; a text is written once. In place of
a large text among the settings is an object with the name of its file and its hash.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from tokenarium.models.counted import listed
from tokenarium.models.scene import (
    MOST_TEXT,
    ReadScene,
    Scene,
    SceneText,
    file_bytes,
    is_plain_name,
    read_scene,
    scene_bytes,
)
from tokenarium_core.plain_files import is_device
from tokenarium_core.whole_files import write_files

MOST_INLINE: Final = 1 << 20
"""Bytes up to which the text is written into the scene."""

MOST_INLINE_SETTING: Final = 1 << 16
"""Characters up to which a text among the settings is written into the scene."""

AT_ONCE: Final = 1 << 20
"""Bytes of a session up to which it is read in a moment: a few hundredths of a second."""

MOST_REPEATED: Final = 4 << 20
"""Bytes up to which a sample is repeated."""

BESIDE: Final = "text_beside"
"""The name in such an object of the name of the file; the other one is ``sha256``."""

TextName = Callable[[str], str]
"""Returns the name of the file of a text, by the text's SHA-256."""

_SETTINGS: Final = ("display", "pages", "panes", "above")


def write_session(scene: Scene, path: Path) -> None:
    """Writes a session and the texts beside it; WriteError or SceneError if that fails, and then it is unchanged.

    The texts of an earlier session of this name stay: a copy of that may name them.
    """
    scene, texts = texts_apart(scene, lambda digest: f"{path.stem[:100]}-{digest[:16]}.txt")
    if scene.text is not None and len(scene.text.inline) > MOST_INLINE // 4:
        utf8 = scene.text.inline.encode("utf-8", "surrogatepass")
        if len(utf8) > MOST_INLINE:
            digest = sha256(utf8)
            name = f"{path.stem[:100]}-{digest[:16]}.txt"
            texts[name] = utf8
            text = msgspec.structs.replace(scene.text, inline="", beside=name, sha256=digest)
            scene = msgspec.structs.replace(scene, text=text)
    content = scene_bytes(scene)
    write_texts(path.parent, texts)
    write_files({path: content})


def write_texts(folder: Path, texts: dict[str, bytes]) -> None:
    """Writes texts whose names say what they hold; those that are there already stay."""
    new = {
        folder / name: utf8
        for name, utf8 in texts.items()
        if not _has_size(folder / name, len(utf8))
    }
    if new:
        write_files(new)


def texts_apart(scene: Scene, name_of: TextName) -> tuple[Scene, dict[str, bytes]]:
    """Returns a scene without the large texts of its settings, and those in UTF-8 by the names of their files."""
    texts: dict[str, bytes] = {}

    def apart(value: Any) -> Any:
        if isinstance(value, str):
            if len(value) <= MOST_INLINE_SETTING:
                return value
            utf8 = value.encode("utf-8", "surrogatepass")
            digest = sha256(utf8)
            name = name_of(digest)
            texts[name] = utf8
            return {BESIDE: name, "sha256": digest}
        if isinstance(value, dict):
            return {key: apart(item) for key, item in value.items()}
        return [apart(item) for item in value] if isinstance(value, (list, tuple)) else value

    settings = {field: apart(getattr(scene, field)) for field in _SETTINGS}
    return (msgspec.structs.replace(scene, **settings) if texts else scene), texts


def is_read_at_once(path: Path) -> bool:
    """Returns whether a session is small enough to be read without a pause; reading it will report what is wrong."""
    try:
        if is_device(path) or path.stat().st_size > AT_ONCE:
            return is_device(path)
        return BESIDE.encode() not in path.read_bytes()
    except (OSError, ValueError):
        return True


def read_scene_file(path: Path) -> ReadScene:
    """Returns the scene of a file, with the texts of its settings; SceneError if it cannot be read or is not one.

    The text is where it is, for it may be large.
    """
    return with_texts(read_scene(file_bytes(path), path.name, folder=path.parent))


def with_texts(found: ReadScene) -> ReadScene:
    """Returns a scene whose settings have the texts that lie beside it, with sentences about those that do not."""
    missing: list[str] = []
    changed: list[str] = []
    room = MOST_TEXT

    def put_back(value: Any) -> Any:
        """Returns a value with its texts; None in the place of one that is not there."""
        nonlocal room
        if isinstance(value, dict):
            if set(value) != {BESIDE, "sha256"}:
                return {key: put_back(item) for key, item in value.items()}
            name = str(value[BESIDE])
            utf8 = _beside(found.folder, name, room)
            if utf8 is None:
                missing.append(name)
                return None
            room -= len(utf8)
            if sha256(utf8) != value["sha256"]:
                changed.append(name)
            return utf8.decode("utf-8", "surrogatepass" if _is_utf8(utf8) else "replace")
        return [put_back(item) for item in value] if isinstance(value, list) else value

    settings = {field: put_back(getattr(found.scene, field)) for field in _SETTINGS}
    said = list(found.left_out)
    if missing:
        said.append(f"A text next to the session is missing or too large: {listed(missing)}.")
    if changed:
        said.append(
            f"A text next to the session has changed since it was saved: {listed(changed)}."
        )
    return found._replace(
        scene=msgspec.structs.replace(found.scene, **settings), left_out=tuple(said)
    )


def text_path(found: ReadScene) -> Path | None:
    """Returns the path of a scene's text, a file of the user's or one beside it; None if it is of neither."""
    text = found.scene.text
    if text is None:
        return None
    if text.beside and found.folder is not None:
        return found.folder / text.beside
    return Path(text.file) if text.file else None


def written_text(text: SceneText, said: list[str]) -> str:
    """Returns the text in a scene, or its sample; adds a sentence to ``said`` if it is not as the scene has it."""
    if not text.sample:
        return text.inline
    from tokenarium.resources.samples_index import load_samples

    sample = next((one for one in load_samples() if one.id == text.sample), None)
    if sample is None:
        said.append(f"The text is not here: there is no sample “{text.sample[:40]}”.")
        return text.inline
    once = sample.text()
    repeat = max(1, min(text.repeat, MOST_REPEATED // len(once.encode())))
    if repeat < text.repeat:
        said.append(f"The text is repeated only {repeat:,} times, or it would be too long.")
    return once * repeat


def sha256(data: bytes) -> str:
    """Returns the SHA-256 of some bytes in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def _beside(folder: Path | None, name: str, most: int) -> bytes | None:
    if folder is None or not name or not is_plain_name(name):
        return None
    path = folder / name
    try:
        if not os.path.isfile(path):
            return None
        with path.open("rb") as file:
            utf8 = file.read(most + 1)
    except (OSError, ValueError):
        return None
    return utf8 if len(utf8) <= most else None


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def _has_size(path: Path, size: int) -> bool:
    try:
        return path.stat().st_size == size
    except OSError:
        return False
