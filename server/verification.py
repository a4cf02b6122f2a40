"""Verification of a whole store, for example after a restore.

Nothing is written. All keys are scanned once and their data recomputed: seeds are opened and
compared with their commitments, journals are folded, and leaderboards are compared with the
histories that determine them.

One core verifies 13,000 journal entries a second, or 230 long games. Nodes may be running.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Awaitable, Callable, Sequence
from typing import get_args
from zlib import crc32

import msgspec

from engine.catalog import games
from engine.deal import deal_seed
from engine.errors import EngineError
from engine.ruleset import Ruleset
from engine.schema import STANDARD
from server.base.core import days
from server.base.core import keys as base_keys
from server.base.core.due import AttemptDue, ChallengeDue, CircleDue, RoundDue
from server.base.core.ids import (
    ID_LENGTH,
    AttemptId,
    DealId,
    PlayerId,
    RoomCode,
    split_attempt_id,
)
from server.base.core.refusal import UnreadableError
from server.base.journals.core.entry import GapError
from server.base.journals.reader import rules_of
from server.base.outbox.outbox import Outbox
from server.base.seals.keyring import Keyring
from server.challenges import journal as challenges_journal
from server.challenges.core import challenge as challenges
from server.challenges.core import keys as challenges_keys
from server.challenges.core.challenge import Challenge
from server.circles import journal as circles_journal
from server.circles.core import circle as circles
from server.circles.core import keys as circles_keys
from server.circles.core.circle import Circle
from server.deals.core.certificate import proves
from server.deals.store import Deal
from server.play import journal as play_journal
from server.play.core import keys as play_keys
from server.play.core.attempt import Attempt
from server.results.core.boards import BoardId, Group, boards_of_day, open_boards
from server.results.core.history import History
from server.rooms import journal as rooms_journal
from server.rooms.core import keys as rooms_keys
from server.rooms.core import room as race
from server.rooms.core.room import Room
from server.stores import Store

CONCURRENCY = 32
"""Maximum concurrent reads, few enough not to delay the nodes' commands."""

MAX_DEALS = 1_000
"""Maximum cached deals; a daily's deal serves all its attempts."""

EXAMPLES = 3
"""Maximum named examples per problem."""

MIN_SHARE = 0.9
"""Minimum share of the earlier counts that must still exist; the rest may have expired."""

LONG_LIVED = ("player", "history", "deal", "daily", "attempt", "recovery", "passkey", "audit")
"""Kinds of keys that live long enough for a restore to have nearly all."""

_ID = re.compile(rf"\b[0-9a-z]{{{ID_LENGTH}}}\b")

BOARD_DAYS = 300
"""Days that daily leaderboards are certain to be kept."""


class Report(msgspec.Struct, kw_only=True):
    """The report of a verification.

    Attributes:
        store: the store's random id; `None` if it was never played on.
        at: the store's time, in Unix milliseconds.
        newest: the time of the newest journal entry read, in Unix milliseconds; `None` without any.
        keys: the number of keys of each kind.
        verified: the number of verified keys of each kind.
        effects: effects in the outboxes, which nodes will apply.
        overdue: deadlines that have passed, which nodes will handle.
        set_aside: items set aside earlier for an operator.
        problems: sentences; empty if the store is intact.
    """

    store: str | None
    at: int
    newest: int | None = None
    keys: dict[str, int] = {}
    verified: dict[str, int] = {}
    effects: int = 0
    overdue: int = 0
    set_aside: int = 0
    problems: list[str] = []


_END_OF_TIME = 1 << 53
"""A time after all others, in Unix milliseconds."""

Progress = Callable[[int], None]
"""Called with the number of keys scanned so far."""


class Verification:
    """A verification of a store, to run once."""

    def __init__(self, store: Store, keyring: Keyring, outbox: Outbox, percent: int = 100) -> None:
        """Verify `percent` of the journals, deals and histories, always the same ones."""
        self._store = store
        self._keyring = keyring
        self._outbox = outbox
        self._percent = percent
        self._counts: Counter[str] = Counter()
        self._verified: Counter[str] = Counter()
        self._problems: defaultdict[str, set[str]] = defaultdict(set)
        self._due: set[str] = set()
        self._deals: OrderedDict[DealId, Deal | None] = OrderedDict()
        self._newest = 0
        self._pending: set[str] = set()

    async def run(self, expected: Report | None, progress: Progress) -> Report:
        """Verify the store, and return a report.

        Args:
            expected: an earlier report, such as the backup's.
            progress: called repeatedly with the progress.

        Raises:
            UnsuitableError: the file of secret keys lacks the one that seals the store.
        """
        ring = await self._keyring.load()
        await self._store.clock.sample()
        report = Report(store=ring.store if ring else None, at=self._store.clock.now())
        await self._outboxes(report)
        seen = 0
        async for batch in self._store.scans.all_keys():
            await self._verify_all(batch)
            seen += len(batch)
            progress(seen)
        if not self._counts["player"] + self._counts["history"] + self._counts["attempt"]:
            self._problems["There are no players and no games in this store: it is empty."] = set()
        for key in self._due:
            self._note("Deadlines without a journal", base_keys.kind_of(key)[1])
        report.keys, report.verified = dict(self._counts), dict(self._verified)
        report.newest = self._newest or None
        if expected is not None:
            self._compare(report, expected)
        report.problems = [_sentence(*problem) for problem in self._problems.items()]
        return report

    async def _verify_all(self, found: Sequence[str]) -> None:
        work: dict[str, Callable[[str], Awaitable[None]]] = {
            "deal": self._deal,
            "daily": self._daily,
            "pool": self._pool,
            "attempt": self._attempt,
            "room": self._room,
            "challenge": self._challenge,
            "circle": self._circle,
            "history": self._history,
        }
        limit = asyncio.Semaphore(CONCURRENCY)

        async def verify(kind: str, name: str) -> None:
            async with limit:
                await work[kind](name)
                self._verified[kind] += 1

        async with asyncio.TaskGroup() as group:
            for key in found:
                kind, name = base_keys.kind_of(key)
                self._due.discard(key)
                self._counts[kind] += 1
                # A hash of the name selects the same keys in each run.
                if kind in work and crc32(name.encode()) % 100 < self._percent:
                    group.create_task(verify(kind, name))

    def _note(self, problem: str, example: str) -> None:
        self._problems[problem].add(example)

    # Stored data

    async def _deal(self, name: str) -> None:
        deal = await self._deal_of(DealId(name))
        if deal is not None and deal.certificate is not None:
            found = deal.certificate
            rules = _known_rules(deal.game, deal.variant, deal.rules)
            if deal.line is None:
                self._note("Certified deals without a line that can be opened", name)
            elif rules is not None:
                board = deal_seed(rules, deal.seed)
                if not proves(board, deal.line, found.par, winnable=found.winnable):
                    self._note("Deals with a line that does not prove what is said of them", name)

    async def _pool(self, name: str) -> None:
        deals, closed = await self._store.pools.read(name)
        for deal_id in closed:
            self._note("Deals of pools that cannot be opened", deal_id)
        for deal in deals:
            rules = _known_rules(name, STANDARD, deal.rules)
            if rules is not None and not proves(
                deal_seed(rules, deal.seed), deal.line, deal.par, winnable=deal.winnable
            ):
                self._note("Deals with a line that does not prove what is said of them", deal.id)

    async def _deal_of(self, deal: DealId) -> Deal | None:
        """Return a deal, or `None` if it is missing or unreadable, which is reported once."""
        if deal in self._deals:
            self._deals.move_to_end(deal)
            return self._deals[deal]
        found = None
        try:
            found = await self._store.deals.read(deal)
        except UnreadableError as error:
            self._note(f"Deals that cannot be opened ({error.code})", deal)
        self._deals[deal] = found
        if len(self._deals) > MAX_DEALS:
            self._deals.popitem(last=False)
        return found

    async def _daily(self, name: str) -> None:
        game, _, day = name.rpartition(":")
        ids = await self._store.deals.daily_ids([days.DailyId(game, int(day))])
        for deal in ids.values():
            if await self._deal_of(deal) is None:
                self._note("Dailies without a deal that can be opened", name)

    async def _attempt(self, name: str) -> None:
        attempt = AttemptId(name)
        parts = split_attempt_id(attempt)
        texts = await self._texts(play_keys.attempt(attempt), name)
        deal = await self._deal_of(parts[0]) if parts is not None else None
        if deal is None:
            self._note("Attempts without a deal that can be opened", name)
        elif texts:
            self._fold(name, texts, lambda: _folded(deal, texts))

    async def _room(self, name: str) -> None:
        texts = await self._texts(rooms_keys.room(RoomCode(name)), name)

        def fold() -> Room:
            room: Room | None = None
            for text in texts:
                room = race.fold(room, rooms_journal.decode(text))
            assert room is not None, "there is an entry"
            return room

        if texts:
            self._fold(name, texts, fold)

    async def _challenge(self, name: str) -> None:
        texts = await self._texts(challenges_keys.challenge(name), name)

        def fold() -> Challenge:
            challenge: Challenge | None = None
            for text in texts:
                challenge = challenges.fold(challenge, challenges_journal.decode(text))
            assert challenge is not None, "there is an entry"
            return challenge

        if texts:
            self._fold(name, texts, fold)

    async def _circle(self, name: str) -> None:
        texts = await self._texts(circles_keys.circle(name), name)

        def fold() -> Circle:
            circle: Circle | None = None
            for text in texts:
                circle = circles.fold(circle, circles_journal.decode(text))
            assert circle is not None, "there is an entry"
            return circle

        if texts:
            self._fold(name, texts, fold)

    async def _texts(self, key: str, name: str) -> list[str]:
        try:
            return (await self._store.journals.read(key)).texts
        except GapError:
            self._note("Journals with a gap", name)
            return []

    def _fold(
        self, name: str, texts: list[str], fold: Callable[[], Attempt | Room | Circle | Challenge]
    ) -> None:
        """Fold a journal, and track the time of its last entry."""
        try:
            self._newest = max(self._newest, fold().at)
        except UnreadableError as error:
            self._note(f"Journals that this release cannot read ({error.code})", name)
        except (EngineError, msgspec.DecodeError, AssertionError, LookupError, ValueError) as error:
            # A damaged journal may raise any of these: report it, and verify the rest.
            self._note(f"Journals that cannot be folded ({type(error).__name__})", name)

    async def _history(self, name: str) -> None:
        player = PlayerId(name)
        if player in self._pending:
            # Effects of its results are still in an outbox.
            return
        # A node may write between the reads; then compare once more.
        for _ in range(2):
            whole = await self._store.histories.read(player)
            found = whole.history
            wrong = await self._differing_boards(player, found)
            if await self._store.histories.version(player) == found.version:
                break
        for board in wrong:
            self._note("Leaderboards that differ from the histories of their players", board)
        if whole.stored.totals and whole.stored != whole.computed:
            self._note("Histories with totals that differ from their results", player)

    async def _differing_boards(self, player: PlayerId, found: History) -> list[str]:
        """Return the leaderboards whose row of a player differs from the history."""
        now = self._store.clock.now()
        groups: tuple[Group, ...] = get_args(Group)
        wrong = []
        for (game, day), result in found.days.items():
            if not days.day_at(now) - BOARD_DAYS < day < days.day_at(now) - 1:
                continue
            boards = [boards_of_day(game, day, group)[0] for group in groups]
            rows = [await self._score(board, player) for board in boards]
            if set(rows) - {None} != ({None} if result.void else {result.packed}) - {None}:
                wrong.append(f"{boards[0].name} of {player}")
        for each in open_boards(games(), now, "ranked"):
            board = each._replace(group=found.group_on(each))
            score = found.score(board)
            if score is not None and await self._score(board, player) != score:
                wrong.append(f"{board.name} of {player}")
        return wrong

    async def _score(self, board: BoardId, player: PlayerId) -> int | None:
        (rows,) = await self._store.leaderboards.around(board, [player], 0)
        return rows[0].score if rows else None

    async def _outboxes(self, report: Report) -> None:
        """Read the outboxes and deadlines."""
        for pending in await self._store.outboxes.pending(
            _END_OF_TIME, range(base_keys.PARTITIONS)
        ):
            for due, time in pending.due:
                report.overdue += time <= report.at
                match due:
                    case AttemptDue():
                        self._due.add(play_keys.attempt(due.journal))
                    case RoundDue():
                        self._due.add(rooms_keys.room(due.journal))
                    case ChallengeDue():
                        self._due.add(challenges_keys.challenge(due.journal))
                    case CircleDue():
                        self._due.add(circles_keys.circle(due.journal))
            for field, text in pending.effects:
                report.effects += 1
                self._pending.update(_ID.findall(text))
                try:
                    self._outbox.decode(text)
                except (UnreadableError, msgspec.DecodeError):
                    self._note("Effects that this release cannot read", field)
        report.set_aside = await self._store.outboxes.count_set_aside()

    # Comparison with an earlier report

    def _compare(self, report: Report, expected: Report) -> None:
        """Compare the report with an earlier one."""
        if report.store != expected.store:
            self._problems[
                f"This is another store: its id is {report.store}, and not {expected.store}."
            ] = set()
        for kind in LONG_LIVED:
            now, before = report.keys.get(kind, 0), expected.keys.get(kind, 0)
            if now < before * MIN_SHARE:
                self._problems[f"Of {before} keys of the kind `{kind}`, {now} are left."] = set()
        if expected.newest is not None and (report.newest or 0) < expected.newest:
            what = "is missing" if report.newest is None else "is older than then"
            self._problems[f"The newest journal entry {what}."] = set()


def _folded(deal: Deal, texts: list[str]) -> Attempt:
    """Fold the entries of an attempt's journal, at least one."""
    *_, last = play_journal.steps_of(deal, None, texts)
    return last.after


def _known_rules(game: str, variant: str, digest: str) -> Ruleset | None:
    """Return a deal's rules, if this release knows them."""
    try:
        return rules_of(game, variant, digest)
    except UnreadableError:
        return None


def _sentence(problem: str, examples: set[str]) -> str:
    """Return a problem as a sentence."""
    if not examples:
        return problem
    return f"{problem}: {len(examples)}, such as {', '.join(sorted(examples)[:EXAMPLES])}."
