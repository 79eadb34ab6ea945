"""A fitted blend as a person reads it: in words, as a frame, as sections, by its importances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from calibrant._estimator_html import model_section
from calibrant._optional import optional_import
from calibrant._progress import progress
from calibrant._random import stream
from calibrant._sections import Block, Callout, DataTable, Definitions, Section, TableColumn
from calibrant.blending._blend import Blend, ExpectedLoss, Member, mean_with_error, row_losses
from calibrant.blending._measured_rows import MeasuredRows, members_of_passed_rows
from calibrant.data._internal import Schema
from calibrant.ensembles import PermutationImportances

if TYPE_CHECKING:
    import pandas as pd


def member_names(blend: Blend) -> tuple[str, ...]:
    """Return the families and readings of positive weight."""
    families = [member.family for member in blend.members]
    readings = [name for member in blend.members for name in member.readings]
    return tuple(dict.fromkeys([*families, *readings]))


def members_frame(blend: Blend) -> pd.DataFrame:
    """Return the members tried and the blend as a frame, least log-loss first."""
    pandas = optional_import("pandas", extra="data", purpose="return the leaderboard as a frame")
    rows = [("blend", 1.0, blend.expected.value, sum(each.seconds for each in blend.tried), "")]
    rows += [(each.name, each.weight, each.log_loss, each.seconds, each.note) for each in blend.tried]
    frame = pandas.DataFrame(rows, columns=["member", "weight", "log_loss", "seconds", "note"])
    sorted_frame: pd.DataFrame = frame.sort_values("log_loss", kind="stable").set_index("member")
    return sorted_frame


_SUMMARY = "A calibrated blend of different models: their log-probabilities, weighted and added up."


def blend_sections(model: Any) -> tuple[Section, ...]:
    """Return a fitted `ProbabilityClassifier` as sections.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from calibrant import ProbabilityClassifier
    >>> model = ProbabilityClassifier(members=["bayes", "logistic"], random_state=0).fit(*load_iris(return_X_y=True))
    >>> [section.name for section in blend_sections(model)]
    ['model', 'blend']
    """
    examples = vars(model).get("_examples")  # None in a model that was saved without its training rows
    facts = [("training rows", f"{examples.n_rows:,}")] if "_sample" in vars(model) else []
    about = model_section(model, facts, None if examples is None else examples.class_weights, _SUMMARY)
    blocks: list[Block] = [Definitions(_stages(model)), _members_table(model.members_)]
    blocks += [Callout("info", f"Left out: {name}", reason) for name, reason in model.left_out_.items()]
    return about, Section("blend", "What the probabilities are made of", tuple(blocks), term="Blend")


def _stages(model: Any) -> tuple[tuple[str, str], ...]:
    expected, choice = model.expected_log_loss_, model.calibration_
    loss = f"{expected.value:.4f} ({expected.low:.4f} to {expected.high:.4f})"
    calibration = () if choice is None else (("calibration", f"{choice.name}, {choice.reason}"),)
    return (f"expected log-loss on {_new_rows(expected)}", loss), *calibration


def _new_rows(expected: ExpectedLoss) -> str:
    """Return the rows that an expected loss is of: it assumes that new rows are like the old, or that they follow."""
    return "rows that follow in time" if expected.is_by_time else "new rows like these"


def _members_table(members: tuple[Member, ...]) -> DataTable:
    columns = [TableColumn("member", "left"), TableColumn("weight"), TableColumn("log-loss"), TableColumn("seconds")]
    rows: list[tuple[str, ...]] = [
        (each.name, f"{each.weight:.2f}", f"{each.log_loss:.4f}", f"{each.seconds:.2f}") for each in members
    ]
    if any(each.note for each in members):
        columns.append(TableColumn("note", "left"))
        rows = [(*row, each.note) for row, each in zip(rows, members, strict=True)]
    return DataTable("Members, by weight", tuple(columns), tuple(rows))


def describe(blend: Blend, left_out: Mapping[str, str]) -> str:
    """Return the expected loss, the members by weight, the calibration and what was left out, a line each."""
    expected = blend.expected
    ends = f"({expected.low:.4f} to {expected.high:.4f})"
    lines = [f"  expected log-loss on {_new_rows(expected)} {expected.value:.4f} {ends}"]
    tried = sorted(blend.tried, key=lambda each: -each.weight)
    width = max((len(each.name) for each in tried), default=0)
    if tried:
        lines.append(f"  {'member':{width}}  weight  log-loss  seconds")
    for each in tried:
        note = f"  {each.note}" if each.note else ""
        lines.append(f"  {each.name:{width}}  {each.weight:6.2f}  {each.log_loss:8.4f}  {each.seconds:7.2f}{note}")
    if blend.calibrator is not None:
        choice = blend.calibrator.choice_
        lines.append(f"  calibration: {choice.name}, {choice.reason}")
    lines += [f"  left out: {name} ({reason})" for name, reason in left_out.items()]
    return "\n".join(lines)


def blend_importances(
    blend: Blend, rows: MeasuredRows, schema: Schema, n_repeats: int, seed: np.random.SeedSequence, n_threads: int
) -> PermutationImportances:
    """Return the importance of each column to a blend on rows that it was fitted without."""
    if not members_of_passed_rows(blend):
        rows = replace(rows, X=None)
    with threadpool_limits(1):
        before = _losses(blend, rows, n_threads)
        loss, _, _ = mean_with_error(before, rows.weight, rows.groups)
        figures = np.zeros((len(schema.features), 2))
        with progress(total=len(figures), description="Permuting columns") as bar:
            for column in range(len(figures)):
                increase = np.zeros_like(before)
                for repeat in range(n_repeats):
                    order = stream(seed, repeat, column).permutation(len(before))
                    increase += _losses(blend, _permuted(rows, schema, column, order), n_threads) - before
                figures[column] = mean_with_error(increase / n_repeats, rows.weight, rows.groups)[:2]
                bar.advance()
    means, errors = figures.T
    return PermutationImportances(schema.names, means, errors, loss, "log_loss", n_repeats, "held-out")


def _losses(blend: Blend, rows: MeasuredRows, n_threads: int) -> NDArray[np.float64]:
    return row_losses(blend.proba(rows.to_predict, n_threads), rows.codes)


def _permuted(rows: MeasuredRows, schema: Schema, column: int, order: NDArray[np.intp]) -> MeasuredRows:
    columns = [each[order] if j == column else each for j, each in enumerate(rows.columns)]
    return replace(rows, columns=columns, X=None if rows.X is None else _permuted_table(rows.X, schema, column, order))


def _permuted_table(X: Any, schema: Schema, column: int, order: NDArray[np.intp]) -> Any:
    """Return rows as passed with the values of one fitted column in another order."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        name = frame.columns[schema.locate(frame.columns)[column]]
        return frame.with_columns(frame[name][order.tolist()]).to_native()
    array = np.array(X) if isinstance(X, np.ndarray) else np.array(X, dtype=object)
    array[:, column] = array[order, column]
    return array
