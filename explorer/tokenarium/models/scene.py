"""Scenes: what a window shows, as data. One versioned schema, read from files and links that may come from anywhere.

A scene is JSON. Its text is in it, or in a file that it names with a hash; its tokenizers are named, with a hash and
with what to take instead. `read_scene` checks everything, says in sentences what it leaves out, and never raises
anything but `SceneError`.

    >>> scene = Scene(text=SceneText("Hello"), workspace="merges", selection=(0, 5))
    >>> read_scene(scene_bytes(scene)).scene == scene
    True
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from tokenarium.models.files import DEVICE, is_device
from tokenarium_core import TokenariumError

VERSION: Final = 1
"""The version of the schema that is written. Readers take fields that they do not know for those of a newer one."""

SUFFIX: Final = ".tokenarium"
"""The suffix of a scene's file."""

LINK: Final = "tokenarium:"
"""How a link to a scene begins: after it comes the scene, compressed, in the letters of URLs."""

FILE_KEY: Final = "file:"
"""How the key of a tokenizer begins that is a file."""

MOST_BYTES: Final = 64 << 20
"""The largest file that is read: the largest text that a window takes in, and some more."""

MOST_LINK: Final = 8_000
"""The longest link that is made: browsers, chats and shells pass on so many characters."""

MOST_LINKED_BYTES: Final = 1 << 20
"""The most bytes that a link may contain, uncompressed."""

MOST_DEPTH: Final = 32
"""The most lists and objects that may be inside of each other."""

MOST_VALUES: Final = 1_000_000
"""The most values, all those inside of others too."""

MOST_TOKENIZERS: Final = 64
"""The most tokenizers that a scene turns on."""

MOST_REPEATS: Final = 10_000
"""How often a sample may be repeated at most."""

LEAST_SIDE: Final = 320
MOST_SIDE: Final = 8192
"""Pixels: the smallest and the largest side of a window in a picture."""

Json = None | bool | int | float | str | list[Any] | dict[str, Any]
"""What the settings of a page are written as."""


class SceneError(TokenariumError):
    """A file or a link is not a scene; the message says why, and what to do."""


class SceneText(msgspec.Struct, frozen=True, omit_defaults=True):
    """The text: itself (``inline``), or a file with the SHA-256 of its text in UTF-8; ``title`` is the name to show.

    ``sample`` is the id of a sample that ships with Tokenarium ("prose-de"), which is taken ``repeat`` times.
    """

    inline: str = ""
    sample: str = ""
    repeat: int = 1
    file: str = ""
    sha256: str = ""
    title: str = ""


class SceneTokenizer(msgspec.Struct, frozen=True, omit_defaults=True):
    """A tokenizer that is on, by its key in the library ("named:gpt2", "file:/…"), with its name for people.

    ``sha256`` is that of its file, ``pattern`` the pre-token pattern of a file that names none. ``get`` says where it
    can be had, ``instead`` names keys of others, of which the first that is here takes its place.
    """

    key: str
    name: str = ""
    sha256: str = ""
    pattern: str = ""
    get: str = ""
    instead: tuple[str, ...] = ()


class Scene(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a window shows. All fields have defaults: what a scene does not name is left as it is.

    ``tokenizers`` are those that are on, none where it is empty. ``front`` is the key of the tokenizer in front, ``selection`` a range of bytes of the text's UTF-8, ``display``
    and ``colours`` settings by their names, and ``pages`` the settings of pages by their ids ("merges.steps"), as
    each page declares them. ``panes`` says which panels are shown, and ``above`` what is open above the page, such
    as a dialog, by its id, with its settings. ``size`` is the width and height of the window in a picture of it, in
    pixels; it changes no window that a person works in.
    """

    tokenarium: int = 0
    text: SceneText | None = None
    tokenizers: tuple[SceneTokenizer, ...] | None = None
    front: str = ""
    workspace: str = ""
    page: str = ""
    selection: tuple[int, int] | None = None
    display: dict[str, Any] = {}
    colours: dict[str, str] = {}
    pages: dict[str, dict[str, Any]] = {}
    panes: dict[str, Any] = {}
    above: dict[str, dict[str, Any]] = {}
    size: tuple[int, int] | None = None


class ReadScene(NamedTuple):
    """A scene, with a sentence for each thing in its file that is not in it."""

    scene: Scene
    left_out: tuple[str, ...] = ()


def scene_bytes(scene: Scene) -> bytes:
    """Returns a scene as JSON in UTF-8, indented, with its version; lone surrogates are escaped."""
    data = msgspec.to_builtins(msgspec.structs.replace(scene, tokenarium=VERSION))
    return (json.dumps(data, ensure_ascii=_has_surrogates(data), indent=1) + "\n").encode()


def _has_surrogates(data: object) -> bool:
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def read_scene_file(path: Path) -> ReadScene:
    """Returns the scene of a file; SceneError if it cannot be read or is none."""
    try:
        if is_device(path):
            raise SceneError(DEVICE.format(path.name))
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its name is not one of a file"
        raise SceneError(f"{path.name} cannot be read: {reason}.") from error
    return read_scene(data, path.name)


def read_scene(data: bytes, name: str = "The session") -> ReadScene:
    """Returns the scene that JSON contains; a field of a wrong type is left out, and said so. SceneError if it is none."""
    if len(data) > MOST_BYTES:
        raise SceneError(f"{name} is larger than {MOST_BYTES >> 20} MB, so it is not a session.")
    _refuse_depth(data, name)
    try:
        found = json.loads(data.decode("utf-8", "surrogatepass"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise SceneError(
            f"{name} is not a session of Tokenarium: it is not valid JSON{where}."
        ) from error
    version = found.get("tokenarium") if isinstance(found, dict) else None
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise SceneError(f"{name} is not a session of Tokenarium: it names no version of one.")
    left_out = []
    if version > VERSION:
        left_out.append(
            f"{name} was written by a newer Tokenarium (version {version} of the format; this one reads {VERSION})."
        )
    values: dict[str, Any] = {}
    types = {field.name: field.type for field in msgspec.structs.fields(Scene)}
    for field, value in found.items():
        if field not in types:
            left_out.append(f"“{_short(field)}” is not known here and is left out.")
            continue
        try:
            values[field] = msgspec.convert(value, types[field])
        except (msgspec.ValidationError, RecursionError, OverflowError) as error:
            left_out.append(f"“{field}” is left out: {_reason(error)}.")
    scene, wrong = _checked(Scene(**values))
    return ReadScene(scene, (*left_out, *wrong))


def _checked(scene: Scene) -> tuple[Scene, list[str]]:
    """Returns a scene without what has the right type and makes no sense, with sentences about that."""
    wrong = []
    if scene.selection is not None and not 0 <= scene.selection[0] <= scene.selection[1]:
        wrong.append("“selection” is left out: its end is before its beginning.")
        scene = msgspec.structs.replace(scene, selection=None)
    if scene.tokenizers is not None and len(scene.tokenizers) > MOST_TOKENIZERS:
        wrong.append(f"Only the first {MOST_TOKENIZERS} of its tokenizers are taken.")
        scene = msgspec.structs.replace(scene, tokenizers=scene.tokenizers[:MOST_TOKENIZERS])
    text = scene.text
    if text is not None and text.sha256 and not re.fullmatch("[0-9a-f]{64}", text.sha256):
        wrong.append("The hash of its text is left out: it is not a SHA-256.")
        text = msgspec.structs.replace(text, sha256="")
    if text is not None and not 1 <= text.repeat <= MOST_REPEATS:
        wrong.append(f"Its text is taken once: it can be repeated up to {MOST_REPEATS:,} times.")
        text = msgspec.structs.replace(text, repeat=1)
    if text is not scene.text:
        scene = msgspec.structs.replace(scene, text=text)
    if scene.size is not None and not all(LEAST_SIDE <= side <= MOST_SIDE for side in scene.size):
        wrong.append(
            f"“size” is left out: each side has from {LEAST_SIDE} to {MOST_SIDE:,} pixels."
        )
        scene = msgspec.structs.replace(scene, size=None)
    return scene, wrong


def scene_link(scene: Scene) -> str:
    """Returns a link to a scene with its text; SceneError if it would be too long to be passed on."""
    data = msgspec.to_builtins(msgspec.structs.replace(scene, tokenarium=VERSION))
    packed = zlib.compress(json.dumps(data, separators=(",", ":")).encode(), 9)
    link = LINK + base64.urlsafe_b64encode(packed).decode().rstrip("=")
    if len(link) > MOST_LINK:
        raise SceneError(
            f"A link to this would have {len(link):,} characters, more than the {MOST_LINK:,} that are passed on"
            " safely. Save the session as a file, or select a part of the text first."
        )
    return link


def read_link(link: str) -> ReadScene:
    """Returns the scene of a link; SceneError if it is none, was cut off, or contains too much."""
    packed = "".join(link.split())[len(LINK) :].lstrip("/").removeprefix("scene/")
    broken = SceneError(
        "This link is not complete, or was changed on its way. Copy all of it, and try again."
    )
    try:
        raw = base64.b64decode(packed + "=" * (-len(packed) % 4), b"-_", validate=True)
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(raw, MOST_LINKED_BYTES)
    except (binascii.Error, ValueError, zlib.error) as error:
        raise broken from error
    if unpacking.unconsumed_tail:
        raise SceneError(
            f"This link contains more than {MOST_LINKED_BYTES >> 20} MB, so it is not opened."
        )
    if not unpacking.eof:
        raise broken
    return read_scene(data, "The link")


def named_files(scene: Scene) -> list[str]:
    """Returns the files of this computer that a scene would open, each once, in their order.

    In the settings of pages, a text that begins like a path is taken for one.
    """
    found = [scene.text.file] if scene.text is not None and scene.text.file else []
    for one in scene.tokenizers or ():
        found += [one.key[len(FILE_KEY) :]] * one.key.startswith(FILE_KEY)
    found += _paths_in([scene.pages, scene.above, scene.panes])
    return list(dict.fromkeys(found))


def without_files(scene: Scene) -> Scene:
    """Returns a scene that opens no file: it keeps the text and the settings that are shown."""
    kept = scene.tokenizers and tuple(
        one for one in scene.tokenizers if not one.key.startswith(FILE_KEY)
    )
    return msgspec.structs.replace(
        scene,
        text=None if scene.text is not None and scene.text.file else scene.text,
        tokenizers=kept or None,
        pages={name: without_paths(values) for name, values in scene.pages.items()},
        above={name: without_paths(values) for name, values in scene.above.items()},
        panes=without_paths(scene.panes),
    )


def without_paths(values: dict[str, Any]) -> dict[str, Any]:
    """Returns the settings of a page that name no path."""
    return {name: value for name, value in values.items() if not _paths_in([value])}


def _paths_in(values: list[Any]) -> list[str]:
    """Returns the paths in values inside of each other, which are not deep: `read_scene` refuses those."""
    found = []
    for value in values:
        if isinstance(value, str):
            found += [value] * bool(_PATH.match(value))
        elif isinstance(value, (list, tuple)):
            found += _paths_in(list(value))
        elif isinstance(value, dict):
            found += _paths_in([*value.values(), *value])
    return found


def named_path(values: dict[str, Any]) -> str:
    """Returns the first path in the settings of a page, which are not deep; empty if there is none."""
    return next(iter(_paths_in([values])), "")


_PATH: Final = re.compile(r"(?:file:)?(?:[/~]|\\\\|[A-Za-z]:[/\\]|\.{1,2}[/\\]).", re.DOTALL)


def is_link(text: str) -> bool:
    """Returns whether a text is a link to a scene, by how it begins."""
    return text.lstrip()[: len(LINK)].lower() == LINK


def _refuse_depth(data: bytes, name: str) -> None:
    """Raises SceneError for JSON with too many values, or too many lists and objects inside of each other.

    What is in strings does not count. A parser needs some hundred bytes for two of the file.
    """
    depth = 0
    for count, found in enumerate(_STRUCTURE.finditer(data)):
        mark = found[0]
        if mark in b"[{":
            depth += 1
            if depth > MOST_DEPTH:
                raise SceneError(
                    f"{name} is not a session of Tokenarium: its parts are nested too deeply."
                )
        elif mark in b"]}":
            depth -= 1
        if count > MOST_VALUES:
            raise SceneError(
                f"{name} has more than {MOST_VALUES:,} values, so it is not a session of Tokenarium."
            )


_STRUCTURE: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]{},]', re.DOTALL)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _reason(error: Exception) -> str:
    """Returns what is wrong with a value, in msgspec's words without its quotation marks."""
    return str(error).replace("`", "").replace("Expected", "expected") or "it cannot be read"


def _short(name: str) -> str:
    return name if len(name) <= 40 else name[:39] + "…"
