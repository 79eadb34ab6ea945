"""The trials of the reproduced papers against the same trials as a plain loop of scikit-learn, a data set each.

python benchmarks/papers.py [zadrozny chawla caruana nielsen others]

Trees, bagged trees and boosted trees have to be at least 5 times as fast; nets and SVMs, which are scikit-learn's own
underneath, are printed without a bar. Both sides have the same splits and compute four metrics. The loop fits every
method in every split, as such loops do: scikit-learn's estimators of like settings, one fit for each setting of a
method that only differs in how its trees are read. Nominal columns, which scikit-learn's trees do not take, are
one-hot coded beforehand, outside the time.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from _side_by_side import best_of, machine
from calibrant.data import Table, load
from calibrant.ensembles import BaggedTreesClassifier, BoostedStumpsClassifier, BoostedTreesClassifier
from calibrant.papers import get_paper
from calibrant.resampling import RepeatedHoldout
from calibrant.studies import Study
from calibrant.trees import ProbabilityTreeClassifier, tree_style

METRICS = ["error", "mse", "log_loss", "auc"]
BAR = 5.0
ROUNDS = 3
TREE_STYLES = ("BAYES", "ID3", "CART", "CART0", "C4", "MML", "SMML", "C44LS", "C44BS", "MMLLS")
TREE_STEPS = tuple(2**n for n in range(1, 7))
STUMP_STEPS = tuple(2**n for n in range(1, 8))
EPOCHS = (10, 20, 40, 80)
COSTS = (0.1, 1.0, 10.0)

Methods = dict[str, Any]


class CrossValidatedTree(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """CART's pruning in scikit-learn: the best of ten alphas of the pruning path by tenfold cross-validation."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> CrossValidatedTree:
        tree = DecisionTreeClassifier(random_state=0)
        path = tree.cost_complexity_pruning_path(X, y).ccp_alphas
        alphas = np.unique(np.maximum(np.quantile(path, np.linspace(0, 1, 10)), 0.0))
        self.search_ = GridSearchCV(tree, {"ccp_alpha": alphas}, cv=10).fit(X, y)
        self.classes_ = self.search_.classes_
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        return self.search_.predict_proba(X)


def like(estimator: Any) -> Any:
    """Return scikit-learn's estimator of the settings of one of ours."""
    if isinstance(estimator, ProbabilityTreeClassifier):
        return CrossValidatedTree() if isinstance(estimator.ccp_alpha, str) else decision_tree(estimator)
    if isinstance(estimator, BaggedTreesClassifier):
        max_features = None if estimator.max_features is None else "sqrt"
        tree = decision_tree(estimator, max_features=max_features)
        return BaggingClassifier(tree, estimator.n_trees, random_state=0)
    if isinstance(estimator, BoostedStumpsClassifier):
        return AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=estimator.n_trees, random_state=0)
    assert isinstance(estimator, BoostedTreesClassifier)
    # Two rows in a leaf: scikit-learn's boosting ends at its first tree if that fits the training rows perfectly
    tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2)
    return AdaBoostClassifier(tree, n_estimators=estimator.n_trees, random_state=0)


def decision_tree(estimator: Any, **params: Any) -> DecisionTreeClassifier:
    """Return a tree that is grown until its leaves are pure or have no more rows than ours, and pruned if ours is."""
    min_leaf = 1 if getattr(estimator, "style", None) else max(1, int(estimator.min_leaf))
    alpha = 0.0 if getattr(estimator, "prune", None) is None else 1e-4
    return DecisionTreeClassifier(
        criterion="entropy", min_samples_leaf=min_leaf, ccp_alpha=alpha, random_state=0, **params
    )


def run_study(table: Table, methods: Methods, plan: Any) -> None:
    """Run the methods as a study in a new store."""
    with tempfile.TemporaryDirectory(prefix="calibrant-bench-") as folder:
        store = Path(folder) / "trials.db"
        study = Study("bench", datasets={"table": table}, methods=methods, plan=plan, metrics=METRICS, store=store)
        assert study.run().is_complete


def run_loop(X: np.ndarray, y: np.ndarray, methods: Methods, splits: list[tuple[np.ndarray, np.ndarray]]) -> None:
    """Fit every method on every split and compute four metrics, in the loop that people write by hand."""
    for train, test in splits:
        for method in methods.values():
            model = clone(method).fit(X[train], y[train])
            proba = model.predict_proba(X[test]) if hasattr(model, "predict_proba") else scaled_margins(model, X[test])
            accuracy_score(y[test], proba.argmax(axis=1))
            brier_score_loss(y[test], proba[:, 1])
            log_loss(y[test], proba)
            roc_auc_score(y[test], proba[:, 1])


def scaled_margins(model: Any, X: np.ndarray) -> np.ndarray:
    """Return the margins of an SVM scaled to [0, 1] in place of probabilities, as the paper does."""
    margin = model.decision_function(X)
    score = (margin - margin.min()) / (margin.max() - margin.min())
    return np.column_stack([1.0 - score, score])


def contest(name: str, table: Table, plan: Any, ours: Methods, theirs: Methods | None = None, bar: float = BAR) -> None:
    """Print the processor time of our study, of scikit-learn's loop, and their ratio."""
    X = numbers(table)
    y = (np.asarray(table.y).astype(str) == table.positive).astype(int)
    splits = [*plan.split(table.X, table.y)]
    others = {key: like(each) for key, each in ours.items()} if theirs is None else theirs
    best = best_of(
        ROUNDS,
        time.process_time,
        study=lambda: run_study(table, ours, plan),
        loop=lambda: run_loop(X, y, others, splits),
    )
    ratio, n_trials = best["loop"] / best["study"], len(ours) * len(splits)
    wanted = f" (bar {bar:g})" if bar else ""
    print(
        f"{name}: {n_trials} trials, study {best['study']:.2f} s, loop {best['loop']:.2f} s: {ratio:.1f} times{wanted}",
        flush=True,
    )


def numbers(table: Table) -> np.ndarray:
    """Return the columns as numbers, nominal ones as indicators."""
    nominal = [name for name, kind in table.kinds.items() if kind == "nominal"]
    coder = make_column_transformer((OneHotEncoder(sparse_output=False), nominal), remainder="passthrough")
    coded: np.ndarray = coder.fit_transform(table.X).astype(np.float64)
    return coded


def of_kind(methods: Mapping[str, Any], kind: type) -> Methods:
    return {name: each for name, each in methods.items() if isinstance(each, kind)}


def zadrozny() -> None:
    table = load("zadrozny.coil")
    methods = get_paper("zadrozny-elkan-2001").methods()
    trees, bagged = of_kind(methods, ProbabilityTreeClassifier), of_kind(methods, BaggedTreesClassifier)
    fewer = {name: clone(each).set_params(n_trees=20) for name, each in bagged.items()}
    contest("Zadrozny & Elkan, trees (CoIL)", table, RepeatedHoldout(5, 4000), trees)
    contest("Zadrozny & Elkan, 20 of the 100 bagged trees (CoIL)", table, RepeatedHoldout(1, 4000), fewer)


def chawla() -> None:
    table = load("chawla.mammography")
    methods = get_paper("chawla-cieslak-2006").methods()
    trees, bagged = of_kind(methods, ProbabilityTreeClassifier), of_kind(methods, BaggedTreesClassifier)
    contest("Chawla & Cieslak, trees (mammography)", table, RepeatedHoldout(10, 0.3), trees)
    contest("Chawla & Cieslak, bagged trees (mammography)", table, RepeatedHoldout(2, 0.3), bagged)


def caruana() -> None:
    table = load("caruana.adult")
    plan = RepeatedHoldout(1, table.n_rows - 4000)
    trees = {name: tree_style(name) for name in TREE_STYLES}
    bagged = {"BAG-DT": BaggedTreesClassifier(style="C4", n_trees=25)}
    boosted = {f"{n} steps": BoostedTreesClassifier(style="C4", n_trees=n) for n in TREE_STEPS}
    stumps = {f"{n} steps": BoostedStumpsClassifier(n_trees=n) for n in STUMP_STEPS}
    paper = "Caruana & Niculescu-Mizil"
    contest(f"{paper}, ten tree styles (ADULT)", table, plan, trees)
    fixed = {name: each for name, each in trees.items() if not isinstance(each.ccp_alpha, str)}
    contest(f"{paper}, the eight that are not cross-validated (ADULT)", table, plan, fixed)
    contest(f"{paper}, bagged trees, raw and calibrated (ADULT)", table, plan, *calibrated(bagged))
    contest(f"{paper}, boosted trees at {len(boosted)} lengths (ADULT)", table, plan, boosted)
    contest(f"{paper}, boosted stumps at {len(stumps)} lengths (ADULT)", table, plan, stumps)


def calibrated(methods: Methods) -> tuple[Methods, Methods]:
    """Return the methods raw, by Platt scaling and by isotonic regression of three folds: ours, and scikit-learn's."""
    from calibrant.calibration import CalibratedClassifier, Isotonic, Platt

    ours, theirs = dict(methods), {name: like(each) for name, each in methods.items()}
    for name, each in methods.items():
        ours[f"{name}, Platt"] = CalibratedClassifier(each, Platt(on="score"), cv=3)
        ours[f"{name}, isotonic"] = CalibratedClassifier(each, Isotonic(), cv=3)
        for map_name in ("sigmoid", "isotonic"):
            theirs[f"{name}, {map_name}"] = CalibratedClassifierCV(like(each), method=map_name, cv=3, ensemble=False)
    return ours, theirs


def nielsen() -> None:
    table, plan = load("nielsen.ionosphere"), RepeatedHoldout(2, 1 / 3)
    methods = of_kind(get_paper("nielsen-2004").methods(), BaggedTreesClassifier)
    contest("Nielsen, bagged trees (ionosphere)", table, plan, methods)


def others() -> None:
    """Nets and SVMs, which calibrant takes from scikit-learn."""
    from calibrant.neural import NeuralNetClassifier
    from calibrant.svm import SVMClassifier

    table = load("caruana.letter_p1")
    plan = RepeatedHoldout(1, table.n_rows - 4000)
    nets = {f"{n} epochs": NeuralNetClassifier(n_hidden=8, n_epochs=n, random_state=0) for n in EPOCHS}
    loops = {name: net_loop(each) for name, each in nets.items()}
    contest("nets at four epochs (LETTER.P1)", table, plan, nets, loops, 0)
    svms = {f"C = {cost}": SVMClassifier(kernel="radial", gamma=0.05, C=cost) for cost in COSTS}
    machines = {name: make_pipeline(StandardScaler(), SVC(C=each.C, gamma=0.05)) for name, each in svms.items()}
    contest("SVMs of three costs (LETTER.P1)", table, plan, svms, machines, 0)


def net_loop(net: Any) -> Any:
    """Return scikit-learn's net that is trained from the start for so many epochs."""
    options = {"solver": "sgd", "momentum": net.momentum, "learning_rate_init": net.learning_rate, "random_state": 0}
    mlp = MLPClassifier((net.n_hidden,), max_iter=net.n_epochs, n_iter_no_change=net.n_epochs + 1, **options)
    return make_pipeline(StandardScaler(), mlp)


PARTS: dict[str, Callable[[], None]] = {
    "zadrozny": zadrozny,
    "chawla": chawla,
    "caruana": caruana,
    "nielsen": nielsen,
    "others": others,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="by default all")
    warnings.simplefilter("ignore")
    os.environ["CALIBRANT_PROGRESS"] = "0"
    print(machine("numpy", "scikit-learn"))
    for name in parser.parse_args().parts or PARTS:
        PARTS[name]()


if __name__ == "__main__":
    main()
