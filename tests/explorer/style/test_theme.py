"""The colours of every theme, measured: what can be read, what is visible, and what is distinguished by every eye."""

from itertools import combinations, product
from math import atan2, cos, degrees, exp, hypot, radians, sin, sqrt

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette

from tokenarium.models.text.segmentation import token_colour
from tokenarium.style.palette import contrast, linear_rgb
from tokenarium.style.rule_hues import rule_colour
from tokenarium.style.theme import (
    DARK,
    HIGH_CONTRAST_DARK,
    HIGH_CONTRAST_LIGHT,
    IDENTITY_SLOTS,
    LIGHT,
    PRESENTATION,
    PRINT,
    Theme,
    theme_for,
)
from tokenarium_core import html_view

ALL = (LIGHT, DARK, PRESENTATION, PRINT, HIGH_CONTRAST_LIGHT, HIGH_CONTRAST_DARK)
THEMES = pytest.mark.parametrize("theme", ALL, ids=lambda theme: theme.name)

Rgb = tuple[float, float, float]

# What is left of linear RGB to eyes without one kind of cone. Machado, Oliveira, Fernandes: "A
# Physiologically-based Model for Simulation of Color Vision Deficiency" (2009), severity 1.0.
SIGHTS = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
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
    "greyscale": ((0.2126, 0.7152, 0.0722),) * 3,
}


def seen(colour: QColor, sight: str) -> Rgb:
    """The linear light of a colour as one kind of eye sees it."""
    light = linear_rgb(colour)
    red, green, blue = (
        min(max(sum(m * c for m, c in zip(row, light, strict=True)), 0.0), 1.0)
        for row in SIGHTS[sight]
    )
    return red, green, blue


def to_lab(light: Rgb) -> Rgb:
    """CIE L*a*b* of linear sRGB, white point D65."""
    rows = (
        (0.4124564, 0.3575761, 0.1804375),
        (0.2126729, 0.7151522, 0.0721750),
        (0.0193339, 0.1191920, 0.9503041),
    )
    white = (0.95047, 1.0, 1.08883)

    def f(t: float) -> float:
        return t ** (1 / 3) if t > (6 / 29) ** 3 else t / (3 * (6 / 29) ** 2) + 4 / 29

    x, y, z = (
        f(sum(m * c for m, c in zip(row, light, strict=True)) / w)
        for row, w in zip(rows, white, strict=True)
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def ciede2000(one: Rgb, other: Rgb) -> float:
    """The difference of two L*a*b* colours. Sharma, Wu, Dalal: "The CIEDE2000 Color-Difference Formula" (2005)."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = ((hypot(a1, b1) + hypot(a2, b2)) / 2) ** 7
    g = 0.5 * (1 - sqrt(mean / (mean + 25**7)))
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = hypot(a1, b1), hypot(a2, b2)
    h1, h2 = degrees(atan2(b1, a1)) % 360, degrees(atan2(b2, a2)) % 360
    turn = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    dl, dc, dh = l2 - l1, c2 - c1, 2 * sqrt(c1 * c2) * sin(radians(turn) / 2)
    lm, cm = (l1 + l2) / 2, (c1 + c2) / 2
    hm = h1 + h2 if c1 * c2 == 0 else (h1 + turn / 2) % 360
    t = (
        1
        - 0.17 * cos(radians(hm - 30))
        + 0.24 * cos(radians(2 * hm))
        + 0.32 * cos(radians(3 * hm + 6))
        - 0.20 * cos(radians(4 * hm - 63))
    )
    sl = 1 + 0.015 * (lm - 50) ** 2 / sqrt(20 + (lm - 50) ** 2)
    sc, sh = 1 + 0.045 * cm, 1 + 0.015 * cm * t
    rt = -2 * sqrt(cm**7 / (cm**7 + 25**7)) * sin(radians(60 * exp(-(((hm - 275) / 25) ** 2))))
    return sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rt * (dc / sc) * (dh / sh))


def difference(one: QColor, other: QColor, sight: str = "normal") -> float:
    return ciede2000(to_lab(seen(one, sight)), to_lab(seen(other, sight)))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((6.7747, -0.2908, -2.4247), (5.8714, -0.0985, -2.2286), 0.6377),
    ],
)
def test_the_difference_is_the_published_one(one: Rgb, other: Rgb, expected: float) -> None:
    assert ciede2000(one, other) == pytest.approx(expected, abs=1e-4)


@THEMES
def test_the_text_of_a_token_can_be_read(theme: Theme) -> None:
    for fill in theme.tokens:
        assert contrast(theme.fills.ink, fill) >= 7, fill.name()


@THEMES
def test_every_fill_is_visible_on_the_page(theme: Theme) -> None:
    for fill in theme.tokens:
        assert contrast(fill, theme.surface) >= 1.395, fill.name()


@THEMES
def test_every_cut_is_visible(theme: Theme) -> None:
    """A cut is a gap in the rule, which is seen against the page in the gap and against the fill over it."""
    for fill, rule in zip(theme.tokens, theme.token_rules, strict=True):
        assert contrast(rule, theme.surface) >= 3, rule.name()
        assert contrast(rule, fill) >= 3, (rule.name(), fill.name())


@THEMES
@pytest.mark.parametrize("sight", SIGHTS)
def test_neighbours_differ_for_every_eye(theme: Theme, sight: str) -> None:
    """Neighbours are always one of the light shades and one of the deep ones."""
    for one, other in product(theme.fills.a, theme.fills.b):
        assert difference(one, other, sight) >= 5, (one.name(), other.name())


def test_dark_fills_are_luminous() -> None:
    """A dark fill that has colour, not a brown or grey one."""
    for fill in DARK.fills.b:
        assert fill.hsvSaturationF() >= 0.4, fill.name()
        assert fill.valueF() >= 0.35, fill.name()


@THEMES
def test_text_can_be_read_on_every_ground(theme: Theme) -> None:
    for ground in (theme.page, theme.surface, theme.sunken, theme.wash):
        assert contrast(theme.ink, ground) >= 7, ground.name()
        assert contrast(theme.dim, ground) >= 4.5, ground.name()
    for colour, ground in (
        (theme.good, theme.good_ground),
        (theme.ask, theme.ask_ground),
        (theme.bad, theme.bad_ground),
        (theme.accent, theme.wash),
        (theme.on_accent, theme.accent),
    ):
        assert contrast(colour, ground) >= 4.5, (colour.name(), ground.name())
    for colour in (theme.accent, theme.good, theme.ask, theme.bad):
        for ground in (theme.page, theme.surface):
            assert contrast(colour, ground) >= 4.5, (colour.name(), ground.name())


@THEMES
def test_the_borders_of_controls_are_visible(theme: Theme) -> None:
    for ground in (theme.page, theme.surface):
        assert contrast(theme.strong, ground) >= 3


@THEMES
def test_identities_draw_thin_lines(theme: Theme) -> None:
    assert len(theme.identities) == len(IDENTITY_SLOTS) == 12
    for identity in theme.identities:
        assert contrast(identity.full, theme.surface) >= 3, identity
        assert contrast(identity.soft, theme.surface) >= 1.4, identity
        assert contrast(identity.soft, identity.mid) >= 1.4, identity
    assert len({identity.marker for identity in theme.identities}) == 12


@THEMES
@pytest.mark.parametrize("sight", list(SIGHTS)[:4])
def test_identities_are_distinguished_by_thin_lines(theme: Theme, sight: str) -> None:
    lines = [identity.full for identity in theme.identities]
    first = [difference(one, other, sight) for one, other in combinations(lines[:6], 2)]
    every = [difference(one, other, sight) for one, other in combinations(lines, 2)]
    assert min(first) >= 11
    assert min(every) >= 6.5


def test_after_the_last_identity_the_colours_repeat_with_hollow_markers() -> None:
    again = LIGHT.identity(12)
    assert again.hollow
    assert (again.marker, again.full) == (LIGHT.identity(0).marker, LIGHT.identity(0).full)
    assert not LIGHT.identity(11).hollow


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
        assert len(theme.part_brushes(names)) == 2 * len(names)


@THEMES
def test_the_palette_takes_the_colours_of_the_theme(theme: Theme) -> None:
    palette = theme.palette()
    assert palette.color(QPalette.ColorRole.Window) == theme.page
    assert palette.color(QPalette.ColorRole.Base) == theme.surface
    assert palette.color(QPalette.ColorRole.Highlight) == theme.accent


def test_the_theme_follows_the_system() -> None:
    assert theme_for(Qt.ColorScheme.Dark) is DARK
    assert theme_for(Qt.ColorScheme.Light) is LIGHT
    assert theme_for(Qt.ColorScheme.Unknown) is LIGHT
    assert theme_for(Qt.ColorScheme.Dark, high_contrast=True) is HIGH_CONTRAST_DARK


def test_notebooks_have_the_colours_of_the_light_theme() -> None:
    """The core, which knows nothing of the app, writes them down."""
    fills = LIGHT.fills
    assert [fill.name().upper() for fill in (*fills.a, *fills.b)] == html_view.FILLS
    assert [rule.name().upper() for rule in fills.rules] == html_view.RULES
    assert fills.ink.name().upper() == html_view.INK
    assert LIGHT.sunken.name().upper() == html_view.NO_FILL
    assert LIGHT.strong.name().upper() == html_view.NO_RULE
    assert all(html_view.colour_number(id, 0) == token_colour(id) for id in range(0, 300_000, 97))
