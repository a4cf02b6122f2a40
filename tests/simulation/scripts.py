"""Lua in the simulated Redis: the server's own scripts on the simulated commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

from lupa.lua51 import LuaRuntime, lua_type

from tests.simulation.memory import Error, Memory, Reply


class _Lua:
    """The runtime with `redis.call`; `memory` belongs to the running script.

    Lua has bytes; the memory has text, with surrogates in place of invalid UTF-8.
    """

    def __init__(self) -> None:
        self.memory: Memory | None = None
        self._runtime: Any = LuaRuntime(encoding=None)
        self.table = self._runtime.table_from
        self._runtime.globals()[b"redis"] = self.table({b"call": self._call, b"pcall": self._pcall})
        self._runtime.globals()[b"cjson"] = self.table({b"decode": self._decode})

    @cache  # noqa: B019 - there is only one of it
    def function(self, text: str) -> Callable[[object, object], object]:
        """Return the function of a script's text."""
        made: Callable[[object, object], object] = self._runtime.eval(
            b"function(KEYS, ARGV) %s\nend" % text.encode()
        )
        return made

    def _call(self, name: bytes, *given: bytes | float) -> object:
        assert self.memory is not None
        return self._value(self.memory.run(name.decode(), [_word(each) for each in given]))

    def _pcall(self, name: bytes, *given: bytes | float) -> object:
        try:
            return self._call(name, *given)
        except Error as error:
            return self.table({b"err": str(error).encode()})

    def _decode(self, text: bytes) -> object:
        """Return JSON of arrays and strings as tables."""

        def table(given: Any) -> object:
            return self.table(map(table, given)) if isinstance(given, list) else given.encode()

        return table(json.loads(text))

    def _value(self, reply: Reply) -> object:
        """Return a reply as RESP2, the format that scripts see."""
        match reply:
            case Error():
                raise reply
            case None:
                return False
            case str():
                return reply.encode("utf-8", "surrogateescape")
            case float():
                return b"%.17g" % reply
            case dict():
                reply = [part for pair in reply.items() for part in pair]
            case [[_, float()], *_]:
                reply = [part for row in reply for part in row]
        return self.table(map(self._value, reply)) if isinstance(reply, list) else reply


_LUA = _Lua()


def run(memory: Memory, text: str, names: list[str], given: list[str]) -> Reply:
    _LUA.memory = memory
    words = ([each.encode("utf-8", "surrogateescape") for each in part] for part in (names, given))
    try:
        return _reply(_LUA.function(text)(*map(_LUA.table, words)))
    except Error as error:
        return error
    finally:
        # It would keep the whole race.
        _LUA.memory = None


def _word(given: bytes | float) -> str:
    return given.decode("utf-8", "surrogateescape") if isinstance(given, bytes) else f"{given:.17g}"


def _reply(value: Any) -> Reply:
    if lua_type(value) == "table":
        replies: list[Reply] = []
        while (each := value[len(replies) + 1]) is not None:
            replies.append(_reply(each))
        return replies
    match value:
        case False | None:
            return None
        case bytes():
            return value.decode("utf-8", "surrogateescape")
    return int(value)
