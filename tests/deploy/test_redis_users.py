"""`deploy/redis.acl` gives a node the rights in Redis that it needs, and no others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, ResponseError
from redis.retry import Retry

from server.base.core import topics
from server.circles.core import bus as circle_bus
from server.players.core import bus as names_bus
from server.results.core import bus as board_bus
from server.rooms.core import bus as room_bus
from tests.base.redis.key_modules import KEY_MODULES, all_of
from tests.conftest import CLUSTER
from tests.deploy.commands import ran
from tests.deploy.composed import arguments, compose
from tests.processes import free_port, program, running
from tests.redis_users import NODES, Secrets, make_secrets, secrets

pytestmark = CLUSTER

SERVER = Path(topics.__file__).parents[2]
SOURCES = [path.read_text() for path in SERVER.rglob("*.py") if path.name != "embedded.py"]

BY_THE_LIBRARY = {"cluster|slots", "command"}
"""Commands that redis-py sends by itself, to discover a cluster's topology."""

ALWAYS = {"hello", "auth"}
"""Commands that every user may use, whatever the rights."""

NOT_SENT = {"readonly"}
"""Words in the store's source that look like commands but start an error message."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Secrets:
    return make_secrets(tmp_path_factory.mktemp("secrets"))


@pytest.fixture(scope="module")
def port(made: Secrets, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Run a Redis on 127.0.0.1 as the compose file does, and return its port."""
    service, port = compose()["services"]["redis"], free_port()
    command = arguments(service["command"], service, made.folder)
    own = ["--bind", "127.0.0.1", "--port", str(port), "--dir", str(tmp_path_factory.mktemp("r"))]
    with running([*command, *own]) as server:
        server.wait_for("eady to accept connections")
        yield port


def client(port: int, made: Secrets, user: str | None) -> Redis:
    password = None if user is None else made.passwords[user]
    return connected(port, user, password)


def connected(port: int, user: str | None, password: str | None) -> Redis:
    once = Retry(NoBackoff(), 0)
    return Redis(port=port, username=user, password=password, decode_responses=True, retry=once)


@pytest.fixture
def admin(port: int, made: Secrets) -> Iterator[Redis]:
    with client(port, made, "admin") as redis:
        yield redis


@pytest.fixture
def node(port: int, made: Secrets) -> Iterator[Redis]:
    with client(port, made, NODES) as redis:
        yield redis


def dry_run(admin: Redis, user: str, *command: str) -> str:
    return str(admin.acl_dryrun(user, *command))


def test_a_login_requires_a_name_and_its_password(port: int, made: Secrets) -> None:
    with pytest.raises(AuthenticationError), client(port, made, None) as anybody:
        anybody.ping()
    for name, password in [(NODES, ""), *(("default", p) for p in ("", *made.passwords.values()))]:
        with pytest.raises(AuthenticationError), connected(port, name, password) as guesser:
            guesser.ping()


KEYS = {
    f"{module.__name__} {name}": key
    for module in KEY_MODULES
    for name, key in all_of(module).items()
}


@pytest.mark.parametrize("name", KEYS)
def test_a_node_may_use_every_key_of_the_game(admin: Redis, name: str) -> None:
    assert dry_run(admin, NODES, "SET", KEYS[name], "") == "OK"


TOPICS = {
    f"{module.__name__} {name}": topic
    for module in (topics, names_bus, room_bus, board_bus, circle_bus)
    for name, topic in all_of(module).items()
}


@pytest.mark.parametrize("topic", TOPICS.values(), ids=TOPICS)
@pytest.mark.parametrize("command", ["PUBLISH", "SPUBLISH", "SSUBSCRIBE", "SUBSCRIBE"])
def test_a_node_may_use_every_channel_of_the_game(admin: Redis, topic: str, command: str) -> None:
    words = [command, topic, *([""] if "PUBLISH" in command else [])]
    assert dry_run(admin, NODES, *words) == "OK"


def test_a_node_may_use_only_the_stores_commands(admin: Redis) -> None:
    known = set(admin.command_list())
    text = "\n".join(SOURCES)
    in_scripts = re.findall(r"redis\.p?call\(\s*'(\w+)'", text)
    called = re.findall(r"\b(?:redis|client|pipeline)\.(\w+)\(", text)
    sent = re.findall(r'"([A-Z]+)"', text)
    needed = {name.lower() for name in in_scripts + called + sent} & known - NOT_SENT - ALWAYS
    # Of a command with subcommands, only one is needed.
    needed = needed - {"script"} | {"script|load"} | BY_THE_LIBRARY
    allowed = {rule[1:] for rule in secrets().rights[NODES] if rule.startswith("+")}
    assert allowed == needed


@pytest.mark.parametrize(
    "command",
    [
        *("ACL LIST", "ACL SETUSER default on nopass +@all", "CLIENT KILL TYPE normal"),
        *("CLIENT LIST", "CLUSTER RESET", "CONFIG GET *", "CONFIG SET dir /tmp", "DEBUG SLEEP 0"),
        *("DEL other", "EVAL return(redis.call('FLUSHALL')) 0"),
        *("EVAL return(redis.call('GET','other')) 0", "FAILOVER", "FLUSHALL", "FLUSHDB"),
        *("FUNCTION FLUSH", "GET other", "KEYS *", "MIGRATE 127.0.0.1 1 format 0 1"),
        *("MODULE LIST", "MONITOR", "PSUBSCRIBE *", "PUBLISH other x", "RANDOMKEY"),
        *("REPLICAOF 127.0.0.1 1", "SAVE", "SCRIPT FLUSH", "SHUTDOWN NOSAVE", "SWAPDB 0 1"),
    ],
)
def test_a_node_may_do_nothing_else(node: Redis, command: str) -> None:
    with pytest.raises(ResponseError, match=r"o permissions|can't run|can't access|not allowed"):
        node.execute_command(*command.split())  # type: ignore[no-untyped-call]
    assert node.ping()


def test_a_replica_may_only_replicate(admin: Redis) -> None:
    for command in ("PSYNC ? -1", "REPLCONF ACK 0", "PING"):
        assert dry_run(admin, "replica", *command.split()) == "OK"
    for command in ("GET format", "SET format 1", "CONFIG GET *", "ACL LIST"):
        assert "no permissions" in dry_run(admin, "replica", *command.split())


def test_making_secrets_again_keeps_the_passwords(tmp_path: Path) -> None:
    first = make_secrets(tmp_path)
    assert make_secrets(tmp_path) == first
    assert len(set(first.passwords.values())) == len(first.passwords) == 3
    assert all(re.fullmatch("[0-9a-f]{64}", text) for text in first.passwords.values())


def test_default_is_off_and_has_no_password(admin: Redis, made: Secrets) -> None:
    """`default` has all rights, because Redis reads its append-only file as this user."""
    assert "default" not in made.passwords
    (line,) = (each for each in map(str, admin.acl_list()) if each.startswith("user default "))
    assert {"off", "~*", "&*", "+@all"} <= set(line.split())
    assert "nopass" not in line
    assert "#" not in line


def test_only_their_owner_can_read_the_secrets(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    made = make_secrets(folder)
    assert folder.stat().st_mode & 0o777 == 0o700
    # Containers run as other users and mount single files.
    assert {file.stat().st_mode & 0o777 for file in folder.iterdir()} == {0o644}
    text = (folder / "redis-users.acl").read_text()
    assert not any(password in text for password in made.passwords.values())


def test_an_empty_password_is_not_used(tmp_path: Path) -> None:
    """A user with the hash of an empty text would have an empty password."""
    (tmp_path / "redis-admin").touch()
    assert make_secrets(tmp_path).passwords["admin"]


def test_git_ignores_the_secrets() -> None:
    path = "deploy/secrets/redis-admin"
    assert ran(program("git"), "check-ignore", "--quiet", path).returncode == 0
