"""The curve of a training as SVG, on a ground of its own: a picture that needs neither a script nor the window."""

from __future__ import annotations

from collections.abc import Sequence

from tokenarium.models.charts.chart import shown_number

WIDTH, HEIGHT = 480, 240
LEFT, TOP, RIGHT, BOTTOM = 52, 16, 16, 40

GROUND, AXIS, TEXT, CURVE = "#FFFFFF", "#8B8D94", "#16181D", "#2449D8"


def curve_svg(points: Sequence[tuple[int, float]]) -> str:
    """Returns a picture of bytes per token by the number of entries; ``points`` rise."""
    first, last = points[0][0], points[-1][0]
    low, high = min(ratio for _, ratio in points), max(ratio for _, ratio in points)
    wide, tall = max(last - first, 1), max(high - low, 1e-9)
    room = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    line = " ".join(
        f"{LEFT + room[0] * (entries - first) / wide:.1f},{TOP + room[1] * (high - ratio) / tall:.1f}"
        for entries, ratio in points
    )
    foot = HEIGHT - BOTTOM
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif"'
        f' font-size="12" fill="{TEXT}"><rect width="{WIDTH}" height="{HEIGHT}" fill="{GROUND}"/>'
        f'<path d="M{LEFT} {TOP}V{foot}H{WIDTH - RIGHT}" fill="none" stroke="{AXIS}"/>'
        f'<polyline points="{line}" fill="none" stroke="{CURVE}" stroke-width="2"/>'
        f'<text x="{LEFT - 6}" y="{TOP + 4}" text-anchor="end">{high:.2f}</text>'
        f'<text x="{LEFT - 6}" y="{foot + 4}" text-anchor="end">{low:.2f}</text>'
        f'<text x="{LEFT}" y="{foot + 16}">{shown_number(first)}</text>'
        f'<text x="{WIDTH - RIGHT}" y="{foot + 16}" text-anchor="end">{shown_number(last)}</text>'
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{foot + 32}" text-anchor="middle">'
        "bytes per token, by the number of entries</text></svg>"
    )
