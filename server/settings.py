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
    """Return the directory of the built page: in an installed package, else in the checkout."""
    server = Path(__file__).parent
    packaged = server / "page"
    return packaged if packaged.is_dir() else server.parent / "client_js" / "web" / "dist"


@dataclass(frozen=True, slots=True)
class Settings:
    """A node's settings; `samedeal serve --help` explains them.

    Attributes:
        host: host name or address to listen on.
        port: TCP port to listen on, or 0 for any free one.
        redis: URL of the Redis to use, or the path of the socket of an embedded one that another
            process runs, or `None` to run one. It may contain a password, and is left out of the
            representation.
        secret_key_file: file of the secret keys; if `None`, one in `data`, which an embedded Redis
            comes with.
        data: directory of the embedded Redis and of the archive.
        redis_memory: bytes that the embedded Redis may take, or `None` for half of the machine's.
        page: directory of the built page.
        hosts: names of this server, in addition to that in `public_url`, or else to `localhost`
            and those of this machine.
        origins: origins that may open WebSockets, in addition to the page's own.
        replica_acks: how many replicas must have received a write before it is acknowledged.
        metrics_host: host name or address on which to serve metrics.
        metrics_port: TCP port on which to serve metrics, or `None` not to serve them.
        public_url: URL at which players open the page, maybe with a path that all of it lies below,
            or `None` to use the Host header of each request.
        reserved_names: a file of further words that names may not have, since its owner could pass
            for those who run the game.
        offensive_names: a file of further words that names may not have, since they hurt.
        operators: a file of the players who may moderate by the page, or `None` if nobody may.
        trusted_proxies: addresses and networks of proxies whose X-Forwarded-For says where a
            request is from, and whose X-Forwarded-Proto says by which scheme.
        address_players: how many players may share an address; its limits follow from that.
        max_connections: TCP connections of players at a time, of sockets and of HTTP together.
        ranked_starts: how many players at one address may begin each daily; 0 for any number.
        daily_games: ids of the games that are dailies; empty for those whose listing says so.
        certify: whether the node certifies deals itself.
        webhooks: whether owners of circles may have the server post to URLs that they give.
        push_key_file: file of the key by which push services know this server, or `None` if it
            tells players nothing while they are away.
        push_contact: where push services can reach the operator, as a URL; `public_url` if `None`.
        local_posts: whether it may post to this machine and this network, without encryption, and
            to any host as to a push service: for tests, which alone set it.
        keep_days: for how many days the moves of a game are kept after its deadline, at most.
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
