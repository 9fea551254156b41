"""Settings of pages that scenes keep: values, controls, scroll positions, the order of tables, the sizes of parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QDoubleSpinBox,
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QSlider,
    QSpinBox,
    QSplitter,
    QTabBar,
    QTreeWidget,
    QWidget,
)
from shiboken6 import isValid

from tokenarium.session.session import Session
from tokenarium.widgets.segmented import Segmented
from tokenarium.widgets.text.bounded_field import set_line
from tokenarium.widgets.text.text_area import TextArea

if TYPE_CHECKING:
    from tokenarium.models.scene import Json

PULLED = "pulled"
"""The property of a splitter with the sizes that the user gave its parts."""


MOST_TEXTS = 4096
"""The most texts of a list: paths of files, for instance."""


TRIES = 8
"""How often scrolling is retried while the contents are not long enough yet."""


def index_below(value: object, count: int) -> int:
    """Returns a value as an index below ``count``; raises ValueError or TypeError for others.

    >>> index_below(2, 3)
    2
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError
    if not 0 <= value < count:
        raise ValueError
    return value


def whole_number(value: object) -> int:
    """Returns a value as a number from 0; raises ValueError or TypeError for others."""
    return index_below(value, 1 << 31)


def text_of(value: object) -> str:
    """Returns a value that is a text; raises TypeError for others."""
    if not isinstance(value, str):
        raise TypeError
    return value


def texts_of(value: object) -> list[str]:
    """Returns a value that is a list of at most `MOST_TEXTS` texts; raises TypeError for others."""
    if not isinstance(value, list) or len(value) > MOST_TEXTS:
        raise TypeError
    return [text_of(one) for one in value]


class Kept(NamedTuple):
    """One setting of a workspace or a page that scenes keep, by a name that never changes.

    ``read`` returns it as plain JSON. ``show`` takes what `read` returned, or any other value of the same type, since
    scenes come from anywhere, and returns False while it is too early, such as before there is something to play. A
    ``late`` one, such as a scroll position, is applied when everything else is shown and laid out.
    """

    name: str
    read: Callable[[], Json]
    show: Callable[[Any], object]
    late: bool = False


def kept_value(
    name: str, kind: object, read: Callable[[], object], show: Callable[[Any], object]
) -> Kept:
    """Returns the `Kept` of a value of a type, such as ``list[str]`` or a dataclass; values of others are rejected."""
    import msgspec  # which other pages do not need

    def take(value: Json) -> object:
        try:
            return show(msgspec.convert(value, type=kind))
        except msgspec.ValidationError as error:
            raise ValueError(str(error)) from error

    def written() -> Json:
        value = read()
        return None if value is None else cast("Json", msgspec.to_builtins(value))

    return Kept(name, written, take)


def kept_control(name: str, control: QWidget) -> Kept:
    """Returns the `Kept` of a control: its text, number, switch, or chosen text."""
    if isinstance(control, QComboBox):
        return Kept(name, control.currentText, lambda text: _choose(control, str(text)))
    if isinstance(control, QTabBar):
        return Kept(name, control.currentIndex, lambda place: _choose_tab(control, place))
    if isinstance(control, QAbstractButton):
        return Kept(name, control.isChecked, lambda on: _check(control, on))
    if isinstance(control, QDoubleSpinBox):
        return Kept(name, control.value, lambda value: control.setValue(float(value)))
    if isinstance(control, QSpinBox | QSlider):
        low, high = control.minimum(), control.maximum()
        return Kept(
            name, control.value, lambda value: control.setValue(max(low, min(int(value), high)))
        )
    if isinstance(control, QPlainTextEdit):
        return Kept(name, control.toPlainText, lambda text: control.setPlainText(str(text)))
    assert isinstance(control, QLineEdit)
    return Kept(name, control.text, lambda text: set_line(control, str(text)))


def kept_fields(controls: Mapping[str, Any]) -> list[Kept]:
    """Returns the `Kept` of each control of a `Field`."""
    return [Kept(one.field.kept_as, one.read, one.show) for one in controls.values()]


def _choose(box: QComboBox, text: str) -> None:
    place = box.findText(text)
    if place >= 0 and place != box.currentIndex():
        box.setCurrentIndex(place)
        box.activated.emit(place)


def _choose_tab(tabs: QTabBar, place: int) -> None:
    if 0 <= place < tabs.count():
        tabs.setCurrentIndex(place)


def _check(button: QAbstractButton, on: bool) -> None:
    if button.isCheckable() and button.isChecked() != bool(on):
        button.click()


def kept_scroll(name: str, bar: QScrollBar, ready: Callable[[], bool] = lambda: True) -> Kept:
    """Returns the `Kept` of a scroll bar's value; it is too early while ``ready`` returns False."""
    shown: list[int] = []  # by each try

    def show(value: object) -> bool:
        position = whole_number(value)
        if not isValid(bar):
            return True  # it was deleted, with its area
        if not ready():
            return False
        if shown and shown[-1] != bar.value():
            return True  # the user has scrolled since
        bar.setValue(position)
        shown.append(bar.value())
        # New contents are laid out soon; in a larger window there is less to scroll.
        return bar.value() == position or len(shown) > TRIES

    return Kept(name, bar.value, show, late=True)


def all_encoded(session: Session) -> bool:
    """Returns whether all tokenizers that are on are open, and each has made some tokens of the text."""
    return not session.opening and all(
        session.encoded(item.key) is not None for item in session.chosen()
    )


def kept_top(name: str, area: TextArea, ready: Callable[[], bool] = lambda: True) -> Kept:
    """Returns the `Kept` of a text's position: the first visible byte, and the pixels of its line above the top."""

    def read() -> Json:
        byte, above = area.top_position()
        return [byte, round(above, 1)] if byte or above else None

    def show(place: object) -> bool:
        if not isinstance(place, list) or len(place) != 2:
            raise TypeError
        byte, above = whole_number(place[0]), float(place[1])
        if not isValid(area):
            return True  # it was deleted
        if not ready():
            return False
        area.scrollTo(min(byte, area.text_layout.text_map.byte_count), above)
        return True

    return Kept(name, read, show, late=True)


def kept_segment(name: str, segmented: Segmented) -> Kept:
    """Returns the `Kept` of a choice by its index; it is chosen as if by the user."""
    return Kept(
        name,
        segmented.currentIndex,
        lambda place: segmented.setCurrentIndex(index_below(place, segmented.count())),
    )


def kept_choice(name: str, box: QComboBox) -> Kept:
    """Returns the `Kept` of a list whose choices have keys as their data; its `activated` is not emitted."""

    def show(key: object) -> None:
        box.setCurrentIndex(index_below(box.findData(text_of(key)), box.count()))

    return Kept(name, lambda: str(box.currentData()), show)


def kept_sort(name: str, tree: QTreeWidget, ready: Callable[[], bool] = lambda: True) -> Kept:
    """Returns the `Kept` of the column that a table is sorted by, and whether the largest come first.

    It is too early while ``ready`` returns False.
    """
    down = Qt.SortOrder.DescendingOrder
    head = tree.header()

    def read() -> Json:
        column = head.sortIndicatorSection()
        return [column, head.sortIndicatorOrder() == down] if 0 <= column < head.count() else None

    def show(value: object) -> bool:
        column, descending = sort_of(value)
        if not ready():
            return False
        index_below(column, tree.columnCount())
        tree.sortByColumn(column, down if descending else Qt.SortOrder.AscendingOrder)
        return True

    return Kept(name, read, show)


def sort_of(value: object) -> tuple[int, bool]:
    """Returns a column and whether the largest come first, from a list; raises ValueError or TypeError for others."""
    if not isinstance(value, list) or len(value) != 2:
        raise TypeError
    return whole_number(value[0]), bool(value[1])


def watch_split(split: QSplitter) -> None:
    """Notes the sizes that the user gives the parts of a splitter, for `kept_split`."""
    split.splitterMoved.connect(lambda: split.setProperty(PULLED, split.sizes()))


def kept_split(name: str, split: QSplitter) -> Kept:
    """Returns the `Kept` of the sizes in a splitter, once the user has changed them."""

    def show(value: object) -> None:
        if not isinstance(value, list) or len(value) != split.count():
            raise TypeError
        sizes = [whole_number(size) for size in value]
        if not any(sizes):
            raise ValueError
        split.setProperty(PULLED, sizes)
        split.setSizes(sizes)

    return Kept(name, lambda: split.property(PULLED), show)
