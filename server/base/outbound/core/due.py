"""The due items of posts."""

from __future__ import annotations

from server.base.core.due import Due


class PostDue(Due):
    """The next delivery attempt of an outbound post."""

    __slots__ = ()
    kind = "p"
