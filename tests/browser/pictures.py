"""Comparison of scaled-down screenshots."""

from __future__ import annotations

from io import BytesIO

from PIL import Image, ImageChops

SCALE = 3
"""Page pixels per pixel of a small picture, in both directions.

It hides differences at edges, which browser versions render differently.
"""

SQUARE = 8
"""Side of the compared squares of small pictures, in pixels."""

MAX_DIFFERENCE = 14
"""Largest mean difference of a square, of 256 levels, that a person would not notice."""

COLOURS = 256


def small(screenshot: bytes) -> Image.Image:
    with Image.open(BytesIO(screenshot)) as picture:
        size = (picture.width // SCALE, picture.height // SCALE)
        return picture.convert("RGB").resize(size, Image.Resampling.BOX)


def with_few_colours(picture: Image.Image) -> Image.Image:
    """Return a picture with 256 colours that does not differ from the given one."""
    # The median cut, Pillow's usual method, drops colours of small areas, such as a court card's.
    method = Image.Quantize.FASTOCTREE
    found = picture.quantize(COLOURS, method=method, dither=Image.Dither.NONE)
    assert not differences(picture, found), "256 colours are too few"
    return found


def differences(one: Image.Image, other: Image.Image) -> list[tuple[int, int]]:
    """Return the squares in which two pictures differ, by top left corner in page pixels."""
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
