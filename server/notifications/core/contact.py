"""Validation of the operator's contact for push services (VAPID's `sub`)."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from server.base.outbound.core.destination import is_public_name

# The part of an e-mail address before the @.
_LOCAL: Final = re.compile(r"[\w.!#$%&'*+/=^`{|}~-]{1,64}", re.ASCII)

_URL: Final = re.compile(r"[\x21-\x7e]{1,1000}")


def is_contact(text: str) -> bool:
    """Return whether push services accept a contact. Apple's is the strictest.

    It is `mailto:` with a single address, or an `https` URL; either needs a public domain name.
    """
    scheme, _, rest = text.partition(":")
    if scheme == "mailto":
        local, _, domain = rest.partition("@")
        return bool(_LOCAL.fullmatch(local)) and is_public_name(domain.lower())
    if scheme != "https" or not rest.startswith("//") or not _URL.fullmatch(text):
        return False
    try:
        parts = urlsplit(text)
        # Reading the port validates it.
        _ = parts.port
    except ValueError:
        return False
    return "@" not in parts.netloc and is_public_name(parts.hostname or "")
