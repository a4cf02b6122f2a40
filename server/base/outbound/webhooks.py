"""Webhooks: messages to a URL that somebody gave, on Discord, Slack, or a server of their own.

Whoever knows the URL can write there, so it is stored sealed, as of its owner, and never logged.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from server.base.core.refusal import Refusal
from server.base.outbound.core.destination import Destination, parse_url
from server.base.outbound.core.post import Outcome, Outgoing, Post
from server.base.outbound.core.webhook import Form, Message, body
from server.base.outbound.posts import Channel, Posts
from server.base.seals.core.secret_keys import SealError, SecretKeys
from server.base.work.signal import AsyncSignal

CHANNEL = "webhook"


class _Content(Struct, frozen=True):
    """The content of a post: the sealed URL, and what is told there, in which form."""

    webhook: str
    form: Form
    message: Message


_DECODER = msgspec.json.Decoder(_Content)


class Webhooks:
    """Posts to webhooks.

    Attributes:
        is_on: whether the operator allows webhooks.
        heard: emitted with an owner, the sealed URL, and how a try to post there went.
    """

    def __init__(
        self, posts: Posts, secret_keys: SecretKeys, *, is_on: bool, local: bool = False
    ) -> None:
        self.is_on = is_on
        self.heard: AsyncSignal[str, str, Outcome] = AsyncSignal()
        self._posts = posts
        self._secret_keys = secret_keys
        self._local = local
        posts.on(CHANNEL, Channel(self._request, self._hear))

    def seal(self, owner: str, url: str) -> str:
        """Return a URL as it is stored, which its owner alone can have posted to.

        Raises:
            Refusal: as `no_webhooks` if there are none on this server, or `bad_webhook` if nothing
                may be posted there.
        """
        if not self.is_on:
            raise Refusal("no_webhooks")
        if self._destination(url) is None:
            raise Refusal("bad_webhook")
        return self._secret_keys.seal(_what(owner), url.encode())

    def host(self, owner: str, webhook: str) -> str:
        """Return the name of the server that a sealed URL is of, which is no secret; or nothing."""
        url = self._open(owner, webhook)
        destination = None if url is None else self._destination(url)
        return "" if destination is None else destination.host

    async def post(
        self,
        post_id: str,
        owner: str,
        webhook: str,
        message: Message,
        *,
        form: Form,
        until: int,
    ) -> None:
        """Tell a webhook something, once for an id.

        Args:
            post_id: what it is told once by, as `<owner>/table/<day>`.
            owner: whose webhook it is.
            webhook: its URL, as `seal` has returned it.
            message: what it is told.
            form: which form the server there takes.
            until: until when, in Unix milliseconds; a day at most.

        Raises:
            UnavailableError: it may be told or not; this can be called again.
        """
        if self.is_on:
            content = msgspec.json.encode(_Content(webhook, form, message)).decode()
            await self._posts.post(Post(post_id, CHANNEL, owner, content, until))

    async def _request(self, post: Post) -> Outgoing | None:
        """Return the request of a post; none if there are no webhooks any more, or not this one."""
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
        """Return a URL, or `None` if it was sealed by a key that is not there any more."""
        try:
            return self._secret_keys.open(_what(owner), webhook).decode()
        except SealError:
            return None


def _what(owner: str) -> str:
    return f"webhook {owner}"
