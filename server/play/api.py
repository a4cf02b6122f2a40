"""The rules of all games, for clients that play them and programs that check runs."""

from __future__ import annotations

from msgspec import Struct

from engine.catalog import exported, stored_ruleset
from engine.schema import Rules
from server.base.web.api.route import HOUR, Answer, Nothing, Route


class RulesOf(Struct, frozen=True):
    """The rules of a variant of a game. Deals and runs refer to them by digest.

    Attributes:
        game: the id of the game.
        variant: the id of the variant.
        digest: identifies these rules among all versions of them.
        listed: whether new deals use them.
        piles: the names of its piles; messages number them in this order, from 0.
        rules: as `engine/RULES.md` explains them, with all defaults.
    """

    game: str
    variant: str
    digest: str
    listed: bool
    piles: list[str]
    rules: Rules


class Games(Struct, frozen=True):
    """All rules known to this server.

    Attributes:
        games: the names of games, by id.
        rules: the rules of new deals come first.
    """

    games: dict[str, str]
    rules: list[RulesOf]


async def list_games(services: object, asked: Nothing) -> Answer[Games]:
    """List the rules of all games, by digest, in the form that other implementations read."""
    del services, asked
    known = exported()
    games = {game["id"]: game["name"] for game in known["games"]}
    listed = [
        _rules_of(game["id"], variant["id"], variant["digest"], listed=True)
        for game in known["games"]
        for variant in game["variants"]
    ]
    others = [
        _rules_of(each["game"], each["variant"], each["digest"], listed=False)
        for each in known["unlisted"]
    ]
    return Answer(Games(games, listed + others), HOUR)


def _rules_of(game: str, variant: str, digest: str, *, listed: bool) -> RulesOf:
    found = stored_ruleset(game, variant, digest)
    return RulesOf(game, variant, digest, listed, list(found.pile_names), found.rules)


ROUTES = (Route("/games", list_games),)
