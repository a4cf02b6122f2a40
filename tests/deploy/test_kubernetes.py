"""`deploy/kubernetes`, as far as it can be tested without a cluster.

Manifests are valid by Kubernetes's schemas, consistent, and equivalent to the compose file, whose
commands and settings `test_rehearsal.py` runs. The backup's commands are run here.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

from server.base.web.http import LIVE_PATH, READY_PATH
from server.cli.certify import certify as certify_command
from server.cli.main import main
from tests.clients.client import opened
from tests.clients.play import give_up_daily
from tests.deploy.composed import compose
from tests.deploy.kubernetes_schema import KINDS, SCHEMA
from tests.deploy.proxies import node
from tests.deploy.test_image import VARIABLES, arguments_of
from tests.deploy.test_proxies import ping_every
from tests.processes import PATIENCE, ROOT, program
from tests.redis_servers import Server, running_server, until
from tests.redis_users import make_secrets, secrets

DEPLOY = ROOT / "deploy"

Manifest = dict[str, Any]


def read(path: Path) -> list[Manifest]:
    return list(YAML(typ="safe").load_all(path.read_text()))


@cache
def kustomization() -> Manifest:
    (found,) = read(DEPLOY / "kustomization.yaml")
    return found


@cache
def manifests() -> list[Manifest]:
    return [each for path in kustomization()["resources"] for each in read(DEPLOY / path)]


def of_kind(kind: str, name: str) -> Manifest:
    (found,) = [
        each for each in manifests() if (each["kind"], each["metadata"]["name"]) == (kind, name)
    ]
    return found


def templates() -> dict[str, Manifest]:
    found = {}
    for each in manifests():
        spec = each.get("spec", {})
        spec = spec.get("jobTemplate", {}).get("spec", spec)
        if "template" in spec:
            found[each["metadata"]["name"]] = spec["template"]
    return found


def containers(template: Manifest) -> list[Manifest]:
    spec = template["spec"]
    return [*spec.get("initContainers", []), *spec["containers"]]


def environment(container: Manifest) -> dict[str, str]:
    return {each["name"]: each["value"] for each in container.get("env", [])}


def labels(template: Manifest) -> dict[str, str]:
    found: dict[str, str] = template["metadata"]["labels"]
    return found


def selects(selector: Manifest, template: Manifest) -> bool:
    own = labels(template)
    expressions = selector.get("matchExpressions", [])
    return selector.get("matchLabels", {}).items() <= own.items() and all(
        own.get(each["key"]) in each["values"] for each in expressions
    )


def node_pod() -> Manifest:
    (found,) = containers(templates()["nodes"])
    return found


def test_all_manifests_are_applied_and_valid() -> None:
    listed = set(kustomization()["resources"])
    assert {f"kubernetes/{each.name}" for each in (DEPLOY / "kubernetes").glob("*.yaml")} == listed
    schema = json.loads(SCHEMA.read_text())
    for each in manifests():
        kind = {**schema, "$ref": f"#/$defs/{KINDS[each['kind']]}"}
        errors = Draft202012Validator(kind).iter_errors(each)
        assert [(each["kind"], error.json_path, error.message) for error in errors] == []


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("Deployment", ("spec", "template", "spec", "securityContxt"), {}),
        ("Deployment", ("spec", "replicas"), "two"),
        ("NetworkPolicy", ("spec", "policyTypes"), "Ingress"),
    ],
)
def test_the_schema_rejects_invalid_manifests(kind: str, path: tuple[str, ...], value: Any) -> None:
    schema = json.loads(SCHEMA.read_text())
    found = json.loads(json.dumps(next(each for each in manifests() if each["kind"] == kind)))
    inner = found
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    assert not Draft202012Validator({**schema, "$ref": f"#/$defs/{KINDS[kind]}"}).is_valid(found)


def test_a_node_has_the_settings_of_the_compose_file() -> None:
    own = environment(node_pod())
    assert set(own) <= VARIABLES
    composed = compose()["services"]["node-a"]["environment"]
    assert {name: own.get(name) for name in composed} == {
        **composed,
        "SAMEDEAL_ORIGINS": None,
        "SAMEDEAL_DAILY_GAMES": None,
        "SAMEDEAL_PUBLIC_URL": "https://play.example.org",
    }
    assert own.keys() - composed.keys() == {"SAMEDEAL_METRICS_HOST", "SAMEDEAL_METRICS_PORT"}
    for name in ("certify", "backup"):
        for container in containers(templates()[name]):
            shared = environment(container).items() - {("NUMBA_CACHE_DIR", "/tmp/numba")}  # noqa: S108
            assert shared <= own.items()


def test_images_and_ports_agree_with_the_dockerfile_and_the_compose_file() -> None:
    ports = {each["name"]: each["containerPort"] for each in node_pod()["ports"]}
    assert [str(ports["http"])] == arguments_of("EXPOSE")
    own = environment(node_pod())
    assert own["SAMEDEAL_PORT"] == str(ports["http"])
    assert own["SAMEDEAL_METRICS_PORT"] == str(ports["metrics"])
    services = compose()["services"]
    built = {services["node-a"]["image"], services["certify"]["image"]}
    assert {each["name"] for each in kustomization()["images"]} == built
    used = {each["image"] for template in templates().values() for each in containers(template)}
    assert used == built | {services["redis"]["image"]}


def test_redis_runs_as_in_the_compose_file() -> None:
    (redis,) = containers(templates()["redis"])
    service = compose()["services"]["redis"]
    assert redis["command"] == service["command"]
    _, check = service["healthcheck"]["test"]
    assert redis["readinessProbe"]["exec"]["command"] == ["sh", "-c", check.replace("$$", "$")]
    assert redis["resources"]["limits"]["memory"] == service["mem_limit"].replace("g", "Gi")
    assert redis["resources"]["requests"]["memory"] == redis["resources"]["limits"]["memory"]
    assert (
        f"{templates()['redis']['spec']['terminationGracePeriodSeconds']}s"
        == (service["stop_grace_period"])
    )


def probe(name: str, server: Server, within: float = PATIENCE) -> int:
    """Run a probe of Redis on another server, and return its exit status."""
    (redis,) = containers(templates()["redis"])
    *shell, text = redis[name]["exec"]["command"]
    text = text.replace("/run/secrets", str(secrets().folder))
    text = text.replace("valkey-cli", f"{program('redis-cli')} -h 127.0.0.1 -p {server.port}")
    done = subprocess.run([*shell, text], stdout=PIPE, check=False, timeout=within)  # noqa: S603
    return done.returncode


def test_redis_is_alive_while_it_answers_at_all() -> None:
    """While a script runs, Redis answers BUSY, as it answers LOADING while it loads its file."""
    with running_server(**{"busy-reply-threshold": "1"}) as server, server.client() as client:
        assert (probe("readinessProbe", server), probe("livenessProbe", server)) == (0, 0)
        connection = client.connection_pool.get_connection()
        connection.send_command("EVAL", "while true do end", 0)
        until(lambda: probe("readinessProbe", server) == 1)
        assert probe("livenessProbe", server) == 0
        server.ask("SCRIPT", "KILL")
        until(lambda: probe("readinessProbe", server) == 0)
        server.signal(signal.SIGSTOP)
        with pytest.raises(subprocess.TimeoutExpired):
            probe("livenessProbe", server, within=0.5)
        server.kill()
        assert probe("livenessProbe", server) == 1


def test_redis_is_not_killed_for_being_slow() -> None:
    (redis,) = containers(templates()["redis"])
    live = redis["livenessProbe"]
    assert live["periodSeconds"] * live["failureThreshold"] >= 120
    assert live["timeoutSeconds"] <= live["periodSeconds"]


def test_probes_use_the_live_and_ready_paths() -> None:
    container = node_pod()
    assert container["startupProbe"]["httpGet"]["path"] == LIVE_PATH
    assert container["livenessProbe"]["httpGet"]["path"] == LIVE_PATH
    assert container["readinessProbe"]["httpGet"]["path"] == READY_PATH
    pause = container["lifecycle"]["preStop"]["sleep"]["seconds"]
    ends = compose()["services"]["node-a"]["stop_grace_period"].removesuffix("s")
    assert templates()["nodes"]["spec"]["terminationGracePeriodSeconds"] == pause + int(ends)
    assert pause > 2 * container["readinessProbe"]["periodSeconds"]


@pytest.mark.parametrize("name", templates())
def test_a_pod_has_no_root_rights_and_limited_resources(name: str) -> None:
    template = templates()[name]
    spec = template["spec"]
    assert spec["automountServiceAccountToken"] is False
    # A service's variables, such as REDIS_PORT, could be mistaken for settings.
    assert spec["enableServiceLinks"] is False
    assert not spec.keys() & {"hostNetwork", "hostPID", "hostIPC"}
    context = spec["securityContext"]
    assert context["runAsNonRoot"] is True
    assert context["seccompProfile"] == {"type": "RuntimeDefault"}
    # Secret files are readable by the group.
    assert context["fsGroup"] == context["runAsGroup"]
    (made,) = [
        found[1]
        for line in arguments_of("RUN")
        if (found := re.search(r"useradd --uid (\d+)", line))
    ]
    assert context["runAsUser"] == (999 if name == "redis" else int(made))
    mounted = {volume["name"]: volume for volume in spec["volumes"]}
    claimed = {"data"} if name == "redis" else set()
    for container in containers(template):
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        resources = container["resources"]
        assert set(resources["limits"]) == {"memory"}
        assert set(resources["requests"]) == {"cpu", "memory"}
        for mount in container["volumeMounts"]:
            assert mount["name"] in mounted.keys() | claimed
    for volume in mounted.values():
        assert volume.get("secret", {}).get("defaultMode", 0o440) == 0o440
        assert volume.get("emptyDir", {"sizeLimit": ""}).keys() >= {"sizeLimit"}


def test_selectors_match_existing_pods() -> None:
    for each in manifests():
        kind, spec = each["kind"], each.get("spec", {})
        name = each["metadata"]["name"]
        if kind in {"Deployment", "StatefulSet"}:
            assert selects(spec["selector"], spec["template"])
        elif kind == "Service":
            assert selects({"matchLabels": spec["selector"]}, templates()[name])
            ports = {port["name"] for port in containers(templates()[name])[0]["ports"]}
            assert {port["targetPort"] for port in spec["ports"]} <= ports
        elif kind == "PodDisruptionBudget":
            assert selects(spec["selector"], templates()["nodes"])
        elif kind == "HorizontalPodAutoscaler":
            target = spec["scaleTargetRef"]
            assert of_kind(target["kind"], target["name"])
    assert of_kind("StatefulSet", "redis")["spec"]["serviceName"] == "redis"
    (spread,) = templates()["nodes"]["spec"]["topologySpreadConstraints"]
    assert selects(spread["labelSelector"], templates()["nodes"])


def test_only_the_autoscaler_sets_the_number_of_nodes() -> None:
    assert "replicas" not in of_kind("Deployment", "nodes")["spec"]
    scaler = of_kind("HorizontalPodAutoscaler", "nodes")["spec"]
    assert scaler["minReplicas"] >= 2
    # The autoscaler measures a share of the one core that a node can use.
    assert node_pod()["resources"]["requests"]["cpu"] == "1"


def reached() -> Iterator[tuple[str, str, int]]:
    """Yield the peer, pods and port of each connection that the network policies allow."""
    for each in manifests():
        if each["kind"] != "NetworkPolicy":
            continue
        spec = each["spec"]
        to = [name for name, pod in templates().items() if selects(spec["podSelector"], pod)]
        for rule in spec.get("ingress", []):
            for peer in rule["from"]:
                if "podSelector" in peer:
                    by = [n for n, pod in templates().items() if selects(peer["podSelector"], pod)]
                else:
                    by = list(peer["namespaceSelector"]["matchLabels"].values())
                for port in rule["ports"]:
                    yield from ((one, other, port["port"]) for one in by for other in to)


def test_network_policies_allow_only_the_compose_files_connections() -> None:
    nothing = of_kind("NetworkPolicy", "nothing")["spec"]
    assert nothing == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    assert set(reached()) == {
        ("ingress-nginx", "nodes", 8000),
        ("monitoring", "nodes", 9000),
        ("nodes", "redis", 6379),
        ("certify", "redis", 6379),
        ("backup", "redis", 6379),
    }
    networks = {name: set(each["networks"]) for name, each in compose()["services"].items()}
    for one, other in (("node-a", "redis"), ("certify", "redis"), ("proxy", "node-a")):
        assert networks[one] & networks[other]
    # Pods can reach only Redis and DNS.
    leaving = [each["spec"] for each in manifests() if each.get("spec", {}).get("egress")]
    (to_store,) = leaving
    assert not selects(to_store["podSelector"], templates()["redis"])
    assert [port["port"] for rule in to_store["egress"] for port in rule["ports"]] == [6379, 53, 53]


def test_the_ingress_serves_the_public_url_and_allows_idle_sockets() -> None:
    ingress = of_kind("Ingress", "samedeal")
    (rule,), (tls,) = ingress["spec"]["rules"], ingress["spec"]["tls"]
    assert tls["hosts"] == [rule["host"]]
    assert environment(node_pod())["SAMEDEAL_PUBLIC_URL"] == f"https://{rule['host']}"
    (path,) = rule["http"]["paths"]
    service = path["backend"]["service"]
    ports = of_kind("Service", service["name"])["spec"]["ports"]
    assert service["port"]["name"] in {each["name"] for each in ports}
    for way in ("read", "send"):
        wait = ingress["metadata"]["annotations"][
            f"nginx.ingress.kubernetes.io/proxy-{way}-timeout"
        ]
        assert int(wait) > max(60.0, 4 * ping_every())


def keys_of(generators: list[Manifest], folder: Path) -> dict[str, dict[str, Path]]:
    """Return the files that a kustomization's generators read, by name and key."""
    found: dict[str, dict[str, Path]] = {}
    for each in generators:
        for file in each["files"]:
            key, _, path = file.rpartition("=")
            inner = Path(path)
            at = folder / inner.name if inner.parts[0] == "secrets" else DEPLOY / inner
            found.setdefault(each["name"], {})[key or inner.name] = at
    return found


def test_files_are_generated_from_the_compose_files_sources(tmp_path: Path) -> None:
    folder = make_secrets(tmp_path / "secrets").folder
    own = keys_of(kustomization()["secretGenerator"], folder)
    configs = keys_of(kustomization()["configMapGenerator"], folder)
    for files in (*own.values(), *configs.values()):
        assert all(path.read_text() for path in files.values())
    composed = {name: Path(each["file"]).name for name, each in compose()["secrets"].items()}
    for name, files in own.items():
        for key, path in files.items():
            assert name == "backup" or composed[key] == path.name
    for template in templates().values():
        volumes = {each["name"]: each for each in template["spec"]["volumes"]}
        for container in containers(template):
            words = [*container["command"]] if "command" in container else []
            probes = [container.get(f"{kind}Probe") for kind in ("readiness", "liveness")]
            words += [*environment(container).values(), json.dumps(probes)]
            named = set(re.findall(r"/run/secrets/([\w-]+)", " ".join(words)))
            (mount,) = [m for m in container["volumeMounts"] if m["mountPath"] == "/run/secrets"]
            assert named == own[volumes[mount["name"]]["secret"]["secretName"]].keys()
        for volume in volumes.values():
            if "configMap" in volume:
                assert configs[volume["configMap"]["name"]].keys() == {"redis.conf"}


def test_certification_runs_an_existing_command() -> None:
    (container,) = containers(templates()["certify"])
    name, command, *options = container["command"]
    assert (name, main.commands[command]) == ("samedeal", certify_command)
    known = {option for each in certify_command.params for option in each.opts}
    assert set(options[::2]) <= known


async def play(port: int) -> None:
    """Give up a daily, so that the node's store has data."""
    async with opened(port) as client:
        await client.hello()
        await give_up_daily(client)


def test_a_backup_is_a_snapshot_with_a_note_of_a_whole_store(tmp_path: Path) -> None:
    """Run both containers' commands with local programs."""
    verify, snapshot = containers(templates()["backup"])
    backups = tmp_path / "backups"
    backups.mkdir()
    old = backups / "old.rdb"
    old.touch()
    os.utime(old, (0, 0))
    with running_server() as redis:
        with node(redis.url, tmp_path) as played_on:
            asyncio.run(play(played_on.port))
        port = redis.url.rpartition(":")[2].partition("/")[0]
        given = {
            "/backups": str(backups),
            "/run/secrets": str(secrets().folder),
            "valkey-cli -h redis": f"{program('redis-cli')} -h 127.0.0.1 -p {port}",
            "@redis:6379": f"@127.0.0.1:{port}",
        }

        def here(text: str) -> str:
            for word, own in given.items():
                text = text.replace(word, own)
            return text

        for container in (verify, snapshot):
            variables = {name: here(text) for name, text in environment(container).items()}
            # The tests' key, which seals the store.
            if "SAMEDEAL_SECRET_KEY_FILE" in os.environ:
                variables.pop("SAMEDEAL_SECRET_KEY_FILE", None)
            path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
            subprocess.run(  # noqa: S603 - commands of ours
                list(map(here, container["command"])),
                env=os.environ | variables | {"PATH": path},
                check=True,
                timeout=PATIENCE,
            )
    note, kept = sorted(backups.iterdir())
    assert (note.suffix, kept.suffix, note.stem) == (".json", ".rdb", kept.stem)
    assert json.loads(note.read_text())
    assert kept.read_bytes()[:5] in {b"REDIS", b"VALKE"}
