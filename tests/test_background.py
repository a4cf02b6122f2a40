"""Background work: repeated steps, and the handling of their failures."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from structlog.testing import capture_logs

from server.base.core.refusal import BaseRefusals, Refusal, UnavailableError, UnreadableError
from server.base.work import background as background_work
from server.base.work.background import Background, BackgroundError
from server.base.work.tasks import Tasks, run_soon
from server.rooms.core.refusals import RoomRefusals
from tests.conftest import debug_captured


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Isolate background work from failures in nodes of other tests."""
    monkeypatch.setattr(background_work, "_running", [])


class Steps:
    """A step that raises the test's errors one by one, and is done afterwards."""

    def __init__(self, *errors: BaseException) -> None:
        self.errors = list(errors)
        self.count = 0
        self.done = asyncio.Event()

    async def step(self) -> None:
        """Raise the next error, if there is one."""
        self.count += 1
        if self.errors:
            raise self.errors.pop(0)
        self.done.set()


async def test_a_step_is_repeated_until_the_end_and_finished_once() -> None:
    background, steps, finish = Background(), Steps(), Steps()
    background.forever("work", steps.step, every=0.0, finish=finish.step)
    background.start()
    while steps.count < 3:
        await steps.done.wait()
        steps.done.clear()
    assert finish.count == 0
    await background.close()
    assert (finish.count, background.is_running) == (1, False)
    count = steps.count
    await asyncio.sleep(0)
    assert steps.count == count


async def test_work_registered_after_the_start_starts_immediately() -> None:
    background, steps = Background(), Steps()
    background.start()
    background.forever("late", steps.step, every=60.0)
    await steps.done.wait()
    await background.close()


async def test_a_delayed_step_does_not_run_if_the_node_ends_first() -> None:
    background, steps = Background(), Steps()
    background.forever("work", steps.step, every=60.0, waits=True)
    background.start()
    await asyncio.sleep(0)
    await background.close()
    assert steps.count == 0


async def test_work_continues_after_expected_errors() -> None:
    background = Background()
    steps = Steps(
        UnavailableError("away"),
        UnreadableError(BaseRefusals.unknown_format),
        Refusal(RoomRefusals.room_full),
    )
    background.forever("work", steps.step, every=0.0)
    with debug_captured() as logs:
        background.start()
        await steps.done.wait()
        await background.close()
    assert background.failure is None
    assert [(line["event"], line["log_level"]) for line in logs] == [
        ("work_deferred", "debug"),
        ("work_unreadable", "warning"),
        ("work_refused", "info"),
    ]


async def test_an_unreadable_item_is_logged_once() -> None:
    background = Background()
    steps = Steps(*(UnreadableError(BaseRefusals.unknown_format) for _ in range(3)))
    background.forever("work", steps.step, every=0.0)
    with capture_logs() as logs:
        background.start()
        await steps.done.wait()
        await background.close()
    assert [line["event"] for line in logs] == ["work_unreadable"]
    assert background.is_news("work", "another item")
    assert not background.is_news("work", "another item")


async def test_an_unexpected_error_ends_the_node_after_the_other_work() -> None:
    ended = asyncio.Event()
    background = Background(ended.set)
    broken, other = Steps(ZeroDivisionError("a fault")), Steps()
    background.forever("broken", broken.step, every=0.0)
    background.forever("other", other.step, every=0.0)
    with capture_logs() as logs:
        background.start()
        await ended.wait()
        other.done.clear()
        await other.done.wait()
    assert background.is_running
    assert broken.count == 1
    await background.close()
    (line,) = logs
    assert (line["event"], line["work"], line["log_level"]) == ("work_failed", "broken", "error")
    assert isinstance(line["exc_info"], ZeroDivisionError)
    with pytest.raises(BackgroundError, match="broken") as raised:
        background.raise_failure()
    assert isinstance(raised.value.__cause__, ZeroDivisionError)


async def test_work_cancelled_by_its_awaitable_ends_the_node() -> None:
    async def wait_for_what_is_cancelled() -> None:
        future = asyncio.get_running_loop().create_future()
        future.cancel()
        await future

    background = Background()
    background.forever("work", wait_for_what_is_cancelled, every=0.0)
    with capture_logs(), pytest.raises(BackgroundError, match="work"):
        await background.run()


@pytest.mark.parametrize("start", [run_soon, lambda work: Tasks().run_soon(work)])
async def test_the_failure_of_an_unawaited_task_is_reported(start: Callable[..., object]) -> None:
    ended = asyncio.Event()
    background = Background(ended.set)
    background.start()
    with capture_logs() as logs:
        expected = Steps(UnavailableError("away"))
        start(expected.step())
        while expected.errors:
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert background.failure is None
        start(Steps(ZeroDivisionError()).step())
        await ended.wait()
    assert [line["event"] for line in logs] == ["work_failed"]
    await background.close()
    assert background.failure is not None


async def test_a_failed_task_is_logged_without_a_node() -> None:
    with capture_logs() as logs:
        run_soon(Steps(ZeroDivisionError()).step())
        while not logs:
            await asyncio.sleep(0)
    assert [line["event"] for line in logs] == ["work_failed"]
