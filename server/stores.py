"""The stores of one node, one per kind of data, and the clock."""

from __future__ import annotations

from dataclasses import dataclass

from server.accounts.store import AccountStore
from server.base.journals.store import JournalStore
from server.base.nodes.format_store import FormatStore
from server.base.nodes.held_store import HeldStore
from server.base.nodes.nodes_store import NodeStore
from server.base.outbound.store import PostStore
from server.base.outbox.store import OutboxStore
from server.base.outbox.sweepers_store import SweeperStore
from server.base.quotas.store import QuotaStore
from server.base.redis.memory_store import MemoryStore
from server.base.redis.scans import ScanStore
from server.base.seals.core.secret_keys import SecretKeys
from server.base.seals.keyring_store import KeyringStore
from server.base.work.clock import Clock
from server.challenges.store import ChallengeStore
from server.circles.store import CircleStore
from server.dailies.store import StartStore
from server.dailies.trimmed_days_store import TrimmedDayStore
from server.deals.pool_store import PoolStore
from server.deals.store import DealStore
from server.lobby.quick_matches_store import QuickMatchStore
from server.lobby.store import OpenRoomStore
from server.moderation.cases_store import CaseStore
from server.moderation.reports_store import ReportStore
from server.moderation.store import ModerationStore
from server.moderation.suspicions_store import SuspicionStore
from server.notifications.store import SubscriberStore
from server.players.store import PlayerStore
from server.results.daily_sets_store import DailySetStore
from server.results.histories_store import HistoryStore
from server.results.leaderboards_store import LeaderboardStore
from server.results.met_store import MetStore
from server.results.repaired_days_store import RepairedDayStore
from server.rooms.race_records_store import RaceRecordStore
from server.rooms.store import RoomStore


@dataclass(frozen=True, slots=True)
class Store:
    """A node's access to all stored data."""

    clock: Clock
    formats: FormatStore
    secret_keys: SecretKeys
    keyrings: KeyringStore
    journals: JournalStore
    deals: DealStore
    pools: PoolStore
    quotas: QuotaStore
    players: PlayerStore
    subscribers: SubscriberStore
    accounts: AccountStore
    leaderboards: LeaderboardStore
    histories: HistoryStore
    met: MetStore
    repaired_days: RepairedDayStore
    daily_sets: DailySetStore
    race_records: RaceRecordStore
    outboxes: OutboxStore
    posts: PostStore
    rooms: RoomStore
    open_rooms: OpenRoomStore
    quick_matches: QuickMatchStore
    challenges: ChallengeStore
    circles: CircleStore
    moderation: ModerationStore
    starts: StartStore
    trimmed: TrimmedDayStore
    suspicions: SuspicionStore
    reports: ReportStore
    cases: CaseStore
    scans: ScanStore
    memory: MemoryStore
    nodes: NodeStore
    held: HeldStore
    sweepers: SweeperStore
