"""Webhook messages: the same content for each kind of server."""

from __future__ import annotations

import json
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.base.outbound.core.webhook import MAX_LINES, Form, Message, body

LINK = "https://play.example.org/#/circle/abc"
MESSAGE = Message("Today in Owls", ("1. Ada: 71 points, 4:12", "2. Bob: 64 points"), LINK)
ISOLATES = "\u2066\u2067\u2068"
POP = "\u2069"
FORMS: tuple[Form, ...] = ("discord", "slack", "json")


def test_a_message_to_discord() -> None:
    lines = "1\\. Ada\\: 71 points, 4\\:12\n2\\. Bob\\: 64 points"
    assert json.loads(body("discord", MESSAGE)) == {
        "content": f"**Today in Owls**\n{lines}\n<{LINK}>",
        "allowed_mentions": {"parse": []},
        "flags": 4,
    }


def test_a_message_to_slack() -> None:
    found = json.loads(body("slack", MESSAGE))
    texts = [(block["text"]["type"], block["text"]["text"]) for block in found["blocks"]]
    assert texts == [
        ("plain_text", "Today in Owls"),
        ("plain_text", "1. Ada: 71 points, 4:12\n2. Bob: 64 points"),
        ("mrkdwn", f"<{LINK}>"),
    ]
    assert (found["text"], found["mrkdwn"]) == ("Today in Owls", False)


def test_a_message_in_plain_json() -> None:
    found = json.loads(body("json", MESSAGE))
    assert found == {"title": MESSAGE.title, "lines": list(MESSAGE.lines), "link": LINK}


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("@everyone", "\\@everyone"),
        ("<@123456>", "\\<\\@123456\\>"),
        ("<!channel>", "\\<!channel\\>"),
        ("**bold** _it_ ~~s~~ ||x||", "\\*\\*bold\\*\\* \\_it\\_ \\~\\~s\\~\\~ \\|\\|x\\|\\|"),
        ("[a](https://evil.org)", "\\[a\\]\\(https\\://evil.org\\)"),
        ("# Title", "\\# Title"),
        ("`code`", "\\`code\\`"),
        ("a\nb\u202ec\x00", "a bc"),
    ],
)
def test_a_name_has_no_markup_on_discord(name: str, shown: str) -> None:
    content = json.loads(body("discord", Message("T", (name,), LINK)))["content"]
    assert content.split("\n")[1] == shown


def test_a_name_is_no_mention_in_slacks_summary() -> None:
    found = json.loads(body("slack", Message("<!channel> & <@U1>", (), LINK)))
    assert found["text"] == "&lt;!channel&gt; &amp; &lt;@U1&gt;"
    assert len(found["blocks"]) == 2


texts_of_anything = st.text(max_size=400) | st.text(f"{ISOLATES}{POP}ab\u05d0 ", max_size=400)


@pytest.mark.parametrize("form", FORMS)
def test_a_right_to_left_name_keeps_the_score_after_it(form: Form) -> None:
    lines = ("1. \u2068\u05e0\u05d5\u05e2\u05d4\u2069: 71 points", "2. Bob: 64 points")
    shown = json.loads(body(form, Message("\u2068\u0628\u2069: 2026-11-29", lines, LINK)))
    text = json.dumps(shown, ensure_ascii=False).replace("\\", "")
    assert all(each in text for each in (*lines, "\u2068\u0628\u2069: 2026-11-29"))


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("\u2068ab", "\u2068ab\u2069"),
        ("ab\u2069c", "abc"),
        ("\u2068a\u2067b\u2069c\u2069d\u2069", "\u2068abc\u2069d"),
        ("a\u2066" + "b" * 200, "a\u2066" + "b" * 115 + "…\u2069"),
        ("a" * 200, "a" * 117 + "…"),
        ("a" * 119, "a" * 119),
    ],
)
def test_isolates_end_on_their_line(line: str, shown: str) -> None:
    assert json.loads(body("json", Message("T", (line,), LINK)))["lines"] == [shown]


@given(texts_of_anything, st.lists(texts_of_anything, max_size=40), st.sampled_from(FORMS))
def test_every_message_fits_and_has_one_link_and_no_control_characters(
    title: str, lines: list[str], form: Form
) -> None:
    found = body(form, Message(title, tuple(lines), LINK))
    assert len(found) <= 16_384
    text = found.decode()
    assert text.count(LINK) == 1
    shown = json.loads(text)
    match form:
        case "discord":
            assert len(shown["content"]) <= 2_000
            texts = shown["content"].split("\n")
            assert len(texts) <= MAX_LINES + 3
        case "slack":
            texts = [
                line for block in shown["blocks"] for line in block["text"]["text"].split("\n")
            ]
            assert all(len(block["text"]["text"]) <= 3_000 for block in shown["blocks"])
        case "json":
            texts = [shown["title"], *shown["lines"]]
    for line in texts:
        assert not re.search(f"[{ISOLATES}][^{POP}]*$|^[^{ISOLATES}]*{POP}", line)
        hidden = (each for each in line if unicodedata.category(each).startswith("C"))
        assert set(hidden) <= {*ISOLATES, POP}
