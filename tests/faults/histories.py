"""Checks of the effects of results: histories, ratings, leaderboards, and recent opponents.

All effects are recomputed from the journals. A race's record provides only the ratings before it
and the players' recent opponents, because both depend on the order in which concurrent races were
decided. The records must agree with some order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from statistics import fmean
from typing import Any, get_args

import msgspec
from msgspec.structs import replace

from engine.catalog import daily_variant, ruleset
from server.base.core.days import DailyId
from server.base.core.ids import PACE_BOT, DealId, PlayerId, RoomCode
from server.play.core.result import Result
from server.results.core import contests, race_results, ratings
from server.results.core.boards import BoardId, Group, boards_of_day, boards_of_round
from server.results.core.curve import SECONDS
from server.results.core.history import DayResult, History, RoundResult, points
from server.results.core.history_fields import whole_of
from server.results.core.race_results import Decision, Race
from server.results.core.ratings import Change, Skill
from server.rooms.core.room import Round
from tests.faults.complaint import Complaint, Kind
from tests.faults.room_history import LAST, RoomHistory
from tests.faults.stored import Stored
from tests.order import out_of_order

Days = Mapping[tuple[PlayerId, str, int], Sequence[tuple[int, Result]]]
"""The entries of closed dailies, by player, game and day.

Each has the milliseconds since the start, and the result.
"""

Key = tuple[str, DealId]


class HistoryChecks:
    """Compares the players' stored data with the journals.

    Args:
        ranked: the dailies started with a kept identity.
    """

    def __init__(
        self,
        stored: Stored,
        days: Days,
        rooms: Iterable[RoomHistory],
        complaints: list[Complaint],
        *,
        ranked: Set[tuple[PlayerId, str, int]] = frozenset(),
    ) -> None:
        self._stored = stored
        self._ranked = ranked
        self._complaints = complaints
        self._whole = {
            PlayerId(player): whole_of(fields) for player, fields in stored.histories.items()
        }
        self._found = {player: each.history for player, each in self._whole.items()}
        self._rounds: defaultdict[PlayerId, dict[Key, RoundResult]] = defaultdict(dict)
        self._met: defaultdict[PlayerId, dict[str, int]] = defaultdict(dict)
        self._days: defaultdict[PlayerId, dict[tuple[str, int], DayResult]] = defaultdict(dict)
        self._races: dict[Key, Race] = {}
        self._curves: defaultdict[DailyId, Counter[str]] = defaultdict(Counter)
        self._void = self._voided()
        for (player, game, day), steps in days.items():
            void = (player, game, day) in self._void
            result = replace(_day_result(game, steps[-1][1]), void=void)
            is_ranked = (player, game, day) in self._ranked
            self._days[player][game, day] = replace(result, ranked=is_ranked)
            if not void:
                self._curves[DailyId(game, day)].update(_curve(steps))
        for room in rooms:
            for number, at in room.ended.items():
                round_ = next(each for each in room.rounds if each.number == number)
                self._add_round(RoomCode(room.code), round_, at)

    def run(self) -> None:
        """Run all checks."""
        self._check_ranked()
        self._check_order()
        for deal in self._stored.races.keys() - {deal for _, deal in self._races}:
            self._complain("invented", f"race {deal}", "no round on it is over")
        self._check_met()
        self._check_histories()
        self._check_leaderboards()
        self._check_curves()

    def _complain(self, kind: Kind, about: str, text: str) -> None:
        self._complaints.append(Complaint(kind, about, text))

    def _compare(
        self, about: str, found: Mapping[Any, object], wanted: Mapping[Any, object]
    ) -> None:
        for name in sorted(wanted.keys() - found.keys()):
            self._complain("lost", about, f"{name}: {wanted[name]}")
        for name in sorted(found.keys() - wanted.keys()):
            self._complain("invented", about, f"{name}: {found[name]}")
        for name in sorted(found.keys() & wanted.keys()):
            if found[name] != wanted[name]:
                self._complain("misranked", about, f"{name}: {found[name]}, not {wanted[name]}")

    def _voided(self) -> set[tuple[str, str, int]]:
        """Return (player, game, day) of each daily whose latest audit entry voids it."""
        acts = [msgspec.json.decode(text) for _, text in self._stored.acts]
        for act, count in Counter(act["id"] for act in acts).items():
            if count > 1:
                self._complain("invented", f"act {act}", f"it was recorded {count} times")
        latest = {
            (act["player"], act["game"], act["day"]): act["void"]
            for act in sorted(acts, key=lambda act: (act["at"], act["id"]))
            if act["type"] == "void" and act["day"] is not None
        }
        return {of for of, void in latest.items() if void}

    # Races

    def _add_round(self, room: RoomCode, round_: Round, at: int) -> None:
        """Compute a round's effects on its players, if it is a race."""
        runs = {p: r for p, r in round_.results.items() if p != PACE_BOT}
        if len(runs) == 1 or not any(run.moves for run in runs.values()):
            return
        for player in runs:
            for other in runs.keys() - {player}:
                self._met[player][other] = max(at, self._met[player].get(other, 0))
        if not round_.counts:
            return
        game = round_.terms.game
        key = game, round_.deal
        race = Race(
            round_.deal,
            game,
            at,
            round_.home,
            round_.terms.help,
            runs,
            room,
            round_.starts,
            round_.rated,
            round_.counts,
            round_.terms.variant,
        )
        self._races[key] = race
        decision = self._decision(race)
        if decision is not None:
            for player, result in self._results(race, decision).items():
                self._rounds[player][key] = result

    def _decision(self, race: Race) -> Decision | None:
        about = f"race {race.deal}"
        record = self._stored.races.get(race.deal)
        if record is None:
            self._complain("lost", about, "nothing is decided about it")
            return None
        decision = msgspec.json.decode(record["decided"], type=Decision)
        if decision.race != race:
            self._complain("misranked", about, f"{decision.race}, not {race}")
        if decision.before.keys() != race.results.keys():
            self._complain("invented", about, f"{decision.before.keys()} were rated before it")
            return None
        return decision

    def _results(self, race: Race, decision: Decision) -> dict[PlayerId, RoundResult]:
        record = self._stored.races[race.deal]
        void = {player for player in race.results if f"void:{player}" in record}
        ranked = {
            player: (run.left, run.time, run.moves) if run.home > race.home else LAST
            for player, run in race.results.items()
            if player not in void
        }
        ranks = {
            player: len(ranked) if mine == LAST else 1 + sum(o < mine for o in ranked.values())
            for player, mine in ranked.items()
        }
        won = {p for p, mine in ranked.items() if mine == min(ranked.values()) != LAST}
        changes: dict[PlayerId, Change] = {}
        counting = set()
        for player in ranks.keys() & decision.ranked if won else ():
            runs = {each: race.results[each] for each in ranks}
            weights = contests.weights(player, runs, ranks, decision.pairs)
            if weights:
                counting.add(player)
            if weights and race.may_be_rated:
                field = {p: Skill(*decision.before[p]) for p in (player, *weights)}
                change = ratings.rate(field, ranks)[player]
                changes[player] = change.scaled(fmean(weights.values()))
        results = {}
        for player, run in race.results.items():
            assert run.end is not None, "it is over"
            change = changes.get(player, Change(0.0, 1.0))
            results[player] = RoundResult(
                race.at,
                ranks.get(player, len(race.results)),
                len(race.results),
                player in won,
                run.home,
                run.left,
                run.time,
                run.moves,
                run.end,
                race.help != "none",
                *change,
                player in void,
                player in decision.ranked,
                player in counting,
                race.variant,
            )
        return results

    def _check_ranked(self) -> None:
        """Check that histories name kept identities, and that no earlier result is ranked."""
        kept = {
            player: int(fields["kept"])
            for player, fields in self._stored.players.items()
            if "kept" in fields
        }
        known = {
            player: self._found[p].kept for player in kept if (p := PlayerId(player)) in self._found
        }
        self._compare("histories of kept identities", known, kept)
        begun: list[tuple[PlayerId, int | None, str]] = [
            (player, None, f"{game} {day}") for player, game, day in self._ranked
        ]
        for race in self._races.values():
            decision = self._decided(race)
            ranked = decision.ranked if decision is not None else ()
            begun += [(player, race.starts, f"race {race.deal}") for player in ranked]
        for player, at, about in begun:
            found = self._found.get(player)
            # A daily's start uses a confirmed clock; an identity's time does not.
            if found is not None and (found.kept is None or (at is not None and found.kept > at)):
                self._complain("invented", about, f"{player} is ranked without a kept identity")

    def _check_order(self) -> None:
        """Check that some order of a game's races explains all rating changes.

        Players with voided or restored race results are skipped, because their order is unknown.
        """
        moderated = {
            msgspec.json.decode(text).get("attempt", "").partition(".")[0]
            for _, text in self._stored.acts
        }
        unknown = {
            player
            for (_, deal), race in self._races.items()
            for player in race.results
            if deal in moderated
        }
        for game in {game for game, _ in self._races}:
            followed = [
                (decision, {p: self._rounds[p][key] for p in race.results})
                for key, race in self._races.items()
                for decision in [self._decided(race)]
                if key[0] == game and decision is not None and race.may_be_rated
                if all(key in self._rounds[player] for player in race.results)
            ]
            for decision, _ in out_of_order(followed, unknown):
                text = f"it follows no other race: ratings before it were {decision.before}"
                self._complain("misranked", f"race {decision.race.deal}", text)

    def _decided(self, race: Race) -> Decision | None:
        record = self._stored.races.get(race.deal)
        return msgspec.json.decode(record["decided"], type=Decision) if record else None

    def _check_met(self) -> None:
        for player in self._met.keys() | self._stored.met.keys():
            found = self._stored.met.get(player, {})
            self._compare(f"met by {player}", found, self._met.get(PlayerId(player), {}))

    # Histories

    def _wanted(self, player: PlayerId) -> History:
        found = self._found.get(player, History())
        return History(found.version, found.kept, self._days[player], self._rounds[player])

    def _check_histories(self) -> None:
        for player in self._days.keys() | self._rounds.keys() | self._found.keys():
            found, wanted = self._found.get(player, History()), self._wanted(player)
            self._compare(f"history of {player}", _fields(found), _fields(wanted))
        for player, whole in self._whole.items():
            # Wrong results are reported above.
            self._compare(
                f"history of {player}, totals", whole.stored._asdict(), whole.computed._asdict()
            )
            self._compare(f"history of {player}, claims", whole.claims, {})
            lately = {
                game: {each.deal: each for each in found.meetings}
                for game, found in whole.lately.items()
            }
            self._compare(f"meetings of {player}", lately, self._lately(player))

    def _lately(self, player: PlayerId) -> dict[str, dict[DealId, contests.Meeting]]:
        """Return the recent opponents of a player in rated races; a run lasts less than a day."""
        found: defaultdict[str, dict[DealId, contests.Meeting]] = defaultdict(dict)
        for (game, deal), race in self._races.items():
            decision = self._decided(race)
            if decision is not None and player in (met := race_results.meetings(decision)):
                found[game][deal] = met[player]
        return found

    # Leaderboards

    def _check_leaderboards(self) -> None:
        wanted: defaultdict[BoardId, dict[str, int]] = defaultdict(dict)
        for player in self._days.keys() | self._rounds.keys():
            history = self._wanted(player)
            for board in set(_boards_of(history)):
                score = history.score(board)
                if score is not None:
                    wanted[board][player] = score
        for board in wanted.keys() | self._stored.leaderboards.keys():
            entered = self._stored.leaderboards.get(board, {})
            self._compare(f"leaderboard {board}", entered, wanted[board])

    def _check_curves(self) -> None:
        for each in self._curves.keys() | self._stored.curves.keys():
            counts = {f: n for f, n in self._stored.curves.get(each, {}).items() if n}
            self._compare(f"curves {each.name}", counts, self._curves[each])


def _curve(steps: Sequence[tuple[int, Result]]) -> list[str]:
    """Return a run's curve counts: its cards home at each time, and at the end."""
    home = {
        second: next(r.home for time, r in reversed(steps) if time <= second * 1000)
        for second in SECONDS
    }
    return [*(f"{second}:{cards}" for second, cards in home.items()), f"end:{steps[-1][1].home}"]


def _day_result(game: str, result: Result) -> DayResult:
    assert result.end is not None, "it is over"
    earned = points(result, ruleset(game).home_at_start)
    run = (result.home, result.left, result.time, result.moves, result.end)
    return DayResult(*run, earned, variant=daily_variant(game))


def _fields(history: History) -> dict[str, object]:
    return {
        **{f"{game} {day}": result for (game, day), result in history.days.items()},
        **{f"{game} {deal}": result for (game, deal), result in history.rounds.items()},
        **{f"{game} before": sums for game, sums in history.sums.items()},
    }


def _boards_of(history: History) -> Iterator[BoardId]:
    """Yield every leaderboard that a history's results appear on."""
    for (game, day), result in history.days.items():
        for group in get_args(Group):
            yield from boards_of_day(game, day, group, result.variant)
    for (game, _), race in history.rounds.items():
        yield from boards_of_round(game, race.variant)
