"""Webhooks: messages to a URL given by a player, on Discord, Slack or another server.

The URL is enough to write there, so it is stored sealed for its owner, and never logged.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from server.base.core.refusal import BaseRefusals, Refusal
from server.base.outbound.core.destination import Destination, parse_url
from server.base.outbound.core.post import Outcome, Outgoing, Post
from server.base.outbound.core.webhook import Form, Message, body
from server.base.outbound.posts import Channel, Posts
from server.base.seals.core.secret_keys import SealError, SecretKeys
from server.base.work.signal import AsyncSignal

CHANNEL = "webhook"


class _Content(Struct, frozen=True):
    """The content of a post: the sealed URL, the message and its format."""

    webhook: str
    form: Form
    message: Message


_DECODER = msgspec.json.Decoder(_Content)


class Webhooks:
    """Posts to webhooks."""

    def __init__(
        self, posts: Posts, secret_keys: SecretKeys, *, is_on: bool, local: bool = False
    ) -> None:
        self.is_on = is_on  # by the operator's choice
        # Emitted with an owner, the sealed URL and the outcome of each try.
        self.heard: AsyncSignal[str, str, Outcome] = AsyncSignal()
        self._posts = posts
        self._secret_keys = secret_keys
        self._local = local
        posts.on(CHANNEL, Channel(self._request, self._hear))

    def seal(self, owner: str, url: str) -> str:
        """Seal a URL for storage, so that it can be used only for its owner.

        Raises:
            Refusal: as `no_webhooks` if the operator does not allow them, or `bad_webhook` if
                posting there is not allowed.
        """
        if not self.is_on:
            raise Refusal(BaseRefusals.no_webhooks)
        if self._destination(url) is None:
            raise Refusal(BaseRefusals.bad_webhook)
        return self._secret_keys.seal(_purpose(owner), url.encode())

    def host(self, owner: str, webhook: str) -> str:
        """Return the host of a sealed URL, which is not secret, or an empty text."""
        url = self._open(owner, webhook)
        destination = None if url is None else self._destination(url)
        return "" if destination is None else destination.host

    async def post(
        self, post_id: str, owner: str, webhook: str, message: Message, *, form: Form, until: int
    ) -> None:
        """Post a message to a webhook, once per id.

        Args:
            post_id: the idempotency key, such as `<owner>/table/<day>`.
            webhook: its URL, as returned by `seal`.
            until: when to stop trying, in Unix milliseconds; at most a day ahead.

        Raises:
            UnavailableError: it is unknown whether it will be posted; calling again is safe.
        """
        if self.is_on:
            content = msgspec.json.encode(_Content(webhook, form, message)).decode()
            await self._posts.post(Post(post_id, CHANNEL, owner, content, until))

    async def _request(self, post: Post) -> Outgoing | None:
        """Return a post's request, or `None` if webhooks are off or this one cannot be opened."""
        content = _DECODER.decode(post.content)
        url = self._open(post.owner, content.webhook)
        if url is None or not self.is_on:
            return None
        headers = {"Content-Type": "application/json", "Idempotency-Key": post.id}
        return Outgoing(url, headers, body(content.form, content.message))

    async def _hear(self, post: Post, outcome: Outcome) -> None:
        content = _DECODER.decode(post.content)
        await self.heard.emit(post.owner, content.webhook, outcome)

    def _destination(self, url: str) -> Destination | None:
        return parse_url(url, local=self._local)

    def _open(self, owner: str, webhook: str) -> str | None:
        try:
            return self._secret_keys.open(_purpose(owner), webhook).decode()
        except SealError:
            # The key no longer exists.
            return None


def _purpose(owner: str) -> str:
    return f"webhook {owner}"
