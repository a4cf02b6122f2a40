"""Storage charges of practice, measured with MEMORY USAGE and rounded up."""

from __future__ import annotations

from typing import Final

from server.base.core.quota import Item
from server.practice.core.keys import PRACTICE_LIFE_S

# A variant's figures: 50 deals of up to 30 bytes. Charged once, at their full size.
FIGURES: Final = Item(2_100, PRACTICE_LIFE_S * 1000)

# A device's last batch.
DEVICE: Final = Item(100, PRACTICE_LIFE_S * 1000)

VARIANT_COST: Final = 0.16  # the cost of sending a variant's figures, in units of `costs`


def of_batch(*, new_figures: bool, new_device: bool) -> list[Item]:
    """Return the storage that a batch adds."""
    return [FIGURES] * new_figures + [DEVICE] * new_device
