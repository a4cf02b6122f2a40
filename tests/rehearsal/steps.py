"""An operator's steps, from the first build to the next release."""

from __future__ import annotations

import asyncio
import json
import re
import tomllib
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

from tests.processes import PATIENCE, ROOT
from tests.rehearsal.players import Racer, daily, race
from tests.rehearsal.site import NAME, CommandError, Site, recipe

VERSION: str = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
NEXT = f"{VERSION}.post1"
"""The release to which the site is upgraded."""

RIGHTS = """
cat /proc/1/status
echo ---
cat /proc/net/route
echo ---
for folder in / /etc /opt /usr/bin /var; do
    touch "$folder/written" 2>/dev/null && echo "$folder"
done
true
"""
"""Prints the rights of a container's first process, its routes, and its writable folders."""

START = ("Start", 0)
BACK_UP = ("Backup and restore with the compose file", 0)
RESTORE = ("Backup and restore with the compose file", 1)
UPGRADE = ("Restart without interruption", 0)
RUN_ONE = ("One container", 0)
REPLACE_ONE = ("One container", 1)
RECIPES = (START, BACK_UP, RESTORE, UPGRADE, RUN_ONE, REPLACE_ONE)
"""The blocks of deploy/README.md that are run, by section and number."""

SLOWEST = 300.0
"""The timeout of a first start, or of the first solved deal, in seconds."""

SERVICES = ("redis", "node-a", "node-b", "proxy")


@dataclass
class Steps:
    """The steps. Each returns a sentence about its outcome.

    Attributes:
        players: all players so far, whose entries must stay.
    """

    site: Site
    players: list[Racer] = field(default_factory=list)
    _racers: list[Racer] = field(default_factory=list)
    _kept: list[tuple[Racer, int]] = field(default_factory=list)

    async def build(self) -> str:
        """Build all images."""
        await self._run("docker compose build")
        label = await self._label(NAME)
        assert label["org.opencontainers.image.version"] == VERSION, label
        assert label["org.opencontainers.image.licenses"] == "MIT", label
        sizes = [f"{name} {await self._megabytes(name)} MB" for name in (NAME, f"{NAME}-proxy")]
        return ", ".join(sizes)

    async def start(self) -> str:
        """Start the stack as deploy/README.md says, with new secrets."""
        await self._run(recipe(*START))
        found = await asyncio.to_thread(self._get, "/")
        assert "<title>Samedeal" in found, "the proxy serves the page"
        return f"samedeal {await self._version('node-a')}, with the page"

    async def play(self) -> str:
        """Play a race and a daily through the proxy."""
        async with self._playing(daily=True):
            await asyncio.sleep(3)
        return self._told()

    async def harden(self) -> str:
        """Check that the containers have only the necessary rights."""
        for service in SERVICES:
            told = await asyncio.to_thread(self.site.inside, service, "sh", "-c", RIGHTS)
            status, routes, written = told.split("---\n")
            words = dict(re.findall(r"^(\w+):\s+(.+)$", status, re.MULTILINE))
            users = set(words["Uid"].split())
            assert "0" not in users, f"{service} runs as {users}"
            for kind in ("CapPrm", "CapEff", "CapBnd"):
                assert int(words[kind], 16) == 0, f"{service} has {kind} {words[kind]}"
            assert words["NoNewPrivs"] == "1", f"{service} may gain rights"
            assert not written, f"{service} writes to its root"
            way_out = any(line.split()[1] == "00000000" for line in routes.splitlines()[1:])
            assert way_out == (service == "proxy"), f"{service}: {routes}"
        return "no root, no capability, nothing to write to; only the proxy has a way out"

    async def disturb(self, act: str, service: str) -> str:
        """Restart or kill a service during a race, and start the stopped ones."""
        async with self._playing():
            await asyncio.sleep(1)
            await self._run(f"docker compose {act} {service}")
            await self._run("docker compose up --detach --wait")
        return self._told()

    async def back_up(self) -> str:
        """Back up Redis during a race."""
        async with self._playing():
            await asyncio.sleep(1)
            self._kept = [(player, player.seq) for player in self.players]
            await self._run(recipe(*BACK_UP))
        size = (self.site.folder / "backup/redis.tar").stat().st_size
        return f"{size / 1000:.0f} kB; {self._told()}"

    async def restore(self) -> str:
        """Restore the backup in place of Redis's data."""
        await self._run(recipe(*RESTORE))
        self.players = []
        for player, seq in self._kept:
            player.seq = seq
            await player.check()
            self.players.append(player)
        async with self._playing():
            await asyncio.sleep(1)
        return f"verified; {len(self._kept)} attempts as they were"

    async def upgrade(self) -> str:
        """Roll out a new release during a race."""
        self.site.set_version(VERSION, NEXT)
        async with self._playing():
            await self._run(recipe(*UPGRADE))
        for service in ("node-a", "node-b"):
            assert await self._version(service) == NEXT
        assert (await self._label(NAME))["org.opencontainers.image.version"] == NEXT
        return f"{NEXT}; {self._told()}"

    async def certify(self) -> str:
        """Certify deals of a game with the compose profile."""
        command = "docker compose --profile certify run --rm certify"
        told = await self._run(f"{command} samedeal certify --game robert --count 3 2>&1")
        done = re.search(r"robert: 3 of 3 in the pool.* s\b", told)
        assert done, told
        return done[0]

    async def check(self) -> str:
        """Check that all acknowledged moves are stored and that Redis refused no command."""
        for player in self.players:
            await player.check()
        await self._run("docker compose exec -T node-a samedeal admin verify-store")
        password = '-e REDISCLI_AUTH="$(cat deploy/secrets/redis-admin)"'
        command = f"docker compose exec -T {password} redis valkey-cli --user admin acl log"
        assert not (await self._run(command)).strip(), "Redis has refused something"
        moves = sum(player.moves for player in self.players)
        return f"{moves} acknowledged moves of {len(self.players)} players are there"

    async def end(self) -> str:
        """Stop the stack and remove its volumes."""
        await self._run("docker compose --profile certify down --volumes")
        return "removed"

    async def one_container(self) -> str:
        """Run the whole game in a single container, replace it, kill it, and play on."""
        container = {"samedeal": NAME, "8000:8000": f"{self.site.port}:8000"}
        self.players = []
        await self._run(recipe(*RUN_ONE, container))
        await self._until_ready()
        async with self._playing(daily=True):
            await asyncio.sleep(1)
        await self._run(recipe(*REPLACE_ONE, container))
        async with self._playing():
            await asyncio.sleep(1)
            await self._run(f"docker kill {NAME}; docker start {NAME}")
        for player in self.players:
            await player.check()
        await self._until(partial(self._run, f"docker exec {NAME} test -d /data/solver"))
        told = self._told()
        await self._run(f"docker rm --force --volumes {NAME}; docker volume rm {NAME}")
        return told

    async def wrong_owner(self) -> str:
        """Run the container on a directory that its user cannot write to."""
        folder = self.site.folder / "of-root"
        folder.mkdir(mode=0o700)
        told = await self._run(f"docker run --rm --volume '{folder}:/data' {NAME} 2>&1 || true")
        said = re.search(r"The user 10001 may not write to .*", told)
        assert said, told
        return said[0]

    @asynccontextmanager
    async def _playing(self, *, daily: bool = False) -> AsyncIterator[None]:
        """Play during the block and a move after it; `_told` reports the outcome."""
        racers = await race(self.site.port)
        if daily:
            racers.append(await _daily(self.site.port))
        self.players += racers
        self._racers = racers
        over = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            for racer in racers:
                group.create_task(_within_patience(racer, over))
            try:
                yield
            finally:
                over.set()

    def _told(self) -> str:
        moves = sum(racer.moves for racer in self._racers)
        again = sum(racer.connections - 1 for racer in self._racers)
        return f"{moves} moves acknowledged, none lost; {again} sockets opened again"

    async def _run(self, script: str) -> str:
        return await asyncio.to_thread(self.site.run, script)

    async def _version(self, service: str) -> str:
        told = await asyncio.to_thread(self.site.inside, service, "samedeal", "--version")
        return told.split()[-1]

    async def _label(self, image: str) -> dict[str, str]:
        found = json.loads(await self._run(f"docker image inspect {image}"))
        labels: dict[str, str] = found[0]["Config"]["Labels"]
        return labels

    async def _megabytes(self, image: str) -> int:
        size: int = json.loads(await self._run(f"docker image inspect {image}"))[0]["Size"]
        return round(size / 1e6)

    async def _until_ready(self) -> None:
        await self._until(partial(asyncio.to_thread, self._get, "/health/ready"))

    async def _until(self, act: Callable[[], Awaitable[str]]) -> None:
        """Retry until success: on a busy machine, a first start takes long to solve its deals."""
        async with asyncio.timeout(SLOWEST):
            while True:
                try:
                    await act()
                except (OSError, CommandError):
                    await asyncio.sleep(1)
                else:
                    return

    def _get(self, path: str) -> str:
        url = f"http://localhost:{self.site.port}{path}"
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
            text: str = answer.read().decode()
        return text


_daily = daily


async def _within_patience(racer: Racer, over: asyncio.Event) -> None:
    """Play, and fail if play does not resume soon after `over`."""
    playing = asyncio.create_task(racer.play(over))
    waiting = asyncio.create_task(over.wait())
    await asyncio.wait({playing, waiting}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    async with asyncio.timeout(PATIENCE):
        await playing
