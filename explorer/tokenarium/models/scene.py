"""Scenes: what a window shows, as data. One versioned schema, read from files and links that may come from anywhere.

A scene is JSON. Its text is in it, beside it (`tokenarium.models.scene_texts`), or in a file that it names with a hash;
its tokenizers are named, with a hash and with what to take instead. `read_scene` bounds what there is before it is
parsed, checks everything, says in sentences what it leaves out, and never raises anything but `SceneError`.

    >>> scene = Scene(text=SceneText("Hello"), workspace="merges", selection=(0, 5))
    >>> read_scene(scene_bytes(scene)).scene == scene
    True
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
import zlib
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from tokenarium.models.counted import listed
from tokenarium_core import FormatError, TokenariumError
from tokenarium_core.bounded_json import JsonBounds, check_json, read_json
from tokenarium_core.plain_files import open_file

VERSION: Final = 1
"""The version of the schema that is written. Readers take fields that they do not know for those of a newer one."""

SUFFIX: Final = ".tokenarium"
"""The suffix of a scene's file."""

LINK: Final = "tokenarium:"
"""How a link to a scene begins: after it comes the scene, compressed, in the letters of URLs."""

FILE_KEY: Final = "file:"
"""How the key of a tokenizer begins that is a file."""

MOST_BYTES: Final = 16 << 20
"""The most bytes of a scene, without its text: that may be in it, as in the sessions of former versions."""

MOST_TEXT: Final = 64 << 20
"""The most bytes of a text in a scene, or beside it: the largest that a window takes in."""

MOST_VALUES: Final = 200_000
"""The most numbers, texts, lists and objects of a scene."""

MOST_LINK: Final = 8_000
"""The longest link that is made: browsers, chats and shells pass on so many characters."""

MOST_READ_LINK: Final = 2_000_000
"""The longest link that is read, in characters."""

MOST_LINKED_BYTES: Final = 1 << 20
"""The most bytes that a link may contain, uncompressed."""

MOST_LINKED_VALUES: Final = 20_000
"""The most values that a link may contain."""

MOST_DEPTH: Final = 32
"""The most lists and objects that may be inside each other."""

MOST_TOKENIZERS: Final = 64
"""The most tokenizers that a scene turns on."""

MOST_INSTEAD: Final = 16
"""The most tokenizers of which one takes the place of another."""

MOST_PAGES: Final = 256
"""The most pages that a scene has settings of, and the most settings of a page."""

LONGEST_NAME_READ: Final = 200
"""Characters of a title or a name; the rest of a longer one is cut off."""

LONGEST_PATH: Final = 4_096
"""Characters of a path, a key or an address; a longer one is not accepted."""

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

    ``file`` is a path, of a file of the user's; ``beside`` the name of a file in the folder of the session's, which was
    written with it. ``sample`` is the id of a sample that ships with Tokenarium ("prose-de"), which is taken ``repeat``
    times.
    """

    inline: str = ""
    sample: str = ""
    repeat: int = 1
    file: str = ""
    beside: str = ""
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

    ``tokenizers`` are those that are on, none if it is empty. ``front`` is the key of the tokenizer in front,
    ``selection`` a range of bytes of the text's UTF-8, ``display`` and ``colours`` settings by their names, and
    ``pages`` the settings of pages by their ids ("merges.steps"), as each page declares them. ``panes`` says which
    panels are shown, and ``above`` what is open above the page, such as a dialog, by its id, with its settings.
    ``size`` is the width and height of the window in a picture of it, in pixels; it changes no window that a person
    works in.
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
    """A scene, with sentences about what is in its file and not in it; ``folder`` is that of the file, if it is of one."""

    scene: Scene
    left_out: tuple[str, ...] = ()
    folder: Path | None = None


BOUNDS: Final = JsonBounds(MOST_BYTES, MOST_DEPTH, MOST_VALUES, MOST_TEXT)
LINK_BOUNDS: Final = JsonBounds(MOST_LINKED_BYTES, MOST_DEPTH, MOST_LINKED_VALUES)


def scene_bytes(scene: Scene) -> bytes:
    """Returns a scene as JSON in UTF-8, indented, with its version; half surrogate pairs are as ``surrogatepass`` has
    them.

    SceneError if there would be more of it than is read again: `tokenarium.models.scene_texts` puts texts beside it.
    """
    data = msgspec.to_builtins(msgspec.structs.replace(scene, tokenarium=VERSION))
    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1)
    except ValueError:  # a number that JSON does not have
        text = json.dumps(_finite(data), ensure_ascii=False, indent=1)
    written = (text + "\n").encode("utf-8", "surrogatepass")
    try:
        check_json(written, "It", BOUNDS)
    except FormatError as error:
        raise SceneError(
            f"This session could not be read back. {error} Empty the largest fields of its pages."
        ) from error
    return written


def _finite(data: Any) -> Any:
    """Returns values without the numbers that JSON does not have: null is in their places."""
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    if isinstance(data, dict):
        return {name: _finite(value) for name, value in data.items()}
    return [_finite(value) for value in data] if isinstance(data, (list, tuple)) else data


def file_bytes(path: Path) -> bytes:
    """Returns what a scene's file holds, if that is not too much for any; SceneError if it cannot be read."""
    try:
        with open_file(path) as file:
            return file.read(MOST_BYTES + MOST_TEXT + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its name is not a valid file name"
        raise SceneError(f"{path.name or path} cannot be read: {reason}.") from error


def read_scene(
    data: bytes, name: str = "The session", bounds: JsonBounds = BOUNDS, folder: Path | None = None
) -> ReadScene:
    """Returns the scene that JSON contains; a field of a wrong type is left out, and said so.

    SceneError if it is not one, or if there is more of it than ``bounds`` has. It takes some tenths of a second at most.
    """
    try:
        parsed = read_json(data, "it", bounds)
    except FormatError as error:
        raise SceneError(f"{name} is not a Tokenarium session: {error}") from error
    version = parsed.get("tokenarium") if isinstance(parsed, dict) else None
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise SceneError(f"{name} is not a Tokenarium session: it has no version.")
    left_out = []
    if version > VERSION:
        which = f"version {version}" if version < 10**9 else "a later version"
        left_out.append(
            f"{name} was written by a newer Tokenarium ({which} of the format; this one reads {VERSION})."
        )
    values: dict[str, Any] = {}
    types = {field.name: field.type for field in msgspec.structs.fields(Scene)}
    unknown = [field for field in parsed if field not in types]
    if unknown:
        is_are = "is" if len(unknown) == 1 else "are"
        left_out.append(f"{listed(unknown)} {is_are} not known here and {is_are} left out.")
    for field, value in parsed.items():
        if field not in types:
            continue
        try:
            values[field] = msgspec.convert(value, types[field])
        except (ValueError, RecursionError, OverflowError) as error:
            left_out.append(f"“{field}” is left out: {_reason(error)}.")
    scene, wrong = _checked(Scene(**values))
    return ReadScene(scene, (*left_out, *wrong), folder)


def _checked(scene: Scene) -> tuple[Scene, list[str]]:
    """Returns a scene without values that have the right type but make no sense, with sentences about them."""
    wrong = []
    if scene.selection is not None and not 0 <= scene.selection[0] <= scene.selection[1]:
        wrong.append("“selection” is left out: its end is before its beginning.")
        scene = msgspec.structs.replace(scene, selection=None)
    if scene.tokenizers is not None and len(scene.tokenizers) > MOST_TOKENIZERS:
        wrong.append(f"Only the first {MOST_TOKENIZERS} of its tokenizers are used.")
        scene = msgspec.structs.replace(scene, tokenizers=scene.tokenizers[:MOST_TOKENIZERS])
    if scene.tokenizers is not None:
        named = [tokenizer for tokenizer in scene.tokenizers if len(tokenizer.key) <= LONGEST_PATH]
        if len(named) < len(scene.tokenizers):
            wrong.append("A tokenizer is left out: its key is too long.")
        tokenizers = tuple(map(_cut_tokenizer, named))
        scene = msgspec.structs.replace(scene, tokenizers=tokenizers)
    text = scene.text
    if text is not None and not is_plain_name(text.beside):
        wrong.append(
            "The name of its text is left out: it does not name a file next to the session."
        )
        text = msgspec.structs.replace(text, beside="")
    if text is not None and len(text.file) > LONGEST_PATH:
        wrong.append("The path of its text is left out: it is too long.")
        text = msgspec.structs.replace(text, file="")
    if text is not None and len(text.title) > LONGEST_NAME_READ:
        text = msgspec.structs.replace(text, title=_cut(text.title))
    if text is not None and text.sha256 and not re.fullmatch("[0-9a-f]{64}", text.sha256):
        wrong.append("The hash of its text is left out: it is not a SHA-256.")
        text = msgspec.structs.replace(text, sha256="")
    if text is not None and not 1 <= text.repeat <= MOST_REPEATS:
        wrong.append(f"Its text is used once: it can be repeated up to {MOST_REPEATS:,} times.")
        text = msgspec.structs.replace(text, repeat=1)
    if text is not scene.text:
        scene = msgspec.structs.replace(scene, text=text)
    if scene.size is not None and not all(LEAST_SIDE <= side <= MOST_SIDE for side in scene.size):
        wrong.append(
            f"“size” is left out: each side must have {LEAST_SIDE} to {MOST_SIDE:,} pixels."
        )
        scene = msgspec.structs.replace(scene, size=None)
    pages, above = (
        {key: _few(values, wrong) for key, values in _few(every, wrong).items()}
        for every in (scene.pages, scene.above)
    )
    return msgspec.structs.replace(
        scene,
        pages=pages,
        above=above,
        panes=_few(scene.panes, wrong),
        display=_few(scene.display, wrong),
    ), wrong


def _few(values: dict[str, Any], wrong: list[str]) -> dict[str, Any]:
    """Returns the first of some settings; adds a sentence to ``wrong`` if there are more than any page has."""
    if len(values) <= MOST_PAGES:
        return values
    names = list(values)
    more = listed(names[MOST_PAGES:])
    wrong.append(f"The settings {more} are left out: only the first {MOST_PAGES} are taken.")
    return {name: values[name] for name in names[:MOST_PAGES]}


def _cut_tokenizer(one: SceneTokenizer) -> SceneTokenizer:
    return msgspec.structs.replace(
        one,
        name=_cut(one.name),
        get=one.get if len(one.get) <= LONGEST_PATH else "",
        instead=tuple(key for key in one.instead[:MOST_INSTEAD] if len(key) <= LONGEST_PATH),
    )


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST_NAME_READ else f"{name[: LONGEST_NAME_READ - 1]}…"


def is_plain_name(name: str) -> bool:
    """Returns whether a name is empty, or that of a file in a folder, without a way into another one."""
    plain = name not in (".", "..") and not set(name) & set("/\\:\0")
    return plain and len(name) <= LONGEST_NAME_READ


def scene_link(scene: Scene) -> str:
    """Returns a link to a scene with its text; SceneError if it would be too long to be passed on."""
    if scene.text is not None and len(scene.text.inline) > MOST_LINKED_BYTES:
        raise SceneError(
            f"A link has at most {MOST_LINK:,} characters, which is far too few for this text. Save the session as a file, or"
            " select a part of the text first."
        )
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
    """Returns the scene of a link; SceneError if it is not one, was cut off, or contains too much."""
    if len(link) > MOST_READ_LINK:
        raise SceneError(
            f"This link has more than {MOST_READ_LINK:,} characters, so it is not opened."
        )
    packed = "".join(link.split())[len(LINK) :].lstrip("/").removeprefix("scene/")
    broken = SceneError("This link is incomplete or was changed. Copy all of it, and try again.")
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
    return read_scene(data, "The link", LINK_BOUNDS)


def named_files(scene: Scene) -> list[str]:
    """Returns the files of this computer that a scene would open, each once, in their order.

    In the settings of pages, a text that begins like a path is taken for one.
    """
    paths = [scene.text.file] if scene.text is not None and scene.text.file else []
    for tokenizer in scene.tokenizers or ():
        paths += [tokenizer.key[len(FILE_KEY) :]] * tokenizer.key.startswith(FILE_KEY)
    paths += _paths_in([scene.pages, scene.above, scene.panes])
    return list(dict.fromkeys(paths))


def without_files(scene: Scene) -> Scene:
    """Returns a scene that opens no file: it keeps the text and the settings that are shown."""
    tokenizers = scene.tokenizers and tuple(
        tokenizer for tokenizer in scene.tokenizers if not tokenizer.key.startswith(FILE_KEY)
    )
    return msgspec.structs.replace(
        scene,
        text=None if scene.text is not None and scene.text.file else scene.text,
        tokenizers=tokenizers or None,
        pages={name: without_paths(values) for name, values in scene.pages.items()},
        above={name: without_paths(values) for name, values in scene.above.items()},
        panes=without_paths(scene.panes),
    )


def without_paths(values: dict[str, Any]) -> dict[str, Any]:
    """Returns the settings of a page that name no path."""
    return {name: value for name, value in values.items() if not _paths_in([value])}


def _paths_in(values: list[Any]) -> list[str]:
    """Returns the paths in values inside each other, which are not deep: `read_scene` refuses those."""
    paths = []
    for value in values:
        if isinstance(value, str):
            paths += [value] * bool(_PATH.match(value))
        elif isinstance(value, (list, tuple)):
            paths += _paths_in(list(value))
        elif isinstance(value, dict):
            paths += _paths_in([*value.values(), *value])
    return paths


def named_path(values: dict[str, Any]) -> str:
    """Returns the first path in the settings of a page, which are not deep; empty if there is none."""
    return next(iter(_paths_in([values])), "")


_PATH: Final = re.compile(r"(?:file:)?(?:[/~]|\\\\|[A-Za-z]:[/\\]|\.{1,2}[/\\]).", re.DOTALL)


def is_link(text: str) -> bool:
    """Returns whether a text is a link to a scene, by how it begins."""
    return text.lstrip()[: len(LINK)].lower() == LINK


def _reason(error: Exception) -> str:
    """Returns what is wrong with a value, in msgspec's words without its quotation marks."""
    if isinstance(error, UnicodeError):  # msgspec cannot look such a name up
        return "the name of a field in it has half of a surrogate pair"
    return str(error).replace("`", "").replace("Expected", "expected") or "it cannot be read"
