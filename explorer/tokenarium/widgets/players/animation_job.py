"""Writes an animation in slices: one picture at a time, into a temporary place that becomes the file in the end."""

from __future__ import annotations

import shutil
from pathlib import Path

from PySide6.QtCore import QSize
from PySide6.QtGui import QImage

from tokenarium.models.merges.animation_plan import Order, Shot, shots
from tokenarium.pictures.svg_picture import svg_picture
from tokenarium.pictures.widget_picture import ExportError
from tokenarium.style.theme import DARK, LIGHT
from tokenarium.widgets.players.animation import Animation, png
from tokenarium_core import Progress, WriteError
from tokenarium_core.whole_files import part_path, replace_files

LOOKED_AT = 12
"""Pictures of an animation whose colours are counted for its palette."""


class AnimationJob:
    """Call `step` until it says that it is finished, or `cancel`; either way the animation is closed and nothing is left over.

    A file that is there already is replaced by a finished one only. Raises ExportError where it cannot be written.
    """

    def __init__(self, animation: Animation, order: Order) -> None:
        self._animation = animation
        self._order = order
        self._shots = shots(order)
        self._folder: Path | None = None  # beside the file, made with the first picture
        self._writer = _WRITERS[order.kind](order)
        self._looked = self._writer.looks(self._shots)
        self._done = 0
        self._open = True
        animation.set_up(DARK if order.dark else LIGHT, QSize(order.width, order.height))

    def step(self, budget_ms: float, /) -> Progress:
        """Makes one picture, however long that takes: none can be interrupted."""
        looked, total = len(self._looked), len(self._shots)
        if not self._open:
            return Progress("exporting", self._done, looked + total, True)
        try:
            if self._folder is None:
                self._begin()
            if self._done < looked:
                self._writer.look_at(self._animation, self._looked[self._done])
            elif self._done < looked + total:
                self._writer.write(self._animation, self._shots[self._done - looked])
            else:
                self._writer.finish()
                replace_files([(self._writer.part, self._order.path)])
                self._close()
        except WriteError as error:
            self.cancel()
            raise ExportError(str(error)) from None
        except OSError as error:
            self.cancel()
            why = error.strerror or str(error)
            raise ExportError(f"{self._order.path} cannot be written: {why}.") from None
        except Exception:
            self.cancel()
            raise
        self._done += 1
        done = min(self._done, looked + total)
        return Progress("exporting", done, looked + total, not self._open)

    def cancel(self) -> None:
        """Stops, and takes away what was written."""
        if self._open:
            self._writer.close()
            self._close()

    def _begin(self) -> None:
        path = self._order.path
        if self._order.kind == "frames" and path.exists():
            raise ExportError(f"{path} is there already. Choose another name for the frames.")
        self._folder = part_path(path)
        self._folder.mkdir()
        self._writer.part = self._folder / path.name

    def _close(self) -> None:
        self._open = False
        self._animation.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


class _Writer:
    """Base of the ways to write: some shots are looked at first, then all are written."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self.part = Path()  # the temporary place of what is written

    def looks(self, all_shots: list[Shot]) -> list[Shot]:
        """Returns the shots that it has to see before the first is written."""
        return []

    def look_at(self, animation: Animation, shot: Shot) -> None:
        """Sees a shot."""

    def write(self, animation: Animation, shot: Shot) -> None:
        """Writes a shot."""
        raise NotImplementedError

    def finish(self) -> None:
        """Completes what was written."""

    def close(self) -> None:
        """Lets go of what is open."""

    def picture(self, animation: Animation, shot: Shot) -> QImage:
        """Returns the picture of a shot."""
        animation.show_step(shot.step, shot.share)
        image = animation.picture(self.order.scale)
        if image.isNull():
            raise ExportError("The memory is too small for such a picture. Choose a smaller size.")
        return image


class _Png(_Writer):
    def write(self, animation: Animation, shot: Shot) -> None:
        self.part.write_bytes(png(self.picture(animation, shot)))


class _Svg(_Writer):
    def write(self, animation: Animation, shot: Shot) -> None:
        animation.show_step(shot.step, shot.share)
        animation.make_ready()
        self.part.write_bytes(svg_picture(animation.widget, animation.title))


class _Frames(_Writer):
    """Numbered files in a folder of their own; a picture that stays is made once."""

    def __init__(self, order: Order) -> None:
        super().__init__(order)
        self._number = 0
        self._last: tuple[tuple[int, float], bytes] | None = None

    def write(self, animation: Animation, shot: Shot) -> None:
        if self._number == 0:
            self.part.mkdir()
        self._number += 1
        which = (shot.step, shot.share)
        if self._last is None or self._last[0] != which:
            self._last = (which, png(self.picture(animation, shot)))
        name = f"{self.order.path.name}-{self._number:05}.png"
        (self.part / name).write_bytes(self._last[1])


class _Gif(_Writer):
    def __init__(self, order: Order) -> None:
        from tokenarium.pictures.gif_file import GifFile, Palette

        super().__init__(order)
        self._palette = Palette()
        self._file: GifFile | None = None

    def looks(self, all_shots: list[Shot]) -> list[Shot]:
        resting = [shot for shot in all_shots if shot.share == 1.0]
        last = max(len(resting) - 1, 1)
        places = {
            round(k * (len(resting) - 1) / min(last, LOOKED_AT)) for k in range(LOOKED_AT + 1)
        }
        return [resting[place] for place in sorted(places) if place < len(resting)]

    def look_at(self, animation: Animation, shot: Shot) -> None:
        from tokenarium.pictures.gif_file import as_pillow

        self._palette.look_at(as_pillow(self.picture(animation, shot)))

    def write(self, animation: Animation, shot: Shot) -> None:
        from tokenarium.pictures.gif_file import GifFile, as_pillow

        picture = as_pillow(self.picture(animation, shot))
        if self._file is None:
            self._file = GifFile(self.part, picture.size, self._palette.colours(), self.order.loop)
        self._file.add(picture, shot.ms)

    def finish(self) -> None:
        assert self._file is not None
        self._file.finish()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


_WRITERS: dict[str, type[_Writer]] = {"png": _Png, "svg": _Svg, "gif": _Gif, "frames": _Frames}
