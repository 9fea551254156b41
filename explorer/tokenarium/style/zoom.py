"""Shows everything larger or smaller while the app runs: fonts, distances, pictures, dialogs and menus alike.

Qt scales whole windows by a factor that it reads from the environment at its start. `zoom` changes that factor later,
through two functions that Qt's library exports without a header. Where a build of Qt lacks them, the factor changes at
the next start.
"""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, qInstallMessageHandler
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from shiboken6 import getCppPointer

if TYPE_CHECKING:
    import ctypes

SCALES = (75, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300)
"""In percent: how large everything is drawn, on top of the screen's own settings."""

NORMAL = 100

_VARIABLE = "QT_SCALE_FACTOR"

_SET_FACTOR, _RATIO_CHANGED = (
    (
        "?setGlobalFactor@QHighDpiScaling@@SAXN@Z",
        "??$handleWindowDevicePixelRatioChanged@USynchronousDelivery@QWindowSystemInterface@@@QWindowSystemInterface@@"
        "SAXPEAVQWindow@@@Z",
    )
    if sys.platform == "win32"
    else (
        "_ZN15QHighDpiScaling15setGlobalFactorEd",
        "_ZN22QWindowSystemInterface35handleWindowDevicePixelRatioChangedINS_19SynchronousDeliveryEEEvP7QWindow",
    )
)
"""``QHighDpiScaling::setGlobalFactor(qreal)`` and ``QWindowSystemInterface::handleWindowDevicePixelRatioChanged(QWindow *)``,
as compilers name them: in Qt since 6.6."""

_state = {"scale": NORMAL, "environment": 1.0}


def scale() -> int:
    """Returns how large everything is drawn now, in percent."""
    return int(_state["scale"])


def next_scale(percent: int, step: int) -> int:
    """Returns the scale one step larger (1) or smaller (-1), or the same at either end."""
    return SCALES[max(0, min(SCALES.index(percent) + step, len(SCALES) - 1))]


def begin_at(percent: int) -> None:
    """Makes Qt start at a scale, on top of one that the environment names. Call it before there is an application."""
    try:
        given = float(os.environ.get(_VARIABLE, "1"))
    except ValueError:
        given = 1.0
    _state["scale"], _state["environment"] = percent, given
    if percent != NORMAL:
        os.environ[_VARIABLE] = f"{given * percent / 100:g}"


def starting_environment() -> dict[str, str]:
    """Returns the environment as it was before `begin_at`, for a program that is started from this one."""
    environment = dict(os.environ)
    given = _state["environment"]
    if given == 1:
        environment.pop(_VARIABLE, None)
    else:
        environment[_VARIABLE] = f"{given:g}"
    return environment


def zoom(percent: int) -> bool:
    """Draws everything at this scale from now on; False if this Qt can do so only at its start.

    The windows keep their size on the screen, as far as their contents fit into it.
    """
    functions = _functions()
    if functions is None:
        return False
    ratio = percent / scale()
    if ratio == 1:
        return True
    _state["scale"] = percent
    set_factor, ratio_changed = functions
    # Qt warns that windows exist, since they do not learn of it; the next lines see to that.
    former = qInstallMessageHandler(lambda *_: None)
    set_factor(_state["environment"] * percent / 100)
    qInstallMessageHandler(former)
    for window in QApplication.topLevelWidgets():
        handle = window.windowHandle()
        if handle is None:
            continue
        pointer = getCppPointer(handle)[0]
        ratio_changed(pointer)
        least = handle.minimumSize()
        handle.setMinimumSize(QSize(0, 0))  # else Qt believes that the desktop knows it already
        handle.setMinimumSize(least)
        if window.isVisible():
            _fit(window, ratio)
    return True


def _fit(window: QWidget, ratio: float) -> None:
    """Keeps the size of the main window on the screen, and gives a dialog as much as its contents need."""
    state = window.windowState()
    size = window.size() if isinstance(window, QDialog) else window.size() / ratio
    window.resize(size.boundedTo(window.screen().availableSize()))
    window.setWindowState(state)  # a window that is resized counts as no longer maximized


@lru_cache(maxsize=1)
def _functions() -> tuple[ctypes._NamedFuncPointer, ctypes._NamedFuncPointer] | None:
    import ctypes  # here, as few starts need it

    try:
        library = ctypes.CDLL(_library())
        set_factor, ratio_changed = library[_SET_FACTOR], library[_RATIO_CHANGED]
    except (OSError, AttributeError):
        return None
    set_factor.argtypes, set_factor.restype = (ctypes.c_double,), None
    ratio_changed.argtypes, ratio_changed.restype = (ctypes.c_void_p,), None
    return set_factor, ratio_changed


def _library() -> str:
    """Returns the name by which the loader knows the library that is loaded already."""
    if sys.platform == "win32":
        return "Qt6Gui.dll"
    if sys.platform == "darwin":
        import PySide6

        return str(
            Path(PySide6.__path__[0], "Qt", "lib", "QtGui.framework", "Versions", "A", "QtGui")
        )
    return "libQt6Gui.so.6"
