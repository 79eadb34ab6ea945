"""The bits of a fixed forest, of its probabilities and of a score card: the same on every processor and thread count.

Each setting is a process of its own. A digest changes only with an algorithm; then the new one is written here and the
change in CHANGELOG.md. docs/reproducibility.md says what is promised and what is left to libm, NumPy, SciPy and BLAS.
"""

import hashlib
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

EXPECTED = {
    "forest": "b506ca083da897ac",
    "b_pets": "9ee67d747c06ee79",
    "eb_pets": "92ea5f062fc59981",
    "mob_esp": "e2d1346f61aa9cd8",
    "pruned": "a692ebecbf789e32",
    "card": "d34fbc6e2f8e36f7",
    "intervals": "1ed106e7a7ee679c",
}

# ece and the calibration line are left to BLAS.
METRICS = ("log_loss", "mse", "auc", "average_precision", "ks", "lift", "accuracy", "f1", "mcc")

NO_AVX = ",".join(f"-{name}" for name in ("AVX512F", "AVX512VL", "AVX512BW", "AVX512DQ", "AVX2", "AVX2_Usable", "FMA"))


def _numpy_features():
    core = importlib.import_module(f"numpy.{'_core' if np.__version__ >= '2' else 'core'}._multiarray_umath")
    return " ".join(name for name in core.__cpu_dispatch__ if core.__cpu_features__.get(name))


SETTINGS = {
    "one thread": {"n_jobs": "1"},
    "two threads": {"n_jobs": "2"},
    "NumPy without AVX": {"n_jobs": "1", "NPY_DISABLE_CPU_FEATURES": _numpy_features()},
    "glibc without AVX": {"n_jobs": "2", "GLIBC_TUNABLES": f"glibc.cpu.hwcaps={NO_AVX}"},
    "BLAS without AVX": {"n_jobs": "1", "OPENBLAS_CORETYPE": "Nehalem"},
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("setting", SETTINGS)
def test_digests_are_the_same_under_every_setting(setting):
    n_jobs, *variables = SETTINGS[setting].items()
    command = [sys.executable, str(Path(__file__).resolve()), n_jobs[1]]
    environment = os.environ | dict(variables) | {"PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == EXPECTED


def _digest(*arrays):
    found = hashlib.sha256()
    for array in arrays:
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:16]


def _tree_digest(*trees):
    return _digest(*(part for t in trees for part in (t.feature, t.threshold, t.parent, t.counts)))


def _forest_digests(table, n_jobs):
    from calibrant.ensembles import EBPETsClassifier

    forest = EBPETsClassifier(n_trees=16, random_state=7, n_jobs=n_jobs).fit(table.X, table.y)
    readings = {kind: forest.reread(kind).predict_proba(table.X) for kind in ("b_pets", "eb_pets", "mob_esp")}
    return {"forest": _tree_digest(*forest.trees_)} | {kind: _digest(p) for kind, p in readings.items()}


def _pruned_digests(table):
    from calibrant.trees import ProbabilityTreeClassifier

    pruned = (ProbabilityTreeClassifier(prune=prune).fit(table.X, table.y) for prune in ("pessimistic", "mdl"))
    return {"pruned": _tree_digest(*(tree.tree_ for tree in pruned))}


def _card_digests(table, n_jobs):
    from calibrant.ensembles import BPETsClassifier
    from calibrant.metrics import evaluate

    half = len(table.y) // 2
    forest = BPETsClassifier(n_trees=16, random_state=7, n_jobs=n_jobs).fit(table.X[:half], table.y[:half])
    frame = evaluate(table.y[half:], forest.predict_proba(table.X[half:]), metrics=METRICS, n_boot=200).to_frame()
    # Interval ends pass through SciPy's normal quantiles: twelve digits of them.
    ends = "".join(f"{end:.12g} " for name in ("low", "high") for end in frame[name])
    return {"card": _digest(frame["value"].to_numpy()), "intervals": _digest(np.frombuffer(ends.encode(), np.uint8))}


def main():
    from calibrant.data import load

    table, n_jobs = load("appeal"), int(sys.argv[1])
    print(json.dumps(_forest_digests(table, n_jobs) | _pruned_digests(table) | _card_digests(table, n_jobs)))


if __name__ == "__main__":
    main()
