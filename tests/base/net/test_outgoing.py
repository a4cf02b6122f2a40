"""The queue of a session's outgoing frames."""

from __future__ import annotations

import pytest

from server.base.net.outgoing import MAX_WAITING, PIECE, Outgoing, Piece, TooSlowError


def taken(outgoing: Outgoing) -> list[Piece]:
    return [outgoing.take() for _ in iter(lambda: bool(outgoing), False)]


def frames(outgoing: Outgoing) -> list[bytes]:
    return [piece.data for piece in taken(outgoing)]


def test_frames_are_sent_in_order() -> None:
    outgoing = Outgoing()
    for frame in (b"1", b"2", b"3"):
        outgoing.put(frame)
    assert frames(outgoing) == [b"1", b"2", b"3"]


def test_a_frame_replaces_the_queued_one_with_the_same_key_and_goes_last() -> None:
    outgoing = Outgoing()
    outgoing.put(b"old", key="room")
    outgoing.put(b"other")
    outgoing.put(b"new", key="room")
    assert frames(outgoing) == [b"other", b"new"]


def test_the_queue_is_bounded_but_a_replacement_always_fits() -> None:
    outgoing = Outgoing()
    outgoing.put(b"old", key="room")
    for _ in range(MAX_WAITING - 1):
        outgoing.put(b"x")
    with pytest.raises(TooSlowError):
        outgoing.put(b"x")
    outgoing.put(b"new", key="room")
    assert frames(outgoing)[-1] == b"new"


def test_a_large_frame_is_sent_in_pieces_before_later_frames() -> None:
    outgoing = Outgoing()
    large = bytes(range(256)) * (2 * PIECE // 256) + b"end"
    outgoing.put(large, key="room")
    assert outgoing.is_large
    pieces = [outgoing.take()]
    # Part of the frame has been sent, so it is not replaced any more.
    outgoing.put(b"new", key="room")
    assert pieces + taken(outgoing) == [
        Piece(large[:PIECE], is_first=True, is_last=False),
        Piece(large[PIECE:-3], is_first=False, is_last=False),
        Piece(b"end", is_first=False, is_last=True),
        Piece(b"new", is_first=True, is_last=True),
    ]
    assert not outgoing.is_large


def test_a_frame_of_one_piece_is_not_divided() -> None:
    outgoing = Outgoing()
    for frame in (b"", b"x" * PIECE):
        outgoing.put(frame)
        assert not outgoing.is_large
        assert outgoing.take() == Piece(frame, is_first=True, is_last=True)
    outgoing.put(b"x")
    outgoing.put(b"x" * PIECE)
    assert outgoing.is_large
