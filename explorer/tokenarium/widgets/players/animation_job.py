"""The pictures of an export, written one at a time into a temporary file, which becomes the file at the end."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QSize
from PySide6.QtGui import QImage

from tokenarium.pictures.svg_picture import svg_picture
from tokenarium.pictures.widget_picture import ExportError
from tokenarium.style.theme import DARK, LIGHT
from tokenarium.widgets.players.animation import Animation, png
from tokenarium.widgets.players.merge_canvas import MERGE_MS
from tokenarium_core import WriteError
from tokenarium_core.progress import Progress
from tokenarium_core.whole_files import part_path, replace_files

if TYPE_CHECKING:
    from tokenarium.pictures.webp_file import WebpFile

Kind = Literal["png", "svg", "gif", "webp", "frames"]

MOVING_FPS = 25
"""Pictures per second while things slide: a GIF counts hundredths of a second, and players show at least four."""

MOVING_SHARE = 0.55
"""The largest share of a step in which things move: the rest is for reading."""

SHORTEST_MS = 20
"""The least milliseconds of a picture: most players show shorter pictures of a GIF for longer."""

LAST_MS = 2000
"""The least milliseconds of the last picture, before the animation repeats."""


@dataclass(frozen=True, slots=True)
class Order:
    """The settings of an export. ``first`` and ``last`` are steps; a single picture shows ``first``.

    ``step_ms``: how long a step is shown. ``moving``: with pictures between the steps. ``fps``: numbered frames per
    second; 0: one per picture. ``width`` and ``height`` are in pixels of the window; a picture is ``scale`` times
    as large.
    """

    kind: Kind
    path: Path
    first: int
    last: int
    step_ms: int
    moving: bool
    loop: bool
    fps: int
    width: int
    height: int
    scale: float
    dark: bool


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture: the step, the share of the transition to it, and how long it is shown."""

    step: int
    share: float
    ms: int


def shots(order: Order) -> list[Shot]:
    """Returns the pictures of an order.

    >>> order = Order("gif", Path("a.gif"), 0, 1, 300, True, True, 0, 8, 8, 1.0, False)
    >>> [(shot.step, shot.share, shot.ms) for shot in shots(order)]
    [(0, 1.0, 180), (1, 0.25, 40), (1, 0.5, 40), (1, 0.75, 40), (1, 1.0, 2000)]
    """
    if order.kind in ("png", "svg"):
        return [Shot(order.first, 1.0, 0)]
    if order.kind == "frames" and order.fps:
        return _animation(order)
    moving = round(_moving_ms(order) * MOVING_FPS / 1000)
    moving_ms = 1000 // MOVING_FPS
    rest = max(SHORTEST_MS, (order.step_ms - max(moving - 1, 0) * moving_ms) // 10 * 10)
    result = []
    for step in range(order.first, order.last + 1):
        if step > order.first:
            result += [Shot(step, k / moving, moving_ms) for k in range(1, moving)]
        result.append(Shot(step, 1.0, max(rest, LAST_MS) if step == order.last else rest))
    return result


def _moving_ms(order: Order) -> float:
    """Returns how long things move before each step."""
    return min(MERGE_MS, order.step_ms * MOVING_SHARE) if order.moving else 0.0


def _animation(order: Order) -> list[Shot]:
    """Returns the pictures of an animation with a fixed number of frames per second."""
    moving = _moving_ms(order)
    length = (order.last - order.first) * order.step_ms + LAST_MS
    result = []
    for frame in range(max(1, length * order.fps // 1000)):
        passed = frame * 1000 / order.fps
        steps = min(int(passed // order.step_ms), order.last - order.first)
        inside = passed - steps * order.step_ms
        share = min(1.0, inside / moving) if moving and steps else 1.0
        result.append(Shot(order.first + steps, share, round(1000 / order.fps)))
    return result


def seconds(pictures: list[Shot]) -> float:
    """Returns the duration of the pictures in seconds."""
    return sum(shot.ms for shot in pictures) / 1000


LOOKED_AT = 12
"""The most pictures of an animation whose colours are counted for its palette."""


class AnimationJob:
    """Call `step` until it is finished, or `cancel`; both close the animation and remove temporary files.

    An existing file is replaced only by a finished one. Raises ExportError if it cannot be written.
    """

    def __init__(self, animation: Animation, order: Order) -> None:
        self._animation = animation
        self._order = order
        self._shots = shots(order)
        self._folder: Path | None = None  # next to the file, made with the first picture
        self._writer = _WRITERS[order.kind](order)
        self._looked = self._writer.looks(self._shots)
        self._done = 0
        self._open = True
        animation.set_up(DARK if order.dark else LIGHT, QSize(order.width, order.height))

    def step(self, budget_ms: float, /) -> Progress:
        """Makes one picture, which cannot be interrupted."""
        progress, total = len(self._looked), len(self._shots)
        if not self._open:
            return Progress("exporting", self._done, progress + total, True)
        try:
            if self._folder is None:
                self._begin()
            if self._done < progress:
                self._writer.look_at(self._animation, self._looked[self._done])
            elif self._done < progress + total:
                self._writer.write(self._animation, self._shots[self._done - progress])
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
        done = min(self._done, progress + total)
        return Progress("exporting", done, progress + total, not self._open)

    def cancel(self) -> None:
        """Stops, and removes what was written."""
        if self._open:
            self._writer.close()
            self._close()

    def _begin(self) -> None:
        path = self._order.path
        if self._order.kind == "frames" and path.exists():
            raise ExportError(f"{path} already exists. Choose another name for the frames.")
        self._folder = part_path(path)
        self._folder.mkdir()
        self._writer.part = self._folder / path.name

    def _close(self) -> None:
        self._open = False
        self._animation.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


class _Writer:
    """Base of the formats: some shots are inspected first, then all are written."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self.part = Path()  # the temporary file or folder

    def looks(self, all_shots: list[Shot]) -> list[Shot]:
        """Returns the shots to inspect before the first is written."""
        return []

    def look_at(self, animation: Animation, shot: Shot) -> None:
        """Inspects a shot."""

    def write(self, animation: Animation, shot: Shot) -> None:
        """Writes a shot."""
        raise NotImplementedError

    def finish(self) -> None:
        """Completes the file."""

    def close(self) -> None:
        """Closes open files."""

    def picture(self, animation: Animation, shot: Shot) -> QImage:
        """Returns the picture of a shot."""
        animation.show_step(shot.step, shot.share)
        image = animation.picture(self.order.scale)
        if image.isNull():
            raise ExportError("There is not enough memory for this picture. Choose a smaller size.")
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
    """Numbered files in their own folder; a picture that repeats is made once."""

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


class _Webp(_Writer):
    def __init__(self, order: Order) -> None:
        super().__init__(order)
        self._file: WebpFile | None = None

    def write(self, animation: Animation, shot: Shot) -> None:
        from tokenarium.pictures.gif_file import as_pillow
        from tokenarium.pictures.webp_file import WebpFile

        picture = as_pillow(self.picture(animation, shot))
        if self._file is None:
            self._file = WebpFile(self.part, picture.size, self.order.loop)
        self._file.add(picture, shot.ms)

    def finish(self) -> None:
        assert self._file is not None
        self._file.finish()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


_WRITERS: dict[str, type[_Writer]] = {
    "png": _Png,
    "svg": _Svg,
    "gif": _Gif,
    "webp": _Webp,
    "frames": _Frames,
}
