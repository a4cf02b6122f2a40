"""Logging of a process: readable lines on a terminal, JSON lines otherwise, with structlog.

Libraries' log records, warnings and unhandled exceptions are included. Each line names the node,
and is sampled and bounded (`server/cli/log_lines.py`). Tracebacks omit local variables, which may
hold tokens, seeds or unseen cards.

Room codes are logged: operators' commands take them, and they expire with the room. Other
credentials (tokens, watch keys, account codes) are not.
"""

from __future__ import annotations

import asyncio
import atexit
import errno
import logging
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable
from types import TracebackType
from typing import Any, TextIO, cast

import structlog
from structlog.tracebacks import ExceptionDictTransformer
from structlog.typing import EventDict, Processor

from server.base.work.log_context import add_task_fields
from server.cli.log_lines import MAX_FRAMES, Bounds, Sampler, exception_as_text, visible
from server.settings import LogFormat

log = structlog.get_logger()

errors = Counter(error=0, critical=0)  # logged by this process, by level, including dropped lines

_LEVELS = (logging.CRITICAL, logging.ERROR, logging.WARNING, logging.INFO)


def configure(log_format: LogFormat, level: str, node: str, worker: int | None = None) -> None:
    """Configure logging for this process; all entries go to standard error.

    The format `auto` is `console` if standard error is a terminal, otherwise `json`. `level` is the
    lowest to log; `auto` is `warning` if `auto` is the format and standard error is a terminal,
    otherwise `info`. Each entry has the `node`, its id or the process's name, and a worker's
    number.
    """
    terminal = sys.stderr.isatty()
    console = log_format == "console" or (log_format == "auto" and terminal)
    if level == "auto":
        level = "warning" if log_format == "auto" and terminal else "info"
    whose: EventDict = {"node": node}
    if worker is not None:
        whose["worker"] = worker

    def add_node(logger: Any, method: str, event: EventDict) -> EventDict:
        return {**event, **whose}

    rendered: list[Processor] = [Bounds(), structlog.processors.JSONRenderer()]
    if console:
        # https://no-color.org: any value but the empty one.
        colors = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        shown = structlog.dev.ConsoleRenderer(
            colors=colors, exception_formatter=structlog.dev.plain_traceback
        )
        rendered = [Bounds(visible), exception_as_text, shown]
    sampler = Sampler()
    structlog.configure(
        processors=[
            # First, so that dropped lines count as well.
            _count_errors,
            sampler,
            add_node,
            add_task_fields,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.ExceptionRenderer(
                ExceptionDictTransformer(show_locals=False, max_frames=MAX_FRAMES)
            ),
            *rendered,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(
            logging.getLevelNamesMapping()[level.upper()]
        ),
        # Writes each line in a single call, so that lines of several workers are not interleaved.
        logger_factory=lambda *_: structlog.WriteLogger(
            cast("TextIO", _Terminal(sys.stderr)) if terminal else sys.stderr
        ),
    )
    atexit.register(sampler.flush)
    logging.root.handlers[:] = [_StructlogHandler()]
    logging.root.setLevel(logging.WARNING)  # libraries' own choice may be lower
    logging.captureWarnings(True)
    sys.excepthook = _log_crash
    sys.unraisablehook = _log_unraisable
    threading.excepthook = _log_thread_failure


def _count_errors(logger: Any, method: str, event: EventDict) -> EventDict:
    if method in errors and event["event"] != "suppressed":
        errors[method] += 1
    return event


class _Terminal:
    """Standard error on a terminal. Once the terminal is closed, lines are discarded."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        """Write a line, if the terminal is open."""
        self._unless_closed(lambda: self._stream.write(text))

    def flush(self) -> None:
        """Flush the stream, if the terminal is open."""
        self._unless_closed(self._stream.flush)

    def _unless_closed(self, write: Callable[[], object]) -> None:
        try:
            write()
        except OSError as error:
            # The process is shutting down then, and an error would interrupt that.
            if error.errno != errno.EIO:
                raise
            with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123 - a device
                os.dup2(nowhere.fileno(), self._stream.fileno())


class _StructlogHandler(logging.Handler):
    """Passes records of the standard library's `logging` to structlog."""

    def emit(self, record: logging.LogRecord) -> None:
        level = next((each for each in _LEVELS if record.levelno >= each), logging.DEBUG)
        try:
            message = record.getMessage()
        except (TypeError, ValueError, KeyError):
            # The library's format string and arguments do not match.
            message = str(record.msg)
        log.log(level, message, logger=record.name, exc_info=record.exc_info)


def log_loop_failure(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log an unhandled failure in the event loop; see `loop.set_exception_handler`."""
    failure = context.get("exception")
    if isinstance(failure, ConnectionError) and failure.__traceback__ is None:
        # Never raised: the end of an asyncio stream (`StreamReaderProtocol._closed`), already
        # reported to the stream's user by a read or a write. The protocol's `__del__` retrieves it,
        # but the garbage collector may finalize the future before the protocol.
        log.debug("connection_lost", error=f"{type(failure).__name__}: {failure}")
        return
    log.error("loop_failed", message=context["message"], exc_info=failure)


def _log_crash(
    kind: type[BaseException], failure: BaseException, trace: TracebackType | None
) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, failure, trace)
    else:
        log.critical("crashed", exc_info=failure)


def _log_unraisable(found: sys.UnraisableHookArgs) -> None:
    where = f"{found.err_msg or 'Exception ignored in'}: {type(found.object).__name__}"
    log.error("unraisable", where=where, exc_info=found.exc_value)


def _log_thread_failure(found: threading.ExceptHookArgs) -> None:
    log.error("thread_failed", exc_info=found.exc_value)
