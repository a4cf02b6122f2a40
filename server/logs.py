"""Logging: for people on a terminal, JSON lines elsewhere.

Tracebacks are rendered without local variables: those may be tokens, seeds or unseen cards.
"""

from __future__ import annotations

import logging
import sys

import structlog
from structlog.tracebacks import ExceptionDictTransformer

from server.settings import LogFormat


class _Libraries(logging.Handler):
    """Hands to structlog what libraries log by the standard library's means."""

    def emit(self, record: logging.LogRecord) -> None:
        structlog.get_logger().log(
            record.levelno, record.getMessage(), logger=record.name, exc_info=record.exc_info
        )


def configure(log_format: LogFormat, level: str, worker: int | None = None) -> None:
    """Configure logging for the process; `auto` is `console` on a terminal, else `json`.

    Libraries are heard from warnings upwards. A worker's number is part of all that it logs.
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
    numbered: list[structlog.typing.Processor] = (
        [] if worker is None else [lambda _, __, event: {"worker": worker, **event}]
    )
    structlog.configure(
        processors=[
            *numbered,
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *renderers,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(
            logging.getLevelNamesMapping()[level.upper()]
        ),
        # One write a line, so that those of several workers do not mix.
        logger_factory=lambda *_: structlog.WriteLogger(sys.stderr),
    )
    logging.root.handlers[:] = [_Libraries()]
    logging.root.setLevel(logging.WARNING)
