"""An operator's checkout, and the commands run in it."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.processes import ROOT, free_port, program

NAME = "samedeal-rehearsal"
"""The name of the compose project, its images, and the single container."""

LONGEST = 3600.0
"""The timeout of a command, in seconds."""


class CommandError(Exception):
    """A command has failed. The message has its end and its output."""


class Site:
    """A checkout with an `.env`.

    Attributes:
        port: the port of the proxy, or of the single container.
        log: the file with the commands' output.
    """

    def __init__(self, folder: Path, variables: Mapping[str, str]) -> None:
        self.folder = folder / "site"
        self.port = free_port()
        self.log = folder / "log.txt"
        self._variables = {**variables, "COMPOSE_PROJECT_NAME": NAME}
        _check_out(self.folder)
        settings = {
            "SAMEDEAL_IMAGE": NAME,
            "SAMEDEAL_HTTP_PORT": str(self.port),
            "SAMEDEAL_HTTPS_PORT": str(free_port()),
        }
        lines = [f"{name}={value}\n" for name, value in settings.items()]
        (self.folder / ".env").write_text("".join(lines))

    def run(self, script: str) -> str:
        """Run a shell script and return its standard output."""
        with self.log.open("a") as log:
            log.write(f"\n$ {script}\n")
            log.flush()
            done = subprocess.run(  # noqa: S603 - our own documents
                [program("sh"), "-euc", script],
                cwd=self.folder,
                env=self._variables,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=LONGEST,
                check=False,
            )
            log.write(done.stdout + done.stderr)
        if done.returncode:
            raise CommandError(f"{script}\nexit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def inside(self, service: str, *words: str) -> str:
        """Run a command in a service's container."""
        return self.run(f"docker compose exec -T {service} {shlex.join(words)}")

    def set_version(self, old: str, new: str) -> None:
        """Change the checkout's version to another release."""
        for name in ("pyproject.toml", "deploy/Dockerfile"):
            path = self.folder / name
            text = path.read_text()
            assert old in text, f"{name} has no version {old}"
            path.write_text(text.replace(old, new, 1))


def recipe(heading: str, number: int, replaced: Mapping[str, str] | None = None) -> str:
    """Return a block of commands of deploy/README.md."""
    text = (ROOT / "deploy/README.md").read_text()
    sections = dict(re.findall(r"^##+ (.+)\n((?:(?!##).*\n)*)", text, re.MULTILINE))
    block: str = re.findall(r"^```sh\n(.*?)^```", sections[heading], re.DOTALL | re.M)[number]
    for old, new in (replaced or {}).items():
        block = re.sub(rf"\b{old}\b", new, block)
    return block


def _check_out(folder: Path) -> None:
    """Copy the tracked files, including uncommitted changes."""
    shutil.rmtree(folder, ignore_errors=True)
    listed = subprocess.run(  # noqa: S603
        [program("git"), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        source, target = ROOT / name, folder / name
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target, follow_symlinks=False)
