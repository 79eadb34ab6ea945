"""`compare_table`: what it takes as what, its plan, its ranking, and what it saves."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import calibrant
from calibrant.data import load
from calibrant.decisions import CostMatrix, decision_report
from calibrant.exceptions import DataError, ParameterError, StudyError
from calibrant.metrics import calibration_verdict
from calibrant.resampling import CrossValidation
from calibrant.studies import Study, compare_table
from calibrant.studies._table_comparison.compare_table import TimeLimit
from calibrant.studies._table_comparison.table_study import candidates, choose_plan

QUICK = ["base rate", "naive Bayes", "calibrated naive Bayes", "tree"]
COSTS = {"no": {"leave": 0, "write": 0.68}, "yes": {"leave": 0, "write": -15}}


@pytest.fixture(scope="module")
def appeal(tmp_path_factory):
    folder = tmp_path_factory.mktemp("appeal")
    return compare_table("appeal", methods=QUICK, store=folder / "s.db", out=folder / "out", costs=COSTS)


def make_table(n=120, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    frame = pd.DataFrame({"id": [f"k{i}" for i in range(n)], "x": x, "town": rng.choice(["Bern", "Rome"], n)})
    return frame.assign(y=np.where(x + rng.normal(size=n) > 0, "yes", "no"))


@pytest.mark.sample(2)
def test_ranking_is_that_of_the_same_study_written_in_python(appeal, tmp_path):
    methods = {name: each for name, each in candidates().items() if name in QUICK}
    plan = CrossValidation(10, random_state=0)
    study = Study("by hand", datasets=["appeal"], methods=methods, plan=plan, store=tmp_path / "s.db")
    study.run()
    means = study.table("log_loss").iloc[0].sort_values()
    assert [each.method for each in appeal.ranking] == list(means.index)
    assert [each.value for each in appeal.ranking] == pytest.approx(means.tolist(), rel=1e-12)
    best = study.best("log_loss")
    assert appeal.best.method == best.method
    assert (appeal.best.corrected, appeal.best.low) == pytest.approx((best.corrected, best.low), rel=1e-12)


def test_all_methods_are_tried():
    names = list(candidates())
    plain = ["naive Bayes", "logistic regression", "tree", "forest", "ProbabilityClassifier", "boosted trees"]
    assert names == ["base rate", *(each for name in plain for each in (name, f"calibrated {name}"))]


def test_verdict_and_money_are_those_of_the_held_out_rows(appeal):
    held_out = appeal.held_out
    assert held_out["row"].tolist() == list(range(1500))
    rows = held_out["gives"], held_out["probability_yes"]
    costs = CostMatrix.from_dict(COSTS)
    assert appeal.verdict.words == calibration_verdict(*rows, pos_label="yes", matrix=costs.matrix).words
    report = decision_report(*rows, costs, pos_label="yes")
    assert appeal.money.now.total.value == pytest.approx(report.now.total.value)
    advised = next(each for each in appeal.ranking if each.method == appeal.advised)
    assert 1500 * advised.earned == pytest.approx(report.now.total.value)


def test_files_hold_the_model_and_its_predictions(appeal):
    model = calibrant.load_model(appeal.files["model"])
    X = load("appeal").X
    assert np.array_equal(model.predict_proba(X), appeal.model.predict_proba(X))
    described = calibrant.files.describe_model(appeal.files["model"])
    assert described.made_from.name == "appeal"
    assert described.made_from.n_rows == 1500
    assert len(described.made_from.fingerprint) == 32
    assert described.expected[0].metric == "log_loss"
    assert described.expected[0].value == appeal.best.corrected
    written = pd.read_csv(appeal.files["held_out"], dtype={"probability_yes": str})
    assert np.array_equal(written["probability_yes"].astype(float), appeal.held_out["probability_yes"])


def test_text_and_document_say_what_was_found(appeal):
    text = repr(appeal)
    for part in ("appeal: 1,500 rows", "gives", "'yes'", "10-fold", "naive Bayes", "Advice:", "Money:", "Calibration:"):
        assert part in text
    document = json.loads(json.dumps(appeal.to_dict(), allow_nan=False))
    assert document["best"]["method"] == appeal.best.method
    assert [each["method"] for each in document["ranking"]] == [each.method for each in appeal.ranking]
    assert document["table"]["kinds"]["age"] == "numeric"


def test_ids_are_left_out_and_named(tmp_path):
    make_table().to_csv(tmp_path / "t.csv", index=False)
    found = compare_table(tmp_path / "t.csv", target="y", methods=["tree"], store=tmp_path / "s.db")
    assert list(found.table.X) == ["x", "town"]
    assert "'id' (an id)" in repr(found)


def test_plan_by_size():
    assert [choose_plan(n, 500, 0).describe() for n in (999, 1_000, 5_000, 5_001, 50_000, 50_001)] == [
        "3 times 10-fold cross-validation, stratified",
        "10-fold cross-validation, stratified",
        "10-fold cross-validation, stratified",
        "5-fold cross-validation, stratified",
        "5-fold cross-validation, stratified",
        "holdout of 33 % of the rows, stratified",
    ]


def test_folds_are_at_most_as_many_as_the_rarest_class_has_rows_or_groups(tmp_path):
    frame = make_table(200).drop(columns="id")
    frame["y"] = np.where(np.arange(200) % 50 == 0, "yes", "no")  # 4 rows
    found = compare_table(frame, methods=["tree"], store=tmp_path / "a.db")
    assert found.plan == "3 times 4-fold cross-validation, stratified"
    frame["house"] = np.arange(200) // 40  # rows of "yes" in 4 of 5 groups
    grouped = compare_table(frame, target="y", groups="house", methods=["tree"], store=tmp_path / "b.db")
    assert grouped.plan.startswith("3 times 4-fold cross-validation")
    assert "house" not in grouped.table.X
    for _, rows in grouped.held_out.groupby("split"):
        others = grouped.held_out.drop(index=rows.index)
        assert not set(rows["house"]) & set(others["house"])


@pytest.mark.long
def test_goes_on_where_time_ended_it(tmp_path, monkeypatch):
    options = {"methods": QUICK, "store": tmp_path / "s.db"}
    with pytest.raises(StudyError, match="time_limit: no method has finished a split in time"):
        compare_table("appeal", time_limit=1e-9, **options)
    with monkeypatch.context() as patch:
        patch.setattr(
            TimeLimit, "is_over", lambda _: Study.open("compare appeal", tmp_path / "s.db").status().n_done >= 6
        )
        first = compare_table("appeal", time_limit=3600, **options)
    assert first.ended == "time limit"
    assert first.model is not None
    assert 1 <= first.n_splits < first.n_planned == 10
    assert "Note: the time limit ended the run after" in repr(first)
    again = compare_table("appeal", **options)
    whole = compare_table("appeal", methods=QUICK, store=tmp_path / "other.db")
    assert not again.ended
    assert again.to_frame().drop(columns="seconds").equals(whole.to_frame().drop(columns="seconds"))


def test_more_classes(tmp_path):
    found = compare_table("iris", methods=["naive Bayes"], store=tmp_path / "s.db")
    assert [name for name in found.held_out if name.startswith("probability_")] == [
        f"probability_{label}" for label in sorted(found.table.class_counts)
    ]
    assert found.ranking[0].method == "naive Bayes"
    assert found.to_frame()["standing"].tolist() == ["best", "worse"]
    assert found.advice.startswith("Use naive Bayes")


def test_noise_is_not_recommended(tmp_path):
    frame = make_table(300, seed=1).drop(columns="id")
    frame["y"] = np.random.default_rng(5).choice(["yes", "no"], 300)
    found = compare_table(frame, methods=["naive Bayes", "tree"], store=tmp_path / "s.db")
    assert found.advised == "base rate"
    assert "no method is shown to beat the base rate on 300 rows, which would have shown an adv" in found.advice


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda frame: frame.assign(y="no"), {}, "'y' has one value, 'no'"),
        (lambda frame: frame.assign(y=range(len(frame))), {}, "'y' has 120 different values"),
        (lambda frame: frame.assign(y=["a"] + ["b"] * 119), {}, "the class 'a' of 'y' has one row"),
        (lambda frame: frame.assign(y=[None] + ["b", "c"] * 59 + ["b"]), {}, "1 missing values"),
        (lambda frame: frame, {"target": "z"}, "no column 'z'"),
        (lambda frame: frame, {"positive": "maybe"}, "no class 'maybe'.*There are 'no', 'yes'"),
        (lambda frame: frame, {"groups": "household"}, "no column 'household'"),
        (lambda frame: frame, {"costs": {"good": {"go": 1}, "bad": {"go": 0}}}, "costs: "),
    ],
)
def test_bad_tables(tmp_path, change, options, message):
    with pytest.raises(DataError, match=message):
        compare_table(change(make_table()), methods=["tree"], store=tmp_path / "s.db", **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": ["forrest"]}, "no 'forrest'. Did you mean 'forest'"),
        ({"metric": "log_los"}, "got 'log_los'. Did you mean 'log_loss'"),
        ({"time_limit": 0}, "time_limit"),
        ({"workers": 0}, "workers"),
    ],
)
def test_bad_arguments(tmp_path, options, message):
    with pytest.raises(ParameterError, match=message):
        compare_table(make_table(), store=tmp_path / "s.db", **options)


def test_folder_that_cannot_be_written_is_found_before_the_work(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        compare_table("appeal", store=tmp_path / "s.db", out=tmp_path / "file" / "out")
    assert not (tmp_path / "s.db").exists()


def test_methods_with_infinite_losses_are_ranked_last_and_not_tested(tmp_path):
    found = compare_table("appeal", methods=["naive Bayes"], metric="log_loss", store=tmp_path / "s.db")
    study = found.study
    values = {key: each.copy() for key, each in study.results().values.items()}
    values["appeal", "log_loss", "test"][0, 3] = np.inf
    from dataclasses import replace

    from calibrant.studies._table_comparison.ranking import finite_methods

    assert finite_methods(replace(study.results(), values=values), "log_loss") == ["naive Bayes"]


def test_a_method_that_is_better_than_all_others_is_said_to_be(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    frame = pd.DataFrame({"x": x, "y": np.where(rng.random(300) < 1 / (1 + np.exp(-4 * x)), "yes", "no")})
    found = compare_table(frame, methods=["logistic regression"], store=tmp_path / "s.db")
    assert found.advice == "Use logistic regression: shown to be better than the base rate."


def test_advice_is_an_action_with_money_and_the_simplest_of_equals_is_taken(appeal):
    frame = appeal.to_frame()
    assert set(frame["standing"]) <= {"best", "as good", "worse"}
    assert appeal.advice.startswith(f"Use {appeal.advised}: ")
    assert " per 1,000 rows against " in appeal.advice
    assert str(appeal).startswith(f"Advice: Use {appeal.advised}: ")
    assert appeal.verdict.money_bound is not None


def test_a_calibrated_method_with_the_same_probabilities_is_no_line_of_its_own(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    frame = pd.DataFrame({"x": x, "y": np.where(rng.random(400) < 1 / (1 + np.exp(-x)), "yes", "no")})
    names = ["logistic regression", "calibrated logistic regression"]
    found = compare_table(frame, methods=names, plan="5", store=tmp_path / "s.db")
    merged = [each for each in found.ranking if each.same]
    lines = [line for line in str(found).splitlines() if line.startswith("  ") and "logistic regression" in line]
    assert len(found.ranking) == 3 - len(merged)
    assert [each.same for each in merged] in ([], [names[1]])
    assert any("logistic regression, calibrated or not" in line for line in lines) == bool(merged)


def test_a_run_that_time_ended_says_in_a_note_which_rows_it_is_of(appeal):
    cut = replace(appeal, ended="time limit", n_splits=9, n_rows=1350)
    first, *_, note = (line for line in str(cut).splitlines() if line.startswith(("Advice", "Note")))
    assert first.startswith("Advice: Use ")
    assert note.startswith("Note: the time limit ended the run after 9 of 10 splits; all figures are of the 1,350 rows")
