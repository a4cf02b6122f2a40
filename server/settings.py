"""What a node is told when it starts."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from platformdirs import user_data_path

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
        redis: the address of the Redis to use, or `None` for an embedded one. It may hold a
            password, and is not part of the representation.
        origins: origins that may open sockets beside the page's own.
        replica_acks: how many replicas must have a write before it is acknowledged.
        public_url: the origin that players reach the page at, or `None` for the Host of each
            request.
        metrics_port: the port for Prometheus, or `None` for none.
    """

    host: str = "localhost"
    port: int = 8000
    redis: str | None = field(default=None, repr=False)
    data: Path = field(default_factory=lambda: user_data_path("samedeal", appauthor=False))
    page: Path = field(default_factory=built_page)
    origins: tuple[str, ...] = ()
    replica_acks: int = 0
    metrics_host: str = "localhost"
    metrics_port: int | None = None
    public_url: str | None = None
