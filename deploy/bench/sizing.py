"""How many nodes, and how much memory, disk and bandwidth, so many players take.

The tables of `deploy/CAPACITY.md` are computed here from what was measured: `costs.json`, which
`python -m deploy.bench.capacity --write` records, the table of `RESULTS.md`, and the constants
below. What players do is assumed: the first constants. `python -m deploy.bench.capacity --table`
writes the tables anew.
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

PLAYERS: Final = (1_000, 10_000, 100_000, 1_000_000)
"""Players a day, of whom each has a row."""

DAYS: Final = (90, 30, 7, 2)
"""Days for which the journals of attempts are kept: `KEPT_DAYS`, and fewer."""

# What is assumed of a player on a day.
PEAK: Final = 0.1
"""The share of a day's players who are there at a time, when most are."""
MINUTES: Final = 30
DAILIES: Final = 2
RACES: Final = 1
"""Races of two."""
MOVES: Final = 100
"""Moves of a game."""
RESULT_DAYS: Final = 400
KNOWN: Final = 10
"""Kept identities for each player of a day: most do not come every day."""
NEW: Final = 0.1
"""The share of visits whose browser has not got the page yet."""

# What is asked of the machines.
BUSY: Final = 0.5
"""The share of a core that a node, Redis or the proxy may use at the peak."""
NODE_PLAYERS: Final = 10_000
"""Players of a node at most: as many as were measured."""
SHARD_BYTES: Final = 32e9
"""`maxmemory` of one Redis at most: more takes minutes to load, and long to copy."""

# What was measured by hand, beside `costs.json` and RESULTS.md: 1,000 players in races of two, each
# with a move a second, who come to one node by Caddy 2.6 and TLS 1.3.
NODE_BYTES: Final = 83_000_000
"""Resident memory of a node without players."""
PLAYER_BYTES: Final = 17_000
"""Of a player in a race, in a node."""
PROXY_BYTES: Final = 94_000
"""Of a player's socket, in the proxy."""
PROXY_MOVE_US: Final = 114
"""Processor time of the proxy for a move and its answer."""
PROXY_VISIT_US: Final = 1_370
"""The same for a visit: a TLS handshake and a WebSocket."""
PAGE_BYTES: Final = 270_000
"""Files of the page, compressed, that a first visit loads in the end."""
FRAME_BYTES: Final = 2 + 22 + 52
"""What WebSocket, TLS 1.3 and TCP add to a message."""


@cache
def costs() -> dict[str, Any]:
    """Return what `costs.json` has."""
    found: dict[str, Any] = json.loads(COSTS_FILE.read_text(encoding="utf-8"))
    return found


@cache
def result(name: str) -> float:
    """Return a figure of RESULTS.md by the beginning of its row."""
    text = RESULTS_FILE.read_text(encoding="utf-8")
    found = re.search(rf"^\| {re.escape(name)}[^|]* \| ([\d,.]+) \|", text, re.MULTILINE)
    assert found is not None, f"RESULTS.md has no {name}"
    return float(found[1].replace(",", ""))


@cache
def move_us() -> float:
    """Return the processor time of a node for a move of 1,000 players at a person's pace."""
    text = RESULTS_FILE.read_text(encoding="utf-8").partition("## At a person's pace")[2]
    found = re.search(r"^\| 1,000 \| node \|[^|]*\|[^|]*\| ([\d.]+) \|", text, re.MULTILINE)
    assert found is not None, "RESULTS.md has no row of 1,000 players"
    return float(found[1])


def visit_us() -> float:
    """Return the processor time of a node for a visit, without its moves."""
    parts = ("a new player", "`/`, µs", "`ListDailies`", "`CreateRoom`", "`WatchLeaderboard`")
    return sum(map(result, parts))


def kept(kind: str) -> float:
    """Return the bytes of Redis's memory that one of a kind takes."""
    return float(costs()["kept"][kind])


IDENTITY: Final = (
    "a guest's name",
    "an identity that is kept, without a name",
    "a kept player's first result",
)
"""The kinds that make up a kept identity."""


@dataclass(frozen=True, slots=True)
class Site:
    """What a site with so many players a day takes.

    Attributes:
        players: a day.
        days: for which journals of attempts are kept.
    """

    players: int
    days: int = DAYS[0]

    @property
    def peak(self) -> float:
        """Players at a time, when most are there."""
        return self.players * PEAK

    @property
    def moves(self) -> float:
        """Moves a second, then."""
        return self.peak * (DAILIES + RACES) * MOVES / (MINUTES * 60)

    @property
    def visits(self) -> float:
        """Players who come in a second, then."""
        return self.peak / (MINUTES * 60)

    @property
    def node_cores(self) -> float:
        """Cores that the nodes use, then."""
        return (self.moves * move_us() + self.visits * visit_us()) / 1e6

    @property
    def nodes(self) -> int:
        """Nodes, each with a core: one more than there have to be, so that any may be away."""
        return 1 + max(math.ceil(self.node_cores / BUSY), math.ceil(self.peak / NODE_PLAYERS))

    @property
    def node_memory(self) -> float:
        """Bytes of a node, while one is away."""
        return NODE_BYTES + PLAYER_BYTES * self.peak / max(1, self.nodes - 1)

    @property
    def journals(self) -> float:
        """Bytes that attempts take, of which each is kept for `days`."""
        return self.players * self.days * (DAILIES + RACES) * kept(f"a daily with {MOVES} moves")

    @property
    def races(self) -> float:
        """Bytes that the races of a day take, for `DAYS[0]` days."""
        race = kept("the end of a race of two: record, histories, who met")
        return self.players * RACES / 2 * (race + kept("the deal of a round"))

    @property
    def results(self) -> float:
        """Bytes that the results of a day take, for `RESULT_DAYS`."""
        return self.players * (DAILIES + RACES) * kept("a guest's next result of the same week")

    @property
    def day(self) -> float:
        """Bytes that are new in Redis's memory each day."""
        return self.journals / self.days + self.races + self.results

    @property
    def data(self) -> float:
        """Bytes of all that is kept after as long as anything is kept."""
        identity = sum(map(kept, IDENTITY))
        other = self.races * DAYS[0] + self.results * RESULT_DAYS
        return self.journals + other + self.players * KNOWN * identity

    @property
    def maxmemory(self) -> float:
        """Bytes of `maxmemory`, of all shards together: below the first level, all begins."""
        return self.data / FROM["filling"]

    @property
    def disk(self) -> float:
        """Bytes of the append-only file: twice as it was rewritten, and the next one beside it."""
        return 3 * float(costs()["file"]["rewritten"]) * self.data

    @property
    def shards(self) -> int:
        """Masters of Redis: one, or else three or more."""
        by_time = self.moves * float(costs()["file"]["processor_us"]) / 1e6 / BUSY
        needed = math.ceil(max(by_time, self.maxmemory / SHARD_BYTES))
        return needed if needed <= 1 else max(3, needed)

    @property
    def written(self) -> float:
        """Bytes that are appended to the file in a day."""
        return self.players * (DAILIES + RACES) * MOVES * float(costs()["file"]["appended"])

    @property
    def proxy_memory(self) -> float:
        """Bytes of the proxy."""
        return self.peak * PROXY_BYTES

    @property
    def proxy_cores(self) -> float:
        """Cores that the proxy uses at the peak."""
        return (self.moves * PROXY_MOVE_US + self.visits * PROXY_VISIT_US) / 1e6

    @property
    def bandwidth(self) -> float:
        """Bits a second that go out at the peak: answers, progress of the other, the page."""
        answer = result("answer to a move, bytes") + FRAME_BYTES
        progress = RACES / (DAILIES + RACES) * (result("progress, bytes") + FRAME_BYTES)
        return 8 * (self.moves * (answer + progress) + self.visits * NEW * PAGE_BYTES)


def _round(value: float) -> float:
    """Return a number with the two digits that count."""
    return float(f"{value:.2g}")


def size_text(size: float) -> str:
    """Return a size in bytes with two digits, as in `2.4 GB`."""
    power = min(4, int(math.log10(_round(size)) / 3))
    return f"{_number(size / 1_000**power)} {('bytes', 'kB', 'MB', 'GB', 'TB')[power]}"


def _number(value: float) -> str:
    return f"{value:#.2g}" if value < 9.95 else f"{_round(value):,.0f}"  # noqa: PLR2004


def _table(head: list[str], rows: list[list[str]]) -> str:
    ruler = f"|---|{'--:|' * (len(head) - 1)}\n"
    first, *others = [f"| {' | '.join(row)} |\n" for row in (head, *rows)]
    return "".join([first, ruler, *others])


def machines() -> str:
    """Return the table of what the peak and the day take."""
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
    """Return the table of what is kept, by how long journals are."""
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
    """Return the table of bytes that one of each kind takes."""
    rows = [[kind, f"{size:,}"] for kind, size in costs()["kept"].items()]
    return _table([str(costs()["server"]), "bytes"], rows)


TABLES: Final = {"machines": machines, "store": store, "kept": one_of_each}


def with_tables(text: str) -> str:
    """Return the document with its tables computed anew."""
    for name, table in TABLES.items():
        text = re.sub(
            rf"(<!-- {name} -->\n).*?(?=<!-- end -->)",
            lambda found, table=table: found[1] + table(),  # type: ignore[misc]
            text,
            flags=re.DOTALL,
        )
    return text


def write_document() -> None:
    """Write the tables of the document anew."""
    DOCUMENT.write_text(with_tables(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
