"""Refusals: a code and a message that explain why a command was not executed."""

from __future__ import annotations

from typing import Final

from engine.errors import EngineError

SENTENCES: Final = {
    "bad_message": "This is not a message of the protocol.",
    "hello_first": "A session begins with one hello.",
    "bad_version": "The server does not speak this version of the protocol.",
    "bad_token": "This token is not valid, or not any more.",
    "barred": "You can't play here for now.",
    "bad_name": "A name has 1 to 20 letters, digits, spaces or simple signs.",
    "name_reserved": "This name is for those who run the game.",
    "name_offensive": "Please choose a name that is kind to everybody.",
    "name_too_soon": "You have changed your name often lately. Please wait a little.",
    "name_hidden": "Your name is hidden for now, and can't be changed.",
    "bad_code": "This code is wrong, has been used, or is too old.",
    "bad_passkey": "No player here has this passkey, or it took too long.",
    "too_many_passkeys": "You have as many passkeys as one may have.",
    "confirm_first": "Please show your recovery code or one of your passkeys first.",
    "last_credential": "Keep one passkey or the recovery code, or else nobody can sign in.",
    "no_passkeys": "This server does not know its address, so it has no passkeys.",
    "not_kept": "Keep your name by a passkey or a recovery code first.",
    "too_many_bots": "You have as many bots as one may have.",
    "unknown_bot": "You have no such bot.",
    "not_for_bots": "Bots play in private rooms, where somebody lets them in.",
    "too_fast": "These are more commands than the server takes. Please slow down.",
    "unknown_game": "There is no such game.",
    "unknown_variant": "This game has no such variant.",
    "bad_ruleset": "These rules cannot be played.",
    "listed_only": "Circles play by the rules that everybody knows.",
    "bad_deck": "These are not the cards of this game.",
    "bad_seed": "This is no deal.",
    "unknown_room": "There is no room with this code.",
    "room_full": "Every seat in this room is taken.",
    "room_locked": "The host has locked this room.",
    "room_closed": "This room is closed.",
    "removed": "The host has removed you from this room.",
    "not_seated": "This player has no seat in this room.",
    "not_host": "Only the host may do that.",
    "no_host": "Nobody runs a quick match: it is played as it was asked for.",
    "players_away": "Not everybody is here yet.",
    "not_ready": "Not everybody has agreed to another round yet.",
    "nobody_plays": "Everybody sits out.",
    "round_running": "The round must be over first.",
    "not_invited": "Only members of this room and those with its watch link can watch.",
    "still_racing": "You are still in this round. You can watch when you are done.",
    "too_many_watchers": "Too many people are watching already.",
    "not_started": "The round has not begun yet.",
    "unknown_attempt": "You have no such attempt.",
    "unknown_rules": "This game was begun by rules that the server does not know.",
    "unknown_format": "This was stored by a newer release of the server.",
    "seed_not_opened": "The server lacks the key to this deal.",
    "entries_lost": "The server has lost a part of this.",
    "bad_move": "This is not a move of this game.",
    "illegal_move": "The rules do not allow this move here.",
    "attempt_ended": "This attempt is over.",
    "too_many_moves": "This attempt has no moves left. You can still give up.",
    "no_help": "Here, everybody plays without this help.",
    "nothing_to_undo": "There is no move to take back.",
    "no_daily": "There is no daily of this game today.",
    "already_played": "You have played this already.",
    "too_many_starts": "Too many players at your address have begun this daily.",
    "address_full": "There is a lot going on where you are. Please try again a little later.",
    "unknown_day": "There is no leaderboard for this day.",
    "unknown_board": "There is no such leaderboard.",
    "unknown_deal": "There is no such deal.",
    "deal_open": "This deal is still being played. Its runs can be seen when it is closed.",
    "deal_shown": "Others have seen this deal already.",
    "unknown_challenge": "There is no such challenge, or it is not kept any more.",
    "challenge_over": "This challenge has closed.",
    "challenge_full": "As many as may play this challenge have begun.",
    "not_challenged": "This challenge is for others.",
    "key_used": "This has been made already, in another way.",
    "too_many_challenges": "You have as many open challenges as one may have.",
    "not_maker": "Only who made this challenge may do that.",
    "for_circle": "A challenge for a circle is open until its date.",
    "not_played": "Play first, and then you can do that.",
    "not_in_circle": "Only members of this circle may do that.",
    "unknown_player": "There is no such player.",
    "unknown_run": "There is no such run, or it is not kept any more.",
    "unknown_circle": "You are in no such circle, or its link is not valid any more.",
    "too_many_circles": "You are in as many circles as one may be in, or own as many.",
    "circle_full": "This circle has as many members as one may have.",
    "not_owner": "Only the owner of this circle may do that.",
    "not_member": "This player is no member of this circle.",
    "unknown_item": "There is no such item in this circle's feed, or not any more.",
    "no_season": "There is no season in this circle at the moment.",
    "no_webhooks": "This server posts nothing to other places.",
    "bad_webhook": "This is no address that the server can post to.",
    "no_push": "This server sends no notifications.",
    "bad_push": "This server can't send notifications there.",
    "unknown_zone": "This server knows no such time zone.",
    "not_operator": "Only those who run this server may do that.",
    "unknown_case": "There is no such case, or it is not kept any more.",
    "overloaded": "The server has more to do than it can. Please try again soon.",
    "unavailable": "The server cannot reach its store. Please try again.",
    "internal": "Something went wrong on the server.",
}
"""The default message for each protocol code."""

HTTP_SENTENCES: Final = {
    "unknown_path": "There is nothing at this path.",
    "bad_method": "This can only be read.",
    "bad_request": "This is not what can be asked here.",
    "being_made": "This file is being made. Please try again in a minute.",
}
"""The default message for each additional code of the HTTP interface."""

_ALL: Final = SENTENCES | HTTP_SENTENCES


class Refusal(Exception):  # noqa: N818 - a refusal is an answer, not an error
    """A command was refused.

    Attributes:
        code: a key of `SENTENCES` or `HTTP_SENTENCES`.
        text: a message for people.
        wait: milliseconds to wait before a retry, or 0 if no wait is needed.
    """

    def __init__(self, code: str, text: str | None = None, wait: int = 0) -> None:
        super().__init__(code)
        self.code = code
        self.text = text if text is not None else _ALL[code]
        self.wait = wait

    @classmethod
    def of(cls, error: EngineError) -> Refusal:
        """Convert an engine error, keeping its code and message."""
        return cls(error.code, error.message)


class UnreadableError(Exception):
    """A stored item cannot be read: by this release, with these keys, or because it is damaged.

    The item is left unchanged. This is not a `Refusal`, since a refusal states something about the
    stored state, and that state is unknown here.

    Attributes:
        code: a key of `SENTENCES`.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class UnsuitableError(Exception):
    """The store cannot be used: its version or configuration is not supported."""


class UnavailableError(Exception):
    """The store did not answer or refused a write, so it is unknown whether the write took effect.

    Every read or write of the store may raise it. Docstrings mention it only to add something, such
    as a possible partial result.
    """
