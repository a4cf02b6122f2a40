"""What each command costs, of what a player and an address have (`server.base.net.limits`).

The measure is a move: 30 to 50 µs of a node's core, and one entry of a journal, sent with others.
What the others cost follows from what they take of a core (`deploy/bench/RESULTS.md`), of round
trips, and of writes, each at least as much as a move; and from what they make others do: a change
of a room is sent to all who are in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from server.accounts import messages as accounts_messages
from server.base.wire import session_messages
from server.dailies import messages as dailies_messages
from server.play import messages as play_messages
from server.results import messages as results_messages
from server.rooms import messages as rooms_messages
from server.runs import deal_messages
from server.runs import messages as runs_messages
from server.watching import messages as watching_messages

SECONDS: Final = 0.00015
"""What a node takes for a cost of 1, about, in all passes of its event loop together."""

MOVE: Final = 1.0
"""One entry of a journal; nothing costs less."""

READ: Final = 3.0
"""A round trip or two, of which nobody else is told."""

CHANGE: Final = 4.0
"""An entry of a journal or a stored value, and a message to each who sees it."""

OPEN: Final = 6.0
"""Several round trips, and perhaps a journal that is read: 0.3 to 0.6 ms."""

CREATE: Final = 10.0
"""Several journals, deals or registrations that are kept: 1 to 2 ms, and kilobytes for days."""

SEARCH: Final = 10.0
"""Milliseconds of a core: a search, a run that is played again, a signature that is verified, or
all that is stored of a player.
"""

COSTS: Final[Mapping[type[Any], float]] = {
    play_messages.PlayMove: MOVE,
    session_messages.Ping: MOVE,
    watching_messages.StopWatching: MOVE,
    results_messages.UnwatchLeaderboard: MOVE,
    rooms_messages.ListRooms: MOVE,
    play_messages.Undo: MOVE,
    play_messages.Resign: CHANGE,
    session_messages.Hello: READ,
    session_messages.Rename: CHANGE,
    play_messages.OpenAttempt: READ,
    dailies_messages.ListDailies: READ,
    deal_messages.ShowDeal: READ,
    watching_messages.GetWatchKey: READ,
    accounts_messages.GetAccount: READ,
    accounts_messages.LinkDevice: READ,
    accounts_messages.SignIn: READ,
    accounts_messages.AskPasskey: READ,
    accounts_messages.ConfirmCode: READ,
    rooms_messages.LeaveRoom: CHANGE,
    rooms_messages.SetReady: CHANGE,
    rooms_messages.SetTerms: CHANGE,
    rooms_messages.ProposeTerms: CHANGE,
    rooms_messages.RemoveMember: CHANGE,
    rooms_messages.HandOver: CHANGE,
    rooms_messages.SetLock: CHANGE,
    rooms_messages.SetPublic: CHANGE,
    rooms_messages.SendEmote: CHANGE,
    accounts_messages.NewRecoveryCode: CHANGE,
    accounts_messages.KeepRecoveryCode: CHANGE,
    accounts_messages.SignOutEverywhere: CHANGE,
    rooms_messages.JoinRoom: OPEN,
    dailies_messages.OpenDaily: OPEN,
    results_messages.WatchLeaderboard: OPEN,
    watching_messages.WatchRound: OPEN,
    runs_messages.GetRuns: OPEN,
    rooms_messages.CreateRoom: CREATE,
    rooms_messages.QuickMatch: CREATE,
    rooms_messages.StartRound: CREATE,
    accounts_messages.DeleteAccount: CREATE,
    play_messages.Hint: SEARCH,
    runs_messages.GetRun: SEARCH,
    accounts_messages.CreatePasskey: SEARCH,
    accounts_messages.UsePasskey: SEARCH,
    accounts_messages.ConfirmPasskey: SEARCH,
    accounts_messages.ExportData: SEARCH,
}
"""The cost of every command, by its type."""

MISSES: Final = frozenset({"unknown_room", "not_invited", "bad_code", "bad_passkey"})
"""Refusals that say that a code or a credential is none: misses, which each command declares that
may be refused so (`Command.misses`).

What has an id of 80 random bits is not among them: nobody guesses one.
"""
