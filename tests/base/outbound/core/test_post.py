"""The next step after an attempted post."""

from __future__ import annotations

import pytest

from server.base.outbound.core.post import PAUSES_MS, Answer, Failure, fate


@pytest.mark.parametrize("status", [200, 201, 202, 204])
def test_an_answer_of_success_ends_a_post(status: int) -> None:
    assert fate(Answer(status), 1) == "sent"


@pytest.mark.parametrize("status", [404, 410])
def test_a_gone_destination_ends_its_posts(status: int) -> None:
    assert fate(Answer(status), 1) == "gone"


@pytest.mark.parametrize("status", [300, 301, 302, 307, 308, 400, 401, 403, 413])
def test_a_rejected_post_is_dropped(status: int) -> None:
    assert fate(Answer(status), 1) == "dropped"


@pytest.mark.parametrize("answer", [Answer(408), Answer(429), Answer(500), Answer(503), "time"])
def test_a_temporary_failure_is_retried(answer: Answer | Failure) -> None:
    found = [fate(answer, tries) for tries in range(1, len(PAUSES_MS) + 2)]
    assert found == [*PAUSES_MS, "dropped"]


def test_a_server_can_delay_the_retry_within_limits() -> None:
    assert fate(Answer(429, 45_000), 1) == 45_000
    assert fate(Answer(429, 1_000), 1) == PAUSES_MS[0]
    assert fate(Answer(503, 10**15), 1) == 21_600_000


@pytest.mark.parametrize("reason", ["address", "url"])
def test_a_post_into_a_private_network_is_dropped(reason: Failure) -> None:
    assert fate(reason, 1) == "dropped"
