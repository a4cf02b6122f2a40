"""Run the proxies of `deploy/proxies` from the shipped files.

Only addresses, paths and nodes are replaced, which the files ask the reader to adapt.
"""

from __future__ import annotations

import getpass
import os
import shutil
import ssl
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from http.client import HTTPResponse
from pathlib import Path
from socket import create_connection, socket
from typing import Any, Final

from tests.deploy.test_proxy import Response
from tests.processes import PATIENCE, ROOT, Running, free_port, program, running
from tests.redis_servers import until

FILES: Final = ROOT / "deploy/proxies"
NAME: Final = "play.example.org"
ERRORS: Final = ROOT / "deploy/errors"


@dataclass(frozen=True, slots=True)
class Certificate:
    """A self-signed certificate for `NAME` with its key, in separate files and in one file."""

    certificate: Path
    key: Path
    both: Path

    def context(self) -> ssl.SSLContext:
        """Return a client's context that trusts the certificate."""
        return ssl.create_default_context(cafile=str(self.certificate))


@dataclass(frozen=True, slots=True)
class Front:
    """A running proxy: its HTTPS and HTTP ports, and its certificate."""

    port: int
    plain: int
    certificate: Certificate

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Response:
        """Send a request over HTTPS and return the response."""
        with (
            create_connection(("127.0.0.1", self.port), PATIENCE) as connection,
            self.certificate.context().wrap_socket(connection, server_hostname=NAME) as secured,
        ):
            return _asked(secured, method, path, body, {"Host": NAME, **headers})

    def ask_plainly(self, path: str) -> Response:
        """Send a request over HTTP and return the response."""
        with create_connection(("127.0.0.1", self.plain), PATIENCE) as connection:
            return _asked(connection, "GET", path, None, {"Host": NAME})

    @property
    def socket(self) -> dict[str, Any]:
        """The arguments of a browser on the site that opens a socket."""
        return {
            "uri": f"wss://{NAME}/socket",
            "host": "127.0.0.1",
            "port": self.port,
            "ssl": self.certificate.context(),
            "origin": f"https://{NAME}",
        }


def _asked(
    connection: socket, method: str, path: str, body: Any, headers: dict[str, str]
) -> Response:
    """Send a request in one piece: a proxy that refuses it may stop reading."""
    chunked = isinstance(body, list)
    content = b"".join(body) if chunked else body or b""
    if chunked:
        headers = {"Transfer-Encoding": "chunked", **headers}
        content = b"%x\r\n%s\r\n0\r\n\r\n" % (len(content), content)
    elif content:
        headers = {"Content-Length": str(len(content)), **headers}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {text}" for name, text in headers.items())]
    connection.sendall("".join(f"{line}\r\n" for line in lines).encode() + b"\r\n" + content)
    response = HTTPResponse(connection, method=method)
    response.begin()
    return Response(response.status, response.headers, response.read().decode())


def certificate_in(folder: Path) -> Certificate:
    made = Certificate(folder / "site.pem", folder / "site.key", folder / "both.pem")
    subprocess.run(  # noqa: S603 - a test's own arguments
        [
            *(program("openssl"), "req", "-x509", "-newkey", "ec", "-nodes", "-days", "2"),
            *("-pkeyopt", "ec_paramgen_curve:prime256v1", "-subj", f"/CN={NAME}"),
            *("-addext", f"subjectAltName=DNS:{NAME}"),
            *("-keyout", str(made.key), "-out", str(made.certificate)),
        ],
        check=True,
        capture_output=True,
    )
    made.both.write_text(made.certificate.read_text() + made.key.read_text())
    return made


def with_replacements(text: str, own: Mapping[str, str]) -> str:
    """Replace words in a configuration. Each must occur in it."""
    for word, here in own.items():
        assert word in text, f"{word!r} is not in the file"
        text = text.replace(word, here)
    return text


@contextmanager
def nginx(nodes: Sequence[int], home: Path, **more: str) -> Iterator[Front]:
    """Run nginx in front of two nodes on these ports; `more` has further replacements."""
    front = Front(free_port(), free_port(), certificate_in(home))
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "".join(f"{kind}_temp_path {home};" for kind in kinds)
    file = home / "nginx.conf"
    file.write_text(
        with_replacements(
            (FILES / "nginx.conf").read_text(),
            {
                "user www-data;": f"user {getpass.getuser()};",
                "/run/nginx.pid": str(home / "nginx.pid"),
                "worker_processes auto;": "worker_processes 2;",
                "http {": "http {" + temporary,
                "listen 80;": f"listen 127.0.0.1:{front.plain};",
                "listen 443 ": f"listen 127.0.0.1:{front.port} ",
                "/etc/samedeal/certificate.pem": str(front.certificate.certificate),
                "/etc/samedeal/certificate.key": str(front.certificate.key),
                "/etc/samedeal/errors": str(ERRORS),
                **_addresses(nodes),
                **more,
            },
        )
    )
    command = [_program("nginx"), "-p", str(home), "-c", str(file), "-g", "daemon off;"]
    with running(command) as process:
        _wait_for(front, process)
        yield front


@contextmanager
def haproxy(nodes: Sequence[int], home: Path, **more: str) -> Iterator[Front]:
    """Run HAProxy in front of two nodes on these ports; `more` has further replacements."""
    front = Front(free_port(), free_port(), certificate_in(home))
    file = home / "haproxy.cfg"
    file.write_text(
        with_replacements(
            (FILES / "haproxy.cfg").read_text(),
            {
                "maxconn 30000": "maxconn 1000",
                "bind :80\n": f"bind 127.0.0.1:{front.plain}\n",
                "bind :443 ": f"bind 127.0.0.1:{front.port} ",
                "/etc/samedeal/certificate-and-key.pem": str(front.certificate.both),
                "/etc/samedeal/errors": str(ERRORS),
                **_addresses(nodes),
                **more,
            },
        )
    )
    with running([_program("haproxy"), "-db", "-f", str(file)]) as process:
        _wait_for(front, process)
        yield front
        # Parser warnings point to deprecated settings or settings without effect.
        assert not [line for line in process.lines if "parsing" in line]


Proxy = Callable[[Sequence[int], Path], AbstractContextManager[Front]]


def _addresses(nodes: Sequence[int]) -> dict[str, str]:
    names = ("node-a:8000", "node-b:8000")
    return {name: f"127.0.0.1:{port}" for name, port in zip(names, nodes, strict=True)}


def _program(name: str) -> str:
    found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
    assert found is not None, f"This test needs {name}."
    return found


def _wait_for(front: Front, process: Running) -> None:
    def answers() -> bool:
        assert process.process.poll() is None, "".join(process.lines)
        try:
            front.ask_plainly("/")
        except OSError:
            return False
        return True

    until(answers)
