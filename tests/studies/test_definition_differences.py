"""Messages name the differences between the definition of a study and the one in its store."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.naive_bayes import GaussianNB

from calibrant.calibration import CalibratedClassifier
from calibrant.ensembles import BPETsClassifier
from calibrant.estimates import MEstimate
from calibrant.resampling import CrossValidation, Holdout, Nested
from calibrant.studies import Dataset
from calibrant.studies._definition.definition import define_study
from calibrant.studies._definition.documents import changed_metrics, differences
from calibrant.trees import ProbabilityTreeClassifier as Tree

PRINTS = {"iris": "a" * 32, "wine": "b" * 32}


def half(*_: object) -> float:
    return 0.5


def third(*_: object) -> float:
    return 1 / 3


def document(prints: dict[str, str] | None = None, **changes: Any) -> dict[str, Any]:
    arguments = {"datasets": ["iris", "wine"], "methods": {"tree": Tree(), "nb": GaussianNB()}, "metrics": ["auc"]}
    found = define_study("s", **(arguments | changes)).document
    known = {name: {"fingerprint": each} for name, each in (PRINTS if prints is None else prints).items()}
    return found | {"datasets": [each | known.get(each["name"], {}) for each in found["datasets"]]}


CASES = [
    ({}, []),
    ({"methods": {"nb": GaussianNB(), "tree": Tree()}}, []),
    ({"methods": {"tree": Tree(n_jobs=2), "nb": GaussianNB()}}, []),
    ({"seed": 1}, ["seed is 1; in the store 0: no trial counts any more."]),
    ({"plan": 5}, ["plan is CrossValidation(n_folds=5); in the store CrossValidation(): no trial counts any more."]),
    (
        {"methods": {"tree": Tree(min_leaf=1, estimate="m"), "nb": GaussianNB()}},
        ["method 'tree' has estimate='m', min_leaf=1; in the store estimate='laplace', min_leaf=2."],
    ),
    (
        {"methods": {"tree": GaussianNB(), "nb": GaussianNB()}},
        ["method 'tree' is GaussianNB(); in the store ProbabilityTreeClassifier()."],
    ),
    (
        {"methods": {"tree": Tree(), "forest": BPETsClassifier()}},
        ["method 'forest' is new.", "method 'nb' is no longer in the study."],
    ),
    ({"datasets": ["iris"]}, ["data set 'wine' is no longer in the study."]),
    ({"datasets": ["iris", "wine", "glass"]}, ["data set 'glass' is new."]),
    ({"metrics": ["auc", "mse"]}, ["metric 'mse' is new: trials run again to add it."]),
    (
        {"metrics": ["mse"]},
        ["metric 'mse' is new: trials run again to add it.", "metric 'auc' is no longer in the study."],
    ),
    ({"training_metrics": True}, ["metrics of the training rows are new: trials run again to add them."]),
    ({"keep_predictions": False}, []),
    (
        {"prints": PRINTS | {"iris": "c" * 32}},
        ["data set 'iris' changed: its rows differ (fingerprint cccccccc; in the store aaaaaaaa)."],
    ),
]


@pytest.mark.parametrize(("change", "expected"), CASES, ids=lambda each: str(each)[:50])
def test_differences_are_sentences(change: dict[str, Any], expected: list[str]) -> None:
    assert differences(document(), document(**change)) == expected


def test_differences_reach_into_nested_estimators() -> None:
    one, other = (
        document(methods={"c": CalibratedClassifier(Tree(estimate=MEstimate(m=m), min_leaf=5), cv=3)}) for m in (2, 3)
    )
    assert differences(one, other) == [
        "method 'c' has estimator__estimate__m=3; in the store estimator__estimate__m=2."
    ]


def test_a_file_that_moved_is_no_difference_but_other_columns_are(tmp_path: Any) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("x,g,y\n1,1,a\n2,2,b\n")
    docs = [document({"d": "f" * 32}, datasets={"d": tmp_path / name}) for name in ("a.csv", "b.csv")]
    assert differences(*docs) == []
    unread = [document({}, datasets={"d": Dataset(tmp_path / "a.csv", groups=groups)}) for groups in (None, "g")]
    assert differences(*unread) == ["data set 'd' has groups='g'; in the store groups=None."]


def test_a_metric_of_another_function_or_other_keywords_changed() -> None:
    one, other = (document(metrics={"auc": None, "m": each}) for each in (half, third))
    assert differences(one, other) == ["metric 'm' changed: its values in the store do not count."]
    one, other = (
        document(metrics=["auc", "lift"], metric_params={"lift": {"fraction": fraction}}) for fraction in (0.1, 0.2)
    )
    assert changed_metrics(one, other) == {"lift"}
    assert differences(one, other) == [
        "metric 'lift' changed to {'fraction': 0.2}, in the store {'fraction': 0.1}: its values in the store do not "
        "count."
    ]


def test_with_a_nested_plan_another_method_makes_all_trials_void() -> None:
    plan = Nested(CrossValidation(3), Holdout())
    one, other = (document(plan=plan, methods=methods) for methods in ({"tree": Tree()}, {"tree": Tree(min_leaf=1)}))
    assert (
        differences(one, other)[-1]
        == "the methods are the candidates that the plan chooses among: no trial counts any more."
    )


def test_a_method_that_did_not_change_keeps_its_keys() -> None:
    one = define_study("s", datasets=["iris"], methods={"tree": Tree(), "nb": GaussianNB()})
    other = define_study(
        "s", datasets=["iris"], methods={"tree": Tree(min_leaf=1), "nb": GaussianNB()}, metrics=["mse"]
    )
    same = {m for m in one.trial_methods if one.group_digest("iris", "f", m) == other.group_digest("iris", "f", m)}
    assert same == {"nb"}


def test_predictions_that_are_kept_from_now_on_are_a_difference() -> None:
    sentence = "predictions are kept from now on: trials run again to add them."
    assert differences(document(keep_predictions=False), document()) == [sentence]
