"""Subprocesses that answer requests, for work that would hold a node's interpreter lock.

A process reads requests as lines of JSON from standard input, and writes answers as lines of JSON
to standard output. It exits at the end of its input, so it does not outlive a killed node. Requests
are not visible in process lists. A process runs with the lowest priority, unless its answers are
awaited by players.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Generic, TypeVar

import msgspec

MAX_ANSWER = 1 << 20  # maximum bytes of an answer

# Whether processes without waiting players yield the processor to all other processes.
STEPS_BACK = True

_NICENESS = 19  # the niceness of a process: the highest

# The niceness of the process's session, on Linux systems that share the processor among sessions.
_SESSION = Path("/proc/self/autogroup")

_TRIES = 50  # attempts to change it, every tenth of a second
_AWAITED = "--awaited"  # the argument of a process with normal priority
_ROOT = Path(__file__).parents[3]

Request = TypeVar("Request", bound=msgspec.Struct)
Answer = TypeVar("Answer", bound=msgspec.Struct)


class LineProcessError(Exception):
    """The process does not start, or does not answer."""


class LineProcess(Generic[Answer]):
    """Runs a process, started by the first request. One request at a time.

    Args:
        program: the process's module, which calls `answer_requests`.
        timeout: seconds without an answer until the process is killed; `None` for never.
        awaited: whether it has the node's priority, since players wait for its answers.
        environment: variables of the process, besides those of this one.
    """

    def __init__(
        self,
        program: str,
        answer: type[Answer],
        timeout: float | None = None,
        *,
        awaited: bool = False,
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._environment = environment
        self._process: Process | None = None
        self._program = program
        self._answer = answer
        self._timeout = timeout
        self._options = [] if STEPS_BACK and not awaited else [_AWAITED]

    async def request(self, request: msgspec.Struct) -> Answer:
        """Send a request, and return the answer.

        Raises:
            LineProcessError: the process does not start, or does not answer. It has been killed,
                and the next request starts a new one.
        """
        answer = None
        try:
            async with asyncio.timeout(self._timeout):
                line = await self._exchange(msgspec.json.encode(request))
            answer = msgspec.json.decode(line, type=self._answer)
        except (OSError, ValueError, msgspec.DecodeError) as error:
            # A timeout is an `OSError`, and a line that is too long a `ValueError`.
            raise LineProcessError(repr(error)) from error
        finally:
            if answer is None:
                # Also after a cancellation: the late answer would be mistaken for the next
                # request's.
                await self.close()
        return answer

    async def close(self) -> None:
        """Kill the process."""
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.communicate()

    async def _exchange(self, line: bytes) -> bytes:
        if self._process is None:
            self._process = await self._start()
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(line + b"\n")
        await stdin.drain()
        return await stdout.readline()

    async def _start(self) -> Process:
        # In its own session, out of reach of Ctrl-C.
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            self._program,
            *self._options,
            stdin=PIPE,
            stdout=PIPE,
            cwd=_ROOT,
            env={**os.environ, **self._environment},
            start_new_session=True,
            limit=MAX_ANSWER,
        )


def answer_requests(
    request: type[Request], answer: Callable[[Request], msgspec.Struct], rest: float = 0.0
) -> None:
    """Answer requests until the input ends: the main loop of a process's program.

    Args:
        rest: seconds of rest after each second of work, which bounds the share of a core even if it
            is otherwise idle.
    """
    if _AWAITED not in sys.argv:
        _step_back()
    # If the node is killed meanwhile, exit without a traceback when the answer is written.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for line in sys.stdin.buffer:
        began = time.process_time()
        answered = answer(msgspec.json.decode(line, type=request))
        sys.stdout.buffer.write(msgspec.json.encode(answered) + b"\n")
        sys.stdout.buffer.flush()
        time.sleep(rest * (time.process_time() - began))


def _step_back() -> None:
    """Yield the processor to all other work, as far as the system supports it."""
    os.nice(_NICENESS)
    if hasattr(os, "SCHED_IDLE"):
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    # Linux may share the processor among sessions first. This process's own session would then get
    # as much as the node's, whatever the process's priority.
    tries = _TRIES if os.getsid(0) == os.getpid() else 0
    for _ in range(tries):
        try:
            _SESSION.write_text(str(_NICENESS), encoding="ascii")
        except BlockingIOError:
            # Linux changes one session per tenth of a second, and other processes start as well.
            time.sleep(0.1)
        except OSError:
            return
        else:
            return
