"""The colours of web pages, as variables of CSS, from the themes of the app.

    .venv/bin/python packaging/generate_web_colours.py

writes `resources/web/colours.css`. Run it again if a theme changes.
"""

from __future__ import annotations

from pathlib import Path

from tokenarium.style.theme import (
    DARK,
    HIGH_CONTRAST_DARK,
    HIGH_CONTRAST_LIGHT,
    LIGHT,
    PRINT,
    Theme,
)

FILE = Path(__file__).parents[1] / "resources" / "web" / "colours.css"
GROUNDS = (
    *("page", "surface", "sunken", "line", "strong", "ink", "dim", "accent", "on_accent", "wash"),
    *("good", "good_ground", "ask", "ask_ground", "bad", "bad_ground"),
)
"""The fields of a theme that pages use."""

HUES = len(LIGHT.fills.rules)


def variables(theme: Theme, besides: Theme | None = None) -> str:
    """Returns the colours of a theme as variables, without those that another one has too."""
    values = {name.replace("_", "-"): getattr(theme, name).name() for name in GROUNDS}
    values |= {f"t{number}": colour.name() for number, colour in enumerate(theme.tokens)}
    values |= {f"u{number}": colour.name() for number, colour in enumerate(theme.fills.rules)}
    values["token-ink"] = theme.fills.ink.name()
    values["frame"] = f"{theme.fills.frame:g}px"
    for number, identity in enumerate(theme.identities):
        values[f"full{number}"] = identity.full.name()
        values[f"mid{number}"] = identity.mid.name()
        values[f"soft{number}"] = identity.soft.name()
    same = set(_pairs(besides)) if besides is not None else set()
    own = "".join(
        f"--{name}:{value};" for name, value in values.items() if (name, value) not in same
    )
    return f"color-scheme:{'dark' if theme.dark else 'light'};{own}"


def _pairs(theme: Theme) -> list[tuple[str, str]]:
    written = variables(theme).split(";")[1:-1]
    return [
        (name.removeprefix("--"), value)
        for name, _, value in (one.partition(":") for one in written)
    ]


def shades(even: str, odd: str) -> str:
    """Returns the colours of a strip, in which two shades of a tokenizer take turns."""
    return "".join(f"--c{n}:var(--{even if n < HUES else odd});" for n in range(2 * HUES))


def style_sheet() -> str:
    """Returns the style sheet: the themes, and the classes of tokens and of tokenizers."""
    light, dark = variables(LIGHT), variables(DARK)
    more_light, more_dark = variables(HIGH_CONTRAST_LIGHT, LIGHT), variables(HIGH_CONTRAST_DARK)
    high = "(prefers-contrast:more)"
    night = "(prefers-color-scheme:dark)"
    parts = [
        "/* Written by packaging/generate_web_colours.py. */",
        f":root{{{light}}}",
        f"@media {night}{{:root[data-theme=auto]{{{dark}}}}}",
        f":root[data-theme=dark]{{{dark}}}",
        f":root[data-theme=contrast]{{{more_light}}}",
        f"@media {high}{{:root[data-theme=auto],:root[data-theme=light]{{{more_light}}}}}",
        f"@media {high}{{:root[data-theme=dark]{{{more_dark}}}}}",
        f"@media {night}{{:root[data-theme=contrast]{{{more_dark}}}}}",
        f"@media {high} and {night}{{:root[data-theme=auto]{{{more_dark}}}}}",
        f"@media print{{:root,:root[data-theme]{{{variables(PRINT)}}}}}",
        *(
            f".s{n}{{--fill:var(--t{n});--colour:var(--c{n},var(--t{n}));--rule:var(--u{n % 8})}}"
            for n in range(2 * HUES)
        ),
        f".row{{{shades('soft', 'mid')}}}",
        f".row:nth-child(2){{{''.join(f'--c{n}:var(--t{n});' for n in range(2 * HUES))}}}",
        f".row:nth-child(n+3) .b,.row:nth-child(n+3) .on{{{shades('mid', 'full')}}}",
        *(
            f".i{n}{{--full:var(--full{n});--mid:var(--mid{n});--soft:var(--soft{n})}}"
            for n in range(len(LIGHT.identities))
        ),
    ]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    FILE.write_text(style_sheet(), encoding="utf-8")
