"""The plan of an outsider, who knows the id of a circle but has no link to it."""

from __future__ import annotations

from collections.abc import Set

from server.base.core.ids import ID_LENGTH
from tests.clients.plans import Club, circle_commands
from tests.clients.player import RETRYABLE
from tests.simulation.player import NEVER_EXPECTED, Player

TRIES = 12
"""Number of the outsider's attempts."""

NOTHING = {"unknown_circle", "too_fast", "unavailable", "overloaded", None}
"""Answers to the outsider that reveal nothing; `None` stands for no answer."""


class Outsider(Player):
    """A player who knows the id of a circle but has no link to it."""

    @property
    def unexpected(self) -> Set[str]:
        """Refusals that it must not get."""
        return NEVER_EXPECTED


async def pry(outsider: Outsider, club: Club) -> None:
    """Try every command on a circle as an outsider, and complain of revealing answers."""
    rng, world = outsider.rng, outsider.world
    await outsider.begin()
    outsider.doing = "waiting for the id of a circle"
    circle = await club.founded
    for _ in range(TRIES):
        if world.closing:
            return
        guessed = circle + "".join(rng.choice("0123456789") for _ in range(ID_LENGTH))
        command = rng.choice(
            [
                *circle_commands(circle, rng.choice(club.guests).id or outsider.id, rng),
                {"type": "JoinCircle", "link": guessed},
                {"type": "ShowInvitation", "link": guessed},
            ]
        )
        [answer] = await outsider.ask_all([command])
        code = None if answer is None else answer.get("code", answer["type"])
        if code not in NOTHING:
            world.complain("told", outsider.id, f"{code} answers {command} on a circle of others")
        world.counts["circles pried into"] += code not in RETRYABLE
        await outsider.pause(0.0, 1.0)
