"""Run the README's two commands on a bare machine: `make bare`.

The machine is a root file system of Debian 12 with Python, make and Git, and this machine's Node. A
fresh clone there serves the game, and its tests run twice: without a browser, and with one that
`make test` installs. It needs root and debootstrap.
"""

from __future__ import annotations

import os
import re
import shutil
import ssl
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from tests import machine
from tests.processes import ROOT, free_port, program, running

FOLDER = ROOT / "build" / "bare"

PACKAGES = "ca-certificates,git,make,python3,python3-venv"

CLONE = "/srv/samedeal"

SERVED_WITHIN = 300.0
"""Seconds for installing, building and starting over a slow connection."""


def commands() -> list[str]:
    """Return the commands of the README's sections about playing and testing."""
    text = (ROOT / "README.md").read_text()
    return re.findall(r"^## (?:Play|Test)\n.*?```sh\n(.+?)\n```", text, re.DOTALL | re.MULTILINE)


def make_root(root: Path) -> None:
    """Create the root file system, unless an earlier run has."""
    if not (root / "usr/bin/make").exists():
        _run("debootstrap", "--variant=minbase", f"--include={PACKAGES}", "bookworm", root)
    if not (root / "usr/bin/node").exists():
        shutil.copy(Path(program("node")).resolve(), root / "usr/bin/node")
        modules = Path(program("npm")).resolve().parents[1]
        shutil.copytree(modules, root / "opt/npm", symlinks=True, dirs_exist_ok=True)
        (root / "usr/bin/npm").symlink_to("/opt/npm/bin/npm-cli.js")
        trusted = os.environ.get("SSL_CERT_FILE") or ssl.get_default_verify_paths().cafile
        assert trusted, "This machine has no file of certificates."
        shutil.copy(trusted, root / "etc/ssl/certs/ca-certificates.crt")
    # debootstrap writes no host names, not even `localhost`.
    for name in ("etc/hosts", "etc/resolv.conf"):
        shutil.copy(f"/{name}", root / name)


def clone(root: Path) -> None:
    """Clone this checkout's last commit into the root file system, and empty all caches."""
    for name in ("root", "srv", "tmp"):
        shutil.rmtree(root / name, ignore_errors=True)
        (root / name).mkdir(mode=0o1777 if name == "tmp" else 0o700)
    _run("git", "clone", "--quiet", "--no-hardlinks", ROOT, f"{root}{CLONE}")


def inside(root: Path, command: str, **variables: str) -> list[str]:
    """Return the command line that runs a shell command in the clone, with separate processes."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name.startswith(("PIP_", "SSL_", "NODE_", "npm_config_"))
    }
    variables = {"HOME": "/root", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **kept, **variables}
    mounts = "mount -t proc proc proc && mount --rbind /dev dev && mount -t tmpfs tmpfs run"
    script = f'cd "$0" && {mounts} && exec chroot . sh -c "cd {CLONE} && exec $1"'
    given = [f"{name}={value}" for name, value in variables.items()]
    unshared = [program("unshare"), "--mount", "--pid", "--fork", "--kill-child"]
    return [
        program("env"),
        "-i",
        *given,
        *unshared,
        program("sh"),
        "-ec",
        script,
        str(root),
        command,
    ]


def play(root: Path, command: str) -> None:
    port = free_port()
    begun = time.monotonic()
    with running(inside(root, command, SAMEDEAL_PORT=str(port))) as served:
        while not _answers(port):
            assert served.process.poll() is None, "".join(served.lines)
            assert time.monotonic() < begun + SERVED_WITHIN, "".join(served.lines)
            time.sleep(0.5)
        _say(f"{command}: served after {time.monotonic() - begun:.0f} s")
        # `unshare` ignores SIGTERM while its child runs.
        served.kill()


def _answers(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/", timeout=5) as answer:
            return b"Samedeal" in answer.read()
    except (URLError, OSError):
        return False


def test(root: Path, command: str, **variables: str) -> None:
    """Run the tests, show their output, and require that they pass."""
    begun = time.monotonic()
    lines: list[str] = []
    with subprocess.Popen(  # noqa: S603 - our own arguments
        inside(root, command, **variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            sys.stdout.write(line)
            sys.stdout.flush()
    said = [line for line in lines if "tests are skipped" in line]
    assert process.returncode == 0, f"{command} ended with status {process.returncode}"
    if "CHROMIUM" in variables:
        assert len(said) == 2, "the number of skipped tests is not in the first and last lines"
        assert lines[-1] == said[-1]
    else:
        assert said == []
    _say(f"{command}: passed after {time.monotonic() - begun:.0f} s {variables or ''}")


def main() -> int:
    if os.geteuid() != 0 or not machine.installed("debootstrap"):
        _say("this needs root and debootstrap: sudo apt-get install debootstrap")
        return 1
    root = FOLDER / "root"
    FOLDER.mkdir(parents=True, exist_ok=True)
    make_root(root)
    to_play, to_test = commands()
    clone(root)
    play(root, to_play)
    test(root, to_test, CHROMIUM=machine.NONE)
    clone(root)
    test(root, to_test)
    return 0


def _run(*words: str | Path) -> None:
    subprocess.run([program(str(words[0])), *map(str, words[1:])], check=True)  # noqa: S603


def _say(text: str) -> None:
    print(f"bare: {text}", flush=True)  # noqa: T201 - a command's output


if __name__ == "__main__":
    sys.exit(main())
