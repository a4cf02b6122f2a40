"""The prices of commands compared with their work: measurements for tests of prices.

Work is counted rather than timed, since times are unreliable on a busy machine: function calls,
writes to Redis, and bytes read and sent. The row `prices` of `deploy.bench` measures times.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, Final, NamedTuple

import pytest

from server.base.core import costs
from server.base.net.budgets import Payer
from server.base.redis.pipeline import Pipeline
from tests.challenges.test_challenges import made
from tests.clients.seats import Seat
from tests.nodes import Node
from tests.wire import COMMANDS

FLUSH, BYTE = 100.0, 0.05
"""Equivalents in function calls of a round trip to Redis, and of encoding or decoding a byte."""

LEAST = 4.0
"""Maximum factor of overpricing for the cheapest commands."""

TESTS = str(Path(__file__).parent)
BASELINE = "WatchChallenge", "small"

MEASURED: Final[Mapping[str, frozenset[str]]] = {
    name: frozenset(commands.split())
    for name, commands in {
        "challenges": """
            WatchChallenge GetChallengers EmoteRun PlayChallenge ListChallenges CreateChallenge
            """,
        "other challenges": """
            UnwatchChallenge ListBlocked BlockChallenger HideChallenge CloseChallenge Rematch
            GetRuns
            """,
        "circles": """
            ListCircles WatchCircle RenameCircle SetCircleSeason SetCircleLeague DeleteCircle
            CreateCircle CreateChallenge
            """,
        "members": """
            ShowInvitation JoinCircle LeaveCircle MuteCircle GetCircleTable GetCircleFeed
            GetHeadToHead EmoteItem RenewCircleLink HandOverCircle RemoveFromCircle
            SetCircleWebhook UnwatchCircle
            """,
        "rooms": """
            SetTerms ProposeTerms SetReady SetLock SetPublic SendEmote GetWatchKey LeaveRoom
            JoinRoom HandOver RemoveMember
            """,
        "rounds": """
            CreateRoom QuickMatch StartRound WatchRound StopWatching ListRooms
            """,
        "play": "OpenAttempt PlayMove Undo Hint Resign GetRun",
        "dailies": """
            ListDailies OpenDaily ShowDeal WatchLeaderboard UnwatchLeaderboard GetRuns GetRun
            """,
        "accounts": """
            Ping Rename GetAccount LinkDevice NewRecoveryCode ExportData SignIn KeepRecoveryCode
            ConfirmCode SignOutEverywhere CreateBot DeleteBot Report GetPush SetPush AddPush
            RemovePush
            """,
        "practice": "GetPractice AddPractice",
    }.items()
}
"""Commands measured by each test of prices, by class name."""

EXEMPT: Final[Mapping[str, str]] = {
    "Hello": "once for each session; handshakes and new guests have limits of their own",
    "DeleteAccount": "once for each player; `DeleteBot` does the same work",
    **dict.fromkeys(
        ("AskPasskey", "CreatePasskey", "UsePasskey", "ConfirmPasskey"),
        "nearly all of it is a signature that is verified, in which no calls are counted",
    ),
    **dict.fromkeys(
        ("AskOperator", "ConfirmOperator", "ListCases", "LookUp", "Moderate"),
        "operators send them, who are few and trusted",
    ),
}
"""Commands without measured prices, and the reason."""

UNIFORM: Final = frozenset({"UnwatchChallenge"})
"""Commands whose work does not depend on any state."""

Given = Callable[[int], Mapping[str, Any]]
"""Returns the fields of a command, given how often it was sent before."""


def same(**fields: Any) -> Given:
    """Return a function that always returns the same fields."""
    return lambda _: fields


def varied(name: str, values: Sequence[Any], /, **fields: Any) -> Given:
    """Return a function that returns these fields, and one with a different value each time."""
    return lambda number: {**fields, name: values[number]}


class Counted(NamedTuple):
    """The work of a command, and the charge for it."""

    work: float
    price: float


class Prices:
    """Counts the work of commands, and the charges for them.

    Attributes:
        found: the counts, by command and state.
    """

    def __init__(self, node: Node, patch: pytest.MonkeyPatch) -> None:
        self.found: dict[tuple[str, str], Counted] = {}
        self._node = node
        self._price = self._work = 0.0
        self._depth = 0
        received = Pipeline.data_received

        def receiving(pipeline: Pipeline, data: bytes) -> None:
            self._work += BYTE * len(data)
            received(pipeline, data)

        patch.setattr(Pipeline, "data_received", receiving)
        patch.setattr(Payer, "pay", lambda _, cost, __: self._pay(cost))

    def _pay(self, cost: float) -> bool:
        self._price += cost
        return True

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        """Count a call, except by a test or by the decoding of frames for a test."""
        file = frame.f_code.co_filename
        if frame.f_code is Seat.send.__code__ and not event.startswith("c_"):
            self._depth += 1 if event == "call" else -1
        elif event.endswith("call") and not self._depth and not file.startswith(TESTS):
            self._work += 1
            if event == "call" and frame.f_code is Pipeline._write.__code__:
                self._work += FLUSH

    async def ask(self, seat: Seat, type_: str, given: Mapping[str, Any]) -> Any:
        """Send a command, and wait for its consequences."""
        answer = await seat.ask(type_, **given)
        assert answer["type"] != "refused", answer
        await self._node.apply_effects()
        return answer

    async def count(
        self,
        seat: Seat,
        type_: str,
        of: str,
        given: Given,
        *,
        told: Sequence[Seat] = (),
        undo: Callable[[], Awaitable[object]] | None = None,
    ) -> None:
        """Send a command three times, and take the lowest count: the first also loads scripts.

        Args:
            seat: the requesting player.
            type_: the command.
            of: the state, in a word.
            given: returns its fields.
            told: other players; each receives at least one frame.
            undo: restores the earlier state.
        """
        counted = []
        for number in range(3):
            fields = given(number)
            frames = {each: len(each.frames) for each in (seat, *told)}
            self._price = self._work = 0.0
            self._depth = 0
            if number:
                sys.setprofile(self._note)
            try:
                await self.ask(seat, type_, fields)
                for each in told:
                    await each.told(frames[each])
            finally:
                sys.setprofile(None)
            sent = {frame for each, begin in frames.items() for frame in each.frames[begin:]}
            counted.append((self._work + BYTE * sum(map(len, sent)), self._price))
            if undo is not None:
                await undo()
        self.found[type_, of] = Counted(*min(counted[1:]))

    async def count_baseline(self, seat: Seat) -> None:
        """Count the command that the others are compared with."""
        await self.count(seat, *BASELINE, same(challenge=(await made(self._node)).id))

    def check(self, name: str, *, is_repeated: bool = False) -> None:
        """Check that each price is within a factor of two of the work, relative to the baseline.

        Prices of the cheapest commands may be higher. Each command must be counted in its smallest
        and its largest state.

        Args:
            name: the set of commands to measure; see `MEASURED`.
            is_repeated: whether the test has parameters for the states.
        """
        kinds = {"move": "PlayMove"} | {each: kind.__name__ for each, kind in COMMANDS.items()}
        counted = {kinds[type_] for type_, _ in self.found}
        assert counted - {BASELINE[0]} == MEASURED[name] - {BASELINE[0]}
        states = Counter(kinds[type_] for type_, _ in self.found)
        once = {each for each in counted if states[each] == 1} - UNIFORM - {BASELINE[0]}
        assert is_repeated or not once, f"only one state: {once}"
        base = self.found[BASELINE]
        ratios = {
            key: each.price / each.work / (base.price / base.work)
            for key, each in self.found.items()
        }
        wrong = {
            " ".join(key): round(ratio, 2)
            for key, ratio in ratios.items()
            if not 0.5 <= ratio <= (2 if self.found[key].price > costs.MOVE else LEAST)
        }
        assert wrong == {}, wrong
