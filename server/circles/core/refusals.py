"""The refusals of circles."""

from __future__ import annotations

from server.base.core.refusal import RefusalCode


class CircleRefusals(RefusalCode):
    """The refusals of circles."""

    unknown_circle = "You are not in this circle, or its link is no longer valid."
    too_many_circles = "You already belong to, or own, the maximum number of circles."
    circle_full = "This circle is full."
    not_owner = "Only the circle's owner can do that."
    not_member = "This player is not a member of this circle."
    unknown_item = "There is no such item in this circle's feed, or it is no longer kept."
    no_season = "This circle has no season at the moment."
