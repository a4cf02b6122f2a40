"""A short run of the stateful fuzzer, and answers that it must reject."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import msgpack
import pytest

from server import protocol
from server.accounts.messages import DeleteAccount
from server.base.wire import codec
from server.base.wire.lenient import BadMessageError
from server.base.wire.messages import Event, kind_of
from server.base.wire.session_messages import Done, Pong, Refused
from tests.fuzz.commands import Commands, Seen
from tests.fuzz.fuzzer import ANSWERS, Fuzzer, Session, World
from tests.fuzz.stateful import run

SEED = 7

PING = msgpack.packb([15, 5])
MOVE = msgpack.packb([40, 2, 0, 1])


async def test_every_command_is_answered_as_documented(tmp_path: Path) -> None:
    report = await run(tmp_path, 3_000, SEED, 6, lambda _: None)

    assert report.complaints == [], "\n".join(report.lines())
    assert report.world.counts["entries checked"] > 50
    # All types except the one never sent.
    assert {kind.__name__ for kind in ANSWERS} - {name for name, _ in report.world.answers} <= {
        "DeleteAccount"
    }


def complaints(sent: list[bytes], *answers: tuple[Event, int | tuple[int, int]]) -> list[str]:
    world = World([], 0)
    session = Session(Fuzzer(0, world, random.Random(SEED)), cast("Any", None))
    for frame in sent:
        session.expect(frame)
    for event, re in answers:
        session.take(codec.encode(event, re))
    return world.complaints


def test_documented_answers_cause_no_complaint() -> None:
    refused = Refused("bad_message", "", 0)
    unknown = Refused("unknown_attempt", "", 0)
    sent = [PING, b"\xff", MOVE]
    assert complaints(sent, (Pong(1), 5), (refused, 0), (unknown, (40, 2))) == []


@pytest.mark.parametrize(
    ("sent", "answers", "words"),
    [
        ([PING], [(Pong(1), 5), (Pong(1), 5)], "answers nothing"),
        ([PING], [(Pong(1), 6)], "answers Sent"),
        ([PING], [(Done(), 5)], "Done answers"),
        ([PING], [(Refused("internal", "", 0), 5)], "internal refuses"),
        ([PING], [(Refused("room_full", "", 0), 5)], "room_full refuses"),
        ([MOVE], [(Refused("unknown_room", "", 0), (40, 2))], "unknown_room refuses"),
        ([PING, MOVE], [(Refused("bad_move", "", 0), (40, 2))], "answers Sent"),
        ([b"\xff"], [(Refused("internal", "", 0), 0)], "answers no message"),
    ],
)
def test_an_undocumented_answer_causes_a_complaint(
    sent: list[bytes], answers: list[Any], words: str
) -> None:
    (complaint,) = complaints(sent, *answers)
    assert words in complaint


def test_broken_commands_fit_a_frame_and_never_delete_an_account() -> None:
    commands = Commands(random.Random(SEED), Seen())
    for _ in range(5_000):
        frame = commands.broken([kind_of(DeleteAccount) - 1, 5, "x" * 3_000])
        encoded = frame.encode() if isinstance(frame, str) else frame
        assert len(encoded) <= codec.MAX_FRAME_SIZE
        with suppress(BadMessageError, codec.OldProtocolError):
            assert not isinstance(protocol.decode(encoded), DeleteAccount)
