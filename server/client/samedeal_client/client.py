"""The client: one player's session and subscriptions, kept across reconnects."""

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

OPENING = OpenAttempt, OpenDaily, PlayChallenge  # commands answered by an attempt

UNKNOWN_ATTEMPT = {"unknown_attempt", "unknown_rules", "entries_lost"}
UNKNOWN_BOARD = {"unknown_game", "unknown_day", "unknown_board"}


class Client:
    """A client of one player: `async with Client(url) as client`.

    Entering the block opens a session or raises a `Refusal`. Lost sessions are reopened until the
    block is left. Methods that send a command raise a `Refusal` if the server refuses it.
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
        """Create a client that is not connected yet.

        Args:
            url: the server's socket, such as `wss://example.org/socket`.
            token: the player's; without `token` and `storage`, the player is a new guest.
            storage: stores the player's token.
            name: the name of a new guest.
            timeout: seconds that a command waits for a session; `None` to wait indefinitely.

        Raises:
            ValueError: the URL is not a WebSocket's.
        """
        if not url.lower().startswith(("ws://", "wss://")):
            raise ValueError(f"The URL must start with wss:// or ws://: {url}")
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
        """Close the session."""
        await self._connection.close()

    @property
    def player(self) -> Player:
        """The client's player."""
        player = self._connection.player
        if player is None:
            raise RuntimeError("A client has a player inside its `async with` block.")
        return player

    @property
    def connected(self) -> bool:
        """Whether a session is open."""
        return self._connection.session is not None

    @property
    def failure(self) -> str | None:
        """The reason why the last attempt to open a session failed; `None` while one is open."""
        return self._connection.failure

    @property
    def room(self) -> RoomState | None:
        """The player's or watched room, with the progress of its runners."""
        return self._room.state

    @property
    def removed(self) -> Removed | None:
        """The notice that a host has removed the player, or that the room was closed."""
        return self._room.removed

    @property
    def attempt(self) -> Attempt | None:
        """The attempt opened last, by the client or by the start of a round."""
        return self._attempt

    @property
    def leaderboard(self) -> messages.Leaderboard | None:
        """The watched leaderboard."""
        return self._leaderboard.state

    @property
    def challenge(self) -> Challenge | None:
        """The watched challenge, as the player may see it."""
        return self._challenge.state

    @property
    def watched(self) -> WatchedRound | None:
        """The boards of the watched round."""
        return self._watching.state

    def now(self) -> int:
        """Return the estimated server time in Unix milliseconds."""
        return self._connection.clock.now()

    async def ask(self, command: Command[Answer]) -> Answer:
        """Send any command of `samedeal_client.messages`, and return the event that answers it.

        If the session is lost before the answer, an idempotent command is sent again in the next
        session; any other raises `disconnected`.
        """
        return await self._connection.ask(command)

    async def until(self, test: Callable[[], Found | None]) -> Found:
        """Return the test's first truthy value, now or after any event.

        Waits across lost connections without a time limit; use `asyncio.timeout`.
        """
        return await self._connection.until(test)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call a function with each event once it is applied; return a function to unsubscribe.

        An exception in the function ends the client and is raised by everything that waits.
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
        """Open a room and take its first seat; `limit` is in seconds per round."""
        return await self.ask(CreateRoom(game, seats, limit, secrets.token_hex(16), variant, help))

    async def quick_match(self, game: str) -> RoomState:
        """Look for an opponent at a game; `leave_room` ends the search."""
        return await self.ask(QuickMatch(game))

    async def join_room(self, code: str) -> RoomState:
        """Take a seat in a room, or return to the player's seat."""
        return await self.ask(JoinRoom(code))

    async def leave_room(self) -> None:
        """Give up the seat; an attempt at a running round is resigned."""
        await self.ask(LeaveRoom(self._room.code()))

    async def set_ready(self, ready: bool = True) -> RoomState:
        """Agree to the next round, or sit out until agreeing again."""
        return await self.ask(SetReady(self._room.code(), ready))

    async def start_round(self, *, anyway: bool = False) -> RoomState:
        """Agree to the next round, and start it.

        With `anyway`, it starts without members who are away or have not agreed; otherwise it is
        refused as `players_away` or `not_ready`.
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
        """Set the terms of the next rounds; host only."""
        return await self.ask(SetTerms(self._room.code(), game, variant, limit, help))

    async def propose_terms(
        self,
        game: str,
        *,
        limit: int,
        variant: str = "standard",
        help: Help = "none",  # noqa: A002
    ) -> RoomState:
        """Propose terms for the next rounds to the host."""
        return await self.ask(ProposeTerms(self._room.code(), game, variant, limit, help))

    async def remove_member(self, player: str) -> RoomState:
        """Remove a member permanently; host only."""
        return await self.ask(RemoveMember(self._room.code(), player))

    async def hand_over(self, player: str) -> RoomState:
        """Make another member the host; host only."""
        return await self.ask(HandOver(self._room.code(), player))

    async def set_lock(self, *, locked: bool) -> RoomState:
        """Lock the room against new members, or unlock it; host only."""
        return await self.ask(SetLock(self._room.code(), locked))

    async def set_public(self, *, public: bool) -> RoomState:
        """Open the room to everyone and list it in `list_rooms`, or not; host only."""
        return await self.ask(SetPublic(self._room.code(), public))

    async def list_rooms(self) -> tuple[OpenRoom, ...]:
        """Return the occupied public rooms with a free seat."""
        return (await self.ask(ListRooms())).rooms

    async def send_emote(self, emote: int) -> None:
        """Send an emote to the room, by its index in `EMOTES`."""
        await self.ask(SendEmote(self._room.code(), emote))

    async def room_full(self) -> RoomState:
        """Return the room once all its seats are taken by present members.

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
        """Return the attempt at the room's round, waiting for one to start if needed.

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
        """Return the room. Refused as `removed` if the player has lost the seat."""
        if self.removed is not None:
            raise Refusal("removed", "The player no longer has a seat in the room.")
        return self.room

    async def open_daily(self, game: str) -> Attempt:
        """Start the player's only attempt at today's deal of a game, or resume it."""
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
        """Create a challenge, which others play by its id. It is not watched yet.

        Args:
            game: a game's id.
            limit: seconds per attempt.
            open_for: seconds until it closes, from an hour to two weeks.
            variant: a variant's name.
            help: the help that its players may request.
            target: whether players see the creator's result before they play.
            players: ids of invited players; if any, only they may play.
            attempt: the player's attempt at a finished race, whose deal and terms it uses.
        """
        wanted = CreateChallenge(game, limit, open_for, secrets.token_hex(16), variant, help)
        return await self.ask(
            replace(wanted, target=target, players=tuple(players), attempt=attempt)
        )

    async def rematch(self, challenge: str) -> Challenge:
        """Challenge the same players on the same terms and a new deal, or return that challenge."""
        return await self.ask(Rematch(challenge))

    async def watch_challenge(self, challenge: str) -> Challenge:
        """Subscribe to a challenge, replacing any other; `challenge` is kept current."""
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
        """Start the player's only attempt at a challenge, or resume it."""
        return await self._opened(await self.ask(PlayChallenge(challenge)))

    async def list_challenges(self, *, seen: bool = False) -> tuple[ChallengeRow, ...]:
        """Return the player's challenges; `seen` marks all news in them as seen."""
        return (await self.ask(ListChallenges(seen))).challenges

    async def challengers(self, challenge: str, first: int) -> tuple[Challenger, ...]:
        """Return 50 rows of a challenge's table, starting at row `first`, counted from 1."""
        return (await self.ask(GetChallengers(challenge, first))).players

    async def block_challenger(self, player: str, *, blocked: bool = True) -> tuple[Player, ...]:
        """Block or unblock challenges from another player; return all blocked players."""
        return (await self.ask(BlockChallenger(player, blocked))).players

    async def hide_challenge(self, challenge: str) -> None:
        """Remove a challenge from the player's list."""
        await self.ask(HideChallenge(challenge))

    async def close_challenge(self, challenge: str) -> None:
        """Close the player's own challenge early, so that no new attempts can start."""
        await self.ask(CloseChallenge(challenge))

    async def emote_run(self, challenge: str, player: str, emote: int | None) -> None:
        """Send an emote for a run of a challenge, replacing the last; `None` removes it."""
        await self.ask(EmoteRun(challenge, player, emote))

    async def open_attempt(self, attempt: str) -> Attempt:
        """Return to an attempt by its id."""
        return await self._opened(await self.ask(OpenAttempt(attempt)))

    async def list_dailies(self) -> Dailies:
        """Return today's deals."""
        return await self.ask(ListDailies())

    async def watch_leaderboard(self, wanted: WatchLeaderboard) -> messages.Leaderboard:
        """Subscribe to a leaderboard, replacing any other; `leaderboard` is kept current."""
        self._leaderboard.wanted, self._leaderboard.state = wanted, None
        return await self.ask(wanted)

    async def unwatch_leaderboard(self) -> None:
        """Unsubscribe from the leaderboard."""
        self._leaderboard.wanted = self._leaderboard.state = None
        await self.ask(UnwatchLeaderboard())

    async def watch(self, code: str, key: str | None = None) -> Watched:
        """Watch the rounds of a room without a seat; `watched` is kept current.

        Members of the room do not need its watch key.
        """
        wanted = WatchRound(code, key)
        self._watching.wanted, self._watching.state = wanted, None
        self._room.watches(wanted)
        return await self.ask(wanted)

    async def stop_watching(self) -> None:
        """Stop watching."""
        self._watching.stop()
        self._room.unwatch()
        await self.ask(StopWatching())

    async def _opened(self, answer: messages.Attempt | messages.Missed) -> Attempt:
        """Return the opened attempt, once its rules are known."""
        if isinstance(answer, messages.Attempt):
            await self._learn(answer)
        return await self.until(
            lambda: self._attempt if self._attempt and self._attempt.id == answer.attempt else None
        )

    async def _learn(self, snapshot: messages.Attempt) -> None:
        """Show an attempt once its rules are known. Refused if the rules cannot be loaded."""
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
        """Restore the last session's subscriptions in a new session, the attempt first."""
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
        """Send a command in a new session until it is answered; return a final refusal."""
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
        """Apply an event to the state it concerns."""
        attempt = self._attempt
        if isinstance(event, messages.Attempt) and (attempt is None or attempt.id != event.attempt):
            if answered is None or isinstance(answered, OPENING):
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
        """Watch a round again once its rules are known."""
        await self._rules.learn(*rules)
        if self._watching.wanted is wanted:
            await self._connection.ask(wanted)

    def _show(self, snapshot: messages.Attempt, *, asked: bool) -> None:
        """Show a new attempt. Unknown rules of an unsolicited one are loaded in the background."""
        ruleset = self._rules.find(snapshot.game, snapshot.variant, snapshot.rules)
        if ruleset is not None:
            self._begin(Attempt(self._connection, snapshot, ruleset))
        elif not asked:
            self._connection.spawn(self._learn(snapshot))
