"""The simulated Redis server: commands, replies and pub/sub."""

from __future__ import annotations

from hashlib import sha1
from typing import Any, Protocol

from tests.simulation import scripts
from tests.simulation.memory import Error, Memory, Reply


class Connection(Protocol):
    """The server's end of a connection."""

    def push(self, topic: str, frame: bytes) -> None:
        """Deliver a message published to a topic."""


class Push(list[Any]):
    """A push message of RESP3."""


class Redis:
    """One server. Subscriptions end with their connections; `memory` can be restored."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self._loaded: dict[str, str] = {}
        self._subscribers: dict[str, dict[Connection, None]] = {}

    def forget(self, connection: Connection) -> None:
        """Remove the subscriptions of a lost connection."""
        for subscribers in self._subscribers.values():
            subscribers.pop(connection, None)

    def answer(self, connection: Connection, command: list[bytes]) -> bytes:
        """Carry out a command and return its encoded reply."""
        name, *given = [word.decode("utf-8", "surrogateescape") for word in command]
        if name in {"SUBSCRIBE", "UNSUBSCRIBE"}:
            return b"".join(self._subscribed(connection, name.lower(), topic) for topic in given)
        return _encoded(self._reply(name, given, command))

    def _reply(self, name: str, given: list[str], command: list[bytes]) -> Reply:
        reply: Reply
        match name:
            case "HELLO":
                reply = {"server": "redis", "version": "7.2.0", "proto": 3, "role": "master"}
            case "CLIENT" | "PING":
                reply = "OK"
            case "PUBLISH":
                reply = self._published(given[0], command[2])
            case "SCRIPT":
                reply = _digest(given[1])
                self._loaded[reply] = given[1]
            case "EVAL":
                self._loaded[_digest(given[0])] = given[0]
                reply = self._run(given[0], given[1:])
            case "EVALSHA" if given[0] not in self._loaded:
                reply = Error("NOSCRIPT No matching script.")
            case "EVALSHA":
                reply = self._run(self._loaded[given[0]], given[1:])
            case _:
                reply = self.memory.run(name, given)
        return reply

    def _run(self, text: str, given: list[str]) -> Reply:
        count = int(given[0])
        return scripts.run(self.memory, text, given[1 : count + 1], given[count + 1 :])

    def _subscribed(self, connection: Connection, kind: str, topic: str) -> bytes:
        subscribers = self._subscribers.setdefault(topic, {})
        if kind == "subscribe":
            subscribers[connection] = None
        else:
            subscribers.pop(connection, None)
        return _encoded(Push([kind, topic, 1]))

    def _published(self, topic: str, payload: bytes) -> int:
        subscribers = list(self._subscribers.get(topic, ()))
        for subscriber in subscribers:
            subscriber.push(topic, _encoded(Push(["message", topic, payload])))
        return len(subscribers)


def _digest(text: str) -> str:
    return sha1(text.encode(), usedforsecurity=False).hexdigest()


def _encoded(reply: Reply) -> bytes:
    match reply:
        case None:
            sent = b"_\r\n"
        case Error():
            sent = b"-%s\r\n" % str(reply).encode()
        case int():
            sent = b":%d\r\n" % reply
        case float():
            sent = b",%d\r\n" % reply
        case bytes():
            sent = b"$%d\r\n%s\r\n" % (len(reply), reply)
        case str():
            sent = _encoded(reply.encode("utf-8", "surrogateescape"))
        case dict():
            pairs = (_encoded(each) for pair in reply.items() for each in pair)
            sent = b"%%%d\r\n%s" % (len(reply), b"".join(pairs))
        case _:
            kind = b">" if isinstance(reply, Push) else b"*"
            sent = b"%s%d\r\n%s" % (kind, len(reply), b"".join(map(_encoded, reply)))
    return sent
