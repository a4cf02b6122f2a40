"""The token bucket, and the cost of each command."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from server.base.core import costs
from server.base.net import limits
from server.base.net.limits import Bucket, Rate
from server.base.wire.messages import Command
from server.handlers import HANDLERS
from server.play.messages import PlayMove
from server.players.core.keys import MAX_SESSIONS
from server.protocol import COMMANDS, MISSES

SERVER = Path(limits.__file__).parents[2]


@pytest.mark.parametrize("start", [0.0, 1e6])
def test_a_bucket_gives_its_burst_and_then_its_rate(start: float) -> None:
    bucket = Bucket(Rate(second=2, at_once=3))
    assert [bucket.take(start) for _ in range(4)] == [True, True, True, False]
    assert [bucket.take(start + 0.5) for _ in range(2)] == [True, False]


def test_a_bucket_holds_no_more_than_its_burst() -> None:
    bucket = Bucket(Rate(second=2, at_once=3))
    assert bucket.take(0.0)
    assert [bucket.take(1000.0) for _ in range(4)] == [True, True, True, False]


def test_a_bucket_says_how_long_something_takes() -> None:
    bucket = Bucket(Rate(second=2, at_once=3))
    assert bucket.wait(0.0, 3) == 0
    assert bucket.take(0.0, 2)
    assert bucket.wait(0.0, 3) == 1.0
    assert not bucket.take(0.9, 3)
    assert bucket.take(1.0, 3)


def test_returned_tokens_are_available_again() -> None:
    bucket = Bucket(Rate(second=2, at_once=3))
    for _ in range(10):
        assert bucket.take(0.0, 3)
        bucket.give_back(3)
    # The bucket's capacity is unchanged.
    assert [bucket.take(0.0) for _ in range(4)] == [True, True, True, False]


def test_every_command_has_a_cost_and_a_handler() -> None:
    assert set(COMMANDS) == set(HANDLERS)
    assert min(PlayMove.cost, *(each.cost for each in COMMANDS)) == costs.MOVE


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.__name__)
def test_commands_declare_the_refusals_that_count_as_guesses(command: type[Command]) -> None:
    described = set(re.findall(r"`([a-z_]+)`", command.__doc__ or ""))
    assert {code for code in MISSES if code.name in described} == command.misses


def rate_text(rate: Rate, unit: str) -> str:
    """Format a rate as in PROTOCOL.md."""
    often = rate.second * {"second": 1, "minute": 60}[unit]
    return f"{often:,.6g} a {unit}, {rate.at_once:,.6g} at once"


def test_the_limits_are_the_documented_ones() -> None:
    lines = (SERVER / "PROTOCOL.md").read_text().splitlines()
    cells = [[each.strip() for each in line.split("|")] for line in lines if line[:2] == "| "]
    rows = {found[1]: (found[2], found[3]) for found in cells if len(found) == 6}
    for name, own, shared, unit in (
        ("commands, by cost", limits.PLAYER_COMMANDS, limits.ADDRESS_COMMANDS, "second"),
        ("offences", limits.PLAYER_OFFENCES, limits.ADDRESS_OFFENCES, "minute"),
        ("misses", limits.PLAYER_MISSES, limits.ADDRESS_MISSES, "minute"),
        ("new guests", None, limits.ADDRESS_GUESTS, "minute"),
        ("handshakes", None, limits.ADDRESS_HANDSHAKES, "second"),
        ("HTTP requests", None, limits.ADDRESS_ANSWERS, "second"),
    ):
        mine = "" if own is None else rate_text(own, unit)
        assert rows[name] == (mine, rate_text(shared.times(limits.ADDRESS_PLAYERS), unit))
    sockets = limits.ADDRESS_SOCKETS * limits.ADDRESS_PLAYERS
    assert rows["sockets at a time"] == (str(MAX_SESSIONS), str(sockets))


def test_costs_are_the_documented_ones() -> None:
    text = " ".join((SERVER / "PROTOCOL.md").read_text().split())
    found = re.search(
        r"A move costs (\d+); a change of a room costs (\d+), .* 6, (.*) and passkeys", text
    )
    assert found is not None
    assert (float(found[1]), float(found[2])) == (costs.MOVE, costs.CHANGE)
    dear = {each.__name__ for each in COMMANDS if each.cost == costs.CREATE}
    assert set(re.findall(r"`(\w+)`", found[3])) <= dear
    dearest = {each.__name__ for each in COMMANDS if each.cost > costs.CREATE}
    assert dearest == {"DeleteAccount", "DeleteBot", "QuickMatch"}
    assert max(each.cost for each in COMMANDS) == costs.MANY
