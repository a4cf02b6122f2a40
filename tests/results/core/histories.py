"""Histories in their stored form, for tests."""

from __future__ import annotations

from server.results.core.excerpt import Excerpt
from server.results.core.history import History
from server.results.core.history_fields import changes, whole_of


def plain_fields(history: History) -> dict[str, str]:
    """Return the fields of a history's hash, without its version and totals."""
    found = Excerpt(0, history.kept, history.days, history.rounds, history.sums)
    return {field: text for field, text in changes(Excerpt(), found).items() if text is not None}


def fields_of(history: History) -> dict[str, str]:
    """Return the fields of a history's hash, without its version."""
    fields = plain_fields(history)
    derived = changes(Excerpt(), Excerpt(**whole_of(fields).computed._asdict()))
    return fields | {field: text for field, text in derived.items() if text is not None}


def fields_without_sums(history: History) -> dict[str, str]:
    """Return the fields of a history stored without sums of dailies, without its version."""
    return {name: text for name, text in fields_of(history).items() if name[:2] not in {"p:", "h:"}}


def page_of(history: History) -> Excerpt:
    whole = whole_of(plain_fields(history))
    return whole.all(whole.computed)
