"""Verification of closed deals."""

from __future__ import annotations

import pytest

from engine.catalog import ruleset
from engine.deal import commitment, deal_seed
from engine.errors import CommitmentError, SeedError
from engine.verify import Verification, verify
from tests.engine.positions import SEED

ROBERT = ruleset("robert")
PUBLISHED = commitment("deal", SEED)


def test_a_deal_matching_its_commitment_is_verified() -> None:
    dealt = deal_seed(ROBERT, SEED)
    assert verify(ROBERT, "deal", SEED.hex(), PUBLISHED) == Verification(True, PUBLISHED, dealt)


@pytest.mark.parametrize(("deal_id", "seed"), [("deal", bytes(32)), ("other", SEED)])
def test_another_seed_or_deal_fails_verification(deal_id: str, seed: bytes) -> None:
    found = verify(ROBERT, deal_id, seed.hex(), PUBLISHED)
    assert found == Verification(False, commitment(deal_id, seed), deal_seed(ROBERT, seed))


@pytest.mark.parametrize("text", ["", "0" * 63, "0" * 65, "A" * 64, "g" * 64, "0" * 64 + "\n"])
def test_a_malformed_commitment_or_seed_is_refused(text: str) -> None:
    with pytest.raises(CommitmentError):
        verify(ROBERT, "deal", SEED.hex(), text)
    with pytest.raises(SeedError):
        verify(ROBERT, "deal", text, PUBLISHED)
