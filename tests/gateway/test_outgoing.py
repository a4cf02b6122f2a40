"""The queue of what a session is to be sent."""

from __future__ import annotations

import asyncio

import pytest

from server.gateway.outgoing import MOST_WAITING, Outgoing, TooSlowError


async def test_frames_come_in_order() -> None:
    outgoing = Outgoing()
    for frame in (b"1", b"2", b"3"):
        outgoing.put(frame)
    assert [await outgoing.next() for _ in range(3)] == [b"1", b"2", b"3"]


async def test_a_frame_with_a_key_takes_the_place_of_the_one_waiting() -> None:
    outgoing = Outgoing()
    outgoing.put(b"old", key="room")
    outgoing.put(b"other")
    outgoing.put(b"new", key="room")
    assert [await outgoing.next() for _ in range(2)] == [b"new", b"other"]


async def test_it_is_bounded_but_a_replacement_always_fits() -> None:
    outgoing = Outgoing()
    outgoing.put(b"old", key="room")
    for _ in range(MOST_WAITING - 1):
        outgoing.put(b"x")
    with pytest.raises(TooSlowError):
        outgoing.put(b"x")
    outgoing.put(b"new", key="room")
    assert await outgoing.next() == b"new"


async def test_it_is_emptied_once_the_last_frame_has_been_sent() -> None:
    outgoing = Outgoing()
    outgoing.put(b"x")
    emptied = asyncio.create_task(outgoing.emptied())
    await outgoing.next()
    assert not emptied.done()
    asking = asyncio.create_task(outgoing.next())
    await emptied
    asking.cancel()
