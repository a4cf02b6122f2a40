"""Race rooms over real sockets."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.board import view_of
from engine.catalog import games, ruleset
from engine.deal import commitment, deal_seed
from engine.notation import seen_text
from server.base.core.ids import PACE_BOT
from server.base.journals import store as journals_store
from server.base.net import limits
from server.base.redis.clock import RedisClock
from server.lobby import open_rooms
from server.play.core import pace_bot
from server.rooms.core import commands, quick_match
from server.rooms.core.absence import HOST_ABSENCE_MS, SEAT_ABSENCE_MS
from tests.base.redis.servers import until
from tests.clients.client import Message, opened
from tests.clients.play import KEY, race_of, resign, room_of
from tests.conftest import ALONE
from tests.sizes import SAMPLED, cases
from tests.timers import AbsenceTime

pytestmark = [ALONE, pytest.mark.usefixtures("short_countdown")]

TERMS = {"game": "roosevelt", "variant": "standard", "limit": 300}


def is_over(event: Message) -> bool:
    return bool(event["round"] and event["round"]["over"])


async def test_a_player_joins_by_the_code_in_upper_or_lower_case(port: int) -> None:
    async with opened(port) as host, opened(port) as guest:
        code = await room_of(host)
        await guest.hello(name="Bob")
        room = await guest.ask("room.join", code=code.lower())
        assert [member["player"]["name"] for member in room["members"]][1] == "Bob"
        news = await host.next("room", lambda e: len(e["members"]) == 2)
        assert news["members"][1]["here"] is True


@pytest.mark.parametrize(
    ("game", "variant"),
    [(game.id, variant) for game in games().values() for variant in game.variants][:: cases(7, 1)],
)
@SAMPLED
async def test_every_seat_has_the_same_deal(port: int, game: str, variant: str) -> None:
    async with opened(port) as one, opened(port) as other:
        mine, yours = await race_of(one, other, game=game, variant=variant)
        assert mine["piles"] == yours["piles"]
        assert mine["attempt"] != yours["attempt"]
        assert (mine["game"], mine["variant"]) == (game, variant)


async def test_no_card_is_sent_in_the_countdown(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "COUNTDOWN_MS", 2_000)
    async with opened(port) as one, opened(port) as other:
        room = await one.ask("room.start", code=await room_of(one, other))
        attempt = room["round"]["runners"][0]["attempt"]
        assert (await one.ask("attempt.open", attempt=attempt))["code"] == "not_started"
        # The session has no number for an attempt that was not sent to it.
        early = await one.ask("move", attempt=attempt, seq=2, move="s>w")
        assert (early["code"], "piles" in early) == ("unknown_attempt", False)
        assert (await one.next("attempt"))["now"] >= room["round"]["starts"]


async def test_a_round_ends_with_results_the_seed_and_a_score(port: int) -> None:
    async with opened(port) as one, opened(port) as other:
        mine, yours = await race_of(one, other)
        played = await one.ask("move", attempt=mine["attempt"], seq=2, move="s>w")
        assert played["result"]["moves"] == 1
        await resign(other, yours)
        await one.ask("resign", attempt=mine["attempt"], seq=3)
        room = await other.next("room", is_over)
        round_ = room["round"]
        # No player brought a card home: all are last, and none has won.
        assert [runner["rank"] for runner in round_["runners"]] == [2, 2]
        assert [(member["wins"], member["points"]) for member in room["members"]] == [(0, 0)] * 2
        (score,) = room["scores"]
        assert (score["number"], score["game"], room["former"]) == (1, "robert", [])
        assert {(place["player"], place["rank"], place["points"]) for place in score["places"]} == {
            (run["attempt"].split(".")[1], 2, 0) for run in (mine, yours)
        }
        await other.ask("room.leave", code=room["code"])
        room = await one.next("room", lambda event: len(event["members"]) == 1)
        (former,) = room["former"]
        assert former["player"] == round_["runners"][1]["player"]
        assert (former["points"], room["scores"]) == (0, [score])
        seed = bytes.fromhex(round_["seed"])
        assert commitment(round_["deal"], seed) == round_["commitment"] == mine["commitment"]
        view = view_of(deal_seed(ruleset("robert"), seed))
        assert {
            n: seen_text(p) for n, p in zip(view.ruleset.pile_names, view.piles, strict=True)
        } == mine["piles"]


async def test_the_seed_is_secret_until_the_round_is_over(port: int) -> None:
    async with opened(port) as one, opened(port) as other, opened(port) as stranger:
        mine, _ = await race_of(one, other)
        await stranger.hello()
        for client in (one, stranger):
            assert (await client.ask("deal.show", deal=mine["deal"]))["seed"] is None
        await resign(one, mine)
        assert (await one.ask("deal.show", deal=mine["deal"]))["seed"] is None


async def test_a_rematch_is_in_the_same_room_on_another_deal(port: int) -> None:
    async with opened(port) as one, opened(port) as other:
        mine, yours = await race_of(one, other)
        await resign(one, mine)
        await resign(other, yours)
        code = (await one.next("room", is_over))["code"]
        assert (await other.ask("room.start", code=code))["code"] == "not_ready"
        await one.ask("room.ready", code=code, ready=True)
        room = await other.ask("room.start", code=code)
        assert room["round"]["number"] == 2
        assert room["host"] == mine["attempt"].split(".")[1], "a member starts the rematch"
        assert room["round"]["deal"] != mine["deal"]
        assert (await other.next("attempt"))["deal"] == room["round"]["deal"]


async def test_a_latecomer_watches_and_plays_in_the_next_round(port: int) -> None:
    async with opened(port) as one, opened(port) as other, opened(port) as late:
        mine, yours = await race_of(one, other, seats=3)
        code = mine["room"]
        late_id = (await late.hello())["player"]["id"]
        joined = await late.ask("room.join", code=code)
        assert late_id in ids(joined)
        assert late_id not in [runner["player"]["id"] for runner in joined["round"]["runners"]]
        await one.ask("move", attempt=mine["attempt"], seq=2, move="s>w")
        (runner,) = (await late.next("progress"))["runners"]
        assert runner["result"]["moves"] == 1
        refused = await late.ask("attempt.open", attempt=f"{mine['deal']}.{late_id}")
        assert refused["code"] == "unknown_attempt"
        await one.ask("resign", attempt=mine["attempt"], seq=3)
        await resign(other, yours)
        await late.next("room", is_over)
        assert "attempt" not in late.seen
        for client in (one, other):
            await client.ask("room.ready", code=code, ready=True)
        room = await late.ask("room.start", code=code)
        assert late_id in [runner["player"]["id"] for runner in room["round"]["runners"]]
        assert (await late.next("attempt"))["deal"] == room["round"]["deal"]


async def test_progress_is_pushed_as_counters_only(port: int) -> None:
    async with opened(port) as one, opened(port) as other:
        mine, _ = await race_of(one, other)
        await one.ask("move", attempt=mine["attempt"], seq=2, move="s>w")
        news = await other.next("progress")
        by_player = {runner["player"]: runner["result"] for runner in news["runners"]}
        assert by_player[mine["attempt"].split(".")[1]]["moves"] == 1
        assert set(news) == {"type", "code", "number", "runners"}
        fields = {"player", "result", "headway"}
        assert all(set(runner) == fields for runner in news["runners"])


MEMBERS_COMMANDS: list[tuple[str, dict[str, object]]] = [
    ("room.leave", {}),
    ("room.start", {}),
    ("room.ready", {"ready": True}),
    ("room.terms", TERMS),
    ("room.propose", TERMS),
    ("room.remove", {"player": "x"}),
    ("room.host", {"player": "x"}),
    ("room.lock", {"locked": True}),
    ("room.public", {"public": True}),
    ("SendEmote", {"emote": 0}),
    ("GetWatchKey", {}),
]


@pytest.mark.parametrize("code", ["ZZZZZZZZ", "", "O0I1L", "ABCDEFGH"])
async def test_an_unknown_code_is_refused(port: int, code: str, few: Callable[..., None]) -> None:
    few(PLAYER_SLIPS=100.0)
    async with opened(port) as client:
        await client.hello()
        for command, fields in [("room.join", {}), *MEMBERS_COMMANDS]:
            assert (await client.ask(command, code=code, **fields))["code"] == "unknown_room"


async def test_outsiders_do_not_learn_of_a_room(port: int, few: Callable[..., None]) -> None:
    few(PLAYER_SLIPS=1e3, PLAYER_COMMANDS=1e6, ADDRESS_COMMANDS=1e6, EMOTES=1e3)
    async with opened(port) as one, opened(port) as other, opened(port) as stranger:
        mine, yours = await race_of(one, other)
        await stranger.hello()
        for over in (False, True):
            if over:
                await resign(one, mine)
                await resign(other, yours)
                await one.next("room", is_over)
            for command, fields in MEMBERS_COMMANDS:
                told, untold = [
                    await stranger.ask(command, code=code, **fields)
                    for code in (mine["room"], "ZZZZZZZZ")
                ]
                assert (told["code"], told | {"re": 0}) == ("unknown_room", untold | {"re": 0})


async def test_a_repeated_creation_makes_one_room(port: int) -> None:
    async with opened(port) as client:
        await client.hello()
        first, again = [await client.ask("room.create", **CREATION) for _ in range(2)]
        other = await client.ask("room.create", **(CREATION | {"key": KEY + "x"}))
        assert first["code"] == again["code"] != other["code"]


CREATION: dict[str, object] = {"game": "robert", "seats": 2, "limit": 60, "key": KEY}


@pytest.mark.parametrize(
    ("command", "change", "code"),
    [
        ("room.create", {"seats": 0}, "bad_message"),
        ("room.create", {"seats": 9}, "bad_message"),
        ("room.create", {"key": "short"}, "bad_message"),
        *(
            (command, change, code)
            for command in ("room.create", "room.terms", "room.propose")
            for change, code in (
                ({"game": "no-such-game"}, "unknown_game"),
                ({"variant": "mild"}, "unknown_variant"),
                ({"limit": 59}, "bad_message"),
                ({"limit": 7201}, "bad_message"),
            )
        ),
    ],
)
async def test_invalid_terms_are_refused(
    port: int, command: str, change: dict[str, object], code: str
) -> None:
    async with opened(port) as client:
        room = await room_of(client)
        fields = CREATION if command == "room.create" else TERMS | {"code": room}
        assert (await client.ask(command, **(fields | change)))["code"] == code


async def test_leaving_changes_the_host_and_resigns_the_attempt(port: int) -> None:
    async with opened(port) as one, opened(port) as other:
        mine, _ = await race_of(one, other)
        assert (await one.ask("room.leave", code=mine["room"]))["type"] == "done"

        def has_resigned(event: Message) -> bool:
            ends = [runner["result"]["end"] for runner in event["round"]["runners"]]
            return len(event["members"]) == 1 and sorted(map(str, ends)) == ["None", "resigned"]

        room = await other.next("room", has_resigned)
        assert room["host"] == room["members"][0]["player"]["id"]


async def test_a_round_ends_at_its_deadline(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(port) as one, opened(port) as other:
        await race_of(one, other)
        await other.socket.close()
        now = RedisClock.now
        monkeypatch.setattr(journals_store, "CLOCK_TOLERANCE_MS", 10**15)
        monkeypatch.setattr(RedisClock, "now", lambda clock: now(clock) + 600_000)
        assert (await one.next("ended"))["result"]["end"] == "time"
        room = await one.next("room", is_over)
        assert [runner["result"]["end"] for runner in room["round"]["runners"]] == ["time"] * 2


async def test_disconnected_members_are_shown_as_absent(port: int) -> None:
    async with opened(port) as one:
        async with opened(port) as other:
            await room_of(one, other)
            await one.next("room", lambda e: all(m["here"] for m in e["members"]))
        news = await one.next("room", lambda e: not all(m["here"] for m in e["members"]))
        assert [member["here"] for member in news["members"]] == [True, False]


async def test_players_of_one_room_on_two_nodes_race_as_if_on_one(ports: tuple[int, int]) -> None:
    async with opened(ports[0]) as one, opened(ports[1]) as other:
        mine, yours = await race_of(one, other)
        assert mine["piles"] == yours["piles"]
        await one.ask("move", attempt=mine["attempt"], seq=2, move="s>w")
        assert (await other.next("progress"))["code"] == mine["room"]
        await one.ask("resign", attempt=mine["attempt"], seq=3)
        await resign(other, yours)
        for client in (one, other):
            assert (await client.next("room", is_over))["round"]["seed"] is not None


def ids(room: Message) -> list[str]:
    return [member["player"]["id"] for member in room["members"]]


def here(room: Message) -> list[bool]:
    return [member["here"] for member in room["members"]]


async def test_all_present_members_play_and_absent_ones_block_the_start(port: int) -> None:
    async with opened(port) as one, opened(port) as other, opened(port) as third:
        code = await room_of(one, other, third)
        await third.socket.close()
        await one.next("room", lambda e: here(e) == [True, True, False])
        assert (await one.ask("room.start", code=code))["code"] == "players_away"
        room = await one.ask("room.start", code=code, anyway=True)
        assert [runner["player"]["id"] for runner in room["round"]["runners"]] == ids(room)[:2]


async def test_an_absent_member_who_sits_out_does_not_block_the_start(port: int) -> None:
    async with opened(port) as one:
        async with opened(port) as other:
            code = await room_of(one, other)
            await other.ask("room.ready", code=code, ready=False)
        await one.next("room", lambda e: here(e) == [True, False])
        assert len((await one.ask("room.start", code=code))["round"]["runners"]) == 1


async def test_the_host_sets_the_terms_of_the_next_round(port: int) -> None:
    async with opened(port) as one, opened(port) as other:
        mine, yours = await race_of(one, other)
        code = mine["room"]
        assert (await one.ask("room.terms", code=code, **TERMS))["code"] == "round_running"
        await resign(one, mine)
        await resign(other, yours)
        await other.next("room", is_over)
        assert (await other.ask("room.terms", code=code, **TERMS))["code"] == "not_host"
        proposed = await other.ask("room.propose", code=code, **TERMS)
        left = {"help": "none", "known": "", "winnable": False}
        said = {"player": ids(proposed)[1], **TERMS, **left}
        assert proposed["proposals"] == [said]
        await one.next("room", lambda e: e["proposals"] == proposed["proposals"])
        room = await one.ask("room.terms", code=code, **TERMS)
        assert ({name: room[name] for name in TERMS}, room["proposals"]) == (TERMS, [])
        assert (room["round"]["game"], room["round"]["limit"]) == ("robert", 600)
        assert (await other.ask("room.start", code=code))["code"] == "not_ready"
        await one.ask("room.ready", code=code, ready=True)
        room = await other.ask("room.start", code=code)
        assert (room["round"]["game"], room["round"]["limit"]) == ("roosevelt", 300)
        assert room["round"]["deadline"] - room["round"]["starts"] == 300_000
        for client in (one, other):
            assert (await client.next("attempt"))["game"] == "roosevelt"


async def test_the_next_round_has_the_variant_set_by_the_host(port: int) -> None:
    terms: dict[str, object]
    terms = {"game": "deuces", "variant": "strict", "limit": 120, "help": "undo", "known": ""}
    terms["winnable"] = True
    async with opened(port) as one, opened(port) as other:
        code = await room_of(one, other)
        proposed = await other.ask("room.propose", code=code, **terms)
        assert proposed["proposals"] == [{"player": ids(proposed)[1], **terms}]
        room = await one.ask("room.terms", code=code, **terms)
        assert {name: room[name] for name in terms} == terms
        while (room := await one.ask("room.start", code=code))["code"] == "players_away":
            await one.next("room")
        # Only deals of the standard variant are certified.
        assert {name: room["round"][name] for name in terms} == terms | {"winnable": False}
        for client in (one, other):
            attempt = await client.next("attempt")
            assert (attempt["game"], attempt["variant"]) == ("deuces", "strict")


async def test_a_removed_player_is_notified_and_cannot_return(ports: tuple[int, int]) -> None:
    """The player is on another node than the host, after a round."""
    async with opened(ports[0]) as one, opened(ports[1]) as other:
        mine, yours = await race_of(one, other)
        code = mine["room"]
        player = yours["attempt"].split(".")[1]
        assert (await other.ask("room.remove", code=code, player="x"))["code"] == "not_host"
        assert (await one.ask("room.remove", code=code, player=player))["code"] == "round_running"
        await resign(one, mine)
        await resign(other, yours)
        await one.next("room", is_over)
        room = await one.ask("room.remove", code=code, player=player)
        assert ids(room) == [mine["attempt"].split(".")[1]]
        assert (await other.next("removed"))["code"] == code
        assert (await other.ask("room.join", code=code))["code"] == "removed"
        # The player is sent no more of the room, although the node still follows another one.
        sent = other.seen.count("room")
        own = await other.ask("room.create", game="robert", seats=2, limit=600, key=KEY)
        await one.ask("room.lock", code=code, locked=True)
        await other.ask("room.join", code=own["code"])
        assert other.seen.count("room") <= sent + 1


async def test_the_host_can_hand_over(port: int) -> None:
    async with opened(port) as one, opened(port) as other:
        code = await room_of(one, other)
        second = ids(await one.ask("room.lock", code=code, locked=False))[1]
        assert (await one.ask("room.host", code=code, player="x"))["code"] == "not_seated"
        assert (await one.ask("room.host", code=code, player=second))["host"] == second
        assert (await one.ask("room.start", code=code))["code"] == "not_host"
        assert (await other.ask("room.start", code=code))["type"] == "room"


async def test_a_locked_room_takes_no_new_members(port: int) -> None:
    async with opened(port) as one, opened(port) as other, opened(port) as third:
        code = await room_of(one, other, seats=3)
        assert (await other.ask("room.lock", code=code, locked=True))["code"] == "not_host"
        assert (await one.ask("room.lock", code=code, locked=True))["locked"] is True
        await third.hello()
        assert (await third.ask("room.join", code=code))["code"] == "room_locked"
        assert (await other.ask("room.join", code=code))["locked"] is True
        await one.ask("room.lock", code=code, locked=False)
        assert len((await third.ask("room.join", code=code))["members"]) == 3


async def test_a_stranger_finds_a_public_room_and_joins_it(
    ports: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_rooms, "READ_EVERY", 0.0)
    async with opened(ports[0]) as one, opened(ports[1]) as other:
        code = await room_of(one)
        await other.hello(name="Bob")
        assert (await other.ask("room.list"))["rooms"] == []
        assert (await other.ask("room.public", code=code, public=True))["code"] == "unknown_room"
        assert (await one.ask("room.public", code=code, public=True))["public"] is True

        async def listed() -> bool:
            return bool((await other.ask("room.list"))["rooms"])

        await until(listed)
        (found,) = (await other.ask("room.list"))["rooms"]
        room = await other.ask("room.join", code=found["code"])
        assert (found["host"], found["taken"]) == (room["members"][0]["player"], 1)
        assert found["limit"] == room["limit"]
        assert (await one.ask("room.start", code=code, anyway=True))["round"]["public"] is True


async def test_two_players_who_request_a_match_race_automatically(ports: tuple[int, int]) -> None:
    async with opened(ports[0]) as one, opened(ports[1]) as other:
        for client in (one, other):
            await client.hello()
        assert (await one.ask("room.quick", game="no-such-game"))["code"] == "unknown_game"
        waiting = await one.ask("room.quick", game="robert")
        assert (waiting["quick"], waiting["public"], waiting["seats"]) == (True, True, 2)
        assert waiting["bot_at"] > 0
        found = await other.ask("room.quick", game="robert")
        assert (found["code"], found["bot_at"]) == (waiting["code"], None)
        assert (await one.next("room", lambda e: e["round"]))["round"]["public"] is True
        mine, yours = await one.next("attempt"), await other.next("attempt")
        assert mine["piles"] == yours["piles"]


async def test_a_labelled_bot_races_a_waiter(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick_match, "BOT_AFTER_MS", 100)
    for name in ("FIRST_MOVE_AFTER_MS", "FASTEST_MS", "SLOWEST_MS"):
        monkeypatch.setattr(pace_bot, name, 20)
    async with opened(port) as client:
        me = (await client.hello())["player"]
        assert me["bot"] is False
        await client.ask("room.quick", game="lady-betty")
        room = await client.next("room", lambda e: e["round"])
        attempt = await client.next("attempt")
        bot = {"id": PACE_BOT, "name": "Pace bot", "tag": "00000000", "bot": True}
        assert [seat["player"] for seat in room["members"]] == [me, bot]
        assert [seat["here"] for seat in room["members"]] == [True, True]
        progress = await client.next("progress")
        assert [runner["player"] for runner in progress["runners"]] == [PACE_BOT]
        await resign(client, attempt)
        result = (await client.next("room", is_over))["round"]["runners"][1]["result"]
        assert (result["end"] in {"resigned", "stuck", "won"}, result["moves"] > 0) == (True, True)


async def test_a_vanished_host_is_replaced_and_later_loses_the_seat(
    ports: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    time = AbsenceTime(monkeypatch)
    async with opened(ports[0]) as host, opened(ports[1]) as second, opened(ports[0]) as third:
        code = await room_of(host, second, third)
        before = await second.next("room", lambda e: here(e) == [True] * 3)
        await host.socket.close()
        for client in (second, third):
            await client.next("room", lambda e: here(e) == [False, True, True])
        time.pass_(HOST_ABSENCE_MS)
        for client in (second, third):
            followed = await client.next("room", lambda e: e["host"] == ids(before)[1])
            assert ids(followed) == ids(before), "the player keeps the seat for now"
        time.pass_(SEAT_ABSENCE_MS - HOST_ABSENCE_MS)
        freed = await third.next("room", lambda e: ids(e) == ids(before)[1:])
        assert freed["version"] == before["version"] + 2, "each change was made once"
        await second.next("room", lambda e: ids(e) == ids(before)[1:])
        assert (await second.ask("room.start", code=code))["type"] == "room"


async def test_an_absent_member_loses_the_seat_after_a_round_and_not_during_it(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    time = AbsenceTime(monkeypatch)
    async with opened(port) as one, opened(port) as other:
        mine, yours = await race_of(one, other)
        await resign(one, mine)
        await one.socket.close()
        await other.next("room", lambda e: here(e) == [False, True])
        time.pass_(max(HOST_ABSENCE_MS, SEAT_ABSENCE_MS))
        room = await other.next("room", lambda e: e["host"] == yours["attempt"].split(".")[1])
        assert len(room["members"]) == 2
        await resign(other, yours)
        assert len((await other.next("room", is_over))["members"]) == 2
        time.pass_(SEAT_ABSENCE_MS)
        assert is_over(await other.next("room", lambda e: len(e["members"]) == 1))


async def test_new_rules_cost_and_are_limited(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PLAYER_RULES", limits.Rate(0.001, 2.0))
    monkeypatch.setattr(limits, "PLAYER_COMMANDS", limits.Rate(1_000.0, 1_000.0))
    async with opened(port) as client:
        code = await room_of(client)
        rules = [TERMS | {"code": code, "variant": f"waste.redeals={n}"} for n in (801, 802, 803)]
        for terms in (rules[0], rules[1], rules[0]):
            assert (await client.ask("room.terms", **terms))["type"] == "room"
        refused = await client.ask("room.terms", **rules[2])
        assert (refused["code"], refused["wait"] > 0) == ("too_fast", True)
        assert (await client.ask("room.terms", **TERMS, code=code))["type"] == "room"
