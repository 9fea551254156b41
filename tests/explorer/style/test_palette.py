"""Colours that everyone can read and distinguish, in both themes."""

from itertools import combinations
from math import dist

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QCheckBox, QLineEdit, QRadioButton, QWidget
from pytestqt.qtbot import QtBot

from tokenarium.models.tokenizers.library import COLOURS
from tokenarium.style.appearance import Appearance
from tokenarium.style.palette import contrast, from_oklch, linear_rgb, mix, to_oklab, to_oklch
from tokenarium.style.theme import DARK, LIGHT, Theme, rule_colour, theme_for

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])

# What is left of linear RGB to eyes without one kind of cone. Machado, Oliveira, Fernandes: "A
# Physiologically-based Model for Simulation of Color Vision Deficiency" (2009), severity 1.0.
DEFICIENCIES = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}

TOLD_APART = 0.033
"""The least distance in OKLab between two token backgrounds; 0.02 is about what one can see."""


def simulated(colour: QColor, deficiency: str) -> QColor:
    linear = linear_rgb(colour)
    seen = [
        sum(m * c for m, c in zip(row, linear, strict=True)) for row in DEFICIENCIES[deficiency]
    ]
    encoded = [
        12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055
        for c in (min(max(c, 0.0), 1.0) for c in seen)
    ]
    return QColor.fromRgbF(*encoded)


def nearest(colours: list[QColor]) -> float:
    return min(dist(to_oklab(a), to_oklab(b)) for a, b in combinations(colours, 2))


@THEMES
def test_text_can_be_read_on_every_background(theme: Theme) -> None:
    backgrounds = [
        *theme.tokens,
        *(shade for pair in theme.rules for shade in pair),
        theme.shared,
        theme.selection,
        theme.panel,
        theme.window,
        theme.raised,
    ]
    for background in backgrounds:
        assert contrast(theme.text, background) >= 4.5, background.name()


@THEMES
def test_faint_text_and_messages_can_be_read_on_panels(theme: Theme) -> None:
    for colour in (theme.faint, theme.accent, theme.good, theme.warning, theme.error):
        for background in (theme.panel, theme.window):
            assert contrast(colour, background) >= 4.5, (colour.name(), background.name())
    assert contrast(theme.on_accent, theme.accent) >= 4.5


@THEMES
def test_token_backgrounds_are_distinguished(theme: Theme) -> None:
    assert nearest(list(theme.tokens)) >= TOLD_APART


@THEMES
@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_token_backgrounds_are_distinguished_without_a_cone(theme: Theme, deficiency: str) -> None:
    assert nearest([simulated(colour, deficiency) for colour in theme.tokens]) >= TOLD_APART


@THEMES
def test_token_backgrounds_are_of_one_weight(theme: Theme) -> None:
    lightness = [to_oklch(colour)[0] for colour in theme.tokens]
    assert max(lightness) - min(lightness) < 0.15


@THEMES
def test_tokenizer_colours_draw_thin_lines(theme: Theme) -> None:
    assert len(theme.tokenizers) == 8
    for colour in theme.tokenizers:
        assert contrast(colour, theme.panel) >= 3.0, colour.name()
    assert nearest(list(theme.tokenizers)) >= 2 * TOLD_APART  # a thin line shows less than a ground
    assert theme.tokenizer(9) == theme.tokenizers[1]


@THEMES
@pytest.mark.parametrize("deficiency", ["", *DEFICIENCIES])
def test_tokenizers_are_distinguished_by_thin_lines(theme: Theme, deficiency: str) -> None:
    seen = [simulated(c, deficiency) if deficiency else c for c in theme.tokenizers]
    first = [seen[place] for place in (0, 1, 5, 6, 2, 3)]  # those that are most often on together
    assert nearest(first) >= 0.1
    assert nearest(seen) >= 0.08
    assert len(seen) == COLOURS


@THEMES
def test_fields_are_outlined(theme: Theme) -> None:
    outline = theme.field_palette().color(QPalette.ColorRole.Window).darker(140)  # as Fusion does
    for ground in (theme.panel, theme.window):
        assert contrast(outline, ground) >= 3.0


@THEMES
def test_the_two_shades_of_a_rule_are_distinguished(theme: Theme) -> None:
    for one, other in theme.rules:
        assert dist(to_oklab(one), to_oklab(other)) >= TOLD_APART


@THEMES
def test_rules_that_meet_in_one_pattern_have_different_colours(theme: Theme) -> None:
    for names in (
        (
            "contraction",
            "word",
            "1 to 3 digits",
            "punctuation",
            "newlines",
            "trailing blanks",
            "blanks",
        ),
        (
            "upper-case word",
            "lower-case word",
            "1 to 3 digits",
            "punctuation",
            "newlines",
            "blanks",
        ),
        tuple(f"alternative {n}" for n in range(1, 9)),
    ):
        assert len({rule_colour(name) for name in names}) == len(names)
        assert len(theme.part_colours(names)) == 2 * len(names)


@THEMES
def test_the_palette_takes_the_colours_of_the_theme(theme: Theme) -> None:
    palette = theme.palette()
    assert palette.color(QPalette.ColorRole.Window) == theme.window
    assert palette.color(QPalette.ColorRole.Base) == theme.panel
    assert palette.color(QPalette.ColorRole.Highlight) == theme.accent


def test_the_theme_follows_the_system() -> None:
    assert theme_for(Qt.ColorScheme.Dark) is DARK
    assert theme_for(Qt.ColorScheme.Light) is LIGHT
    assert theme_for(Qt.ColorScheme.Unknown) is LIGHT


@pytest.mark.parametrize("name", ["#000000", "#ffffff", "#d95f02", "#1b9e77", "#7570b3", "#123456"])
def test_oklch_there_and_back(name: str) -> None:
    assert from_oklch(to_oklch(QColor(name))).name() == name


def test_contrast_of_black_and_white_is_21() -> None:
    assert contrast(QColor("black"), QColor("white")) == pytest.approx(21)
    assert contrast(QColor("#777"), QColor("#777")) == 1


def test_mixing() -> None:
    assert mix(QColor("#000000"), QColor("#ffffff"), 0.5).name() in {"#7f7f7f", "#808080"}
    assert mix(QColor("#123456"), QColor("#ffffff"), 0.0).name() == "#123456"


@pytest.mark.parametrize("control", [QLineEdit, QCheckBox, QRadioButton])
def test_the_edges_of_controls_are_seen_in_the_dark(
    control: type[QWidget], qtbot: QtBot, qapp: QApplication
) -> None:
    appearance = Appearance(qapp, "dark")
    widget = control()
    qtbot.addWidget(widget)
    widget.show()
    image = widget.grab().toImage()
    lightest = max(
        contrast(image.pixelColor(x, image.height() // 2), DARK.panel) for x in range(image.width())
    )
    appearance.set_scheme("light")
    assert lightest >= 2
