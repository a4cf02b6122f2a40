"""The report of a soak: a line per sample, and a final table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tests.soak.figures import NodeFigures, Sample
from tests.soak.judge import OUTBOX_AGE, SESSION, Course

ANSWERS = 'samedeal_move_seconds_bucket{le="'
PROCESSOR = "process_cpu_seconds_total"
LAG = 'samedeal_loop_lag_seconds_bucket{le="'


def line(sample: Sample, before: Sample | None, counts: Counter[str]) -> str:
    """Format a sample as a line.

    Args:
        before: the sample before, the base of the rates.
    """
    seconds = sample.at - (before.at if before is not None else 0.0)
    changes = [_change(sample, before, number) for number in sample.nodes]
    moves = sum(_total(each, "samedeal_moves_total") for each in changes)
    refused = Counter[str]()
    for each in changes:
        for name, count in each.items():
            if name.startswith("samedeal_refusals_total{") and count:
                refused[name.split('"')[1]] += round(count)
    answer = [_quantile(changes, ANSWERS, share) for share in (0.5, 0.99)]
    lag = _quantile(changes, LAG, 0.99)
    parts = [
        f"{sample.at:6.0f} s",
        f"{moves / max(seconds, 0.001):6.1f} moves/s",
        f"answers {answer[0]}/{answer[1]} s, lag {lag} s",
        f"cores {_cores(sample, before, changes, seconds)}",
        *(f"node {number}: {_of_node(node)}" for number, node in sample.nodes.items()),
    ]
    if sample.store is not None:
        kinds = sample.store.kinds
        few = {name: kinds[name] for name in ("presence", "sessions", "room", "attempt")}
        parts.append(
            f"Redis {sample.store.memory >> 20} MiB, {kinds.total()} keys {few}, "
            f"due {dict(sample.store.due)}, effects {sample.store.effects}"
        )
    parts.append(f"{counts['sessions']} sessions so far")
    if refused:
        parts.append(f"refused {dict(refused)}")
    return "; ".join(parts)


def _cores(
    sample: Sample, before: Sample | None, changes: Sequence[dict[str, float]], seconds: float
) -> str:
    players = sample.load - (before.load if before is not None else 0.0)
    times = [players, *(each.get(PROCESSOR, 0.0) for each in changes)]
    return "+".join(f"{each / max(seconds, 0.001):.2f}" for each in times)


def _of_node(node: NodeFigures) -> str:
    numbers = {
        name: round(node.total(f"samedeal_{name}")) for name in ("sessions", "rooms", "attempts")
    }
    age = node.total(OUTBOX_AGE)
    return (
        f"{node.memory >> 20} MiB, "
        f"{', '.join(f'{count} {name}' for name, count in numbers.items())}, "
        f"{node.objects[SESSION]} Session objects, outbox {age:.0f} s"
    )


def _change(sample: Sample, before: Sample | None, number: int) -> dict[str, float]:
    """Return the increase of a node's metrics, from 0 if the node restarted in between."""
    node = sample.nodes[number]
    was = before.nodes.get(number) if before is not None else None
    base = was.metrics if was is not None and was.born == node.born else {}
    return {name: value - base.get(name, 0.0) for name, value in node.metrics.items()}


def _total(change: dict[str, float], metric: str) -> float:
    return sum(value for name, value in change.items() if name.startswith(f"{metric}{{"))


def _quantile(changes: Sequence[dict[str, float]], begin: str, share: float) -> str:
    """Return the bound of the histogram bucket that contains a quantile."""
    buckets = Counter[str]()
    for change in changes:
        for name, count in change.items():
            if name.startswith(begin):
                buckets[name.removeprefix(begin).split('"')[0]] += round(count)
    total = buckets["+Inf"]
    reached = (bound for bound, count in buckets.items() if total and count >= share * total)
    return next((f"<={bound}" for bound in sorted(reached, key=float)), "-")


def table(course: Course, counts: Counter[str]) -> Iterator[str]:
    """Yield the lines of the table: the activities and their remains."""
    for name in sorted(counts):
        yield f"{name:<44}{counts[name]:>9}"
    yield ""
    yield f"{'':<34}{'at first':>10}{'last':>10}{'left':>10}{'collected':>10}"
    last = course.samples[-1].nodes if course.samples else {}
    for number in course.collected:
        stages = (course.began, last, course.left, course.collected)
        nodes = [each.get(number) for each in stages]
        rows = {
            "MiB": [node.memory >> 20 if node else 0 for node in nodes],
            "Session objects": [node.objects[SESSION] if node else 0 for node in nodes],
        }
        for name in ("sessions", "rooms", "attempts", "outbox_age_seconds"):
            metric = f"samedeal_{name}"
            rows[name] = [round(node.total(metric)) if node else 0 for node in nodes]
        for name, values in rows.items():
            yield f"node {number}: {name:<26}" + "".join(f"{value:>10}" for value in values)
        grown = course.collected[number].objects - (
            nodes[0].objects if nodes[0] else Counter[str]()
        )
        for kind, count in grown.most_common(8):
            yield f"    {kind:<50}{count:>10} more"
    yield ""
    yield f"{'keys when all had left':<34}{'number':>10}{'for ever':>10}{'days':>10}"
    for kind, count in sorted(course.ended.kinds.items()):
        days = course.ended.lives.get(kind, 0) / 86_400
        yield f"{kind:<34}{count:>10}{course.ended.lasting[kind]:>10}{days:>10.2f}"
