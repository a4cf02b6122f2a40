"""A game in which a complete run goes home by itself."""

from __future__ import annotations

import json
from typing import Final

from engine.catalog import daily_variant
from tests.vectors.generate import FOLDER

GAME: Final = "spider"
SEED: Final = b"\xff" * 32
HOME: Final = 13
"""The cards home at its end."""


def leaving_moves() -> list[str]:
    """Return the texts of its moves, played by the rules of the game's dailies."""
    names = (SEED.hex(), GAME, daily_variant(GAME))
    replays = json.loads((FOLDER / "replays.json").read_bytes())
    (found,) = (
        each["moves"]
        for each in replays
        if (each.get("seed"), each["game"], each["variant"]) == names
    )
    return list(found)
