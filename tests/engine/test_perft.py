"""Move trees have the path counts of their files. A failure lists the differences."""

from __future__ import annotations

import pytest

from tests.engine.perft import (
    COMMAND,
    FOLDER,
    MAX_DEPTH,
    MAX_LISTED,
    Start,
    Tree,
    count,
    differences,
    format_trees,
    parse_trees,
    path_of,
)
from tests.engine.positions import ALL
from tests.relatives import find_ruleset
from tests.sizes import SAMPLED, cases
from tests.vectors.generate import tree_starts, tree_title

MAX_LISTED_EACH = 12_500

TEXTS = {
    names: path.read_text(encoding="utf-8") for names in ALL if (path := path_of(*names)).exists()
}
TREES = {names: list(parse_trees(text)) for names, text in TEXTS.items()}
EACH = [
    pytest.param(names, *tree, id="-".join((*names, str(nth))))
    for names, trees in TREES.items()
    for nth, tree in enumerate(trees)
][:: cases(4, 1)]


@pytest.mark.parametrize(("names", "start", "tree"), EACH)
@SAMPLED
def test_a_tree_has_the_paths_that_were_counted(
    names: tuple[str, str], start: Start, tree: Tree
) -> None:
    found = count(start.board(find_ruleset(*names)), tree.depth)
    assert differences(tree, found) == []


@pytest.mark.parametrize(("names", "start", "tree"), EACH)
@SAMPLED
def test_a_tree_is_as_deep_as_its_budget_allows(
    names: tuple[str, str], start: Start, tree: Tree
) -> None:
    assert tree.depth > 1
    assert sum(tree.first.values()) == tree.counts[-1]
    assert len(tree.first) == tree.counts[1]
    assert tree.listed <= MAX_LISTED
    assert tree.depth <= MAX_DEPTH
    if sum(tree.counts) <= MAX_LISTED and tree.depth < MAX_DEPTH:
        deeper = count(start.board(find_ruleset(*names)), tree.depth + 1)
        assert deeper.counts[-1] == 0


@pytest.mark.parametrize("names", TEXTS, ids="-".join)
def test_generating_a_file_again_gives_these_trees(names: tuple[str, str]) -> None:
    assert [start for start, _ in TREES[names]] == list(tree_starts(*names))
    assert TEXTS[names] == format_trees(tree_title(*names), TREES[names])


def test_there_is_a_file_for_each_game_and_no_other() -> None:
    files = {path.name for path in FOLDER.glob("*.txt")}
    games = {path_of(*names).name for names in ALL}
    assert not games - files, f"{COMMAND} writes the missing {sorted(games - files)}"
    assert not files - games, f"no game has the files {sorted(files - games)}"


def test_all_trees_together_stay_within_the_budget() -> None:
    listed = sum(tree.listed for trees in TREES.values() for _, tree in trees)
    assert MAX_LISTED_EACH / 4 < listed / len(TREES) <= MAX_LISTED_EACH


def test_differences_to_other_rules_are_listed_by_depth_and_move() -> None:
    start, tree = TREES["deuces", "standard"][1]
    found = count(start.board(find_ruleset("deuces", "fill")), tree.depth)
    lines = differences(tree, found)
    assert lines[0].startswith("depth ")
    assert {line.split(":")[0] for line in lines} & tree.first.keys()


def test_an_extra_and_a_missing_move_are_listed() -> None:
    one, other = Tree((1, 2, 5), {"s>w": 3, "t0>f0": 2}), Tree((1, 2, 6), {"s>w": 3, "t1>f0": 3})
    assert differences(one, one) == []
    assert differences(one, other) == [
        "depth 2: 5 expected, 6 found",
        "t0>f0: 2 expected, no move found",
        "t1>f0: no move expected, 3 found",
    ]
