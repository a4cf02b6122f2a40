"""The command `samedeal`, run like an operator does."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from engine.catalog import ruleset
from engine.deal import commitment, parse_seed
from server.app import alive_nodes
from server.base.seals.key_file import OWN_FILE, read_keys
from server.cli.main import main, serve
from server.cli.options import redis_url
from server.cli.serving import urls_of
from tests.base.redis.servers import until
from tests.clients.client import opened
from tests.conftest import client_of, node
from tests.processes import PATIENCE, Running, running
from tests.vectors.generate import FOLDER as VECTORS

ROOT = Path(__file__).parent.parent
DEALS = json.loads((ROOT / "tests" / "vectors" / "deals.json").read_text(encoding="utf-8"))
SEED = "7" * 64


def serve_command(data: Path, *options: str) -> list[str]:
    fixed = ["--host", "127.0.0.1", "--port", "0", "--log-format", "json", "--data", str(data)]
    return [sys.executable, "-m", "server", "serve", *fixed, *options]


async def port_of(server: Running) -> int:
    line = await asyncio.to_thread(server.wait_for, "listening")
    return int(json.loads(line)["port"])


def output_of(code: int, *words: str, env: dict[str, str | None] | None = None) -> str:
    """Run `samedeal` with these words, and return its output; fail at another exit code."""
    result = CliRunner().invoke(main, words, env=env, terminal_width=1_000)
    assert result.exit_code == code, result.output
    return result.output


def test_help_explains_every_option_and_names_its_variable() -> None:
    output = " ".join(CliRunner().invoke(main, ["serve", "--help"]).output.split())
    for option in serve.params:
        assert option.name is not None
        assert f"--{option.name.replace('_', '-')}" in output
        assert f"SAMEDEAL_{option.name.upper()}" in output.replace(" ", "")


@pytest.mark.deep
async def test_the_nodes_command_lists_live_nodes(redis_url: str) -> None:
    command = [sys.executable, "-m", "server", "nodes", "--redis", redis_url]

    async def registered() -> bool:
        return len(await alive_nodes(redis_url)) == 2

    async with node(redis_url) as one, node(redis_url) as other:
        await until(registered)
        with running(command) as listed:
            for port in (one, other):
                await asyncio.to_thread(listed.wait_for, f":{port}/")
    with running(command) as listed:
        assert listed.process.wait(PATIENCE) == 0
        listed.end()
        assert listed.lines == []


def test_the_nodes_command_refuses_a_malformed_address() -> None:
    output_of(1, "nodes", "--redis", "nothing")


@pytest.mark.parametrize(
    ("content", "url", "said"),
    [
        ("secret\n", None, "needs --redis"),
        ("secret\n", "redis://ada:other@localhost", "contains a password"),
        (" \n", "redis://ada@localhost", "is empty"),
        (None, "redis://ada@localhost", "does not exist"),
    ],
)
@pytest.mark.parametrize("command", [["serve"], ["admin", "rooms"]])
def test_an_unusable_password_file_is_refused(
    data: Path, content: str | None, url: str | None, said: str, command: list[str]
) -> None:
    file = data / "password"
    if content is not None:
        file.write_text(content)
    options = ["--redis-password-file", str(file), *(["--redis", url] if url else [])]
    shown = output_of(2, command[0], *options, *command[1:])
    assert said in shown
    assert "secret" not in shown


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("redis://ada@h:1/0", "redis://ada:s%2F%40%3A@h:1/0"),
        ("rediss://h", "rediss://:s%2F%40%3A@h"),
        ("redis+cluster://ada@h:1,i:2", "redis+cluster://ada:s%2F%40%3A@h:1,i:2"),
        ("unix://ada@/run/redis.sock", "unix://ada:s%2F%40%3A@/run/redis.sock"),
    ],
)
def test_a_password_from_a_file_goes_with_the_user_in_the_url(
    data: Path, url: str, expected: str
) -> None:
    (data / "password").write_text("s/@:\n")
    assert redis_url(url, data / "password") == expected


async def test_a_server_ended_by_sigterm_says_bye_and_loses_no_acknowledged_move(
    data: Path,
) -> None:
    """Moves are in flight when the signal arrives."""
    with running(serve_command(data)) as server:
        async with opened(await port_of(server)) as client:
            token = (await client.hello())["token"]
            attempt = await client.ask("daily.open", game="robert")
            sent = [
                client.send("move", attempt=attempt["attempt"], seq=seq, move="s>w")
                for seq in range(2, 42)
            ]
            await sent[0]
            server.process.terminate()
            assert (await client.next("bye"))["code"] == "going_away"
            assert await client.closed() == 1001
        assert await asyncio.to_thread(server.process.wait, 20) == 0
        acknowledged = [found["seq"] for answer in sent if (found := await answer) is not None]
        assert acknowledged == list(range(2, len(acknowledged) + 2))
    assert await seq_after(data, token, attempt["attempt"]) >= acknowledged[-1]


async def seq_after(data: Path, token: str, attempt: str) -> int:
    """Return the number of an attempt's last entry, as shown by a new server on the same data."""
    with running(serve_command(data)) as server:
        async with opened(await port_of(server)) as client:
            await client.hello(token)
            return int((await client.ask("attempt.open", attempt=attempt))["seq"])


async def test_a_server_that_is_killed_loses_no_acknowledged_move(data: Path) -> None:
    """Its Redis exits as well, and the next server on the same data waits for that."""
    with running(serve_command(data)) as server:
        async with opened(await port_of(server)) as client:
            token = (await client.hello())["token"]
            attempt = await client.ask("daily.open", game="robert")
            moved = await client.ask("move", attempt=attempt["attempt"], seq=2, move="s>w")
            server.kill()
    assert await seq_after(data, token, attempt["attempt"]) == moved["seq"] == 2


@pytest.mark.deep
async def test_a_private_redis_gets_secret_keys_that_are_not_in_its_files(data: Path) -> None:
    env = {name: value for name, value in os.environ.items() if name != "SAMEDEAL_SECRET_KEY_FILE"}
    with running(serve_command(data), env) as server:
        async with opened(await port_of(server)) as client:
            await client.hello()
            deal = (await client.ask("daily.open", game="robert"))["deal"]
        async with client_of(data / "redis.sock") as redis:
            sealed = str(await redis.hget(f"deal:{{{deal}}}", "sealed"))
    key = data / OWN_FILE
    assert key.stat().st_mode & 0o777 == 0o600
    seed = read_keys(key).open(f"seed {deal}", sealed)
    files = [path for path in data.rglob("*") if path.is_file() and path != key]
    content = b"".join(path.read_bytes() for path in files)
    assert sealed.encode() in content
    for told in (seed, seed.hex().encode(), key.read_bytes().strip()):
        assert told not in content
    # Without the key, no new one is created in its place.
    name = read_keys(key).newest
    key.unlink()
    with running(serve_command(data), env) as server:
        await asyncio.to_thread(server.wait_for, f"lacks the key {name}")
        assert await asyncio.to_thread(server.process.wait, PATIENCE) == 1


@pytest.mark.parametrize("command", [["serve"], ["nodes"], ["certify"], ["admin", "rooms"]])
def test_a_command_fails_if_redis_does_not_answer(command: list[str]) -> None:
    at = ["--redis", "redis://127.0.0.1:1/0"]
    said = output_of(1, command[0], *at, *command[1:])
    assert "Redis does not answer." in said


def test_serve_refuses_a_malformed_redis_address() -> None:
    assert "The server cannot start" in output_of(1, "serve", "--redis", "nonsense")


ALL = "0.0.0.0"  # noqa: S104 - nothing listens there


@pytest.mark.parametrize(
    ("host", "first"),
    [
        ("localhost", "http://localhost:8000"),
        ("192.0.2.7", "http://192.0.2.7:8000"),
        ("2001:db8::7", "http://[2001:db8::7]:8000"),
        (ALL, "http://localhost:8000"),
        ("::", "http://localhost:8000"),
    ],
)
def test_the_printed_address_can_be_opened_in_a_browser(host: str, first: str) -> None:
    found = urls_of(host, 8000)
    assert found[0] == first
    # On a network, the address for other machines is printed as well.
    assert len(found) == 1 or host in {ALL, "::"}
    assert len(f"Samedeal is running on {' and '.join(found)}") < 100


def test_serve_reports_a_port_in_use(data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        said = output_of(1, "serve", "--host", "127.0.0.1", "--port", port, "--data", str(data))
    for words in ("The server cannot start", "address already in use. ", "SAMEDEAL_PORT="):
        assert words in said
    assert list(data.iterdir()) == [], "nothing else was begun"


def test_serve_refuses_a_port_out_of_range() -> None:
    assert "70000" in output_of(2, "serve", env={"SAMEDEAL_PORT": "70000"})


@pytest.mark.parametrize("command", ["serve", "certify"])
def test_a_list_of_dailies_with_an_unknown_game_is_refused(command: str) -> None:
    for given, unknown in (("robert,chess", "chess"), ("Robert", "Robert")):
        said = output_of(2, command, env={"SAMEDEAL_DAILY_GAMES": given})
        assert f"There is no game '{unknown}'; known are " in said


def verify(seed: str, commitment_text: str, *options: str, game: str = "robert") -> Result:
    """Run `samedeal verify` on the deal `example`, and return its result."""
    words = ["verify", "--game", game, *options, "example", seed, commitment_text]
    return CliRunner().invoke(main, words)


def commitment_of(seed: str) -> str:
    return commitment("example", parse_seed(seed))


COMMITMENT = commitment_of(SEED)


def test_help_of_verify_names_its_arguments() -> None:
    output = CliRunner().invoke(main, ["verify", "--help"]).output
    assert all(word in output for word in ("--game", "--variant", "DEAL SEED COMMITMENT"))


@pytest.mark.parametrize(
    "golden",
    [golden for golden in DEALS if "seed" in golden],
    ids=lambda golden: f"{golden['game']}-{golden['variant']}-{golden['seed'][:4]}",
)
def test_a_deal_that_matches_its_commitment_is_printed_as_it_was_dealt(
    golden: dict[str, Any],
) -> None:
    seed = golden["seed"]
    options = ["--variant", golden["variant"]]
    result = verify(seed, commitment_of(seed), *options, game=golden["game"])
    assert result.exit_code == 0
    agree, _, *lines = result.output.splitlines()
    assert agree == "The seed matches the commitment."
    assert max(map(len, lines)) < 80
    piles: dict[str, list[str]] = {}
    name = ""
    for line in lines:
        name = line[:4].strip() or name
        piles[name] = piles.get(name, []) + line[4:].split()
    assert piles == {name: pile for name, pile in golden["position"]["piles"].items() if pile}


def test_a_wrong_seed_is_reported_with_its_commitment() -> None:
    result = verify(SEED, commitment_of("8" * 64))
    assert result.exit_code == 1
    assert f"The seed does not match: its commitment is {COMMITMENT}." in result.output


def test_a_seed_does_not_match_under_the_id_of_another_deal() -> None:
    output_of(1, "verify", "--game", "robert", "other", SEED, commitment_of(SEED))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["robert", "example", "77", COMMITMENT], "A seed is 64 lower-case hex"),
        (["robert", "example", "G" * 64, COMMITMENT], "A seed is 64 lower-case hex"),
        (["robert", "example", SEED, COMMITMENT.upper()], "A commitment is 64 lower-case hex"),
        (["robert", "example", SEED, ""], "A commitment is 64 lower-case hex"),
        (["robert", "\udcff", SEED, COMMITMENT], "A deal's id must be"),
        (["no-such-game", "example", SEED, COMMITMENT], "There is no game 'no-such-game'"),
        (["robert", "example", SEED], "Missing argument 'COMMITMENT'"),
        (
            ["robert", "--variant", "fill", "example", SEED, COMMITMENT],
            "robert has no variant 'fill'",
        ),
    ],
)
def test_a_malformed_argument_is_reported(arguments: list[str], sentence: str) -> None:
    assert sentence in output_of(2, "verify", "--game", *arguments)


def test_the_rules_of_a_deal_can_be_named_by_their_digest() -> None:
    named = verify(SEED, COMMITMENT, "--rules", ruleset("robert").digest)
    assert named.output == verify(SEED, COMMITMENT).output
    unknown = verify(SEED, COMMITMENT, "--rules", "0" * 16)
    assert unknown.exit_code == 2
    assert "0000 of robert, standard, are unknown here" in unknown.output


def test_the_example_in_deals_md_matches_the_command() -> None:
    page = (ROOT / "engine" / "DEALS.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```console\n\$ samedeal (.*?)\n(.*?)```", page, re.DOTALL)
    assert CliRunner().invoke(main, example[0].split()).output == example[1]


RUN = VECTORS / "run.json"


def test_a_valid_run_is_reported_as_valid() -> None:
    assert output_of(0, "verify", str(RUN)) == (
        "This run is valid: Ada #4F2A at rouge-et-noir, 11 cards home and 93 left in 250 moves, "
        "last card home after 51.590 s; resigned.\n"
    )


def test_the_error_in_a_run_is_printed(tmp_path: Path) -> None:
    wrong = tmp_path / "run.json"
    wrong.write_text(RUN.read_text(encoding="utf-8").replace('"home":11', '"home":12'))
    assert output_of(1, "verify", str(wrong)) == (
        "This run is invalid. The file says 12 cards home, and its moves make it 11.\n"
    )


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "cannot be read: No such file"),
        ("[]", "is not a run file: Expected `object`"),
        (RUN.read_text(encoding="utf-8").replace("rouge-et-noir", "solo"), "of solo"),
    ],
)
def test_a_file_without_a_run_is_reported(
    tmp_path: Path, content: str | None, sentence: str
) -> None:
    file = tmp_path / "run.json"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    assert sentence in " ".join(output_of(2, "verify", str(file)).split())
