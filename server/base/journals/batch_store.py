"""Batches of appends to journals: the script that appends the entries, and its command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from server.base.core import keys
from server.base.journals.core.entry import Append, is_checkpoint
from server.base.redis.handshake import pack
from server.base.redis.scripts import Argument, Script

APPEND: Final = Script("""
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
if now - ARGV[1] > tonumber(ARGV[3]) or ARGV[2] - now > tonumber(ARGV[3]) then
  return 'mistimed'
end
local function follows(key, number, previous)
  local length = redis.call('XLEN', key)
  if length == number - 1 and previous == '' then return true end
  local last = redis.call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
  if not last or last[1] ~= '0-' .. (number - 1) then return false end
  if previous ~= '' and last[2][2] ~= previous then return false end
  if length == number - 1 then return true end
  local first = redis.call('XRANGE', key, '-', '+', 'COUNT', 1)[1]
  return first[1] == '0-' .. (number - length)
    and string.find(first[2][2], '{"type":"checkpoint",', 1, true) == 1
end
local appended = {}
for i = 1, tonumber(ARGV[4]) do
  local key, number, text, more = KEYS[i], unpack(ARGV, 3 * i + 2, 3 * i + 4)
  local previous, commands, earlier = '', {}, {}
  if more ~= '' then previous, commands, earlier = unpack(cjson.decode(more)) end
  appended[i] = 0
  if follows(key, number, previous) then
    local added = ''
    for _, entry in ipairs(earlier) do
      if type(added) == 'string' then
        added = redis.pcall('XADD', key, '0-' .. number, 'e', entry)
      end
      number = number + 1
    end
    if type(added) == 'string' then
      added = redis.pcall('XADD', key, '0-' .. number, 'e', text)
    end
    if type(added) == 'string' then
      for _, command in ipairs(commands) do redis.call(unpack(command)) end
      appended[i] = 1
    elseif not string.find(added.err, 'ID specified', 1, true) then
      return added
    end
  end
end
return appended
""")
"""Append one entry to each of several journals, if Redis's time is near that of the decisions.

An entry is appended if it is the next one and no earlier one is missing, except before a
checkpoint. Further entries can precede it in the same append, and its additional commands are
executed last. After a checkpoint, the stream's length does not determine the next number, and XADD
refuses a wrong one. Comparing the previous entry's text, where given, takes Redis 2.5 µs in
addition to the 2 µs of an entry. One script per batch is cheaper for Redis than one XADD per entry.
"""

_FIXED: Final = 7
"""The parts of its command without keys and entries: see `Script.call` and `command_of`."""
_PER_ENTRY: Final = 4
"""The parts for each entry: its key, number and text, and further writes."""
_LONG: Final = 256
"""The minimum size in bytes of a part that is packed by hiredis."""
_SIZES: Final = tuple(f"${size}\r\n" for size in range(_LONG))
"""The header of a part in the Redis protocol, by the part's size in bytes."""

Done = Callable[[int | Exception], None]
"""The callback of an append. It gets the generation of the connection on which the entry was
acknowledged, or else a `ConflictError`, a `MistimedError`, or an `UnavailableError` if the entry
may or may not be written."""

Sent = tuple[Append, int, int, str, Done]
"""The arguments of `JournalStore.append`."""

_encode = msgspec.json.Encoder().encode


def packed(batch: list[Sent], tolerance: int) -> bytes:
    """Return the packed command to append a batch of entries in one slot: see `command_of`."""
    return _plain(batch, tolerance) or pack(*command_of(batch, tolerance))


def _plain(batch: list[Sent], tolerance: int) -> bytes:
    """Return the command to append a batch like most; empty bytes for any other.

    For one entry, `pack` takes three times as long, and was a tenth of a move's instructions.
    """
    names = entries = ""
    earliest = latest = batch[0][1]
    for append, now, generation, _, _ in batch:
        if append.partition is not None or not generation:
            # It needs further commands or a comparison.
            return b""
        key, number, text = append.key, str(append.number), append.payload
        if len(key) >= _LONG or len(text) >= _LONG:
            return b""
        if now < earliest:
            earliest = now
        elif now > latest:
            latest = now
        names += f"{_SIZES[len(key)]}{key}\r\n"
        entries += f"{_SIZES[len(number)]}{number}\r\n{_SIZES[len(text)]}{text}\r\n$0\r\n\r\n"
    count, first, limit = str(len(batch)), str(earliest), str(tolerance)
    last = first if latest == earliest else str(latest)
    counted = f"{_SIZES[len(count)]}{count}\r\n"
    command = (
        f"*{_FIXED + _PER_ENTRY * len(batch)}\r\n$7\r\nEVALSHA\r\n$40\r\n{APPEND.digest}\r\n"
        f"{counted}{names}{_SIZES[len(first)]}{first}\r\n{_SIZES[len(last)]}{last}\r\n"
        f"{_SIZES[len(limit)]}{limit}\r\n{counted}{entries}"
    )
    # The lengths are in bytes.
    return command.encode() if command.isascii() else b""


def command_of(batch: list[Sent], tolerance: int) -> tuple[Argument, ...]:
    """Return the command to append a batch of entries in one slot.

    Args:
        batch: the entries.
        tolerance: the maximum milliseconds between Redis's time and those of the decisions.
    """
    names = [append.key for append, _, _, _, _ in batch]
    times = [now for _, now, _, _, _ in batch]
    given: list[Argument] = []
    for append, _, generation, previous, _ in batch:
        more: Argument = ""
        # Most appends need neither a comparison nor further commands, and stay short.
        if append.partition is not None or not generation:
            touched, commands = _written_with(append)
            names += touched
            more = _encode(("" if generation else previous, commands, append.earlier))
        given += append.number - len(append.earlier), append.payload, more
    return APPEND.call(names, min(times), max(times), tolerance, len(batch), *given)


def _written_with(append: Append) -> tuple[list[str], list[tuple[str, ...]]]:
    """Return the additional keys and commands written with an entry."""
    # While a slot is moved, a script waits until all its keys are on one server, so unneeded keys
    # are not passed.
    names: list[str] = []
    commands: list[tuple[str, ...]] = []
    partition = append.partition
    if partition is None:
        return names, commands
    if is_checkpoint(append.payload):
        commands.append(("XTRIM", append.key, "MINID", f"0-{append.number}"))
    if append.expires is not None:
        commands.append(("PEXPIREAT", append.key, str(append.expires)))
    if append.effect is not None:
        names.append(keys.outbox(partition))
        commands.append(("HSET", names[-1], *append.effect))
    if append.due is not None:
        names.append(keys.due(partition))
        due, at = append.due
        is_over = at is None
        commands.append(
            ("ZREM", names[-1], due.member) if is_over else ("ZADD", names[-1], str(at), due.member)
        )
    if append.beside is not None:
        key, text, expires = append.beside
        names.append(key)
        commands.append(("SET", key, text, "PXAT", str(expires)))
    if append.placed is not None:
        key, scores, expires = append.placed
        names.append(key)
        flat = [part for member, score in scores for part in (str(score), member)]
        if scores:
            commands.append(("ZADD", key, *flat))
        commands.append(("PEXPIREAT", key, str(expires)))
    return names, commands
