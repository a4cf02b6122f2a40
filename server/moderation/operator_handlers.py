"""Handlers of the commands in `server.moderation.operator_messages`.

They call `Operators`, as `samedeal admin` does. Each first checks that the player is on the current
list of operators and that the session has shown a passkey in the last half hour.
"""

from __future__ import annotations

from server.accounts import passkeys
from server.accounts.handlers import site_of, verify_passkey
from server.accounts.messages import PasskeyOptions
from server.base.core.codes import parse_room_code
from server.base.core.ids import AttemptId, PlayerId
from server.base.core.refusal import Refusal
from server.base.wire.messages import Command
from server.circles.core.ids import CircleId
from server.moderation.core.refusals import ModerationRefusals
from server.moderation.operating import OPERATE_FOR
from server.moderation.operator_messages import (
    AskOperator,
    ConfirmOperator,
    ListCases,
    LookedUp,
    LookUp,
    Moderate,
    Moderated,
    Operating,
)
from server.moderation.operators import By
from server.moderation.present import looked_up
from server.moderation.services import Request

CASES = 25  # per page
ROWS = 50  # maximum number of players, rooms or acts listed


async def ask_operator(request: Request[AskOperator]) -> PasskeyOptions:
    """Return WebAuthn options with a new challenge, for the player's own passkeys."""
    _operator(request)
    site = site_of(request)
    account = await request.services.accounts.load(request.player)
    challenge = request.services.passkey_challenges.new(request.session, "operate")
    return PasskeyOptions(passkeys.use_options(site, challenge, account.passkeys))


async def confirm_operator(request: Request[ConfirmOperator]) -> Operating:
    """Verify the player's passkey, and allow the session to moderate."""
    operator = _operator(request)
    await verify_passkey(request, "operate", request.command.credential, request.player)
    request.services.operating.note(request.session)
    return Operating(operator, request.now() + int(OPERATE_FOR * 1000))


async def list_cases(request: Request[ListCases]) -> LookedUp:
    """Return a page of cases."""
    _check(request)
    command, cases = request.command, request.services.operators.cases
    filters = {"state": command.state, "kind": command.source, "day": command.day}
    return looked_up(await cases(CASES, before=command.before, **filters))  # type: ignore[arg-type]


async def look_up(request: Request[LookUp]) -> LookedUp:
    """Return the requested item or list; one search of players at a time per operator."""
    _check(request)
    operators, about = request.services.operators, request.command.about
    found: object
    match request.command.what:
        case "players":
            with request.services.operating.scanning(request.player):
                found = await operators.players(about, ROWS)
        case "player":
            found = await operators.player(PlayerId(about))
        case "open_rooms":
            found = await operators.rooms("open", about or None, ROWS)
        case "running_rooms":
            found = await operators.rooms("running", about or None, ROWS)
        case "room":
            found = await operators.room(parse_room_code(about))
        case "circle":
            found = await operators.circle(CircleId(about))
        case "run":
            found = await operators.run(AttemptId(about))
        case "acts":
            found = await operators.acts(ROWS)
    return looked_up(found)


async def moderate(request: Request[Moderate]) -> Moderated:
    """Carry out an act in the operator's name."""
    operator = _check(request)
    request.services.operating.charge_act(request.player)
    return Moderated(await _act(request, By(operator, request.command.reason)))


async def _act(request: Request[Moderate], by: By) -> str:  # noqa: PLR0911 - one for each act
    operators, command = request.services.operators, request.command
    subject, number = command.about, command.number
    match command.act:
        case "resolve":
            return await operators.close_case(by, subject, "resolved")
        case "dismiss":
            return await operators.close_case(by, subject, "dismissed")
        case "hide_name" | "show_name" as act:
            hidden = act == "hide_name"
            return await operators.hide_name(by, PlayerId(subject), hidden=hidden)
        case "bar":
            return await operators.bar(by, PlayerId(subject), number)
        case "unbar":
            return await operators.unbar(by, PlayerId(subject))
        case "delete":
            return await operators.delete(by, PlayerId(subject))
        case "void" | "unvoid" as act:
            return await operators.void(by, AttemptId(subject), void=act == "void")
        case "close_room":
            return await operators.close_room(by, parse_room_code(subject))
        case "repair_day":
            return await operators.repair_day(by, number or 0, subject)
        case "delete_circle":
            return await operators.delete_circle(by, CircleId(subject))
        case "rename_circle":
            return await operators.rename_circle(by, CircleId(subject), command.name or "")


def _operator(request: Request[Command]) -> str:
    """Return the operator's name for the audit journal. Refused as `not_operator`."""
    known = request.services.operator_list
    name = None if known is None else known.name(request.player)
    if name is None:
        raise Refusal(ModerationRefusals.not_operator)
    return name


def _check(request: Request[Command]) -> str:
    """Return the operator's name. Refused as `not_operator` or `confirm_first`."""
    name = _operator(request)
    request.services.operating.check(request.session)
    return name
