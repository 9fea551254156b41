"""Characters that no font has are boxes with their code points."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QFont, QImage, QPainter, QTextLayout
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from windows import Host, shown_in

from tokenarium.app.window import MainWindow
from tokenarium.models.text.piece import code_point_note, readable
from tokenarium.style.appearance import Appearance
from tokenarium.style.code_point_font import FAMILY, code_point_font
from tokenarium.style.fonts import mono_font, ui_font
from tokenarium.style.missing_glyphs import MISSING
from tokenarium.views.tokens import TokensView

NOWHERE = ("\U0010ff12", "\U0010ff13", "\U0010ff14", "\U0010ff15", "\U0010ff16")
"""Private characters that no font of this computer has, one for each test, as what was noticed stays."""

pytestmark = pytest.mark.qt_log_ignore("does not support propagateSizeHints")


def glyphs(text: str, font: QFont) -> list[tuple[str, bool]]:
    """The font of each run of a text, and whether it has all of its glyphs."""
    layout = QTextLayout(text, font)
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    return [(run.rawFont().familyName(), all(run.glyphIndexes())) for run in layout.glyphRuns()]


def picture(text: str, font: QFont) -> np.ndarray:
    image = QImage(80, 80, QImage.Format.Format_Grayscale8)
    image.fill(255)
    painter = QPainter(image)
    painter.setFont(font)
    painter.drawText(10, 60, text)
    painter.end()
    return np.frombuffer(image.constBits(), dtype=np.uint8).copy()


def test_a_font_of_code_points_has_tables_that_add_up() -> None:
    data = code_point_font([0x378, 0x1FAE9], "Boxes")
    words = np.frombuffer(data + bytes(-len(data) % 4), dtype=">u4")
    assert int(words.sum(dtype=np.uint64)) & 0xFFFFFFFF == 0xB1B0AFBA
    assert code_point_font([0x1FAE9, 0x378, 0x378], "Boxes") == data


def test_a_missing_character_gets_a_box_with_its_digits(qapp: QApplication, qtbot: QtBot) -> None:
    looks = Appearance(qapp)
    one, other = NOWHERE[:2]
    assert not any(whole for _, whole in glyphs(one, ui_font()))
    with qtbot.waitSignal(looks.changed):
        MISSING.notice(f"a{one}{other}é नमस्ते 日本 \u200b\u00ad")
    for font in (ui_font(40), mono_font(40), qapp.font()):
        [(family, whole)] = glyphs(one, font)
        assert whole
        assert family.startswith(FAMILY)
        assert not any(family.startswith(FAMILY) for family, _ in glyphs("aé नमस्ते 日本", font))
    assert not np.array_equal(picture(one, ui_font(40)), picture(other, ui_font(40)))
    for again in (one, "plain", "\u200b"):  # nothing new: no other font is written
        MISSING.notice(again)
        assert not MISSING._soon.isActive()


def test_the_text_is_laid_out_again_with_boxes(host: Host, qtbot: QtBot) -> None:
    missing = NOWHERE[2]
    host.show_workspace("tokens")
    view = shown_in(host, TokensView).view
    host.session.set_text(f"some {missing}")
    view.viewport().grab()
    assert MISSING.has(missing)
    assert not MISSING.has("s")

    def families() -> list[str]:
        [[line]] = [[placed.line.line for _, placed in view._lines_in(view.viewport().rect())]]
        return [run.rawFont().familyName() for run in line.glyphRuns()]

    qtbot.waitUntil(lambda: families()[-1].startswith(FAMILY))


def test_the_editor_shows_boxes(window: MainWindow, qtbot: QtBot) -> None:
    missing = NOWHERE[3]
    window.session.set_text(f"some {missing}")

    def families() -> list[str]:
        window.grab()
        layout = window.text.field.document().firstBlock().layout()
        return [run.rawFont().familyName() for run in layout.lineAt(0).glyphRuns()]

    qtbot.waitUntil(lambda: any(family.startswith(FAMILY) for family in families()))


def test_pieces_of_any_table_are_noticed(qapp: QApplication, qtbot: QtBot) -> None:
    looks = Appearance(qapp)
    piece = f"{NOWHERE[4]}".encode()
    with qtbot.waitSignal(looks.changed):
        readable(piece)
    assert MISSING.has(NOWHERE[4])
    assert "U+10FF16" in code_point_note(piece)  # the box may be too small to be read
