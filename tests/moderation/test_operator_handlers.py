"""Operators over real sockets: access, requests and acts; reports by players."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgpack
import pytest

from server.base.net.limits import Rate
from server.moderation import operating
from tests.accounts.test_handlers import create, device_at
from tests.authenticator import Authenticator
from tests.clients.client import Client, Message, opened
from tests.clients.play import give_up_daily, race_of, resign, room_of
from tests.conftest import ALONE, node

pytestmark = [ALONE, pytest.mark.usefixtures("short_countdown")]

COMMANDS: dict[str, dict[str, Any]] = {
    "AskOperator": {},
    "ConfirmOperator": {"credential": "{}"},
    "ListCases": {"state": "open"},
    "LookUp": {"what": "acts"},
    "Moderate": {"act": "unbar", "about": "z" * 16, "reason": "no"},
}
"""One command of each kind for operators."""


class Moderator(NamedTuple):
    """An operator's client, and a server that lists the operator."""

    client: Client
    device: Authenticator
    port: int
    file: Path
    id: str
    token: str

    async def look(self, what: str, about: str = "") -> Any:
        """Look up an item, and return it."""
        return found(await self.client.ask("LookUp", what=what, about=about))

    async def cases(self, **filters: Any) -> list[dict[str, Any]]:
        """Return the first page of cases."""
        fields = {"state": "open", **filters}
        return list(found(await self.client.ask("ListCases", **fields))["cases"])

    async def act(
        self, act: str, about: str, number: int | None = None, name: str | None = None
    ) -> Message:
        """Carry out an act, and return the answer."""
        fields = {"act": act, "about": about, "reason": "a test", "number": number, "name": name}
        return await self.client.ask("Moderate", **fields)


def found(answer: Message) -> Any:
    assert answer["type"] == "LookedUp", answer
    return json.loads(answer["json"])


async def confirm(client: Client, device: Authenticator) -> Message:
    asked = await client.ask("AskOperator")
    if "options" not in asked:
        return asked
    return await client.ask("ConfirmOperator", credential=device.use(asked["options"]))


@asynccontextmanager
async def moderating(redis_url: str, file: Path) -> AsyncIterator[Moderator]:
    file.write_text("")
    async with node(redis_url, operators=file) as port, opened(port) as client:
        welcome = await client.hello(name="Ada")
        device = device_at(port)
        assert (await create(client, device))["type"] == "done"
        player = welcome["player"]["id"]
        file.write_text(f"{player} ada # of the tests\n")
        yield Moderator(client, device, port, file, player, welcome["token"])


@pytest.fixture
async def mod(redis_url: str, tmp_path: Path) -> AsyncIterator[Moderator]:
    async with moderating(redis_url, tmp_path / "operators") as mod:
        yield mod


@pytest.fixture
async def confirmed(mod: Moderator) -> Moderator:
    assert (await confirm(mod.client, mod.device))["type"] == "Operating"
    return mod


async def codes(client: Client) -> dict[str, str]:
    answers = {kind: await client.ask(kind, **fields) for kind, fields in COMMANDS.items()}
    return {kind: answer.get("code", "") for kind, answer in answers.items()}


async def given_up(client: Client) -> str:
    await client.ask("leaderboard.watch", game="robert")
    attempt = str((await give_up_daily(client))["attempt"])
    await client.next("leaderboard", lambda e: any(
        row["player"]["id"] in attempt for row in e["top"]))  # fmt: skip
    return attempt


async def test_a_server_without_operators_does_not_know_their_commands(port: int) -> None:
    async with opened(port) as client:
        await client.hello()

        async def told(kind: int) -> str:
            client._answers[kind] = answer = asyncio.get_running_loop().create_future()
            await client.socket.send(msgpack.packb([kind, kind]))
            refused = await answer
            return str((refused["code"], refused["text"].replace(str(kind), "?")))

        assert len({await told(kind) for kind in (*range(112, 117), 126)}) == 1


async def test_an_unlisted_player_is_refused(mod: Moderator) -> None:
    async with opened(mod.port) as other:
        await other.hello()
        assert (await create(other, device_at(mod.port)))["type"] == "done"
        assert set((await codes(other)).values()) == {"not_operator"}


async def test_a_token_or_a_recovery_code_does_not_allow_moderation(mod: Moderator) -> None:
    async with opened(mod.port) as thief:
        await thief.hello(mod.token)
        assert await codes(thief) == {
            "AskOperator": "",
            "ConfirmOperator": "bad_passkey",
            "ListCases": "confirm_first",
            "LookUp": "confirm_first",
            "Moderate": "confirm_first",
        }
    # Creating a passkey allows changes of credentials, but not moderation.
    assert (await mod.client.ask("ConfirmCode", code=await mod.client.keep()))["type"] == "done"
    assert (await mod.client.ask("ListCases", state="open"))["code"] == "confirm_first"


async def test_other_passkeys_and_answers_do_not_allow_moderation(mod: Moderator) -> None:
    stolen = device_at(mod.port)
    async with opened(mod.port) as other, opened(mod.port) as tab:
        await other.hello()
        assert (await create(other, stolen))["type"] == "done"
        assert (await confirm(mod.client, stolen))["code"] == "bad_passkey"
        answer = mod.device.use((await mod.client.ask("AskPasskey", purpose="confirm"))["options"])
        assert (await mod.client.ask("ConfirmOperator", credential=answer))["code"] == "bad_passkey"
        # A passkey shown in one session does not confirm another.
        assert (await confirm(mod.client, mod.device))["type"] == "Operating"
        await tab.hello(mod.token)
        assert (await tab.ask("ListCases", state="open"))["code"] == "confirm_first"
        assert (await mod.client.ask("ListCases", state="open"))["type"] == "LookedUp"


async def test_a_session_may_moderate_for_half_an_hour(mod: Moderator) -> None:
    told = await confirm(mod.client, mod.device)
    assert told["operator"] == f"ada ({mod.id})"
    now = (await mod.client.ask("ping"))["now"]
    assert told["until"] == pytest.approx(now + 1_800_000, abs=60_000)
    assert (await mod.client.ask("ListCases", state="open"))["type"] == "LookedUp"


async def test_an_expired_confirmation_needs_the_passkey_again(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operating, "OPERATE_FOR", 0.0)
    async with moderating(redis_url, tmp_path / "operators") as mod:
        assert (await confirm(mod.client, mod.device))["type"] == "Operating"
        assert (await mod.client.ask("ListCases", state="open"))["code"] == "confirm_first"
        assert (await mod.act("unbar", mod.id))["code"] == "confirm_first"


async def test_a_delisted_operator_is_refused_immediately(confirmed: Moderator) -> None:
    assert (await confirmed.act("unbar", confirmed.id))["type"] == "Moderated"
    confirmed.file.write_text("# nobody\n")
    assert set((await codes(confirmed.client)).values()) == {"not_operator"}


async def test_every_act_is_audited_under_the_operators_name(confirmed: Moderator) -> None:
    async with opened(confirmed.port) as one, opened(confirmed.port) as other:
        code = await room_of(one, other)
        attempt = await given_up(one)
        player = attempt.partition(".")[2]
        day = (await one.ask("daily.list"))["day"]
        assert (await other.ask("Report", reason="name", about=player))["type"] == "done"
        (case,) = await confirmed.cases()
        acts = [
            ("dismiss", case["case"], None),
            ("resolve", case["case"], None),
            ("hide_name", player, None),
            ("show_name", player, None),
            ("void", attempt, None),
            ("unvoid", attempt, None),
            ("close_room", code.lower(), None),
            ("repair_day", "robert", day),
            ("bar", player, 3),
            ("unbar", player, None),
            ("delete", player, None),
        ]
        done = [(await confirmed.act(*act))["act"] for act in acts]
        journal = await confirmed.look("acts")
        assert [act["id"] for act in journal] == done[::-1]
        assert {(a["operator"], a["reason"]) for a in journal} == {
            (f"ada ({confirmed.id})", "a test")
        }
        assert (await one.next("bye"))["code"] == "barred"
        assert (await other.next("removed"))["closed"]
        assert (await confirmed.cases(state="closed"))[0]["closed"]["outcome"] == "resolved"


@pytest.mark.parametrize(
    ("act", "about", "code"),
    [
        ("bar", "z" * 16, "unknown_player"),
        ("void", "x", "unknown_run"),
        ("close_room", "ZZZZZZZZ", "unknown_room"),
        ("delete_circle", "z" * 16, "unknown_circle"),
        ("rename_circle", "x", "unknown_circle"),
        ("resolve", "x", "unknown_case"),
        ("repair_day", "chess", "unknown_game"),
    ],
)
async def test_acts_need_a_subject(confirmed: Moderator, act: str, about: str, code: str) -> None:
    assert (await confirmed.act(act, about))["code"] == code


async def test_a_circle_is_found_by_its_owner_renamed_and_deleted(confirmed: Moderator) -> None:
    async with opened(confirmed.port) as one:
        player = (await one.hello(name="Bob"))["player"]["id"]
        made = await one.ask("CreateCircle", name="Friends", key="0123456789")
        circle = made["circle"]
        found = (await confirmed.look("player", player))["circles"]
        assert found == [{"circle": circle, "name": "Friends"}]
        for name in (None, "\u202e"):
            assert (await confirmed.act("rename_circle", circle, name=name))["code"] == "bad_name"
        assert (await confirmed.act("rename_circle", circle, name="The club"))["act"]
        shown = await confirmed.look("circle", circle)
        assert (shown["name"], shown["owner"]) == ("The club", player)
        assert [each["player"] for each in shown["members"]] == [player]
        assert made["link"].removeprefix(circle) not in json.dumps(shown)
        assert (await confirmed.act("delete_circle", circle))["act"]
        assert (await one.ask("ListCircles"))["circles"] == []
        deleted, renamed = await confirmed.look("acts")
        assert [each["type"] for each in (deleted, renamed)] == ["delete_circle", "rename_circle"]
        assert renamed["operator"] == f"ada ({confirmed.id})"
        assert {each["circle"] for each in (deleted, renamed)} == {circle}
        assert renamed["name"] == "The club"


async def test_players_rooms_and_runs_are_looked_up(confirmed: Moderator) -> None:
    async with opened(confirmed.port) as one, opened(confirmed.port) as other:
        mine, _ = await race_of(one, other)
        (row,) = await confirmed.look("running_rooms", "robert")
        assert (row["code"], row["state"]) == (mine["room"], "running")
        assert await confirmed.look("open_rooms") == []
        room = await confirmed.look("room", mine["room"])
        assert [seat["online"] for seat in room["seats"]] == [True, True]
        (player,) = await confirmed.look("players", "ad")
        shown = await confirmed.look("player", player["player"])
        assert shown["name"].startswith("Ada #")
        assert shown["kept"] is not None
        assert not (await confirmed.look("run", await given_up(confirmed.client)))["void"]
        for what, about, code in (
            ("player", "z" * 16, "unknown_player"),
            ("room", "ZZZZZZZZ", "unknown_room"),
            ("circle", "z" * 16, "unknown_circle"),
            ("run", mine["attempt"], "unknown_run"),
        ):
            assert (await confirmed.client.ask("LookUp", what=what, about=about))["code"] == code


async def test_acts_are_rate_limited_and_scans_run_one_at_a_time(
    confirmed: Moderator, monkeypatch: pytest.MonkeyPatch, few: Callable[..., None]
) -> None:
    async with opened(confirmed.port) as tab:
        await tab.hello(confirmed.token)
        assert (await confirm(tab, confirmed.device))["type"] == "Operating"
        both = [each.send("LookUp", what="players", about="a") for each in (confirmed.client, tab)]
        answers = [await each for each in both]
        assert sorted(each["type"] for each in answers) == ["LookedUp", "refused"]
        assert {each.get("code") for each in answers} == {None, "too_fast"}
    monkeypatch.setattr(operating, "ACTS", Rate(0.01, 2.0))
    told = [await confirmed.act("unbar", confirmed.id) for _ in range(3)]
    assert [each["type"] for each in told] == ["Moderated", "Moderated", "refused"]
    assert told[-1]["wait"] > 0


async def test_only_a_visible_run_can_be_reported_and_its_player_is_not_notified(
    confirmed: Moderator,
) -> None:
    async with opened(confirmed.port) as one, opened(confirmed.port) as other:
        mine, theirs = await race_of(one, other)
        attempt = mine["attempt"]
        assert (await other.ask("Report", reason="cheating", about=attempt))["code"] == "deal_open"
        await resign(one, mine)
        await resign(other, theirs)
        await one.next("room", lambda e: e["round"]["over"])
        told = len(one.seen)
        assert (await other.ask("Report", reason="cheating", about=attempt))["type"] == "done"
        (case,) = await confirmed.cases(kind="report")
        assert (case["attempt"], case["reports"]) == (attempt, {"cheating": 1})
        await one.ask("ping")
        # The room's results may have been on their way.
        assert set(one.seen[told:]) <= {"room"}


async def test_refused_reports_do_not_count(confirmed: Moderator, few: Callable[..., None]) -> None:
    few(PLAYER_REPORTS=2.0)
    async with opened(confirmed.port) as one:
        await one.hello()
        for _ in range(3):
            refused = await one.ask("Report", reason="name", about="z" * 16)
            assert refused["code"] == "unknown_player"
        told = [await one.ask("Report", reason="name", about=confirmed.id) for _ in range(3)]
        assert [each["type"] for each in told] == ["done", "done", "refused"]
        assert (told[-1]["code"], told[-1]["wait"] > 0) == ("too_fast", True)
    assert len(await confirmed.cases()) == 1
