"""Run Caddy and the proxies of `deploy/proxies` from the shipped files.

Only addresses, paths and nodes are replaced, which the files ask the reader to adapt.
"""

from __future__ import annotations

import getpass
import json
import os
import shutil
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from http.client import HTTPMessage, HTTPResponse
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socket import create_connection, socket
from typing import Any, Final

from tests.deploy.commands import ran
from tests.processes import PATIENCE, ROOT, Running, free_port, program, running
from tests.redis_servers import until

FILES: Final = ROOT / "deploy/proxies"
NAME: Final = "play.example.org"
ERRORS: Final = ROOT / "deploy/errors"


PAGE = "<!doctype html><title>Samedeal</title>"


@dataclass(frozen=True, slots=True)
class Node:
    """A running node."""

    process: Running
    port: int


@dataclass(frozen=True, slots=True)
class Response:
    """A response: its status, headers, and body."""

    status: int
    headers: HTTPMessage
    text: str


@contextmanager
def node(redis: str, page: Path, **more: str) -> Iterator[Node]:
    """Run a node as the image does, configured by environment variables, including `more`."""
    env = os.environ | {
        "SAMEDEAL_HOST": "127.0.0.1",
        "SAMEDEAL_PORT": "0",
        "SAMEDEAL_REDIS": redis,
        "SAMEDEAL_PAGE": str(page),
        "SAMEDEAL_LOG_FORMAT": "json",
        "SAMEDEAL_LOG_LEVEL": "info",
        "SAMEDEAL_ORIGINS": "",
        **more,
    }
    with running([sys.executable, "-m", "server", "serve"], env, forked=True) as process:
        listening = json.loads(process.wait_for('"listening"'))
        yield Node(process, listening["port"])


class Echo(BaseHTTPRequestHandler):
    """A node that answers with the headers of the request."""

    def do_GET(self) -> None:
        """Send the request's headers as JSON."""
        # A repeated header has both values.
        seen = {name: ", ".join(self.headers.get_all(name, [])) for name in self.headers}
        body = json.dumps(seen).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


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
    """A running proxy: its ports for the site and for HTTP, its certificate, and the site's host.

    Without a certificate, both ports are the same.
    """

    port: int
    plain: int
    certificate: Certificate | None
    host: str = NAME

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Response:
        """Send a request to the site and return the response."""
        with create_connection(("127.0.0.1", self.port), PATIENCE) as connection:
            headers = {"Host": self.host, **headers}
            if self.certificate is None:
                return _asked(connection, method, path, body, headers)
            context = self.certificate.context()
            with context.wrap_socket(connection, server_hostname=NAME) as secured:
                return _asked(secured, method, path, body, headers)

    def ask_plainly(self, path: str) -> Response:
        """Send a request over HTTP and return the response."""
        with create_connection(("127.0.0.1", self.plain), PATIENCE) as connection:
            return _asked(connection, "GET", path, None, {"Host": self.host})

    @property
    def socket(self) -> dict[str, Any]:
        """The arguments of a browser on the site that opens a socket."""
        if self.certificate is None:
            return {"uri": f"ws://{self.host}/socket", "origin": f"http://{self.host}"}
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
    done = ran(
        *(program("openssl"), "req", "-x509", "-newkey", "ec", "-nodes", "-days", "2"),
        *("-pkeyopt", "ec_paramgen_curve:prime256v1", "-subj", f"/CN={NAME}"),
        *("-addext", f"subjectAltName=DNS:{NAME}"),
        *("-keyout", made.key, "-out", made.certificate),
    )
    assert done.returncode == 0, done.stdout
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
    certificate = certificate_in(home)
    front = Front(free_port(), free_port(), certificate)
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
                "/etc/samedeal/certificate.pem": str(certificate.certificate),
                "/etc/samedeal/certificate.key": str(certificate.key),
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
    certificate = certificate_in(home)
    front = Front(free_port(), free_port(), certificate)
    file = home / "haproxy.cfg"
    file.write_text(
        with_replacements(
            (FILES / "haproxy.cfg").read_text(),
            {
                "maxconn 30000": "maxconn 1000",
                "bind :80\n": f"bind 127.0.0.1:{front.plain}\n",
                "bind :443 ": f"bind 127.0.0.1:{front.port} ",
                "/etc/samedeal/certificate-and-key.pem": str(certificate.both),
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


@contextmanager
def caddy(nodes: Sequence[int], home: Path) -> Iterator[Front]:
    """Run Caddy with `deploy/Caddyfile` on 127.0.0.1, in front of nodes on these ports."""
    port = free_port()
    configuration = adapted(
        {
            "SAMEDEAL_SITE": f":{port}",
            "SAMEDEAL_NODES": " ".join(f"127.0.0.1:{each}" for each in nodes),
            "SAMEDEAL_ERRORS": str(ERRORS),
        }
    )
    assert configuration["admin"] == {"disabled": True}
    (server,) = configuration["apps"]["http"]["servers"].values()
    assert server["listen"] == [f":{port}"]
    server["listen"] = [f"127.0.0.1:{port}"]
    file = home / "caddy.json"
    file.write_text(json.dumps(configuration))
    env = os.environ | {"XDG_DATA_HOME": str(home), "XDG_CONFIG_HOME": str(home)}
    with running([program("caddy"), "run", "--config", str(file)], env) as process:
        process.wait_for("serving initial configuration")
        yield Front(port, port, None, f"127.0.0.1:{port}")


def adapted(env: Mapping[str, str]) -> dict[str, Any]:
    command = [program("caddy"), "adapt", "--adapter", "caddyfile", "--validate", "--config"]
    env = os.environ | env
    result = ran(*command, ROOT / "deploy/Caddyfile", env=env, stderr=subprocess.PIPE)
    assert result.returncode == 0, result.stderr
    configuration: dict[str, Any] = json.loads(result.stdout)
    return configuration


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
