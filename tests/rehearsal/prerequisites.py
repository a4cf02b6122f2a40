"""Programs that the rehearsal needs, with Docker and with podman.

Missing Debian packages are installed if possible. podman-compose always comes from PyPI: Debian
12's 1.0.3 lacks `--profile` and `--in-pod false`, which avoids a pod since 1.2.0.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

Version = tuple[int, ...]

PODMAN_COMPOSE = "1.6.0"


class MissingError(Exception):
    """The rehearsal cannot start.

    The message is a line that names the missing programs and a remedy.
    """


class Need(NamedTuple):
    """A program.

    Attributes:
        words: the command that prints its version, starting with its name.
        least: the oldest supported version.
        package: Debian's package, or "" if Debian 12 has none.
    """

    words: tuple[str, ...]
    least: Version
    package: str = ""

    @property
    def name(self) -> str:
        """The program's name, such as "docker compose"."""
        return " ".join(self.words[:-1])


class Missing(NamedTuple):
    """A program that is missing or too old.

    Attributes:
        found: the installed version, `()` if it cannot be read, or `None` without the program.
    """

    need: Need
    found: Version | None


Read = Callable[[Sequence[str]], str | None]
"""Runs a command and returns its output, or `None` if it is missing or fails."""

GIT = Need(("git", "--version"), (2, 0), "git")
STAND_INS = Need(("debootstrap", "--version"), (1, 0), "debootstrap")
"""Builds the stand-ins for the registry images that podman gets."""

# Compose waits for services (`up --wait`) since 2.1.1.
DOCKER = (
    GIT,
    Need(("docker", "--version"), (20, 10)),
    Need(("docker", "compose", "version"), (2, 1, 1)),
)

# The oldest versions tested with the rehearsal, from Debian 12.
PODMAN = (
    GIT,
    Need(("podman", "--version"), (4, 3), "podman"),
    Need(("runc", "--version"), (1, 1), "runc"),
    Need(("netavark", "--version"), (1, 4), "netavark"),
    Need(("aardvark-dns", "--version"), (1, 4), "aardvark-dns"),
    Need(("iptables", "--version"), (1, 8), "iptables"),
)

HELPERS = (
    "/usr/local/libexec/podman",
    "/usr/local/lib/podman",
    "/usr/libexec/podman",
    "/usr/lib/podman",
)
"""Podman's directories for netavark and aardvark-dns, which are not on the PATH."""


def version_in(text: str) -> Version:
    found = re.search(r"\d+(?:\.\d+)+", text)
    return tuple(map(int, found[0].split("."))) if found else ()


def missing(needs: Sequence[Need], read: Read) -> list[Missing]:
    told = [(need, read(need.words)) for need in needs]
    found = [Missing(need, None if text is None else version_in(text)) for need, text in told]
    return [each for each in found if (each.found or ()) < each.need.least]


def message(found: Sequence[Missing]) -> str:
    """Return a line that names the missing programs and a remedy."""
    packages = [each.need.package for each in found if each.need.package]
    others = [each.need.name for each in found if not each.need.package]
    acts = []
    if packages:
        command = f"apt-get install --no-install-recommends {' '.join(packages)}"
        acts.append(f"on Debian 12, run `{command}` as root")
    if others:
        acts.append(f"install {' and '.join(others)} (https://docs.docker.com/engine/install)")
    return f"the rehearsal needs at least {', '.join(map(_named, found))}: {'; '.join(acts)}"


def provide(
    needs: Sequence[Need], read: Read, install_packages: Callable[[Sequence[str]], bool]
) -> None:
    """Install the packages of missing programs."""
    found = missing(needs, read)
    packages = [each.need.package for each in found if each.need.package]
    if packages and install_packages(packages):
        found = missing(needs, read)
    if found:
        raise MissingError(message(found))


def read_version(words: Sequence[str]) -> str | None:
    """Run a command and return its output, or `None` if it is missing or fails."""
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), *HELPERS])
    program = shutil.which(words[0], path=path)
    if program is None:
        return None
    done = subprocess.run([program, *words[1:]], capture_output=True, text=True, check=False)  # noqa: S603
    return done.stdout if done.returncode == 0 else None


def install_compose(folder: Path) -> Path:
    """Install podman-compose into a separate environment; return its path."""
    venv.create(folder, symlinks=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python")]
    options = ["--quiet", "--no-input", "--disable-pip-version-check"]
    done = subprocess.run(  # noqa: S603
        [*pip, "install", *options, f"podman-compose=={PODMAN_COMPOSE}"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        said = (done.stderr.strip() or "pip failed").splitlines()[-1]
        raise MissingError(f"podman-compose {PODMAN_COMPOSE} cannot be installed: {said}")
    return folder / "bin" / "podman-compose"


def _named(each: Missing) -> str:
    """Return a program with its oldest supported version, and the installed version."""
    wanted = f"{each.need.name} {_dotted(each.need.least)}"
    match each.found:
        case None:
            return wanted
        case ():
            return f"{wanted} (this one names no version)"
        case found:
            return f"{wanted} (this is {_dotted(found)})"


def _dotted(version: Version) -> str:
    return ".".join(map(str, version))
