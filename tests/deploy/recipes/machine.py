"""A stand-in for an operator's machine: a folder in place of `/`, and one for systemd.

Commands run as the documents give them, except for a test's substitutions and for programs that
would change the machine of the tests. Those are only recorded. The stand-in's `systemctl` starts
services from the shipped unit files, and supports only the documents' uses. It ignores users and
restrictions of services; `systemd-analyze` checks those.
"""

from __future__ import annotations

import fnmatch
import json
import os
import shutil
import socket
import socketserver
import subprocess
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.deploy.commands import ran
from tests.deploy.recipes.units import Unit
from tests.processes import PATIENCE, ROOT, Running, program

RECORDED = ("apt-get", "chown", "make", "npm", "sysctl", "useradd")
"""Programs that are recorded, not run."""

FOLDERS = (
    "etc/caddy", "etc/sysctl.d", "etc/systemd/system", "opt", "run", "usr/local/sbin", "var/cache",
    "var/lib/caddy",
)  # fmt: skip
"""The folders of a new machine that the documents use."""

CHECKOUT = (
    "deploy", "engine", "server", "client_js/web/dist", "pyproject.toml", "README.md", "LICENSE",
)  # fmt: skip
"""The sources of wheel and archive."""

_ASK = """#!{python} -S
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as asked:
    asked.connect({socket!r})
    asked.sendall(json.dumps([{name!r}, *sys.argv[1:]]).encode() + b"\\n")
    code, text = json.loads(asked.makefile().readline())
sys.stdout.write(text)
sys.exit(code)
"""


class Machine:
    """A machine with services, which end with `close`.

    `parts` are the parts of its checkout.

    Attributes:
        root: the folder in place of `/`.
        checkout: a copy of the checkout, the commands' working directory.
    """

    def __init__(
        self, root: Path, substituted: Mapping[str, str], parts: Sequence[str] = CHECKOUT
    ) -> None:
        self.root = root
        self.checkout = root / "checkout"
        self.recorded: list[list[str]] = []
        self.services: dict[str, Running] = {}
        self._substituted = dict(substituted) | {
            f"/{folder}/": f"{root}/{folder}/" for folder in ("etc", "opt", "var", "usr/local")
        }
        for folder in FOLDERS:
            (root / folder).mkdir(parents=True)
        self._copy_checkout(parts)
        self._bin = root / "bin"
        self._bin.mkdir()
        # A socket's path is limited to about a hundred characters.
        self._short = Path(tempfile.mkdtemp(prefix="samedeal"))
        self._server = _Server(str(self._short / "socket"), self._asked)
        self._add_programs()
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _copy_checkout(self, parts: Sequence[str]) -> None:
        """Copy these parts of the checkout, with paths of this machine in `deploy`."""
        ignore = shutil.ignore_patterns("__pycache__", "secrets")
        for name in parts:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, self.checkout / name, ignore=ignore)
            else:
                shutil.copy(ROOT / name, self.checkout)
        for pattern in ("systemd/*", "*.sh", "*.conf"):
            for file in self.checkout.glob(f"deploy/{pattern}"):
                file.write_text(self.translated(file.read_text()))

    def _add_programs(self) -> None:
        for name in (*RECORDED, "systemctl"):
            text = _ASK.format(python=sys.executable, socket=self._server.server_address, name=name)
            self._add_program(name, text)
        # Install the wheel for the Python that has its dependencies.
        self._add_program("python3", f'#!/bin/sh\nexec {sys.executable} "$@"\n')
        (self.root / "dependencies.pth").write_text(sysconfig.get_path("purelib"))

    def _add_program(self, name: str, text: str) -> None:
        (self._bin / name).write_text(text)
        (self._bin / name).chmod(0o755)

    def translated(self, text: str) -> str:
        """Replace an operator's names in a text by this machine's."""
        for told, here in self._substituted.items():
            text = text.replace(told, here)
        return text

    def run(self, block: str, **variables: str) -> str:
        """Run a block of commands as an operator's shell does, and return its output.

        The block stops and fails at the first failing command.
        """
        own = {
            "PATH": f"{self._bin}:{self.root}/usr/local/sbin:{os.environ['PATH']}",
            "PIP_NO_INDEX": "1",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        }
        done = ran(
            *(program("sh"), "-eux", "-c", self.translated(block)),
            cwd=self.checkout,
            env=_clean(own) | variables,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    def _asked(self, command: list[str]) -> tuple[int, str]:
        """Execute a recorded command or systemctl; return its exit code and output."""
        name, *words = command
        if name != "systemctl":
            self.recorded.append(command)
            return 0, ""
        try:
            self._systemctl(words)
        except AssertionError as error:
            return 1, f"{error}\n"
        return 0, ""

    def _systemctl(self, words: Sequence[str]) -> None:
        options = {word for word in words if word.startswith("--")}
        verb, *names = [word for word in words if word not in options]
        assert options <= {"--now", "--no-block"}, options
        units = [unit for name in names for unit in self._named(name)]
        match verb:
            case "daemon-reload":
                assert not units
            case "enable" | "start":
                for name in units:
                    assert verb == "start" or self._unit(name).all("WantedBy", "Install"), name
                    if verb == "start" or "--now" in options:
                        self.start(name)
            case "disable" | "stop":
                for name in units:
                    self.stop(name)
            case "restart":
                for name in units:
                    self.stop(name)
                    self.start(name)
            case _:
                raise AssertionError(f"The stand-in of systemctl does not support {verb!r}.")

    def _named(self, name: str) -> list[str]:
        """Return the units that a word names. A pattern matches running units."""
        whole = name if "." in name else f"{name}.service"
        return fnmatch.filter(self.services, whole) if "*" in name else [whole]

    def _unit(self, name: str) -> Unit:
        stem, _, kind = name.rpartition(".")
        template = f"{stem.partition('@')[0]}@.{kind}" if "@" in stem else name
        own = self.root / "etc/systemd/system"
        file = own / template
        if not file.exists():
            packaged = Path("/lib/systemd/system") / name
            assert packaged.exists(), f"There is no unit {name}."
            file = self.root / "run" / name
            file.write_text(self.translated(packaged.read_text()))
        return Unit(name, file, *sorted(own.glob(f"{name}.d/*.conf")))

    def start(self, name: str) -> None:
        """Start a unit unless it runs, and return when it is ready."""
        unit = self._unit(name)
        if name in self.services or name.endswith(".timer"):
            return
        credentials = self.root / "run/credentials" / name
        env = self._environment(unit, credentials)
        with _notified(self._short / "notify") as manager:
            if unit.one("Type") == "notify":
                env["NOTIFY_SOCKET"] = str(self._short / "notify")
            running = Running(unit.command(credentials), env)
            if unit.one("Type") == "oneshot":
                running.process.wait(PATIENCE)
                code = running.end()
                assert code == 0, f"{name} has ended with {code}:\n{''.join(running.lines)}"
                return
            self.services[name] = running
            while not _is_ready(manager):
                ended = running.process.poll()
                assert ended is None, f"{name} has ended with {ended}:\n{''.join(running.lines)}"

    def _environment(self, unit: Unit, credentials: Path) -> dict[str, str]:
        """Create a service's folders and credentials, and return its environment."""
        shutil.rmtree(credentials, ignore_errors=True)
        credentials.mkdir(parents=True, mode=0o700)
        for each in unit.all("LoadCredential"):
            name, _, file = each.partition(":")
            shutil.copy(file, credentials / name)
            (credentials / name).chmod(0o400)
        for kind, folder in (("StateDirectory", "var/lib"), ("CacheDirectory", "var/cache")):
            for name in unit.all(kind):
                (self.root / folder / name).mkdir(exist_ok=True, mode=0o700)
        env = _clean({"HOME": str(self.root / "var/lib/caddy"), "PATH": os.environ["PATH"]})
        env["CREDENTIALS_DIRECTORY"] = str(credentials)
        texts = [unit.expanded(each, credentials) for each in unit.all("Environment")]
        for file in unit.all("EnvironmentFile"):
            texts += [line for line in Path(file).read_text().splitlines() if line]
        return env | dict(text.split("=", 1) for text in texts)

    def stop(self, name: str) -> None:
        """Stop a unit in order, if it runs."""
        running = self.services.pop(name, None)
        if running is not None:
            code = running.end()
            assert code == 0, f"{name} has ended with {code}:\n{''.join(running.lines)}"

    def close(self) -> None:
        """End all services."""
        for running in reversed(self.services.values()):
            running.kill()
        self._server.shutdown()
        self._server.server_close()
        shutil.rmtree(self._short)


class _Server(socketserver.ThreadingUnixStreamServer):
    """Answers the stand-in programs."""

    daemon_threads = True

    def __init__(self, path: str, asked: Any) -> None:
        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                answer = asked(json.loads(self.rfile.readline()))
                with suppress(BrokenPipeError):
                    self.wfile.write(json.dumps(answer).encode() + b"\n")

        super().__init__(path, Handler)


@contextmanager
def _notified(path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(path))
        manager.settimeout(0.1)
        try:
            yield manager
        finally:
            path.unlink()


def _is_ready(manager: socket.socket) -> bool:
    try:
        return b"READY=1" in manager.recv(4096)
    except TimeoutError:
        return False


def _clean(own: Mapping[str, str]) -> dict[str, str]:
    """Return the tests' environment without variables for nodes, plus the given ones."""
    unwanted = ("SAMEDEAL_", "PYTHON", "VIRTUAL_ENV")
    kept = {name: text for name, text in os.environ.items() if not name.startswith(unwanted)}
    return {**kept, **own}
