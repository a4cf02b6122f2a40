"""Generate the page's display face and the cards' indices from Fraunces.

    npm pack @fontsource-variable/fraunces@5.3.0 && tar xzf fontsource-variable-fraunces-5.3.0.tgz
    python -m pip install fonttools==4.68.0 brotli==1.2.1
    python make.py package/files/fraunces-latin-full-normal.woff2

It writes `fraunces.woff2`, one weight with the letters of the page's languages, and
`../src/cards/indices.ts`, the outlines of the cards' ranks. Outlines need no font, so that ranks
neither appear late nor in a fallback face.
"""

from __future__ import annotations

import itertools
import string
import sys
from pathlib import Path

from fontTools import subset
from fontTools.pens.boundsPen import BoundsPen
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTFont
from fontTools.ttLib.scaleUpem import scale_upem
from fontTools.varLib.instancer import instantiateVariableFont

HERE = Path(__file__).parent
LETTERS = list(
    string.ascii_letters
    + string.digits
    + " !'(),-./:?ÄÖÜäöüßé\u2018\u2019\u201c\u201d\u201e\u2013\u2014\u2026·\u00d7"
)
"""The characters of headings in the page's languages; others use the fallback face."""
RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]

UNITS = 500
"""The units per em of the display face: a fifth smaller than with the source's 2,000, and still a
seventh of a pixel in the largest heading."""

HEIGHT = 200
"""The height of an index in whole units; its baseline is at y = HEIGHT."""

TEN_WIDTH = 0.68
"""The horizontal scale of the only rank with two digits."""


def display_face(source: str) -> TTFont:
    """Return the weight used for headings, clocks and ranks."""
    axes = {"opsz": 72, "wght": 650, "SOFT": 30, "WONK": 0}
    font = instantiateVariableFont(TTFont(source), axes)
    options = subset.Options()
    options.layout_features = ["kern", "tnum", "lnum", "ccmp", "locl"]
    options.hinting = False
    options.name_IDs = [1, 2, 13, 14]
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[ord(letter) for letter in LETTERS])
    subsetter.subset(font)
    del font["STAT"]  # It describes the variations, of which one is left.
    scale_upem(font, UNITS)
    font.flavor = "woff2"
    return font


def indices(source: str) -> list[tuple[str, int, str]]:
    """Return each rank's name, width and outline."""
    font = instantiateVariableFont(TTFont(source), {"opsz": 30, "wght": 720, "SOFT": 0, "WONK": 0})
    glyphs, cmap = font.getGlyphSet(), font.getBestCmap()
    scale = HEIGHT / font["OS/2"].sCapHeight
    found = []
    for rank in RANKS:
        pen = DecomposingRecordingPen(glyphs)
        narrow = scale * (TEN_WIDTH if len(rank) > 1 else 1)
        at = 0.0
        for letter in rank:
            glyph = glyphs[cmap[ord(letter)]]
            bounds = BoundsPen(glyphs)
            glyph.draw(bounds)
            left, _, right, _ = bounds.bounds
            glyph.draw(TransformPen(pen, (narrow, 0, 0, -scale, at - left * narrow, HEIGHT)))
            at += (right - left) * narrow + (6 if letter == "1" else 0)
        found.append((rank, round(at), path_of(pen.value)))
    return found


def path_of(commands: list[tuple[str, tuple[tuple[float, float], ...]]]) -> str:
    """Return an outline as an SVG path in whole numbers, each point relative to the previous one.

    Args:
        commands: a pen's recording; a curve has implied points between its control points.
    """
    path = ""
    here = start = (0, 0)
    for command, points in commands:
        if command == "closePath":
            path += "z"
            here = start
            continue
        path += {"moveTo": "m", "lineTo": "l", "qCurveTo": "q"}[command]
        ends = list(points)
        if command == "qCurveTo":
            # Between two control points, the curve passes through their middle.
            *controls, last = points
            middles = [
                ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) for a, b in itertools.pairwise(controls)
            ]
            ends = [
                point for pair in zip(controls, [*middles, last], strict=True) for point in pair
            ]
        told = []
        for nth, (x, y) in enumerate(ends):
            point = (round(x), round(y))
            told += [point[0] - here[0], point[1] - here[1]]
            if command != "qCurveTo" or nth % 2:
                here = point
        start = here if command == "moveTo" else start
        path += " ".join(map(str, told)).replace(" -", "-")
    return path


def main(source: str) -> None:
    """Write both files."""
    display_face(source).save(HERE / "fraunces.woff2")
    lines = [
        "/** The outlines of the ranks, from Fraunces by `web/fonts/make.py` (`OFL.txt`). */",
        "",
        "export interface Outline {",
        "  readonly width: number;",
        "  /** A path with the baseline at y = 200; capital letters start at y = 0. */",
        "  readonly path: string;",
        "}",
        "",
        "/** By rank, 0 (Ace) to 12 (King). */",
        "// prettier-ignore",
        "export const INDICES: readonly Outline[] = [",
        *(
            f'  {{ width: {width:g}, path: "{path}" }}, // {rank}'
            for rank, width, path in indices(source)
        ),
        "];",
        "",
    ]
    (HERE.parent / "src/cards/indices.ts").write_text("\n".join(lines))


if __name__ == "__main__":
    main(sys.argv[1])
