"""What is written to the outbox: effects that must follow, in their stored form (JSON).

Each says all that its application needs, and applying it twice changes nothing more. See
`server/STORED.md` for how a form may change.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from server.base.core.ids import AttemptId, DealId, PlayerId, RoomCode
from server.base.journals.stored import Reader
from server.play.core.stored import StoredResult
from server.results.core.races import Race


class Finish(msgspec.Struct, tag="finish", frozen=True):
    """The result of an attempt that is over, written with its last entry.

    Attributes:
        ranked: whether it is of a daily that was begun with an identity that was kept.
    """

    attempt: AttemptId
    player: PlayerId
    deal: DealId
    game: str
    room: RoomCode | None
    day: int | None
    result: StoredResult
    ranked: bool = False

    @property
    def field(self) -> str:
        """Its field in the outbox."""
        return self.attempt


class PasskeyEntry(msgspec.Struct, frozen=True):
    """A passkey as the outbox has it.

    Attributes:
        id: the credential's id, in base64url.
        key: the public key, as COSE (in base64 in JSON).
        count: the authenticator's counter.
        aaguid: what kind of authenticator it says that it is.
        epoch: that of the session that asked.
        confirmed: whether that had shown a credential of the player.
    """

    id: str
    key: bytes
    count: int
    aaguid: str = ""
    epoch: int = 0
    confirmed: bool = False


class Kept(msgspec.Struct, tag="kept", frozen=True):
    """A player has kept the identity, by a recovery code or a passkey.

    Attributes:
        at: Unix milliseconds.
        code: the SHA-256 of the code, in hexadecimal.
        passkey: the passkey, if there is no code.
    """

    player: PlayerId
    at: int
    code: str | None = None
    passkey: PasskeyEntry | None = None

    @property
    def field(self) -> str:
        """Its field in the outbox."""
        return f"{self.player}/kept/{self.code if self.passkey is None else self.passkey.id}"


class Deleted(msgspec.Struct, tag="deleted", frozen=True):
    """A player is to be deleted, at this time in Unix milliseconds."""

    player: PlayerId
    at: int

    @property
    def field(self) -> str:
        """Its field in the outbox."""
        return f"{self.player}/deleted"


class RoundOver(msgspec.Struct, tag="round", frozen=True):
    """A race that is over, written with the room's entry of its last result.

    Attributes:
        number: the round's number.
        race: who played it in which room and on what, and how they ended.
    """

    number: int
    race: Race

    @property
    def field(self) -> str:
        """Its field in the outbox, which is in the room's partition."""
        return f"{self.race.room}/{self.number}"


class Act(msgspec.Struct, frozen=True, kw_only=True):
    """The base of what an operator does.

    Attributes:
        id: random.
        at: when it was asked for, in Unix milliseconds.
        operator: who asked for it.
        reason: why, for other operators.
    """

    id: str
    at: int
    operator: str
    reason: str

    @property
    def field(self) -> str:
        """Its field in the outbox."""
        return self.id


class VoidResult(Act, tag="void", frozen=True, kw_only=True):
    """Take the result of a daily or a race back, or let it stand again.

    Attributes:
        day: the number of the day; `None` for a race.
        void: whether it is taken back.
    """

    attempt: AttemptId
    player: PlayerId
    game: str
    day: int | None
    void: bool

    @property
    def subject(self) -> str:
        """What it is about: of two acts on one subject, the later one stands."""
        return f"result {self.attempt}"


class BarPlayer(Act, tag="bar", frozen=True, kw_only=True):
    """Bar a player from the server, or no longer.

    Attributes:
        until: in Unix milliseconds; 0 for ever, `None` to lift it.
    """

    player: PlayerId
    until: int | None

    @property
    def subject(self) -> str:
        """As for `VoidResult`."""
        return f"player {self.player}"


class HideName(Act, tag="name", frozen=True, kw_only=True):
    """Show a guest's name instead of a player's own, or the own one again."""

    player: PlayerId
    hidden: bool

    @property
    def subject(self) -> str:
        """As for `VoidResult`."""
        return f"name {self.player}"


class CloseRoom(Act, tag="close", frozen=True, kw_only=True):
    """Close a room for good."""

    room: RoomCode

    @property
    def subject(self) -> str:
        """As for `VoidResult`."""
        return f"room {self.room}"


class RepairDay(Act, tag="repair", frozen=True, kw_only=True):
    """Let a day, lost by a fault of the server's, end no streak.

    Attributes:
        game: the game's id, or `server.results.core.boards.ALL_GAMES`.
        day: the number of the day.
    """

    game: str
    day: int

    @property
    def subject(self) -> str:
        """As for `VoidResult`."""
        return f"day {self.game} {self.day}"


class DeletePlayer(Act, tag="delete", frozen=True, kw_only=True):
    """Delete a player, as players can themselves: results stay without a name."""

    player: PlayerId

    @property
    def subject(self) -> str:
        """As for `VoidResult`."""
        return f"account {self.player}"


AnyAct: TypeAlias = VoidResult | BarPlayer | HideName | CloseRoom | RepairDay | DeletePlayer
"""Every act of an operator."""

Effect: TypeAlias = Finish | RoundOver | Kept | Deleted | AnyAct
"""Every effect."""

_READER: Reader[Effect] = Reader(Effect)
_FINISHES: Reader[Finish] = Reader(Finish)
_ACTS: Reader[AnyAct] = Reader(AnyAct)
_ENCODER = msgspec.json.Encoder()


def encode(effect: Effect) -> str:
    """Return the text (JSON) of an effect."""
    return _ENCODER.encode(effect).decode()


def decode(text: str) -> Effect:
    """Return the effect that a text (JSON) encodes.

    Raises:
        UnreadableError: this release does not know its type.
    """
    if not text.startswith('{"type":'):
        # Release 0.1.0 wrote finishes only, without their type.
        return _FINISHES.read(text)
    return _READER.read(text)


def decode_act(text: str) -> AnyAct:
    """Return the act that a text (JSON) encodes.

    Raises:
        UnreadableError: this release does not know its type.
    """
    return _ACTS.read(text)
