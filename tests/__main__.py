"""Test suites: `python -m tests test` runs `make test`, and `python -m tests deep` the rest.

The client's tests run in parallel with the server's, which mostly wait, and print their output at
the end.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO

from tests import machine

CLIENT = machine.ROOT / "client_js"

CLIENTS_RESULTS = machine.ROOT / "build" / "client-tests.json"


def main(words: list[str]) -> int:
    """Run a suite; return 1 if a test fails, or if CI lacks a tool."""
    if words not in (["test"], ["deep"]):
        _say(__doc__ or "")
        return 2
    deep = words == ["deep"]
    found = machine.provide(deep=deep)
    os.environ[machine.FOUND] = json.dumps(found)
    lacking = [
        tool
        for tool in machine.TOOLS
        if tool.marker in found.lacking and (deep or not tool.is_deep)
    ]
    skipped = _skipped(lacking, deep=deep) if lacking else None
    if skipped:
        _say(skipped)
    if lacking and os.environ.get("CI") == "true":
        return 1
    client = _start_client(deep=deep)
    _say(f"step 6 of 6: testing the server, and the client beside it{'' if deep else ' (minutes)'}")
    server = _pytest("-m", "deep" if deep else "not deep", "-n", "auto", "--dist", "worksteal")
    ok = _finish_client(*client)
    if skipped:
        _say(skipped)
    return int(server != 0 or not ok)


def _skipped(lacking: list[machine.Tool], *, deep: bool) -> str | None:
    """Return a note on tests that need a missing tool, and how to install it."""
    marks = " or ".join(tool.marker for tool in lacking)
    listed = subprocess.run(  # noqa: S603 - our own interpreter
        [*_PYTEST, "--collect-only", "-q", "-m", f"({marks}) and {'deep' if deep else 'not deep'}"],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    count = len(re.findall(r"^tests/.*::", listed.stdout, re.MULTILINE))
    if not count:
        return None
    names = ", ".join(tool.name for tool in lacking)
    fix = machine.remedy(lacking)
    return f"{count} tests are skipped, which need {names}. To run them: {fix}"


_PYTEST = (sys.executable, "-m", "pytest")


def _pytest(*arguments: str) -> int:
    return subprocess.run([*_PYTEST, *arguments], check=False).returncode  # noqa: S603


def _start_client(*, deep: bool) -> tuple[subprocess.Popen[bytes], IO[bytes]]:
    """Start the client's tests; return their process and its output."""
    _say("step 5 of 6: starting the tests of the client")
    CLIENTS_RESULTS.parent.mkdir(exist_ok=True)
    CLIENTS_RESULTS.unlink(missing_ok=True)
    output = tempfile.TemporaryFile()  # noqa: SIM115 - `_finish_client` closes it
    reporters = ["--reporter=dot", "--reporter=json", f"--outputFile={CLIENTS_RESULTS}"]
    command = ["npm", "run", "--silent", "test:deep" if deep else "test", "--", *reporters]
    process = subprocess.Popen(  # noqa: S603 - our own script
        command, cwd=CLIENT, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
    )
    return process, output


def _finish_client(process: subprocess.Popen[bytes], output: IO[bytes]) -> bool:
    """Wait for the client's tests, print their output, and return whether they passed."""
    status = process.wait()
    output.seek(0)
    sys.stdout.flush()
    sys.stdout.buffer.write(output.read())
    output.close()
    if CLIENTS_RESULTS.exists():
        for file in json.loads(CLIENTS_RESULTS.read_bytes())["testResults"]:
            for test in file["assertionResults"]:
                if test["status"] == "failed":
                    path, name = Path(file["name"]).relative_to(CLIENT), test["fullName"]
                    _say(f"To repeat it: cd client_js && npx vitest run {path} -t {name!r}")
    _say(f"the client's tests {'passed' if status == 0 else 'failed'}")
    return status == 0


def _say(text: str) -> None:
    print(f"tests: {text}", flush=True)  # noqa: T201 - a command's output


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
