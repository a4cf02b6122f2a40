"""Notifications about challenges: a player was challenged or overtaken."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable
from typing import Final

from engine.catalog import games
from server.base.core.ids import ChallengeId, PlayerId
from server.base.outbox.outbox import Outbox
from server.base.work.clock import Clock
from server.challenges.challenges import Challenges
from server.challenges.core.challenge import Challenge
from server.challenges.core.effects import ChallengeOpened
from server.challenges.core.occasions import challenge_of
from server.challenges.lists import ChallengeLists
from server.notifications.core.passed import passed
from server.notifications.core.wishes import Notice, Topic
from server.notifications.notifications import Notifications
from server.play.core.finish import Finish
from server.play.finishes import Finishes
from server.players.profiles import Profiles

USEFUL_MS: Final = 12 * 3_600_000  # how long a notification about being overtaken stays useful
AT_ONCE: Final = 50  # players notified concurrently

# Returns the members of a circle who have not muted it.
UnmutedMembers = Callable[[str], Awaitable[Collection[PlayerId]]]


class ChallengeNotices:
    """Notifies players about challenges.

    It subscribes to the effects of challenges after the challenges wing, and so runs after it. Each
    notification is sent once, even if an effect is applied repeatedly.
    """

    def __init__(
        self,
        notifications: Notifications,
        challenges: Challenges,
        lists: ChallengeLists,
        profiles: Profiles,
        *,
        clock: Clock,
        unmuted_in: UnmutedMembers,
    ) -> None:
        self._unmuted_in = unmuted_in
        self._notifications = notifications
        self._challenges = challenges
        self._lists = lists
        self._profiles = profiles
        self._clock = clock

    def follow(self, outbox: Outbox, finishes: Finishes) -> None:
        """Subscribe to challenges' effects; call it after the challenges wing has subscribed."""
        outbox.on(ChallengeOpened, self._tell_challenged)
        finishes.applied.subscribe(lambda finish, _: self._tell_passed(finish))

    async def _tell_challenged(self, opened: ChallengeOpened) -> None:
        # Save the reads if the server does not send notifications.
        if self._notifications.key is None:
            return
        found = await self._challenges.find(opened.challenge)
        if found is None:
            return
        made = found.made
        circle = made.terms.circle
        members = () if circle is None else await self._unmuted_in(circle)
        listed = await self._lists.recipients_of(found)
        players = [each for each in (*listed, *members) if each != made.creator]
        await self._tell("challenged", found, made.creator, players, made.closes)

    async def _tell_passed(self, finish: Finish) -> None:
        challenge = challenge_of(finish.occasion)
        if challenge is None or self._notifications.key is None:
            return
        found = await self._challenges.find(ChallengeId(challenge))
        if found is not None:
            until = self._clock.now() + USEFUL_MS
            players = passed(found, finish.player)
            circle = found.made.terms.circle
            if circle is not None:
                wanting = await self._unmuted_in(circle)
                players = [each for each in players if each in wanting]
            await self._tell("beaten", found, finish.player, players, until)

    async def _tell(
        self,
        topic: Topic,
        challenge: Challenge,
        by: PlayerId,
        players: Iterable[PlayerId],
        until: int,
    ) -> None:
        told = list(dict.fromkeys(players))
        if not told:
            return
        name = (await self._profiles.load([by]))[by].isolated
        game = games()[challenge.made.terms.game].name
        notice = Notice(topic, f"c/{challenge.id}", name, game)
        for at in range(0, len(told), AT_ONCE):
            some = told[at : at + AT_ONCE]
            # An effect can be applied repeatedly; this key keeps the notification from being
            # repeated.
            once = f"{challenge.id}/{by}"
            await asyncio.gather(
                *(self._notifications.tell(each, once, notice, until) for each in some)
            )
