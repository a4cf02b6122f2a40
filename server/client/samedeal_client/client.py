"""The client: one player's session, room, attempt and leaderboard, kept across reconnects."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from samedeal_client import messages
from samedeal_client.attempt import Attempt
from samedeal_client.challenge import CHALLENGE_LOST, ChallengeKeeper
from samedeal_client.connection import Connection
from samedeal_client.leaderboard import LeaderboardKeeper
from samedeal_client.messages import (
    BlockChallenger,
    Challenge,
    Challenger,
    ChallengeRow,
    CloseChallenge,
    CreateChallenge,
    CreateRoom,
    Dailies,
    Done,
    EmoteRun,
    GetChallengers,
    HandOver,
    HideChallenge,
    JoinRoom,
    LeaveRoom,
    ListChallenges,
    ListDailies,
    ListRooms,
    OpenAttempt,
    OpenDaily,
    OpenRoom,
    PlayChallenge,
    Player,
    ProposeTerms,
    QuickMatch,
    Rematch,
    Removed,
    RemoveMember,
    Rename,
    RoomState,
    Round,
    SendEmote,
    SetLock,
    SetPublic,
    SetReady,
    SetTerms,
    SignedIn,
    SignOutEverywhere,
    StartRound,
    StopWatching,
    UnwatchChallenge,
    UnwatchLeaderboard,
    WatchChallenge,
    Watched,
    WatchLeaderboard,
    WatchRound,
)
from samedeal_client.protocol import Command, Event
from samedeal_client.refusal import TEMPORARY, Refusal
from samedeal_client.room import SEAT_LOST, RoomKeeper
from samedeal_client.rules import Rules
from samedeal_client.session import Session
from samedeal_client.storage import MemoryStorage, TokenStorage
from samedeal_client.watching import WATCH_LOST, WatchedRound, WatchKeeper

Answer = TypeVar("Answer")
Found = TypeVar("Found")
Help = Literal["none", "undo", "hints"]
Listener = Callable[[Event], None]

BEGINNING = OpenAttempt, OpenDaily, PlayChallenge
"""Commands that are answered by an attempt."""

UNKNOWN_ATTEMPT = {"unknown_attempt", "unknown_rules", "entries_lost"}
UNKNOWN_BOARD = {"unknown_game", "unknown_day", "unknown_board"}


class Client:
    """A client of one player: `async with Client(url) as client`.

    Entering opens a session, or raises a `Refusal`; it is opened anew whenever it is lost, until
    the block is left. Methods that ask the server raise a `Refusal` if it refuses.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        storage: TokenStorage | None = None,
        name: str | None = None,
        timeout: float | None = 30.0,
    ) -> None:
        """Prepare a client, without a connection yet.

        Args:
            url: where the server listens, as in `wss://example.org/socket`.
            token: the player's; without one, and without `storage`, the player is a new guest.
            storage: where the player's token is kept.
            name: the name of a new guest.
            timeout: seconds for which a command waits for a session; `None` for no end.
        """
        if not url.startswith(("ws://", "wss://")):
            raise ValueError(f"The address of a socket begins with ws:// or wss://, not as {url}.")
        self._connection = Connection(
            url,
            storage=storage or MemoryStorage(token),
            name=name,
            timeout=timeout,
            on_event=self._handle,
            restore=self._restore,
            on_lost=self._lost,
        )
        self._rules = Rules(url)
        self._room = RoomKeeper()
        self._leaderboard = LeaderboardKeeper()
        self._watching = WatchKeeper()
        self._challenge = ChallengeKeeper()
        self._attempt: Attempt | None = None
        self._listeners: list[Listener] = []

    async def __aenter__(self) -> Self:
        """Open a session."""
        try:
            await self._connection.open()
        except BaseException:
            await self._connection.close()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the session."""
        await self._connection.close()

    @property
    def player(self) -> Player:
        """The player whom the server knows this client as."""
        player = self._connection.player
        if player is None:
            raise RuntimeError("A client has a player inside its `async with` block.")
        return player

    @property
    def connected(self) -> bool:
        """Whether a session is open just now."""
        return self._connection.session is not None

    @property
    def failure(self) -> str | None:
        """Why the last try to open a session failed; `None` while one is open."""
        return self._connection.failure

    @property
    def room(self) -> RoomState | None:
        """The room that the player sits in, or watches, with the progress of its runners."""
        return self._room.state

    @property
    def removed(self) -> Removed | None:
        """That a host has removed the player from a room, or that it was closed."""
        return self._room.removed

    @property
    def attempt(self) -> Attempt | None:
        """The attempt that was opened last, or begun by the server with a round."""
        return self._attempt

    @property
    def leaderboard(self) -> messages.Leaderboard | None:
        """The leaderboard that is watched."""
        return self._leaderboard.state

    @property
    def challenge(self) -> Challenge | None:
        """The challenge that is watched, as far as the player may see it."""
        return self._challenge.state

    @property
    def watched(self) -> WatchedRound | None:
        """The boards of the round that is watched."""
        return self._watching.state

    def now(self) -> int:
        """Return the server's time in Unix milliseconds, as estimated here."""
        return self._connection.clock.now()

    async def ask(self, command: Command[Answer]) -> Answer:
        """Send any command of `samedeal_client.messages`, and return the event that answers it.

        If the session is lost before the answer, the command is sent again in the next one if that
        does no harm; else it raises `disconnected`.
        """
        return await self._connection.ask(command)

    async def until(self, test: Callable[[], Found | None]) -> Found:
        """Return the first value of a test that counts as true: now, or after any event.

        It waits across lost connections, for as long as it takes: use `asyncio.timeout`.
        """
        return await self._connection.until(test)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call a function with each event, after it was applied; return one that ends this.

        An exception that the function raises ends the client, and is raised by all that waits.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def rename(self, name: str) -> None:
        """Change the player's name."""
        await self.ask(Rename(name))

    async def create_room(
        self,
        game: str,
        *,
        seats: int = 2,
        limit: int = 900,
        variant: str = "standard",
        help: Help = "none",  # noqa: A002 - the protocol's word
    ) -> RoomState:
        """Open a room and take its first seat; `limit` is in seconds a round."""
        return await self.ask(CreateRoom(game, seats, limit, secrets.token_hex(16), variant, help))

    async def quick_match(self, game: str) -> RoomState:
        """Look for somebody to race at a game; `leave_room` ends the wait."""
        return await self.ask(QuickMatch(game))

    async def join_room(self, code: str) -> RoomState:
        """Take a seat in a room, or return to the one that the player has."""
        return await self.ask(JoinRoom(code))

    async def leave_room(self) -> None:
        """Give the seat up; an attempt at a running round is resigned."""
        await self.ask(LeaveRoom(self._room.code()))

    async def set_ready(self, ready: bool = True) -> RoomState:
        """Agree to the next round, or sit out until one agrees again."""
        return await self.ask(SetReady(self._room.code(), ready))

    async def start_round(self, *, anyway: bool = False) -> RoomState:
        """Agree to the next round, and start it.

        Args:
            anyway: also without members who are away or have not agreed; else it is refused as
                `players_away` or `not_ready`.
        """
        return await self.ask(StartRound(self._room.code(), anyway))

    async def set_terms(
        self,
        game: str,
        *,
        limit: int,
        variant: str = "standard",
        help: Help = "none",  # noqa: A002
    ) -> RoomState:
        """Set what the next rounds are played by; only the host may."""
        return await self.ask(SetTerms(self._room.code(), game, variant, limit, help))

    async def propose_terms(
        self,
        game: str,
        *,
        limit: int,
        variant: str = "standard",
        help: Help = "none",  # noqa: A002
    ) -> RoomState:
        """Propose to the host what the next rounds are played by."""
        return await self.ask(ProposeTerms(self._room.code(), game, variant, limit, help))

    async def remove_member(self, player: str) -> RoomState:
        """Take a member's seat away for good; only the host may."""
        return await self.ask(RemoveMember(self._room.code(), player))

    async def hand_over(self, player: str) -> RoomState:
        """Make another member the host; only the host may."""
        return await self.ask(HandOver(self._room.code(), player))

    async def set_lock(self, *, locked: bool) -> RoomState:
        """Let nobody new take a seat, or let them again; only the host may."""
        return await self.ask(SetLock(self._room.code(), locked))

    async def set_public(self, *, public: bool) -> RoomState:
        """Open the room to anybody, who then finds it by `list_rooms`; only the host may."""
        return await self.ask(SetPublic(self._room.code(), public))

    async def list_rooms(self) -> tuple[OpenRoom, ...]:
        """Return the public rooms that have a free seat, and somebody in them."""
        return (await self.ask(ListRooms())).rooms

    async def send_emote(self, emote: int) -> None:
        """Send an emote to all in the room, by its index in `EMOTES`."""
        await self.ask(SendEmote(self._room.code(), emote))

    async def room_full(self) -> RoomState:
        """Return the room once all its seats are taken, by members who are here.

        Raises:
            Refusal: `removed` if the player has lost the seat.
        """

        def full() -> RoomState | None:
            room = self._seated()
            here = 0 if room is None else sum(seat.here for seat in room.members)
            return room if room is not None and here == room.seats else None

        return await self.until(full)

    async def round_over(self) -> Round:
        """Return the room's round once it is over.

        Raises:
            Refusal: `removed` if the player has lost the seat.
        """

        def over() -> Round | None:
            room = self._seated()
            found = None if room is None else room.round
            return found if found is not None and found.over else None

        return await self.until(over)

    async def playing(self) -> Attempt:
        """Return the attempt at the room's round, and wait until one begins if there is none.

        Raises:
            Refusal: `removed` if the player has lost the seat.
        """

        def found() -> Attempt | None:
            room, attempt = self._seated(), self._attempt
            if room is None or attempt is None or attempt.over or attempt.room != room.code:
                return None
            return attempt

        return await self.until(found)

    def _seated(self) -> RoomState | None:
        """Return the room.

        Raises:
            Refusal: `removed`: the player has lost the seat.
        """
        if self.removed is not None:
            raise Refusal("removed", "The player has no seat in the room any more.")
        return self.room

    async def open_daily(self, game: str) -> Attempt:
        """Start the player's one attempt at today's deal of a game, or resume it."""
        return await self._opened(await self.ask(OpenDaily(game)))

    async def create_challenge(
        self,
        game: str,
        *,
        limit: int = 900,
        open_for: int = 259_200,
        variant: str = "standard",
        help: Help = "none",  # noqa: A002
        target: bool = True,
        players: Sequence[str] = (),
        attempt: str | None = None,
    ) -> Challenge:
        """Make a challenge; its id is what others play it by. It is not watched yet.

        Args:
            game: a game's id.
            limit: seconds for an attempt.
            open_for: seconds until it closes, an hour to two weeks.
            variant: a variant's name.
            help: the help that its players may ask for.
            target: whether the player's own result is shown to those who have not played yet.
            players: the ids of those who are named; with any, only they may play.
            attempt: the player's at a race that is over, on whose deal it is to be played, by what
                the race was played by.
        """
        wanted = CreateChallenge(game, limit, open_for, secrets.token_hex(16), variant, help)
        return await self.ask(
            replace(wanted, target=target, players=tuple(players), attempt=attempt)
        )

    async def rematch(self, challenge: str) -> Challenge:
        """Challenge the same people by the same terms on a new deal, unless somebody has."""
        return await self.ask(Rematch(challenge))

    async def watch_challenge(self, challenge: str) -> Challenge:
        """Subscribe to a challenge, instead of any other; `challenge` is kept up to date."""
        self._challenge.stop()
        self._challenge.wanted = wanted = WatchChallenge(challenge)
        try:
            return await self.ask(wanted)
        except Refusal as refusal:
            if refusal.code in CHALLENGE_LOST and self._challenge.wanted is wanted:
                self._challenge.stop()
            raise

    async def unwatch_challenge(self) -> None:
        """Unsubscribe from the challenge."""
        self._challenge.stop()
        await self.ask(UnwatchChallenge())

    async def play_challenge(self, challenge: str) -> Attempt:
        """Start the player's one attempt at a challenge, or resume it."""
        return await self._opened(await self.ask(PlayChallenge(challenge)))

    async def list_challenges(self, *, seen: bool = False) -> tuple[ChallengeRow, ...]:
        """Return the player's challenges; `seen` says that what is new in them is seen now."""
        return (await self.ask(ListChallenges(seen))).challenges

    async def challengers(self, challenge: str, first: int) -> tuple[Challenger, ...]:
        """Return the 50 rows of a challenge's table from a number on, from 1."""
        return (await self.ask(GetChallengers(challenge, first))).players

    async def block_challenger(self, player: str, *, blocked: bool = True) -> tuple[Player, ...]:
        """Set whether challenges of another player are unwanted; return those whose are."""
        return (await self.ask(BlockChallenger(player, blocked))).players

    async def hide_challenge(self, challenge: str) -> None:
        """Take a challenge off the player's list."""
        await self.ask(HideChallenge(challenge))

    async def close_challenge(self, challenge: str) -> None:
        """Close a challenge of the player's before its date: nobody begins any more."""
        await self.ask(CloseChallenge(challenge))

    async def emote_run(self, challenge: str, player: str, emote: int | None) -> None:
        """Send an emote for a player's run of a challenge, in place of the last; `None` is none."""
        await self.ask(EmoteRun(challenge, player, emote))

    async def open_attempt(self, attempt: str) -> Attempt:
        """Return to an attempt by its id."""
        return await self._opened(await self.ask(OpenAttempt(attempt)))

    async def list_dailies(self) -> Dailies:
        """Return the deals of the day."""
        return await self.ask(ListDailies())

    async def watch_leaderboard(self, wanted: WatchLeaderboard) -> messages.Leaderboard:
        """Subscribe to a leaderboard, instead of any other; `leaderboard` is kept up to date."""
        self._leaderboard.wanted, self._leaderboard.state = wanted, None
        return await self.ask(wanted)

    async def unwatch_leaderboard(self) -> None:
        """Unsubscribe from the leaderboard."""
        self._leaderboard.wanted = self._leaderboard.state = None
        await self.ask(UnwatchLeaderboard())

    async def watch(self, code: str, key: str | None = None) -> Watched:
        """Watch the rounds of a room without a seat; `watched` is kept up to date.

        Args:
            code: the room's.
            key: its watch key, which members need not give.
        """
        wanted = WatchRound(code, key)
        self._watching.wanted, self._watching.state = wanted, None
        self._room.watches(wanted)
        return await self.ask(wanted)

    async def stop_watching(self) -> None:
        """Watch no more."""
        self._watching.stop()
        self._room.unwatch()
        await self.ask(StopWatching())

    async def _opened(self, answer: messages.Attempt | messages.Missed) -> Attempt:
        """Return the attempt that was answered, whose rules may be unknown yet."""
        if isinstance(answer, messages.Attempt):
            await self._learn(answer)
        return await self.until(
            lambda: self._attempt if self._attempt and self._attempt.id == answer.attempt else None
        )

    async def _learn(self, snapshot: messages.Attempt) -> None:
        """Show an attempt once its rules are known.

        Raises:
            Refusal: they cannot be known.
        """
        ruleset = await self._rules.learn(snapshot.game, snapshot.variant, snapshot.rules)
        if self._attempt is None or self._attempt.id != snapshot.attempt:
            self._begin(Attempt(self._connection, snapshot, ruleset))
            self._connection.changed()

    def _begin(self, attempt: Attempt) -> None:
        if self._attempt is not None:
            self._attempt.close()
        self._attempt = attempt

    def _lost(self) -> None:
        if self._attempt is not None:
            self._attempt.lost()
        self._room.lost()

    async def _restore(self, session: Session) -> None:
        """Tell a new session what the last one had: first the attempt, then the room."""
        attempt, room = self._attempt, self._room
        if attempt is not None and await self._again(session, attempt.reopening(), UNKNOWN_ATTEMPT):
            attempt.close()
            self._attempt = None
        if room.state is not None and not room.is_watched:
            refusal = await self._again(session, JoinRoom(room.state.code), SEAT_LOST)
            if refusal is not None:
                room.seat_lost(refusal)
        wanted = self._leaderboard.wanted
        if wanted is not None and await self._again(session, wanted, UNKNOWN_BOARD):
            self._leaderboard.wanted = self._leaderboard.state = None
        challenge = self._challenge.wanted
        if challenge is not None and await self._again(session, challenge, CHALLENGE_LOST):
            self._challenge.stop()
        watched = self._watching.wanted
        if watched is not None:
            refusal = await self._again(session, watched, WATCH_LOST)
            if refusal is not None:
                self._watching.stop(refusal.code)
                room.unwatch()

    async def _again(
        self, session: Session, command: Command[Any], final: set[str]
    ) -> Refusal | None:
        """Ask a new session for something until it answers; return a final refusal.

        Raises:
            Refusal: the session is lost, or refuses it for another reason.
        """
        tries, began = 0, time.monotonic()
        while True:
            try:
                await session.ask(command)
            except Refusal as refusal:
                if refusal.code in final:
                    return refusal
                if refusal.code not in TEMPORARY:
                    raise
                await self._connection.wait_out(refusal, tries, began)
                tries += 1
            else:
                return None

    def _handle(self, event: Event, answered: Command[Any] | None) -> None:
        """Apply an event to what it is about."""
        attempt = self._attempt
        if isinstance(event, messages.Attempt) and (attempt is None or attempt.id != event.attempt):
            if answered is None or isinstance(answered, BEGINNING):
                self._show(event, asked=answered is not None)
        elif attempt is not None:
            attempt.handle(event, answered)
        self._room.handle(event, answered)
        self._leaderboard.handle(event)
        self._challenge.handle(event, answered)
        self._watch(event, answered)
        if isinstance(event, SignedIn) and isinstance(answered, SignOutEverywhere):
            self._connection.keep(event.token)
        if isinstance(event, Done) and isinstance(answered, Rename):
            self._connection.renamed(answered.name)
        for listener in list(self._listeners):
            listener(event)
        self._connection.changed()

    def _watch(self, event: Event, answered: Command[Any] | None) -> None:
        wanted, ruleset = self._watching.wanted, None
        if wanted is not None and isinstance(event, Watched) and event.rules is not None:
            assert event.game is not None
            assert event.variant is not None
            rules = (event.game, event.variant, event.rules)
            ruleset = self._rules.find(*rules)
            if ruleset is None:
                self._connection.spawn(self._watch_again(wanted, rules))
        if self._watching.handle(event, answered, ruleset) and wanted is not None:
            self._connection.spawn(self._connection.ask(wanted))

    async def _watch_again(self, wanted: WatchRound, rules: tuple[str, str, str]) -> None:
        """Ask for a round anew once its rules are known."""
        await self._rules.learn(*rules)
        if self._watching.wanted is wanted:
            await self._connection.ask(wanted)

    def _show(self, snapshot: messages.Attempt, *, asked: bool) -> None:
        """Take an attempt that was not known here; of unasked ones, learn the rules beside."""
        ruleset = self._rules.find(snapshot.game, snapshot.variant, snapshot.rules)
        if ruleset is not None:
            self._begin(Attempt(self._connection, snapshot, ruleset))
        elif not asked:
            self._connection.spawn(self._learn(snapshot))
