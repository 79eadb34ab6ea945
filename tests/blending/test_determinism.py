"""The same bits for any number of threads, of the blend and of BLAS, and for the same seed."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest

from calibrant.blending import ProbabilityClassifier

SCRIPT = """
import hashlib, numpy as np
from calibrant.blending import ProbabilityClassifier
rng = np.random.default_rng(0)
X = rng.normal(size=(400, 30))
y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=400) > 0).astype(int)
model = ProbabilityClassifier(members=["bayes", "logistic", "forest"], n_jobs={n_jobs}, random_state=0).fit(X, y)
print(hashlib.sha256(model.predict_proba(X).tobytes() + model.held_out_proba_.tobytes()).hexdigest())
"""


def numbers(n_rows=120, n_classes=3):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 4))
    X[rng.random(X.shape) < 0.05] = np.nan
    return X, np.digitize(np.nan_to_num(X[:, 0]) + rng.normal(size=n_rows), np.linspace(-0.5, 0.5, n_classes - 1))


def bits(model, X):
    content = (model.predict_proba(X), model.held_out_proba_, [member.weight for member in model.members_])
    return hashlib.sha256(b"".join(np.asarray(each).tobytes() for each in content)).hexdigest()


@pytest.mark.sample(2)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_any_number_of_threads_gives_the_same_bits(n_classes):
    X, y = numbers(n_classes=n_classes)
    models = [ProbabilityClassifier(n_jobs=n_jobs, random_state=1).fit(X, y) for n_jobs in (1, 2)]
    assert len({bits(model, X) for model in models}) == 1
    assert bits(models[0].set_params(n_jobs=2), X) == bits(models[0].set_params(n_jobs=1), X)


@pytest.mark.long
def test_blas_threads_do_not_change_the_bits():
    found = set()
    for n_jobs, n_blas in [(1, 1), (2, 2)]:
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        environment = {**os.environ, **dict.fromkeys(names, str(n_blas))}
        command = [sys.executable, "-c", SCRIPT.format(n_jobs=n_jobs)]
        found.add(subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout)
    assert len(found) == 1


@pytest.mark.parametrize("seed", [0, 7])
def test_a_seed_fixes_the_result_and_another_changes_it(seed):
    X, y = numbers()
    members = ["bayes", "forest"]
    once, again, other = (
        ProbabilityClassifier(members=members, random_state=each).fit(X, y) for each in (seed, seed, seed + 1)
    )
    assert bits(once, X) == bits(again, X) != bits(other, X)
