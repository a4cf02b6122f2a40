"""The next step after an attempted post."""

from __future__ import annotations

import pytest

from server.base.outbound.core.post import PAUSES_MS, Answer, Failure, fate


@pytest.mark.parametrize(
    ("ends", "answers"),
    [
        ("sent", [200, 201, 202, 204]),
        ("gone", [404, 410]),
        ("dropped", [300, 301, 302, 307, 308, 400, 401, 403, 413]),
    ],
)
def test_an_answer_of_success_or_rejection_ends_a_post(ends: str, answers: list[int]) -> None:
    assert {fate(Answer(status), 1) for status in answers} == {ends}
    # As does an address in a private network.
    assert fate("address", 1) == fate("url", 1) == "dropped"


@pytest.mark.parametrize("answer", [Answer(408), Answer(429), Answer(500), Answer(503), "time"])
def test_a_temporary_failure_is_retried(answer: Answer | Failure) -> None:
    found = [fate(answer, tries) for tries in range(1, len(PAUSES_MS) + 2)]
    assert found == [*PAUSES_MS, "dropped"]


def test_a_server_can_delay_the_retry_within_limits() -> None:
    assert fate(Answer(429, 45_000), 1) == 45_000
    assert fate(Answer(429, 1_000), 1) == PAUSES_MS[0]
    assert fate(Answer(503, 10**15), 1) == 21_600_000
