"""Handlers of the commands in `server.accounts.messages`."""

from __future__ import annotations

from operator import itemgetter

from server.accounts import passkeys
from server.accounts.accounts import parse_typed
from server.accounts.core import charges
from server.accounts.core.refusals import AccountRefusals
from server.accounts.messages import (
    Account,
    AskPasskey,
    BotCreated,
    ConfirmCode,
    ConfirmPasskey,
    CreateBot,
    CreatePasskey,
    DeleteAccount,
    DeleteBot,
    DeviceCode,
    ExportData,
    Exported,
    GetAccount,
    KeepRecoveryCode,
    KeptCode,
    KeptPasskey,
    LinkDevice,
    NewRecoveryCode,
    OwnBot,
    PasskeyOptions,
    RecoveryCode,
    SignedIn,
    SignIn,
    SignOutEverywhere,
    UsePasskey,
)
from server.accounts.passkey_challenges import Purpose
from server.accounts.services import Request
from server.base.core import costs
from server.base.core.ids import PlayerId
from server.base.core.refusal import Refusal
from server.base.wire.messages import Command
from server.base.wire.session_messages import Done
from server.players import present as players_present
from server.players.core.account import AUTHENTICATORS, MAX_PASSKEYS
from server.players.core.account import Account as Stored
from server.players.core.names import Profile


async def new_recovery_code(request: Request[NewRecoveryCode]) -> RecoveryCode:
    """Return a new recovery code, not kept yet."""
    session = request.session
    new = request.services.accounts.new_recovery_code
    async with request.paying("any", charges.OFFER):
        code = await new(request.player, session.epoch, confirmed=_is_confirmed(request))
    return RecoveryCode(code)


async def keep_recovery_code(request: Request[KeepRecoveryCode]) -> Done:
    """Keep the identity by a code; typing it also confirms the session."""
    code = parse_typed(request.command.code)
    async with request.paying("any", charges.CODE):
        await request.services.accounts.keep_recovery_code(request.player, code)
    request.services.confirmations.note(request.session)
    return Done()


async def confirm_code(request: Request[ConfirmCode]) -> Done:
    """Confirm the session by the recovery code."""
    code = parse_typed(request.command.code)
    await request.services.accounts.check_code(request.player, code)
    request.services.confirmations.note(request.session)
    return Done()


async def link_device(request: Request[LinkDevice]) -> DeviceCode:
    """Return a code for another device."""
    link = request.services.accounts.link_device
    async with request.paying("any", charges.DEVICE):
        return DeviceCode(*await link(request.player, request.session.epoch))


async def sign_in(request: Request[SignIn]) -> SignedIn:
    """Return a token for the owner of a code."""
    code = parse_typed(request.command.code)
    return SignedIn(await request.services.accounts.sign_in(code))


async def ask_passkey(request: Request[AskPasskey]) -> PasskeyOptions:
    """Return WebAuthn options with a new challenge."""
    site, session, challenges = (
        site_of(request),
        request.session,
        request.services.passkey_challenges,
    )
    purpose = request.command.purpose
    if purpose == "use":
        return PasskeyOptions(passkeys.use_options(site, challenges.new(session, purpose)))
    account = await request.services.accounts.load(request.player)
    if purpose == "confirm":
        challenge = challenges.new(session, purpose)
        return PasskeyOptions(passkeys.use_options(site, challenge, account.passkeys))
    _require_confirmed(request, account)
    if len(account.passkeys) >= MAX_PASSKEYS:
        raise Refusal(AccountRefusals.too_many_passkeys)
    challenge = challenges.new(session, purpose)
    profile = await _profile(request)
    return PasskeyOptions(passkeys.creation_options(site, challenge, profile, account.passkeys))


async def create_passkey(request: Request[CreatePasskey]) -> Done:
    """Verify a new passkey and keep the identity by it; this also confirms the session."""
    site, session, challenges = (
        site_of(request),
        request.session,
        request.services.passkey_challenges,
    )
    challenge = challenges.answered(session, "create")
    profile = await _profile(request)
    passkey = passkeys.created(site, challenge, profile, request.command.credential)
    keep = request.services.accounts.keep_passkey
    async with request.paying("any", charges.CODE):
        await keep(passkey, session.epoch, confirmed=_is_confirmed(request))
    request.services.confirmations.note(session)
    return Done()


async def use_passkey(request: Request[UsePasskey]) -> SignedIn:
    """Verify a passkey, and return a token for its owner."""
    account = await verify_passkey(request, "use", request.command.credential)
    return SignedIn(await request.services.accounts.token(account))


async def confirm_passkey(request: Request[ConfirmPasskey]) -> Done:
    """Confirm the session by a passkey of the player."""
    await verify_passkey(request, "confirm", request.command.credential, request.player)
    request.services.confirmations.note(request.session)
    return Done()


async def sign_out_everywhere(request: Request[SignOutEverywhere]) -> SignedIn:
    """Void all tokens and remove credentials; the session continues in the new epoch."""
    session, command, accounts = request.session, request.command, request.services.accounts
    if command.passkeys or command.recovery:
        _require_confirmed(request, await accounts.load(request.player))
    # Signing out is never refused, so it is charged without a quota check.
    request.services.quotas.note(request.player, *charges.EPOCH)
    token, epoch = await accounts.sign_out_everywhere(
        request.player, session.id, session.epoch, command.passkeys, recovery=command.recovery
    )
    session.identify(request.player, epoch)
    return SignedIn(token)


async def get_account(request: Request[GetAccount]) -> Account:
    """Return the credentials, bots and sessions of the player."""
    accounts = request.services.accounts
    found = await accounts.load(request.player)
    code = None if found.recovery_at is None else KeptCode(found.recovery_at, found.recovery_used)
    kept = [
        KeptPasskey(
            each.id, found.passkeys[each.id], each.used, AUTHENTICATORS.get(each.aaguid, "")
        )
        for each in await accounts.passkeys(found)
    ]
    sessions = await accounts.session_count(request.player)
    named = await request.services.profiles.load(found.bots)
    bots = [
        OwnBot(players_present.player(named[bot]), created)
        for bot, created in sorted(found.bots.items(), key=itemgetter(1))
    ]
    return Account(found.kept, code, kept, found.created, sessions, bots)


async def export_data(request: Request[ExportData]) -> Exported:
    """Return everything stored about the player."""
    accounts = request.services.accounts
    _require_confirmed(request, await accounts.load(request.player))
    count = await request.services.histories.size(request.player)
    # Charged before the work, whose amount is known now.
    request.pay(min(costs.RESULT * count, costs.MOST_RESULTS))
    return Exported(await accounts.export(request.player))


async def delete_account(request: Request[DeleteAccount]) -> Done:
    """Delete the player; this session, too, is closed after the answer."""
    accounts = request.services.accounts
    _require_confirmed(request, await accounts.load(request.player))
    request.services.quotas.note(request.player, *charges.EPOCH)
    await accounts.delete(request.player)
    return Done()


async def create_bot(request: Request[CreateBot]) -> BotCreated:
    """Create a bot and return its token."""
    accounts, session = request.services.accounts, request.session
    _require_confirmed(request, await accounts.load(request.player))
    async with request.paying("any", charges.BOT):
        made = await accounts.create_bot(request.player, request.command.name, session.epoch)
    profile, token = made
    return BotCreated(players_present.player(profile), token)


async def delete_bot(request: Request[DeleteBot]) -> Done:
    """Delete a bot of the player."""
    accounts = request.services.accounts
    _require_confirmed(request, await accounts.load(request.player))
    request.services.quotas.note(request.player, *charges.EPOCH)
    await accounts.delete_bot(request.player, request.command.bot)
    return Done()


def _is_confirmed(request: Request[Command]) -> bool:
    return request.services.confirmations.holds(request.session)


def _require_confirmed(request: Request[Command], account: Stored) -> None:
    """Refuse an unconfirmed session of a player with credentials, as `confirm_first`."""
    if account.kept is not None and not _is_confirmed(request):
        raise Refusal(AccountRefusals.confirm_first)


async def verify_passkey(
    request: Request[Command], purpose: Purpose, credential: str, player: PlayerId | None = None
) -> Stored:
    """Verify a browser's answer (JSON), and return its owner's account.

    `player` is the required owner, or `None` for any. Refused as `bad_passkey` or `no_passkeys`.
    """
    site, accounts = site_of(request), request.services.accounts
    challenge = request.services.passkey_challenges.answered(request.session, purpose)
    passkey, account = await accounts.passkey(passkeys.credential_id(credential))
    if player not in {None, passkey.player}:
        raise Refusal(AccountRefusals.bad_passkey)
    await accounts.use_passkey(passkey, passkeys.used(site, challenge, passkey, credential))
    return account


def site_of(request: Request[Command]) -> passkeys.Site:
    """Return the page's origin.

    Refused as `no_passkeys` if neither the operator nor the handshake has named it.
    """
    if request.session.origin is None:
        raise Refusal(AccountRefusals.no_passkeys)
    return passkeys.Site(request.session.origin)


async def _profile(request: Request[Command]) -> Profile:
    return (await request.services.profiles.load([request.player]))[request.player]
