"""`deploy/RUNBOOK.md` has an entry for each alert and each event that needs an operator."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from ruamel.yaml import YAML

from server.base.core.memory_level import FROM, LEVELS, SLACK
from server.base.work.metrics import Metrics
from tests.processes import ROOT
from tests.test_metrics import families_of, samples_of

RUNBOOK = (ROOT / "deploy/RUNBOOK.md").read_text(encoding="utf-8")

ENTRIES = {
    entry.partition("\n")[0]: entry for entry in re.split(r"^### ", RUNBOOK, flags=re.MULTILINE)[1:]
}
"""The text of each entry, by heading."""

ALERTS: list[dict[str, Any]] = [
    rule
    for group in YAML(typ="safe").load(ROOT / "deploy/alerts.yml")["groups"]
    for rule in group["rules"]
]

METHODS = {"info", "warning", "error", "critical", "exception"}

PARTS = ("Means", "Players", "Do", "Look at")

NAMED_ELSEWHERE = {"server/base/work/outages.py", "server/cli/logs.py"}
"""Modules that log event names of outages or of libraries."""


def events_of(module: str, source: str) -> Iterator[tuple[str, str]]:
    """Yield a module's logged events, each with the log's method.

    The method is `chosen` if it is chosen at run time and called through a variable.
    """
    tree = ast.parse(source)
    methods = {f"log.{method}": method for method in METHODS} | {"getattr(log, method)": "chosen"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and re.search(r"\blog\.warning\b", ast.unparse(node.value)):
            methods |= {ast.unparse(target): "chosen" for target in node.targets}
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        name = ast.unparse(call.func)
        if name == "Outage":
            yield from ((ast.literal_eval(event), "warning") for event in call.args[:2])
        if name not in methods:
            continue
        match call.args[0]:
            case ast.Constant(str(event)):
                yield event, methods[name]
            case ast.JoinedStr() as text if ast.unparse(text) == "f'store_{self.level}'":
                yield from ((f"store_{level}", methods[name]) for level in LEVELS)
            case _:
                assert module in NAMED_ELSEWHERE, f"{module}:{call.lineno}: which event is it?"


@cache
def logged() -> dict[str, set[str]]:
    """Return the log methods of each event of the server."""
    found: dict[str, set[str]] = {}
    for path in sorted((ROOT / "server").rglob("*.py")):
        module = str(path.relative_to(ROOT))
        for event, method in events_of(module, path.read_text(encoding="utf-8")):
            found.setdefault(event, set()).add(method)
    return found


def named_in(heading: str) -> list[str]:
    return re.findall(r"`(\w+)`", heading)


def anchor(heading: str) -> str:
    """Return GitHub's link fragment of a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def test_each_event_from_warning_on_has_one_entry() -> None:
    told = [name for heading in ENTRIES for name in named_in(heading)]
    assert len(told) == len(set(told))
    wanted = {event for event, methods in logged().items() if methods != {"info"}}
    assert len(wanted) > 60
    assert wanted - set(told) == set()


def test_every_entry_is_of_an_existing_event_or_alert() -> None:
    alerts = {rule["alert"] for rule in ALERTS}
    told = {name for heading in ENTRIES for name in named_in(heading)}
    assert told - set(logged()) == alerts


def test_each_entry_has_all_parts() -> None:
    for heading, entry in ENTRIES.items():
        found = re.findall(r"^- \*\*(.+?):\*\* \S", entry, re.MULTILINE)
        assert tuple(found) == PARTS, heading


def test_each_alert_names_its_entry() -> None:
    anchors = {anchor(heading) for heading in ENTRIES}
    for rule in ALERTS:
        document, _, fragment = rule["annotations"]["runbook"].partition("#")
        assert document == "deploy/RUNBOOK.md"
        assert fragment == rule["alert"].lower()
        assert fragment in anchors


def test_links_to_entries_and_sections_are_valid() -> None:
    """Covers the runbook, and links to it and to the guide from the neighbouring documents."""
    documents = {path.name: path.read_text("utf-8") for path in (ROOT / "deploy").glob("*.md")}
    anchors = {
        name: {anchor(heading) for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}
        for name, text in documents.items()
    }
    for name, text in documents.items():
        for document, fragment in re.findall(r"\]\(([\w.]*)#([^)]+)\)", text):
            assert fragment in anchors[document or name], f"{name} links to {document}#{fragment}"


def test_the_levels_of_a_filling_store_match_the_code() -> None:
    rows = re.findall(r"^\| (\d+) % \|.*\| `store_(\w+)` \|$", RUNBOOK, re.MULTILINE)
    assert {level: int(percent) / 100 for percent, level in rows} == FROM
    (free,) = re.findall(r"^\| less than (\d+) % \|.*`store_free` \|$", RUNBOOK, re.MULTILINE)
    assert int(free) / 100 == pytest.approx(FROM["filling"] - SLACK)


@pytest.mark.parametrize("document", ["README.md", "RUNBOOK.md", "CAPACITY.md"])
def test_metrics_named_in_documents_exist(document: str) -> None:
    text = (ROOT / "deploy" / document).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:samedeal|process)_\w+)(?:\{.+?\})?`", text))
    histograms = {name for name, each in families_of(Metrics()).items() if each.type == "histogram"}
    assert named - samples_of(Metrics()) <= histograms | {"samedeal_", "process_"}


def test_events_are_found_however_they_are_logged() -> None:
    source = """
tell = log.info if quiet else log.warning
log.warning("plain", a=1)
outage = Outage("begun", "over")
tell("chosen_later")
say("not logged")
"""
    assert dict(events_of("x.py", source)) == {
        "plain": "warning",
        "begun": "warning",
        "over": "warning",
        "chosen_later": "chosen",
    }
    with pytest.raises(AssertionError, match="which event"):
        list(events_of("x.py", "log.error(event)"))
