"""Runs over real sockets."""

from __future__ import annotations

from engine.catalog import stored_ruleset
from engine.deal import deal_seed, parse_seed
from engine.play import play
from tests.clients.client import opened
from tests.clients.play import race_of, resign
from tests.conftest import ALONE

pytestmark = ALONE


async def test_a_run_is_sent_when_its_round_is_over_and_leads_to_its_result(port: int) -> None:
    async with opened(port) as ada, opened(port) as bob:
        mine, other = await race_of(ada, bob)
        attempt, deal = mine["attempt"], mine["deal"]
        ended = await resign(ada, await ada.ask("move", attempt=attempt, seq=2, move="s>w"))
        assert (await bob.ask("GetRun", attempt=attempt))["code"] == "deal_open"
        assert (await bob.ask("GetRuns", deal=deal))["code"] == "deal_open"
        await resign(bob, other)
        await bob.next("room", lambda room: room["round"]["over"])
        run = await bob.ask("GetRun", attempt=attempt)
        rules = stored_ruleset(run["game"], run["variant"], run["rules"])
        board = deal_seed(rules, parse_seed(run["seed"]))
        _, *numbers = run["moves"]
        move = rules.move_of(*numbers)
        assert move is not None
        board, _ = play(board, move)
        assert (board.home, board.moves) == (ended["result"]["home"], 1)
        assert (run["end"], run["commitment"]) == ("resigned", mine["commitment"])
        runs = await bob.ask("GetRuns", deal=deal)
        assert (runs["size"], [row["attempt"] for row in runs["runs"]].count(attempt)) == (2, 1)
