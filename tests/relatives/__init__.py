"""Relatives of the games: rules that the product does not offer, as a file each and no code.

They show that the rules are data, and put the schema's other values to the same laws. A file is
written as those in `engine/games/` are; its name is the game's id.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from engine.catalog import load_game, ruleset
from engine.ruleset import Ruleset
from engine.schema import STANDARD, Game

FOLDER = Path(__file__).parent

RELATIVES: Mapping[str, Game] = {
    path.stem: load_game(path.stem, path.read_text(encoding="utf-8"))
    for path in sorted(FOLDER.glob("*.toml"))
}
"""The relatives by id."""

_RULESETS = {
    (game.id, variant): Ruleset(game.id, variant, rules)
    for game in RELATIVES.values()
    for variant, rules in game.variants.items()
}

RELATED = list(_RULESETS)
"""Every relative in every variant."""


def find_ruleset(game: str, variant: str = STANDARD) -> Ruleset:
    """Return the rules of a relative, or else of a game of the catalogue.

    Raises:
        EngineError: there is no such game or variant.
    """
    return _RULESETS.get((game, variant)) or ruleset(game, variant)
