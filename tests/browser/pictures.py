"""Comparison of screenshots, scaled down."""

from __future__ import annotations

from io import BytesIO

from PIL import Image, ImageChops

SCALE = 3
"""How many of the page's pixels, across and down, become one of a small picture: browser versions
render edges slightly differently."""

SQUARE = 8
"""The side of the squares in which small pictures are compared, in pixels."""

MAX_DIFFERENCE = 14
"""The largest mean difference of a square, of 256 levels, that a person would not notice."""

COLOURS = 256


def small(screenshot: bytes) -> Image.Image:
    """Return a screenshot, a PNG, scaled down."""
    with Image.open(BytesIO(screenshot)) as picture:
        size = (picture.width // SCALE, picture.height // SCALE)
        return picture.convert("RGB").resize(size, Image.Resampling.BOX)


def with_few_colours(picture: Image.Image) -> Image.Image:
    """Return a picture with 256 colours, which are enough for a comparison."""
    return picture.quantize(COLOURS, dither=Image.Dither.NONE)


def differences(one: Image.Image, other: Image.Image) -> list[tuple[int, int]]:
    """Return the squares in which two pictures differ, by top left corner in the page's pixels."""
    if one.size != other.size:
        return [(0, 0)]
    difference = ImageChops.difference(one.convert("RGB"), other.convert("RGB")).convert("L")
    squares = (-(-one.width // SQUARE), -(-one.height // SQUARE))
    means = difference.resize(squares, Image.Resampling.BOX).tobytes()
    return [
        (nth % squares[0] * SQUARE * SCALE, nth // squares[0] * SQUARE * SCALE)
        for nth, mean in enumerate(means)
        if mean > MAX_DIFFERENCE
    ]
