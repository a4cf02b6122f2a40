"""Checking a deal after it is closed: did the server deal what it had promised?"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.board import Board
from engine.deal import commitment, deal_seed, parse_seed
from engine.errors import CommitmentError
from engine.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class Verification:
    """What a deal's seed shows.

    Attributes:
        agrees: whether the seed is the one that was promised.
        commitment: the commitment that belongs to the seed.
        board: the board that the seed deals.
    """

    agrees: bool
    commitment: str
    board: Board


def verify(ruleset: Ruleset, deal_id: str, seed: str, promised: str) -> Verification:
    """Work a deal out from its seed, and compare it with the commitment that was promised.

    Raises:
        DealIdError: no deal has such an id.
        SeedError: the seed is not 64 lower-case hexadecimal digits.
        CommitmentError: nor is what was promised.
    """
    if not re.fullmatch(r"[0-9a-f]{64}", promised):
        raise CommitmentError("A commitment is 64 lower-case hexadecimal digits.")
    secret = parse_seed(seed)
    worked_out = commitment(deal_id, secret)
    return Verification(worked_out == promised, worked_out, deal_seed(ruleset, secret))
