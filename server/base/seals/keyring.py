"""The keyring: which keys sign the players' tokens, and until when.

A signing key follows from a secret key, which is in a file beside each node, and from an id, which
each token names: so a node verifies tokens of any key without asking anybody, and a forged id costs
it two hashes. What the nodes share, in Redis, is which key signs now and which are retired; every
node reads it each `READ_EVERY` seconds.

While nodes of releases up to 0.2.0 may run beside, tokens are theirs, signed by the secret that
these have in Redis. Then the keyring takes it over, sealed: tokens signed by it hold until they
are retired as well, and each is exchanged for a new one at the next `Hello`.
"""

from __future__ import annotations

import hmac
import secrets
from typing import NamedTuple

import msgspec
import structlog

from server.base.core.ids import PlayerId
from server.base.core.refusal import Refusal, UnavailableError, UnsuitableError
from server.base.nodes.format import Format
from server.base.seals import tokens
from server.base.seals.core.secret_keys import ID_LENGTH, SealError, SecretKeys
from server.base.seals.keyring_store import KeyringStore
from server.base.seals.tokens import RENEW_AFTER, Token
from server.base.work.background import Background
from server.base.work.clock import Clock
from server.base.work.signal import Signal

READ_EVERY = 5.0
"""Seconds between two reads of the keyring: a new key signs on all nodes so soon."""

KEYRING_FORMAT = 2
"""The store's format since which there is a keyring, and seeds are sealed."""

_RANDOM_BYTES = 2
_OLD_SECRET = "signing-key"  # noqa: S105 - as what the secret is sealed

log = structlog.get_logger()


class OldSecret(msgspec.Struct, frozen=True):
    """The secret of releases up to 0.2.0, sealed, and until when it holds (Unix milliseconds)."""

    sealed: str
    until: int


class Ring(msgspec.Struct, frozen=True):
    """The keyring as it is stored.

    Attributes:
        store: a random id of the store.
        signing: the id of the key that signs; it begins with that of its secret key, by which seeds
            are sealed, too.
        since: since when it does, in Unix milliseconds.
        retired: until when tokens hold that were signed by other keys (Unix milliseconds), by key.
            A key that is not named has been forgotten, as by a restore of an older copy: it holds.
        old: the secret of releases up to 0.2.0, if there was one.
    """

    store: str
    signing: str
    since: int
    retired: dict[str, int] = {}
    old: OldSecret | None = None

    @property
    def secret_key(self) -> str:
        """The id of the secret key that the signing key follows from."""
        return self.signing[:ID_LENGTH]


class Verified(NamedTuple):
    """The player and the epoch of a token, and whether it is to be exchanged for a new one."""

    player: PlayerId
    epoch: int
    renew: bool


class Keyring:
    """Signs and verifies tokens.

    Attributes:
        replaced: whether the store is another one than the one that was read first, or an empty
            one. Nothing is written to the keyring then.
        sealing_changed: emitted when what is sealed is to be sealed by another key from now on.
    """

    def __init__(
        self,
        keyrings: KeyringStore,
        secret_keys: SecretKeys,
        form: Format,
        clock: Clock,
        background: Background,
    ) -> None:
        self.sealing_changed: Signal[()] = Signal()
        self.replaced = False
        self._store: str | None = None
        self._keyrings = keyrings
        self._secret_keys = secret_keys
        self._format = form
        self._clock = clock
        self._text = ""
        self._ring: Ring | None = None
        self._old: bytes | None = None
        self._old_dropped = False
        self._lacking = ""
        background.forever("keyring", self._refresh_if_suitable, every=READ_EVERY, waits=True)

    async def _refresh_if_suitable(self) -> None:
        """Read the keyring; a node that lacks a secret key goes on by what it knows."""
        try:
            await self.refresh()
        except UnsuitableError as error:
            # The operator has to give it the file.
            if self._lacking != str(error):
                self._lacking = str(error)
                log.error("keyring_not_opened", error=str(error))  # noqa: TRY400

    async def refresh(self) -> None:
        """Read the keyring, or make it as soon as no node is left that does not know it.

        Raises:
            UnsuitableError: the file of secret keys lacks one that the store needs.
            UnavailableError: the store does not answer.
        """
        await self._format.refresh()
        if self._format.written < KEYRING_FORMAT:
            self._seal_by(None)
            if self._old is None:
                self._old = await self._keyrings.old_secret(make=self._format.is_new)
            if self._old is None:
                # Another node has raised the format since, and taken the secret over.
                await self.refresh()
            return
        text = await self._keyrings.read()
        if text is None and self._store is not None:
            # It was there: this is not the store that this node has served.
            self._compare(None)
            return
        if text is None:
            text = await self._keyrings.keep_first(_encoded(await self._first()))
        elif text == self._text and not self._old_dropped:
            # By now, this is certainly stored, and nodes that need the secret have read it.
            await self._keyrings.drop_old_secret()
            self._old_dropped = True
        self._compare(msgspec.json.decode(text, type=Ring).store)
        if text != self._text:
            self._use(text)

    async def token(self, player: PlayerId, epoch: int) -> str:
        """Return a new token of a player in an epoch.

        Raises:
            UnavailableError: the store does not answer.
        """
        ring = await self._loaded()
        if ring is None:
            assert self._old is not None, "without a keyring, the secret is read"
            return tokens.sign_old(self._old, player, epoch)
        key = self._secret_keys.signing_key(ring.signing)
        assert key is not None, "a keyring is used only with its secret key"
        return tokens.sign(key, Token(player, epoch, ring.signing, self._clock.now() // 1000))

    async def verify(self, token: str) -> Verified:
        """Return whose token this is; the epoch may be over.

        Raises:
            Refusal: as `bad_token`, if it was not signed here, is too old, or its key is retired.
            UnavailableError: the store does not answer, or this node lacks the secret key.
        """
        ring, now = await self._loaded(), self._clock.now()
        said = tokens.read(token)
        key = self._secret_keys.signing_key(said.key) if said.key else self._old
        if key is None:
            if self._lacking and said.key:
                raise UnavailableError("This node lacks a secret key.")
            raise Refusal("bad_token")
        tokens.verify(key, token, said)
        if ring is None:
            return Verified(said.player, said.epoch, renew=False)
        if said.key:
            until = ring.retired.get(said.key, now + 1)
        else:
            until = ring.old.until if ring.old is not None else 0
        if until <= now or (said.key and said.issued * 1000 + tokens.LIFE <= now):
            raise Refusal("bad_token")
        age = now - said.issued * 1000
        return Verified(said.player, said.epoch, said.key != ring.signing or age > RENEW_AFTER)

    async def macs(self, what: bytes) -> list[bytes]:
        """Return HMAC-SHA256s of something by all keys that hold, that of the current key first.

        Raises:
            UnavailableError: the store does not answer.
        """
        ring, now = await self._loaded(), self._clock.now()
        found: list[bytes | None] = [self._old] if ring is None or ring.old is not None else []
        if ring is not None:
            held = [key for key, until in ring.retired.items() if until > now]
            found = [*map(self._secret_keys.signing_key, [ring.signing, *held]), *found]
        return [hmac.digest(key, what, "sha256") for key in found if key is not None]

    async def rotate(self, retire_after: int) -> Ring:
        """Let a new key sign, which follows from the newest secret key; return the keyring.

        Args:
            retire_after: milliseconds for which tokens of earlier keys hold. Those of keys that
                were retired earlier hold no longer than before.

        Raises:
            UnsuitableError: nodes of a release up to 0.2.0 run, which know no keyring; or the file
                of secret keys lacks one that the store needs.
            UnavailableError: it may have been rotated or not.
        """
        while True:
            await self.refresh()
            if self._ring is None:
                raise UnsuitableError(
                    "The signing key cannot be rotated while nodes of release 0.2.0 run, or before "
                    "they have been gone for ten minutes."
                )
            before, now = self._ring, self._clock.now()
            until = now + retire_after
            self._secret_keys.sealing = self._secret_keys.newest
            old = None
            if before.old is not None and before.old.until > now and self._old is not None:
                sealed = self._secret_keys.seal(_OLD_SECRET, self._old)
                old = OldSecret(sealed, min(before.old.until, until))
            held = {key: min(end, until) for key, end in before.retired.items()}
            after = Ring(before.store, self._new_key(), now, held | {before.signing: until}, old)
            if await self._keyrings.change(self._text, _encoded(after)):
                self._use(_encoded(after))
                return after

    async def load(self) -> Ring | None:
        """Return the keyring, or `None` if there is none; nothing is written.

        Raises:
            UnsuitableError: as for `refresh`.
            UnavailableError: the store does not answer.
        """
        text = await self._keyrings.read()
        if text is not None and text != self._text:
            self._use(text)
        return self._ring

    async def _loaded(self) -> Ring | None:
        """Return the keyring, which is read now if it never was; `None` if there is none yet."""
        if self._ring is None and self._old is None:
            await self.refresh()
        return self._ring

    async def _first(self) -> Ring:
        now = self._clock.now()
        secret = await self._keyrings.old_secret(make=False)
        old = None
        if secret is not None:
            sealed = self._secret_keys.seal(_OLD_SECRET, secret)
            old = OldSecret(sealed, now + tokens.LIFE)
        return Ring(secrets.token_hex(8), self._new_key(), now, old=old)

    def _new_key(self) -> str:
        return self._secret_keys.newest + secrets.token_hex(_RANDOM_BYTES)

    def _use(self, text: str) -> None:
        """Sign and seal by a keyring from now on.

        Raises:
            UnsuitableError: the file of secret keys lacks one that it needs.
        """
        ring = msgspec.json.decode(text, type=Ring)
        if ring.secret_key not in self._secret_keys:
            raise UnsuitableError(
                f"The file of secret keys lacks the key {ring.secret_key}, by which this store is "
                "sealed."
            )
        if ring.old is not None:
            try:
                self._old = self._secret_keys.open(_OLD_SECRET, ring.old.sealed)
            except SealError as error:
                raise UnsuitableError(f"The keyring cannot be opened. {error}") from error
        if self._ring is not None:
            log.info("keyring_changed", signing=ring.signing)
        self._text, self._ring, self._lacking = text, ring, ""
        self._seal_by(ring.secret_key)

    def _compare(self, store: str | None) -> None:
        """Compare the id of the store, `None` if it has none, with what it was first."""
        self._store = self._store or store
        if self.replaced != (store != self._store):
            self.replaced = not self.replaced
            if self.replaced:
                log.error("store_replaced", store=store, was=self._store)
            else:
                log.warning("store_restored", store=store)

    def _seal_by(self, name: str | None) -> None:
        changed = self._secret_keys.sealing != name
        self._secret_keys.sealing = name
        if changed:
            self.sealing_changed.emit()


def _encoded(ring: Ring) -> str:
    return msgspec.json.encode(ring).decode()
