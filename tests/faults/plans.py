"""Plans of players: races in rooms, dailies and leaderboards, until the run closes."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field

from engine.catalog import daily_games, games
from tests.faults.ledger import Message
from tests.faults.player import RETRYABLE, Player
from tests.faults.resuming import resume

GAMES = list(games())

HELP = ("none", "undo", "hints", "hints")
"""The help that a room may allow, to choose from."""

LIMIT = 60
"""Seconds of a round when its room is opened; the nodes under test shorten it."""

HOSTING = 0.15
"""Probability of a room action before or during a round."""

QUICK = 0.15
"""Probability of looking for a quick match."""

CHALLENGED = 0.15
"""Probability of making or playing a challenge."""

GATHERED = 0.05
"""Probability of founding or joining a circle, and looking at it."""

REMATCH = 0.3
"""Probability that a member other than the host calls the rematch."""

VANISHED = (1.0, 9.0)
"""Seconds of an absence. Hosts are replaced after two, seats lost after six."""

WATCHING = 0.6
"""Probability that a player watches the others after finishing a round."""

LOOKING_ON = (3.0, 12.0)
"""How long a player watches a room by its link, in seconds."""

POLL_AFTER = 4.0
"""Seconds without news before a player reads the room again."""


def _future() -> asyncio.Future[str]:
    return asyncio.get_running_loop().create_future()


@dataclass
class Table:
    """A group of racing players, and the future code of their room."""

    game: str
    seats: int
    rounds: int
    key: str
    code: asyncio.Future[str] = field(default_factory=_future)


async def play_until_closed(player: Player, tables: asyncio.Queue[Table], pace: float) -> None:
    """Play races and dailies until the world closes."""
    rng = player.rng
    await player.become_new()
    dailies = rng.sample(daily_games(), len(daily_games()))
    while not player.world.closing:
        if player.world.links and rng.random() < 0.15:
            await look_on(player)
        elif rng.random() < QUICK:
            await race_quickly(player, pace)
        elif rng.random() < CHALLENGED:
            await challenge(player, pace)
        elif rng.random() < GATHERED:
            await gather(player)
        elif rng.random() < 0.6:
            await race(player, await seat(player, tables), pace)
        elif dailies:
            await daily(player, dailies.pop(), pace)
        else:
            await player.become_new()
            dailies = rng.sample(daily_games(), len(daily_games()))
    player.doing = "leaving"
    await player.leave()
    player.doing = "done"


async def seat(player: Player, tables: asyncio.Queue[Table]) -> Table:
    if not tables.empty():
        return tables.get_nowait()
    rng = player.rng
    seats = rng.choice((1, 2, 2, 3, 4))
    table = Table(rng.choice(GAMES), seats, rng.randint(1, 3), f"{rng.getrandbits(64):016x}")
    for _ in range(seats - 1):
        tables.put_nowait(table)
    player.doing = f"opening a room for {seats}"
    allowed = rng.choice(HELP)
    variant: Message = {"variant": "standard", "help": allowed} if allowed != "none" else {}
    room = await player.ask(
        "room.create",
        game=table.game,
        seats=seats,
        limit=LIMIT * rng.choice((1, 2)),
        key=table.key,
        **variant,
    )
    assert room is not None, "sent until it is answered"
    table.code.set_result(room["code"])
    return table


async def race(player: Player, table: Table, pace: float) -> None:
    world, rng = player.world, player.rng
    player.doing = "waiting for a room's code"
    code = await table.code
    leaves_early = rng.random() < 0.1
    waited = 0
    while True:
        player.doing = f"joining room {code}"
        room = await player.ask("room.join", code=code)
        if room is None or room["type"] != "room":
            return
        room = player.rooms.get(code, room)
        round_ = room["round"]
        if not world.closing:
            await _run_room(player, room)
            room = player.rooms.get(code, room)
            round_ = room["round"]
        if round_ is not None and not round_["over"]:
            waited = 0
            if not await _run(player, room, pace, leaves_early=leaves_early):
                break
        elif world.closing or (round_ is not None and round_["number"] >= table.rounds):
            break
        elif room["host"] == player.id or (round_ is not None and rng.random() < REMATCH):
            waited = await _start(player, room, table, waited)
            if waited > 5:
                break
        else:
            await _be_ready(player, room)
            waited += 1
            if waited > 6:
                break
    player.doing = f"leaving room {code}"
    await player.ask("room.leave", code=code)
    world.counts["races played"] += 1


async def look_on(player: Player) -> None:
    rng, world = player.rng, player.world
    code, key = rng.choice(list(world.links))
    player.doing = f"watching room {code}"
    answer = await player.ask("WatchRound", code=code, key=key)
    if answer is None or answer["type"] != "Watched":
        return
    world.counts["rooms watched by a link"] += 1
    await player.until(lambda: world.closing, rng.uniform(*LOOKING_ON))
    await player.ask("StopWatching")


async def race_quickly(player: Player, pace: float) -> None:
    world, rng = player.world, player.rng
    player.doing = "looking for a match"
    # Few games, so that players meet.
    room = await player.ask("room.quick", game=rng.choice(GAMES[:2]))
    if room is None or room["type"] != "room":
        return
    code = room["code"]
    stays = rng.random() < 0.8
    while room["round"] is None and stays and not world.closing:
        player.doing = f"waiting in room {code}"
        if rng.random() < 0.1:
            await player.vanish(rng.uniform(*VANISHED))
        await _change(player, room)
        # During a short absence another player may have taken the seat.
        answer = await player.ask("room.join", deserved="room_full", code=code)
        if answer is None or answer["type"] != "room":
            return
        room = player.rooms.get(code, answer)
    if room["round"] is not None and not room["round"]["over"]:
        await _run(player, room, pace, leaves_early=rng.random() < 0.3)
    player.doing = f"leaving room {code}"
    await player.ask("room.leave", code=code)
    world.counts["quick matches"] += 1


async def _run_room(player: Player, room: Message) -> None:
    """At random, do a host's or a member's action, or vanish for a while."""
    rng, code = player.rng, room["code"]
    if rng.random() > HOSTING:
        return
    others = [m["player"]["id"] for m in room["members"] if m["player"]["id"] != player.id]
    terms = {"game": rng.choice(GAMES), "variant": "standard", "limit": LIMIT}
    terms |= {"help": rng.choice(HELP)}
    wanted: list[tuple[str, Message]] = [
        ("room.propose", terms),
        ("room.ready", {"ready": False}),
        ("vanish", {}),
    ]
    if room["host"] == player.id:
        wanted = [("room.terms", terms), ("room.lock", {"locked": not room["locked"]}), wanted[2]]
        wanted += [("room.public", {"public": not room["public"]})]
        wanted += [("room.host", {"player": other}) for other in others]
        wanted += [("room.remove", {"player": other}) for other in others[:1]]
        wanted += [("GetWatchKey", {})] * 3
    type_, fields = rng.choice(wanted)
    player.doing = f"{type_} in room {code}"
    if type_ == "vanish":
        await player.vanish(rng.uniform(*VANISHED))
    else:
        answer = await player.ask(type_, code=code, **fields)
        if answer is not None and answer["type"] == "WatchKey":
            player.world.links.append((code, answer["key"]))


async def _start(player: Player, room: Message, table: Table, waited: int) -> int:
    """Start a round if enough members are ready, or wait; return the number of attempts so far."""
    code, rng = room["code"], player.rng
    seated = [member for member in room["members"] if member["ready"]]
    if len(seated) < min(table.seats, 2) and waited < 4:
        player.doing = f"waiting for others in room {code}"
        await _change(player, room)
        return waited + 1
    player.doing = f"starting a round in room {code}"
    anyway: Message = {"anyway": True} if waited > 2 or rng.random() < 0.3 else {}
    # An unanswered start may have succeeded, so the room is read again.
    await player.ask("room.start", once=True, code=code, **anyway)
    return waited + 1


async def _be_ready(player: Player, room: Message) -> None:
    code = room["code"]
    me = next((m for m in room["members"] if m["player"]["id"] == player.id), None)
    if me is not None and not me["ready"]:
        player.doing = f"getting ready in room {code}"
        answer = await player.ask("room.ready", code=code, ready=True)
        room = answer if answer is not None and answer["type"] == "room" else room
    player.doing = f"waiting for a round in room {code}"
    await _change(player, room)


async def _change(player: Player, room: Message) -> None:
    code, version = room["code"], room["version"]
    await player.until(lambda: player.rooms[code]["version"] > version, POLL_AFTER)


async def _run(player: Player, room: Message, pace: float, *, leaves_early: bool) -> bool:
    """Play the attempt, and wait for the end of the round; return whether to stay."""
    code, round_, rng = room["code"], room["round"], player.rng
    mine = next((r for r in round_["runners"] if r["player"]["id"] == player.id), None)
    if mine is not None and mine["result"]["end"] is None:
        attempt = mine["attempt"]
        player.doing = f"waiting for the cards of {attempt}"
        await player.until(lambda: attempt in player.states, POLL_AFTER)
        if attempt not in player.states:
            player.world.counts["cards asked for"] += 1
        budget = rng.randint(3, 10) if leaves_early else rng.randint(5, 60)
        await play(player, attempt, budget, pace, abandon=rng.random() < 0.15)
    if leaves_early:
        return False
    if rng.random() < WATCHING:
        player.doing = f"watching round {round_['number']} in room {code}"
        await player.ask("WatchRound", code=code)
    player.doing = f"waiting for the end of round {round_['number']} in room {code}"

    def over() -> bool:
        now = player.rooms[code]["round"]
        return bool(now["over"] or now["number"] > round_["number"])

    await player.until(over, POLL_AFTER)
    return True


async def daily(player: Player, game: str, pace: float) -> None:
    player.doing = f"opening the daily of {game}"
    answer = await player.ask("daily.open", game=game)
    if answer is not None and answer["type"] == "attempt":
        rng = player.rng
        await play(player, answer["attempt"], rng.randint(5, 60), pace, abandon=rng.random() < 0.1)
    player.doing = f"watching the leaderboard of {game}"
    await player.ask("leaderboard.watch", game=game)
    player.world.counts["dailies played"] += 1


async def challenge(player: Player, pace: float) -> None:
    rng, world = player.rng, player.world
    if not world.challenges or rng.random() < 0.4:
        player.doing = "making a challenge"
        made = await player.ask(
            "CreateChallenge",
            game=rng.choice(GAMES),
            limit=LIMIT,
            open_for=3_600,
            key=f"{rng.getrandbits(64):016x}",
            variant="standard",
            help=rng.choice(HELP),
            target=rng.random() < 0.5,
        )
        if made is None or made["type"] != "Challenge":
            return
        world.challenges.append(made["challenge"])
        world.counts["challenges made"] += 1
    link = rng.choice(list(world.challenges))
    player.doing = f"watching challenge {link}"
    await player.ask("WatchChallenge", challenge=link)
    player.doing = f"starting challenge {link}"
    begun = await player.ask("PlayChallenge", challenge=link)
    if begun is not None and begun["type"] == "attempt":
        abandon = rng.random() < 0.2
        await play(player, begun["attempt"], rng.randint(2, 20), pace, abandon=abandon)
    shown = await player.ask("WatchChallenge", challenge=link)
    if shown is not None and shown["type"] == "Challenge" and shown["players"]:
        of = rng.choice(shown["players"])["player"]["id"]
        await player.ask("EmoteRun", challenge=link, player=of, emote=rng.randrange(8))
        if rng.random() < 0.2:
            following = await player.ask("Rematch", challenge=link)
            if following is not None and following["type"] == "Challenge":
                world.challenges.append(following["challenge"])
    if rng.random() < 0.1:
        # Only its creator can close it.
        await player.ask("CloseChallenge", challenge=link)
    await player.ask("ListChallenges", seen=rng.random() < 0.5)
    await player.ask("UnwatchChallenge")
    world.counts["challenges played"] += 1


async def gather(player: Player) -> None:
    rng, world = player.rng, player.world
    player.doing = "entering a circle"
    if not world.circles or rng.random() < 0.3:
        key = f"{rng.getrandbits(64):016x}"
        found = await player.ask("CreateCircle", name="Friends", key=key)
        if found is not None and found["type"] == "Circle":
            world.circles.append(found["link"])
            weeks = rng.randint(1, 4)
            await player.ask("SetCircleSeason", circle=found["circle"], weeks=weeks)
    else:
        found = await player.ask("JoinCircle", link=rng.choice(list(world.circles)))
    if found is None or found["type"] != "Circle":
        return
    circle = found["circle"]
    player.doing = f"looking at circle {circle}"
    await player.ask("WatchCircle", circle=circle)
    await player.ask("MuteCircle", circle=circle, muted=rng.random() < 0.5)
    span = rng.choice(("day", "week", "season", "all"))
    await player.ask("GetCircleTable", circle=circle, span=span)
    await player.ask("GetCircleFeed", circle=circle)
    if found["owner"] != player.id and rng.random() < 0.3:
        await player.ask("LeaveCircle", circle=circle)
    await player.ask("UnwatchCircle")
    world.counts["circles visited"] += 1


async def play(player: Player, attempt: str, budget: int, pace: float, *, abandon: bool) -> None:
    """Play up to `budget` moves, then resign, or abandon the attempt."""
    rng = player.rng
    session = player.opened
    while True:
        await player.wire()
        if player.opened != session:
            await resume(player, attempt)
            session = player.opened
        state = player.states.get(attempt)
        if state is None:
            player.doing = f"opening {attempt}"
            answer = await player.ask("attempt.open", attempt=attempt)
            if answer is not None and answer.get("code") == "not_started":
                await asyncio.sleep(0.1)
            elif answer is not None and answer["type"] == "refused":
                return
            continue
        if state.end is not None:
            return
        if rng.random() < 0.01:
            await player.take_over()
        if budget <= 0 and abandon:
            return
        if budget > 0 and not player.world.closing and (wanted := state.plan_help(rng)):
            budget -= 1
            player.world.counts[f"asked for: {wanted[0]['type']}"] += 1
            await _send_until_answered(player, attempt, wanted)
            continue
        moves = state.plan(rng.choice((1, 1, 1, 2, 3, 5)), rng)
        if budget <= 0 or player.world.closing or not moves:
            await _send_until_answered(player, attempt, [{"type": "resign", "seq": state.seq + 1}])
            await asyncio.sleep(0.05)
            continue
        budget -= len(moves)
        await _send_until_answered(
            player,
            attempt,
            [
                {"type": "move", "seq": seq, "move": move}
                for seq, move in enumerate(moves, state.seq + 1)
            ],
        )
        await asyncio.sleep(rng.expovariate(1 / pace))


async def _send_until_answered(player: Player, attempt: str, commands: list[Message]) -> None:
    """Send an attempt's commands together, and resend them until they are answered."""
    waiting = [{**command, "attempt": attempt} for command in commands]
    session = player.opened
    while waiting:
        await player.wire()
        if player.opened != session:
            await resume(player, attempt)
            session = player.opened
        player.doing = f"playing entry {waiting[0]['seq']} of {attempt}"
        answers = await player.ask_all(waiting)
        refused = [a for a in answers if a is not None and a["type"] == "refused"]
        if any(answer["code"] not in RETRYABLE for answer in refused):
            # The state may be stale, so the attempt is opened anew next time.
            player.states.pop(attempt, None)
            return
        waiting = [
            command
            for command, answer in zip(waiting, answers, strict=True)
            if answer is None or answer["type"] == "refused"
        ]
        if refused:
            await asyncio.sleep(player.rng.uniform(0.2, 0.8))


def rngs(seed: int, count: int) -> list[random.Random]:
    """Return `count` random number generators, all derived from one seed."""
    return [random.Random(f"{seed}:{number}") for number in range(count)]
