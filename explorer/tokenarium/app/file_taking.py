"""Opens what is dropped on the window, pasted into it, or named by the desktop or the command line."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from tokenarium.app.lessons import Lessons
from tokenarium.app.scene_commands import SceneCommands, takes_link
from tokenarium.menus.library_commands import LibraryCommands, is_reference
from tokenarium.menus.text_commands import TextCommands
from tokenarium.models.links import path_of, read_lesson_link
from tokenarium.models.scene import SUFFIX
from tokenarium.session.session import Session
from tokenarium_core.errors import FormatError
from tokenarium_core.formats.opening import is_tokenizer, kind_of_other, refusal
from tokenarium_core.formats.places import MOST_FOLDERS, folders_of
from tokenarium_core.formats.registry import has_own_name


class FileTaking:
    """Finds out what files and links are, and opens them. ``look_in`` lists the tokenizers below a folder, to choose from."""

    def __init__(
        self,
        session: Session,
        scenes: SceneCommands,
        library: LibraryCommands,
        text: TextCommands,
        lessons: Lessons,
        look_in: Callable[[Path], None],
    ) -> None:
        self._session = session
        self._scenes = scenes
        self._library = library
        self._text = text
        self._lessons = lessons
        self._look_in = look_in

    def take_files(self, paths: Sequence[Path]) -> None:
        """Opens files: adds tokenizers to the library, and shows the last text file as the text."""
        self._session.problem.emit("")
        for path in paths:
            if path.name.endswith(SUFFIX):
                self._scenes.open_path(path)
            elif is_reference(path) or has_own_name(path.name) or is_tokenizer(path):
                tokenizers = _tokenizers_of(path)
                for tokenizer in tokenizers:
                    self._library.add_path(tokenizer)
                if len(tokenizers) == MOST_FOLDERS:
                    self._session.problem.emit(
                        f"The first {MOST_FOLDERS} tokenizers of {path.name} were added. To choose among all of them,"
                        " unpack it and drop its folder."
                    )
            elif self._refuses(path):
                continue
            elif _is_open_folder(path):
                self._look_in(path)
            else:
                self._text.open_path(path)

    def _refuses(self, path: Path) -> bool:
        """Says what a file or a folder is that is neither a tokenizer nor a text; returns False for others."""
        if os.path.isdir(path):  # also if it may not be read
            said = refusal(path)
        else:
            kind = kind_of_other(path)
            said = kind.sentence(path.name) if kind is not None else ""
            if kind is not None and kind.is_text:
                said += " To use it as the text, choose File › Open text."
        if said:
            self._session.problem.emit(said)
        return bool(said)

    def open_words(self, words: Sequence[str]) -> None:
        """Opens the arguments of a desktop or a command line: paths, file URLs, and links."""
        links = [word for word in words if takes_link(word)]
        paths = [path_of(word) for word in words if word not in links]
        if paths:
            self.take_files(paths)
        for link in links:
            self.open_link(link)

    def open_link(self, link: str) -> None:
        """Opens a lesson, or shows the session of a link."""
        place = read_lesson_link(link)
        if place is None:
            self._scenes.open_link(link)
        else:
            self._lessons.open_link(*place)

    def take_pasted(self, text: str) -> None:
        """Replaces the text with a pasted one, or opens it if it is a link."""
        if takes_link(text):
            self.open_link(text)
        else:
            self._text.take_text(text)


def _is_open_folder(path: Path) -> bool:
    try:
        os.scandir(path).close()
    except (OSError, ValueError):  # opening it as a text says why; a NUL is in no path
        return False
    return True


def _tokenizers_of(path: Path) -> list[Path]:
    """Returns what is added for a path: the folders of a pipeline or an archive with several tokenizers, else the path."""
    try:
        folders = folders_of(path)
    except FormatError:  # opening it says what is wrong
        folders = []
    return folders if len(folders) > 1 else [path]
