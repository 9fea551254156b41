"""The share card: what is on it, how it is painted, copied and saved."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from small_models import write_unigram

from tokenarium.app.window import MainWindow
from tokenarium.menus.sharing import SHORTENED, SharingCommands
from tokenarium.models.text.segmentation import TextParts
from tokenarium.style.theme import DARK, LIGHT
from tokenarium.widgets.text.share_card import (
    HEIGHT,
    MARGIN,
    MOST_STRIPS,
    WIDTH,
    ShareCard,
    ShareDialog,
    ShareStrip,
    fitting,
)

TEXT = "Strawberries cost €1,234.56, सभी मनुष्यों 👩🏽‍🚀 العالم"


def opened(window: MainWindow, text: str = TEXT) -> tuple[SharingCommands, ShareDialog]:
    window.session.set_text(text)
    window.actions_by_id.refresh()
    window.actions_by_id["share_card"].trigger()
    sharing = window.lazy.sharing
    assert sharing.dialog is not None
    return sharing, sharing.dialog


def test_the_counts_are_those_of_the_text(window: MainWindow, bytes_only: str) -> None:
    sharing, dialog = opened(window)
    assert dialog.isVisible()
    assert sharing.card.text == TEXT
    assert [(strip.name, len(strip.parts)) for strip in sharing.card.strips] == [
        (item.name, len(item.tokenizer.encode_ids(TEXT)))
        for item in window.session.chosen()
        if item.tokenizer is not None
    ]
    counts = [len(strip.parts) for strip in sharing.card.strips]
    expected = f"One text, two tokenizers: from {min(counts)} tokens to {max(counts)}."
    assert sharing.card.sentence == expected
    assert expected in dialog.view.accessibleDescription()


def test_it_shows_what_is_selected_or_the_first_line(window: MainWindow) -> None:
    window.session.set_text("\n  One line \nAnother line")
    assert opened(window, "\n  One line \nAnother line")[0].card.text == "One line"
    window.session.select(13, 20)
    window.actions_by_id["share_card"].trigger()
    assert window.lazy.sharing.card.text == "Another"


def test_a_text_that_is_too_long_is_shortened_and_counted_so(window: MainWindow) -> None:
    sharing, dialog = opened(window, "The quick brown fox. " * 40)
    text = sharing.card.text
    assert text
    assert ("The quick brown fox. " * 40).startswith(text)
    assert fitting(text) == text
    assert dialog.note.text() == SHORTENED
    (item,) = window.session.chosen()
    assert item.tokenizer is not None
    assert len(sharing.card.strips[0].parts) == len(item.tokenizer.encode_ids(text))
    dialog.field.setText("")
    assert not sharing.card.strips
    assert not dialog.copy.isEnabled()


def test_a_card_has_room_for_four(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    for number in range(5):
        path = write_unigram(
            "Small words, and a few more of them.\n" * 20, tmp_path / f"{number}.model"
        )
        window.take_files([path])
    qtbot.waitUntil(lambda: len(window.session.chosen()) == 6 and not window.session.opening)
    sharing, dialog = opened(window)
    assert len(sharing.card.strips) == MOST_STRIPS
    off = [box for box in dialog.boxes.values() if not box.isChecked()]
    assert len(off) == 2
    assert not any(box.isEnabled() for box in off)
    first = next(iter(dialog.boxes.values()))
    QTest.mouseClick(first, Qt.MouseButton.LeftButton, pos=QRect(0, 0, 12, first.height()).center())
    assert len(sharing.card.strips) == MOST_STRIPS - 1
    assert all(box.isEnabled() for box in off)


@pytest.mark.parametrize("place", [0, 1])
def test_it_is_light_or_dark(window: MainWindow, place: int) -> None:
    sharing, dialog = opened(window)
    dialog.scheme.setCurrentIndex(place)
    dialog.scheme.chosen.emit(place)
    theme = (LIGHT, DARK)[place]
    image = sharing.card.picture()
    assert (image.width(), image.height()) == (WIDTH, HEIGHT)
    assert image.pixelColor(3, 3) == theme.page
    assert image.pixelColor(WIDTH // 2, 20) == theme.page


def test_neighbours_in_a_strip_differ_and_cuts_leave_a_gap() -> None:
    parts = TextParts.of_tokens([1, 2, 3], [(0, 4), (4, 8), (8, 12)])
    card = ShareCard("mmmmmmmmmmmm", [ShareStrip("Name", 0, parts)], LIGHT, "1")
    image = card.picture()
    identity = LIGHT.identity(0)
    row = next(y for y in range(HEIGHT) if image.pixelColor(MARGIN + 40, y) == identity.mid) + 20
    colours = [image.pixelColor(x, row) for x in range(MARGIN, WIDTH - MARGIN)]
    seen = [colour for colour in colours if colour in (identity.mid, identity.full)]
    runs = [one for one, before in zip(seen, [None, *seen], strict=False) if one != before]
    assert runs == [identity.mid, identity.full, identity.mid]
    assert any(colour not in (identity.mid, identity.full) for colour in colours[60:-60])


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ((), ""),
        ((1,), "1 token."),
        ((12,), "12 tokens."),
        ((5, 5), "One text, two tokenizers: 5 tokens each."),
        ((5, 1200, 7), "One text, three tokenizers: from 5 tokens to 1,200."),
    ],
)
def test_the_sentence_says_the_range(counts: tuple[int, ...], sentence: str) -> None:
    strips = [
        ShareStrip("", 0, TextParts.of_tokens([0] * n, [(at, at + 1) for at in range(n)]))
        for n in counts
    ]
    assert ShareCard("", strips, LIGHT, "").sentence == sentence


def test_it_is_copied_and_saved(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sharing, dialog = opened(window)
    dialog.copy.click()
    pasted = QGuiApplication.clipboard().mimeData()
    assert pasted.hasImage()
    assert pasted.text().startswith(f"{TEXT}\nTokenarium 8k: ")
    assert "Copied" in dialog.note.text()
    for suffix in ("png", "svg"):
        monkeypatch.setattr(
            QFileDialog, "getSaveFileName", lambda *_, suffix=suffix: (str(tmp_path / "card"), "")
        )
        dialog.saves[suffix].click()
        assert f"Saved card.{suffix}" in dialog.note.text()
    image = QImage(str(tmp_path / "card.png"))
    assert (image.width(), image.height()) == (WIDTH, HEIGHT)
    assert image == sharing.card.picture().convertToFormat(image.format())
    root = ElementTree.parse(tmp_path / "card.svg").getroot()
    assert root.get("viewBox") == f"0 0 {WIDTH} {HEIGHT}"
    texts = "".join(root.itertext())
    for word in ("Strawberries", "Tokenarium", str(len(sharing.card.strips[0].parts))):
        assert word in texts
    sharing.save(tmp_path / "none" / "card.png")
    assert "cannot be written" in dialog.note.text()


def test_text_that_is_lost_is_hatched_and_compared_with_nothing(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.session.edits.turn_on("shipped:wordpiece-8k", True)
    qtbot.waitUntil(lambda: not window.session.opening)
    sharing, dialog = opened(window, "the sun  is warm")
    kept, lossy = sharing.card.strips
    assert (list(kept.lost), list(lossy.lost)) == ([], [[8, 9]])
    assert (
        sharing.card.sentence
        == "? Hatched text is lost: these counts cannot be compared with others."
    )
    assert f"WordPiece 8k ? {len(lossy.parts)}" in dialog.view.accessibleDescription()
    sharing.copy()
    assert f": ? {len(lossy.parts)} tokens" in QGuiApplication.clipboard().text()
    picture = sharing.card.picture()
    other = replace(sharing.card, strips=[kept, replace(lossy, lost=[(15, 16)])]).picture()
    changed = [
        x
        for x in range(WIDTH)
        if any(picture.pixel(x, y) != other.pixel(x, y) for y in range(HEIGHT - 100))
    ]
    # The strokes are where the second blank is, and in the other picture where the last letter is.
    assert len(changed) > 10
    assert max(changed) - min(changed) > 100


def test_a_web_page_has_the_whole_text(
    window: MainWindow, bytes_only: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "A long sentence about <tokens> & more. " * 20
    sharing, dialog = opened(window, text)
    assert len(sharing.card.text) < len(text.strip())
    dialog.scheme.choose(1)
    path = tmp_path / "shared"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    QTest.mouseClick(dialog.saves["html"], Qt.MouseButton.LeftButton)
    html = path.with_suffix(".html").read_text("utf-8")
    assert (
        f"<p>{text.strip().replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')}</p>"
        in html
    )
    assert html.count('<li class="card ') == len(dialog.chosen) == 2
    assert 'data-theme="dark"' in html
    assert dialog.note.text() == f"Saved shared.html in {tmp_path}."
