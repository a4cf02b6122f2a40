"""Make the page's display face, and the indices of the cards, from Fraunces.

    npm pack @fontsource-variable/fraunces@5.3.0 && tar xzf fontsource-variable-fraunces-5.3.0.tgz
    python -m pip install fonttools==4.68.0 brotli==1.2.1
    python make.py package/files/fraunces-latin-full-normal.woff2

It writes `fraunces.woff2`, one weight of the letters of the languages that the page has, and
`../src/cards/indices.ts`, the outlines of the cards' ranks: cards show no letter before a font has
come, and none in another face.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools import subset
from fontTools.pens.boundsPen import BoundsPen
from fontTools.pens.svgPathPen import SVGPathPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

HERE = Path(__file__).parent
LETTERS = [chr(code) for code in range(0x20, 0x7F)] + list(
    "ÄÖÜäöüßéèêàâçñ\u2018\u2019\u201c\u201d\u201e\u2013\u2014\u2026·\u00d7"
)
RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]

HEIGHT = 100
"""How high a figure of an index is drawn; it stands on y = HEIGHT."""

TEN_WIDTH = 0.68
"""The one rank of two figures is drawn narrower."""


def display_face(source: str) -> TTFont:
    """Return the weight that headings, clocks and ranks are set in."""
    axes = {"opsz": 72, "wght": 650, "SOFT": 30, "WONK": 0}
    font = instantiateVariableFont(TTFont(source), axes)
    options = subset.Options()
    options.layout_features = ["kern", "tnum", "lnum", "ccmp", "locl"]
    options.hinting = False
    options.name_IDs = [1, 2, 13, 14]
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[ord(letter) for letter in LETTERS])
    subsetter.subset(font)
    font.flavor = "woff2"
    return font


def indices(source: str) -> list[tuple[str, float, str]]:
    """Return each rank's name, width and outline."""
    font = instantiateVariableFont(TTFont(source), {"opsz": 30, "wght": 720, "SOFT": 0, "WONK": 0})
    glyphs, cmap = font.getGlyphSet(), font.getBestCmap()
    scale = HEIGHT / font["OS/2"].sCapHeight
    found = []
    for rank in RANKS:
        pen = SVGPathPen(glyphs, ntos=lambda value: f"{value:.1f}".removesuffix(".0"))
        narrow = scale * (TEN_WIDTH if len(rank) > 1 else 1)
        at = 0.0
        for letter in rank:
            glyph = glyphs[cmap[ord(letter)]]
            bounds = BoundsPen(glyphs)
            glyph.draw(bounds)
            left, _, right, _ = bounds.bounds
            glyph.draw(TransformPen(pen, (narrow, 0, 0, -scale, at - left * narrow, HEIGHT)))
            at += (right - left) * narrow + (6 if letter == "1" else 0)
        found.append((rank, round(at, 1), pen.getCommands()))
    return found


def main(source: str) -> None:
    """Write both files."""
    display_face(source).save(HERE / "fraunces.woff2")
    lines = [
        "/** The outlines of the ranks, from Fraunces by `web/fonts/make.py` (`OFL.txt`). */",
        "",
        "export interface Outline {",
        "  readonly width: number;",
        "  /** A path that stands on y = 100; capital letters begin at y = 0. */",
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
