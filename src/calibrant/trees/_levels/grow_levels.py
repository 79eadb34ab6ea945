"""Growing trees level by level: histograms of all parts are added up, and small nodes grown from their rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from calibrant import _core
from calibrant.exceptions import DataError
from calibrant.trees._levels.part_tasks import (
    LeftNodes,
    OpenTree,
    add_histograms,
    add_rows,
    count_histograms,
    count_rows,
    gather_nodes,
    grow_nodes,
)

if TYPE_CHECKING:
    from calibrant.trees._levels.level_plan import LevelPlan, TreeState, WholeRows
    from calibrant.trees._levels.parts import Parts

__all__ = ["grow_levels", "rows_of_small_nodes"]

_LEAST_ROWS = 2048  # below this, the grower does not count histograms of all bins
_MOST_ROWS = 1_000_000  # 30 MB of codes, classes and weights with 20 columns, on the worker that grows the node
_SHARE = 8  # of the rows: each level is a pass (400,000 x 20, 4 trees: 0.56 s with 4, 0.88 with 8, 1.07 with 16)


def rows_of_small_nodes(n_rows: int) -> int:
    """Return the number of rows up to which a node is grown by one worker from its rows.

    Examples
    --------
    >>> rows_of_small_nodes(1_000_000), rows_of_small_nodes(1_000)
    (125000, 2048)
    """
    return max(_LEAST_ROWS, min(n_rows // _SHARE, _MOST_ROWS))


def grow_levels(parts: Parts, plan: LevelPlan, seeds: dict[int, int], few_rows: int | None = None) -> list[_core.Tree]:
    """Grow the trees of these numbers together, each from its seed: the trees that `grow_forest` grows, to the bit.

    Nodes of about `few_rows` rows or fewer are grown from their rows, which one worker gathers.
    """
    few = rows_of_small_nodes(plan.n_rows) if few_rows is None else few_rows
    whole = dict(zip(seeds, parts.reduce(count_rows, list(seeds), plan, merge=add_rows), strict=True))
    _check_missing(whole.values(), plan)
    tops = {number: _top_of(plan, rows, seeds[number], few) for number, rows in whole.items()}
    while requests := {number: request for number, top in tops.items() if (request := top.request())[0]}:
        trees = [OpenTree(each, _state(tops[each]), requests[each], whole[each].is_counted) for each in requests]
        counted = parts.reduce(count_histograms, trees, plan, merge=add_histograms)
        for number, (cells, rows) in zip(requests, counted, strict=True):
            tops[number].grow(cells, rows)
    return _finished(parts, plan, tops, seeds, whole)


def _check_missing(whole: Iterable[WholeRows], plan: LevelPlan) -> None:
    """Raise if a row with missing values would go to several branches."""
    if getattr(plan.params, "missing", "fractional") == "fractional" and any(rows.any_missing for rows in whole):
        raise DataError(
            "values are missing, and missing='fractional' sends their rows to several branches, which trees that are "
            "grown level by level cannot do. Pass missing='learned', or workers with memory for the codes of all rows."
        )


def _top_of(plan: LevelPlan, rows: WholeRows, seed: int, few_rows: int) -> _core.LevelTree:
    return _core.LevelTree(plan.empty_table(), rows.counts, plan.options(seed), rows.state(plan.n_rows), few_rows)


def _finished(
    parts: Parts,
    plan: LevelPlan,
    tops: dict[int, _core.LevelTree],
    seeds: dict[int, int],
    whole: dict[int, WholeRows],
) -> list[_core.Tree]:
    """Return the trees with the subtrees of the nodes left."""
    jobs = _share_out(_left_nodes(plan, tops, seeds, whole), tops, parts.n_jobs)
    grown = parts.collect(gather_nodes, grow_nodes, jobs, plan)
    subtrees: dict[tuple[int, int], _core.Tree] = {}
    for job, states in zip(jobs, grown, strict=True):
        names = [(left.number, node) for left in job for node in left.tops]
        subtrees |= {name: _core.restore_tree(plan.n_classes, state) for name, state in zip(names, states, strict=True)}
    return [top.finished([subtrees[number, node] for node in top.left]) for number, top in tops.items()]


def _state(top: _core.LevelTree) -> TreeState:
    return cast("TreeState", top.tree.state)


def _left_nodes(
    plan: LevelPlan, tops: dict[int, _core.LevelTree], seeds: dict[int, int], whole: dict[int, WholeRows]
) -> list[LeftNodes]:
    """Return every node that is left, by itself."""
    left = []
    for number, top in tops.items():
        state, rows = _state(top), whole[number].state(plan.n_rows)
        tree = LeftNodes(number, seeds[number], state, rows, {})
        left += [replace(tree, tops={node: top.top_of(node)}) for node in top.left]
    return left


def _share_out(nodes: Sequence[LeftNodes], tops: dict[int, _core.LevelTree], n_jobs: int) -> list[list[LeftNodes]]:
    """Return jobs of about equal weight; one job for each node where one is done at a time."""
    if n_jobs == 1:
        return [[node] for node in nodes]
    jobs: list[list[LeftNodes]] = [[] for _ in range(min(n_jobs, len(nodes)))]
    loads = [0.0] * len(jobs)
    weights = [_weight_of(node, tops) for node in nodes]
    for i in sorted(range(len(nodes)), key=lambda i: -weights[i]):
        lightest = min(range(len(jobs)), key=loads.__getitem__)
        jobs[lightest].append(nodes[i])
        loads[lightest] += weights[i]
    return jobs


def _weight_of(left: LeftNodes, tops: dict[int, _core.LevelTree]) -> float:
    return sum(tops[left.number].weight_of(node) for node in left.tops)
