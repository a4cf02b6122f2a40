"""Notifications to members about challenges for their circle, unless muted."""

from __future__ import annotations

from server.challenges.core.challenge import Challenge
from server.challenges.core.events import Terms
from server.circles.core import commands
from tests.builders import ADA, BOB, CYD, LIMIT
from tests.nodes import Node
from tests.notifications.test_notifications import told_on

HOUR = 3_600_000


async def made(node: Node, circle: str, key: str) -> Challenge:
    """Create a challenge by Bob for a circle."""
    terms = Terms("lady-betty", "standard", LIMIT, HOUR, circle=circle)
    found = await node.services.challenges.create(BOB, terms, key)
    await node.apply_effects()
    return found


async def test_members_are_notified_of_challenges_unless_they_muted_the_circle(node: Node) -> None:
    circles, challenges = node.services.circles, node.services.challenges
    async with told_on(node) as told:
        await told.subscribe("challenged", "beaten")
        circle = await circles.found(BOB, "Friends", "creation")
        for player in (ADA, CYD):
            await circles.join(player, circle.link)
        await circles.decide(circle.id, commands.mute, ADA, True)
        muted = await made(node, circle.id, "while muted")
        snapshot = await challenges.play(muted.id, ADA)
        await node.attempts.give_up(snapshot.attempt)
        await node.apply_effects()
        snapshot = await challenges.play(muted.id, CYD)
        await node.play_out(snapshot.attempt, CYD)
        await node.apply_effects()
        await circles.decide(circle.id, commands.mute, ADA, False)
        heard = await made(node, circle.id, "while heard")
        found = await told.read()
        assert (found["topic"], found["link"]) == ("challenged", f"c/{heard.id}")
        assert told.service.received.empty()
