"""What a page or a dialog asks of the window that it is in.

Who asks names what is wanted, and knows nothing of who answers: the window answers each request in one place
(`tokenarium.app.answers`). Without a window, as in a test of one page, nothing answers, and `Requests.asked` tells
what was asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from PySide6.QtCore import QPoint

    from tokenarium.models.text.inspection import TokenPlace


@dataclass(frozen=True)
class ShowEntry:
    """Shows an entry of a vocabulary; an empty key means the current tokenizer."""

    token: int
    key: str = ""


@dataclass(frozen=True)
class ShowEntries:
    """Shows the entries that a query finds (``script:latin``)."""

    query: str


@dataclass(frozen=True)
class ShowTokenMenu:
    """Shows the menu of a token at a point of the screen."""

    place: TokenPlace
    point: QPoint


@dataclass(frozen=True)
class ExplainBytes:
    """Explains why bytes of the text are not one token; an empty key means the current tokenizer."""

    start: int
    end: int
    key: str = ""


@dataclass(frozen=True)
class PlayBytes:
    """Selects bytes of the text, and shows one of the steps that make their tokens; for the key see `ExplainBytes`."""

    start: int
    end: int
    step: int = 0
    key: str = ""


@dataclass(frozen=True)
class TakeCut:
    """Takes the place that was clicked, the byte after it, as an answer to a lesson's question."""

    byte: int


@dataclass(frozen=True)
class ShowTokenizerMenu:
    """Opens the menu of a tokenizer, by its key, at a point of the screen."""

    key: str
    point: QPoint


@dataclass(frozen=True)
class ShowPage:
    """Shows a page of a workspace, by their ids, or a workspace as it is, with the focus in it."""

    workspace: str
    page: str = ""


@dataclass(frozen=True)
class MakePages:
    """Makes pages that are shown soon, each by the ids of its workspace and its own."""

    places: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class EditText:
    """Unfolds the editor with all of the text selected, so that typing or pasting replaces it."""


@dataclass(frozen=True)
class ListQuestions:
    """Lists the questions that lessons answer, to choose one."""


@dataclass(frozen=True)
class TellSaved:
    """Says that a file was written."""

    path: Path


@dataclass(frozen=True)
class Trouble:
    """Shows a failure that can be retried: a sentence, the details, and the function that tries again."""

    sentence: str
    details: str
    again: Callable[[], object]


@dataclass(frozen=True)
class RefreshMenus:
    """Finds out again what each menu offers."""


Request = (
    ShowEntry
    | ShowEntries
    | ShowTokenMenu
    | ShowTokenizerMenu
    | ExplainBytes
    | PlayBytes
    | TakeCut
    | ShowPage
    | MakePages
    | EditText
    | ListQuestions
    | TellSaved
    | Trouble
    | RefreshMenus
)


class Requests(QObject):
    """Where the parts of a window ask for what is not theirs to do."""

    asked = Signal(object)
    """A `Request`."""

    def ask(self, request: Request) -> None:
        """Asks for something; nothing happens where no window answers."""
        self.asked.emit(request)

    def tell_saved(self, path: Path) -> None:
        """Asks to say that a file was written."""
        self.ask(TellSaved(path))

    def refresh_menus(self) -> None:
        """Asks to find out again what each menu offers."""
        self.ask(RefreshMenus())
