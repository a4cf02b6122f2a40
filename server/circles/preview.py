"""Link previews of circles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from server.base.core.ids import ID_LENGTH, is_id
from server.base.web.previews import Preview, Shown


def of_invitation(named: Sequence[str], _: Mapping[str, str]) -> Shown | None:
    """Return the preview of a circle's invitation link.

    Nothing is read, so that the preview does not reveal whether the circle exists.
    """
    link = "".join(named)
    if len(named) != 1 or not (is_id(link[:ID_LENGTH]) and is_id(link[ID_LENGTH:])):
        return None
    about = "The same deals every day, and a table of our own that lasts."
    return Shown(Preview("Join our circle", about, f"/o/{link}", listed=False))
