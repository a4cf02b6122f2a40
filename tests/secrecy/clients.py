"""Random clients: five players who use the protocol and the HTTP interface, allowed or not.

Clients choose their steps on the first server, from its stored state and its messages. Their inputs
are recorded and replayed on the second server.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import msgpack
import msgspec
from hypothesis import strategies as st

from engine.board import view_of
from engine.catalog import daily_games, daily_ruleset, games, ruleset
from engine.play import apply
from server import protocol
from server.accounts import messages as account_messages
from server.base.core.days import day_at
from server.base.core.ids import AttemptId, DealId, PlayerId, RoomCode, attempt_id
from server.base.wire import messages as wire_messages
from server.base.wire import session_messages
from server.base.wire.session_messages import VERSION
from server.challenges import messages as challenge_messages
from server.circles import messages as circle_messages
from server.dailies import messages as daily_messages
from server.play import messages as play_messages
from server.play.core import keys
from server.play.core.attempt import Attempt
from server.play.core.digest import digest
from server.play.core.result import Help
from server.play.journal import steps_of
from server.play.messages import FIRST_NUMBER, LAST_NUMBER, Have
from server.results.core.contests import PLAYED_MOVES
from server.rooms import messages as room_messages
from server.rooms.messages import PROGRESS
from server.routes import ROUTES
from server.runs import deal_messages
from server.runs import messages as run_messages
from server.watching import messages as watch_messages
from tests.builders import START, homewards
from tests.clients.known import line
from tests.secrecy.decks import NEVER, Dealer, Decks, deck
from tests.secrecy.stage import COUNTDOWN_MS, Input, Stage
from tests.wire import read_event

ANN, BOB, CYD, DAN, EVE = range(5)
"""Two racers, a seated spectator, a spectator with the watch key, and a stranger."""

CLIENTS = 5
TABS = 2

PAUSES = (0.0, 0.02, 0.05, 0.1, 0.3, 1.1)
"""Seconds before a step. The last one is longer than the spectators' delay."""

ANSWERED = 0.15
"""Seconds allowed for the answer to a command."""

ACTIONS: dict[str, int] = {
    "move": 12,
    "forge": 3,
    "repeat": 1,
    "help": 3,
    "open": 3,
    "watch": 3,
    "challenge_command": 4,
    "command": 6,
    "peek": 3,
    "get": 2,
    "preview": 1,
    "garble": 1,
    "reconnect": 2,
}
"""Actions and their weights. Each names a method of `Clients`."""

RACE_SCOPES = ("races", "rating", "best")
"""The leaderboards that include races."""

SEALED = 0.2
"""Share of scripts that challenge a player with the round's deal."""

GAMES = [(game.id, variant) for game in games().values() for variant in game.variants]


@dataclass(frozen=True, slots=True)
class Step:
    """A client's action on one of its tabs, after a pause in seconds."""

    client: int
    tab: int
    action: str
    choice: int
    pause: float


@dataclass(frozen=True, slots=True)
class Script:
    """The inputs to a server: the games and the steps.

    Attributes:
        game: the room's game and variant.
        daily: the game of the daily.
        help: the help that the room allows.
        public: whether strangers can join the room.
        early: whether the steps start before the round's cards are shown.
        sealed: whether both racers resign immediately and a challenge reuses the deal.
        seed: seed of the decks and of the server's random numbers.
    """

    game: tuple[str, str]
    daily: str
    help: Help
    public: bool
    early: bool
    sealed: bool
    seed: int
    steps: list[Step]

    def decks(self) -> Decks:
        """Return the decks for the first server."""
        room, daily = ruleset(*self.game), daily_ruleset(self.daily)
        return {
            "room": deck(room, self.seed),
            "daily": deck(daily, self.seed + 1),
            "challenge": deck(room, self.seed + 2),
        }


def script_of(seed: int, length: int) -> Script:
    """Return the script for a seed, with `length` steps."""
    rng = random.Random(seed)
    # Use a separate generator, so that known seeds keep their other choices.
    sealed = random.Random(f"sealed {seed}").random() < SEALED
    names, weights = list(ACTIONS), list(ACTIONS.values())
    return Script(
        game=rng.choice(GAMES),
        daily=rng.choice(daily_games()),
        help=rng.choice(("none", "hints", "hints")),
        public=rng.random() < 0.2,
        early=rng.random() < 0.3 and not sealed,
        sealed=sealed,
        seed=seed,
        steps=[
            Step(
                # Prefer clients who see cards.
                rng.choice((ANN, ANN, BOB, BOB, CYD, DAN, EVE)),
                rng.choice((0, 0, 1)),
                rng.choices(names, weights)[0],
                rng.getrandbits(32),
                rng.choice(PAUSES),
            )
            for _ in range(length)
        ],
    )


SCRIPTS = st.builds(script_of, st.integers(0, 2**32 - 1), st.integers(20, 80))
"""A Hypothesis strategy for scripts."""


@dataclass(slots=True)
class Client:
    """A client's state.

    Attributes:
        numbers: by tab, the attempts sent to it and their numbers.
    """

    id: PlayerId
    token: str | None = None
    numbers: dict[int, dict[AttemptId, int]] = field(default_factory=dict)


Recorded = list[tuple[float, list[Input]]]
"""Inputs, each with the pause before it in seconds."""


class Clients:
    """Plays a script on the first server.

    Attributes:
        recorded: the inputs given so far.
        sealed_at: when a challenge was made from the round's deal, in Unix milliseconds; `NEVER` if
            none was.
    """

    def __init__(self, script: Script, dealer: Dealer) -> None:
        self.recorded: Recorded = []
        self.code = RoomCode("")
        self.sealed_at: float = NEVER
        self._challenges: list[str] = []
        self._circle = ""
        self._link = ""
        self.clients = [Client(PlayerId("")) for _ in range(CLIENTS)]
        self._script = script
        self._dealer = dealer
        self._key: str | None = None
        self._recovery_code = ""
        self._ids = count(1)
        self._stage: Any = None

    async def drive(self, stage: Stage) -> None:
        """Send all inputs to a server."""
        self._stage = stage
        stage.received = self._receive
        await self._gather()
        for step in self._script.steps:
            await self._do(step.pause, self._inputs(step))

    async def _do(self, pause: float, inputs: list[Input]) -> None:
        await asyncio.sleep(pause)
        self.recorded.append((pause, inputs))
        for each in inputs:
            self._stage.give(each)

    async def _gather(self) -> None:
        """Open a room and start a round."""
        script, rooms = self._script, room_messages
        await self._do(0.0, [each for client in range(CLIENTS) for each in self._opened(client, 0)])
        await self._do(ANSWERED, [])
        game, variant = script.game
        create = rooms.CreateRoom(
            next(self._ids), game, seats=4, limit=7200, key="k" * 8, variant=variant
        )
        await self._send(ANN, msgspec.structs.replace(create, help=script.help))
        for client in (BOB, CYD):
            await self._send(client, rooms.JoinRoom(next(self._ids), self.code))
        for client in (ANN, BOB) if script.sealed else ():
            await self._send(client, account_messages.NewRecoveryCode(next(self._ids)))
            kept = account_messages.KeepRecoveryCode(next(self._ids), self._recovery_code)
            await self._send(client, kept)
        await self._send(CYD, rooms.SetReady(next(self._ids), self.code, ready=False))
        await self._send(ANN, watch_messages.GetWatchKey(next(self._ids), self.code))
        if script.public:
            await self._send(ANN, rooms.SetPublic(next(self._ids), self.code, public=True))
        await self._send(ANN, rooms.StartRound(next(self._ids), self.code, anyway=True))
        for client in (ANN, DAN):
            await self._send(client, daily_messages.OpenDaily(next(self._ids), script.daily))
        await self._send(
            ANN,
            challenge_messages.CreateChallenge(
                next(self._ids), game, 600, 3_600, "c" * 8, variant, help=script.help
            ),
        )
        for client in (ANN, CYD):
            await self._send(
                client, challenge_messages.PlayChallenge(next(self._ids), self._challenges[0])
            )
        await self._do(0.0 if script.early else COUNTDOWN_MS / 1000, [])
        if script.sealed:
            await self._seal()

    async def _seal(self) -> None:
        """Resign both attempts and make a challenge from the deal, before other players see a card.

        Both play enough moves first for the race to count on leaderboards, if a card comes home.
        """
        deal = next(deal for deal, kind in self._dealer.deals.items() if kind == "room")
        for client in (ANN, BOB):
            known = self.clients[client]
            attempt = attempt_id(deal, known.id)
            await self._send(client, play_messages.OpenAttempt(next(self._ids), attempt))
            number, seq = known.numbers[0][attempt], 2
            board = self._states(attempt)[-1].board
            while (move := homewards(board)) is not None and board.moves < PLAYED_MOVES:
                frame = [number, seq, *board.ruleset.numbers_of(move)]
                await self._do(0.0, [_frame(client, 0, frame)])
                board, seq = apply(board, move), seq + 1
            await self._do(ANSWERED, [])
            await self._send(client, play_messages.Resign(next(self._ids), number, seq))
        game, variant = self._script.game
        create = challenge_messages.CreateChallenge(
            next(self._ids), game, 600, 3_600, "d" * 8, variant
        )
        attempt = attempt_id(deal, self.clients[ANN].id)
        await self._send(ANN, msgspec.structs.replace(create, attempt=attempt))
        assert len(self._challenges) == 2, "the second challenge was made"
        self.sealed_at = self._stage.world.now()
        for viewer in (CYD, EVE):
            boards = [f"/boards/{scope}/{game}/all" for scope in RACE_SCOPES]
            for path in (f"/players/{self.clients[ANN].id}", f"/deals/{deal}", *boards):
                await self._do(ANSWERED, [Input(viewer, 0, "get", path=path)])

    async def _send(self, client: int, command: wire_messages.Command) -> None:
        """Send a command and wait for its answer."""
        await self._do(0.0, [_command(client, 0, command)])
        await self._do(ANSWERED, [])

    def _opened(self, client: int, tab: int) -> list[Input]:
        """Return the inputs that open a connection."""
        hello = session_messages.Hello(next(self._ids), VERSION, self.clients[client].token)
        return [Input(client, tab, "open"), _command(client, tab, hello)]

    def _receive(self, client: int, tab: int, frame: bytes) -> None:
        """Remember ids, tokens and attempt numbers for later commands."""
        value, known = msgpack.unpackb(frame), self.clients[client]
        if value[0] == PROGRESS or FIRST_NUMBER <= value[0] <= LAST_NUMBER:
            return
        match read_event(value):
            case session_messages.Welcome() as welcome:
                known.id, known.token = PlayerId(welcome.player.id), welcome.token
                known.numbers[tab] = {}
            case account_messages.SignedIn(token=token):
                known.token = token
            case account_messages.RecoveryCode(code=code):
                self._recovery_code = code
            case room_messages.RoomState(code=code) if not self.code:
                self.code = RoomCode(code)
            case challenge_messages.Challenge(challenge=challenge):
                if challenge not in self._challenges:
                    self._challenges.append(challenge)
            case circle_messages.Circle(circle=circle, link=link):
                self._circle, self._link = self._circle or circle, link
            case watch_messages.WatchKey(key=key):
                self._key = self._key or key
            case play_messages.Attempt() | play_messages.Missed() as shown:
                numbers = known.numbers.setdefault(tab, {})
                for attempt in [each for each, used in numbers.items() if used == shown.number]:
                    del numbers[attempt]
                numbers[AttemptId(shown.attempt)] = shown.number

    # Actions

    def _inputs(self, step: Step) -> list[Input]:
        rng = random.Random(step.choice)
        client, tab = step.client, step.tab
        opened = [] if self._stage.is_open(client, tab) else self._opened(client, tab)
        act: Callable[[int, int, random.Random], list[Input]] = getattr(self, f"_{step.action}")
        return opened + act(client, tab, rng)

    def _move(self, client: int, tab: int, rng: random.Random) -> list[Input]:
        """Play several legal moves in a row, or open an attempt if the tab has none."""
        found = self._running(client, tab, rng)
        if found is None:
            return self._open(client, tab, rng)
        number, attempt = found
        moves = line(attempt.board, rng.randint(1, 4), rng)
        return [
            _frame(client, tab, [number, seq, *attempt.board.ruleset.numbers_of(move)])
            for seq, move in enumerate(moves, attempt.seq + 1)
        ]

    def _forge(self, client: int, tab: int, rng: random.Random) -> list[Input]:
        """Play a random move, which is rarely legal."""
        found = self._running(client, tab, rng)
        number, seq = (found[0], found[1].seq + 1) if found else (FIRST_NUMBER, 2)
        piles = len(found[1].board.piles) if found else 10
        return [_frame(client, tab, [number, seq, rng.randrange(piles + 2),
                                     rng.randrange(piles + 2), rng.randint(1, 3)])]  # fmt: skip

    def _repeat(self, client: int, tab: int, rng: random.Random) -> list[Input]:
        """Send a move with a sequence number that is already used or too high."""
        found = self._running(client, tab, rng)
        if found is None:
            return []
        seq = rng.choice([max(2, found[1].seq - 1), found[1].seq, found[1].seq + 3])
        return [_frame(client, tab, [found[0], max(1, seq), 0, 1])]

    def _help(self, client: int, tab: int, rng: random.Random) -> list[Input]:
        """Undo a move, request a hint, or resign."""
        found = self._running(client, tab, rng)
        if found is None:
            return []
        attempts = play_messages
        kind = rng.choice([*[attempts.Undo, attempts.Hint] * 4, attempts.Resign])
        return [_command(client, tab, kind(next(self._ids), found[0], found[1].seq + 1))]

    def _open(self, client: int, tab: int, rng: random.Random) -> list[Input]:
        """Open an attempt, perhaps with a known earlier state."""
        attempts = self._pool(client, tab, rng)["attempt"]
        own = [each for each in attempts if each.endswith(self.clients[client].id)]
        attempt = AttemptId(rng.choice(own if rng.random() < 0.8 else attempts))
        states = self._states(attempt)
        have = None
        if states and rng.random() < 0.7:
            had = rng.choice(states)
            have = Have(had.seq, digest(view_of(had.board)))
        opening = play_messages.OpenAttempt(next(self._ids), attempt, have, rng.random() < 0.3)
        return [_command(client, tab, opening)]

    def _watch(self, client: int, tab: int, rng: random.Random) -> list[Input]:
        key = rng.choice(self._pool(client, tab, rng)["key"])
        watching = watch_messages.WatchRound(next(self._ids), self.code, key)
        return [_command(client, tab, watching)]

    def _challenge_command(self, client: int, tab: int, rng: random.Random) -> list[Input]:
        """Fetch or play a challenge, or end the attempt at it."""
        kinds, attempts = challenge_messages, self.clients[client].numbers.get(tab, {})
        own = [each for each in attempts if self._is_of_challenge(each)]
        states = self._states(own[0]) if own else []
        if states and states[-1].end is None and rng.random() < 0.3:
            resign = play_messages.Resign(next(self._ids), attempts[own[0]], states[-1].seq + 1)
            return [_command(client, tab, resign)]
        kind = rng.choice((kinds.WatchChallenge, kinds.WatchChallenge, kinds.PlayChallenge))
        return [_command(client, tab, kind(next(self._ids), rng.choice(self._challenges)))]

    def _is_of_challenge(self, attempt: AttemptId) -> bool:
        kinds = {"challenge", "room"} if self._script.sealed else {"challenge"}
        return self._dealer.deals.get(DealId(attempt.partition(".")[0])) in kinds

    def _command(self, client: int, tab: int, rng: random.Random) -> list[Input]:
        """Send a random command, often with fields that make it valid."""
        kind = rng.choice(protocol.COMMANDS)
        pool = self._pool(client, tab, rng)
        fields = {
            each.name: rng.choice(pool[each.name]) if each.name in pool else _value(each.type, rng)
            for each in _fields(kind)
        }
        return [_command(client, tab, kind(**fields))]

    def _peek(self, client: int, tab: int, rng: random.Random) -> list[Input]:
        """Request a seed or a player's moves before the deal closes."""
        deal = rng.choice(list(self._dealer.deals))
        attempt = rng.choice(self._pool(client, tab, rng)["attempt"])
        if rng.random() < 0.5:
            path = rng.choice((f"/deals/{deal}", f"/deals/{deal}/runs", f"/runs/{attempt}"))
            return [Input(client, tab, "get", path=path)]
        asked: wire_messages.Command = rng.choice(
            (
                deal_messages.ShowDeal(next(self._ids), deal),
                run_messages.GetRuns(next(self._ids), deal),
                run_messages.GetRun(next(self._ids), attempt),
            )
        )
        return [_command(client, tab, asked)]

    def _get(self, client: int, tab: int, rng: random.Random) -> list[Input]:
        """Request a path of the HTTP interface."""
        pool = self._pool(client, tab, rng)
        route = rng.choice(ROUTES)
        path = route.path
        for name in route.in_path:
            path = path.replace(f"{{{name}}}", str(rng.choice(pool.get(name, ["unknown"]))))
        return [Input(client, tab, "get", path=path)]

    def _preview(self, client: int, tab: int, rng: random.Random) -> list[Input]:
        """Request a link preview."""
        pool = self._pool(client, tab, rng)
        names = {"r": "code", "run": "attempt", "deal": "deal", "leaderboard": "game"}
        screen, name = rng.choice([*names.items(), ("c", "challenge")])
        return [
            Input(client, tab, "preview", path=f"/{screen}/{rng.choice(pool[name] or ['unknown'])}")
        ]

    def _garble(self, client: int, tab: int, rng: random.Random) -> list[Input]:
        return [Input(client, tab, "send", rng.randbytes(rng.randint(0, 12)))]

    def _reconnect(self, client: int, tab: int, rng: random.Random) -> list[Input]:
        """Drop the connection, open another one, and rejoin the room."""
        again = [Input(client, tab, "cut"), *self._opened(client, tab)]
        if client in {ANN, BOB, CYD} and rng.random() < 0.7:
            joining = room_messages.JoinRoom(next(self._ids), self.code)
            again.append(_command(client, tab, joining))
        return again

    # Known state

    def _running(self, client: int, tab: int, rng: random.Random) -> tuple[int, Attempt] | None:
        """Return one of the client's running attempts and its number on the tab, or `None`."""
        known = self.clients[client]
        found = []
        for attempt, number in sorted(known.numbers.get(tab, {}).items()):
            states = self._states(attempt)
            if states and states[-1].end is None:
                found.append((number, states[-1]))
        return rng.choice(found) if found else None

    def _states(self, attempt: AttemptId) -> list[Attempt]:
        """Return an attempt's states after each journal entry; empty for other deals."""
        deal = self._dealer.drawn.get(DealId(attempt.partition(".")[0]))
        if deal is None:
            return []
        texts = self._stage.world.memory.journal(keys.attempt(attempt)).texts
        return [step.after for step in steps_of(deal, None, texts)]

    def _pool(self, client: int, tab: int, rng: random.Random) -> dict[str, list[Any]]:
        """Return candidate field values, by field name."""
        deals = [*self._dealer.deals, "x" * 16]
        players = [each.id for each in self.clients if each.id]
        attempts = [attempt_id(DealId(deal), player) for deal in deals for player in players]
        numbers = self.clients[client].numbers.get(tab, {})
        running = self._running(client, tab, rng)
        day = day_at(START)
        return {
            "id": [next(self._ids)],
            "version": [VERSION],
            "token": [self.clients[client].token],
            "code": [self.code, self.code, self.code, "ZZZZZZZZ"],
            "attempt": attempts,
            "run": attempts,
            "deal": deals,
            "player": players,
            "game": [self._script.game[0], self._script.daily, "nonsense"],
            "variant": [self._script.game[1], "standard"],
            "limit": [600],
            "seats": [2],
            "number": [running[0] if running else FIRST_NUMBER, *numbers.values()],
            "seq": [running[1].seq + 1 if running else 2],
            # The stranger does not have the key.
            "key": [None, "wrong key"] if client == EVE else [None, self._key, "wrong key"],
            "day": [day, day - 1, None],
            "date": ["2100-01-01", "2099-12-31", "nonsense"],
            "scope": ["day", "game", "week"],
            "period": ["2100-01-01", "all"],
            "file": ["2099-12-31.jsonl.gz", "2100-01-01.jsonl.gz"],
            "have": [None],
            "about": [*attempts, *players],
            "before": [None],
            "challenge": [*self._challenges, *self._challenges, "x" * 16],
            "circle": [self._circle, self._circle, None],
            "link": [self._link, "x" * 32],
            "players": [[], players[:2]],
        }


def replay(recorded: Recorded) -> Callable[[Stage], Any]:
    """Return a function that gives recorded inputs to another server."""

    async def drive(stage: Stage) -> None:
        for pause, inputs in recorded:
            await asyncio.sleep(pause)
            for each in inputs:
                stage.give(each)

    return drive


def _command(client: int, tab: int, command: wire_messages.Command) -> Input:
    return Input(client, tab, "send", msgspec.msgpack.encode(command))


def _frame(client: int, tab: int, value: list[Any]) -> Input:
    return Input(client, tab, "send", msgpack.packb(value))


def _fields(kind: type[wire_messages.Command]) -> tuple[msgspec.inspect.Field, ...]:
    described = msgspec.inspect.type_info(kind)
    assert isinstance(described, msgspec.inspect.StructType)
    return described.fields


def _value(kind: msgspec.inspect.Type, rng: random.Random) -> Any:
    """Return a value of a field's type, near its lower bound."""
    info = msgspec.inspect
    value: Any
    match kind:
        case info.UnionType(types=types):
            value = _value(rng.choice(types), rng)
        case info.LiteralType(values=values):
            value = rng.choice(values)
        case info.IntType(ge=least):
            value = (least or 0) + rng.randrange(3)
        case info.BoolType():
            value = rng.random() < 0.5
        case info.ListType(item_type=item, min_length=least):
            value = [_value(item, rng) for _ in range((least or 0) + rng.randrange(2))]
        case info.StrType(min_length=least):
            value = "Ada" + "x" * max(0, (least or 0) - 3)
        case info.StructType(cls=struct, fields=fields):
            value = struct(**{each.name: _value(each.type, rng) for each in fields})
        case info.NoneType():
            value = None
        case _:
            raise AssertionError(f"no default value for {kind}: add one by field name")
    return value
