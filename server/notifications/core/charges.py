"""Storage charges for notifications, measured with MEMORY USAGE and rounded up."""

from __future__ import annotations

from typing import Final

from server.base.core.quota import Item
from server.notifications.core.keys import PUSH_LIFE_S

# A subscribed device; push services use URLs of 200 to 600 characters.
DEVICE: Final = (Item(1_500, PUSH_LIFE_S * 1000),)

WISHES: Final = (Item(400, PUSH_LIFE_S * 1000),)  # A player's notification preferences.
