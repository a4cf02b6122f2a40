"""Construction of a node's services."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import get_args

from engine.catalog import daily_games as listed_dailies
from server.accounts.accounts import Accounts
from server.accounts.core.effects import Deleted, Kept
from server.accounts.keeping import Keeping
from server.base.core.due import AttemptDue, ChallengeDue, CircleDue, RoundDue
from server.base.core.quota import ADDRESS_PLAYERS, KEPT_DAYS
from server.base.journals.check import JournalCheck
from server.base.journals.followed import Journals, Sources
from server.base.nodes.departures import Departures
from server.base.nodes.format import Format
from server.base.nodes.node_bus import NodeBus
from server.base.nodes.registration import Registration
from server.base.nodes.store_memory import StoreMemory
from server.base.outbound.posts import Posts
from server.base.outbound.sender import Sender
from server.base.outbound.webhooks import Webhooks
from server.base.outbox.outbox import Outbox
from server.base.outbox.sweeper import Sweeper
from server.base.quotas.quotas import Quotas
from server.base.redis.bus import Bus
from server.base.seals.keyring import Keyring
from server.base.work.background import Background
from server.base.work.metrics import Metrics
from server.challenges import journal as challenge_journal
from server.challenges.challenges import Challenges
from server.challenges.core import occasions as challenge_occasions
from server.challenges.core.effects import ChallengeOpened, ChallengeSettled
from server.challenges.lists import ChallengeLists
from server.challenges.recorder import ChallengeRecorder
from server.circles import journal as circle_journal
from server.circles.circle_posts import CirclePosts
from server.circles.circles import Circles
from server.circles.leagues import Leagues
from server.circles.tables import Tables
from server.dailies import day_results as dailies_finishes
from server.dailies.archive import Archive
from server.dailies.dailies import Dailies
from server.dailies.daily_list import DailyList
from server.dailies.retention import Retention
from server.deals.pool_filling import PoolFilling
from server.deals.sealing import seal_all
from server.lobby.open_rooms import OpenRooms
from server.lobby.quick_matches import QuickMatches
from server.moderation.cases import Cases
from server.moderation.core.acts import AnyAct
from server.moderation.moderation import Moderation
from server.moderation.operator_list import OperatorList
from server.moderation.operators import Operators
from server.moderation.reports import Reports
from server.moderation.suspicions import Suspicions
from server.notifications.challenge_notices import ChallengeNotices
from server.notifications.notifications import Notifications
from server.notifications.push_key import PushKey
from server.notifications.reminders import Reminders
from server.play.attempt_charges import AttemptCharges
from server.play.attempts import Attempts
from server.play.core.finish import Finish
from server.play.finishes import Finishes
from server.play.mirrors import Mirrors
from server.play.searcher import Search, Searcher
from server.play.searches import Searches
from server.players.address_hash import AddressHashes
from server.players.identity import Identity
from server.players.name_lists import NameLists, name_lists
from server.players.profiles import Profiles
from server.players.sessions import Sessions
from server.results.curves import Curves
from server.results.daily_sets import DailySets
from server.results.histories import Histories
from server.results.leaderboards import Leaderboards
from server.results.repaired_days import RepairedDays
from server.rooms.absences import Absences
from server.rooms.core.effects import RoundOver
from server.rooms.live_rooms import LiveRooms
from server.rooms.pace_bot_timers import PaceBotTimers
from server.rooms.progress import Progress
from server.rooms.race_recorder import RaceRecorder
from server.rooms.room_addresses import RoomAddresses
from server.rooms.rooms import Rooms
from server.rooms.unused_rooms import UnusedRooms
from server.runs.closed_deals import ClosedDeals
from server.runs.runs import Runs
from server.stores import Store
from server.verification import Report, Verification
from server.watching.watching import Watching


class Services:
    """The services of one node.

    Each service receives the services it uses, and itself subscribes to their signals and registers
    its background work. This class only determines the order of construction.
    """

    def __init__(  # noqa: PLR0915 - the parts of all wings
        self,
        store: Store,
        bus: Bus,
        registration: Registration,
        metrics: Metrics,
        background: Background,
        *,
        searcher: Search | None = None,
        archive: Path | None = None,
        ranked_starts: int = 0,
        daily_games: Sequence[str] = (),
        certify: bool = False,
        address_players: int = ADDRESS_PLAYERS,
        keep_days: int = KEPT_DAYS,
        names: NameLists | None = None,
        operator_list: OperatorList | None = None,
        sender: Sender | None = None,
        webhooks: bool = False,
        push_key: PushKey | None = None,
        page: str | None = None,
    ) -> None:
        self._store = store
        self.background = background
        self.clock = store.clock
        self.metrics = metrics
        self.format = Format(store.formats, store.nodes, store.clock, background)
        self.keyring = Keyring(store.keyrings, store.secret_keys, store.clock, background)
        self.memory = StoreMemory(store.memory, metrics, background)
        self.quotas = Quotas(
            store.quotas,
            self.keyring,
            store.clock,
            self.memory,
            background,
            players=address_players,
            keep_days=keep_days,
            limited=metrics.limited,
        )
        self.outbox = Outbox(store.outboxes, background)
        sender = sender or Sender()
        self.posts = Posts(
            store.posts,
            self.outbox,
            sender,
            store.clock,
            background=background,
            sent=metrics.posts,
        )
        self.webhooks = Webhooks(
            self.posts, store.secret_keys, is_on=webhooks, local=sender.is_local
        )
        self.attempts = Attempts(
            metrics.lookups,
            journals=store.journals,
            deals=store.deals,
            clock=store.clock,
        )
        self.finishes = Finishes(self.attempts)
        self.profiles = Profiles(store.players, bus)
        sources = Sources(store.journals, store.clock, bus, registration.changed, background)
        self.live = LiveRooms(
            sources,
            self.attempts,
            self.profiles,
            registration,
            deals=store.deals,
            room_store=store.rooms,
        )
        self.rooms = Rooms(
            self.live,
            store.rooms,
            self.attempts,
            self.quotas,
            self.keyring,
            journals=store.journals,
            deals=store.deals,
            clock=store.clock,
        )
        AttemptCharges(self.attempts, self.quotas, store.clock, self.rooms.of_first_move)
        self.challenges = Challenges(
            store.challenges,
            self.attempts,
            self.rooms,
            self.quotas,
            self.keyring,
            journals=Journals(challenge_journal.KIND, sources),
            deals=store.deals,
            pools=store.pools,
            players=store.players,
            clock=store.clock,
        )
        self.journal_check = JournalCheck(
            store.journals,
            background,
            self.attempts.used,
            self.live.used,
            self.challenges.journals.used,
        )
        self.closed_deals = ClosedDeals(store.deals, self.rooms, self.attempts, clock=store.clock)
        self.absences = Absences(self.rooms, self.live, background)
        self.address_hashes = AddressHashes(self.keyring)
        self.room_addresses = RoomAddresses(self.address_hashes, store.rooms)
        self.open_rooms = OpenRooms(
            store.open_rooms,
            self.live,
            self.profiles,
            self.room_addresses,
            background,
            clock=store.clock,
        )
        self.unused_rooms = UnusedRooms(store.rooms, self.live, self.quotas, background)
        self.quick_matches = QuickMatches(
            store.quick_matches, self.rooms, self.live, background, clock=store.clock
        )
        self.pace_bot_timers = PaceBotTimers(store.clock, self.rooms, self.live, background)
        wanted = daily_games or listed_dailies()
        self.daily_sets = DailySets(store.daily_sets, store.clock, wanted)
        self.daily_list = DailyList(self.daily_sets, store.deals, wanted)
        self.dailies = Dailies(
            self.attempts,
            self.keyring,
            self.address_hashes,
            self.quotas,
            deals=store.deals,
            pools=store.pools,
            starts=store.starts,
            leaderboards=store.leaderboards,
            histories=store.histories,
            daily_list=self.daily_list,
            clock=store.clock,
            background=background,
            ranked_starts=ranked_starts,
            fills_pools=certify,
        )
        dailies = self.daily_list.games
        self.filling = PoolFilling(store.pools, background, metrics, dailies) if certify else None
        self.pools = store.pools
        self.leaderboards = Leaderboards(
            store.leaderboards,
            bus,
            self.profiles,
            histories=store.histories,
            met=store.met,
            clock=store.clock,
        )
        self.runs = Runs(
            self.closed_deals,
            self.attempts,
            self.rooms,
            leaderboards=self.leaderboards,
            profiles=self.profiles,
        )
        self.archive = Archive(
            self.attempts,
            self.dailies,
            self.daily_list,
            archive,
            leaderboards=store.leaderboards,
            trimmed=store.trimmed,
            clock=store.clock,
        )
        self.retention = Retention(
            self.archive,
            registration,
            self.memory,
            background,
            journals=store.journals,
            trimmed=store.trimmed,
            clock=store.clock,
            keep_days=keep_days,
        )
        self.identity = Identity(
            store.players,
            store.clock,
            self.profiles,
            self.keyring,
            names or name_lists(),
            extend=store.accounts.extend,
        )
        self.node_bus = NodeBus(bus, registration.id)
        self.sessions = Sessions(
            store.players,
            self.node_bus,
            registration,
            background,
            held=store.held,
            clock=store.clock,
        )
        self.mirrors = Mirrors(self.attempts, self.sessions, self.node_bus)
        self.departures = Departures(store.held, registration, background)
        self.histories = Histories(
            store.histories,
            store.players,
            self.leaderboards,
            store.accounts.keep_for_good,
            self.daily_sets,
        )
        self.keeping = Keeping(store.accounts, self.histories, self.profiles, self.sessions)
        self.curves = Curves(store.leaderboards, clock=store.clock)
        self.race_recorder = RaceRecorder(
            store.race_records, self.histories, self.room_addresses, met=store.met
        )
        self.suspicions = Suspicions(
            store.suspicions,
            self.attempts,
            starts=store.starts,
            deals=store.deals,
            histories=store.histories,
            daily_sets=self.daily_sets,
        )
        self.repaired_days = RepairedDays(store.repaired_days, store.clock)
        self.notifications = Notifications(
            store.subscribers,
            store.players,
            self.posts,
            store.clock,
            push_key=push_key,
            local=sender.is_local,
        )
        self.reminders = Reminders(
            self.notifications,
            store.subscribers,
            self.outbox,
            histories=self.histories,
            repaired_days=self.repaired_days,
            clock=store.clock,
        )
        self.cases = Cases(store.cases, self.profiles)
        self.operator_list = operator_list
        self.reports = Reports(
            store.reports,
            self.runs,
            moderation=store.moderation,
            histories=store.histories,
            clock=store.clock,
        )
        self.closed_deals.register(challenge_occasions.KIND, self.challenges)
        self.challenge_lists = ChallengeLists(
            store.challenges,
            self.challenges,
            self.profiles,
            self.sessions,
            self.node_bus,
            players=store.players,
            clock=store.clock,
        )
        self.challenge_recorder = ChallengeRecorder(
            self.challenges, self.histories, store.challenges, deals=store.deals
        )
        self.challenge_notices = ChallengeNotices(
            self.notifications, self.challenges, self.challenge_lists, self.profiles, store.clock
        )
        self.circles = Circles(
            store.circles,
            self.keyring,
            self.identity.clean,
            self.webhooks,
            journals=Journals(circle_journal.KIND, sources),
            links=page is not None,
            clock=store.clock,
        )
        self.journal_check.add(self.circles.journals.used)
        self.circle_tables = Tables(store.histories, self.daily_sets, clock=store.clock)
        self.leagues = Leagues(self.circles, self.challenges, self.quotas)
        self.circle_posts = CirclePosts(
            self.circles,
            self.circle_tables,
            self.challenges,
            profiles=self.profiles,
            webhooks=self.webhooks,
            page=page or "",
        )
        self.moderation = Moderation(
            store.moderation,
            repaired_days=store.repaired_days,
            attempts=self.attempts,
            rooms=self.rooms,
            histories=self.histories,
            race_recorder=self.race_recorder,
            keeping=self.keeping,
            profiles=self.profiles,
            sessions=self.sessions,
            cases=self.cases,
            closed_deals=self.closed_deals,
            circles=self.circles,
        )
        self._register_effects()
        self.accounts = Accounts(
            store.accounts,
            self.identity,
            self.sessions,
            self.outbox,
            self.histories,
            clock=store.clock,
        )
        self.operators = Operators(
            store.moderation,
            self.outbox,
            deals=store.deals,
            outboxes=store.outboxes,
            clock=store.clock,
            rooms=self.rooms,
            live=self.live,
            open_rooms=self.open_rooms,
            sessions=self.sessions,
            profiles=self.profiles,
            histories=self.histories,
            race_recorder=self.race_recorder,
            suspicions=self.suspicions,
            cases=self.cases,
            repaired_days=self.repaired_days,
            closed_deals=self.closed_deals,
            circles=self.circles,
        )
        self.accounts.exported["challenge_list"] = self.challenge_lists.export
        self.accounts.exported["circles"] = self.circles.export
        self.accounts.exported["notifications"] = self.notifications.export
        self.sweeper = Sweeper(
            self.outbox,
            store.clock,
            outboxes=store.outboxes,
            sweepers=store.sweepers,
            journals=store.journals,
            sweeps=metrics.sweeps,
            background=background,
        )
        self.attempts.appended.subscribe(self.sweeper.note_played)
        self.progress = Progress(self.attempts, self.live, background)
        self.watching = Watching(
            self.attempts,
            self.rooms,
            self.live,
            self.keyring,
            journals=store.journals,
            deals=store.deals,
            clock=store.clock,
            background=background,
        )
        self.searches = Searches(self.attempts, self.mirrors, searcher or Searcher(), background)
        self._measure(dailies)

    def _measure(self, dailies: Sequence[str]) -> None:
        """Connect metrics to the node's state."""
        metrics = self.metrics
        for game in dailies:
            metrics.pool_deals[game] = partial(self._pooled, game)
        metrics.store_replaced = lambda: self.keyring.replaced
        metrics.rooms = lambda: self.live.size
        metrics.attempts = lambda: self.attempts.size
        metrics.outbox_age = self.sweeper.age
        metrics.queues["finishes"] = self.outbox.queue.qsize

    def _register_effects(self) -> None:
        """Register the handlers of outbox effects and of deadlines."""
        outbox = self.outbox
        self.attempts.finished.subscribe(outbox.enqueue)
        for appended in (self.live.appended, self.challenges.journals.appended):
            appended.subscribe(lambda _, __, append: outbox.enqueue_appended(append))
        outbox.on(Finish, self.finishes.apply)
        self.finishes.applied.subscribe(lambda finish, _: self.rooms.apply_finish(finish))
        self.finishes.applied.subscribe(lambda finish, _: self.challenges.apply_finish(finish))
        self.finishes.applied.subscribe(partial(dailies_finishes.add_result, self.histories))
        self.finishes.applied.subscribe(self.suspicions.examine_finished)
        outbox.on(RoundOver, lambda over: self.race_recorder.apply(over.race))
        self.race_recorder.applied.subscribe(self.suspicions.note_race)
        outbox.on(Kept, lambda kept: self.suspicions.examine_kept(kept.player, kept.at))
        outbox.on(Kept, self.keeping.keep)
        outbox.on(Deleted, self.keeping.delete)
        for kind in get_args(AnyAct):
            outbox.on(kind, self.moderation.apply)
        outbox.on(ChallengeOpened, self.challenge_lists.tell)
        outbox.on(ChallengeSettled, self.challenge_recorder.apply)
        self.keeping.deleted.subscribe(self.challenge_lists.forget)
        self.keeping.deleted.subscribe(self.notifications.forget)
        self.challenge_notices.wanting_in = self.circles.wanting_notices
        self.challenge_notices.follow(outbox, self.finishes)
        outbox.on(ChallengeOpened, self.leagues.note_opened)
        outbox.on(ChallengeOpened, self.circle_posts.post_challenge)
        self.keeping.deleted.subscribe(self.circles.erase)
        outbox.on_due(CircleDue, self.circles.pass_deadline)
        outbox.on_due(ChallengeDue, self.challenges.pass_deadline)
        outbox.on_due(RoundDue, lambda due: self.rooms.pass_deadline(due.room))
        outbox.on_due(AttemptDue, self.attempts.pass_deadline)

    def _pooled(self, game: str) -> int:
        """Return the number of certified deals in a game's pool, as last read."""
        return self.dailies.pooled.get(game, 0)

    async def prepare(self) -> None:
        """Load format and keyring, and draw upcoming dailies, before the node accepts connections.

        Raises:
            UnsuitableError: the file of secret keys lacks one that the store needs.
        """
        await self.format.refresh()
        await self.keyring.refresh()
        if self.filling is not None:
            await self.filling.fill_first()
        await self.dailies.draw_ahead()

    async def verify(
        self, percent: int, expected: Report | None, progress: Callable[[int], None]
    ) -> Report:
        """Verify all stored data. See `server.verification`."""
        verification = Verification(self._store, self.keyring, self.outbox, percent)
        return await verification.run(expected, progress)

    async def seal_all(self) -> tuple[int, int]:
        """Seal all seeds with the current secret key. See `server.deals.sealing`."""
        return await seal_all(self._store.deals, self._store.pools, self._store.scans)

    async def close(self) -> None:
        """Stop other work than background work, and wait for notifications in flight."""
        await self.searches.close()
        await self.archive.close()
        await self.mirrors.close()
