"""Writes an animated GIF picture by picture: one palette for all, and only the changes of each picture.

Pillow writes a whole animation in one call, which would block the window; so the parts that Pillow makes are put
together here. Format: GIF89a, with the extension NETSCAPE2.0 for the loop.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import GifImagePlugin, Image
from PySide6.QtGui import QImage

COLOURS = 255
"""Colours of a palette: the last place of the 256 stands for "as before"."""

AS_BEFORE = 255

KEPT = 96
"""The most frequent colours that stay exact: backgrounds, letters, and those of tokens."""

SAMPLED = 1 << 16
"""The most colours of one picture that are counted; of a picture with more, such as a photograph, only a part."""


def as_pillow(image: QImage) -> Image.Image:
    """Returns a picture of the format RGB888 for Pillow."""
    size = (image.width(), image.height())
    return Image.frombuffer(
        "RGB", size, bytes(image.constBits()), "raw", "RGB", image.bytesPerLine(), 1
    )


class Palette:
    """The colours of a whole animation, found by looking at some of its pictures."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[int, int, int]] = Counter()

    def look_at(self, image: Image.Image) -> None:
        """Counts the colours of a picture."""
        colour_counts = image.getcolors(SAMPLED)
        while colour_counts is None:
            image = image.resize((image.width // 2, image.height // 2), Image.Resampling.NEAREST)
            colour_counts = image.getcolors(SAMPLED)
        for count, colour in colour_counts:
            assert isinstance(colour, tuple)
            red, green, blue = colour
            self._counts[red, green, blue] += count

    def colours(self) -> list[tuple[int, int, int]]:
        """Returns up to `COLOURS` colours: all, or the most frequent ones and mixtures of the others.

        Each shade at the edges of letters is rare, but together they make the text: so colours count by the square
        root of their frequency.
        """
        common = [colour for colour, _ in self._counts.most_common()]
        if len(common) <= COLOURS:
            return common
        exact, rest = common[:KEPT], common[KEPT:]
        weights = [math.isqrt(self._counts[colour]) + 1 for colour in rest]
        pixels = np.repeat(np.array(rest, dtype=np.uint8), weights, axis=0)
        mixed = Image.fromarray(pixels[np.newaxis]).quantize(
            COLOURS - KEPT, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE
        )
        mixtures = mixed.getpalette() or []
        triples = zip(mixtures[::3], mixtures[1::3], mixtures[2::3], strict=True)
        return list(dict.fromkeys([*exact, *triples]))[:COLOURS]


class ColourCodes:
    """Maps each colour to the nearest one of a palette; unlike Pillow's, exact matches stay exact."""

    def __init__(self, listed: list[int]) -> None:
        self._colours = np.array(listed, dtype=np.int32).reshape(-1, 3)
        self._codes = np.full(1 << 24, AS_BEFORE, dtype=np.uint8)  # AS_BEFORE: not seen yet

    def of(self, pixels: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """Returns the place of each pixel's colour; ``pixels`` has height × width × 3 bytes."""
        wide = pixels.astype(np.uint32)
        packed = wide[..., 0] << 16 | wide[..., 1] << 8 | wide[..., 2]
        codes: npt.NDArray[np.uint8] = self._codes[packed]
        new = packed[codes == AS_BEFORE]
        if len(new):
            for block in np.array_split(np.unique(new), len(new) // 65536 + 1):
                parts = np.stack([block >> 16, block >> 8 & 255, block & 255], axis=1)
                away = parts.astype(np.int32)[:, np.newaxis] - self._colours
                self._codes[block] = (away * away).sum(axis=2).argmin(axis=1)
            codes = self._codes[packed]
        return codes


class GifFile:
    """One animation on its way into a file; `finish` completes it."""

    def __init__(
        self,
        path: Path,
        size: tuple[int, int],
        colours: Iterable[tuple[int, int, int]],
        loop: bool,
    ) -> None:
        """Begins the file. All methods raise OSError if it cannot be written."""
        listed = [part for colour in colours for part in colour]
        listed += listed[-3:] * (256 - len(listed) // 3)  # the last place is never a colour's
        self._palette = listed
        self._codes = ColourCodes(listed[: 3 * COLOURS])
        self._shown: npt.NDArray[np.uint8] | None = None
        self._waiting: tuple[Image.Image, tuple[int, int], int] | None = None
        first = Image.new("P", size)
        first.putpalette(listed)
        info = {"loop": 0, "duration": 1} if loop else {"duration": 1}
        header, _ = GifImagePlugin.getheader(first, info=info)
        self._file = path.open("wb")
        self._file.write(b"".join(header))

    def add(self, image: Image.Image, duration_ms: int) -> None:
        """Adds a picture; if it equals the last one, that is shown for longer."""
        coded = self._codes.of(np.asarray(image))
        before = self._shown
        self._shown = coded
        offset = (0, 0)
        if before is not None:
            changed = coded != before
            rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
            if not len(rows):
                assert self._waiting is not None
                self._waiting = (*self._waiting[:2], self._waiting[2] + duration_ms)
                return
            part = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
            offset = (int(columns[0]), int(rows[0]))
            coded = np.where(changed[part], coded[part], np.uint8(AS_BEFORE))
        self._write_waiting()
        picture = Image.fromarray(np.ascontiguousarray(coded))
        picture.putpalette(self._palette)
        self._waiting = (picture, offset, duration_ms)

    def finish(self) -> None:
        """Writes the rest of the file."""
        self._write_waiting()
        self._file.write(b";")
        self._file.close()

    def close(self) -> None:
        """Closes the file as it is, unfinished."""
        self._file.close()

    def _write_waiting(self) -> None:
        if self._waiting is not None:
            picture, offset, duration = self._waiting
            self._waiting = None
            data = GifImagePlugin.getdata(
                picture, offset, duration=duration, transparency=AS_BEFORE, disposal=1
            )
            self._file.write(b"".join(data))
