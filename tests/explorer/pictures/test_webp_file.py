"""Animated WebP: read back by Pillow, each picture is what was written, for as long."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageSequence

from tokenarium.pictures.webp_file import WebpFile

Spots = list[tuple[int, int, int, int]]


def drawn(spots: Spots, size: tuple[int, int]) -> Image.Image:
    pixels = np.full((size[1], size[0], 3), 250, dtype=np.uint8)
    for x, y, side, shade in spots:
        pixels[y : y + side, x : x + side] = (shade, 255 - shade, 99)
    return Image.fromarray(pixels)


SPOT = st.tuples(st.integers(0, 30), st.integers(0, 20), st.integers(1, 9), st.integers(0, 255))


@given(
    pictures=st.lists(
        st.tuples(st.lists(SPOT, max_size=3), st.integers(20, 900)), min_size=1, max_size=5
    ),
    loop=st.booleans(),
)
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_is_written_is_read_back(
    tmp_path: Path, pictures: list[tuple[Spots, int]], loop: bool
) -> None:
    size = (33, 21)
    path = tmp_path / "a.webp"
    file = WebpFile(path, size, loop)
    wanted: list[tuple[bytes, int]] = []
    for spots, ms in pictures:
        image = drawn(spots, size)
        file.add(image, ms)
        if wanted and wanted[-1][0] == image.tobytes():
            wanted[-1] = (wanted[-1][0], wanted[-1][1] + ms)
        else:
            wanted.append((image.tobytes(), ms))
    file.finish()
    with Image.open(path) as read:
        assert read.size == size
        found = []
        for frame in ImageSequence.Iterator(read):
            frame.load()
            found.append((frame.convert("RGB").tobytes(), frame.info.get("duration")))
        if len(wanted) > 1:
            assert read.info["loop"] == (0 if loop else 1)
    assert [pixels for pixels, _ in found] == [pixels for pixels, _ in wanted]
    if len(wanted) > 1:
        assert [ms for _, ms in found] == [ms for _, ms in wanted]


def test_a_place_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nowhere"):
        WebpFile(tmp_path / "nowhere" / "a.webp", (8, 8), True)
