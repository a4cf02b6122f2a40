"""Link previews of watched rounds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from server.base.core.codes import parse_room_code
from server.base.core.ids import is_code
from server.base.web.previews import Preview, Shown


def of_watch_link(named: Sequence[str], __: Mapping[str, str]) -> Shown | None:
    """Return the preview of a room's watch link.

    The key is not checked, so that the preview does not reveal whether the room exists.
    """
    typed, _, key = "/".join(named).partition("/")
    code = parse_room_code(typed)
    if not (is_code(code) and re.fullmatch(r"[\w-]{1,64}", key, re.ASCII)):
        return None
    about = "Same cards, same start. See every move, a few seconds later."
    return Shown(Preview("Watch our race", about, f"/watch/{code}/{key}", listed=False))
