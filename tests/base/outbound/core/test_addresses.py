"""Public and other addresses."""

from __future__ import annotations

import pytest

from server.base.outbound.core.addresses import is_public


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "162.159.135.232", "2606:4700::6810:84e5", "2a00:1450:4001:82f::200e"]
)
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1"),  # noqa: S104
        *(
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "100.100.100.200",
            "192.0.0.192",
        ),
        *("192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "192.88.99.1"),
        *("224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255"),
        *("::", "::1", "fe80::1", "fe80::1%eth0", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1"),
        # IPv4 in IPv6: mapped, compatible, translated, NAT64, its local prefix, 6to4, Teredo.
        *("::ffff:127.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1", "::ffff:0:127.0.0.1"),
        *("64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::7f00:1"),
        *("2002:7f00:1::", "2002:808:808::1", "2001:0:7f00:1::1"),
        *("2001:db8::1", "3fff::1", "100::1", "5f00::1", "4000::1"),
        *("localhost", "", "1", "0x7f.1", "017700000001", "127.1", "8.8.8.8 "),
    ],
)
def test_other_addresses_are_not_public(address: str) -> None:
    assert not is_public(address)
