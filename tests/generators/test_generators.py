"""`make generators` has an answer to every operation, and notices wrong readings."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.clients.site import OPENAPI
from tests.generators.__main__ import CLIENTS, MISSES, table
from tests.generators.operations import pascal, snake
from tests.generators.populated import asked, differences, populated, shown
from tests.generators.tools import NPM, PYPI
from tests.processes import ROOT


@pytest.mark.usefixtures("any_time")
async def test_a_node_answers_every_operation(tmp_path: Path) -> None:
    async with populated(tmp_path) as (site, values):
        # Again, as for a second client: its budget has refilled.
        for _ in range(2):
            operations = await asked(site, values)
    answers = {each.name: each.answer for each in operations}
    assert answers["showDocument"] == OPENAPI
    assert len(answers) == len(OPENAPI["paths"])
    assert answers["getArchive"][:2] == b"\x1f\x8b"
    for name, field in (("showBoard", "rows"), ("listRuns", "runs"), ("showChallenge", "players")):
        assert answers[name][field], name
    assert answers["showRun"]["moves"]
    (race,) = [game["races"] for game in answers["showPlayer"]["games"] if game["races"]["played"]]
    assert race["rounds"]
    certified = answers["showDeal"]["certificate"]
    assert certified is not None
    assert certified in [deal["certificate"] for deal in answers["showDay"]["deals"]]
    assert all(differences(shown(each), shown(each)) == [] for each in operations)


@pytest.mark.parametrize(
    ("read", "found"),
    [
        ({"at": 4_102_488_000_000, "of": [1, None]}, []),
        ({"at": 4_102_488_000_000.0, "of": [1, None]}, []),
        ({"at": 4_102_488_000_000, "of": [1, None], "more": None}, [".more was not sent"]),
        ({"of": [1, None]}, [".at is missing"]),
        ({"at": 826_376_192, "of": [1, None]}, [".at is 826376192, not 4102488000000"]),
        ({"at": "4102488000000", "of": [1, None]}, ['.at is "4102488000000", not 4102488000000']),
        ({"at": 4_102_488_000_000, "of": [True, None]}, [".of[0] is true, not 1"]),
        ({"at": 4_102_488_000_000, "of": [1]}, [".of is [1], not [1, null]"]),
    ],
)
def test_wrong_readings_are_noticed(read: Any, found: list[str]) -> None:
    assert differences(read, {"at": 4_102_488_000_000, "of": [1, None]}) == found


def test_a_field_that_is_null_may_be_missing() -> None:
    assert differences({}, {"at": None}) == []


def test_names_are_converted() -> None:
    assert (snake("showRun"), pascal("showRun")) == ("show_run", "ShowRun")


def test_the_table_has_a_row_for_each_client() -> None:
    rows = {
        "one": {"generate": "error: …"},
        "two": {"generate": "ok", "compile": "ok", "a": "-"},
        "three": {"generate": f"{MISSES} cargo"},
    }
    assert table(rows) == (
        "| client | generate | compile | a |\n|---|---|---|---|\n"
        "| one | FAILED |  |  |\n| two | ok | ok | - |\n| three | MISSING |  |  |"
    )
    assert len({client.name for client in CLIENTS}) == len(CLIENTS)


def test_the_page_names_the_versions_that_are_tried() -> None:
    page = (ROOT / "server" / "HTTP.md").read_text(encoding="utf-8").partition("## Generated")[2]
    named = re.findall(r"^\| (\S+) (\d[\d.]+) \|", page, re.MULTILINE)
    assert len(named) == 8
    for name, version in named:
        pins = {f"{name}@{version}", f"{name}=={version}", f"{name}-cli=={version}"}
        assert pins & {*NPM, *PYPI}, name
