"""Capacity planning: nodes, memory, disk and bandwidth by number of players.

It computes the tables of `deploy/CAPACITY.md` from measurements: `costs.json`, recorded by
`python -m deploy.bench.capacity --write`, the table of `RESULTS.md`, and the constants below. The
first constants are assumptions about players. `python -m deploy.bench.capacity --table` updates the
tables.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from server.base.core.memory_level import FROM

FOLDER: Final = Path(__file__).parent
COSTS_FILE: Final = FOLDER / "costs.json"
RESULTS_FILE: Final = FOLDER / "RESULTS.md"
DOCUMENT: Final = FOLDER.parent / "CAPACITY.md"
PLAYERS: Final = (1_000, 10_000, 100_000, 1_000_000)  # players per day, one per row of the tables
DAYS: Final = (90, 30, 7, 2)  # retention of attempts' journals in days: `KEPT_DAYS`, and fewer

# Assumptions about a player per day.
PEAK: Final = 0.1  # the share of a day's players who are online at the peak
MINUTES: Final = 30
DAILIES: Final = 2
RACES: Final = 1  # races of two
MOVES: Final = 100  # moves per game
RESULT_DAYS: Final = 400
KNOWN: Final = 10  # kept identities per player of a day, since most do not play every day
NEW: Final = 0.1  # the share of visits without a cached page

# Requirements of the machines.
BUSY: Final = 0.5  # the maximum share of a core for a node, Redis or the proxy at the peak
NODE_PLAYERS: Final = 10_000  # the most players of a node, as measured
# The largest `maxmemory` of one Redis: more takes minutes to load, and long to copy.
SHARD_BYTES: Final = 32e9

# Manual measurements, in addition to `costs.json` and RESULTS.md: 1,000 players in races of two,
# each with a move per second, on one node behind Caddy 2.6 and TLS 1.3.
NODE_BYTES: Final = 83_000_000  # the resident memory of a node without players
PLAYER_BYTES: Final = 17_000  # a node's memory per player in a race
PROXY_BYTES: Final = 94_000  # the proxy's memory per player's socket
PROXY_MOVE_US: Final = 114  # the proxy's processor time for a move and its answer
# The proxy's processor time for a visit: a TLS handshake and a WebSocket.
PROXY_VISIT_US: Final = 1_370
PAGE_BYTES: Final = 270_000  # the compressed files of the page that a first visit loads in total
FRAME_BYTES: Final = 2 + 22 + 52  # the overhead of WebSocket, TLS 1.3 and TCP per message


@cache
def costs() -> dict[str, Any]:
    """Load `costs.json`."""
    found: dict[str, Any] = json.loads(COSTS_FILE.read_text(encoding="utf-8"))
    return found


@cache
def result(name: str) -> float:
    """Return a figure of RESULTS.md by the start of its row."""
    text = RESULTS_FILE.read_text(encoding="utf-8")
    found = re.search(rf"^\| {re.escape(name)}[^|]* \| ([\d,.]+) \|", text, re.MULTILINE)
    assert found is not None, f"RESULTS.md has no {name}"
    return float(found[1].replace(",", ""))


@cache
def move_us() -> float:
    """Return a node's processor time per move with 1,000 players at a person's pace."""
    text = RESULTS_FILE.read_text(encoding="utf-8").partition("## At a person's pace")[2]
    found = re.search(r"^\| 1,000 \| node \|[^|]*\|[^|]*\| ([\d.]+) \|", text, re.MULTILINE)
    assert found is not None, "RESULTS.md has no row of 1,000 players"
    return float(found[1])


def visit_us() -> float:
    """Return a node's processor time per visit, without moves."""
    parts = ("a new player", "`/`, µs", "`ListDailies`", "`CreateRoom`", "`WatchLeaderboard`")
    return sum(map(result, parts))


def kept(kind: str) -> float:
    """Return the bytes of one object of a kind in Redis's memory."""
    return float(costs()["kept"][kind])


# The kinds of objects in a kept identity.
IDENTITY: Final = (
    "a guest's name",
    "an identity that is kept, without a name",
    "a kept player's first result",
)


@dataclass(frozen=True, slots=True)
class Site:
    """The requirements of a site."""

    players: int  # per day
    days: int = DAYS[0]  # for keeping attempts' journals

    @property
    def peak(self) -> float:
        """Players online at the peak."""
        return self.players * PEAK

    @property
    def moves(self) -> float:
        """Moves per second at the peak."""
        return self.peak * (DAILIES + RACES) * MOVES / (MINUTES * 60)

    @property
    def visits(self) -> float:
        """Arriving players per second at the peak."""
        return self.peak / (MINUTES * 60)

    @property
    def node_cores(self) -> float:
        """Cores used by nodes at the peak."""
        return (self.moves * move_us() + self.visits * visit_us()) / 1e6

    @property
    def nodes(self) -> int:
        """Nodes of one core each, with one to spare."""
        return 1 + max(math.ceil(self.node_cores / BUSY), math.ceil(self.peak / NODE_PLAYERS))

    @property
    def node_memory(self) -> float:
        """A node's memory in bytes while another is down."""
        return NODE_BYTES + PLAYER_BYTES * self.peak / max(1, self.nodes - 1)

    @property
    def journals(self) -> float:
        """Bytes of attempts, which are kept for `days`."""
        return self.players * self.days * (DAILIES + RACES) * kept(f"a daily with {MOVES} moves")

    @property
    def races(self) -> float:
        """Bytes of a day's races, kept for `DAYS[0]` days."""
        race = kept("the end of a race of two: record, histories, who met")
        return self.players * RACES / 2 * (race + kept("the deal of a round"))

    @property
    def results(self) -> float:
        """Bytes of a day's results, kept for `RESULT_DAYS`."""
        return self.players * (DAILIES + RACES) * kept("a guest's next result of the same week")

    @property
    def day(self) -> float:
        """Bytes added to Redis's memory each day."""
        return self.journals / self.days + self.races + self.results

    @property
    def data(self) -> float:
        """Bytes of all data once the longest retention has passed."""
        identity = sum(map(kept, IDENTITY))
        other = self.races * DAYS[0] + self.results * RESULT_DAYS
        return self.journals + other + self.players * KNOWN * identity

    @property
    def maxmemory(self) -> float:
        """Bytes of `maxmemory` over all shards, with data below the first level of refusals."""
        return self.data / FROM["filling"]

    @property
    def disk(self) -> float:
        """Bytes of the append-only file: twice its rewritten size, plus the next rewrite."""
        return 3 * float(costs()["file"]["rewritten"]) * self.data

    @property
    def shards(self) -> int:
        """Redis masters: one, or at least three."""
        by_time = self.moves * float(costs()["file"]["processor_us"]) / 1e6 / BUSY
        needed = math.ceil(max(by_time, self.maxmemory / SHARD_BYTES))
        return needed if needed <= 1 else max(3, needed)

    @property
    def written(self) -> float:
        """Bytes appended to the file per day."""
        return self.players * (DAILIES + RACES) * MOVES * float(costs()["file"]["appended"])

    @property
    def proxy_memory(self) -> float:
        """The proxy's memory in bytes."""
        return self.peak * PROXY_BYTES

    @property
    def proxy_cores(self) -> float:
        """Cores used by the proxy at the peak."""
        return (self.moves * PROXY_MOVE_US + self.visits * PROXY_VISIT_US) / 1e6

    @property
    def bandwidth(self) -> float:
        """Outgoing bits per second at the peak: answers, opponents' progress, the page."""
        answer = result("answer to a move, bytes") + FRAME_BYTES
        progress = RACES / (DAILIES + RACES) * (result("progress, bytes") + FRAME_BYTES)
        return 8 * (self.moves * (answer + progress) + self.visits * NEW * PAGE_BYTES)


def _round(value: float) -> float:
    return float(f"{value:.2g}")


def size_text(size: float) -> str:
    """Return a size in bytes with two digits, such as `2.4 GB`."""
    power = min(4, int(math.log10(_round(size)) / 3))
    return f"{_number(size / 1_000**power)} {('bytes', 'kB', 'MB', 'GB', 'TB')[power]}"


def _number(value: float) -> str:
    return f"{value:#.2g}" if value < 9.95 else f"{_round(value):,.0f}"  # noqa: PLR2004


def _table(head: list[str], rows: list[list[str]]) -> str:
    ruler = f"|---|{'--:|' * (len(head) - 1)}\n"
    first, *others = [f"| {' | '.join(row)} |\n" for row in (head, *rows)]
    return "".join([first, ruler, *others])


def machines() -> str:
    """Return the table of machines for the peak and the day."""
    sites = [Site(players) for players in PLAYERS]
    rows: dict[str, list[str]] = {
        "players at a time": [_number(s.peak) for s in sites],
        "moves a second": [_number(s.moves) for s in sites],
        "visits that begin in a second": [_number(s.visits) for s in sites],
        "nodes, of a core each": [str(s.nodes) for s in sites],
        "of these cores, in use": [_number(s.node_cores) for s in sites],
        "memory of a node": [size_text(s.node_memory) for s in sites],
        "cores of the proxy, in use": [_number(s.proxy_cores) for s in sites],
        "memory of the proxy": [size_text(s.proxy_memory) for s in sites],
        "fsyncs a second, at most": [_number(s.moves) for s in sites],
        "appended to the file in a day": [size_text(s.written) for s in sites],
        "out of the proxy, Mbit/s": [_number(s.bandwidth / 1e6) for s in sites],
    }
    head = ["players a day", *(f"{players:,}" for players in PLAYERS)]
    return _table(head, [[name, *cells] for name, cells in rows.items()])


def store() -> str:
    """Return the table of stored data by retention of journals."""
    rows = []
    for days in DAYS:
        sites = [Site(players, days) for players in PLAYERS]
        rows += [
            [f"**journals kept for {days} days**: data", *(size_text(s.data) for s in sites)],
            ["`maxmemory`", *(size_text(s.maxmemory) for s in sites)],
            ["memory for Redis", *(size_text(2 * s.maxmemory) for s in sites)],
            ["disk", *(size_text(s.disk) for s in sites)],
            ["masters of Redis", *(str(s.shards) for s in sites)],
        ]
    return _table(["players a day", *(f"{players:,}" for players in PLAYERS)], rows)


def one_of_each() -> str:
    """Return the table of bytes per object of each kind."""
    rows = [[kind, f"{size:,}"] for kind, size in costs()["kept"].items()]
    return _table([str(costs()["server"]), "bytes"], rows)


TABLES: Final = {"machines": machines, "store": store, "kept": one_of_each}


def with_tables(text: str) -> str:
    """Return the document with updated tables."""
    for name, table in TABLES.items():
        text = re.sub(
            rf"(<!-- {name} -->\n).*?(?=<!-- end -->)",
            lambda found, table=table: found[1] + table(),  # type: ignore[misc]
            text,
            flags=re.DOTALL,
        )
    return text


def write_document() -> None:
    """Update the tables of the document."""
    DOCUMENT.write_text(with_tables(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
