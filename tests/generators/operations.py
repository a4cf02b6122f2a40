"""The operations of the OpenAPI document, with the arguments of a request that a node answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

ROWS = 2
"""The value of each parameter `count`."""


class Operation(NamedTuple):
    """A request and its answer.

    Attributes:
        name: its `operationId`.
        path: as in the document, with the names of fields in braces.
        given: the values of these fields, in order.
        query: the names of its query parameters, in order.
        answer: the content from the node: parsed JSON, or the bytes of a file.
        schema: the name of the answer's schema; empty if it has none of its own.
    """

    name: str
    path: str
    given: Mapping[str, str]
    query: tuple[str, ...]
    answer: Any
    schema: str

    @property
    def url(self) -> str:
        """The path and query of the request."""
        return self.path.format(**self.given) + (f"?count={ROWS}" if "count" in self.query else "")

    @property
    def is_file(self) -> bool:
        """Whether the answer is a file."""
        return isinstance(self.answer, bytes)


def operations_in(document: Mapping[str, Any], values: Mapping[str, str]) -> list[Operation]:
    """Return the operations of a document, still without answers.

    Args:
        values: the values of fields in paths, by name.
    """
    found = []
    for path, methods in document["paths"].items():
        operation = methods["get"]
        (media,) = operation["responses"]["200"]["content"].values()
        found.append(
            Operation(
                name=operation["operationId"],
                path=path,
                given={name: values[name] for name in re.findall(r"{(\w+)}", path)},
                query=tuple(p["name"] for p in operation["parameters"] if p["in"] == "query"),
                answer=None,
                schema=media["schema"].get("$ref", "").rpartition("/")[2],
            )
        )
    return found


def snake(name: str) -> str:
    """Return a camel-case name in snake case."""
    return re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower()


def pascal(name: str) -> str:
    """Return a camel-case name with a capital at its start."""
    return name[0].upper() + name[1:]
