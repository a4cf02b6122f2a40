"""Plans of scripted players: races, quick matches, dailies, challenges and circles.

Players resign, leave or abandon some of them, and vanish for a while.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.catalog import daily_games, games
from server.base.core import days
from tests.clients.player import RETRYABLE, Player
from tests.faults.ledger import Message

HELP = ("none", "undo", "hints", "hints")
"""The help that a room may allow, to choose from."""

HOSTING = 0.15
"""How often a player changes the room before or during a round."""

REMATCH = 0.3
"""How often a member other than the host calls the rematch."""

VANISHED = (0.5, 9.0)
"""Shortest and longest absence in seconds: hosts are replaced after two, seats lost after six."""

SHORTEST = 60
"""Time limit of rounds whose terms are set, the shortest possible; races divide it."""

WATCHING = 0.7
"""How often a player who has finished a round watches the others."""

PEEKING = 0.2
"""How often a player tries to watch the others before its own attempt."""

CIRCLE_STEPS = (3, 10)
"""Lowest and highest number of actions of a player in a circle."""

POLL_AFTER = 1.5
"""Seconds without news after which a player reads the room again."""


def _future() -> asyncio.Future[str]:
    return asyncio.get_running_loop().create_future()


@dataclass
class Table:
    """A room for players to race in.

    Attributes:
        limit: seconds of a round, set when the room is opened.
        code: set when the room is open.
    """

    game: str
    variant: str
    seats: int
    rounds: int
    limit: int
    key: str
    help: str
    code: asyncio.Future[str] = field(default_factory=_future)


async def open_room(player: Player, table: Table) -> str:
    """Open the table's room, and return its code."""
    player.doing = "opening a room"
    opened = await player.ask(
        "room.create",
        game=table.game,
        variant=table.variant,
        seats=table.seats,
        limit=table.limit,
        key=table.key,
        help=table.help,
    )
    assert opened is not None, "sent until it is answered"
    return str(opened["code"])


async def race(player: Player, table: Table, *, host: bool) -> None:
    """Race the table's rounds with the other players and leave, or vanish during one."""
    rng = player.rng
    await player.begin()
    if host:
        table.code.set_result(await open_room(player, table))
    player.doing = "waiting for a room's code"
    code = await table.code
    ending = rng.choices(("stay", "leave", "vanish"), (0.7, 0.2, 0.1))[0]
    waited = 0
    while True:
        player.doing = f"joining room {code}"
        room = await player.ask("room.join", code=code)
        if room is None or room["type"] != "room":
            return
        room = player.rooms.get(code, room)
        round_ = room["round"]
        if player.rng.random() < HOSTING and not player.world.closing:
            await _run_room(player, room)
        if round_ is not None and not round_["over"]:
            waited = 0
            await _run(player, room, hasty=ending != "stay")
            if ending == "vanish":
                return
            if ending == "leave":
                break
        elif player.world.closing or (round_ is not None and round_["number"] >= table.rounds):
            break
        elif room["host"] == player.id or (round_ is not None and rng.random() < REMATCH):
            waited += 1
            await _start(player, room, table, waited)
            if waited > 8:
                break
        else:
            waited += 1
            await _be_ready(player, room)
            if waited > 8:
                break
    player.doing = f"leaving room {code}"
    await player.ask("room.leave", code=code)


async def race_quickly(player: Player, game: str) -> None:
    """Find a quick match, wait for opponents, race a round and leave, or vanish."""
    rng, world = player.rng, player.world
    await player.begin()
    await player.pause(0.0, 1.0)
    player.doing = "looking for a match"
    room = await player.ask("room.quick", game=game)
    if room is None or room["type"] != "room":
        return
    code = room["code"]
    ending = rng.choices(("stay", "leave", "vanish"), (0.7, 0.2, 0.1))[0]
    waits = rng.random() < 0.85
    while room["round"] is None and waits and not world.closing:
        player.doing = f"waiting in room {code}"
        if rng.random() < HOSTING:
            await player.vanish(rng.uniform(*VANISHED))
        await player.news(0.5)
        # During an absence another player may have taken the seat.
        answer = await player.ask("room.join", deserved="room_full", code=code)
        if answer is None or answer["type"] != "room":
            return
        room = player.rooms.get(code, answer)
    if room["round"] is not None and not room["round"]["over"]:
        await _run(player, room, hasty=ending != "stay")
    if ending != "vanish":
        player.doing = f"leaving room {code}"
        await player.ask("room.leave", code=code)


def terms(rng: random.Random) -> Message:
    """Return random terms of a round."""
    game = rng.choice(list(games()))
    variant = rng.choice(list(games()[game].variants))
    return {"game": game, "variant": variant, "limit": SHORTEST, "help": rng.choice(HELP)}


async def _run_room(player: Player, room: Message) -> None:
    """Act as a host, or as a member on the host, or vanish for a while."""
    rng, code = player.rng, room["code"]
    others = [m["player"]["id"] for m in room["members"] if m["player"]["id"] != player.id]
    chosen = terms(rng)
    wanted: list[tuple[str, Message]] = [
        ("vanish", {}),
        ("room.propose", chosen),
        ("room.ready", {"ready": False}),
    ]
    if room["host"] == player.id:
        wanted = [wanted[0], ("room.terms", chosen), ("room.lock", {"locked": not room["locked"]})]
        wanted += [("room.public", {"public": not room["public"]})]
        wanted += [("room.host", {"player": other}) for other in others]
        wanted += [("room.remove", {"player": other}) for other in others[:1]]
    type_, fields = rng.choice(wanted)
    player.doing = f"{type_} in room {code}"
    if type_ == "vanish":
        await player.vanish(rng.uniform(*VANISHED))
    else:
        await player.ask(type_, code=code, **fields)


async def _start(player: Player, room: Message, table: Table, waited: int) -> None:
    """Start a round if enough members are ready, or wait for them."""
    ready = sum(member["ready"] for member in room["members"])
    if ready < table.seats and waited < 4:
        player.doing = "waiting for the others"
        await player.news(0.5)
        return
    player.doing = "starting a round"
    # A start without an answer may still have happened, so the room is read again.
    anyway = waited > 4 or player.rng.random() < 0.3
    await player.ask("room.start", once=True, code=room["code"], anyway=anyway)


async def _be_ready(player: Player, room: Message) -> None:
    me = next((m for m in room["members"] if m["player"]["id"] == player.id), None)
    if me is not None and not me["ready"]:
        player.doing = "getting ready"
        await player.ask("room.ready", code=room["code"], ready=True)
    player.doing = "waiting for a round"
    await player.news(POLL_AFTER)


async def _run(player: Player, room: Message, *, hasty: bool) -> None:
    """Play the player's attempt and wait for the round to end, unless `hasty`."""
    code, round_, rng = room["code"], room["round"], player.rng
    mine = next((r for r in round_["runners"] if r["player"]["id"] == player.id), None)
    if mine is not None and mine["result"]["end"] is None:
        left = (round_["starts"] - player.world.now()) / 1000
        if left > 0:
            player.doing = "waiting for the cards"
            # Some ask too early, and must not be shown any card.
            await asyncio.sleep(left * (0.7 if rng.random() < 0.1 else 1.0))
        if rng.random() < PEEKING:
            await player.ask("WatchRound", code=code)
        moves = rng.randint(1, 6) if hasty else rng.randint(3, 15)
        await play(player, mine["attempt"], moves, abandon=rng.random() < 0.15)
    if not hasty and rng.random() < WATCHING:
        player.doing = f"watching round {round_['number']}"
        await player.ask("WatchRound", code=code)
    player.doing = f"waiting for the end of round {round_['number']}"
    while not hasty:
        await player.news(POLL_AFTER)
        answer = await player.ask("room.join", code=code)
        if answer is None or answer["type"] != "room":
            return
        now = player.rooms[code]["round"]
        if now is None or now["over"] or now["number"] != round_["number"]:
            return


async def play_dailies(player: Player, game: str) -> None:
    """Play the dailies of a game around midnight and watch the leaderboard."""
    rng, world = player.rng, player.world
    game = game if game in daily_games() else daily_games()[0]
    await player.begin()
    for _ in range(rng.randint(1, 3)):
        player.doing = f"opening the daily of {game}"
        answer = await player.ask("daily.open", game=game)
        if answer is not None and answer["type"] == "attempt":
            moves = rng.randint(1, 10)
            await play(player, answer["attempt"], moves, abandon=rng.random() < 0.4)
        player.doing = "watching the leaderboard"
        await player.ask("leaderboard.watch", game=game)
        if world.closing:
            return
        await player.pause(0.1, 3.0)
        if rng.random() < 0.3:
            # Skip the rest of the day, most of it, or the hour after its end.
            day = days.day_at(int(world.now()))
            target = rng.choice((days.ends(day) - 1_000, days.closes(day - 1) - 1_500))
            if target > world.now():
                world.skip_time(target - world.now())


@dataclass
class Dare:
    """A challenge for players to play.

    Attributes:
        named: whether its creator names the present players as opponents.
        link: set when it is created.
    """

    game: str
    variant: str
    help: str
    key: str
    named: bool
    link: asyncio.Future[str] = field(default_factory=_future)


async def challenge(player: Player, dare: Dare, others: Sequence[Player], *, creator: bool) -> None:
    """Create a challenge or wait for its link; watch and play it, and perhaps a rematch."""
    await player.begin()
    if creator:
        dare.link.set_result(await make_challenge(player, dare, others))
    player.doing = "waiting for a link"
    await play_challenges(player, await dare.link)


async def make_challenge(player: Player, dare: Dare, others: Sequence[Player]) -> str:
    """Create a challenge and return its id."""
    player.doing = "making a challenge"
    named = [each.id for each in others if each.id] if dare.named else []
    while True:
        made = await player.ask(
            "CreateChallenge",
            game=dare.game,
            limit=SHORTEST,
            open_for=3_600,
            key=dare.key,
            variant=dare.variant,
            help=dare.help,
            target=player.rng.random() < 0.5,
            players=named,
        )
        assert made is not None, "sent until it is answered"
        if made["type"] == "Challenge":
            return str(made["challenge"])
        # The server cannot resolve an absent guest without a name.
        named = []


async def play_challenges(player: Player, link: str) -> None:
    """Watch and play a challenge, and perhaps a rematch."""
    rng, world = player.rng, player.world
    for _ in range(rng.randint(1, 2)):
        player.doing = f"watching challenge {link}"
        await player.ask("WatchChallenge", challenge=link)
        await player.pause(0.0, 3.0)
        player.doing = f"starting challenge {link}"
        begun = await player.ask("PlayChallenge", challenge=link)
        if begun is not None and begun["type"] == "attempt":
            moves = rng.randint(1, 10)
            await play(player, begun["attempt"], moves, abandon=rng.random() < 0.3)
        shown = await player.ask("WatchChallenge", challenge=link)
        if shown is not None and shown["type"] == "Challenge" and shown["players"]:
            of = rng.choice(shown["players"])["player"]["id"]
            await player.ask("EmoteRun", challenge=link, player=of, emote=rng.randrange(8))
        if world.closing:
            return
        if rng.random() < 0.2:
            await player.ask("CloseChallenge", challenge=link)
        if rng.random() < 0.3 and shown is not None and shown["type"] == "Challenge":
            # The challenge's hour passes, or nearly.
            target = shown["closes"] - rng.choice((1_500, 200, -300))
            if target > world.now():
                world.skip_time(target - world.now())
        player.doing = f"asking for a rematch of {link}"
        following = await player.ask("Rematch", challenge=link)
        if following is None or following["type"] != "Challenge":
            return
        link = following["challenge"]


@dataclass
class Club:
    """A circle for players to meet in.

    Attributes:
        key: the idempotency key of its creation.
        guests: all who will be members, the founder first.
        founded: its id, once it is founded.
        founder: the founder's id, once it is founded.
        links: the links that its members have seen, in order.
    """

    key: str
    guests: list[Player]
    founded: asyncio.Future[str] = field(default_factory=_future)
    founder: str = ""
    links: list[str] = field(default_factory=list)


async def found(player: Player, club: Club) -> None:
    """Found a circle."""
    await player.begin()
    player.doing = "founding a circle"
    made = await player.ask("CreateCircle", name="Friends", key=club.key)
    assert made is not None, "sent until it is answered"
    club.founder = player.id
    club.links.append(made["link"])
    club.founded.set_result(made["circle"])


async def gather(player: Player, club: Club) -> None:
    """Wait for a circle's link, then act as members and owners do."""
    rng, world = player.rng, player.world
    await player.begin()
    player.doing = "waiting for a link"
    circle = await club.founded
    for _ in range(rng.randint(*CIRCLE_STEPS)):
        if world.closing:
            break
        player.doing = f"in circle {circle}"
        command = rng.choice(_commands(player, club, circle))
        type_ = command.pop("type")
        answer = await player.ask(type_, **command)
        if answer is not None and answer["type"] == "Circle":
            club.links.append(answer["link"])
            world.counts["circles changed or looked at"] += 1
        await player.pause(0.0, 1.0)


def _commands(player: Player, club: Club, circle: str) -> list[Message]:
    """Return commands to choose from; some are refused to non-members or non-owners."""
    rng = player.rng
    entering = {"type": "JoinCircle", "link": rng.choice((club.links[0], club.links[-1]))}
    other = rng.choice([each.id for each in club.guests if each.id] or [player.id])
    never = {"DeleteCircle"}
    # A circle without members is deleted, which would leave nothing to check.
    if player.id == club.founder:
        never.add("LeaveCircle")
    if other == club.founder:
        never.add("RemoveFromCircle")
    on = [each for each in circle_commands(circle, other, rng) if each["type"] not in never]
    usual = [each for each in on if each["type"] not in {"LeaveCircle", "RemoveFromCircle"}]
    return [entering] * 6 + usual * 2 + on


def circle_commands(circle: str, other: str, rng: random.Random) -> list[Message]:
    """Return commands on a circle, some of them about another player."""
    commands: list[Message] = [
        {"type": "WatchCircle"},
        {"type": "GetCircleTable", "span": rng.choice(("day", "week", "all"))},
        {"type": "GetCircleFeed"},
        {"type": "GetHeadToHead", "one": other, "other": other},
        {"type": "EmoteItem", "item": "j:" + other, "emote": rng.randrange(8)},
        {"type": "LeaveCircle"},
        {"type": "MuteCircle", "muted": rng.random() < 0.5},
        {"type": "RemoveFromCircle", "player": other},
        {"type": "HandOverCircle", "player": other},
        {"type": "RenameCircle", "name": rng.choice(("Friends", "Family", "Club"))},
        {"type": "RenewCircleLink"},
        {"type": "SetCircleSeason", "weeks": rng.choice((1, 2, None))},
        {"type": "SetCircleLeague", "league": None},
        {"type": "SetCircleWebhook", "url": None},
        {"type": "DeleteCircle"},
    ]
    return [{**command, "circle": circle} for command in commands]


async def play(player: Player, attempt: str, moves: int, *, abandon: bool) -> None:
    """Play up to `moves` moves times the player's stamina, then resign or abandon the attempt."""
    rng, world = player.rng, player.world
    budget, lost = moves * player.stamina, False
    while True:
        state = player.states.get(attempt)
        if state is None or lost:
            player.doing = f"opening {attempt}"
            have = player.have(attempt) if state is not None else None
            answer = await player.ask("attempt.open", attempt=attempt, have=have)
            lost = False
            world.counts["missed events"] += answer is not None and answer["type"] == "missed"
            if answer is not None and answer.get("code") == "not_started":
                await player.pause(0.05, 0.4)
            elif answer is not None and answer["type"] == "refused":
                return
            continue
        if state.end is not None or (budget <= 0 and abandon):
            return
        other = None
        if player.takes_second_device(attempt):
            commands = _moves(attempt, state.seq + 1, state.plan(rng.choice((1, 2)), rng))
            other = asyncio.ensure_future(player.ask_all(commands, 1))
        planned = state.plan(rng.choice((1, 1, 1, 2, 3)), rng)
        player.doing = f"playing entry {state.seq + 1} of {attempt}"
        wanted = state.plan_help(rng) if budget > 0 and not world.closing else []
        if wanted:
            world.counts[f"asked for: {wanted[0]['type']}"] += 1
            commands = [{**wanted[0], "attempt": attempt}]
        elif budget <= 0 or world.closing or not planned:
            commands = [{"type": "resign", "attempt": attempt, "seq": state.seq + 1}]
        else:
            commands = _moves(attempt, state.seq + 1, planned)
        budget -= len(planned)
        lost = await _send_until_answered(player, attempt, commands)
        if other is not None:
            await other
        await asyncio.sleep(rng.expovariate(1 / player.pace))


def _moves(attempt: str, first: int, moves: list[str]) -> list[Message]:
    """Return the commands that play moves in order."""
    return [
        {"type": "move", "attempt": attempt, "seq": seq, "move": move}
        for seq, move in enumerate(moves, first)
    ]


async def _send_until_answered(player: Player, attempt: str, commands: list[Message]) -> bool:
    """Send an attempt's commands together, repeating them until they are answered.

    Returns:
        Whether the attempt has to be reopened before anything else.
    """
    waiting = commands
    while waiting:
        answers = await player.ask_all(waiting, player.random_device())
        refused = [a["code"] for a in answers if a is not None and a["type"] == "refused"]
        if any(code not in RETRYABLE for code in refused):
            # The state may be stale: reopen the attempt.
            if player.rng.random() < 0.5:
                player.states.pop(attempt, None)
            return True
        waiting = [
            command
            for command, answer in zip(waiting, answers, strict=True)
            if answer is None or answer["type"] == "refused"
        ]
        if waiting and player.rng.random() < 0.3:
            # Resume with `have`, as the client library does.
            return True
        if refused:
            await player.pause(0.05, 0.5)
    return False
