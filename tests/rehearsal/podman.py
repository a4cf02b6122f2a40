"""Emulate `docker`, as far as deploy/README.md uses it, with podman and podman-compose.

It is for a machine without Docker but with the programs in prerequisites.py. Neither systemd nor
the right to raise limits is needed. Without systemd, podman does not run its containers' health
checks, so `up --wait` runs them here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

OVERRIDES = """\
# Podman has no log driver `local`, drops DNS queries while a container starts, and cannot raise a
# limit above the machine's.
x-hardened: &hardened
  logging: {driver: k8s-file}
  dns_opt: ["timeout:1", "attempts:4"]
x-node: &node
  <<: *hardened
  ulimits: {nofile: FILES, nproc: PROCESSES}
services:
  redis: *hardened
  node-a: *node
  node-b: *node
  certify: *node
  proxy: *node
"""

SETTINGS = """\
[containers]
default_ulimits = ["nofile=FILES:FILES", "nproc=PROCESSES:PROCESSES"]
[engine]
events_logger = "file"
runtime = "runc"
"""

FILES, PROCESSES = 16_384, 4_096
"""Limits that any machine allows."""

UNTIL_HEALTHY = 90.0
"""The timeout of `up --wait`, in seconds."""

# The host network avoids the user-mode network that podman starts for each build.
BUILD = "--format docker --isolation chroot --network host"


def install(folder: Path, compose: Path) -> dict[str, str]:
    """Write a program `docker` into a directory; return its environment variables, and `PATH`.

    The podman-compose at `compose` precedes any other on the PATH.
    """
    folder.mkdir(parents=True, exist_ok=True)
    docker, files = folder / "docker", {"overrides.yml": OVERRIDES, "containers.conf": SETTINGS}
    docker.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{Path(__file__)}" "$@"\n')
    docker.chmod(0o755)
    (folder / "podman-compose").symlink_to(compose)
    for name, text in files.items():
        limited = text.replace("FILES", str(FILES)).replace("PROCESSES", str(PROCESSES))
        (folder / name).write_text(limited)
    return {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "CONTAINERS_CONF": str(folder / "containers.conf"),
        "REHEARSAL_OVERRIDES": str(folder / "overrides.yml"),
    }


def main(words: list[str]) -> int:
    """Emulate `docker` with these arguments, and return its exit code."""
    match words:
        case ["compose", *rest]:
            return _compose(rest)
        case ["build", *rest]:
            return _call("podman", "build", *BUILD.split(), *rest)
        case ["run", *rest]:
            # Docker makes only the given paths writable.
            strict = ["--read-only-tmpfs=false"] if "--read-only" in rest else []
            return _call("podman", "run", *strict, *rest)
        case _:
            return _call("podman", *words)


def _compose(words: list[str]) -> int:
    options = ["--in-pod", "false", "--podman-build-args", BUILD]
    files = ["--file", "docker-compose.yml", "--file", os.environ["REHEARSAL_OVERRIDES"]]
    waits = "up" in words and "--wait" in words
    given = [word for word in words if word != "--wait"]
    if "--no-deps" in given and waits:
        # Docker recreates a container whose image has changed.
        given.insert(given.index("up") + 1, "--force-recreate")
    code = _call("podman-compose", *options, *files, *given)
    if code == 0 and waits:
        return _until_healthy({word for word in given[given.index("up") + 1 :] if word[0] != "-"})
    return code


def _until_healthy(services: set[str]) -> int:
    """Wait until the services, or all if empty, are healthy; return 1 after the timeout."""
    until = time.monotonic() + UNTIL_HEALTHY
    while unhealthy := [name for name in _checked(services) if not _is_healthy(name)]:
        if time.monotonic() > until:
            print(f"not healthy: {', '.join(unhealthy)}", file=sys.stderr)  # noqa: T201
            return 1
        time.sleep(0.5)
    return 0


def _checked(services: set[str]) -> list[str]:
    label = f"label=io.podman.compose.project={os.environ['COMPOSE_PROJECT_NAME']}"
    listed = _output("podman", "ps", "--all", "--quiet", "--filter", label).split()
    found = json.loads(_output("podman", "inspect", *listed)) if listed else []
    return [
        each["Name"]
        for each in found
        if each["Config"].get("Healthcheck")
        and (not services or each["Config"]["Labels"]["com.docker.compose.service"] in services)
    ]


def _is_healthy(name: str) -> bool:
    words = ["podman", "healthcheck", "run", name]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0  # noqa: S603


def _call(*words: str) -> int:
    return subprocess.run(words, check=False).returncode  # noqa: S603


def _output(*words: str) -> str:
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout  # noqa: S603


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
