"""The icons of the app for all systems, from its one SVG.

    .venv/bin/python packaging/icons.py FOLDER

writes ``tokenarium.ico`` (Windows), ``tokenarium.icns`` (macOS), ``tokenarium-document.ico`` and ``.icns`` (the files
that it opens), and ``hicolor/`` (Linux) into the folder. It needs the packages of the app: Qt draws, Pillow packs.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

from PIL import Image

from tokenarium.pictures.app_icons import document_svg, icon_files, mark_svg, png_of

ICO_SIDES = (16, 20, 24, 32, 40, 48, 64, 128, 256)
ICNS_SIDES = (16, 32, 64, 128, 256, 512, 1024)


def write(folder: Path) -> list[Path]:
    """Writes all icons and returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, svg in (("tokenarium", mark_svg), ("tokenarium-document", document_svg)):
        for suffix, sides in ((".ico", ICO_SIDES), (".icns", ICNS_SIDES)):
            drawn = [Image.open(io.BytesIO(png_of(svg(side), side))) for side in sides]
            path = folder / f"{name}{suffix}"
            options: dict[str, Any] = (
                {} if suffix == ".icns" else {"sizes": [(side, side) for side in sides]}
            )
            drawn[-1].save(path, append_images=drawn[:-1], **options)
            written.append(path)
    for name, data in icon_files().items():
        path = folder / "hicolor" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        written.append(path)
    return written


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit((__doc__ or "").strip())
    print(f"Wrote {len(write(Path(sys.argv[1])))} files.")
