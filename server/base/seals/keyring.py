"""The keyring: signing and verifying players' tokens, with rotating keys.

A signing key is derived from a secret key, stored in a file on each node, and an id contained in
each token. A node therefore verifies tokens of any key without a lookup, and a forged id costs it
two hashes. The nodes share, in Redis, the id of the current signing key and the retired keys. Every
node reads them every `READ_EVERY` seconds.
"""

from __future__ import annotations

import hmac
import secrets
from typing import NamedTuple

import msgspec
import structlog

from server.base.core.ids import PlayerId
from server.base.core.refusal import BaseRefusals, Refusal, UnavailableError, UnsuitableError
from server.base.seals import tokens
from server.base.seals.core.secret_keys import ID_LENGTH, SecretKeys
from server.base.seals.keyring_store import KeyringStore
from server.base.seals.tokens import RENEW_AFTER_MS, Token
from server.base.work.background import Background
from server.base.work.clock import Clock
from server.base.work.signal import Signal

# Seconds between reads of the keyring, and so the delay until all nodes sign with a new key.
READ_EVERY = 5.0

_RANDOM_BYTES = 2

log = structlog.get_logger()


class Ring(msgspec.Struct, frozen=True):
    """The keyring in its stored form."""

    store: str  # a random id
    # The id of the current signing key; it starts with the id of its secret key, which also seals
    # seeds.
    signing: str
    since: int  # Unix milliseconds
    # The time until which tokens of each retired key are valid (Unix milliseconds). A missing key
    # has been forgotten, as after restoring an older copy: its tokens are valid.
    retired: dict[str, int] = {}

    @property
    def secret_key(self) -> str:
        """The id of the signing key's secret key."""
        return self.signing[:ID_LENGTH]


class Verified(NamedTuple):
    """A token's player and epoch, and whether it should be replaced by a new one."""

    player: PlayerId
    epoch: int
    renew: bool


class Keyring:
    """Signs and verifies tokens."""

    def __init__(
        self, keyrings: KeyringStore, secret_keys: SecretKeys, clock: Clock, background: Background
    ) -> None:
        self.sealing_changed: Signal[()] = Signal()  # emitted when sealing switches to another key
        # Whether the store is empty, or not the one that was read first. The keyring is then not
        # written.
        self.replaced = False
        self._store: str | None = None
        self._keyrings = keyrings
        self._secret_keys = secret_keys
        self._clock = clock
        self._text = ""
        self._ring: Ring | None = None
        self._lacking = ""
        background.forever("keyring", self._refresh_if_suitable, every=READ_EVERY, waits=True)

    async def _refresh_if_suitable(self) -> None:
        """Read the keyring; a node without the secret key continues with the last keyring."""
        try:
            await self.refresh()
        except UnsuitableError as error:
            # The operator must provide the file.
            if self._lacking != str(error):
                self._lacking = str(error)
                log.error("keyring_not_opened", error=str(error))  # noqa: TRY400

    async def refresh(self) -> None:
        """Read the keyring, creating it in a new store.

        Raises:
            UnsuitableError: the key file lacks a key that the store needs.
        """
        text = await self._keyrings.read()
        if text is None and self._store is not None:
            # The keyring existed before, so this is not the store that this node has served.
            self._compare(None)
            return
        if text is None:
            first = Ring(secrets.token_hex(8), self._new_key(), self._clock.now())
            text = await self._keyrings.keep_first(_encoded(first))
        self._compare(msgspec.json.decode(text, type=Ring).store)
        if text != self._text:
            self._use(text)

    async def token(self, player: PlayerId, epoch: int) -> str:
        """Return a new token of a player in an epoch."""
        ring = await self._loaded()
        key = self._secret_keys.signing_key(ring.signing)
        assert key is not None, "a keyring is used only with its secret key"
        return tokens.sign(key, Token(player, epoch, ring.signing, self._clock.now() // 1000))

    async def verify(self, token: str) -> Verified:
        """Verify a token, and return its content. The epoch may be over.

        Raises:
            Refusal: as `bad_token`, if it was not signed here, is too old, or its key is retired.
            UnavailableError: the store does not answer, or this node lacks the secret key.
        """
        ring, now = await self._loaded(), self._clock.now()
        said = tokens.parse(token)
        key = self._secret_keys.signing_key(said.key)
        if key is None:
            if self._lacking:
                raise UnavailableError("This node lacks a secret key.")
            raise Refusal(BaseRefusals.bad_token)
        tokens.verify(key, token, said)
        age = now - said.issued * 1000
        if ring.retired.get(said.key, now + 1) <= now or age >= tokens.LIFE_MS:
            raise Refusal(BaseRefusals.bad_token)
        return Verified(said.player, said.epoch, said.key != ring.signing or age > RENEW_AFTER_MS)

    async def macs(self, what: bytes) -> list[bytes]:
        """Return HMAC-SHA256s of a text by all valid keys, the current key's first."""
        ring, now = await self._loaded(), self._clock.now()
        held = [key for key, until in ring.retired.items() if until > now]
        found = map(self._secret_keys.signing_key, [ring.signing, *held])
        return [hmac.digest(key, what, "sha256") for key in found if key is not None]

    async def mac_of(self, label: bytes, *parts: str | int) -> bytes:
        """Return an HMAC-SHA256 of some parts by the current key."""
        # The encoding is unambiguous: other parts or another label result in another MAC.
        found, *_ = await self.macs(label + msgspec.json.encode(parts))
        return found

    async def rotate(self, retire_after: int) -> Ring:
        """Start signing with a new key, derived from the newest secret key; return the keyring.

        Args:
            retire_after: milliseconds until tokens of earlier keys become invalid. Keys retired
                earlier keep their earlier end.

        Raises:
            UnsuitableError: the key file lacks a key that the store needs.
        """
        # Retried if another process changes the keyring meanwhile.
        while True:
            await self.refresh()
            before, now = await self._loaded(), self._clock.now()
            until = now + retire_after
            held = {key: min(end, until) for key, end in before.retired.items()}
            after = Ring(before.store, self._new_key(), now, held | {before.signing: until})
            if await self._keyrings.change(self._text, _encoded(after)):
                self._use(_encoded(after))
                return after

    async def load(self) -> Ring | None:
        """Return the keyring, or `None` if there is none, without writing anything.

        Raises:
            UnsuitableError: as for `refresh`.
        """
        text = await self._keyrings.read()
        if text is not None and text != self._text:
            self._use(text)
        return self._ring

    async def _loaded(self) -> Ring:
        if self._ring is None:
            await self.refresh()
        assert self._ring is not None, "`refresh` has read or created one"
        return self._ring

    def _new_key(self) -> str:
        return self._secret_keys.newest + secrets.token_hex(_RANDOM_BYTES)

    def _use(self, text: str) -> None:
        """Sign and seal according to a keyring from now on."""
        ring = msgspec.json.decode(text, type=Ring)
        if ring.secret_key not in self._secret_keys:
            raise UnsuitableError(
                f"The file of secret keys lacks the key {ring.secret_key}, with which this store "
                "is sealed."
            )
        if self._ring is not None:
            log.info("keyring_changed", signing=ring.signing)
        self._text, self._ring, self._lacking = text, ring, ""
        if self._secret_keys.sealing != ring.secret_key:
            self._secret_keys.sealing = ring.secret_key
            self.sealing_changed.emit()

    def _compare(self, store: str | None) -> None:
        """Compare the id of the store (`None` if it has none) with the first one."""
        self._store = self._store or store
        if self.replaced != (store != self._store):
            self.replaced = not self.replaced
            if self.replaced:
                log.error("store_replaced", store=store, was=self._store)
            else:
                log.warning("store_restored", store=store)


def _encoded(ring: Ring) -> str:
    return msgspec.json.encode(ring).decode()
