"""A fitted blend as sections: what it is, its expected loss, and its members by weight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant._estimator_html import model_section
from calibrant._sections import Block, Callout, DataTable, Definitions, Section, TableColumn

if TYPE_CHECKING:
    from calibrant.blending._pool.blend import Member

__all__ = ["blend_sections"]

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
    return ("expected log-loss on new rows", loss), *calibration


def _members_table(members: tuple[Member, ...]) -> DataTable:
    columns = [TableColumn("member", "left"), TableColumn("weight"), TableColumn("log-loss"), TableColumn("seconds")]
    rows: list[tuple[str, ...]] = [
        (each.name, f"{each.weight:.2f}", f"{each.log_loss:.4f}", f"{each.seconds:.2f}") for each in members
    ]
    if any(each.note for each in members):
        columns.append(TableColumn("note", "left"))
        rows = [(*row, each.note) for row, each in zip(rows, members, strict=True)]
    return DataTable("Members, by weight", tuple(columns), tuple(rows))
