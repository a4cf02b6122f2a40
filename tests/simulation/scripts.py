"""The server's Lua scripts as Python functions on the simulated Redis."""

from __future__ import annotations

from collections.abc import Callable

from server.accounts import store as accounts_store
from server.base.journals import store as journals_store
from server.base.nodes import format_store as store_format
from server.base.nodes import held_store, nodes_store
from server.base.outbox import store as outbox_store
from server.base.outbox import sweepers_store
from server.base.quotas import store as quotas_store
from server.base.redis import database
from server.base.redis.scripts import Script
from server.base.seals import keyring_store
from server.dailies import store as dailies_store
from server.deals import pool_store
from server.deals import store as deals_store
from server.lobby import quick_matches_store
from server.lobby import store as lobby_store
from server.moderation import store as moderation_store
from server.moderation import suspicions_store
from server.players import store as players
from server.results import histories_store, leaderboards_store, met_store
from server.rooms import race_records_store
from server.rooms import store as rooms_store
from tests.simulation.memory import Memory, Reply

Function = Callable[[Memory, list[str], list[str]], Reply]


def append(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Append one entry to each of many journals."""
    first, last, tolerance = map(int, given[:3])
    if memory.now() - first > tolerance or last - memory.now() > tolerance:
        return "mistimed"
    stands = []
    for key, number, text in zip(names, given[3::2], given[4::2], strict=True):
        comes_next = len(memory.journal(key).held) == int(number) - 1
        if comes_next:
            memory.append(key, text)
        stands.append(int(comes_next))
    return stands


def append_with(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Append an entry, with its expiry, effect, due item and a text beside it."""
    number, text, time, tolerance, expires, field, value, member, score, *more = given
    drops, beside, until, *previous = more
    found = memory.journal(names[0])
    if len(found.texts) != int(number) - 1 or (previous and found.texts[-1:] not in ([], previous)):
        return "conflict"
    if abs(memory.now() - int(time)) > int(tolerance):
        return "mistimed"
    memory.append(names[0], text, drops=bool(drops))
    if expires:
        memory.expire_at(names[0], int(expires))
    if field:
        memory.hash(names[1])[field] = value
    if member and score:
        memory.zadd(names[2], score, member)
    elif member:
        memory.zrem(names[2], member)
    if beside:
        memory.put(names[3], beside)
        memory.expire_at(names[3], int(until))
    return "appended"


def keep_first(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Store a text unless there is one, and return the one stored."""
    kept = memory.find(names[0]) or given[0]
    memory.run("SET", [names[0], kept])
    if given[1]:
        memory.expire(names[0], given[1])
    return kept


def keep_deal(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Store a deal, unless there is one."""
    if memory.find(names[0]) is not None:
        return 0
    memory.run("HSET", [names[0], *given[1:]])
    memory.expire(names[0], given[0])
    return 1


def seal_deal(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Store the seed of a deal sealed anew, and its line, if it has one."""
    if "commitment" in (memory.find(names[0]) or {}):
        memory.run("HSET", [names[0], *given])
    return None


def replace_pooled(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Replace a member of a pool, if it is there, and keep its score."""
    score = memory.scores(names[0]).get(given[0])
    if score is None:
        return 0
    memory.zrem(names[0], given[0])
    memory.zadd(names[0], score, given[1])
    return 1


def raise_format(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Raise the store's format."""
    if int(memory.find(names[0]) or 0) < int(given[0]):
        memory.run("SET", [names[0], given[0]])
    return None


def change_keyring(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Replace the keyring if it is the one that was read."""
    if memory.find(names[0]) != given[0]:
        return 0
    memory.run("SET", [names[0], given[1]])
    return 1


def place(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Set a score or take it away, with that of the other group, and count in the curves."""
    player, score, life, *curve = given
    was = dict(memory.rows(names[0])).get(player)
    elsewhere = dict(memory.rows(names[1])).get(player)
    memory.zrem(names[1], player)
    change = 0
    if not score:
        memory.zrem(names[0], player)
        change = 0 if was is elsewhere is None else -1
    else:
        change = 1 if was is elsewhere is None else 0
        memory.zadd(names[0], score, player)
        if life != "0":
            memory.expire(names[0], life)
    if change and curve:
        counts = memory.hash(names[2])
        for field in curve:
            counts[field] = str(int(counts.get(field, "0")) + change)
        memory.expire(names[2], life)
    return [_text(was), _text(elsewhere)]


def _text(score: float | None) -> str | None:
    return None if score is None else str(int(score))


def change_history(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Change the fields of a history, unless it has another version."""
    version, life, unused_life, *fields = given
    if (memory.find(names[0]) or {}).get("v", "0") != version:
        return 0
    stored = memory.hash(names[0])
    for field, text in zip(fields[::2], fields[1::2], strict=True):
        if text:
            stored[field] = text
        else:
            stored.pop(field, None)
    stored["v"] = str(int(version) + 1)
    if not _played(memory, names[0]):
        memory.expire(names[0], unused_life)
        return 1
    memory.expire(names[0], life)
    if "kept" in (memory.find(names[1]) or {}):
        memory.persist(names[1])
    elif memory.expires(names[1]) is not None:
        memory.expire(names[1], life)
    return 1


def _played(memory: Memory, history: str) -> bool:
    return bool((memory.find(history) or {}).keys() - {"v", "kept"})


def charge(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Count what an address stores, unless it has too much then."""
    now, most, *rest = map(int, given)
    more = dict(zip(rest[::2], rest[1::2], strict=True))
    stored = memory.hash(names[0]) if more else memory.find(names[0]) or {}
    for until in [until for until in stored if int(until) <= now]:
        del stored[until]
    used, first = sum(map(int, stored.values())), min(map(int, stored), default=0)
    if 0 <= most < used + sum(more.values()):
        return [0, used, first]
    for until, size in more.items():
        stored[str(until)] = str(int(stored.get(str(until), 0)) + size)
    if more:
        memory.expire_at(names[0], max(map(int, stored)))
    return [1, used + sum(more.values()), first]


def _pairs(memory: Memory, key: str) -> list[str]:
    return [part for pair in memory.hash(key).items() for part in pair]


def decide_race(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Store what is decided of a race, unless that stands, and return its record."""
    memory.hash(names[0]).setdefault("decided", given[0])
    memory.expire(names[0], given[1])
    return _pairs(memory, names[0])


def take_back(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Note in the record of a race, if there is one, that a result is void, and return it."""
    if memory.run("HGET", [names[0], "decided"]) is None:
        return []
    if given[1]:
        memory.hash(names[0])[f"void:{given[0]}"] = given[1]
    else:
        memory.run("HDEL", [names[0], f"void:{given[0]}"])
    return _pairs(memory, names[0])


def meet(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Note whom a player has met, and forget those who were met before the last ones."""
    at, most, life, *others = given
    for other in others:
        memory.zadd(names[0], max(float(at), memory.scores(names[0]).get(other, 0.0)), other)
    for member, _ in memory.rows(names[0])[: -int(most)]:
        memory.zrem(names[0], member)
    memory.expire(names[0], life)
    return None


def _rows(memory: Memory, key: str, first: int, last: int) -> list[Reply]:
    rows = memory.rows(key)
    found = rows[first : last + 1]
    if not found:
        return []
    better = sum(score < found[0][1] for _, score in rows)
    return [first + 1, better + 1, *(each for m, score in found for each in (m, str(int(score))))]


def page(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Return the size, the middle score, and some rows."""
    first, count = map(int, given)
    scores = [score for _, score in memory.rows(names[0])]
    middle = _text(scores[(len(scores) - 1) // 2] if scores else None)
    return [len(scores), _rows(memory, names[0], first - 1, first + count - 2), middle]


def around(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Return the rows around players."""
    reach, places = int(given[0]), [member for member, _ in memory.rows(names[0])]
    answers: list[Reply] = []
    for player in given[1:]:
        place = places.index(player) if player in places else None
        found = place is not None
        answers.append(
            _rows(memory, names[0], max(0, place - reach), place + reach) if found else []  # type: ignore[operator]
        )
    return answers


def among(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Return the rows of lists of players."""
    scores = dict(memory.rows(names[0]))
    most, rest = int(given[0]), given[1:]
    answers: list[Reply] = []
    while rest:
        players, rest = rest[1 : 1 + int(rest[0])], rest[1 + int(rest[0]) :]
        found = sorted((scores[player], player) for player in players if player in scores)
        answers.append(
            [
                [1 + sum(other < score for other in scores.values()), player, _text(score)]
                for score, player in found[:most]
            ]
        )
    return answers


def _renew(memory: Memory, key: str, name: str, life: str) -> list[str]:
    now = int(memory.now())
    for member, until in memory.rows(key):
        if until <= now:
            memory.zrem(key, member)
    memory.zadd(key, now + int(life) * 1000, name)
    memory.expire(key, life)
    return [member for member, _ in memory.rows(key)]


def renew_node(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Renew a node's registration."""
    return _renew(memory, names[0], *given)


def renew_sweeper(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Renew a sweeper's registration."""
    alive = _renew(memory, names[0], *given[:2])
    if given[2]:
        memory.run("SET", [names[1], "", "EX", given[2]])
    return [int(memory.find(names[1]) is not None), *alive]


def drop_due(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Remove a due item, unless it has a later time."""
    due = dict(memory.rows(names[0])).get(given[0])
    if due is not None and due <= int(given[1]):
        memory.zrem(names[0], given[0])
    return None


def keep_name(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Store a player's name, unless the player is deleted or the epoch of the token is over."""
    name, epoch, now, life, guest_life, unused_life = given
    record = dict(memory.find(names[0]) or {})
    before, current = record.get("name", ""), int(record.get("epoch", 0))
    if "deleted" in record or (epoch and int(epoch) < current):
        return [None, "", 0]
    if int(epoch or 0) > current:
        memory.hash(names[0])["epoch"] = epoch
    if name and "hidden" not in record:
        memory.hash(names[0])["name"] = name
    if memory.find(names[0]) is None:
        return ["", "", 0]
    if not record and now:
        memory.hash(names[0])["created"] = now
    matters = (
        {"hidden", "barred"} & record.keys()
        or current + int(epoch or 0)
        or memory.find(names[1]) is not None
    )
    unused = "kept" in record and not _played(memory, names[1])
    if unused:
        _expire_unused(memory, names[0], unused_life, life)
        memory.expire(names[1], unused_life)
    elif "kept" in record:
        memory.persist(names[0])
    else:
        memory.expire(names[0], life if matters else guest_life)
    return [memory.run("HGET", [names[0], "name"]) or "", before, int(unused)]


def take_rename(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Count a change of name, or return for how long it is too many."""
    name, (now, each, at_once) = given[0], map(int, given[1:])
    record = memory.find(names[0]) or {}
    if record.get("name") == name or "deleted" in record:
        return 0
    counts = max(now, int(memory.run("GET", [names[1]]) or 0)) + each
    if counts - now > each * at_once:
        return counts - now - each * at_once
    memory.run("SET", [names[1], str(counts)])
    memory.expire_at(names[1], memory.now() + counts - now)
    return 0


def add_session(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Store a session, and return all and those that were dropped as too many."""
    session, now, life, most, epoch, alive = given
    record = memory.find(names[1]) or {}
    if "deleted" in record or int(epoch) < int(record.get("epoch", 0)):
        return []
    barred = record.get("barred")
    if barred is not None and (barred == "0" or int(barred) > int(now)):
        return barred
    memory.zadd(names[0], now, session)
    memory.expire(names[0], life)
    if alive and len(memory.rows(names[0])) > int(most):
        for member, _ in memory.rows(names[0]):
            if member.partition("/")[0] not in alive.split():
                memory.zrem(names[0], member)
    dropped = [member for member, _ in memory.rows(names[0])][: -int(most)]
    for member in dropped:
        memory.zrem(names[0], member)
    return [[member for member, _ in memory.rows(names[0])], dropped]


def record_act(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Append an act to the audit journal, once, and return the latest one on its subject."""
    act, subject, at, text = given
    seen = memory.hash(names[1])
    if act not in seen:
        seen[act] = ""
        memory.put(names[0], [*(memory.find(names[0]) or []), text])
    latest = memory.hash(names[2])
    mine = f"{at} {act} {text}"
    latest[subject] = max(latest.get(subject, mine), mine)
    return latest[subject]


def bar(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Store until when a player is barred, or that the player is not."""
    until, life = given
    if "deleted" in (memory.find(names[0]) or {}):
        return None
    if until:
        memory.hash(names[0])["barred"] = until
    else:
        memory.run("HDEL", [names[0], "barred"])
    _expire_known(memory, names[0], life)
    return None


def hide_name(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Put a player's name aside, or back."""
    hide, life = given
    if "deleted" in (memory.find(names[0]) or {}):
        return None
    hidden = memory.run("HGET", [names[0], "hidden"])
    if hide == "1" and hidden is None:
        record = memory.hash(names[0])
        record["hidden"] = record.pop("name", "")
    elif hide == "0" and hidden is not None:
        if hidden:
            memory.hash(names[0])["name"] = hidden
        memory.run("HDEL", [names[0], "hidden"])
    _expire_known(memory, names[0], life)
    return None


def first_with(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Return who was first with each of some digests of a run."""
    player, life, *digests = given
    found = [memory.hash(names[0]).setdefault(digest, player) for digest in digests]
    memory.expire(names[0], life)
    return found


def begin_daily(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Note that a player begins a daily at a place, unless too many others have."""
    place, player, most, kept, life = given
    fields = memory.find(names[0]) or {}
    players = fields.get(f"a:{place}", "").split()
    if player in players:
        return 1
    if int(most) and len(players) >= int(most):
        return 0
    fields = memory.hash(names[0])
    if players:
        fields[f"p:{player}"] = " ".join(players)
    if len(players) < max(int(most), int(kept)):
        fields[f"a:{place}"] = " ".join([*players, player])
    memory.expire(names[0], life)
    return 1


def add_suspicion(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Add a suspicious run, and drop the oldest ones beyond the most."""
    attempt, at, text, most = given
    memory.zadd(names[0], at, attempt)
    memory.hash(names[1])[attempt] = text
    for dropped, _ in memory.rows(names[0])[: -int(most)]:
        memory.zrem(names[0], dropped)
        memory.run("HDEL", [names[1], dropped])
    return None


def median_win(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Return the number of wins, and the score of the one in the middle."""
    rows = memory.rows(names[0])
    wins = sum(score < float(given[0]) for _, score in rows)
    middle = rows[wins // 2 : wins // 2 + 1]
    return [wins, str(int(middle[0][1])) if middle else "0"]


def offer_code(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Store the digest of a recovery code that may be kept; return why not."""
    digest, epoch, confirmed, until, life = given
    record = memory.find(names[0]) or {}
    if "deleted" in record or int(record.get("epoch", 0)) > int(epoch):
        return "bad_token"
    if "kept" in record and not confirmed:
        return "confirm_first"
    memory.hash(names[0]).update(offer=digest, offer_until=until)
    if not record:
        memory.expire(names[0], life)
    return ""


def keep_code(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Store a recovery code's digest; return the digest that is void, and whether it stays."""
    at, digest, life, long = given
    record = memory.find(names[0]) or {}
    before = record.get("recovery", "")
    if "deleted" not in record and before == digest:
        return ["", int(_played(memory, names[1]))]
    if (
        "deleted" in record
        or record.get("offer") != digest
        or int(record["offer_until"]) <= int(at)
    ):
        return [digest, 0]
    record.setdefault("kept", at)
    record.update(recovery=digest, recovery_at=at)
    _drop_fields(memory, names[0], "recovery_used", "offer", "offer_until")
    _keep(memory, names, life, long)
    return [before, int(_played(memory, names[1]))]


def _keep(memory: Memory, names: list[str], life: str, long: str) -> None:
    if _played(memory, names[1]):
        memory.persist(names[0])
    else:
        _expire_unused(memory, names[0], life, long)


def _expire_known(memory: Memory, record: str, life: str) -> None:
    """Let a record expire later that may expire at all."""
    if memory.expires(record) is not None or "kept" not in (memory.find(record) or {}):
        memory.expire(record, life)


def _expire_unused(memory: Memory, record: str, life: str, long: str) -> None:
    vital = (memory.find(record) or {}).keys() & {"epoch", "barred", "hidden"}
    memory.expire(record, long if vital else life)


def use_code(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Note that a recovery code was used, if it is the player's."""
    record = memory.find(names[0]) or {}
    if "deleted" in record or record.get("recovery") != given[0]:
        return -1
    record["recovery_used"] = given[1]
    return int(record.get("epoch", 0))


def keep_passkey(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Store that a player has a passkey, if that may be, and is not one too many."""
    at, field, most, epoch, confirmed, life, long = given
    record = memory.find(names[0]) or {}
    if "deleted" in record:
        return 0
    if field in record:
        return 1 + _played(memory, names[1])
    if int(record.get("epoch", 0)) > int(epoch) or ("kept" in record and not confirmed):
        return 0
    if sum(each.startswith("passkey:") for each in record) >= int(most):
        return 0
    record = memory.hash(names[0])
    record.setdefault("kept", at)
    record[field] = at
    _drop_fields(memory, names[0], "offer", "offer_until")
    _keep(memory, names, life, long)
    return 1 + _played(memory, names[1])


def put_passkey(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Store a passkey, unless it is another player's."""
    found = memory.hash(names[0])
    if not found:
        found.update(zip(("player", "key", "count", "aaguid"), given[:4], strict=True))
        memory.expire(names[0], given[4])
    return int(found["player"] == given[0])


def use_passkey(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Note that a passkey was used, if it is the player's and its counter has grown."""
    player, count, now = given
    found = memory.find(names[0])
    if not found or found["player"] != player:
        return 0
    if int(count) <= int(found["count"]) and (int(count) or int(found["count"])):
        return 0
    found.update(count=count, used=now)
    return 1


def drop_passkey(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Delete a passkey, if it is the player's."""
    if (memory.find(names[0]) or {}).get("player") == given[0]:
        memory.delete(names[0])
    return None


def offer_device(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Store a device code's digest."""
    record = memory.find(names[0]) or {}
    if "deleted" in record or int(record.get("epoch", 0)) > int(given[3]):
        return 0
    is_new = memory.find(names[0]) is None
    memory.hash(names[0]).update(device=given[0], device_until=given[1])
    if is_new:
        memory.expire(names[0], given[2])
    return 1


def take_device(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Use a device code up; return the epoch."""
    record = memory.find(names[0]) or {}
    if record.get("device") != given[0] or "deleted" in record:
        return -1
    until, epoch = record["device_until"], int(record.get("epoch", 0))
    _drop_fields(memory, names[0], "device", "device_until")
    return epoch if int(until) > int(given[1]) else -1


def sign_out(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Begin a player's next epoch, and remove credentials."""
    asking, life, epoch, *removed = given
    found = [member for member, _ in memory.rows(names[1])]
    record = memory.find(names[0]) or {}
    if "deleted" in record or int(record.get("epoch", 0)) > int(epoch):
        return [-2, found, ""]
    there = [each for each in record if each == "recovery" or each.startswith("passkey:")]
    if removed and not set(there) - set(removed):
        return [-1, found, ""]
    void = record.get("recovery", "") if "recovery" in removed else ""
    record = memory.hash(names[0])
    record["epoch"] = str(int(record.get("epoch", 0)) + 1)
    _drop_fields(memory, names[0], *removed, "device", "device_until", "offer", "offer_until")
    if "recovery" in removed:
        _drop_fields(memory, names[0], "recovery_at", "recovery_used")
    _expire_known(memory, names[0], life)
    for session in found:
        if session != asking:
            memory.zrem(names[1], session)
    return [int(record["epoch"]), found, void]


def bury(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Note that a player is deleted."""
    memory.hash(names[0]).setdefault("deleted", given[0])
    _drop_fields(memory, names[0], "name")
    memory.expire(names[0], given[1])
    return [member for member, _ in memory.rows(names[1])]


def forget(memory: Memory, names: list[str], _: list[str]) -> Reply:
    """Delete all fields of a player's record but the note that the player is deleted."""
    record = memory.find(names[0]) or {}
    _drop_fields(memory, names[0], *(field for field in record if field != "deleted"))
    return None


def _drop_fields(memory: Memory, key: str, *fields: str) -> None:
    for field in fields:
        memory.run("HDEL", [key, field])


def enter(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Store a field of a hash that expires."""
    memory.hash(names[0])[given[0]] = given[1]
    memory.expire(names[0], given[2])
    return None


def extend_room(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Let a room live for so many seconds at least."""
    expires = memory.expires(names[0])
    if expires is not None and expires < memory.now() + int(given[0]) * 1000:
        memory.expire(names[0], given[0])
    return None


def enter_room(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Store that a player is present by way of a node, and note that for the node."""
    enter(memory, names[:1], given)
    return enter(memory, names[1:], [given[3], "", given[2]])


def leave_room(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Remove a player's presence, if it is by way of this node, and the node's note of the room."""
    if memory.run("HGET", [names[0], given[0]]) == given[1]:
        memory.run("HDEL", [names[0], given[0]])
    if given[1] not in (memory.find(names[0]) or {}).values():
        memory.run("HDEL", [names[1], given[2]])
    return None


def list_holder(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """List a node as one that is there."""
    before = memory.run("HGET", [names[0], given[0]])
    memory.hash(names[0])[given[0]] = "here"
    memory.expire(names[0], given[1])
    return [before or "", memory.run("HKEYS", [names[0]])]


def forget_holder(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """List a node no more, unless it is there."""
    if memory.run("HGET", [names[0], given[0]]) == "gone":
        memory.run("HDEL", [names[0], given[0]])
    return None


def note_player(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Note that a node has sessions of a player."""
    return enter(memory, names, [given[0], "", given[1]])


def clear_room(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Remove all presence by way of a node, and its note of the room."""
    for player, node in list((memory.find(names[0]) or {}).items()):
        if node == given[1]:
            memory.run("HDEL", [names[0], player])
    memory.run("HDEL", [names[1], given[0]])
    return None


def clear_player(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Remove a player's sessions on a node."""
    prefix = f"{given[0]}/"
    for session, _ in memory.rows(names[0]):
        if session.startswith(prefix):
            memory.zrem(names[0], session)
    return None


def put_open_room(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Register an open room."""
    until, code, text, life, now, most = given
    for member, end in memory.rows(names[2]):
        if end <= int(now):
            memory.zrem(names[2], member)
    own = [member for member, _ in memory.rows(names[2])]
    if code not in own and len(own) >= int(most):
        return None
    memory.zadd(names[0], until, code)
    memory.zadd(names[2], until, code)
    memory.hash(names[1])[code] = text
    for name in names:
        memory.expire(name, life)
    return None


def drop_open_room(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Delete the registration of an open room."""
    memory.zrem(names[0], given[0])
    memory.run("HDEL", [names[1], given[0]])
    return None


def list_open_rooms(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Return what is listed of the open rooms."""
    now, most = map(int, given)
    for code, until in memory.rows(names[0]):
        if until <= now:
            drop_open_room(memory, names, [code])
    codes = [code for code, _ in reversed(memory.rows(names[0]))][:most]
    return [memory.run("HGET", [names[1], code]) for code in codes]


def pair(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Take an offered quick match, or offer another one."""
    now, until, code, life = given
    for member, end in memory.rows(names[0]):
        if end <= int(now):
            memory.zrem(names[0], member)
    offered = memory.rows(names[0])
    if offered:
        memory.zrem(names[0], offered[0][0])
        return offered[0][0]
    return offer(memory, names, [until, code, life]) or code


def offer(memory: Memory, names: list[str], given: list[str]) -> Reply:
    """Offer a quick match."""
    until, code, life = given
    memory.zadd(names[0], until, code)
    memory.expire(names[0], life)
    return None


SCRIPTS: dict[Script, Function] = {
    accounts_store._OFFER_CODE: offer_code,
    accounts_store._KEEP_CODE: keep_code,
    accounts_store._USE_CODE: use_code,
    accounts_store._KEEP_PASSKEY: keep_passkey,
    accounts_store._PUT_PASSKEY: put_passkey,
    accounts_store._USE_PASSKEY: use_passkey,
    accounts_store._DROP_PASSKEY: drop_passkey,
    accounts_store._OFFER: offer_device,
    accounts_store._TAKE: take_device,
    accounts_store._SIGN_OUT: sign_out,
    accounts_store._BURY: bury,
    accounts_store._FORGET: forget,
    journals_store._APPEND: append,
    journals_store._APPEND_WITH: append_with,
    database._KEEP_FIRST: keep_first,
    deals_store._KEEP: keep_deal,
    deals_store._SEAL: seal_deal,
    pool_store._REPLACE: replace_pooled,
    store_format._RAISE: raise_format,
    keyring_store._CHANGE: change_keyring,
    leaderboards_store._PLACE: place,
    histories_store._CHANGE: change_history,
    leaderboards_store._PAGE: page,
    leaderboards_store._AROUND: around,
    leaderboards_store._AMONG: among,
    moderation_store._RECORD: record_act,
    moderation_store._BAR: bar,
    moderation_store._HIDE_NAME: hide_name,
    suspicions_store._FIRST: first_with,
    dailies_store._BEGIN: begin_daily,
    suspicions_store._ADD: add_suspicion,
    suspicions_store._MEDIAN_WIN: median_win,
    nodes_store._RENEW: renew_node,
    sweepers_store._RENEW: renew_sweeper,
    lobby_store._PUT: put_open_room,
    lobby_store._DROP: drop_open_room,
    lobby_store._LIST: list_open_rooms,
    outbox_store._DROP_DUE: drop_due,
    players._KEEP_NAME: keep_name,
    players._TAKE_RENAME: take_rename,
    players._ADD_SESSION: add_session,
    quick_matches_store._PAIR: pair,
    quotas_store._CHARGE: charge,
    quick_matches_store._OFFER: offer,
    race_records_store._DECIDE: decide_race,
    race_records_store._TAKE_BACK: take_back,
    met_store._MEET: meet,
    rooms_store._ENTER: enter,
    rooms_store._ENTER_ROOM: enter_room,
    rooms_store._EXTEND: extend_room,
    rooms_store._LEAVE_ROOM: leave_room,
    held_store._LIST: list_holder,
    held_store._FORGET: forget_holder,
    held_store._NOTE: note_player,
    held_store._CLEAR_ROOM: clear_room,
    held_store._CLEAR_PLAYER: clear_player,
}
"""The functions by script."""
