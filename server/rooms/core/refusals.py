"""The refusals of rooms."""

from __future__ import annotations

from server.base.core.refusal import RefusalCode


class RoomRefusals(RefusalCode):
    """The refusals of rooms."""

    unknown_room = "There is no room with this code."
    room_full = "Every seat in this room is taken."
    room_locked = "The host has locked this room."
    room_closed = "This room is closed."
    removed = "The host has removed you from this room."
    not_seated = "This player has no seat in this room."
    not_host = "Only the host can do that."
    no_host = "A quick match has no host, and its settings are fixed."
    players_away = "Not everyone is here yet."
    not_ready = "Not everyone has agreed to another round yet."
    nobody_plays = "Everyone is sitting out."
    round_running = "The round must be over first."
