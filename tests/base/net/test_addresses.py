"""The address under which a client counts, and the proxies that may name it."""

from __future__ import annotations

import pytest

from server.base.net.addresses import Proxies


@pytest.mark.parametrize(
    ("peer", "key"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("a proxy's word", ""),
    ],
)
def test_an_ipv6_network_counts_as_one_client(peer: str, key: str) -> None:
    assert Proxies().client(peer) == key


@pytest.mark.parametrize(
    ("peer", "forwarded", "key"),
    [
        # An untrusted peer's header is ignored. A trusted proxy's list is read backwards to the
        # first untrusted address.
        ("203.0.113.7", ["198.51.100.1"], "203.0.113.7"),
        ("10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["1.2.3.4, 198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["1.2.3.4", "198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["1.2.3.4, 10.9.9.9,198.51.100.1 , 10.0.0.2"], "198.51.100.1"),
        ("::ffff:10.0.0.1", ["2001:db8::7"], "2001:db8::/64"),
        ("2001:db8:ff::1", ["10.0.0.3, ::ffff:198.51.100.1"], "198.51.100.1"),
        # All trusted, none trusted, and invalid addresses.
        ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["1.2.3.4, unknown"], ""),
        ("10.0.0.1", ["1.2.3.4, "], ""),
    ],
)
def test_only_a_trusted_proxy_names_the_clients_address(
    peer: str, forwarded: list[str], key: str
) -> None:
    assert Proxies(["10.0.0.0/8", "2001:db8:ff::1"]).client(peer, forwarded) == key


@pytest.mark.parametrize(
    ("peer", "forgotten"),
    [
        ("127.0.0.1", True),
        ("192.168.1.2", True),
        ("10.0.0.1", False),
        ("8.8.8.8", False),
        ("", False),
    ],
)
def test_an_unconfigured_proxy_is_detected(peer: str, forgotten: bool) -> None:
    assert Proxies(["10.0.0.0/8"]).looks_forgotten(peer) == forgotten


@pytest.mark.parametrize("proxy", ["proxy", "10.0.0.1/8", "*", "1.2.3"])
def test_a_proxy_with_an_invalid_address_is_refused(proxy: str) -> None:
    with pytest.raises(ValueError, match=r"does not appear|host bits"):
        Proxies([proxy])
