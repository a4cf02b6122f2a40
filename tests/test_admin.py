"""The commands `samedeal admin …`, as an operator runs them."""

from __future__ import annotations

import asyncio
import json
import shlex
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from server.cli.admin import admin
from server.cli.main import main
from tests.clients.client import opened
from tests.clients.play import give_up_daily, race_of, room_of
from tests.conftest import ALONE, node
from tests.processes import ROOT, running
from tests.test_cli import output_of, port_of, serve_command

pytestmark = ALONE

REASON = ("--reason", "spam, twice")


async def run(where: str | Path, *words: str, as_json: bool = True) -> tuple[int, str]:
    """Run a command on a URL or a data directory; return the exit code and the output."""
    target = ["--redis", where] if isinstance(where, str) else ["--data", str(where)]
    fixed = [*target, "--operator", "mod", *(["--json"] if as_json else [])]
    invoke = CliRunner().invoke
    done = await asyncio.to_thread(invoke, main, ["admin", *fixed, *words])
    return done.exit_code, done.output


async def found(where: str | Path, *words: str) -> Any:
    """Run a command that must succeed, and return its JSON output."""
    code, output = await run(where, *words)
    assert code == 0, output
    return json.loads(output)


async def test_rooms_and_players_are_found_and_shown(redis_url: str) -> None:
    async with node(redis_url) as port, opened(port) as one, opened(port) as other:
        mine, _ = await race_of(one, other)
        await one.ask("rename", name="Ada")
        (row,) = await found(redis_url, "rooms", "--running", "--game", "robert")
        assert (row["code"], row["seats"], row["state"]) == (mine["room"], "2/2", "running")
        assert await found(redis_url, "rooms", "--open") == []
        shown = await found(redis_url, "room", mine["room"].lower())
        assert [seat["online"] for seat in shown["seats"]] == [True, True]
        (player,) = await found(redis_url, "players", "ad")
        shown = await found(redis_url, "player", player["player"])
        assert shown["name"].startswith("Ada #")
        assert len(shown["sessions"]) == 1
        code, output = await run(redis_url, "room", "ZZZZZZZZ")
        assert (code, output) == (1, "Error: There is no room with this code.\n")


async def test_a_circle_is_found_by_its_members_renamed_and_deleted(redis_url: str) -> None:
    async with node(redis_url) as port, opened(port) as one:
        player = (await one.hello(name="Ada"))["player"]["id"]
        made = await one.ask("CreateCircle", name="Friends", key="0123456789")
        circle = made["circle"]
        listed = (await found(redis_url, "player", player))["circles"]
        assert listed == [{"circle": circle, "name": "Friends"}]
        await found(redis_url, "rename-circle", circle, "  The  club ", *REASON)
        shown = await found(redis_url, "circle", circle)
        assert (shown["name"], shown["owner"]) == ("The club", player)
        code, text = await run(redis_url, "circle", circle, as_json=False)
        lines = text.splitlines()
        assert (code, lines[1], lines[4]) == (0, "name: The club", "members:")
        assert lines[3].startswith("founded: 20"), "a time, and no number"
        assert "Ada #" in lines[6]
        assert made["link"].removeprefix(circle) not in text
        code, text = await run(redis_url, "rename-circle", circle, "\u202e", *REASON)
        assert (code, text.startswith("Error: A name has")) == (1, True)
        await found(redis_url, "delete-circle", circle, *REASON)
        for words in (("circle",), ("delete-circle", *REASON), ("rename-circle", "Us", *REASON)):
            code, text = await run(redis_url, words[0], circle, *words[1:])
            assert (code, text) == (1, "Error: There is no such circle.\n")


async def test_every_act_is_in_the_audit_journal_once(redis_url: str) -> None:
    async with node(redis_url) as port, opened(port) as one, opened(port) as other:
        code = await room_of(one, other)
        attempt = await give_up_daily(one)
        player = (await found(redis_url, "room", code))["seats"][0]["player"]
        circle = (await one.ask("CreateCircle", name="Friends", key="0123456789"))["circle"]
        commands = [
            ("close-room", code),
            ("hide-name", player),
            ("show-name", player),
            ("void", attempt["attempt"]),
            ("unvoid", attempt["attempt"]),
            ("repair-day", "2026-11-20", "--game", "robert"),
            ("bar", player, "--days", "3"),
            ("unbar", player),
            ("rename-circle", circle, "The club"),
            ("delete-circle", circle),
        ]
        acts = [(await found(redis_url, *words, *REASON))["act"] for words in commands]
        listed = await found(redis_url, "audit")
        assert [act["id"] for act in listed] == acts[::-1]
        assert {(act["operator"], act["reason"]) for act in listed} == {("mod", REASON[1])}
        assert [act["type"] for act in listed[::-1]] == [
            "close", "name", "name", "void", "void", "repair", "bar", "bar", "rename_circle",
            "delete_circle",
        ]  # fmt: skip
        assert len(await found(redis_url, "audit", "--limit", "2")) == 2
        exit_code, table = await run(redis_url, "audit", as_json=False)
        assert exit_code == 0
        assert len(table.splitlines()) == len(acts) + 1
        assert "2026-11-20" in table


@pytest.mark.deep
async def test_it_works_alongside_a_server_and_without_one(data: Path) -> None:
    with running(serve_command(data)) as server:
        async with opened(await port_of(server)) as client:
            player = (await client.hello(name="Ada"))["player"]["id"]
            await found(data, "bar", player, *REASON)
            assert (await client.next("bye"))["code"] == "barred"
    assert (await found(data, "player", player))["barred"] == 0
    await found(data, "unbar", player, *REASON)
    assert (await found(data, "player", player))["barred"] is None
    with running(serve_command(data)) as server:
        await port_of(server)


async def test_a_directory_without_data_is_not_initialized(data: Path) -> None:
    code, output = await run(data / "none", "rooms")
    assert (code, output) == (1, f"Error: There is no data in {data / 'none'}.\n")
    assert not (data / "none").exists()


@pytest.mark.parametrize("words", [["repair-day", "20.11.2026"], ["suspicious", "--day", "x"]])
def test_a_date_is_checked(words: list[str]) -> None:
    assert "is not a date" in output_of(2, "admin", *words)


async def test_reports_are_listed_and_closed(redis_url: str) -> None:
    async with node(redis_url) as port, opened(port) as one, opened(port) as other:
        player = (await one.hello(name="Ada"))["player"]["id"]
        await other.hello()
        assert (await other.ask("Report", reason="name", about=player))["type"] == "done"
        (case,) = await found(redis_url, "reports")
        assert (case["player"], case["reports"], case["weight"]) == (player, {"name": 1}, 1)
        exit_code, shown = await run(redis_url, "reports", as_json=False)
        assert (exit_code, f"case: reports/{player}" in shown) == (0, True)
        await found(redis_url, "dismiss", case["case"], *REASON)
        assert await found(redis_url, "reports") == []
        code, output = await run(redis_url, "resolve", "x", *REASON)
        assert (code, output.startswith("Error: There is no such case")) == (1, True)


def test_the_commands_named_in_the_document_exist() -> None:
    text = (ROOT / "deploy" / "README.md").read_text(encoding="utf-8")
    block = text.partition("## Moderation")[2].partition("```sh\n")[2].partition("```")[0]
    lines = [shlex.split(line, comments=True) for line in block.splitlines() if line]
    assert len(lines) > 10
    for program, group, name, *words in lines:
        assert (program, group) == ("samedeal", "admin")
        # Nothing is carried out: only options and arguments are parsed.
        admin.commands[name].make_context(name, [*words])


def test_every_act_needs_a_reason_and_every_command_has_a_help_text() -> None:
    assert isinstance(admin, click.Group)
    looks = {"rooms", "room", "players", "player", "circle", "suspicious", "reports", "audit"}
    # They concern no player, room or circle, which the audit journal requires.
    keeps = {"rotate-key", "seal", "verify-store"}
    for name, command in admin.commands.items():
        assert command.help
        needs = any(option.name == "reason" and option.required for option in command.params)
        assert needs == (name not in looks | keeps)
