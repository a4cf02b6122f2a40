"""Keeping an identity, signing in on another device, and leaving."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Struct, field

from server.base.core import costs
from server.base.wire.messages import Command, Event, Player, PlayerName
from server.players.core.account import MAX_PASSKEYS

MAX_CREDENTIAL = 4_000
"""The most characters of a credential: no frame has room for more."""

Credential = Annotated[str, Meta(max_length=MAX_CREDENTIAL)]
"""A browser's answer, as JSON (`PublicKeyCredential.toJSON`)."""

CredentialId = Annotated[str, Meta(max_length=MAX_CREDENTIAL)]
"""A credential's id, in base64url."""

TypedCode = Annotated[str, Meta(max_length=64)]
"""A code as somebody has typed it."""


class NewRecoveryCode(Command, tag=96, frozen=True):
    """Ask for a new recovery code. It counts once it is kept; until then the earlier one does.

    Refused as `confirm_first`.
    """

    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.CHANGE


class LinkDevice(Command, tag=97, frozen=True):
    """Ask for a code that signs another device in, once; an earlier one is void."""

    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.READ


class SignIn(Command, tag=98, frozen=True):
    """Ask for the token of the player whose recovery or device code this is.

    Refused as `bad_code` or `too_fast`.

    Attributes:
        code: as typed: case, spaces and hyphens do not matter.
    """

    code: TypedCode
    cost: ClassVar[float] = costs.READ
    misses: ClassVar[frozenset[str]] = frozenset({"bad_code"})


class AskPasskey(Command, tag=99, frozen=True):
    """Ask for what a browser is to be given to create or use a passkey.

    Refused as `too_many_passkeys` or `confirm_first`, or as `no_passkeys` on a connection whose
    host is not known.

    Attributes:
        purpose: `create` keeps the player's identity, `use` signs in, and `confirm` shows a
            passkey of the player.
    """

    purpose: Literal["create", "use", "confirm"]
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.READ


class CreatePasskey(Command, tag=100, frozen=True):
    """Keep the identity by a passkey that the browser has just created.

    Refused as `bad_passkey`, `too_many_passkeys`, `confirm_first`, `no_passkeys` or `too_fast`.

    Attributes:
        credential: of a credential's `response`, only `clientDataJSON` and `attestationObject` are
            needed.
    """

    credential: Credential
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.SEARCH
    misses: ClassVar[frozenset[str]] = frozenset({"bad_passkey"})


class UsePasskey(Command, tag=101, frozen=True):
    """Ask for the token of the player whose passkey the browser has just used.

    Refused as `bad_passkey`, `no_passkeys` or `too_fast`.
    """

    credential: Credential
    cost: ClassVar[float] = costs.SEARCH
    misses: ClassVar[frozenset[str]] = frozenset({"bad_passkey"})


class SignOutEverywhere(Command, tag=102, frozen=True):
    """Void all tokens of the player, close all other sessions, and remove credentials with them.

    Refused as `confirm_first` or `last_credential`, if any are removed.

    Attributes:
        passkeys: the ids of the passkeys that are removed.
        recovery: whether the recovery code is removed.
    """

    passkeys: Annotated[list[CredentialId], Meta(max_length=MAX_PASSKEYS)] = field(
        default_factory=list
    )
    recovery: bool = False
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.LOOK


class GetAccount(Command, tag=103, frozen=True):
    """Ask how the player's identity is kept."""

    cost: ClassVar[float] = costs.CHANGE


class ExportData(Command, tag=104, frozen=True):
    """Ask for all that is stored under the player, but for secrets.

    Refused as `confirm_first`.
    """

    cost: ClassVar[float] = costs.SEARCH


class DeleteAccount(Command, tag=105, frozen=True):
    """Delete the player, and close all sessions; results stay, without a name.

    Refused as `confirm_first`.
    """

    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.MANY


class KeepRecoveryCode(Command, tag=106, frozen=True):
    """Keep the identity by the recovery code that the player was given last, within an hour.

    It takes the place of the earlier one. Refused as `bad_code` or `too_fast`.

    Attributes:
        code: as in `SignIn`.
    """

    code: TypedCode
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.CREATE
    misses: ClassVar[frozenset[str]] = frozenset({"bad_code"})


class ConfirmCode(Command, tag=107, frozen=True):
    """Show the recovery code: this session may change credentials for five minutes.

    Refused as `bad_code` or `too_fast`.

    Attributes:
        code: as in `SignIn`.
    """

    code: TypedCode
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.LOOK
    misses: ClassVar[frozenset[str]] = frozenset({"bad_code"})


class ConfirmPasskey(Command, tag=108, frozen=True):
    """Show a passkey of the player: this session may change credentials for five minutes.

    Refused as `bad_passkey`, `no_passkeys` or `too_fast`.
    """

    credential: Credential
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.SEARCH
    misses: ClassVar[frozenset[str]] = frozenset({"bad_passkey"})


class CreateBot(Command, tag=109, frozen=True):
    """Make a bot, which the player answers for: a player that is labelled as a program.

    Refused as `not_kept` if the player is a guest, `confirm_first`, `too_many_bots`, `bad_name`,
    `name_reserved` or `name_offensive`.

    Attributes:
        name: the bot's.
    """

    name: PlayerName
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.OPEN


class DeleteBot(Command, tag=110, frozen=True):
    """Delete a bot of the player: its token is void, and its sessions are closed.

    Refused as `unknown_bot` or `confirm_first`.

    Attributes:
        bot: its id.
    """

    bot: Annotated[str, Meta(max_length=32)]
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.MANY


class RecoveryCode(Event, tag=96, frozen=True):
    """A recovery code. It is sent once, and nobody can ask for it again.

    Attributes:
        code: for people to write down. Keep it secret.
    """

    code: str


class DeviceCode(Event, tag=97, frozen=True):
    """A code that signs another device in, once.

    Attributes:
        code: to be typed there. Keep it secret.
        expires: until when, in Unix milliseconds.
    """

    code: str
    expires: int


class SignedIn(Event, tag=98, frozen=True):
    """The token of a player, for who has proved to be that player. The session stays whose it is.

    Attributes:
        token: for `Hello`. Keep it secret.
    """

    token: str


class PasskeyOptions(Event, tag=99, frozen=True):
    """Options for a browser, by which it makes or uses a passkey.

    Attributes:
        options: JSON for `PublicKeyCredential.parseCreationOptionsFromJSON`, or
            `parseRequestOptionsFromJSON`. It holds for five minutes and one answer.
    """

    options: str


class KeptPasskey(Struct, array_like=True, frozen=True):
    """A passkey of the player.

    Attributes:
        id: the credential's id, in base64url.
        added: Unix milliseconds.
        used: when it was last used, in Unix milliseconds; null if it was not.
        name: that of the authenticator, as far as it has said what it is; or else empty.
    """

    id: str
    added: int
    used: int | None
    name: str


class KeptCode(Struct, array_like=True, frozen=True):
    """The recovery code of the player.

    Attributes:
        added: since when it holds, in Unix milliseconds.
        used: when it was last used, in Unix milliseconds; null if it was not.
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
    """How the player's identity is kept.

    Attributes:
        kept: since when, in Unix milliseconds; null for a guest.
        recovery: the recovery code; null if there is none.
        passkeys: oldest first.
        created: when the player first chose a name, in Unix milliseconds; null if not known.
        sessions: how many the player has.
        bots: those that the player answers for, oldest first.
    """

    kept: int | None
    recovery: KeptCode | None
    passkeys: list[KeptPasskey]
    created: int | None
    sessions: int
    bots: list[OwnBot] = field(default_factory=list)


class Exported(Event, tag=101, frozen=True):
    """All that is stored under the player.

    Attributes:
        json: a JSON object.
    """

    json: str


class BotCreated(Event, tag=102, frozen=True):
    """A bot and its token, which is sent once: nobody can ask for it again.

    Attributes:
        token: for `Hello`. Keep it secret.
    """

    player: Player
    token: str
