"""What every page of the workspace Scripts has: an id, a title, the rule of counting, and what it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QLabel, QWidget

from tokenarium.models.scripts.vocabulary_scripts import RULE, VocabularyScripts
from tokenarium.models.tokenizers.library import LibraryItem
from tokenarium.session.session import Session
from tokenarium.style.theme import GRID, Theme
from tokenarium.widgets.panel import secondary


@dataclass(frozen=True, slots=True)
class CountedVocabulary:
    """A tokenizer that is on, and the classes of its entries."""

    entry: LibraryItem
    use: VocabularyScripts


class ScriptHost(Protocol):
    """What a page knows of the workspace that it stands in."""

    session: Session

    @property
    def theme(self) -> Theme:
        """The colours."""

    @property
    def counted(self) -> list[CountedVocabulary]:
        """The tokenizers that are on."""

    def help_with(self, *buttons: tuple[str, str]) -> list[tuple[QAction, str]]:
        """Returns actions to offer."""

    def pick(self, script: int) -> None:
        """Chooses a class of entries, here and in the workspace Vocabulary."""


class ScriptPage(QWidget):
    """Base of the pages. A page is made when it is first shown."""

    id = ""
    title = ""

    def __init__(self, host: ScriptHost) -> None:
        super().__init__()
        self.host = host
        self.session = host.session
        self.setAccessibleName(self.title)

    def refresh(self) -> None:
        """Shows the tokenizers and the text as they are now."""
        raise NotImplementedError

    def show_theme(self, theme: Theme) -> None:
        """Paints in other colours."""
        raise NotImplementedError

    def choose(self, script: int) -> None:
        """Shows that a class was picked, where the page tells more of one."""

    @property
    def needs_text(self) -> bool:
        """Whether there is nothing to show without a text."""
        return False

    def focus_first(self) -> None:
        """Puts the focus on what a person works with first."""
        self.setFocus()


class TokenizerChoice(QComboBox):
    """A list of the tokenizers that are on, of which one is chosen."""

    def __init__(self, name: str, tip: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(10)

    def fill(self, counted: list[CountedVocabulary], key: str) -> None:
        """Lists other tokenizers; the one with the key is chosen, the first where it is not there."""
        blocked = self.blockSignals(True)
        self.clear()
        for one in counted:
            self.addItem(one.entry.name, one.entry.key)
        self.setCurrentIndex(max(self.findData(key), 0) if counted else -1)
        self.blockSignals(blocked)

    def chosen(self, counted: list[CountedVocabulary]) -> CountedVocabulary | None:
        """Returns the chosen one of those that are on now, the first where it is no longer; None where there are none."""
        key = self.currentData()
        return next((one for one in counted if one.entry.key == key), next(iter(counted), None))


def rule_label(text: str = RULE) -> QLabel:
    """Returns a label with the rule of counting, to stand beside a chart."""
    label = secondary(QLabel(text))
    label.setWordWrap(True)
    label.setContentsMargins(0, GRID // 2, 0, 0)
    return label
