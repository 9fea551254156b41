"""The settings: each is declared once, with its type and its default."""

from __future__ import annotations

import re
import shutil
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Generic, TypeVar, cast

from PySide6.QtCore import QByteArray, QCoreApplication, QLockFile, QSettings, QStandardPaths

from tokenarium.models.files import make_way, sweep
from tokenarium.resources.shipped_tokenizers import SHIPPED_TOKENIZERS
from tokenarium.style.zoom import NORMAL, SCALES

T = TypeVar("T", bool, str, list[str], QByteArray)


@dataclass(frozen=True, slots=True)
class Setting(Generic[T]):
    """One setting: its key in the settings file, and its default."""

    key: str
    default: T


GEOMETRY = Setting("window/geometry", QByteArray())
INSPECTOR_WIDTH = Setting("window/inspector_width", "")
TEXT_HEIGHT = Setting("window/text_height", "")
TEXT_PLACE = Setting("window/text_place", "auto")
SHOW_LIBRARY = Setting("window/show_library", True)
SHOW_LIBRARY_ELSEWHERE = Setting("window/show_library_elsewhere", False)
SHOW_MENU_BAR = Setting("window/show_menu_bar", False)
WELCOMED = Setting("window/welcomed", False)
SHOW_INSPECTOR = Setting("window/show_inspector", True)
SHOW_INSPECTOR_ELSEWHERE = Setting("window/show_inspector_elsewhere", False)
SHOW_PIPELINE = Setting("window/show_pipeline", False)
WORKSPACE = Setting("window/workspace", "tokens")
COLOUR_SCHEME = Setting("window/colour_scheme", "system")
TOKEN_PALETTE = Setting("window/token_palette", "standard")
MOTION = Setting("window/motion", "full")
SYSTEM_FONT = Setting("window/system_font", False)
READING_SIZE = Setting("window/reading_size", "19")
LETTERS = Setting("window/letters", "auto")
SCALE = Setting("window/scale", "100")

DOWNLOADS = Setting("network/downloads", True)

CHECK_UPDATES = Setting("network/check_updates", False)
UPDATES_CHECKED = Setting("network/updates_checked", "")
"""Whether the app looks for newer versions once a week, and the date of the last time."""

LESSONS_SEEN: Setting[list[str]] = Setting("lessons/seen", [])
"""Lessons with how many of their steps were seen, as ``"01-spaces-and-case 3"``."""

KEEP_TEXTS = Setting("session/keep_texts", True)
"""Whether texts and views are kept from one run to the next."""

TOKENIZERS_ON: Setting[list[str]] = Setting(
    "library/on", [f"shipped:{one.id}" for one in SHIPPED_TOKENIZERS if one.on]
)
TOKENIZER_ORDER: Setting[list[str]] = Setting("library/order", [])
TOKENIZER_FILES: Setting[list[str]] = Setting("library/files", [])
TRAINED: Setting[list[str]] = Setting("library/trained", [])
LOOK_IN: Setting[list[str]] = Setting("library/look_in", [])
IDENTITIES: Setting[list[str]] = Setting("library/identities", [])

TOKENIZER_SETS: Setting[list[str]] = Setting("library/sets", [])
"""The sets of tokenizers that the user saved, as `set_lines`."""

FILE_FOLDERS: Setting[list[str]] = Setting("window/file_folders", [])
"""The last folder of each kind of file dialog, as ``"texts\t/path"``."""

WEIGHTS: Setting[list[str]] = Setting("library/weights", [])
"""The weights of models that were chosen, as ``"/path/model.safetensors\tkey of the tokenizer"``."""

SHOW_WHITESPACE = Setting("view/show_whitespace", True)
ANNOTATIONS = Setting("view/annotations", "none")
DECIMAL = Setting("view/decimal", False)
ADD_BOS = Setting("view/add_bos", False)
ADD_EOS = Setting("view/add_eos", False)
RECOGNISE_SPECIAL = Setting("view/recognise_special", False)
CUTS: Setting[list[str]] = Setting("view/cuts", ["tokenizers", "gpt2", "cl100k"])
OWN_PATTERN = Setting("view/own_pattern", "")

COMPARED_COLUMNS: Setting[list[str]] = Setting("compare/columns", [])  # empty: the default ones
CONTEXT_TOKENS = Setting("cost/context_tokens", "0")
PRICE_PER_MILLION = Setting("cost/price_per_million", "0")
"""The size of a context window in tokens, and the price of a million tokens; 0 if they are not entered."""

PRICES: Setting[list[str]] = Setting("cost/prices", [])
CURRENCY = Setting("cost/currency", "")
"""The prices of models, as `PriceList.lines`, and their currency."""

LANGUAGES_OUT: Setting[list[str]] = Setting("compare/languages_out", [])

AUTHOR = Setting("registry/author", "")
"""The name of the last person who registered a tokenizer."""

CHAT_MESSAGES = Setting("chat/messages", "")
CHAT_PROMPT = Setting("chat/generation_prompt", True)


class Settings:
    """Reads and writes settings; a value of a wrong type in the file counts as not set.

    ``safe`` ones start with the defaults and are not saved.
    """

    def __init__(self, store: QSettings | None = None, safe: bool = False) -> None:
        self.safe = safe
        self._store = None if safe else store
        if store is None and not safe and _can_be_read():
            self._store = QSettings()
        self._safe: dict[str, object] = {}
        if self._store is not None:
            _remove_litter(Path(self._store.fileName()))
            self._store.allKeys()  # the file is read now
            if self._store.status() == QSettings.Status.FormatError:
                name = self._store.fileName()  # it will be overwritten
                with suppress(OSError):
                    shutil.copyfile(name, f"{name}.damaged")

    def get(self, setting: Setting[T]) -> T:
        """Returns the kept value, or the default."""
        if self._store is None:
            return cast(T, self._safe.get(setting.key, setting.default))
        try:
            if not self._store.contains(setting.key):
                return setting.default
            value = self._store.value(setting.key)
        except Exception:  # a damaged file
            return setting.default
        if isinstance(setting.default, bool):
            return value in (True, "true")
        if isinstance(setting.default, list):
            # An ini file keeps a list of one as a plain value, and an empty list as nothing.
            if value is None or isinstance(value, str):
                value = [value] if value else []
            if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
                return setting.default
            return cast(T, value)
        return value if isinstance(value, type(setting.default)) else setting.default

    def set(self, setting: Setting[T], value: T) -> None:
        """Sets a value."""
        if self._store is None:
            self._safe[setting.key] = value
        else:
            self._store.setValue(setting.key, value)

    def write(self) -> bool:
        """Writes the settings now instead of a little later; returns whether that succeeded."""
        if self._store is None:
            return False
        self._store.sync()
        return self._store.status() == QSettings.Status.NoError


def _can_be_read() -> bool:
    """Whether Qt may read the settings file.

    Anything else of that name is renamed: Qt would wait for a pipe, or read all of a large file.
    """
    if sys.platform in ("win32", "darwin"):
        return True  # the system keeps them
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericConfigLocation)
    owner = QCoreApplication.organizationName()
    names = [
        f"{owner}/{QCoreApplication.applicationName()}.conf",
        f"{owner}.conf",
    ]  # Qt reads the files of the user and of the system
    return all(make_way(Path(folder, name)) for name in names)


TEMPORARY: Final = r"\.(?=.+[A-Z])(?=.*[a-z])[A-Za-z]{6}"
"""Matches the suffix of Qt's temporary settings files: six random letters, not a word such as ``.backup``."""


def _remove_litter(path: Path) -> None:
    """Removes what Qt left next to a settings file when the program was killed: locks and old temporary files.

    To remove the lock of a program that was killed, Qt locks a second file.
    """
    QLockFile(f"{path}.lock.rmlock").removeStaleLockFile()
    sweep(path.parent, re.compile(re.escape(path.name) + TEMPORARY))


def kept_scale(store: Settings) -> int:
    """Returns the kept scale in percent; an unknown one counts as not set."""
    kept = store.get(SCALE)
    return int(kept) if kept in map(str, SCALES) else NORMAL
