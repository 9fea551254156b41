"""The looks of the app as data: themes, token fills, the identities of tokenizers, and the grid.

Whatever is painted takes its colours from a theme. Sizes are in device-independent pixels.

There are two systems of colours that never mix. *Token fills* mean "another token": eight hues by id, each in a
shade for even and one for odd places in the text. An *identity* (colours and a marker) means "this tokenizer", in
every strip, bar, curve and row. ``tests/explorer/style/test_theme.py`` measures both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor, QGuiApplication, QPalette

from tokenarium.style.markers import Marker, look_of
from tokenarium.style.palette import mix
from tokenarium.style.rule_hues import rule_hue
from tokenarium_core.pretokenizers import REMOVED_RULE

GRID = 8
"""The grid in pixels: distances are multiples of it, or half of it."""

PAGE_MARGIN = 20
"""Pixels between the edge of a workspace and its contents."""

CARD_GAP = 14
"""Pixels between two cards."""

CARD_MARGIN = 16
"""Pixels between the edge of a card and its contents."""

CARD_RADIUS = 14
CONTROL_RADIUS = 8

CONTROL_HEIGHT = 34
SMALL_CONTROL_HEIGHT = 28

MOTION_MS = 160
"""Milliseconds that a movement takes, unless no motion is wanted."""


@dataclass(frozen=True)
class TokenFills:
    """How tokens are painted: eight hues in two shades, a rule at the foot, the colour of their text.

    ``a`` is for even places in the text and ``b`` for odd ones, so neighbours always differ in lightness.
    ``rules`` has a colour for each hue. ``frame``: pixels of a frame around a tile, and of a line at the head of a
    token in text, in the colour of the rule; 0 for none.
    """

    ink: QColor
    a: tuple[QColor, ...]
    b: tuple[QColor, ...]
    rules: tuple[QColor, ...]
    frame: float = 0.0


@dataclass(frozen=True)
class Identity:
    """The colours and the marker of one tokenizer.

    ``full`` is for markers, bars and curves (3:1 on ``Theme.surface``); ``soft`` and ``mid`` take turns in its
    strip, ``mid`` and ``full`` where the strip is selected. ``hollow``: the marker is only an outline.
    """

    marker: Marker
    full: QColor
    soft: QColor
    mid: QColor
    hollow: bool = False


@dataclass(frozen=True)
class Theme:
    """Every colour of one look.

    ``page`` is the ground of the window, ``surface`` that of text, data and cards, ``sunken`` that of tracks and
    chips. ``line`` is for hairlines, ``strong`` for the borders of controls and for axes (3:1). ``ink`` and ``dim``
    are for text; ``accent`` for the one action, the selection, the focus and the current place, on ``wash``.
    ``good``, ``ask`` and ``bad`` have a ground each. ``shared`` is the ground of a character that several tokens share.
    """

    name: str
    dark: bool
    page: QColor
    surface: QColor
    sunken: QColor
    line: QColor
    strong: QColor
    ink: QColor
    dim: QColor
    accent: QColor
    on_accent: QColor
    wash: QColor
    good: QColor
    good_ground: QColor
    ask: QColor
    ask_ground: QColor
    bad: QColor
    bad_ground: QColor
    fills: TokenFills
    identities: tuple[Identity, ...]

    @property
    def tokens(self) -> tuple[QColor, ...]:
        """The fills of tokens by colour number: the hue 0…7, and 8 more in an odd place of the text."""
        return self.fills.a + self.fills.b

    @property
    def token_rules(self) -> tuple[QColor, ...]:
        """The colours of the rule at the foot of a token, by colour number."""
        return self.fills.rules * 2

    @property
    def shared(self) -> QColor:
        """The ground of a character that several tokens share."""
        return self.sunken

    @property
    def selection(self) -> QColor:
        """The ground of what is selected."""
        return self.wash

    @property
    def lost(self) -> QBrush:
        """What is over text that is lost: a pattern, which is seen without its colour."""
        return QBrush(mix(self.surface, self.ink, 0.75), Qt.BrushStyle.BDiagPattern)

    @property
    def lost_bar(self) -> QBrush:
        """The same over a bar in a strong colour, where the strokes have that of the ground."""
        return QBrush(self.surface, Qt.BrushStyle.BDiagPattern)

    def identity(self, slot: int) -> Identity:
        """The identity in a slot: 0…11 as in `IDENTITY_SLOTS`; after them the colours repeat with hollow markers.

        From 24 on both begin again, each colour with the marker of the next one, from 48 on of the one after that.
        """
        colour, marker, hollow = look_of(slot)
        return replace(self.identities[colour], marker=marker, hollow=hollow)

    def rule(self, name: str) -> tuple[QColor, QColor]:
        """The two shades of a pre-tokenization rule: by its name, the same in every pattern."""
        hue = rule_hue(name)
        return self.fills.a[hue], self.fills.b[hue]

    def rule_brushes(self, name: str) -> tuple[QBrush, ...]:
        """The fills of the parts of a rule: removed parts are hatched, as they are no pre-tokens."""
        if name == REMOVED_RULE:
            return (QBrush(self.dim, Qt.BrushStyle.BDiagPattern),) * 2
        return tuple(QBrush(shade) for shade in self.rule(name))

    def part_brushes(self, rule_names: tuple[str, ...] = ()) -> tuple[QBrush, ...]:
        """The fills for the colour numbers of a ``TextParts``; see `rule_brushes`."""
        if not rule_names:
            return tuple(QBrush(colour) for colour in self.tokens)
        return tuple(brush for name in rule_names for brush in self.rule_brushes(name))

    def part_rules(self, rule_names: tuple[str, ...] = ()) -> tuple[QColor, ...]:
        """The colours of the rule at the foot of a part, by colour number."""
        if not rule_names:
            return self.token_rules
        hues = [rule_hue(name) for name in rule_names]
        return tuple(self.fills.rules[hue] for hue in hues for _ in range(2))

    def palette(self) -> QPalette:
        """The palette for Qt's own controls; `theme_in` returns the theme again."""
        palette = QPalette()
        roles = {
            QPalette.ColorRole.Window: self.page,
            QPalette.ColorRole.WindowText: self.ink,
            QPalette.ColorRole.Base: self.surface,
            QPalette.ColorRole.AlternateBase: mix(self.surface, self.ink, 0.03),
            QPalette.ColorRole.Text: self.ink,
            QPalette.ColorRole.PlaceholderText: self.dim,
            QPalette.ColorRole.Button: self.surface,
            QPalette.ColorRole.ButtonText: self.ink,
            QPalette.ColorRole.BrightText: self.bad,
            QPalette.ColorRole.ToolTipBase: self.ink,
            QPalette.ColorRole.ToolTipText: self.page,
            QPalette.ColorRole.Highlight: self.accent,
            QPalette.ColorRole.HighlightedText: self.on_accent,
            QPalette.ColorRole.Accent: self.accent,
            QPalette.ColorRole.Link: self.accent,
            QPalette.ColorRole.LinkVisited: self.accent,
            QPalette.ColorRole.Light: self.wash,
            QPalette.ColorRole.Midlight: self.sunken,
            QPalette.ColorRole.Mid: self.line,
            QPalette.ColorRole.Dark: self.strong,
            NUMBER_ROLE: QColor.fromRgb(_number(self)),
        }
        for role, colour in roles.items():
            palette.setColor(role, colour)
        disabled = mix(self.page, self.ink, 0.45)
        for role in (
            QPalette.ColorRole.WindowText,
            QPalette.ColorRole.Text,
            QPalette.ColorRole.ButtonText,
        ):
            palette.setColor(QPalette.ColorGroup.Disabled, role, disabled)
        palette.setColor(
            QPalette.ColorGroup.Disabled,
            QPalette.ColorRole.Highlight,
            mix(self.page, self.ink, 0.2),
        )
        return palette


NUMBER_ROLE = QPalette.ColorRole.Shadow
"""The role whose colour is the number of the theme: almost black, and the style paints nothing in it."""

_numbered: list[Theme] = []


def _number(theme: Theme) -> int:
    """Returns the number of a theme, from 1; equal themes have the same, so there are as many as there are looks."""
    if theme not in _numbered:
        _numbered.append(theme)
    return _numbered.index(theme) + 1


def theme_in(palette: QPalette) -> Theme:
    """Returns the theme that a palette was made of; that of the app where it is of none, such as one of the system."""
    number = palette.color(NUMBER_ROLE).rgb() & 0xFFFFFF
    if 0 < number <= len(_numbered):
        return _numbered[number - 1]
    number = QGuiApplication.palette().color(NUMBER_ROLE).rgb() & 0xFFFFFF
    return _numbered[number - 1] if 0 < number <= len(_numbered) else LIGHT


IDENTITY_SLOTS = (
    "GPT-4o",
    "GPT-4",
    "GPT-2",
    "Gemma",
    "Llama",
    "Mistral",
    "Qwen",
    "DeepSeek",
    "T5",
    "BERT",
    "Tokenarium",
    "yours",
)
"""The families that have an identity of their own, by slot; the last one is the first of all other tokenizers."""


def _list(colours: str) -> tuple[QColor, ...]:
    return tuple(QColor(f"#{colour}") for colour in colours.split())


def token_fills(ink: str, a: str, b: str, rules: str, frame: float = 0.0) -> TokenFills:
    """Returns fills of colours written as RRGGBB; the hues are rose, orange, gold, green, teal, blue, indigo, magenta."""
    return TokenFills(QColor(ink), _list(a), _list(b), _list(rules), frame)


# The fills were found by search in OKLCH: each shade at one lightness, so that every fill has 1.4:1 to the page and
# 7:1 to the text, and any A differs from any B by a CIEDE2000 of 5 and more, also without one kind of cones.
_LIGHT_FILLS = token_fills(
    ink="#16181D",
    a="FEC7CD FFCAAB E9D494 ACE2B3 8CE4E0 B3D9FE D1D1FF FDC4EF",
    b="F396A2 EC9E6F CAAE57 79C084 3EC2BE 74B6F3 ABA8F7 E199D1",
    rules="9D3349 904400 6C5703 016826 006462 025C9A 574CA7 8C397D",
)
_DARK_FILLS = token_fills(
    ink="#FFFFFF",
    a="62212D 5C2900 453601 004215 003F3D 003A64 363068 58244E",
    b="973347 8B4201 695400 026525 05615F 005997 544AA1 873879",
    rules="FF9AA6 FEA063 D9B326 67CB79 09CBC7 75BCFF B1AFFE F796E3",
)
_PRESENTATION_FILLS = token_fills(
    ink="#101216",
    a="FEBEC5 FFC19D EDCC62 8CE199 41E4DF A7D3FE CACAFE FFB9EF",
    b="FF7C90 FA852F C6A10A 42BB5E 0CB8B4 4AAAFE 9F99FE EB7ED6",
    rules="9E133C 823C00 624E00 025D22 025A58 00538C 503DAC 8B227B",
)
_PRINT_FILLS = token_fills(
    ink="#000000",
    a="FFCCD1 FFCFB3 E9D8A4 B8E3BD 9FE5E2 BADCFF D5D5FE FACBEE",
    b="F0A4AC E9AA85 CDB774 8EC595 69C7C4 89BDEF B3B2F2 E1A6D3",
    rules="000000 " * 8,
)
_CONTRAST_LIGHT_FILLS = token_fills(
    ink="#000000",
    a="FECED3 FFD1B5 F6D879 9EECA9 64EEEA BCDEFF D7D7FE FFCAF2",
    b="FE8596 FB8D41 CCA605 51BF68 00BDB9 56AFFF A49FFF ED86D8",
    rules="000000 " * 8,
    frame=2.0,
)
_CONTRAST_DARK_FILLS = token_fills(
    ink="#FFFFFF",
    a="5C1726 522300 3C2F00 003911 003736 003258 2F2862 511B48",
    b="9A3147 8C4200 6A5500 006525 03625F 015A97 554AA4 89377B",
    rules="FFFFFF " * 8,
    frame=2.0,
)

# Full, soft and mid, in the light and in the dark; in the order of `IDENTITY_SLOTS`. Found by search: the least
# CIEDE2000 between two of the first six is 27 (light), 11 without one kind of cones.
_IDENTITIES: tuple[tuple[Marker, str, str], ...] = (
    (Marker.CIRCLE, "#BD499B #FEC3E8 #EE94CF", "#DC7AC1 #5A2C4B #894273"),
    (Marker.SQUARE, "#005A44 #8AE6C6 #3EC69F", "#2CCD97 #004534 #036850"),
    (Marker.TRIANGLE, "#F1674D #FEC8BC #FD957F", "#C04F39 #612C22 #954232"),
    (Marker.DIAMOND, "#112F99 #C1D5FF #8DB0FF", "#A3C6FE #283B66 #3C599D"),
    (Marker.HEXAGON, "#7B86FD #CAD2FF #9FACFF", "#6369CB #333866 #4E559D"),
    (Marker.BAR, "#776104 #EBD386 #CEAF42", "#EAD14D #4A3A00 #6E5900"),
    (Marker.STAR, "#9059CD #E0CCFE #C6A0F9", "#B093FC #473260 #6C4C93"),
    (Marker.RING, "#05A1BC #7EE2FB #17C1E2", "#A5E6FF #00424F #056476"),
    (Marker.PLUS, "#848D05 #D1DB8D #AEB84F", "#8DAA2E #3B3F00 #5A6000"),
    (Marker.CROSS, "#9B002D #FFC7C8 #FE9299", "#FD8383 #622B2F #954048"),
    (Marker.TORN_TILE, "#006977 #BEDADD #93B8BC", "#077E91 #2C3F41 #436064"),
    (Marker.PENTAGON, "#C53A5C #FEC6CD #FD92A3", "#FEB8B8 #612A34 #943F50"),
)


def _identities(column: Literal[1, 2]) -> tuple[Identity, ...]:
    identities = []
    for row in _IDENTITIES:
        full, soft, mid = (QColor(name) for name in row[column].split())
        identities.append(Identity(row[0], full, soft, mid))
    return tuple(identities)


LIGHT = Theme(
    name="light",
    dark=False,
    page=QColor("#F6F5F1"),
    surface=QColor("#FFFFFF"),
    sunken=QColor("#EFEEE9"),
    line=QColor("#E2E0D9"),
    strong=QColor("#8B8D94"),
    ink=QColor("#16181D"),
    dim=QColor("#565A64"),
    accent=QColor("#2449D8"),
    on_accent=QColor("#FFFFFF"),
    wash=QColor("#E9EEFF"),
    good=QColor("#12703F"),
    good_ground=QColor("#DDF3E5"),
    ask=QColor("#8A5A00"),
    ask_ground=QColor("#FFF1D0"),
    bad=QColor("#B3261E"),
    bad_ground=QColor("#FDE6E3"),
    fills=_LIGHT_FILLS,
    identities=_identities(1),
)

DARK = Theme(
    name="dark",
    dark=True,
    page=QColor("#0F1115"),
    surface=QColor("#15171C"),
    sunken=QColor("#1C1F26"),
    line=QColor("#2A2E37"),
    strong=QColor("#757B88"),
    ink=QColor("#F3F4F6"),
    dim=QColor("#A6ACB8"),
    accent=QColor("#8FA8FF"),
    on_accent=QColor("#0B1030"),
    wash=QColor("#1E2745"),
    good=QColor("#63D297"),
    good_ground=QColor("#12301F"),
    ask=QColor("#F0BE56"),
    ask_ground=QColor("#33270B"),
    bad=QColor("#FF8F86"),
    bad_ground=QColor("#3A1614"),
    fills=_DARK_FILLS,
    identities=_identities(2),
)

HIGH_CONTRAST_LIGHT = replace(
    LIGHT,
    name="high contrast light",
    page=QColor("#FFFFFF"),
    line=QColor("#55585F"),
    strong=QColor("#3A3D44"),
    ink=QColor("#000000"),
    dim=QColor("#2C2F36"),
    fills=_CONTRAST_LIGHT_FILLS,
)

HIGH_CONTRAST_DARK = replace(
    DARK,
    name="high contrast dark",
    page=QColor("#000000"),
    surface=QColor("#000000"),
    line=QColor("#9AA0AD"),
    strong=QColor("#C3C8D2"),
    ink=QColor("#FFFFFF"),
    dim=QColor("#D8DCE4"),
    fills=_CONTRAST_DARK_FILLS,
)

HIGH_CONTRAST = (HIGH_CONTRAST_LIGHT, HIGH_CONTRAST_DARK)

PRESENTATION = replace(
    LIGHT,
    name="presentation",
    page=QColor("#FFFFFF"),
    ink=QColor("#101216"),
    fills=_PRESENTATION_FILLS,
)
"""For a projector: more colourful fills, on white."""

PRINT = replace(
    LIGHT, name="print", page=QColor("#FFFFFF"), ink=QColor("#000000"), fills=_PRINT_FILLS
)
"""For paper: paler fills, black rules."""


def theme_for(scheme: Qt.ColorScheme, high_contrast: bool = False) -> Theme:
    """The theme for what ``QStyleHints.colorScheme`` reports; light where it doesn't know."""
    if scheme == Qt.ColorScheme.Dark:
        return HIGH_CONTRAST_DARK if high_contrast else DARK
    return HIGH_CONTRAST_LIGHT if high_contrast else LIGHT
