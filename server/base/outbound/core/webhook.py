"""Bodies for webhooks: one message in the formats of several kinds of servers.

A message contains players' names, which must be shown literally: they must not create mentions,
markup or links. The only link is the message's own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, Literal

import msgspec
from msgspec import Struct

Form = Literal["discord", "slack", "json"]

MAX_LINES: Final = 25
MAX_TITLE: Final = 150
# Maximum lines, and maximum characters of the title and of a line. All supported servers accept as
# much.
MAX_LINE: Final = 119

_MARKDOWN: Final = re.compile(r"([\\`*_~|<>\[\]()#@:+-]|(?<=\A\d)\.|(?<=\A\d\d)\.)")
_SLACK_ENTITIES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_INVISIBLE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})

_ISOLATES: Final = "\N{LEFT-TO-RIGHT ISOLATE}\N{RIGHT-TO-LEFT ISOLATE}\N{FIRST STRONG ISOLATE}"
_POP: Final = "\N{POP DIRECTIONAL ISOLATE}"

_SUPPRESS_EMBEDS: Final = 4

_encode = msgspec.json.encode


class Message(Struct, frozen=True):
    """A message to a webhook."""

    title: str
    lines: tuple[str, ...]  # possibly none
    link: str  # a URL of this site


def body(form: Form, message: Message) -> bytes:
    """Return the body (JSON) of a message, at most 16 kB."""
    title = _line(message.title, MAX_TITLE)
    lines = [_line(line, MAX_LINE) for line in message.lines[:MAX_LINES]]
    match form:
        case "discord":
            return _encode(_discord(title, lines, message.link))
        case "slack":
            return _encode(_slack(title, lines, message.link))
        case "json":
            return _encode({"title": title, "lines": lines, "link": message.link})


def _line(text: str, most: int) -> str:
    """Return a text as one line of visible characters, truncated if it is too long."""
    shown = "".join(" " if each in "\n\r\t" else each for each in text)
    shown = " ".join("".join(_visible(shown)).split())
    if len(shown) > most:
        shown = f"{shown[: most - 2]}…"
    # Isolates prevent a right-to-left name from reordering the adjacent text. They must be closed
    # within the line.
    is_open = sum(map(shown.count, _ISOLATES)) > shown.count(_POP)
    return shown + _POP if is_open else shown


def _visible(text: str) -> Iterator[str]:
    depth = 0
    for each in text:
        if each in _ISOLATES:
            depth += 1
            if depth == 1:
                yield each
        elif each == _POP:
            if depth == 1:
                yield each
            depth = max(0, depth - 1)
        elif unicodedata.category(each) not in _INVISIBLE:
            yield each


def _discord(title: str, lines: list[str], link: str) -> object:
    # A margin below Discord's limit of 2,000 characters.
    left = 1_900 - len(link)
    text: list[str] = []
    for at, line in enumerate([title, *lines]):
        escaped = _MARKDOWN.sub(r"\\\1", line)
        shown = f"**{escaped}**" if at == 0 else escaped
        # The limit applies to the escaped text.
        left -= len(shown) + 1
        if left < 0:
            text.append("…")
            break
        text.append(shown)
    content = "\n".join([*text, f"<{link}>"])
    # Prevents mentions, whatever a name contains.
    return {"content": content, "allowed_mentions": {"parse": []}, "flags": _SUPPRESS_EMBEDS}


def _slack(title: str, lines: list[str], link: str) -> object:
    blocks = [_plain(title), *([_plain("\n".join(lines))] if any(lines) else [])]
    blocks.append({"type": "section", "text": {"type": "mrkdwn", "text": f"<{link}>"}})
    fallback = title.translate(_SLACK_ENTITIES)
    return {"text": fallback, "mrkdwn": False, "unfurl_links": False, "blocks": blocks}


def _plain(text: str) -> dict[str, object]:
    inner = {"type": "plain_text", "text": text or " ", "emoji": False}
    return {"type": "section", "text": inner}
