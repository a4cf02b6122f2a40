"""Configuration of structlog: readable lines on a terminal, JSON lines otherwise.

Tracebacks are rendered without local variables, which may hold tokens, seeds or unseen cards.
"""

from __future__ import annotations

import logging
import sys

import structlog
from structlog.tracebacks import ExceptionDictTransformer

from server.settings import LogFormat


class _StructlogHandler(logging.Handler):
    """Passes records of the standard library's `logging`, which libraries use, to structlog."""

    def emit(self, record: logging.LogRecord) -> None:
        structlog.get_logger().log(
            record.levelno, record.getMessage(), logger=record.name, exc_info=record.exc_info
        )


def configure(log_format: LogFormat, level: str, worker: int | None = None) -> None:
    """Configure logging for this process; all entries go to standard error.

    Args:
        log_format: `auto` is `console` if standard error is a terminal, otherwise `json`.
        level: the lowest level to log. Libraries log from `warning` upwards.
        worker: a worker's number, which is added to each entry as `worker`.
    """
    console = log_format == "console" or (log_format == "auto" and sys.stderr.isatty())
    renderers: list[structlog.typing.Processor] = (
        [structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)]
        if console
        else [
            structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False)),
            structlog.processors.JSONRenderer(),
        ]
    )
    add_worker: list[structlog.typing.Processor] = (
        [] if worker is None else [lambda _, __, event: {"worker": worker, **event}]
    )
    structlog.configure(
        processors=[
            *add_worker,
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *renderers,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(
            logging.getLevelNamesMapping()[level.upper()]
        ),
        # Writes each line at once, so that lines of several workers are not interleaved.
        logger_factory=lambda *_: structlog.WriteLogger(sys.stderr),
    )
    logging.root.handlers[:] = [_StructlogHandler()]
    logging.root.setLevel(logging.WARNING)
