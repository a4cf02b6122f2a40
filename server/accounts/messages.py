"""Keep an identity, sign in on another device, leave."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct, field

from server.accounts.core.refusals import AccountRefusals
from server.base.core import costs
from server.base.core.refusal import RefusalCode
from server.base.wire.messages import Command, Event, Player, PlayerName
from server.players.core.account import MAX_PASSKEYS

MAX_CREDENTIAL = 4_000
"""Maximum length of a credential, in characters: a frame holds no more."""

Credential = Annotated[str, Meta(max_length=MAX_CREDENTIAL)]
"""A browser's answer, as JSON (`PublicKeyCredential.toJSON`)."""

CredentialId = Annotated[str, Meta(max_length=MAX_CREDENTIAL)]
"""A credential's id, in base64url."""

TypedCode = Annotated[str, Meta(max_length=64)]
"""A code as typed."""


class NewRecoveryCode(Command, tag=96, frozen=True):
    """Request a new recovery code. The earlier one stays valid until this one is kept.

    Refused as `confirm_first`.
    """

    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.CHANGE


class LinkDevice(Command, tag=97, frozen=True):
    """Request a one-time code that signs another device in; it voids an earlier one."""

    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.READ


class SignIn(Command, tag=98, frozen=True):
    """Request a token for the owner of a recovery or device code.

    Refused as `bad_code` or `too_fast`.

    Attributes:
        code: as typed; case, spaces and hyphens are ignored.
    """

    code: TypedCode
    cost: ClassVar[float] = costs.READ
    misses: ClassVar[frozenset[RefusalCode]] = frozenset({AccountRefusals.bad_code})


class AskPasskey(Command, tag=99, frozen=True):
    """Request the browser's options for creating or using a passkey.

    Refused as `too_many_passkeys` or `confirm_first`, or as `no_passkeys` on a connection whose
    host is not known.

    Attributes:
        purpose: `create` keeps the player's identity, `use` signs in, and `confirm` shows a passkey
            of the player.
    """

    purpose: Literal["create", "use", "confirm"]
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.READ


class CreatePasskey(Command, tag=100, frozen=True):
    """Keep the identity by a passkey that the browser has just created.

    Refused as `bad_passkey`, `too_many_passkeys`, `confirm_first`, `no_passkeys` or `too_fast`.

    Attributes:
        credential: of its `response`, only `clientDataJSON` and `attestationObject` are needed.
    """

    credential: Credential
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.SEARCH
    misses: ClassVar[frozenset[RefusalCode]] = frozenset({AccountRefusals.bad_passkey})


class UsePasskey(Command, tag=101, frozen=True):
    """Request a token for the owner of a passkey that the browser has just used.

    Refused as `bad_passkey`, `no_passkeys` or `too_fast`.
    """

    credential: Credential
    cost: ClassVar[float] = costs.SEARCH
    misses: ClassVar[frozenset[RefusalCode]] = frozenset({AccountRefusals.bad_passkey})


class SignOutEverywhere(Command, tag=102, frozen=True):
    """Void the player's tokens, close all other sessions, and optionally remove credentials.

    Refused as `confirm_first` or `last_credential`, only when removing credentials.

    Attributes:
        passkeys: the credential ids of the passkeys to remove.
        recovery: whether to remove the recovery code.
    """

    passkeys: Annotated[list[CredentialId], Meta(max_length=MAX_PASSKEYS)] = field(
        default_factory=list
    )
    recovery: bool = False
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.LOOK


class GetAccount(Command, tag=103, frozen=True):
    """Request the player's credentials, bots and number of sessions."""

    cost: ClassVar[float] = costs.CHANGE


class ExportData(Command, tag=104, frozen=True):
    """Request everything stored about the player, except secrets.

    Refused as `confirm_first`.
    """

    cost: ClassVar[float] = costs.SEARCH


class DeleteAccount(Command, tag=105, frozen=True):
    """Delete the player and close all sessions; results stay, anonymized.

    Refused as `confirm_first`.
    """

    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.MANY


class KeepRecoveryCode(Command, tag=106, frozen=True):
    """Keep the identity by the recovery code requested last, within an hour.

    It replaces the earlier code. Refused as `bad_code` or `too_fast`.

    Attributes:
        code: as in `SignIn`.
    """

    code: TypedCode
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.CREATE
    misses: ClassVar[frozenset[RefusalCode]] = frozenset({AccountRefusals.bad_code})


class ConfirmCode(Command, tag=107, frozen=True):
    """Show the recovery code, so that this session may change credentials for five minutes.

    Refused as `bad_code` or `too_fast`.

    Attributes:
        code: as in `SignIn`.
    """

    code: TypedCode
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.LOOK
    misses: ClassVar[frozenset[RefusalCode]] = frozenset({AccountRefusals.bad_code})


class ConfirmPasskey(Command, tag=108, frozen=True):
    """Show a passkey, so that this session may change credentials for five minutes.

    Refused as `bad_passkey`, `no_passkeys` or `too_fast`.
    """

    credential: Credential
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.SEARCH
    misses: ClassVar[frozenset[RefusalCode]] = frozenset({AccountRefusals.bad_passkey})


class CreateBot(Command, tag=109, frozen=True):
    """Create a bot: a player owned by this one and labelled as a program.

    Refused as `not_kept` if the player is a guest, `confirm_first`, `too_many_bots`, `bad_name`,
    `name_reserved` or `name_offensive`.

    Attributes:
        name: the bot's.
    """

    name: PlayerName
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.OPEN


class DeleteBot(Command, tag=110, frozen=True):
    """Delete a bot of the player, void its token and close its sessions.

    Refused as `unknown_bot` or `confirm_first`.

    Attributes:
        bot: the bot's id.
    """

    bot: Annotated[str, Meta(max_length=32)]
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.MANY


class RecoveryCode(Event, tag=96, frozen=True):
    """A recovery code, sent only once.

    Attributes:
        code: formatted for writing down. Keep it secret.
    """

    code: str


class DeviceCode(Event, tag=97, frozen=True):
    """A one-time code that signs another device in.

    Attributes:
        code: to type on that device. Keep it secret.
        expires: Unix milliseconds.
    """

    code: str
    expires: int


class SignedIn(Event, tag=98, frozen=True):
    """A token for the player whose credential was given. This session keeps its own player.

    Attributes:
        token: for `Hello`. Keep it secret.
    """

    token: str


class PasskeyOptions(Event, tag=99, frozen=True):
    """The browser's options for creating or using a passkey.

    Attributes:
        options: JSON for `PublicKeyCredential.parseCreationOptionsFromJSON` or
            `parseRequestOptionsFromJSON`. Valid for five minutes and one answer.
    """

    options: str


class KeptPasskey(Struct, array_like=True, frozen=True):
    """A passkey of the player.

    Attributes:
        id: the credential's id, in base64url.
        added: Unix milliseconds.
        used: the time of the last use, in Unix milliseconds; null if unused.
        name: the authenticator's name; empty if unknown.
    """

    id: str
    added: int
    used: int | None
    name: str


class KeptCode(Struct, array_like=True, frozen=True):
    """The player's recovery code.

    Attributes:
        added: the time it became valid, in Unix milliseconds.
        used: the time of the last use, in Unix milliseconds; null if unused.
    """

    added: int
    used: int | None


class OwnBot(Struct, array_like=True, frozen=True):
    """A bot of the player.

    Attributes:
        created: Unix milliseconds.
    """

    player: Player
    created: int


class Account(Event, tag=100, frozen=True):
    """The player's credentials, bots and number of sessions.

    Attributes:
        kept: the time the identity was first kept, in Unix milliseconds; null for a guest.
        recovery: the recovery code; null if there is none.
        passkeys: oldest first.
        created: the time the player first chose a name, in Unix milliseconds; null if not known.
        sessions: the number of sessions.
        bots: the player's bots, oldest first.
    """

    kept: int | None
    recovery: KeptCode | None
    passkeys: list[KeptPasskey]
    created: int | None
    sessions: int
    bots: list[OwnBot] = field(default_factory=list)


class Exported(Event, tag=101, frozen=True):
    """Everything stored about the player.

    Attributes:
        json: a JSON object.
    """

    json: str


class BotCreated(Event, tag=102, frozen=True):
    """A new bot and its token, sent only once.

    Attributes:
        token: for the bot's `Hello`. Keep it secret.
    """

    player: Player
    token: str
