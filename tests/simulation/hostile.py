"""Hostile players: they attack other players and the server at random times.

They guess room codes with every command, from their own address or that of an honest player. In a
room, they try everything a host or member can do to it and its members, before and during a round.
They resign to each other immediately, open a public room and make it private just before a start,
and save watch keys for later. They open as many empty rooms as they can, and request hints under
custom rules that allow hundreds of moves.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Coroutine, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from engine.catalog import games
from server.base.core.ids import CODE_ALPHABET, CODE_LENGTH
from server.base.core.keys import kind_of
from tests.clients import plans
from tests.clients.plans import HELP, SHORTEST, Table
from tests.faults.ledger import Message
from tests.simulation.network import Network
from tests.simulation.player import NEVER_EXPECTED, Player
from tests.simulation.world import World

HONEST = "192.0.2.{}"
"""Addresses of honest players, one for each: two players at one address are not rated."""

ELSEWHERE = ("203.0.113.1", "203.0.113.2")
"""Addresses of hostile players who play."""

FILLED = "203.0.113.3"
"""Address of the players who open empty rooms."""

ROUNDS = (1, 1, 2)
"""Numbers of rounds raced in a room, to choose from."""

KINDS = ("friends", "public", "quick")
"""Plans of honest players who meet hostile ones.

They race in their own room, in a hostile player's room, or in quick matches.
"""

GUESSING = 0.7
"""Share of races with a player who guesses codes."""

SIGNING_IN = 0.5
"""Share of those races with an honest player who signs in from a victim's address."""

FILLING = 0.3
"""Share of races with a player who opens empty rooms."""

BURDENING = 0.3
"""Share of races with a player who makes up rules and requests hints."""

BURDENED = "203.0.113.4"
"""Address of that player."""

MADE_UP = "roosevelt"
"""The game whose rules that player changes."""

Work = Coroutine[Any, Any, None]


@dataclass(frozen=True, slots=True)
class Try:
    """A guess of a room's code.

    Attributes:
        at: when it was sent, in Unix milliseconds.
        exists: whether there is such a room.
        answer: the refusal's code or the answer's type; `None` without an answer.
    """

    at: int
    type: str
    exists: bool
    answer: str | None
    node: str


@dataclass(frozen=True, slots=True)
class Key:
    """A watch key, and when it was issued."""

    code: str
    key: str
    at: int


@dataclass(slots=True)
class Scene:
    """State shared by the hostile players of a race.

    Attributes:
        keys: the watch keys issued.
    """

    world: World
    honest: Sequence[Player]
    tasks: list[asyncio.Task[None]] = field(default_factory=list)
    keys: list[Key] = field(default_factory=list)

    @property
    def over(self) -> bool:
        """Whether all honest players are done, or all players should finish."""
        return self.world.closing or all(task.done() for task in self.tasks)

    def codes(self) -> list[str]:
        """Return the codes of all rooms."""
        kinds = map(kind_of, self.world.memory.journals)
        return [code for kind, code in kinds if kind == "room"]


class Hostile(Player):
    """A hostile player."""

    def __init__(self, world: World, network: Network, number: int, address: str) -> None:
        super().__init__(world, network, number, address)
        self.tries: list[Try] = []

    @property
    def unexpected(self) -> Set[str]:
        """Refusals that it must not get."""
        return NEVER_EXPECTED

    async def attempt(self, type_: str, **fields: Any) -> Message | None:
        """Send a command once and return its answer, or `None` if it is not carried out."""
        [answer] = await self.ask_all([{"type": type_, **fields}])
        return None if answer is None or answer["type"] == "refused" else answer

    async def guess(self, command: Message, *, exists: bool) -> None:
        """Send a guess and record its outcome."""
        at = int(self.world.now())
        [answer] = await self.ask_all([command])
        told = None
        if answer is not None:
            told = str(answer["code" if answer["type"] == "refused" else "type"])
        self.tries.append(Try(at, command["type"], exists, told, self.node))
        self.world.counts["guesses"] += 1


# The hostile activities


async def guess_codes(hostile: Hostile, scene: Scene) -> None:
    """Guess codes with every command; guesses are right more often than in reality."""
    rng = hostile.rng
    await hostile.begin()
    while not scene.over:
        await hostile.pause(0.05, 0.8)
        right = rng.random() < 0.5
        codes = scene.codes() if right else []
        code = rng.choice(codes) if codes else _random_code(rng)
        victim = rng.choice(scene.honest).id or hostile.id
        commands = _room_commands(code, victim, rng)
        if not codes:
            # With a correct code, these are no guesses: they need nothing else.
            commands.append({"type": "room.join", "code": code})
        await hostile.guess(rng.choice(commands), exists=bool(codes))


def _random_code(rng: random.Random) -> str:
    return "".join(rng.choice(CODE_ALPHABET) for _ in range(CODE_LENGTH))


def _room_commands(code: str, victim: str, rng: random.Random) -> list[Message]:
    commands: list[Message] = [
        {"type": "room.leave"},
        {"type": "room.ready", "ready": rng.random() < 0.5},
        {"type": "room.start", "anyway": True},
        {"type": "room.remove", "player": victim},
        {"type": "room.host", "player": victim},
        {"type": "room.lock", "locked": rng.random() < 0.5},
        {"type": "room.public", "public": rng.random() < 0.5},
        {"type": "SendEmote", "emote": 0},
        {"type": "GetWatchKey"},
        {"type": "WatchRound", "key": rng.choice((None, "0" * 22))},
        {"type": "room.terms", **plans.terms(rng)},
        {"type": "room.propose", **plans.terms(rng)},
    ]
    return [{**command, "code": code} for command in commands]


async def meddle(hostile: Hostile, scene: Scene, code: str, *, fair: bool = False) -> None:
    """Take a seat in a room and try random actions on it and its members.

    A `fair` player also plays a little in each round, so that its races may count.
    """
    rng = hostile.rng
    await hostile.begin()
    tried: set[str] = set()
    while not scene.over:
        await hostile.pause(0.05, 1.0)
        room = await hostile.attempt("room.join", code=code)
        if room is None or room["type"] != "room":
            await _use_keys(hostile, scene)
            continue
        round_ = room["round"]
        mine = next(
            (r for r in (round_ or {"runners": []})["runners"] if r["player"]["id"] == hostile.id),
            None,
        )
        if mine is not None and not round_["over"] and mine["attempt"] not in tried:
            tried.add(mine["attempt"])
            await _run_a_little(hostile, mine["attempt"], rng.randint(2, 6) if fair else 0)
        for _ in range(rng.choice((1, 1, 2, 5))):
            command = _meddling(hostile, room, rng)
            answer = await hostile.attempt(**_named(command))
            if answer is not None and answer["type"] == "WatchKey":
                scene.keys.append(Key(code, answer["key"], int(scene.world.now())))


def _named(command: Message) -> dict[str, Any]:
    return {"type_" if name == "type" else name: value for name, value in command.items()}


def _other(hostile: Hostile, room: Message, rng: random.Random) -> str:
    members = [member["player"]["id"] for member in room["members"]]
    return str(rng.choice([each for each in members if each != hostile.id] or members))


def _meddling(hostile: Hostile, room: Message, rng: random.Random) -> Message:
    commands = _room_commands(room["code"], _other(hostile, room, rng), rng)
    # Leaving ends the meddling, and starting puts all who have agreed into a round.
    rare = {"room.leave": 0.1, "room.remove": 0.5, "room.start": 2.0}
    weights = [rare.get(command["type"], 1.0) for command in commands]
    return rng.choices(commands, weights)[0]


async def _run_a_little(hostile: Hostile, attempt: str, moves: int) -> None:
    await _wait_for_cards(hostile, attempt)
    await plans.play(hostile, attempt, moves, abandon=False)


async def _wait_for_cards(hostile: Hostile, attempt: str) -> None:
    world = hostile.world
    for _ in range(100):
        opened = await hostile.attempt("attempt.open", attempt=attempt)
        if opened is not None or world.closing:
            break
        await hostile.pause(0.1, 0.5)


async def match_quickly(
    hostile: Hostile, scene: Scene, game: str, *, fair: bool, first: bool = True
) -> None:
    await hostile.begin()
    if not first:
        await hostile.pause(0.0, 2.0)
    while not scene.over:
        found = await hostile.attempt("room.quick", game=game)
        if found is None:
            await hostile.pause(0.1, 1.0)
        else:
            await meddle(hostile, scene, found["code"], fair=fair)


async def keep_a_public_room(hostile: Hostile, scene: Scene, table: Table) -> None:
    """Open a public room and make it private just before a start, or meddle with it."""
    rng = hostile.rng
    await hostile.begin()
    # This address is never filled.
    code = await plans.open_room(hostile, table)
    await hostile.ask("room.public", code=code, public=True)
    table.code.set_result(code)
    told = await hostile.attempt("GetWatchKey", code=code)
    if told is not None:
        scene.keys.append(Key(code, told["key"], int(scene.world.now())))
    for _ in range(rng.randint(2, 8)):
        await hostile.news(0.5)
    await hostile.attempt("room.ready", code=code, ready=rng.random() < 0.5)
    await hostile.attempt("room.public", code=code, public=False)
    await hostile.attempt("room.start", code=code, anyway=True)
    room = hostile.rooms.get(code)
    if room is not None and rng.random() < 0.5:
        await hostile.attempt("room.remove", code=code, player=_other(hostile, room, rng))
    await hostile.attempt("WatchRound", code=code)
    await hostile.pause(1.0, 6.0)
    await meddle(hostile, scene, code, fair=True)


async def peep(hostile: Hostile, scene: Scene, code: str | None) -> None:
    """Watch a room from a seat that sits out, or with old and current keys."""
    rng = hostile.rng
    await hostile.begin()
    if code is not None:
        await hostile.attempt("room.join", code=code)
        await hostile.attempt("room.ready", code=code, ready=False)
    while not scene.over:
        await hostile.pause(0.2, 1.5)
        if code is not None and rng.random() < 0.6:
            await hostile.attempt("WatchRound", code=code)
        else:
            await _use_keys(hostile, scene)


async def _use_keys(hostile: Hostile, scene: Scene) -> None:
    if scene.keys:
        key = hostile.rng.choice(scene.keys)
        await hostile.attempt("WatchRound", code=key.code, key=key.key)


async def fill(hostile: Hostile, scene: Scene) -> None:
    """Keep opening empty rooms, beyond the address's quota."""
    rng = hostile.rng
    await hostile.begin()
    while not scene.over:
        game = rng.choice(list(games()))
        wanted = [
            {
                "type": "room.create",
                "game": game,
                "variant": "standard",
                "seats": 8,
                "limit": 60,
                "key": f"{rng.getrandbits(64):016x}",
            }
            for _ in range(rng.randint(1, 6))
        ]
        opened = await hostile.ask_all(wanted)
        hostile.world.counts["empty rooms"] += sum(
            each is not None and each["type"] == "room" for each in opened
        )
        refused = any(each is not None and each["type"] == "refused" for each in opened)
        await hostile.pause(0.2, 1.0 if refused else 0.4)


def made_up(rng: random.Random) -> str:
    """Return rule changes that let any card go on any other, with all cards on it."""
    piles = ",".join(str(rng.randint(5, 9)) for _ in range(9))
    return f"tableau.deal={piles};tableau.order=any;tableau.match=any;tableau.moves=run"


async def burden(hostile: Hostile, scene: Scene) -> None:
    """Make a node build tables for custom rules and judge boards with hundreds of moves."""
    rng = hostile.rng
    await hostile.begin()
    while not scene.over:
        terms = {"game": MADE_UP, "limit": 10 * SHORTEST, "help": "hints"}
        key = f"{rng.getrandbits(64):016x}"
        room = await hostile.attempt("room.create", variant=made_up(rng), seats=1, key=key, **terms)
        if room is not None:
            code = room["code"]
            for _ in range(rng.randint(0, 3)):
                await hostile.attempt("room.terms", code=code, variant=made_up(rng), **terms)
            await _start_alone(hostile, scene, code)
        await hostile.pause(0.1, 1.0)


async def _start_alone(hostile: Hostile, scene: Scene, code: str) -> None:
    """Start a round in an own room and request hints in it."""
    room = await hostile.attempt("room.start", code=code, anyway=True)
    if room is not None and room["round"] is not None:
        await _ask_for_hints(hostile, scene, room["round"]["runners"][0]["attempt"])


async def _ask_for_hints(hostile: Hostile, scene: Scene, attempt: str) -> None:
    """Request a hint on each board of an attempt until the budget is spent."""
    await _wait_for_cards(hostile, attempt)
    for _ in range(hostile.rng.randint(2, 12)):
        state = hostile.states.get(attempt)
        if state is None or state.end is not None or scene.over:
            return
        hinted = await hostile.attempt("Hint", attempt=attempt, seq=state.seq + 1)
        hostile.world.counts["hints under custom rules"] += hinted is not None
        state = hostile.states.get(attempt, state)
        for move in state.plan(1, hostile.rng):
            await hostile.attempt("move", attempt=attempt, seq=state.seq + 1, move=move)
        await hostile.pause(0.1, 1.0)


async def link(player: Player, code: asyncio.Future[str | None]) -> None:
    """Request a code for another device, as an honest player where others guess."""
    await player.begin()
    await player.pause(1.0, 10.0)
    player.doing = "requesting a device code"
    linked = await player.ask("LinkDevice")
    told = linked is not None and linked["type"] == "DeviceCode"
    code.set_result(linked["code"] if linked is not None and told else None)


async def sign_in(player: Player, code: asyncio.Future[str | None]) -> None:
    """Sign in with the code on that device."""
    player.doing = "waiting for a device code"
    given = await code
    await player.begin()
    player.doing = "signing in"
    if given is not None:
        await player.ask("SignIn", code=given)


# The players of a race


@dataclass(frozen=True, slots=True)
class Cast:
    """The players of a race and their plans.

    Attributes:
        honest: honest players besides those in every race.
        works: the plans of the honest players, starting with those in every race.
    """

    honest: Sequence[Player]
    hostile: Sequence[Hostile]
    works: Sequence[Work]
    others: Sequence[Work]
    scene: Scene


def cast(
    world: World, network: Network, players: Sequence[Player], game: str, rng: random.Random
) -> Cast:
    """Return the players of a race with hostile ones, and their plans."""
    scene = Scene(world, players)
    hostile: list[Hostile] = []

    def come(address: str) -> Hostile:
        hostile.append(Hostile(world, network, 100 + len(hostile), address))
        return hostile[-1]

    kind = rng.choice(KINDS)
    world.note("world", "hostile players", kind)
    world.counts[f"hostile races: {kind}"] += 1
    works: list[Work]
    others: list[Work] = []
    if kind == "quick":
        works = [plans.race_quickly(player, game) for player in players]
        for number in range(rng.randint(1, 2)):
            one = come(rng.choice(ELSEWHERE))
            others.append(
                match_quickly(one, scene, game, fair=rng.random() < 0.5, first=not number)
            )
    else:
        guests = rng.randint(1, 2)
        table = Table(
            game,
            rng.choice(list(games()[game].variants)),
            seats=len(players) + guests,
            rounds=rng.choice(ROUNDS),
            limit=20 * rng.choice((3, 6, 10)),
            key=f"{rng.getrandbits(64):016x}",
            # Only races without help are rated.
            help=rng.choice(("none", "none", "none", *HELP)),
        )
        is_public = kind == "public"
        works = [
            plans.race(player, table, host=player is players[0] and not is_public)
            for player in players
        ]
        if is_public:
            others.append(keep_a_public_room(come(ELSEWHERE[0]), scene, table))
            guests -= 1
            if rng.random() < 0.7:
                one = come(ELSEWHERE[rng.random() < 0.5])
                others.append(_with_code(table, one, scene, rng.random() < 0.5))
        for _ in range(guests):
            one = come(rng.choice(ELSEWHERE))
            others.append(_meddle_at(table, one, scene, fair=rng.random() < 0.5))
    honest: list[Player] = []
    if rng.random() < GUESSING:
        address = rng.choice((players[0].address, ELSEWHERE[1], FILLED))
        others += [guess_codes(come(address), scene) for _ in range(rng.randint(1, 2))]
        if rng.random() < SIGNING_IN:
            honest = [Player(world, network, 50 + n, players[0].address) for n in range(2)]
            device: asyncio.Future[str | None] = world.loop.create_future()
            works = [*works, link(honest[0], device), sign_in(honest[1], device)]
    if rng.random() < FILLING:
        others += [fill(come(FILLED), scene) for _ in range(rng.randint(1, 3))]
    # A separate source of randomness keeps the other races of known seeds unchanged.
    if random.Random(f"burden {world.seed}").random() < BURDENING:
        others.append(burden(come(BURDENED), scene))
    return Cast(honest, hostile, works, others, scene)


async def _meddle_at(table: Table, one: Hostile, scene: Scene, *, fair: bool) -> None:
    await meddle(one, scene, await table.code, fair=fair)


async def _with_code(table: Table, one: Hostile, scene: Scene, seated: bool) -> None:
    code = await table.code
    await peep(one, scene, code if seated else None)
