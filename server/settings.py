"""The settings of a node."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from platformdirs import user_data_path

from server.base.core.quota import KEPT_DAYS
from server.base.net.limits import ADDRESS_PLAYERS, MAX_CONNECTIONS

LogFormat = Literal["auto", "json", "console"]


def built_page() -> Path:
    """Return the built page's directory: in an installed package, or else in the checkout."""
    server = Path(__file__).parent
    packaged = server / "page"
    return packaged if packaged.is_dir() else server.parent / "client_js" / "web" / "dist"


@dataclass(frozen=True, slots=True)
class Settings:
    """A node's settings; `samedeal serve --help` explains them.

    Attributes:
        host: host name or address to listen on.
        port: TCP port to listen on, or 0 for any free one.
        redis: URL of the Redis, or the socket path of an embedded one run by another process, or
            `None` to run one. It may contain a password, so the representation omits it.
        secret_key_file: file of the secret keys; `None` for the one in `data`, created with an
            embedded Redis.
        data: directory of the embedded Redis and of the archive.
        redis_memory: memory limit of the embedded Redis in bytes, or `None` for half the machine's.
        page: directory of the built page.
        hosts: names of this server, in addition to the host of `public_url` or, without it, to
            `localhost` and the names of this machine.
        origins: origins that may open WebSockets, in addition to the page's own.
        replica_acks: number of replicas that must have received a write before it is acknowledged.
        metrics_host: host name or address of the metrics endpoint.
        metrics_port: TCP port of the metrics endpoint, or `None` for no endpoint.
        public_url: URL of the page, possibly with a path, or `None` to use each request's Host
            header.
        reserved_names: file of further words forbidden in names, since they suggest a member of
            staff.
        offensive_names: file of further words forbidden in names, since they offend.
        operators: file of the players allowed to moderate on the page, or `None` for none.
        trusted_proxies: addresses and networks of proxies whose X-Forwarded-For and
            X-Forwarded-Proto give a request's address and scheme.
        address_players: number of players sharing an address; scales its limits.
        max_connections: maximum TCP connections of players, sockets and HTTP together.
        ranked_starts: maximum players at one address who start each daily; 0 for no limit.
        daily_games: ids of the games with dailies; empty for those marked in their files.
        certify: whether the node certifies deals itself.
        webhooks: whether owners of circles may have the server post to URLs of their choice.
        push_key_file: file of the key that identifies this server to push services, or `None` to
            disable push notifications.
        push_contact: the operator's contact for push services, a URL; `public_url` if `None`.
        local_posts: whether to post to this machine and network, unencrypted, and to treat any host
            as a push service; for tests only.
        keep_days: maximum number of days that a game's moves are kept after its deadline.
    """

    host: str = "localhost"
    port: int = 8000
    redis: str | Path | None = field(default=None, repr=False)
    secret_key_file: Path | None = None
    data: Path = field(default_factory=lambda: user_data_path("samedeal", appauthor=False))
    redis_memory: int | None = None
    page: Path = field(default_factory=built_page)
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    replica_acks: int = 0
    metrics_host: str = "localhost"
    metrics_port: int | None = None
    public_url: str | None = None
    trusted_proxies: tuple[str, ...] = ()
    address_players: int = ADDRESS_PLAYERS
    max_connections: int = MAX_CONNECTIONS
    ranked_starts: int = 0
    daily_games: tuple[str, ...] = ()
    certify: bool = False
    keep_days: int = KEPT_DAYS
    reserved_names: Path | None = None
    offensive_names: Path | None = None
    operators: Path | None = None
    webhooks: bool = False
    push_key_file: Path | None = None
    push_contact: str | None = None
    local_posts: bool = False
