"""A circle's members, link and bounded state."""

from __future__ import annotations

import msgspec
import pytest

from server.base.core.ids import DealId, PlayerId
from server.base.work.signal import Signal
from server.circles.core import circle as circles
from server.circles.core import commands
from server.circles.core.events import ChallengeAdded, Emoted, Left, Webhook
from server.circles.journal import CircleDefinition, decode
from tests.builders import ADA, BOB, CYD, DAN, START, refusal_of
from tests.circles.core.circles import CIRCLE, OTHER_SECRET, SECRET, circle_of, founded, then


def test_only_a_link_holder_can_join_and_only_once() -> None:
    circle = circle_of(BOB)
    assert circle.players == [ADA, BOB]
    assert commands.join(circle, BOB, OTHER_SECRET, START) is None, "members stay members"
    assert refusal_of(lambda: commands.join(circle, CYD, OTHER_SECRET, START)) == "unknown_circle"
    assert circle.link == CIRCLE + SECRET


def test_a_renewed_link_invalidates_the_old_one() -> None:
    circle = circle_of(BOB)
    circle = then(circle, commands.renew_link(circle, ADA, OTHER_SECRET, START))
    assert refusal_of(lambda: commands.join(circle, CYD, SECRET, START)) == "unknown_circle"
    circle = then(circle, commands.join(circle, CYD, OTHER_SECRET, START))
    assert circle.member(CYD)


def test_a_full_circle_refuses_another_member() -> None:
    circle = circle_of(*(PlayerId(f"p{n:015}") for n in range(circles.MAX_MEMBERS - 1)))
    assert circle.full
    assert refusal_of(lambda: commands.join(circle, BOB, SECRET, START)) == "circle_full"
    assert refusal_of(lambda: commands.join(circle, BOB, OTHER_SECRET, START)) == "unknown_circle"


def test_if_the_owner_leaves_the_longest_standing_member_owns_it() -> None:
    circle = circle_of(BOB, CYD)
    circle = then(circle, commands.leave(circle, ADA, START))
    assert (circle.owner, circle.players) == (BOB, [BOB, CYD])


def test_the_circle_is_deleted_when_the_last_member_leaves() -> None:
    circle = founded()
    circle = then(circle, commands.leave(circle, ADA, START))
    assert circle.deleted
    assert (circle.name, circle.secret, circle.former) == ("", "", ())
    assert refusal_of(lambda: commands.join(circle, ADA, SECRET, START)) == "unknown_circle"


def test_a_removed_member_cannot_rejoin_by_the_old_link() -> None:
    circle = circle_of(BOB, CYD)
    assert refusal_of(lambda: commands.remove(circle, BOB, CYD, OTHER_SECRET, START)) == "not_owner"
    circle = then(circle, commands.remove(circle, ADA, CYD, OTHER_SECRET, START))
    assert circle.players == [ADA, BOB]
    assert refusal_of(lambda: commands.join(circle, CYD, SECRET, START)) == "unknown_circle"
    assert commands.remove(circle, ADA, CYD, SECRET, START) is None
    assert commands.remove(circle, ADA, ADA, SECRET, START) is None


def test_an_owner_can_transfer_ownership_only_to_a_member() -> None:
    circle = circle_of(BOB)
    assert refusal_of(lambda: commands.hand_over(circle, ADA, CYD, START)) == "not_member"
    circle = then(circle, commands.hand_over(circle, ADA, BOB, START))
    assert circle.owner == BOB
    assert refusal_of(lambda: commands.rename(circle, ADA, "Mine", START)) == "not_owner"


@pytest.mark.parametrize(
    "command",
    [
        lambda c: commands.leave(c, DAN, START),
        lambda c: commands.mute(c, DAN, True, START),
        lambda c: commands.emote(c, DAN, "joined:x:1", 1, START),
        lambda c: commands.remove(c, DAN, BOB, SECRET, START),
        lambda c: commands.hand_over(c, DAN, DAN, START),
        lambda c: commands.rename(c, DAN, "Mine", START),
        lambda c: commands.renew_link(c, DAN, SECRET, START),
        lambda c: commands.set_season(c, DAN, 4, START),
        lambda c: commands.set_league(c, DAN, None, START),
        lambda c: commands.set_webhook(c, DAN, None, START),
        lambda c: commands.delete(c, DAN, START),
    ],
)
def test_non_members_are_refused_as_if_the_circle_did_not_exist(command: object) -> None:
    assert callable(command)
    assert refusal_of(lambda: command(circle_of(BOB))) == "unknown_circle"


def test_a_command_without_effect_appends_nothing() -> None:
    circle = circle_of(BOB)
    assert commands.mute(circle, BOB, False, START) is None
    assert commands.rename(circle, ADA, "Friends", START) is None
    assert commands.set_season(circle, ADA, None, START) is None
    assert commands.set_league(circle, ADA, None, START) is None
    assert commands.set_webhook(circle, ADA, None, START) is None
    assert commands.emote(circle, ADA, "joined:x:1", None, START) is None
    assert commands.erase(circle, CYD, START) is None


def test_a_member_has_one_emote_per_item_and_leaving_removes_all() -> None:
    circle, item = circle_of(BOB), "season:1"
    for emote in (1, 2):
        circle = then(circle, commands.emote(circle, BOB, item, emote, START))
    assert circle.emotes == {item: {BOB: 2}}
    circle = then(circle, commands.emote(circle, ADA, item, 3, START))
    assert commands.emote(circle, ADA, item, 3, START) is None
    assert then(circle, commands.leave(circle, BOB, START)).emotes == {item: {ADA: 3}}
    circle = then(circle, commands.emote(circle, ADA, item, None, START))
    circle = then(circle, commands.emote(circle, BOB, item, None, START))
    assert circle.emotes == {}


def test_the_oldest_emotes_are_dropped_first() -> None:
    circle = founded()
    for number in range(circles.MAX_EMOTES + 1):
        circle = then(circle, Emoted(ADA, f"season:{number}", 1, START))
    assert len(circle.emotes) == circles.MAX_EMOTES
    assert "season:0" not in circle.emotes


def test_muting_affects_only_the_member() -> None:
    circle = circle_of(BOB)
    circle = then(circle, commands.mute(circle, BOB, True, START))
    assert [each.muted for each in circle.members] == [False, True]


def test_former_members_are_not_kept_without_seasons() -> None:
    circle = circle_of(BOB)
    assert then(circle, commands.leave(circle, BOB, START)).former == ()


def test_the_number_of_former_members_kept_is_limited() -> None:
    circle = founded()
    circle = then(circle, commands.set_season(circle, ADA, 1, START))
    at = circle.season.ends + 1 if circle.season else 0
    for number in range(circles.MAX_FORMER + 3):
        player = PlayerId(f"p{number:015}")
        circle = then(circle, commands.join(circle, player, SECRET, START))
        circle = then(circle, Left(player, at))
    assert (len(circle.former), circle.former[0].player) == (circles.MAX_FORMER, "p000000000000003")


def test_deleted_players_are_never_kept() -> None:
    circle = circle_of(BOB)
    circle = then(circle, commands.set_season(circle, ADA, 1, START))
    assert circle.season
    circle = then(circle, commands.leave(circle, BOB, circle.season.ends + 1))
    assert [each.player for each in circle.former] == [BOB]
    circle = then(circle, commands.erase(circle, BOB, circle.at + 1))
    assert (circle.former, circle.players) == ((), [ADA])


def added(number: int, at: int) -> ChallengeAdded:
    """Return the event for a challenge of Ada that is open for a second."""
    deal = DealId(f"d{number:015}")
    return ChallengeAdded(f"c{number:015}", ADA, "robert", deal, at + 1_000, at)  # type: ignore[arg-type]


def test_members_challenges_are_kept_for_a_limited_time() -> None:
    circle = founded()
    first = added(0, START)
    circle = then(circle, commands.add_challenge(circle, first))
    assert commands.add_challenge(circle, first) is None
    for number in range(1, circles.MAX_CHALLENGES + 1):
        circle = then(circle, added(number, START))
    assert len(circle.challenges) == circles.MAX_CHALLENGES
    circle = then(circle, added(99, START + circles.SHOWN_MS + 1_001))
    assert [each.challenge for each in circle.challenges] == [added(99, START).challenge]


def test_a_checkpoint_round_trips_the_whole_state() -> None:
    circle = circle_of(BOB, CYD)
    circle = then(circle, commands.set_season(circle, ADA, 2, START))
    circle = then(circle, commands.set_webhook(circle, ADA, Webhook("sealed", "slack"), START))
    circle = then(circle, commands.emote(circle, BOB, "season:1", 1, START))
    text = msgspec.json.encode(circles.Checkpoint(circle, circle.at)).decode()
    after = circles.fold(None, decode(text))
    assert after.begin == after.version == circle.version + 1
    assert after == circles.fold(circle, decode(text))
    assert (after.members, after.season, after.emotes) == (
        circle.members,
        circle.season,
        circle.emotes,
    )


def test_scheduled_work_does_not_extend_a_circles_lifetime() -> None:
    definition = CircleDefinition(CIRCLE, Signal())
    circle = founded()
    set_ = commands.set_season(circle, ADA, 1, START + 5)
    assert set_ is not None
    after = then(circle, set_)
    append = definition.append(circle, after, set_, 2)
    assert append.expires == after.used + 400 * 86_400_000
    assert append.due is not None
    assert append.due[1] == after.due
    assert after.season
    over = definition.due(after, after.season.settled)
    assert over is not None
    closed = circles.fold(after, over)
    assert definition.append(after, closed, over, 3).expires is None
    assert definition.due(after, after.season.settled - 1) is None
    gone = commands.delete(closed, ADA, closed.at)
    assert gone is not None
    deleted = then(closed, gone)
    append = definition.append(closed, deleted, gone, 4)
    assert append.expires == deleted.at + 3_600_000
    assert append.due is not None
    assert append.due[1] is None
