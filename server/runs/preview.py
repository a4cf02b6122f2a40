"""Link previews of runs and deals, which may not exist."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from server.base.core.ids import AttemptId, is_id, split_attempt_id
from server.base.web.previews import Preview, Shown


def of_run(named: Sequence[str], _: Mapping[str, str]) -> Shown | None:
    """Return the preview of a run's link."""
    if len(named) != 1 or split_attempt_id(AttemptId(named[0])) is None:
        return None
    about = "Every move of a game of solitaire, as it was played. Everybody had the same cards."
    return Shown(Preview("Watch this run", about, f"/run/{named[0]}", listed=False))


def of_deal(named: Sequence[str], _: Mapping[str, str]) -> Shown | None:
    """Return the preview of a deal's link."""
    if len(named) != 1 or not is_id(named[0]):
        return None
    about = "Everybody got these cards. Watch how they were played, and check that it was fair."
    return Shown(Preview("One deal of solitaire", about, f"/deal/{named[0]}", listed=False))
