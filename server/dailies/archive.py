"""The archive: one file per closed day, with its deals and the moves of its runs.

A file is made soon after the day (`server.dailies.retention`) or at the first request, and kept in
a folder of the node. Its sources no longer change and their order is fixed, so all nodes make
identical files. If an operator deletes the file, it can be made again while the journals exist,
then without results voided since.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import os
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import structlog

from server.base.core import days as daily
from server.base.core.days import DailyId
from server.base.core.ids import AttemptId, DealId, attempt_id
from server.base.core.refusal import (
    BaseRefusals,
    HttpRefusals,
    Refusal,
    UnavailableError,
    UnreadableError,
)
from server.base.work.clock import Clock
from server.base.work.random_text import random_id
from server.base.work.tasks import Tasks
from server.dailies.core.archive_lines import ArchivedDeal, DayLine, line, run_line
from server.dailies.dailies import Dailies, ShownDay
from server.dailies.daily_list import DailyList
from server.dailies.trimmed_days_store import TrimmedDayStore
from server.play.attempts import Attempts
from server.play.core import keys
from server.play.core.result import Row
from server.results.core import boards
from server.results.core.boards import Group
from server.results.leaderboards_store import LeaderboardStore

# How many days back a file can still be made, before the journals expire.
DAYS = keys.ATTEMPT_LIFE_MS // daily.DAY - 1

PAGE = 20  # runs read between two pauses: about 10 ms of work
PAUSE = 0.05  # seconds of each pause, which gives priority to players; a million runs take an hour
RETRY_AFTER_MS = 30_000  # until a client should request a pending file again

_NAME = re.compile(r"(?P<date>\d{4,}-\d\d-\d\d)-(?P<digest>[0-9a-f]+)\.jsonl\.gz")

GROUPS: tuple[Group, ...] = get_args(Group)

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class ArchiveFile:
    """A day's file."""

    path: Path
    digest: str  # of its content, in hexadecimal


class Archive:
    """The files of closed days, made one at a time.

    Nodes can share `folder`; without one, there is no archive.
    """

    def __init__(
        self,
        attempts: Attempts,
        dailies: Dailies,
        daily_list: DailyList,
        folder: Path | None,
        *,
        leaderboards: LeaderboardStore,
        trimmed: TrimmedDayStore,
        clock: Clock,
    ) -> None:
        self._leaderboards = leaderboards
        self._trimmed = trimmed
        self._clock = clock
        self._attempts = attempts
        self._dailies = dailies
        self._list = daily_list
        self._folder = folder
        self._making = Tasks()
        self._closing = False

    async def days(
        self, files: Mapping[str, ArchiveFile] | None = None
    ) -> dict[int, dict[str, int]]:
        """Return the number of runs of each downloadable day, latest first, by game.

        This takes two round trips for several thousand numbers, so callers should share the result.
        `files` is the result of the method `files`, which is called if it is omitted.
        """
        if files is None:
            files = await self.files()
        last, trimmed = daily.day_at(self._clock.now()), await self._trimmed.all()
        days = [
            day
            for day in range(last, last - DAYS, -1)
            if self._is_settled(day) and (day not in trimmed or daily.date_text(day) in files)
        ]
        dailies = await self._list.possible(days)
        wanted = [(each.day, each.game, group) for each in dailies for group in GROUPS]
        sizes = await self._leaderboards.sizes(
            [boards.of_daily(DailyId(game, day), group) for day, game, group in wanted]
        )
        found: dict[int, dict[str, int]] = {}
        for (day, game, _), size in zip(wanted, sizes, strict=True):
            if size:
                of_day = found.setdefault(day, {})
                of_day[game] = of_day.get(game, 0) + size
        return found

    async def load(self, day: int) -> ArchiveFile:
        """Return the file of a day.

        Refused as `unknown_day` if it cannot be made, and as `being_made` if the client should
        retry.
        """
        found = await self.find(day)
        if found is not None:
            return found
        oldest = daily.day_at(self._clock.now()) - DAYS
        if self._folder is None or day <= oldest or not self._is_settled(day):
            raise Refusal(BaseRefusals.unknown_day)
        shown = await self._dailies.load_day(day)
        if day in await self._trimmed.all():
            raise Refusal(BaseRefusals.unknown_day)
        # One file at a time; later requests start the next one.
        if not self._making and not self._closing:
            self._making.run_soon(self._make(self._folder, shown))
        raise Refusal(HttpRefusals.being_made, wait=RETRY_AFTER_MS)

    async def files(self) -> dict[str, ArchiveFile]:
        """Return the existing files, by their dates."""
        # In a thread, since three years are a thousand files.
        return {} if self._folder is None else await asyncio.to_thread(_listed, self._folder)

    async def find(self, day: int) -> ArchiveFile | None:
        """Return the file of a day if it exists, else `None`. For many days, use `files`."""
        return (await self.files()).get(daily.date_text(day))

    async def make(self, day: int) -> bool:
        """Make the file of a day that `days` returns; return whether it exists now. Log errors."""
        await self.wait()
        if await self.find(day) is None and self._folder is not None and not self._closing:
            shown = await self._dailies.load_day(day)
            self._making.run_soon(self._make(self._folder, shown))
            await self.wait()
        return await self.find(day) is not None

    async def attempts(self, day: int) -> AsyncIterator[list[AttemptId]]:
        """Yield the attempts of the runs in a day's file, in batches with pauses."""
        shown = await self._dailies.load_day(day)
        for deal in shown.deals:
            for group in GROUPS:
                async for rows in self._rows(DailyId(deal.game, day), group):
                    yield [attempt_id(deal.id, row.player) for row in rows]
                    await asyncio.sleep(PAUSE)

    async def wait(self) -> None:
        """Wait until no file is being made."""
        await self._making.wait()

    async def close(self) -> None:
        """Stop making a file, at its next page."""
        self._closing = True
        await self.wait()

    def _is_settled(self, day: int) -> bool:
        """Return whether all results of a day have reached its leaderboards."""
        return self._clock.now() >= daily.closes(day) + daily.SETTLED_MS

    async def _make(self, folder: Path, shown: ShownDay) -> None:
        date = daily.date_text(shown.day)
        part = folder / f"{date}.{random_id()}.part"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # The journals may have been deleted during the read.
            if await self._write(part, shown) and shown.day not in await self._trimmed.all():
                digest = (await asyncio.to_thread(_digest, part))[:32]
                # Atomic, so that nodes that share the folder never see a partial file.
                part.replace(folder / f"{date}-{digest}.jsonl.gz")
                log.info("archived", date=date)
        except UnavailableError as error:
            log.debug("not_archived", date=date, error=str(error))
        except (OSError, UnreadableError) as error:
            log.warning("not_archived", date=date, error=str(error))
        except Exception:
            log.exception("not_archived", date=date)
        finally:
            part.unlink(missing_ok=True)

    async def _write(self, part: Path, shown: ShownDay) -> bool:
        """Write the file of a day; return `False` if it was interrupted because the node stops."""
        # Without a name and a time, the file is identical on all nodes.
        with part.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
            async for lines in self._pages(shown):
                if self._closing:
                    return False
                await asyncio.to_thread(packed.write, lines)
        return True

    async def _pages(self, shown: ShownDay) -> AsyncIterator[bytes]:
        """Yield the lines of a day's file, in batches with pauses."""
        # Sort by id: the menu order of games may differ between releases.
        in_order = sorted(shown.deals, key=lambda deal: deal.game)
        deals = [
            ArchivedDeal(
                deal.game, deal.variant, deal.id, deal.rules, deal.commitment, deal.seed.hex()
            )
            for deal in in_order
        ]
        yield line(DayLine(1, daily.date_text(shown.day), deals))
        for deal in in_order:
            for group in GROUPS:
                async for lines in self._runs(DailyId(deal.game, shown.day), deal.id, group):
                    yield lines
                    await asyncio.sleep(PAUSE)

    async def _runs(self, daily_id: DailyId, deal: DealId, group: Group) -> AsyncIterator[bytes]:
        """Yield the lines of the runs of a game and group, best first, in batches."""
        async for rows in self._rows(daily_id, group):
            lines = []
            for row in rows:
                run = await self._attempts.run(attempt_id(deal, row.player))
                if run is not None:  # else the store has lost its journal
                    lines.append(line(run_line(daily_id.game, group, row, run)))
            yield b"".join(lines)

    async def _rows(self, daily_id: DailyId, group: Group) -> AsyncIterator[list[Row]]:
        """Yield the leaderboard rows of a daily and group, best first, in batches."""
        board, first = boards.of_daily(daily_id, group), 1
        while rows := (await self._leaderboards.rows(board, first, PAGE)).rows:
            yield rows
            first += len(rows)


def _listed(folder: Path) -> dict[str, ArchiveFile]:
    """Return the files of days in a folder by their dates; empty if it cannot be read."""
    try:
        names = [each.name for each in os.scandir(folder)]
    except OSError:
        return {}
    matches = (match for name in names if (match := _NAME.fullmatch(name)))
    return {each["date"]: ArchiveFile(folder / each[0], each["digest"]) for each in matches}


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
