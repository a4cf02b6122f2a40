"""Deals and their seeds. What is drawn here is never drawn again."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from engine.deal import SEED_BYTES, commitment
from server.core.ids import ALPHABET, ID_LENGTH, DealId, RoomCode
from server.store import keys
from server.store.database import Database

_KEEP = """
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
redis.call('EXPIRE', KEYS[1], ARGV[1])
"""


@dataclass(frozen=True, slots=True)
class Deal:
    """A deal. Its seed is a secret until it is closed, and not part of its representation.

    Attributes:
        room: the room that it is raced in, or `None`.
        day: the UTC day whose daily it is, or `None`.
    """

    id: DealId
    game: str
    variant: str
    seed: bytes
    commitment: str
    room: RoomCode | None = None
    day: int | None = None

    def __repr__(self) -> str:
        return f"<Deal {self.id}>"


def random_id() -> str:
    """Return a new random id."""
    return "".join(secrets.choice(ALPHABET) for _ in range(ID_LENGTH))


class Deals:
    """All deals, by id, and the dailies by game and day."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[DealId, Deal] = {}

    async def draw(
        self, game: str, variant: str, *, room: RoomCode | None = None, day: int | None = None
    ) -> Deal:
        """Draw a seed from the operating system, and keep the deal.

        Raises:
            UnavailableError: Redis does not answer.
        """
        deal_id = DealId(random_id())
        seed = secrets.token_bytes(SEED_BYTES)
        deal = Deal(deal_id, game, variant, seed, commitment(deal_id, seed), room, day)
        fields = {
            "game": game,
            "variant": variant,
            "seed": seed.hex(),
            "commitment": deal.commitment,
        }
        if room is not None:
            fields["room"] = room
        if day is not None:
            fields["day"] = str(day)
        texts = [text for pair in fields.items() for text in pair]
        await self._database.run(_KEEP, [keys.deal(deal_id)], keys.DEAL_LIFE, *texts)
        return deal

    async def find(self, deal_id: DealId) -> Deal | None:
        """Return a deal, or `None`.

        Raises:
            UnavailableError: Redis does not answer.
        """
        if deal_id in self._known:
            return self._known[deal_id]
        (fields,) = await self._database.ask(
            lambda redis, key: redis.hgetall(key), keys.deal(deal_id)
        )
        if not fields:
            return None
        deal = Deal(
            deal_id,
            fields["game"],
            fields["variant"],
            bytes.fromhex(fields["seed"]),
            fields["commitment"],
            RoomCode(fields["room"]) if "room" in fields else None,
            int(fields["day"]) if "day" in fields else None,
        )
        self._remember(deal)
        return deal

    async def daily(self, game: str, variant: str, day: int) -> Deal:
        """Return the deal of a game for a day, drawn now if no node has done so.

        Raises:
            UnavailableError: Redis does not answer.
        """
        key = keys.daily(game, day)
        (known,) = await self._database.ask(lambda redis, name: redis.get(name), key)
        if known is None:
            drawn = await self.draw(game, variant, day=day)
            known = await self._database.keep_first(key, drawn.id, keys.DEAL_LIFE)
        deal = await self.find(DealId(known))
        assert deal is not None, "a day's deal is kept before it is named"
        return deal

    async def daily_ids(self, games: list[str], day: int) -> dict[str, DealId]:
        """Return the ids of a day's deals that have been drawn, by game.

        Raises:
            UnavailableError: Redis does not answer.
        """
        found = await self._database.ask(
            lambda redis, key: redis.get(key), *(keys.daily(game, day) for game in games)
        )
        return {game: DealId(id_) for game, id_ in zip(games, found, strict=True) if id_}

    def _remember(self, deal: Deal) -> None:
        """Keep the last few hundred deals at hand; they never change."""
        if len(self._known) >= _KNOWN:
            del self._known[next(iter(self._known))]
        self._known[deal.id] = deal


_KNOWN = 500
