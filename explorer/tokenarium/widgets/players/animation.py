"""What an export takes pictures of: a widget of its own, taken from step to step without disturbing what is seen."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QByteArray, QCoreApplication, QIODevice, QSize, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from tokenarium.style.theme import Theme

SETTLING = 3
"""How often what is waiting for the widgets is handed to them before a picture."""


class Animation:
    """Base of the animations. A page makes one, with the steps that its player has, whenever one is wanted.

    ``title`` names it, also in a file name; it has the steps 0 to ``length``, of which the page shows ``position`` now.
    A step stays for ``step_ms`` as it is played. ``slides``: things move on the way from one step to the next.
    ``widget`` shows what `show_step` was last asked for. `close` must be called in the end.
    """

    def __init__(
        self, title: str, widget: QWidget, length: int, position: int, step_ms: int, slides: bool
    ) -> None:
        self.title = title
        self.widget = widget
        self.length = length
        self.position = position
        self.step_ms = step_ms
        self.slides = slides
        widget.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        widget.setAttribute(Qt.WidgetAttribute.WA_QuitOnClose, False)

    def show_step(self, step: int, share: float = 1.0) -> None:
        """Shows a step; with a share below 1 that far on the way to it from the step before."""
        raise NotImplementedError

    def name_of(self, step: int) -> str:
        """Says in a few words what a step is, where its number does not tell."""
        return ""

    def set_up(self, theme: Theme, size: QSize) -> None:
        """Gives the widget its colours and its size, in pixels of the window."""
        palette = theme.palette()
        self.widget.setPalette(palette)
        self.widget.setFixedSize(size)
        for area in self.widget.findChildren(QAbstractScrollArea):
            area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.widget.show()

    def picture(self, scale: float) -> QImage:
        """Returns what the widget shows, with so many pixels for each of its own in both directions."""
        self.make_ready()
        image = QImage(self.widget.size() * scale, QImage.Format.Format_RGB888)
        image.setDevicePixelRatio(scale)
        image.fill(self.widget.palette().window().color())
        self.widget.render(image)
        return image

    def make_ready(self) -> None:
        """Has everything stand where it belongs at the step that is shown, whatever was shown before."""
        self._settle()
        self.scroll()
        self._settle()

    def scroll(self) -> None:
        """Scrolls to where something happens, from the beginning on."""

    def _settle(self) -> None:
        """Lets the layouts follow what is shown, and no widget but its own; scroll areas need some turns."""
        widgets = [self.widget, *self.widget.findChildren(QWidget)]
        for _ in range(SETTLING):
            for widget in widgets:
                QCoreApplication.sendPostedEvents(widget, 0)

    def close(self) -> None:
        """Lets the widget go."""
        self.widget.hide()
        self.widget.deleteLater()


def png(image: QImage) -> bytes:
    """Returns a picture as the bytes of a PNG file."""
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # its stub asks for bytes, which it refuses
    return bytes(content.data())
