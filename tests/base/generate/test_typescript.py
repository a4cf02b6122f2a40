"""The tables of fields with which the JavaScript client encodes commands."""

from __future__ import annotations

import json
import re
from typing import Any

from server.base.generate import typescript
from server.base.generate.structs import default_of, fields_of, sent_by_clients

ROW = re.compile(r"^  (\w+): \[(.*?)\],$", re.MULTILINE | re.DOTALL)
OMITTED = re.compile(r'name: "(\w+)",[^{}]* omitted: ([^{}]+) }')


def omitted() -> dict[str, dict[str, Any]]:
    """Return what the client sends for omitted fields that are not the last, by struct."""
    found = {}
    for text in (typescript.source(), typescript.later_source()):
        for name, row in ROW.findall(text[text.index("export const FIELDS") :]):
            found[name] = {field: json.loads(value) for field, value in OMITTED.findall(row)}
    return found


def test_every_field_omitted_before_another_is_sent_as_its_default() -> None:
    found, wanted = omitted(), {}
    for struct in sent_by_clients():
        others = [field for field, _ in fields_of(struct)[:-1]]
        wanted[struct.__name__] = {
            field.name: default_of(field) for field in others if default_of(field) is not None
        }
    assert {name: found[name] for name in wanted} == wanted
    assert sum(map(len, wanted.values())) > 10
