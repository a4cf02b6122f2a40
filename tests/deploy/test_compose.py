"""The compose file, as far as it can be tested without containers.

`test_rehearsal.py` runs the commands of its services.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from server.cli.certify import certify as certify_command
from server.cli.main import main
from tests.deploy.commands import ran
from tests.deploy.composed import COMPOSE, POSTS, compose
from tests.deploy.schemas import assert_valid
from tests.deploy.test_image import VARIABLES, arguments_of
from tests.processes import ROOT
from tests.redis_users import NODES


def test_the_compose_file_is_valid() -> None:
    assert_valid("compose-spec", COMPOSE)


def test_a_node_reads_every_variable_that_the_compose_file_sets() -> None:
    services = compose()["services"]
    assert services["node-a"] == services["node-b"]
    environment = services["node-a"]["environment"]
    assert set(environment) <= VARIABLES
    assert environment["SAMEDEAL_REDIS"].startswith(f"redis://{NODES}@redis:")


def test_certification_shares_the_nodes_store_and_keys_and_yields_to_them() -> None:
    services = compose()["services"]
    node, certify = services["node-a"], services["certify"]
    assert certify["environment"].items() <= node["environment"].items()
    assert certify["image"] == node["image"]
    assert certify["build"] == node["build"]
    assert certify["secrets"] == node["secrets"]
    assert certify["networks"] == ["store"]
    assert certify["profiles"] == ["certify"]
    assert certify["cpu_shares"] == 2
    assert main.commands[certify["command"][1]] is certify_command


def test_the_proxy_knows_every_node() -> None:
    services = compose()["services"]
    proxy = services["proxy"]
    nodes = {name for name in services if name.startswith("node-")}
    upstreams = dict(node.split(":") for node in proxy["environment"]["SAMEDEAL_NODES"].split())
    assert set(upstreams) == set(proxy["depends_on"]) == nodes
    assert {services[name]["environment"]["SAMEDEAL_PORT"] for name in nodes} == set(
        upstreams.values()
    )
    read = set(re.findall(r"\{\$(\w+):", (ROOT / "deploy/Caddyfile").read_text()))
    assert set(proxy["environment"]) == read


def test_only_the_proxy_publishes_ports() -> None:
    file = compose()
    assert [name for name, service in file["services"].items() if "ports" in service] == ["proxy"]
    assert file["services"]["redis"]["networks"] == ["store"]


def test_only_the_proxy_has_a_way_out() -> None:
    file = compose()
    outside = {
        name for name, network in file["networks"].items() if not (network or {}).get("internal")
    }
    with_way_out = [
        name for name, service in file["services"].items() if outside & {*service["networks"]}
    ]
    assert with_way_out == ["proxy"]


def test_only_nodes_have_a_way_out_for_posts() -> None:
    assert_valid("compose-spec", POSTS)
    before, after = compose(), compose(POSTS)
    assert after["networks"].keys() - before["networks"].keys() == {"out"}
    assert not after["networks"]["out"], "the network is not internal"
    assert after["services"]["node-a"] == after["services"]["node-b"]
    assert after["services"].keys() == before["services"].keys()
    for name, service in after["services"].items():
        changed = {
            key: value for key, value in service.items() if value != before["services"][name][key]
        }
        if not name.startswith("node-"):
            assert not changed
            continue
        assert changed.keys() == {"environment", "secrets", "networks"}
        assert changed["networks"] == ["front", "store", "out"]
        assert changed["secrets"] == ["redis-samedeal", "secret-keys", "push-key"]
        assert set(changed["environment"]) <= VARIABLES
    readme = (ROOT / "deploy/README.md").read_text()
    assert f"\nCOMPOSE_FILE={COMPOSE.name}:{POSTS.relative_to(ROOT)}\n" in readme


def test_by_default_only_this_machine_reaches_the_site() -> None:
    ports = compose()["services"]["proxy"]["ports"]
    assert len(ports) == 3
    assert all(port.startswith("127.0.0.1:") for port in ports)
    ports = compose(SAMEDEAL_BIND="0.0.0.0")["services"]["proxy"]["ports"]  # noqa: S104
    assert all(port.startswith("0.0.0.0:") for port in ports)


@pytest.mark.parametrize("name", compose()["services"])
def test_a_service_has_no_root_rights_and_limited_resources(name: str) -> None:
    service = compose()["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "cap_add" not in service
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert not service.keys() & {"privileged", "pid", "ipc", "network_mode", "devices"}
    assert 0 < service["pids_limit"] <= 256
    assert re.fullmatch(r"\d+[mg]", service["mem_limit"])
    assert service["logging"] == {"driver": "local"}, "a log is bounded"
    # For an image built here, the Dockerfile sets the user; see below.
    assert service.get("user") == (None if "build" in service else "valkey")


def test_redis_may_take_twice_its_memory_limit() -> None:
    """While Redis rewrites its file, changes are in memory twice."""
    (kept,) = re.findall(r"^maxmemory (\d+)gb$", (ROOT / "deploy/redis.conf").read_text(), re.M)
    assert compose()["services"]["redis"]["mem_limit"] == f"{2 * int(kept)}g"


def test_no_secret_is_in_the_environment_or_the_defaults() -> None:
    for name, service in compose()["services"].items():
        for variable, text in service.get("environment", {}).items():
            assert not re.search("PASSWORD|SECRET|TOKEN|KEY", variable) or text.startswith("/run/")
            assert not re.search(r"://[^/@]*:[^/@]+@", text or ""), name
    for file in compose()["secrets"].values():
        assert file["file"].startswith("./deploy/secrets/"), "what Git and Docker ignore"


def test_every_image_has_a_version_and_can_be_pinned_by_digest() -> None:
    """External images have a version, and `.env` can give a digest for each."""
    versioned = re.compile(r"[\w./-]+:\d+\.\d+\.\d+[\w.-]*")
    pinned = "example:1@sha256:" + 64 * "0"
    variables = dict.fromkeys(set(re.findall(r"SAMEDEAL_\w+_IMAGE", COMPOSE.read_text())), pinned)
    defaults = {
        name: default
        for name, _, default in map(_parted, arguments_of("ARG"))
        if name.endswith("_IMAGE")
    }
    for service, given in zip(
        compose()["services"].values(), compose(**variables)["services"].values(), strict=True
    ):
        if "build" not in service:
            assert versioned.fullmatch(service["image"])
            assert given["image"] == pinned
            continue
        # A built image has the same default versions without the compose file.
        images = {n: i for n, i in service["build"]["args"].items() if n.endswith("_IMAGE")}
        for name, image in images.items():
            assert versioned.fullmatch(image)
            assert image == defaults[name]
            assert given["build"]["args"][name] == pinned
    stages = {stage.split(" AS ")[0].split()[-1] for stage in arguments_of("FROM")}
    assert stages == {f"${{{name}}}" for name in defaults}


def test_the_script_pins_every_image_to_the_registrys_digest(tmp_path: Path) -> None:
    """A program in place of Docker prints its arguments as the digest."""
    docker = tmp_path / "docker"
    docker.write_text("#!/bin/sh\nprintf 'sha256:%s' \"$4\"\n")
    docker.chmod(0o755)
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    script = str(ROOT / "deploy/pin-images.sh")
    done = ran(script, env=env, stderr=subprocess.PIPE)
    lines = dict(line.split("=", 1) for line in done.stdout.splitlines())
    wanted = dict(re.findall(r"\$\{(SAMEDEAL_\w+_IMAGE):-([^}]+)\}", COMPOSE.read_text()))
    assert lines == {name: f"{image}@sha256:{image}" for name, image in wanted.items()}
    docker.write_text("#!/bin/sh\nexit 1\n")
    failed = ran(script, env=env, stderr=subprocess.PIPE)
    assert failed.returncode
    assert not failed.stdout


def _parted(argument: str) -> tuple[str, str, str]:
    return argument.partition("=")


def test_mounted_files_are_in_the_repository() -> None:
    mounted = [
        volume.split(":")[0]
        for service in compose()["services"].values()
        for volume in service.get("volumes", [])
        if volume.startswith("./")
    ]
    names = ["Caddyfile", "errors", "redis.conf"]
    assert sorted(mounted) == [f"./deploy/{name}" for name in names]
    for path in mounted:
        assert (ROOT / path).exists(), path
