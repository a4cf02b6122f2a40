"""Verification of a closed deal: does its seed match the commitment published before play?"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.board import Board
from engine.deal import commitment, deal_seed, parse_seed
from engine.errors import CommitmentError
from engine.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of verifying a deal."""

    agrees: bool  # whether it equals the published commitment
    commitment: str  # computed from the deal's id and seed
    board: Board  # as dealt


def verify(ruleset: Ruleset, deal_id: str, seed: str, promised: str) -> Verification:
    """Deal from a published seed, and compare commitments.

    Args:
        seed: as `deal.parse_seed` reads it.
        promised: the commitment published before play, as 64 lower-case hexadecimal digits.

    Raises:
        DealIdError: the id cannot be encoded in UTF-8.
        SeedError: the seed is malformed.
        DeckError: the seed is a known deal of another game.
        CommitmentError: the commitment is not 64 lower-case hexadecimal digits.
    """
    if not re.fullmatch(r"[0-9a-f]{64}", promised):
        raise CommitmentError("A commitment is 64 lower-case hexadecimal digits.")
    secret = parse_seed(seed)
    computed = commitment(deal_id, secret)
    return Verification(computed == promised, computed, deal_seed(ruleset, secret))
