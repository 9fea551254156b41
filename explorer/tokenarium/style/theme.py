"""The looks of the app as data: one ``Theme`` for light, one for dark, and the fonts and the grid.

Whatever is painted takes its colours from a theme. Sizes are in device-independent pixels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontDatabase, QPalette

from tokenarium.style.palette import Oklch, colours, from_oklch, mix, to_oklch
from tokenarium_core.pretokenizers import REMOVED_RULE

GRID = 8
"""The grid in pixels: distances are multiples of it, or half of it."""

TEXT_SIZE = 13
"""The size of ordinary text."""

SMALL_SIZE = 11
"""The size of annotations, axis labels and notes: the second of two text sizes."""

READING_SIZE = 16
"""The size of the text that is being tokenized."""

MOTION_MS = 160
"""Milliseconds that a movement takes, unless the system asks for none."""


@dataclass(frozen=True)
class Theme:
    """Every colour of one look.

    ``window`` is the background of panels, ``panel`` that of text and data. ``text`` has a contrast of at
    least 4.5:1 on every one of ``tokens`` and of the rule colours, ``faint`` on ``panel`` and
    ``window``. ``shared`` is the background of a character that several tokens share,
    ``selection`` that of what is selected. ``tokenizers`` are strong enough for thin lines (3:1 on ``panel``).
    """

    name: str
    dark: bool
    window: QColor
    panel: QColor
    raised: QColor
    line: QColor
    text: QColor
    faint: QColor
    shared: QColor
    selection: QColor
    accent: QColor
    on_accent: QColor
    good: QColor
    warning: QColor
    error: QColor
    tokens: tuple[QColor, ...]
    tokenizers: tuple[QColor, ...]
    rules: tuple[tuple[QColor, QColor], ...]

    def rule(self, name: str) -> tuple[QColor, QColor]:
        """The two shades of a pre-tokenization rule: by its name, the same in every pattern."""
        return self.rules[rule_colour(name)]

    def rule_brushes(self, name: str) -> tuple[QBrush, ...]:
        """The fills of the parts of a rule: removed parts are hatched, as they are no pre-tokens."""
        if name == REMOVED_RULE:
            return (QBrush(self.faint, Qt.BrushStyle.BDiagPattern),) * 2
        return tuple(QBrush(shade) for shade in self.rule(name))

    def tokenizer(self, index: int) -> QColor:
        """The colour of the tokenizer in place ``index``; after the last the colours repeat."""
        return self.tokenizers[index % len(self.tokenizers)]

    def part_colours(self, rule_names: tuple[str, ...] = ()) -> tuple[QColor, ...]:
        """The backgrounds for the colour numbers of a ``Segmentation``."""
        if not rule_names:
            return self.tokens
        return tuple(shade for name in rule_names for shade in self.rule(name))

    def part_brushes(self, rule_names: tuple[str, ...] = ()) -> tuple[QBrush, ...]:
        """The same as brushes; see `rule_brushes`."""
        if not rule_names:
            return tuple(QBrush(colour) for colour in self.tokens)
        return tuple(brush for name in rule_names for brush in self.rule_brushes(name))

    def slice_colours(self, rule_names: tuple[str, ...] = ()) -> tuple[QColor, ...]:
        """The same hues, stronger: for strips of a few pixels, which carry no text."""
        lighter = 0.14 if self.dark else -0.16
        hues = (to_oklch(colour) for colour in self.part_colours(rule_names))
        return tuple(
            from_oklch((light + lighter, 1.6 * chroma, hue)) for light, chroma, hue in hues
        )

    @property
    def edge(self) -> QColor:
        """The outline of input fields: 3:1 on ``panel`` and ``window``."""
        return mix(self.panel, self.text, 0.4 if self.dark else 0.52)

    def field_palette(self) -> QPalette:
        """The palette for input fields: Fusion derives their outline from the window, which is too weak in the dark."""
        palette = self.palette()
        edge = self.edge
        parts = (edge.red(), edge.green(), edge.blue())
        undarkened = QColor(*(min(round(1.4 * part), 255) for part in parts))
        palette.setColor(QPalette.ColorRole.Window, undarkened)
        return palette

    def palette(self) -> QPalette:
        """The palette for Qt's own controls (Fusion)."""
        palette = QPalette()
        roles = {
            QPalette.ColorRole.Window: self.window,
            QPalette.ColorRole.WindowText: self.text,
            QPalette.ColorRole.Base: self.panel,
            QPalette.ColorRole.AlternateBase: mix(self.panel, self.text, 0.03),
            QPalette.ColorRole.Text: self.text,
            QPalette.ColorRole.PlaceholderText: self.faint,
            QPalette.ColorRole.Button: self.raised,
            QPalette.ColorRole.ButtonText: self.text,
            QPalette.ColorRole.BrightText: self.error,
            QPalette.ColorRole.ToolTipBase: self.raised,
            QPalette.ColorRole.ToolTipText: self.text,
            QPalette.ColorRole.Highlight: self.accent,
            QPalette.ColorRole.HighlightedText: self.on_accent,
            QPalette.ColorRole.Accent: self.accent,
            QPalette.ColorRole.Link: self.accent,
            QPalette.ColorRole.LinkVisited: self.accent,
            QPalette.ColorRole.Light: mix(self.raised, QColor("white"), 0.06 if self.dark else 0.6),
            QPalette.ColorRole.Midlight: mix(self.window, self.line, 0.4),
            QPalette.ColorRole.Mid: self.line,
            QPalette.ColorRole.Dark: mix(self.line, self.text, 0.15),
            QPalette.ColorRole.Shadow: mix(self.window, QColor("black"), 0.5),
        }
        for role, colour in roles.items():
            palette.setColor(role, colour)
        disabled = mix(self.window, self.text, 0.42)
        for role in (
            QPalette.ColorRole.WindowText,
            QPalette.ColorRole.Text,
            QPalette.ColorRole.ButtonText,
        ):
            palette.setColor(QPalette.ColorGroup.Disabled, role, disabled)
        palette.setColor(
            QPalette.ColorGroup.Disabled,
            QPalette.ColorRole.Highlight,
            mix(self.window, self.text, 0.2),
        )
        return palette


# Backgrounds of tokens, found by search: eight pastels (lightness, chroma, hue) within a narrow
# band whose nearest two are as far apart as possible in OKLab, for normal vision and for that
# without one kind of cones (simulated after Machado, Oliveira and Fernandes 2009).
_LIGHT_TOKENS: tuple[Oklch, ...] = (
    (0.876, 0.047, 201),
    (0.900, 0.070, 68),
    (0.916, 0.054, 313),
    (0.907, 0.054, 141),
    (0.865, 0.070, 16),
    (0.945, 0.030, 198),
    (0.945, 0.070, 100),
    (0.865, 0.063, 277),
)
_DARK_TOKENS: tuple[Oklch, ...] = (
    (0.387, 0.066, 181),
    (0.401, 0.070, 57),
    (0.327, 0.070, 254),
    (0.455, 0.052, 125),
    (0.320, 0.070, 342),
    (0.455, 0.070, 232),
    (0.325, 0.039, 106),
    (0.400, 0.068, 293),
)

# Found by search among the colours that can draw a thin line on the panel (3.3:1): the nearest two are as
# far apart as possible in OKLab, for normal vision and for that without one kind of cones. In their order
# the most different come first, for the tokenizers that are most often on together: ours, gpt2, cl100k_base, o200k_base, then two files.
_LIGHT_TOKENIZERS = tuple(
    QColor(c)
    for c in (
        "#224db8",
        "#d65c00",
        "#916ae2",
        "#9c0d00",
        "#b24745",
        "#00977d",
        "#7a346b",
        "#676b91",
    )
)
_DARK_TOKENIZERS = tuple(
    QColor(c)
    for c in (
        "#62b7ff",
        "#e7963e",
        "#846fe8",
        "#ebdc2f",
        "#ababab",
        "#00f5cd",
        "#d54e82",
        "#b27a00",
    )
)

# The hues of rules by kind: (lightness offset, chroma, hue).
_RULE_HUES: tuple[tuple[float, float, float], ...] = (
    (0.000, 0.060, 250),  # words
    (-0.02, 0.060, 165),  # words of another kind
    (0.000, 0.070, 70),  # digits
    (-0.03, 0.062, 340),  # punctuation
    (0.025, 0.070, 115),  # contractions
    (-0.01, 0.012, 260),  # blanks
    (0.030, 0.055, 195),  # newlines
    (-0.04, 0.060, 300),  # blanks at the end of a line
)
_RULE_PLACES = {
    "word": 0,
    "upper-case word": 0,
    "lower-case word": 1,
    "digits": 2,
    "digit": 2,
    "1 to 3 digits": 2,
    "punctuation": 3,
    "contraction": 4,
    "blanks": 5,
    "newlines": 6,
    "trailing blanks": 7,
    # The roles of a chat are coloured in the same way; any others take the colours that are left.
    "user": 0,
    "assistant": 1,
    "tool": 2,
    "generation prompt": 3,
    "other role 2": 4,
    "start": 5,
    "other role 1": 6,
    "system": 7,
    "developer": 7,
}


def rule_colour(name: str) -> int:
    """The place of a rule's colour, 0…7: fixed for the known rules, spread for any others."""
    place = _RULE_PLACES.get(name)
    if place is not None:
        return place
    digits = "".join(c for c in name if c.isdigit())
    number = int(digits[-6:]) - 1 if digits else sum(name.encode()) if name != "match" else 0
    return (0, 3, 2, 6, 4, 7, 1, 5)[number % 8]


def _rules(lightness: float, step: float) -> tuple[tuple[QColor, QColor], ...]:
    sign = 1.0 if step < 0 else -1.0
    return tuple(
        (
            from_oklch((lightness + sign * offset, chroma, hue)),
            from_oklch((lightness + sign * offset + step, chroma * 1.1, hue)),
        )
        for offset, chroma, hue in _RULE_HUES
    )


LIGHT = Theme(
    name="light",
    dark=False,
    shared=QColor("#eceef1"),
    selection=QColor("#cfe0ff"),
    window=QColor("#f4f5f7"),
    panel=QColor("#ffffff"),
    raised=QColor("#fbfbfc"),
    line=QColor("#d8dbe0"),
    text=QColor("#1b1f26"),
    faint=QColor("#626b77"),
    accent=QColor("#1f5fd6"),
    on_accent=QColor("#ffffff"),
    good=QColor("#1a7f4b"),
    warning=QColor("#8f5f00"),
    error=QColor("#b3261e"),
    tokens=colours(_LIGHT_TOKENS),
    tokenizers=_LIGHT_TOKENIZERS,
    rules=_rules(0.915, -0.045),
)

DARK = Theme(
    name="dark",
    dark=True,
    shared=QColor("#2c3037"),
    selection=QColor("#2b4a7d"),
    window=QColor("#16181c"),
    panel=QColor("#1d2025"),
    raised=QColor("#272b31"),
    line=QColor("#383d45"),
    text=QColor("#eceef1"),
    faint=QColor("#9aa3af"),
    accent=QColor("#7fb0ff"),
    on_accent=QColor("#0d1523"),
    good=QColor("#5cc98d"),
    warning=QColor("#e2b04a"),
    error=QColor("#ff8a80"),
    tokens=colours(_DARK_TOKENS),
    tokenizers=_DARK_TOKENIZERS,
    rules=_rules(0.375, 0.055),
)


def theme_for(scheme: Qt.ColorScheme) -> Theme:
    """The theme for what ``QStyleHints.colorScheme`` reports; light where it doesn't know."""
    return DARK if scheme == Qt.ColorScheme.Dark else LIGHT


def ui_font(size: int = TEXT_SIZE) -> QFont:
    """The font of the window: the system's own, in pixels of the two text sizes."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    font.setPixelSize(size)
    return font


def mono_font(size: int = TEXT_SIZE) -> QFont:
    """The font of ids, bytes and patterns: the system's monospaced one."""
    font = QFont(_mono_family())
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setPixelSize(size)
    return font


def reading_font(size: int = READING_SIZE) -> QFont:
    """The font of the text that is being tokenized: proportional, so that scripts join."""
    return ui_font(size)


@lru_cache(maxsize=1)
def _mono_family() -> str:
    return QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
