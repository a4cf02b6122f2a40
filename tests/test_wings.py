"""A new wing is a folder, and one line in the list of wings."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from server.wings import NAMES
from tests.conftest import ALONE, SECRET_KEY_FILE
from tests.processes import PATIENCE
from tests.redis_users import as_node

pytestmark = ALONE

ROOT = Path(__file__).parents[1]

HANDLERS = '''
from __future__ import annotations

from typing import ClassVar

from server.base.core import costs
from server.base.core.refusal import Refusal, RefusalCode
from server.base.wire.messages import Command, Event
from server.foundation import Setup
from server.players.services import PlayerServices
from server.request import NodeRequest


class GreetingServices(PlayerServices):
    """The words of all greetings."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.words: list[str] = []


class GreetingRefusals(RefusalCode):
    """The refusals of greetings."""

    too_formal = "Only friendly words are taken."


class Greet(Command, tag=250, frozen=True):
    """Request a greeting. Refused as `too_formal`."""

    word: str
    cost: ClassVar[float] = costs.MOVE


class Greeted(Event, tag=250, frozen=True):
    """The answer to `Greet`."""

    text: str


async def greet(request: NodeRequest[Greet, GreetingServices]) -> Greeted:
    """Greet the player by name, and by the words of all greetings."""
    player, words = request.player, request.services.words
    if request.command.word == "Dear":
        raise Refusal(GreetingRefusals.too_formal)
    profile = (await request.services.profiles.load([player]))[player]
    words.append(request.command.word)
    return Greeted(f"{' '.join(words)}, {profile.name}!")
'''

WING = """
from __future__ import annotations

from server.greetings import handlers
from server.wing import Wing

WING = Wing(
    services=handlers.GreetingServices,
    refusals=handlers.GreetingRefusals,
    messages=(handlers,),
    handlers=(handlers,),
)
"""

PLAYER = """
import asyncio, sys
from pathlib import Path

from server.app import running_node
from server.protocol import REFUSALS
from server.settings import Settings
from tests.clients.client import opened

SETTINGS = Settings(
    host="127.0.0.1", port=0, redis=sys.argv[1], secret_key_file=Path(sys.argv[2])
)


async def main() -> None:
    async with running_node(SETTINGS) as port, opened(port) as player:
        await player.hello(name="Ada")
        for word in ("Welcome", "Dear", "back"):
            answer = await player.ask("Greet", word=word)
            print("answer:", answer.get("code"), answer["text"])
    print("codes:", *(code.name for code in REFUSALS))


asyncio.run(main())
"""


def test_every_wing_is_listed() -> None:
    assert sorted(NAMES) == sorted(path.parent.name for path in ROOT.glob("server/*/wing.py"))


def test_a_wing_of_two_files_answers_and_refuses(redis_url: str, tmp_path: Path) -> None:
    """The server's other files are links to the originals."""
    server, wing = tmp_path / "server", tmp_path / "server" / "greetings"
    wing.mkdir(parents=True)
    for path in (ROOT / "engine", ROOT / "tests", *(ROOT / "server").glob("[!_]*")):
        (tmp_path / path.relative_to(ROOT)).symlink_to(path)
    (server / "__init__.py").touch()
    (wing / "__init__.py").touch()
    (wing / "handlers.py").write_text(HANDLERS, encoding="utf-8")
    (wing / "wing.py").write_text(WING, encoding="utf-8")
    listed = (ROOT / "server" / "wings.py").read_text(encoding="utf-8")
    added = listed.replace('    "moderation",\n', '    "moderation",\n    "greetings",\n', 1)
    (server / "wings.py").unlink()
    (server / "wings.py").write_text(added, encoding="utf-8")
    paths = os.pathsep.join(map(str, (tmp_path, ROOT / "server" / "client")))
    done = subprocess.run(  # noqa: S603 - a constant program
        [sys.executable, "-c", PLAYER, as_node(redis_url), str(SECRET_KEY_FILE)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        timeout=PATIENCE,
    )
    lines = done.stdout.splitlines()
    assert [line for line in lines if line.startswith("answer: ")] == [
        "answer: None Welcome, Ada!",
        "answer: too_formal Only friendly words are taken.",
        "answer: None Welcome back, Ada!",
    ]
    (codes,) = (line for line in lines if line.startswith("codes: "))
    assert codes.split()[-1] == "too_formal"
