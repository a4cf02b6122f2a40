"""The refusals of practice."""

from __future__ import annotations

from server.base.core.refusal import RefusalCode


class PracticeRefusals(RefusalCode):
    """The refusals of practice."""

    bad_figures = "These statistics contradict themselves."
    figures_full = "No more deals of this kind can be counted."
    own_rules = "Statistics of custom rules stay in the browser."
