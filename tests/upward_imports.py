"""Imports that run upwards still, as in `module -> module`: there may be no new ones."""

from __future__ import annotations

UPWARD = frozenset(
    {
        "server.accounts.challenges -> server.base.wire.session",
        "server.base.web.api.app -> server.routes",
        "server.base.web.api.app -> server.wings",
        "server.base.web.api.route -> server.wings",
        "server.base.web.api.shared -> server.deals.core.certificate",
        "server.base.web.api.shared -> server.players.core.names",
        "server.base.web.previews -> server.play.core.result",
        "server.base.web.previews -> server.results.leaderboards",
        "server.base.web.previews -> server.rooms.core.events",
        "server.base.web.previews -> server.wings",
        "server.base.wire.codec -> server.play.messages",
        "server.base.wire.codec -> server.protocol",
        "server.base.wire.codec -> server.rooms.messages",
        "server.base.wire.request -> server.front",
        "server.base.wire.request -> server.wings",
        "server.base.wire.session -> server.play.answers",
        "server.base.wire.session -> server.play.messages",
        "server.base.wire.session -> server.play.present",
        "server.base.wire.session -> server.rooms.messages",
        "server.base.wire.shown -> server.play.messages",
        "server.dailies.api -> server.wings",
        "server.dailies.archive_api -> server.wings",
        "server.results.api -> server.wings",
        "server.results.players_api -> server.wings",
        "server.runs.api -> server.wings",
        "server.runs.deals_api -> server.wings",
    }
)
