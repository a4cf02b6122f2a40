"""Handlers of the commands in `server.watching.messages`."""

from __future__ import annotations

from server.base.core import costs
from server.base.core.codes import parse_room_code
from server.base.core.ids import RoomCode
from server.base.core.refusal import Refusal
from server.base.wire.session_messages import Done
from server.play.handlers import pay_for_reading
from server.watching.core import sight as core
from server.watching.core.refusals import WatchRefusals
from server.watching.messages import GetWatchKey, StopWatching, Watched, WatchKey, WatchRound
from server.watching.services import Request


async def watch(request: Request[WatchRound]) -> Watched:
    """Start watching a room; a newly subscribed session is sent the room before the answer.

    Players without a seat, a part in the round or the key get the same refusal if there is no room.
    """
    code = parse_room_code(request.command.code)
    session, player, services = request.session, request.player, request.services
    try:
        found = await services.rooms.load(code)
    except Refusal:
        found = None
    has_key = await services.watching.is_key(found, request.command.key)
    if found is None:
        raise Refusal(WatchRefusals.not_invited)
    room, epoch = found, found.watch_epoch if has_key else None
    core.sight(room, player, has_key=has_key)
    request.services.watch_feeds.admit(session, code)
    if room.round is not None and request.services.watch_feeds.audience(code) is None:
        attempts = [room.round.attempt(each) for each in room.round.players]
        request.pay(costs.RUNNER * len(attempts))
        await pay_for_reading(request, attempts)
    if request.services.room_feeds.topic_of(session) != code:
        seated = room.seat_of(player) is not None
        await request.services.room_feeds.enter(session, room, seated=seated)
        session.send(await request.services.room_feeds.state(session, room))
    return await request.services.watch_feeds.watch(session, code, epoch)


async def stop(request: Request[StopWatching]) -> Done:
    """Stop watching; a session without a seat is also unsubscribed from the room."""
    request.services.watch_feeds.stop(request.session)
    return Done()


async def get_key(request: Request[GetWatchKey]) -> WatchKey:
    """Return the room's watch key to its host."""
    code = RoomCode(request.command.code)
    return WatchKey(code, await request.services.watching.key_for(code, request.player))
