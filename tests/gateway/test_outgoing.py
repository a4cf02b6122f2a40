"""The queue of the frames that a session is to be sent."""

from __future__ import annotations

import pytest

from server.gateway.outgoing import MAX_WAITING, Outgoing, TooSlowError


def taken(outgoing: Outgoing) -> list[bytes]:
    """Take all frames, and return them in their order."""
    frames = []
    while outgoing:
        frames.append(outgoing.take())
    return frames


def test_frames_come_in_order() -> None:
    outgoing = Outgoing()
    for frame in (b"1", b"2", b"3"):
        outgoing.put(frame)
    assert taken(outgoing) == [b"1", b"2", b"3"]


def test_a_frame_replaces_the_queued_one_with_the_same_key_and_goes_last() -> None:
    outgoing = Outgoing()
    outgoing.put(b"old", key="room")
    outgoing.put(b"other")
    outgoing.put(b"new", key="room")
    assert taken(outgoing) == [b"other", b"new"]


def test_the_queue_is_bounded_but_a_replacement_always_fits() -> None:
    outgoing = Outgoing()
    outgoing.put(b"old", key="room")
    for _ in range(MAX_WAITING - 1):
        outgoing.put(b"x")
    with pytest.raises(TooSlowError):
        outgoing.put(b"x")
    outgoing.put(b"new", key="room")
    assert taken(outgoing)[-1] == b"new"
