"""Screenshots as small pictures, and how much two of them differ."""

from __future__ import annotations

from io import BytesIO

from PIL import Image, ImageChops

SMALLER = 3
"""A small picture has a pixel for so many of the page's, either way: edges are drawn a little
differently by each version of a browser."""

BLOCK = 8
"""The side of the squares in which small pictures are compared, in their pixels."""

NOTICED = 14
"""The mean difference of a square, in levels of 256, that a person would see."""

COLOURS = 256


def small(screenshot: bytes) -> Image.Image:
    """Return a screenshot as a small picture."""
    with Image.open(BytesIO(screenshot)) as picture:
        size = (picture.width // SMALLER, picture.height // SMALLER)
        return picture.convert("RGB").resize(size, Image.Resampling.BOX)


def kept(picture: Image.Image) -> Image.Image:
    """Return a small picture in the few colours that are enough to compare with."""
    return picture.quantize(COLOURS, dither=Image.Dither.NONE)


def differences(one: Image.Image, other: Image.Image) -> list[tuple[int, int]]:
    """Return the squares in which two small pictures differ, by their corners in the page."""
    if one.size != other.size:
        return [(0, 0)]
    difference = ImageChops.difference(one.convert("RGB"), other.convert("RGB")).convert("L")
    squares = (-(-one.width // BLOCK), -(-one.height // BLOCK))
    means = difference.resize(squares, Image.Resampling.BOX).tobytes()
    return [
        (nth % squares[0] * BLOCK * SMALLER, nth // squares[0] * BLOCK * SMALLER)
        for nth, mean in enumerate(means)
        if mean > NOTICED
    ]
