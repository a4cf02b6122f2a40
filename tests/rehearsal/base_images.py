"""Stand-ins for registry images, for a machine that reaches no image registry.

python -m tests.rehearsal.base_images

Podman gets an image for each registry name in `docker-compose.yml`, built from Debian's packages
and from this machine's Node and Valkey. It needs root, podman and debootstrap, and Debian 12,
because its Node does not run on an older release. `make rehearse` does this by itself if necessary.
"""

from __future__ import annotations

import os
import re
import shutil
import ssl
import subprocess
import tempfile
from pathlib import Path

from server.base.redis.programs import at_hand
from tests.deploy.composed import COMPOSE
from tests.processes import program

STAGES = {
    "PYTHON": "python",
    "BUILD": "python",
    "NODE": "node",
    "PROXY": "caddy",
    "REDIS": "valkey",
}
"""The stage of `base_images.Dockerfile` that stands in for `SAMEDEAL_…_IMAGE`."""

ADDUSER = """#!/bin/sh
# BusyBox's adduser, as far as deploy/Dockerfile calls it: -S -u ID -h HOME NAME
[ "$*" = "-S -u $3 -h $5 $6" ] || exit 2
exec useradd --system --uid "$3" --home-dir "$5" --create-home --gid nogroup "$6"
"""


def wanted() -> dict[str, str]:
    found = re.findall(r"\$\{SAMEDEAL_(\w+)_IMAGE:-([^}]+)\}", COMPOSE.read_text())
    return dict(found)


def are_there() -> bool:
    return all(_run("podman", "image", "exists", name, check=False) == 0 for name in _names())


def make() -> None:
    with tempfile.TemporaryDirectory(prefix="samedeal") as name:
        folder = Path(name)
        system, archive, context = folder / "system", folder / "system.tar", folder / "context"
        context.mkdir()
        _run("debootstrap", "--variant=minbase", "--include=ca-certificates", "bookworm", system)
        _run("tar", "--directory", system, "--create", "--file", archive, ".")
        _run("podman", "import", archive, "localhost/debian")
        _collect(context)
        recipe = Path(__file__).with_suffix(".Dockerfile")
        for word, image in wanted().items():
            _run(
                *("podman", "build", "--isolation", "chroot", "--network", "host"),
                *("--file", recipe, "--target", STAGES[word], "--tag", f"localhost/{image}"),
                context,
            )


def _names() -> list[str]:
    return [f"localhost/{image}" for image in wanted().values()]


def _collect(context: Path) -> None:
    (context / "adduser").write_text(ADDUSER)
    trusted = os.environ.get("SSL_CERT_FILE") or ssl.get_default_verify_paths().cafile
    assert trusted, "This machine has no file of certificates."
    shutil.copy(trusted, context / "ca-certificates.crt")
    shutil.copy(program("node"), context / "node")
    shutil.copytree(Path(program("npm")).resolve().parents[1], context / "npm", symlinks=True)
    (valkey,) = [each.path for each in at_hand() if each.bundled]
    shutil.copy(valkey, context / "valkey-server")


def _run(*words: str | Path, check: bool = True) -> int:
    command = [program(str(words[0])), *map(str, words[1:])]
    return subprocess.run(command, check=check).returncode  # noqa: S603 - our own arguments


if __name__ == "__main__":
    make()
