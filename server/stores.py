"""The store as the services use it: a port for each kind of data, and the clock."""

from __future__ import annotations

from dataclasses import dataclass

from server.base.redis.ports import (
    AccountStore,
    Clock,
    DealStore,
    FormatStore,
    HeldStore,
    HistoryStore,
    JournalStore,
    KeyringStore,
    LeaderboardStore,
    MemoryStore,
    ModerationStore,
    NodeStore,
    OpenRoomStore,
    OutboxStore,
    PlayerStore,
    PoolStore,
    QuickMatchStore,
    QuotaStore,
    RaceStore,
    RoomStore,
    ScanStore,
    SecretStore,
    StartStore,
    SuspicionStore,
    SweeperStore,
)


@dataclass(frozen=True, slots=True)
class Store:
    """A node's access to everything that is stored."""

    clock: Clock
    formats: FormatStore
    secret_keys: SecretStore
    keyrings: KeyringStore
    journals: JournalStore
    deals: DealStore
    pools: PoolStore
    quotas: QuotaStore
    players: PlayerStore
    accounts: AccountStore
    leaderboards: LeaderboardStore
    histories: HistoryStore
    races: RaceStore
    outboxes: OutboxStore
    rooms: RoomStore
    open_rooms: OpenRoomStore
    quick_matches: QuickMatchStore
    moderation: ModerationStore
    starts: StartStore
    suspicions: SuspicionStore
    scans: ScanStore
    memory: MemoryStore
    nodes: NodeStore
    held: HeldStore
    sweepers: SweeperStore
