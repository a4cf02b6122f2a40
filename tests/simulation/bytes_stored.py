"""Bytes stored for players, as the server charges them: owner, size and expiry.

They are computed from the store's contents at the end, independently of the charges. The sizes
are the measured ones in `core/charges.py` of each wing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

# Imported by name to keep the original values: a broken server patches the modules.
from server.accounts.core.charges import CODE, DEVICE, EPOCH, OFFER
from server.base.core.ids import PACE_BOT
from server.base.core.keys import kind_of
from server.base.core.quota import BOT, RUNNER, Item
from server.base.quotas.quotas import ENTRY_BYTES, MOVES, PLAYED
from server.players.core.charges import GUEST, RECORD
from server.rooms.core.charges import ENTRY, ROOM, ROUND, ROUND_RESULTS, RUNNER_RESULTS, USED_ROOM
from tests.simulation.memory import Key
from tests.simulation.rooms import RoomStory

UNCHARGED = {
    "store-format": "shared by all",
    "keyring": "shared by all",
    "pool": "deals kept ready for any player",
    "daily": "shared by all",
    "daily-sets": "shared by all",
    "leaderboard": "a row for each player, charged with the attempts",
    "curves": "shared by all",
    "digests": "a field for each run, charged with the attempts",
    "audit": "an operator's",
    "repaired-days": "an operator's",
    "suspicious": "an operator's",
    "set-aside": "an operator's",
    "outbox": "deleted when applied",
    "due": "deleted when over",
    "nodes": "expires within seconds",
    "sweepers": "expires within seconds, or names nodes",
    "mark": "one for each node",
    "barrier": "expires within seconds",
    "open": "expires within seconds",
    "quick": "expires within seconds",
    "renames": "expires within minutes",
    "held": "ends with the sessions, whose number is bounded by the sockets",
    "presence": "ends with the sessions",
    "quota": "the charges themselves, at most 2 kB for an address",
}
"""Kinds of keys that no player is charged for, with the reason."""

WITH_OTHERS = {
    "session": "with the sessions, in the price of a guest",
    "creation": "with the seats, in the price of a room",
    "history": "results with the attempts, and the kept identity with the credential",
    "rated": "with the attempts",
    "met": "with the attempts",
    "starts": "no daily is played among hostile players",
}
"""Kinds of keys whose bytes are part of another key's charge."""

Need = Literal["room", "other", "begun"]
"""An empty room, part of a game in progress, or neither."""


class Kept(NamedTuple):
    """A stored item.

    Attributes:
        player: the player whose address is charged.
        until: until when it must be charged, in Unix milliseconds.
        need: its kind, see `Need`.
    """

    player: str
    size: int
    until: float
    need: Need = "other"
    attempt: str = ""


class Bytes:
    """Stored bytes by owner.

    Args:
        began: when the first player came, in Unix milliseconds.

    Attributes:
        unknown: keys of kinds that are not accounted for.
    """

    def __init__(self, held: Iterable[Key], rooms: Iterable[RoomStory], began: int) -> None:
        self.unknown: list[str] = []
        self._began = began
        self._kinds: dict[str, dict[str, Key]] = {}
        self._rooms = {room.code: room for room in rooms}
        self._starters = {
            round_.deal: (room, _starter(room, round_.number))
            for room in self._rooms.values()
            for round_ in room.rounds
        }
        for key in held:
            kind, name = kind_of(key.name)
            self._kinds.setdefault(kind, {})[name] = key
        readers = {
            "player": self._record,
            "sessions": self._sessions,
            "recovery": self._credential,
            "passkey": self._credential,
            "device": self._device,
            "room": self._room,
            "places": self._places,
            "round": self._round,
            "deal": self._deal,
            "attempt": self._attempt,
        }
        self.kept: list[Kept] = []
        for kind, found in self._kinds.items():
            if kind in readers:
                for name, key in found.items():
                    self.kept += readers[kind](name, key)
            elif kind not in UNCHARGED.keys() | WITH_OTHERS.keys():
                self.unknown += [key.name for key in found.values()]

    # Players

    def _sessions(self, player: str, _: Key) -> Iterator[Kept]:
        """Yield a guest's charge, valid as long as a guest's record lives."""
        yield self._of(player, GUEST, self._began)

    def _record(self, player: str, key: Key) -> Iterator[Kept]:
        fields = key.value
        if "offer" in fields:
            yield Kept(player, _size(OFFER), int(fields["offer_until"]))
        if "epoch" in fields or "deleted" in fields:
            yield self._of(player, EPOCH, self._began)
        if "name" in fields and player not in self._kinds.get("sessions", {}):
            yield self._of(player, RECORD, self._began)

    def _credential(self, _: str, key: Key) -> Iterator[Kept]:
        """Yield the charge of a code or a passkey, which lasts until tokens expire."""
        is_code = isinstance(key.value, str)
        player = key.value if is_code else key.value["player"]
        long = self._began + CODE[0].life
        yield Kept(player, _size(CODE), min(long, key.expires or long))

    def _device(self, _: str, key: Key) -> Iterator[Kept]:
        yield Kept(key.value, _size(DEVICE), key.expires or 0)

    def _of(self, player: str, items: Sequence[Item], since: float) -> Kept:
        return Kept(player, _size(items), since + items[0].life)

    # Rooms

    def _room(self, code: str, key: Key) -> Iterator[Kept]:
        """Yield a room, charged to its first host or to the player who started the first round.

        Later entries extend its life and are charged themselves.
        """
        room = self._rooms[code]
        opened, expires = room.opened, key.expires or 0
        if room.rounds:
            first, life = _starter(room, 1), USED_ROOM.life
            yield Kept(first, USED_ROOM.size, room.rounds[0].at + life)
        else:
            empty = ROOM[0]
            yield Kept(opened["host"], empty.size, opened["at"] + empty.life, "room")
        for entry in room.entries[key.value.begin :]:
            if entry["type"] in {"taken", "ready", "proposed"} and entry["player"] != PACE_BOT:
                until = min(expires, entry["at"] + ENTRY.life)
                yield Kept(entry["player"], ENTRY.size, until, "begun")

    def _places(self, code: str, _: Key) -> Iterator[Kept]:
        opened, item = self._rooms[code].opened, ROOM[1]
        yield Kept(opened["host"], item.size, opened["at"] + item.life)

    def _round(self, deal: str, key: Key) -> Iterator[Kept]:
        """Yield the record of a finished round, charged to one of its players."""
        players = self._players_of(deal)
        if players:
            size = ROUND_RESULTS + RUNNER_RESULTS * self._runners(deal)
            yield Kept(players[0], size, key.expires or 0, "begun", f"{deal}.{players[0]}")

    def _deal(self, deal: str, key: Key) -> Iterator[Kept]:
        """Yield an unplayed deal. A deal without a round belongs to a refused start."""
        if deal in self._starters and not self._players_of(deal):
            yield Kept(self._starters[deal][1], ROUND.size, key.expires or 0)

    # Attempts

    def _attempt(self, name: str, key: Key) -> Iterator[Kept]:
        deal, _, player = name.partition(".")
        room, starter = self._starters.get(deal, (None, player))
        played, expires = self._players_of(deal), key.expires or 0
        if player == PACE_BOT:
            # The deal is kept as long as the attempts on it.
            payer = played[0] if played else starter
            yield Kept(payer, BOT, expires, "begun", f"{deal}.{payer}")
        elif player in played:
            size = PLAYED + charged_entries(key.value.texts) * ENTRY_BYTES
            yield Kept(player, size, expires, "begun", name)
        else:
            payer = player if room is not None and room.quick else starter
            yield Kept(payer, RUNNER, expires)

    def _players_of(self, deal: str) -> list[str]:
        room, _ = self._starters.get(deal, (None, ""))
        number = next((each for each in room.rounds if each.deal == deal), None) if room else None
        if number is None:
            return []
        attempts = self._kinds.get("attempt", {})
        return [
            player
            for player in number.players
            if (key := attempts.get(f"{deal}.{player}")) is not None and is_played(key.value.texts)
        ]

    def _runners(self, deal: str) -> int:
        room, _ = self._starters[deal]
        return next(len(each.everybody) for each in room.rounds if each.deal == deal)


def _size(items: Iterable[Item]) -> int:
    return sum(item.size for item in items)


def _starter(room: RoomStory, number: int) -> str:
    """Return who started a round: in a quick match that started by itself, the first member."""
    entries = (each for each in room.entries if each["type"] == "round")
    entry = next(each for each in entries if each["number"] == number)
    return str(entry.get("by", room.opened["host"]))


def is_played(texts: Sequence[str]) -> bool:
    """Return whether an attempt's journal has entries besides the start and the end."""
    return any('"type":"ended"' not in text for text in texts[1:2])


def charged_entries(texts: Sequence[str]) -> int:
    """Return how many entries of an attempt are charged; after a time-out, some may not be."""
    last = json.loads(texts[-1])
    by_player = last["type"] == "moved" and last.get("end") is not None
    by_player |= last["type"] == "ended" and last["end"] == "resigned"
    return len(texts) if by_player else len(texts) - len(texts) % MOVES
