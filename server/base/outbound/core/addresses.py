"""Recognition of public addresses, the only ones that third-party servers may have."""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Final

_UNICAST = IPv6Network("2000::/3")

_SPECIAL: Final = tuple(
    map(
        ip_network,
        (
            # Older releases of Python count some of these as global.
            *("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15"),
            # Protocol assignments, with Teredo; documentation; 6to4.
            *("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"),
        ),
    )
)


def is_public(text: str) -> bool:
    """Return whether an address, in its usual form, is on the public Internet.

    Addresses that embed another one, such as IPv4 in IPv6, NAT64, 6to4 and Teredo, are
    not, since they lead to the embedded address.
    """
    try:
        # Without a zone, which only link-local addresses have.
        address = ip_address(text)
    except ValueError:
        return False
    if address.version == 6 and address not in _UNICAST:  # noqa: PLR2004
        return False
    networks: tuple[IPv4Network | IPv6Network, ...] = _SPECIAL
    inside = any(address.version == each.version and address in each for each in networks)
    return address.is_global and not (
        inside or address.is_multicast or address.is_reserved or address.is_unspecified
    )
