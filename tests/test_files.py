"""The limit of open files, and the resulting limit of connections."""

from __future__ import annotations

import subprocess
import sys

import pytest

from server.base.net.files import RESERVED

ASK = """
import resource, sys
from server.base.net.files import most_connections
soft, hard, wanted = map(int, sys.argv[1:])
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
found = most_connections(wanted)
print(found, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


@pytest.mark.parametrize(
    ("hard", "wanted", "allowed"),
    [(8_000, 1_000, 1_000), (8_000, 16_000, 8_000 - RESERVED), (1_024, 16_000, 512)],
)
def test_the_limit_of_files_is_raised_and_connections_stay_below_it(
    hard: int, wanted: int, allowed: int
) -> None:
    # In a separate process, since a lowered limit cannot be raised again.
    numbers = map(str, (256, hard, wanted))
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", ASK, *numbers], capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[-2] == f"{allowed} {hard}"
    assert ("few_files" in done.stdout) == (allowed < wanted)
