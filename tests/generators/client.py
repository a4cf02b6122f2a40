"""A generated client, and the program that reads answers with it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.generators.operations import Operation
from tests.generators.tools import Tools

ADDRESS = "SAMEDEAL_API"
"""The environment variable with the address of the interface, for the programs."""


@dataclass(frozen=True)
class Job:
    """What a generator is given.

    Attributes:
        tools: the installed programs.
        folder: an empty folder.
        document: the OpenAPI document's file.
        operations: its operations, with the node's answers.
    """

    tools: Tools
    folder: Path
    document: Path
    operations: Sequence[Operation]


Make = Callable[[Job], Awaitable[list[str]]]
"""Generates and compiles a client; returns the command that reads all operations with it.

The program prints a line of JSON for each operation: `operation`, and `value` or `error`. The value
is what it has read, as JSON again; of a file, an object with its content in hexadecimal.
"""


@dataclass(frozen=True)
class Client:
    """A kind of client.

    Attributes:
        name: the generator's.
        make: see `Make`.
        reads: whether it reads an operation; some have schemas only.
    """

    name: str
    make: Make
    reads: Callable[[Operation], bool] = lambda _: True
