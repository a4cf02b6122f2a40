"""The wing of credentials, export and deletion."""

from __future__ import annotations

from server.accounts import handlers, messages
from server.accounts.services import AccountServices
from server.wing import Wing


class AccountsWing(AccountServices):
    """Credentials, export and deletion."""

    wing = Wing(messages=(messages,), is_rare=True, handlers=(handlers,))
