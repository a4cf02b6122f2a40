"""Handlers of the commands in `server.gateway.messages.accounts`."""

from __future__ import annotations

from server.core.account import DELETED, MAX_PASSKEYS
from server.core.names import Profile
from server.core.refusal import Refusal
from server.gateway.handlers.request import HandlerTable, Request
from server.gateway.messages.accounts import (
    Account,
    AskPasskey,
    CreatePasskey,
    DeleteAccount,
    DeviceCode,
    ExportData,
    Exported,
    GetAccount,
    KeptPasskey,
    LinkDevice,
    NewRecoveryCode,
    PasskeyOptions,
    RecoveryCode,
    SignedIn,
    SignIn,
    SignOutEverywhere,
    UsePasskey,
)
from server.gateway.messages.session import Done
from server.gateway.messages.shared import Command
from server.service import passkeys
from server.service.accounts import read_typed


async def new_recovery_code(request: Request[NewRecoveryCode]) -> RecoveryCode:
    """Keep the identity by a new code."""
    return RecoveryCode(await request.services.accounts.new_recovery_code(request.player))


async def link_device(request: Request[LinkDevice]) -> DeviceCode:
    """Return a code for another device."""
    return DeviceCode(*await request.services.accounts.link_device(request.player))


async def sign_in(request: Request[SignIn]) -> SignedIn:
    """Return the token of whose code it is."""
    code = read_typed(request.command.code)
    request.hub.sign_ins.guess(code)
    return SignedIn(await request.services.accounts.sign_in(code))


async def ask_passkey(request: Request[AskPasskey]) -> PasskeyOptions:
    """Return options with a new challenge."""
    site, sign_ins = _site(request), request.hub.sign_ins
    if request.command.purpose == "use":
        challenge = sign_ins.challenge(request.session, "use")
        return PasskeyOptions(passkeys.use_options(site, challenge))
    account = await request.services.accounts.find(request.player)
    if len(account.passkeys) >= MAX_PASSKEYS:
        raise Refusal("too_many_passkeys")
    challenge = sign_ins.challenge(request.session, "create")
    profile = await _profile(request)
    return PasskeyOptions(passkeys.creation_options(site, challenge, profile, account.passkeys))


async def create_passkey(request: Request[CreatePasskey]) -> Done:
    """Verify a new passkey, and keep the identity by it."""
    site, session, sign_ins = _site(request), request.session, request.hub.sign_ins
    challenge = sign_ins.answered(session, "create")
    profile = await _profile(request)
    passkey = passkeys.created(site, challenge, profile, request.command.credential)
    await request.services.accounts.keep_passkey(passkey)
    return Done()


async def use_passkey(request: Request[UsePasskey]) -> SignedIn:
    """Verify a passkey, and return the token of its player."""
    site, session, sign_ins = _site(request), request.session, request.hub.sign_ins
    accounts, credential = request.services.accounts, request.command.credential
    challenge = sign_ins.answered(session, "use")
    passkey = await accounts.passkey(passkeys.credential_id(credential))
    count = passkeys.used(site, challenge, passkey, credential)
    return SignedIn(await accounts.sign_in_by_passkey(passkey, count))


async def sign_out_everywhere(request: Request[SignOutEverywhere]) -> SignedIn:
    """Void all tokens; the session goes on in the new epoch."""
    session = request.session
    out = request.services.accounts.sign_out_everywhere(request.player, session.id)
    token, epoch = await out
    if epoch == DELETED:
        raise Refusal("bad_token")
    session.identify(request.player, epoch)
    return SignedIn(token)


async def get_account(request: Request[GetAccount]) -> Account:
    """Return how the identity is kept."""
    accounts = request.services.accounts
    found = await accounts.find(request.player)
    kept = [KeptPasskey(*each) for each in sorted(found.passkeys.items(), key=lambda one: one[1])]
    sessions = await accounts.session_count(request.player)
    return Account(found.kept, found.recovery is not None, kept, found.created, sessions)


async def export_data(request: Request[ExportData]) -> Exported:
    """Return what is stored under the player."""
    return Exported(await request.services.accounts.export(request.player))


async def delete_account(request: Request[DeleteAccount]) -> Done:
    """Delete the player; this session is closed after the answer, as all others are."""
    await request.services.accounts.delete(request.player)
    return Done()


def _site(request: Request[Command]) -> passkeys.Site:
    """Return where the page is.

    Raises:
        Refusal: as `no_passkeys`, if neither the operator nor the handshake has said it.
    """
    if request.session.origin is None:
        raise Refusal("no_passkeys")
    return passkeys.Site(request.session.origin)


async def _profile(request: Request[Command]) -> Profile:
    return (await request.services.profiles.find([request.player]))[request.player]


HANDLERS: HandlerTable = {
    NewRecoveryCode: new_recovery_code,
    LinkDevice: link_device,
    SignIn: sign_in,
    AskPasskey: ask_passkey,
    CreatePasskey: create_passkey,
    UsePasskey: use_passkey,
    SignOutEverywhere: sign_out_everywhere,
    GetAccount: get_account,
    ExportData: export_data,
    DeleteAccount: delete_account,
}
