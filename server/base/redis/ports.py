"""Ports: what the services need of the store and the bus, as protocols.

The `*store.py` implement them on Redis; the docstrings there have each method's details.
`server/app.py` passes the implementations in, and other ones can take their place, such as a clock
that a test sets.

Every coroutine may raise `UnavailableError`: the store does not answer, and what was to be written
may have been written or not.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import Protocol

from server.base.core.days import DailyId
from server.base.core.due import Due
from server.base.core.ids import DealId, PlayerId, RoomCode
from server.base.core.memory import Usage
from server.base.core.quota import KEPT_DAYS, Charge
from server.base.core.topics import Topic
from server.base.journals.store import Append, Appended, Entries
from server.base.nodes.format_store import Kept
from server.base.outbox.store import Pending
from server.base.outbox.sweepers_store import Share
from server.base.redis.bus import Subscriber
from server.deals.pool_store import PooledDeal
from server.deals.store import Deal
from server.play.core.result import Row, Rows
from server.players.core.account import Account, Passkey
from server.players.core.names import Profile, Recorded
from server.players.core.restrictions import Restrictions
from server.results.core.boards import BoardId
from server.results.core.excerpt import Excerpt
from server.results.core.history_fields import Whole
from server.rooms.races_store import Record


class Clock(Protocol):
    """The store's clock, which all nodes share."""

    def now(self) -> int:
        """Return the time in Unix milliseconds. Call it only after a `sample` that succeeded."""

    async def sample(self) -> None:
        """Read the store's time. Callers that wait for the same answer share it."""

    async def confirm(self) -> int:
        """Return the time, read from the store unless the last sample is recent enough."""


class MessageBus(Protocol):
    """Publish/subscribe between nodes. Messages may be lost, and then subscribers are told."""

    def publish(self, topic: Topic, payload: bytes = b"") -> None:
        """Send a message to all nodes that subscribe to a topic, this one included."""

    def subscribe(self, topic: Topic, subscriber: Subscriber) -> None:
        """Subscribe to a topic, until `unsubscribe` has been called as often."""

    def unsubscribe(self, topic: Topic) -> None:
        """Undo one `subscribe`; the last one ends the subscription. No-op without one."""


class JournalStore(Protocol):
    """Journals: append-only streams of entries numbered from 1."""

    @property
    def newest_generation(self) -> int:
        """The generation of the newest connection to any server, or 0 if there is none."""

    def generation(self, key: str) -> int:
        """Return the generation of the connection to a journal's server, or 0 if not connected."""

    def note_lost(self, key: str, count: int) -> None:
        """Note that a journal has lost at least so many entries that were acknowledged here."""

    async def append(
        self, entry: Append, now: int, generation: int | None = None, previous: str | None = None
    ) -> int:
        """Append an entry; return the connection's generation when it is acknowledged.

        Raises:
            ConflictError: the journal does not end with the entry that this one should follow.
            MistimedError: `now` is too far from the store's time.
        """

    def append_soon(
        self, append: Append, now: int, generation: int, done: Appended, previous: str | None
    ) -> bool:
        """Append an entry with the next batch, without waiting; return whether it will be sent."""

    async def read(self, key: str) -> Entries:
        """Return all entries, once they are acknowledged; none if there is no journal."""

    async def read_on(self, key: str, after: int, last: str, begin: int = 1) -> Entries | None:
        """Return the entries after entry `after`; `None` if that one's text is not `last`.

        `begin` is the number of the entry that the journal begins with, as the caller knows.
        """

    async def read_from(self, key: str, number: int) -> list[str]:
        """Return the texts of the entries from `number` on, acknowledged or not."""


class FormatStore(Protocol):
    """The number of the store's format."""

    async def read(self) -> Kept:
        """Return the format, and whether the store is new."""

    async def raise_to(self, number: int) -> None:
        """Raise the format to a number, unless it is as high."""


class SecretStore(Protocol):
    """The secret keys, which are in a file and not in the store.

    Attributes:
        newest: the id of the newest one.
        sealing: the id of the one to seal by, or `None` to write in plain.
    """

    newest: str
    sealing: str | None

    def __contains__(self, name: str) -> bool:
        """Return whether the key with an id is known."""

    def seal(self, what: str, secret: bytes) -> str:
        """Return a secret sealed; it can be opened as `what` only."""

    def open(self, what: str, text: str) -> bytes:
        """Return a sealed secret.

        Raises:
            SealError: its key is not known, or it was changed.
        """

    def signing_key(self, name: str) -> bytes | None:
        """Return the key that signs tokens with an id, or `None` if its secret key is unknown."""


class KeyringStore(Protocol):
    """The text of the keyring, and the secret of releases up to 0.2.0."""

    async def read(self) -> str | None:
        """Return the keyring's text (JSON), or `None` if there is none yet."""

    async def keep_first(self, text: str) -> str:
        """Store a keyring unless there is one, and return the one that is stored."""

    async def change(self, before: str, after: str) -> bool:
        """Replace the keyring if it is still `before`, and return whether it was."""

    async def old_secret(self, *, make: bool) -> bytes | None:
        """Return the secret that signs tokens of releases up to 0.2.0, if there is one."""

    async def drop_old_secret(self) -> None:
        """Delete that secret."""


class DealStore(Protocol):
    """Deals and their seeds."""

    async def draw(self, game: str, variant: str, room: RoomCode) -> Deal:
        """Draw and store a new deal for a room, which is not kept for long unless it is played."""

    async def keep(self, deal: DealId, days: int = KEPT_DAYS) -> None:
        """Extend the life of a round's deal that is played, and of the pace bot's run at it."""

    async def find(self, deal_id: DealId) -> Deal | None:
        """Return a deal, or `None` if there is none with this id."""

    async def read(self, deal_id: DealId) -> Deal | None:
        """Return a deal as it is stored now; nothing is cached, and nothing sealed anew."""

    async def seal(self, deal_id: DealId) -> bool:
        """Seal a deal's seed and line by the current key, and return whether they were not."""

    def forget(self) -> None:
        """Empty the cache, so that deals are read again, and sealed anew if need be."""

    async def daily(self, daily: DailyId) -> Deal:
        """Return the deal of a daily; draw it first if no node has."""

    async def draw_certified(self, daily: DailyId) -> DealId | None:
        """Draw the deal of a daily that no node has drawn from the pool; `None` if that is empty.

        Returns:
            The id of the daily's deal, which is another one if another node was first.
        """

    async def dailies(self, dailies: Sequence[DailyId]) -> list[Deal]:
        """Return the deals of some dailies; draw first those that no node has."""

    async def daily_ids(self, dailies: Sequence[DailyId]) -> dict[DailyId, DealId]:
        """Return the ids of the deals of those of some dailies that have been drawn."""

    async def started(self, deals: list[DealId], player: PlayerId) -> set[DealId]:
        """Return those of some deals on which a player has started an attempt."""


class PoolStore(Protocol):
    """The pools of certified deals, one for each game."""

    async def put(self, deal: PooledDeal) -> None:
        """Add a deal to its game's pool."""

    async def sizes(self, games: Sequence[str]) -> dict[str, int]:
        """Return how many deals each game's pool has."""

    async def count(self, game: str) -> int:
        """Return how many deals of a game's pool can be taken now."""

    async def read(self, game: str) -> tuple[list[PooledDeal], list[DealId]]:
        """Return the deals of a pool, and the ids of those that cannot be opened."""

    async def seal(self, game: str) -> tuple[int, int]:
        """Seal the deals of a pool by the current key; return how many there are and were not.

        Raises:
            UnreadableError: one cannot be opened; those before it are sealed.
        """


class MemoryStore(Protocol):
    """How much of its memory the store takes."""

    async def usage(self) -> Usage:
        """Return the usage, in a cluster that of the fullest server."""


class QuotaStore(Protocol):
    """What addresses have stored, each given as a keyed hash of it."""

    async def charge(
        self, place: str, now: int, sizes: Mapping[int, int], most: int | None = None
    ) -> Charge:
        """Count bytes by when they expire (Unix ms), unless there are more than `most` then."""


class PlayerStore(Protocol):
    """Players' profiles, and where their sessions are, each as `node/session`."""

    async def keep(
        self,
        player: PlayerId,
        name: str | None = None,
        epoch: int | None = None,
        now: int | None = None,
    ) -> Recorded:
        """Store or renew a player's record, if there is one or a name is given.

        Raises:
            Refusal: as `bad_token`, if the player is deleted, or `epoch` is over.
        """

    async def take_rename(self, player: PlayerId, name: str, now: int) -> int:
        """Count a change of name at a time in Unix milliseconds, if it is one.

        Returns:
            0, or the milliseconds to wait if there were too many; then it does not count.
        """

    async def profiles(self, players: Iterable[PlayerId]) -> dict[PlayerId, Profile]:
        """Return profiles by player; a player without a stored name has a guest's name."""

    async def add_session(
        self,
        player: PlayerId,
        session: str,
        now: int,
        epoch: int = 0,
        alive: Iterable[str] = (),
    ) -> tuple[list[str], list[str]]:
        """Store a session; return all of the player, and those dropped as too many.

        Raises:
            Refusal: as `bad_token`, if the player is deleted, or `epoch` is over; as `barred`.
        """

    def use_session(self, player: PlayerId, session: str, now: int) -> None:
        """Store soon when a session was last used, in Unix milliseconds."""

    def remove_session(
        self, player: PlayerId, session: str, failed: Callable[[], None] | None = None
    ) -> None:
        """Delete a session that has ended, soon; `failed` is called if it may be left behind."""

    async def end_session(self, player: PlayerId, session: str) -> None:
        """Delete a session that has ended."""

    async def barred(self, players: Iterable[PlayerId], now: int) -> list[bool]:
        """Return whether each player is barred at a time in Unix milliseconds."""

    async def sessions(self, players: Iterable[PlayerId]) -> list[list[str]]:
        """Return the sessions of each player; some may have ended."""

    async def newest_sessions(self, players: Iterable[PlayerId]) -> list[str | None]:
        """Return the newest session of each player, or `None` where none is stored."""


class AccountStore(Protocol):
    """Players' records, and the codes and passkeys that sign them in; codes by their SHA-256."""

    async def find(self, player: PlayerId) -> Account:
        """Return a player's account, an empty one if nothing is stored."""

    async def is_deleted(self, player: PlayerId) -> bool:
        """Return whether a player has been deleted."""

    async def offer_code(
        self, player: PlayerId, digest: str, now: int, epoch: int, *, confirmed: bool
    ) -> str:
        """Store a recovery code that the player may keep; return why not, or an empty text."""

    async def was_offered(self, player: PlayerId, digest: str) -> bool:
        """Return whether a player was offered or has kept a recovery code."""

    async def keep_code(self, player: PlayerId, digest: str, at: int) -> None:
        """Store the recovery code that a player was offered, in place of an earlier one."""

    async def code_owner(self, digest: str) -> PlayerId | None:
        """Return whose recovery code it may be, if anybody's."""

    async def use_code(self, player: PlayerId, digest: str, now: int) -> int | None:
        """Note that a player has used the recovery code; return the epoch, if it is the one."""

    async def keep_passkey(self, passkey: Passkey, at: int, epoch: int, *, confirmed: bool) -> bool:
        """Store a player's passkey; return whether it stands."""

    async def extend(self, player: PlayerId, *, for_good: bool) -> None:
        """Let a player's code and passkeys live for some weeks from now, or for good."""

    async def passkey(self, credential: str) -> tuple[Passkey, Account] | None:
        """Return the passkey with a credential id and whose it is, if it counts."""

    async def passkeys(self, account: Account) -> list[Passkey]:
        """Return a player's passkeys, the oldest first."""

    async def use_passkey(self, passkey: Passkey, count: int, now: int) -> bool:
        """Note that a passkey was used with a counter; return whether that holds."""

    async def offer_device(self, player: PlayerId, digest: str, now: int, epoch: int) -> bool:
        """Store a player's only device code; return whether it holds."""

    async def take_device(self, digest: str, now: int) -> tuple[PlayerId, int] | None:
        """Return whose device code it is, and the epoch, once."""

    async def sign_out(
        self,
        player: PlayerId,
        asking: str,
        epoch: int,
        passkeys: Iterable[str] = (),
        *,
        recovery: bool = False,
    ) -> tuple[int, list[str]]:
        """Begin a player's next epoch; return it, and all sessions that there were."""

    async def bury(self, player: PlayerId, at: int) -> list[str]:
        """Note that a player is deleted, so that no token counts; return the sessions."""

    async def forget(self, player: PlayerId) -> None:
        """Delete what is left of a player who is noted as deleted, and what signs in by it."""


class LeaderboardStore(Protocol):
    """Leaderboards: scores by player."""

    async def place(
        self, board: BoardId, player: PlayerId, score: int | None, curve: Sequence[str] = ()
    ) -> tuple[int | None, int | None]:
        """Set or take away a score; return the one before, and that in the other group."""

    async def rows(self, board: BoardId, first: int, count: int) -> Rows:
        """Return `count` rows from a place (from 1) on, the number of all, and the middle one."""

    async def sizes(self, boards: Sequence[BoardId]) -> list[int]:
        """Return the number of rows of each leaderboard, in one round trip."""

    async def curves(self, board: BoardId) -> dict[str, int]:
        """Return the counts of the curves of a daily, by its leaderboard."""

    async def around(
        self, board: BoardId, players: Sequence[PlayerId], reach: int
    ) -> list[list[Row]]:
        """Return each player's row with up to `reach` rows on either side, in one round trip."""

    async def among(
        self, board: BoardId, circles: Sequence[Sequence[PlayerId]], most: int
    ) -> list[list[Row]]:
        """Return the rows of the players of each of some lists, best first, in one round trip."""

    async def standing(self, board: BoardId, player: PlayerId) -> tuple[int, Row | None]:
        """Return the number of all rows, and a player's own row or `None`, in one round trip."""


class HistoryStore(Protocol):
    """Players' histories."""

    async def excerpts(
        self,
        players: Sequence[PlayerId],
        days: Iterable[int],
        rounds: Iterable[tuple[str, DealId]] = (),
    ) -> list[Excerpt]:
        """Return some days and rounds of each player's history, in one round trip."""

    async def read(self, player: PlayerId) -> Whole:
        """Return all of a player's history, in slices; an empty one if there is none."""

    async def version(self, player: PlayerId) -> int:
        """Return how often a player's history has changed."""

    async def kept(self, players: Iterable[PlayerId]) -> list[bool]:
        """Return whether each player has kept an identity."""

    async def delete(self, player: PlayerId) -> None:
        """Delete a player's history."""

    async def change(
        self, player: PlayerId, version: int, fields: Mapping[str, str | None]
    ) -> bool:
        """Change some fields, and return `True`, if the version is still this one."""


class ModerationStore(Protocol):
    """What operators have done, and what it leads to for players and days."""

    async def record(self, act: str, subject: str, at: int, text: str) -> str:
        """Append an act to the audit journal, once; return the latest one on its subject."""

    async def latest(self, subject: str) -> str:
        """Return the latest act on a subject; empty if there is none."""

    async def acts(self, count: int) -> list[str]:
        """Return the newest acts, the newest first."""

    async def bar(self, player: PlayerId, until: int | None) -> None:
        """Store until when a player is barred (Unix ms; 0 for ever); `None` if not any more."""

    async def hide_name(self, player: PlayerId, *, hidden: bool) -> None:
        """Put a player's name aside, so that the player has none, or put it back."""

    async def restrictions(self, player: PlayerId) -> Restrictions:
        """Return what a player may not do."""

    async def repair_day(self, game: str, day: int) -> None:
        """Store that a day of a game, or of all games, was lost by a fault of the server's."""

    async def repaired_days(self) -> list[tuple[str, int]]:
        """Return the (game, day) of all days that were repaired."""


class StartStore(Protocol):
    """Who has begun a daily at which place (`server.players.address_hash`)."""

    async def begin(self, daily: DailyId, place: str, player: PlayerId, most: int) -> bool:
        """Note that a player begins a daily, unless `most` others have there; 0 for no limit."""

    async def earlier(self, daily: DailyId, player: PlayerId) -> list[PlayerId]:
        """Return who had begun a daily at the same place before a player did."""


class SuspicionStore(Protocol):
    """Runs that an operator should look at, and the digests by which those alike are found."""

    async def first(
        self, daily: DailyId, digests: Sequence[str], player: PlayerId
    ) -> list[PlayerId]:
        """Return who was first at each of some boards of a daily: perhaps this player."""

    async def median_win(self, board: BoardId) -> tuple[int, int]:
        """Return how many runs of a leaderboard were won, and the score of the median."""

    async def add(self, name: str, at: int, text: str) -> None:
        """Add a suspicious run, and drop the oldest one if there are too many."""

    async def list(self) -> list[str]:
        """Return the texts of all of them, in no order."""


class ScanStore(Protocol):
    """Searches of what is stored, which operators may ask for."""

    def all_keys(self) -> AsyncIterator[list[str]]:
        """Yield all keys, in batches that may be empty, perhaps some twice."""

    def rooms(self) -> AsyncIterator[list[RoomCode]]:
        """Yield the codes of all rooms, in batches that may be empty."""

    def players(self) -> AsyncIterator[list[Profile]]:
        """Yield the profiles of all players, in batches that may be empty."""


class RaceStore(Protocol):
    """The records of races, and whom each player has met in one."""

    async def decide(self, deal: DealId, text: str) -> Record:
        """Store what is decided of a race, unless that stands already; return what stands."""

    async def find(self, deal: DealId) -> Record | None:
        """Return the record of a race, or `None` if there is none."""

    async def void(self, deal: DealId, player: PlayerId, reason: str | None) -> Record | None:
        """Note that a player's result is void, if there is a record, and return that.

        Without a reason, note that it stands again.
        """

    async def meet(self, player: PlayerId, others: Sequence[PlayerId], at: int) -> None:
        """Note whom a player has met, and when, in Unix milliseconds."""

    async def met(self, player: PlayerId) -> list[PlayerId]:
        """Return whom a player has met, the last one first."""


class OutboxStore(Protocol):
    """Effects and due items that have not been dealt with."""

    async def pending(self, until: int, partitions: Sequence[int]) -> list[Pending]:
        """Return the due items up to a time in Unix milliseconds, and all effects, by partition."""

    async def put_effect(self, field: str, text: str) -> None:
        """Write an effect that no journal entry brings along."""

    async def drop_effect(self, field: str) -> None:
        """Delete an effect that has been applied."""

    async def drop_due(self, due: Due, time: int) -> None:
        """Delete a due item that has been handled, unless its time is later than `time` by now."""

    async def count_set_aside(self) -> int:
        """Return how many effects and due items were set aside."""

    async def set_aside(self, partition: int, name: str, text: str) -> None:
        """Move an effect or a due item to where sweepers do not retry it."""


class RoomStore(Protocol):
    """What is stored of rooms beside their journals."""

    async def code_for(self, player: PlayerId, creation: str, code: RoomCode) -> RoomCode:
        """Return the code for a room that is being created: `code`, or that of an earlier try."""

    async def forget_code(self, player: PlayerId, creation: str) -> None:
        """Delete the code of a creation, because another room has the same code."""

    async def enter(self, code: RoomCode, player: PlayerId, node: str) -> None:
        """Store that a player is present in a room by way of a node."""

    async def leave(self, code: RoomCode, player: PlayerId, node: str) -> None:
        """Delete that a player is present on a node; presence on another node is kept."""

    async def round_on(self, code: RoomCode, deal: DealId) -> str | None:
        """Return the text (JSON) of a round of a room that was over lately, or `None`."""

    async def extend(self, code: RoomCode, life: int) -> None:
        """Let a room live for so many milliseconds at least, if it is there."""

    async def put_place(self, code: RoomCode, player: PlayerId, place: str) -> None:
        """Store at which place and in which network a player of a room is, for some hours."""

    async def places(self, code: RoomCode) -> dict[PlayerId, str]:
        """Return the places of the players of a room, and of those who were there lately."""

    async def present(self, code: RoomCode) -> dict[PlayerId, str]:
        """Return the node of each player who is present in a room; that node may be dead."""


class OpenRoomStore(Protocol):
    """The public rooms that somebody may join."""

    async def put(self, code: RoomCode, text: str, now: int, network: str, most: int) -> None:
        """Register a room for some seconds from now (Unix ms), unless its network has so many."""

    async def drop(self, code: RoomCode) -> None:
        """Delete a room's registration."""

    async def list(self, now: int) -> list[str]:
        """Return what is listed of rooms whose registration is current, a bounded number."""


class QuickMatchStore(Protocol):
    """Rooms in which a player waits for another one, by game."""

    async def pair(self, game: str, code: RoomCode, now: int) -> RoomCode:
        """Take an offered room, or else offer one of this code; return the one to go to."""

    async def offer(self, game: str, code: RoomCode, now: int) -> None:
        """Offer a room for some seconds from now (Unix milliseconds)."""

    async def withdraw(self, game: str, code: RoomCode) -> None:
        """Delete the offer of a room."""


class NodeStore(Protocol):
    """The nodes that are alive."""

    async def alive(self, now: int) -> list[str]:
        """Return the names of the nodes that are registered at a time in Unix milliseconds."""

    async def renew(self, node: str) -> list[str]:
        """Register a node for some seconds, and return all that are registered."""

    async def drop(self, node: str) -> None:
        """Delete the registration of a node that stops."""


class HeldStore(Protocol):
    """What each node has stored that ends with it."""

    async def enter(self, node: str) -> tuple[bool, list[str]]:
        """List a node among those that may have; return whether it was listed, and all nodes."""

    async def begin_removal(self, node: str) -> None:
        """Note that a node is gone, so that it stores all again if it is not."""

    async def end_removal(self, node: str) -> None:
        """List a node no more, unless it has come back."""

    async def note(self, node: str, player: PlayerId) -> None:
        """Note that a node has stored sessions of a player."""

    async def drop(self, node: str, player: PlayerId) -> None:
        """Note that a node has no sessions of a player any more."""

    async def notes(self, node: str, numbers: Sequence[int]) -> Iterable[tuple[int, Sequence[str]]]:
        """Return what a node has noted in some partitions, for `remove`, by partition."""

    async def remove(self, node: str, number: int, note: str) -> None:
        """Remove what a node has stored of a room or player, and the note of it."""


class SweeperStore(Protocol):
    """The nodes that sweep."""

    @property
    def name(self) -> str:
        """The name of this node's sweeper."""

    async def renew(self, *, busy: bool) -> Share:
        """Register this sweeper for some seconds, and return all that are registered."""

    async def drop(self) -> None:
        """Delete the entry of this sweeper."""
