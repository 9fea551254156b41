"""Writes an animated WebP picture by picture, without loss: of each picture only the rectangle that changed.

Pillow writes a whole animation in one call, which would block the window; so it makes each picture, and they are put
together here. Format: RFC 9649, chunks VP8X, ANIM and ANMF.
"""

from __future__ import annotations

import struct
from io import BytesIO
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

EFFORT = 2
"""How hard Pillow tries to make a picture small, 0 to 6: more takes longer than a frame."""

LONGEST_MS = (1 << 24) - 1
_ANIMATED = 0x02
_NO_BLENDING = 0x02  # in ANMF: the rectangle replaces what was there


class WebpFile:
    """One animation on its way into a file; `finish` completes it."""

    def __init__(self, path: Path, size: tuple[int, int], loop: bool) -> None:
        """Begins the file. All methods raise OSError if it cannot be written."""
        self._shown: npt.NDArray[np.uint8] | None = None
        self._waiting: tuple[bytes, tuple[int, int], tuple[int, int], int] | None = None
        self._file = path.open("wb")
        self._file.write(b"RIFF\0\0\0\0WEBP")
        flags = struct.pack("<B3x", _ANIMATED)
        self._write_chunk(b"VP8X", flags + _three(size[0] - 1) + _three(size[1] - 1))
        self._write_chunk(b"ANIM", struct.pack("<IH", 0xFFFFFFFF, 0 if loop else 1))

    def add(self, image: Image.Image, duration_ms: int) -> None:
        """Adds a picture of the mode RGB; if it equals the last one, that is shown for longer."""
        pixels = np.asarray(image)
        before, self._shown = self._shown, pixels
        left, top, right, bottom = 0, 0, image.width, image.height
        if before is not None:
            changed = (pixels != before).any(axis=2)
            rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
            if not len(rows):
                assert self._waiting is not None
                data, rect, size, shown_ms = self._waiting
                self._waiting = (data, rect, size, shown_ms + duration_ms)
                return
            # The format counts places in pairs of pixels.
            left, top = int(columns[0]) & ~1, int(rows[0]) & ~1
            right, bottom = int(columns[-1]) + 1, int(rows[-1]) + 1
        self._write_waiting()
        part = image.crop((left, top, right, bottom))
        self._waiting = (_coded(part), (left, top), part.size, duration_ms)

    def finish(self) -> None:
        """Writes the rest of the file."""
        self._write_waiting()
        size = self._file.tell()
        self._file.seek(4)
        self._file.write(struct.pack("<I", size - 8))
        self._file.close()

    def close(self) -> None:
        """Closes the file as it is, unfinished."""
        self._file.close()

    def _write_waiting(self) -> None:
        if self._waiting is None:
            return
        data, (left, top), (width, height), duration_ms = self._waiting
        self._waiting = None
        head = b"".join(
            _three(number)
            for number in (left // 2, top // 2, width - 1, height - 1, min(duration_ms, LONGEST_MS))
        )
        self._write_chunk(b"ANMF", head + bytes([_NO_BLENDING]) + data)

    def _write_chunk(self, name: bytes, content: bytes) -> None:
        self._file.write(
            name + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2)
        )


def _three(number: int) -> bytes:
    return struct.pack("<I", number)[:3]


def _coded(image: Image.Image) -> bytes:
    """Returns the chunks of a picture that is coded without loss."""
    content = BytesIO()
    image.save(content, "WEBP", lossless=True, quality=50, method=EFFORT)
    data = content.getvalue()
    at, chunks = 12, b""
    while at < len(data):
        size = 8 + struct.unpack_from("<I", data, at + 4)[0]
        size += size % 2
        if data[at : at + 4] in (b"VP8L", b"VP8 ", b"ALPH"):
            chunks += data[at : at + size]
        at += size
    return chunks
