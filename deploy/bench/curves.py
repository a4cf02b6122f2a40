"""Line charts as an SVG, without a plotting library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import log10

WIDTH, HEIGHT = 360, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 16, 34, 34
_COLOURS = ("#1b6ac9", "#999999", "#c9541b", "#2a8f4f")

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Panel:
    """A chart: its title, the label of its x axis, and points by the name of each curve.

    Attributes:
        logarithmic: whether the x axis is logarithmic.
    """

    title: str
    x_label: str
    curves: dict[str, Points]
    logarithmic: bool = True


def picture(panels: Sequence[Panel]) -> str:
    """Return an SVG document of the panels, two in a row."""
    rows = (len(panels) + 1) // 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * WIDTH} {rows * HEIGHT}" '
        'font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for number, panel in enumerate(panels):
        parts.append(f'<g transform="translate({number % 2 * WIDTH} {number // 2 * HEIGHT})">')
        parts += _panel(panel)
        parts.append("</g>")
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(panel: Panel) -> Iterator[str]:
    points = [point for curve in panel.curves.values() for point in curve]
    xs = sorted({x for x, _ in points}) or [1.0]
    most = max((y for _, y in points), default=1.0) or 1.0
    scale = (lambda x: log10(max(x, 1))) if panel.logarithmic else float
    low, high = scale(xs[0]), scale(xs[-1])
    wide, tall = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM

    def place(x: float, y: float) -> tuple[float, float]:
        along = (scale(x) - low) / (high - low or 1)
        return _LEFT + along * wide, _TOP + (1 - y / most) * tall

    yield _text(_LEFT, 16, panel.title, 'font-weight="bold"')
    for y in (0.0, most / 2, most):
        _, at = place(xs[0], y)
        yield f'<path d="M{_LEFT} {at:.1f}h{wide}" stroke="#ddd"/>'
        yield _text(_LEFT - 4, at + 4, f"{y:,.3g}", 'text-anchor="end"')
    for x in xs:
        at, _ = place(x, 0)
        yield _text(at, HEIGHT - _BOTTOM + 14, f"{x:,.0f}", 'text-anchor="middle"')
    yield _text(_LEFT + wide / 2, HEIGHT - 4, panel.x_label, 'text-anchor="middle"')
    for number, (name, curve) in enumerate(panel.curves.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        path = " ".join("{:.1f},{:.1f}".format(*place(*point)) for point in curve)
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
        yield _text(_LEFT + 8 + 90 * number, _TOP - 4, name, f'fill="{colour}"')


def _text(x: float, y: float, text: str, style: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escape(text)}</text>'
