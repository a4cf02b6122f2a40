"""The refusals of accounts."""

from __future__ import annotations

from server.base.core.refusal import RefusalCode


class AccountRefusals(RefusalCode):
    """The refusals of accounts."""

    bad_code = "This code is wrong, has been used, or is too old."
    bad_passkey = "This passkey is unknown, or it took too long."
    too_many_passkeys = "You already have the maximum number of passkeys."
    confirm_first = "Please show your recovery code or one of your passkeys first."
    last_credential = "Keep a passkey or the recovery code, or no one can sign in."
    no_passkeys = "This server has no public address configured, so it has no passkeys."
    not_kept = "Keep your name with a passkey or a recovery code first."
    too_many_bots = "You already have the maximum number of bots."
    unknown_bot = "You have no such bot."
