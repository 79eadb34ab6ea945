"""Write model files of the installed version to keep, with the predictions that every later version must repeat.

``python -m tests.files.kept.write_kept`` writes into a new folder named for the schema of model files; folders of
earlier schemas stay as they are, and so do their files: a file that was kept is never written again.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.files.models import numbers, quiet, table, three_classes, two_classes

import calibrant
from calibrant.bayes import ConstantClassifier, NaiveBayesClassifier
from calibrant.blending import ProbabilityClassifier
from calibrant.calibration import CalibratedClassifier, Chain, Isotonic, Platt
from calibrant.decisions import CostMatrix, CostSensitiveClassifier
from calibrant.ensembles import BaggedTreesClassifier, BoostedStumpsClassifier, BoostedTreesClassifier, MOBESPClassifier
from calibrant.files._model_files import SCHEMA_VERSION
from calibrant.linear import LogisticClassifier
from calibrant.neighbors import NeighborsClassifier
from calibrant.trees import ProbabilityTreeClassifier

__all__ = ["FOLDER", "OF_NUMBERS", "kept_rows"]

FOLDER = Path(__file__).parent
_COSTS = CostMatrix([[0, 1], [5, 0]], labels=["no", "yes"])
MODELS: dict[str, Callable[[], Any]] = {
    "constant": ConstantClassifier,
    "naive_bayes": lambda: NaiveBayesClassifier(numeric="kernel"),
    "normal_bayes": lambda: NaiveBayesClassifier(numeric="gaussian"),
    "neighbors": lambda: NeighborsClassifier(n_neighbors=5),
    "tree": lambda: ProbabilityTreeClassifier(random_state=0),
    "bagged_trees": lambda: BaggedTreesClassifier(n_trees=5, max_depth=5, random_state=0),
    "mob_esp": lambda: MOBESPClassifier(n_trees=5, max_depth=5, random_state=0),
    "boosted_trees": lambda: BoostedTreesClassifier(n_trees=5, max_depth=3, random_state=0),
    "boosted_stumps": lambda: BoostedStumpsClassifier(n_trees=10),
    "logistic": LogisticClassifier,
    "calibrated": lambda: CalibratedClassifier(NaiveBayesClassifier(), Chain(Platt(), Isotonic()), cv=3),
    "costs": lambda: CostSensitiveClassifier(ProbabilityTreeClassifier(max_depth=3, random_state=0), _COSTS),
    "blend": lambda: ProbabilityClassifier(members=["bayes", "logistic", "kernel"], random_state=0),
    "blend_of_trees": lambda: ProbabilityClassifier(members=["boosted"], random_state=0),
}
OF_NUMBERS: dict[str, Callable[[], Any]] = {
    "sklearn": lambda: CalibratedClassifier(make_pipeline(StandardScaler(), LogisticRegression()), "platt", cv=3),
    "sklearn_forest": lambda: RandomForestClassifier(3, max_depth=3, random_state=0),
    "lightgbm": lambda: importlib.import_module("lightgbm").LGBMClassifier(n_estimators=3, num_leaves=4, verbose=-1),
    "xgboost": lambda: importlib.import_module("xgboost").XGBClassifier(n_estimators=3, max_depth=2),
}


def kept_rows(records: list[dict[str, Any]]) -> pd.DataFrame:
    """Return the rows of a kept file's predictions."""
    return pd.DataFrame(records).astype({"a": float, "b": float, "c": float})


def main() -> None:
    folder = FOLDER / f"schema_{SCHEMA_VERSION}"
    folder.mkdir()
    records = json.loads(table()[:20].to_json(orient="records"))
    expected: dict[str, Any] = {"calibrant": calibrant.__version__, "rows": records, "models": {}}
    X = kept_rows(json.loads(table().to_json(orient="records")))
    rows = kept_rows(records)
    for name, make in MODELS.items():
        y = three_classes() if name in ("bagged_trees", "blend_of_trees", "normal_bayes") else two_classes()
        n_rows = 40 if name == "blend_of_trees" else len(X)
        with quiet():
            _keep(folder, name, make().fit(X[:n_rows], y[:n_rows]), rows, expected)
    for name, make in OF_NUMBERS.items():
        with quiet():
            _keep(folder, name, make().fit(numbers(), two_classes() == "yes"), numbers()[:20], expected)
    expected["numbers"] = numbers()[:20].tolist()
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


def _keep(folder: Path, name: str, model: Any, rows: Any, expected: dict[str, Any]) -> None:
    calibrant.save(model, folder / f"{name}.calibrant", compress=True, made_by="calibrant")
    expected["models"][name] = {
        "class": type(model).__name__,
        "classes": np.asarray(model.classes_).tolist(),
        "proba": model.predict_proba(rows).tolist(),
    }


if __name__ == "__main__":
    main()
