"""Plans of players in a circle, and of an outsider who knows its id but has no link.

`tests/faults/circles.py` checks their views and the stored circles.
"""

from __future__ import annotations

import asyncio
from collections.abc import Set
from dataclasses import dataclass, field
from typing import Any

from server.base.core.ids import ID_LENGTH
from tests.faults.ledger import Message
from tests.faults.player import RETRYABLE
from tests.simulation.player import NEVER_EXPECTED, Player

STEPS = (3, 10)
"""Lowest and highest number of actions of a player in a circle."""

TRIES = 12
"""Number of the outsider's attempts."""

NOTHING = {"unknown_circle", "too_fast", "unavailable", "overloaded", None}
"""Answers to the outsider that reveal nothing; `None` stands for no answer."""


@dataclass
class Club:
    """A circle for players to meet in.

    Attributes:
        links: the links that its members have seen, in order.
    """

    key: str
    founded: asyncio.Future[str]
    links: list[str] = field(default_factory=list)


class Outsider(Player):
    """A player who knows the id of a circle but has no link to it."""

    @property
    def unexpected(self) -> Set[str]:
        """Refusals that it must not get."""
        return NEVER_EXPECTED


async def gather(player: Player, club: Club, others: list[Player], *, founder: bool) -> None:
    """Found a circle or wait for its link, then act as members and owners do.

    `others` are all who will be members, the founder first.
    """
    rng, world = player.rng, player.world
    await player.begin()
    if founder:
        player.doing = "founding a circle"
        made = await player.ask("CreateCircle", name="Friends", key=club.key)
        assert made is not None, "sent until it is answered"
        club.links.append(made["link"])
        club.founded.set_result(made["circle"])
    player.doing = "waiting for a link"
    circle = await club.founded
    for _ in range(rng.randint(*STEPS)):
        if world.closing:
            break
        player.doing = f"in circle {circle}"
        command = rng.choice(_commands(player, club, circle, others))
        type_ = command.pop("type")
        answer = await player.ask(type_, **command)
        if answer is not None and answer["type"] == "Circle":
            club.links.append(answer["link"])
            world.counts["circles changed or looked at"] += 1
        await player.pause(0.0, 1.0)


def _commands(player: Player, club: Club, circle: str, others: list[Player]) -> list[Message]:
    rng, founder = player.rng, others[0]
    entering = {"type": "JoinCircle", "link": rng.choice((club.links[0], club.links[-1]))}
    other = rng.choice([each.id for each in others if each.id] or [player.id])
    never = {"DeleteCircle"}
    # A circle without members is deleted, which would leave nothing to check.
    if player is founder:
        never.add("LeaveCircle")
    if other == founder.id:
        never.add("RemoveFromCircle")
    on = [each for each in _on(circle, other, rng) if each["type"] not in never]
    usual = [each for each in on if each["type"] not in {"LeaveCircle", "RemoveFromCircle"}]
    return [entering] * 6 + usual * 2 + on


def _on(circle: str, other: str, rng: Any) -> list[Message]:
    commands: list[Message] = [
        {"type": "WatchCircle"},
        {"type": "GetCircleTable", "span": rng.choice(("day", "week", "all"))},
        {"type": "GetCircleFeed"},
        {"type": "GetHeadToHead", "one": other, "other": other},
        {"type": "EmoteItem", "item": "j:" + other, "emote": rng.randrange(8)},
        {"type": "LeaveCircle"},
        {"type": "MuteCircle", "muted": rng.random() < 0.5},
        {"type": "RemoveFromCircle", "player": other},
        {"type": "HandOverCircle", "player": other},
        {"type": "RenameCircle", "name": rng.choice(("Friends", "Family", "Club"))},
        {"type": "RenewCircleLink"},
        {"type": "SetCircleSeason", "weeks": rng.choice((1, 2, None))},
        {"type": "SetCircleLeague", "league": None},
        {"type": "SetCircleWebhook", "url": None},
        {"type": "DeleteCircle"},
    ]
    return [{**command, "circle": circle} for command in commands]


async def pry(outsider: Outsider, club: Club, others: list[Player]) -> None:
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
                *_on(circle, rng.choice(others).id or outsider.id, rng),
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
