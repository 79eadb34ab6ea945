"""Models in a report: trees are drawn, blends and forests described."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from tests.report.blocks import html_of, report_of, section

from calibrant import ProbabilityClassifier
from calibrant.calibration import CalibratedClassifier
from calibrant.ensembles import BaggedTreesClassifier
from calibrant.exceptions import ParameterError
from calibrant.report import Report
from calibrant.trees import ProbabilityTreeClassifier

RANDOM = np.random.default_rng(0)
X = pd.DataFrame({"age": RANDOM.integers(18, 90, 120), "income": RANDOM.normal(size=120)})
Y = np.where(X["age"] + RANDOM.normal(scale=20, size=120) > 55, "buys", "leaves")
RATES = RANDOM.random(120)
TREE = ProbabilityTreeClassifier(min_leaf=5)


def report(model: Any, **options: Any) -> Report:
    return report_of(Y, RATES, name="mine", model=model, pos_label="buys", n_boot=2, **options)


def drawing(model: Any, **options: Any) -> Any:
    (found,) = (block for block in section(report(model, **options), "tree").blocks if hasattr(block, "nodes"))
    return found


def test_there_is_no_section_without_a_model() -> None:
    assert "tree" not in {each.name for each in report(None).sections}


@pytest.mark.parametrize(
    "model",
    [
        TREE,
        make_pipeline(TREE),
        CalibratedClassifier(TREE, cv=3),
        CalibratedClassifier(make_pipeline(TREE), cv=3, ensemble=True),
        CalibratedClassifierCV(TREE, cv=3),
        GridSearchCV(TREE, {"min_leaf": [4, 5]}, cv=2),
        DecisionTreeClassifier(min_samples_leaf=5),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_tree_is_drawn_also_inside_other_models(model: Any) -> None:
    drawn = drawing(clone(model).fit(X, Y))
    assert drawn.nodes[0].split == "age"
    assert drawn.shown_class == 0
    assert drawn.classes == ("buys", "leaves")


def test_a_tree_inside_another_model_is_said_to_be() -> None:
    text = html_of(report(CalibratedClassifier(TREE, cv=3).fit(X, Y)), "tree")
    assert "mine: ProbabilityTreeClassifier, inside a CalibratedClassifier" in text


@pytest.mark.parametrize("options", [{}, {"max_leaf_nodes": 8}])
def test_a_tree_of_scikit_learn_has_its_splits_and_probabilities(options: dict[str, Any]) -> None:
    model = DecisionTreeClassifier(min_samples_leaf=5, random_state=0, **options).fit(X, Y)
    drawn = drawing(model)
    leaves = [node for node in drawn.nodes if not node.split]
    path = model.decision_path(X).toarray()
    assert drawn.n_hidden == 0
    assert len(leaves) == model.get_n_leaves()
    assert sorted(node.probabilities[0] for node in leaves) == pytest.approx(
        sorted(model.predict_proba(X)[path[:, node] > 0][0, 0] for node in np.flatnonzero(model.tree_.feature < 0))
    )
    assert drawn.nodes[0].rows == "120 rows"


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (BaggedTreesClassifier(n_trees=3, random_state=0), "3, of"),
        (ProbabilityClassifier(members=["bayes", "logistic"], random_state=0), "expected log-loss on new rows"),
        (RandomForestClassifier(n_estimators=3, random_state=0), "RandomForestClassifier. It is no single tree"),
        (LogisticRegression(), "LogisticRegression. It is no single tree"),
    ],
)
def test_other_models_are_described(model: Any, words: str) -> None:
    found = section(report(model.fit(X, Y)), "tree")
    assert found.title == "What is the model made of?"
    assert words in found.html()


def test_without_rows_no_branch_of_few_training_rows_is_shown() -> None:
    model = ProbabilityTreeClassifier(min_leaf=2, mdl_penalty=False).fit(X, Y)
    drawn = drawing(model, rows=False)
    weights = [model.tree_.weight[node.id] for node in drawn.nodes]
    assert min(weights) >= 10
    assert len(weights) > 1
    assert drawn.text == ""
    assert min(model.tree_.weight) < 10


@pytest.mark.parametrize("model", [clone(TREE), "tree", ProbabilityTreeClassifier])
def test_what_is_not_a_fitted_model_raises(model: Any) -> None:
    with pytest.raises(ParameterError, match="model must be a fitted classifier; for 'mine' got"):
        report(model)
