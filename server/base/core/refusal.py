"""Refusals: a code and a message that explain why a command was not executed."""

from __future__ import annotations

from typing import Final

from engine.errors import EngineError

SENTENCES: Final = {
    "bad_message": "This is not a valid message of the protocol.",
    "hello_first": "A session must start with a single hello.",
    "bad_version": "The server does not support this version of the protocol.",
    "bad_token": "This token is invalid or has expired.",
    "barred": "You can't play here for now.",
    "bad_name": "A name has 1 to 20 letters, digits, spaces or simple signs.",
    "name_reserved": "This name is reserved for the people who run the game.",
    "name_offensive": "Please choose a name that is kind to everyone.",
    "name_too_soon": "You have changed your name a lot lately. Please wait a little.",
    "name_hidden": "Your name is hidden for now, and can't be changed.",
    "bad_code": "This code is wrong, has been used, or is too old.",
    "bad_passkey": "This passkey is unknown, or it took too long.",
    "too_many_passkeys": "You already have the maximum number of passkeys.",
    "confirm_first": "Please show your recovery code or one of your passkeys first.",
    "last_credential": "Keep a passkey or the recovery code, or no one can sign in.",
    "no_passkeys": "This server has no public address configured, so it has no passkeys.",
    "not_kept": "Keep your name with a passkey or a recovery code first.",
    "too_many_bots": "You already have the maximum number of bots.",
    "unknown_bot": "You have no such bot.",
    "not_for_bots": "Bots can only play in private rooms that let them in.",
    "too_fast": "Too many commands. Please slow down.",
    "unknown_game": "There is no such game.",
    "unknown_variant": "This game has no such variant.",
    "bad_ruleset": "These rules cannot be played.",
    "listed_only": "Circles only play listed rules.",
    "bad_deck": "These are not the cards of this game.",
    "bad_seed": "This is not a valid deal.",
    "unknown_room": "There is no room with this code.",
    "room_full": "Every seat in this room is taken.",
    "room_locked": "The host has locked this room.",
    "room_closed": "This room is closed.",
    "removed": "The host has removed you from this room.",
    "not_seated": "This player has no seat in this room.",
    "not_host": "Only the host can do that.",
    "no_host": "A quick match has no host, and its settings are fixed.",
    "players_away": "Not everyone is here yet.",
    "not_ready": "Not everyone has agreed to another round yet.",
    "nobody_plays": "Everyone is sitting out.",
    "round_running": "The round must be over first.",
    "not_invited": "Only members of this room and people with its watch link can watch.",
    "still_racing": "You are still in this round. You can watch when you are done.",
    "too_many_watchers": "Too many people are watching already.",
    "not_started": "The round has not started yet.",
    "unknown_attempt": "You have no such attempt.",
    "unknown_rules": "The server does not know the rules of this game.",
    "unknown_format": "This was stored by a newer release of the server.",
    "seed_not_opened": "The server lacks the key to this deal.",
    "entries_lost": "The server has lost part of this data.",
    "bad_move": "This is not a move of this game.",
    "illegal_move": "The rules do not allow this move here.",
    "attempt_ended": "This attempt is over.",
    "too_many_moves": "This attempt has no moves left. You can still give up.",
    "no_help": "This kind of help is off in this game.",
    "nothing_to_undo": "There is no move to undo.",
    "no_daily": "There is no daily for this game today.",
    "already_played": "You have already played this.",
    "too_many_starts": "Too many players at your address have started this daily.",
    "address_full": "There is a lot going on from your address. Please try again a little later.",
    "unknown_day": "There is no leaderboard for this day.",
    "unknown_board": "There is no such leaderboard.",
    "unknown_deal": "There is no such deal.",
    "deal_open": "This deal is still being played. Its runs become visible when it closes.",
    "deal_shown": "Others have already seen this deal.",
    "unknown_challenge": "There is no such challenge, or it is no longer kept.",
    "challenge_over": "This challenge has closed.",
    "challenge_full": "This challenge is full.",
    "not_challenged": "This challenge is for others.",
    "key_used": "This key was already used for something else.",
    "too_many_challenges": "You already have the maximum number of open challenges.",
    "not_creator": "Only the challenge's creator can do that.",
    "for_circle": "A circle's challenge stays open until its date.",
    "not_played": "Play first, then you can do that.",
    "not_in_circle": "Only members of this circle can do that.",
    "unknown_player": "There is no such player.",
    "unknown_run": "There is no such run, or it is no longer kept.",
    "unknown_circle": "You are not in this circle, or its link is no longer valid.",
    "too_many_circles": "You already belong to, or own, the maximum number of circles.",
    "circle_full": "This circle is full.",
    "not_owner": "Only the circle's owner can do that.",
    "not_member": "This player is not a member of this circle.",
    "unknown_item": "There is no such item in this circle's feed, or it is no longer kept.",
    "no_season": "This circle has no season at the moment.",
    "no_webhooks": "This server does not post to other services.",
    "bad_webhook": "The server cannot post to this address.",
    "no_push": "This server does not send notifications.",
    "bad_push": "This server can't send notifications there.",
    "unknown_zone": "The server does not know this time zone.",
    "not_operator": "Only this server's operators can do that.",
    "unknown_case": "There is no such case, or it is no longer kept.",
    "overloaded": "The server is overloaded. Please try again soon.",
    "unavailable": "The server cannot reach its store. Please try again.",
    "internal": "Something went wrong on the server.",
}
"""The default message for each protocol code."""

HTTP_SENTENCES: Final = {
    "unknown_path": "There is nothing at this path.",
    "bad_method": "This path is read-only.",
    "bad_request": "This request is not valid.",
    "being_made": "This file is being generated. Please try again in a minute.",
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

    The item is left unchanged. Every read of an item may raise it. This is not a `Refusal`, since a
    refusal states something about the stored state, and that state is unknown here.

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
