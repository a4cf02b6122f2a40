"""`deploy/Caddyfile`: its layout and defaults; `test_proxies.py` runs Caddy and other proxies."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.deploy.commands import ran
from tests.deploy.proxies import PAGE, adapted, caddy, node
from tests.deploy.test_image import arguments_of
from tests.processes import ROOT, program
from tests.redis_servers import running_server, until

pytestmark = pytest.mark.proxy


def page_in(folder: Path) -> Path:
    page = folder / "page"
    page.mkdir()
    (page / "index.html").write_text(PAGE)
    return page


def test_the_file_is_formatted_as_caddy_formats_it() -> None:
    formatted = ran(program("caddy"), "fmt", ROOT / "deploy/Caddyfile", stderr=None)
    assert formatted.stdout == (ROOT / "deploy/Caddyfile").read_text()


def test_by_default_the_nodes_are_the_compose_files() -> None:
    (server,) = adapted({})["apps"]["http"]["servers"].values()
    assert server["listen"] == [":8000"]
    assert '"upstreams": [{"dial": "node-a:8000"}, {"dial": "node-b:8000"}]' in json.dumps(server)


def test_no_failed_request_removes_a_node() -> None:
    (server,) = adapted({})["apps"]["http"]["servers"].values()
    assert '"active"' in json.dumps(server)
    assert '"passive"' not in json.dumps(server)


def test_visitors_get_a_page_immediately_while_no_node_is_ready(tmp_path: Path) -> None:
    with (
        running_server() as server,
        node(server.url, page_in(tmp_path)) as each,
        caddy([each.port], tmp_path) as front,
        server.client() as redis,
    ):
        until(lambda: front.ask("GET", "/").text == PAGE)
        redis.client_pause(60_000, all=False)
        # The node is up, but the proxy skips it.
        until(lambda: front.ask("GET", "/health/live").text == "503 Service Unavailable")
        page = front.ask("GET", "/r/H7KQ2M4X", Accept="text/html,*/*;q=0.8")
        assert (page.status, "back in a moment" in page.text) == (503, True)
        response = front.ask("GET", "/api/dailies")
        assert (response.status, response.text) == (503, "503 Service Unavailable")
        redis.client_unpause()
        until(lambda: front.ask("GET", "/").text == PAGE)


def test_the_image_s_health_check_succeeds_only_while_the_node_runs(tmp_path: Path) -> None:
    (check,) = arguments_of("HEALTHCHECK")
    _, *arguments = json.loads(check.split("CMD", 1)[1])

    def status(port: int) -> int:
        env = os.environ | {"SAMEDEAL_PORT": str(port)}
        return ran(sys.executable, *arguments, env=env).returncode

    with running_server() as redis, node(redis.url, page_in(tmp_path)) as checked:
        assert status(checked.port) == 0
        checked.process.kill()
        assert status(checked.port) != 0
