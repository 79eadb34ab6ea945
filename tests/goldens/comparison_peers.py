"""Makes comparison_peers.json from comparison_cases.json, by baycomp, scikit-posthocs, mlxtend and statsmodels."""

import json
from importlib.metadata import version
from pathlib import Path

import baycomp
import numpy as np
import scikit_posthocs
from mlxtend.evaluate.f_test import combined_ftest_5x2cv
from mlxtend.evaluate.ttest import paired_ttest_5x2cv
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

HERE = Path(__file__).parent
CASES = json.loads((HERE / "comparison_cases.json").read_text("utf-8"))
A, B = (np.array(CASES["trials"][name]) for name in "ab")
SCORES = np.array(list(CASES["datasets"].values())).T


class Scripted:
    """A classifier whose scores are fixed beforehand, since mlxtend runs the trials itself."""

    _estimator_type = "classifier"

    def __init__(self, scores):
        self.scores = iter(scores)

    def fit(self, *_):
        return self


def five_by_two(test):
    X, y = np.zeros((40, 1)), np.tile([0, 1], 20)
    # mlxtend calls scorer(estimator, X, y) for both estimators on each half in turn
    return test(Scripted(A), Scripted(B), X, y, scoring=lambda model, *_: next(model.scores), random_seed=0)


def bayes_t(rope):
    left, *middle, right = baycomp.CorrelatedTTest(B, A, rope, runs=1).probs()
    return [left, middle[0] if middle else 0.0, right]


def bayes_ranks(rope):
    posterior = baycomp.SignedRankTest(SCORES[:, 0], SCORES[:, 1], rope, nsamples=50000, random_state=0)
    return [float(p) for p in posterior.probs()]


names = ["baycomp", "scikit-posthocs", "mlxtend", "statsmodels", "scipy"]
table = np.array(CASES["rows"]).reshape(2, 2)
out = {
    "versions": {name: version(name) for name in names},
    "five_by_two_t": [float(v) for v in five_by_two(paired_ttest_5x2cv)],
    "five_by_two_f": [float(v) for v in five_by_two(combined_ftest_5x2cv)],
    "bayes_t": {str(rope): [float(p) for p in bayes_t(rope)] for rope in (0, 1.0)},
    "bayes_ranks": {str(rope): bayes_ranks(rope) for rope in (0, 0.01)},
    "nemenyi": scikit_posthocs.posthoc_nemenyi_friedman(-SCORES).to_numpy().tolist(),
    "mcnemar_exact": float(mcnemar(table, exact=True).pvalue),
    "holm": multipletests(CASES["pvalues"], method="holm")[1].tolist(),
}
(HERE / "comparison_peers.json").write_text(json.dumps(out, indent=1), "utf-8")
