"""Takes things out of the app: tokens as text, ids or JSON, and a view as a picture."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QWidget

from tokenarium.models.text.inspection import touching
from tokenarium_core import Encoding, TokenariumError, Tokenizer

SHARPNESS = 2
"""Pixels of a PNG for each pixel of the window."""


class ExportError(TokenariumError):
    """A file that cannot be written; the message is a sentence to show."""


def ids_text(encoding: Encoding, start: int, end: int) -> str:
    """Returns the ids of the tokens that touch a range of bytes, as a list that JSON and Python read."""
    first, last = touching(encoding, start, end)
    return json.dumps(np.asarray(memoryview(encoding.ids))[first:last].tolist())


def tokens_json(encoding: Encoding, tokenizer: Tokenizer, start: int, end: int) -> str:
    """Returns the tokens that touch a range of bytes, as JSON.

    Each has its id, its bytes in hexadecimal, its text where the bytes are whole characters (else
    null), and its span, the bytes of the text that it stands for.
    """
    first, last = touching(encoding, start, end)
    ids = np.asarray(memoryview(encoding.ids))[first:last].tolist()
    spans = np.asarray(memoryview(encoding.spans)).reshape(-1, 2)[first:last].tolist()
    tokens = []
    for token, span in zip(ids, spans, strict=True):
        piece = tokenizer.vocabulary.piece(token)
        try:
            text: str | None = piece.decode()
        except UnicodeDecodeError:
            text = None
        tokens.append({"id": token, "text": text, "bytes": piece.hex(), "span": span})
    lines = ",\n  ".join(json.dumps(token, ensure_ascii=False) for token in tokens)
    name = json.dumps(tokenizer.name, ensure_ascii=False)
    body = f"[\n  {lines}\n ]" if tokens else "[]"
    return f'{{\n "tokenizer": {name},\n "tokens": {body}\n}}\n'


def save_png(widget: QWidget, path: Path) -> None:
    """Writes a widget as it is seen now, at twice its size in pixels; ExportError where it cannot be."""
    pixmap = QPixmap(widget.size() * SHARPNESS)
    pixmap.setDevicePixelRatio(SHARPNESS)
    pixmap.fill(widget.palette().window().color())
    widget.render(pixmap)
    if not pixmap.save(str(path), "PNG"):
        raise ExportError(f"{path} cannot be written. Choose another folder or name.")


def save_svg(widget: QWidget, path: Path) -> None:
    """Writes a widget as it is seen now, as vectors; ExportError where it cannot be."""
    from tokenarium.pictures.svg_picture import svg_picture

    try:
        path.write_bytes(svg_picture(widget, widget.accessibleName()))
    except OSError as error:
        raise ExportError(
            f"{path} cannot be written: {error.strerror}. Choose another folder or name."
        ) from None
