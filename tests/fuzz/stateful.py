"""Stateful fuzzing of running nodes: `make fuzz-nodes`.

python -m tests.fuzz.stateful [--frames N] [--seed S] [--players N] [--folder DIR]

Players on two nodes send commands generated from the message definitions, naming values seen so
far. Some commands are broken, duplicated, reordered or cut off. Each must be answered once and in
order, as PROTOCOL.md says. Nodes must log no errors and must not grow. At the end, the fault
suite's checker compares Redis with everything that the players sent and received.

The seed determines the choices, but not the scheduling of the processes.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults import ledger, nodelog
from tests.faults.checker import check
from tests.faults.room_history import Nodes
from tests.faults.run import stored_when_settled
from tests.faults.stage import ABSENCE, WATCH_DELAY_MS, Node, Stage
from tests.faults.stores import running_store
from tests.fuzz.fuzzer import Fuzzer, World

NODES = 2

COUNTDOWN_MS = 300
"""Milliseconds from the host's start to the first card."""

SHARE = 20
"""Divisor of the rooms' time limits: most rounds end within seconds."""

POLL_EVERY = 0.2

GROWTH = 2_000
"""A node's allowed growth per frame in the second half of a run, in bytes.

Attempts stay in memory up to the caches' bounds, which a run does not reach.
"""

LEAST = 100_000
"""Frames of a run before growth is judged. Shorter runs only fill the caches."""


@dataclass
class Report:
    """The outcome of a run: complaints, figures, and counts of answers by command."""

    world: World
    complaints: list[str]
    seconds: float = 0.0
    sizes: list[tuple[int, int]] = field(default_factory=list)
    """Frames sent, and the nodes' total memory in bytes at that time."""

    def lines(self) -> list[str]:
        """Return the report as lines of text."""
        grown = [f"{frames:>9} frames: {size / 2**20:8.1f} MiB" for frames, size in self.sizes]
        counts = [f"{name:<28}{n:>9}" for name, n in sorted(self.world.counts.items())]
        answers = [f"{a:<20}{b:<24}{n:>9}" for (a, b), n in sorted(self.world.answers.items())]
        return [*counts, "", *answers, "", *grown, f"{self.seconds:.0f} s", "", *self.complaints]


async def run(
    folder: Path, frames: int, seed: int, players: int, log: Callable[[str], None]
) -> Report:
    """Run players until `frames` frames are sent, then check the stored state."""
    begun = time.monotonic()
    with running_store("alone") as store:
        options = [*store.options(), "--page", str(folder), "--share", str(SHARE)]
        options += ["--countdown", str(COUNTDOWN_MS), "--absence", str(ABSENCE)]
        options += ["--watch-delay", str(WATCH_DELAY_MS), "--address-players", "10000"]
        nodes = [Node(n, options, folder, module="tests.fuzz.node") for n in range(NODES)]
        async with _running(nodes):
            world = World([node.port for node in nodes], frames)
            report = Report(world, world.complaints)
            await _play(world, nodes, report, seed, players, log)
            found = await stored_when_settled(Stage(store, nodes))
            assert all([await node.end() for node in nodes])
    log("checking")
    kind = Nodes(ABSENCE, 3 * ABSENCE, ABSENCE // 2, ABSENCE, watch_delay=WATCH_DELAY_MS)
    ledgers = list(world.ledgers.values())
    verdict = await asyncio.to_thread(check, found, ledgers, ledger.now(), kind)
    world.counts += verdict.counts
    world.complaints += dict.fromkeys(map(str, verdict.complaints))
    for node in nodes:
        lines = node.log.read_text(errors="replace").splitlines()
        world.complaints += [f"node {node.number}: {text}" for text in nodelog.errors(lines)]
    _judge_growth(report)
    report.seconds = time.monotonic() - begun
    return report


@asynccontextmanager
async def _running(nodes: list[Node]) -> AsyncIterator[None]:
    try:
        for node in nodes:
            node.start()
        for node in nodes:
            await node.until_listening()
        yield
    finally:
        for node in nodes:
            node.kill()


async def _play(  # noqa: PLR0917 - the parts of a run
    world: World,
    nodes: list[Node],
    report: Report,
    seed: int,
    players: int,
    log: Callable[[str], None],
) -> None:
    total, told = world.left, 0
    tasks = [
        asyncio.create_task(Fuzzer(n, world, random.Random(f"{seed} {n}")).run())
        for n in range(players)
    ]
    try:
        playing = asyncio.gather(*tasks)
        for tenth in range(11):
            while not playing.done() and total - world.left < total * tenth // 10:
                await asyncio.sleep(POLL_EVERY)
            size = sum(node.memory() for node in nodes)
            report.sizes.append((total - world.left, size))
            log(f"{total - world.left} frames, {size >> 20} MiB")
            for complaint in world.complaints[told:]:
                log(complaint)
            told = len(world.complaints)
        await playing
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _judge_growth(report: Report) -> None:
    (middle, before), (end, after) = report.sizes[5], report.sizes[-1]
    if end >= LEAST and after - before > GROWTH * (end - middle):
        report.complaints.append(f"the nodes grow: {report.sizes}")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.fuzz.stateful")
    parser.add_argument("--frames", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--players", type=int, default=16)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    folder = given.folder or Path(tempfile.mkdtemp(prefix="samedeal-fuzz"))
    folder.mkdir(parents=True, exist_ok=True)
    _say(f"seed {given.seed}, logs in {folder}")
    report = asyncio.run(run(folder, given.frames, given.seed, given.players, _say))
    _say("\n".join(report.lines()))
    return int(bool(report.complaints))


if __name__ == "__main__":
    sys.exit(main())
