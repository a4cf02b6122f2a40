"""The circles service: commands of members, owners and operators, and scheduled work.

An idle circle costs a node nothing. A circle has at most one due item: the end of its season, its
league's next challenge, or its next post.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeVarTuple, Unpack

import structlog

from engine.catalog import ruleset
from engine.errors import EngineError
from server.base.core.ids import ID_LENGTH, PlayerId, is_id
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.journals.followed import Journals
from server.base.journals.readable import readable
from server.base.outbound.core.post import Outcome
from server.base.outbound.webhooks import Webhooks
from server.base.seals.keyring import Keyring
from server.base.work.clock import Clock
from server.base.work.random_text import id_of, random_id
from server.base.work.signal import AsyncSignal
from server.challenges.core.refusals import ChallengeRefusals
from server.circles.core import commands
from server.circles.core.circle import Circle, Entry
from server.circles.core.events import Event, Form, Founded, League, Webhook
from server.circles.core.ids import CircleId
from server.circles.core.keys import CircleDue
from server.circles.core.refusals import CircleRefusals
from server.circles.store import CircleStore

MAX_CIRCLES = 20
"""The most circles a player can be in. Listing them reads each one."""

MAX_OWNED = 10
"""The most circles a player can own."""

_LABEL = b"samedeal circle\0"

Given = TypeVarTuple("Given")

log = structlog.get_logger()


class PlayerCircles(NamedTuple):
    """A player's circles.

    Attributes:
        circles: the player's circles, in the order of joining.
        unreadable: the ids of circles that could not be read and that the player may be in.
    """

    circles: list[Circle]
    unreadable: tuple[CircleId, ...]


class Circles:
    """Carries out commands on circles.

    Args:
        store: the index of each player's circles.
        keyring: derives circle ids.
        clean: returns a name in its stored form, or raises a `Refusal`.
        webhooks: the delivery of posts.
        links: whether the page's URL is configured; webhooks require it.
        journals: the circles' journals, and those that sessions follow.
        clock: the store's clock.

    Attributes:
        journals: as given.
        passing: emitted with a circle and the time when scheduled work is due; awaiting it
            completes the work.
    """

    def __init__(
        self,
        store: CircleStore,
        keyring: Keyring,
        clean: Callable[[str], str],
        webhooks: Webhooks,
        *,
        journals: Journals[CircleId, Circle, Entry],
        links: bool,
        clock: Clock,
    ) -> None:
        self.journals = journals
        self.passing: AsyncSignal[Circle, int] = AsyncSignal()
        self._store = store
        self._keyring = keyring
        self._clean = clean
        self._webhooks = webhooks
        self._links = links
        self._clock = clock

    # Members

    async def found(self, player: PlayerId, name: str, creation: str) -> Circle:
        """Found a circle and return it. A retry returns the same circle.

        Args:
            player: the owner and first member.
            name: the circle's name.
            creation: idempotency key: a random string that the client repeats in a retry.

        Raises:
            Refusal: if the name is not allowed; as `too_many_circles`; or as `key_used`, if the
                key's circle is deleted or the player has left it.
        """
        cleaned = self._clean(name)
        # Derive the id from the key, so that a retry finds the circle and nobody can guess the id.
        circle = CircleId(id_of(await self._keyring.mac_of(_LABEL, player, creation)))
        found = await self.journals.load(circle)
        if found is None:
            await self._check_free(player, owns=True)
            # Index first, so that every member finds the circle.
            await self._store.add(player, circle, self._clock.now())
            found = await self.journals.decide(circle, _founding(circle, player, cleaned))
        if not found.member(player):
            raise Refusal(ChallengeRefusals.key_used)
        return found

    async def invitation(self, player: PlayerId, link: str) -> Circle:
        """Return the circle behind an invitation link.

        Raises:
            Refusal: as `unknown_circle`.
        """
        circle, secret = _parse(link)
        found = await self._load(circle)
        commands.check_link(found, player, secret)
        return found

    async def join(self, player: PlayerId, link: str) -> Circle:
        """Join a circle by its link. Joining again changes nothing.

        Raises:
            Refusal: as `unknown_circle`, `circle_full` or `too_many_circles`.
        """
        circle, secret = _parse(link)
        found = await self.invitation(player, link)
        is_new = found.member(player) is None
        if is_new:
            await self._check_free(player, owns=False)
            # Index first, so that every member finds the circle.
            await self._store.add(player, circle, self._clock.now())
        found = await self.decide(circle, commands.join, player, secret)
        if is_new:
            # A concurrent `leave` may have removed the index entry.
            await self._store.add(player, circle, found.at)
        return found

    async def ids(self, player: PlayerId) -> list[CircleId]:
        """Return the ids of the circles a player may be in, without reading the circles."""
        return await self._store.of(player)

    async def size(self, circle: CircleId, member: PlayerId) -> int:
        """Return the number of members for a member of the circle, else 0.

        A cached replica may be stale; the journal is read only if there is no replica.
        """
        known = self.journals.cached(circle)
        found = known if known is not None else await self.find(circle)
        return len(found.members) if found is not None and found.member(member) else 0

    async def of(self, player: PlayerId) -> PlayerCircles:
        """Return a player's circles, in the order of joining."""
        named = await self._store.of(player)
        found = await readable({each: self.journals.load(each) for each in named})
        there = [each for each in found.read.values() if not each.deleted]
        kept = {each.id for each in there}.union(found.unreadable)
        # Unreadable circles stay in the index, because the player may be in them.
        await self._store.remove(player, set(named) - kept)
        return PlayerCircles([each for each in there if each.member(player)], found.unreadable)

    async def load(self, circle: CircleId, player: PlayerId) -> Circle:
        """Return the current state of a circle, for a member.

        Raises:
            Refusal: as `unknown_circle`, if there is no such circle or the player is not a member.
        """
        found = await self._load(circle)
        commands.check_member(found, player)
        return found

    async def use(self, circle: CircleId, player: PlayerId) -> Circle:
        """Return a circle as `load` does, and extend its lifetime."""
        found = await self._load(circle)
        member = commands.check_member(found, player)
        await asyncio.gather(
            self._store.extend(circle), self._store.add(player, circle, member.since)
        )
        return found

    async def find(self, circle: CircleId) -> Circle | None:
        """Return the current state of a circle without checking membership, or `None`."""
        found = await self.journals.load(circle) if is_id(circle) else None
        return None if found is None or found.deleted else found

    async def members(self, circle: str) -> frozenset[PlayerId | None]:
        """Return the members of a circle; empty for an unknown or deleted circle."""
        found = await self.find(CircleId(circle))
        return frozenset(found.players if found is not None else ())

    async def wanting_notices(self, circle: str) -> frozenset[PlayerId]:
        """Return the members who have not muted the circle."""
        found = await self.find(CircleId(circle))
        members = found.members if found is not None else ()
        return frozenset(each.player for each in members if not each.muted)

    async def decide(
        self,
        circle: CircleId,
        command: Callable[[Circle, Unpack[Given], int], Event | None],
        *given: *Given,
    ) -> Circle:
        """Carry out a command of `server.circles.core.commands`, and return the circle after it.

        Args:
            circle: the circle.
            command: decides on the circle, the given arguments and the time.
            given: the arguments.

        Raises:
            Refusal: as `unknown_circle`; or as the command.
        """
        if not is_id(circle):
            raise Refusal(CircleRefusals.unknown_circle)

        def decide_on_circle(found: Circle | None, now: int) -> Event | None:
            if found is None or found.deleted:
                raise Refusal(CircleRefusals.unknown_circle)
            # Keep entry times monotonic, even if the clock was set back.
            return command(found, *given, max(now, found.at))

        return await self.journals.decide(circle, decide_on_circle)

    async def leave(self, circle: CircleId, player: PlayerId) -> None:
        """Leave a circle.

        Raises:
            Refusal: as `unknown_circle`.
        """
        found = await self.decide(circle, commands.leave, player)
        await self._note_left(player, found)

    async def export(self, player: PlayerId) -> object:
        """Return a player's data in circles as JSON-compatible values."""
        mine = await self.of(player)
        readable_ones = [
            {
                "id": each.id,
                "name": each.name,
                "founded": each.founded,
                "owner": each.owner == player,
                "joined": member.since,
                "muted": member.muted,
                "challenges": [c.challenge for c in each.challenges if c.player == player],
                "emotes": {item: by[player] for item, by in each.emotes.items() if player in by},
            }
            for each in mine.circles
            for member in [commands.check_member(each, player)]
        ]
        return readable_ones + [{"id": each, "unreadable": True} for each in mine.unreadable]

    async def erase(self, player: PlayerId) -> None:
        """Erase a deleted player from all circles. This is idempotent."""

        async def erase(circle: CircleId) -> Circle | None:
            if await self.journals.load(circle) is None:
                return None
            # Not `self.decide`, which refuses deleted circles.
            return await self.journals.decide(circle, partial(_erasing, player))

        found = await readable({each: erase(each) for each in await self._store.ever(player)})
        for circle in found.unreadable:
            # The player's data in this circle stays until an operator handles it.
            log.error("circle_not_erased", circle=circle, player=player)
        # Delete the index last, so that a retry after a failure still finds the circles.
        await self._store.forget(player)

    # Owners

    async def remove(self, circle: CircleId, owner: PlayerId, player: PlayerId) -> Circle:
        """Remove a member and renew the link.

        Raises:
            Refusal: as `unknown_circle` or `not_owner`.
        """
        secret = random_id()
        found = await self.decide(circle, commands.remove, owner, player, secret)
        if found.member(player) is None:
            await self._note_left(player, found)
        return found

    async def rename(self, circle: CircleId, owner: PlayerId, name: str) -> Circle:
        """Rename a circle.

        Raises:
            Refusal: as `unknown_circle` or `not_owner`, or if the name is not allowed.
        """
        found = await self.load(circle, owner)
        commands.check_owner(found, owner)
        cleaned = self._clean(name)
        return await self.decide(circle, commands.rename, owner, cleaned)

    async def set_league(self, circle: CircleId, owner: PlayerId, league: League | None) -> Circle:
        """Set the league's terms; `None` ends the league.

        Raises:
            Refusal: as `unknown_circle`, `not_owner`, `no_season` or `unknown_game`.
        """
        commands.check_owner(await self.load(circle, owner), owner)
        for game in league.games if league is not None else ():
            _check_offered(game)
        return await self.decide(circle, commands.set_league, owner, league)

    async def set_webhook(
        self, circle: CircleId, owner: PlayerId, url: str | None, form: Form
    ) -> Circle:
        """Set the webhook; a URL of `None` removes it.

        Raises:
            Refusal: as `unknown_circle`, `not_owner`, `no_webhooks` or `bad_webhook`.
        """
        commands.check_owner(await self.load(circle, owner), owner)
        if url is not None and not self._links:
            raise Refusal(BaseRefusals.no_webhooks)
        # Seal the URL, because it is a credential.
        webhook = None if url is None else Webhook(self._webhooks.seal(circle, url), form)
        return await self.decide(circle, commands.set_webhook, owner, webhook)

    async def delete(self, circle: CircleId, owner: PlayerId) -> None:
        """Delete a circle. Its journal expires within the hour.

        Raises:
            Refusal: as `unknown_circle` or `not_owner`.
        """
        found = await self.load(circle, owner)
        await self.decide(circle, commands.delete, owner)
        await self._note_deleted(found)

    # Operators

    def clean(self, name: str) -> str:
        """Return a name in its stored form.

        Raises:
            Refusal: if the name is not allowed.
        """
        return self._clean(name)

    async def rename_by_operator(self, circle: CircleId, name: str) -> None:
        """Rename a circle, if it exists, to a name returned by `clean`. This is idempotent."""
        await self.note(circle, lambda c, now: commands.rename(c, c.owner, name, now))

    async def delete_by_operator(self, circle: CircleId) -> None:
        """Delete a circle, if it exists. This is idempotent."""
        found = await self.find(circle)
        if found is not None:
            await self.note(circle, lambda c, now: commands.delete(c, c.owner, now))
            await self._note_deleted(found)

    # Scheduled work

    async def pass_deadline(self, due: CircleDue) -> bool:
        """Do a circle's due work; return whether none is left. This is idempotent.

        The season itself is closed by the next read of the journal.
        """
        found = await self.journals.load(CircleId(due.name))
        if found is not None and found.due is not None and found.due <= self._clock.now():
            await self.passing.emit(found, self._clock.now())
            found = await self.journals.load(CircleId(due.name))
        return found is None or found.due is None or found.due > self._clock.now()

    async def note(
        self, circle: CircleId, decide: Callable[[Circle, int], Event | None]
    ) -> Circle | None:
        """Append an event that no member requested. Return `None` if the circle is gone."""
        try:
            return await self.decide(circle, decide)
        except Refusal:
            return None

    async def record_webhook_outcome(self, owner: str, url: str, outcome: Outcome) -> None:
        """Record the outcome of posting to a circle's webhook.

        After a permanent failure, nothing more is posted.
        """
        circle, code, ends = CircleId(owner), str(outcome.code), outcome.fate == "gone"
        if is_id(circle):
            await self.note(
                circle,
                lambda c, now: commands.record_webhook_outcome(c, url, code, ends=ends, now=now),
            )

    async def _check_free(self, player: PlayerId, *, owns: bool) -> None:
        """Check that a player can be in, or own, another circle.

        Raises:
            Refusal: as `too_many_circles`.
        """
        found, unreadable = await self.of(player)
        owned = sum(each.owner == player for each in found)
        if len(found) + len(unreadable) >= MAX_CIRCLES or (owns and owned >= MAX_OWNED):
            raise Refusal(CircleRefusals.too_many_circles)

    async def _note_left(self, player: PlayerId, circle: Circle) -> None:
        """Record that a player left a circle, unless they have rejoined it by now."""
        await self._store.leave(player, circle.id, circle.at)
        # The player may have rejoined in the meantime.
        found = await self.find(circle.id)
        member = None if found is None else found.member(player)
        if member is not None:
            await self._store.add(player, circle.id, member.since)

    async def _note_deleted(self, circle: Circle) -> None:
        """Remove a deleted circle, given its last state, from its members' lists."""
        await asyncio.gather(*(self._store.remove(each, [circle.id]) for each in circle.players))

    async def _load(self, circle: CircleId) -> Circle:
        found = await self.find(circle)
        if found is None:
            raise Refusal(CircleRefusals.unknown_circle)
        return found


def _founding(
    circle: CircleId, player: PlayerId, name: str
) -> Callable[[Circle | None, int], Event | None]:
    secret = random_id()
    return lambda found, now: Founded(circle, player, name, secret, now) if found is None else None


def _erasing(player: PlayerId, circle: Circle | None, now: int) -> Event | None:
    return None if circle is None else commands.erase(circle, player, max(now, circle.at))


def _parse(link: str) -> tuple[CircleId, str]:
    """Split a link into the circle's id and the secret.

    Raises:
        Refusal: as `unknown_circle`, if the link is malformed.
    """
    circle, secret = link[:ID_LENGTH], link[ID_LENGTH:]
    if not (is_id(circle) and is_id(secret)):
        raise Refusal(CircleRefusals.unknown_circle)
    return CircleId(circle), secret


def _check_offered(game: str) -> None:
    """Raise a `Refusal` if the game is unknown."""
    try:
        ruleset(game)
    except EngineError as error:
        raise Refusal.of(error) from error
